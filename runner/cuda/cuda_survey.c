#include "cuda/cuda_survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/text.h"
#include "check/sass.h"
#include "check/verify.h"
#include "check/waits.h"
#include "compile/nvrtc.h"
#include "cuda/cuda_kernel.h"
#include "gen/gen.h"

/* A text that is being compiled by one compiler. */
struct survey_unit {
    const char *text;
    struct arena *arena; /* holds everything below */
    void *cubin;         /* malloc'ed */
    size_t size;
    struct cubin_code code;
    struct ways ways; /* the copies of operations in its PTX */
    struct waits_edge *edges;
    int nedges;
};

struct survey_work {
    struct arena *arena;
    const struct survey_request *request;
    struct survey *out;
    struct survey_unit *units;
    int compiler; /* the number of the compiler at work */
    int from;     /* the first of the texts that it is given now */
};

/* Starting the disassembler takes as long as disassembling so many kernels. */
enum { READ_TOGETHER = 32 };

/* ---- texts ---- */

static int find_text(const struct survey_work *w, const char *text) {
    int k = 0;
    while (k < w->out->ntexts && strcmp(w->units[k].text, text) != 0)
        k++;
    return k;
}

static void add_cell(struct survey_work *w, const struct cuda_traits *traits, const struct build *b) {
    const char *why = cuda_cannot(traits, b->t, b->cell, w->arena);
    struct text text = {0};
    if (why) {
        w->out->unfit[w->out->nunfit++] = (struct survey_unfit){b, why};
        return;
    }
    gen_unit(b->t, b->cell, DIALECT_CUDA, &text);
    int k = find_text(w, text.s);
    if (k == w->out->ntexts) {
        w->units[k].text = arena_strdup(w->arena, text.s);
        w->out->texts[k] = (struct survey_text){.t = b->t, .cell = b->cell};
        w->out->texts[k].by =
            arena_array(w->arena, (size_t)w->request->ncompilers, sizeof *w->out->texts[k].by);
        w->out->ntexts++;
    }
    w->out->texts[k].ncells++;
    text_free(&text);
}

static void make_texts(struct survey_work *w) {
    size_t n = (size_t)w->request->ncells + 1;
    const struct cuda_traits traits = cuda_traits_of(w->request->arch);
    w->units = arena_array(w->arena, n, sizeof *w->units);
    w->out->texts = arena_array(w->arena, n, sizeof *w->out->texts);
    w->out->unfit = arena_array(w->arena, n, sizeof *w->out->unfit);
    for (int k = 0; k < w->request->ncells; k++)
        add_cell(w, &traits, &w->request->cells[k]);
}

/* ---- compiling ---- */

static uint64_t number_of(uint64_t h, const void *data, size_t n) {
    for (const unsigned char *s = data; n > 0; n--, s++)
        h = (h ^ *s) * 0x100000001b3u;
    return h;
}
static const uint64_t number_start = 0xcbf29ce484222325u;

/* Returns a hash of the instructions. Comments, versions and line numbers are left out, since they always
 * differ. */
static uint64_t number_of_ptx(const char *ptx) {
    static const char *const others[] = {"//", ".version", ".loc", ".file"};
    uint64_t h = number_start;
    for (const char *line = ptx; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *word = line + strspn(line, " \t");
        bool other = false;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            other = other || strncmp(word, others[k], strlen(others[k])) == 0;
        if (!other) h = number_of(h, word, strcspn(word, "\n"));
    }
    return h;
}

/* Returns the line that says what is wrong: the first error in a compiler's log, else the first line. */
static const char *reason_of(struct arena *a, const struct diag *d) {
    const char *line = diag_first_error(d), *log = strstr(line, ":\n");
    if (log && log + 2 == strchr(line, '\n') + 1) line = log + 2;
    const char *error = strstr(line, "rror");
    for (const char *next; error && (next = strchr(line, '\n')) && next < error;)
        line = next + 1;
    return arena_strndup(a, line, strcspn(line, "\n"));
}

/* If the compiler has no 16-byte operands but the text needs them, returns that as the reason, as a run does:
 * the error of an old NVRTC would help nobody. */
static const char *refuses(const struct survey_work *w, const struct survey_text *x, struct arena *a) {
    struct cuda_traits traits = cuda_traits_of(w->request->arch);
    struct diag ignored = {0};
    traits.narrow = !nvrtc_has_wide_operands(w->request->compilers[w->compiler].path, &ignored);
    diag_free(&ignored);
    return cuda_cannot(&traits, x->t, x->cell, a);
}

static void compile_text(const struct survey_work *w, struct survey_unit *u, const struct survey_text *x,
                         struct survey_code *code) {
    const struct nvrtc_source source = {.library = w->request->compilers[w->compiler].path,
                                        .ptxas = w->request->compilers[w->compiler].ptxas,
                                        .text = u->text,
                                        .name = x->t->name,
                                        .arch = w->request->arch,
                                        .lines = true,
                                        .stop = w->request->stop};
    struct text ptx = {0};
    struct diag d = {0};
    double begin = clock_now();
    bool made = nvrtc_cubin(&source, &ptx, &u->cubin, &u->size, &d);
    code->seconds = clock_now() - begin;
    const char *old = made ? NULL : nvrtc_too_old(&source, &d, u->arena);
    if (!made)
        code->refused = old ? old : reason_of(u->arena, &d);
    else if (!verify_ptx(x->t, x->cell, ptx.s, &u->ways, &d))
        code->wrong = reason_of(u->arena, &d);
    if (made) code->ptx = number_of_ptx(ptx.s);
    diag_free(&d);
    text_free(&ptx);
}

static void compile_texts(void *ctx, int first, int n) {
    const struct survey_work *w = ctx;
    for (int k = w->from + first; k < w->from + first + n; k++) {
        const struct survey_text *x = &w->out->texts[k];
        struct survey_unit *u = &w->units[k];
        struct survey_code *code = &x->by[w->compiler];
        u->arena = arena_open();
        code->refused = refuses(w, x, u->arena);
        if (!code->refused) compile_text(w, u, x, code);
        if (u->cubin && cubin_read(u->arena, u->cubin, u->size, &u->code)) {
            code->bytes = u->code.n * SASS_BYTES;
            code->code = number_of(number_start, u->code.bytes, (size_t)code->bytes);
            code->registers = cubin_registers(u->cubin, u->size);
        }
    }
}

/* ---- reading machine code ---- */

static void find_edges(struct survey_unit *u, const struct survey_text *x, const struct sass_kernel *kernel,
                       struct survey_code *code) {
    struct diag d = {0};
    int *operation = arena_array(u->arena, (size_t)kernel->n, sizeof *operation);
    if (verify_sass(x->t, x->cell, u->text, kernel, &u->ways, &d)) {
        verify_operations(x->t, x->cell, u->text, kernel, operation);
        u->nedges = waits_edges(u->arena, x->t, x->cell, kernel, operation, &u->edges);
    } else
        code->wrong = reason_of(u->arena, &d);
    diag_free(&d);
}

/* Machine codes that are read together, and the texts that they are of. */
struct survey_batch {
    const struct survey_work *work;
    struct cubin_code *codes;
    int *of;
};

/* Reads the codes of a batch. If the disassembler fails, some code is in its way, so each half is read
 * alone. */
static void read_batch(const struct survey_batch *b, int first, int n) {
    const struct survey_work *w = b->work;
    struct arena *a = arena_open();
    struct sass_kernel *kernels = arena_array(a, (size_t)n + 1, sizeof *kernels);
    bool read = n && sass_read(a, w->request->arch, b->codes + first, n, w->request->stop, kernels);
    for (int k = first; k < first + n && read; k++)
        find_edges(&w->units[b->of[k]], &w->out->texts[b->of[k]], &kernels[k - first],
                   &w->out->texts[b->of[k]].by[w->compiler]);
    arena_close(a);
    if (read || n == 0 || (w->request->stop && *w->request->stop)) return;
    if (n == 1) {
        w->out->texts[b->of[first]].by[w->compiler].wrong = "the disassembler cannot read this code";
        return;
    }
    read_batch(b, first, n / 2);
    read_batch(b, first + n / 2, n - n / 2);
}

static void read_codes(void *ctx, int first, int n) {
    const struct survey_work *w = ctx;
    struct arena *a = arena_open();
    struct survey_batch b = {w, arena_array(a, (size_t)n, sizeof *b.codes),
                             arena_array(a, (size_t)n, sizeof *b.of)};
    int m = 0;
    for (int k = w->from + first; k < w->from + first + n; k++)
        if (w->units[k].code.n && !w->out->texts[k].by[w->compiler].wrong) {
            b.of[m] = k;
            b.codes[m++] = w->units[k].code;
        }
    read_batch(&b, 0, m);
    arena_close(a);
}

/* ---- results ---- */

static struct survey_edge *find_edge(struct survey_work *w, const char *ptx) {
    struct survey *s = w->out;
    for (int k = 0; k < s->nedges; k++)
        if (strcmp(s->edges[k].ptx, ptx) == 0) return &s->edges[k];
    s->edges = arena_more(w->arena, s->edges, (size_t)s->nedges, sizeof *s->edges);
    s->edges[s->nedges] = (struct survey_edge){.ptx = arena_strdup(w->arena, ptx)};
    return &s->edges[s->nedges++];
}

static void add_test(struct arena *a, struct survey_edge *e, const struct test *t) {
    for (int k = 0; k < e->ntests; k++)
        if (e->tests[k] == t) return;
    e->tests = arena_more(a, e->tests, (size_t)e->ntests, sizeof *e->tests);
    e->tests[e->ntests++] = t;
}

static struct survey_form *find_form(struct survey_work *w, struct survey_edge *e, const char *machine,
                                     const char *awaited) {
    for (int k = 0; k < e->nforms; k++)
        if (strcmp(e->forms[k].machine, machine) == 0) return &e->forms[k];
    e->forms = arena_more(w->arena, e->forms, (size_t)e->nforms, sizeof *e->forms);
    e->forms[e->nforms] =
        (struct survey_form){arena_strdup(w->arena, machine), awaited,
                             arena_array(w->arena, (size_t)w->request->ncompilers, sizeof *e->forms->texts)};
    return &e->forms[e->nforms++];
}

static const char *keep(struct arena *a, const char *words) {
    return words ? arena_strdup(a, words) : NULL;
}

/* Copies what is needed out of a text's own arena, and frees that. */
static void settle_text(struct survey_work *w, int k) {
    struct survey_unit *u = &w->units[k];
    const struct survey_text *x = &w->out->texts[k];
    struct survey_code *code = &x->by[w->compiler];
    code->refused = keep(w->arena, code->refused);
    code->wrong = keep(w->arena, code->wrong);
    for (int i = 0; i < u->nedges; i++) {
        struct survey_edge *e = find_edge(w, u->edges[i].ptx);
        add_test(w->arena, e, x->t);
        find_form(w, e, u->edges[i].machine, u->edges[i].awaited)->texts[w->compiler]++;
    }
    ways_free(&u->ways);
    free(u->cubin);
    arena_close(u->arena);
    *u = (struct survey_unit){.text = u->text};
}

static bool is_stopped(const struct survey_request *r) {
    return r->stop && *r->stop;
}

/* Compiles all texts with one compiler, some at a time, so that progress can be reported. */
static void ask_compiler(struct survey_work *w) {
    enum { TOGETHER = 2 * READ_TOGETHER };
    const struct survey_request *r = w->request;
    for (w->from = 0; w->from < w->out->ntexts && !is_stopped(r); w->from += TOGETHER) {
        int left = w->out->ntexts - w->from, n = left < TOGETHER ? left : TOGETHER;
        if (r->progress) r->progress(&r->compilers[w->compiler], w->from, w->out->ntexts);
        pool_each(n, 1, compile_texts, w);
        if (!w->out->unread) pool_each(n, READ_TOGETHER, read_codes, w);
        for (int k = w->from; k < w->from + n; k++)
            settle_text(w, k);
    }
    nvrtc_close();
}

void cuda_survey(struct arena *a, const struct survey_request *r, struct survey *out) {
    struct survey_work w = {.arena = a, .request = r, .out = out};
    *out = (struct survey){0};
    if (!sass_disassembler())
        out->unread = "nvdisasm is neither in PATH nor in the CUDA toolkit's bin folder";
    make_texts(&w);
    for (w.compiler = 0; w.compiler < r->ncompilers && !is_stopped(r); w.compiler++)
        ask_compiler(&w);
    out->interrupted = is_stopped(r);
}
