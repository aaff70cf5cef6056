#include "source/guess.h"

#include <ctype.h>
#include <string.h>

#include "base/source.h"
#include "litmus/type.h"
#include "ptx/ptx.h"

/* The number of elements, and of bytes, of a location of which nothing else is known. */
enum { ELEMENTS = 4, BYTES = 64 };

/* A parameter of the kernel, with its types in the source and in PTX. */
struct guess_parameter {
    const char *name;     /* the name for its location or value */
    const char *type;     /* as in the source, "const int *"; NULL: unknown */
    const char *ptx;      /* its name in PTX */
    const char *ptx_type; /* such as "u64" */
    int bytes;            /* the size of a struct by value; 0: it is none */
};

struct guess {
    struct arena *arena;
    const struct compile_request *request;
    const struct ptx_code *code;
    int entry; /* the index of the kernel's head among the statements */
    struct guess_parameter *parameters;
    int nparameters;
    struct text memory, args;
    const char *condition; /* an expression to ask about; NULL: nothing suggests one */
};

/* ---- the names in the source ---- */

static const char *trim(struct arena *a, const char *s, size_t len) {
    while (len > 0 && isspace((unsigned char)*s))
        s++, len--;
    while (len > 0 && isspace((unsigned char)s[len - 1]))
        len--;
    return arena_strndup(a, s, len);
}

/* Returns "f" for "ns::f<4, float>" and for "f(int *)". */
static const char *bare_name(struct arena *a, const char *kernel) {
    size_t len = strcspn(kernel, "<(");
    const char *begin = kernel;
    for (const char *s = kernel; (s = memmem(s, len - (size_t)(s - kernel), "::", 2));)
        begin = s += 2;
    return trim(a, begin, len - (size_t)(begin - kernel));
}

/* Takes the next parameter from a list; NULL: there is none. Commas within <> and () do not separate. */
static const char *next_parameter(struct arena *a, const char **list) {
    int depth = 0;
    const char *begin = *list, *s = begin;
    while (*s && !(*s == ',' && depth == 0)) {
        depth += (*s == '<' || *s == '(' || *s == '[') - (*s == '>' || *s == ')' || *s == ']');
        s++;
    }
    *list = *s ? s + 1 : s;
    return s > begin ? trim(a, begin, (size_t)(s - begin)) : NULL;
}

/* Splits "const int *__restrict__ in" into its name and its type. */
static void read_declarator(struct arena *a, const char *text, struct guess_parameter *out) {
    size_t end = strcspn(text, "=["), begin;
    while (end > 0 && isspace((unsigned char)text[end - 1]))
        end--;
    for (begin = end; begin > 0 && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_');)
        begin--;
    if (begin == 0 || begin == end) return;
    out->name = arena_strndup(a, text + begin, end - begin);
    out->type = trim(a, text, begin);
}

/* Adds a text without its blanks. */
static void add_packed(struct text *out, const char *s) {
    for (; *s; s++)
        if (!isspace((unsigned char)*s)) text_add_n(out, s, 1);
}

/* Whether "f(int *)" names the overload with these parameters. A name without parameters names any. */
static bool is_overload(const struct guess *g, const char *kernel) {
    const char *open = kernel ? strchr(kernel, '(') : NULL;
    struct text types = {0}, wanted = {0};
    if (!open) return true;
    add_packed(&wanted, open);
    text_add(&types, "(");
    for (int i = 0; i < g->nparameters; i++) {
        text_add(&types, i ? "," : "");
        add_packed(&types, g->parameters[i].type ? g->parameters[i].type : "");
    }
    text_add(&types, ")");
    bool same = strcmp(types.s, wanted.s) == 0;
    text_free(&types);
    text_free(&wanted);
    return same;
}

/* Names the parameters as the declaration with the same number of parameters does. */
static void name_parameters(struct guess *g, const char *source, const char *kernel) {
    struct compile_declaration *found;
    int n = compile_declarations(g->arena, source, &found);
    for (int i = 0; i < n; i++) {
        const char *list = found[i].parameters, *text;
        int k = 0;
        if (kernel && strcmp(found[i].name, bare_name(g->arena, kernel)) != 0) continue;
        for (; (text = next_parameter(g->arena, &list)); k++)
            if (k < g->nparameters) read_declarator(g->arena, text, &g->parameters[k]);
        if (k == g->nparameters && is_overload(g, kernel)) return;
    }
}

/* ---- the kernel in PTX ---- */

/* Returns the index of a kernel's head; -1: there is none. */
static int find_entry(const struct ptx_code *code, const char *name) {
    for (int i = 0; i < code->n; i++) {
        const struct ptx_function *f =
            code->statements[i].kind == PTX_FUNCTION ? code->statements[i].function : NULL;
        bool entry = false;
        for (int k = 0; f && k < f->nwords; k++)
            entry = entry || ptx_is_word(&f->words[k], "entry");
        if (entry && !f->prototype && (!name || strcmp(f->name, name) == 0)) return i;
    }
    return -1;
}

static void read_parameters(struct guess *g) {
    const struct ptx_function *f = g->code->statements[g->entry].function;
    g->parameters = arena_array(g->arena, (size_t)f->nparameters + 1, sizeof *g->parameters);
    for (int i = 0; i < f->nparameters; i++) {
        const struct ptx_variable *v = &f->parameters[i];
        const struct ptx_name *name = &v->names[0];
        g->parameters[g->nparameters++] =
            (struct guess_parameter){.name = arena_printf(g->arena, "p%d", i),
                                     .ptx = name->text,
                                     .ptx_type = v->words[v->nwords - 1].text,
                                     .bytes = name->ndimensions ? name->dimensions[0] : 0};
    }
}

/* Returns the kernel's instructions one after another; NULL behind the last. */
static const struct ptx_instruction *next_instruction(const struct guess *g, int *at) {
    for (int i = *at + 1; i < g->code->n; i++) {
        const struct ptx_statement *s = &g->code->statements[i];
        if (s->kind == PTX_FUNCTION && !s->function->prototype) break;
        *at = i;
        if (s->kind == PTX_INSTRUCTION) return s->instruction;
    }
    return NULL;
}

/* Whether the threads of a block cooperate. */
static bool needs_block(const struct guess *g) {
    static const char *const words[] = {"bar", "barrier", "shfl", "vote", "match", "redux"};
    const struct ptx_instruction *in;
    for (int at = g->entry; (in = next_instruction(g, &at));)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (ptx_is(in, words[k])) return true;
    return false;
}

/* ---- the test ---- */

/* Returns the type that a pointer points to, or that an atomic holds, as tests write it; NULL: unknown. */
static const char *pointed_type(const char *type) {
    static const char *const dropped[] = {"const", "volatile", "__restrict__", "__restrict", "std", "cuda"};
    struct text words = {0};
    struct type found;
    const char *atomic = strstr(type, "atomic<");
    for (const char *s = atomic ? atomic + strlen("atomic<") : type; *s && !strchr("*,>", *s);) {
        size_t len = 0;
        while (isalnum((unsigned char)s[len]) || s[len] == '_')
            len++;
        bool drop = len == 0;
        for (size_t k = 0; k < sizeof dropped / sizeof *dropped; k++)
            drop = drop || (strlen(dropped[k]) == len && strncmp(s, dropped[k], len) == 0);
        if (!drop) text_printf(&words, "%s%.*s", words.len ? " " : "", (int)len, s);
        s += len ? len : 1;
    }
    const char *name = words.len && type_find(words.s, &found) ? type_name(found) : NULL;
    text_free(&words);
    return name;
}

static void add_location(struct guess *g, const char *name, const char *type) {
    const char *element = type ? pointed_type(type) : NULL;
    text_printf(&g->memory, "  %s: {type: %s, count: %d}", name, element ? element : "unsigned",
                element ? ELEMENTS : BYTES / 4);
    if (type && !element) text_printf(&g->memory, " # %s: %d bytes, from the first on", type, BYTES);
    text_add(&g->memory, "\n");
    if (!g->condition) g->condition = arena_printf(g->arena, "%s[0]", name);
}

/* Returns which byte of a parameter an instruction loads; -1: none. */
static long long loaded_byte(const struct ptx_instruction *in, const struct guess_parameter *p) {
    if (!ptx_is(in, "ld") || ptx_find_word(in, "param") < 0 || in->noperands < 2) return -1;
    const struct ptx_operand *address = &in->operands[1];
    const struct ptx_operand *base = address->nparts > 0 ? &address->parts[0] : address;
    if (!base->text || strcmp(base->text, p->ptx) != 0) return -1;
    const struct ptx_operand *offset = base->offset ? base->offset : address->offset;
    return offset ? (long long)offset->bits : 0;
}

/* Writes a struct by value, as the values that the kernel loads of it. A word of 64 bits may be an
 * address. */
static void add_struct(struct guess *g, const struct guess_parameter *p) {
    const struct ptx_instruction *in;
    const char **types = arena_array(g->arena, (size_t)p->bytes, sizeof *types), *before = ", at: {";
    for (int at = g->entry; (in = next_instruction(g, &at));) {
        long long byte = loaded_byte(in, p);
        if (byte >= 0 && byte < p->bytes) types[byte] = in->words[in->nwords - 1].text;
    }
    text_printf(&g->args, "{bytes: %d", p->bytes);
    for (int byte = 0; byte < p->bytes; byte++) {
        if (!types[byte]) continue;
        const char *value = arena_printf(g->arena, "%s 1", types[byte]);
        if (strchr(types[byte], '6')) {
            value = arena_printf(g->arena, "%s_%d", p->name, byte);
            add_location(g, value, NULL);
        }
        text_printf(&g->args, "%s%d: %s", before, byte, value);
        before = ", ";
    }
    text_add(&g->args, strcmp(before, ", ") == 0 ? "}}" : "}");
}

static void add_parameter(struct guess *g, const struct guess_parameter *p) {
    bool address = strchr(p->ptx_type, '6') && (!p->type || strchr(p->type, '*'));
    if (g->args.len) text_add(&g->args, ", ");
    if (p->bytes) {
        add_struct(g, p);
    } else if (address) {
        add_location(g, p->name, p->type);
        text_add(&g->args, p->name);
    } else {
        text_add(&g->args, *p->ptx_type == 'f' ? "1.0f" : "1");
    }
}

static const char *name_test(struct arena *a, const char *source) {
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source;
    char *name = arena_strndup(a, base, strcspn(base, "."));
    for (char *s = name; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("_+-", *s)) *s = '-';
    return isalnum((unsigned char)*name) ? name : arena_printf(a, "test%s", name);
}

/* Returns a text in quotes, as YAML writes it. */
static const char *quote(struct arena *a, const char *text) {
    struct text quoted = {0};
    for (; *text; text++)
        text_add(&quoted, *text == '\'' ? "''" : (char[]){*text, '\0'});
    const char *result = arena_printf(a, "'%s'", quoted.s ? quoted.s : "");
    text_free(&quoted);
    return result;
}

static void add_words(struct guess *g, struct text *out, const char *key, const struct compile_word *words,
                      int n) {
    for (int i = 0; i < n; i++)
        text_printf(out, "%s%s", i ? ", " : arena_printf(g->arena, "    %s: [", key),
                    quote(g->arena, words[i].text));
    if (n) text_add(out, "]\n");
}

static void write_test(struct guess *g, struct text *out) {
    const struct compile_request *r = g->request;
    for (int i = 0; i < g->nparameters; i++)
        add_parameter(g, &g->parameters[i]);
    text_add(out, "# A guess, to be completed: the elements of each location, the blocks and threads, the "
                  "arguments, and above\n"
                  "# all the condition.\n");
    text_printf(out, "name: %s\n", name_test(g->arena, r->source.text));
    text_printf(out, "memory:%s\n%s", g->memory.len ? "" : " {}", g->memory.len ? g->memory.s : "");
    text_printf(out, "threads:\n  kernel:\n    source: %s\n", quote(g->arena, r->source.text));
    if (r->kernel.text) text_printf(out, "    kernel: %s\n", quote(g->arena, r->kernel.text));
    if (r->arch.text) text_printf(out, "    arch: %s\n", quote(g->arena, r->arch.text));
    if (r->std.text) text_printf(out, "    std: %s\n", r->std.text);
    add_words(g, out, "define", r->defines, r->ndefines);
    add_words(g, out, "include", r->includes, r->nincludes);
    text_printf(out, "    grid: 2\n    block: %d\n    args: [%s]\n", needs_block(g) ? 2 : 1,
                g->args.len ? g->args.s : "");
    text_printf(out, "placements: [device]\n# What must not happen:\nexists: %s == 1\n",
                g->condition ? g->condition : "'a location' == 1");
}

bool guess_test(struct arena *a, const struct compile_request *r, struct text *out, struct diag *d) {
    struct compile_result compiled;
    struct source source;
    bool fine = compile_kernel(a, r, &compiled, d);
    if (compiled.missing) diag_error(d, r->test, r->source.pos, "%s", compiled.missing);
    if (!fine) return false;
    const char *path = arena_printf(a, "%s%s", *r->source.text == '/' ? "" : compile_folder(a, r->test->path),
                                    r->source.text);
    if (!source_load(a, path, &source, d)) return false;
    struct ptx_code code = ptx_read_text(a, compiled.ptx);
    struct guess g = {.arena = a, .request = r, .code = &code, .entry = find_entry(&code, compiled.entry)};
    if (g.entry < 0) {
        diag_error(d, r->test, r->kernel.pos, "'%s' has no kernel%s%s", r->source.text,
                   compiled.entry ? " " : " that is no template", compiled.entry ? compiled.entry : "");
        return false;
    }
    read_parameters(&g);
    name_parameters(&g, source.text, r->kernel.text);
    write_test(&g, out);
    text_free(&g.memory);
    text_free(&g.args);
    return true;
}
