#include "cuda/cuda_host.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/launch.h"
#include "base/clock.h"
#include "base/cores.h"
#include "base/memory.h"
#include "cpu/cpu_compile.h"
#include "gen/gen.h"

static const double patience = 0.25; /* how many seconds a wait of the test may last */

enum {
    MAX_CREWS = 8,
    MAX_RUNNING = 16,
    LEAST_CREW = 64,       /* instances */
    TURNS_A_YIELD = 16384, /* turns of waiting at a meeting before a yield: about as long as a round takes */
};

/* Threads, one for each role, that play a share of the instances, one after the other. */
struct crew {
    struct row *rows[2]; /* of each set */
    int **logs[2];
    long limit;
};

struct host_thread {
    struct cpu_player run; /* the first field, because relax() casts a player to it */
    struct host_team *team;
    int crew;
    pthread_t id;
};

struct host_team {
    const struct test *t;
    struct arena *arena;
    struct cpu_unit unit;
    int *first; /* of each location: its first element as the generated C numbers them */
    struct crew crew[MAX_CREWS];
    struct host_thread thread[MAX_RUNNING];
    int role[MAX_HOST_THREADS];
    int nroles, ncrews, running;
    unsigned arrived; /* how often threads have arrived at meetings, all together */
    struct launch_args env;
    struct host_meeting *meeting;
    int *values;
    unsigned char *faults;
    int failed; /* the launch failed: nobody will come */
    int stuck;  /* a wait lasted too long: no later wait is given that long */
};

/* Called by waits. A round has thousands of instances, so when the first wait has lasted too long, all later
 * ones end at once. */
static int relax(struct cpu_player *run) {
    struct host_team *h = ((struct host_thread *)run)->team;
    double t = clock_now();
    if (run->since == 0) run->since = t;
    if (t - run->since > patience) __atomic_store_n(&h->stuck, 1, __ATOMIC_RELAXED);
    return !__atomic_load_n(&h->stuck, __ATOMIC_RELAXED) && !__atomic_load_n(&h->failed, __ATOMIC_RELAXED);
}

static void yield_core(void) {
    sched_yield();
}

static bool has_come(const unsigned *number, unsigned n) {
    return (__atomic_load_n(number, __ATOMIC_ACQUIRE) & ~HOST_LEAVE) >= n;
}

/* Waits for the GPU at meeting number n. Returns false when the GPU leaves there, or when nobody will come. A
 * slow thread may find that the GPU is at the next meeting already; that it leaves there says nothing about
 * this one. */
static bool meet(struct host_team *h, unsigned n) {
    const unsigned all = (unsigned)(h->nroles * h->ncrews);
    if (__atomic_add_fetch(&h->arrived, 1, __ATOMIC_ACQ_REL) == n * all)
        __atomic_store_n(&h->meeting->cpu.number, n, __ATOMIC_RELEASE);
    for (unsigned turns = 1; !has_come(&h->meeting->gpu.number, n) || !has_come(&h->meeting->cpu.number, n);
         turns++) {
        if (__atomic_load_n(&h->failed, __ATOMIC_RELAXED)) return false;
        if (turns % TURNS_A_YIELD == 0) yield_core();
    }
    return __atomic_load_n(&h->meeting->gpu.number, __ATOMIC_RELAXED) != (n | HOST_LEAVE);
}

static void *play(void *arg) {
    struct host_thread *self = arg;
    struct host_team *h = self->team;
    const struct crew *crew = &h->crew[self->crew];
    for (unsigned round = 0; meet(h, round + 1); round++) {
        int set = round & 1;
        self->run.rows = crew->rows[set];
        self->run.logs = crew->logs[set];
        self->run.faults = h->faults + set * h->env.instances + self->crew * h->env.crew;
        h->unit.play(&self->run);
    }
    return NULL;
}

struct host_team *host_build(const struct test *t, const struct cell *cell, struct diag *d) {
    struct host_team *h = memory_new(1, sizeof *h);
    struct compiler compiler;
    struct text text = {0};
    int elements;
    h->t = t;
    h->arena = arena_open();
    h->first = gen_elements(h->arena, t, &elements);
    for (int i = 0; i < 2 * MAX_CREWS; i++) {
        struct crew *crew = &h->crew[i / 2];
        crew->rows[i % 2] = arena_array(h->arena, (size_t)elements, sizeof *crew->rows[0]);
        crew->logs[i % 2] = arena_array(h->arena, (size_t)t->nthreads, sizeof *crew->logs[0]);
    }
    for (int k = 0; k < t->nthreads; k++)
        if (cell->placement->seats[k].host) h->role[h->nroles++] = k;
    gen_unit(t, cell, DIALECT_C, &text);
    bool ok =
        compiler_find(h->arena, &compiler, d) && unit_build(&compiler, text.s, t->name, NULL, &h->unit, d);
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
    return 2 * (size_t)instances * (size_t)observed_words(h->t) * sizeof(int);
}

size_t host_bytes(const struct host_team *h, int instances) {
    return sizeof(struct host_meeting) + values_bytes(h, instances) + 2 * (size_t)instances;
}

/* Returns how many crews have cores of their own, with one core left to drive the GPU. */
static int count_crews(const struct host_team *h, int instances) {
    int crews = 1, threads = cores_count() - 1;
    if (threads > MAX_RUNNING) threads = MAX_RUNNING;
    while (2 * crews <= MAX_CREWS && 2 * crews * h->nroles <= threads && instances >= 2 * crews * LEAST_CREW)
        crews *= 2;
    return crews;
}

void host_lay_out(struct host_team *h, char *memory, char *device, struct launch_args *e) {
    size_t values = sizeof(struct host_meeting), faults = values + values_bytes(h, e->instances);
    memset(memory, 0, host_bytes(h, e->instances));
    h->meeting = (struct host_meeting *)(void *)memory;
    h->values = (int *)(void *)(memory + values);
    h->faults = (unsigned char *)memory + faults;
    h->ncrews = count_crews(h, e->instances);
    e->meeting = (struct host_meeting *)(void *)device;
    e->host_values = (int *)(void *)(device + values);
    e->host_faults = (unsigned char *)device + faults;
    e->crew = e->instances / h->ncrews;
}

/* Fills in where a crew's locations lie in the host's memory: as place() of the kernel has it, with one batch
 * a round. */
static void lay_out_rows(struct host_team *h, int crew, int set, int *locations) {
    const struct launch_args *e = &h->env;
    int first = 0, elements = 0, i = crew * e->crew;
    for (int l = 0; l < h->t->nlocs; l++)
        if (space_rows[h->t->locs[l].space].of_host && !h->t->locs[l].view)
            elements += gen_places(&h->t->locs[l]);
    for (int l = 0; l < h->t->nlocs; l++) {
        const struct location *loc = &h->t->locs[l];
        if (!space_rows[loc->space].of_host || loc->view) continue;
        int *base = locations + (size_t)set * (size_t)chunk_words(e, e->instances, elements);
        int *at = base + place(e, i, e->instances, first, gen_places(loc), elements);
        int *next = base + place(e, i + 1, e->instances, first, gen_places(loc), elements);
        h->crew[crew].rows[set][h->first[l]] = (struct row){(char *)at, (char *)next - (char *)at};
        first += gen_places(loc);
    }
}

static void lay_out_crew(struct host_team *h, int crew, int *locations) {
    h->crew[crew].limit = h->env.crew;
    for (int set = 0; set < 2; set++) {
        size_t instance = (size_t)set * (size_t)h->env.instances + (size_t)crew * (size_t)h->env.crew;
        lay_out_rows(h, crew, set, locations);
        for (int k = 0; k < h->t->nthreads; k++)
            h->crew[crew].logs[set][k] = h->values + instance * (size_t)observed_words(h->t);
    }
}

bool host_start(struct host_team *h, const struct launch_args *e, int *locations, struct diag *d) {
    h->env = *e;
    h->failed = h->stuck = 0;
    h->arrived = 0;
    *h->meeting = (struct host_meeting){0};
    memset(h->faults, 0, 2 * (size_t)e->instances);
    for (int c = 0; c < h->ncrews; c++)
        lay_out_crew(h, c, locations);
    for (h->running = 0; h->running < h->nroles * h->ncrews; h->running++) {
        struct host_thread *self = &h->thread[h->running];
        *self = (struct host_thread){.team = h, .crew = h->running / h->nroles};
        self->run = (struct cpu_player){.thread = h->role[h->running % h->nroles],
                                        .instances = e->crew,
                                        .step = 1,
                                        .limit = &h->crew[self->crew].limit,
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
