#include "source/document.h"

#include <ctype.h>
#include <string.h>

#include "bodies/bodies.h"
#include "litmus/axes.h"
#include "litmus/name.h"
#include "litmus/view.h"
#include "source/node.h"
#include "source/waits.h"

/* ---- threads ---- */

enum { MAX_BLOCK = 1024 };

/* Reads `grid` and `block`; one of them may be missing. */
static void read_grid(struct document *doc, struct body *b, const struct yaml_node *grid,
                      const struct yaml_node *block, const struct yaml_node *count) {
    if (!grid && !block) return;
    if (count)
        node_complain(
            doc, count,
            "a thread has 'count', or 'grid' and 'block': a grid has as many threads as its blocks");
    b->grid = b->block = 1;
    if (grid) b->grid = node_sizes(doc, grid, TEST_MAX_THREADS, b->grid_size);
    if (block) b->block = node_sizes(doc, block, MAX_BLOCK, b->block_size);
    b->count = b->grid * b->block;
}

/* Reads name: body, name: {count, body} or name: {grid, block, body}. Returns the node of the body; NULL:
 * there is none, or the thread is a whole kernel and was read. */
static const struct yaml_node *read_thread_head(struct document *doc, struct body *b,
                                                const struct yaml_entry *e) {
    const struct yaml_node *v[NKEYS] = {0};
    *b = (struct body){.name = e->key->text, .pos = e->key->pos, .count = 1};
    node_check_name(doc, e->key, "thread");
    if (e->value->kind == NODE_SCALAR) return e->value;
    node_keys(doc, e->value, OF_THREAD, v, "a body, {count, body} or {grid, block, body}");
    b->indexed = true;
    if (v[THREAD_COUNT]) node_int(doc, v[THREAD_COUNT], 1, TEST_MAX_THREADS, &b->count);
    read_grid(doc, b, v[THREAD_GRID], v[THREAD_BLOCK], v[THREAD_COUNT]);
    if (lifted_is(v)) {
        lifted_read(doc, b, v);
        return NULL;
    }
    if (e->value->kind == NODE_MAP && !v[THREAD_BODY])
        COMPLAIN(doc, e->key, "thread '%s' has no 'body'", b->name);
    if (!v[THREAD_BODY] || v[THREAD_BODY]->kind == NODE_SCALAR) return v[THREAD_BODY];
    node_complain(doc, v[THREAD_BODY], "expected the statements of the thread");
    return NULL;
}

static void add_threads(struct document *doc, const struct yaml_node *map) {
    struct test *t = doc->test;
    long long total = 0;
    bool grids = false;
    for (int i = 0; i < t->nbodies; i++) {
        total += t->bodies[i].count;
        grids = grids || t->bodies[i].grid;
    }
    if (total > TEST_MAX_THREADS) {
        COMPLAIN(doc, map, "%lld threads in all: a test has at most %d", total, TEST_MAX_THREADS);
        return;
    }
    t->threads = arena_array(doc->arena, (size_t)total, sizeof *t->threads);
    for (int i = 0; i < t->nbodies; i++) {
        const struct body *b = &t->bodies[i];
        for (int tid = 0; tid < b->count; tid++) {
            bool opens = grids && (!b->grid || tid % b->block == 0);
            t->nblocks += opens;
            const char *name = body_copy_name(doc->arena, b, tid);
            t->threads[t->nthreads++] = (struct thread){name, b, tid, grids ? t->nblocks - 1 : 0};
        }
    }
}

/* In a test with grids, gives each block shared memory of its own. */
static void give_each_block_its_own(struct document *doc, const struct yaml_node *map) {
    struct test *t = doc->test;
    long long elements = 0;
    for (int l = 0; l < t->nlocs; l++) {
        struct location *loc = &t->locs[l];
        if (space_rows[loc->space].of_block && t->nblocks) loc->instances = t->nblocks;
        if (!loc->view) elements += location_elements(loc);
    }
    if (elements > TEST_MAX_ELEMENTS && doc->diag->errors == 0)
        COMPLAIN(doc, map, "%lld elements in the memory of all blocks: a test has at most %d", elements,
                 TEST_MAX_ELEMENTS);
}

static void read_threads(struct document *doc, const struct yaml_node *map) {
    struct test *t = doc->test;
    if (map->kind != NODE_MAP || map->n == 0) {
        node_complain(doc, map,
                      "expected the threads with their bodies, as in T0: x = 1;, or of a "
                      "kernel k: {grid: 2, block: 32, body: ...}");
        return;
    }
    t->bodies = arena_array(doc->arena, (size_t)map->n, sizeof *t->bodies);
    t->slots = arena_array(doc->arena, TEST_MAX_SLOTS, sizeof *t->slots);
    for (int i = 0; i < map->n; i++) {
        struct body *b = &t->bodies[t->nbodies++];
        const struct yaml_node *body = read_thread_head(doc, b, &map->entries[i]);
        if (!body) continue;
        struct snippet text = yaml_snippet(doc->arena, &t->source, &doc->lines, body);
        body_parse(doc->arena, t, b, &text, doc->diag);
    }
    lifted_finish(doc);
    pointer_check_restricted(t, doc->diag);
    test_number_ops(doc->arena, t);
    if (doc->diag->errors == 0) waits_check(t, doc->diag);
    add_threads(doc, map);
    give_each_block_its_own(doc, map);
}

/* ---- the condition ---- */

static void read_condition(struct document *doc, const struct yaml_node *node, enum quantifier kind) {
    struct test *t = doc->test;
    const char *text = node_text(doc, node, "a condition");
    if (!text) return;
    if (t->source.text[node->begin] == '&') {
        node_complain(doc, node, "'&' begins an anchor of YAML: put the condition in quotes");
        return;
    }
    size_t n = node->len;
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        n--;
    t->cond = (struct condition){.kind = kind, .text = arena_strndup(doc->arena, text, n), .pos = node->pos};
    struct snippet snippet = yaml_snippet(doc->arena, &t->source, &doc->lines, node);
    condition_parse(doc->arena, t, &snippet, node->pos, doc->diag);
}

static void read_observe(struct document *doc, const struct yaml_node *node) {
    int n;
    struct yaml_entry one;
    const struct yaml_entry *list = node_list(doc, node, "names", &one, &n);
    for (int i = 0; i < n; i++) {
        if (!node_text(doc, list[i].value, "the name of a register or a location")) continue;
        struct snippet text = yaml_snippet(doc->arena, &doc->test->source, &doc->lines, list[i].value);
        condition_observe(doc->arena, doc->test, &text, doc->diag);
    }
}

/* ---- axes ---- */

/* Returns the name of entry i of an axis (`fences`, `placements` or `access`); NULL behind the last one. */
static const char *entry_name(const struct test *t, enum key axis, int i) {
    if (axis == TEST_FENCES) return i < t->nfences ? t->fences[i].name : NULL;
    if (axis == TEST_PLACEMENTS) return i < t->nplacements ? t->placements[i].name : NULL;
    return i < t->naccesses ? access_name(t->accesses[i]) : NULL;
}

static bool is_listed(const struct test *t, enum key axis, const char *entry) {
    const char *name;
    for (int i = 0; (name = entry_name(t, axis, i)); i++)
        if (strcmp(name, entry) == 0) return true;
    return false;
}

/* Whether an axis does not have the entry yet; else leaves an error. */
static bool check_new(struct document *doc, const struct yaml_node *node, enum key axis, const char *what,
                      const char *entry) {
    bool twice = is_listed(doc->test, axis, entry);
    if (twice) COMPLAIN(doc, node, "%s '%s' is listed twice", what, entry);
    return !twice;
}

static void read_access(struct document *doc, const struct yaml_node *node) {
    struct test *t = doc->test;
    int n = 1;
    struct yaml_entry one;
    const struct yaml_entry *list = node ? node_list(doc, node, "accesses", &one, &n) : NULL;
    t->accesses = arena_array(doc->arena, (size_t)n + 1, sizeof *t->accesses);
    for (int i = 0; list && i < n; i++) {
        int access = node_word(doc, list[i].value, "access", access_names);
        if (access >= 0 && check_new(doc, list[i].value, TEST_ACCESS, "access", access_names[access]))
            t->accesses[t->naccesses++] = (enum access)access;
    }
    if (!node) t->accesses[t->naccesses++] = ACCESS_VOLATILE;
}

/* Warns of [a=device,b=block], in which each part is an entry of its own; without a blank behind the comma
 * nobody means that. */
static void warn_torn(struct document *doc, const struct yaml_node *before, const struct yaml_node *node) {
    bool torn = node->begin == before->end + 1 && !before->quoted && !node->quoted &&
                strchr(before->text, '=') && strchr(node->text, '=');
    if (torn)
        diag_warning(
            doc->diag, &doc->test->source, node->pos,
            "this is a choice of its own, not a part of '%s'; a choice of several slots is put in quotes",
            before->text);
}

static void read_fences(struct document *doc, const struct yaml_node *node) {
    struct test *t = doc->test;
    int n;
    struct yaml_entry one;
    const struct yaml_entry *list = node ? node_list(doc, node, "fences", &one, &n) : NULL;
    if (node && t->nslots == 0 &&
        doc->diag->errors == 0) /* otherwise a fence() may be in what could not be read */
        diag_warning(doc->diag, &t->source, node->pos, "the test has no fence(): 'fences' has no effect");
    if (!node || t->nslots == 0) {
        fence_defaults(t, doc->arena);
        return;
    }
    t->fences = arena_array(doc->arena, (size_t)n, sizeof *t->fences);
    const char **texts = arena_array(doc->arena, (size_t)n, sizeof *texts);
    for (int i = 0; i < n; i++) {
        bool map = list[i].value->kind == NODE_MAP;
        texts[i] = node_text(
            doc, list[i].value,
            map ? "a fence: a choice of slots is one text in quotes, as in \"release=device,acquire=none\""
                : "a fence");
        if (texts[i]) fence_reserve(t, texts[i], list[i].value->pos, doc->diag);
    }
    for (int i = 0; i < n; i++) {
        const char *text = texts[i];
        const struct fence_choice *choice =
            text ? fence_read(t, doc->arena, text, list[i].value->pos, doc->diag) : NULL;
        if (!choice) continue;
        if (i > 0 && list[i - 1].value->kind == NODE_SCALAR) warn_torn(doc, list[i - 1].value, list[i].value);
        if (check_new(doc, list[i].value, TEST_FENCES, "fence", choice->name))
            t->fences[t->nfences++] = *choice;
    }
    fence_add(t, doc->arena);
}

static const struct placement *parse_placement(struct document *doc, const struct yaml_node *node) {
    const char *text = node_text(doc, node, "a placement");
    return text ? placement_parse(doc->test, doc->arena, text, node->pos, doc->diag) : NULL;
}

static void read_placements(struct document *doc, const struct yaml_node *node, struct pos top) {
    struct test *t = doc->test;
    int n;
    struct yaml_entry one;
    if (!node) {
        placement_defaults(t, doc->arena, top, doc->diag);
        return;
    }
    const struct yaml_entry *list = node_list(doc, node, "placements", &one, &n);
    t->placements = arena_array(doc->arena, (size_t)n, sizeof *t->placements);
    for (int i = 0; i < n; i++) {
        const struct placement *p = parse_placement(doc, list[i].value);
        if (p && check_new(doc, list[i].value, TEST_PLACEMENTS, "placement", p->name))
            t->placements[t->nplacements++] = *p;
    }
}

/* ---- expect ---- */

/* Warns of a claim about a cell that no axis has, since it would never be checked. */
static void warn_unused(struct document *doc, const struct yaml_node *node, enum key axis, const char *among,
                        const char *entry) {
    /* because of an error the axis may have lost an entry */
    if (doc->failed || is_listed(doc->test, axis, entry)) return;
    diag_warning(doc->diag, &doc->test->source, node->pos,
                 "this claim is about no cell: '%s' is not among the %s", node->text, among);
}

static void read_expected_fence(struct document *doc, struct expectation *e, const struct yaml_node *node) {
    struct test *t = doc->test;
    const char *text = node_text(doc, node, "a fence");
    if (doc->failed && t->nslots == 0) return; /* its slots may be in what could not be read */
    const struct fence_choice *choice = text ? fence_parse(t, doc->arena, text, node->pos, doc->diag) : NULL;
    if (!choice) return;
    e->fence = choice->name;
    warn_unused(doc, node, TEST_FENCES, "fences", e->fence);
}

static void read_expectation(struct document *doc, const struct yaml_node *map) {
    struct test *t = doc->test;
    const struct yaml_node *v[NKEYS] = {0};
    if (!node_keys(doc, map, OF_CLAIM, v, "a claim: {fence, placement, access, outcome}")) return;
    struct expectation *e = &t->expects[t->nexpects++];
    *e = (struct expectation){.pos = map->pos, .access = node_choice(doc, v, CLAIM_ACCESS, "access")};
    if (v[CLAIM_FENCE]) read_expected_fence(doc, e, v[CLAIM_FENCE]);
    const struct placement *p = v[CLAIM_PLACEMENT] ? parse_placement(doc, v[CLAIM_PLACEMENT]) : NULL;
    e->placement = p ? p->name : NULL;
    if (p) warn_unused(doc, v[CLAIM_PLACEMENT], TEST_PLACEMENTS, "placements", p->name);
    if (e->access >= 0) warn_unused(doc, v[CLAIM_ACCESS], TEST_ACCESS, "accesses", access_names[e->access]);
    e->allowed = node_choice(doc, v, CLAIM_OUTCOME, "outcome") == 1;
    if (!v[CLAIM_OUTCOME]) node_complain(doc, map, "a claim needs an 'outcome': allowed or forbidden");
}

static void read_expect(struct document *doc, const struct yaml_node *node) {
    struct test *t = doc->test;
    if (node->kind != NODE_LIST) {
        node_complain(doc, node, "expected a list of claims: - {fence: device, outcome: forbidden}");
        return;
    }
    if (node->n > NODE_MAX_ENTRIES) {
        COMPLAIN(doc, node, "more than %d claims", NODE_MAX_ENTRIES);
        return;
    }
    t->expects = arena_array(doc->arena, (size_t)node->n, sizeof *t->expects);
    for (int i = 0; i < node->n; i++)
        read_expectation(doc, node->entries[i].value);
}

/* ---- the whole ---- */

static const char *read_name(struct document *doc, const struct yaml_node *node) {
    const char *text = node_text(doc, node, "the name of the test");
    if (!text) return NULL;
    bool ok = isalnum((unsigned char)text[0]);
    for (const char *s = text; *s; s++)
        ok = ok && (isalnum((unsigned char)*s) || strchr("_+.-", *s));
    if (!ok)
        COMPLAIN(doc, node,
                 "'%s' is not the name of a test: letters, digits, '_', '+', '.' and '-', beginning with a "
                 "letter or a digit",
                 text);
    return text;
}

/* Reads a model's name, or {none: why}. */
static void read_model(struct document *doc, const struct yaml_node *node) {
    struct test *t = doc->test;
    t->model_pos = node->pos;
    if (node->kind != NODE_MAP) {
        t->model = node_text(doc, node, "the name of a model, or {none: reason}");
        size_t n = t->model ? strlen(t->model) : 0;
        if (n > 4 && strcmp(t->model + n - 4, ".cat") == 0) t->beside = t->model;
        return;
    }
    if (node->n != 1 || strcmp(node->entries[0].key->text, "none") != 0) {
        COMPLAIN(doc, node, "expected the name of a model, or {none: reason}");
        return;
    }
    t->model = "none";
    t->unjudged = node_text(doc, node->entries[0].value, "the reason why no model judges the test");
}

static void read_texts(struct document *doc, const struct yaml_node *const *v) {
    struct test *t = doc->test;
    if (v[TEST_NAME]) {
        t->name = read_name(doc, v[TEST_NAME]);
        t->name_pos = v[TEST_NAME]->pos;
    }
    if (v[TEST_TITLE]) t->title = node_text(doc, v[TEST_TITLE], "text");
    if (v[TEST_DOC]) t->doc = node_text(doc, v[TEST_DOC], "text");
    /* only checked: `source` is for readers of the file */
    if (v[TEST_SOURCE]) node_text(doc, v[TEST_SOURCE], "text");
    if (v[TEST_MODEL]) read_model(doc, v[TEST_MODEL]);
    if (v[TEST_UNROLL]) node_int(doc, v[TEST_UNROLL], 1, TEST_MAX_UNROLL, &t->unroll);
    t->no_timeouts = node_choice(doc, v, TEST_TIMEOUTS, "word for time-outs") == 0;
    t->fence_order = node_choice(doc, v, TEST_FENCE_ORDER, "fence order") == 1 ? ORDER_ACQ_REL : ORDER_SC;
}

/* Checks that a test has exactly one condition. */
static void check_condition(struct document *doc, const struct yaml_node *const *v) {
    const struct yaml_node *condition = NULL;
    for (enum key k = TEST_EXISTS; k <= TEST_FORALL; k++) {
        if (condition && v[k]) {
            node_complain(doc, v[k],
                          "a second condition: a test has one of 'exists', 'not_exists' and 'forall'");
            diag_note(doc->diag, &doc->test->source, condition->pos, "the first one is here");
        }
        if (v[k]) condition = v[k];
    }
}

static void check_required(struct document *doc, const struct yaml_node *root,
                           const struct yaml_node *const *v) {
    static const enum key required[] = {TEST_NAME, TEST_MEMORY, TEST_THREADS};
    struct yaml_node top = {.pos = {root->pos.line, root->pos.col, 1}};
    for (int i = 0; i < 3; i++)
        if (!v[required[i]]) COMPLAIN(doc, &top, "the test has no '%s'", key_rows[required[i]].name);
    if (!v[TEST_EXISTS] && !v[TEST_NOT_EXISTS] && !v[TEST_FORALL])
        node_complain(doc, &top, "the test has no condition: 'exists', 'not_exists' or 'forall'");
}

/* Reads a test whose kernels cannot be compiled here. It has cells, which are skipped; what names slots and
 * variables of its kernels is not read. */
static void read_uncompiled(struct document *doc, const struct yaml_node *const *v, struct pos top) {
    struct test *t = doc->test;
    t->nslots = 0;
    fence_defaults(t, doc->arena);
    read_placements(doc, v[TEST_PLACEMENTS], top);
    struct expr *no = arena_alloc(doc->arena, sizeof *no);
    *no = (struct expr){.kind = EXPR_INT, .type = type_int, .pos = top};
    t->cond = (struct condition){.kind = EXISTS, .text = "", .pos = top, .prop = no};
    for (enum key k = TEST_EXISTS; k <= TEST_FORALL; k++)
        if (v[k] && v[k]->kind == NODE_SCALAR) t->cond.text = v[k]->text;
}

void document_read(struct arena *a, struct test *t, const struct yaml_node *root,
                   const struct yaml_node *carried, bool compile, struct diag *d) {
    struct document doc = {.arena = a,
                           .test = t,
                           .diag = d,
                           .lines = source_lines(a, &t->source),
                           .carried = carried,
                           .compile = compile};
    const struct yaml_node *v[NKEYS] = {0};
    size_t errors = d->errors;
    bool known = node_keys(&doc, root, OF_TEST, v, "a test: 'name', 'memory', 'threads' and a condition");
    if (root->kind != NODE_MAP) return;
    lifted_check(&doc);
    check_condition(&doc, v);
    if (known) check_required(&doc, root, v); /* otherwise a missing key may only be misspelt */
    read_texts(&doc, v);
    read_access(&doc, v[TEST_ACCESS]);
    doc.threads = v[TEST_THREADS];
    if (v[TEST_MEMORY]) memory_read(&doc, v[TEST_MEMORY]);
    const struct yaml_node *memory = v[TEST_MEMORY], *threads = v[TEST_THREADS];
    /* otherwise each location would be unknown */
    bool named = memory && memory->kind == NODE_MAP && memory->n > 0;
    if (memory && threads && (named || threads->kind != NODE_MAP)) read_threads(&doc, threads);
    if (t->nthreads == 0) return;
    struct pos top = {root->pos.line, root->pos.col, 1};
    if (t->uncompiled && d->errors == errors) read_uncompiled(&doc, v, top);
    if (t->uncompiled) return;
    read_fences(&doc, v[TEST_FENCES]);
    read_placements(&doc, v[TEST_PLACEMENTS], top);
    doc.failed = d->errors != errors;
    if (v[TEST_EXPECT]) read_expect(&doc, v[TEST_EXPECT]);
    if (d->errors != errors) return; /* a register may only be missing because its thread has an error */
    t->obs = arena_array(a, TEST_MAX_OBS, sizeof *t->obs);
    for (enum quantifier kind = EXISTS; kind <= FORALL; kind++)
        if (v[TEST_EXISTS + kind]) read_condition(&doc, v[TEST_EXISTS + kind], kind);
    if (v[TEST_OBSERVE]) read_observe(&doc, v[TEST_OBSERVE]);
    if (d->errors == errors) condition_check(t, d);
}
