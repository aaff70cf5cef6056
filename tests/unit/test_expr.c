/* Expressions: 32-bit semantics, and text with the fewest parentheses. */
#include "../ints.h"
#include "cm.h"
#include "dump.h"
#include "source/read.h"

/* Reads `text` as the right side of a store, and prints it again. */
static void check_print(const char *text, bool safe, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    char *file =
        arena_printf(a,
                     "name: T\nmemory: {X: 0}\nthreads:\n  T0:\n    body: |\n      int p = 1, q = 2, r = 3;\n"
                     "      X = %s;\nexists: X == 1\n",
                     text);
    struct test *t = test_read_text(a, "t.yaml", file, strlen(file), &d);
    assert_non_null(t);
    const struct stmt *s = t->bodies[0].first;
    while (s->next)
        s = s->next;
    struct text out = {0};
    struct dump dump = {&out, t, &t->bodies[0]};
    expr_print(&out, s->op->value, safe, dump_leaf, &dump);
    assert_string_equal(out.s, want);
    text_free(&out);
    diag_free(&d);
    arena_close(a);
}

static void parentheses_are_the_fewest(void **state) {
    (void)state;
    static const char *const same[] = {
        "p + q * r",    "(p + q) * r",       "p - (q - r)", "p - q - r",       "p / q / r",
        "-(-p)",        "!(p == q)",         "~-p",         "-p == q",         "p & q == r",
        "(p & q) == r", "p << (q << r)",     "tid + count", "(p ? q : r) + 1", "p && (q || r)",
        "p || q && r",  "p ? q : r ? 1 : 2",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check_print(same[i], false, same[i]);
    check_print("((p)) + (((q * r)))", false, "p + q * r");
    check_print("(p ? q : r) ? 1 : 2", false, "(p ? q : r) ? 1 : 2");
    check_print("-5 - -5", false, "-5 - -5");
    check_print("-(-5)", false, "5");
    check_print("- - p", false, "-(-p)");
    check_print("0x10 + 010 + 7", false, "16 + 8 + 7");
    check_print("4294967295u", false, "-1");
    check_print("-2147483648", false, "(-2147483647 - 1)");
}

/* Each level beside the next, and the operators of one level. */
static void operators_bind_as_in_c(void **state) {
    (void)state;
    static const char *const same[] = {
        "p || q && r", "p && q | r",  "p | q ^ r",  "p ^ q & r",     "p & q == r", "p & q != r",
        "p == q < r",  "p == q <= r", "p != q > r", "p != q >= r",   "p < q << r", "p < q >> r",
        "p << q + r",  "p >> q - r",  "p + q * r",  "p - q / r",     "p + q % r",  "p != q == r",
        "p >= q < r",  "p >> q << r", "p - q + r",  "p / q * r % p",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check_print(same[i], false, same[i]);
}

/* As `neg r, -5` of a table has it. */
static void a_negated_number_is_no_decrement(void **state) {
    (void)state;
    struct expr five = {.kind = EXPR_INT, .type = type_int, .value = INT(-5)},
                e = {.kind = EXPR_NEG, .type = type_int, .a = &five};
    struct text out = {0};
    expr_print(&out, &e, false, dump_leaf, NULL);
    assert_string_equal(out.s, "-(-5)");
    text_free(&out);
}

static void safe_text_calls_what_could_trap_or_overflow(void **state) {
    (void)state;
    check_print("p / q % r", true, "imod(idiv(p, q), r)");
    check_print("p + (q << 2) * r", true, "iadd(p, imul(ishl(q, 2), r))");
    check_print("p >> (q ? 1 : 2)", true, "ishr(p, q ? 1 : 2)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parentheses_are_the_fewest),
        cmocka_unit_test(operators_bind_as_in_c),
        cmocka_unit_test(a_negated_number_is_no_decrement),
        cmocka_unit_test(safe_text_calls_what_could_trap_or_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
