/* What is checked of copies and tensor maps where they are read. */
#include "litmus/copy.h"
#include "lower/calls.h"

/* A map's number of bytes, which a fence says; no bytes are copied. */
int map_bytes(struct parser *p, struct pos pos, int bytes) {
    if (bytes != 128 && !p->panic) parse_complain(p, pos, "a tensor map has 128 bytes, not %d", bytes);
    return 0;
}

struct expr *map_array(struct parser *p, struct place array) {
    const char *problem = array.loc < 0 ? NULL : copy_map_problem(&p->test->locs[array.loc]);
    bool first = !array.index || (array.index->kind == EXPR_INT && expr_number(array.index, NULL) == 0);
    if (!p->panic && problem)
        parse_complain(p, array.pos, "%s", problem);
    else if (!p->panic && !first)
        parse_complain(p, array.pos, "a tensor map leads to the begin of an array");
    return expr_convert(p, expr_int(p, array.pos, array.loc < 0 ? 0 : array.loc), type_uint64);
}

void copy_check(struct parser *p, const struct op *op) {
    bool both = op->place[1].loc >= 0 || !op_kinds[op->kind].touches[1];
    bool known = op->place[0].loc >= 0 && both && op->bytes > 0; /* which is reported */
    const char *problem = known ? copy_problem(p->arena, p->test, p->body, op) : NULL;
    if (problem) parse_complain(p, op->pos, "%s", problem);
}
