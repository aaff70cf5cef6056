/* The kernels of a source, by their names in C++ and in PTX.
 *
 * A name in C++, "f<4, float>", is not the name in PTX. So the text that includes the source has a variable
 * with the address of the kernel, or for NVRTC, which has none, a kernel that stores the address: that makes
 * the compiler instantiate a template, and say in PTX what the instance is called. */
#include <ctype.h>
#include <string.h>

#include "compile/job.h"

static void blank(char *from, const char *to) {
    for (; from < to; from++)
        if (*from != '\n') *from = ' ';
}

/* Blanks the declaration ".visible .entry f ( ... ) ;", which has no body. */
static void take_declaration(char *head) {
    char *close = strstr(head, "\n)");
    if (!close) return;
    char *end = close + 2 + strspn(close + 2, " \n");
    if (*end == ';') blank(head, end + 1);
}

static char *line_of(char *ptx, char *at) {
    while (at > ptx && at[-1] != '\n')
        at--;
    return at;
}

/* Blanks ".entry culitmus_entry(...) { ... mov.u64 %rd2, _Z1fPi; ... }" and returns "_Z1fPi"; NULL: it is not
 * there. */
static const char *take_function(struct arena *a, char *ptx) {
    char *head = strstr(ptx, ".entry " JOB_ENTRY "("), *end = head ? strstr(head, "\n}") : NULL;
    for (char *move = head; end && (move = strstr(move, "mov.")) && move < end; move++) {
        const char *name = move + strcspn(move, ",\n");
        name += strspn(name, ", ");
        if (!isalpha((unsigned char)*name) && *name != '_' && *name != '$') continue;
        const char *entry = arena_strndup(a, name, strcspn(name, ";\n"));
        blank(line_of(ptx, head), end + 2);
        return entry;
    }
    return NULL;
}

/* The same for "culitmus_entry = _Z1fPi;". */
static const char *take_variable(struct arena *a, char *ptx) {
    static const char variable[] = " " JOB_ENTRY " = ";
    char *found = strstr(ptx, variable);
    if (!found) return NULL;
    const char *name = found + strlen(variable);
    const char *entry = arena_strndup(a, name, strcspn(name, ";\n"));
    char *line = line_of(ptx, found);
    blank(line, line + strcspn(line, "\n"));
    return entry;
}

const char *entry_take(struct arena *a, char *ptx) {
    const char *entry = take_variable(a, ptx);
    if (!entry) entry = take_function(a, ptx);
    if (!entry) return NULL;
    for (char *head = ptx; (head = strstr(head, ".entry ")); head++)
        take_declaration(head);
    /* may stand before the .entry that is blanked */
    static const char *const before[] = {".visible ", ".weak "};
    for (size_t k = 0; k < sizeof before / sizeof *before; k++)
        for (char *head = ptx; (head = strstr(head, before[k]));) {
            char *next = head + strlen(before[k]);
            if (*next == ' ' || *next == '\n') blank(head, next);
            head = next;
        }
    return entry;
}

/* A kernel f outside namespaces is called "f" if it is extern "C", else "_Z1f" and its parameters. "_Z1fI"
 * begins a template's name. */
const char *entry_find(struct arena *a, const char *ptx, const char *kernel) {
    static const char head[] = ".entry ";
    const char *mangled = arena_printf(a, "_Z%zu%s", strlen(kernel), kernel), *found = NULL;
    for (const char *s = ptx; (s = strstr(s, head));) {
        s += strlen(head);
        size_t len = strcspn(s, "( \n"), cpp = strlen(mangled);
        bool same = len == strlen(kernel) && strncmp(s, kernel, len) == 0;
        if (!same && (strncmp(s, mangled, cpp) != 0 || s[cpp] == 'I')) continue;
        if (found) return NULL;
        found = arena_strndup(a, s, len);
    }
    return found;
}

/* ---- in C++ ---- */

static void blank_comments(char *s) {
    while ((s = strchr(s, '/'))) {
        char *from = s;
        if (s[1] == '/') {
            s += strcspn(s, "\n");
        } else if (s[1] == '*') {
            char *end = strstr(s + 2, "*/");
            s = end ? end + 2 : s + strlen(s);
        } else {
            s++;
            continue;
        }
        blank(from, s);
    }
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the parenthesis that closes the one at `open`; NULL: none does. */
static const char *find_close(const char *open) {
    int depth = 0;
    for (const char *s = open; *s; s++) {
        depth += (*s == '(') - (*s == ')');
        if (depth == 0) return s;
    }
    return NULL;
}

/* Reads a declaration behind __global__: the kernel's name stands before the first parenthesis that does not
 * belong to an attribute such as __launch_bounds__(128). */
static bool read_declaration(struct arena *a, const char *s, struct compile_declaration *out) {
    for (const char *begin = NULL; *s && *s != ';' && *s != '{'; s++) {
        if (is_name(*s) && (!begin || !is_name(s[-1]))) begin = s;
        if (*s != '(' || !begin) continue;
        size_t len = 0;
        while (is_name(begin[len]))
            len++;
        const char *close = find_close(s);
        if (!close) return false;
        out->name = arena_strndup(a, begin, len);
        out->parameters = arena_strndup(a, s + 1, (size_t)(close - s - 1));
        if (strncmp(begin, "__", 2) != 0) return true;
        s = close;
        begin = NULL;
    }
    return false;
}

int compile_declarations(struct arena *a, const char *source, struct compile_declaration **out) {
    struct compile_declaration found;
    char *text = arena_strdup(a, source);
    int n = 0;
    *out = NULL;
    blank_comments(text);
    for (const char *s = text; (s = strstr(s, "__global__"));) {
        s += strlen("__global__");
        if (!read_declaration(a, s, &found)) continue;
        *out = arena_more(a, *out, (size_t)n, sizeof **out);
        (*out)[n++] = found;
    }
    return n;
}

const char *compile_kernels(struct arena *a, const char *source) {
    struct compile_declaration *found;
    const char *list = NULL, *last = NULL;
    int n = compile_declarations(a, source, &found);
    for (int i = 0; i < n; i++) {
        if (last && strcmp(last, found[i].name) == 0) continue;
        if (last) list = list ? arena_printf(a, "%s, %s", list, last) : last;
        last = found[i].name;
    }
    return list ? arena_printf(a, "%s and %s", list, last) : last;
}

const char *compile_nearest_kernel(struct arena *a, const char *source, const char *kernel) {
    struct compile_declaration *found;
    int n = compile_declarations(a, source, &found);
    const char **names = arena_array(a, (size_t)n + 1, sizeof *names);
    for (int i = 0; i < n; i++)
        names[i] = found[i].name;
    const char *word = arena_strndup(a, kernel, strcspn(kernel, "<"));
    const char *nearest = diag_nearest(word, names, (size_t)n);
    return nearest && strcmp(nearest, word) != 0 ? nearest : NULL;
}
