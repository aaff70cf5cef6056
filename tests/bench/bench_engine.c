/* Measures the engine on this machine's GPU, or its CPU: for each cell the weak outcomes a second of the best
 * environment, the instances a second of the fastest, and in how many environments the outcome was seen.
 *
 *   bench_engine [-b cuda|cpu] [-t SECONDS] [-s SEED] [-p PLACEMENT] [-f FENCE] [-a ACCESS] [-v] TEST...
 *
 * -v prints every environment: the raw material for finding out what a parameter is worth. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/backend.h"
#include "run/isolated.h"
#include "source/read.h"

struct options {
    const struct backend *backend;
    double seconds;
    uint64_t seed;
    const char *placement, *fence, *access;
    bool verbose;
};

static void print_trial(void *ctx, const struct trial *t) {
    (void)ctx;
    printf("  %10.3g/s %10.3g inst/s %12llu runs ", (double)t->satisfied / t->seconds,
           (double)t->runs / t->seconds, (unsigned long long)t->runs);
    for (int i = 0; i < t->nenvironment; i++)
        printf(" %s=%lld", t->environment[i].name, t->environment[i].value);
    printf("\n");
}

static void bench_cell(struct device *dev, const struct test *t, const struct cell *v,
                       const struct options *o, struct arena *a, struct diag *d) {
    struct build cell = {.t = t, .cell = v, .d = d};
    const char *why = o->backend->cannot(dev, t, v, NULL, a);
    if (!why) o->backend->build(dev, &cell, 1);
    if (!cell.kernel) {
        printf("%-20s %-16s %-9s %-8s %s\n", t->name, v->placement->name, v->fence->name,
               access_name(v->access), why ? why : "does not build");
        return;
    }
    struct run_request req = {
        .seconds = o->seconds, .seed = o->seed, .tried = o->verbose ? print_trial : NULL};
    struct run_result res = {.hist.nobs = t->nobs};
    if (o->backend->run(cell.kernel, &req, &res, d)) {
        uint64_t seen = 0;
        for (size_t i = 0; i < res.hist.n; i++)
            if (expr_is_true(t->cond.prop, &(struct expr_env){.obs = res.hist.outcomes[i].values}))
                seen += res.hist.outcomes[i].count;
        printf(
            "%-20s %-16s %-9s %-8s best %9.3g/s  peak %9.3g/s  in %3d of %3d  %12llu of %14llu stuck %llu\n",
            t->name, v->placement->name, v->fence->name, access_name(v->access), res.best_rate, res.peak,
            res.seen_in, res.environments, (unsigned long long)seen, (unsigned long long)res.runs,
            (unsigned long long)res.stuck);
        fflush(stdout);
    }
    histogram_free(&res.hist);
    o->backend->discard(cell.kernel);
}

static void bench_test(struct device *dev, const char *path, const struct options *o, struct diag *d) {
    struct arena *a = arena_open();
    struct test *t = test_read(a, path, d);
    int n = 0;
    struct cell *cell = t ? test_cells(t, a, &n) : NULL;
    if (t && o->backend->placement) n = t->nfences;
    for (int i = 0; i < n; i++) {
        if (o->backend->placement)
            cell[i].placement = o->backend->placement(t, a);
        else if (o->placement)
            cell[i].placement = placement_parse(t, a, o->placement, (struct pos){0}, d);
        if (!cell[i].placement) break;
        if (o->placement && i >= t->nfences) break; /* one placement: the axis once */
        if (o->fence && strcmp(cell[i].fence->name, o->fence) != 0) continue;
        if (o->access)
            cell[i].access = *o->access == 'w'   ? ACCESS_WEAK
                             : *o->access == 'v' ? ACCESS_VOLATILE
                                                 : ACCESS_RELAXED;
        bench_cell(dev, t, &cell[i], o, a, d);
    }
    diag_render(d, stderr, false);
    diag_free(d);
    *d = (struct diag){0};
    arena_close(a);
}

int main(int argc, char **argv) {
    if (isolated_serve(backend_cuda.driver, argc, argv)) return 0;
    struct options o = {.backend = &backend_cuda, .seconds = 2, .seed = 1};
    for (int c; (c = getopt(argc, argv, "b:t:s:p:f:a:v")) != -1;) {
        switch (c) {
        case 'b': o.backend = strcmp(optarg, "cpu") == 0 ? &backend_cpu : &backend_cuda; break;
        case 't': o.seconds = atof(optarg); break;
        case 's': o.seed = strtoull(optarg, NULL, 10); break;
        case 'p': o.placement = optarg; break;
        case 'f': o.fence = optarg; break;
        case 'a': o.access = optarg; break;
        case 'v': o.verbose = true; break;
        default: return 2;
        }
    }
    struct diag d = {0};
    struct device *dev;
    if (o.backend->open(0, &dev, &d) != OPENING_DONE) {
        diag_render(&d, stderr, false);
        return 4;
    }
    for (int i = optind; i < argc; i++)
        bench_test(dev, argv[i], &o, &d);
    o.backend->close(dev);
    return 0;
}
