#include "cuda/cuda_api.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cuda_api cuda_table;
static struct nvrtc_api nvrtc_table;
static bool cuda_loaded, nvrtc_loaded;

struct symbol {
    void **to;
    const char *name;
};

/* Resolves all symbols or none; the first missing one is the error. */
static bool resolve(void *library, const struct symbol *symbols, size_t n, const char *what, struct diag *d) {
    for (size_t i = 0; i < n; i++) {
        *symbols[i].to = dlsym(library, symbols[i].name);
        if (*symbols[i].to) continue;
        diag_fail(d, "%s has no function %s: it is too old", what, symbols[i].name);
        return false;
    }
    return true;
}

#define SYMBOL(fn, symbol, args) {(void **)&table->fn, symbol},

static bool load_driver(struct diag *d) {
    struct cuda_api *table = &cuda_table;
    const struct symbol symbols[] = {CUDA_FUNCTIONS(SYMBOL)};
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        diag_fail(d, "no CUDA driver: %s", dlerror());
        return false;
    }
    if (!resolve(library, symbols, sizeof symbols / sizeof *symbols, "the CUDA driver", d)) return false;
    return CUDA_TRY(table, d, cuInit(0));
}

const struct cuda_api *cuda_api_load(struct diag *d) {
    pthread_mutex_lock(&load_lock);
    if (!cuda_loaded) cuda_loaded = load_driver(d);
    bool ok = cuda_loaded;
    pthread_mutex_unlock(&load_lock);
    return ok ? &cuda_table : NULL;
}

/* Tries the file names that NVRTC goes by, in one folder (NULL: the loader's own path). */
static void *open_nvrtc_in(const char *folder, const char *below) {
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        if (folder)
            snprintf(path, sizeof path, "%s/%s/%s", folder, below, names[i]);
        else
            snprintf(path, sizeof path, "%s", names[i]);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

static void *open_nvrtc(void) {
    const char *only = getenv("CULITMUS_NVRTC");
    if (only) return dlopen(only, RTLD_NOW | RTLD_LOCAL);
    const char *const folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), NULL, "/usr/local/cuda"};
    static const char *const below[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
    for (size_t f = 0; f < 4; f++) {
        if (f == 2) {
            void *library = open_nvrtc_in(NULL, NULL);
            if (library) return library;
        }
        for (size_t b = 0; folders[f] && b < 4; b++) {
            void *library = open_nvrtc_in(folders[f], below[b]);
            if (library) return library;
        }
    }
    return NULL;
}

static bool load_nvrtc(struct diag *d) {
    struct nvrtc_api *table = &nvrtc_table;
    const struct symbol symbols[] = {
        NVRTC_FUNCTIONS(SYMBOL){(void **)&table->nvrtcGetErrorString, "nvrtcGetErrorString"}};
    void *library = open_nvrtc();
    /* A compilation allocates and frees tens of megabytes. If each time they went back to the system, threads that
     * compile at the same time would lose a quarter of their time. */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (!library) {
        const char *only = getenv("CULITMUS_NVRTC");
        if (only)
            diag_fail(d, "no NVRTC: cannot load '%s', which CULITMUS_NVRTC names", only);
        else
            diag_fail(
                d, "no NVRTC: looked for libnvrtc.so.13, .12 and libnvrtc.so in $CUDA_HOME, $CUDA_PATH, the "
                   "loader's path and /usr/local/cuda (it is part of the CUDA Toolkit)");
        return false;
    }
    return resolve(library, symbols, sizeof symbols / sizeof *symbols, "NVRTC", d);
}

const struct nvrtc_api *nvrtc_api_load(struct diag *d) {
    pthread_mutex_lock(&load_lock);
    if (!nvrtc_loaded) nvrtc_loaded = load_nvrtc(d);
    bool ok = nvrtc_loaded;
    pthread_mutex_unlock(&load_lock);
    return ok ? &nvrtc_table : NULL;
}

bool cuda_check(const struct cuda_api *cu, struct diag *d, cu_result r, const char *call) {
    if (r == 0) return true;
    const char *name = "unknown error", *text = "";
    cu->cuGetErrorName(r, &name);
    cu->cuGetErrorString(r, &text);
    diag_fail(d, "%s: %s (%d): %s", call, name, r, text);
    return false;
}
