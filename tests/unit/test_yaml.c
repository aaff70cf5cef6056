/* YAML: places of nodes, and of every byte of a scalar's text. */
#include "cm.h"
#include "dump.h"
#include "source/yaml.h"

struct fixture {
    struct arena *arena;
    struct source source;
    struct diag diag;
    const struct yaml_node *root;
};

static struct fixture read_yaml(const char *text) {
    struct fixture f = {.arena = arena_open(), .source = {.path = "t.yaml", .text = text, .len = strlen(text)}};
    struct yaml_node *second;
    f.root = yaml_read(f.arena, &f.source, &second, &f.diag);
    return f;
}

static void drop(struct fixture *f) {
    diag_free(&f->diag);
    arena_close(f->arena);
}

static const struct yaml_node *value_of(const struct yaml_node *map, const char *key) {
    for (int i = 0; i < map->n; i++)
        if (strcmp(map->entries[i].key->text, key) == 0) return map->entries[i].value;
    fail_msg("no key %s", key);
    return NULL;
}

static void assert_at(struct pos pos, int line, int col, int len) {
    assert_int_equal(pos.line, line);
    assert_int_equal(pos.col, col);
    assert_int_equal(pos.len, len);
}

static void nodes_know_their_place(void **state) {
    (void)state;
    struct fixture f =
        read_yaml("\xef\xbb\xbfname: MP\r\nt: caf\xc3\xa9  # \xc3\xa9\r\nl: [\xc3\xa9\xc3\xa9, 'q q']\r\n");
    assert_non_null(f.root);
    assert_at(f.root->entries[0].key->pos, 1, 4, 4); /* columns are bytes; the mark has three */
    assert_at(value_of(f.root, "t")->pos, 2, 4, 5);
    const struct yaml_node *list = value_of(f.root, "l");
    assert_int_equal(list->kind, NODE_LIST);
    assert_at(list->entries[0].value->pos, 3, 5, 4);
    assert_at(list->entries[1].value->pos, 3, 11, 5);
    assert_string_equal(list->entries[1].value->text, "q q");
    drop(&f);
}

/* Checks that `word` of a scalar's text is found at line and col of the file. */
static void check_word(const char *text, const char *word, int line, int col) {
    struct fixture f = read_yaml(text);
    assert_non_null(f.root);
    const struct yaml_node *body = value_of(f.root, "b");
    struct lines lines = source_lines(f.arena, &f.source);
    struct snippet s = yaml_snippet(f.arena, &f.source, &lines, body);
    const char *at = strstr(s.text, word);
    assert_non_null(at);
    assert_at(source_pos(&lines, s.offset[at - s.text], strlen(word)), line, col, (int)strlen(word));
    drop(&f);
}

static void bytes_know_their_place(void **state) {
    (void)state;
    check_word("b: |\n  one\n  two three\n", "three", 3, 7);
    check_word("b: |  # a comment\n\n\n    one\n      two\n", "two", 5, 7);
    check_word("b: |4-\n      one\n\n    two\n", "one", 2, 7);
    check_word("b: |\r\n  one\r\n  two\r\n", "two", 3, 3);
    check_word("b: |\n  \xc3\xa9\xc3\xa9 one\n", "one", 2, 8);
    check_word("b: >\n  one\n  two\n\n  three\n   four\n", "four", 6, 4);
    check_word("b: one two\n", "two", 1, 8);
    check_word("b: one\n   two\n   three\n", "three", 3, 4);
    check_word("b: 'one two'\n", "two", 1, 9);
    check_word("b: \"one two\"\n", "two", 1, 9);
    check_word("b: \"one\n     two\"\n", "two", 2, 6);
    check_word("b: \"one\\n two\"\n", "two", 1, 4); /* with escapes: where the scalar begins */
    check_word("b: 'it''s two'\n", "two", 1, 4);
}

static void aliases_are_what_they_name(void **state) {
    (void)state;
    struct fixture f = read_yaml("a: &x {k: 1}\nb: *x\nc: [&y 2, *y]\n");
    assert_non_null(f.root);
    assert_ptr_equal(value_of(f.root, "a"), value_of(f.root, "b"));
    assert_string_equal(value_of(f.root, "c")->entries[1].value->text, "2");
    drop(&f);
}

/* Nine levels of nine aliases each stand for 400 million nodes, and for 90 here. */
static void laughter_is_cheap(void **state) {
    (void)state;
    struct text t = {0};
    text_add(&t, "a0: &a0 x\n");
    for (int i = 1; i < 10; i++) {
        text_printf(&t, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            text_printf(&t, "%s*a%d", k ? ", " : "", i - 1);
        text_add(&t, "]\n");
    }
    struct fixture f = read_yaml(t.s);
    assert_non_null(f.root);
    assert_int_equal(value_of(f.root, "a9")->n, 9);
    drop(&f);
    text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_know_their_place),
        cmocka_unit_test(bytes_know_their_place),
        cmocka_unit_test(aliases_are_what_they_name),
        cmocka_unit_test(laughter_is_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
