/* The table of operations: its rows are whole, and their values are CUDA's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../recorded.h"
#include "litmus/ops.h"

static void every_row_is_whole(void **state) {
    (void)state;
    for (enum op_name name = 0; name < OP_COUNT; name++) {
        const struct op_row *row = &op_rows[name];
        bool access = row->kind == OP_LOAD || row->kind == OP_STORE || row->kind == OP_RMW ||
                      row->kind == OP_CLEAR || op_kinds[row->kind].engine ||
                      (row->kind == OP_HINT && (row->cache || row->tensor || row->maps)) ||
                      (op_kinds[row->kind].mbarrier && row->kind != OP_PENDING);
        assert_int_equal(row->name, name);
        assert_non_null(row->word);
        assert_non_null(row->ptx);
        assert_true(row->c || row->kind == OP_RMW || row->judged);
        assert_int_equal(access, row->types != TYPES_NONE);
        bool placed = access || (row->kind == OP_FENCE && row->maps); /* that of a tensor map */
        assert_int_equal(placed, strstr(row->ptx, "$a") != NULL);
        bool silent = row->kind == OP_CLOCK || row->kind == OP_PENDING ||
                      (row->kind == OP_EXCHANGE && row->barrier != BARRIER_CTA);
        assert_int_equal(silent, row->machine == NULL);
        for (const struct op_call *call = row->calls; call->usage; call++) {
            const struct op_call *found;
            char *text = strndup(call->usage, (size_t)op_call_key(call));
            assert_ptr_equal(op_find_call(text, op_call_arguments(call), &found), row);
            assert_ptr_equal(found, call);
            assert_int_equal(placed, op_call_has(call, "X"));
            free(text);
        }
    }
}

/* What holds of a kind goes together: who does something at a place accesses it, and who has no place has no words. */
static void every_kind_is_whole(void **state) {
    (void)state;
    for (int k = 0; k < OP_KINDS; k++) {
        const struct op_kind_row *kind = &op_kinds[k];
        assert_non_null(kind->name);
        for (int place = 0; place < OP_PLACES; place++)
            assert_int_equal(kind->touches[place] != TOUCH_NOTHING, kind->does[place] != NULL);
        assert_int_equal(kind->engine, kind->touches[1] || kind->touches[2]);
        assert_false(kind->meets && kind->touches[0]);
        assert_false(kind->idle && (kind->touches[0] & TOUCH_WRITES || kind->meets));
    }
}

/* A fence has an order and a scope, or a word on the fence axis and a proxy; one of a map cannot stand on the axis. */
static void every_fence_has_a_name(void **state) {
    (void)state;
    for (enum op_name name = 0; name < OP_COUNT; name++) {
        const struct op_row *row = &op_rows[name];
        bool of_proxy = row->kind == OP_FENCE && row->orders == 0;
        assert_int_equal(of_proxy, row->axis != NULL || (row->kind == OP_FENCE && row->maps));
        if (row->kind == OP_FENCE) assert_int_equal(of_proxy, row->proxy != PROXY_GENERIC);
    }
}

static void names_are_found(void **state) {
    (void)state;
    const struct op_call *call;
    assert_int_equal(op_find_call("atomicMin_block", ANY_ARGUMENTS, &call)->name, RMW_MIN);
    assert_int_equal(call->scope, SCOPE_CTA);
    assert_int_equal(op_find_call("compare_exchange", ANY_ARGUMENTS, &call)->name, RMW_CAS);
    assert_true(op_call_has(call, "expected") && op_call_has(call, "desired") && op_call_has(call, "scope"));
    assert_false(op_call_has(call, "value"));
    assert_null(op_find_call("atomicMin_", ANY_ARGUMENTS, &call));
    assert_null(op_find_call("atomic", ANY_ARGUMENTS, &call));
}

static void values_are_those_of_cuda(void **state) {
    (void)state;
    static const struct {
        enum op_name name;
        int32_t old, v, e, want;
    } rows[] = {
        {RMW_ADD, INT32_MAX, 1, 0, INT32_MIN},
        {RMW_SUB, 3, 5, 0, -2},
        {RMW_EXCH, 3, 5, 0, 5},
        {RMW_MIN, -1, 1, 0, -1},
        {RMW_MAX, -1, 1, 0, 1},
        {RMW_AND, 6, 3, 0, 2},
        {RMW_OR, 6, 3, 0, 7},
        {RMW_XOR, 6, 3, 0, 5},
        {RMW_INC, 3, 3, 0, 0},
        {RMW_INC, 2, 3, 0, 3},
        {RMW_INC, -1, 3, 0, 0},
        {RMW_DEC, 0, 3, 0, 3},
        {RMW_DEC, 4, 3, 0, 3},
        {RMW_DEC, 2, 3, 0, 1},
        {RMW_CAS, 1, 7, 1, 7},
        {RMW_CAS, 2, 7, 1, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct value old = value_from(type_int, rows[i].old), v = value_from(type_int, rows[i].v),
                     e = value_from(type_int, rows[i].e);
        assert_int_equal(value_int(type_int, op_value(rows[i].name, type_int, old, v, e)), rows[i].want);
    }
}

static void values_are_of_a_type(void **state) {
    (void)state;
    static const struct {
        enum op_name name;
        const char *type;
        struct value old, v, want;
    } rows[] = {
        {RMW_MIN, "unsigned", {0xffffffff, 0}, {1, 0}, {1, 0}},
        {RMW_ADD, "uint64_t", {UINT64_MAX, 0}, {2, 0}, {1, 0}},
        {RMW_ADD, "unsigned", {0xffffffff, 0}, {2, 0}, {1, 0}},
        {RMW_MAX, "int64_t", {UINT64_MAX, 0}, {1, 0}, {1, 0}},
        {RMW_EXCH, "unsigned __int128", {1, 2}, {3, 4}, {3, 4}},
        {RMW_ADD, "float", {0x3f800000, 0}, {0x3f800000, 0}, {0x40000000, 0}},
        {RMW_EXCH, "float", {0x3f800000, 0}, {0x7f800001, 0}, {0x7f800001, 0}},
        {RMW_SUB, "float", {0x3f800000, 0}, {0x3f000000, 0}, {0x3f000000, 0}},
        {RMW_ADD, "float", {0x00800000, 0}, {0x00000001, 0}, {0x00800000, 0}}, /* subnormal: flushed */
        {RMW_SUB, "float", {0x00800001, 0}, {0x00800000, 0}, {0x00000000, 0}},
        {RMW_ADD, "float", {0x7f800000, 0}, {0xff800000, 0}, {0x7fffffff, 0}},
        {RMW_CAS, "uint16_t", {0, 0}, {0xffff, 0}, {0xffff, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct type t;
        assert_true(type_find(rows[i].type, &t));
        struct value got = op_value(rows[i].name, t, rows[i].old, rows[i].v, (struct value){0});
        assert_true(value_equal(got, rows[i].want));
    }
}

/* "relaxed, acquire": the orders that a row's calls can name. */
static void print_orders(struct text *out, const struct op_row *row) {
    const char *comma = "";
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++)
        if (row->orders >> o & 1) {
            text_printf(out, "%s`%s`", comma, order_name(o));
            comma = ", ";
        }
}

/* An expression of a row without its casts; in a table a bar ends the cell. */
static void print_value(struct text *out, const char *value) {
    for (const char *s = value; *s; s++) {
        if (strncmp(s, "(T)", 3) == 0 || strncmp(s, "(U)", 3) == 0)
            s += 2;
        else
            text_printf(out, *s == '|' ? "\\%c" : "%c", *s);
    }
}

/* The table of the documentation, a row each of what has a call. CUDA's atomics are there without a suffix. */
static void print_table(struct text *out) {
    text_add(out, "| call | order | leaves |\n|---|---|---|\n");
    for (enum op_name name = 0; name < OP_COUNT; name++) {
        const struct op_row *row = &op_rows[name];
        if (!row->calls->usage) continue;
        for (const struct op_call *call = row->calls; call->usage; call++)
            if (row->kind != OP_RMW || (call->scope != SCOPE_CTA && call->scope != SCOPE_SYS))
                text_printf(out, "%s`%s`", call == row->calls ? "| " : ", ", call->usage);
        text_add(out, " | ");
        print_orders(out, row);
        text_add(out, row->kind == OP_RMW ? " | `" : " | |\n");
        if (row->kind != OP_RMW) continue;
        print_value(out, row->value);
        text_add(out, "` |\n");
    }
}

static void the_documentation_has_the_table(void **state) {
    (void)state;
    static const char path[] = "../docs/test-format.md", begin[] = "<!-- operations -->\n",
                      end[] = "<!-- end of operations -->";
    struct text page = recorded_read(path), now = {0};
    const char *from = strstr(page.s, begin), *to = strstr(page.s, end);
    assert_true(from && to && from < to);
    from += strlen(begin);
    text_add_n(&now, page.s, (size_t)(from - page.s));
    print_table(&now);
    text_add(&now, to);
    assert_true(recorded_check(path, now.s));
    text_free(&page);
    text_free(&now);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(every_kind_is_whole),
        cmocka_unit_test(every_fence_has_a_name),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(values_are_those_of_cuda),
        cmocka_unit_test(values_are_of_a_type),
        cmocka_unit_test(the_documentation_has_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
