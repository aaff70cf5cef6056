/* The memory that is left, as the files of a system say. */
#include "base/spare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cm.h"

struct a_system {
    char root[64];
};

/* Writes a file of the system, and the folders that it is in. */
static void put(const struct a_system *s, const char *path, const char *text) {
    char full[256];
    snprintf(full, sizeof full, "%s%s", s->root, path);
    for (char *slash = strchr(full + strlen(s->root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int open_system(void **state) {
    struct a_system *s = calloc(1, sizeof *s);
    strcpy(s->root, "/tmp/culitmus-spare-XXXXXX");
    assert_non_null(mkdtemp(s->root));
    put(s, "/proc/meminfo", "MemTotal:  9000 kB\nMemFree:  100 kB\nMemAvailable:    8000 kB\n");
    *state = s;
    return 0;
}

static int close_system(void **state) {
    struct a_system *s = *state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", s->root);
    int failed = system(command);
    free(s);
    return failed;
}

static void expect(const struct a_system *s, size_t bytes, enum spare_limit limit) {
    enum spare_limit which;
    assert_int_equal(spare_memory_below(s->root, &which), bytes);
    assert_int_equal(which, limit);
}

static void the_machine_has_what_is_available(void **state) {
    expect(*state, 8000 * 1024, SPARE_MACHINE);
}

static void groups_around_a_group_count(void **state) {
    struct a_system *s = *state;
    put(s, "/proc/self/cgroup", "0::/outer/inner\n");
    put(s, "/sys/fs/cgroup/outer/inner/memory.max", "max\n");
    put(s, "/sys/fs/cgroup/outer/inner/memory.current", "5000\n");
    expect(s, 8000 * 1024, SPARE_MACHINE);
    put(s, "/sys/fs/cgroup/outer/memory.max", "70000\n");
    put(s, "/sys/fs/cgroup/outer/memory.current", "60000\n");
    expect(s, 10000, SPARE_CGROUP);
    put(s, "/sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 5000\n");
    expect(s, 15000, SPARE_CGROUP);
    put(s, "/sys/fs/cgroup/outer/memory.current", "90000\n");
    expect(s, 0, SPARE_CGROUP);
}

static void groups_of_the_first_version_count(void **state) {
    struct a_system *s = *state;
    put(s, "/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/some\n0::/\n");
    put(s, "/sys/fs/cgroup/memory/some/memory.limit_in_bytes", "9223372036854771712\n");
    put(s, "/sys/fs/cgroup/memory/some/memory.usage_in_bytes", "4096\n");
    expect(s, 8000 * 1024, SPARE_MACHINE);
    put(s, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n");
    put(s, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n");
    expect(s, 4000, SPARE_CGROUP);
}

static void this_system_has_some(void **state) {
    (void)state;
    enum spare_limit which;
    assert_true(spare_memory(&which) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_machine_has_what_is_available, open_system, close_system),
        cmocka_unit_test_setup_teardown(groups_around_a_group_count, open_system, close_system),
        cmocka_unit_test_setup_teardown(groups_of_the_first_version_count, open_system, close_system),
        cmocka_unit_test(this_system_has_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
