/* Prints a table of the cells (RFC 4180), a line each. The columns are keys of docs/results.md; the verdict
 * is a word as on the terminal, for example "held?". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "base/memory.h"
#include "report/printers.h"

static const char head[] =
    "test,file,kind,condition,backend,device,compiler,placement,access,fence,model,verdict,"
    "confidence,runs,satisfied,stuck,seconds,rate,best_rate,environments,seen_in,note";

/* Returns text from a file as one line, to be freed. A spreadsheet takes what begins with = + - @ as a
 * formula, so such text gets a ' in front. */
static char *tame(const char *s) {
    char *text = NULL;
    size_t size;
    FILE *f = memory_check(open_memstream(&text, &size));
    if (*s && strchr("=+-@", *s)) fputc('\'', f);
    foreign_log(s, false, f);
    fclose(f);
    return memory_check(text);
}

void csv_field(const char *s, FILE *out) {
    char *text = tame(s ? s : "");
    const char *quote = strpbrk(text, ",\"") ? "\"" : "";
    fputs(quote, out);
    for (const char *p = text; *p; p++) {
        if (*p == '"') fputc('"', out);
        fputc(*p, out);
    }
    fputs(quote, out);
    free(text);
}

/* Writes nothing if the value is not known. */
static void put_real(double x, FILE *out) {
    if (!isnan(x)) fprintf(out, "%.9g", x);
}

/* A cell that did not run has empty fields, not 0. */
static void put_numbers(const struct cell_result *c, FILE *out) {
    if (c->runs == 0) {
        fputs(",,,,,,,,", out);
        return;
    }
    put_real(c->confidence, out);
    fprintf(out, ",%llu,%llu,%llu,", (unsigned long long)c->runs, (unsigned long long)c->satisfied,
            (unsigned long long)c->stuck);
    put_real(c->seconds, out);
    fputc(',', out);
    put_real(cell_rate(c), out);
    fputc(',', out);
    put_real(c->best_rate, out);
    fprintf(out, ",%d,%d", c->environments, c->seen_in);
}

static void put_cell(const struct test_result *t, const struct cell_result *c, FILE *out) {
    const char *const texts[] = {t->name,    t->file,   t->kind,       t->condition,
                                 c->backend, c->device, c->compiler,   c->placement,
                                 c->access,  c->fence,  c->model.name, cell_word(c)};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        csv_field(texts[k], out);
        fputc(',', out);
    }
    put_numbers(c, out);
    fputc(',', out);
    csv_field(c->skipped         ? c->skipped
              : c->model.unknown ? c->model.unknown
              : c->model.fault   ? c->model.fault
                                 : c->unjudged,
              out);
    fputs("\r\n", out);
}

void report_csv(const struct report *r, FILE *out) {
    fprintf(out, "%s\r\n", head);
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        for (int c = 0; c < t->ncells; c++)
            put_cell(t, &t->cells[c], out);
    }
}
