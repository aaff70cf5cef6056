/* The measuring of what fences cost, on an emulated GPU.
 *
 *   emulate_costs FOLDER
 *
 * g++ compiles what the tool generates, and the CUDA backend's own code runs it through an emulated driver (driver.h).
 * This is checked: each thread has written its lines in each round; the clock of a thread that is alone says exactly how
 * many steps a fence took; and what is said of a device that cannot do it.
 *
 * Exits with 77 where there is no g++. FOLDER is for what is compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_kernel.h"
#include "driver.h"
#include "library.h"

enum { SKIPPED = 77, TIMES = 3, ROUNDS = 8 + TIMES, CLOCKS_A_STEP = 512, UNWRITTEN = 0x5a5a5a5a };

static struct {
    struct arena *arena;
    struct diag d;
    const char *folder;
    struct cuda_device dev;
    atomic_int stop;
} c;

/* The kernel of a cell calls this. */
void played(int thread, const int *first);
void played(int thread, const int *first) {
    (void)thread, (void)first;
}

static void ignore_launch(const struct launch_args *const *env, int n) {
    (void)env, (void)n;
}

static bool open_device(int cc) {
    gpu_close_all(&c.dev);
    c.dev = (struct cuda_device){.cu = &driver, .traits = {.present = 1, .sms = DRIVER_SMS, .cc = cc}};
    return gpu_open_peers(&c.dev, 1, &c.d);
}

/* Each thread wrote the first word of its lines in the last round, and nobody the next one. */
static void check_lines(int threads, int writes) {
    const int *line = (const int *)(uintptr_t)c.dev.gpu[0].global;
    int wrong = 0;
    for (int k = 0; k < threads * writes; k++, line += 32)
        wrong += line[0] != ROUNDS - 1 || line[1] != UNWRITTEN;
    if (wrong) diag_fail(&c.d, "%d of %d lines are not as they were written", wrong, threads * writes);
}

static const char *build(struct fence fence) {
    struct text unit = {0};
    const char *path = arena_printf(c.arena, "%s/%s.so", c.folder, gen_fence_cost_name(c.arena, fence));
    gen_fence_costs(&fence, fence.there, DIALECT_EMULATED, &unit);
    bool built = library_build(c.arena, unit.s, path, &c.d);
    text_free(&unit);
    return built ? path : NULL;
}

static const struct fence_cost costs[] = {
    {{0}, CROWD_THREAD, 0, -1},
    {{0}, CROWD_DEVICE, 1, -1},
    {{true, FENCE_THREAD, ORDER_SC, SCOPE_SYS}, CROWD_THREAD, 16, -1},
    {{true, FENCE_THREAD, ORDER_ACQ_REL, SCOPE_CTA}, CROWD_WARP, 4, -1},
    {{true, FENCE_THREAD, ORDER_ACQ_REL, SCOPE_CTA}, CROWD_BLOCK, 1, -1},
    {{true, FENCE_THREAD, ORDER_SC, SCOPE_CLUSTER}, CROWD_DEVICE, 2, -1},
};

/* To read the clock is a step, and a fence is one. */
static void check_cost(const struct fence_cost *cost) {
    static const int threads[] = {1, 32, FENCE_COST_THREADS, DRIVER_SMS * FENCE_COST_THREADS};
    struct fence_cost found = *cost;
    long long due = !cost->fence.there ? CLOCKS_A_STEP : 2 * CLOCKS_A_STEP;
    const char *library = build(cost->fence);
    if (!library || !open_device(90) || !cuda_fence_costs(&c.dev, library, TIMES, &found, 1, &c.stop, &c.d))
        return;
    check_lines(threads[cost->crowd], cost->writes);
    if (cost->crowd == CROWD_THREAD ? found.cycles != due : found.cycles < due)
        diag_fail(&c.d, "%lld cycles where %lld are due", found.cycles, due);
}

/* A fence that the device does not have, a wish to stop, and a kernel that cannot be launched. */
static void check_no_cost(int cc, bool stopped, const char *error) {
    struct fence_cost cost = {{true, FENCE_THREAD, ORDER_SC, SCOPE_CLUSTER}, CROWD_THREAD, 0, -1};
    struct diag d = {0};
    atomic_store(&c.stop, stopped);
    bool fine = open_device(cc) && cuda_fence_costs(&c.dev, "/no/library", TIMES, &cost, 1, &c.stop, &d);
    if (cost.cycles != -1) diag_fail(&c.d, "%d, stopped %d: %lld cycles", cc, stopped, cost.cycles);
    if (fine == (error != NULL) || (error && !strstr(diag_first_error(&d), error)))
        diag_fail(&c.d, "%d, stopped %d: not as expected", cc, stopped);
    atomic_store(&c.stop, 0);
    diag_free(&d);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    if (!library_can_build()) return SKIPPED;
    c.arena = arena_open();
    c.folder = argv[1];
    driver_launched = ignore_launch;
    for (size_t k = 0; k < sizeof costs / sizeof *costs; k++)
        check_cost(&costs[k]);
    check_no_cost(80, false, NULL);
    check_no_cost(90, true, NULL);
    check_no_cost(90, false, "cuLaunchKernelEx(&config, f, params, NULL)");
    bool failed = c.d.errors > 0;
    diag_render(&c.d, stdout, false);
    printf("%zu costs\n", sizeof costs / sizeof *costs);
    gpu_close_all(&c.dev);
    diag_free(&c.d);
    arena_close(c.arena);
    return failed;
}
