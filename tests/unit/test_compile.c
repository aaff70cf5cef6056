/* CUDA sources that are compiled on behalf of a test. What needs nvcc is skipped where there is none. */
#include "cm.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"
#include "compile/job.h"

static char root[] = "/tmp/culitmus-compile-XXXXXX";

static char *write_file(struct arena *a, const char *name, const char *text) {
    char *path = arena_printf(a, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

static int make_folder(void **state) {
    char path[64];
    *state = arena_open();
    strcpy(root + strlen(root) - 6, "XXXXXX");
    if (!mkdtemp(root)) return -1;
    snprintf(path, sizeof path, "%s/cache", root);
    setenv("CULITMUS_CACHE", path, 1);
    snprintf(path, sizeof path, "%s/tests", root);
    return mkdir(path, 0700);
}

static int remove_folder(void **state) {
    char command[128];
    compile_set_trust(&(struct compile_trust){0});
    arena_close(*state);
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

/* A test in tests/, whose name for the source and the kernel are these. */
struct asked {
    struct source test;
    struct compile_request request;
    struct compile_result result;
};

static struct asked *ask(struct arena *a, const char *source, const char *kernel) {
    struct asked *asked = arena_alloc(a, sizeof *asked);
    asked->test = (struct source){.path = arena_printf(a, "%s/tests/t.yaml", root)};
    asked->request = (struct compile_request){
        .test = &asked->test, .source = {source, {1, 1, 1}}, .kernel = {kernel, {2, 1, 1}}};
    return asked;
}

static void compiles(struct arena *a, struct asked *asked) {
    struct diag d = {0};
    bool fine = compile_kernel(a, &asked->request, &asked->result, &d);
    if (!fine) fail_msg("%s", d.messages[0].text);
    diag_free(&d);
}

/* The first messages are those; NULL: there are no more. */
static void complains(struct arena *a, struct asked *asked, const char *first, const char *second) {
    struct diag d = {0};
    assert_false(compile_kernel(a, &asked->request, &asked->result, &d));
    const struct message *m = d.messages;
    struct text got = {0};
    for (size_t k = 0; k < 2; k++) {
        const char *want = k ? second : first;
        text_free(&got);
        if (k >= d.n) assert_null(want);
        if (k >= d.n) break;
        const char *path = strncmp(m[k].source->path, root, strlen(root)) == 0
                               ? m[k].source->path + strlen(root) + 1
                               : m[k].source->path;
        text_printf(&got, "%s:%d:%d: %s", path, m[k].pos.line, m[k].pos.col, m[k].text);
        assert_string_equal(got.s, want ? want : "");
    }
    text_free(&got);
    diag_free(&d);
}

static void needs_nvcc(struct arena *a) {
    if (!path_find(a, "nvcc")) skip();
}

static const char kernels[] = "template <int N, typename T> __global__ void sum(T *x) { x[0] = N; }\n"
                              "__global__ void __launch_bounds__(32) one(int *x) {\n"
                              "    for (int i = 0; i < 2; i++) { x[i] = 1; CULITMUS_FENCE(turn); }\n"
                              "}\n"
                              "__global__ void one(float *x) { x[0] = VALUE; }\n";

static void finds_the_entry(void **state) {
    static const char *const names[][2] = {{"sum<4, float>", "_Z3sumILi4EfEvPT0_"},
                                           {"one(int *)", "_Z3onePi"},
                                           {"one(float*)", "_Z3onePf"},
                                           {"_Z3onePf", "_Z3onePf"}};
    struct arena *a = *state;
    const struct compile_word value = {"VALUE=2", {0}};
    needs_nvcc(a);
    write_file(a, "tests/k.cu", kernels);
    for (int k = 0; k < 4; k++) {
        struct asked *asked = ask(a, "k.cu", names[k][0]);
        asked->request.defines = &value;
        asked->request.ndefines = 1;
        compiles(a, asked);
        assert_string_equal(asked->result.entry, names[k][1]);
        const char *ptx = asked->result.ptx, *entry = strstr(ptx, arena_printf(a, ".entry %s(", names[k][1]));
        assert_non_null(entry);
        assert_null(strstr(ptx, "culitmus_entry"));
        assert_null(strstr(entry + 1, arena_printf(a, ".entry %s(", names[k][1])));
        const char *slot = strstr(ptx, "// culitmus fence turn");
        assert_non_null(slot);
        assert_non_null(strstr(slot + 1, "// culitmus fence turn"));
    }
}

static int count_kept(void) {
    char path[64];
    int n = 0;
    snprintf(path, sizeof path, "%s/cache", root);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *file; (file = readdir(folder));)
        n += *file->d_name != '.';
    closedir(folder);
    return n;
}

static void compiles_a_source_once(void **state) {
    static const char *const names[][3] = {{"f", "_Z1fPi", "1"},      {"g", "g", "1"},
                                           {"_Z1fPi", "_Z1fPi", "1"}, {"h<int>", "_Z1hIiEvT_", "2"},
                                           {"f2", "_Z2f2v", "2"},     {"inner", "_ZN1n5innerEv", "3"}};
    struct arena *a = *state;
    needs_nvcc(a);
    write_file(a, "tests/k.cu",
               "__global__ void f(int *x) { *x = 1; }\n"
               "extern \"C\" __global__ void g(int *x) { *x = 2; }\n"
               "template <typename T> __global__ void h(T x) {}\n"
               "template __global__ void h<char>(char);\n"
               "__global__ void f2() {}\n"
               "namespace n { __global__ void inner() {} }\n"
               "using n::inner;\n");
    for (int k = 0; k < 6; k++) {
        struct asked *asked = ask(a, "k.cu", names[k][0]);
        compiles(a, asked);
        assert_string_equal(asked->result.entry, names[k][1]);
        assert_int_equal(count_kept(), atoi(names[k][2]));
    }
}

static void names_the_kernels(void **state) {
    struct arena *a = *state;
    needs_nvcc(a);
    write_file(a, "tests/k.cu", arena_printf(a, "#define VALUE 1\n%s", kernels));
    complains(a, ask(a, "k.cu", "two"),
              "tests/t.yaml:2:1: 'two' is no kernel of 'k.cu': identifier \"two\" is undefined",
              "tests/t.yaml:2:1: its kernels: sum and one");
    complains(a, ask(a, "k.cu", "one"),
              "tests/t.yaml:2:1: 'one' is no kernel of 'k.cu': cannot determine which instance of overloaded "
              "function "
              "\"one\" is intended",
              "tests/t.yaml:2:1: its kernels: sum and one");
    complains(a, ask(a, "k.cu", "two\n#include \"x\""),
              "tests/t.yaml:2:1: 'two\n#include \"x\"' is no name of a kernel", NULL);
}

static void shows_the_first_error(void **state) {
    struct arena *a = *state;
    needs_nvcc(a);
    write_file(a, "tests/k.cu",
               "#include \"h.h\"\n__global__ void f(int *x) {\n    g(x);\n    x[0] = z;\n}\n");
    write_file(a, "tests/h.h", "__device__ void g(int *x) {\n    *x = y;\n}\n");
    complains(a, ask(a, "k.cu", "f"), "tests/h.h:2:10: identifier \"y\" is undefined",
              "tests/t.yaml:1:1: the test has it compiled here");
    write_file(a, "tests/k.cu", "#include \"none.h\"\n");
    complains(a, ask(a, "k.cu", "f"), "tests/k.cu:1:10: none.h: No such file or directory",
              "tests/t.yaml:1:1: the test has it compiled here");
}

static void refuses_files_elsewhere(void **state) {
    struct arena *a = *state;
    needs_nvcc(a);
    char *secret = write_file(a, "secret.h", "root:x:0\n");
    write_file(a, "outside.cu", "__global__ void f(int *x) { *x = 1; }\n");
    write_file(a, "tests/k.cu", "#include \"../secret.h\"\n__global__ void f(int *x) { *x = 1; }\n");
    const char *only = "only with --trust-source may a test have such a file compiled";
    const char *includes =
        arena_printf(a,
                     "tests/t.yaml:1:1: 'k.cu' includes '%s/tests/../secret.h', which is not beside "
                     "or below the test, not of the compiler, and not below a folder of -I: %s",
                     root, only);
    complains(a, ask(a, "k.cu", "f"), includes, NULL);
    write_file(a, "secret.h", "#root:x:0\n");
    complains(a, ask(a, "k.cu", "f"), includes, NULL);
    write_file(a, "secret.h", "root:x:0\n");
    assert_int_equal(symlink(secret, arena_printf(a, "%s/tests/link.cu", root)), 0);
    const char *const sources[] = {"../outside.cu", "link.cu", "/etc/passwd"};
    for (int k = 0; k < 3; k++)
        complains(
            a, ask(a, sources[k], "f"),
            arena_printf(a, "tests/t.yaml:1:1: '%s' is not beside or below the test: %s", sources[k], only),
            NULL);
    struct asked *asked = ask(a, "k.cu", "f");
    const struct compile_word folders[] = {{"..", {3, 1, 1}}};
    asked->request.includes = folders;
    asked->request.nincludes = 1;
    complains(a, asked,
              "tests/t.yaml:3:1: the folder '..' is not below the test's, and none of -I: only with "
              "--trust-source may a "
              "test have such files compiled",
              NULL);
    compile_set_trust(&(struct compile_trust){.everywhere = true});
    compiles(a, ask(a, "../outside.cu", "f"));
    complains(
        a, ask(a, "k.cu", "f"),
        arena_printf(
            a,
            "tests/t.yaml:1:1: 'k.cu' does not compile: %s/tests/../secret.h:1: this declaration has no "
            "storage class or type specifier",
            root),
        NULL);
}

static void keeps_what_has_not_changed(void **state) {
    struct arena *a = *state;
    needs_nvcc(a);
    assert_int_equal(mkdir(arena_printf(a, "%s/headers", root), 0700), 0);
    const char *folder = arena_printf(a, "%s/headers", root);
    compile_set_trust(&(struct compile_trust){.folders = &folder, .nfolders = 1});
    write_file(a, "tests/k.cu", "#include <h.h>\n__global__ void f(int *x) { put(x); }\n");
    for (int k = 1; k <= 3; k++) {
        write_file(a, "headers/h.h",
                   arena_printf(a, "__device__ void put(int *x) {\n    *x = %d;\n}\n", 70 + k / 2));
        struct asked *asked = ask(a, "k.cu", "f");
        compiles(a, asked);
        assert_non_null(strstr(asked->result.ptx, k < 2 ? ", 70;" : ", 71;"));
        assert_non_null(strstr(asked->result.ptx, "\t.file\t1 \"k.cu\"\n"));
        assert_non_null(strstr(asked->result.ptx, "\t.file\t2 \"h.h\"\n"));
        assert_null(strstr(asked->result.ptx, ".section"));
    }
}

static void checks_what_a_test_says(void **state) {
    struct arena *a = *state;
    needs_nvcc(a);
    write_file(a, "tests/k.cu", "__global__ void f(int *x) { *x = 1; }\n");
    complains(a, ask(a, "none.cu", "f"),
              arena_printf(a, "tests/t.yaml:1:1: there is no file '%s/tests/none.cu'", root), NULL);
    struct asked *asked = ask(a, "k.cu", "f");
    asked->request.arch = (struct compile_word){"compute_90; touch x", {4, 1, 1}};
    complains(a, asked, "tests/t.yaml:4:1: 'compute_90; touch x' is no architecture: it is as sm_90", NULL);
    const struct compile_word define = {"A(x)=$(touch x)", {5, 1, 1}};
    asked = ask(a, "k.cu", "f");
    asked->request.defines = &define;
    asked->request.ndefines = 1;
    complains(a, asked, "tests/t.yaml:5:1: 'A(x)=$(touch x)' is no macro: it is NAME or NAME=VALUE", NULL);
    assert_int_equal(mkdir(arena_printf(a, "%s/tests/$(id)", root), 0700), 0);
    const struct compile_word folder = {"$(id)", {6, 1, 1}};
    asked = ask(a, "k.cu", "f");
    asked->request.includes = &folder;
    asked->request.nincludes = 1;
    complains(a, asked, "tests/t.yaml:6:1: a folder of headers whose path nvcc cannot be given", NULL);
}

static void reads_errors_of_logs(void **state) {
    struct log_error e;
    assert_true(
        log_find_error(*state, "k.cu(3): warning #1: w\nk (1).cu(7): error: bad x\n  x = y;\n      ^\n", &e));
    assert_string_equal(e.file, "k (1).cu");
    assert_int_equal(e.line, 7);
    assert_string_equal(e.text, "bad x");
    assert_string_equal(e.quoted, "x = y;");
    assert_int_equal(e.quoted_col, 5);
    assert_true(
        log_find_error(*state, "In file included from k.cu:1:\nh.h:2:9: fatal error: g.h: none\n", &e));
    assert_string_equal(e.file, "h.h");
    assert_int_equal(e.line * 100 + e.col, 209);
    assert_string_equal(e.text, "g.h: none");
    static const char placeless[] = "In all\nnvcc fatal   : no\nerror: x\n(x): error: y\n";
    assert_false(log_find_error(*state, placeless, &e));
    assert_string_equal(log_find_reason(*state, placeless), "nvcc fatal   : no");
    assert_string_equal(log_find_reason(*state, "In all\n"), "the compiler does not say why");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_the_entry, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(compiles_a_source_once, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(names_the_kernels, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(shows_the_first_error, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(refuses_files_elsewhere, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(keeps_what_has_not_changed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(checks_what_a_test_says, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(reads_errors_of_logs, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
