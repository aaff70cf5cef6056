/* What a harness must know of a test before it can run it. */
#include "gen/account.h"
#include "gen/gen.h"
#include "gen/names.h"
#include "litmus/cluster.h"

static bool look(const struct stmt *s, void *ctx) {
    struct shape *shape = ctx;
    bool exchanges = s->kind == STMT_OP && (s->op->kind == OP_EXCHANGE || s->op->mask);
    if (exchanges) shape->exchanges = shape->barriers = true;
    if (s->kind == STMT_OP && s->op->kind == OP_TRIGGER) shape->triggers = true;
    if ((s->kind == STMT_LOOP && loop_waits(s)) || s->kind == STMT_GOTO) shape->waits = true;
    return true;
}

/* Returns how many execution barriers of a kind a list of statements passes, if that is the same on every
 * path; else -1. */
static int count_barriers(const struct stmt *s, enum barrier_kind kind) {
    int n = 0;
    for (; s; s = s->next) {
        if (s->kind == STMT_OP && s->op->kind == OP_BARRIER && s->op->barrier == kind)
            n += !op_rows[s->op->name].wait_only;
        int body = s->body ? count_barriers(s->body, kind) : 0;
        int orelse = s->orelse ? count_barriers(s->orelse, kind) : 0;
        int step = s->step ? count_barriers(s->step, kind) : 0;
        if (body < 0 || orelse < 0 || step < 0) return -1;
        if (s->kind == STMT_IF && body != orelse) return -1;
        if (s->kind == STMT_LOOP && body + step > 0 && loop_waits(s)) return -1;
        n += s->kind == STMT_LOOP ? s->trips * (body + step) : body;
    }
    return n;
}

int gen_barriers(const struct body *b, enum barrier_kind kind) {
    return count_barriers(b->first, kind);
}

static bool add_type(struct shape *s, struct type t) {
    s->reals = s->reals || t.real;
    s->wide = s->wide || t.bits == 128;
    return true;
}

static bool add_types(struct shape *s, const struct expr *e) {
    return !e || (add_type(s, e->type) && add_types(s, e->a) && add_types(s, e->b) && add_types(s, e->c));
}

static bool add_computed(const struct stmt *s, void *ctx) {
    return add_types(ctx, s->value);
}

/* Notes the types of all values in the test. */
static void look_for_types(struct shape *s, const struct test *t) {
    for (int l = 0; l < t->nlocs; l++)
        add_type(s, t->locs[l].type);
    for (int b = 0; b < t->nbodies; b++) {
        stmt_walk(t->bodies[b].first, add_computed, s);
        for (int r = 0; r < t->bodies[b].nregs; r++)
            add_type(s, t->bodies[b].regs[r].type);
    }
    for (int k = 1; k <= t->nops; k++) {
        const struct expr *operands[OP_OPERANDS];
        op_operands(&t->ops[k], operands);
        for (int i = 0; i < OP_OPERANDS; i++)
            add_types(s, operands[i]);
    }
}

int gen_places(const struct location *l) {
    return l->packed ? 1 : l->count;
}

/* Returns how many words an element takes. For elements that lie side by side it is a power of two, at least
 * the 4 words to which a copy is aligned. An mbarrier with an account takes 4, the account behind it. */
static int words_of(const struct test *t, int loc) {
    const struct location *l = &t->locs[loc];
    int words = 4;
    if (!l->packed && !gen_is_told(t, loc)) return type_bytes(l->type) / 4;
    while (l->packed && 4 * words < type_bytes(l->type) * l->count)
        words *= 2;
    return words;
}

struct shape gen_shape(const struct test *t) {
    struct shape s = {.words = 1};
    look_for_types(&s, t);
    for (int b = 0; b < t->nbodies; b++) {
        stmt_walk(t->bodies[b].first, look, &s);
        for (int k = BARRIER_WARP; k <= BARRIER_CLUSTER; k++)
            s.barriers = s.barriers || gen_barriers(&t->bodies[b], (enum barrier_kind)k) != 0;
    }
    s.arrays = cluster_first_op(t) != NULL;
    for (int l = 0; l < t->nlocs; l++) {
        const struct location *loc = &t->locs[l];
        int words = words_of(t, l);
        s.arrays = s.arrays || loc->array;
        s.own = s.own || loc->instances > 1;
        if (words > s.words) s.words = words;
        if (loc->view) continue;
        switch (loc->space) {
        case SPACE_GLOBAL: s.global_elements += gen_places(loc); break;
        case SPACE_SHARED: s.shared_elements += gen_places(loc); break;
        case SPACE_HOST: s.host_elements += gen_places(loc); break;
        }
    }
    return s;
}

int gen_kernels(const struct test *t, const struct cell *cell) {
    if (cell->placement->nkernels > 1) return cell->placement->nkernels;
    for (int k = 1; k <= t->nops; k++)
        if (op_rows[t->ops[k].name].proxy == PROXY_READ_ONLY) return 1;
    return 0;
}

/* Whether only tables have accesses through this proxy, which no public instruction makes as they write
 * it. */
static bool is_of_tables(enum proxy proxy) {
    return proxy == PROXY_TEXTURE || proxy == PROXY_SURFACE || proxy == PROXY_CONSTANT;
}

/* Returns why a fence of the fence axis can only be judged; NULL: all can run. */
static const char *fences_cannot(const struct test *t) {
    for (int f = 0; f < t->nfences; f++)
        for (int s = 0; s < t->nslots + t->nparts; s++) {
            const struct fence *fence = &t->fences[f].slot[s];
            const struct op_row *row = &op_rows[fence->name];
            if (fence->there && row->judged) return row->judged;
            if (fence->there && is_of_tables(row->proxy))
                return "fences of the texture, surface and constant proxies are judged only";
        }
    return NULL;
}

/* Returns why an operation can only be judged; NULL: it can run. */
static const char *op_cannot(const struct op *op) {
    const struct op_row *row = &op_rows[op->name];
    if (is_of_tables(op->proxy))
        return "accesses and fences of the texture, surface and constant proxies are judged only";
    if (op->kind == OP_REDUCE && op->scope != row->calls[0].scope)
        return "a bulk reduction with a scope is of PTX 9.3, and judged only";
    return row->judged;
}

const char *gen_cannot(const struct test *t) {
    const char *why = fences_cannot(t);
    for (int k = 1; k <= t->nops && !why; k++)
        why = op_cannot(&t->ops[k]);
    if (why) return why;
    for (int l = 0; l < t->nlocs; l++)
        if (t->locs[l].view && t->locs[l].va != t->locs[l].of)
            return "locations with several virtual addresses are judged only";
    return observed_words(t) > TEST_MAX_OBS ? "more than 64 words of 32 bits are observed" : NULL;
}

bool gen_clusters(const struct test *t, const struct cell *cell) {
    if (cell->placement->nblocks > 1 && cell->placement->nclusters == 1) return true;
    for (int s = 0; s < t->nslots + t->nparts; s++)
        if (cell->fence->slot[s].scope == SCOPE_CLUSTER) return true;
    for (int k = 1; k <= t->nops; k++)
        if (t->ops[k].scope == SCOPE_CLUSTER) return true;
    return cluster_first_op(t) != NULL;
}

int *gen_elements(struct arena *a, const struct test *t, int *total) {
    int *first = arena_array(a, (size_t)t->nlocs, sizeof *first);
    *total = 0;
    for (int space = 0; space < SPACES; space++) {
        for (int l = 0; l < t->nlocs; l++) {
            if ((int)t->locs[l].space != space || t->locs[l].view) continue;
            first[l] = *total;
            *total += gen_places(&t->locs[l]) * t->locs[l].instances;
        }
    }
    for (int l = 0; l < t->nlocs; l++)
        first[l] = first[location_root(t, l)];
    return first;
}

int gen_step(const struct test *t, int loc) {
    const struct location *l = &t->locs[loc], *root = &t->locs[location_root(t, loc)];
    bool each = l->in_each || !l->view;
    return !each ? type_bytes(l->type) : root->packed ? type_bytes(root->type) : 0;
}
