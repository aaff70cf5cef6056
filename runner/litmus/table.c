#include "litmus/table.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "litmus/axes.h"
#include "litmus/name.h"
#include "litmus/ptx.h"

/* An initial value of a register. The threads are known only later. */
struct register_value {
    const struct token *thread, *reg, *location; /* location: NULL for a number */
    int value;
};

struct table {
    struct arena *arena;
    struct test *test;
    struct diag *diag;
    struct lines lines;
    char *text; /* the source with its comments blanked: every byte at its offset */
    size_t len, at;
    struct register_value *values;
    int nvalues;
    struct column *columns;   /* one a thread */
    int *cta, *cluster, *gpu; /* as written, one a thread; -1: not written */
};

static struct pos place(const struct table *t, size_t from, size_t to) {
    return source_pos(&t->lines, from, to - from);
}

static bool fail(struct table *t, size_t from, size_t to, const char *message) {
    diag_error(t->diag, &t->test->source, place(t, from, to), "%s", message);
    return false;
}

static struct snippet cut(const struct table *t, size_t from, size_t to) {
    return (struct snippet){arena_strndup(t->arena, t->text + from, to - from), to - from, NULL, from,
                            &t->lines};
}

static void skip_space(struct table *t) {
    while (isspace((unsigned char)t->text[t->at]))
        t->at++;
}

/* ---- comments ---- */

/* The end of the comment at text[i]: i when there is none, beyond len when it has no end. (* *)
 * nests. */
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

/* Text in quotes stays as it is. */
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
            return fail(t, i, i + 2, star ? "this comment has no end '*/'" : "this comment has no end '*)'");
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

/* Whether this is a name. It may hold what herd's generators write, but nothing that could end a comment of generated
 * code. */
static bool is_name(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isgraph((unsigned char)s[i]) || strchr("*/\\\"", s[i])) return false;
    return n > 0;
}

static bool read_title(struct table *t) {
    skip_space(t);
    size_t from = t->at, end = line_end(t);
    if (strncmp(t->text + from, "PTX", 3) != 0 || !isspace((unsigned char)t->text[from + 3]))
        return fail(t, from, from + 1, "a table begins with 'PTX' and the name of the test");
    for (from += 3; from < end && isspace((unsigned char)t->text[from]);)
        from++;
    while (end > from && isspace((unsigned char)t->text[end - 1]))
        end--;
    if (!is_name(t->text + from, end - from))
        return fail(t, from, end,
                    "expected the name of the test: one word, without quotes, '*', '/' and '\\'");
    t->test->name = arena_strndup(t->arena, t->text + from, end - from);
    t->at = end;
    return true;
}

static bool read_head(struct table *t) {
    for (skip_space(t); t->text[t->at] != '{'; skip_space(t)) {
        size_t end = line_end(t);
        if (t->text[t->at] == '"') {
            const char *quote = strchr(t->text + t->at + 1, '"');
            if (!quote) return fail(t, t->at, t->at + 1, "this text has no end '\"'");
            end = (size_t)(quote - t->text) + 1;
            if (!t->test->doc) t->test->doc = arena_strndup(t->arena, t->text + t->at + 1, end - t->at - 2);
        } else if (!memchr(t->text + t->at, '=', end - t->at)) {
            return fail(t, t->at, t->at + 1, "expected '{' and the initial values");
        }
        t->at = end;
    }
    return true;
}

/* ---- initial values ---- */

enum { MAX_LOCATIONS = 2000 };

static void add_location(struct parser *p, const struct token *t, int value) {
    struct test *test = p->test;
    const char *problem = name_problem(t->text);
    int loc = find_location(test, t->text);
    if (problem) parse_complain(p, t->pos, "location name '%s' %s", t->text, problem);
    if (loc >= 0) {
        parse_complain(p, t->pos, "location '%s' is declared twice", t->text);
        diag_note(p->diag, p->source, test->locs[loc].pos, "it is declared here already");
        return;
    }
    if (test->nlocs == MAX_LOCATIONS) {
        parse_error(p, t->pos, "a table has at most %d locations", MAX_LOCATIONS);
        return;
    }
    test->locs[test->nlocs++] = (struct location){.instances = 1,
                                                  .name = t->text,
                                                  .pos = t->pos,
                                                  .type = type_int,
                                                  .init = value_from(type_int, value),
                                                  .count = 1};
}

/* A number, or with `location` the name of a location. */
static int read_initial(struct parser *p, const struct token **location) {
    bool negative = parse_accept(p, '-');
    if (!negative && location && parse_peek(p) == TOK_NAME) {
        *location = parse_next(p);
        return 0;
    }
    const struct token *t = p->tok;
    parse_expect(p, TOK_INT, "a number");
    return p->panic ? 0 : parse_bits(p, t, negative);
}

/* P0:r0=1, 0:r0=x, x=1, [x]=1, int x=1, x */
static void read_entry(struct table *t, struct parser *p) {
    if (p->tok->kind == TOK_NAME && p->tok[1].kind == TOK_NAME) parse_next(p); /* a type */
    bool bracket = parse_accept(p, '[');
    const struct token *name = p->tok;
    struct register_value v = {.thread = name};
    if (!bracket && (name->kind == TOK_INT || name->kind == TOK_NAME) && name[1].kind == ':') {
        parse_next(p);
        parse_next(p);
        parse_accept(p, '%');
        v.reg = p->tok;
        parse_expect(p, TOK_NAME, "a register");
        if (parse_accept(p, '=')) v.value = read_initial(p, &v.location);
        if (!p->panic) t->values[t->nvalues++] = v;
        return;
    }
    parse_expect(p, TOK_NAME, "a location or a register");
    if (bracket) parse_expect(p, ']', "']'");
    int value = parse_accept(p, '=') ? read_initial(p, NULL) : 0;
    if (!p->panic) add_location(p, name, value);
}

static bool read_initials(struct table *t) {
    const char *close = strchr(t->text + t->at, '}');
    if (!close) return fail(t, t->at, t->at + 1, "these initial values have no end '}'");
    struct snippet text = cut(t, t->at + 1, (size_t)(close - t->text));
    struct parser *p = arena_alloc(t->arena, sizeof *p);
    *p = (struct parser){.arena = t->arena, .source = &t->test->source, .diag = t->diag, .test = t->test};
    parse_start(p, &text);
    size_t most = 0;
    for (const struct token *tok = p->tok; tok->kind != TOK_END; tok++)
        most++;
    t->values = arena_array(t->arena, most, sizeof *t->values);
    t->test->locs = arena_array(t->arena, most, sizeof *t->test->locs);
    while (p->tok->kind != TOK_END && !p->panic) {
        if (parse_accept(p, ';')) continue;
        read_entry(t, p);
        if (p->tok->kind != TOK_END) parse_expect(p, ';', "';'");
    }
    t->at = (size_t)(close - t->text) + 1;
    return !p->panic;
}

/* ---- rows ---- */

/* Reports a row that has no end; it may be a misspelt condition. */
static void report_endless_row(struct table *t) {
    static const char *const words[] = {"exists", "forall", "locations"};
    size_t to = t->at;
    while (isalnum((unsigned char)t->text[to]))
        to++;
    const char *word = arena_strndup(t->arena, t->text + t->at, to - t->at);
    const char *suggestion = name_suggest(t->arena, word, words, 3);
    if (*suggestion) {
        fail(t, t->at, to, arena_printf(t->arena, "unknown word '%s'%s", word, suggestion));
    } else {
        size_t end = line_end(t);
        fail(t, end, end + 1, "a row of the table ends with ';'");
    }
}

/* Calls f for the cells of the row at t->at, which ends with ';', and moves behind it. Returns how many
 * cells. */
static int each_cell(struct table *t, void (*f)(struct table *t, int column, size_t from, size_t to)) {
    int n = 0;
    for (;;) {
        size_t to = t->at + strcspn(t->text + t->at, "|;");
        if (t->text[to] == '\0') {
            report_endless_row(t);
            return -1;
        }
        if (f) f(t, n, t->at, to);
        n++;
        bool last = t->text[to] == ';';
        t->at = to + 1;
        if (last) return n;
    }
}

/* P0, P0@cta 0, P0@cta 0,cluster 0,gpu 0 */
static void read_header_cell(struct table *t, int column, size_t from, size_t to) {
    static const char *const words[] = {"cta", "cluster", "gpu"};
    int *const ids[] = {&t->cta[column], &t->cluster[column], &t->gpu[column]};
    struct snippet text = cut(t, from, to);
    struct parser p = {.arena = t->arena, .source = &t->test->source, .diag = t->diag, .test = t->test};
    parse_start(&p, &text);
    const struct token *name = p.tok;
    parse_expect(&p, TOK_NAME, "the name of a thread");
    const char *problem = p.panic ? NULL : name_problem(name->text);
    if (problem) parse_error(&p, name->pos, "thread name '%s' %s", name->text, problem);
    for (int i = 0; i < column && !p.panic; i++)
        if (strcmp(t->test->bodies[i].name, name->text) == 0)
            parse_error(&p, name->pos, "thread '%s' is there twice", name->text);
    t->test->bodies[column] = (struct body){.name = name->text, .pos = name->pos, .count = 1};
    *ids[0] = *ids[1] = *ids[2] = -1;
    for (bool more = parse_accept(&p, '@'); more; more = parse_accept(&p, ',')) {
        const struct token *word = p.tok, *number;
        if (!parse_expect(&p, TOK_NAME, "'cta', 'cluster' or 'gpu'")) return;
        number = p.tok;
        if (!parse_expect(&p, TOK_INT, "a number")) return;
        int k = 0;
        while (k < 3 && strcmp(words[k], word->text) != 0)
            k++;
        if (k == 3)
            parse_error(&p, word->pos, "unknown scope '%s': expected cta, cluster or gpu", word->text);
        else if (token_number(number) < 0 || token_number(number) > INT_MAX)
            parse_complain(&p, number->pos, "%s is too large", number->text);
        else if (*ids[k] >= 0)
            parse_complain(&p, word->pos, "'%s' is given twice", word->text);
        else
            *ids[k] = (int)token_number(number);
    }
    if (!p.panic && p.tok->kind != TOK_END) parse_error(&p, p.tok->pos, "unexpected '%s'", p.tok->text);
}

static bool read_header(struct table *t) {
    skip_space(t);
    size_t from = t->at, errors = t->diag->errors;
    int n = each_cell(t, NULL);
    if (n < 0) return false;
    if (n > TEST_MAX_THREADS) return fail(t, from, from + 1, "a test has at most 1024 threads");
    struct test *test = t->test;
    size_t count = (size_t)n;
    test->bodies = arena_array(t->arena, count, sizeof *test->bodies);
    test->threads = arena_array(t->arena, count, sizeof *test->threads);
    t->columns = arena_array(t->arena, count, sizeof *t->columns);
    t->cta = arena_array(t->arena, count, sizeof(int));
    t->cluster = arena_array(t->arena, count, sizeof(int));
    t->gpu = arena_array(t->arena, count, sizeof(int));
    t->at = from;
    each_cell(t, read_header_cell);
    test->nbodies = test->nthreads = n;
    for (int i = 0; i < n; i++) {
        struct body *b = &test->bodies[i];
        test->threads[i] = (struct thread){.name = b->name, .body = b};
        ptx_start(&t->columns[i], t->arena, test, b, t->diag);
    }
    return t->diag->errors == errors;
}

/* Gives the columns the registers' initial values. */
static void apply_values(struct table *t) {
    for (int i = 0; i < t->nvalues; i++) {
        const struct register_value *v = &t->values[i];
        bool number = v->thread->kind == TOK_INT;
        const char *name =
            number ? arena_printf(t->arena, "P%lld", token_number(v->thread)) : v->thread->text;
        int column = 0, n = t->test->nbodies;
        while (column < n && strcmp(t->test->bodies[column].name, name) != 0)
            column++;
        int loc = v->location ? find_location(t->test, v->location->text) : -1;
        if (column == n)
            diag_error(t->diag, &t->test->source, v->thread->pos, "there is no thread '%s'", name);
        else if (v->location && loc < 0)
            diag_error(t->diag, &t->test->source, v->location->pos, "location '%s' is not declared",
                       v->location->text);
        else if (v->location)
            ptx_alias(&t->columns[column], v->reg, loc);
        else
            ptx_initial(&t->columns[column], v->reg, v->value);
    }
}

static void read_cell(struct table *t, int column, size_t from, size_t to) {
    struct snippet cell = cut(t, from, to);
    if (column < t->test->nbodies) ptx_cell(&t->columns[column], &cell);
}

/* Whether the text at t->at begins with this word, which is no label. */
static bool at_word(const struct table *t, const char *word) {
    size_t n = strlen(word);
    const char *s = t->text + t->at;
    return strncmp(s, word, n) == 0 && !isalnum((unsigned char)s[n]) && s[n] != '_' && s[n] != ':';
}

static bool at_condition(const struct table *t) {
    static const char *const words[] = {"exists", "forall", "locations", "filter"};
    for (int i = 0; i < 4; i++)
        if (at_word(t, words[i])) return true;
    if (!at_word(t, "not")) return t->text[t->at] == '~';
    struct table next = *t; /* `not` is an instruction, too */
    next.at += 3;
    skip_space(&next);
    return at_word(&next, "exists");
}

static bool read_rows(struct table *t) {
    for (skip_space(t); t->at < t->len && !at_condition(t); skip_space(t)) {
        if (t->diag->errors > DIAG_MAX_ERRORS) return false;
        size_t from = t->at;
        int n = each_cell(t, read_cell);
        if (n < 0) return false;
        if (n != t->test->nbodies)
            fail(t, from, t->at - 1 - from < 40 ? t->at - 1 : from + 1,
                 arena_printf(t->arena, "this row has %d cell%s, but the table has %d thread%s", n,
                              n == 1 ? "" : "s", t->test->nbodies, t->test->nbodies == 1 ? "" : "s"));
    }
    for (int i = 0; i < t->test->nbodies; i++)
        ptx_finish(&t->columns[i]);
    body_number_ops(t->arena, t->test);
    return true;
}

/* ---- where the threads sit ---- */

/* Whether threads i and k were written into the same GPU, cluster or block. Without a place, the GPU is the same, and
 * the cluster and the block are different. */
static bool same_gpu(const struct table *t, int i, int k) {
    return (t->gpu[i] < 0 ? 0 : t->gpu[i]) == (t->gpu[k] < 0 ? 0 : t->gpu[k]);
}

static bool same_block(const struct table *t, int i, int k) {
    return same_gpu(t, i, k) && t->cluster[i] == t->cluster[k] && t->cta[i] >= 0 && t->cta[i] == t->cta[k];
}

static bool same_cluster(const struct table *t, int i, int k) {
    return same_gpu(t, i, k) && t->cluster[i] == t->cluster[k] && (t->cluster[i] >= 0 || same_block(t, i, k));
}

/* Makes the seats, each thread in its own warp, and a layout that names them. */
static void seat_threads(struct table *t) {
    struct test *test = t->test;
    int n = test->nthreads;
    struct seat *seats = arena_array(t->arena, (size_t)n, sizeof *seats);
    struct placement *p = arena_alloc(t->arena, sizeof *p);
    int ngpus = 0, nclusters = 0, nblocks = 0;
    for (int i = 0; i < n; i++) {
        seats[i] = (struct seat){-1, -1, -1, i, false};
        for (int k = 0; k < i; k++) {
            if (same_gpu(t, i, k)) seats[i].gpu = seats[k].gpu;
            if (same_cluster(t, i, k)) seats[i].cluster = seats[k].cluster;
            if (same_block(t, i, k)) seats[i].block = seats[k].block;
        }
        if (seats[i].gpu < 0) seats[i].gpu = ngpus++;
        if (seats[i].cluster < 0) seats[i].cluster = nclusters++;
        if (seats[i].block < 0) seats[i].block = nblocks++;
    }
    *p = (struct placement){.seats = seats, .pos = test->bodies[0].pos};
    placement_count(p, n);
    p->name = placement_layout(t->arena, test, p);
    test->placements = p;
    test->nplacements = 1;
}

/* ---- the condition ---- */

/* Moves from `locations` to behind the '[' of its list, and finds the ']'. */
static bool find_list(struct table *t, size_t *close) {
    t->at += strlen("locations");
    skip_space(t);
    if (t->text[t->at] != '[') return fail(t, t->at, t->at + 1, "expected '[', names and ']'");
    t->at++;
    *close = t->at + strcspn(t->text + t->at, "]()=~/\\"); /* the signs of a condition */
    size_t end = line_end(t);
    return t->text[*close] == ']' || fail(t, end, end + 1, "expected ']'");
}

/* locations [x; P0:r0;] */
static bool read_locations(struct table *t) {
    size_t end;
    if (!find_list(t, &end)) return false;
    for (; t->at < end; t->at++) {
        size_t to = t->at + strcspn(t->text + t->at, ";]");
        struct snippet name = cut(t, t->at, to);
        if (strspn(name.text, " \t\r\n") < name.len)
            condition_observe_table(t->arena, t->test, &name, t->diag);
        t->at = to;
    }
    t->at = end + 1;
    return true;
}

static bool skip_locations(struct table *t) {
    size_t end;
    if (!find_list(t, &end)) return false;
    t->at = end + 1;
    return true;
}

static bool read_quantifier(struct table *t, enum quantifier *kind) {
    bool negated = t->text[t->at] == '~' || at_word(t, "not");
    if (negated) {
        t->at += t->text[t->at] == '~' ? 1 : 3;
        skip_space(t);
    }
    bool exists = at_word(t, "exists");
    if (at_word(t, "filter"))
        return fail(t, t->at, t->at + 6, "'filter' is not possible: put it into the condition");
    if (!exists && (negated || !at_word(t, "forall")))
        return fail(t, t->at, t->at + 1, "expected 'exists', '~exists' or 'forall'");
    *kind = negated ? NOT_EXISTS : exists ? EXISTS : FORALL;
    t->at += 6; /* as long as either word */
    return true;
}

/* The text with single spaces. */
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

/* Reads the condition, and then what `locations` names to be observed beside it. */
static bool read_condition(struct table *t) {
    struct test *test = t->test;
    skip_space(t);
    size_t locations = t->at;
    for (; at_word(t, "locations"); skip_space(t))
        if (!skip_locations(t)) return false;
    size_t from = t->at;
    if (!read_quantifier(t, &test->cond.kind)) return false;
    struct snippet text = cut(t, t->at, t->len);
    test->cond.text = squeeze(t->arena, text.text);
    test->cond.pos = place(t, from, from + 6);
    condition_parse_table(t->arena, test, &text, test->cond.pos, t->diag);
    for (t->at = locations; at_word(t, "locations"); skip_space(t))
        if (!read_locations(t)) return false;
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
    if (!blank_comments(t) || !read_title(t) || !read_head(t) || !read_initials(t) || !read_header(t)) return;
    apply_values(t);
    if (!read_rows(t) || d->errors != errors) return;
    seat_threads(t);
    read_condition(t);
}
