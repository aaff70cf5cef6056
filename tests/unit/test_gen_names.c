/* Names in generated code: no location or register of a test hides what its bodies call. */
#include <ctype.h>
#include <glob.h>
#include <string.h>

#include "cm.h"
#include "gen/gen.h"
#include "gen/names.h"
#include "litmus/name.h"
#include "source/read.h"

static bool is_left_alone(const char *name) {
    struct text out = {0};
    gen_name(&out, name);
    bool same = strcmp(out.s, name) == 0;
    text_free(&out);
    return same;
}

/* What may be a macro or is called in a body gets a name of its own; what people write stays. */
static void test_rows(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"X", "X"},
        {"x1", "x1"},
        {"f", "f"},
        {"Xy", "Xy"},
        {"flag_2", "flag_2"},
        {"loaded", "loaded"},
        {"load_x", "load_x"},
        {"load_3", "load_3__"},
        {"load_weak_12", "load_weak_12__"},
        {"nanosleep_5", "nanosleep_5__"},
        {"atom_add_relaxed_gpu_1", "atom_add_relaxed_gpu_1__"},
        {"grid_wait_2", "grid_wait_2__"},
        {"reduce_7", "reduce_7__"},
        {"EOF", "EOF__"},
        {"M_PI", "M_PI__"},
        {"A2", "A2__"},
        {"I", "I__"},
        {"unix", "unix__"},
        {"keep_order", "keep_order__"},
        {"checked", "checked__"},
        {"copies", "copies__"},
        {"idiv_s32", "idiv_s32__"},
        {"loc", "loc__"},
        {"v.x", "v_x__"},
        {"w.uint64_t_4", "w_uint64_t_4__"},
        {"p_q.b", "p_q_b__"},
        {"p.q_b", "p_q_b__d1"},
        {"p.q.b", "p_q_b__d1d3"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct text out = {0};
        gen_name(&out, rows[k][0]);
        assert_string_equal(out.s, rows[k][1]);
        text_free(&out);
    }
}

/* The names that generated code has for the locations and registers of a test, of which the last is NULL. */
static const char **names_of(const struct test *t, struct arena *a) {
    int n = t->nlocs;
    for (int b = 0; b < t->nbodies; b++)
        n += t->bodies[b].nregs;
    const char **names = arena_array(a, (size_t)n + 1, sizeof *names), **next = names;
    struct text name = {0};
    for (int l = 0; l < t->nlocs; l++, text_free(&name)) {
        gen_name(&name, t->locs[l].name);
        *next++ = arena_strdup(a, name.s);
    }
    for (int b = 0; b < t->nbodies; b++)
        for (int r = 0; r < t->bodies[b].nregs; r++, text_free(&name)) {
            gen_reg_name(&name, &t->bodies[b], r);
            *next++ = arena_strdup(a, name.s);
        }
    return names;
}

static bool is_of_test(const char *const *names, const char *word) {
    while (*names && strcmp(*names, word) != 0)
        names++;
    return *names != NULL;
}

/* Whether each word of a body, which begins at `s`, is the test's, or one that no name of a test becomes. Counts words. */
static int check_body(const char *const *names, const char *path, const char *s) {
    int n = 0;
    const char *end = strstr(s, "\n}\n");
    for (char word[80]; s < end;) {
        size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        bool member = s[-1] == '.' || (s[-1] == '>' && s[-2] == '-');
        if (*s == '"') s = strchr(s + 1, '"');
        if (strncmp(s, "/*", 2) == 0) s = strstr(s, "*/");
        snprintf(word, sizeof word, "%.*s", (int)len, s);
        s += len ? len : 1;
        if (len == 0 || isdigit((unsigned char)*word) || member || is_of_test(names, word)) continue;
        if (!name_problem(word) && is_left_alone(word))
            fail_msg("%s: a body has '%s', which a register of that name would hide", path, word);
        n++;
    }
    return n;
}

static int check_cell(const struct test *t, const struct cell *cell, enum dialect dialect, const char *path) {
    struct arena *a = arena_open();
    const char *const *names = names_of(t, a);
    struct text code = {0};
    int n = 0;
    gen_cell(t, cell, dialect, &code);
    for (const char *s = code.s; (s = strstr(s, "void thread_")) != NULL; s = strchr(s, '{'))
        n += check_body(names, path, strstr(s, "{\n"));
    text_free(&code);
    arena_close(a);
    return n;
}

/* Takes the names from the text itself: the bodies of many tests, as CUDA and as C. */
static void test_bodies(void **state) {
    (void)state;
    glob_t files = {0};
    assert_int_equal(glob("golden/*.yaml", 0, NULL, &files), 0);
    assert_int_equal(glob("nvrtc/*.yaml", GLOB_APPEND, NULL, &files), 0);
    assert_int_equal(glob("../litmus/*/*.yaml", GLOB_APPEND, NULL, &files), 0);
    int words = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        struct test *t = test_read(a, files.gl_pathv[i], &d);
        int n;
        if (t) {
            struct cell *cells = test_cells(t, a, &n);
            words += check_cell(t, &cells[n - 1], DIALECT_CUDA, files.gl_pathv[i]);
            words += check_cell(t, &cells[n - 1], DIALECT_C, files.gl_pathv[i]);
        }
        diag_free(&d);
        arena_close(a);
    }
    globfree(&files);
    assert_true(words > 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
