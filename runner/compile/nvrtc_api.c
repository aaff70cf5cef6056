#include "compile/nvrtc_api.h"

#include <dlfcn.h>
#include <glob.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "compile/library.h"

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;

/* Tries the file names that NVRTC may have, in one folder (NULL: the loader's own path). */
static void *open_nvrtc_in(const char *folder, const char *below) {
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        if (folder)
            snprintf(path, sizeof path, "%s/%s/%s", folder, below, names[i]);
        else
            snprintf(path, sizeof path, "%s", names[i]);
        const char *why;
        void *library = library_open(path, &why);
        if (library) return library;
    }
    return NULL;
}

/* Opens the NVRTC that pip installed from NVIDIA's wheels into the Python environment of the tool. */
static void *open_beside(void) {
    static const char *const patterns[] = {"nvidia/cu13/lib/libnvrtc.so.13",
                                           "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"};
    char tool[2048], pattern[4096];
    ssize_t n = readlink("/proc/self/exe", tool, sizeof tool - 1);
    void *library = NULL;
    const char *why;
    if (n <= 0) return NULL;
    tool[n] = '\0';
    *strrchr(tool, '/') = '\0'; /* removes the name of the folder bin */
    char *bin = strrchr(tool, '/');
    if (bin) *bin = '\0';
    for (size_t k = 0; k < 2 && !library && !strpbrk(tool, "*?[\\"); k++) {
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/lib/python3*/site-packages/%s", tool, patterns[k]);
        if (glob(pattern, 0, NULL, &found) == 0) library = library_open(found.gl_pathv[0], &why);
        globfree(&found);
    }
    return library;
}

/* Returns the library that the user names; NULL if the name is empty. */
static const char *named_library(void) {
    const char *only = getenv("CULITMUS_NVRTC");
    return only && *only ? only : NULL;
}

static void *open_nvrtc(const char **why) {
    const char *only = named_library();
    if (only) return library_open(only, why);
    const char *const folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), NULL, "/usr/local/cuda"};
    static const char *const below[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
    for (size_t f = 0; f < 4; f++) {
        if (f == 2) {
            void *library = open_beside();
            if (!library) library = open_nvrtc_in(NULL, NULL);
            if (library) return library;
        }
        for (size_t b = 0; folders[f] && b < 4; b++) {
            void *library = open_nvrtc_in(folders[f], below[b]);
            if (library) return library;
        }
    }
    return NULL;
}

/* A library that was loaded. */
struct loaded {
    const char *name; /* its path; NULL: the library that is found */
    struct nvrtc_api table;
    struct loaded *next;
};

static struct loaded *all_loaded;

#define SYMBOL(fn, symbol, args) {(void **)&table->fn, symbol},

static void report_missing(const char *named, const char *why, struct diag *d) {
    const char *only = named_library();
    if (named)
        diag_fail(d, "no NVRTC: cannot load '%s': %s", named, why);
    else if (only)
        diag_fail(d, "no NVRTC: cannot load '%s', which --nvrtc or CULITMUS_NVRTC names: %s", only, why);
    else
        diag_fail(
            d,
            "no NVRTC: looked for libnvrtc.so.13, .12 and libnvrtc.so in $CUDA_HOME, $CUDA_PATH, the "
            "Python environment of the tool, the loader's path and /usr/local/cuda (it is part of the CUDA "
            "Toolkit)");
}

static bool load_nvrtc(const char *name, struct nvrtc_api *table, struct diag *d) {
    const struct library_symbol symbols[] = {
        NVRTC_FUNCTIONS(SYMBOL){(void **)&table->nvrtcGetErrorString, "nvrtcGetErrorString"}};
    const char *why = NULL, *file = name ? name : named_library();
    void *library = name ? library_open(name, &why) : open_nvrtc(&why);
    /* A compilation allocates and frees tens of megabytes. If each time they went back to the system, threads
     * that compile at the same time would lose a quarter of their time. */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (library && !dlsym(library, "nvrtcVersion")) {
        diag_fail(d, "'%s' is no NVRTC: it has no function nvrtcVersion", file ? file : "libnvrtc.so");
        return false;
    }
    if (library) return library_resolve(library, symbols, sizeof symbols / sizeof *symbols, "NVRTC", d);
    report_missing(name, why, d);
    return false;
}

static struct loaded *find_loaded(const char *name) {
    for (struct loaded *l = all_loaded; l; l = l->next)
        if (name == l->name || (name && l->name && strcmp(name, l->name) == 0)) return l;
    return NULL;
}

/* Returns the library, loading it if it is not loaded. If that failed before, it is tried again. */
static struct loaded *load_once(const char *name, struct diag *d) {
    struct loaded *l = find_loaded(name);
    if (l) return l;
    l = memory_new(1, sizeof *l);
    if (!load_nvrtc(name, &l->table, d)) {
        free(l);
        return NULL;
    }
    l->name = name ? memory_check(strdup(name)) : NULL;
    l->next = all_loaded;
    all_loaded = l;
    return l;
}

const struct nvrtc_api *nvrtc_api_load(const char *library, struct diag *d) {
    pthread_mutex_lock(&load_lock);
    const struct loaded *l = load_once(library, d);
    pthread_mutex_unlock(&load_lock);
    return l ? &l->table : NULL;
}
