#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "compile/cache.h"

/* Every test has a folder of its own, named by CULITMUS_CACHE and made by the first entry. */
struct folder {
    char root[32], cache[48], entry[512];
};

static int make_folder(void **state) {
    struct folder *f = calloc(1, sizeof *f);
    strcpy(f->root, "/tmp/culitmus-test-XXXXXX");
    if (!mkdtemp(f->root)) return -1;
    snprintf(f->cache, sizeof f->cache, "%s/deep/cache", f->root);
    setenv("CULITMUS_CACHE", f->cache, 1);
    *state = f;
    return 0;
}

static int remove_folder(void **state) {
    struct folder *f = *state;
    char command[128];
    snprintf(command, sizeof command, "chmod -R u+w %s && rm -rf %s", f->root, f->root);
    int failed = system(command);
    free(f);
    return failed;
}

/* How many files the cache holds; remembers the last one's path. */
static int count_files(struct folder *f) {
    DIR *dir = opendir(f->cache);
    int n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(f->entry, sizeof f->entry, "%s/%s", f->cache, e->d_name);
        n++;
    }
    if (dir) closedir(dir);
    return n;
}

static bool hit(const char *key, const char *want) {
    void *data;
    size_t size;
    if (!cache_get(key, strlen(key), &data, &size)) return false;
    bool same = size == strlen(want) && memcmp(data, want, size) == 0;
    free(data);
    assert_true(same);
    return true;
}

static void put(const char *key, const char *data) {
    struct diag d = {0};
    cache_put(key, strlen(key), data, strlen(data), &d);
    assert_int_equal(d.n, 0);
}

static void keeps_what_was_put(void **state) {
    assert_false(hit("key", ""));
    put("key", "code");
    put("kez", "other code");
    put("empty", "");
    assert_true(hit("key", "code"));
    assert_true(hit("kez", "other code"));
    assert_true(hit("empty", ""));
    assert_false(hit("ke", ""));
    put("key", "new code");
    assert_true(hit("key", "new code"));
    assert_int_equal(count_files(*state), 3);
}

static void flip(const char *path, long at) {
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ 1, f);
    fclose(f);
}

/* Magic, lengths, checksum, key, data: whichever byte is damaged, the entry is a miss. */
static void a_damaged_entry_is_a_miss(void **state) {
    struct folder *f = *state;
    struct stat st;
    put("the key", "the code");
    assert_int_equal(count_files(f), 1);
    assert_int_equal(stat(f->entry, &st), 0);
    for (long at = 0; at < st.st_size; at++) {
        flip(f->entry, at);
        assert_false(hit("the key", ""));
        flip(f->entry, at);
        assert_true(hit("the key", "the code"));
    }
}

static void an_entry_of_another_length_is_a_miss(void **state) {
    struct folder *f = *state;
    struct stat st;
    put("the key", "the code");
    count_files(f);
    assert_int_equal(stat(f->entry, &st), 0);
    for (long size = st.st_size - 1; size >= 0; size--) {
        assert_int_equal(truncate(f->entry, size), 0);
        assert_false(hit("the key", ""));
    }
    put("the key", "the code");
    FILE *out = fopen(f->entry, "a");
    fputc('x', out);
    fclose(out);
    assert_false(hit("the key", ""));
}

/* A file under this key's name that holds another key: what a hash collision would leave. */
static void an_entry_of_another_key_is_a_miss(void **state) {
    struct folder *f = *state;
    char name_of_a[512];
    put("key A", "code");
    count_files(f);
    strcpy(name_of_a, f->entry);
    assert_int_equal(unlink(name_of_a), 0);
    put("key B", "code");
    assert_int_equal(count_files(f), 1);
    assert_int_equal(rename(f->entry, name_of_a), 0);
    assert_false(hit("key A", ""));
}

/* Code that somebody else may have written is not run. */
static void a_file_that_others_can_write_is_a_miss(void **state) {
    struct folder *f = *state;
    char target[600];
    put("key", "code");
    count_files(f);
    assert_int_equal(chmod(f->entry, 0620), 0);
    assert_false(hit("key", ""));
    assert_int_equal(chmod(f->entry, 0600), 0);
    assert_true(hit("key", "code"));
    if (chown(f->entry, getuid() + 1, getgid()) == 0) { /* who is not root may not */
        assert_false(hit("key", ""));
        assert_int_equal(chown(f->entry, getuid(), getgid()), 0);
    }
    snprintf(target, sizeof target, "%s/elsewhere", f->root);
    assert_int_equal(rename(f->entry, target), 0);
    assert_int_equal(symlink(target, f->entry), 0);
    assert_false(hit("key", ""));
}

static void a_folder_of_that_name_is_a_miss(void **state) {
    struct folder *f = *state;
    put("key", "code");
    count_files(f);
    assert_int_equal(unlink(f->entry), 0);
    assert_int_equal(mkdir(f->entry, 0700), 0);
    assert_false(hit("key", ""));
}

/* Many processes write and read one entry: a reader sees all of it or none. */
static void processes_share_the_folder(void **state) {
    struct folder *f = *state;
    pid_t child[4];
    for (int k = 0; k < 4; k++) {
        child[k] = fork();
        if (child[k] != 0) continue;
        for (int i = 0; i < 200; i++) {
            put("key", "code");
            if (!hit("key", "code")) _exit(1);
        }
        _exit(0);
    }
    for (int k = 0; k < 4; k++) {
        int status;
        waitpid(child[k], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_files(f), 1);
}

/* A file of that many bytes that was used so many seconds ago; its bytes are a hole. */
static void leave(struct folder *f, const char *name, off_t bytes, time_t ago) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", f->cache, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(ftruncate(fileno(out), bytes), 0);
    struct timespec times[2] = {{time(NULL) - ago, 0}, {time(NULL) - ago, 0}};
    assert_int_equal(futimens(fileno(out), times), 0);
    fclose(out);
}

static bool is_there(struct folder *f, const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", f->cache, name);
    return access(path, F_OK) == 0;
}

/* Puts in a process of its own, since a process looks only once whether there is too much: as long as this
 * one has not put anything, its children will look. */
static void put_elsewhere(const char *key) {
    pid_t child = fork();
    int status;
    if (child == 0) {
        put(key, "code");
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void what_was_used_longest_ago_goes_first(void **state) {
    struct folder *f = *state;
    put_elsewhere("key");
    leave(f, "0000000000000001", 300 << 20, 100);
    leave(f, "0000000000000002", 300 << 20, 300);
    leave(f, "0000000000000003", 300 << 20, 200);
    put_elsewhere("another key");
    assert_int_equal(count_files(f), 5); /* less than a GiB */
    leave(f, "0000000000000004", 300 << 20, 50);
    leave(f, "of somebody else", 300 << 20, 999);
    put_elsewhere("a third key");
    assert_false(is_there(f, "0000000000000002"));
    assert_false(is_there(f, "0000000000000003"));
    assert_true(is_there(f, "0000000000000001"));
    assert_true(is_there(f, "0000000000000004"));
    assert_true(is_there(f, "of somebody else"));
    assert_true(hit("key", "code"));
}

/* A hit counts as a use. */
static void what_is_used_stays(void **state) {
    struct folder *f = *state;
    put_elsewhere("key");
    count_files(f);
    char *name = strdup(strrchr(f->entry, '/') + 1);
    struct timespec old[2] = {{1000, 0}, {1000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, f->entry, old, 0), 0);
    assert_true(hit("key", "code"));
    leave(f, "0000000000000001", 600 << 20, 20);
    leave(f, "0000000000000002", 600 << 20, 10);
    put_elsewhere("another key");
    assert_true(is_there(f, name));
    assert_false(is_there(f, "0000000000000001"));
    free(name);
}

static void what_was_left_unfinished_goes(void **state) {
    struct folder *f = *state;
    put_elsewhere("key");
    leave(f, ".new-abcdef", 10, 7200);
    leave(f, ".new-ghijkl", 10, 60);
    put_elsewhere("another key");
    assert_false(is_there(f, ".new-abcdef"));
    assert_true(is_there(f, ".new-ghijkl"));
}

/* Puts three times in a process of its own, where a warning may come once, and asserts on that warning. */
static void put_and_expect(const char *want) {
    pid_t child = fork();
    if (child == 0) {
        struct diag d = {0};
        for (int i = 0; i < 3; i++)
            cache_put("key", 3, "code", 4, &d);
        bool ok = d.n == 1 && d.messages[0].severity == DIAG_WARNING && strcmp(d.messages[0].text, want) == 0;
        if (!ok) diag_render(&d, stderr, false);
        _exit(!ok);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_false(hit("key", ""));
}

/* The folder's path runs through a file. */
static void an_unwritable_folder_costs_one_warning(void **state) {
    struct folder *f = *state;
    struct text want = {0};
    char path[64];
    snprintf(path, sizeof path, "%s/file", f->root);
    fclose(fopen(path, "w"));
    strcat(path, "/cache");
    setenv("CULITMUS_CACHE", path, 1);
    text_printf(&want, "compiled code is not kept: cannot write to '%s': Not a directory", path);
    put_and_expect(want.s);
    text_free(&want);
}

/* No byte can be written, as on a full disk: nothing half-written is left. */
static void a_full_disk_costs_one_warning(void **state) {
    struct folder *f = *state;
    struct text want = {0};
    struct rlimit old, none;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    none = (struct rlimit){0, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    text_printf(&want, "compiled code is not kept: cannot write to '%s': File too large", f->cache);
    put_and_expect(want.s);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(count_files(f), 0);
    text_free(&want);
}

static void no_folder_at_all_costs_one_warning(void **state) {
    (void)state;
    unsetenv("CULITMUS_CACHE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    put_and_expect(
        "compiled code is not kept: none of CULITMUS_CACHE, XDG_CACHE_HOME and HOME names a folder");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

static void what_is_dropped_is_gone(void **state) {
    struct folder *f = *state;
    cache_drop("a", 1); /* there is none */
    put("a", "first");
    put("b", "second");
    cache_drop("a", 1);
    assert_false(hit("a", "first"));
    assert_true(hit("b", "second"));
    assert_int_equal(count_files(f), 1);
}

static long resident_kib(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;
}

static void a_file_that_is_too_large_is_not_read(void **state) {
    struct folder *f = *state;
    put("a", "first");
    assert_int_equal(count_files(f), 1);
    assert_int_equal(truncate(f->entry, 512L << 20), 0);
    int status = -1;
    pid_t child = fork(); /* whose peak is its own */
    if (child == 0) {
        long before = resident_kib();
        _exit(hit("a", "first") || resident_kib() - before > 64 << 10);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        /* first: see put_elsewhere */
        IN_FOLDER(what_was_used_longest_ago_goes_first),
        IN_FOLDER(what_is_used_stays),
        IN_FOLDER(what_was_left_unfinished_goes),
        IN_FOLDER(keeps_what_was_put),
        IN_FOLDER(a_damaged_entry_is_a_miss),
        IN_FOLDER(an_entry_of_another_length_is_a_miss),
        IN_FOLDER(an_entry_of_another_key_is_a_miss),
        IN_FOLDER(a_file_that_others_can_write_is_a_miss),
        IN_FOLDER(a_folder_of_that_name_is_a_miss),
        IN_FOLDER(what_is_dropped_is_gone),
        IN_FOLDER(a_file_that_is_too_large_is_not_read),
        IN_FOLDER(processes_share_the_folder),
        IN_FOLDER(an_unwritable_folder_costs_one_warning),
        IN_FOLDER(a_full_disk_costs_one_warning),
        IN_FOLDER(no_folder_at_all_costs_one_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
