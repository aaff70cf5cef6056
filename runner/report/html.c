/* The page: it needs nothing beside it. Scripts help to find a test, and nothing is missing without them. */
#include "report/html.h"

#include <string.h>

#include "base/embedded.h"
#include "base/foreign.h"
#include "embedded_page.h"
#include "report/printers.h"

void html_element(const struct html *h, const char *tag, const char *text) {
    if (!text) return;
    fprintf(h->out, "<%s>", tag);
    foreign_html(text, h->out);
    fprintf(h->out, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

const char *html_number(unsigned long long n, char buf[32]) {
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", n), at = 0;
    for (int k = 0; k < len; k++) {
        if (k > 0 && (len - k) % 3 == 0) buf[at++] = ',';
        buf[at++] = digits[k];
    }
    buf[at] = '\0';
    return buf;
}

const char *html_folder(const struct html *h, const struct test_result *t) {
    const char *slash = strrchr(t->file, '/');
    return slash ? arena_strndup(h->arena, t->file, (size_t)(slash - t->file)) : "";
}

void html_fact(const struct html *h, const char *name, const char *value) {
    if (!value || !*value) return;
    html_element(h, "dt", name);
    html_element(h, "dd", value);
}

void html_cell(const struct html *h, const char *attributes, const char *text) {
    fprintf(h->out, "<td%s>", attributes);
    if (text) foreign_html(text, h->out);
    fputs("</td>", h->out);
}

void html_begin_table(const struct html *h, const char *label, const char *attributes) {
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", h->out);
    foreign_html(label, h->out);
    fprintf(h->out, "\"><table%s>\n", attributes);
}

void html_begin(const struct html *h, const char *title, const char *skip, const char *heading) {
    fprintf(h->out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>%s</title>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n",
            title);
    fputs(embedded_find(embedded_page, "page.css"), h->out);
    fprintf(h->out, "</style></head>\n<body>\n%s<main>\n<h1>%s</h1>\n", skip, heading);
}

/* What the results were made with. */
static void put_machine(const struct html *h) {
    fputs("<dl class=\"facts\">\n", h->out);
    html_fact(h, "tool", h->r->tool);
    html_fact(h, "date", h->r->date);
    if (results_ran(h->r)) html_fact(h, "seed", arena_printf(h->arena, "%lld", h->r->seed));
    for (int k = 0; k < h->r->nmachine; k++)
        html_fact(h, h->r->machine[k].name, h->r->machine[k].value);
    fputs("</dl>\n", h->out);
}

static void put_tests(struct html *h) {
    const char *before = NULL;
    fputs("<div id=\"tests\">\n", h->out);
    for (int t = 0; t < h->r->ntests; t++) {
        const struct test_result *r = results_test(h->r, t);
        const char *folder = html_folder(h, r);
        if (!results_same(folder, before)) {
            if (before) fputs("</div>\n", h->out);
            fputs("<div data-folder>\n", h->out);
            html_element(h, "h2", *folder ? folder : "Tests");
            before = folder;
        }
        html_test(h, r, t + 1);
    }
    fputs(before ? "</div>\n</div>\n" : "</div>\n", h->out);
}

void report_html_answers(const struct report *r, FILE *out) {
    struct html h = {.r = r, .out = out, .arena = arena_open(), .drawing = 2};
    for (int t = 0; t < r->ntests; t++)
        html_answers(&h, results_test(r, t));
    arena_close(h.arena);
}

void report_html(const struct report *r, FILE *out) {
    struct html h = {.r = r, .out = out, .arena = arena_open(), .drawing = 20};
    html_begin(&h, "culitmus", "<a class=\"skip\" href=\"#tests\">to the tests</a>\n", "Litmus tests");
    html_summary(&h);
    html_refused(&h);
    html_failures(&h);
    put_machine(&h);
    html_legend(&h);
    html_index(&h);
    put_tests(&h);
    fputs("</main>\n<script>\n", out);
    fputs(embedded_find(embedded_page, "page.js"), out);
    fputs("</script>\n</body></html>\n", out);
    arena_close(h.arena);
}
