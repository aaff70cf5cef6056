#include "exec/cuda_host.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/environment.h"
#include "base/clock.h"
#include "base/memory.h"
#include "exec/cpu_compile.h"
#include "gen/gen.h"

static const double patience = 0.25; /* seconds that a wait of the test may last */

struct host_thread {
    struct run run;
    struct host_team *team;
    int number, role;
    pthread_t id;
};

struct host_team {
    const struct test *t;
    struct arena *arena;
    struct unit unit;
    int *first;          /* a location's element among all, as the generated C numbers them */
    struct row *rows[2]; /* a set each */
    int **logs[2];
    long limit;
    int nthreads, running;
    struct host_thread thread[MAX_HOST_THREADS];
    struct environment env;
    struct host_meeting *meeting;
    int *values;
    unsigned char *faults;
    int failed;
};

static int relax(struct run *run) {
    double t = clock_now();
    if (run->since == 0) run->since = t;
    return t - run->since <= patience;
}

static void yield_core(void) {
    sched_yield();
}

/* Meeting number n: false when the GPU leaves, or nobody will come. */
static bool meet(struct host_thread *self, unsigned n) {
    struct host_team *h = self->team;
    unsigned gpu = n - 1;
    __atomic_store_n(&h->meeting->cpu[self->number].number, n, __ATOMIC_RELEASE);
    while (((gpu & ~HOST_LEAVE) < n) && !__atomic_load_n(&h->failed, __ATOMIC_RELAXED))
        gpu = __atomic_load_n(&h->meeting->gpu.number, __ATOMIC_ACQUIRE);
    for (int i = 0; i < h->nthreads; i++)
        while (__atomic_load_n(&h->meeting->cpu[i].number, __ATOMIC_ACQUIRE) < n &&
               !__atomic_load_n(&h->failed, __ATOMIC_RELAXED))
            ;
    return !(gpu & HOST_LEAVE) && !__atomic_load_n(&h->failed, __ATOMIC_RELAXED);
}

static void *play(void *arg) {
    struct host_thread *self = arg;
    struct host_team *h = self->team;
    size_t n = (size_t)h->env.instances;
    for (unsigned round = 0; meet(self, round + 1); round++) {
        int set = round & 1;
        self->run.rows = h->rows[set];
        self->run.logs = h->logs[set];
        self->run.faults = h->faults + (size_t)set * n;
        h->unit.play(&self->run);
    }
    return NULL;
}

struct host_team *host_build(const struct test *t, const struct variant *v, struct diag *d) {
    struct host_team *h = memory_new(1, sizeof *h);
    struct compiler compiler;
    struct text text = {0};
    int elements;
    h->t = t;
    h->arena = arena_open();
    h->first = gen_elements(h->arena, t, &elements);
    for (int set = 0; set < 2; set++) {
        h->rows[set] = arena_array(h->arena, (size_t)elements, sizeof *h->rows[set]);
        h->logs[set] = arena_array(h->arena, (size_t)t->nthreads, sizeof *h->logs[set]);
    }
    for (int k = 0; k < t->nthreads; k++) {
        if (!v->placement->seats[k].host) continue;
        h->thread[h->nthreads] = (struct host_thread){.team = h, .number = h->nthreads, .role = k};
        h->nthreads++;
    }
    gen_unit(t, v, DIALECT_C, &text);
    bool ok = compiler_find(h->arena, &compiler, d) && unit_build(&compiler, text.s, t->name, &h->unit, d);
    text_free(&text);
    if (ok) return h;
    host_discard(h);
    return NULL;
}

void host_discard(struct host_team *h) {
    if (!h) return;
    unit_close(&h->unit);
    arena_close(h->arena);
    free(h);
}

static size_t values_bytes(const struct host_team *h, int instances) {
    return 2 * (size_t)instances * (size_t)h->t->nobs * sizeof(int);
}

size_t host_bytes(const struct host_team *h, int instances) {
    return sizeof(struct host_meeting) + values_bytes(h, instances) + 2 * (size_t)instances;
}

void host_lay_out(struct host_team *h, char *memory, char *device, struct environment *e) {
    size_t values = sizeof(struct host_meeting), faults = values + values_bytes(h, e->instances);
    memset(memory, 0, host_bytes(h, e->instances));
    h->meeting = (struct host_meeting *)(void *)memory;
    h->values = (int *)(void *)(memory + values);
    h->faults = (unsigned char *)memory + faults;
    e->meeting = (struct host_meeting *)(void *)device;
    e->host_values = (int *)(void *)(device + values);
    e->host_faults = (unsigned char *)device + faults;
}

/* Rows of the locations in the host's memory; the kernel's layout (place) with one batch a round. */
static void lay_out_rows(struct host_team *h, const struct environment *e, int set, int *locations) {
    int first = 0, elements = 0;
    for (int l = 0; l < h->t->nlocs; l++)
        if (h->t->locs[l].space == SPACE_HOST) elements += h->t->locs[l].count;
    for (int l = 0; l < h->t->nlocs; l++) {
        const struct location *loc = &h->t->locs[l];
        if (loc->space != SPACE_HOST) continue;
        int *base = locations + (size_t)set * (size_t)chunk_words(e, e->instances, elements);
        int *at = base + place(e, 0, e->instances, first, loc->count, elements);
        int *next = base + place(e, 1, e->instances, first, loc->count, elements);
        h->rows[set][h->first[l]] = (struct row){(char *)at, (char *)next - (char *)at};
        first += loc->count;
    }
}

bool host_start(struct host_team *h, const struct environment *e, int *locations, struct diag *d) {
    h->env = *e;
    h->failed = 0;
    h->limit = e->instances;
    for (int set = 0; set < 2; set++) {
        lay_out_rows(h, e, set, locations);
        for (int k = 0; k < h->t->nthreads; k++)
            h->logs[set][k] = h->values + (size_t)set * (size_t)e->instances * (size_t)h->t->nobs;
    }
    for (h->running = 0; h->running < h->nthreads; h->running++) {
        struct host_thread *self = &h->thread[h->running];
        self->run = (struct run){.thread = self->role,
                                 .instances = e->instances,
                                 .step = 1,
                                 .limit = &h->limit,
                                 .patience = 256,
                                 .relax = relax,
                                 .yield = yield_core};
        if (pthread_create(&self->id, NULL, play, self) != 0) {
            diag_fail(d, "%s: cannot start a CPU thread", h->t->name);
            host_finish(h, true);
            return false;
        }
    }
    return true;
}

void host_finish(struct host_team *h, bool failed) {
    if (failed) __atomic_store_n(&h->failed, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < h->running; i++)
        pthread_join(h->thread[i].id, NULL);
    h->running = 0;
}
