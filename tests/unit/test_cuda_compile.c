/* Compiling cells for a GPU where the disassembler does not do its work. Needs NVRTC, but no device. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/cubin.h"
#include "cm.h"
#include "compile/cache.h"
#include "compile/nvrtc.h"
#include "cuda/cuda_compile.h"
#include "source/read.h"

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
    bool have = nvrtc_version(NULL, &d) != NULL;
    diag_free(&d);
    return have;
}

/* A program of that name in the folder, which fails. It adds a line to a file beside it. */
static void make_failing(const char *path) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("#!/bin/sh\necho >>\"$0.calls\"\nexit 1\n", f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

/* A test's first cell, compiled with an empty cache and no program in PATH but those of `folder`. */
struct fixture {
    char folder[32];
    const char *cache;
    struct arena *a;
    struct diag d;
    struct test *t;
    struct cell *cell;
};

static void open_fixture(struct fixture *f) {
    int n;
    *f = (struct fixture){.folder = "/tmp/culitmus-test-XXXXXX", .a = arena_open()};
    assert_non_null(mkdtemp(f->folder));
    f->cache = arena_printf(f->a, "%s/cache", f->folder);
    setenv("PATH", f->folder, 1);
    setenv("CULITMUS_CACHE", f->cache, 1);
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    f->t = test_read_text(f->a, "t.yaml", file, strlen(file), &f->d);
    assert_non_null(f->t);
    f->cell = test_cells(f->t, f->a, &n);
}

static struct machine_code compile(struct fixture *f, const char *arch) {
    struct machine_code code = {0};
    cuda_compile(arch, &(struct build){.t = f->t, .cell = f->cell, .d = &f->d}, 1, &code);
    assert_non_null(code.bytes);
    assert_int_equal(f->d.errors, 0);
    return code;
}

static void close_fixture(struct fixture *f) {
    const char *command = arena_printf(f->a, "/bin/rm -r '%s'", f->folder);
    assert_int_equal(system(command), 0);
    diag_free(&f->d);
    arena_close(f->a);
}

/* It is used all the same, with a warning, but a later run shall not take it for code that was checked. */
static void code_that_was_not_checked_is_not_kept(void **state) {
    (void)state;
    if (!have_nvrtc()) skip();
    struct fixture f;
    open_fixture(&f);
    const char *disassembler = arena_printf(f.a, "%s/nvdisasm", f.folder);
    make_failing(disassembler);
    struct machine_code code = compile(&f, "sm_90");
    assert_int_equal(f.d.n, 1);
    assert_string_equal(
        f.d.messages[0].text,
        arena_printf(f.a, "machine code is not checked, and so not kept: '%s' cannot read it", disassembler));
    assert_null(code.key);
    machine_code_free(&code);
    close_fixture(&f);
}

static bool same_code(const struct machine_code *x, const struct machine_code *y) {
    return x->size == y->size && memcmp(x->bytes, y->bytes, x->size) == 0;
}

/* Its start takes longer than compiling a cell. */
static void the_disassembler_is_started_once_for_many_cells(void **state) {
    (void)state;
    if (!have_nvrtc()) skip();
    struct fixture f;
    struct build cells[3];
    struct machine_code codes[3] = {{0}};
    struct stat calls;
    open_fixture(&f);
    make_failing(arena_printf(f.a, "%s/nvdisasm", f.folder));
    struct cell *cell = f.cell;
    struct fence_choice device = cell->fence[0];
    struct cell other = *cell, again = *cell;
    other.access = cell->access == ACCESS_WEAK ? ACCESS_VOLATILE : ACCESS_WEAK;
    again.fence = &device;
    cells[0] = (struct build){.t = f.t, .cell = cell, .d = &f.d};
    cells[1] = (struct build){.t = f.t, .cell = &other, .d = &f.d};
    cells[2] = (struct build){.t = f.t, .cell = &again, .d = &f.d};
    cuda_compile("sm_90", cells, 3, codes);
    assert_int_equal(f.d.errors, 0);
    assert_int_equal(stat(arena_printf(f.a, "%s/nvdisasm.calls", f.folder), &calls), 0);
    assert_int_equal(calls.st_size, 1);
    assert_false(same_code(&codes[0], &codes[1]));
    assert_true(same_code(&codes[0], &codes[2]));
    for (int k = 0; k < 3; k++)
        machine_code_free(&codes[k]);
    close_fixture(&f);
}

/* What is kept for one architecture is not taken for another's. */
static void code_is_kept_by_architecture(void **state) {
    (void)state;
    if (!have_nvrtc()) skip();
    static const char *const archs[] = {"sm_80", "sm_90", "sm_80"};
    struct machine_code code[3];
    struct fixture f;
    open_fixture(&f);
    for (int k = 0; k < 3; k++) {
        code[k] = compile(&f, archs[k]);
        assert_int_equal(code[k].kept, k == 2);
        if (k < 2) cache_put(code[k].key, code[k].key_len, code[k].bytes, code[k].size, &f.d);
    }
    assert_int_equal(count_files(f.cache), 2);
    assert_false(same_code(&code[0], &code[1]));
    assert_true(same_code(&code[0], &code[2]));
    for (int k = 0; k < 3; k++)
        machine_code_free(&code[k]);
    close_fixture(&f);
}

/* Cells that differ in their fence alone get the machine code that each gets when it is compiled alone. */
static void siblings_are_compiled(void **state) {
    (void)state;
    if (!have_nvrtc()) skip();
    struct fixture f;
    struct machine_code together[2] = {{0}}, alone[2] = {{0}};
    struct build cells[2];
    int n;
    open_fixture(&f);
    static const char yaml[] = "name: T\nmemory: {X: 0, Y: 0}\nfences: [none, device]\nplacements: [block]\n"
                               "access: [volatile]\nthreads: {A: X = 1; fence(); Y = 1;, B: int r = Y;}\n"
                               "exists: r == 1\n";
    const struct test *t = test_read_text(f.a, "t.yaml", yaml, strlen(yaml), &f.d);
    assert_non_null(t);
    const struct cell *v = test_cells(t, f.a, &n);
    assert_int_equal(n, 2);
    for (int k = 0; k < n; k++) {
        cells[k] = (struct build){.t = t, .cell = &v[k], .d = &f.d};
        cuda_compile("sm_90", &cells[k], 1, &alone[k]);
    }
    cuda_compile("sm_90", cells, n, together);
    assert_int_equal(f.d.n, 0);
    for (int k = 0; k < n; k++) {
        assert_true(cuda_same_code(&alone[k], &together[k]));
        assert_true(k == 0 || !cuda_same_code(&alone[0], &together[k]));
    }
    for (int k = 0; k < n; k++) {
        machine_code_free(&alone[k]);
        machine_code_free(&together[k]);
    }
    close_fixture(&f);
}

/* Where the PTX cannot be handed to the assembler, each is compiled alone. */
static void siblings_are_compiled_alone(void **state) {
    struct rlimit none = {0, RLIM_INFINITY}, before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    siblings_are_compiled(state);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/* Which disassembler there is, is asked once in a process: so each test has one. */
static void which_architectures_there_are(void **state) {
    (void)state;
    struct diag d = {0};
    if (!have_nvrtc()) skip();
    assert_true(nvrtc_compiles_for(NULL, 90, &d));
    assert_true(nvrtc_compiles_for(NULL, nvrtc_newest(NULL, &d), &d));
    assert_false(nvrtc_compiles_for(NULL, 20, &d));
    assert_int_equal(d.n, 0);
}

/* Runs a group of tests in a process of their own. */
#define RUN_APART(tests) ended_well(fork(), tests, sizeof(tests) / sizeof *(tests))
static bool ended_well(pid_t child, const struct CMUnitTest *tests, size_t n) {
    int status = -1;
    if (child == 0) exit(_cmocka_run_group_tests("apart", tests, n, NULL, NULL));
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv) {
    if (nvrtc_serve(argc, argv)) return 0;
    const struct CMUnitTest without[] = {cmocka_unit_test(which_architectures_there_are),
                                         cmocka_unit_test(code_is_kept_by_architecture)};
    const struct CMUnitTest failing[] = {cmocka_unit_test(code_that_was_not_checked_is_not_kept)};
    const struct CMUnitTest many[] = {cmocka_unit_test(the_disassembler_is_started_once_for_many_cells)};
    const struct CMUnitTest siblings[] = {cmocka_unit_test(siblings_are_compiled)};
    const struct CMUnitTest lonely[] = {cmocka_unit_test(siblings_are_compiled_alone)};
    bool good = RUN_APART(without);
    good = RUN_APART(failing) && good;
    good = RUN_APART(siblings) && good;
    good = RUN_APART(lonely) && good;
    return !(RUN_APART(many) && good);
}
