/* Trees of expressions: what stands for what in a text, before its names mean anything. */
#include <string.h>

#include "cm.h"
#include "litmus/parse.h"
#include "litmus/tree.h"

static void print(struct text *out, const struct tree *n);

static void print_list(struct text *out, const char *kind, const struct tree *n) {
    text_printf(out, "(%s ", kind);
    print(out, n->a);
    for (const struct tree *k = n->b; k; k = k->next) {
        text_add(out, " ");
        print(out, k);
    }
    text_add(out, ")");
}

static void print_words(struct text *out, const struct tree *n) {
    for (const struct token *t = n->first; t < n->end; t++)
        text_add(out, t->text);
}

/* (kind operator operands), a name as it is written */
static void print(struct text *out, const struct tree *n) {
    static const char *const kinds[] = {
        [TREE_GROUPED] = "group",   [TREE_CALL] = "call",
        [TREE_INDEX] = "index",     [TREE_MEMBER] = "member",
        [TREE_ARROW] = "arrow",     [TREE_CAST] = "cast",
        [TREE_POINTER] = "pointer", [TREE_DEREF] = "*",
        [TREE_ADDRESS] = "&",       [TREE_REFERENCE] = "reference",
        [TREE_STEP] = "step",       [TREE_BEHIND] = "behind",
        [TREE_UNARY] = "unary",     [TREE_BINARY] = "",
        [TREE_CHOICE] = "?",        [TREE_ASSIGN] = "",
    };
    switch (n->kind) {
    case TREE_BAD: text_add(out, "bad"); return;
    case TREE_NUMBER:
    case TREE_TEXT:
    case TREE_NAME:
    case TREE_SIZE:
    case TREE_BRACES:
    case TREE_LEAF: print_words(out, n); return;
    case TREE_CALL:
    case TREE_INDEX: print_list(out, kinds[n->kind], n); return;
    default: break;
    }
    bool says =
        n->kind != TREE_GROUPED && n->kind != TREE_DEREF && n->kind != TREE_ADDRESS && n->kind != TREE_CHOICE;
    text_printf(out, "(%s%s%s ", kinds[n->kind], *kinds[n->kind] && says ? " " : "", says ? n->at->text : "");
    print(out, n->a);
    for (int k = 0; k < 2; k++) {
        const struct tree *more = k ? n->c : n->b;
        if (more) text_add(out, " ");
        if (more) print(out, more);
    }
    text_add(out, ")");
}

/* The tree of a text, or the first error about it. */
static void check(const char *text, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct source source = {"t", text, strlen(text)};
    struct lines lines = source_lines(a, &source);
    struct snippet snippet = {.text = text, .len = strlen(text), .lines = &lines};
    struct test test = {.source = source};
    struct body body = {.name = "T0", .count = 1};
    struct parser p = {.arena = a, .source = &source, .diag = &d, .test = &test, .body = &body};
    parse_start(&p, &snippet);
    const struct tree *n = tree_assigned(&p);
    struct text out = {0};
    if (d.errors)
        text_add(&out, d.messages[0].text);
    else
        print(&out, n);
    if (!d.errors && p.tok->kind != TOK_END) text_printf(&out, " and %s", p.tok->text);
    assert_string_equal(out.s, want);
    text_free(&out);
    diag_free(&d);
    arena_close(a);
}

static void operators_bind(void **state) {
    (void)state;
    check("a + b * c - d", "(- (+ a (* b c)) d)");
    check("a = b += c ? d : e", "(= a (+= b (? c d e)))");
    check("!a == -b && ~c | d", "(&& (== (unary ! a) (unary - b)) (| (unary ~ c) d))");
    check("a ? b ? c : d : e", "(? a (? b c d) e)");
    check("(a = 1) + 2", "(+ (group (= a 1)) 2)");
}

static void operands_are_told_apart(void **state) {
    (void)state;
    check("*p++ = a[i + 1].x", "(= (* (behind ++ p)) (member x (index a (+ i 1))))");
    check("++*p", "(step ++ (* p))");
    check("&a[0] + 1", "(+ (& (index a 0)) 1)");
    check("(*q)[2]", "(index (group (* q)) 2)");
    check("v->y - >z", "expected a value, not '>'");
    check("v->y->z", "(arrow z (arrow y v))");
    check("a & b", "(& a b)");
    check("f(a, g(), &b)", "(call f a (call g) (& b))");
    check("f(a)(b)", "(call f a) and (");
}

static void casts_have_types(void **state) {
    (void)state;
    check("(int)a + (b)", "(+ (cast int a) (group b))");
    check("(unsigned long long) - a", "(cast unsigned (unary - a))");
    check("*(volatile int *)&a", "(* (pointer volatile (& a)))");
    check("(int &)a", "(reference int a)");
    check("static_cast<int>(a)", "(cast int a)");
    check("reinterpret_cast<int *>(a)[1]", "(index (pointer int a) 1)");
    check("sizeof(int) * int4{1, 2, 3, 4}", "(* sizeof(int) int4{1,2,3,4})");
    check("int(a)", "(call int a)");
    check("static_cast<wrong>(a)", "expected a type of a register");
}

static void names_have_namespaces(void **state) {
    (void)state;
    check("cuda::std::move(a)", "(call cuda::std::move a)");
    check("cg::tiled_partition<32>(b).sync()", "(call (member sync (call cg::tiled_partition<32> b)))");
    check("cuda::atomic_ref<int, cuda::thread_scope_device>(X).load()",
          "(call (member load (call cuda::atomic_ref<int,cuda::thread_scope_device> X)))");
    check("a < b", "(< a b)");
    check("a ? b : ::c(d)", "(? a b (call c d))");
}

static void errors_have_words(void **state) {
    (void)state;
    check("", "expected a value");
    check("a +", "expected a value");
    check("f(a", "expected ')'");
    check("atomicAdd(&X, 1", "expected ')': atomicAdd(&X, value)");
    check("a[1", "expected ']'");
    check("a.1", "expected a member");
    check("a ? b", "expected ':'");
    check("[&] { }", "a lambda is not supported yet: its lines stand where it is called");
}

static void roots_are_found(void **state) {
    (void)state;
    struct token words[] = {{.kind = TOK_NAME, .text = "f"}, {.kind = TOK_NAME, .text = "g"}};
    struct tree name = {.kind = TREE_NAME, .first = words, .at = words, .end = words + 1};
    struct tree call = {.kind = TREE_CALL, .first = words, .a = &name};
    struct tree step = {.kind = TREE_STEP, .a = &call}, group = {.kind = TREE_GROUPED, .a = &step};
    assert_ptr_equal(tree_root(&step), &name);
    assert_null(tree_root(&group));
    assert_ptr_equal(tree_inside(&group), &step);
    assert_true(tree_is_word(&name));
    assert_false(tree_is_word(&call));
    name.end = words + 2;
    assert_false(tree_is_word(&name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind),    cmocka_unit_test(operands_are_told_apart),
        cmocka_unit_test(casts_have_types),  cmocka_unit_test(names_have_namespaces),
        cmocka_unit_test(errors_have_words), cmocka_unit_test(roots_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
