#include "check/ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct listing_label {
    const char *name;
    int at;
};

/* The targets of an indirect branch: `name: .branchtargets a, b;` */
struct listing_table {
    const char *name, *targets;
};

struct listing_reader {
    struct arena *arena;
    struct ptx_instruction *code;
    const char **operands; /* of each instruction */
    bool *conditional;
    struct listing_label *labels;
    struct listing_table *tables;
    int n, cap, nlabels, ntables;
    bool in_asm; /* between the comments that NVRTC puts around inline asm */
    bool joined; /* another instruction of the same asm statement */
};

/* Whether an instruction accesses memory that threads share, or is a fence or a barrier. */
static bool is_memory(const char *name) {
    static const char *const kinds[] = {"ld.",  "st.",      "atom.",     "red.", "fence.",   "membar.",
                                        "bar.", "barrier.", "mbarrier.", "cp.",  "multimem."};
    static const char *const own[] = {".param", ".local", ".const", ".nc"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strstr(name, own[i])) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0) return true;
    return strncmp(name, "call", 4) == 0;
}

static struct ptx_instruction *new_instruction(struct listing_reader *r, int line) {
    if (r->n == r->cap) {
        size_t cap = 2 * (size_t)r->cap + 256, n = (size_t)r->n;
        r->code = arena_grow(r->arena, r->code, n, cap, sizeof *r->code);
        r->operands = arena_grow(r->arena, r->operands, n, cap, sizeof *r->operands);
        r->conditional = arena_grow(r->arena, r->conditional, n, cap, sizeof *r->conditional);
        r->cap = (int)cap;
    }
    r->code[r->n].line = line;
    return &r->code[r->n++];
}

/* Adds one statement, without its comment: "@%p1 bra $L1;" */
static void add_instruction(struct listing_reader *r, char *s, int op, int line) {
    bool conditional = *s == '@';
    if (conditional) {
        s += strcspn(s, " \t");
        s += strspn(s, " \t");
    }
    size_t len = strcspn(s, " \t;");
    char *name = arena_strndup(r->arena, s, len);
    if (r->joined) {
        struct ptx_instruction *last = &r->code[r->n - 1];
        last->name = arena_printf(r->arena, "%s %s", last->name, name);
        last->memory = last->memory || is_memory(name);
        if (op) last->op = op;
        return;
    }
    struct ptx_instruction *i = new_instruction(r, line);
    i->name = name;
    i->op = op;
    i->memory = is_memory(name);
    r->operands[r->n - 1] = arena_strdup(r->arena, s + len);
    r->conditional[r->n - 1] = conditional;
    r->joined = r->in_asm;
}

/* "$L1:" or "$L_brx_0: .branchtargets" */
static bool add_label(struct listing_reader *r, const char *s) {
    size_t len = strcspn(s, ": \t(;");
    if (len == 0 || s[len] != ':' || s[len + 1] == ':') return false; /* not ".shared::cluster" */
    const char *name = arena_strndup(r->arena, s, len), *targets = strstr(s, ".branchtargets");
    if (targets) {
        r->tables =
            arena_grow(r->arena, r->tables, (size_t)r->ntables, (size_t)r->ntables + 1, sizeof *r->tables);
        r->tables[r->ntables++] = (struct listing_table){name, arena_strdup(r->arena, targets + 14)};
        return true;
    }
    r->labels =
        arena_grow(r->arena, r->labels, (size_t)r->nlabels, (size_t)r->nlabels + 1, sizeof *r->labels);
    r->labels[r->nlabels++] = (struct listing_label){name, r->n};
    return true;
}

static void read_line(struct listing_reader *r, char *s, int line) {
    s += strspn(s, " \t");
    if (strncmp(s, "// begin inline asm", 19) == 0) r->in_asm = true, r->joined = false;
    if (strncmp(s, "// end inline asm", 17) == 0) r->in_asm = r->joined = false;
    char *comment = strstr(s, "//");
    int op = 0;
    if (comment) {
        *comment = '\0';
        if (strncmp(comment + 1, "/ op ", 5) == 0) op = atoi(comment + 6);
    }
    if (*s == '\0' || *s == '.' || *s == '{' || *s == '}' || *s == '(' || *s == ')' || add_label(r, s))
        return;
    if (isalpha((unsigned char)*s) || *s == '@') add_instruction(r, s, op, line);
}

static int find_label(const struct listing_reader *r, const char *name, size_t len) {
    for (int l = 0; l < r->nlabels; l++)
        if (strlen(r->labels[l].name) == len && memcmp(r->labels[l].name, name, len) == 0)
            return r->labels[l].at;
    return r->n;
}

/* All labels of a comma list. */
static int *find_targets(const struct listing_reader *r, const char *list, int fallthrough, int *n) {
    int *next = arena_array(r->arena, strlen(list) + 2, sizeof *next);
    *n = 0;
    for (const char *s = list; *(s += strspn(s, " \t,;")); s += strcspn(s, " \t,;"))
        next[(*n)++] = find_label(r, s, strcspn(s, " \t,;"));
    if (fallthrough >= 0) next[(*n)++] = fallthrough;
    return next;
}

static const char *find_table(const struct listing_reader *r, const char *operands) {
    for (int t = 0; t < r->ntables; t++)
        if (strstr(operands, r->tables[t].name)) return r->tables[t].targets;
    return "";
}

/* Finds where control may go from each instruction. */
static void connect(struct listing_reader *r) {
    for (int k = 0; k < r->n; k++) {
        struct ptx_instruction *i = &r->code[k];
        int through = k + 1;
        const char *targets = "";
        if (strcmp(i->name, "bra") == 0 || strcmp(i->name, "bra.uni") == 0)
            targets = r->operands[k];
        else if (strncmp(i->name, "brx.idx", 7) == 0)
            targets = find_table(r, r->operands[k]);
        else if (strcmp(i->name, "ret") == 0 || strcmp(i->name, "exit") == 0 || strcmp(i->name, "trap") == 0)
            targets = "(end)"; /* no label's name */
        if (*targets && !r->conditional[k]) through = -1;
        i->next = find_targets(r, targets, through, &i->nnext);
    }
}

/* The line after the one in which the kernel's body opens, or NULL. */
static const char *find_body(const char *ptx, const char *entry) {
    size_t len = strlen(entry);
    for (const char *s = ptx; (s = strstr(s, ".entry ")) != NULL;) {
        s += 7;
        if (strncmp(s, entry, len) == 0 && s[len] == '(') return strstr(s, "\n{");
    }
    return NULL;
}

struct ptx_kernel ptx_read(struct arena *a, const char *ptx, const char *entry) {
    struct listing_reader r = {.arena = a};
    const char *s = find_body(ptx, entry);
    int line = 1;
    for (const char *c = ptx; s && c < s; c++)
        line += *c == '\n';
    while (s && *s) { /* the body ends at a brace in the first column */
        size_t len = strcspn(++s, "\n");
        line++;
        if (*s == '}') break;
        read_line(&r, arena_strndup(a, s, len), line);
        s += len;
    }
    connect(&r);
    return (struct ptx_kernel){r.code, r.n};
}
