#include "cli/view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/foreign.h"
#include "cli/cli.h"
#include "report/terminal_parts.h"
#include "results/certificate.h"

int view_width(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
    return size.ws_col < 20 ? 20 : size.ws_col > 120 ? 120 : size.ws_col;
}

static struct terminal here(void) {
    return (struct terminal){.out = stdout,
                             .color = use_color(stdout),
                             .width = view_width(),
                             .whole_lines = !isatty(STDOUT_FILENO)};
}

void view_test(const struct test_result *r, bool outcomes) {
    struct terminal t = here();
    terminal_test(&t, r, outcomes);
    fflush(stdout);
}

void view_summary(const struct report *r) {
    struct terminal t = here();
    terminal_summary(&t, r);
}

void view_brief(const struct report *r) {
    struct terminal t = here();
    terminal_brief(&t, r);
}

static void put_health(const struct certificate_subject *s, FILE *out) {
    if (s->violations)
        fprintf(out, "FORBIDDEN OUTCOMES in %d of %d cells that forbid one", s->violations, s->forbidden);
    else
        fprintf(out, "no forbidden outcome in %d cell%s that forbid%s one", s->forbidden,
                s->forbidden == 1 ? "" : "s", s->forbidden == 1 ? "s" : "");
    fprintf(out, ", %.3g runs; would have caught %d of %d missing fence%s\n", (double)s->forbidden_runs,
            s->seen, s->mutants, s->mutants == 1 ? "" : "s");
}

void view_health(const struct report *r, int device, FILE *out) {
    struct arena *a = arena_open();
    const struct certificate c = certificate_of(a, r);
    for (int k = 0; k < c.nsubjects; k++) {
        if (device >= 0) fprintf(out, "device %d, ", device);
        foreign_terminal(cell_ran_on(a, c.subjects[k].first), out);
        fputs(": ", out);
        put_health(&c.subjects[k], out);
    }
    if (c.nsubjects == 0 && device >= 0) fprintf(out, "device %d: ", device);
    if (c.nsubjects == 0) fputs("no run has ended, so nothing is known of the machine's health\n", out);
    arena_close(a);
}

void view_line(const char *word, const char *text, int indent, int hang) {
    struct terminal t = here();
    terminal_line(&t, PAINT_NONE, word, text, indent, hang);
}

void view_legend(const char *word, const char *meaning) {
    char line[32];
    snprintf(line, sizeof line, "  %-12s", word);
    view_line(line, meaning, 0, 15);
}

void view_note(const char *text) {
    struct terminal t = here();
    terminal_wrap(&t, PAINT_NONE, "", text, 0, 0);
}

void view_report(const struct report *r, bool brief) {
    for (int k = 0; k < r->ntests && !brief; k++)
        view_test(results_test(r, k), false);
    if (brief) view_brief(r);
    view_summary(r);
}

void view_survey(const struct survey_request *r, const struct survey *s, bool all) {
    struct terminal t = here();
    survey_show(&t, r, s, all);
}
