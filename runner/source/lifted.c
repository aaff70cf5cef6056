/* Threads that are whole kernels. The PTX of each travels with the test: behind its document stands another one, which the
 * tool adds, so that the test is read again wherever it is sent.
 *
 *   ---
 *   ptx:
 *     name of the thread: {path: kernel.ptx, kernel: name in PTX, text: "..."} */
#include "lift/lift.h"

#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "compile/compile.h"
#include "ptx/ptx.h"
#include "source/document.h"
#include "source/node.h"

enum { MAX_ARGUMENTS = 1024, MAX_SHARED = 256 << 10 };

bool lifted_is(const struct yaml_node *const *v) {
    return v[THREAD_PTX] || v[THREAD_SOURCE];
}

/* ---- the document behind the test ---- */

void lifted_check(struct document *doc) {
    const struct yaml_node *ptx = node_find(doc->carried, "ptx");
    if (doc->carried && (!ptx || ptx->kind != NODE_MAP || doc->carried->n != 1))
        node_complain(doc, doc->carried, "a second document: a file holds one test");
}

/* Finds the PTX that the test carries for a thread, and the kernel's name in it. False: it carries none. */
static bool find_carried(struct document *doc, const char *thread, struct lift_launch *launch) {
    const struct yaml_node *entry = node_find(node_find(doc->carried, "ptx"), thread);
    const struct yaml_node *path = node_find(entry, "path"), *text = node_find(entry, "text");
    const struct yaml_node *kernel = node_find(entry, "kernel");
    if (!path || !text || path->kind != NODE_SCALAR || text->kind != NODE_SCALAR) return false;
    struct source *src = arena_alloc(doc->arena, sizeof *src);
    *src = (struct source){.path = path->text, .text = text->text, .len = text->len};
    launch->ptx = src;
    launch->kernel = kernel && kernel->kind == NODE_SCALAR ? kernel->text : NULL;
    return true;
}

/* Writes a text in quotes, as YAML has it. */
static void put_quoted(struct text *out, const char *s) {
    text_add(out, "\"");
    for (const char *first = s; *s; s++)
        if (*s == '\n')
            text_add(out, "\\n\\\n      ");
        else if (*s == '\t')
            text_add(out, "\\t");
        else if (*s == ' ' && (s == first || s[-1] == '\n' || s[1] == '\n'))
            text_add(out, "\\x20");
        else
            text_printf(out, strchr("\"\\", *s) ? "\\%c" : "%c", *s);
    text_add(out, "\"");
}

static void carry(struct document *doc, const char *thread, const struct lift_launch *launch) {
    if (!doc->more.len) text_add(&doc->more, "\n---\nptx:\n");
    text_printf(&doc->more, "  %s:\n    path: ", thread);
    put_quoted(&doc->more, launch->ptx->path);
    if (launch->kernel) {
        text_add(&doc->more, "\n    kernel: ");
        put_quoted(&doc->more, launch->kernel);
    }
    text_add(&doc->more, "\n    text: ");
    put_quoted(&doc->more, launch->ptx->text);
    text_add(&doc->more, "\n");
}

/* ---- the PTX ---- */

/* Loads the file that a thread names. */
static const struct source *load(struct document *doc, const struct yaml_node *node) {
    const char *name = node_text(doc, node, "the name of a file"), *path = doc->test->source.path;
    const char *folder = compile_folder(doc->arena, path);
    struct source *src = arena_alloc(doc->arena, sizeof *src);
    if (!name) return NULL;
    if (!path_is_below(folder, name)) {
        COMPLAIN(doc, node, "'%s' is no file beside or below the test", name);
        return NULL;
    }
    size_t first = doc->diag->n;
    if (!source_load(doc->arena, arena_printf(doc->arena, "%s%s", folder, name), src, doc->diag)) {
        diag_place(doc->diag, first, &doc->test->source, node->pos);
        return NULL;
    }
    return source_check(src, doc->diag) ? src : NULL;
}

static struct compile_word word_of(struct document *doc, const struct yaml_node *node, const char *what) {
    const char *text = node ? node_text(doc, node, what) : NULL;
    return (struct compile_word){text, node ? node->pos : (struct pos){0}};
}

static const struct compile_word *words_of(struct document *doc, const struct yaml_node *node,
                                           const char *what, int *n) {
    struct yaml_entry one;
    *n = 0;
    if (!node) return NULL;
    const struct yaml_entry *list = node_list(doc, node, what, &one, n);
    struct compile_word *words = arena_array(doc->arena, (size_t)*n + 1, sizeof *words);
    for (int k = 0; k < *n; k++)
        words[k] = word_of(doc, list[k].value, what);
    return words;
}

static void leave_source(struct document *doc, const char *why, struct pos pos) {
    doc->test->uncompiled = why;
    doc->test->uncompiled_pos = pos;
}

/* Compiles the source of a thread. */
static void compile_source(struct document *doc, const struct yaml_node *const *v,
                           struct lift_launch *launch) {
    struct compile_result result;
    size_t errors = doc->diag->errors;
    struct compile_request r = {.test = &doc->test->source,
                                .source = word_of(doc, v[THREAD_SOURCE], "the name of a file"),
                                .kernel = word_of(doc, v[THREAD_KERNEL], "the name of a kernel"),
                                .arch = word_of(doc, v[THREAD_ARCH], "an architecture"),
                                .std = word_of(doc, v[THREAD_STD], "a C++ such as c++20")};
    r.defines = words_of(doc, v[THREAD_DEFINE], "macros", &r.ndefines);
    r.includes = words_of(doc, v[THREAD_INCLUDE], "folders of headers", &r.nincludes);
    if (doc->diag->errors != errors) return;
    if (!doc->compile) {
        leave_source(doc, "its source is not compiled", r.source.pos);
        return;
    }
    bool fine = compile_kernel(doc->arena, &r, &result, doc->diag);
    if (result.missing) leave_source(doc, result.missing, r.source.pos);
    if (!fine) return;
    struct source *ptx = arena_alloc(doc->arena, sizeof *ptx);
    *ptx = (struct source){.path = arena_printf(doc->arena, "the PTX of %s", r.source.text),
                           .text = result.ptx,
                           .len = strlen(result.ptx)};
    launch->ptx = ptx;
    launch->kernel = result.entry;
}

/* Refuses keys that only a `source` may have. */
static void check_keys(struct document *doc, const struct yaml_node *const *v) {
    static const enum key keys[] = {THREAD_DEFINE, THREAD_INCLUDE, THREAD_ARCH, THREAD_STD};
    for (int k = 0; k < 4; k++)
        if (v[keys[k]] && !v[THREAD_SOURCE])
            COMPLAIN(doc, v[keys[k]], "'%s' is for a 'source', which is compiled", key_rows[keys[k]].name);
    if (v[THREAD_PTX] && v[THREAD_SOURCE])
        node_complain(doc, v[THREAD_SOURCE], "a thread has 'ptx' or 'source', not both");
    if (v[THREAD_BODY])
        COMPLAIN(doc, v[THREAD_BODY], "a thread has a 'body' or '%s', not both",
                 v[THREAD_PTX] ? "ptx" : "source");
    if (v[THREAD_COUNT])
        node_complain(doc, v[THREAD_COUNT], "a kernel has 'grid' and 'block', and no 'count'");
}

/* Finds the PTX of a thread: carried, in a file, or to be compiled. */
static void find_ptx(struct document *doc, const struct body *b, const struct yaml_node *const *v,
                     struct lift_launch *launch) {
    const struct yaml_node *file = v[THREAD_SOURCE] ? v[THREAD_SOURCE] : v[THREAD_PTX];
    if (file && !doc->test->beside) doc->test->beside = file->kind == NODE_SCALAR ? file->text : "a kernel's";
    if (find_carried(doc, b->name, launch)) return;
    if (v[THREAD_SOURCE]) {
        compile_source(doc, v, launch);
    } else {
        if (v[THREAD_KERNEL]) launch->kernel = node_text(doc, v[THREAD_KERNEL], "the name of a kernel");
        launch->ptx = load(doc, v[THREAD_PTX]);
    }
    if (launch->ptx) carry(doc, b->name, launch);
}

/* ---- the launch ---- */

static struct lift_piece piece_of(struct document *doc, const struct yaml_node *node, int at) {
    const char *text = node_text(doc, node, "a number or a location");
    return (struct lift_piece){node->pos, at, text ? text : "0"};
}

/* Reads the values of a struct: a list of values, or a map with an offset for each. */
static void read_pieces(struct document *doc, struct lift_argument *arg, const struct yaml_node *node,
                        enum node_kind kind, const char *what) {
    if (node->kind != kind) {
        node_complain(doc, node, what);
        return;
    }
    arg->pieces = arena_array(doc->arena, (size_t)node->n, sizeof *arg->pieces);
    for (int k = 0; k < node->n; k++) {
        const struct yaml_entry *e = &node->entries[k];
        int byte = -1;
        if (!e->key || node_int(doc, e->key, 0, 4095, &byte))
            arg->pieces[arg->npieces++] = piece_of(doc, e->value, byte);
    }
}

/* Reads a value, {words: [...]} or {bytes: 16, at: {8: ...}}. */
static struct lift_argument read_argument(struct document *doc, const struct yaml_node *node) {
    const struct yaml_node *v[NKEYS] = {0};
    struct lift_argument arg = {.pos = node->pos};
    if (node->kind == NODE_SCALAR) {
        arg.pieces = arena_alloc(doc->arena, sizeof *arg.pieces);
        arg.pieces[arg.npieces++] = piece_of(doc, node, -1);
        return arg;
    }
    arg.is_struct = true;
    node_keys(doc, node, OF_ARGUMENT, v, "a value, {words: [...]} or {bytes: 16, at: {...}}");
    if (v[ARGUMENT_BYTES]) node_int(doc, v[ARGUMENT_BYTES], 0, 4096, &arg.bytes);
    if (v[ARGUMENT_WORDS])
        read_pieces(doc, &arg, v[ARGUMENT_WORDS], NODE_LIST,
                    "expected the values of a struct: {words: [a, 4]}");
    else if (v[ARGUMENT_AT])
        read_pieces(doc, &arg, v[ARGUMENT_AT], NODE_MAP,
                    "expected the values of a struct by their bytes: {bytes: 16, at: {8: a}}");
    return arg;
}

static void read_arguments(struct document *doc, struct lift_launch *launch, const struct yaml_node *node) {
    if (node->kind != NODE_LIST || node->n > MAX_ARGUMENTS) {
        node_complain(doc, node, "expected a list of the kernel's arguments");
        return;
    }
    struct lift_argument *args = arena_array(doc->arena, (size_t)node->n, sizeof *args);
    for (int k = 0; k < node->n; k++)
        args[k] = read_argument(doc, node->entries[k].value);
    launch->args = args;
    launch->nargs = node->n;
}

static void read_cluster(struct document *doc, struct body *b, const struct yaml_node *node) {
    enum { MAX_CLUSTER = 16 };
    if (node_int(doc, node, 1, MAX_CLUSTER, &b->cluster) && b->grid % b->cluster)
        COMPLAIN(doc, node, "a grid of %d block%s has no clusters of %d: it is a multiple of them", b->grid,
                 b->grid == 1 ? "" : "s", b->cluster);
}

void lifted_read(struct document *doc, struct body *b, const struct yaml_node *const *v) {
    const struct yaml_node *at = v[THREAD_KERNEL] ? v[THREAD_KERNEL]
                                 : v[THREAD_PTX]  ? v[THREAD_PTX]
                                                  : v[THREAD_SOURCE];
    struct lift_launch *launch = arena_alloc(doc->arena, sizeof *launch);
    size_t errors = doc->diag->errors;
    check_keys(doc, v);
    if (!b->grid) b->grid = b->block = b->count = 1;
    launch->pos = at->pos;
    launch->compiled = v[THREAD_SOURCE] != NULL;
    if (v[THREAD_SHARED]) node_int(doc, v[THREAD_SHARED], 0, MAX_SHARED, &launch->shared);
    if (v[THREAD_CLUSTER]) read_cluster(doc, b, v[THREAD_CLUSTER]);
    if (v[THREAD_ARGS]) read_arguments(doc, launch, v[THREAD_ARGS]);
    if (doc->diag->errors == errors) find_ptx(doc, b, v, launch);
    if (doc->diag->errors != errors || !launch->ptx) return;
    launch->ptx = ptx_find_origins(doc->arena, launch->ptx);
    if (!doc->lift) doc->lift = lift_open(doc->arena, doc->test, doc->diag);
    lift_read(doc->lift, b, launch);
}

void lifted_finish(struct document *doc) {
    struct test *t = doc->test;
    if (doc->lift) lift_close(doc->lift);
    if (doc->address && !doc->lift && !t->beside)
        COMPLAIN(doc, doc->address, "'%s' is a location: only whole kernels see addresses",
                 doc->address->text);
    if (doc->more.len) {
        const char *text = arena_printf(doc->arena, "%s%s", t->source.text, doc->more.s);
        t->source.text = text;
        t->source.len = strlen(text);
    }
    text_free(&doc->more);
}
