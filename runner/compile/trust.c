#include "compile/trust.h"

#include <stdlib.h>
#include <string.h>

static struct compile_trust command_line;

void compile_set_trust(const struct compile_trust *trust) {
    command_line = *trust;
}

const char *compile_folder(struct arena *a, const char *file) {
    const char *slash = strrchr(file, '/');
    return arena_strndup(a, file, slash ? (size_t)(slash - file + 1) : 0);
}

/* Returns the real path of a folder with a slash at its end; NULL: it does not exist. */
static const char *find_folder(struct arena *a, const char *path) {
    char *real = realpath(*path ? path : ".", NULL);
    const char *folder = NULL;
    if (real) folder = strcmp(real, "/") == 0 ? "/" : arena_printf(a, "%s/", real);
    free(real);
    return folder;
}

/* Adds a folder to a list. False: it does not exist. */
static bool add_folder(struct arena *a, const char ***list, int *n, const char *path) {
    const char *folder = find_folder(a, path);
    if (!folder) return false;
    *list = arena_more(a, *list, (size_t)*n, sizeof **list);
    (*list)[(*n)++] = folder;
    return true;
}

/* Where a toolkit has its headers, relative to the folder of its programs. The innermost comes first, because
 * names of headers begin there. */
static const char *const of_toolkit[] = {
    "targets/x86_64-linux/include/cccl", "targets/sbsa-linux/include/cccl", "include/cccl",
    "targets/x86_64-linux/include",      "targets/sbsa-linux/include",      "include"};
/* Where the host compiler's headers of C and C++ are, which nvcc uses. */
static const char *const of_host[] = {"/usr/include", "/usr/local/include", "/usr/lib/gcc", "/usr/lib/llvm",
                                      "/usr/lib64/gcc"};

struct trust trust_of(struct arena *a, const char *test, const char *compiler) {
    struct trust t = {.everywhere = command_line.everywhere, .seconds = command_line.seconds};
    const char *folder = compile_folder(a, compiler);
    t.beside = find_folder(a, compile_folder(a, test));
    for (int i = 0; i < command_line.nfolders; i++)
        if (!add_folder(a, &t.given, &t.ngiven, command_line.folders[i])) t.missing = command_line.folders[i];
    for (size_t k = 0; k < sizeof of_toolkit / sizeof *of_toolkit; k++)
        add_folder(a, &t.compiler, &t.ncompiler, arena_printf(a, "%s../%s", folder, of_toolkit[k]));
    t.ntoolkit = t.ncompiler;
    for (size_t k = 0; k < sizeof of_host / sizeof *of_host; k++)
        add_folder(a, &t.compiler, &t.ncompiler, of_host[k]);
    return t;
}

/* Returns the folder of a list that the real path is, or is below; NULL: none. */
static const char *find_above(const char *const *folders, int n, const char *real) {
    for (int i = 0; i < n; i++) {
        size_t len = strlen(folders[i]);
        if (strncmp(folders[i], real, len) == 0) return folders[i];
        if (strncmp(folders[i], real, len - 1) == 0 && real[len - 1] == '\0') return folders[i];
    }
    return NULL;
}

/* Returns the place of a real path, and sets *folder to the folder there. */
static enum trust_place find_place(const struct trust *t, const char *real, const char **folder) {
    if (t->beside && (*folder = find_above(&t->beside, 1, real))) return TRUST_BESIDE;
    if ((*folder = find_above(t->given, t->ngiven, real))) return TRUST_GIVEN;
    if ((*folder = find_above(t->compiler, t->ncompiler, real))) return TRUST_COMPILER;
    return TRUST_ELSEWHERE;
}

enum trust_place trust_find(const struct trust *t, const char *path) {
    const char *folder;
    char *real = realpath(path, NULL);
    enum trust_place place = real ? find_place(t, real, &folder) : TRUST_ELSEWHERE;
    free(real);
    return place;
}

bool trust_allows(const struct trust *t, const char *path) {
    return t->everywhere || trust_find(t, path) != TRUST_ELSEWHERE;
}

const char *trust_name(struct arena *a, const struct trust *t, const char *path) {
    const char *folder = NULL;
    char *real = realpath(path, NULL);
    bool inside = real && find_place(t, real, &folder) != TRUST_ELSEWHERE;
    const char *name = inside ? arena_strdup(a, real + strlen(folder)) : path;
    free(real);
    return name;
}
