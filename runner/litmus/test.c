#include "litmus/test.h"
#include "litmus/copy.h"

#include "base/source.h"

#include <string.h>

static bool is_int(const struct expr *e) {
    return !e || (type_same(e->type, type_int) && is_int(e->a) && is_int(e->b) && is_int(e->c));
}

static bool computes_with_int(const struct stmt *s, void *ctx) {
    (void)ctx;
    return is_int(s->value);
}

bool test_is_int(const struct test *t) {
    bool all = is_int(t->cond.prop);
    for (int i = 0; i < t->nlocs; i++)
        all = all && type_same(t->locs[i].type, type_int);
    for (int i = 0; i < t->nbodies; i++) {
        const struct body *b = &t->bodies[i];
        all = all && stmt_walk(b->first, computes_with_int, NULL);
        for (int r = 0; r < b->nregs; r++)
            all = all && type_same(b->regs[r].type, type_int);
    }
    for (int k = 1; k <= t->nops; k++)
        all = all && is_int(t->ops[k].place[0].index) && is_int(t->ops[k].place[1].index) &&
              is_int(t->ops[k].value) && is_int(t->ops[k].expected);
    return all;
}

int location_elements(const struct location *l) {
    return l->count * l->instances;
}

int location_first(const struct location *l, const struct thread *th) {
    return l->instances > 1 ? th->block * l->count : 0;
}

void location_print(struct text *out, const struct location *l, int element) {
    text_add(out, l->name);
    if (l->instances > 1) text_printf(out, "@%d", element / l->count);
    if (l->array) text_printf(out, "[%d]", element % l->count);
}

const struct source *test_text_of(const struct test *t, const struct body *b) {
    return b->text ? b->text : &t->source;
}

const char *body_place(struct arena *a, const struct body *b, struct pos pos) {
    const char *origin = source_origin(b->text, pos.line);
    if (origin) return origin;
    return b->text ? arena_printf(a, "%s:%d", b->text->path, pos.line) : arena_printf(a, "line %d", pos.line);
}

int location_root(const struct test *t, int loc) {
    return t->locs[loc].view ? t->locs[loc].of : loc;
}

struct value location_init(const struct location *l, int element) {
    return l->inits ? l->inits[element % l->count] : l->init;
}

static int count_words(struct type t) {
    return (type_bytes(t) + 3) / 4;
}

int observed_words(const struct test *t) {
    int n = 0;
    for (int o = 0; o < t->nobs; o++)
        n += count_words(t->obs[o].type);
    return n;
}

void observed_values(const struct test *t, const int *words, struct value *out) {
    for (int o = 0; o < t->nobs; o++) {
        int n = count_words(t->obs[o].type);
        uint32_t w[4] = {0};
        memcpy(w, words, (size_t)n * sizeof *w);
        out[o] = value_bits(t->obs[o].type, w[0] | (uint64_t)w[1] << 32, w[2] | (uint64_t)w[3] << 32);
        words += n;
    }
}

struct cell *test_cells(const struct test *t, struct arena *a, int *n) {
    *n = 0;
    size_t all = (size_t)t->nplacements * (size_t)t->naccesses * (size_t)t->nfences;
    struct cell *cells = arena_array(a, all, sizeof *cells);
    for (int p = 0; p < t->nplacements; p++)
        for (int k = 0; k < t->naccesses; k++)
            for (int f = 0; f < t->nfences; f++)
                cells[(*n)++] = (struct cell){&t->placements[p], t->accesses[k], &t->fences[f]};
    return cells;
}

static struct strength access_strength(enum access access) {
    switch (access) {
    case ACCESS_WEAK: return (struct strength){ORDER_WEAK, SCOPE_NONE};
    case ACCESS_VOLATILE: return (struct strength){ORDER_VOLATILE, SCOPE_SYS};
    case ACCESS_RELAXED: return (struct strength){ORDER_RELAXED, SCOPE_GPU};
    }
    return (struct strength){ORDER_WEAK, SCOPE_NONE};
}

bool op_closes(const struct op *op) {
    return op_rows[op->name].counts & COUNT_CLOSES;
}

bool op_uses(const struct op *op, int loc) {
    return op->place[0].loc == loc || op->place[1].loc == loc || op->place[2].loc == loc;
}

const char *op_ptx_type(const struct op *op) {
    return op->kind == OP_EXCHANGE ? type_ptx(op->type) : op_type_ptx(op_rows[op->name].types, op->type);
}

const char *op_cache(const struct op *op) {
    return op->bytes == 16 ? "cg" : "ca";
}

int op_elements(const struct test *t, const struct op *op) {
    bool one = (op->kind == OP_LOAD || op->kind == OP_STORE) && op->place[0].loc >= 0;
    int lanes = one ? t->locs[op->place[0].loc].type.lanes : 0;
    /* a vector over the elements of an array */
    if (one && op->type.lanes > lanes) return op->type.lanes / lanes;
    return op->bytes ? op->bytes / type_bytes(copy_data(t, op, 0)->type) : 1;
}

int op_elements_at(const struct test *t, const struct op *op, int place) {
    if (place >= OP_DATA) return 1;
    int all = op_elements(t, op);
    return place == 1 && op->zeros ? all - op->zeros / type_bytes(copy_data(t, op, 0)->type) : all;
}

bool op_is_there(const struct cell *cell, const struct op *op) {
    return op->slot < 0 ||
           (cell->fence->slot[op->slot].there && cell->fence->slot[op->slot].name == op->name);
}

struct strength op_strength(const struct test *t, const struct cell *cell, const struct op *op) {
    if (op->slot >= 0 && op_rows[op->name].orders) {
        const struct fence *f = &cell->fence->slot[op->slot];
        return (struct strength){f->order == ORDER_BARE ? t->fence_order : f->order, f->scope};
    }
    if (op->kind == OP_FENCE && !op_rows[op->name].orders && op_rows[op->name].calls[0].usage)
        return (struct strength){op_rows[op->name].calls[0].order, op_rows[op->name].calls[0].scope};
    if (op_kinds[op->kind].meets) return (struct strength){ORDER_ACQ_REL, op->scope};
    const struct location *l;
    switch (op->order) {
    case ORDER_BARE:
        l = &t->locs[op->place[0].loc];
        return access_strength(l->has_access ? l->access : cell->access);
    case ORDER_WEAK: return access_strength(ACCESS_WEAK);
    case ORDER_VOLATILE: return access_strength(ACCESS_VOLATILE);
    case ORDER_RELAXED:
    case ORDER_ACQUIRE:
    case ORDER_RELEASE:
    case ORDER_ACQ_REL:
    case ORDER_SC: break;
    }
    return (struct strength){op->order, op->scope};
}

struct strength op_place_strength(const struct test *t, const struct cell *cell, const struct op *op,
                                  int place) {
    return place == 0 ? op_strength(t, cell, op) : access_strength(ACCESS_WEAK);
}

const char *quantifier_name(enum quantifier q) {
    static const char *const names[] = {"exists", "not_exists", "forall"};
    return names[q];
}

static bool count_op(const struct stmt *s, void *ctx) {
    int *n = ctx;
    *n += s->kind == STMT_OP;
    return true;
}

/* Moves the operations of a list into the test's array. */
static void number_ops(struct test *t, struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_OP) {
            struct op *op = &t->ops[++t->nops];
            *op = *s->op;
            op->number = t->nops;
            s->op = op;
        }
        number_ops(t, s->body);
        number_ops(t, s->orelse);
        number_ops(t, s->step);
    }
}

/* The elements that a copy of several elements reads or writes must lie side by side. */
static void pack(struct test *t) {
    for (int k = 1; k <= t->nops; k++)
        for (int p = 0; p < OP_DATA; p++) {
            const struct op *op = &t->ops[k];
            bool known = op->place[0].loc >= 0 && op->place[p].loc >= 0;
            if (known && op_elements(t, op) > 1) t->locs[location_root(t, op->place[p].loc)].packed = true;
        }
}

void test_number_ops(struct arena *a, struct test *t) {
    int n = 0;
    for (int b = 0; b < t->nbodies; b++)
        stmt_walk(t->bodies[b].first, count_op, &n);
    t->ops = arena_array(a, (size_t)n + 1, sizeof *t->ops);
    t->nops = 0;
    for (int b = 0; b < t->nbodies; b++)
        number_ops(t, t->bodies[b].first);
    pack(t);
}
