/* Values of every type in JSON, and back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cm.h"
#include "report/json.h"

static struct type named(const char *name) {
    struct type t = {0};
    assert_true(type_find(name, &t));
    return t;
}

/* What is in a file for a list of the value; of a vector, for the lanes. */
static char *write_value(struct type t, struct value v) {
    char *out, *to;
    size_t n;
    struct json_out j = {.out = open_memstream(&out, &n)};
    json_open(&j, NULL, '[');
    json_put_value(&j, NULL, t, v);
    json_close(&j, ']');
    fclose(j.out);
    to = out;
    for (const char *p = out; *p; p++) /* on one line */
        if (*p != '\n' && *p != ' ') *to++ = *p;
    *to = '\0';
    return out;
}

static void check_type(struct type got, const char *want) {
    assert_string_equal(type_name(got), want);
}

/* Reads a list of values, all of which have one type. */
static bool read_values(const char *text, struct type *type, struct value *values) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const struct source source = {.path = "values.json", .text = text, .len = strlen(text)};
    const struct json_value *list = json_parse(&(struct json_file){a, &source, &d});
    bool good = list;
    *type = (struct type){0};
    for (const struct json_value *item = list ? list->first : NULL; good && item; item = item->next) {
        struct type here;
        good = json_value_of(item, &here, values++) && json_join_types(type, here);
    }
    diag_free(&d);
    arena_close(a);
    return good;
}

static void values_are_written_and_read_again(void **state) {
    (void)state;
    static const struct {
        const char *type;
        struct value value;
        const char *text, *read; /* the type that is read */
    } rows[] = {
        {"int", {0xffffffff, 0}, "[-1]", "int64_t"},
        {"unsigned", {0xffffffff, 0}, "[4294967295]", "int64_t"},
        {"int64_t", {1ull << 63, 0}, "[-9223372036854775808]", "int64_t"},
        {"uint64_t", {INT64_MAX, 0}, "[9223372036854775807]", "int64_t"},
        {"uint64_t", {1ull << 63, 0}, "[9223372036854775808]", "uint64_t"},
        {"uint64_t", {UINT64_MAX, 0}, "[18446744073709551615]", "uint64_t"},
        {"bool", {1, 0}, "[1]", "int64_t"},
        {"unsigned __int128", {2, 1}, "[\"0x10000000000000002\"]", "unsigned __int128"},
        {"float", {0x3fc00000, 0}, "[1.5]", "double"},
        {"float", {0x3dcccccd, 0}, "[0.100000001]", "double"},
        {"float", {0x7f800000, 0}, "[\"inf\"]", "double"},
        {"double", {0x3fb999999999999a, 0}, "[0.1]", "double"},
        {"double", {0x3fd5555555555555, 0}, "[0.3333333333333333]", "double"},
        {"double", {0x7e37e43c8800759c, 0}, "[1e300]", "double"},
        {"double", {0x7fffffffffffffff, 0}, "[\"nan\"]", "double"},
        {"int4", {0xffffffff, 0x0000000280000000}, "[[-1,0,-2147483648,2]]", "int4"},
        {"uint4", {0xffffffff, 0x0000000280000000}, "[[4294967295,0,2147483648,2]]", "uint4"},
        {"ulonglong2", {1, UINT64_MAX}, "[[1,18446744073709551615]]", "ulonglong2"},
        {"float2", {0x3f8000003fc00000, 0}, "[[1.5,1.0]]", "double2"},
        {"double2", {0x3fb999999999999a, 0x3ff8000000000000}, "[[0.1,1.5]]", "double2"},
        {"float4", {0x3f8000003dcccccd, 0x7f8000003f800000}, "[[0.100000001,1.0,1.0,\"inf\"]]", "float4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct type written = named(rows[i].type), t;
        struct value v;
        char *text = write_value(written, rows[i].value);
        assert_string_equal(text, rows[i].text);
        if (!read_values(text, &t, &v)) fail_msg("%s was not read", text);
        check_type(t, rows[i].read);
        char *again = write_value(t, v);
        assert_string_equal(again, text);
        free(again);
        free(text);
    }
}

static void types_of_several_values_are_joined(void **state) {
    (void)state;
    struct type t;
    struct value v[4];
    assert_true(read_values("[1, 18446744073709551615, 2]", &t, v));
    check_type(t, "uint64_t");
    assert_true(v[0].lo == 1 && v[1].lo == UINT64_MAX);
    assert_true(read_values("[[1, 2, 3, 4], [0, 4294967295, 0, 0]]", &t, v));
    check_type(t, "uint4");
    assert_true(read_values("[-1, 1]", &t, v));
    check_type(t, "int64_t");
}

static void other_things_are_no_values(void **state) {
    (void)state;
    static const char *const bad[] = {"[null]",
                                      "[true]",
                                      "[{}]",
                                      "[[1,2,3]]",
                                      "[[]]",
                                      "[\"text\"]",
                                      "[\"0xg\"]",
                                      "[[1,[2]]]",
                                      "[1, 1.5]",
                                      "[1, [1,2]]",
                                      "[[1,\"0x1\"]]",
                                      "[[\"0x1\",\"0x2\"]]",
                                      "[[\"0x1\",\"0x2\",\"0x3\",\"0x4\"]]",
                                      "[[1,2],[1,2,3,4]]",
                                      "[\"\"]",
                                      "[[4294967296,0,0,0]]",
                                      "[18446744073709551616]"};
    struct type t;
    struct value v[4];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (read_values(bad[i], &t, v)) fail_msg("%s was read", bad[i]);
}

static void json_is_written(void **state) {
    (void)state;
    char *out;
    size_t n;
    struct json_out j = {.out = open_memstream(&out, &n)};
    json_open(&j, NULL, '{');
    json_open(&j, "none", '[');
    json_close(&j, ']');
    json_open(&j, "reals", '[');
    const double reals[] = {0, 2, -0.5, 1e9, 1.5e-7, 123456789.25, NAN, INFINITY};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        json_put_real(&j, NULL, reals[k]);
    json_close(&j, ']');
    json_put_count(&j, "count", UINT64_MAX);
    json_put_whole(&j, "whole", INT64_MIN);
    json_put_bool(&j, "no", false);
    json_put_null(&j, "null");
    json_put_text(&j, "escapes", "\"\\\b\f\n\r\t/\x1f\x7f\xc3\xa9");
    json_put_text(&j, "reorders",
                  "\xe2\x80\xae"
                  "a\xef\xbb\xbf\xf3\xa0\x81\x81\xf0\x9f\x98\x80");
    json_put_text(&j, "no UTF-8", "\xff\xc3\xa9!");
    json_put_text(&j, "a\"b", "");
    json_close(&j, '}');
    fclose(j.out);
    assert_string_equal(
        out,
        "{\n"
        " \"none\": [],\n"
        " \"reals\": [\n  0.0,\n  2.0,\n  -0.5,\n  1e9,\n  1.5e-7,\n  123456789.0,\n  null,\n  null\n ],\n"
        " \"count\": 18446744073709551615,\n"
        " \"whole\": -9223372036854775808,\n"
        " \"no\": false,\n"
        " \"null\": null,\n"
        " \"escapes\": \"\\\"\\\\\\b\\f\\n\\r\\t/\\u001F\\u007F\xc3\xa9\",\n"
        " \"reorders\": \"\\u202Ea\\uFEFF\\uDB40\\uDC41\xf0\x9f\x98\x80\",\n"
        " \"no UTF-8\": \"?\?\?!\",\n"
        " \"a\\\"b\": \"\"\n"
        "}\n");
    free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_written_and_read_again),
        cmocka_unit_test(types_of_several_values_are_joined),
        cmocka_unit_test(other_things_are_no_values),
        cmocka_unit_test(json_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
