#include "cuda/cuda_api.h"

#include <dlfcn.h>
#include <pthread.h>

#include "compile/library.h"

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cuda_api cuda_table;
static bool cuda_loaded;

#define SYMBOL(fn, symbol, args) {(void **)&table->fn, symbol},

static bool load_driver(struct diag *d) {
    struct cuda_api *table = &cuda_table;
    const struct library_symbol symbols[] = {CUDA_FUNCTIONS(SYMBOL)};
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        diag_fail(d, "no CUDA driver: %s", dlerror());
        return false;
    }
    if (!library_resolve(library, symbols, sizeof symbols / sizeof *symbols, "the CUDA driver", d))
        return false;
    return CUDA_TRY(table, d, cuInit(0));
}

const struct cuda_api *cuda_api_load(struct diag *d) {
    pthread_mutex_lock(&load_lock);
    if (!cuda_loaded) cuda_loaded = load_driver(d);
    bool ok = cuda_loaded;
    pthread_mutex_unlock(&load_lock);
    return ok ? &cuda_table : NULL;
}

bool cuda_check(const struct cuda_api *cu, struct diag *d, cu_result r, const char *call) {
    if (r == 0) return true;
    const char *name = "unknown error", *text = "";
    cu->cuGetErrorName(r, &name);
    cu->cuGetErrorString(r, &text);
    diag_fail(d, "%s: %s (%d): %s", call, name, r, text);
    return false;
}
