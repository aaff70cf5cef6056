/* The .cat reader: what is turned down, with the exact message. */
#include <stdlib.h>
#include <string.h>

#include "../recorded.h"
#include "ask.h"
#include "base/text.h"

static const struct {
    const char *text, *messages;
} bad[] = {
    {"", "bad.cat:1:1: error: there is no statement in this file\n"
         "    1 |\n"
         "      | ^\n"},
    {"acylic po\n",
     "bad.cat:1:1: error: there is no statement in this file: 'acylic' is its title; did you mean "
     "'acyclic'?\n"
     "    1 | acylic po\n      | ^\n"},
    {"(* nothing *)\n// at all\n", "bad.cat:1:1: error: there is no statement in this file\n"
                                   "    1 | (* nothing *)\n"
                                   "      | ^\n"},
    {"\"title\"\n", "bad.cat:1:1: error: there is no statement in this file\n"
                    "    1 | \"title\"\n"
                    "      | ^\n"},
    {"acyclic po | rf)\n",
     "bad.cat:1:16: error: expected a statement (let, with, include, flag, acyclic, irreflexive, "
     "empty), found ')'\n"
     "    1 | acyclic po | rf)\n"
     "      |                ^\n"},
    {"acyclic po |", "bad.cat:1:13: error: expected an expression, found the end of the file\n"
                     "    1 | acyclic po |\n"
                     "      |             ^\n"},
    {"let = po\n", "bad.cat:1:5: error: expected a name, found '='\n"
                   "    1 | let = po\n"
                   "      |     ^\n"},
    {"let f(x = po\n", "bad.cat:1:9: error: expected ',' or ')', found '='\n"
                       "    1 | let f(x = po\n"
                       "      |         ^\n"},
    {"acyclic [po\nempty 0\n", "bad.cat:2:1: error: expected ']', found 'empty'\n"
                               "    2 | empty 0\n"
                               "      | ^~~~~\n"},
    {"acyclic po ! rf\n", "bad.cat:1:12: error: unexpected character '!'\n"
                          "    1 | acyclic po ! rf\n"
                          "      |            ^\n"},
    {"acyclic po (* for ever\n", "bad.cat:1:12: error: this comment never ends\n"
                                 "    1 | acyclic po (* for ever\n"
                                 "      |            ^~\n"},
    {"include \"x.cat\n", "bad.cat:1:9: error: this string never ends\n"
                          "    1 | include \"x.cat\n"
                          "      |         ^~~~~~\n"},
    {"~po\n", "bad.cat:1:2: error: expected 'acyclic', 'irreflexive' or 'empty', found 'po'\n"
              "    1 | ~po\n"
              "      |  ^~\n"},
    {"acyclic po | rg\n", "bad.cat:1:14: error: unknown name 'rg'; did you mean 'rf'?\n"
                          "    1 | acyclic po | rg\n"
                          "      |              ^~\n"},
    /* names of other tools, each once */
    {"acyclic [A]; po; [A] | [ctrlisb]\n", "bad.cat:1:10: error: unknown name 'A': it is atomic in C11, "
                                           "and acquire on Arm: define it, as let A = STRONG "
                                           "& M, or let A = ACQ\n"
                                           "    1 | acyclic [A]; po; [A] | [ctrlisb]\n"
                                           "      |          ^\n"
                                           "bad.cat:1:25: error: unknown name 'ctrlisb': it is a barrier of "
                                           "Arm, which a CUDA test has not\n"
                                           "    1 | acyclic [A]; po; [A] | [ctrlisb]\n"
                                           "      |                         ^~~~~~~\n"},
    {"let causality = po\nacyclic causalty\n",
     "bad.cat:2:9: error: unknown name 'causalty'; did you mean 'causality'?\n"
     "    2 | acyclic causalty\n"
     "      |         ^~~~~~~~\n"},
    {"acyclic hb\nlet hb = po\n", "bad.cat:1:9: error: unknown name 'hb'\n"
                                  "    1 | acyclic hb\n"
                                  "      |         ^~\n"},
    {"acyclic W\n", "bad.cat:1:9: error: 'W' is a set where a relation is wanted; [W] is its identity\n"
                    "    1 | acyclic W\n"
                    "      |         ^\n"},
    {"acyclic (R | W); po\n", "bad.cat:1:12: error: this is a set where a relation is wanted\n"
                              "    1 | acyclic (R | W); po\n"
                              "      |            ^\n"},
    {"acyclic [po]\n", "bad.cat:1:10: error: 'po' is a relation where a set is wanted\n"
                       "    1 | acyclic [po]\n"
                       "      |          ^~\n"},
    {"acyclic po | W\n", "bad.cat:1:12: error: one side is a set and the other a relation\n"
                         "    1 | acyclic po | W\n"
                         "      |            ^\n"},
    {"acyclic W * rf\n", "bad.cat:1:13: error: 'rf' is a relation where a set is wanted\n"
                         "    1 | acyclic W * rf\n"
                         "      |             ^~\n"},
    {"let f(x) = f(x)\n", "bad.cat:1:12: error: unknown function 'f'\n"
                          "    1 | let f(x) = f(x)\n"
                          "      |            ^\n"},
    {"acyclic f(po)\n", "bad.cat:1:9: error: unknown function 'f'\n"
                        "    1 | acyclic f(po)\n"
                        "      |         ^\n"},
    {"acyclic po(rf)\n", "bad.cat:1:9: error: 'po' is not a function\n"
                         "    1 | acyclic po(rf)\n"
                         "      |         ^~\n"},
    {"let f(x, y) = x | y\nacyclic f(po)\n", "bad.cat:2:9: error: 'f' takes 2 arguments, not 1\n"
                                             "    2 | acyclic f(po)\n"
                                             "      |         ^\n"},
    {"let f(x) = x\nacyclic f\n", "bad.cat:2:9: error: 'f' is a function; it takes arguments\n"
                                  "    2 | acyclic f\n"
                                  "      |         ^\n"},
    {"let f(x) = x; pp\nacyclic po\n", "bad.cat:1:15: error: unknown name 'pp'; did you mean 'po'?\n"
                                       "    1 | let f(x) = x; pp\n"
                                       "      |               ^~\n"},
    {"let rec x = rf \\ x\nacyclic x\n",
     "bad.cat:1:1: error: this definition is not monotone: it depends on its own complement\n"
     "    1 | let rec x = rf \\ x\n"
     "      | ^~~\n"},
    {"let rec x = W\nacyclic x\n",
     "bad.cat:1:9: error: 'x' is a set; only relations can be defined by 'let rec'\n"
     "    1 | let rec x = W\n"
     "      |         ^\n"},
    {"with co from total(po, po)\nacyclic co\n",
     "bad.cat:1:14: error: expected 'order(MUST, EITHER)', found 'total'\n"
     "    1 | with co from total(po, po)\n"
     "      |              ^~~~~\n"},
    {"with co from order(po, po)\nwith co from order(po, po)\n",
     "bad.cat:2:6: error: 'co' is declared twice\n"
     "    2 | with co from order(po, po)\n"
     "      |      ^~\n"
     "bad.cat:1:6: note: the first declaration is here\n"
     "    1 | with co from order(po, po)\n"
     "      |      ^~\n"},
    {"with o from order(po, co)\nacyclic o\n",
     "bad.cat:1:6: error: the pairs that 'o' orders depend on an order; they may depend on rf only\n"
     "    1 | with o from order(po, co)\n"
     "      |      ^\n"},
    {"with co from order(po \\ co, 0)\nacyclic co\n",
     "bad.cat:1:6: error: 'co' is not monotone: its must edges depend on its own complement\n"
     "    1 | with co from order(po \\ co, 0)\n"
     "      |      ^~\n"},
    /* several in one file, each once */
    {"let a = pp\nlet b = \nacyclic W\nempty [rf]\n",
     "bad.cat:3:1: error: expected an expression, found 'acyclic'\n"
     "    3 | acyclic W\n"
     "      | ^~~~~~~\n"},
    {"let a = pp\nacyclic W\nempty [rf]\n",
     "bad.cat:1:9: error: unknown name 'pp'; did you mean 'po'?\n"
     "    1 | let a = pp\n"
     "      |         ^~\n"
     "bad.cat:2:9: error: 'W' is a set where a relation is wanted; [W] is its identity\n"
     "    2 | acyclic W\n"
     "      |         ^\n"
     "bad.cat:3:8: error: 'rf' is a relation where a set is wanted\n"
     "    3 | empty [rf]\n"
     "      |        ^~\n"},
    {"include \"bad.cat\"\n", "bad.cat:1:9: error: include loop: 'bad.cat' is already being read\n"
                              "    1 | include \"bad.cat\"\n"
                              "      |         ^~~~~~~~~\n"},
    {"include \"loop.cat\"\nacyclic po\n",
     "loop.cat:1:9: error: include loop: 'bad.cat' is already being read\n"
     "    1 | include \"bad.cat\"\n"
     "      |         ^~~~~~~~~\n"},
    {"include \"nowhere.cat\"\nacyclic po\n",
     "bad.cat:1:9: error: cannot read 'nowhere.cat': No such file or directory\n"
     "    1 | include \"nowhere.cat\"\n"
     "      |         ^~~~~~~~~~~~~\n"},
};

static void test_bad_files(void **state) {
    (void)state;
    int wrong = 0;
    ask_write("loop.cat", "include \"bad.cat\"\n");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ask_write("bad.cat", bad[k].text);
        char *messages = ask_messages("bad.cat");
        wrong += !recorded_same(bad[k].text, bad[k].messages, messages);
        free(messages);
    }
    assert_int_equal(wrong, 0);
}

static void test_missing_files(void **state) {
    (void)state;
    char *m = ask_messages("ptxx");
    assert_string_equal(m, "culitmus: error: unknown model 'ptxx'; did you mean 'ptx'?\n");
    free(m);
    m = ask_messages("rc11");
    assert_string_equal(
        m, "culitmus: error: unknown model 'rc11': it is neither shipped (aarch64, ptx-mca, "
           "ptx-proxy, ptx-strong, ptx, sc, x86-tso) nor a .cat "
           "file\n");
    free(m);
    m = ask_messages("no/such.cat");
    assert_string_equal(m,
                        "culitmus: error: cannot read the model 'no/such.cat': No such file or directory\n");
    free(m);
    m = ask_messages("/");
    assert_string_equal(m, "culitmus: error: cannot read the model '/': Is a directory\n");
    free(m);
}

/* Writes a model of n times some text, between others. */
static char *repeated_messages(const char *head, const char *text, int n, const char *tail) {
    size_t length = strlen(text);
    char *all = malloc(strlen(head) + (size_t)n * length + strlen(tail) + 1);
    assert_non_null(all);
    char *end = stpcpy(all, head);
    for (int k = 0; k < n; k++)
        end = stpcpy(end, text);
    strcpy(end, tail);
    ask_write("large.cat", all);
    free(all);
    char *messages = ask_messages("large.cat");
    return messages;
}

static void assert_too_large(const char *head, const char *text, int n, const char *tail) {
    char *messages = repeated_messages(head, text, n, tail);
    if (!strstr(messages, "error: the model is too large")) fail_msg("%s", messages);
    free(messages);
}

/* A model of a megabyte could take any time. */
static void test_size(void **state) {
    (void)state;
    assert_too_large("", "acyclic po\n", 1001, "");
    assert_too_large("acyclic ", "po;", 4900, "rf\n");
    assert_too_large("acyclic po", "+", 5000, "\n");
    assert_too_large("acyclic ", "po|", 300000, "rf\n");
    assert_too_large("let rec a = po\n", "and b = po;rf\n", 2000, "acyclic a\n");
    ask_write("included.cat", "let a = po\nlet b = rf\n");
    assert_too_large("", "include \"included.cat\"\n", 400, "");
    char *fine = repeated_messages("acyclic ", "po|", 2400, "rf\n");
    assert_string_equal(fine, "");
    free(fine);
    char doubled[2048], *end = stpcpy(doubled, "let f0(x) = x;x\n");
    for (int k = 1; k < 26; k++)
        end += sprintf(end, "let f%d(x) = f%d(f%d(x))\n", k, k - 1, k - 1);
    strcpy(end, "acyclic f25(po)\n");
    assert_too_large(doubled, "", 0, "");
}

static void test_deep_nesting(void **state) {
    (void)state;
    char *text = malloc(200001), *messages;
    assert_non_null(text);
    memcpy(text, "acyclic ", 8);
    memset(text + 8, '(', 199992);
    text[200000] = 0;
    ask_write("bad.cat", text);
    messages = ask_messages("bad.cat");
    assert_non_null(strstr(messages, "error: expression nested too deeply\n"));
    free(messages);
    memset(text + 8, '~', 199992);
    ask_write("bad.cat", text);
    messages = ask_messages("bad.cat");
    assert_non_null(strstr(messages, "error: expression nested too deeply\n"));
    free(messages);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_size),
    };
    return cmocka_run_group_tests(tests, ask_enter_folder, ask_leave_folder);
}
