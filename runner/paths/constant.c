#include "paths/constant.h"

#include "litmus/view.h"
#include "logic/rel.h"

/* The locations that some operation writes, by the text alone. */
static const bool *find_written(const struct test *t, struct arena *a) {
    bool *written = arena_array(a, (size_t)t->nlocs, sizeof *written);
    for (int k = 1; k <= t->nops; k++) {
        const struct op *op = &t->ops[k];
        for (int n = 0; n < OP_PLACES; n++)
            if (op->place[n].loc >= 0 && op_kinds[op->kind].touches[n] & TOUCH_WRITES)
                written[location_root(t, op->place[n].loc)] = true;
    }
    return written;
}

struct circuit_reads *constant_find(const struct test *t, const struct unfolding *u, struct arena *a) {
    const bool *written = find_written(t, a);
    struct circuit_reads *all = arena_array(a, (size_t)u->npaths, sizeof *all);
    for (int k = 0; k < u->npaths; k++)
        for (int n = 0; n < u->paths[k].nevents; n++) {
            const struct event *e = &u->paths[k].events[n];
            if (e->kind != EVENT_READ || written[e->loc]) continue;
            struct value whole = location_init(&t->locs[e->loc], e->element);
            all[k].values[e->read] = value_lane(view_parts(t, e->loc), whole, e->lane);
            set_add(all[k].known.bits, e->read);
        }
    return all;
}
