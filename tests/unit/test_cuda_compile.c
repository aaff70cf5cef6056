/* Compiling cells for a GPU where the disassembler does not do its work. Needs NVRTC, but no device. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cm.h"
#include "exec/cuda_compile.h"
#include "exec/nvrtc.h"

static const char file[] = "name: T\nmemory: {X: 0}\nthreads: {A: X = 1;, B: int r = X;}\nexists: r == 1\n";

static int count_files(const char *folder) {
    DIR *dir = opendir(folder);
    int n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        n += e->d_name[0] != '.';
    if (dir) closedir(dir);
    return n;
}

static bool have_nvrtc(void) {
    struct diag d = {0};
    bool have = nvrtc_version(&d) != NULL;
    diag_free(&d);
    return have;
}

/* A program of that name in the folder, which fails. */
static void make_failing(const char *path) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("#!/bin/sh\nexit 1\n", f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

/* It is used all the same, with a warning, but a later run shall not take it for code that was checked. */
static void code_that_was_not_checked_is_not_kept(void **state) {
    (void)state;
    if (!have_nvrtc()) skip();
    char folder[] = "/tmp/culitmus-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *disassembler = arena_printf(a, "%s/nvdisasm", folder),
               *cache = arena_printf(a, "%s/cache", folder);
    make_failing(disassembler);
    setenv("PATH", folder, 1);
    setenv("CULITMUS_CACHE", cache, 1);
    struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    assert_non_null(t);
    int n;
    struct variant *v = test_variants(t, a, &n);
    struct code code = {0};
    cuda_compile("sm_90", &(struct build){.t = t, .v = v, .d = &d}, 1, &code);
    assert_non_null(code.bytes);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.errors, 0);
    assert_string_equal(
        d.messages[0].text,
        arena_printf(a, "machine code is not checked, and so not kept: '%s' cannot read it", disassembler));
    assert_int_equal(count_files(cache), 0);
    free(code.bytes);
    diag_free(&d);
    unlink(disassembler);
    rmdir(cache);
    rmdir(folder);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(code_that_was_not_checked_is_not_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
