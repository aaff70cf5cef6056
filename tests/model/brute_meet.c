/* Barriers with a count: every order in which threads can come there. */
#include "brute.h"

#include <string.h>

enum { ABSENT = -1, GATHERED = -2, MAX_MEETINGS = 512 };

struct gathering {
    const struct brute_program *program;
    struct brute_meeting meeting;
    int at[BRUTE_MAX_THREADS];
    bool waits[BRUTE_MAX_THREADS];
    int nuses;
    struct brute_meeting *found;
    int *nfound;
};

static bool is_meeting(const struct gathering *g, int thread, int op) {
    return g->program->ops[thread][op].kind == BRUTE_MEET;
}

/* Moves a thread to its next barrier. */
static void go_on(struct gathering *g, int thread) {
    while (g->at[thread] < g->program->nops[thread] && !is_meeting(g, thread, g->at[thread]))
        g->at[thread]++;
}

static bool has_gathered(const struct gathering *g, int thread) {
    for (int o = 0; o < g->at[thread]; o++)
        if (g->meeting.use[thread][o] == GATHERED) return true;
    return false;
}

static bool can_come(const struct gathering *g, int thread) {
    return !g->waits[thread] && g->at[thread] < g->program->nops[thread] && !has_gathered(g, thread);
}

static void open_barrier(struct gathering *g) {
    for (int t = 0; t < g->program->nthreads; t++)
        for (int o = 0; o < g->program->nops[t]; o++)
            if (g->meeting.use[t][o] == GATHERED) {
                g->meeting.use[t][o] = g->nuses;
                g->waits[t] = false;
            }
    g->nuses++;
}

static void come(struct gathering *g, int thread) {
    const struct brute_op *o = &g->program->ops[thread][g->at[thread]];
    g->meeting.use[thread][g->at[thread]] = GATHERED;
    g->waits[thread] = !o->arrives;
    g->at[thread]++;
    int n = 0;
    for (int t = 0; t < g->program->nthreads; t++)
        n += has_gathered(g, t);
    if (n == o->value) open_barrier(g);
    go_on(g, thread);
}

static void keep(struct gathering *g) {
    for (int t = 0; t < g->program->nthreads; t++)
        if (g->waits[t]) return; /* for ever */
    for (int k = 0; k < *g->nfound; k++)
        if (memcmp(&g->found[k], &g->meeting, sizeof g->meeting) == 0) return;
    g->found[(*g->nfound)++] = g->meeting;
}

static void gather(const struct gathering *before) {
    struct gathering g = *before;
    bool any = false;
    for (int t = 0; t < g.program->nthreads; t++) {
        if (!can_come(&g, t)) continue;
        struct gathering next = g;
        any = true;
        come(&next, t);
        gather(&next);
    }
    if (!any) {
        for (int t = 0; t < g.program->nthreads; t++)
            if (g.at[t] < g.program->nops[t]) return; /* it never comes on */
        keep(&g);
    }
}

const struct brute_meeting *brute_meetings(const struct brute_program *p, int *n) {
    static struct brute_meeting found[MAX_MEETINGS];
    struct gathering g = {.program = p, .found = found, .nfound = n};
    memset(&g.meeting, ABSENT, sizeof g.meeting);
    *n = 0;
    for (int t = 0; t < p->nthreads; t++)
        go_on(&g, t);
    gather(&g);
    return found;
}
