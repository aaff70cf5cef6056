#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "report/survey.h"
#include "report/terminal_parts.h"

struct survey_view {
    const struct terminal *t;
    const struct survey_request *r;
    const struct survey *s;
    struct arena *arena;
    bool *in; /* of each compiler: it is among those that a line is about */
};

/* Returns "13.0.88" for "NVRTC 13.0.88", and "13.0.88 + ptxas 13.1.80". */
static const char *version_of(const struct survey_request *r, int k) {
    const char *blank = strchr(r->compilers[k].name, ' ');
    return blank ? blank + 1 : r->compilers[k].name;
}

static void line(const struct survey_view *v, int indent, const char *s) {
    terminal_wrap(v->t, PAINT_NONE, "", s, indent, 2);
}

/* Returns the compilers in v->in, such as "12.2.140 to 12.6.85, 13.0.88". Neighbours make a range; compilers
 * between them that `has` does not contain do not interrupt it. */
static const char *ranges(const struct survey_view *v, const bool *has) {
    struct text out = {0};
    int n = v->r->ncompilers;
    for (int k = 0, last; k < n; k = last + 1) {
        last = k;
        if (!v->in[k]) continue;
        for (int i = k + 1; i < n && (v->in[i] || !has[i]); i++)
            if (v->in[i]) last = i;
        text_printf(&out, "%s%s", out.len ? ", " : "", version_of(v->r, k));
        if (last > k) text_printf(&out, " to %s", version_of(v->r, last));
    }
    const char *words = arena_strdup(v->arena, out.s);
    text_free(&out);
    return words;
}

/* ---- a line for each compiler ---- */

struct survey_sum {
    int made, refused, wrong, bytes, registers, same_ptx, same_code, before;
    double seconds;
};

static struct survey_sum sum_of(const struct survey *s, int k) {
    struct survey_sum sum = {0};
    for (int i = 0; i < s->ntexts; i++) {
        const struct survey_code *code = &s->texts[i].by[k], *before = k ? code - 1 : NULL;
        sum.made += !code->refused;
        sum.refused += code->refused != NULL;
        sum.wrong += code->wrong != NULL;
        sum.bytes += code->bytes;
        sum.seconds += code->seconds;
        if (code->registers > sum.registers) sum.registers = code->registers;
        if (!before || before->refused || code->refused) continue;
        sum.before++;
        sum.same_ptx += before->ptx == code->ptx;
        sum.same_code += before->code == code->code;
    }
    return sum;
}

static void put_cells(const struct survey_view *v, const char *const *cells, int n) {
    int width = 16;
    for (int k = 0; k < v->r->ncompilers; k++) {
        int len = (int)strlen(v->r->compilers[k].name) + 1;
        width = len > width ? len : width;
    }
    for (int k = 0; k < n; k++)
        if (k == 0)
            terminal_put(v->t, PAINT_NONE, width, cells[k]);
        else
            terminal_put_right(v->t, PAINT_NONE, 11, cells[k]);
    fputc('\n', v->t->out);
}

static void put_sum(const struct survey_view *v, int k) {
    struct survey_sum sum = sum_of(v->s, k);
    struct arena *a = v->arena;
    const char *const cells[] = {v->r->compilers[k].name,
                                 arena_printf(a, "%d", sum.made),
                                 arena_printf(a, "%d", sum.refused),
                                 sum.made ? arena_printf(a, "%d", sum.bytes / sum.made) : "-",
                                 arena_printf(a, "%d", sum.registers),
                                 sum.made ? arena_printf(a, "%.2f", sum.seconds / sum.made) : "-",
                                 sum.before ? arena_printf(a, "%d", sum.same_ptx) : "-",
                                 sum.before ? arena_printf(a, "%d", sum.same_code) : "-"};
    put_cells(v, cells, 8);
}

static void put_sums(const struct survey_view *v) {
    static const char *const heads[] = {"",          "texts",   "refused", "bytes",
                                        "registers", "seconds", "PTX",     "code"};
    put_cells(v, heads, 8);
    for (int k = 0; k < v->r->ncompilers; k++)
        put_sum(v, k);
    line(v, 0,
         "bytes of machine code and seconds: the mean of a text; registers: the most; PTX and code: so many "
         "texts "
         "have the same as by the compiler above");
}

/* ---- what is refused ---- */

/* Returns the reason of a compiler against a text; NULL: none. `wrong`: why its code is not what the test
 * means. */
static const char *reason(const struct survey_code *c, bool wrong) {
    return wrong ? c->wrong : c->refused;
}

/* Writes a reason once, with all compilers and texts that have it. */
static void put_reason(const struct survey_view *v, const char *why, bool wrong) {
    const struct survey_text *first = NULL;
    int n = 0;
    memset(v->in, false, (size_t)v->r->ncompilers);
    for (int i = 0; i < v->s->ntexts; i++) {
        bool here = false;
        for (int k = 0; k < v->r->ncompilers; k++) {
            const char *other = reason(&v->s->texts[i].by[k], wrong);
            if (!other || strcmp(other, why) != 0) continue;
            v->in[k] = here = true;
        }
        if (here && !first) first = &v->s->texts[i];
        n += here;
    }
    bool *all = arena_array(v->arena, (size_t)v->r->ncompilers, sizeof *all);
    memset(all, true, (size_t)v->r->ncompilers);
    line(v, 2, arena_printf(v->arena, "%s: %s", ranges(v, all), why));
    line(v, 4,
         arena_printf(v->arena, "%d text%s, the first is %s, %s, %s, %s", n, n == 1 ? "" : "s",
                      first->t->name, first->cell->placement->name, access_name(first->cell->access),
                      first->cell->fence->name));
}

/* Whether text i and compiler k are the first with their reason. */
static bool is_first(const struct survey *s, int ncompilers, int i, int k, bool wrong) {
    const char *why = reason(&s->texts[i].by[k], wrong);
    for (int x = 0; x <= i; x++)
        for (int y = 0; y < ncompilers && (x < i || y < k); y++) {
            const char *other = reason(&s->texts[x].by[y], wrong);
            if (other && strcmp(other, why) == 0) return false;
        }
    return true;
}

static void put_reasons(const struct survey_view *v, bool wrong, const char *head) {
    for (int i = 0; i < v->s->ntexts; i++)
        for (int k = 0; k < v->r->ncompilers; k++) {
            const char *why = reason(&v->s->texts[i].by[k], wrong);
            if (!why || !is_first(v->s, v->r->ncompilers, i, k, wrong)) continue;
            if (head) fprintf(v->t->out, "\n%s\n", head);
            head = NULL;
            put_reason(v, why, wrong);
        }
}

/* ---- edges ---- */

/* Whether two compilers have the same forms of an edge. */
static bool same_forms(const struct survey_edge *e, int k, int i) {
    for (int f = 0; f < e->nforms; f++)
        if ((e->forms[f].texts[k] > 0) != (e->forms[f].texts[i] > 0)) return false;
    return true;
}

static bool has_edge(const struct survey_edge *e, int k) {
    for (int f = 0; f < e->nforms; f++)
        if (e->forms[f].texts[k]) return true;
    return false;
}

bool survey_differs(const struct survey_request *r, const struct survey_edge *e) {
    int first = -1;
    for (int k = 0; k < r->ncompilers; k++) {
        if (!has_edge(e, k)) continue;
        if (first >= 0 && !same_forms(e, first, k)) return true;
        if (first < 0) first = k;
    }
    return false;
}

/* Writes the forms of compiler k and those with the same forms, and what they wait for. */
static void put_forms(const struct survey_view *v, const struct survey_edge *e, int k) {
    for (int f = 0; f < e->nforms; f++) {
        if (!e->forms[f].texts[k]) continue;
        line(v, 4, e->forms[f].machine);
        line(v, 6, arena_printf(v->arena, "the second access waits for %s", e->forms[f].awaited));
    }
}

/* Returns the instruction names of a form's two accesses: its first part, and the part behind the last
 * ';'. */
static void find_accesses(const char *machine, size_t *first, const char **second, size_t *length) {
    const char *last = strrchr(machine, ';');
    *first = strcspn(machine, ";");
    *second = last ? last + 2 : machine + *first;
    *length = strcspn(*second, ",");
}

/* Whether all compilers make the same instructions of an edge's accesses. */
static bool same_accesses(const struct survey_edge *e) {
    const char *x, *y;
    size_t x_first, y_first, x_length, y_length;
    find_accesses(e->forms[0].machine, &x_first, &x, &x_length);
    for (int f = 1; f < e->nforms; f++) {
        find_accesses(e->forms[f].machine, &y_first, &y, &y_length);
        if (x_first != y_first || x_length != y_length || strncmp(x, y, x_length) != 0 ||
            strncmp(e->forms[0].machine, e->forms[f].machine, x_first) != 0)
            return false;
    }
    return true;
}

static int by_words(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns what each compiler makes of what is between an edge's accesses. Edges with equal texts are
 * alike. */
static const char *pattern_of(const struct survey_view *v, const struct survey_edge *e) {
    struct text out = {0};
    const char **forms = arena_array(v->arena, (size_t)e->nforms + 1, sizeof *forms), *second;
    size_t first, length;
    bool same = e->nforms > 0 && same_accesses(e);
    for (int f = 0; f < e->nforms; f++) {
        const struct survey_form *form = &e->forms[f];
        struct text words = {0};
        find_accesses(form->machine, &first, &second, &length);
        if (same)
            text_printf(&words, "%.*s%s", (int)(second - form->machine - (ptrdiff_t)first),
                        form->machine + first, second + length);
        else
            text_add(&words, form->machine);
        text_printf(&words, " (%s)", form->awaited);
        for (int k = 0; k < v->r->ncompilers; k++)
            text_add(&words, form->texts[k] ? " 1" : " 0");
        forms[f] = arena_strdup(v->arena, words.s);
        text_free(&words);
    }
    qsort(forms, (size_t)e->nforms, sizeof *forms, by_words);
    find_accesses(e->ptx, &first, &second, &length);
    text_printf(&out, "%.*s", (int)(second - e->ptx - (ptrdiff_t)first), e->ptx + first);
    for (int f = 0; f < e->nforms; f++)
        text_printf(&out, "\n%s", forms[f]);
    const char *pattern = arena_strdup(v->arena, out.s);
    text_free(&out);
    return pattern;
}

/* Writes an edge, where it occurs, and the edges that are alike. */
static void put_head(const struct survey_view *v, const char *const *patterns, int k) {
    const struct survey_edge *e = &v->s->edges[k];
    const char *more = e->ntests > 1 ? arena_printf(v->arena, " and %d more", e->ntests - 1) : "";
    fputc('\n', v->t->out);
    terminal_wrap(v->t, PAINT_BOLD, e->ptx, arena_printf(v->arena, "(in %s%s)", e->tests[0]->name, more), 0,
                  2);
    for (int i = k + 1; i < v->s->nedges; i++)
        if (strcmp(patterns[i], patterns[k]) == 0)
            line(v, 2, arena_printf(v->arena, "like %s", v->s->edges[i].ptx));
}

static void put_edge(const struct survey_view *v, const struct survey_edge *e) {
    int n = v->r->ncompilers;
    bool *has = arena_array(v->arena, (size_t)n, sizeof *has),
         *said = arena_array(v->arena, (size_t)n, sizeof *said);
    for (int k = 0; k < n; k++)
        has[k] = has_edge(e, k);
    for (int k = 0; k < n; k++) {
        if (!has[k] || said[k]) continue;
        for (int i = 0; i < n; i++) {
            v->in[i] = has[i] && same_forms(e, k, i);
            said[i] = said[i] || v->in[i];
        }
        line(v, 2, arena_printf(v->arena, "%s:", ranges(v, has)));
        put_forms(v, e, k);
    }
}

static bool is_among_earlier(const char *const *patterns, int k) {
    for (int i = 0; i < k; i++)
        if (strcmp(patterns[i], patterns[k]) == 0) return true;
    return false;
}

static void put_edges(const struct survey_view *v, bool all) {
    int n = v->s->nedges, differ = 0;
    const char **patterns = arena_array(v->arena, (size_t)n + 1, sizeof *patterns);
    for (int k = 0; k < n; k++)
        patterns[k] = pattern_of(v, &v->s->edges[k]);
    for (int k = 0; k < n; k++) {
        bool differs = survey_differs(v->r, &v->s->edges[k]);
        differ += differs;
        if (!(differs || all) || is_among_earlier(patterns, k)) continue;
        put_head(v, patterns, k);
        put_edge(v, &v->s->edges[k]);
    }
    fputc('\n', v->t->out);
    line(v, 0,
         v->s->unread ? arena_printf(v->arena, "machine code was compared as a whole only: %s", v->s->unread)
                      : arena_printf(v->arena, "%d of %d edges differ", differ, n));
}

/* ---- texts ---- */

static void put_text(const struct survey_view *v, const struct survey_text *x) {
    fputc('\n', v->t->out);
    line(v, 0,
         arena_printf(v->arena, "%s, %s, %s, %s (%d cell%s)", x->t->name, x->cell->placement->name,
                      access_name(x->cell->access), x->cell->fence->name, x->ncells,
                      x->ncells == 1 ? "" : "s"));
    for (int k = 0; k < v->r->ncompilers; k++) {
        const struct survey_code *c = &x->by[k];
        if (c->refused) continue;
        line(v, 2,
             arena_printf(v->arena, "%-10s PTX %08x, code %08x, %d bytes, %d registers, %.2f s",
                          version_of(v->r, k), (unsigned)(c->ptx >> 32), (unsigned)(c->code >> 32), c->bytes,
                          c->registers, c->seconds));
    }
}

void survey_show(const struct terminal *t, const struct survey_request *r, const struct survey *s, bool all) {
    struct arena *a = arena_open();
    struct survey_view v = {t, r, s, a, arena_array(a, (size_t)r->ncompilers + 1, sizeof *v.in)};
    int ncells = 0;
    for (int k = 0; k < s->ntexts; k++)
        ncells += s->texts[k].ncells;
    fprintf(t->out, "%d cell%s in %d text%s, for %s", ncells, ncells == 1 ? "" : "s", s->ntexts,
            s->ntexts == 1 ? "" : "s", r->arch);
    if (s->nunfit) fprintf(t->out, "; %d more cannot be built for it", s->nunfit);
    fputs("\n\n", t->out);
    put_sums(&v);
    for (int k = 0; k < s->ntexts && all; k++)
        put_text(&v, &s->texts[k]);
    put_reasons(&v, false, "Refused:");
    put_reasons(&v, true, "Not what the test means, or not to be read:");
    put_edges(&v, all);
    arena_close(a);
}
