/* Instructions that access no memory: they wait, end the kernel, or say what a cache or a next kernel should do. */
#include "lower/ptx.h"

#include <string.h>

/* nanosleep.u32 time */
void ptx_sleep(struct column *c, struct instruction *in) {
    struct op op = op_make(HINT_SLEEP, in->words[0]->pos);
    op.type = type_unsigned;
    if (in->type && strcmp(in->type->text, "u32") != 0)
        parse_error(&c->p, in->type->pos, "a time is of type u32: nanosleep.u32");
    op.value = expr_cast(&c->p, ptx_value(c), type_unsigned);
    stmt_add_op(&c->p, op);
}

/* griddepcontrol.launch_dependents, griddepcontrol.wait */
void ptx_dependence(struct column *c, struct instruction *in) {
    bool triggers = ptx_take(in, "launch_dependents");
    if (!triggers && !ptx_take(in, "wait"))
        parse_error(&c->p, in->words[0]->after, "expected '.launch_dependents' or '.wait'");
    stmt_add_op(&c->p, op_make(triggers ? GRID_TRIGGER : GRID_WAIT, in->words[0]->pos));
}

/* trap */
void ptx_trap(struct column *c, struct instruction *in) {
    if (in->type) parse_error(&c->p, in->type->pos, "'trap' has no type");
    stmt_add_op(&c->p, op_make(TRAP_HERE, in->words[0]->pos));
}

/* prefetch.global.L1 [x] */
void ptx_prefetch(struct column *c, struct instruction *in) {
    bool nearest = ptx_take(in, "L1");
    if (!nearest && !ptx_take(in, "L2")) parse_error(&c->p, in->words[0]->after, "expected '.L1' or '.L2'");
    struct op op = op_make(nearest ? HINT_PREFETCH_L1 : HINT_PREFETCH_L2, in->words[0]->pos);
    if (!c->block) ptx_take(in, "global");
    struct place place = c->block ? asm_address(c, in) : ptx_copied_place(c, false);
    op.place[0].loc = place.loc;
    op.place[0].index = place.index;
    if (!c->p.panic && op.place[0].loc >= 0 && c->p.test->locs[op.place[0].loc].space == SPACE_SHARED)
        parse_complain(&c->p, op.pos, "a prefetch is from global memory, and '%s' is in shared memory",
                       c->p.test->locs[op.place[0].loc].name);
    if (op.place[0].loc >= 0) op.type = c->p.test->locs[op.place[0].loc].type;
    stmt_add_op(&c->p, op);
}
