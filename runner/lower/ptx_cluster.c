/* mapa: the address of a place in the shared memory of another block of the cluster. A register holds it, which has no other
 * value. */
#include "lower/calls.h"
#include "lower/column.h"

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
