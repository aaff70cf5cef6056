/* Cooperative groups: a block, a tile of a warp's lanes, its lanes that happen to run together, a cluster, a grid. Their sync() is the barrier that they have without them:
 * cooperative_groups.h makes the same instruction of block.sync() and __syncthreads(); that of a grid is made of atomic
 * operations (arrival.c). */
#include <string.h>

#include "lower/calls.h"

static const char whole_namespace[] = "cooperative_groups";

/* What there is of a kind: how it is asked for, its type, and the operation that is its sync(). */
static const struct {
    const char *name, *asked, *type;
    enum op_name sync;
} kinds[] = {
    [GROUP_BLOCK] = {"block", "this_thread_block", "thread_block", MEET_CTA},
    [GROUP_TILE] = {"tile", "tiled_partition", "thread_block_tile", MEET_WARP},
    [GROUP_CLUSTER] = {"cluster", "this_cluster", "cluster_group", MEET_CLUSTER},
    [GROUP_GRID] = {"grid", "this_grid", "grid_group", MEET_CTA},
    [GROUP_COALESCED] = {"coalesced group", "coalesced_threads", "coalesced_group", MEET_WARP},
};

/* Whether "cg::" stands at t. */
static bool at_namespace(const struct token *t) {
    bool named = token_is_word(t, whole_namespace) || token_is_word(t, "cg");
    return named && t[1].kind == ':' && t[2].kind == ':';
}

static bool at_variable(const struct parser *p, const struct token *t) {
    const struct reference *ref = t->kind == TOK_NAME ? reference_find(p, t->text) : NULL;
    return ref && ref->group.kind;
}

static void refuse(struct parser *p, const struct tree *name) {
    struct full_name w = full_name_of(p, name);
    parse_error(p, w.pos, "'%s' is not supported yet", w.text);
}

/* ---- groups ---- */

/* The number of threads of a tile. */
static int tile_size(struct parser *p, const struct token *t) {
    int size = t->kind == TOK_INT ? parse_bits(p, t, false) : 0;
    if (t->kind != TOK_INT)
        parse_error(p, t[-1].after, "expected the number of threads of a tile");
    else if (size < 1 || (size & (size - 1)) != 0)
        parse_error(p, t->pos, "a tile has 1, 2, 4, 8, 16 or %d threads", WARP_LANES);
    else if (size > WARP_LANES)
        parse_error(p, t->pos, "a tile of more than %d threads, which are a warp, is not supported yet",
                    WARP_LANES);
    return size;
}

/* cg::tiled_partition<32>(block) or cg::tiled_partition(block, 32) */
static struct group tile_of(struct parser *p, const struct tree *call) {
    const struct tree *sized = call->a->b;
    struct arguments left = arguments_of(call, "tiled_partition<32>(block)");
    struct group tile = {.kind = GROUP_TILE, .size = sized ? tile_size(p, sized->first) : 0};
    if (sized && sized->next) parse_error(p, sized->end[-1].after, "expected '>'");
    const struct tree *n = arguments_take(p, &left, "a group");
    struct group whole = n ? groups_of(p, n) : (struct group){0};
    if (!p->panic && whole.kind != GROUP_BLOCK && whole.kind != GROUP_TILE)
        parse_error(p, n->first->pos, "a tile is a part of a block, and this is a %s",
                    kinds[whole.kind].name);
    tile.whole = whole.size;
    const struct tree *size = sized || p->panic ? NULL : arguments_take(p, &left, "a size");
    if (size) tile.size = tile_size(p, size->first);
    if (!p->panic && tile.whole && tile.size > tile.whole)
        parse_error(p, n->first->pos, "a tile of %d threads is no part of a tile of %d", tile.size,
                    tile.whole);
    arguments_end(p, &left);
    return tile;
}

/* The group that is asked for by a call of this name; of kind GROUP_NONE: an error. */
static struct group asked_group(struct parser *p, const struct tree *n, const struct tree *name) {
    struct group g = {.kind = GROUP_BLOCK};
    while (g.kind <= GROUP_COALESCED && strcmp(kinds[g.kind].asked, name->at->text) != 0)
        g.kind++;
    if (g.kind > GROUP_COALESCED)
        refuse(p, name);
    else if (n->kind != TREE_CALL)
        parse_error(p, n->end[-1].after, g.kind == GROUP_TILE ? "expected '(' and a group" : "expected '('");
    else if (g.kind == GROUP_TILE)
        g = tile_of(p, n);
    else if (n->b)
        parse_error(p, n->at->after, "expected ')'");
    else if (g.kind == GROUP_COALESCED)
        g = (struct group){.kind = g.kind, .size = WARP_LANES, .lanes = exchange_active(p, name->at->pos)};
    return p->panic ? (struct group){0} : g;
}

struct group groups_of(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    const struct tree *name = n->kind == TREE_CALL ? n->a : n;
    if (p->panic) return (struct group){0};
    if (tree_is_word(n) && at_variable(p, t)) return reference_find(p, t->text)->group;
    if (name->kind == TREE_NAME && at_namespace(t) && name->at != t) return asked_group(p, n, name);
    if (name->kind == TREE_NAME && at_namespace(t))
        parse_error(p, t[2].after, "expected a name of cooperative groups");
    else
        parse_error(p, t->pos, "expected a group, as cg::this_thread_block()");
    return (struct group){0};
}

/* Of a grid, there is a barrier for a thread of one alone. False, and an error, elsewhere. */
static bool has_grid(struct parser *p, const char *member, struct pos pos) {
    if (!p->body->grid)
        parse_error(p, pos, "'%s' of a grid is for a thread of a grid: {grid: 2, block: 32, body: ...}",
                    member);
    return !p->panic;
}

/* The numbers of a thread's place are known in a grid alone. */
static void need_grid(struct parser *p, const char *member, struct pos pos) {
    if (!p->body->grid)
        parse_error(p, pos, "'%s' is for a thread of a grid: {grid: 1, block: 64, body: ...}", member);
}

/* Which lanes a tile has is known in a grid; one of all lanes is known elsewhere. */
static bool knows_lanes(struct parser *p, struct group tile, const char *member, struct pos pos) {
    if (tile.size < WARP_LANES && !p->body->grid)
        parse_error(p, pos,
                    "'%s' of a tile of %d threads is for a thread of a grid: {grid: 1, block: 64, body: ...}",
                    member, tile.size);
    return !p->panic;
}

static void add_sync(struct parser *p, struct group g, struct pos pos) {
    struct op op = op_make(kinds[g.kind].sync, pos);
    bool lanes = g.kind == GROUP_TILE || g.kind == GROUP_COALESCED;
    if (g.kind == GROUP_GRID) {
        if (has_grid(p, "sync", pos)) protocol_grid_wait(p, protocol_grid_arrive(p, pos), pos);
        return;
    }
    if (lanes && !knows_lanes(p, g, "sync", pos)) return;
    if (lanes && (g.size < WARP_LANES || g.kind == GROUP_COALESCED)) op.mask = grid_lanes(p, g, pos);
    stmt_add_op(p, op);
}

const struct tree *groups_moved(const struct tree *n) {
    bool moves = n->kind == TREE_CALL && n->a->kind == TREE_NAME && token_is_word(n->a->at, "move");
    return moves && n->b && !n->b->next ? n->b : n;
}

/* token, cuda::std::move(token) */
static struct expr *token_value(struct parser *p, const struct tree *n) {
    n = groups_moved(n);
    const struct token *t = n->first;
    int reg = tree_is_word(n) ? body_find(p, t->text) : -1;
    if (!tree_is_word(n))
        parse_error(p, t[-1].after, "expected the token of an arrival");
    else if (reg < 0)
        parse_error(p, t->pos, "unknown token '%s'", t->text);
    if (p->panic) return expr_int(p, t->pos, 0);
    return expr_cast(p, expr_scalar(p, body_read(p, reg, t->pos), "a token"), type_unsigned);
}

/* Of a cluster and a grid, a barrier has two halves. False, and an error, elsewhere. */
static bool has_halves(struct parser *p, struct group g, const char *member, struct pos pos) {
    if (g.kind == GROUP_GRID) return has_grid(p, member, pos);
    if (g.kind != GROUP_CLUSTER)
        parse_error(p, pos, "'%s' of a %s is not supported yet", member, kinds[g.kind].name);
    return !p->panic;
}

struct group_member {
    const char *usage;
    unsigned kinds; /* of the groups that have it */
    struct expr *(*lower)(struct parser *p, struct group g, const struct group_member *m,
                          const struct tree *call);
    const char *exchange;
    bool rank,
        of_whole; /* of a number: a rank, not a size; of the group in what it is a part of, or of its blocks */
};

/* The end of a call without arguments. */
static void take_none(struct parser *p, const struct group_member *m, const struct tree *call) {
    struct arguments none = arguments_of(call, m->usage);
    arguments_end(p, &none);
}

static struct expr *lower_sync(struct parser *p, struct group g, const struct group_member *m,
                               const struct tree *call) {
    take_none(p, m, call);
    if (!p->panic) add_sync(p, g, call->a->at->pos);
    return NULL;
}

/* barrier_arrive(), whose token may be kept */
static struct expr *lower_arrival(struct parser *p, struct group g, const struct group_member *m,
                                  const struct tree *call) {
    const struct token *member = call->a->at;
    if (has_halves(p, g, member->text, member->pos)) take_none(p, m, call);
    if (p->panic) return NULL;
    if (g.kind == GROUP_GRID) return protocol_grid_arrive(p, member->pos);
    stmt_add_op(p, op_make(MEET_CLUSTER_ARRIVE, member->pos));
    return expr_int(p, member->pos, 0); /* which arrival a wait is for is known without a token */
}

/* barrier_wait(), which is given the token; of a cluster it may be missing. */
static struct expr *lower_wait(struct parser *p, struct group g, const struct group_member *m,
                               const struct tree *call) {
    const struct token *member = call->a->at;
    struct arguments left = arguments_of(call, m->usage);
    struct expr *token = NULL;
    if (!has_halves(p, g, member->text, member->pos)) return NULL;
    if (g.kind == GROUP_GRID && !left.next)
        parse_error(p, call->at->after, "expected the token of an arrival");
    if (!p->panic && left.next) token = token_value(p, arguments_take(p, &left, "a token"));
    arguments_end(p, &left);
    if (p->panic) return NULL;
    if (g.kind == GROUP_GRID)
        protocol_grid_wait(p, token, member->pos);
    else
        stmt_add_op(p, op_make(MEET_CLUSTER_WAIT, member->pos));
    return NULL;
}

/* A number that the test knows of a group. */
static struct expr *lower_number(struct parser *p, struct group g, const struct group_member *m,
                                 const struct tree *call) {
    const struct token *member = call->a->at;
    need_grid(p, member->text, member->pos);
    take_none(p, m, call);
    if (p->panic) return NULL;
    if (m->of_whole) return grid_whole(p, g, m->rank, member->pos);
    return (m->rank ? grid_rank : grid_size)(p, g, member->pos);
}

/* group.shfl(word, lane) is __shfl_sync of the group's lanes, and so are others. */
static struct expr *lower_exchange(struct parser *p, struct group g, const struct group_member *m,
                                   const struct tree *call) {
    const struct token *member = call->a->at;
    if (!knows_lanes(p, g, member->text, member->pos)) return NULL;
    return exchange_of_group(p, g, m->exchange, call, member->pos);
}

enum {
    OF_TILE = 1 << GROUP_TILE,
    OF_LANES = OF_TILE | 1 << GROUP_COALESCED,
    OF_BLOCKS = 1 << GROUP_CLUSTER | 1 << GROUP_GRID,
    OF_ANY = (1 << (GROUP_COALESCED + 1)) - 1
};

static const struct group_member members[] = {
    {"sync()", OF_ANY, lower_sync, NULL, false, false},
    {"barrier_arrive()", OF_ANY, lower_arrival, NULL, false, false},
    {"barrier_wait(token)", OF_ANY, lower_wait, NULL, false, false},
    {"thread_rank()", OF_ANY, lower_number, NULL, true, false},
    {"size()", OF_ANY, lower_number, NULL, false, false},
    {"num_threads()", OF_ANY, lower_number, NULL, false, false},
    {"block_rank()", OF_BLOCKS, lower_number, NULL, true, true},
    {"num_blocks()", OF_BLOCKS, lower_number, NULL, false, true},
    {"meta_group_rank()", OF_TILE, lower_number, NULL, true, true},
    {"meta_group_size()", OF_TILE, lower_number, NULL, false, true},
    {"shfl(word, lane)", OF_LANES, lower_exchange, "__shfl_sync", false, false},
    {"shfl_up(word, delta)", OF_TILE, lower_exchange, "__shfl_up_sync", false, false},
    {"shfl_down(word, delta)", OF_TILE, lower_exchange, "__shfl_down_sync", false, false},
    {"shfl_xor(word, mask)", OF_TILE, lower_exchange, "__shfl_xor_sync", false, false},
    {"any(predicate)", OF_LANES, lower_exchange, "__any_sync", false, false},
    {"all(predicate)", OF_LANES, lower_exchange, "__all_sync", false, false},
    {"ballot(predicate)", OF_TILE, lower_exchange, "__ballot_sync", false, false},
    {"match_any(value)", OF_TILE, lower_exchange, "__match_any_sync", false, false},
    {"match_all(value, &all)", OF_TILE, lower_exchange, "__match_all_sync", false, false},
};

/* group.sync() and the like; NULL: it has no value. */
static struct expr *lower_member(struct parser *p, struct group g, const struct tree *call) {
    const struct token *t = call->a->at;
    const struct group_member *m = names_find(NAMES(members), t->text);
    if (m && m->kinds >> g.kind & 1) return m->lower(p, g, m, call);
    parse_error(p, t->pos, "'%s' of a %s is not supported yet%s", t->text, kinds[g.kind].name,
                m ? "" : names_suggest(p, NAMES(members), t->text));
    return NULL;
}

/* block.thread_index().x */
static struct expr *lower_part(struct parser *p, const struct tree *n) {
    const struct tree *call = n->a;
    const struct token *member = call->a->at;
    struct group g = groups_of(p, call->a->a);
    if (p->panic) return NULL;
    if (!grid_has_part(g.kind, member)) {
        if (lower_member(p, g, call))
            parse_error(p, n->at[-1].pos, "'.%s' is for vectors, and this is a number", n->at->text);
        return NULL;
    }
    struct arguments none = arguments_of(call, arena_printf(p->arena, "%s()", member->text));
    need_grid(p, member->text, member->pos);
    arguments_end(p, &none);
    return p->panic ? NULL : grid_part(p, g.kind, member, n->at);
}

/* Whether a tree is group.member(...). */
static bool is_member_call(const struct tree *n) {
    return n->kind == TREE_CALL && n->a->kind == TREE_MEMBER;
}

bool groups_know(const struct parser *p, const struct tree *root) {
    return !p->panic && (at_variable(p, root->first) || at_namespace(root->first));
}

/* cg::sync(group) */
static struct expr *call_sync(struct parser *p, struct arguments *left, struct pos pos) {
    const struct tree *group = arguments_take(p, left, "a group");
    struct group g = group ? groups_of(p, group) : (struct group){0};
    arguments_end(p, left);
    if (!p->panic) add_sync(p, g, pos);
    return NULL;
}

/* The exchange that a function object, cg::plus<int>(), is in a reduction; NULL, and an error. */
static const char *find_reduction(struct parser *p, const struct tree *n) {
    static const struct reduction {
        const char *usage, *exchange;
    } reductions[] = {
        {"plus()", "__reduce_add_sync"},    {"less()", "__reduce_min_sync"},
        {"greater()", "__reduce_max_sync"}, {"bit_and()", "__reduce_and_sync"},
        {"bit_or()", "__reduce_or_sync"},   {"bit_xor()", "__reduce_xor_sync"},
    };
    const struct tree *name = n->kind == TREE_CALL ? n->a : n;
    bool named = n->kind == TREE_CALL && name->kind == TREE_NAME && at_namespace(n->first);
    const struct reduction *r = named && !n->b ? names_find(NAMES(reductions), name->at->text) : NULL;
    if (r) return r->exchange;
    parse_error(p, n->first->pos,
                "expected how to reduce, as cg::plus<int>(); there are plus, less, greater, bit_and, bit_or "
                "and bit_xor");
    return NULL;
}

/* cg::reduce(tile, value, cg::plus<int>()), which cooperative_groups.h makes one instruction of. */
static struct expr *call_reduce(struct parser *p, struct arguments *left, struct pos pos) {
    const struct tree *group = arguments_take(p, left, "a tile");
    struct group g = group ? groups_of(p, group) : (struct group){0};
    if (!p->panic && !(OF_LANES >> g.kind & 1))
        parse_error(p, group->first->pos, "a tile is reduced, and this is a %s", kinds[g.kind].name);
    if (p->panic || !knows_lanes(p, g, "reduce", pos)) return NULL;
    const struct tree *value = arguments_take(p, left, "a value");
    struct expr *given = value ? expr_scalar(p, lower_value(p, value), left->usage) : NULL;
    const struct tree *how = arguments_take(p, left, "how to reduce");
    const char *call = how ? find_reduction(p, how) : NULL;
    arguments_end(p, left);
    return p->panic ? NULL : exchange_reduce(p, g, call, given, pos);
}

static const struct group_function {
    const char *usage;
    struct expr *(*lower)(struct parser *p, struct arguments *left, struct pos pos);
} functions[] = {
    {"sync(group)", call_sync},
    {"reduce(group, value, cg::plus<int>())", call_reduce},
};

bool groups_are_used(struct parser *p, const struct tree *n) {
    bool place = place_is(p, n->kind == TREE_ASSIGN ? n->a : n); /* behind an address that a cluster gave */
    const struct tree *root = place ? NULL : tree_root(n);
    return root && groups_know(p, root);
}

struct expr *groups_use(struct parser *p, const struct tree *n) {
    bool names = n->kind == TREE_CALL && n->a->kind == TREE_NAME && at_namespace(n->first);
    const struct group_function *f = names ? names_find(NAMES(functions), n->a->at->text) : NULL;
    if (f) {
        struct arguments left = arguments_of(n, arena_printf(p->arena, "cg::%s", f->usage));
        return f->lower(p, &left, full_name_of(p, n->a).pos);
    }
    if (n->kind == TREE_MEMBER && is_member_call(n->a)) return lower_part(p, n);
    if (is_member_call(n)) {
        struct group g = groups_of(p, n->a->a);
        if (!p->panic && grid_has_part(g.kind, n->a->at))
            parse_error(p, n->end[-1].after, "expected '.x': %s().x", n->a->at->text);
        return p->panic ? NULL : lower_member(p, g, n);
    }
    if (n->kind == TREE_MEMBER) {
        parse_error(p, n->end[-1].after, "expected '('");
        return NULL;
    }
    const struct tree *root = tree_root(n), *group = n->kind == TREE_CALL && n->a == root ? n : root;
    if (groups_of(p, group).kind != GROUP_NONE)
        parse_error(p, group->end[-1].after, "expected '.' and a member of the group");
    return NULL;
}

/* ---- declarations ---- */

/* What a type is. thread_group is any: of kind GROUP_NONE. */
static struct group group_of_type(struct parser *p, const struct tree *name) {
    struct group g = {.kind = GROUP_BLOCK};
    if (strcmp(name->at->text, "thread_group") == 0) return (struct group){0};
    while (g.kind <= GROUP_COALESCED && strcmp(kinds[g.kind].type, name->at->text) != 0)
        g.kind++;
    if (g.kind > GROUP_COALESCED) refuse(p, name);
    if (p->panic || g.kind != GROUP_TILE) return p->panic ? (struct group){0} : g;
    if (!name->b) parse_error(p, name->at->after, "expected '<' and the number of threads of a tile");
    if (!p->panic) g.size = tile_size(p, name->b->first);
    return g;
}

/* A variable that is a group of this type, which may be of kind GROUP_NONE, any. */
static void declare(struct parser *p, const struct tree *n, struct group type) {
    const struct token *name = n->at;
    struct reference ref = {.name = name->text, .pos = name->pos, .place = {.loc = -1}};
    if (n->b->kind == TREE_BAD) parse_fault(p, n->b->fault);
    ref.group = groups_of(p, n->b);
    if (p->panic) return;
    if (type.kind != GROUP_NONE && type.kind != ref.group.kind)
        parse_complain(p, name->pos, "'%s' is declared as a %s, and this is a %s", name->text,
                       kinds[type.kind].name, kinds[ref.group.kind].name);
    else if (type.kind == GROUP_TILE && type.size != ref.group.size)
        parse_complain(p, name->pos, "'%s' is declared as a tile of %d threads, and this is one of %d",
                       name->text, type.size, ref.group.size);
    reference_declare(p, &ref);
}

bool groups_declare_auto(struct parser *p, const struct tree *n) {
    const struct tree *root = n->b->kind == TREE_CALL ? n->b->a : n->b;
    if (root->kind != TREE_NAME || !groups_know(p, root)) return false;
    declare(p, n, (struct group){0});
    return true;
}

void groups_declare(struct parser *p, const struct tree *type, const struct tree *n) {
    struct group of_type = group_of_type(p, type->a);
    if (!(n->flags & DECLARES_EQUAL))
        parse_error(p, n->at->after, "expected '=' and a group, as cg::this_thread_block()");
    if (!p->panic) declare(p, n, of_type);
}
