/* The halves of a GPU: what a test wants of them, and that they are found and used as it wants. */
#include "base/random.h"
#include "cuda/cuda_halves.h"
#include "fake_cuda.h"
#include "gen/gen.h"
#include "source/read.h"

static struct test *read_shape(struct arena *a, const char *memory, const char *threads) {
    struct diag d = {0};
    const char *text = arena_printf(a,
                                    "name: t\nmemory: {%s}\nthreads:\n%splacements: [device, T0 T1 | T2]\n"
                                    "access: volatile\nexists: X == 9\n",
                                    memory, threads);
    struct test *t = test_read_text(a, "t.yaml", text, strlen(text), &d);
    assert_non_null(t);
    diag_free(&d);
    return t;
}

#define WRC  "  T0: X = 1;\n  T1: int r = X; Y = 1;\n  T2: int s = Y; int u = X;\n"
#define ISA2 "  T0: X = 1; Y = 1;\n  T1: int r = Y; Z = 1;\n  T2: int s = Z; int u = X;\n"

/* "0 2 1, 10": the blocks' offsets, and for each location whether it is in the other half. */
static const char *way(struct arena *a, const struct test *t, int placement, int nth, int blocks) {
    struct halves h;
    const char *text = "";
    assert_true(gen_halves(t, &t->placements[placement], nth, &h));
    for (int b = 0; b < blocks; b++)
        text = arena_printf(a, "%s%d ", text, h.offset[b]);
    for (int l = 0; l < t->nlocs; l++)
        text = arena_printf(a, "%s%u", text, h.other >> l & 1);
    return text;
}

/* Message passing: Y is near to the writer, whose second access it is, and X to the reader. */
static void the_first_access_crosses(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct test *mp = read_shape(a, "X: 0, Y: 0",
                                       "  T0: X = 1; Y = 1;\n  T1: int r = Y; int s = X;\n"
                                       "  T2: int n = X;\n");
    assert_string_equal(way(a, mp, 1, 1, 2), "0 1 10");
    const struct test *wrc = read_shape(a, "X: 0, Y: 0", WRC);
    assert_string_equal(way(a, wrc, 0, 1, 3), "0 1 2 01"); /* T0, which is alone, is near X */
    assert_string_equal(way(a, wrc, 0, 2, 3), "0 2 1 10"); /* or it is not */
    assert_string_equal(way(a, wrc, 1, 1, 2), "0 1 10");
    arena_close(a);
}

/* Of a cycle of three not every edge can have its way. Each way comes once, and after the last one the first again. */
static void every_way_comes_once(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct test *t = read_shape(a, "X: 0, Y: 0, Z: 0", ISA2);
    enum { WAYS = 3 * 8 };
    const char *seen[WAYS];
    for (int n = 0; n < WAYS; n++) {
        seen[n] = way(a, t, 0, n + 1, 3);
        for (int m = 0; m < n; m++)
            assert_string_not_equal(seen[m], seen[n]);
    }
    assert_string_equal(way(a, t, 0, WAYS + 1, 3), seen[0]);
    arena_close(a);
}

/* ---- a made-up GPU ---- */

enum { SMS = 132 };
static bool whole;   /* it has no halves */
static bool failing; /* its driver does */
static size_t allocated;
static int copies, launches;

static unsigned half_of_sm(unsigned sm) {
    return sm * 7 % 16 >= 8;
}

static unsigned half_of_line(unsigned line) {
    return line * 2654435761u >> 21 & 1;
}

static int cycles(unsigned sm, unsigned line) {
    bool far = (sm % 5 < 2) != (line * 40503u >> 11 & 1), across = half_of_sm(sm) != half_of_line(line);
    return (int)(300 + sm % 8 + 31u * far + (whole ? 0u : 9u * across) + (line * 97u + sm * 31u) % 5);
}

static cu_result launch(const struct cu_launch_config *config, cu_function f, void **params, void **extra) {
    (void)f, (void)extra;
    int lines = *(int *)params[1], *rows = *(int **)params[2], *out = *(int **)params[3];
    assert_int_equal(config->grid[0], SMS);
    launches++;
    if (failing) return 719;
    for (unsigned sm = 0; sm < SMS; sm++) {
        const int *r = rows + sm * 6;
        for (int i = r[0]; i < lines; i += r[1]) {
            int line = (i + r[2]) % lines;
            out[r[5] + line] += (cycles(sm, (unsigned)line) - r[4]) * r[3];
        }
    }
    return 0;
}

static cu_result allocate(cu_pointer *p, size_t bytes) {
    allocated++;
    return fake_allocate(p, bytes);
}

static cu_result release(cu_pointer p) {
    allocated--;
    return fake_free(p);
}

static cu_result copy_in(cu_pointer to, const void *from, size_t bytes, cu_stream s) {
    copies++;
    return fake_copy_in(to, from, bytes, s);
}

static cu_result load(cu_module *module, const void *image) {
    assert_non_null(strstr(image, ".entry halves"));
    return failing ? 218 : fake_load(module, image);
}

static cu_result occupancy(int *blocks, cu_function f, int threads, size_t shared) {
    (void)f, (void)shared;
    *blocks = 1024 / threads;
    return 0;
}

static struct cuda_api chip;

static int make_chip(void **state) {
    (void)state;
    chip = fake_cuda;
    chip.cuModuleLoadData = load;
    chip.cuOccupancy = occupancy;
    chip.cuMemAlloc = allocate;
    chip.cuMemFree = release;
    chip.cuMemcpyHtoDAsync = copy_in;
    chip.cuLaunchKernelEx = launch;
    return 0;
}

/* A cell's kernel on that GPU. */
struct sample {
    struct arena *arena;
    struct cuda_device dev;
    struct launch_seat spots[8];
    struct cuda_kernel k;
};

static void set_up(struct sample *s, const char *memory, const char *threads) {
    *s = (struct sample){.arena = arena_open()};
    s->dev = (struct cuda_device){.cu = &chip,
                                  .traits = {.sms = SMS, .cc = 90},
                                  .max_shared = 200 << 10,
                                  .memory = (size_t)139 << 30,
                                  .opened = 1};
    struct test *t = read_shape(s->arena, memory, threads);
    for (int k = 0; k < t->nthreads; k++)
        s->spots[k].block = k;
    s->k = (struct cuda_kernel){.dev = &s->dev,
                                .t = t,
                                .placement = &t->placements[0],
                                .shape = gen_shape(t),
                                .gpus = 1,
                                .blocks = t->nthreads,
                                .warps = 1,
                                .lanes = 1,
                                .spots = s->spots,
                                .limits = {.sms = SMS,
                                           .threads_multiple = 32,
                                           .max_threads = 1024,
                                           .test_blocks = t->nthreads,
                                           .gpus = 1,
                                           .locations = t->nlocs,
                                           .pow2 = true,
                                           .halves = true}};
}

static void tear_down(struct sample *s) {
    halves_forget(&s->dev);
    if (s->dev.gpu[0].global) release(s->dev.gpu[0].global);
    if (s->dev.gpu[0].values) release(s->dev.gpu[0].values);
    arena_close(s->arena);
    assert_int_equal(allocated, 0);
}

static unsigned sm_of_rank(const unsigned *rank, unsigned n) {
    unsigned sm = 0;
    while (rank[sm] != n)
        sm++;
    return sm;
}

/* How many lines of locations are in the half that the test wants, of all. Each lies in its chunk, and none twice. */
static double near_share(const struct sample *s, const struct launch_args *e, const struct halves *h) {
    int elements = s->k.shape.global_elements, n = elements * e->near_lines, right = 0,
        chunk = chunk_words(e, e->instances, elements);
    char *taken = calloc((size_t)chunk / NEAR_WORDS, 1);
    for (int k = 0; k < n; k++) {
        int line = e->lines[k] / NEAR_WORDS, element = k / e->near_lines,
            home = k % e->near_lines * NEAR_WORDS / e->stride / e->per_block;
        assert_int_equal(e->lines[k] % NEAR_WORDS, 0);
        assert_in_range(line, 0, chunk / NEAR_WORDS - 1);
        assert_int_equal(taken[line], 0);
        taken[line] = 1;
        home = (home + e->homes - e->skew * element % e->homes) % e->homes;
        unsigned want = half_of_sm(sm_of_rank(e->rank, (unsigned)home % SMS)) ^ (h->other >> element & 1);
        int fits = 0;
        for (int c = 0; c < 2 * e->batch; c++)
            fits += half_of_line((unsigned)(c * chunk / NEAR_WORDS + line)) == want;
        right += fits == 2 * e->batch;
    }
    free(taken);
    return (double)right / n;
}

static struct environment chosen(int halves, int near) {
    return (struct environment){{{"halves", halves}, {"near", near}, {"stride", 2}}, 3};
}

static void blocks_and_locations_lie_where_they_should(void **state) {
    (void)state;
    struct sample s;
    set_up(&s, "X: 0, Y: 0", WRC);
    for (unsigned n = 0; n < 40; n++) {
        struct environment choice = chosen(2, 1);
        struct cuda_environment set = cuda_environment_choose(7, n, &choice, &s.k.limits);
        struct launch_plan p;
        struct diag d = {0};
        struct halves h;
        assert_true(gen_halves(s.k.t, s.k.placement, 2, &h));
        assert_true(plan_make(&s.k, &set, 1, &p, &d));
        const struct launch_args *e = &p.env[0];
        assert_true(set.halves == 2 && set.near == 1 && e->distance % 2 == 1);
        for (unsigned r = 0; r + 1 < SMS - 4; r++)
            assert_true(half_of_sm(sm_of_rank(e->rank, r)) != half_of_sm(sm_of_rank(e->rank, r + 1)));
        for (int r = 0; r < 3; r++) {
            assert_int_equal(e->offset[r], h.offset[r]);
            assert_int_equal(e->role_at[e->offset[r]], r);
        }
        assert_true(near_share(&s, e, &h) > 0.98);
    }
    tear_down(&s);
}

static struct launch_args plan_with_skew(struct sample *s, int skew) {
    struct environment choice = {{{"halves", 2},
                                  {"near", 1},
                                  {"stride", 2},
                                  {"threads", 32},
                                  {"blocks", 1},
                                  {"batch", 1},
                                  {"skew", skew}},
                                 7};
    struct cuda_environment set = cuda_environment_choose(7, 0, &choice, &s->k.limits);
    struct launch_plan p;
    struct diag d = {0};
    assert_true(plan_make(&s->k, &set, 1, &p, &d));
    assert_true(set.near == 1);
    return p.env[0];
}

/* Cells in the same environment have the same lines, which are measured once. */
static void lines_are_chosen_once(void **state) {
    (void)state;
    enum { MANY = 130 };
    struct sample s;
    set_up(&s, "X: 0, Y: 0", WRC);
    struct launch_args first = plan_with_skew(&s, 1);
    int copies_before = copies, launches_before = launches;
    for (int n = 0; n < 3; n++) {
        struct launch_args again = plan_with_skew(&s, 1);
        assert_true(again.lines == first.lines && again.pad == first.pad &&
                    again.global[0] == first.global[0]);
    }
    assert_int_equal(copies, copies_before);
    struct launch_args shifted = plan_with_skew(&s, 2);
    assert_true(shifted.lines != first.lines && copies == copies_before + 1);
    for (int n = 3; n < MANY; n++)
        plan_with_skew(&s, n);
    assert_true(plan_with_skew(&s, 1).lines == first.lines);
    assert_int_equal(launches, launches_before);
    tear_down(&s);
}

/* Without halves, or where the driver cannot say, an environment is what it was before there were any. */
static void a_chip_that_is_whole(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        struct sample s;
        whole = n == 0;
        failing = n == 1;
        set_up(&s, "X: 0, Y: 0", "  T0: X = 1; Y = 1;\n  T1: int r = Y; int s = X;\n  T2: Y = 2;\n");
        struct environment choice = chosen(1, 1);
        struct cuda_environment set = cuda_environment_choose(7, 0, &choice, &s.k.limits);
        struct launch_plan p;
        struct diag d = {0};
        assert_true(plan_make(&s.k, &set, 1, &p, &d));
        assert_int_equal(d.n, 0);
        assert_true(set.halves == 0 && set.near == 0 && !p.env[0].rank && !p.env[0].lines);
        assert_int_equal(p.env[0].offset[1], 1);
        assert_int_equal(p.env[0].role_at[1], 1);
        tear_down(&s);
    }
    whole = false;
    failing = false;
}

/* Where locations cannot be chosen (more of them than a thread keeps, or too much memory), blocks still can. */
static void locations_that_lie_by_chance(void **state) {
    (void)state;
    struct sample s;
    set_up(&s, "X: 0, Y: 0, Z: 0, V: 0, W: 0", ISA2);
    struct environment choice = chosen(1, 1);
    struct cuda_environment set = cuda_environment_choose(7, 0, &choice, &s.k.limits);
    struct launch_plan p;
    struct diag d = {0};
    assert_true(plan_make(&s.k, &set, 1, &p, &d));
    assert_true(set.halves == 1 && set.near == 0 && p.env[0].rank && !p.env[0].lines);
    tear_down(&s);
}

/* Lines of global memory are far apart, and shared memory is small: it keeps the room that was asked for. */
static void shared_memory_keeps_its_room(void **state) {
    (void)state;
    struct sample s;
    set_up(&s, "X: 0, Y: 0, Z: 0", ISA2);
    s.k.shape.shared_elements = 2;
    struct environment choice = chosen(1, 1);
    struct cuda_environment set = cuda_environment_choose(7, 0, &choice, &s.k.limits);
    struct launch_plan p;
    struct diag d = {0};
    const struct launch_args *e = &p.env[0];
    assert_true(plan_make(&s.k, &set, 1, &p, &d));
    assert_true(set.near == 0 && !e->lines);
    assert_int_equal(p.shared, 2 * e->batch * chunk_words(e, e->per_block, 2) * (int)sizeof(int));
    tear_down(&s);
}

/* An environment has halves only where the cell can have them. */
static void limits_of_halves(void **state) {
    (void)state;
    struct cuda_environment_limits l = {
        .sms = 132, .threads_multiple = 32, .max_threads = 1024, .test_blocks = 2, .locations = 2};
    struct environment choice = chosen(3, 1);
    struct cuda_environment set = cuda_environment_choose(1, 0, &choice, &l);
    assert_true(set.halves == 0 && set.near == 0);
    l.halves = true;
    for (unsigned n = 0; n < 100; n++) {
        set = cuda_environment_choose(1, n, &choice, &l);
        assert_true(set.halves == 3 && set.near == 1 && set.distance % 2 == 1 && set.batch <= 2 &&
                    set.interleave == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_access_crosses),
        cmocka_unit_test(every_way_comes_once),
        cmocka_unit_test(blocks_and_locations_lie_where_they_should),
        cmocka_unit_test(lines_are_chosen_once),
        cmocka_unit_test(a_chip_that_is_whole),
        cmocka_unit_test(locations_that_lie_by_chance),
        cmocka_unit_test(shared_memory_keeps_its_room),
        cmocka_unit_test(limits_of_halves),
    };
    return cmocka_run_group_tests(tests, make_chip, NULL);
}
