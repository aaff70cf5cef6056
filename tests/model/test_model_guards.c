/* Load buffering: T1 writes to x what it has read from y, and T0 writes to y behind guards of what it has read from x. What
 * T0 does is judged by all its guards together. Each program stands before another one, of which a guard decides something:
 * only No-Thin-Air forbids that both threads read `value`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ask.h"
#include "base/text.h"

/* More paths than are compared with each other. */
#define MANY                                                                                                 \
    "if (q & 1) a[0] = 1; if (q & 2) a[0] = 2; if (q & 4) a[0] = 3; if (q & 8) a[0] = 4; "                   \
    "if (q & 16) a[0] = 5; if (q & 32) a[0] = 6; if (q & 64) a[0] = 7; if (q & 128) a[0] = 8; "

static const struct row {
    const char *type, *body;
    int value;
    bool allowed;
} rows[] = {
    /* the first branch decides the second */
    {"int", "if (r == 0) y = 1; else { if (r | r) y = 1; }", 1, true},
    {"int", "if (r == 0) y = 1; else { if ((r | r) != 7) y = 1; }", 1, false},
    /* all cases, one after the other */
    {"int", "if (r < 0) y = 1; else if (r < 1) y = 1; else if (r > 0) y = 1;", 1, true},
    {"int", "if (r < 0) y = 1; else if (r < 1) y = 1; else if (r != 7) y = 1;", 1, false},
    {"int",
     "switch (r & 3) { case 0: y = 1; break; case 1: y = 1; break; case 2: y = 1; break; case 3: y = 1; }", 1,
     true},
    {"int", "switch (r & 3) { case 0: y = 1; break; case 1: y = 1; break; case 2: y = 1; break; }", 1, false},
    /* three deep */
    {"int", "if (r & 1) { if (r & 2) { if ((r & 3) == 3) y = 1; } else y = 1; } else y = 1;", 1, true},
    {"int", "if (r & 1) { if (r & 2) { if ((r & 7) == 3) y = 1; } else y = 1; } else y = 1;", 1, false},
    /* two registers, of which only r is in the circle */
    {"int", "if (r == q) { if (r >= q) y = 1; } else y = 1;", 1, true},
    {"int", "if (r == q) { if (r != 3) y = 1; } else y = 1;", 1, false},
    {"int", "if (r > q) { if (q < r) y = 1; } else y = 1;", 1, true},
    {"int", "if (r > q) { if (q + 2 > r) y = 1; } else y = 1;", 1, false},
    /* another read decides the same on both ways */
    {"int", "int t = 0; if (r == 1) t = 1; if (q == 0) { y = 1; } else if (q != 0) { y = 2; }", 1, true},
    {"int", "int t = 1; if (r == 1) t = 0; if (q == t) { y = 1; } else { y = 2; }", 1, false},
    /* what both ways read behind where they have met again */
    {"int", "if (r == 1) q = z; int t = z; y = t + 1;", 1, true},
    {"int", "int t = z; if (r == 1) t = z + q; y = t + 1;", 1, false},
    /* what only one way reads, which an atomic operation cannot do before */
    {"int", "int t = 0; if (r == 1) t = z; if (t == 0) y = 1;", 1, true},
    {"int", "int t = 1; if (r == 1) t = z; if (t == 0) y = 1;", 1, false},
    {"int", "int t = 0; if (r == 1) t = atomicAdd(&z, 1); if (t == 0) y = 1;", 1, false},
    /* no sign, 64 bits, shifts, the greater of two */
    {"unsigned", "if (r < 5u) y = 1; else if (r > 4u) y = 1;", 1, true},
    {"unsigned", "if (r < 5u) y = 1; else if (r > 5u) y = 1;", 1, false},
    {"unsigned", "if ((int)r >= 0) y = 1; else if (r > 0x7fffffffu) y = 1;", 1, true},
    {"unsigned", "if ((int)r >= 0) y = 1; else if (r > 0x80000000u) y = 1;", 1, false},
    {"long long", "if ((r >> 32) == 1) { if (r > 0xffffffffll) y = 1; } else y = 1;", 1, true},
    {"long long", "if ((r >> 32) == 1) { if (r > 0x100000000ll) y = 1; } else y = 1;", 1, false},
    {"long long", "if ((r >> 32) != 1) y = 1;", 1, false},
    {"long long", "if ((int)r == 7) { if (r != 7) y = 1; } else y = 1;", 1, false},
    {"int", "if (r << 31) { if (r & 1) y = 1; } else y = 1;", 1, true},
    {"int", "if (r << 31) { if ((r & 3) == 1) y = 1; } else y = 1;", 1, false},
    {"int", "if (max(r, 3) == 3) y = 1; else if (r > 3) y = 1;", 1, true},
    {"int", "if (max(r, 3) == 3) y = 1; else if (r > 4) y = 1;", 1, false},
    /* a value that a comparison names, among terms that are too long for a proof */
    {"unsigned char", "if ((r + q) * (r - q) + (r == 77) == r * r - q * q) y = 1;", 1, false},
    /* a value that is the same wherever the guards hold */
    {"int", "if (r & 1) y = r & 1; else y = 1;", 1, true},
    {"int", "if (r & 1) y = r & 3; else y = 1;", 1, false},
    {"int", "if (r ^ 2) y = 2; else y = r ? r : q;", 2, true},
    {"int", "if (r ^ 2) y = 3; else y = r ? r : q;", 2, false},
    /* sums, masks, products and quotients that few values have, or none */
    {"int", "if (r + r == 10) y = 5;", 5, false},
    {"int", "if (r + r != 11) y = 5;", 5, true},
    {"int", "if ((r & r) == 15) y = 15;", 15, false},
    {"int", "if ((r & r) == r) y = 15;", 15, true},
    {"int", "if (r * r != 49) y = 1;", 1, false},
    {"int", "if (r * r != 51) y = 1;", 1, true},
    {"unsigned", "if ((r ^ (r >> 1)) == 3) y = 2;", 2, false},
    {"unsigned", "if ((r ^ (r >> 1)) || r < 3) y = 2;", 2, true},
    {"int", "if (r * 0x10001 != 0x50005) y = 1;", 1, false},
    {"int", "if (r * 0x10002 != 0x50005) y = 1;", 1, true},
    {"int", "if (r / 1000 != 77) y = 1;", 1, false},
    {"int", "if (r / 1000 != 2147484) y = 1;", 1, true},
    {"long long", "if (r % 1000 != -77) y = 1;", 1, false},
    {"long long", "if (r % 1000 != -1000) y = 1;", 1, true},
    {"unsigned", "if (r << (q & 31) != 0x80000000u) y = 1;", 1, false},
    {"unsigned", "if ((r << 2 | 1) != 0x80000000u) y = 1;", 1, true},
    {"int", "if (__popc(r ^ 0x1234567) != 32) y = 1;", 1, false},
    {"int", "if (__popc(r ^ 0x1234567) != 33) y = 1;", 1, true},
    {"int", "if (__clz(r) + 9 != 20) y = 1;", 1, false},
    {"int", "if (__clz(r) + 9 != 42) y = 1;", 1, true},
    {"int", "y = 1 + ((r + q) * 3 - 3 * q - 2 * r != r);", 1, true},
    {"int", "y = 1 + ((r + q) * 3 - 3 * q - 2 * r != 77);", 2, false},
    /* few bits, of which all values are tried */
    {"unsigned char", "if ((r + q) * (r - q) == r * r - q * q) y = 1;", 1, true},
    {"unsigned char", "if (r / 3 * 3 + r % 3 == r) y = 1;", 1, true},
    {"unsigned char", "if (r / 3 * 3 + r % 3 == r + (r == 255)) y = 1;", 1, false},
    {"unsigned char", "if ((int)((float)r * 2.0f) == r + r) y = 1;", 1, true},
    {"unsigned char", "if ((int)((float)r / 3.0f) * 3 != 201) y = 1;", 1, false},
    {"int", "if ((r & 63) / 7 * 7 + (r & 63) % 7 == (r & 63)) y = 1;", 1, true},
    {"int", "if ((r & 63) / 7 * 7 + (r & 63) % 7 == (r & 127)) y = 1;", 1, false},
    {"long long", "if ((int)(float)(signed char)r == (signed char)r) y = 1;", 1, true},
    {"long long", "if ((int)(float)(signed char)r == (short)r) y = 1;", 1, false},
    /* comparisons of floats are exact, and sums of floats may be anything */
    {"float", "if (r < 0.5f || r >= 0.5f) y = 1;", 1, false},
    {"float", "if (r < 0.5f || !(r < 0.5f)) y = 1;", 1, true},
    {"float", "if (r + q == r + q || r != r || q != q || r + q != r + q) y = 1;", 1, true},
    /* an element that is the same there */
    {"int", "if (r & 1) a[r & 1] = 1; else a[1] = 1; y = a[1];", 1, true},
    {"int", "if (r & 1) a[r & 3] = 1; else a[1] = 1; y = a[1];", 1, false},
    /* what comes behind decides that the value is 1, also of many paths */
    {"int", "y = q & 3 ? r : 1; if (q & 1) a[0] = 1; if (q & 2) a[0] = 2;", 1, true},
    {"int", "y = q & 3 ? r : 1; " MANY, 1, true},
    {"int", "y = q & 3 ? 1 : r; " MANY, 1, false},
};

/* Of these it is not decided whether they depend on r. */
static const struct {
    const char *type, *body;
} undecided[] = {
    {"float", "if (r + 0.5f != 7.25f) y = 1;"},
    {"float", "if (r + q == q + r) y = 1; else y = 1.5f;"},
    {"int", "if ((r + q) * (r - q) == r * r - q * q) y = 1;"},
    {"int", "y = (r + q) * (r - q) - (r * r - q * q) + 1;"},
    {"int", "y = r < 5; int *p = r < 5 ? &a[1] : nullptr; *p = 5; " MANY},
};

static void write_test(struct text *text, const char *type, const char *body, int value) {
    text_printf(text,
                "name: test\nmemory: {x: {type: %s}, y: {type: %s}, z: {type: %s}, a: {count: 4}}\n"
                "placements: [\"T0 | T1\"]\nthreads:\n  T0: |\n    %s r = x, q = z; %s\n"
                "  T1: |\n    %s s = y; if (s == %d) x = %d;\nexists: r == %d && s == %d\n",
                type, type, type, type, body, type, value, value, value, value);
}

static void test_guards(void **state) {
    (void)state;
    struct arena *a = arena_open();
    ask_write("coherent.cat", "acyclic po & loc | rf | co | fr");
    const struct model *ptx = ask_model(a, "ptx"), *coherent = ask_model(a, "coherent.cat");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct row *row = &rows[k];
        struct text text = {0};
        write_test(&text, row->type, row->body, row->value);
        struct answer answer = ask(ptx, text.s, NULL);
        bool reached = ask(coherent, text.s, NULL).allowed;
        if (!reached || answer.allowed != row->allowed || answer.why) print_error("%s\n", row->body);
        assert_true(reached);
        assert_int_equal(answer.status, MODEL_DONE);
        assert_int_equal(answer.allowed, row->allowed);
        text_free(&text);
    }
    arena_close(a);
}

/* What only an undecided dependency forbids is not known; under a model without dependencies it is. */
static void test_undecided(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *ptx = ask_model(a, "ptx"), *sc = ask_model(a, "sc");
    for (size_t k = 0; k < sizeof undecided / sizeof *undecided; k++) {
        struct text text = {0};
        write_test(&text, undecided[k].type, undecided[k].body, 1);
        struct answer answer = ask(ptx, text.s, NULL);
        if (answer.status == MODEL_DONE) print_error("%s\n", undecided[k].body);
        assert_int_equal(answer.status, MODEL_UNKNOWN);
        assert_string_equal(answer.why, "it was not decided whether something depends on what was read, and "
                                        "the answer hangs on it");
        assert_false(answer.allowed);
        answer = ask(sc, text.s, NULL);
        assert_int_equal(answer.status, MODEL_DONE);
        assert_false(answer.allowed);
        text_free(&text);
    }
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_guards), cmocka_unit_test(test_undecided)};
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
