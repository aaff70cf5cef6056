/* The top of the page: what came out, what failed, and links to everything. */
#include <string.h>

#include "base/foreign.h"
#include "report/html.h"
#include "report/terminal.h"
#include "report/tone.h"

bool html_failed(const struct test_result *t) {
    bool failed = t->nfailures > 0;
    for (int k = 0; k < t->ncells; k++)
        failed = failed || t->cells[k].verdict == VERDICT_VIOLATION;
    return failed;
}

static const char *class_of_tone(enum tone tone) {
    static const char *const names[] = {
        [TONE_MUTE] = "mute", [TONE_GOOD] = "good", [TONE_OPEN] = "open", [TONE_BAD] = "bad"};
    return names[tone];
}

const char *html_class(const struct test_result *t, const struct cell_result *c) {
    return class_of_tone(tone_of(t, c));
}

/* Returns the word for a cell in the summary and in the filter. */
static const char *word_of(const struct test_result *t, const struct cell_result *c) {
    if (c->machine == MACHINE_NONE) {
        const char *word = terminal_allowed(t, c);
        return strcmp(word, "-") == 0 ? "no model" : word;
    }
    return cell_word(c);
}

static bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *s = list; (s = strstr(s, word)); s += n)
        if ((s == list || s[-1] == ' ') && (s[n] == ' ' || !s[n])) return true;
    return false;
}

/* Joins several words into one for the filter: "not-always". */
static const char *joined(const struct html *h, const char *word) {
    char *copy = arena_strdup(h->arena, word);
    for (char *s = copy; *s; s++)
        if (*s == ' ') *s = '-';
    return copy;
}

const char *html_states(const struct html *h, const struct test_result *t) {
    const char *list = html_failed(t) ? "failed" : "";
    for (int k = 0; k < t->ncells; k++) {
        const char *word = joined(h, word_of(t, &t->cells[k]));
        if (!has_word(list, word)) list = arena_printf(h->arena, "%s%s%s", list, *list ? " " : "", word);
    }
    return list;
}

/* ---- how many cells came to what ---- */

enum { MAX_WORDS = 32 };

struct html_word {
    const char *word;
    enum tone tone;
    int cells;
};

struct html_words {
    struct html_word list[MAX_WORDS];
    int n;
};

static void count_word(struct html_words *w, const char *word, enum tone tone) {
    int k = 0;
    while (k < w->n && strcmp(w->list[k].word, word) != 0)
        k++;
    if (k == MAX_WORDS) return;
    if (k == w->n) w->list[w->n++] = (struct html_word){word, tone, 0};
    w->list[k].cells++;
    if (tone == TONE_BAD) w->list[k].tone = TONE_BAD;
}

/* Bad news first. */
static struct html_words count_words(const struct report *r) {
    struct html_words found = {0}, sorted = {0};
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        for (const struct cell_result *c = t->cells; c < t->cells + t->ncells; c++) {
            enum tone tone = c->verdict == VERDICT_NO_MODEL ? TONE_MUTE : tone_of(t, c);
            count_word(&found, word_of(t, c), tone);
        }
    }
    static const enum tone order[] = {TONE_BAD, TONE_OPEN, TONE_GOOD, TONE_MUTE};
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (int k = 0; k < found.n; k++)
            if (found.list[k].tone == order[o]) sorted.list[sorted.n++] = found.list[k];
    return sorted;
}

static bool has_runs(const struct report *r) {
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        for (int c = 0; c < t->ncells; c++)
            if (t->cells[c].runs > 0) return true;
    }
    return false;
}

void html_summary(const struct html *h) {
    struct html_words words = count_words(h->r);
    int failed = 0;
    for (int t = 0; t < h->r->ntests; t++)
        failed += html_failed(results_test(h->r, t));
    fprintf(h->out, "<p class=\"%s\">%d test%s%s", failed || h->r->nrefused ? "" : "fine", h->r->ntests,
            h->r->ntests == 1 ? "" : "s",
            failed              ? ", and some failed: they come first below"
            : h->r->ntests == 0 ? ""
            : has_runs(h->r)    ? ", no claim failed, no forbidden outcome was observed"
                                : ", no claim failed; nothing ran, so this is what the models say");
    if (h->r->nrefused)
        fprintf(h->out, "; %d %s refused", h->r->nrefused, h->r->nrefused == 1 ? "file was" : "files were");
    fputs("</p>\n<ul class=\"counts\">\n", h->out);
    for (int k = 0; k < words.n; k++)
        fprintf(h->out, "<li class=\"%s\"><b>%d</b> %s</li>\n", class_of_tone(words.list[k].tone),
                words.list[k].cells, words.list[k].word);
    fputs("</ul>\n<p class=\"dim\">cells, by what came out; a cell is a placement, an access and a fence of "
          "a test</p>\n",
          h->out);
}

/* ---- refused files ---- */

static void put_errors(const struct html *h, const struct refused_file *f) {
    fputs("<li>", h->out);
    foreign_html(f->file, h->out);
    for (int k = 0; k < f->nerrors; k++) {
        fputs("<br>", h->out);
        if (f->errors[k].pos.line) fprintf(h->out, "line %d: ", f->errors[k].pos.line);
        foreign_html(f->errors[k].text, h->out);
    }
    fputs("</li>\n", h->out);
}

void html_refused(const struct html *h) {
    if (h->r->nrefused == 0) return;
    fputs("<section class=\"failures\"><h2>Refused files</h2>\n<ul>\n", h->out);
    for (int k = 0; k < h->r->nrefused; k++)
        put_errors(h, &h->r->refused[k]);
    fputs("</ul></section>\n", h->out);
}

/* ---- failures ---- */

static void put_violations(const struct html *h, const struct test_result *t) {
    for (int k = 0; k < t->ncells; k++) {
        const struct cell_result *c = &t->cells[k];
        if (c->verdict != VERDICT_VIOLATION) continue;
        fputs("<br>an outcome that ", h->out);
        foreign_html(c->model.name ? c->model.name : "the model", h->out);
        fputs(" forbids was observed: placement ", h->out);
        foreign_html(c->placement, h->out);
        fputs(", access ", h->out);
        foreign_html(c->access, h->out);
        fputs(", fence ", h->out);
        foreign_html(c->fence, h->out);
        fputs("\n", h->out);
    }
}

void html_failures(const struct html *h) {
    bool any = false;
    for (int t = 0; t < h->r->ntests; t++) {
        const struct test_result *r = results_test(h->r, t);
        if (!html_failed(r)) continue;
        if (!any) fputs("<section class=\"failures\"><h2>Failures</h2>\n<ul>\n", h->out);
        any = true;
        fprintf(h->out, "<li><a href=\"#t%d\">", t + 1);
        foreign_html(r->name, h->out);
        fputs("</a>", h->out);
        for (int k = 0; k < r->nfailures; k++) {
            fputs("<br>", h->out);
            foreign_html(r->failures[k].text, h->out);
        }
        put_violations(h, r);
        fputs("</li>\n", h->out);
    }
    if (any) fputs("</ul></section>\n", h->out);
}

/* ---- the index ---- */

/* Writes a mark for each cell of the first group. */
static void put_marks(const struct html *h, const struct test_result *t) {
    enum { MAX_MARKS = 12 };
    fputs("<span class=\"marks\" aria-hidden=\"true\">", h->out);
    for (int k = 0; k < t->ncells && k < MAX_MARKS; k++)
        if (results_same(t->cells[k].backend, t->cells[0].backend))
            fprintf(h->out, "<i class=\"mark %s\"></i>", html_class(t, &t->cells[k]));
    fputs("</span>", h->out);
}

static void put_entry(const struct html *h, const struct test_result *t, int n) {
    fputs("<li data-words=\"", h->out);
    foreign_html(t->name, h->out);
    fputc(' ', h->out);
    foreign_html(t->title ? t->title : "", h->out);
    fputc(' ', h->out);
    foreign_html(t->file, h->out);
    fprintf(h->out, "\" data-state=\"%s\">", html_states(h, t));
    put_marks(h, t);
    fprintf(h->out, "<a href=\"#t%d\">", n);
    foreign_html(t->name, h->out);
    fputs("</a> <small>", h->out);
    foreign_html(t->title ? t->title : "", h->out);
    fputs("</small></li>\n", h->out);
}

/* Writes the filter, which a script makes visible. */
static void put_filter(const struct html *h) {
    struct html_words words = count_words(h->r);
    fputs("<div class=\"find\" role=\"search\" hidden>\n"
          "<label>find a test (press /)<input type=\"search\" autocomplete=\"off\" "
          "spellcheck=\"false\"></label>\n"
          "<label>with a cell that is<select><option value=\"\">anything</option>",
          h->out);
    for (int t = 0; t < h->r->ntests; t++)
        if (html_failed(results_test(h->r, t))) {
            fputs("<option>failed</option>", h->out);
            break;
        }
    for (int k = 0; k < words.n; k++)
        fprintf(h->out, "<option value=\"%s\">%s</option>", joined(h, words.list[k].word),
                words.list[k].word);
    fputs("</select></label>\n<button type=\"button\" aria-pressed=\"false\">open all details</button>\n"
          "<output aria-live=\"polite\"></output></div>\n",
          h->out);
}

void html_index(const struct html *h) {
    const char *before = NULL;
    fputs("<nav aria-label=\"tests\"><h2>Index</h2>\n", h->out);
    put_filter(h);
    for (int t = 0; t < h->r->ntests; t++) {
        const struct test_result *r = results_test(h->r, t);
        const char *folder = html_folder(h, r);
        if (!results_same(folder, before)) {
            if (before) fputs("</ul></div>\n", h->out);
            fputs("<div data-folder>", h->out);
            if (*folder) html_element(h, "p class=\"folder\"", folder);
            fputs("<ul class=\"index\">\n", h->out);
            before = folder;
        }
        put_entry(h, r, t + 1);
    }
    fputs(before ? "</ul></div></nav>\n" : "</nav>\n", h->out);
}

/* ---- the legend ---- */

static const struct {
    const char *word, *class, *meaning;
} legend[] = {
    {"allowed", "open", "some execution that the model allows gives the outcome"},
    {"forbidden", "good", "no such execution does"},
    {"always, not always", NULL,
     "the same of a condition forall: every allowed execution fulfils it, or not"},
    {"not reached", "mute",
     "no execution gives these values, with or without fences: the question may be wrong"},
    {"fault", "bad",
     "something ends the kernel: a trap, or an access that is not aligned; such a cell is not run"},
    {"undefined", "open",
     "accesses of several sizes race, or an mbarrier is misused: the model promises nothing"},
    {"endless", "mute", "the model knows no execution that ends"},
    {"bounded", "mute",
     "no execution does in which loops turn so many times; a longer one may. In a run: and it was never "
     "observed"},
    {"unknown", "mute", "the model gave up; the reason stands in the cell"},
    {"no model", "mute", "no model judges this cell"},
    {"seen", "open", "it is allowed, and was observed"},
    {"unseen", "mute", "it is allowed, and was never observed"},
    {"held", "good",
     "it is forbidden, and was never observed; a weaker fence did show it, so that the confidence is 99% or "
     "more"},
    {"held?", "mute",
     "the same, but weaker fences showed it too seldom for that, or not either, so this says little"},
    {"held alone", "mute",
     "the same, but no weaker fence ran beside it, so nothing says that these runs could have shown it"},
    {"VIOLATION", "bad", "an outcome that the model forbids was observed"},
    {"stuck", "mute", "a wait did not end in time, and what did end did not show the outcome"},
    {"skipped", "mute", "this machine cannot make the cell, or it failed; the reason stands in the cell"},
    {"confidence", NULL,
     "the chance that these runs would have shown the outcome if the fence did no more than the weakest one "
     "that showed it; it counts bursts and environments, not runs"},
    {"bars", NULL,
     "how often an outcome was seen, on a logarithmic scale: each ten times as often makes the bar as much "
     "longer"},
    {"rf, co, fr", NULL,
     "in drawings: from a write to a read of it; from a write to the next of the same location; from a read "
     "to the write that comes after what it read. Grey lines are program order"},
    {"thick lines", NULL,
     "in drawings: the cycle that the model forbids, in the model's own names; if it allows the outcome, the "
     "cycle that no turns of the threads give"},
};

void html_legend(const struct html *h) {
    fputs("<details class=\"legend\"><summary>What the words and colours mean</summary>\n<dl>\n", h->out);
    for (size_t k = 0; k < sizeof legend / sizeof *legend; k++)
        fprintf(h->out, "<dt><span class=\"%s\">%s</span></dt><dd>%s</dd>\n",
                legend[k].class ? legend[k].class : "", legend[k].word, legend[k].meaning);
    fputs("</dl></details>\n", h->out);
}
