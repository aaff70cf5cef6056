/* `tune`: searches for each cell's best environments and keeps them in a profile. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/choose.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/session_show.h"
#include "cli/view.h"
#include "run/edges.h"
#include "run/tuning.h"

static const double default_seconds = 20;

/* The cells to tune for: a test, a placement and an access. There is no tuning for fences; run/profile.h says
 * why. */
struct tune_cells {
    const struct test *test;
    struct cell *list;
    int n;
};

struct tuner {
    const struct options *options;
    const struct backend *backend;
    struct device *device;
    uint64_t seed;
    double seconds;        /* for each cell */
    struct profile known;  /* the environments that the search starts from and finds */
    struct profile result; /* what is written: the entries that the file had, and those that were found */
    const char *path;
    struct tune_cells *cells;
    int ntests, done, of;
    int widths[3]; /* of the table's first columns */
    bool broken;   /* some cell could not be built or run; the reason was printed */
};

/* ---- one cell ---- */

static void tell(void *ctx, const struct trial *trial) {
    tuning_tell(ctx, trial);
}

/* Tries one generation of environments. Returns false and leaves an error when it could not be run. */
static bool try_generation(struct tuner *u, const struct test *t, struct kernel *k, struct tuning *search,
                           struct diag *d) {
    struct run_result result = {.hist = {.nobs = t->nobs}};
    struct run_request request = {
        .seed = u->seed + search->generation, .stop = &interrupted, .tried = tell, .ctx = search};
    request.schedule = tuning_next(search, &request.nschedule, &request.seconds_each);
    bool ok = u->backend->run(k, &request, &result, d);
    histogram_free(&result.hist);
    return ok;
}

/* Searches for the best environment of a cell. The first generation is what a run would try first; `before`
 * is the rate of the best of these, measured again. */
static bool search_cell(struct tuner *u, const struct test *t, const struct cell *cell, struct kernel *k,
                        struct tuning *search, double *before, struct diag *d) {
    struct arena *a = arena_open();
    int n;
    const struct environment *start = profile_schedule(&u->known, t, cell, a, &n);
    double begun = clock_now(), spent = 0;
    bool ok = true;
    tuning_init(search, u->backend->ranges, u->seed, start, n);
    while (ok && !interrupted && (search->generation < 2 || spent < u->seconds)) {
        ok = try_generation(u, t, k, search, d);
        const struct arm *best = tuning_best(search);
        double rate = best ? arm_rate(best) : 0;
        if (search->generation <= 2) *before = rate;
        spent = clock_now() - begun;
        progress_text("[%d/%d] %s, placement %s, access %s: best %.3g/s, %.0f of %.0f s", u->done + 1, u->of,
                      t->name, cell->placement->name, access_name(cell->access), rate, spent, u->seconds);
    }
    arena_close(a);
    return ok;
}

/* ---- the table ---- */

static void put_head(const struct tuner *u) {
    printf("%-*s  %-*s  %-*s  %10s  %10s\n", u->widths[0], "test", u->widths[1], "placement", u->widths[2],
           "access", "before", "after");
}

static void put_cell(const struct tuner *u, const struct test *t, const struct cell *cell) {
    printf("%-*s  %-*s  %-*s  ", u->widths[0], t->name, u->widths[1], cell->placement->name, u->widths[2],
           access_name(cell->access));
}

/* Prints such as " threads=512 blocks=2 ...". */
static void put_environment(const struct environment *e) {
    struct text line = {0};
    for (int i = 0; i < e->n; i++)
        text_printf(&line, "%s%s=%lld", i ? " " : "", e->parameter[i].name, e->parameter[i].value);
    view_line("", line.s, 4, 0);
    text_free(&line);
}

static void put_result(const struct tuner *u, const struct test *t, const struct cell *cell, double before,
                       const struct arm *best) {
    progress_clear();
    put_cell(u, t, cell);
    if (best && best->hits > 0) {
        printf("%8.3g/s  %8.3g/s\n", before, arm_rate(best));
        put_environment(&best->environment);
    } else {
        printf("%s\n", best ? "never seen" : "not tried");
    }
    fflush(stdout);
}

/* ---- all cells ---- */

/* Keeps what was found, and writes it at once, because a later cell may end the process. */
static bool keep(struct tuner *u, const struct test *t, const struct cell *cell, const struct arm *best,
                 struct diag *d) {
    if (!best || best->hits == 0) return true;
    struct profile_entry e = {.test = t->name,
                              .placement = cell->placement->name,
                              .access = access_name(cell->access),
                              .rate = arm_rate(best),
                              .environment = best->environment,
                              .edges = edges_of(u->known.arena, t, cell->placement)};
    profile_add(&u->known, &e);
    profile_add(&u->result, &e);
    return profile_update(&u->result, u->path, u->backend, d);
}

/* Returns false when nothing more can be kept. */
static bool tune_cell(struct tuner *u, const struct test *t, const struct cell *cell) {
    struct arena *a = arena_open();
    struct tuning *search = arena_alloc(a, sizeof *search);
    struct diag d = {0};
    struct build built = {.t = t, .cell = cell, .stop = &interrupted, .d = &d};
    bool kept = true;
    double before = 0;
    const char *why = u->backend->cannot(u->device, t, cell, NULL, a);
    if (!why) u->backend->build(u->device, &built, 1);
    if (built.unfit) why = arena_strdup(a, built.unfit);
    free(built.unfit);
    if (why) {
        put_cell(u, t, cell);
        printf("skipped: %s\n", why);
    } else if (built.kernel) {
        u->broken = !search_cell(u, t, cell, built.kernel, search, &before, &d) || u->broken;
        const struct arm *best = tuning_best(search);
        put_result(u, t, cell, before, best);
        kept = keep(u, t, cell, best, &d);
        u->backend->discard(built.kernel);
    } else {
        u->broken = true;
    }
    diag_report(&d, 0);
    arena_close(a);
    return kept;
}

static bool tune_all(struct tuner *u) {
    for (int k = 0; k < u->ntests; k++)
        for (int c = 0; c < u->cells[k].n; c++, u->done++)
            if (interrupted || !tune_cell(u, u->cells[k].test, &u->cells[k].list[c])) return interrupted;
    return true;
}

/* ---- before it begins ---- */

/* Returns the choice with the fewest and narrowest fences. */
static const struct fence_choice *weakest_fence(const struct test *t) {
    const struct fence_choice *best = &t->fences[0];
    int least = INT32_MAX;
    for (int k = 0; k < t->nfences; k++) {
        int sum = 0;
        for (int s = 0; s < t->nslots; s++)
            sum += (int)t->fences[k].slot[s].scope;
        if (sum >= least) continue;
        best = &t->fences[k];
        least = sum;
    }
    return best;
}

static void widen(int *width, const char *text) {
    int len = (int)strlen(text);
    if (len > *width) *width = len;
}

static void plan_cells(struct tuner *u, struct arena *a, const struct suite *suite) {
    u->cells = arena_array(a, (size_t)suite->n, sizeof *u->cells);
    u->ntests = suite->n;
    for (int i = 0; i < 3; i++)
        widen(&u->widths[i], ((const char *[]){"test", "placement", "access"})[i]);
    for (int k = 0; k < suite->n; k++) {
        struct tune_cells *cells = &u->cells[k];
        cells->test = suite->tests[k];
        cells->list = cells_chosen(a, cells->test, &u->options->cells, u->backend, &cells->n);
        cells->n = cells_drop_fences(cells->list, cells->n);
        for (int i = 0; i < cells->n; i++) {
            struct cell *cell = &cells->list[i];
            cell->fence = weakest_fence(cells->test);
            widen(&u->widths[0], cells->test->name);
            widen(&u->widths[1], cell->placement->name);
            widen(&u->widths[2], access_name(cell->access));
        }
        u->of += cells->n;
    }
}

/* Finds where the result is to be written, and reads what is there already. Returns 0, or an exit code;
 * stderr then says why. */
static int open_result(struct tuner *u, struct arena *a) {
    const struct options *o = u->options;
    const char *device = u->device->description;
    struct diag d = {0};
    u->path = o->output ? o->output : o->profile ? o->profile : profile_path(a, device);
    u->result = profile_new(a, device);
    if (!u->path) {
        diag_fail(&d, "neither XDG_CONFIG_HOME nor HOME says where profiles are: name a file with -o");
        return diag_report(&d, EXIT_ENVIRONMENT);
    }
    if (access(u->path, F_OK) == 0 && profile_read(a, u->path, u->backend, device, &u->result, &d) &&
        strcmp(u->result.device, device) != 0)
        diag_fail(&d, "'%s' is the profile of %s; what is found on %s must go to another file (-o)", u->path,
                  u->result.device, device);
    return diag_report(&d, EXIT_INPUT);
}

/* Writes the file unchanged, so that it is known before the search whether it can be written. */
static int begin_result(struct tuner *u) {
    struct diag d = {0};
    profile_update(&u->result, u->path, u->backend, &d);
    return diag_report(&d, EXIT_ENVIRONMENT);
}

static int tune_device(struct tuner *u, struct arena *a, const struct suite *suite) {
    int code = open_result(u, a);
    if (!code) code = choose_profile(u->options, a, u->backend, u->device->description, &u->known);
    if (!code) code = begin_result(u);
    if (code) return code;
    plan_cells(u, a, suite);
    printf("%s, seed %llu, %g s a cell; profile %s\n\n", u->known.device, (unsigned long long)u->seed,
           u->seconds, u->path);
    put_head(u);
    fflush(stdout);
    interrupt_catch();
    bool kept = tune_all(u);
    progress_clear();
    if (interrupted) fprintf(stderr, "culitmus: interrupted; what was found is in '%s'\n", u->path);
    if (interrupted) return EXIT_INTERRUPTED;
    if (suite->nrefused) return EXIT_INPUT;
    return kept && !u->broken ? EXIT_FINE : EXIT_ENVIRONMENT;
}

static int tune_suite(const struct options *o, struct arena *a, const struct suite *suite) {
    struct tuner u = {
        .options = o, .seed = choose_seed(o), .seconds = o->seconds > 0 ? o->seconds : default_seconds};
    u.backend = choose_device(o, "tuning for the CPU", &u.device);
    if (!u.backend) return EXIT_ENVIRONMENT;
    int code = tune_device(&u, a, suite);
    u.backend->close(u.device);
    return code;
}

int command_tune(const struct options *o) {
    return with_suite(o, tune_suite);
}
