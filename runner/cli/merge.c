/* `merge` and `report`: read results from files, add them up, and show them or write them in other
 * formats. */
#include <string.h>

#include "base/foreign.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "report/json.h"
#include "results/fleet.h"
#include "results/spread.h"

/* ---- `merge --by`: where the results of one GPU, driver, ptxas or host differ from those of the others
 * ---- */

/* What results can be grouped by, with the property of the machine that decides. */
static const struct {
    const char *name, *property;
} keys[] = {{"gpu", "gpu_uuid"}, {"driver", "driver"}, {"ptxas", "nvrtc"}, {"host", "host"}};
enum { KEYS = sizeof keys / sizeof *keys };

int merge_keys(const char *names[], int most) {
    int n = 0;
    for (; n < KEYS && n < most; n++)
        names[n] = keys[n].name;
    return n;
}

struct grouping {
    const struct report *report;
    const char *by;
};

static const char *find_property(const struct report *r, const char *name) {
    for (int k = 0; k < r->nmachine; k++)
        if (strcmp(r->machine[k].name, name) == 0) return r->machine[k].value;
    return "unknown";
}

/* A cell that names its compiler has the ptxas of that compiler's build. */
static const char *group_of(const void *ctx, const struct cell_result *c) {
    const struct grouping *g = ctx;
    int k = 0;
    while (strcmp(keys[k].name, g->by) != 0)
        k++;
    if (c->compiler && strcmp(g->by, "ptxas") == 0) return c->compiler;
    return find_property(g->report, keys[k].property);
}

static struct spread *begin_groups(struct arena *a, const char *by) {
    return spread_begin(a, strcmp(by, "ptxas") == 0);
}

static void add_to_group(struct spread *s, const struct report *r, const char *by) {
    const struct grouping g = {r, by};
    for (int k = 0; k < r->ntests; k++)
        spread_add(s, results_test(r, k), group_of, &g);
}

static void put_names(const struct spread_difference *d, FILE *out) {
    const char *const before[] = {"  ", ": ", ": ", ", placement ", ", access ", ", fence "};
    const char *const names[] = {d->group, d->test, d->backend, d->placement, d->access, d->fence};
    for (int k = 0; k < 6; k++) {
        fputs(before[k], out);
        foreign_terminal(names[k], out);
    }
    if (*d->compiler) fputs(", ", out);
    foreign_terminal(d->compiler, out);
}

static void put_difference(const struct spread_difference *d, FILE *out) {
    put_names(d, out);
    fprintf(out, ": in %.6g%% of the %s, where the others have %.6g%% (chance %.1e)\n", 100 * d->here,
            d->by_environments ? "environments" : "runs", 100 * d->others, d->chance);
}

static bool put_groups(const struct spread *s, const char *by, FILE *out) {
    const struct spread_found f = spread_find(s);
    fprintf(out, "by %s: %d of them, %d cell%s compared, %d difference%s that chance does not explain\n", by,
            f.groups, f.cells, f.cells == 1 ? "" : "s", f.n, f.n == 1 ? "" : "s");
    for (int k = 0; k < f.n; k++)
        put_difference(&f.list[k], out);
    return f.n > 0;
}

/* ---- `merge` and `report` ---- */

/* Whether a result was given before, under another name, by a link, or as a copy. */
static const char *find_again(struct report *const *reports, int n, const struct report *r) {
    for (int k = 0; k < n; k++) {
        const struct source *x = reports[k]->source, *y = r->source;
        if (results_ran(r) && x->len == y->len && memcmp(x->text, y->text, x->len) == 0) return x->path;
    }
    return NULL;
}

/* Reads a file and adds it to the sum. Returns how many errors kept it from being read. */
static size_t add_report(struct arena *a, const char *path, struct report **reports, int *n, struct diag *d,
                         struct spread *spread, const char *by) {
    size_t errors = d->errors;
    struct report *r = report_read(a, path, d);
    size_t messages = d->n;
    const char *again = r ? find_again(reports, *n, r) : NULL;
    if (!r) return d->errors - errors;
    if (spread) add_to_group(spread, r, by);
    if (again)
        diag_fail(d, "this is the result of '%s' again: its runs would count twice", again);
    else if (*n > 0)
        results_merge(a, reports[0], r, d);
    diag_place(d, messages, r->source, (struct pos){0});
    reports[(*n)++] = r;
    return 0;
}

/* Whether JSON output may overwrite the results that it is made from. It must contain everything that they
 * have: so it is no certificate, and none of them is left out. */
static int spare_results(const struct options *o, bool all) {
    struct options others = *o;
    int code = EXIT_FINE;
    if (all && !o->certificate) others.files[PRINTER_json] = NULL;
    for (int k = 0; k < o->nargs && !code; k++)
        code = outputs_spare(&others, o->args[k]);
    return code;
}

struct report *merge_read(struct arena *a, const struct options *o, struct spread *spread, struct diag *d,
                          size_t *unread) {
    struct report **reports = arena_array(a, (size_t)o->nargs, sizeof *reports);
    int n = 0;
    *unread = 0;
    for (int k = 0; k < o->nargs; k++)
        *unread += add_report(a, o->args[k], reports, &n, d, spread, o->by);
    return n ? reports[0] : NULL;
}

/* Reads the results to be shown. A file that cannot be read is reported and left out of the sum. Results that
 * cannot be added give no sum. `code` is the exit code so far. */
static struct report *read_sum(struct arena *a, const struct options *o, struct spread *spread, int *code) {
    struct diag d = {0};
    size_t unread;
    struct report *sum = merge_read(a, o, spread, &d, &unread);
    if (d.errors > unread) sum = NULL;
    *code = diag_report(&d, EXIT_INPUT);
    if (!sum || !unread) return sum;
    fputs("culitmus: the sum lacks what could not be read\n", stderr);
    int spared = spare_results(o, false);
    if (!spared) return sum;
    *code = spared;
    return NULL;
}

/* Names what the sum lacks on standard error, up to a limit. */
struct gaps {
    int told;
};
enum { MOST_GAPS = 100 };

static void put_gap(void *ctx, const struct test_result *t, const struct cell_result *c) {
    struct gaps *g = ctx;
    const char *const before[] = {"  ", ": ", ", placement ", ", access ", ", fence ", ": "};
    const char *const names[] = {t->name, c->backend, c->placement, c->access, c->fence, c->skipped};
    if (g->told++ >= MOST_GAPS) return;
    for (int k = 0; k < 6; k++) {
        fputs(before[k], stderr);
        foreign_terminal(names[k], stderr);
    }
    fputc('\n', stderr);
}

/* Whether cells are missing that were to run. */
static bool tell_gaps(struct arena *a, const struct report *sum) {
    const char *missing = shards_missing(a, &sum->shards);
    struct gaps gaps = {0};
    fflush(stdout);
    if (missing) fprintf(stderr, "culitmus: of %d shards these are missing: %s\n", sum->shards.of, missing);
    int n = fleet_gaps(sum, put_gap, &gaps);
    if (n > MOST_GAPS) fprintf(stderr, "  and %d more\n", n - MOST_GAPS);
    if (n > 0) fprintf(stderr, "culitmus: %d cell%s did not run\n", n, n == 1 ? "" : "s");
    return missing || n > 0;
}

int merge_show(const struct options *o, enum sum_of of) {
    struct arena *a = arena_open_large();
    struct spread *spread = o->by ? begin_groups(a, o->by) : NULL;
    int code = spare_results(o, true), unread = EXIT_FINE;
    struct report *sum = code ? NULL : read_sum(a, o, spread, &unread);
    if (!sum) {
        code = code ? code : unread;
        goto out;
    }
    if (of == SUM_OF_DEVICES ? !outputs_to_stdout(o) : !outputs_wanted(o)) view_report(sum, o->brief);
    code = outputs_check(o);
    if (!code && !outputs_write(o, sum)) code = EXIT_ENVIRONMENT;
    bool differ = !code && spread && put_groups(spread, o->by, outputs_to_stdout(o) ? stderr : stdout);
    bool gaps = !code && of != SUM_OF_RESULTS && tell_gaps(a, sum);
    if (!code && sum->nrefused) code = EXIT_INPUT;
    if (!code) code = unread;
    if (!code && (results_failed(sum) || differ)) code = EXIT_FOUND;
    if (!code && gaps) code = EXIT_ENVIRONMENT;
out:
    if (spread) spread_end(spread);
    arena_close(a);
    return code;
}

int command_merge(const struct options *o) {
    return merge_show(o, SUM_OF_SHARDS);
}

int command_report(const struct options *o) {
    int code = o->certificate ? outputs_check(o) : EXIT_FINE;
    return code ? code : merge_show(o, SUM_OF_RESULTS);
}
