#include "cuda/barriers.h"

/* Lanes exchange values in one instruction, so all threads of a warp that exchange must run the same body. */
static const char *unfit_exchange(const struct test *t, const struct placement *p) {
    for (int k = 1; k <= t->nops; k++) {
        if (t->ops[k].kind != OP_EXCHANGE || t->ops[k].barrier != BARRIER_WARP) continue;
        for (int i = 0; i < t->nthreads; i++)
            for (int j = 0; j < t->nthreads; j++)
                if (t->threads[i].body == t->ops[k].body && t->threads[j].body != t->ops[k].body &&
                    p->seats[i].warp == p->seats[j].warp && !p->seats[i].host)
                    return "lanes of one warp that exchange values run different texts: a GPU wants the same "
                           "instruction of them";
    }
    return NULL;
}

const char *barriers_unfit(const struct test *t, const struct placement *p, const struct seating *s) {
    const char *exchange = unfit_exchange(t, p);
    if (exchange) return exchange;
    struct arena *scratch = arena_open();
    const char *why = meeting_of(scratch, t, p, s).unfit;
    arena_close(scratch);
    return why;
}
