/* Prints a certificate as a page and as JSON: what a result vouches for, how much its runs could have shown,
 * and what they say nothing about. */
#include "results/certificate.h"

#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "base/json_write.h"
#include "report/html.h"
#include "report/printers.h"
#include "report/terminal.h"

/* ---- the page: what all parts use ---- */

static const char *plural(int n) {
    return n == 1 ? "" : "s";
}

static void put_count_td(const struct html *h, uint64_t n) {
    char buf[32];
    html_cell(h, " class=\"n\"", html_number(n, buf));
}

static void begin_table(const struct html *h, const char *label, const char *const *heads, int n) {
    html_begin_table(h, label, "");
    fputs("<thead><tr>", h->out);
    for (int k = 0; k < n; k++)
        html_element(h, "th scope=\"col\"", heads[k]);
    fputs("</tr></thead>\n<tbody>\n", h->out);
}

static void end_table(const struct html *h) {
    fputs("</tbody></table></div>\n", h->out);
}

/* Writes the first columns of a table, which say which cell it is. */
static void put_names(const struct html *h, const struct certificate_cell *c) {
    html_element(h, "th scope=\"row\"", c->test->name);
    html_cell(h, "", c->cell->placement);
    html_cell(h, "", c->cell->access);
    html_cell(h, "", c->cell->fence);
}
#define NAMES "test", "placement", "access", "fence"

/* Returns such as "93.1 %"; "-" if there is nothing to count. */
static const char *share_of(const struct html *h, int n, int of) {
    return of ? arena_printf(h->arena, "%.1f %%", floor(1000.0 * n / of) / 10) : "-";
}

static const char *ran_on(const struct html *h, const struct certificate_subject *s) {
    return cell_ran_on(h->arena, s->first);
}

/* ---- the page, from its top ---- */

static void put_answer(const struct html *h, const struct certificate *c) {
    char runs[32];
    uint64_t forbidden = 0;
    for (int k = 0; k < c->nsubjects; k++)
        forbidden += c->subjects[k].forbidden_runs;
    bool fine = !c->nviolated && !c->failures;
    fprintf(h->out, "<p class=\"%s\">", !fine ? "failure bad" : c->nforbidden ? "fine" : "failure mute");
    if (c->nviolated)
        fprintf(h->out, "In %d cell%s an outcome was observed that the model forbids. ", c->nviolated,
                plural(c->nviolated));
    if (c->failures) fprintf(h->out, "%d claim%s of tests failed. ", c->failures, plural(c->failures));
    if (!c->nforbidden)
        fputs("No cell ran in which the model forbids what its test asks for: this vouches for nothing.",
              h->out);
    else if (fine)
        fprintf(
            h->out,
            "No outcome that the model forbids was observed. In %d cell%s it forbids what the test asks for: "
            "these ran %s times.",
            c->nforbidden, plural(c->nforbidden), html_number(forbidden, runs));
    fputs("</p>\n", h->out);
}

static void put_inputs(const struct html *h, const struct certificate *c) {
    const struct report *r = c->report;
    fputs("<dl class=\"facts\">\n", h->out);
    html_fact(h, "written by", "culitmus " CULITMUS_VERSION);
    html_fact(h, "results by", r->tool);
    html_fact(h, "date", r->date);
    if (results_ran(r)) html_fact(h, "seed", arena_printf(h->arena, "%lld", r->seed));
    html_fact(h, "SHA-256 of the results", c->results);
    html_fact(h, "SHA-256 of the suite",
              *c->suite ? c->suite
                        : arena_printf(h->arena, "not known: the results lack the text of %d of %d tests",
                                       c->unknown_texts, c->ntests));
    for (int k = 0; k < r->nmachine; k++)
        html_fact(h, r->machine[k].name, r->machine[k].value);
    fputs("</dl>\n", h->out);
}

/* Writes a line for each machine and compiler. */
static void put_subjects(const struct html *h, const struct certificate *c) {
    static const char *const heads[] = {"ran on",        "cells", "runs",          "forbidden cells",
                                        "held",          "held?", "held alone",    "violations",
                                        "weaker fences", "seen",  "mutation score"};
    if (!c->nsubjects) return;
    begin_table(h, "what ran", heads, 11);
    for (int k = 0; k < c->nsubjects; k++) {
        const struct certificate_subject *s = &c->subjects[k];
        fputs("<tr>", h->out);
        html_element(h, "th scope=\"row\"", ran_on(h, s));
        const uint64_t counts[] = {(uint64_t)s->cells,      s->runs,
                                   (uint64_t)s->forbidden,  (uint64_t)s->held,
                                   (uint64_t)s->doubted,    (uint64_t)s->alone,
                                   (uint64_t)s->violations, (uint64_t)s->mutants,
                                   (uint64_t)s->seen};
        for (int n = 0; n < 9; n++)
            put_count_td(h, counts[n]);
        html_cell(h, " class=\"n\"", share_of(h, s->seen, s->mutants));
        fputs("</tr>\n", h->out);
    }
    end_table(h);
    fputs(
        "<p class=\"dim\">A forbidden cell is a placement, an access and a fence of a test in which the "
        "model "
        "forbids what the test asks for. It is held where weaker fences showed it so often that these runs "
        "would "
        "have shown it, too, with a confidence of 99 % and more; held? where they showed it less; held alone "
        "where nothing weaker ran beside it. The mutation score is the share of the weaker fences with "
        "which the model allows what a stronger one forbids that showed it: so many fences could have been "
        "missing, and this run would have told.</p>\n",
        h->out);
}

/* Writes the row of a cell: which it is, its runs, and where they ran. */
static void put_run(const struct html *h, const struct certificate *c, const struct certificate_cell *x,
                    const char *attributes) {
    fprintf(h->out, "<tr%s>", attributes);
    put_names(h, x);
    put_count_td(h, x->cell->runs - x->cell->stuck);
    html_cell(h, "", ran_on(h, &c->subjects[x->subject]));
    fputs("</tr>\n", h->out);
}

static void put_violations(const struct html *h, const struct certificate *c) {
    static const char *const heads[] = {NAMES, "runs", "ran on"};
    if (!c->nviolated) return;
    fputs("<h2>Violations</h2>\n", h->out);
    begin_table(h, "violations", heads, 6);
    for (int k = 0; k < c->nviolated; k++)
        put_run(h, c, &c->violated[k], " class=\"bad\"");
    end_table(h);
}

static const char *class_of(const struct certificate_cell *x) {
    if (x->cell->verdict == VERDICT_VIOLATION) return " class=\"bad\"";
    return x->cell->confidence >= 0.99 ? " class=\"good\"" : " class=\"mute\"";
}

static void put_forbidden_cell(const struct html *h, const struct certificate_cell *x) {
    char buf[32];
    double confidence = x->cell->confidence;
    fputs("<tr>", h->out);
    put_names(h, x);
    put_count_td(h, x->cell->runs - x->cell->stuck);
    html_cell(h, class_of(x),
              x->cell->verdict == VERDICT_VIOLATION ? "VIOLATION"
              : isnan(confidence)                   ? (x->cell->alone ? "none: nothing weaker ran" : "none")
                                                    : terminal_confidence(confidence, buf, sizeof buf));
    html_cell(h, " class=\"n\"", x->mutants ? arena_printf(h->arena, "%d of %d", x->seen, x->mutants) : "-");
    fputs("</tr>\n", h->out);
}

static void put_forbidden(const struct html *h, const struct certificate *c) {
    static const char *const heads[] = {NAMES, "runs", "confidence", "weaker fences seen"};
    for (int s = 0; s < c->nsubjects; s++) {
        if (!c->subjects[s].forbidden) continue;
        fputs("<h2>Forbidden cells on ", h->out);
        foreign_html(ran_on(h, &c->subjects[s]), h->out);
        fprintf(h->out, "</h2>\n<details><summary>%d cell%s with runs and confidence</summary>\n",
                c->subjects[s].forbidden, plural(c->subjects[s].forbidden));
        begin_table(h, "forbidden cells", heads, 7);
        for (int k = 0; k < c->nforbidden; k++)
            if (c->forbidden[k].subject == s) put_forbidden_cell(h, &c->forbidden[k]);
        end_table(h);
        fputs("</details>\n", h->out);
    }
}

static void put_untold(const struct html *h, const struct certificate *c) {
    static const char *const heads[] = {NAMES, "runs", "ran on"};
    if (!c->nuntold) return;
    fprintf(
        h->out,
        "<h2>Fences that it could not tell</h2>\n<p>The model allows the outcome with these fences, and a "
        "stronger one forbids it, but it never showed: a machine that makes no more of the stronger fence "
        "would "
        "look the same.</p>\n<details><summary>%d weaker fence%s</summary>\n",
        c->nuntold, plural(c->nuntold));
    begin_table(h, "weaker fences that showed nothing", heads, 6);
    for (int k = 0; k < c->nuntold; k++)
        put_run(h, c, &c->untold[k], "");
    end_table(h);
    fputs("</details>\n", h->out);
}

static void put_refused(const struct html *h, const struct report *r) {
    for (int k = 0; k < r->nrefused; k++)
        html_element(h, "li", arena_printf(h->arena, "a file that was refused: %s", r->refused[k].file));
}

static void put_gaps(const struct html *h, const struct certificate *c) {
    fputs("<h2>What this says nothing of</h2>\n<ul>\n", h->out);
    if (c->missing_shards)
        html_element(h, "li", arena_printf(h->arena, "shards that are missing: %s", c->missing_shards));
    put_refused(h, c->report);
    for (int k = 0; k < c->ngaps; k++) {
        const struct certificate_gap *g = &c->gaps[k];
        html_element(h, "li",
                     arena_printf(h->arena, "%d cell%s: %s (%s%s, %s, %s, %s)", g->cells, plural(g->cells),
                                  g->why, g->cells == 1 ? "" : "the first is ", g->test->name,
                                  g->cell->placement, g->cell->access, g->cell->fence));
    }
    fputs(
        "<li>other machines, architectures, drivers and compilers than those above, and fences, accesses and "
        "placements that no test of the suite has</li>\n</ul>\n",
        h->out);
}

static void put_suite(const struct html *h, const struct certificate *c) {
    static const char *const heads[] = {"test", "file", "SHA-256 of its text"};
    fprintf(
        h->out,
        "<h2>The suite</h2>\n<p>Its hash is that of the hashes below, a line each, sorted: <code>sha256sum "
        "FILES | cut -c1-64 | sort | sha256sum</code></p>\n<details><summary>%d test%s</summary>\n",
        c->ntests, plural(c->ntests));
    begin_table(h, "the suite", heads, 3);
    for (int k = 0; k < c->ntests; k++) {
        const struct certificate_test *t = &c->tests[k];
        fputs("<tr>", h->out);
        html_element(h, "th scope=\"row\"", t->test->name);
        html_cell(h, "", t->test->file);
        html_cell(h, "",
                  !*t->hash         ? "not known"
                  : t->test->beside ? arena_printf(h->arena, "%s, without %s", t->hash, t->test->beside)
                                    : t->hash);
        fputs("</tr>\n", h->out);
    }
    end_table(h);
    fputs("</details>\n", h->out);
}

void report_certificate_html(const struct report *r, FILE *out) {
    struct html h = {.r = r, .out = out, .arena = arena_open()};
    struct certificate c = certificate_of(h.arena, r);
    html_begin(&h, "culitmus certificate", "", "Certificate of memory order");
    put_answer(&h, &c);
    put_inputs(&h, &c);
    put_subjects(&h, &c);
    put_violations(&h, &c);
    put_untold(&h, &c);
    put_gaps(&h, &c);
    put_forbidden(&h, &c);
    put_suite(&h, &c);
    fputs("</main>\n</body></html>\n", out);
    arena_close(h.arena);
}

/* ---- JSON ---- */

static void put_hash(struct json_out *j, const char *name, const char *hash) {
    json_put_text(j, name, *hash ? hash : NULL);
}

static void put_cell_json(struct json_out *j, const struct certificate_cell *x) {
    const struct cell_result *c = x->cell;
    json_put_text(j, "test", x->test->name);
    json_put_text(j, "file", x->test->file);
    json_put_whole(j, "ran_on", x->subject);
    json_put_text(j, "placement", c->placement);
    json_put_text(j, "access", c->access);
    json_put_text(j, "fence", c->fence);
    json_put_count(j, "runs", c->runs - c->stuck);
}

static void put_cells_json(struct json_out *j, const char *name, const struct certificate_cell *cells,
                           int n) {
    json_open(j, name, '[');
    for (int k = 0; k < n; k++) {
        json_open(j, NULL, '{');
        put_cell_json(j, &cells[k]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_forbidden_json(struct json_out *j, const struct certificate *c) {
    json_open(j, "forbidden", '[');
    for (int k = 0; k < c->nforbidden; k++) {
        const struct certificate_cell *x = &c->forbidden[k];
        json_open(j, NULL, '{');
        put_cell_json(j, x);
        json_put_text(j, "model", x->cell->model.name);
        json_put_text(j, "verdict", x->cell->verdict == VERDICT_VIOLATION ? "VIOLATION" : "held");
        json_put_real(j, "confidence", x->cell->confidence);
        json_put_bool(j, "alone", x->cell->alone);
        json_put_whole(j, "mutants", x->mutants);
        json_put_whole(j, "seen", x->seen);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_subjects_json(struct json_out *j, const struct certificate *c) {
    json_open(j, "ran_on", '[');
    for (int k = 0; k < c->nsubjects; k++) {
        const struct certificate_subject *s = &c->subjects[k];
        json_open(j, NULL, '{');
        json_put_text(j, "backend", s->first->backend);
        json_put_text(j, "device", s->first->device);
        json_put_text(j, "compiler", s->first->compiler);
        json_put_whole(j, "cells", s->cells);
        json_put_count(j, "runs", s->runs);
        json_put_whole(j, "forbidden", s->forbidden);
        json_put_count(j, "forbidden_runs", s->forbidden_runs);
        json_put_whole(j, "held", s->held);
        json_put_whole(j, "doubted", s->doubted);
        json_put_whole(j, "alone", s->alone);
        json_put_whole(j, "violations", s->violations);
        json_put_whole(j, "mutants", s->mutants);
        json_put_whole(j, "seen", s->seen);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_gaps_json(struct json_out *j, const struct certificate *c) {
    json_put_text(j, "missing_shards", c->missing_shards);
    json_open(j, "refused", '[');
    for (int k = 0; k < c->report->nrefused; k++)
        json_put_text(j, NULL, c->report->refused[k].file);
    json_close(j, ']');
    json_open(j, "not_tested", '[');
    for (int k = 0; k < c->ngaps; k++) {
        const struct certificate_gap *g = &c->gaps[k];
        json_open(j, NULL, '{');
        json_put_whole(j, "cells", g->cells);
        json_put_text(j, "why", g->why);
        json_put_text(j, "test", g->test->name);
        json_put_text(j, "placement", g->cell->placement);
        json_put_text(j, "access", g->cell->access);
        json_put_text(j, "fence", g->cell->fence);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_inputs_json(struct json_out *j, const struct certificate *c) {
    const struct report *r = c->report;
    json_put_text(j, "tool", "culitmus " CULITMUS_VERSION);
    json_open(j, "results", '{');
    put_hash(j, "sha256", c->results);
    json_put_text(j, "tool", r->tool);
    json_put_text(j, "date", r->date);
    json_put_whole(j, "seed", r->seed);
    json_close(j, '}');
    json_open(j, "machine", '{');
    for (int k = 0; k < r->nmachine; k++)
        json_put_text(j, r->machine[k].name, r->machine[k].value);
    json_close(j, '}');
    json_open(j, "suite", '{');
    put_hash(j, "sha256", c->suite);
    json_open(j, "tests", '[');
    for (int k = 0; k < c->ntests; k++) {
        json_open(j, NULL, '{');
        json_put_text(j, "name", c->tests[k].test->name);
        json_put_text(j, "file", c->tests[k].test->file);
        put_hash(j, "sha256", c->tests[k].hash);
        if (c->tests[k].test->beside) json_put_text(j, "beside", c->tests[k].test->beside);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

void report_certificate_json(const struct report *r, FILE *out) {
    struct arena *a = arena_open();
    struct certificate c = certificate_of(a, r);
    struct json_out j = {.out = out};
    json_open(&j, NULL, '{');
    json_put_whole(&j, "certificate", 1);
    put_inputs_json(&j, &c);
    put_subjects_json(&j, &c);
    json_put_whole(&j, "failed_claims", c.failures);
    put_cells_json(&j, "violations", c.violated, c.nviolated);
    put_forbidden_json(&j, &c);
    put_cells_json(&j, "untold", c.untold, c.nuntold);
    put_gaps_json(&j, &c);
    json_close(&j, '}');
    arena_close(a);
}
