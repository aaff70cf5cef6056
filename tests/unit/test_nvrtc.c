/* An NVRTC that hangs, crashes and refuses costs its own cell: PLAYED_NVRTC is played for it. */
#include "cm.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "compile/nvrtc.h"

static void expect(const char *name, int seconds, const atomic_int *stop, const char *message) {
    struct diag d = {0};
    struct text ptx = {0};
    void *cubin = NULL;
    size_t size = 0;
    const struct nvrtc_source s = {
        .text = "text", .name = name, .arch = "sm_90", .seconds = seconds, .stop = stop};
    assert_false(nvrtc_cubin(&s, &ptx, &cubin, &size, &d));
    assert_null(cubin);
    assert_int_equal(d.n, 1);
    assert_string_equal(d.messages[0].text, message);
    diag_free(&d);
    text_free(&ptx);
}

static void what_it_says_arrives(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++)
        expect("refused", 0, NULL, "NVRTC does not compile refused:\nno");
}

static void it_is_asked_to_assemble(void **state) {
    (void)state;
    struct diag d = {0};
    void *cubin = NULL;
    size_t size = 0;
    const struct nvrtc_source s = {.text = "no PTX", .name = "refused", .arch = "sm_90"};
    assert_false(nvrtc_assemble(&s, &cubin, &size, &d));
    assert_null(cubin);
    assert_int_equal(d.n, 1);
    assert_string_equal(d.messages[0].text, "NVRTC does not compile refused:\nno");
    diag_free(&d);
}

static void it_is_ended_when_it_takes_too_long(void **state) {
    (void)state;
    double begun = clock_now();
    expect("slow", 1, NULL, "NVRTC took longer than 1 s on 'slow': it was ended");
    assert_true(clock_now() - begun < 200);
    expect("refused", 0, NULL, "NVRTC does not compile refused:\nno");
}

static void *stop_soon(void *stop) {
    usleep(100 * 1000);
    *(atomic_int *)stop = 1;
    return NULL;
}

static void it_ends_with_the_run(void **state) {
    (void)state;
    pthread_t thread;
    atomic_int stop = 0;
    double begun = clock_now();
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &stop), 0);
    expect("slow", 600, &stop, "interrupted while 'slow' was compiled");
    assert_true(clock_now() - begun < 200);
    pthread_join(thread, NULL);
}

static void a_crash_costs_one_text(void **state) {
    (void)state;
    expect("crash", 0, NULL, "NVRTC was ended by signal 11 (Segmentation fault) on 'crash'");
    expect("refused", 0, NULL, "NVRTC does not compile refused:\nno");
}

static void *refuse(void *arg) {
    for (int k = 0; k < 20; k++)
        expect("refused", 0, NULL, "NVRTC does not compile refused:\nno");
    return arg;
}

static void threads_compile_together(void **state) {
    (void)state;
    pthread_t threads[4];
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, refuse, NULL), 0);
    for (int k = 0; k < 4; k++)
        pthread_join(threads[k], NULL);
}

static double seconds_of_children(void) {
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void none_is_left_when_it_closes(void **state) {
    (void)state;
    expect("refused", 0, NULL, "NVRTC does not compile refused:\nno");
    double before = seconds_of_children();
    assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* it waits for work */
    nvrtc_close();
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_true(seconds_of_children() > before);
    nvrtc_close();
    expect("refused", 0, NULL, "NVRTC does not compile refused:\nno");
}

/* What the assembler of an older one does not take is told in one line; other errors, and those of a newer one, are not. */
static void it_is_told_when_it_is_too_old(void **state) {
    (void)state;
    static const char *const names[] = {"new", "newer", "refused"};
    static const char *const said[] = {
        "NVRTC 12.4 is too old for an instruction: State space incorrect for instruction 'cp.async.bulk'",
        "NVRTC 12.4 is too old for an instruction: its assembler does not say which", NULL};
    for (int k = 0; k < 6; k++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        struct text ptx = {0};
        const struct nvrtc_source s = {.text = "text", .name = names[k % 3], .arch = "sm_90"};
        if (k < 3) setenv("PLAY_OLD", "1", 1);
        assert_false(nvrtc_ptx(&s, &ptx, &d));
        const char *found = nvrtc_too_old(&s, &d, a), *want = k < 3 ? said[k] : NULL;
        assert_int_equal(found != NULL, want != NULL);
        if (want) assert_string_equal(found, want);
        unsetenv("PLAY_OLD");
        diag_free(&d);
        text_free(&ptx);
        arena_close(a);
    }
}

int main(int argc, char **argv) {
    if (nvrtc_serve(argc, argv)) return 0;
    setenv("CULITMUS_NVRTC", PLAYED_NVRTC, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_says_arrives),          cmocka_unit_test(it_is_asked_to_assemble),
        cmocka_unit_test(it_is_told_when_it_is_too_old), cmocka_unit_test(it_is_ended_when_it_takes_too_long),
        cmocka_unit_test(it_ends_with_the_run),          cmocka_unit_test(a_crash_costs_one_text),
        cmocka_unit_test(threads_compile_together),      cmocka_unit_test(none_is_left_when_it_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
