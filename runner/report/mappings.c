/* Prints the mappings as a page and as JSON. Ways with the same answer are joined into one row: it has a set
 * of operations, one of scopes, and so on, and all their combinations have this answer. */
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "base/json_write.h"
#include "base/text.h"
#include "report/survey.h"

/* ---- rows ---- */

enum row_set { SET_ORDER, SET_SCOPE, SET_OPERATION, SET_TYPE, SET_SPACE, SET_ARCH, SET_COMPILER, SETS };
enum { MAX_VALUES = 64, ROW_WORDS = 3 };

struct map_row {
    const char *words[ROW_WORDS]; /* the way in two words, and the answer; equal in the whole row */
    uint64_t set[SETS];
    int first; /* the number of its first way */
};

struct map_table {
    struct map_row *rows;
    int n;
};

struct map_page {
    const struct mappings_request *r;
    const struct mappings *m;
    struct arena *arena;
    FILE *out;
    const char *names[SETS][MAX_VALUES];
    int nnames[SETS];
    struct map_table written, machine, weak, refused;
};

static uint64_t bit_of(struct map_page *p, enum row_set s, const char *name) {
    int k = 0;
    while (k < p->nnames[s] && strcmp(p->names[s][k], name) != 0)
        k++;
    if (k == MAX_VALUES) return 0;
    if (k == p->nnames[s]) p->names[s][p->nnames[s]++] = name;
    return (uint64_t)1 << k;
}

/* Compares two rows by everything except one of their sets; 0: they can be joined in that set. */
static int compare_rows(const void *a, const void *b, void *but) {
    const struct map_row *x = a, *y = b;
    for (int k = 0; k < ROW_WORDS; k++) {
        int order = strcmp(x->words[k], y->words[k]);
        if (order) return order;
    }
    for (int s = 0; s < SETS; s++)
        if (s != *(const int *)but && x->set[s] != y->set[s]) return x->set[s] < y->set[s] ? -1 : 1;
    return 0;
}

static int by_first(const void *a, const void *b) {
    const struct map_row *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1)
                                : strcmp(x->words[ROW_WORDS - 1], y->words[ROW_WORDS - 1]);
}

/* Joins rows that differ in one set only, until there are none. */
static void fold(struct map_table *t) {
    for (bool joined = true; joined;) {
        joined = false;
        for (int s = 0; s < SETS; s++) {
            int n = 0;
            if (t->n) qsort_r(t->rows, (size_t)t->n, sizeof *t->rows, compare_rows, &s);
            for (int k = 0; k < t->n; k++) {
                struct map_row *last = n ? &t->rows[n - 1] : NULL;
                if (last && compare_rows(last, &t->rows[k], &s) == 0) {
                    last->set[s] |= t->rows[k].set[s];
                    if (t->rows[k].first < last->first) last->first = t->rows[k].first;
                } else {
                    t->rows[n++] = t->rows[k];
                }
            }
            joined = joined || n < t->n;
            t->n = n;
        }
    }
    if (t->n) qsort(t->rows, (size_t)t->n, sizeof *t->rows, by_first);
}

static bool same_subject(const struct map_row *x, const struct map_row *y) {
    return strcmp(x->words[0], y->words[0]) == 0 && strcmp(x->words[1], y->words[1]) == 0;
}

static bool meet(const struct map_row *x, const struct map_row *y) {
    for (int s = 0; s < SETS; s++)
        if ((x->set[s] | y->set[s]) && !(x->set[s] & y->set[s])) return false;
    return true;
}

static struct map_row join_rows(const struct map_row *x, const struct map_row *y) {
    struct map_row both = *x;
    for (int s = 0; s < SETS; s++)
        both.set[s] |= y->set[s];
    if (y->first < both.first) both.first = y->first;
    return both;
}

/* Whether no way that was tried contradicts joining two rows. */
static bool may_join(const struct map_table *t, const struct map_row *x, const struct map_row *y) {
    if (!same_subject(x, y) || strcmp(x->words[2], y->words[2]) != 0) return false;
    struct map_row both = join_rows(x, y);
    for (int k = 0; k < t->n; k++)
        if (same_subject(&t->rows[k], x) && strcmp(t->rows[k].words[2], x->words[2]) != 0 &&
            meet(&t->rows[k], &both))
            return false;
    return true;
}

/* Joins rows with the same answer if no combination that was tried has another answer: not every one was
 * tried. */
static void join_alike(struct map_table *t) {
    fold(t);
    for (int k = 0; k < t->n; k++)
        for (int i = k + 1; i < t->n;) {
            if (!may_join(t, &t->rows[k], &t->rows[i])) {
                i++;
                continue;
            }
            t->rows[k] = join_rows(&t->rows[k], &t->rows[i]);
            memmove(&t->rows[i], &t->rows[i + 1], (size_t)(t->n - i - 1) * sizeof *t->rows);
            t->n--;
            i = k + 1;
        }
}

static void add_row(struct map_page *p, struct map_table *t, struct map_row row) {
    t->rows = arena_more(p->arena, t->rows, (size_t)t->n, sizeof *t->rows);
    t->rows[t->n++] = row;
}

/* ---- words ---- */

/* Whether a part of a machine instruction's name only gives its type. */
static bool is_type_part(const char *part, size_t n) {
    static const char *const parts[] = {"U8", "S8", "U16", "S16", "S32", "32", "64", "F32", "FTZ", "RN"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (strlen(parts[k]) == n && memcmp(parts[k], part, n) == 0) return true;
    return false;
}

/* Returns "ATOMG.E.OP.STRONG.GPU" for "ATOMG.E.ADD.64.STRONG.GPU". */
static const char *machine_words(struct map_page *p, const struct mapping *x, const char *machine) {
    struct text out = {0};
    size_t word = x->machine_word ? strlen(x->machine_word) : 0;
    while (*machine) {
        size_t n = 1 + strcspn(machine + 1, ".;, ");
        bool part = *machine == '.';
        if (part && word == n - 1 && memcmp(machine + 1, x->machine_word, word) == 0)
            text_add(&out, ".OP");
        else if (!part || !is_type_part(machine + 1, n - 1))
            text_add_n(&out, machine, n);
        machine += n;
    }
    const char *words = arena_strdup(p->arena, out.len ? out.s : "nothing");
    text_free(&out);
    return words;
}

static bool is_part(const char *part, size_t n, const char *word) {
    return *part == '.' && word && strlen(word) == n - 1 && memcmp(part + 1, word, n - 1) == 0;
}

/* Returns PTX's word for an atomic operation; NULL: it is none. */
static const char *ptx_operation(struct map_page *p, const struct mapping *x) {
    const char *begin = x->operation + (x->operation[0] == '(');
    const char *word = arena_strndup(p->arena, begin, strcspn(begin, ")"));
    return !x->machine_word ? NULL : strcmp(word, "sub") == 0 ? "add" : word;
}

/* Returns the PTX with OP in place of the operation's word; `whole`: also with S for the scope and O for the
 * order. */
static const char *ptx_words(struct map_page *p, const struct mapping *x, const char *ptx, bool whole) {
    struct text out = {0};
    bool membar = strncmp(ptx, "membar", 6) == 0; /* it has names of its own for scopes */
    bool named = whole && *x->scope && !membar;
    const char *operation = ptx_operation(p, x), *scope = named ? scope_ptx(scope_find(x->scope)) : NULL;
    const char *order = named && *x->type && strcmp(x->order, "sc") != 0 ? x->order : NULL;
    while (*ptx) {
        size_t n = 1 + strcspn(ptx + 1, ".;, ");
        if (is_part(ptx, n, operation))
            text_add(&out, ".OP");
        else if (is_part(ptx, n, scope))
            text_add(&out, ".S");
        else if (is_part(ptx, n, order) &&
                 /* with other instructions before it, the access may be relaxed in any case */
                 !strchr(ptx, ';'))
            text_add(&out, ".O");
        else
            text_add_n(&out, ptx, n);
        ptx += n;
    }
    const char *words = arena_strdup(p->arena, out.len ? out.s : "nothing");
    text_free(&out);
    return words;
}

static void add_code(struct map_page *p, int k, int compiler, int arch) {
    const struct mapping *x = &p->m->list[k];
    const struct mapping_code *code = &x->by[compiler * p->r->narchs + arch];
    struct map_row row = {.first = k};
    row.set[SET_ORDER] = bit_of(p, SET_ORDER, x->order);
    row.set[SET_OPERATION] = bit_of(p, SET_OPERATION, x->operation);
    row.set[SET_SCOPE] = bit_of(p, SET_SCOPE, x->scope);
    row.set[SET_TYPE] = bit_of(p, SET_TYPE, x->type);
    row.set[SET_SPACE] = bit_of(p, SET_SPACE, x->space);
    row.set[SET_ARCH] = bit_of(p, SET_ARCH, p->r->archs[arch]);
    row.set[SET_COMPILER] = bit_of(p, SET_COMPILER, p->r->compilers[compiler].name);
    const char *own[ROW_WORDS] = {x->spelling, x->written, ""};
    memcpy(row.words, own, sizeof own);
    if (code->refused) {
        row.words[2] = code->refused;
        add_row(p, &p->refused, row);
    }
    if (code->weak) {
        row.words[2] = code->weak;
        add_row(p, &p->weak, row);
    }
    if (code->ptx && strcmp(x->spelling, "PTX") != 0) {
        row.words[2] = ptx_words(p, x, code->ptx, true);
        add_row(p, &p->written, row);
    }
    if (!code->machine) return;
    const char *both[ROW_WORDS] = {"", ptx_words(p, x, code->addressed, false),
                                   machine_words(p, x, code->machine)};
    memcpy(row.words, both, sizeof both);
    row.set[SET_SCOPE] = row.set[SET_ORDER] = row.set[SET_SPACE] = 0; /* the PTX names these itself */
    add_row(p, &p->machine, row);
}

static void make_tables(struct map_page *p) {
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++)
        bit_of(p, SET_SCOPE, scope_name(s));
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++)
        bit_of(p, SET_ORDER, order_name(o));
    for (int k = 0; k < p->m->n; k++)
        for (int c = 0; c < p->r->ncompilers; c++)
            for (int a = 0; a < p->r->narchs; a++)
                add_code(p, k, c, a);
    join_alike(&p->written);
    join_alike(&p->machine);
    fold(&p->weak);
    fold(&p->refused);
}

/* ---- the page ---- */

/* Writes the members of a set, such as "add, and, or"; "all" if it has all values that occur. */
static const char *members(struct map_page *p, enum row_set s, uint64_t set, bool all) {
    const char *list = "";
    if (all && p->nnames[s] > 1 &&
        set == (p->nnames[s] == MAX_VALUES ? ~(uint64_t)0 : ((uint64_t)1 << p->nnames[s]) - 1))
        return "all";
    for (int k = 0; k < p->nnames[s]; k++)
        if (set >> k & 1 && *p->names[s][k])
            list = arena_printf(p->arena, "%s%s%s", list, *list ? ", " : "", p->names[s][k]);
    return list;
}

static void put_cell(const struct map_page *p, const char *text) {
    fputs(" | ", p->out);
    foreign_markdown(text, p->out);
}

static void put_code(const struct map_page *p, const char *text) {
    fprintf(p->out, " | `%s`", text);
}

static void put_set(struct map_page *p, const struct map_row *row, enum row_set s) {
    put_cell(p, members(p, s, row->set[s], s == SET_ARCH || s == SET_COMPILER));
}

static void end_row(const struct map_page *p) {
    fputs(" |\n", p->out);
}

/* Writes what a row is about: its second word, and its sets from one on. PTX itself says which state space it
 * accesses. */
static void put_subject(struct map_page *p, const struct map_row *row, enum row_set from) {
    fprintf(p->out, "| `%s`", row->words[1]);
    for (enum row_set s = from; s <= SET_COMPILER; s++)
        if (s != SET_SPACE || from == SET_ORDER) put_set(p, row, s);
}

#define HEADS     "| operations | types "
#define HEADS_END "| architectures | compilers "

static void put_written(struct map_page *p) {
    fputs("\n## What is written, and the PTX that it becomes\n\n| written | orders | scopes " HEADS
          "| spaces " HEADS_END "| PTX |\n|---|---|---|---|---|---|---|---|---|\n",
          p->out);
    for (int k = 0; k < p->written.n; k++) {
        put_subject(p, &p->written.rows[k], SET_ORDER);
        put_code(p, p->written.rows[k].words[2]);
        end_row(p);
    }
}

static void put_machine(struct map_page *p) {
    fputs("\n## What PTX becomes in machine code\n\n", p->out);
    if (p->m->unread) {
        fputs("Machine code was not read: ", p->out);
        foreign_markdown(p->m->unread, p->out);
        fputs(".\n", p->out);
        return;
    }
    fputs("| PTX " HEADS HEADS_END "| machine code |\n|---|---|---|---|---|---|\n", p->out);
    for (int k = 0; k < p->machine.n; k++) {
        put_subject(p, &p->machine.rows[k], SET_OPERATION);
        put_code(p, p->machine.rows[k].words[2]);
        end_row(p);
    }
}

static void put_reasons(struct map_page *p, const struct map_table *t, const char *head) {
    if (!t->n) return;
    fprintf(p->out,
            "\n## %s\n\n| written | orders | scopes " HEADS "| spaces " HEADS_END
            "| why |\n|---|---|---|---|---|---|---|---|---|\n",
            head);
    for (int k = 0; k < t->n; k++) {
        put_subject(p, &t->rows[k], SET_ORDER);
        put_cell(p, t->rows[k].words[2]);
        end_row(p);
    }
}

struct map_counts {
    int made, refused, absent, weak;
};

static struct map_counts count_codes(const struct map_page *p) {
    struct map_counts n = {0};
    for (int k = 0; k < p->m->n; k++)
        for (int c = 0; c < p->r->ncompilers * p->r->narchs; c++) {
            const struct mapping_code *code = &p->m->list[k].by[c];
            n.made += code->ptx != NULL;
            n.refused += code->refused != NULL;
            n.absent += code->absent != NULL;
            n.weak += code->weak != NULL;
        }
    return n;
}

static void put_head(struct map_page *p) {
    struct map_counts n = count_codes(p);
    fputs(
        "# Mappings\n\nWhat compilers make of the ways to write a load, a store, an atomic operation or a "
        "fence: in "
        "CUDA's own names, with nvcc's `__nv_atomic` functions, with libcu++ and in PTX. `culitmus compilers "
        "--mappings` writes this page.\n\n- compilers: ",
        p->out);
    for (int k = 0; k < p->r->ncompilers; k++)
        fprintf(p->out, "%s%s", k ? ", " : "", p->r->compilers[k].name);
    fputs("\n- architectures: ", p->out);
    for (int k = 0; k < p->r->narchs; k++)
        fprintf(p->out, "%s%s", k ? ", " : "", p->r->archs[k]);
    fprintf(
        p->out,
        "\n- ways to write an operation of a type in a space: %d\n- codes that were made of them: %d; "
        "refused by "
        "a compiler: %d; not had by an architecture or a compiler: %d\n- weaker than what is written: %d\n",
        p->m->n, n.made, n.refused, n.absent, n.weak);
    fputs("\nEach code was checked: its PTX has accesses and fences at least as strong as the order and the "
          "scope that are "
          "written, and its machine code a `STRONG` access, `MEMBAR` and `CCTL.IVALL` of at least the scope "
          "for each "
          "that the PTX asks for. In PTX, `S` is the scope that is written (block is `cta`, device `gpu`, "
          "system `sys`), "
          "`O` the order, and `OP` the operation, in machine code, too; types and spaces are left out of "
          "names. A row "
          "stands for all of its orders, scopes and so on; those of them that were tried have its answer. An "
          "operation in "
          "parentheses is one whose result nobody wants. Of a fence, machine code has a volatile load before "
          "and a "
          "volatile store behind it. Instructions stand in the order of the code; \"waits\" is what [their "
          "wait masks "
          "and dependency barriers](compilers.md) say.\n",
          p->out);
}

void mappings_markdown(const struct mappings_request *r, const struct mappings *m, FILE *out) {
    struct map_page p = {.r = r, .m = m, .arena = arena_open(), .out = out};
    make_tables(&p);
    put_head(&p);
    put_reasons(&p, &p.weak, "Weaker than what is written");
    put_written(&p);
    put_machine(&p);
    put_reasons(&p, &p.refused, "Refused");
    arena_close(p.arena);
}

/* ---- JSON ---- */

static void put_set_json(struct map_page *p, struct json_out *j, const char *name, const struct map_row *row,
                         enum row_set s) {
    json_open(j, name, '[');
    for (int k = 0; k < p->nnames[s]; k++)
        if (row->set[s] >> k & 1 && *p->names[s][k]) json_put_text(j, NULL, p->names[s][k]);
    json_close(j, ']');
}

static void put_table_json(struct map_page *p, struct json_out *j, const char *name,
                           const struct map_table *t, const char *const words[ROW_WORDS]) {
    static const char *const sets[SETS] = {"orders", "scopes",        "operations", "types",
                                           "spaces", "architectures", "compilers"};
    json_open(j, name, '[');
    for (int k = 0; k < t->n; k++) {
        json_open(j, NULL, '{');
        for (int w = 0; w < ROW_WORDS; w++)
            if (words[w]) json_put_text(j, words[w], t->rows[k].words[w]);
        for (enum row_set s = 0; s < SETS; s++)
            if (t->rows[k].set[s]) put_set_json(p, j, sets[s], &t->rows[k], s);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void mappings_json(const struct mappings_request *r, const struct mappings *m, FILE *out) {
    struct map_page p = {.r = r, .m = m, .arena = arena_open()};
    struct json_out j = {.out = out};
    make_tables(&p);
    struct map_counts n = count_codes(&p);
    json_open(&j, NULL, '{');
    json_put_whole(&j, "ways", m->n);
    json_put_whole(&j, "codes", n.made);
    json_put_whole(&j, "refused_codes", n.refused);
    json_put_whole(&j, "absent", n.absent);
    json_put_whole(&j, "weaker_codes", n.weak);
    json_put_text(&j, "unread", m->unread);
    put_table_json(&p, &j, "weaker", &p.weak, (const char *const[]){"spelling", "written", "why"});
    put_table_json(&p, &j, "ptx", &p.written, (const char *const[]){"spelling", "written", "ptx"});
    put_table_json(&p, &j, "machine", &p.machine, (const char *const[]){NULL, "ptx", "machine"});
    put_table_json(&p, &j, "refused", &p.refused, (const char *const[]){"spelling", "written", "why"});
    json_close(&j, '}');
    arena_close(p.arena);
}
