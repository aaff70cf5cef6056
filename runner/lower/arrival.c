/* cuda::barrier of libcu++: what threads arrive at and wait for. An mbarrier stays one; a word of 32 bits becomes the
 * operations of libcu++'s own algorithm (cuda/std/__barrier/barrier.h), which needs no mbarrier. An arrival releases and
 * a wait acquires. */
#include <string.h>

#include "litmus/name.h"
#include "lower/calls.h"

/* ---- types ---- */

static bool is_named(const struct parser *p, const struct token *t) {
    return p->barrier_type && token_is_word(t, p->barrier_type);
}

bool arrival_is_type(const struct parser *p, const struct tree *type) {
    const struct token *t = type->at;
    const struct tree *name = type->a;
    if (is_named(p, t)) return true;
    return name && name->b && token_is_word(t, "cuda") && token_is_word(t + 3, "barrier");
}

static enum scope scope_of(struct parser *p, const struct tree *type) {
    if (is_named(p, type->at)) return p->barrier_scope;
    const struct tree *arguments = type->a->b;
    if (arguments->next)
        parse_error(p, arguments->next->first[-1].pos,
                    "not supported yet: a barrier with a completion function");
    return atomic_scope_of(p, arguments);
}

void arrival_name_type(struct parser *p, const struct tree *type, const struct token *name) {
    p->barrier_scope = scope_of(p, type);
    p->barrier_type = name->text;
}

/* Whether it is that of a token, cuda::barrier<scope>::arrival_token. */
static bool is_token(const struct parser *p, const struct tree *type) {
    return type->a && (is_named(p, type->at) ? type->a->at != type->at : type->a->at != type->at + 3);
}

/* ---- declarations ---- */

/* One without a value is given it later, and any token fits into it. */
static void declare_token(struct parser *p, const struct tree *type, const struct tree *n) {
    const struct token *word = type->a->at;
    bool given = n->b || n->c, equal = n->flags & DECLARES_EQUAL;
    if (!token_is_word(word, "arrival_token")) parse_error(p, word->pos, "expected 'arrival_token'");
    if (given && !equal) parse_error(p, n->end[-1].after, "expected '=' and an arrival");
    struct expr *value = p->panic || !given ? NULL : expr_scalar(p, lower_value(p, n->b), "a token");
    bool wide = !value || type_same(value->type, type_uint64);
    if (p->panic) return;
    int reg = body_declare(p, n->at, wide ? type_uint64 : type_unsigned);
    if (value) body_set(p, reg, value, n->at->pos);
}

/* Whether a text hands the barrier of this name to a function that is for mbarriers alone. */
static bool is_handed(const struct token *t, const struct token *name) {
    static const char *const takers[] = {"memcpy_async", "memcpy_async_tx", "barrier_arrive_tx",
                                         "barrier_expect_tx", "barrier_native_handle"};
    bool inside = false;
    for (; t->kind != TOK_END; t++) {
        for (size_t k = 0; k < sizeof takers / sizeof *takers; k++)
            inside = inside || token_is_word(t, takers[k]);
        inside = inside && t->kind != ';';
        if (inside && token_is_word(t, name->text)) return true;
    }
    return false;
}

/* An mbarrier's where it is one already, or the body hands it to what needs one. */
static struct type type_of_barrier(const struct parser *p, const struct token *name) {
    int loc = find_location(p->test, name->text);
    bool native =
        loc >= 0 ? type_same(p->test->locs[loc].type, type_uint64) : is_handed(p->syntax.first, name);
    return native ? type_uint64 : type_unsigned;
}

static void declare_barrier(struct parser *p, const struct tree *type, const struct tree *n) {
    const struct token *name = n->at;
    enum scope scope = scope_of(p, type);
    size_t errors = p->diag->errors;
    if (type->flags & TYPE_SHARED && !p->panic) shared_add(p, name, type_of_barrier(p, name));
    if (p->panic || p->diag->errors != errors) return;
    int loc = find_location(p->test, name->text);
    const struct location *l = loc < 0 ? NULL : &p->test->locs[loc];
    if (!l)
        parse_error(
            p, name->pos,
            "a cuda::barrier is a location: declare it as __shared__, or in 'memory', as in %s: {type: "
            "unsigned}",
            name->text);
    else if (l->array || !(type_same(l->type, type_unsigned) || space_rows[l->space].of_block) ||
             !(type_same(l->type, type_unsigned) || type_same(l->type, type_uint64)))
        parse_error(p, name->pos,
                    "a cuda::barrier is a location of type unsigned, or an mbarrier, and no array");
    else if (type_same(l->type, type_uint64) && scope != SCOPE_CTA)
        parse_error(p, name->pos, "not supported yet: an mbarrier of another scope than a block");
    if (n->b || n->c) parse_error(p, n->at->after, "expected ';'");
    if (p->panic) return;
    struct reference ref = {.name = name->text, .pos = name->pos, .scope = scope};
    ref.place = (struct place){.loc = loc, .pos = name->pos};
    ref.of_location = ref.is_barrier = true;
    reference_declare(p, &ref);
}

void arrival_declare(struct parser *p, const struct tree *type, const struct tree *n) {
    (is_token(p, type) ? declare_token : declare_barrier)(p, type, n);
}

/* ---- barriers that libraries make of atomic operations: what their headers make of them ---- */

static const unsigned flipped_bit = 1u << 31;

/* ---- the barrier of a grid (cooperative_groups/details/sync.h) ---- */

/* The word of a grid, which no text can name. */
static struct place grid_word(struct parser *p, struct pos pos) {
    struct test *t = p->test;
    const char *name = arena_printf(p->arena, "_grid_%s", p->body->name);
    int loc = find_location(t, name);
    if (loc < 0) {
        size_t n = (size_t)t->nlocs;
        t->locs = arena_grow(p->arena, t->locs, n, n + 1, sizeof *t->locs);
        loc = t->nlocs++;
        t->locs[loc] = (struct location){.name = name,
                                         .pos = pos,
                                         .type = type_unsigned,
                                         .space = SPACE_GLOBAL,
                                         .count = 1,
                                         .instances = 1};
    }
    return (struct place){.loc = loc, .pos = pos};
}

/* Whether the thread is the first of its block, or of its grid. */
static struct expr *is_first(struct parser *p, enum group_kind of, struct pos pos) {
    return expr_new(p, EXPR_EQ, pos, grid_rank(p, (struct group){.kind = of}, pos), expr_int(p, pos, 0));
}

/* One thread of each block adds 1, but that of the first block as much as flips the highest bit when all have come. */
struct expr *protocol_grid_arrive(struct parser *p, struct pos pos) {
    struct place word = grid_word(p, pos);
    unsigned rest = flipped_bit - (unsigned)(p->body->grid - 1);
    int old = body_temporary(p, pos, type_unsigned);
    body_set(p, old, expr_unsigned(p, pos, 0), pos);
    stmt_add_op(p, op_make(MEET_CTA, pos));
    struct stmts before = stmts_capture(p);
    struct expr *more = expr_choice(p, pos, is_first(p, GROUP_GRID, pos), expr_unsigned(p, pos, rest),
                                    expr_unsigned(p, pos, 1));
    body_set(p, old, atomic_access(p, RMW_ADD, &word, ORDER_RELEASE, SCOPE_GPU, more), pos);
    struct stmts arrival = stmts_restore(p, before);
    stmt_add_if(p, pos, is_first(p, GROUP_BLOCK, pos), arrival, (struct stmts){0});
    return body_value(p, old, pos);
}

void protocol_poll(struct parser *p, struct stmts before, struct expr *over, struct pos pos) {
    struct stmts around = stmts_capture(p);
    stmt_add(p, STMT_BREAK, pos);
    struct stmts leave = stmts_restore(p, around);
    stmt_add_if(p, pos, over, leave, (struct stmts){0});
    struct stmts turn = stmts_restore(p, before);
    stmt_add(p, STMT_LOOP, pos)->body = turn.first;
}

/* Reads the place until f of what is there is true. */
static void add_poll(struct parser *p, const struct place *at, enum scope scope,
                     struct expr *(*f)(struct parser *p, struct expr *seen, struct expr *token),
                     struct expr *token) {
    struct stmts before = stmts_capture(p);
    struct expr *seen = atomic_access(p, LOAD_PLAIN, at, ORDER_ACQUIRE, scope, NULL);
    protocol_poll(p, before, f(p, seen, token), at->pos);
}

static struct expr *has_flipped(struct parser *p, struct expr *seen, struct expr *token) {
    struct expr *differ = expr_new(p, EXPR_XOR, seen->pos, token, seen);
    struct expr *bit = expr_new(p, EXPR_AND, seen->pos, differ, expr_unsigned(p, seen->pos, flipped_bit));
    return expr_new(p, EXPR_NE, seen->pos, bit, expr_int(p, seen->pos, 0));
}

void protocol_grid_wait(struct parser *p, struct expr *token, struct pos pos) {
    struct place word = grid_word(p, pos);
    struct stmts before = stmts_capture(p);
    add_poll(p, &word, SCOPE_GPU, has_flipped, token);
    struct stmts wait = stmts_restore(p, before);
    stmt_add_if(p, pos, is_first(p, GROUP_BLOCK, pos), wait, (struct stmts){0});
    stmt_add_op(p, op_make(MEET_CTA, pos));
}

/* ---- cuda::barrier (cuda/std/__barrier/barrier.h) ----
 *
 * In the high half stands how many are still to come in this phase, as what is missing to 1 << 15, so that the last one flips
 * the highest bit; in the low half how many come in each phase, written alike. libcu++ has two words of 32 bits, where
 * these are of 16: for sm_90 and later, ptxas 13.0 drops the fence of a release that adds 64 bits in shared memory. */

enum { HALF = 16 };

/* Whether it is an mbarrier. */
static bool is_native(const struct parser *p, const struct reference *ref) {
    return type_same(p->test->locs[ref->place.loc].type, type_uint64);
}

static struct place word_of(const struct reference *ref, struct pos pos) {
    struct place at = ref->place;
    at.pos = pos;
    return at;
}

static struct expr *shift_up(struct parser *p, struct expr *e) {
    return expr_new(p, EXPR_SHL, e->pos, e, expr_int(p, e->pos, HALF));
}

static struct expr *phase_of(struct parser *p, struct expr *e) {
    return expr_new(p, EXPR_AND, e->pos, e, expr_unsigned(p, e->pos, flipped_bit));
}

static void init_words(struct parser *p, const struct reference *ref, struct expr *count, struct pos pos) {
    struct place at = word_of(ref, pos);
    if (is_native(p, ref)) {
        mbarrier_add(p, MBARRIER_INIT, access_place(&at), count, pos);
        return;
    }
    int reg = body_temporary(p, pos, type_unsigned);
    body_set(p, reg, expr_new(p, EXPR_SUB, pos, expr_unsigned(p, pos, 1u << (HALF - 1)), count), pos);
    struct expr *n = body_value(p, reg, pos);
    atomic_access(p, STORE_PLAIN, &at, ORDER_WEAK, SCOPE_NONE, expr_new(p, EXPR_OR, pos, shift_up(p, n), n));
}

/* Who comes last begins the next phase. */
static struct expr *arrive_at(struct parser *p, const struct reference *ref, struct expr *count,
                              struct pos pos) {
    struct place at = word_of(ref, pos);
    if (is_native(p, ref)) return mbarrier_add(p, MBARRIER_ARRIVE, access_place(&at), count, pos);
    struct expr *step = shift_up(p, count ? count : expr_unsigned(p, pos, 1));
    int reg = body_temporary(p, pos, type_unsigned);
    body_set(p, reg, atomic_access(p, RMW_ADD, &at, ORDER_RELEASE, ref->scope, step), pos);
    struct expr *old = body_value(p, reg, pos);
    struct expr *flips = phase_of(p, expr_new(p, EXPR_XOR, pos, old, expr_new(p, EXPR_ADD, pos, old, step)));
    struct stmts before = stmts_capture(p);
    struct expr *all = expr_new(p, EXPR_AND, pos, old, expr_unsigned(p, pos, (1u << HALF) - 1));
    access_drop(p, atomic_access(p, RMW_ADD, &at, ORDER_RELAXED, ref->scope, shift_up(p, all)));
    struct stmts reset = stmts_restore(p, before);
    stmt_add_if(p, pos, expr_new(p, EXPR_NE, pos, flips, expr_unsigned(p, pos, 0)), reset, (struct stmts){0});
    return phase_of(p, old);
}

static struct expr *drop_from(struct parser *p, const struct reference *ref, struct expr *none,
                              struct pos pos) {
    struct place at = word_of(ref, pos);
    if (is_native(p, ref)) {
        access_drop(p, mbarrier_add(p, MBARRIER_DROP, access_place(&at), none, pos));
        return NULL;
    }
    access_drop(p, atomic_access(p, RMW_ADD, &at, ORDER_RELAXED, ref->scope, expr_unsigned(p, pos, 1)));
    arrive_at(p, ref, none, pos);
    return NULL;
}

static struct expr *is_next_phase(struct parser *p, struct expr *seen, struct expr *token) {
    return expr_new(p, EXPR_NE, seen->pos, phase_of(p, seen), token);
}

static struct expr *wait_at(struct parser *p, const struct reference *ref, struct expr *token,
                            struct pos pos) {
    struct place at = word_of(ref, pos);
    bool native = is_native(p, ref);
    struct type type = native ? type_uint64 : type_unsigned;
    int reg = body_temporary(p, pos, type);
    body_set(p, reg, expr_cast(p, token, type), pos);
    if (native) {
        struct stmts before = stmts_capture(p);
        struct expr *over = mbarrier_add(p, MBARRIER_TRY, access_place(&at), body_value(p, reg, pos), pos);
        protocol_poll(p, before, over, pos);
    } else {
        add_poll(p, &at, ref->scope, is_next_phase, body_value(p, reg, pos));
    }
    return NULL;
}

static struct expr *arrive_and_wait_at(struct parser *p, const struct reference *ref, struct expr *none,
                                       struct pos pos) {
    return wait_at(p, ref, arrive_at(p, ref, none, pos), pos);
}

/* ---- uses ---- */

/* A word of 64 bits in shared memory as the barrier that it is where it is used as one, though no cuda::barrier is declared. */
static const struct reference *find_undeclared(const struct parser *p, const struct token *name) {
    int loc = name->kind == TOK_NAME ? find_location(p->test, name->text) : -1;
    const struct location *l = loc < 0 ? NULL : &p->test->locs[loc];
    if (!l || l->array || !type_same(l->type, type_uint64) || !space_rows[l->space].of_block) return NULL;
    struct reference *ref = arena_alloc(p->arena, sizeof *ref);
    *ref = (struct reference){.name = name->text, .pos = name->pos, .scope = SCOPE_CTA};
    ref->place = (struct place){.loc = loc, .pos = name->pos};
    ref->of_location = ref->is_barrier = true;
    return ref;
}

static const struct reference *barrier_at(const struct parser *p, const struct token *t) {
    const struct reference *ref = t->kind == TOK_NAME ? reference_find(p, t->text) : NULL;
    return ref ? (ref->is_barrier ? ref : NULL) : find_undeclared(p, t);
}

/* bar.arrive() and its like, as a barrier's name stands before the point. */
static bool is_member(const struct parser *p, const struct tree *n) {
    bool calls = n->kind == TREE_CALL && n->a->kind == TREE_MEMBER && n->a->a->kind == TREE_NAME;
    return calls && barrier_at(p, n->first);
}

static bool is_init(const struct parser *p, const struct tree *n) {
    return n->kind == TREE_CALL && token_is_word(n->first, "init") && tree_is_word(n->a) && n->b &&
           n->b->kind == TREE_ADDRESS && barrier_at(p, n->b->a->first);
}

bool arrival_knows(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    const struct reference *ref = root ? reference_find(p, root->first->text) : NULL;
    return root && !p->panic && ((ref && ref->is_barrier) || is_member(p, n) || is_init(p, n));
}

/* A number of arrivals. */
static struct expr *count_of(struct parser *p, const struct tree *n) {
    struct expr *e = expr_scalar(p, lower_value(p, n), "a number of arrivals");
    if (e->type.real) parse_error(p, e->pos, "a number of arrivals is an integer");
    return expr_cast(p, e, type_unsigned);
}

/* init(&bar, n) */
static void lower_init(struct parser *p, const struct tree *n) {
    const struct reference *ref = barrier_at(p, n->b->a->first);
    const struct tree *count = n->b->next;
    if (!count)
        parse_error(p, n->end[-2].after, "expected ',' and how many arrive");
    else if (count->next)
        parse_error(p, count->end[-1].after, "expected ')'");
    struct expr *value = p->panic ? NULL : count_of(p, count);
    if (!p->panic) init_words(p, ref, value, n->first->pos);
}

static const struct barrier_member {
    const char *usage;
    struct expr *(*lower)(struct parser *p, const struct reference *ref, struct expr *value, struct pos pos);
} members[] = {
    {"arrive(count)", arrive_at},
    {"wait(token)", wait_at},
    {"arrive_and_wait()", arrive_and_wait_at},
    {"arrive_and_drop()", drop_from},
};

/* bar.arrive(), bar.wait(token), ...; NULL: it has no value. */
static struct expr *lower_member(struct parser *p, const struct reference *ref, const struct tree *n) {
    const struct token *t = n->a->at;
    const struct barrier_member *m = names_find(NAMES(members), t->text);
    struct arguments left = arguments_of(n, m ? m->usage : "");
    if (!m)
        parse_error(p, t->pos, "'%s' of a barrier is not supported yet%s", t->text,
                    names_suggest(p, NAMES(members), t->text));
    const char *takes = left.usage + strcspn(left.usage, "(");
    const struct tree *given = NULL;
    struct expr *value = NULL;
    if (strcmp(takes, "(token)") == 0) given = arguments_take(p, &left, "the token of an arrival");
    if (given) value = expr_scalar(p, lower_value(p, groups_moved(given)), "the token of an arrival");
    if (strcmp(takes, "(count)") == 0 && left.next)
        value = count_of(p, arguments_take(p, &left, "a number of arrivals"));
    arguments_end(p, &left);
    return p->panic ? NULL : m->lower(p, ref, value, left.pos);
}

struct expr *arrival_use(struct parser *p, const struct tree *n) {
    if (is_init(p, n)) {
        lower_init(p, n);
        return NULL;
    }
    if (is_member(p, n)) return lower_member(p, barrier_at(p, n->first), n);
    const struct token *name = tree_root(n)->end - 1;
    parse_error(p, n->kind == TREE_MEMBER ? n->end[-1].after : name->after,
                n->kind == TREE_MEMBER
                    ? "expected '('"
                    : "expected '.' and a member of the barrier: arrive, wait, arrive_and_wait or "
                      "arrive_and_drop");
    return NULL;
}

/* ---- mbarriers, as cuda::ptx has them ---- */

/* What stands behind `prefix` in the next argument, the release of cuda::ptx::sem_release; NULL: it begins otherwise. */
static const char *take_tag(struct parser *p, struct arguments *a, const char *prefix) {
    const struct tree *n = a->next;
    if (!n || n->kind != TREE_NAME || strncmp(n->at->text, prefix, strlen(prefix)) != 0) return NULL;
    arguments_take(p, a, prefix);
    return n->at->text + strlen(prefix);
}

static bool take_order(const struct op_row *row, const char *sem, struct op *op) {
    for (enum order o = ORDER_WEAK; sem && o <= ORDER_SC; o++)
        if (row->orders >> o & 1 && strcmp(order_name(o), sem) == 0) {
            op->order = o;
            return true;
        }
    return !sem;
}

static bool take_scope(const char *scope, struct op *op) {
    for (enum scope s = SCOPE_CTA; scope && s <= SCOPE_CLUSTER; s++)
        if (strcmp(scope_ptx(s), scope) == 0) {
            op->scope = s;
            return true;
        }
    return !scope;
}

/* "sem, scope, space". An arrival in the space of a cluster gives no token. */
static void take_tags(struct parser *p, const struct op_row *row, const struct op_call *as,
                      struct arguments *a, struct op *op) {
    struct pos pos = a->next ? a->next->first->pos : op->pos;
    const char *sem = take_tag(p, a, "sem_"), *scope = sem ? take_tag(p, a, "scope_") : NULL;
    const char *space = op_call_has(as, "space") ? take_tag(p, a, "space_") : NULL;
    if (!take_order(row, sem, op) || !take_scope(scope, op))
        parse_error(p, pos, "%s is sem_%s%s, of scope_cta or scope_cluster: %s", op_kinds[op->kind].name,
                    order_name(as->order), as->order == ORDER_RELAXED ? "" : " or sem_relaxed", as->usage);
    op->red = space && strcmp(space, "cluster") == 0;
}

/* What an mbarrier is given: how many arrive, how many bytes, a token, or a parity. */
static const char *what_is_given(const struct op_call *as) {
    static const char *const given[][2] = {{"count", "a number of arrivals"},
                                           {"bytes", "a number of bytes"},
                                           {"state", "the token of an arrival"},
                                           {"parity", "the parity of a phase"}};
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        if (op_call_has(as, given[k][0])) return given[k][1];
    return NULL;
}

/* The row of a call of one, whose name may stand behind cuda::ptx::, or NULL. */
static const struct op_row *row_of(const struct tree *n, const struct op_call **as) {
    const struct tree *name = n->kind == TREE_CALL ? n->a : NULL;
    bool inside = name && name->kind == TREE_NAME && name->first != name->at;
    bool named = inside && (token_is_word(name->at - 3, "ptx") || token_is_word(name->at - 3, "device"));
    if (!name || (!named && !tree_is_word(name))) return NULL;
    const struct op_row *row = op_find_call(name->at->text, ANY_ARGUMENTS, as);
    return row && op_kinds[row->kind].mbarrier ? row : NULL;
}

bool mbarrier_is_call(struct parser *p, const struct tree *n) {
    (void)p;
    const struct op_call *as;
    return row_of(n, &as) != NULL;
}

struct expr *mbarrier_add(struct parser *p, enum op_name name, struct op_place at, struct expr *value,
                          struct pos pos) {
    struct op op = op_make(name, pos);
    op.place[0] = at;
    op.type = op.kind == OP_TRY ? type_uint64 : type_unsigned;
    op.result = op.kind == OP_TRY ? type_int : type_uint64;
    op.value = value;
    return call_add(p, op);
}

void mbarrier_expect(struct parser *p, const struct op *copy) {
    struct expr *bytes = expr_unsigned(p, copy->pos, (unsigned)copy->bytes);
    mbarrier_add(p, MBARRIER_EXPECT, copy->place[2], bytes, copy->pos);
}

static bool is_once(struct parser *p, const struct expr *count) {
    struct value number;
    return body_number(p, count, &number) && value_int(count->type, number) == 1;
}

struct expr *mbarrier_call(struct parser *p, const struct tree *call) {
    const struct op_call *as;
    const struct op_row *row = row_of(call, &as);
    struct arguments list = arguments_of(call, as->usage), *a = &list;
    struct pos pos = call->first->pos;
    struct op op = op_make(row->name, pos);
    const char *given = what_is_given(as);
    if (op_call_has(as, "sem")) take_tags(p, row, as, a, &op);
    struct place place = {.loc = -1};
    if (op.kind != OP_PENDING) place = arguments_place(p, a, "an mbarrier");
    op.place[0] = access_place(&place);
    op.result = op.kind == OP_ARRIVE ? type_uint64 : op.kind == OP_PENDING ? type_unsigned : type_int;
    op.type = op_call_has(as, "state") ? type_uint64 : type_unsigned;
    access_check_mbarrier(p, op.place[0].loc, place.pos);
    bool both = op_call_has(as, "bytes") && op_call_has(as, "count");
    const struct tree *n = both ? arguments_take(p, a, "a number of arrivals") : NULL;
    struct expr *count = n ? count_of(p, n) : NULL;
    bool once = op.kind == OP_ARRIVE && op_call_has(as, "count") && !both && !a->next;
    if (given && !once) op.value = expr_cast(p, expr_scalar(p, arguments_value(p, a, given), given), op.type);
    if (op.kind == OP_TRY && a->next) arguments_value(p, a, "a time");
    arguments_end(p, a);
    if (p->panic) return NULL;
    if (count && !is_once(p, count)) { /* barrier_arrive_tx expects the bytes first, then arrives */
        mbarrier_add(p, MBARRIER_EXPECT, op.place[0], op.value, pos);
        return mbarrier_add(p, MBARRIER_ARRIVE, op.place[0], count, pos);
    }
    return call_add(p, op);
}
