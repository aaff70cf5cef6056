/* Trees of expressions: what stands for what in a text, before its names mean anything. */
#include <string.h>

#include "cm.h"
#include "syntax/syntax.h"

static void print(struct text *out, const struct tree *n);
static void print_words(struct text *out, const struct tree *n);

/* (kind items) */
static void print_items(struct text *out, const char *kind, const struct tree *n) {
    text_printf(out, "(%s", kind);
    for (; n; n = n->next) {
        text_add(out, " ");
        print(out, n);
    }
    text_add(out, ")");
}

/* (type: name[sizes] = value, ...) */
static void print_declaration(struct text *out, const struct tree *n) {
    text_add(out, "(");
    print(out, n->a);
    text_add(out, ":");
    for (const struct tree *k = n->b; k; k = k->next) {
        text_printf(out, " %s%s%s", k->flags & DECLARES_POINTER ? "*" : "",
                    k->flags & DECLARES_REFERENCE ? "&" : "", k->at->text);
        if (k->c) print_items(out, "of", k->c);
        if (k->b) text_add(out, k->flags & DECLARES_EQUAL ? "=" : " ");
        if (k->b) print(out, k->b);
    }
    text_add(out, ")");
}

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
    case TREE_TYPE:
    case TREE_NONE:
    case TREE_SIZE:
    case TREE_BITS:
    case TREE_BRACES: print_words(out, n); return;
    case TREE_LIST: print_items(out, "list", n->b); return;
    case TREE_DECLARATION: print_declaration(out, n); return;
    case TREE_CALL:
    case TREE_INDEX: print_list(out, kinds[n->kind], n); return;
    default: break;
    }
    bool says =
        n->kind != TREE_GROUPED && n->kind != TREE_DEREF && n->kind != TREE_ADDRESS && n->kind != TREE_CHOICE;
    text_printf(out, "(%s%s%s ", kinds[n->kind], *kinds[n->kind] && says ? " " : "", says ? n->at->text : "");
    print(out, n->a);
    for (int k = 0; k < 2; k++) {
        const struct tree *more = k ? n->c : n->kind < TREE_CAST || n->kind > TREE_REFERENCE ? n->b : NULL;
        if (more) text_add(out, " ");
        if (more) print(out, more);
    }
    text_add(out, ")");
}

/* The tree of a text, or the first error about it. */
static void check(const char *text, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct source source = {.path = "t", .text = text, .len = strlen(text)};
    struct lines lines = source_lines(a, &source);
    struct snippet snippet = {.text = text, .len = strlen(text), .lines = &lines};
    struct syntax s = {.arena = a, .tok = lex(a, &source, &snippet, &d)};
    s.first = s.tok;
    const struct tree *n = syntax_assigned(&s);
    struct text out = {0};
    if (n->fault)
        text_add(&out, n->fault->text);
    else
        print(&out, n);
    if (!n->fault && s.tok->kind != TOK_END) text_printf(&out, " and %s", s.tok->text);
    assert_int_equal(d.errors, 0);
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
    check("(int){1} + -(int2){1, 2}.x", "(+ (int){1} (unary - (member x (int2){1,2})))");
    check("a = {1}", "(= a {1})");
    check("a += {1}", "expected a value, not '{'");
    check("__builtin_bit_cast(unsigned long, a)[0]", "(index __builtin_bit_cast(unsignedlong,a) 0)");
    check("__builtin_bit_cast(a)", "expected ','");
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
    check("atomicAdd(&X, 1", "expected ')'");
    check("a[1", "expected ']'");
    check("a.1", "expected a member");
    check("a ? b", "expected ':'");
    check(
        "[&] { }",
        "a lambda is not supported: its lines stand where it is called; a kernel of `source:` may have any");
}

/* (kind parts): fault */
static void print_statements(struct text *out, const struct tree *n) {
    static const char *const kinds[] = {
        [TREE_BAD] = "bad",
        [TREE_ASM] = "asm",
        [TREE_OPERAND] = "operand",
        [TREE_RUN] = "run",
        [TREE_DROP] = "drop",
        [TREE_SEQUENCE] = "{}",
        [TREE_IF] = "if",
        [TREE_WHILE] = "while",
        [TREE_DO] = "do",
        [TREE_FOR] = "for",
        [TREE_SWITCH] = "switch",
        [TREE_GROUP] = "group",
        [TREE_LABEL] = "label",
        [TREE_BREAK] = "break",
        [TREE_CONTINUE] = "continue",
        [TREE_RETURN] = "return",
        [TREE_WITH] = "with",
        [TREE_TARGET] = "target",
        [TREE_STRAY] = "stray",
        [TREE_FUNCTION] = "function",
        [TREE_KERNEL] = "kernel",
        [TREE_RECORD] = "struct",
        [TREE_ALIAS] = "alias",
        [TREE_ENUM] = "enum",
        [TREE_USING] = "using",
        [TREE_SPACE] = "space",
        [TREE_TYPENAME] = "typename",
        [TREE_DECLARATOR] = "name",
        [TREE_ASSERTION] = "assertion",
    };
    for (const char *blank = ""; n; n = n->next, blank = " ") {
        if (n->kind != TREE_BAD && !kinds[n->kind]) {
            text_add(out, blank);
            print(out, n);
            continue;
        }
        text_printf(out, "%s(%s", blank, kinds[n->kind]);
        bool member = n->kind == TREE_DECLARATOR && n->a;
        if (n->kind == TREE_OPERAND || member) text_printf(out, " %s", n->at->text);
        const struct tree *parts[] = {n->a, n->b, n->c, n->d};
        for (int k = 0; k < 4; k++) {
            if (!parts[k]) continue;
            text_add(out, " ");
            print_statements(out, parts[k]);
        }
        text_add(out, ")");
        if (n->fault) text_printf(out, ": %s", n->fault->text);
    }
}

static void check_body(const char *text, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct source source = {.path = "t", .text = text, .len = strlen(text)};
    struct lines lines = source_lines(a, &source);
    struct snippet snippet = {.text = text, .len = strlen(text), .lines = &lines};
    struct syntax s = {.arena = a, .tok = lex(a, &source, &snippet, &d)};
    s.first = s.tok;
    const struct tree *n = syntax_body(&s);
    struct text out = {0};
    print_statements(&out, n->a);
    if (n->b) print_statements(&out, n->b);
    print_statements(&out, n->c);
    assert_string_equal(out.s, want);
    text_free(&out);
    diag_free(&d);
    arena_close(a);
}

static void statements_stand_in_one_another(void **state) {
    (void)state;
    check_body("if (a) b = 1; else { c; d(); }", "(if a (run (= b 1)) ({} (run c) (run (call d))))");
    check_body("if (a) if (b) c; else d;", "(if a (if b (run c) (run d)))");
    check_body("while (a) { if (b) break; continue; }", "(while a ({} (if b (break)) (continue)))");
    check_body("do a++; while (b); ;", "(do b (run (behind ++ a))) ({})");
    check_body("for (int i = 0; i < 4; ++i, ++j) a;",
               "(for (< i 4) (run a) (int: i=0) (run (step ++ i) (step ++ j)))");
    check_body("for (;;) return a;", "(for (return a))");
    check_body("switch (a) { case 1: case 2: b; break; default: c; }",
               "(switch a (group (label 1) (label 2) (run b) (break)) (group (label) (run c)))");
    check_body("if (int v = X; v > 1) a;", "(if (with (int: v=X) (> v 1)) (run a))");
    check_body("static_assert(a == 1, \"text\"); (void)a, b;", "(assertion (== a 1)) (run (drop a) b)");
    check_body("[[likely]] a; again: b;", "(run a) (target) (run b)");
}

static void an_asm_has_texts_and_operands(void **state) {
    (void)state;
    check_body(
        "asm volatile(\"ld\" \"\\\"x\\\"\" : \"=r\"(a), \"+r\"(b[1]) : \"l\"(&X) : \"memory\", \"cc\");",
        "(asm \"ld\" \"\\\"x\\\"\" (operand \"=r\" a) (operand \"+r\" (index b 1)) (operand \"l\" (& X)) "
        "\"memory\" \"cc\")");
    check_body("if (a) __asm__(\"t\" ::: \"memory\"); b;", "(if a (asm \"t\" \"memory\")) (run b)");
    check_body("asm(\"t\" : \"=r\"(a) b); c;",
               "(asm \"t\" (bad): expected ')' at the end of the asm): expected ')' "
               "at the end of the asm (run c)");
    check_body("asm(\"t\") b; c;", "(asm \"t\"): expected ';' (run c)");
    check_body("asm(a); c;", "(bad): expected the text of the asm (run c)");
}

static void declarations_are_told_apart(void **state) {
    (void)state;
    check_body("cuda::atomic_ref<int> f(X); cuda::atomic_thread_fence(o); cg::sync(g);",
               "(cuda::atomic_ref<int>: f (list X)) (run (call cuda::atomic_thread_fence o)) (run (call "
               "cg::sync g))");
    check_body("using T = int; T a = 1; U b;", "(alias int)(T: a=1) (run U): expected ';'");
    check_body("using namespace cuda; atomic<int> a; f.load(memory_order_relaxed);",
               "(using cuda)(cuda::atomic<int>: a) "
               "(run (call (member load f) cuda::memory_order_relaxed))");
    check_body("__device__ int f(int a) { return a; } __global__ void k(int *X) { f(1); }",
               "(function int ({} (return a)) (int: a))(kernel (int: *X))({} (run (call f 1)))");
    check_body(
        "template <typename T, int N = 4> __global__ void __launch_bounds__(64) k(T *X, int n = 1) { ; }",
        "(kernel (typename (name)) (int: N 4) 64 (T: *X) (int: n=1))({} ({}))");
    check_body("enum E : unsigned { A, B = 2 }; typedef E F; namespace cg = cooperative_groups;",
               "(enum unsigned (name) (name 2)) (alias E) (space cooperative_groups)");
    check_body("__shared__ int s[4]; static const int c = 1;",
               "(__shared__int: s(of 4)) (staticconstint: c=1)");
}

/* What is wrong with a statement does not hide the next one. */
static void faults_stay_in_their_statement(void **state) {
    (void)state;
    check_body(
        "a b; c = ; d;",
        "(run a): expected ';' (run (bad): expected a value, not ';'): expected a value, not ';' (run d)");
    check_body("{ if (a = 1) b; c; } d;",
               "({} (if (bad): '=' is an assignment; a comparison is '==' (bad): '=' is an assignment; a "
               "comparison is '=='): '=' is an assignment; a comparison is '==' (run c)) (run d)");
    check_body("do a; b;", "(do (bad): expected 'while' (run a)): expected 'while'");
    check_body("struct S { int a; int b; }; c; }", "(struct (name a int) (name b int)) (run c) (stray)");
    check_body("{ a;", "({} (run a)): expected '}'");
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
        cmocka_unit_test(operators_bind),
        cmocka_unit_test(operands_are_told_apart),
        cmocka_unit_test(casts_have_types),
        cmocka_unit_test(names_have_namespaces),
        cmocka_unit_test(errors_have_words),
        cmocka_unit_test(roots_are_found),
        cmocka_unit_test(statements_stand_in_one_another),
        cmocka_unit_test(an_asm_has_texts_and_operands),
        cmocka_unit_test(declarations_are_told_apart),
        cmocka_unit_test(faults_stay_in_their_statement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
