/* Bad tests: every file of cases/ has a .txt beside it, with the messages that reading it gives, to the
 * letter. CULITMUS_BLESS=1 in the environment writes those files instead of comparing them. */
#include <glob.h>
#include <stdio.h>

#include "../recorded.h"
#include "dump.h"
#include "source/read.h"

/* True when the messages for a file are those that are recorded. */
static bool check_case(const char *path) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct test *t = test_read(a, path, &d);
    char *got = dump_diag(&d);
    char *expected_path = arena_printf(a, "%.*s.txt", (int)(strrchr(path, '.') - path), path);
    bool same = recorded_check(expected_path, got);
    if ((t == NULL) != (d.errors > 0)) {
        print_error("%s: %zu errors, but %s test\n", path, d.errors, t ? "a" : "no");
        same = false;
    }
    free(got);
    diag_free(&d);
    arena_close(a);
    return same;
}

static void messages_are_exact(void **state) {
    (void)state;
    glob_t files = {0};
    int failed = 0;
    assert_int_equal(glob("cases/*.yaml", 0, NULL, &files), 0);
    glob("cases/*.litmus", GLOB_APPEND, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++)
        failed += !check_case(files.gl_pathv[i]);
    assert_true(files.gl_pathc > 60);
    globfree(&files);
    if (failed) fail_msg("%d files of cases/ give other messages", failed);
}

/* `text` repeated to `size` bytes gives this error, and soon. */
static void check_long(const char *head, const char *text, size_t size, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct text file = {0};
    text_add(&file, head);
    while (file.len < size)
        text_add(&file, text);
    assert_null(test_read_text(a, "long.yaml", file.s, file.len, &d));
    assert_string_equal(d.messages[0].text, want);
    text_free(&file);
    diag_free(&d);
    arena_close(a);
}

static void nesting_and_length_are_bounded(void **state) {
    (void)state;
    const char *yaml = "nested too deeply: no test needs more than 16 levels";
    const char *body = "nested too deeply: more than 200 levels";
    const char *tokens = "too long: more than 100000 words and signs";
    const char *head = "name: T\nmemory: {X: 0}\nexists: X == 1\nthreads:\n  T0: |\n    X = 1;\n    ";
    const char *value = "name: T\nmemory: {X: 0}\nexists: X == 1\nthreads:\n  T0: |\n    X = 1 + ";
    enum { LITTLE = 50 * 1000, MUCH = 10 * 1000 * 1000 };
    check_long("name: ", "[", MUCH, yaml);
    check_long("", "{a: ", MUCH, yaml);
    check_long("", "- ", MUCH, yaml);
    check_long("name: T\nmemory: {X: ", "[[", MUCH, yaml);
    check_long(head, "{", LITTLE, body);
    check_long(head, "if (X) ", LITTLE, body);
    check_long(value, "(", LITTLE, body);
    check_long(value, "- ", LITTLE, body);
    check_long(value, "!", LITTLE, body);
    check_long(value, "1+", LITTLE, "an expression has at most 1000 terms");
    check_long(value, "1?1:", LITTLE, body);
    check_long(head, "X++;", 2 * LITTLE, "a body has at most 20000 statements");
    check_long(head, "{", MUCH, tokens);
    check_long(head, "X = 1;", MUCH, tokens);
}

/* A test with this name, memory and threads is read, or gives this error. */
static void check_read(const char *name, const char *memory, const char *threads, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    char *file =
        arena_printf(a, "name: %s\r\nmemory: {%s}\nthreads: {%s}\nexists: X == 1\n", name, memory, threads);
    const struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    assert_string_equal(t ? "" : d.messages[0].text, want);
    diag_free(&d);
    arena_close(a);
}

static void bounds_are_reached_but_not_passed(void **state) {
    (void)state;
    char name[80];
    memset(name, 'n', 64);
    strcpy(name + 64, ": 0, X: 0");
    check_read("T", name, "A: X = 1;", "");
    strcpy(name + 64, "n: 0, X: 0");
    check_read(
        "T", name, "A: X = 1;",
        "location name 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn' is longer than 64 "
        "characters");
    check_read("T", "X: 0, a: {count: 65535}", "A: X = 1;", "");
    check_read("T", "X: 0, a: {count: 65536}", "A: X = 1;",
               "65537 elements in all: a test has at most 65536");
    check_read("T", "X: 0", "A: {count: 1000, body: X = 1;}, B: {count: 24, body: X = 1;}", "");
    check_read("T", "X: 0", "A: {count: 1000, body: X = 1;}, B: {count: 25, body: X = 1;}",
               "1025 threads in all: a test has at most 1024");
    check_read("T", "X: ' 1'", "A: X = 1;", "expected an integer, not ' 1'");
    check_read("T", "X: 0", "A: X = 4294967295;", "");
    check_read("T", "X: 0", "A: X = 0x100000000;", "");
    check_read("T", "X: 0", "A: X = 99999999999999999999;", "99999999999999999999 does not fit into 64 bits");
    check_read(
        "-T", "X: 0", "A: X = 1;",
        "'-T' is not the name of a test: letters, digits, '_', '+', '.' and '-', beginning with a letter or "
        "a digit");
}

/* RFC 3629, and the ends of lines; each in a comment at the end of the name's line, before CR LF. */
static void files_are_utf8_with_usual_lines(void **state) {
    (void)state;
    static const char *const fine[] = {"", "\xc2\xa0", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80"};
    static const char *const wrong[] = {"\x80",
                                        "\xc0\x80",
                                        "\xc3",
                                        "\xe0\x9f\xbf",
                                        "\xed\xa0\x80",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80"};
    static const char *const odd[] = {"\r ", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
    char name[16];
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        snprintf(name, sizeof name, "T # %s", fine[i]);
        check_read(name, "X: 0", "A: X = 1;", "");
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(name, sizeof name, "T # %s", wrong[i]);
        check_read(name, "X: 0", "A: X = 1;", "this is not UTF-8 text");
    }
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        snprintf(name, sizeof name, "T # %s", odd[i]);
        check_read(name, "X: 0", "A: X = 1;", "a line ends in an unusual character; use LF or CR LF");
    }
}

static void unreadable_files(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    assert_null(test_read(a, "cases/no-such-file.yaml", &d));
    assert_null(test_read(a, "cases", &d));
    assert_null(test_read(a, "CMakeLists.txt", &d));
    char *got = dump_diag(&d);
    assert_string_equal(got,
                        "cases/no-such-file.yaml: error: cannot read the file: No such file or directory\n"
                        "cases: error: cannot read the file: Is a directory\n"
                        "CMakeLists.txt: error: the name of a test ends in .yaml, .yml or .litmus\n");
    free(got);
    diag_free(&d);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_exact),
        cmocka_unit_test(nesting_and_length_are_bounded),
        cmocka_unit_test(bounds_are_reached_but_not_passed),
        cmocka_unit_test(files_are_utf8_with_usual_lines),
        cmocka_unit_test(unreadable_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
