/* `diff`: cells whose verdict changed, and cells that only one side has. Rates differ from run to run, so
 * they are shown beside a verdict but make no difference. */
#include <string.h>

#include "base/foreign.h"
#include "cli/cli.h"
#include "report/json.h"
#include "report/terminal.h"

/* The same cell on the same device, else on another device. */
static const struct cell_result *find_cell(const struct test_result *t, const struct cell_result *c) {
    const struct cell_result *elsewhere = NULL;
    for (int k = 0; t && k < t->ncells; k++) {
        const struct cell_result *other = &t->cells[k];
        if (!results_same_cell(other, c)) continue;
        if (results_same(other->device, c->device)) return other;
        if (!elsewhere) elsewhere = other;
    }
    return elsewhere;
}

/* The test of the same name in the same file, else in another file: tables may share a name. */
static const struct test_result *find_test(const struct report *r, const struct test_result *t) {
    const struct test_result *elsewhere = NULL;
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *other = &r->tests[k];
        if (!results_same(other->name, t->name)) continue;
        if (results_same(other->file, t->file)) return other;
        if (!elsewhere) elsewhere = other;
    }
    return elsewhere;
}

static void put_side(char sign, const struct test_result *t, const struct cell_result *c) {
    char rate[24];
    const char *const before[] = {" ", ": ", ", placement ", ", access ", ", fence "};
    const char *const names[] = {t->name, c->backend, c->placement, c->access, c->fence};
    putchar(sign);
    for (int k = 0; k < 5; k++) {
        fputs(before[k], stdout);
        foreign_terminal(names[k], stdout);
    }
    fputs(": ", stdout);
    printf("%s", c->machine == MACHINE_NONE ? terminal_allowed(t, c) : cell_word(c));
    if (c->runs)
        printf(" (%s of %.3g runs)", terminal_rate(cell_rate(c), rate, sizeof rate), (double)c->runs);
    putchar('\n');
}

/* Prints the cells of `a` whose verdict differs in `b`. A cell that `b` does not have gets only its sign, + or -. */
static int compare(const struct report *a, const struct report *b, char sign, bool missing_only) {
    int differences = 0;
    for (int t = 0; t < a->ntests; t++) {
        const struct test_result *mine = &a->tests[t], *theirs = find_test(b, mine);
        for (int k = 0; k < mine->ncells; k++) {
            const struct cell_result *c = &mine->cells[k], *other = find_cell(theirs, c);
            if (other && (missing_only || other->verdict == c->verdict)) continue;
            put_side(sign, mine, c);
            if (other) put_side('+', theirs, other);
            differences++;
        }
    }
    return differences;
}

int command_diff(const struct options *o) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct report *before = report_read(a, o->args[0], &d), *after = report_read(a, o->args[1], &d);
    int code = diag_report(&d, EXIT_INPUT);
    if (!code) {
        int differences = compare(before, after, '-', false) + compare(after, before, '+', true);
        printf("%d difference%s\n", differences, differences == 1 ? "" : "s");
        code = differences ? EXIT_FOUND : EXIT_FINE;
    }
    arena_close(a);
    return code;
}
