/* Cooperative groups: a block, a tile of 32, a cluster, a grid. Their sync() is the barrier that they have without them:
 * cooperative_groups.h makes the same instruction of block.sync() and __syncthreads(); that of a grid is made of atomic
 * operations (arrival.c). */
#include <string.h>

#include "lower/calls.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

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
};

/* Whether "cg::" stands at t, or the same by another name. */
static bool at_namespace(const struct parser *p, const struct token *t) {
    bool named = token_is_word(t, whole_namespace) || token_is_word(t, "cg") ||
                 (p->groups && token_is_word(t, p->groups));
    return named && t[1].kind == ':' && t[2].kind == ':';
}

static bool at_variable(const struct parser *p, const struct token *t) {
    const struct reference *ref = t->kind == TOK_NAME ? reference_find(p, t->text) : NULL;
    return ref && ref->group;
}

static void refuse(struct parser *p, const struct tree *name) {
    struct full_name w = full_name_of(p, name);
    if (strncmp(name->at->text, "coalesced_", 10) == 0)
        parse_error(p, w.pos, "'%s' is not supported yet: which threads run together is the GPU's choice",
                    w.text);
    else
        parse_error(p, w.pos, "'%s' is not supported yet", w.text);
}

/* ---- groups ---- */

static enum group_kind group_of(struct parser *p, const struct tree *n);

static void check_size(struct parser *p, const struct token *t) {
    int size = t->kind == TOK_INT ? parse_bits(p, t, false) : 0;
    if (t->kind != TOK_INT)
        parse_error(p, t[-1].after, "expected the number of threads of a tile");
    else if (size != WARP_LANES)
        parse_error(p, t->pos,
                    "a tile of %d threads is not supported yet: there are tiles of %d, which are warps", size,
                    WARP_LANES);
}

/* cg::tiled_partition<32>(block) or cg::tiled_partition(block, 32) */
static void check_tile(struct parser *p, const struct tree *call) {
    const struct tree *sized = call->a->b;
    struct arguments left = arguments_of(call, "tiled_partition<32>(block)");
    if (sized) check_size(p, sized->first);
    if (sized && sized->next) parse_error(p, sized->end[-1].after, "expected '>'");
    const struct tree *n = arguments_take(p, &left, "a group");
    enum group_kind whole = n ? group_of(p, n) : GROUP_NONE;
    if (!p->panic && whole != GROUP_BLOCK && whole != GROUP_TILE)
        parse_error(p, n->first->pos, "a tile is a part of a block, and this is a %s", kinds[whole].name);
    p->tile_of_tile = p->tile_of_tile || whole == GROUP_TILE;
    const struct tree *size = sized || p->panic ? NULL : arguments_take(p, &left, "a size");
    if (size) check_size(p, size->first);
    arguments_end(p, &left);
}

/* The group that a variable, cg::this_thread_block() and its like are. GROUP_NONE: an error. */
static enum group_kind group_of(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    const struct tree *name = n->kind == TREE_CALL ? n->a : n;
    if (p->panic) return GROUP_NONE;
    if (tree_is_word(n) && at_variable(p, t)) return reference_find(p, t->text)->group;
    if (name->kind != TREE_NAME || !at_namespace(p, t)) {
        parse_error(p, t->pos, "expected a group, as cg::this_thread_block()");
        return GROUP_NONE;
    }
    if (name->at == t) {
        parse_error(p, t[2].after, "expected a name of cooperative groups");
        return GROUP_NONE;
    }
    enum group_kind kind = GROUP_BLOCK;
    while (kind <= GROUP_GRID && strcmp(kinds[kind].asked, name->at->text) != 0)
        kind++;
    if (kind > GROUP_GRID) {
        refuse(p, name);
        return GROUP_NONE;
    }
    if (n->kind != TREE_CALL)
        parse_error(p, n->end[-1].after, kind == GROUP_TILE ? "expected '(' and a group" : "expected '('");
    else if (kind == GROUP_TILE)
        check_tile(p, n);
    else if (n->b)
        parse_error(p, n->at->after, "expected ')'");
    return p->panic ? GROUP_NONE : kind;
}

void groups_add_barrier(struct parser *p, enum op_name name, struct pos pos) {
    stmt_add_op(p, op_make(name, pos));
}

/* Of a grid, there is a barrier for a thread of one alone. False, and an error, elsewhere. */
static bool has_grid(struct parser *p, const char *member, struct pos pos) {
    if (!p->body->grid)
        parse_error(p, pos, "'%s' of a grid is for a thread of a grid: {grid: 2, block: 32, body: ...}",
                    member);
    return !p->panic;
}

static void add_sync(struct parser *p, enum group_kind kind, struct pos pos) {
    if (kind != GROUP_GRID)
        groups_add_barrier(p, kinds[kind].sync, pos);
    else if (has_grid(p, "sync", pos))
        protocol_grid_wait(p, protocol_grid_arrive(p, pos), pos);
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

static struct expr *arrive_at(struct parser *p, enum group_kind kind, struct pos pos) {
    if (kind == GROUP_GRID) return protocol_grid_arrive(p, pos);
    groups_add_barrier(p, MEET_CLUSTER_ARRIVE, pos);
    return expr_int(p, pos, 0); /* which arrival a wait is for is known without a token */
}

/* barrier_arrive(), whose token may be kept; barrier_wait(), which is given it; of a cluster it may be missing. */
static struct expr *lower_half(struct parser *p, enum group_kind kind, const struct tree *call) {
    const struct token *member = call->a->at;
    bool arrives = strcmp(member->text, "barrier_arrive") == 0;
    if (kind != GROUP_CLUSTER && kind != GROUP_GRID)
        parse_error(p, member->pos, "'%s' of a %s is not supported yet", member->text, kinds[kind].name);
    else if (kind == GROUP_GRID)
        has_grid(p, member->text, member->pos);
    struct expr *token = NULL;
    struct arguments left = arguments_of(call, arrives ? "barrier_arrive()" : "barrier_wait(token)");
    if (!arrives && !p->panic && kind == GROUP_GRID && !left.next)
        parse_error(p, call->at->after, "expected the token of an arrival");
    if (!arrives && !p->panic && left.next) token = token_value(p, arguments_take(p, &left, "a token"));
    arguments_end(p, &left);
    if (p->panic) return NULL;
    if (arrives) return arrive_at(p, kind, member->pos);
    if (kind == GROUP_GRID)
        protocol_grid_wait(p, token, member->pos);
    else
        groups_add_barrier(p, MEET_CLUSTER_WAIT, member->pos);
    return NULL;
}

static void need_grid(struct parser *p, const struct token *member) {
    if (!p->body->grid)
        parse_error(p, member->pos, "'%s' is for a thread of a grid: {grid: 1, block: 64, body: ...}",
                    member->text);
}

/* The members that are numbers. */
enum group_number { THREAD_RANK, THREADS, WHOLE_RANK, WHOLES, NO_NUMBER };

static enum group_number find_number(enum group_kind kind, const char *member) {
    static const struct {
        const char *name;
        enum group_kind kind; /* that has it, or GROUP_NONE: all */
        enum group_number number;
    } numbers[] = {
        {"thread_rank", GROUP_NONE, THREAD_RANK}, {"size", GROUP_NONE, THREADS},
        {"num_threads", GROUP_NONE, THREADS},     {"block_rank", GROUP_GRID, WHOLE_RANK},
        {"num_blocks", GROUP_GRID, WHOLES},       {"meta_group_rank", GROUP_TILE, WHOLE_RANK},
        {"meta_group_size", GROUP_TILE, WHOLES},
    };
    for (size_t k = 0; k < COUNT_OF(numbers); k++)
        if ((numbers[k].kind == kind || numbers[k].kind == GROUP_NONE) &&
            strcmp(numbers[k].name, member) == 0)
            return numbers[k].number;
    return NO_NUMBER;
}

/* Complains about a number that the test does not know. */
static void check_number(struct parser *p, enum group_kind kind, enum group_number number,
                         const struct token *member) {
    const char *name = member->text;
    bool whole = number == WHOLE_RANK || number == WHOLES;
    if (number == NO_NUMBER)
        parse_error(p, member->pos, "'%s' of a %s is not supported yet", name, kinds[kind].name);
    else if (kind == GROUP_CLUSTER)
        parse_error(p, member->pos,
                    "'%s' of a cluster is not supported yet: which blocks it has is said by the placement",
                    name);
    else if (whole && kind == GROUP_TILE && p->tile_of_tile)
        parse_error(p, member->pos, "'%s' is not supported yet where a tile is a part of a tile", name);
    else
        need_grid(p, member);
}

static void check_empty(struct parser *p, const struct tree *call) {
    if (call->b) parse_error(p, call->at->after, "expected ')'");
}

/* What a member that is a number is; NULL, and an error, where the test does not know it. */
static struct expr *lower_number(struct parser *p, enum group_kind kind, const struct tree *call) {
    const struct token *member = call->a->at;
    enum group_number number = find_number(kind, member->text);
    check_number(p, kind, number, member);
    check_empty(p, call);
    if (p->panic) return NULL;
    switch (number) {
    case THREAD_RANK: return grid_rank(p, kind, member->pos);
    case THREADS: return grid_size(p, kind, member->pos);
    case WHOLE_RANK:
    case WHOLES: return grid_whole(p, kind, number == WHOLE_RANK, member->pos);
    case NO_NUMBER: break;
    }
    return NULL;
}

/* tile.shfl(word, lane) is __shfl_sync of the whole warp, and so are others; NULL: it is none of them. */
static const char *find_exchange(enum group_kind kind, const char *member) {
    static const char *const calls[][2] = {
        {"shfl", "__shfl_sync"},
        {"shfl_up", "__shfl_up_sync"},
        {"shfl_down", "__shfl_down_sync"},
        {"shfl_xor", "__shfl_xor_sync"},
        {"any", "__any_sync"},
        {"all", "__all_sync"},
        {"ballot", "__ballot_sync"},
        {"match_any", "__match_any_sync"},
    };
    for (size_t k = 0; kind == GROUP_TILE && k < sizeof calls / sizeof *calls; k++)
        if (strcmp(calls[k][0], member) == 0) return calls[k][1];
    return NULL;
}

/* group.sync() and the like; NULL: it has no value. */
static struct expr *lower_member(struct parser *p, enum group_kind kind, const struct tree *call) {
    const struct token *member = call->a->at;
    bool arrives = strcmp(member->text, "barrier_arrive") == 0;
    if (arrives || strcmp(member->text, "barrier_wait") == 0) return lower_half(p, kind, call);
    const char *exchange = find_exchange(kind, member->text);
    if (exchange) return exchange_of_tile(p, exchange, call, member->pos);
    if (strcmp(member->text, "sync") != 0) return lower_number(p, kind, call);
    check_empty(p, call);
    if (!p->panic) add_sync(p, kind, member->pos);
    return NULL;
}

/* block.thread_index().x */
static struct expr *lower_part(struct parser *p, const struct tree *n) {
    const struct tree *call = n->a;
    const struct token *member = call->a->at;
    enum group_kind kind = group_of(p, call->a->a);
    if (p->panic) return NULL;
    if (!grid_has_part(kind, member)) {
        if (lower_member(p, kind, call))
            parse_error(p, n->at[-1].pos, "'.%s' is for vectors, and this is a number", n->at->text);
        return NULL;
    }
    need_grid(p, member);
    check_empty(p, call);
    return p->panic ? NULL : grid_part(p, kind, member, n->at);
}

/* Whether a tree is group.member(...). */
static bool is_member_call(const struct tree *n) {
    return n->kind == TREE_CALL && n->a->kind == TREE_MEMBER;
}

bool groups_know(const struct parser *p, const struct tree *root) {
    return !p->panic && (at_variable(p, root->first) || at_namespace(p, root->first));
}

struct expr *groups_use(struct parser *p, const struct tree *n) {
    bool names = n->kind == TREE_CALL && n->a->kind == TREE_NAME && at_namespace(p, n->first);
    if (names && token_is_word(n->a->at, "sync")) {
        struct pos pos = full_name_of(p, n->a).pos;
        struct arguments left = arguments_of(n, "cg::sync(group)");
        const struct tree *group = arguments_take(p, &left, "a group");
        enum group_kind kind = group ? group_of(p, group) : GROUP_NONE;
        arguments_end(p, &left);
        if (!p->panic) add_sync(p, kind, pos);
        return NULL;
    }
    if (n->kind == TREE_MEMBER && is_member_call(n->a)) return lower_part(p, n);
    if (is_member_call(n)) {
        enum group_kind kind = group_of(p, n->a->a);
        if (!p->panic && grid_has_part(kind, n->a->at))
            parse_error(p, n->end[-1].after, "expected '.x': %s().x", n->a->at->text);
        return p->panic ? NULL : lower_member(p, kind, n);
    }
    if (n->kind == TREE_MEMBER) {
        parse_error(p, n->end[-1].after, "expected '('");
        return NULL;
    }
    const struct tree *root = tree_root(n), *group = n->kind == TREE_CALL && n->a == root ? n : root;
    if (group_of(p, group) != GROUP_NONE)
        parse_error(p, group->end[-1].after, "expected '.' and a member of the group");
    return NULL;
}

/* ---- declarations ---- */

/* namespace cg = cooperative_groups */
void groups_name_space(struct parser *p, const struct tree *n) {
    if (!n->a) return;
    if (strcmp(n->a->at->text, whole_namespace) == 0)
        p->groups = n->at->text;
    else
        parse_error(p, n->a->first->pos, "another name for '%s' is not supported yet; %s can have one",
                    n->a->at->text, whole_namespace);
}

/* What a type is. thread_group is any; GROUP_NONE. */
static enum group_kind kind_of_type(struct parser *p, const struct tree *name) {
    enum group_kind kind = GROUP_BLOCK;
    if (strcmp(name->at->text, "thread_group") == 0) return GROUP_NONE;
    while (kind <= GROUP_GRID && strcmp(kinds[kind].type, name->at->text) != 0)
        kind++;
    if (kind > GROUP_GRID) refuse(p, name);
    if (p->panic || kind != GROUP_TILE) return p->panic ? GROUP_NONE : kind;
    if (!name->b) parse_error(p, name->at->after, "expected '<' and the number of threads of a tile");
    if (!p->panic) check_size(p, name->b->first);
    return kind;
}

/* A variable that is a group of this type, GROUP_NONE being any. */
static void declare(struct parser *p, const struct tree *n, enum group_kind type) {
    const struct token *name = n->at;
    struct reference ref = {.name = name->text, .pos = name->pos, .place = {.loc = -1}};
    if (n->b->kind == TREE_BAD) parse_fault(p, n->b->fault);
    ref.group = group_of(p, n->b);
    if (p->panic) return;
    if (type != GROUP_NONE && type != ref.group)
        parse_complain(p, name->pos, "'%s' is declared as a %s, and this is a %s", name->text,
                       kinds[type].name, kinds[ref.group].name);
    reference_declare(p, &ref);
}

bool groups_declare_auto(struct parser *p, const struct tree *n) {
    const struct tree *root = n->b->kind == TREE_CALL ? n->b->a : n->b;
    if (root->kind != TREE_NAME || !groups_know(p, root)) return false;
    declare(p, n, GROUP_NONE);
    return true;
}

void groups_declare(struct parser *p, const struct tree *n) {
    enum group_kind type = kind_of_type(p, n->a->a);
    for (const struct tree *k = n->b; k && !p->panic; k = k->next) {
        if (k->at->kind != TOK_NAME) parse_fault(p, k->fault);
        if (!(k->flags & DECLARES_EQUAL))
            parse_error(p, k->at->after, "expected '=' and a group, as cg::this_thread_block()");
        if (!p->panic) declare(p, k, type);
    }
}
