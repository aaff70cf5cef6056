/* Types and their names; values of every width. */
#include <math.h>

#include "cm.h"
#include "litmus/value.h"

static struct type named(const char *name) {
    struct type t;
    assert_true(type_find(name, &t) || type_find_ptx(name, &t));
    return t;
}

static struct value read_value(const char *type, const char *text) {
    struct value v;
    assert_int_equal(value_parse(text, named(type), &v), VALUE_FINE);
    return v;
}

static void check_value(const char *type, struct value v, const char *want) {
    struct text out = {0};
    value_print(&out, named(type), v);
    assert_string_equal(out.s, want);
    text_free(&out);
}

/* ---- types ---- */

static void names_of_c_and_ptx_mean_the_same_types(void **state) {
    (void)state;
    static const struct {
        const char *name, *usual, *ptx;
        int bytes;
    } rows[] = {
        {"int", "int", "s32", 4},
        {"int32_t", "int", "s32", 4},
        {"unsigned int", "unsigned", "u32", 4},
        {"char", "int8_t", "s8", 1},
        {"unsigned char", "uint8_t", "u8", 1},
        {"short", "int16_t", "s16", 2},
        {"unsigned long long", "uint64_t", "u64", 8},
        {"long long", "int64_t", "s64", 8},
        {"bool", "bool", "u8", 1},
        {"float", "float", "f32", 4},
        {"int4", "int4", "v4.s32", 16},
        {"uint2", "uint2", "v2.u32", 8},
        {"ulonglong2", "ulonglong2", "v2.u64", 16},
        {"float4", "float4", "v4.f32", 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct type t = named(rows[i].name);
        assert_string_equal(type_name(t), rows[i].usual);
        assert_string_equal(type_ptx(t), rows[i].ptx);
        assert_int_equal(type_bytes(t), rows[i].bytes);
    }
    assert_string_equal(type_name(named("b64")), "uint64_t");
    assert_string_equal(type_name(named("b128")), "unsigned __int128");
    assert_string_equal(type_name(named("v4.b32")), "uint4");
    assert_int_equal(type_bytes(named("b128")), 16);
}

static void other_names_are_no_types(void **state) {
    (void)state;
    static const char *const names[] = {"",    "int3",   "float3",        "double4",
                                        "s33", "v8.s32", "unsigned  int", "v4"};
    struct type t;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(type_find(names[i], &t) || type_find_ptx(names[i], &t));
    assert_true(type_is_word("long"));
    assert_false(type_is_word("int4"));
}

static void lanes_have_names(void **state) {
    (void)state;
    assert_int_equal(type_find_lane(named("int4"), "w"), 3);
    assert_int_equal(type_find_lane(named("int2"), "y"), 1);
    assert_int_equal(type_find_lane(named("int2"), "z"), -1);
    assert_int_equal(type_find_lane(named("int4"), "xy"), -1);
    assert_int_equal(type_find_lane(named("int"), "x"), -1);
    assert_string_equal(type_name(type_lane(named("ulonglong2"))), "uint64_t");
}

static void operands_are_converted_as_in_c(void **state) {
    (void)state;
    static const char *const rows[][3] = {
        {"int8_t", "uint16_t", "int"},
        {"int", "unsigned", "unsigned"},
        {"unsigned", "int64_t", "int64_t"},
        {"int", "uint64_t", "uint64_t"},
        {"bool", "bool", "int"},
        {"uint64_t", "float", "float"},
        {"int64_t", "uint64_t", "uint64_t"},
        {"b128", "s64", "b128"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(type_same(type_common(named(rows[i][0]), named(rows[i][1])), named(rows[i][2])));
        assert_true(type_same(type_common(named(rows[i][1]), named(rows[i][0])), named(rows[i][2])));
    }
    assert_true(type_same(type_promote(named("uint8_t")), type_int));
    assert_true(type_same(type_promote(named("unsigned")), type_unsigned));
}

/* ---- values ---- */

static void numbers_are_read_and_printed(void **state) {
    (void)state;
    static const char *const rows[][3] = {
        {"int", "-2147483648", "-2147483648"},
        {"int", "4294967295", "-1"},
        {"int", "0x10", "16"},
        {"int", "010", "8"},
        {"int", "0", "0"},
        {"unsigned", "-1", "4294967295"},
        {"int64_t", "-9223372036854775808", "-9223372036854775808"},
        {"uint64_t", "18446744073709551615", "18446744073709551615"},
        {"uint64_t", "0x100000000", "4294967296"},
        {"int8_t", "255", "-1"},
        {"uint8_t", "255", "255"},
        {"bool", "1", "1"},
        {"float", "1.5", "1.5"},
        {"float", "-3", "-3"},
        {"b128", "0x100000000000000000000000000000002", NULL},
        {"b128", "0x10000000000000002", "0x10000000000000002"},
        {"b128", "255", "0xff"},
        {"b128", "340282366920938463463374607431768211455", "0xffffffffffffffffffffffffffffffff"},
        {"b128", "340282366920938463463374607431768211456", NULL},
        {"int", "4294967296", NULL},
        {"int", "-2147483649", NULL},
        {"uint64_t", "18446744073709551616", NULL},
        {"uint8_t", "256", NULL},
        {"int8_t", "-129", NULL},
        {"bool", "2", NULL},
        {"bool", "-1", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct value v;
        if (rows[i][2])
            check_value(rows[i][0], read_value(rows[i][0], rows[i][1]), rows[i][2]);
        else
            assert_int_equal(value_parse(rows[i][1], named(rows[i][0]), &v), VALUE_OUT_OF_RANGE);
    }
    static const char *const bad[] = {"", "-", "0x", "1u", " 1", "1 ", "--1", "09", "x", "0xg", "1.5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct value v;
        assert_int_equal(value_parse(bad[i], type_int, &v), VALUE_NO_NUMBER);
    }
    struct value v;
    assert_int_equal(value_parse("1.5f", named("float"), &v), VALUE_NO_NUMBER);
}

static void values_convert_as_in_c(void **state) {
    (void)state;
    static const char *const rows[][4] = {
        {"int", "-1", "int64_t", "-1"},
        {"int", "-1", "uint64_t", "18446744073709551615"},
        {"unsigned", "-1", "int64_t", "4294967295"},
        {"int8_t", "-128", "int", "-128"},
        {"uint8_t", "128", "int", "128"},
        {"uint64_t", "0x1ffffffff", "int", "-1"},
        {"uint64_t", "0x1ffffffff", "unsigned", "4294967295"},
        {"uint64_t", "0x12345678", "uint8_t", "120"},
        {"int", "256", "bool", "1"},
        {"int", "0", "bool", "0"},
        {"bool", "1", "int64_t", "1"},
        {"int64_t", "-9223372036854775808", "b128", "0xffffffffffffffff8000000000000000"},
        {"uint64_t", "-1", "b128", "0xffffffffffffffff"},
        {"b128", "0x10000000000000002", "uint64_t", "2"},
        {"int", "-3", "float", "-3"},
        {"uint64_t", "18446744073709551615", "float", "1.84467441e+19"},
        {"float", "-2.9", "int", "-2"},
        {"float", "-2.9", "unsigned", "0"},
        {"float", "-0.5", "unsigned", "0"},
        {"float", "3e9", "int", "2147483647"},
        {"float", "-3e9", "int", "-2147483648"},
        {"float", "3e9", "unsigned", "3000000000"},
        {"float", "1e30", "uint64_t", "18446744073709551615"},
        {"float", "nan", "int", "0"},
        {"float", "0.25", "bool", "1"},
        {"float", "-0.0", "bool", "0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct value v = read_value(rows[i][0], rows[i][1]);
        check_value(rows[i][2], value_convert(v, named(rows[i][0]), named(rows[i][2])), rows[i][3]);
    }
}

static void operators_wrap_and_never_trap(void **state) {
    (void)state;
    static const struct {
        const char *type, *a;
        enum expr_kind op;
        const char *b, *want;
    } rows[] = {
        {"int", "2147483647", EXPR_ADD, "1", "-2147483648"},
        {"int", "-2147483648", EXPR_DIV, "-1", "-2147483648"},
        {"int", "-2147483648", EXPR_MOD, "-1", "0"},
        {"int", "-7", EXPR_MOD, "2", "-1"},
        {"int", "7", EXPR_DIV, "0", "0"},
        {"int", "1", EXPR_SHL, "33", "2"},
        {"int", "-8", EXPR_SHR, "1", "-4"},
        {"unsigned", "-8", EXPR_SHR, "1", "2147483644"},
        {"unsigned", "0", EXPR_SUB, "1", "4294967295"},
        {"unsigned", "4294967295", EXPR_DIV, "2", "2147483647"},
        {"int64_t", "9223372036854775807", EXPR_ADD, "1", "-9223372036854775808"},
        {"int64_t", "-9223372036854775808", EXPR_DIV, "-1", "-9223372036854775808"},
        {"int64_t", "-9223372036854775808", EXPR_MOD, "-1", "0"},
        {"int64_t", "-9223372036854775808", EXPR_NEG, "0", "-9223372036854775808"},
        {"int64_t", "1", EXPR_SHL, "32", "4294967296"},
        {"int64_t", "1", EXPR_SHL, "64", "1"},
        {"int64_t", "-1", EXPR_SHR, "63", "-1"},
        {"uint64_t", "-1", EXPR_SHR, "63", "1"},
        {"uint64_t", "18446744073709551615", EXPR_ADD, "1", "0"},
        {"uint64_t", "18446744073709551615", EXPR_MUL, "18446744073709551615", "1"},
        {"uint64_t", "18446744073709551615", EXPR_DIV, "10", "1844674407370955161"},
        {"uint64_t", "5", EXPR_MOD, "0", "0"},
        {"uint64_t", "0", EXPR_COMPL, "0", "18446744073709551615"},
        {"uint64_t", "0x100000000", EXPR_OR, "1", "4294967297"},
        {"b128", "0xffffffffffffffff", EXPR_ADD, "1", "0x10000000000000000"},
        {"b128", "1", EXPR_SHL, "127", "0x80000000000000000000000000000000"},
        {"float", "1.5", EXPR_ADD, "0.25", "1.75"},
        {"float", "1", EXPR_DIV, "0", "inf"},
        {"float", "1", EXPR_NEG, "0", "-1"},
        {"float", "0", EXPR_DIV, "0", "nan"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct type t = named(rows[i].type);
        struct value a = read_value(rows[i].type, rows[i].a), b = read_value(rows[i].type, rows[i].b);
        check_value(rows[i].type, value_apply(rows[i].op, t, a, b), rows[i].want);
        assert_true(type_same(value_result(rows[i].op, t), t));
    }
}

static void bits_are_counted(void **state) {
    (void)state;
    static const struct {
        const char *type, *a;
        int set, above;
        const char *reversed;
    } rows[] = {
        {"unsigned", "0", 0, 32, "0"},
        {"unsigned", "6", 2, 29, "0x60000000"},
        {"unsigned", "0xffffffff", 32, 0, "0xffffffff"},
        {"uint64_t", "0x100000001", 2, 31, "0x8000000080000000"},
        {"uint64_t", "0x8000000000000000", 1, 0, "1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct type t = named(rows[i].type);
        struct value a = read_value(rows[i].type, rows[i].a), none = {0};
        assert_int_equal(value_apply(EXPR_POPC, t, a, none).lo, rows[i].set);
        assert_int_equal(value_apply(EXPR_CLZ, t, a, none).lo, rows[i].above);
        assert_true(
            value_equal(value_apply(EXPR_BREV, t, a, none), read_value(rows[i].type, rows[i].reversed)));
        assert_true(type_same(value_result(EXPR_CLZ, t), type_int));
    }
}

/* As a GPU has it, whatever the processor that computes: 0 / 0 of an x86 has its sign bit set. */
static void there_is_one_nan(void **state) {
    (void)state;
    struct value zero = {0}, none = value_apply(EXPR_DIV, type_float, zero, zero);
    assert_true(none.lo == 0x7fffffff);
    assert_true(value_apply(EXPR_NEG, type_float, none, zero).lo == 0x7fffffff);
    assert_true(value_apply(EXPR_BITS, type_float, (struct value){0x7f800001, 0}, zero).lo == 0x7f800001);
}

/* Every half is a float that becomes it again; what lies between two becomes the nearer one, or the even one of two. */
static void halves_are_rounded(void **state) {
    (void)state;
    struct type half = named("half");
    double before = 0;
    for (uint64_t bits = 0; bits < 0x7c00; bits++) {
        double x = value_real(half, (struct value){bits, 0});
        if (bits) assert_true(x > before);
        assert_true(value_of_real(half, x).lo == bits);
        assert_true(value_of_real(half, -x).lo == (bits | 0x8000));
        if (bits) {
            double middle = (before + x) / 2, even = bits & 1 ? before : x;
            assert_true(value_real(half, value_of_real(half, middle)) == even);
            assert_true(value_of_real(half, nextafter(middle, 1e9)).lo == bits);
            assert_true(value_of_real(half, nextafter(middle, 0)).lo == bits - 1);
        }
        before = x;
    }
    assert_true(before == 65504 && value_of_real(half, 65519.99).lo == 0x7bff);
    assert_true(value_of_real(half, 65520).lo == 0x7c00 && value_of_real(half, -1e300).lo == 0xfc00);
    assert_true(value_of_real(half, NAN).lo == 0x7fff && isnan(value_real(half, (struct value){0x7e01, 0})));
}

static void comparisons_know_the_sign(void **state) {
    (void)state;
    static const struct {
        const char *type, *a;
        enum expr_kind op;
        const char *b;
        bool want;
    } rows[] = {
        {"int", "-1", EXPR_LT, "0", true},
        {"unsigned", "-1", EXPR_LT, "0", false},
        {"int64_t", "-9223372036854775808", EXPR_LT, "9223372036854775807", true},
        {"uint64_t", "9223372036854775808", EXPR_GT, "9223372036854775807", true},
        {"uint64_t", "9223372036854775808", EXPR_LE, "9223372036854775807", false},
        {"b128", "0x80000000000000000000000000000000", EXPR_GT, "1", true},
        {"float", "-0.0", EXPR_EQ, "0", true},
        {"float", "nan", EXPR_EQ, "nan", false},
        {"float", "nan", EXPR_NE, "nan", true},
        {"float", "nan", EXPR_GE, "nan", false},
        {"uint64_t", "0x100000000", EXPR_LAND, "1", true},
        {"uint64_t", "0x100000000", EXPR_NOT, "0", false},
        {"float", "-0.0", EXPR_NOT, "0", true},
        {"float", "0", EXPR_LOR, "0.5", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct type t = named(rows[i].type);
        struct value a = read_value(rows[i].type, rows[i].a), b = read_value(rows[i].type, rows[i].b);
        check_value("int", value_apply(rows[i].op, t, a, b), rows[i].want ? "1" : "0");
        assert_true(type_same(value_result(rows[i].op, t), type_int));
    }
}

static void vectors_have_lanes_and_no_operators(void **state) {
    (void)state;
    struct type int4 = named("int4"), ulonglong2 = named("ulonglong2");
    struct value v = {0};
    for (int lane = 0; lane < 4; lane++)
        v = value_set_lane(int4, v, lane, value_from(type_int, lane - 1));
    check_value("int4", v, "{-1,0,1,2}");
    v = value_set_lane(int4, v, 2, value_from(type_int, INT32_MIN));
    check_value("int4", v, "{-1,0,-2147483648,2}");
    check_value("int", value_lane(int4, v, 0), "-1");
    assert_true(v.lo == 0xffffffff && v.hi == 0x0000000280000000);
    struct value w = value_set_lane(ulonglong2, (struct value){0}, 1, read_value("uint64_t", "-1"));
    check_value("ulonglong2", w, "{0,18446744073709551615}");
    assert_false(value_has_operator(EXPR_ADD, int4));
    assert_false(value_has_operator(EXPR_SHL, named("float")));
    assert_true(value_has_operator(EXPR_ADD, named("float")));
    assert_true(value_order(int4, v, value_set_lane(int4, v, 0, value_from(type_int, 0))) < 0);
    assert_int_equal(value_order(int4, v, v), 0);
}

static void integers_become_values(void **state) {
    (void)state;
    check_value("uint64_t", value_from(type_uint64, -1), "18446744073709551615");
    check_value("bool", value_from(type_bool, 256), "1");
    check_value("float", value_from(named("float"), -2), "-2");
    assert_true(value_int(type_int64, value_from(type_int64, INT64_MIN)) == INT64_MIN);
    assert_true(value_int(type_int, value_from(type_int, -5)) == -5);
    assert_true(value_int(type_unsigned, value_from(type_unsigned, -5)) == 4294967291);
    assert_true(value_equal(value_from(type_int, -1), value_from(type_unsigned, -1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_c_and_ptx_mean_the_same_types),
        cmocka_unit_test(other_names_are_no_types),
        cmocka_unit_test(lanes_have_names),
        cmocka_unit_test(operands_are_converted_as_in_c),
        cmocka_unit_test(numbers_are_read_and_printed),
        cmocka_unit_test(values_convert_as_in_c),
        cmocka_unit_test(operators_wrap_and_never_trap),
        cmocka_unit_test(bits_are_counted),
        cmocka_unit_test(there_is_one_nan),
        cmocka_unit_test(halves_are_rounded),
        cmocka_unit_test(comparisons_know_the_sign),
        cmocka_unit_test(vectors_have_lanes_and_no_operators),
        cmocka_unit_test(integers_become_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
