/* The CPU threads that play beside a GPU. The test plays the GPU, as kernels/cuda_harness.cuh does: it gives
 * locations their first values, meets the threads after each round and examines what they did. */
#include "cm.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/cpu_abi.h"
#include "../kernels/launch.h"
#include "base/clock.h"
#include "base/cores.h"
#include "cuda/cuda_host.h"
#include "source/read.h"

enum { MAX_ROUNDS = 4, UNTOUCHED = -1 };
static const double patience = 20; /* seconds that the GPU waits at a meeting */

/* An instance has a word for either thread to write, and one that the GPU sets to what it never was. */
enum element { LEFT, RIGHT, X, ELEMENTS };
#define MEMORY(threads) "name: T\nmemory: {G: 0, " threads ", X: {space: host}}\n"
#define THREADS(left, right)                                                                                 \
    "threads:\n  gpu: |\n    G = 1;\n"                                                                       \
    "  left: |\n    int r = X; " left "\n  right: |\n    int r = X; " right "\n"                             \
    "exists: right.r == 1 && left.r == 0\nplacements: [host]\n"
#define BOTH_WRITE(left, right) THREADS(left " = r + 1;", right " = r + 2;")
#define SCALARS                 MEMORY("Y: {space: host}, Z: {space: host}")
#define ARRAY                   MEMORY("Y: {space: host, count: 2}")

/* In place of the library's: enough for the most threads, whatever this machine has. */
int cores_count(void) {
    return 17;
}

struct game;

/* Did the threads do their parts in instance i of the set, after the GPU had set its X to this? */
typedef bool played_fn(const struct game *g, int set, int i, int x);

struct game {
    struct arena *a;
    struct test *t;
    struct host_team *team;
    struct launch_args env;
    int *locations, words; /* of a chunk */
    char *memory;
    bool array;
    int launches;
    played_fn *played;
};

static void game_open(struct game *g, const char *yaml, played_fn *played) {
    struct diag d = {0};
    *g = (struct game){.a = arena_open(), .played = played};
    g->t = test_read_text(g->a, "test.yaml", yaml, strlen(yaml), &d);
    assert_non_null(g->t);
    struct cell cell = {&g->t->placements[0], g->t->accesses[0], &g->t->fences[0]};
    g->team = host_build(g->t, &cell, &d);
    diag_render(&d, stderr, false);
    assert_non_null(g->team);
    g->array = strstr(yaml, "count: 2") != NULL;
}

/* Memory for launches in such an environment. */
static void game_lay_out(struct game *g, int instances, int stride, int pad, int interleave) {
    g->env = (struct launch_args){
        .batch = 1, .instances = instances, .stride = stride, .pad = pad, .interleave = interleave};
    g->words = chunk_words(&g->env, instances, ELEMENTS);
    g->locations = realloc(g->locations, 2 * (size_t)g->words * sizeof *g->locations);
    for (int w = 0; w < 2 * g->words; w++)
        g->locations[w] = UNTOUCHED;
    g->memory = realloc(g->memory, host_bytes(g->team, instances));
    host_lay_out(g->team, g->memory, g->memory, &g->env);
}

static void game_close(struct game *g) {
    host_discard(g->team);
    arena_close(g->a);
    free(g->locations);
    free(g->memory);
}

static int *element(const struct game *g, int set, int i, enum element n) {
    int *chunk = g->locations + set * g->words;
    if (g->array && n != X) return chunk + place(&g->env, i, g->env.instances, LEFT, 2, ELEMENTS) + n;
    return chunk + place(&g->env, i, g->env.instances, (int)n, 1, ELEMENTS);
}

static int fault(const struct game *g, int set, int i) {
    return g->env.host_faults[set * g->env.instances + i];
}

/* Each thread reads X, and writes what it read and its number. */
static bool played_all(const struct game *g, int set, int i, int x) {
    const int *values = g->env.host_values + (set * g->env.instances + i) * g->t->nobs;
    return *element(g, set, i, LEFT) == x + 1 && *element(g, set, i, RIGHT) == x + 2 &&
           *element(g, set, i, X) == x && values[0] == x && values[1] == x && fault(g, set, i) == 0;
}

static bool played_beyond(const struct game *g, int set, int i, int x) {
    return fault(g, set, i) == (x % 3 == 2 ? FAULT_BOUNDS : 0);
}

static bool played_stuck(const struct game *g, int set, int i, int x) {
    (void)x;
    return fault(g, set, i) == FAULT_STUCK;
}

static int first_value(const struct game *g, int round, int i) {
    return (g->launches * (MAX_ROUNDS + 1) + round) * g->env.instances + i + 1;
}

static void init_set(const struct game *g, int round) {
    for (int i = 0; i < g->env.instances; i++) {
        *element(g, round & 1, i, X) = first_value(g, round, i);
        *element(g, round & 1, i, LEFT) = *element(g, round & 1, i, RIGHT) = 0;
    }
}

static bool examine_set(const struct game *g, int round) {
    int untouched = 0;
    for (int i = 0; i < g->env.instances; i++)
        if (!g->played(g, round & 1, i, first_value(g, round, i))) return false;
    for (int w = 0; w < g->words; w++)
        untouched += g->locations[(round & 1) * g->words + w] == UNTOUCHED;
    return untouched == g->words - ELEMENTS * g->env.instances;
}

/* False when the threads do not come. */
static bool gpu_meet(const struct game *g, unsigned number, bool leave) {
    struct host_meeting *m = g->env.meeting;
    double until = clock_now() + patience;
    __atomic_store_n(&m->gpu.number, leave ? number | HOST_LEAVE : number, __ATOMIC_RELEASE);
    while (__atomic_load_n(&m->cpu.number, __ATOMIC_ACQUIRE) < number) {
        if (clock_now() > until) return false;
        sched_yield();
    }
    return true;
}

/* While the threads play one set the GPU examines the other, and gives it new values. */
static bool gpu_play(const struct game *g, int rounds) {
    for (int r = -1;; r++) {
        if (r > 0 && !examine_set(g, r - 1)) return false;
        if (r == rounds) return true;
        init_set(g, r + 1);
        if (!gpu_meet(g, (unsigned)(r + 2), r + 1 == rounds)) return false;
    }
}

static bool launch(struct game *g, int rounds) {
    struct diag d = {0};
    assert_true(host_start(g->team, &g->env, g->locations, &d));
    bool ok = gpu_play(g, rounds);
    host_finish(g->team, !ok);
    g->launches++;
    return ok;
}

/* In every layout, with one crew, two and eight: the same plan again and again. */
static void expect_all_played(const char *yaml, int max_stride) {
    static const int instances[] = {16, 128, 1024}, crew[] = {16, 64, 128};
    struct game g;
    game_open(&g, yaml, played_all);
    for (int size = 0; size < 3; size++)
        for (int layout = 0; layout < 4 * max_stride; layout++) {
            game_lay_out(&g, instances[size], 1 + layout / 4, layout & 1 ? 8 : 0, layout >> 1 & 1);
            assert_int_equal(g.env.crew, crew[size]);
            for (int n = 0; n < 2 * MAX_ROUNDS; n++)
                assert_true(launch(&g, 1 + n % MAX_ROUNDS));
        }
    game_close(&g);
}

static void every_thread_plays_every_instance(void **state) {
    (void)state;
    expect_all_played(SCALARS BOTH_WRITE("Y", "Z"), 2);
}

static void arrays_lie_together(void **state) {
    (void)state;
    expect_all_played(ARRAY BOTH_WRITE("Y[0]", "Y[1]"), 1);
}

/* Many launches of so many instances and rounds. */
static void expect_played(const char *yaml, played_fn *played, int instances, int rounds, int launches) {
    struct game g;
    game_open(&g, yaml, played);
    game_lay_out(&g, instances, 1, 0, 0);
    for (int n = 0; n < launches; n++)
        assert_true(launch(&g, rounds));
    game_close(&g);
}

/* Rounds so short that the GPU is at the last meeting while a thread still looks at the one before. */
static void a_gpu_in_a_hurry_leaves_nobody_behind(void **state) {
    (void)state;
    expect_played(SCALARS BOTH_WRITE("Y", "Z"), played_all, 1, 1, 2000);
}

static void an_index_out_of_bounds_is_told(void **state) {
    (void)state;
    expect_played(ARRAY THREADS("", "Y[r % 3] = 1;"), played_beyond, 1024, 2, 1);
}

/* By every instance, before the GPU has lost its patience: they do not wait one after the other. */
static void a_wait_for_nothing_is_told(void **state) {
    (void)state;
    expect_played(SCALARS THREADS("while (Y == 0) {}", "while (Z == 0) {}"), played_stuck, 128, 1, 1);
}

/* The kernel could not be started, or came to grief after so many meetings: the threads end, and can be started
 * again. */
static void nobody_waits_for_a_launch_that_failed(void **state) {
    struct game g;
    struct diag d = {0};
    (void)state;
    game_open(&g, SCALARS BOTH_WRITE("Y", "Z"), played_all);
    game_lay_out(&g, 1024, 1, 0, 0);
    for (unsigned meetings = 0; meetings < 3; meetings++) {
        assert_true(host_start(g.team, &g.env, g.locations, &d));
        bool came = true;
        for (unsigned n = 1; n <= meetings; n++)
            came = came && gpu_meet(&g, n, false);
        host_finish(g.team, true);
        assert_true(came);
        assert_true(launch(&g, 2));
    }
    game_close(&g);
}

static char cache[] = "/tmp/culitmus-test-XXXXXX";

static int open_cache(void **state) {
    (void)state;
    return mkdtemp(cache) ? setenv("CULITMUS_CACHE", cache, 1) : -1;
}

static int close_cache(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", cache);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_plays_every_instance),
        cmocka_unit_test(arrays_lie_together),
        cmocka_unit_test(a_gpu_in_a_hurry_leaves_nobody_behind),
        cmocka_unit_test(an_index_out_of_bounds_is_told),
        cmocka_unit_test(a_wait_for_nothing_is_told),
        cmocka_unit_test(nobody_waits_for_a_launch_that_failed),
    };
    return cmocka_run_group_tests(tests, open_cache, close_cache);
}
