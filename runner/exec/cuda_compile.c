#include "exec/cuda_compile.h"

#include <stdlib.h>

#include "exec/cache.h"
#include "exec/nvrtc.h"
#include "exec/verify.h"
#include "gen/gen.h"

/* Compiles, and lets only what was found to be the test pass. */
static bool compile_checked(const struct test *t, const struct variant *v, const char *unit, const char *arch,
                            void **cubin, size_t *size, struct diag *d) {
    struct text ptx = {0};
    bool ok = nvrtc_cubin(unit, t->name, arch, &ptx, cubin, size, d);
    if (ok && !verify_ptx(t, v, ptx.s, d)) {
        free(*cubin);
        ok = false;
    }
    text_free(&ptx);
    return ok;
}

bool cuda_compile(const char *arch, const struct test *t, const struct variant *v, void **cubin, size_t *size,
                  struct diag *d) {
    const char *version = nvrtc_version(d);
    if (!version) return false;
    struct text unit = {0}, key = {0};
    gen_unit(t, v, DIALECT_CUDA, &unit);
    text_printf(&key, "culitmus %s cubin nvrtc %s %s\n%s", CULITMUS_VERSION, version, arch, unit.s);
    bool ok = cache_get(key.s, key.len, cubin, size);
    if (!ok) {
        ok = compile_checked(t, v, unit.s, arch, cubin, size, d);
        if (ok) cache_put(key.s, key.len, *cubin, *size, d);
    }
    text_free(&unit);
    text_free(&key);
    return ok;
}
