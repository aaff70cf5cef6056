#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/packaged.h"

static const struct packaged_code codes[] = {
    {"text one", "code", 4}, {"text two", "more code", 9}, {"text one", "code", 4}, {"text three", "", 0}};

/* Every test has a folder of its own with a file for sm_90. */
struct folder {
    char root[32], file[96];
};

static int make_folder(void **state) {
    struct folder *f = calloc(1, sizeof *f);
    struct diag d = {0};
    strcpy(f->root, "/tmp/culitmus-test-XXXXXX");
    if (!mkdtemp(f->root) || !packaged_write(f->root, "NVRTC 13.0.88", "sm_90", codes, 4, &d)) return -1;
    snprintf(f->file, sizeof f->file, "%s/sm_90-NVRTC-13.0.88.code", f->root);
    packaged_set_folder(f->root);
    *state = f;
    return 0;
}

static int remove_folder(void **state) {
    struct folder *f = *state;
    char command[64];
    packaged_set_folder(NULL);
    snprintf(command, sizeof command, "rm -r %s", f->root);
    int failed = system(command);
    free(f);
    return failed;
}

static void expect(const char *compiler, const char *arch, const char *text, const char *want) {
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(packaged_get(compiler, arch, text, &data, &size), want != NULL);
    if (!want) return;
    assert_int_equal(size, strlen(want));
    assert_memory_equal(data, want, size);
    free(data);
}

static void gives_the_code_of_a_text(void **state) {
    (void)state;
    expect("NVRTC 13.0.88", "sm_90", "text one", "code");
    expect("NVRTC 13.0.88", "sm_90", "text two", "more code");
    expect("NVRTC 13.0.88", "sm_90", "text three", "");
    expect("NVRTC 13.0.88", "sm_90", "text on", NULL);
    expect("NVRTC 13.0.88", "sm_80", "text one", NULL);
    expect("NVRTC 13.0.8", "sm_90", "text one", NULL);
    assert_string_equal(packaged_compiler("sm_90", NULL), "NVRTC 13.0.88");
    assert_null(packaged_compiler("sm_80", NULL));
}

static void names_the_latest_compiler(void **state) {
    const struct folder *f = *state;
    struct diag d = {0};
    assert_true(packaged_write(f->root, "NVRTC 13.0.100", "sm_90", codes, 1, &d));
    assert_true(packaged_write(f->root, "NVRTC 12.9.100", "sm_90", codes, 1, &d));
    packaged_set_folder(f->root);
    assert_string_equal(packaged_compiler("sm_90", NULL), "NVRTC 13.0.100");
    assert_string_equal(packaged_compiler("sm_90", "12.9.100"), "NVRTC 12.9.100");
    assert_null(packaged_compiler("sm_90", "12.9"));
    expect("NVRTC 13.0.100", "sm_90", "text two", NULL);
    expect("NVRTC 13.0.88", "sm_90", "text two", "more code");
}

/* Changes a byte of the file; at -1 the last one. */
static void change(const struct folder *f, long at) {
    FILE *file = fopen(f->file, "r+b");
    assert_non_null(file);
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    int c = fgetc(file);
    fseek(file, -1, SEEK_CUR);
    fputc(c ^ 1, file);
    fclose(file);
    packaged_set_folder(f->root);
}

static void misses_what_is_damaged(void **state) {
    const struct folder *f = *state;
    struct stat st;
    int hits = 0; /* a row of another text may hide those beside it */
    assert_int_equal(stat(f->file, &st), 0);
    assert_int_equal(st.st_size, 112 + 3 * 48 + 4 + 9);
    for (long at = 112; at < 112 + 3 * 48; at++) {
        void *data = NULL;
        size_t size;
        change(f, at);
        for (int k = 0; k < 2; k++) {
            bool hit = packaged_get("NVRTC 13.0.88", "sm_90", codes[k].text, &data, &size);
            if (hit && size != codes[k].size) fail_msg("byte %ld: another size", at);
            if (hit && memcmp(data, codes[k].bytes, size) != 0) fail_msg("byte %ld: other code", at);
            if (hit) free(data);
            hits += hit;
        }
        change(f, at);
    }
    assert_in_range(hits, 3 * 48, 2 * 3 * 48 - 1);
    change(f, -1); /* the file ends with the code of text one */
    expect("NVRTC 13.0.88", "sm_90", "text one", NULL);
    expect("NVRTC 13.0.88", "sm_90", "text two", "more code");
    change(f, -1);
    assert_int_equal(truncate(f->file, st.st_size - 1), 0);
    packaged_set_folder(f->root);
    expect("NVRTC 13.0.88", "sm_90", "text one", NULL);
    expect("NVRTC 13.0.88", "sm_90", "text two", "more code");
}

static void opens_no_file_of_others(void **state) {
    const struct folder *f = *state;
    for (long at = 0; at < 17; at += 16 /* of the magic, of the version */) {
        change(f, at);
        assert_null(packaged_compiler("sm_90", NULL));
        change(f, at);
        assert_non_null(packaged_compiler("sm_90", NULL));
    }
    struct stat tool, st;
    assert_int_equal(stat("/proc/self/exe", &tool) | stat(f->file, &st), 0);
    bool by_group = (tool.st_mode & S_IWGRP) && tool.st_gid == st.st_gid;
    for (int k = 0; k < 2; k++) {
        chmod(f->file, k ? 0646 : 0664);
        packaged_set_folder(f->root);
        assert_int_equal(packaged_compiler("sm_90", NULL) != NULL, !k && by_group);
    }
    chmod(f->file, 0444);
    packaged_set_folder(f->root);
    assert_non_null(packaged_compiler("sm_90", NULL));
    assert_int_equal(truncate(f->file, 112 + 48), 0); /* fewer rows than it says */
    packaged_set_folder(f->root);
    assert_null(packaged_compiler("sm_90", NULL));
    packaged_set_folder("/nowhere");
    assert_null(packaged_compiler("sm_90", NULL));
}

static void tells_what_cannot_be_written(void **state) {
    (void)state;
    struct diag d = {0};
    assert_false(packaged_write("/nowhere", "NVRTC 13.0.88", "sm_90", codes, 1, &d));
    assert_string_equal(diag_first_error(&d),
                        "cannot write '/nowhere/sm_90-NVRTC-13.0.88.code': No such file or directory");
    diag_free(&d);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {IN_FOLDER(gives_the_code_of_a_text),
                                       IN_FOLDER(names_the_latest_compiler),
                                       IN_FOLDER(misses_what_is_damaged), IN_FOLDER(opens_no_file_of_others),
                                       cmocka_unit_test(tells_what_cannot_be_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
