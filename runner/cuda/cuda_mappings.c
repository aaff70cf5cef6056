#include "cuda/cuda_mappings.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "check/strength.h"
#include "compile/nvrtc.h"

/* How many kernels are given to the disassembler at once. */
enum { READ_TOGETHER = 400 };

struct mapper {
    struct arena *arena;
    const struct mappings_request *request;
    struct mappings *out;
    struct probe *probes; /* of each mapping */
    const struct compiler_choice *compiler;
    const char *arch;
    int column; /* the index of this compiler and architecture in `by` */
};

/* Probes that are compiled together, by their numbers. */
struct probe_group {
    int *of, n;
};

static struct mapping_code *code_of(const struct mapper *m, int k) {
    return &m->out->list[k].by[m->column];
}

static bool is_stopped(const struct mapper *m) {
    return m->request->stop && *m->request->stop;
}

/* ---- which ones ---- */

static struct mapping mapping_of(struct arena *a, const struct probe *p, size_t ncolumns) {
    bool fence = p->row->kind == OP_FENCE;
    return (struct mapping){
        .spelling = probe_spelling_name(p->spelling),
        .written = p->written,
        .statement = p->statement,
        .operation = p->operation,
        .order = order_name(p->asked.order),
        .scope = p->asked.scope && p->asked.order != ORDER_VOLATILE ? scope_name(p->asked.scope) : "",
        .type = fence ? "" : type_ptx(p->type),
        .space = p->space,
        .machine_word = p->row->kind == OP_RMW ? p->row->machine_word : NULL,
        .by = arena_array(a, ncolumns, sizeof(struct mapping_code))};
}

/* Whether a mapping is asked for: the filter matches its spelling, operation, order, scope, type, space and
 * statement, as in "libcu++ add acquire block s32 global ...". */
static bool is_wanted(const struct mapper *m, const struct mapping *x, const regex_t *filter) {
    const char *words = arena_printf(m->arena, "%s %s %s %s %s %s %s", x->spelling, x->operation, x->order,
                                     x->scope, x->type, x->space, x->statement);
    bool libcuxx = strcmp(x->spelling, probe_spelling_name(PROBE_LIBCUXX)) == 0;
    if (libcuxx && m->request->nfolders == 0) return false;
    return !filter || regexec(filter, words, 0, NULL, 0) == 0;
}

static void choose_probes(struct mapper *m) {
    int n;
    regex_t filter;
    const char *pattern = m->request->filter;
    bool filtered = pattern && regcomp(&filter, pattern, REG_EXTENDED | REG_NOSUB) == 0;
    struct probe *all = probes_list(m->arena, m->request->all, &n);
    size_t ncolumns = (size_t)m->request->ncompilers * (size_t)m->request->narchs;
    m->probes = arena_array(m->arena, (size_t)n + 1, sizeof *m->probes);
    m->out->list = arena_array(m->arena, (size_t)n + 1, sizeof *m->out->list);
    for (int k = 0; k < n; k++) {
        struct mapping x = mapping_of(m->arena, &all[k], ncolumns);
        if (!is_wanted(m, &x, filtered ? &filter : NULL)) continue;
        m->probes[m->out->n] = all[k];
        m->out->list[m->out->n++] = x;
    }
    if (filtered) regfree(&filter);
}

/* ---- machine code ---- */

static int number_of(const char *kernel, int n) {
    int k = kernel[0] == 'm' ? atoi(kernel + 1) : -1;
    return k < n ? k : -1;
}

static void take_machine(struct mapper *m, int probe, const struct strength_code *ptx,
                         const struct sass_kernel *kernel) {
    struct mapping_code *code = code_of(m, probe);
    struct strength_machine found = strength_machine_of(m->arena, ptx, &m->probes[probe], kernel);
    code->machine = found.words;
    if (!code->weak && found.lacks) code->weak = arena_printf(m->arena, "machine code: %s", found.lacks);
}

/* Reads some kernels of a cubin. */
static void read_kernels(struct mapper *m, const struct probe_group *g, const struct strength_code *ptx,
                         const struct cubin_kernel *kernels, int n) {
    struct arena *a = arena_open();
    struct cubin_code *codes = arena_array(a, (size_t)n, sizeof *codes);
    struct sass_kernel *read = arena_array(a, (size_t)n, sizeof *read);
    for (int k = 0; k < n; k++)
        codes[k] = kernels[k].code;
    if (sass_read(a, m->arch, codes, n, m->request->stop, read))
        for (int k = 0; k < n; k++) {
            int number = number_of(kernels[k].name, g->n);
            if (number >= 0) take_machine(m, g->of[number], &ptx[number], &read[k]);
        }
    arena_close(a);
}

static void read_cubin(struct mapper *m, const struct probe_group *g, const struct strength_code *ptx,
                       const void *cubin, size_t size) {
    struct arena *a = arena_open();
    struct cubin_kernel *kernels;
    int n = cubin_kernels(a, cubin, size, &kernels);
    for (int k = 0; k < n && !m->out->unread && !is_stopped(m); k += READ_TOGETHER)
        read_kernels(m, g, ptx, kernels + k, n - k < READ_TOGETHER ? n - k : READ_TOGETHER);
    arena_close(a);
}

/* ---- PTX ---- */

static void take_ptx(struct mapper *m, int probe, struct strength_code code) {
    const char *lacks = strength_lacks(m->arena, &code, &m->probes[probe]);
    code_of(m, probe)->ptx = strength_words(m->arena, &code, false);
    code_of(m, probe)->addressed = strength_words(m->arena, &code, true);
    if (lacks) code_of(m, probe)->weak = arena_printf(m->arena, "PTX: %s", lacks);
}

/* Reads the steps of each kernel in a PTX text. */
static struct strength_code *read_ptx(struct mapper *m, struct arena *a, const struct probe_group *g,
                                      const char *text) {
    struct ptx_code code = ptx_read_text(a, text);
    struct strength_code *found = arena_array(a, (size_t)g->n, sizeof *found);
    for (int k = 0, next; k < code.n; k = next) {
        next = k + 1;
        if (code.statements[k].kind != PTX_FUNCTION) continue;
        while (next < code.n && code.statements[next].kind != PTX_FUNCTION)
            next++;
        int number = number_of(code.statements[k].function->name, g->n);
        if (number < 0) continue;
        found[number] = strength_read(a, &code, k + 1, next, &m->probes[g->of[number]]);
        take_ptx(m, g->of[number], found[number]);
    }
    return found;
}

/* ---- compiling ---- */

/* Returns the line of a compiler's log with an error about kernel `number`, such as "mappings(12): error:
 * ..."; NULL: there is none. */
static const char *find_error(const char *log, int number) {
    char head[48];
    snprintf(head, sizeof head, "mappings(%d): error", PROBE_LINE + number);
    return strstr(log, head);
}

static const char *line_at(struct arena *a, const char *s) {
    const char *words = strstr(s, "rror: ");
    if (words && words < s + strcspn(s, "\n")) s = words + strlen("rror: ");
    return arena_strndup(a, s, strcspn(s, "\n"));
}

static void compile_group(struct mapper *m, struct probe_group g);

/* If the line says that a name is undefined, returns the name and what stands behind it where it is called;
 * else NULL. */
static const char *undefined_name(struct arena *a, const char *line) {
    static const char begin[] = "identifier \"";
    const char *name = strstr(line, begin), *end = name ? strstr(name, "\" is undefined") : NULL;
    if (!end) return NULL;
    name += strlen(begin);
    return arena_printf(a, "%.*s(", (int)(end - name), name);
}

/* Marks a probe as refused. If the error is an undefined name, marks all probes that call it, too, because
 * the compiler gives up after some errors. */
static void refuse(struct mapper *m, const struct probe_group *g, int k, const char *line) {
    const char *name = undefined_name(m->arena, line);
    code_of(m, g->of[k])->refused = line;
    for (int i = 0; i < g->n && name; i++)
        if (strstr(m->probes[g->of[i]].statement, name)) code_of(m, g->of[i])->refused = line;
}

/* Handles a text that did not compile. The kernels that the compiler complains of are refused, and the others
 * are compiled again. If it names no kernel, the text is cut in two. */
static void compile_less(struct mapper *m, struct probe_group g, const struct diag *d) {
    const char *log = diag_first_error(d);
    struct probe_group rest = {arena_array(m->arena, (size_t)g.n, sizeof *rest.of), 0};
    for (int k = 0; k < g.n; k++) {
        const char *error = find_error(log, k);
        if (error) refuse(m, &g, k, line_at(m->arena, error));
    }
    for (int k = 0; k < g.n; k++)
        if (!code_of(m, g.of[k])->refused) rest.of[rest.n++] = g.of[k];
    if (rest.n < g.n) {
        compile_group(m, rest);
    } else if (g.n == 1) {
        const char *error = strstr(log, "rror");
        while (error && error > log && error[-1] != '\n')
            error--;
        code_of(m, g.of[0])->refused = line_at(m->arena, error ? error : log);
    } else {
        compile_group(m, (struct probe_group){g.of, g.n / 2});
        compile_group(m, (struct probe_group){g.of + g.n / 2, g.n - g.n / 2});
    }
}

static void write_group(const struct mapper *m, const struct probe_group *g, struct arena *a,
                        struct text *out) {
    const struct probe **probes = arena_array(a, (size_t)g->n, sizeof *probes);
    for (int k = 0; k < g->n; k++)
        probes[k] = &m->probes[g->of[k]];
    probes_write(out, probes, g->n);
}

static void compile_group(struct mapper *m, struct probe_group g) {
    static const char *const no_folders[] = {NULL}; /* only so that nvcc_compile takes it: this is no cell */
    struct arena *a = arena_open();
    struct text text = {0}, ptx = {0};
    struct diag d = {0};
    void *cubin = NULL;
    size_t size = 0;
    if (g.n && !is_stopped(m)) {
        write_group(m, &g, a, &text);
        const struct nvrtc_source source = {.library = m->compiler->path,
                                            .ptxas = m->compiler->ptxas,
                                            .text = text.s,
                                            .name = "mappings",
                                            .arch = m->arch,
                                            .folders =
                                                m->request->nfolders ? m->request->folders : no_folders,
                                            .nfolders = m->request->nfolders,
                                            .seconds = 600,
                                            .stop = m->request->stop};
        if (nvrtc_cubin(&source, &ptx, &cubin, &size, &d))
            read_cubin(m, &g, read_ptx(m, a, &g, ptx.s), cubin, size);
        else if (!is_stopped(m))
            compile_less(m, g, &d);
    }
    free(cubin);
    diag_free(&d);
    text_free(&ptx);
    text_free(&text);
    arena_close(a);
}

/* Compiles one text for each spelling, because only libcu++ needs headers. */
static void compile_spelling(struct mapper *m, enum probe_spelling s) {
    struct probe_group g = {arena_array(m->arena, (size_t)m->out->n + 1, sizeof *g.of), 0};
    int cc = atoi(m->arch + strlen("sm_"));
    for (int k = 0; k < m->out->n; k++) {
        if (m->probes[k].spelling != s) continue;
        if (probe_is_had(&m->probes[k], cc))
            g.of[g.n++] = k;
        else
            code_of(m, k)->absent = "the architecture does not have it";
    }
    compile_group(m, g);
}

/* Whether the compiler knows the architecture. If it does not, it has no code for it. */
static bool knows_arch(struct mapper *m) {
    struct diag ignored = {0};
    bool knows = nvrtc_compiles_for(m->compiler->path, atoi(m->arch + strlen("sm_")), &ignored);
    for (int k = 0; k < m->out->n && !knows; k++)
        code_of(m, k)->absent = "the compiler does not know the architecture";
    diag_free(&ignored);
    return knows;
}

void cuda_mappings(struct arena *a, const struct mappings_request *r, struct mappings *out) {
    struct mapper m = {.arena = a, .request = r, .out = out};
    *out = (struct mappings){0};
    if (!sass_disassembler())
        out->unread = "nvdisasm is neither in PATH nor in the CUDA toolkit's bin folder";
    choose_probes(&m);
    for (int c = 0; c < r->ncompilers; c++)
        for (int k = 0; k < r->narchs && !is_stopped(&m); k++) {
            m.compiler = &r->compilers[c];
            m.arch = r->archs[k];
            m.column = c * r->narchs + k;
            if (r->progress) r->progress(m.compiler, m.arch);
            for (enum probe_spelling s = PROBE_CUDA; s <= PROBE_PTX && knows_arch(&m); s++)
                compile_spelling(&m, s);
        }
    nvrtc_close();
    out->interrupted = is_stopped(&m);
}
