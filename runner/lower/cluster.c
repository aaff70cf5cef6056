/* Places in the shared memory of another block of the cluster: cluster.map_shared_rank(p, rank), and what calls that so. */
#include <string.h>

#include "lower/calls.h"
#include "lower/column.h"

enum { MAX_RANK = 15 }; /* a cluster has at most 16 blocks */

static const char of_group[] = "map_shared_rank(&X, rank)", of_cuda[] = "__cluster_map_shared_rank(&X, rank)",
                  of_ptx[] = "cuda::ptx::mapa(space_cluster, &X, rank)";

/* How a call is written that gives such an address; NULL: it gives none. */
static const char *usage_of(const struct parser *p, const struct tree *n) {
    const struct tree *name = n->kind == TREE_CALL ? n->a : NULL;
    if (!name) return NULL;
    const struct tree *root = name->kind == TREE_MEMBER ? tree_root(name) : NULL;
    if (root) return token_is_word(name->at, "map_shared_rank") && groups_know(p, root) ? of_group : NULL;
    if (tree_is_word(name)) return token_is_word(name->first, "__cluster_map_shared_rank") ? of_cuda : NULL;
    bool ptx = name->kind == TREE_NAME && name->first != name->at && token_is_word(name->at - 3, "ptx");
    return ptx && token_is_word(name->at, "mapa") ? of_ptx : NULL;
}

bool cluster_leads(const struct parser *p, const struct tree *n) {
    return usage_of(p, n) != NULL;
}

bool cluster_knows(struct parser *p, const struct tree *n) {
    return cluster_leads(p, n);
}

struct expr *cluster_use(struct parser *p, const struct tree *n) {
    parse_error(p, n->first->pos, "this is an address: int *peer = %s, or *%s = 1", usage_of(p, n),
                usage_of(p, n));
    return NULL;
}

struct place cluster_place(struct parser *p, struct place place, struct expr *rank, struct pos pos) {
    struct value number;
    if (p->panic || place.loc < 0) return place;
    const struct location *l = &p->test->locs[place.loc];
    rank = expr_scalar(p, rank, "a rank");
    bool known = body_number(p, rank, &number);
    if (!space_rows[l->space].of_block)
        parse_complain(p, place.pos, "'%s' is in %s memory: the blocks of a cluster have shared memory",
                       l->name, space_name(l->space));
    else if (place.rank)
        parse_complain(p, place.pos,
                       "this is in another block already: what is mapped is an address in the thread's own");
    else if (rank->type.real ||
             (known && (value_int(rank->type, number) < 0 || value_int(rank->type, number) > MAX_RANK)))
        parse_complain(p, pos, "the rank of a block in its cluster is an integer from 0 to %d", MAX_RANK);
    if (!rank->type.real) place.rank = expr_cast(p, rank, type_unsigned);
    return place;
}

struct place cluster_address(struct parser *p, const struct tree *call) {
    struct arguments left = arguments_of(call, usage_of(p, call));
    const struct tree *name = call->a;
    if (name->kind == TREE_MEMBER && groups_of(p, name->a).kind != GROUP_CLUSTER)
        parse_error(p, name->at->pos, "'%s' is of a cluster: cg::this_cluster()", name->at->text);
    const struct tree *space = left.usage == of_ptx ? arguments_take(p, &left, "space_cluster") : NULL;
    if (space && !(space->kind == TREE_NAME && token_is_word(space->at, "space_cluster")))
        parse_error(p, space->first->pos, "expected space_cluster: %s", left.usage);
    const struct tree *n = p->panic ? NULL : arguments_take(p, &left, "an address");
    struct place place = n ? place_address(p, n, left.usage) : (struct place){.loc = -1};
    n = p->panic ? NULL : arguments_take(p, &left, "a rank");
    struct expr *rank = n ? lower_value(p, n) : NULL;
    arguments_end(p, &left);
    return p->panic ? place : cluster_place(p, place, rank, n->first->pos);
}

/* ---- the same of PTX: a register holds the address, which has no other value ---- */

/* mapa.shared::cluster.u32 d, a, rank; or mapa.u64 of generic addresses. */
void ptx_map(struct column *c) {
    struct parser *p = &c->p;
    if (c->block && c->block->kernel) {
        c->block->kernel->map(c);
        return;
    }
    const struct ptx_word *space = ptx_words_take(&c->words, c->in, "shared::cluster");
    if (!c->block)
        parse_error(p, c->in->pos, "the shared memory of a table is that of no block: 'mapa' is for an asm");
    if (!c->words.type_word)
        parse_error(p, ptx_behind(&c->in->words[c->in->nwords - 1]), "expected a type: .u32 or .u64");
    const struct ptx_operand *to = ptx_next(c, "a register"), *from = to ? ptx_next(c, "an address") : NULL;
    if (!from || p->panic) return;
    struct asm_operand found = asm_led(c, from);
    if (!p->panic && found.window != (space != NULL))
        parse_error(p, from->pos,
                    space ? "mapa.shared::cluster takes an address of __cvta_generic_to_shared()"
                          : "mapa without .shared::cluster takes no address of __cvta_generic_to_shared()");
    if (!p->panic) asm_register(c, to, false);
    c->type = type_unsigned;
    const struct ptx_operand *rank = p->panic ? NULL : ptx_next(c, "a rank");
    if (!rank) return;
    int reg = body_temporary(p, rank->pos, type_unsigned);
    body_set(p, reg, ptx_value(c, rank), rank->pos);
    found.place = cluster_place(p, found.place, body_value(p, reg, rank->pos), rank->pos);
    asm_lead(c, to, &found);
}
