/* What a body of a grid knows of its place: blockIdx, threadIdx, gridDim, blockDim and warpSize; and of its cluster. */
#include <string.h>

#include "lower/calls.h"

static const char *const names[] = {"blockIdx", "threadIdx", "gridDim", "blockDim", "warpSize"};
enum grid_word {
    BLOCK_INDEX,
    THREAD_INDEX,
    GRID_SIZE,
    BLOCK_SIZE,
    WARP_SIZE,
    NWORDS,
    CLUSTER_RANK,
    CLUSTER_SIZE
};

const struct group warp_group = {.kind = GROUP_TILE, .size = WARP_LANES};

bool grid_knows(const struct parser *p, const char *name) {
    for (int k = 0; p->body->grid && k < NWORDS; k++)
        if (strcmp(names[k], name) == 0) return true;
    return false;
}

/* A word, of all threads of a block or blocks of a grid in order. */
static struct expr *make_word(struct parser *p, enum grid_word word, struct pos pos) {
    struct expr *e = NULL;
    switch (word) {
    case GRID_SIZE: return expr_unsigned(p, pos, p->body->grid);
    case BLOCK_SIZE: return expr_unsigned(p, pos, p->body->block);
    case WARP_SIZE: return expr_int(p, pos, WARP_LANES);
    case BLOCK_INDEX: e = expr_new(p, EXPR_BLOCK, pos, NULL, NULL); break;
    case CLUSTER_RANK: e = expr_new(p, EXPR_RANK, pos, NULL, NULL); break;
    case CLUSTER_SIZE: e = expr_new(p, EXPR_RANKS, pos, NULL, NULL); break;
    case THREAD_INDEX:
    case NWORDS: e = expr_new(p, EXPR_THREAD, pos, NULL, NULL); break;
    }
    e->type = type_unsigned;
    return e;
}

/* Of whose dimensions y and z are 1. */
static bool is_size(enum grid_word word) {
    return word == GRID_SIZE || word == BLOCK_SIZE || word == CLUSTER_SIZE;
}

/* A word along axis 0, 1 or 2, which are x, y and z; x comes first in the order of threads and blocks. */
static struct expr *make_along(struct parser *p, enum grid_word word, int axis, struct pos pos) {
    bool of_block = word == BLOCK_SIZE || word == THREAD_INDEX,
         of_grid = word == GRID_SIZE || word == BLOCK_INDEX;
    const int *size = of_block ? p->body->block_size : of_grid ? p->body->grid_size : NULL;
    if (!size || size[1] * size[2] <= 1)
        return axis == 0 ? make_word(p, word, pos) : expr_unsigned(p, pos, is_size(word));
    if (is_size(word)) return expr_unsigned(p, pos, size[axis]);
    struct expr *e = make_word(p, word, pos);
    int before = axis == 0 ? 1 : axis == 1 ? size[0] : size[0] * size[1];
    if (axis > 0) e = expr_new(p, EXPR_DIV, pos, e, expr_unsigned(p, pos, before));
    return axis < 2 ? expr_new(p, EXPR_MOD, pos, e, expr_unsigned(p, pos, size[axis])) : e;
}

/* name.x, where `name` is blockIdx, threadIdx and so on, or an object with the same members. */
static struct expr *make_part(struct parser *p, enum grid_word word, const char *name, struct pos pos,
                              const struct token *axis) {
    bool known = strlen(axis->text) == 1 && strchr("xyz", *axis->text);
    if (!known) parse_error(p, axis->pos, "%s has no '%s': its parts are x, y and z", name, axis->text);
    return make_along(p, word, known ? *axis->text - 'x' : 0, pos);
}

bool grid_is_value(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    return root && n->kind != TREE_ASSIGN && grid_knows(p, root->first->text) &&
           body_find(p, root->first->text) < 0;
}

struct expr *grid_value(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    enum grid_word word = BLOCK_INDEX;
    while (strcmp(names[word], t->text) != 0)
        word++;
    if (word == WARP_SIZE && tree_is_word(n)) return make_word(p, word, t->pos);
    if (n->kind == TREE_MEMBER && tree_is_word(n->a) && word != WARP_SIZE)
        return make_part(p, word, t->text, t->pos, n->at);
    parse_error(p, t->after, "expected '.x': %s.x", t->text);
    return NULL;
}

/* The members of a block and of a grid that are like blockIdx, threadIdx and so on. */
static const struct {
    enum group_kind kind;
    const char *usage;
    enum grid_word word;
} parted[] = {
    {GROUP_BLOCK, "group_index()", BLOCK_INDEX},    {GROUP_BLOCK, "thread_index()", THREAD_INDEX},
    {GROUP_BLOCK, "dim_threads()", BLOCK_SIZE},     {GROUP_BLOCK, "group_dim()", BLOCK_SIZE},
    {GROUP_CLUSTER, "block_index()", CLUSTER_RANK}, {GROUP_CLUSTER, "dim_blocks()", CLUSTER_SIZE},
    {GROUP_GRID, "block_index()", BLOCK_INDEX},     {GROUP_GRID, "dim_blocks()", GRID_SIZE},
    {GROUP_GRID, "group_dim()", GRID_SIZE},
};

static size_t find_part(enum group_kind kind, const struct token *member) {
    size_t k = 0, n = sizeof parted / sizeof *parted;
    while (k < n && (parted[k].kind != kind || !names_is(parted[k].usage, member->text)))
        k++;
    return k;
}

bool grid_has_part(enum group_kind kind, const struct token *member) {
    return find_part(kind, member) < sizeof parted / sizeof *parted;
}

struct expr *grid_part(struct parser *p, enum group_kind kind, const struct token *member,
                       const struct token *axis) {
    const char *name = arena_printf(p->arena, "%s()", member->text);
    return make_part(p, parted[find_part(kind, member)].word, name, member->pos, axis);
}

/* 1 << lane, less one where `below`. */
static struct expr *lane_bit(struct parser *p, struct pos pos, bool below) {
    struct expr *one = expr_unsigned(p, pos, 1);
    struct expr *bit = expr_new(p, EXPR_SHL, pos, one, grid_rank(p, warp_group, pos));
    return below ? expr_new(p, EXPR_SUB, pos, bit, one) : bit;
}

static struct expr *lane_mask(struct parser *p, struct pos pos, const char *which) {
    struct expr *equal = lane_bit(p, pos, false), *below = lane_bit(p, pos, true);
    if (strcmp(which, "eq") == 0) return equal;
    if (strcmp(which, "lt") == 0) return below;
    struct expr *upto = expr_new(p, EXPR_OR, pos, below, equal);
    if (strcmp(which, "le") == 0) return upto;
    if (strcmp(which, "gt") == 0) return expr_new(p, EXPR_COMPL, pos, upto, NULL);
    return strcmp(which, "ge") == 0 ? expr_new(p, EXPR_COMPL, pos, below, NULL) : NULL;
}

struct expr *grid_special(struct parser *p, const char *name, struct pos pos) {
    static const struct {
        const char *name;
        enum grid_word word;
    } indexed[] = {{"ctaid", BLOCK_INDEX}, {"tid", THREAD_INDEX},           {"nctaid", GRID_SIZE},
                   {"ntid", BLOCK_SIZE},   {"cluster_ctaid", CLUSTER_RANK}, {"cluster_nctaid", CLUSTER_SIZE}};
    static const char mask[] = "%lanemask_";
    if (p->panic || *name != '%' || !p->body->grid) return NULL;
    size_t n = strcspn(name + 1, ".");
    const char *axis = name[1 + n] ? name + 2 + n : "";
    for (size_t k = 0; k < sizeof indexed / sizeof *indexed; k++) {
        if (strlen(indexed[k].name) != n || strncmp(indexed[k].name, name + 1, n) != 0) continue;
        if (strlen(axis) != 1 || !strchr("xyz", *axis)) return NULL;
        return make_along(p, indexed[k].word, *axis - 'x', pos);
    }
    if (strcmp(name, "%cluster_ctarank") == 0) return make_word(p, CLUSTER_RANK, pos);
    if (strcmp(name, "%cluster_nctarank") == 0) return make_word(p, CLUSTER_SIZE, pos);
    if (strcmp(name, "%laneid") == 0) return grid_rank(p, warp_group, pos);
    return strncmp(name, mask, strlen(mask)) == 0 ? lane_mask(p, pos, name + strlen(mask)) : NULL;
}

/* How many lanes there are, of these. */
static struct expr *count_lanes(struct parser *p, struct pos pos, struct expr *lanes) {
    return expr_cast(p, expr_new(p, EXPR_POPC, pos, lanes, NULL), type_unsigned);
}

struct expr *grid_rank(struct parser *p, struct group g, struct pos pos) {
    if (g.kind == GROUP_COALESCED)
        return count_lanes(p, pos, expr_new(p, EXPR_AND, pos, grid_lanes(p, g, pos), lane_bit(p, pos, true)));
    struct expr *thread = make_word(p, THREAD_INDEX, pos);
    if (g.kind == GROUP_TILE) return expr_new(p, EXPR_MOD, pos, thread, expr_unsigned(p, pos, g.size));
    if (g.kind != GROUP_GRID && g.kind != GROUP_CLUSTER) return thread;
    struct expr *block = grid_whole(p, g, true, pos);
    struct expr *before = expr_new(p, EXPR_MUL, pos, block, make_word(p, BLOCK_SIZE, pos));
    return expr_new(p, EXPR_ADD, pos, before, thread);
}

/* Of a tile. */
static struct expr *tile_rank(struct parser *p, struct group g, struct pos pos) {
    struct group whole = {.kind = g.whole ? GROUP_TILE : GROUP_BLOCK, .size = g.whole};
    struct expr *thread = grid_rank(p, whole, pos);
    return expr_new(p, EXPR_DIV, pos, thread, expr_unsigned(p, pos, g.size));
}

struct expr *grid_whole(struct parser *p, struct group g, bool rank, struct pos pos) {
    if (g.kind == GROUP_CLUSTER) return make_word(p, rank ? CLUSTER_RANK : CLUSTER_SIZE, pos);
    if (g.kind == GROUP_GRID) {
        struct expr *e = make_word(p, rank ? BLOCK_INDEX : GRID_SIZE, pos);
        return expr_cast(p, e, type_uint64);
    }
    int threads = g.whole ? g.whole : p->body->block;
    if (rank) return tile_rank(p, g, pos);
    return expr_unsigned(p, pos, (threads + g.size - 1) / g.size);
}

struct expr *grid_size(struct parser *p, struct group g, struct pos pos) {
    if (g.kind == GROUP_TILE) return expr_unsigned(p, pos, g.size);
    if (g.kind == GROUP_COALESCED) return count_lanes(p, pos, grid_lanes(p, g, pos));
    struct expr *size = make_word(p, BLOCK_SIZE, pos);
    if (g.kind == GROUP_CLUSTER) return expr_new(p, EXPR_MUL, pos, make_word(p, CLUSTER_SIZE, pos), size);
    if (g.kind != GROUP_GRID) return size;
    return expr_cast(p, expr_int(p, pos, p->body->grid * p->body->block), type_uint64);
}

struct expr *grid_tile_begin(struct parser *p, struct group tile, struct pos pos) {
    struct expr *begins = expr_unsigned(p, pos, WARP_LANES - tile.size);
    return expr_new(p, EXPR_AND, pos, make_word(p, THREAD_INDEX, pos), begins);
}

struct expr *grid_lanes(struct parser *p, struct group g, struct pos pos) {
    if (g.kind == GROUP_COALESCED) return body_value(p, g.lanes, pos);
    if (g.size == WARP_LANES) return expr_unsigned(p, pos, ~0u);
    struct expr *lanes = expr_unsigned(p, pos, (1 << g.size) - 1);
    return expr_new(p, EXPR_SHL, pos, lanes, grid_tile_begin(p, g, pos));
}

/* The lane below which there are as many of the group as the rank says: in the upper half, quarter, ... of the lanes that are
 * left where the lower one has no more than these. */
struct expr *grid_lane_of(struct parser *p, struct group g, struct expr *rank, struct pos pos) {
    int lane = body_temporary(p, pos, type_unsigned), left = body_temporary(p, pos, type_unsigned);
    int below = body_temporary(p, pos, type_unsigned), above = body_temporary(p, pos, type_int);
    body_set(p, lane, expr_unsigned(p, pos, 0), pos);
    body_set(p, left, expr_cast(p, rank, type_unsigned), pos);
    for (int half = WARP_LANES / 2; half; half /= 2) {
        struct expr *lanes = expr_new(p, EXPR_SHR, pos, grid_lanes(p, g, pos), body_value(p, lane, pos));
        lanes = expr_new(p, EXPR_AND, pos, lanes, expr_unsigned(p, pos, (1 << half) - 1));
        body_set(p, below, count_lanes(p, pos, lanes), pos);
        body_set(p, above, expr_new(p, EXPR_GE, pos, body_value(p, left, pos), body_value(p, below, pos)),
                 pos);
        struct expr *no = expr_unsigned(p, pos, 0), *by = expr_unsigned(p, pos, half);
        struct expr *more = expr_choice(p, pos, body_value(p, above, pos), by, no);
        struct expr *less = expr_choice(p, pos, body_value(p, above, pos), body_value(p, below, pos), no);
        body_set(p, lane, expr_new(p, EXPR_ADD, pos, body_value(p, lane, pos), more), pos);
        body_set(p, left, expr_new(p, EXPR_SUB, pos, body_value(p, left, pos), less), pos);
    }
    return expr_cast(p, body_value(p, lane, pos), type_int);
}
