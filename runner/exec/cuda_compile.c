#include "exec/cuda_compile.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "exec/cache.h"
#include "exec/nvrtc.h"
#include "exec/sass.h"
#include "exec/verify.h"
#include "gen/gen.h"

/* The cells whose machine code was found right, each by what it means. The disassembler takes as long as the
 * compiler, and placements hardly change a thread's code: so of the cells of a test that differ in the
 * placement alone, one is looked at, but all that have weak accesses, which the assembler is free to merge
 * and move. */
static struct text checked;
static pthread_mutex_t checked_lock = PTHREAD_MUTEX_INITIALIZER;

/* Has the cell's machine code to be checked? Fills in the key of it in `checked`. */
static bool has_to_be_checked(const struct test *t, const struct variant *v, struct text *key) {
    if (!sass_disassembler()) return false;
    text_printf(key, "\n%s\n", t->name);
    bool weak = verify_meaning(t, v, key);
    pthread_mutex_lock(&checked_lock);
    bool known = checked.s && strstr(checked.s, key->s);
    pthread_mutex_unlock(&checked_lock);
    return weak || !known;
}

/* Holds machine code against the test where the disassembler can read it. */
static bool check_machine_code(const struct test *t, const struct variant *v, const char *unit,
                               const void *cubin, size_t size, const char *key, struct diag *d) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    struct text listing = {0};
    bool fine = true;
    if (!sass_disassemble(cubin, size, &listing)) {
        if (!atomic_flag_test_and_set(&warned))
            diag_warning(d, NULL, (struct pos){0}, "machine code is not checked: '%s' cannot read it",
                         sass_disassembler());
    } else if ((fine = verify_sass(t, v, unit, listing.s, d))) {
        pthread_mutex_lock(&checked_lock);
        text_add(&checked, key);
        pthread_mutex_unlock(&checked_lock);
    }
    text_free(&listing);
    return fine;
}

/* Compiles, and lets only what was found to be the test pass. */
static bool compile_checked(const struct test *t, const struct variant *v, const char *unit, const char *arch,
                            void **cubin, size_t *size, struct diag *d) {
    struct text ptx = {0}, key = {0};
    bool sass = has_to_be_checked(t, v, &key);
    bool ok = nvrtc_cubin(unit, t->name, arch, sass, &ptx, cubin, size, d);
    if (ok &&
        (!verify_ptx(t, v, ptx.s, d) || (sass && !check_machine_code(t, v, unit, *cubin, *size, key.s, d)))) {
        free(*cubin);
        *cubin = NULL;
        ok = false;
    }
    text_free(&ptx);
    text_free(&key);
    return ok;
}

bool cuda_compile(const char *arch, const struct test *t, const struct variant *v, void **cubin, size_t *size,
                  struct diag *d) {
    const char *version = nvrtc_version(d);
    if (!version) return false;
    struct text unit = {0}, key = {0};
    gen_unit(t, v, DIALECT_CUDA, &unit);
    text_printf(&key, "culitmus %s cubin nvrtc %s %s checked as %s\n%s", CULITMUS_VERSION, version, arch,
                sass_disassembler() ? "ptx, sass" : "ptx", unit.s);
    bool ok = cache_get(key.s, key.len, cubin, size);
    if (!ok) {
        ok = compile_checked(t, v, unit.s, arch, cubin, size, d);
        if (ok) cache_put(key.s, key.len, *cubin, *size, d);
    }
    text_free(&unit);
    text_free(&key);
    return ok;
}
