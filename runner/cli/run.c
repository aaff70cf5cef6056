/* `run`: on one device, or on several at once, each by a process of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/temporary.h"
#include "cli/choose.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/session_show.h"
#include "cli/view.h"
#include "report/json.h"

/* how many seconds the model may take for a test without --timeout, so that no test delays the run for
 * long */
static const double model_seconds = 5;

static int run_device(struct session *s, const struct options *o, struct arena *a) {
    struct profile profile;
    int code = choose_profile(o, a, s->backend, s->device->description, &profile);
    if (code) return code;
    s->profile = &profile;
    if (profile.n > 0 && !outputs_to_stdout(o)) printf("profile %s\n\n", profile_describe(&profile, a));
    code = session_show(s, o);
    session_close(s);
    return code;
}

static int run_one(const struct options *o, struct arena *a, const struct suite *suite) {
    struct session s = {
        .suite = suite,
        .limits = {.seconds = o->timeout > 0 ? o->timeout : model_seconds, .unroll = (int)o->unroll}};
    /* The device loads a compiler when it is opened. */
    if (o->compilers.n) setenv("CULITMUS_NVRTC", o->compilers.item[0], 1);
    s.backend = choose_device(o, "running on the CPU, and showing what PTX allows of a GPU", &s.device);
    if (!s.backend) return EXIT_ENVIRONMENT;
    s.request = choose_request(o, s.backend);
    s.total = o->total;
    struct shard_split split = shard_begin(a, o->shard);
    if (o->shard.of) s.split = &split;
    int code = choose_compilers(o, a, s.backend, s.device, NULL, &s.compilers, &s.ncompilers);
    if (!code) code = run_device(&s, o, a);
    s.backend->close(s.device);
    return code;
}

/* ---- several devices at once ---- */

/* Several devices run at once, each a shard of the cells, and each leaves a file of results. Cells that need
 * several devices are the last shard, which runs when the devices are free. With a preset each device runs
 * all cells. */
struct at_once {
    const struct options *options;
    struct arena *arena;
    const struct suite *suite;
    const int *device;
    int n;
    struct options sum; /* its arguments are the files of results */
    int code;           /* the first exit code that is not EXIT_FINE */
};

/* What the process of a shard does. It prints nothing on standard output; what all processes would say only
 * the first one says. */
static int run_shard(const struct at_once *c, int shard, char *file, double total) {
    struct options own = *c->options;
    own.devices = (struct device_list){.n = 1, .number = {c->device[shard <= c->n ? shard - 1 : 0]}};
    if (!own.preset) own.shard = (struct shard){.number = shard, .of = c->n + 1, .apart = true};
    own.seed = c->sum.seed;
    own.total = total;
    own.brief = true;
    memset(own.files, 0, sizeof own.files);
    own.files[PRINTER_json] = file;
    if (shard > 1 && shard <= c->n) progress_hide();
    if (!freopen("/dev/null", "w", stdout)) return EXIT_ENVIRONMENT;
    return run_one(&own, c->arena, c->suite);
}

static pid_t start_shard(const struct at_once *c, int shard, double total) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int code = run_shard(c, shard, c->sum.args[shard - 1], total);
        fflush(NULL);
        _exit(code);
    }
    if (child < 0) fprintf(stderr, "culitmus: cannot start a process: %s\n", strerror(errno));
    return child;
}

/* Waits for the first of n processes to end. A signal that came to this process alone is passed on to all. */
static int await_shard(const pid_t *child, int n) {
    int status;
    if (*child < 0) return EXIT_ENVIRONMENT;
    while (waitpid(*child, &status, 0) < 0 && errno == EINTR)
        for (int k = 0; k < n && interrupted; k++)
            if (child[k] > 0) kill(child[k], SIGTERM);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_ENVIRONMENT;
}

/* Runs n shards at once. */
static void run_shards(struct at_once *c, int first, int n, double total) {
    pid_t *child = arena_array(c->arena, (size_t)n, sizeof *child);
    for (int k = 0; k < n; k++)
        child[k] = start_shard(c, first + k, total);
    for (int k = 0; k < n; k++) {
        int code = await_shard(child + k, n - k);
        if (!c->code) c->code = code;
    }
}

/* Says for each device how it is, by the files that exist. */
static void show_health(const struct at_once *c, char *const *files) {
    for (int k = 0; k < c->n && c->options->preset; k++) {
        struct diag quiet = {0};
        const struct report *r = access(files[k], R_OK) == 0 ? report_read(c->arena, files[k], &quiet) : NULL;
        if (r) view_health(r, c->device[k], outputs_to_stdout(c->options) ? stderr : stdout);
        diag_free(&quiet);
    }
}

/* Drops the files of processes that have left none. */
static void find_results(struct at_once *c) {
    int n = 0;
    for (int k = 0; k <= c->n; k++)
        if (access(c->sum.args[k], R_OK) == 0) c->sum.args[n++] = c->sum.args[k];
    c->sum.nargs = n;
}

static int run_several(const struct options *o, struct arena *a, const struct suite *suite, const int *device,
                       int n) {
    struct temporary folder;
    double begin = clock_now();
    if (!temporary_folder(&folder)) {
        fprintf(stderr, "culitmus: cannot make a temporary folder: %s\n", strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    struct at_once c = {.options = o, .arena = a, .suite = suite, .device = device, .n = n, .sum = *o};
    c.sum.seed = (long long)choose_seed(o);
    c.sum.args = arena_array(a, (size_t)n + 1, sizeof *c.sum.args);
    for (int k = 0; k <= n; k++)
        c.sum.args[k] = arena_printf(a, "%s/%d.json", folder.path, k + 1);
    interrupt_catch();
    run_shards(&c, 1, n, o->total);
    double left = o->total - (clock_now() - begin);
    if (!interrupted && !o->preset) run_shards(&c, n + 1, 1, o->total > 0 ? (left > 1 ? left : 1) : 0);
    char **files = arena_grow(a, c.sum.args, (size_t)n, (size_t)n, sizeof *files);
    find_results(&c);
    int code = c.sum.nargs ? merge_show(&c.sum, SUM_OF_DEVICES) : c.code;
    show_health(&c, files);
    temporary_remove(&folder);
    return interrupted ? EXIT_INTERRUPTED : code ? code : c.code;
}

static int run_suite(const struct options *o, struct arena *a, const struct suite *suite) {
    const struct device_list *named = &o->devices;
    if (!named->all && named->n <= 1) return run_one(o, a, suite);
    const char *why;
    int there = choose_named(o)->count(a, &why), n = named->all ? there : named->n;
    int *device = arena_array(a, (size_t)n + 1, sizeof *device);
    for (int k = 0; k < n; k++) {
        device[k] = named->all ? k : named->number[k];
        if (device[k] < there) continue;
        fprintf(stderr, "culitmus: error: there is no device %d; 'culitmus devices' lists them\n", device[k]);
        return EXIT_ENVIRONMENT;
    }
    /* If there is no device, opening it will say so. */
    return n > 1 ? run_several(o, a, suite, device, n) : run_one(o, a, suite);
}

/* Tests with little code whose forbidden outcomes show often if a fence is missing, for each kind of fence
 * and for locks: they show on an H200 within a quarter of a second a cell. */
static const char health_tests[] =
    "^(MP|SB|LB|R|S|2\\+2W|WRC|ISA2|IRIW\\+rlx\\.device|block-counter-lock|dekker-entry|ticket-lock)$";
static const double health_seconds = 60;

/* Options that are given override it. A missing GPU is not healthy, so no CPU takes its place. */
static struct options with_preset(const struct options *given) {
    struct options o = *given;
    if (!o.preset) return o;
    if (!o.backend) o.backend = backends[0]->name;
    if (o.nargs == 0 && !o.filter) o.filter = health_tests;
    if (!(o.total > 0) && !(o.seconds > 0)) o.total = health_seconds;
    o.brief = true;
    return o;
}

int command_run(const struct options *given) {
    const struct options with = with_preset(given), *o = &with;
    if (o->total > 0 && o->seconds > 0)
        return usage_error(o->command,
                           "option '--seconds' is for a cell, and '--total' for all: one of them");
    if (o->shard.of && (o->devices.all || o->devices.n > 1))
        return usage_error(o->command, "option '--shard' is for one device: of several, each takes a shard");
    if (o->no_profile && o->profile)
        return usage_error(o->command, "option '--profile' is not for '--no-profile'");
    return with_suite(o, run_suite);
}
