/* The words for cells, which all printers use; and printing text on a terminal. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "base/text.h"
#include "report/terminal_parts.h"

/* ---- words ---- */

const char *terminal_rate(double rate, char *buf, size_t size) {
    if (rate == 0)
        snprintf(buf, size, "0");
    else if (rate >= 1e-4)
        snprintf(buf, size, rate >= 0.1 ? "%.0f%%" : rate >= 1e-3 ? "%.1f%%" : "%.2f%%", rate * 100);
    else
        snprintf(buf, size, "%.1e", rate);
    return buf;
}

const char *terminal_confidence(double confidence, char *buf, size_t size) {
    snprintf(buf, size,
             confidence >= 0.99995  ? ">99.99%%"
             : confidence >= 0.9995 ? "%.2f%%"
                                    : "%.1f%%",
             confidence * 100);
    return buf;
}

const char *terminal_allowed(const struct test_result *r, const struct cell_result *c) {
    if (!c->model.name) return "-";
    if (c->model.fault) return "fault";
    if (c->model.undefined) return "undefined";
    if (judgement_is_endless(&c->model)) return "endless";
    enum answer answer = result_is_forall(r) ? c->model.holds : c->model.allowed;
    if (answer == ANSWER_UNKNOWN) return "unknown";
    if (judgement_is_bounded(&c->model, result_is_forall(r))) return "bounded";
    if (result_is_forall(r)) return answer == ANSWER_YES ? "always" : "not always";
    if (c->model.unreached) return "not reached";
    return answer == ANSWER_YES ? "allowed" : "forbidden";
}

const char *terminal_observed(const struct test_result *r, const struct cell_result *c, char *buf,
                              size_t size) {
    char rate[24];
    uint64_t finished = c->runs - c->stuck;
    switch (c->verdict) {
    case VERDICT_SKIPPED:
    case VERDICT_FAULT: return "skipped";
    case VERDICT_STUCK:
        snprintf(buf, size, "stuck %s", terminal_rate((double)c->stuck / (double)c->runs, rate, sizeof rate));
        return buf;
    case VERDICT_VIOLATION: return "VIOLATION";
    default: break;
    }
    if (result_is_forall(r)) {
        if (c->satisfied == finished) return "always";
        snprintf(buf, size, "broken %s",
                 terminal_rate((double)(finished - c->satisfied) / (double)c->runs, rate, sizeof rate));
    } else if (c->satisfied > 0) {
        snprintf(buf, size, "seen %s", terminal_rate(cell_rate(c), rate, sizeof rate));
    } else if (c->verdict == VERDICT_HELD) {
        if (isnan(c->confidence) || cell_is_held(c)) return cell_word(c);
        snprintf(buf, size, "%s %.0f%%", cell_word(c), floor(c->confidence * 100));
    } else {
        return c->verdict == VERDICT_UNSEEN ? "unseen" : "not seen"; /* no model said that it is allowed */
    }
    return buf;
}

/* ---- text ---- */

enum terminal_paint terminal_paint_of(enum tone tone) {
    switch (tone) {
    case TONE_GOOD: return PAINT_GREEN;
    case TONE_OPEN: return PAINT_YELLOW;
    case TONE_BAD: return PAINT_RED;
    case TONE_MUTE: break;
    }
    return PAINT_DIM;
}

/* Prints text at the left of its column. Text as wide as the column is still followed by a blank. */
void terminal_put(const struct terminal *t, enum terminal_paint paint, int width, const char *s) {
    static const char *const codes[] = {"", "\33[1m", "\33[2m", "\33[32m", "\33[33m", "\33[1;31m"};
    bool painted = t->color && paint != PAINT_NONE && *s;
    if (painted) fputs(codes[paint], t->out);
    int n = foreign_terminal(s, t->out);
    if (painted) fputs("\33[0m", t->out);
    if (width > 0) fprintf(t->out, "%*s", width > n ? width - n : 1, "");
}

/* The same at the right of its column. */
void terminal_put_right(const struct terminal *t, enum terminal_paint paint, int width, const char *s) {
    int n = foreign_columns(s);
    if (width > 0) fprintf(t->out, "%*s", width > n ? width - n : 1, "");
    terminal_put(t, paint, 0, s);
}

void terminal_wrap(const struct terminal *t, enum terminal_paint paint, const char *head, const char *s,
                   int indent, int hang) {
    int room = t->width - indent, used = foreign_columns(head);
    struct text word = {0};
    fprintf(t->out, "%*s", indent, "");
    terminal_put(t, paint, 0, head);
    s += *head == '\0' && *s == ' ';
    for (size_t n; *s; s += n) {
        n = strcspn(s, " ");
        word.len = 0;
        text_add_n(&word, s, n);
        int columns = foreign_columns(word.s);
        if (used > hang && used + 1 + columns > room) {
            fprintf(t->out, "\n%*s", indent + hang, "");
            used = hang;
        } else if (used > 0) {
            fputc(' ', t->out);
            used++;
        }
        used += columns;
        foreign_terminal(word.s, t->out);
        n += s[n] == ' ';
    }
    text_free(&word);
    fputc('\n', t->out);
}

void terminal_line(const struct terminal *t, enum terminal_paint paint, const char *head, const char *s,
                   int indent, int hang) {
    struct terminal wide = *t;
    if (t->whole_lines) wide.width = INT_MAX;
    terminal_wrap(&wide, paint, head, s, indent, hang);
}

void terminal_text(const struct terminal *t, int width, const char *s) {
    terminal_put(t, PAINT_BOLD, width, s);
}

void terminal_word(const struct terminal *t, const struct test_result *r, const struct cell_result *c,
                   int width) {
    char buf[64];
    if (!c)
        terminal_put(t, PAINT_NONE, width, "");
    else if (c->machine == MACHINE_NONE)
        terminal_put(t, terminal_paint_of(tone_allowed(r, c)), width, terminal_allowed(r, c));
    else
        terminal_put(t, terminal_paint_of(tone_observed(r, c)), width,
                     terminal_observed(r, c, buf, sizeof buf));
}
