/* JSON: what is read, what is refused, and where. */
#include "cm.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"

/* The text in memory of its own size: a sanitizer sees who reads on. */
static struct json_value *parse(struct arena *a, const char *text, size_t len, struct diag *d) {
    struct source *source = arena_alloc(a, sizeof *source);
    char *exact = memcpy(test_malloc(len + 1), text, len);
    exact[len] = '\0';
    *source = (struct source){.path = "f.json", .text = exact, .len = len};
    struct json_value *v = json_parse(&(struct json_file){a, source, d});
    source->text = arena_strndup(a, text, len);
    test_free(exact);
    return v;
}

static void what_is_json(void **state) {
    (void)state;
    static const char text[] =
        " {\"a\\u0069\" : [1, -0.5e+3, true,false,null],\r\n\"t\":\"\\ud83d\\ude00\\/\\\\\\n\xc3\xa9\"}\t\n";
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct json_value *v = parse(a, text, sizeof text - 1, &d), *list = json_find(v, "ai");
    assert_non_null(list);
    assert_int_equal(list->n, 5);
    assert_int_equal(list->pos.col, 15);
    assert_string_equal(list->first->text, "1");
    assert_string_equal(list->first->next->text, "-0.5e+3");
    assert_int_equal(list->first->next->pos.len, 7);
    const struct json_value *t = json_find(v, "t");
    assert_string_equal(t->text, "\xf0\x9f\x98\x80/\\\n\xc3\xa9");
    assert_int_equal(t->pos.line, 2);
    assert_int_equal(t->pos.col, 5);
    assert_null(json_find(v, "b"));
    assert_null(json_find(list, "b"));
    arena_close(a);
}

static const struct {
    const char *text;
    size_t len;
    int line, col;
    const char *says;
} wrong[] = {
#define WRONG(text, line, col, says)                                                                         \
    { text, sizeof text - 1, line, col, says }
    WRONG("", 1, 1, "this is not JSON: a value is expected here"),
    WRONG("[1,]", 1, 4, "this is not JSON: a value is expected here"),
    WRONG("[1 2]", 1, 4, "this is not JSON: ',' or ']' is expected here"),
    WRONG("[1", 1, 3, "this is not JSON: ',' or ']' is expected here"),
    WRONG("{\"a\":1,}", 1, 8, "this is not JSON: the name of a member is expected here"),
    WRONG("{a:1}", 1, 2, "this is not JSON: the name of a member is expected here"),
    WRONG("{\"a\" 1}", 1, 6, "this is not JSON: ':' is expected here"),
    WRONG("{\"a\":1 \"b\":2}", 1, 8, "this is not JSON: ',' or '}' is expected here"),
    WRONG("{\"i\":1,\n\"\\u0069\":2}", 2, 10, "this is not JSON: 'i' is there twice"),
    WRONG("[]\n[]", 2, 1, "this is not JSON: the end of the file is expected here"),
    WRONG("\xef\xbb\xbf{}", 1, 1, "this is not JSON: a value is expected here"),
    WRONG("[01]", 1, 2, "this is not JSON: a number is not written like that"),
    WRONG("[+1]", 1, 2, "this is not JSON: a value is expected here"),
    WRONG("[.5]", 1, 2, "this is not JSON: a value is expected here"),
    WRONG("[1.]", 1, 2, "this is not JSON: a number is not written like that"),
    WRONG("[1e]", 1, 2, "this is not JSON: a number is not written like that"),
    WRONG("[-]", 1, 2, "this is not JSON: a number is not written like that"),
    WRONG("[True]", 1, 2, "this is not JSON: an unknown word"),
    WRONG("[NaN]", 1, 2, "this is not JSON: an unknown word"),
    WRONG("['a']", 1, 2, "this is not JSON: a value is expected here"),
    WRONG("[1] # x", 1, 5, "this is not JSON: the end of the file is expected here"),
    WRONG("[\"a", 1, 2, "this is not JSON: a text does not end"),
    WRONG("[\"a\\", 1, 4, "this is not JSON: an unknown escape"),
    WRONG("[\"a\\\"", 1, 2, "this is not JSON: a text does not end"),
    WRONG("[\"\\x41\"]", 1, 3, "this is not JSON: an unknown escape"),
    WRONG("[\"\\u12\"]", 1, 3, "this is not JSON: an unknown escape"),
    WRONG("[\"\\u12g4\"]", 1, 3, "this is not JSON: an unknown escape"),
    WRONG("[\"\\u0000\"]", 1, 3, "this is not JSON: an unknown escape"),
    WRONG("[\"\\ud83d\"]", 1, 3, "this is not JSON: an unknown escape"),
    WRONG("[\"\\ud83d\\u0041\"]", 1, 3, "this is not JSON: an unknown escape"),
    WRONG("[\"\\ude00\"]", 1, 3, "this is not JSON: an unknown escape"),
    WRONG("[\"a\nb\"]", 1, 4, "this is not JSON: a control character in a text"),
    WRONG("[\"a\0b\"]", 1, 4, "this is not JSON: a control character in a text"),
    WRONG("[1\0]", 1, 3, "this is not JSON: ',' or ']' is expected here"),
    WRONG("[\"\xff\"]", 1, 3, "this is not JSON: a text is not UTF-8"),
    WRONG("[\"\xed\xa0\x80\"]", 1, 3, "this is not JSON: a text is not UTF-8"),
};

static void what_is_no_json(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        assert_null(parse(a, wrong[k].text, wrong[k].len, &d));
        assert_int_equal(d.errors, 1);
        assert_string_equal(d.messages[0].text, wrong[k].says);
        assert_int_equal(d.messages[0].pos.line, wrong[k].line);
        assert_int_equal(d.messages[0].pos.col, wrong[k].col);
        diag_free(&d);
        arena_close(a);
    }
}

static void how_deep(void **state) {
    (void)state;
    char text[2 * (JSON_MAX_DEPTH + 1)];
    for (int depth = JSON_MAX_DEPTH; depth <= JSON_MAX_DEPTH + 1; depth++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        assert_int_equal(parse(a, text, 2 * (size_t)depth, &d) != NULL, depth == JSON_MAX_DEPTH);
        if (depth > JSON_MAX_DEPTH)
            assert_string_equal(d.messages[0].text, "nested more than 64 levels deep");
        diag_free(&d);
        arena_close(a);
    }
}

/* What the getters say of {"n": ...}. */
static void whole_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
        long long value;
    } cases[] = {
        {"{\"n\": 9223372036854775807}", NULL, LLONG_MAX},
        {"{\"n\": -9223372036854775808}", NULL, LLONG_MIN},
        {"{\"n\": 9223372036854775808}",
         "'n' is 9223372036854775808, out of its range -9223372036854775808 to 9223372036854775807", 0},
        {"{\"n\": 1.0}", "'n' is not a whole number", 0},
        {"{\"n\": \"1\"}", "'n' is not a whole number", 0},
        {"{}", "'n' is missing", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        const struct source source = {.path = "f.json", .text = cases[k].text, .len = strlen(cases[k].text)};
        const struct json_file f = {a, &source, &d};
        assert_int_equal(json_get_whole(&f, json_parse(&f), "n", LLONG_MIN, LLONG_MAX), cases[k].value);
        assert_int_equal(d.errors, cases[k].says != NULL);
        if (cases[k].says) assert_string_equal(d.messages[0].text, cases[k].says);
        diag_free(&d);
        arena_close(a);
    }
}

static void real_numbers(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    static const char text[] = "{\"x\": 1e400, \"y\": -2.5, \"z\": 3, \"t\": \"\"}";
    const struct source source = {.path = "f.json", .text = text, .len = strlen(text)};
    const struct json_file f = {a, &source, &d};
    const struct json_value *v = json_parse(&f);
    assert_true(json_get_real(&f, v, "y") == -2.5 && json_get_real(&f, v, "z") == 3);
    assert_int_equal(d.errors, 0);
    assert_true(json_get_real(&f, v, "x") == 0 && json_get_real(&f, v, "t") == 0);
    assert_string_equal(d.messages[0].text, "'x' is 1e400: larger than any number that counts here");
    assert_string_equal(d.messages[1].text, "'t' is not a number");
    diag_free(&d);
    arena_close(a);
}

/* ---- elements that are handed over ---- */

struct handed {
    const char *texts[4];
    struct pos at[4];
    int n;
};

static void take(void *ctx, const struct json_value *v) {
    struct handed *h = ctx;
    h->at[h->n] = v->pos;
    const struct json_value *text = json_find(v, "t");
    h->texts[h->n++] = text ? text->text : NULL;
}

static const struct json_value *parse_each(struct arena *a, const char *text, struct handed *h,
                                           struct diag *d) {
    struct source *source = arena_alloc(a, sizeof *source);
    *source = (struct source){.path = "f.json", .text = text, .len = strlen(text)};
    return json_parse_each(&(struct json_file){a, source, d}, &(struct json_each){"list", take, h});
}

/* Their texts stay, each once, and the list is empty; a list of that name that stands deeper is a list as any other. */
static void elements_are_handed_over(void **state) {
    (void)state;
    static const char text[] =
        "{\"x\": {\"list\": [1]},\n \"list\": [{\"t\": \"abc\"},\n\n  {\"list\": [2], \"t\": "
        "\"abc\"}, 3],\n\"y\": [4]}";
    struct arena *a = arena_open();
    struct diag d = {0};
    struct handed h = {0};
    const struct json_value *v = parse_each(a, text, &h, &d), *x = json_find(v, "x");
    assert_int_equal(d.errors, 0);
    assert_int_equal(h.n, 3);
    assert_string_equal(h.texts[0], "abc");
    assert_ptr_equal(h.texts[0], h.texts[1]);
    assert_int_equal(h.at[1].line, 4);
    assert_int_equal(h.at[1].col, 3);
    assert_int_equal(json_find(v, "list")->n, 3);
    assert_null(json_find(v, "list")->first);
    assert_int_equal(json_find(x, "list")->first->pos.col, 17);
    assert_int_equal(json_find(v, "y")->pos.line, 5);
    arena_close(a);
}

/* What is wrong in an element is said where it stands; what was handed over before it was. */
static void wrong_elements(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line, col, n;
    } cases[] = {
        {"{\"list\": [{},\n {\"t\": 1,\n \"t\": 2}]}", 3, 7, 1},
        {"{\"list\": [{}\n {}]}", 2, 2, 1},
        {"{\"list\": [{},\n]}", 2, 1, 1},
        {"{\"list\": [{}, {}", 1, 17, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        struct handed h = {0};
        assert_null(parse_each(a, cases[k].text, &h, &d));
        assert_int_equal(d.errors, 1);
        assert_int_equal(h.n, cases[k].n);
        assert_int_equal(d.messages[0].pos.line, cases[k].line);
        assert_int_equal(d.messages[0].pos.col, cases[k].col);
        diag_free(&d);
        arena_close(a);
    }
}

/* A file of whole pages that is mapped ends with a NUL, and is there again after it was forgotten. */
static void large_files(void **state) {
    (void)state;
    enum { SIZE = 40 << 20 };
    char path[] = "/tmp/culitmus-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, SIZE), 0);
    assert_int_equal(pwrite(fd, "{}", 2, 20 << 20), 2);
    close(fd);
    struct arena *a = arena_open();
    struct diag d = {0};
    struct source source;
    assert_true(source_map(a, path, &source, &d));
    unlink(path);
    assert_true(source.mapped);
    assert_int_equal(source.len, SIZE);
    assert_int_equal(source.text[SIZE], 0);
    source_forget(&source, 5);
    source_forget(&source, SIZE);
    assert_memory_equal(source.text + (20 << 20), "{}", 3);
    assert_false(source_map(a, path, &source, &d));
    assert_int_equal(d.errors, 1);
    diag_free(&d);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_json),   cmocka_unit_test(what_is_no_json),
        cmocka_unit_test(how_deep),       cmocka_unit_test(whole_numbers),
        cmocka_unit_test(real_numbers),   cmocka_unit_test(elements_are_handed_over),
        cmocka_unit_test(wrong_elements), cmocka_unit_test(large_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
