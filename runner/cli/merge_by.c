/* `merge --by`: where the results of one GPU, driver, ptxas or host differ from those of the others. */
#include <string.h>

#include "base/foreign.h"
#include "cli/merge_by.h"

/* What results may be grouped by, and the property of the machine that says it. */
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

/* A cell that names its compiler has the ptxas of that build. */
static const char *group_of(const void *ctx, const struct cell_result *c) {
    const struct grouping *g = ctx;
    int k = 0;
    while (strcmp(keys[k].name, g->by) != 0)
        k++;
    if (c->compiler && strcmp(g->by, "ptxas") == 0) return c->compiler;
    return find_property(g->report, keys[k].property);
}

struct spread *merge_by_begin(struct arena *a, const char *by) {
    return spread_begin(a, strcmp(by, "ptxas") == 0);
}

void merge_by_add(struct spread *s, const struct report *r, const char *by) {
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

bool merge_by_put(const struct spread *s, const char *by, FILE *out) {
    const struct spread_found f = spread_find(s);
    fprintf(out, "by %s: %d of them, %d cell%s compared, %d difference%s that chance does not explain\n", by,
            f.groups, f.cells, f.cells == 1 ? "" : "s", f.n, f.n == 1 ? "" : "s");
    for (int k = 0; k < f.n; k++)
        put_difference(&f.list[k], out);
    return f.n > 0;
}
