/* Files that are replaced, and temporary ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/replace.h"

static char root[64];

static int enter(void **state) {
    (void)state;
    strcpy(root, "/tmp/culitmus-test-XXXXXX");
    return mkdtemp(root) && chdir(root) == 0 ? setenv("TMPDIR", root, 1) : -1;
}

static int leave(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return chdir("/") == 0 ? system(command) : -1;
}

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void assert_text(const char *path, const char *expected) {
    char text[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    assert_string_equal(text, expected);
}

static bool replace(const char *path, const char *text) {
    struct replacement r;
    if (!replace_begin(&r, path)) return false;
    fputs(text, r.out);
    return replace_end(&r);
}

static int mode_of(const char *path) {
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

/* Files and folders here whose names have this in them. */
static int count_named(const char *part) {
    char command[128], n[16] = "";
    snprintf(command, sizeof command, "ls -A | grep -c -e '%s'", part);
    FILE *f = popen(command, "r");
    assert_non_null(fgets(n, sizeof n, f));
    pclose(f);
    return atoi(n);
}

static void permissions_stay(void **state) {
    (void)state;
    umask(022);
    assert_true(replace("new", "1"));
    assert_int_equal(mode_of("new"), 0644);
    const int modes[] = {0600, 0640, 0444, 0666};
    for (int k = 0; k < 4; k++) {
        put("old", "old");
        assert_int_equal(chmod("old", (mode_t)modes[k]), 0);
        assert_int_equal(symlink("old", "link"), 0);
        assert_true(replace("link", "new"));
        assert_int_equal(mode_of("old"), modes[k]);
        assert_text("old", "new");
        unlink("link");
        unlink("old");
    }
}

/* While it is written, others see the old file alone. */
static void the_old_file_stays_until_the_end(void **state) {
    (void)state;
    struct replacement r;
    put("result", "old");
    assert_true(replace_begin(&r, "result"));
    fputs("new", r.out);
    fflush(r.out);
    assert_text("result", "old");
    assert_int_equal(mode_of(r.temporary.path), 0600);
    assert_true(replace_end(&r));
    assert_text("result", "new");
    assert_int_equal(count_named("culitmus-new"), 0);
}

static void a_link_of_another_user_is_not_followed(void **state) {
    (void)state;
    if (geteuid() != 0) skip(); /* who cannot make one */
    put("target", "old");
    assert_int_equal(mkdir("sticky", 0777), 0);
    assert_int_equal(chmod("sticky", 01777), 0);
    assert_int_equal(symlink("../target", "sticky/link"), 0);
    assert_true(replace("sticky/link", "own"));
    assert_int_equal(lchown("sticky/link", 12345, 12345), 0);
    errno = 0;
    assert_false(replace("sticky/link", "theirs"));
    assert_int_equal(errno, EACCES);
    assert_text("target", "own");
    assert_int_equal(chown("sticky", 12345, 12345), 0); /* the folder's owner may lead where they want */
    assert_true(replace("sticky/link", "owner's"));
    assert_int_equal(chown("sticky", 0, 0), 0);
    assert_int_equal(chmod("sticky", 0755), 0); /* nobody else can make links there */
    assert_true(replace("sticky/link", "plain"));
    assert_text("target", "plain");
}

static void make_old(const char *path, bool folder) {
    const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    if (folder) {
        char file[64];
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(file, sizeof file, "%s/test.c", path);
        put(file, "text");
    } else {
        put(path, "text");
        assert_int_equal(chmod(path, 0600), 0);
    }
    assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
}

/* What is left of a process that was killed is removed; what another one uses, is young, or belongs to somebody else, is
 * not. */
static void what_was_left_is_swept(void **state) {
    (void)state;
    struct temporary folder, file;
    make_old("culitmus-work-left01", true);
    make_old("culitmus-work-left02", false);
    make_old("culitmus-work-used01", true);
    make_old("culitmus-work-other1", true);
    make_old("culitmus-work-shared", true);
    make_old("culitmus-work-longer-name", true);
    make_old("mine", true);
    assert_int_equal(mkdir("culitmus-work-young1", 0700), 0);
    assert_int_equal(symlink("mine", "culitmus-work-link01"), 0);
    int used = open("culitmus-work-used01", O_RDONLY);
    assert_int_equal(flock(used, LOCK_EX), 0);
    assert_int_equal(chmod("culitmus-work-shared", 0755), 0);
    bool root_user = geteuid() == 0 && lchown("culitmus-work-other1", 12345, 12345) == 0;
    assert_true(temporary_folder(&folder));
    assert_int_equal(count_named("left0"), 0);
    assert_int_equal(count_named("used01"), 1);
    assert_int_equal(count_named("other1"), root_user);
    assert_int_equal(count_named("shared"), 1);
    assert_int_equal(count_named("longer"), 1);
    assert_int_equal(count_named("young1"), 1);
    assert_int_equal(access("mine/test.c", F_OK), 0);
    assert_int_equal(mode_of(folder.path), 0700);
    temporary_remove(&folder);
    close(used);
    make_old(".culitmus-new-left01", false);
    put(".culitmus-new-young1", "text");
    assert_true(temporary_beside(&file, "result"));
    assert_int_equal(count_named("left01"), 0);
    assert_int_equal(count_named("new-young1"), 1);
    assert_true(temporary_keep(&file, "result"));
    assert_int_equal(access("result", F_OK), 0);
}

static void in_use_is_locked(void **state) {
    (void)state;
    struct temporary t;
    assert_true(temporary_file(&t));
    int fd = open(t.path, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
    temporary_remove(&t);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    close(fd);
}

/* Without memory a process says so, removes what it has begun, and exits with 4. */
static void without_memory_nothing_is_left(void **state) {
    (void)state;
    char said[64] = "";
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    put("result", "old");
    pid_t pid = fork();
    if (pid == 0) {
        struct replacement r;
        struct temporary folder;
        dup2(ends[1], STDERR_FILENO);
        if (!replace_begin(&r, "result") || !temporary_folder(&folder)) _exit(1);
        fputs("half", r.out);
        fflush(r.out);
        if (chdir(folder.path) == 0) put("test.c", "text");
        if (chdir(root) == 0) memory_exhausted();
        _exit(2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    assert_string_equal(said, "culitmus: out of memory\n");
    assert_text("result", "old");
    assert_int_equal(count_named("culitmus-"), 0);
    close(ends[0]);
    close(ends[1]);
}

static void a_stack_that_is_too_small_is_known(void **state) {
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        size_t bytes = 0;
        const struct rlimit small = {1 << 20, 1 << 20}, raised = {1 << 20, 64 << 20};
        if (setrlimit(RLIMIT_STACK, &raised) != 0 || !memory_provide_stack(&bytes)) _exit(1);
        if (bytes != 8 << 20) _exit(2);
        if (setrlimit(RLIMIT_STACK, &small) != 0 || memory_provide_stack(&bytes)) _exit(3);
        _exit(bytes == 1 << 20 ? 0 : 4);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(permissions_stay, enter, leave),
        cmocka_unit_test_setup_teardown(the_old_file_stays_until_the_end, enter, leave),
        cmocka_unit_test_setup_teardown(a_link_of_another_user_is_not_followed, enter, leave),
        cmocka_unit_test_setup_teardown(what_was_left_is_swept, enter, leave),
        cmocka_unit_test_setup_teardown(in_use_is_locked, enter, leave),
        cmocka_unit_test_setup_teardown(without_memory_nothing_is_left, enter, leave),
        cmocka_unit_test(a_stack_that_is_too_small_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
