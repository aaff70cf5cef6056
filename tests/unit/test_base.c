/* The arena, growing text, and what is small. */
#include "base/arena.h"
#include "base/embedded.h"
#include "base/path.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/write.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cm.h"

static void memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    struct arena *a = arena_open();
    for (size_t size = 0; size < 300; size += 7) {
        char *p = arena_alloc(a, size);
        assert_int_equal((uintptr_t)p % sizeof(long double), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, size);
    }
    arena_close(a);
    arena_close(NULL);
}

static void a_reset_reuses_and_zeroes(void **state) {
    (void)state;
    struct arena *a = arena_open();
    char *first = arena_alloc(a, 1000);
    memset(first, 0xff, 1000);
    arena_alloc(a, 1 << 20);
    arena_reset(a);
    char *large = arena_alloc(a, 1 << 20), *small = arena_alloc(a, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(large[i] | small[i], 0);
    arena_close(a);
}

static void arrays_grow_and_text_is_copied(void **state) {
    (void)state;
    struct arena *a = arena_open();
    int *old = arena_array(a, 3, sizeof *old);
    old[2] = 7;
    int *grown = arena_grow(a, old, 3, 10, sizeof *grown);
    assert_int_equal(grown[2], 7);
    assert_int_equal(grown[9], 0);
    assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
    assert_string_equal(arena_printf(a, "%s-%d", "x", 12), "x-12");
    arena_close(a);
}

static void joined_arenas_live_together(void **state) {
    (void)state;
    struct arena *a = arena_open(), *none = arena_open(), *from = arena_open();
    char *first = arena_strdup(a, "first"), *large = arena_alloc(from, 1 << 20);
    char *second = arena_strdup(from, "second"), *within = arena_strdup(arena_within(from), "within");
    arena_join(none, from); /* an arena that has nothing yet */
    arena_join(a, arena_open());
    arena_join(a, none);
    memset(large, 0xff, 1 << 20);
    char *third = arena_strdup(a, "third"); /* in the chunk that was at hand */
    assert_true(third > first && third - first < 64);
    assert_string_equal(first, "first");
    assert_string_equal(second, "second");
    assert_string_equal(within, "within"); /* closed with `a`: AddressSanitizer would say that it is lost */
    arena_close(a);
}

enum { PIECES = 5000 };
static atomic_int next_piece, done[PIECES];

static void take_pieces(void *ctx) {
    (void)ctx;
    for (int k; (k = atomic_fetch_add(&next_piece, 1)) < PIECES;)
        done[k]++;
}

/* ---- large arenas ---- */

enum { PIECE = 4 << 20, MANY = 37 }; /* 148 MiB */

static long resident_of_files(void) {
    char line[128] = "";
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fgets(line, sizeof line, f)) sscanf(line, "%*s %*s %ld", &pages);
    if (f) fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Each piece begins and ends with its number. */
static void fill(int **pieces, struct arena *a) {
    for (int k = 0; k < MANY; k++) {
        pieces[k] = arena_alloc(a, PIECE);
        pieces[k][0] = pieces[k][PIECE / (int)sizeof(int) - 1] = k;
    }
}

static void check_pieces(int *const *pieces) {
    for (int k = 0; k < MANY; k++) {
        assert_int_equal(pieces[k][0], k);
        assert_int_equal(pieces[k][1], 0);
        assert_int_equal(pieces[k][PIECE / (int)sizeof(int) - 1], k);
    }
}

/* What is beyond 128 MiB is in memory only while it is used; what a process writes that was forked stays its own. */
static void large_arenas_leave_memory(void **state) {
    (void)state;
    int *pieces[MANY], status;
    struct arena *a = arena_open_large(), *other = arena_open();
    fill(pieces, a);
    for (int k = MANY - 4; k < MANY; k++) /* the last 16 MiB */
        memset(pieces[k] + 2, 0xff, PIECE - 4 * sizeof(int));
    long before = resident_of_files();
    arena_forget();
    assert_true(before - resident_of_files() >= 12 << 20);
    check_pieces(pieces);
    pid_t child = fork();
    if (child == 0) {
        struct arena *own = arena_open_large();
        memset(arena_alloc(own, PIECE), 0xff, PIECE);
        memset(arena_alloc(own, PIECE), 0xff, PIECE);
        arena_close(own);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    check_pieces(pieces);
    arena_join(other, a);
    check_pieces(pieces);
    arena_close(other);
}

static void a_pool_does_each_piece_once(void **state) {
    (void)state;
    for (int most = 0; most < 4; most++) {
        struct pool pool;
        next_piece = 0;
        pool_start(&pool, most, take_pieces, NULL);
        assert_true(pool.n < (most ? most : 1));
        pool_join(&pool);
        for (int k = 0; k < PIECES; k++)
            assert_int_equal(done[k], most + 1);
    }
}

static void text_grows(void **state) {
    (void)state;
    struct text t = {0};
    for (int i = 0; i < 1000; i++)
        text_printf(&t, "%d,", i);
    assert_int_equal(t.len, 10 * 2 + 90 * 3 + 900 * 4);
    assert_string_equal(t.s + t.len - 4, "999,");
    text_add_n(&t, "a\0b", 3);
    assert_int_equal(t.len, 3893);
    assert_memory_equal(t.s + 3889, ",a\0b", 5);
    text_free(&t);
    assert_null(t.s);
}

static void embedded_files_are_found_by_name(void **state) {
    (void)state;
    static const struct embedded table[] = {{"a.cat", "A"}, {"b.cat", "B"}, {0}};
    assert_string_equal(embedded_find(table, "b.cat"), "B");
    assert_null(embedded_find(table, "c.cat"));
}

static void programs_are_found_in_path(void **state) {
    (void)state;
    struct arena *a = arena_open();
    char *old = arena_strdup(a, getenv("PATH"));
    setenv("PATH", "/nowhere:/bin:/usr/bin", 1);
    assert_string_equal(path_find(a, "sh"), "/bin/sh");
    assert_string_equal(path_find(a, "/bin/sh"), "/bin/sh");
    assert_null(path_find(a, "no-such-program"));
    assert_null(path_find(a, "/bin/no-such-program"));
    assert_null(path_find(a, "/etc/passwd")); /* cannot be run */
    assert_null(path_find(a, "/bin"));        /* a folder */
    setenv("PATH", "/bin:", 1);
    assert_int_equal(chdir("/bin"), 0);
    assert_string_equal(path_find(a, "sh"), "/bin/sh");
    setenv("PATH", "", 1); /* this folder */
    assert_string_equal(path_find(a, "sh"), "./sh");
    unsetenv("PATH");
    assert_non_null(path_find(a, "sh"));
    setenv("PATH", old, 1);
    arena_close(a);
}

/* Of 30 bytes a file takes 20: the reason is that of the rest. */
static void what_does_not_fit_a_file_is_an_error(void **state) {
    (void)state;
    char path[] = "/tmp/culitmus-test-XXXXXX", back[32];
    struct rlimit before, little;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = (struct rlimit){20, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    errno = 0;
    bool all = write_all(fd, "0123456789abcdefghijklmnopqrst", 30);
    int error = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(all);
    assert_int_equal(error, EFBIG);
    assert_int_equal(pread(fd, back, sizeof back, 0), 20);
    assert_true(write_all(fd, "klmnopqrst", 10));
    assert_int_equal(pread(fd, back, sizeof back, 0), 30);
    assert_memory_equal(back, "0123456789abcdefghijklmnopqrst", 30);
    close(fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),         cmocka_unit_test(a_reset_reuses_and_zeroes),
        cmocka_unit_test(joined_arenas_live_together),          cmocka_unit_test(a_pool_does_each_piece_once),
        cmocka_unit_test(arrays_grow_and_text_is_copied),       cmocka_unit_test(text_grows),
        cmocka_unit_test(embedded_files_are_found_by_name),     cmocka_unit_test(programs_are_found_in_path),
        cmocka_unit_test(what_does_not_fit_a_file_is_an_error), cmocka_unit_test(large_arenas_leave_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
