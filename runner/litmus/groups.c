/* Cooperative groups: a block, a tile of 32, a cluster, a grid. Their sync() is the barrier that they have without them:
 * cooperative_groups.h makes the same instruction of block.sync() and __syncthreads(); that of a grid is made of atomic
 * operations (protocol.c). */
#include <string.h>

#include "litmus/parse.h"

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

/* A name with its namespace, "cg::this_thread_block". */
struct group_word {
    const char *text, *bare;
    struct pos pos;
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

static bool read_word(struct parser *p, struct group_word *w) {
    const struct token *space = parse_next(p);
    parse_next(p);
    parse_next(p);
    const struct token *name = p->tok;
    if (!parse_expect(p, TOK_NAME, "a name of cooperative groups")) return false;
    *w = (struct group_word){arena_printf(p->arena, "%s::%s", space->text, name->text), name->text,
                             space->pos};
    if (name->pos.line == w->pos.line) w->pos.len = name->pos.col + name->pos.len - w->pos.col;
    return true;
}

static void refuse(struct parser *p, const struct group_word *w) {
    if (strncmp(w->bare, "coalesced_", 10) == 0)
        parse_error(p, w->pos, "'%s' is not supported yet: which threads run together is the GPU's choice",
                    w->text);
    else
        parse_error(p, w->pos, "'%s' is not supported yet", w->text);
}

/* ---- groups ---- */

static enum group_kind read_group(struct parser *p);

/* The size of a tile. */
static void read_size(struct parser *p) {
    const struct token *t = p->tok;
    if (!parse_expect(p, TOK_INT, "the number of threads of a tile")) return;
    int size = parse_bits(p, t, false);
    if (size != WARP_LANES)
        parse_error(p, t->pos,
                    "a tile of %d threads is not supported yet: there are tiles of %d, which are warps", size,
                    WARP_LANES);
}

/* "<32>(block)" or "(block, 32)" */
static enum group_kind read_tile(struct parser *p) {
    bool sized = parse_accept(p, '<');
    if (sized) read_size(p);
    if (sized) parse_expect(p, '>', "'>'");
    parse_expect(p, '(', "'(' and a group");
    const struct token *t = p->tok;
    enum group_kind whole = read_group(p);
    if (!p->panic && whole != GROUP_BLOCK && whole != GROUP_TILE)
        parse_error(p, t->pos, "a tile is a part of a block, and this is a %s", kinds[whole].name);
    p->tile_of_tile = p->tile_of_tile || whole == GROUP_TILE;
    if (!sized) {
        parse_expect(p, ',', "',' and the number of threads of a tile");
        read_size(p);
    }
    parse_expect(p, ')', "')'");
    return GROUP_TILE;
}

/* A variable, cg::this_thread_block() and its like. GROUP_NONE: an error. */
static enum group_kind read_group(struct parser *p) {
    struct group_word w;
    const struct token *t = p->tok;
    if (!p->panic && at_variable(p, t)) return reference_find(p, parse_next(p)->text)->group;
    if (p->panic || !at_namespace(p, t)) {
        parse_error(p, t->pos, "expected a group, as cg::this_thread_block()");
        return GROUP_NONE;
    }
    if (!read_word(p, &w)) return GROUP_NONE;
    enum group_kind kind = GROUP_BLOCK;
    while (kind <= GROUP_GRID && strcmp(kinds[kind].asked, w.bare) != 0)
        kind++;
    if (kind > GROUP_GRID) {
        refuse(p, &w);
        return GROUP_NONE;
    }
    if (kind == GROUP_TILE) {
        read_tile(p);
    } else {
        parse_expect(p, '(', "'('");
        parse_expect(p, ')', "')'");
    }
    return p->panic ? GROUP_NONE : kind;
}

void groups_add_barrier(struct parser *p, enum op_name name, struct pos pos) {
    const struct op_row *row = &op_rows[name];
    struct op op = {.name = name, .kind = row->kind, .type = type_int, .pos = pos};
    op.dst = op.loc = op.slot = -1;
    op.order = row->calls[0].order;
    op.scope = row->calls[0].scope;
    op.barrier = row->barrier;
    op.arrive_only = row->arrive_only;
    stmt_add_op(p, op);
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

bool groups_take_move(struct parser *p) {
    bool moves = false;
    while (!moves && p->tok->kind == TOK_NAME && (p->tok[1].kind == ':' || token_is_word(p->tok, "move"))) {
        moves = token_is_word(parse_next(p), "move");
        while (!moves && parse_accept(p, ':'))
            continue;
    }
    if (moves) parse_expect(p, '(', "'('");
    return moves;
}

/* token, cuda::std::move(token) */
static struct expr *read_token(struct parser *p) {
    bool moves = groups_take_move(p);
    const struct token *t = p->tok;
    int reg = t->kind == TOK_NAME ? body_find(p, t->text) : -1;
    if (parse_expect(p, TOK_NAME, "the token of an arrival") && reg < 0)
        parse_error(p, t->pos, "unknown token '%s'", t->text);
    if (moves) parse_expect(p, ')', "')'");
    if (p->panic) return expr_int(p, t->pos, 0);
    return expr_cast(p, expr_scalar(p, body_read(p, reg, t->pos), "a token"), type_unsigned);
}

static struct expr *arrive_at(struct parser *p, enum group_kind kind, struct pos pos) {
    if (kind == GROUP_GRID) return protocol_grid_arrive(p, pos);
    groups_add_barrier(p, MEET_CLUSTER_ARRIVE, pos);
    return expr_int(p, pos, 0); /* which arrival a wait is for is known without a token */
}

/* barrier_arrive(), whose token may be kept; barrier_wait(), which is given it; of a cluster it may be missing. */
static struct expr *read_half(struct parser *p, enum group_kind kind, const struct token *member) {
    bool arrives = strcmp(member->text, "barrier_arrive") == 0;
    if (kind != GROUP_CLUSTER && kind != GROUP_GRID)
        parse_error(p, member->pos, "'%s' of a %s is not supported yet", member->text, kinds[kind].name);
    else if (kind == GROUP_GRID)
        has_grid(p, member->text, member->pos);
    struct expr *token = NULL;
    parse_expect(p, '(', "'('");
    if (!arrives && !p->panic && (kind == GROUP_GRID || parse_peek(p) != ')')) token = read_token(p);
    parse_expect(p, ')', "')'");
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

/* What a member that is a number is; NULL, and an error, where the test does not know it. */
static struct expr *read_number(struct parser *p, enum group_kind kind, const struct token *member) {
    enum group_number number = find_number(kind, member->text);
    check_number(p, kind, number, member);
    parse_expect(p, '(', "'('");
    parse_expect(p, ')', "')'");
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

/* ".sync()" and the like; NULL: it has no value. */
static struct expr *read_member(struct parser *p, enum group_kind kind) {
    parse_expect(p, '.', "'.' and a member of the group");
    const struct token *member = p->tok;
    if (!parse_expect(p, TOK_NAME, "a member of the group")) return NULL;
    bool arrives = strcmp(member->text, "barrier_arrive") == 0;
    if (arrives || strcmp(member->text, "barrier_wait") == 0) return read_half(p, kind, member);
    const char *exchange = find_exchange(kind, member->text);
    if (exchange) {
        parse_expect(p, '(', "'('");
        return p->panic ? NULL : exchange_of_tile(p, exchange, member->pos);
    }
    if (strcmp(member->text, "sync") != 0) {
        struct expr *part = grid_part(p, kind, member);
        if (part) need_grid(p, member);
        return part ? part : read_number(p, kind, member);
    }
    parse_expect(p, '(', "'('");
    parse_expect(p, ')', "')'");
    if (!p->panic) add_sync(p, kind, member->pos);
    return NULL;
}

/* "(block)" of cg::sync */
static void read_sync(struct parser *p, struct pos pos) {
    parse_expect(p, '(', "'(' and a group");
    enum group_kind kind = read_group(p);
    parse_expect(p, ')', "')'");
    if (!p->panic) add_sync(p, kind, pos);
}

bool groups_begin(const struct parser *p) {
    return !p->panic && (at_variable(p, p->tok) || at_namespace(p, p->tok));
}

static struct expr *read_use(struct parser *p) {
    struct group_word w;
    const struct token *t = p->tok;
    if (at_namespace(p, t) && token_is_word(&t[3], "sync")) {
        if (read_word(p, &w)) read_sync(p, w.pos);
        return NULL;
    }
    return read_member(p, read_group(p));
}

void groups_statement(struct parser *p) {
    read_use(p);
}

struct expr *groups_value(struct parser *p) {
    const struct token *t = p->tok;
    struct expr *value = read_use(p);
    if (!value) parse_error(p, t->pos, "a group's barrier has no value");
    return value ? value : expr_int(p, t->pos, 0);
}

/* ---- declarations ---- */

/* What is behind "name<...>", or t. */
static const struct token *skip_brackets(const struct token *t, int open, int close) {
    if (t->kind != open) return t;
    int depth = 0;
    for (; t->kind != TOK_END; t++) {
        depth += (t->kind == open) - (t->kind == close);
        if (depth == 0) return t + 1;
    }
    return t;
}

/* What is behind a group that stands at t; NULL: none does. */
static const struct token *skip_group(const struct parser *p, const struct token *t) {
    if (at_variable(p, t)) return t + 1;
    if (!at_namespace(p, t) || t[3].kind != TOK_NAME) return NULL;
    return skip_brackets(skip_brackets(&t[4], '<', '>'), '(', ')');
}

static bool is_qualifier(const struct token *t) {
    return token_is_word(t, "const") || t->kind == '&';
}

/* auto block = cg::this_thread_block(); but a member's value is no group. */
static bool at_automatic(const struct parser *p, const struct token *t) {
    if (!token_is_word(t, "auto")) return false;
    t++;
    while (is_qualifier(t))
        t++;
    if (t->kind != TOK_NAME || t[1].kind != '=') return false;
    const struct token *end = skip_group(p, &t[2]);
    return end && end->kind == ';';
}

/* cg::thread_block_tile<32> tile */
static bool at_typed(const struct parser *p, const struct token *t) {
    if (!at_namespace(p, t) || t[3].kind != TOK_NAME) return false;
    t = skip_brackets(&t[4], '<', '>');
    while (is_qualifier(t))
        t++;
    return t->kind == TOK_NAME;
}

static bool alias_begins(const struct parser *p) {
    return parse_at_word(p, "namespace") && p->tok[1].kind == TOK_NAME && p->tok[2].kind == '=';
}

bool groups_declared(const struct parser *p) {
    const struct token *t = p->tok;
    if (p->panic) return false;
    while (token_is_word(t, "const"))
        t++;
    return alias_begins(p) || at_automatic(p, t) || at_typed(p, t);
}

/* namespace cg = cooperative_groups */
static void read_alias(struct parser *p) {
    parse_next(p);
    const struct token *name = parse_next(p);
    parse_next(p);
    const struct token *of = p->tok;
    if (!parse_expect(p, TOK_NAME, "a namespace")) return;
    if (strcmp(of->text, whole_namespace) == 0)
        p->groups = name->text;
    else
        parse_error(p, of->pos, "another name for '%s' is not supported yet; %s can have one", of->text,
                    whole_namespace);
}

bool groups_aliases(struct parser *p) {
    bool some = alias_begins(p);
    while (alias_begins(p)) {
        read_alias(p);
        parse_expect(p, ';', "';'");
        parse_recover(p);
    }
    return some;
}

/* A type, whose namespace begins here. thread_group is any; GROUP_NONE. */
static enum group_kind read_type(struct parser *p) {
    struct group_word w;
    enum group_kind kind = GROUP_BLOCK;
    if (!read_word(p, &w) || strcmp(w.bare, "thread_group") == 0) return GROUP_NONE;
    while (kind <= GROUP_GRID && strcmp(kinds[kind].type, w.bare) != 0)
        kind++;
    if (kind > GROUP_GRID) refuse(p, &w);
    if (p->panic || kind != GROUP_TILE) return p->panic ? GROUP_NONE : kind;
    parse_expect(p, '<', "'<' and the number of threads of a tile");
    read_size(p);
    while (!p->panic && p->tok->kind != '>' && p->tok->kind != TOK_END)
        parse_next(p); /* of what it is a part */
    parse_expect(p, '>', "'>'");
    return kind;
}

void groups_declare(struct parser *p) {
    enum group_kind type = GROUP_NONE;
    if (alias_begins(p)) {
        read_alias(p);
        return;
    }
    while (is_qualifier(p->tok))
        parse_next(p);
    if (token_is_word(p->tok, "auto"))
        parse_next(p);
    else
        type = read_type(p);
    while (!p->panic && is_qualifier(p->tok))
        parse_next(p);
    const struct token *name = p->tok;
    if (!parse_expect(p, TOK_NAME, "the name of a group")) return;
    parse_expect(p, '=', "'=' and a group, as cg::this_thread_block()");
    struct reference ref = {.name = name->text, .pos = name->pos, .place = {.loc = -1}};
    ref.group = read_group(p);
    if (p->panic) return;
    if (type != GROUP_NONE && type != ref.group)
        parse_complain(p, name->pos, "'%s' is declared as a %s, and this is a %s", name->text,
                       kinds[type].name, kinds[ref.group].name);
    reference_declare(p, &ref);
}
