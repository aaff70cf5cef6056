/* A C compiler that takes its time is ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cpu/cpu_compile.h"

static char root[64];

static int enter(void **state) {
    (void)state;
    strcpy(root, "/tmp/culitmus-test-XXXXXX");
    if (!mkdtemp(root) || chdir(root) != 0) return -1;
    setenv("TMPDIR", root, 1);
    return setenv("CULITMUS_CACHE", "cache", 1);
}

static int leave(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return chdir("/") == 0 ? system(command) : -1;
}

static void write_compiler(const char *script) {
    FILE *f = fopen("compiler", "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n[ \"$1\" = --version ] && exec echo slow\n%s\n", script);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod("compiler", 0700), 0);
    setenv("CC", "./compiler", 1);
}

/* Compiles for at most a second, and returns what went wrong, until the next call. */
static const char *compile(const char *script, const atomic_int *stop) {
    static char said[256];
    struct arena *a = arena_open();
    struct diag d = {0};
    struct compiler c;
    struct cpu_unit unit = {0};
    write_compiler(script);
    assert_true(compiler_find(a, &c, &d));
    assert_int_equal(c.seconds, 60);
    c.seconds = 1;
    double begin = clock_now();
    assert_false(unit_build(&c, "text", "test", stop, &unit, &d));
    assert_true(clock_now() - begin < 100);
    assert_int_equal(d.n, 1);
    snprintf(said, sizeof said, "%s", d.messages[0].text);
    diag_free(&d);
    arena_close(a);
    return said;
}

static void one_that_waits_is_ended(void **state) {
    (void)state;
    assert_string_equal(compile("sleep 200", NULL),
                        "the C compiler './compiler' took longer than 1 s on 'test': it was ended");
}

/* Its own processes may work for so long, too. */
static void one_that_works_is_ended(void **state) {
    (void)state;
    const char *said = compile("while :; do :; done", NULL);
    if (strcmp(said, "the C compiler './compiler' took longer than 1 s on 'test': it was ended") != 0)
        assert_string_equal(said, "the C compiler './compiler' was ended by signal 9 on 'test'");
}

static void it_ends_with_the_run(void **state) {
    (void)state;
    atomic_int stop = 1;
    assert_string_equal(compile("sleep 200", &stop), "interrupted while 'test' was compiled");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_that_waits_is_ended, enter, leave),
        cmocka_unit_test_setup_teardown(one_that_works_is_ended, enter, leave),
        cmocka_unit_test_setup_teardown(it_ends_with_the_run, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
