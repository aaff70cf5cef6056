#include "source/table.h"

#include <ctype.h>
#include <string.h>

#include "litmus/axes.h"
#include "litmus/name.h"
#include "source/table_read.h"

static struct pos place(const struct table *t, size_t from, size_t to) {
    return source_pos(&t->lines, from, to - from);
}

bool table_fail(struct table *t, size_t from, size_t to, const char *message) {
    diag_error(t->diag, &t->test->source, place(t, from, to), "%s", message);
    return false;
}

struct snippet table_cut(const struct table *t, size_t from, size_t to) {
    return (struct snippet){arena_strndup(t->arena, t->text + from, to - from), to - from, NULL, from,
                            &t->lines};
}

struct parser *table_parser(const struct table *t, const struct snippet *text) {
    struct parser *p = arena_alloc(t->arena, sizeof *p);
    *p = (struct parser){.arena = t->arena, .source = &t->test->source, .diag = t->diag, .test = t->test};
    parse_start(p, text);
    return p;
}

void table_skip_space(struct table *t) {
    while (isspace((unsigned char)t->text[t->at]))
        t->at++;
}

bool table_at_word(const struct table *t, const char *word) {
    size_t n = strlen(word);
    const char *s = t->text + t->at;
    return strncmp(s, word, n) == 0 && !isalnum((unsigned char)s[n]) && s[n] != '_' && s[n] != ':';
}

/* ---- comments ---- */

/* Returns the end of the comment at text[i]: i if there is none, beyond len if it is not closed. (* *)
 * comments nest. */
static size_t comment_end(const char *text, size_t i, size_t len) {
    if (text[i] == '/' && text[i + 1] == '/') {
        const char *end = strchr(text + i, '\n');
        return end ? (size_t)(end - text) : len;
    }
    if (text[i] == '/' && text[i + 1] == '*') {
        const char *end = strstr(text + i + 2, "*/");
        return end ? (size_t)(end - text) + 2 : len + 1;
    }
    if (text[i] != '(' || text[i + 1] != '*') return i;
    int depth = 0;
    do {
        bool opens = text[i] == '(' && text[i + 1] == '*', closes = text[i] == '*' && text[i + 1] == ')';
        depth += opens - closes;
        i += opens || closes ? 2 : 1;
    } while (depth > 0 && i < len);
    return depth == 0 ? i : len + 1;
}

/* Texts in quotes keep their contents. */
static bool blank_comments(struct table *t) {
    for (size_t i = 0; i < t->len;) {
        const char *quote = t->text[i] == '"' ? strchr(t->text + i + 1, '"') : NULL;
        if (quote) {
            i = (size_t)(quote - t->text) + 1;
            continue;
        }
        size_t end = comment_end(t->text, i, t->len);
        if (end > t->len) {
            bool star = t->text[i] == '/';
            return table_fail(t, i, i + 2,
                              star ? "this comment has no end '*/'" : "this comment has no end '*)'");
        }
        for (size_t k = i; k < end; k++)
            if (t->text[k] != '\n') t->text[k] = ' ';
        i = end > i ? end : i + 1;
    }
    return true;
}

/* ---- the head: PTX NAME, then text and Key=Value lines ---- */

static size_t line_end(const struct table *t) {
    const char *end = strchr(t->text + t->at, '\n');
    return end ? (size_t)(end - t->text) : t->len;
}

/* Whether the text is a name. It may contain what herd's generators write, but nothing that could end a
 * comment of generated code. */
static bool is_name(const char *s) {
    for (size_t i = 0; s[i]; i++)
        if (!isgraph((unsigned char)s[i]) || strchr("*\\\"", s[i])) return false;
    return *s;
}

/* Returns the words of n bytes, joined by '_'. */
static const char *join_words(struct table *t, const char *words, size_t n) {
    char *name = arena_strndup(t->arena, words, n), *out = name;
    for (const char *s = name; *s; s++) {
        bool blank = *s == ' ' || *s == '\t';
        if (!blank || out == name || out[-1] != '_') *out++ = blank ? '_' : *s;
    }
    *out = '\0';
    return name;
}

/* Returns the file's name without its folder and its ending. */
static const char *file_name(struct table *t) {
    const char *path = t->test->source.path, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    return join_words(t, base, dot ? (size_t)(dot - base) : strlen(base));
}

static size_t behind_blanks(const struct table *t, size_t at) {
    return at + strspn(t->text + at, " \t");
}

/* Returns the length of the word that names the language; 0: there is none. */
static size_t title_word(const struct table *t) {
    static const char *const words[] = {"PTX", "ptx", "GPU_PTX"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (table_at_word(t, words[i])) return strlen(words[i]);
    return 0;
}

static bool read_title(struct table *t) {
    table_skip_space(t);
    size_t from = t->at, end = line_end(t);
    size_t n = title_word(t);
    if (n == 0) return table_fail(t, from, from + 1, "a table begins with 'PTX' and the name of the test");
    if (t->text[from] == 'G')
        diag_warning(t->diag, &t->test->source, place(t, from, from + n),
                     "the model of these tables is of 2015: they are judged as PTX is today");
    from = behind_blanks(t, from + n);
    bool quoted = t->text[from] == '"' && memchr(t->text + from + 1, '"', end - from - 1);
    from += quoted;
    for (size_t i = from; i < end; i++)
        if (strchr(quoted ? "\"" : "\"(;{", t->text[i])) end = i;
    t->at = end + quoted;
    while (end > from && isspace((unsigned char)t->text[end - 1]))
        end--;
    bool nameless = end == from || (end == from + 2 && strncmp(t->text + from, "--", 2) == 0);
    const char *name = nameless ? file_name(t) : join_words(t, t->text + from, end - from);
    if (!is_name(name))
        return table_fail(
            t, from, end,
            "expected the name of the test, of ASCII characters that can be seen, without quotes, '*' "
            "and '\\'");
    t->test->name = name;
    t->at += strcspn(t->text + t->at, "\"{\n"); /* skips a line such as (texname) ; */
    return true;
}

static bool read_head(struct table *t) {
    for (table_skip_space(t); t->text[t->at] != '{'; table_skip_space(t)) {
        size_t end = t->at + strcspn(t->text + t->at, "\n{");
        if (t->text[t->at] == '"') {
            const char *quote = strchr(t->text + t->at + 1, '"');
            if (!quote) return table_fail(t, t->at, t->at + 1, "this text has no end '\"'");
            end = (size_t)(quote - t->text) + 1;
            if (!t->test->doc) t->test->doc = arena_strndup(t->arena, t->text + t->at + 1, end - t->at - 2);
        } else if (!strchr(t->text + t->at, '{')) {
            return table_fail(t, t->at, t->at + 1, "expected '{' and the initial values");
        }
        t->at = end;
    }
    return true;
}

/* ---- rows ---- */

/* Reports a row without an end; it may be a misspelt condition. */
static void report_endless_row(struct table *t) {
    static const char *const words[] = {"exists", "forall", "locations"};
    size_t to = t->at;
    while (isalnum((unsigned char)t->text[to]))
        to++;
    const char *word = arena_strndup(t->arena, t->text + t->at, to - t->at);
    const char *suggestion = name_suggest(t->arena, word, words, 3);
    if (*suggestion) {
        table_fail(t, t->at, to, arena_printf(t->arena, "unknown word '%s'%s", word, suggestion));
    } else {
        size_t end = line_end(t);
        table_fail(t, end, end + 1, "a row of the table ends with ';'");
    }
}

/* Whether a ';' ends an instruction and not its row: something stands before it in its line, and a '|'
 * follows. */
static bool is_within_row(const struct table *t, size_t at) {
    size_t before = at;
    while (before > t->at && (t->text[before - 1] == ' ' || t->text[before - 1] == '\t'))
        before--;
    bool first = before == t->at || t->text[before - 1] == '\n';
    return !first && t->text[at + 1 + strspn(t->text + at + 1, " \t")] == '|';
}

/* Calls f for each cell of the row at t->at, which ends with ';', and moves behind it. Returns the number of
 * cells. If a row has a cell for each thread and no ';' between them, it is complete even if a '|' follows:
 * that ends the first cell of the next row, which is empty. */
static int each_cell(struct table *t, void (*f)(struct table *t, int column, size_t from, size_t to)) {
    int n = 0, within = 0;
    for (;;) {
        size_t to = t->at + strcspn(t->text + t->at, "|;");
        if (t->text[to] == '\0') {
            report_endless_row(t);
            return -1;
        }
        if (f) f(t, n, t->at, to);
        n++;
        bool full = n == t->test->nbodies && within == 0;
        bool last = t->text[to] == ';' && (full || !is_within_row(t, to));
        if (t->text[to] == ';' && !last) {
            to += strcspn(t->text + to, "|");
            within++;
        }
        t->at = to + 1;
        if (last) t->at += strspn(t->text + t->at, " \t;"); /* one may have ended the last instruction */
        if (last) return n;
    }
}

static void read_header_cell(struct table *t, int column, size_t from, size_t to) {
    struct snippet text = table_cut(t, from, to);
    table_read_seat(t, column, &text);
}

static bool read_header(struct table *t) {
    table_skip_space(t);
    size_t from = t->at, errors = t->diag->errors;
    int n = each_cell(t, NULL);
    if (n < 0) return false;
    if (n > TEST_MAX_THREADS) return table_fail(t, from, from + 1, "a test has at most 1024 threads");
    struct test *test = t->test;
    size_t count = (size_t)n;
    test->bodies = arena_array(t->arena, count, sizeof *test->bodies);
    test->threads = arena_array(t->arena, count, sizeof *test->threads);
    t->columns = arena_array(t->arena, count, sizeof *t->columns);
    t->seats = arena_array(t->arena, count, sizeof *t->seats);
    t->at = from;
    each_cell(t, read_header_cell);
    test->nbodies = test->nthreads = n;
    for (int i = 0; i < n; i++) {
        struct body *b = &test->bodies[i];
        test->threads[i] = (struct thread){.name = b->name, .body = b};
        column_start(&t->columns[i], t->arena, test, b, t->diag);
        t->columns[i].declared = t->declared;
        t->columns[i].global = t->global;
        t->columns[i].max_locs = t->max_locs;
        t->columns[i].named_locs = test->nlocs;
    }
    return t->diag->errors == errors;
}

static void read_cell(struct table *t, int column, size_t from, size_t to) {
    struct snippet cell = table_cut(t, from, to);
    if (column < t->test->nbodies) column_cell(&t->columns[column], &cell);
}

bool table_at_condition(const struct table *t) {
    static const char *const words[] = {"exists", "forall", "final", "locations", "filter"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (table_at_word(t, words[i])) return true;
    if (!table_at_word(t, "not")) return t->text[t->at] == '~';
    struct table next = *t; /* `not` is also an instruction */
    next.at += 3;
    table_skip_space(&next);
    return table_at_word(&next, "exists");
}

/* Whether the rows are over. */
static bool at_end(const struct table *t) {
    return table_at_condition(t) || table_at_word(t, "scopeTree") || table_at_word(t, "ScopeTree") ||
           t->text[t->at] == '(';
}

/* Reports a row with too many cells. A row with fewer cells leaves the others empty, as in Dartagnan's
 * grammar. */
static void report_length(struct table *t, size_t from, int n) {
    int threads = t->test->nbodies;
    size_t to = t->at - 1 - from < 40 ? t->at - 1 : from + 1;
    const char *what = arena_printf(t->arena, "this row has %d cell%s, but the table has %d thread%s", n,
                                    n == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
    if (n > threads)
        table_fail(t, from, to, what);
    else
        diag_warning(t->diag, &t->test->source, place(t, from, to), "%s: those behind do nothing here", what);
}

static bool read_rows(struct table *t) {
    size_t errors = t->diag->errors;
    for (table_skip_space(t); t->at < t->len && !at_end(t); table_skip_space(t)) {
        if (t->diag->errors > DIAG_MAX_ERRORS) return false;
        size_t from = t->at;
        int n = each_cell(t, read_cell);
        if (n < 0) return false;
        bool empty = n == 1 && from + strspn(t->text + from, " \t\r\n;") >= t->at;
        if (n != t->test->nbodies && !empty) report_length(t, from, n);
    }
    bool good = t->diag->errors == errors;
    for (int i = 0; i < t->test->nbodies; i++)
        column_finish(&t->columns[i], good);
    column_number_barriers(t->columns, t->test->nbodies);
    test_number_ops(t->arena, t->test);
    return true;
}

/* ---- the condition ---- */

/* Skips each "locations [x; P0:r0;]". If `read`, what they name is observed. */
static bool read_locations(struct table *t, bool observe) {
    for (; table_at_word(t, "locations"); table_skip_space(t)) {
        t->at += strlen("locations");
        table_skip_space(t);
        if (t->text[t->at] != '[') return table_fail(t, t->at, t->at + 1, "expected '[', names and ']'");
        size_t line = line_end(t),
               end = t->at + strcspn(t->text + t->at, "]()=~/\\"); /* signs that belong to a condition */
        if (t->text[end] != ']') return table_fail(t, line, line + 1, "expected ']'");
        for (size_t from = t->at + 1, to; observe && from < end; from = to + 1) {
            to = from + strcspn(t->text + from, ";]");
            struct snippet name = table_cut(t, from, to);
            if (strspn(name.text, " \t\r\n") < name.len)
                condition_observe_table(t->arena, t->test, &name, t->diag);
        }
        t->at = end + 1;
    }
    return true;
}

/* Reads exists, ~exists, not exists, forall or final. A condition in parentheses without any of these is an
 * exists. */
static bool read_quantifier(struct table *t, enum quantifier *kind) {
    *kind = EXISTS;
    if (t->text[t->at] == '(') return true;
    bool negated = t->text[t->at] == '~' || table_at_word(t, "not");
    if (negated) {
        t->at += t->text[t->at] == '~' ? 1 : 3;
        table_skip_space(t);
    }
    bool final = !negated && table_at_word(t, "final"), exists = final || table_at_word(t, "exists");
    if (!exists && (negated || !table_at_word(t, "forall")))
        return table_fail(t, t->at, t->at + 1, "expected 'exists', '~exists' or 'forall'");
    *kind = negated ? NOT_EXISTS : exists ? EXISTS : FORALL;
    t->at += final ? 5 : 6; /* either word has this length */
    return true;
}

/* Reads "filter (x=1)" and returns the text of its condition, which ends where the next condition begins. */
static bool read_filter(struct table *t, struct snippet *text) {
    if (!table_at_word(t, "filter")) return false;
    size_t from = t->at += strlen("filter");
    while (t->at < t->len && !(isspace((unsigned char)t->text[t->at - 1]) && table_at_condition(t)))
        t->at++;
    *text = table_cut(t, from, t->at);
    return true;
}

/* Returns the text with single blanks. */
static const char *squeeze(struct arena *a, const char *s) {
    char *out = arena_strdup(a, s), *o = out;
    for (; *s; s++) {
        if (!isspace((unsigned char)*s))
            *o++ = *s;
        else if (o > out && o[-1] != ' ')
            *o++ = ' ';
    }
    while (o > out && o[-1] == ' ')
        o--;
    *o = '\0';
    return out;
}

/* Returns the condition as written, with the filter's added. */
static const char *condition_text(struct table *t, const struct snippet *text, const struct snippet *filter) {
    size_t n = text->len;
    while (n > 0 && (isspace((unsigned char)text->text[n - 1]) || text->text[n - 1] == ';'))
        n--;
    const char *prop = squeeze(t->arena, arena_strndup(t->arena, text->text, n));
    if (!filter) return prop;
    return arena_printf(t->arena, t->test->cond.kind == FORALL ? "~(%s) \\/ (%s)" : "(%s) /\\ (%s)",
                        squeeze(t->arena, filter->text), prop);
}

/* Returns the end of the condition. `final (x=1) with tso: exists;` goes on with what is expected of other
 * models. */
static size_t find_expectations(struct table *t) {
    struct table next = *t;
    for (bool blank = false; next.at < next.len; blank = strchr(" \t\r\n);", next.text[next.at++]) != NULL) {
        if (!blank || !table_at_word(&next, "with")) continue;
        diag_warning(t->diag, &t->test->source, place(t, next.at, next.at + 4),
                     "what this table expects of models is not looked at");
        return next.at;
    }
    return t->len;
}

/* Reads the condition, and then what `locations` names, to be observed as well. */
static bool read_condition(struct table *t) {
    struct test *test = t->test;
    table_skip_space(t);
    size_t locations = t->at, errors = t->diag->errors;
    if (!read_locations(t, false)) return false;
    struct snippet filter;
    bool filtered = read_filter(t, &filter);
    size_t from = t->at;
    bool final = table_at_word(t, "final");
    if (!read_quantifier(t, &test->cond.kind)) return false;
    struct snippet text = table_cut(t, t->at, final ? find_expectations(t) : t->len);
    test->cond.text = condition_text(t, &text, filtered ? &filter : NULL);
    test->cond.pos = place(t, from, from + 6);
    condition_parse_table(t->arena, test, &text, filtered ? &filter : NULL, test->cond.pos, t->diag);
    t->at = locations;
    read_locations(t, true);
    if (t->diag->errors == errors) condition_check(test, t->diag);
    return true;
}

/* ---- the whole ---- */

void litmus_read(struct arena *a, struct test *test, struct diag *d) {
    size_t errors = d->errors;
    struct table *t = arena_alloc(a, sizeof *t);
    *t = (struct table){.arena = a, .test = test, .diag = d, .lines = source_lines(a, &test->source)};
    t->text = arena_strndup(a, test->source.text, test->source.len);
    t->len = test->source.len;
    t->at = source_mark(&test->source);
    test->slots = arena_array(a, TEST_MAX_SLOTS, sizeof *test->slots);
    test->obs = arena_array(a, TEST_MAX_OBS, sizeof *test->obs);
    test->accesses = arena_array(a, 1, sizeof *test->accesses);
    test->accesses[test->naccesses++] = ACCESS_VOLATILE;
    test->fence_order = ORDER_SC;
    fence_defaults(test, a);
    if (!blank_comments(t) || !read_title(t) || !read_head(t) || !table_read_initials(t) || !read_header(t))
        return;
    table_apply_values(t);
    if (!read_rows(t) || d->errors != errors || !table_read_scopes(t)) return;
    table_seat_threads(t);
    read_condition(t);
}
