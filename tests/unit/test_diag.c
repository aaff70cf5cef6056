/* Messages: places, underlines, cut lines, bytes that would drive a terminal. */
#include "cm.h"
#include "dump.h"

static struct source make_source(const char *text) {
    return (struct source){.path = "dir/f.yaml", .text = text, .len = strlen(text)};
}

static void check(struct diag *d, const char *want) {
    char *got = dump_diag(d);
    assert_string_equal(got, want);
    free(got);
    diag_free(d);
}

static void errors_show_line_and_underline(void **state) {
    (void)state;
    struct source src = make_source("a: 1\nfences: [none, devise]\r\nlast");
    struct diag d = {0};
    diag_error(&d, &src, (struct pos){2, 16, 6}, "unknown fence '%s'", "devise");
    diag_note(&d, &src, (struct pos){1, 1, 0}, "this is the first line");
    diag_warning(&d, &src, (struct pos){3, 5, 1}, "behind the end");
    diag_error(&d, &src, (struct pos){0}, "the whole file");
    diag_fail(&d, "no device");
    assert_int_equal(d.errors, 3);
    assert_int_equal(d.warnings, 1);
    check(&d, "dir/f.yaml:2:16: error: unknown fence 'devise'\n"
              "    2 | fences: [none, devise]\n"
              "      |                ^~~~~~\n"
              "dir/f.yaml:1:1: note: this is the first line\n"
              "    1 | a: 1\n"
              "      | ^\n"
              "dir/f.yaml:3:5: warning: behind the end\n"
              "    3 | last\n"
              "      |     ^\n"
              "dir/f.yaml: error: the whole file\n"
              "culitmus: error: no device\n");
}

static void the_first_error_may_stand_behind_warnings(void **state) {
    (void)state;
    struct diag d = {0};
    assert_null(diag_first_error(&d));
    diag_warning(&d, NULL, (struct pos){0}, "warm");
    diag_note(&d, NULL, (struct pos){0}, "since noon");
    assert_null(diag_first_error(&d));
    diag_fail(&d, "hot");
    diag_fail(&d, "hotter");
    assert_string_equal(diag_first_error(&d), "hot");
    diag_free(&d);
}

static void bytes_are_made_visible(void **state) {
    (void)state;
    struct source src = make_source("\tX \x1b[31m \xc3\xa9 \xff \xc2\x9b \xe2\x80\xae Z");
    struct diag d = {0};
    diag_error(&d, &src, (struct pos){1, 23, 1}, "a word \x1b]0;x\x07 of the file");
    check(&d, "dir/f.yaml:1:23: error: a word \\x1b]0;x\\x07 of the file\n"
              "    1 | \\tX \\x1b[31m \xc3\xa9 \\xff \\u009b \\u202e Z\n"
              "      |                                    ^\n");
}

static void long_lines_are_cut(void **state) {
    (void)state;
    char line[1001];
    memset(line, 'x', 1000);
    line[500] = '!';
    line[1000] = '\0';
    struct source src = make_source(line);
    struct diag d = {0};
    diag_error(&d, &src, (struct pos){1, 501, 300}, "here");
    char *got = dump_diag(&d);
    const char *caret = strchr(got, '^'), *mark = strchr(got, '!');
    const char *second = strstr(got, "\n      | ");
    assert_non_null(caret);
    assert_int_equal(caret - second, mark - strchr(got, '\n')); /* the caret stands under the mark */
    assert_true(strlen(got) < 300);
    assert_non_null(strstr(got, "| ...xxx"));
    assert_non_null(strstr(got, "xxx...\n"));
    free(got);
    diag_free(&d);
}

static void long_words_are_cut(void **state) {
    (void)state;
    struct source src = make_source("x");
    struct diag d = {0};
    char word[5000];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    diag_error(&d, &src, (struct pos){0}, "unknown '%s'", word);
    assert_int_equal(strlen(d.messages[0].text), 404);
    diag_fail(&d, "%s", word); /* a compiler's log stays whole */
    assert_int_equal(strlen(d.messages[1].text), 4999);
    for (int i = 0; i < 2499; i++)
        memcpy(word + 2 * i, "\xc3\xa9", 2);
    diag_error(&d, &src, (struct pos){0}, "x%s", word); /* never inside a character */
    assert_int_equal(strlen(d.messages[2].text), 403);
    diag_free(&d);
}

static void further_errors_are_counted(void **state) {
    (void)state;
    struct source src = make_source("x");
    struct diag d = {0};
    for (int i = 0; i < 105; i++) {
        diag_error(&d, &src, (struct pos){0}, "error %d", i);
        diag_note(&d, &src, (struct pos){0}, "note %d", i);
    }
    assert_int_equal(d.errors, 105);
    assert_int_equal(d.n, 200);
    char *got = dump_diag(&d);
    assert_non_null(strstr(got, "note 99\nculitmus: 5 more errors are not shown\n"));
    free(got);
    diag_free(&d);
}

static void joined_messages_count_as_if_they_came_one_by_one(void **state) {
    (void)state;
    struct source src = make_source("x");
    struct diag d = {0}, from = {0}, whole = {0};
    for (int i = 0; i < 210; i++) {
        struct diag *half = i < 98 ? &d : &from;
        diag_error(half, &src, (struct pos){0}, "error %d", i);
        diag_error(&whole, &src, (struct pos){0}, "error %d", i);
        diag_warning(half, &src, (struct pos){0}, "warning %d", i);
        diag_warning(&whole, &src, (struct pos){0}, "warning %d", i);
        diag_note(half, &src, (struct pos){0}, "note %d", i);
        diag_note(&whole, &src, (struct pos){0}, "note %d", i);
    }
    diag_join(&d, &from);
    assert_int_equal(from.n + from.errors + from.warnings, 0);
    assert_int_equal(d.errors, 210);
    assert_int_equal(d.warnings, 210);
    char *got = dump_diag(&d), *want = dump_diag(&whole);
    assert_string_equal(got, want);
    free(got);
    free(want);
    diag_free(&d);
    diag_free(&whole);
}

static void messages_follow_the_file(void **state) {
    (void)state;
    struct source src = make_source("x");
    struct diag d = {0};
    static const int lines[] = {9, 3, 5, 3, 1, 7};
    for (int i = 0; i < 6; i++) {
        diag_error(&d, &src, (struct pos){lines[i], 1, 1}, "%d%c", lines[i], 'a' + i);
        if (i % 2) diag_note(&d, &src, (struct pos){2, 1, 1}, "note %c", 'a' + i);
    }
    diag_sort(&d, 1);
    static const char *const want[] = {"9a", "1e", "3b", "note b", "3d", "note d", "5c", "7f", "note f"};
    assert_int_equal(d.n, 9);
    for (int i = 0; i < 9; i++)
        assert_string_equal(d.messages[i].text, want[i]);
    diag_free(&d);
}

static void colours_frame_the_same_text(void **state) {
    (void)state;
    struct source src = make_source("a b");
    struct diag d = {0};
    diag_error(&d, &src, (struct pos){1, 3, 1}, "bad");
    char *s;
    size_t n;
    FILE *f = open_memstream(&s, &n);
    diag_render(&d, f, true);
    fclose(f);
    assert_string_equal(s, "\033[1mdir/f.yaml:1:3: \033[1;31merror: \033[0m\033[1mbad\033[0m\n"
                           "    1 | a b\n      |   \033[1;32m^\033[0m\n");
    free(s);
    diag_free(&d);
}

/* A CI system takes a line that begins with "::error" for a command: no text of a file begins a line so. */
static void no_line_is_a_command(void **state) {
    (void)state;
    struct source src = make_source("a b");
    struct diag d = {0};
    src.path = "::error::x";
    diag_error(&d, &src, (struct pos){1, 1, 1}, "unknown '%s'", "v\n::error::y");
    diag_fail(&d, "no compiler:\nx::y\n \t::error::z\n##[group]");
    char *got = dump_diag(&d);
    assert_string_equal(got, "\\x3a:error::x:1:1: error: unknown 'v\\x0a::error::y'\n"
                             "    1 | a b\n"
                             "      | ^\n"
                             "culitmus: error: no compiler:\nx::y\n \t\\x3a:error::z\n\\x23#[group]\n");
    free(got);
    diag_free(&d);
}

static void suggestions_are_near(void **state) {
    (void)state;
    static const char *const words[] = {"none", "block", "cluster", "device", "system"};
    assert_string_equal(diag_nearest("devise", words, 5), "device");
    assert_string_equal(diag_nearest("blokc", words, 5), "block");
    assert_string_equal(diag_nearest("nnoe", words, 5), "none");
    assert_null(diag_nearest("grid", words, 5));
    assert_null(diag_nearest("", words, 5));
    static const char *const one[] = {"x"};
    assert_null(diag_nearest("y", one, 1));
    char word[200];
    memset(word, 'b', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(diag_nearest(word, words, 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_show_line_and_underline),
        cmocka_unit_test(the_first_error_may_stand_behind_warnings),
        cmocka_unit_test(bytes_are_made_visible),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(long_words_are_cut),
        cmocka_unit_test(further_errors_are_counted),
        cmocka_unit_test(colours_frame_the_same_text),
        cmocka_unit_test(no_line_is_a_command),
        cmocka_unit_test(joined_messages_count_as_if_they_came_one_by_one),
        cmocka_unit_test(suggestions_are_near),
        cmocka_unit_test(messages_follow_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
