/* What is generated for allotted barriers: see meeting.h. */
#include "gen/names.h"
#include "gen/ops.h"

enum { END = -1 }; /* the id of the barrier at which an instance ends for all threads */

void gen_barrier_of(const struct meeting *m, struct text *out) {
    text_add(
        out,
        "/* A block's barriers are shared out to the instances in its warps; barrier 0 is the harness's. */\n"
        "static ROLE int barrier_of(const struct run *run, int id)\n{\n"
        "    int first = 1 + (int)threadIdx.x / 32 / run->env->warps * BARRIERS_EACH;\n"
        "    switch (id) {\n");
    for (int k = 0; k < m->nids; k++)
        text_printf(out, "    case %d: return first + %d;\n", m->ids[k], k);
    text_printf(out, "    default: return first + %d; /* where the instance ends */\n    }\n}\n\n", m->nids);
}

/* Makes the operation that ends an instance: a __syncthreads() for the warps of its slot. */
static struct op end_of_instance(void) {
    const struct op_call *call;
    const struct op_row *row = op_find_call("__syncthreads", ANY_ARGUMENTS, &call);
    struct op end = op_make(row->name, (struct pos){0});
    end.barrier_id = END;
    return end;
}

/* Writes a function for each operation that some companion passes. */
static void define_operations(const struct test *t, const struct meeting *m, enum dialect dialect,
                              struct text *out) {
    struct arena *scratch = arena_open();
    bool *wanted = arena_array(scratch, (size_t)t->nops + 1, sizeof *wanted);
    for (int k = 0; k < m->ncompanions; k++) {
        if (m->companions[k].joins) continue;
        const struct passes *p = &m->passes[m->companions[k].like];
        for (int n = 0; n < p->n; n++)
            wanted[p->ops[n]->number] = true;
    }
    for (int k = 1; k <= t->nops; k++)
        if (wanted[k]) gen_op_accompany(out, &t->ops[k], dialect);
    arena_close(scratch);
    struct op end = end_of_instance();
    gen_op_accompany(out, &end, dialect);
}

/* Writes the calls of the barriers that a companion passes. */
static void print_passes(const struct meeting *m, const struct companion *c, struct text *out) {
    const struct passes *p = &m->passes[c->like];
    for (int n = 0; n < p->n; n++) {
        const struct op *op = p->ops[n];
        if (c->alone && op->barrier != BARRIER_CLUSTER) continue;
        text_printf(out, "        accompany_%d(run", op->number);
        if (gen_op_takes_barrier(op)) text_printf(out, ", %d, %d", op->barrier_id, m->threads[op->number]);
        text_add(out, ");\n");
    }
}

bool gen_meets_lanes(const struct test *t) {
    for (int k = 1; k <= t->nops; k++) {
        enum op_kind kind = t->ops[k].kind;
        if (op_kinds[kind].meets && t->ops[k].barrier == BARRIER_WARP) return true;
    }
    return false;
}

/* Returns the lanes of a thread's warp in which the test has threads, as bits. */
static unsigned lanes_of(const struct test *t, const struct seating *s, int thread) {
    unsigned lanes = 0;
    for (int k = 0; k < t->nthreads; k++)
        if (s->gpu[k] == s->gpu[thread] && s->block[k] == s->block[thread] && s->warp[k] == s->warp[thread])
            lanes |= 1u << s->lane[k];
    return lanes;
}

/* Writes begin_instance(). It sets the mask of the warp for a thread of the test: without the lanes of
 * companions. */
static void print_begin(const struct test *t, const struct seating *s, struct text *out) {
    text_add(out, "static ROLE void begin_instance(int thread, struct run *run)\n{\n");
    for (int k = 0; k < t->nthreads; k++)
        text_printf(out, "    if (thread == %d) run->warp_mask = 0x%xu << first_lane(run);\n", k,
                    lanes_of(t, s, k));
    text_add(out, "}\n\n");
}

bool gen_joins(const struct meeting *m) {
    for (int k = 0; k < m->ncompanions; k++)
        if (m->companions[k].joins) return true;
    return false;
}

/* Writes text_of(): whose body a thread or a companion runs. For a thread it is its own. */
static void print_text_of(const struct test *t, const struct meeting *m, struct text *out) {
    text_add(out, "static ROLE int text_of(int thread)\n{\n");
    for (int first = 0, n; first < m->ncompanions; first += n) {
        const struct companion *c = &m->companions[first];
        for (n = 1; first + n < m->ncompanions && c[n].joins == c->joins && c[n].like == c->like;)
            n++;
        if (c->joins)
            text_printf(out, "    if (thread >= %d && thread < %d) return %d;\n", t->nthreads + first,
                        t->nthreads + first + n, c->like);
    }
    text_add(out, "    return thread;\n}\n\n");
}

void gen_accompany(const struct test *t, const struct seating *s, const struct meeting *m,
                   enum dialect dialect, struct text *out) {
    text_add(out,
             "/* In lanes without a thread of the test, companions pass the barriers of their warps; and no "
             "instance\n * begins in a warp before all of the last one have ended. */\n");
    define_operations(t, m, dialect, out);
    text_add(out, "\n");
    if (gen_meets_lanes(t)) print_begin(t, s, out);
    if (gen_joins(m)) print_text_of(t, m, out);
    text_add(out, "static ROLE void end_instance(int thread, struct run *run)\n{\n");
    for (int first = 0, n; first < m->ncompanions; first += n) {
        for (n = 1; first + n < m->ncompanions && meeting_same_text(m, first, first + n);)
            n++;
        if (m->companions[first].joins) continue;
        text_printf(out, "    if (thread >= %d && thread < %d) {\n", t->nthreads + first,
                    t->nthreads + first + n);
        print_passes(m, &m->companions[first], out);
        text_add(out, "    }\n");
    }
    text_printf(out, "    accompany_0(run, %d, 32 * run->env->warps);\n}\n\n", END);
}
