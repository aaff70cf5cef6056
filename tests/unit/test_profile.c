/* Profiles: reading with every message to the letter, and writing. */
#include "cm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "embedded_profiles.h"
#include "run/profile.h"
#include "source/read.h"

static const struct parameter_range ranges[] = {
    {"threads", "", {64, 128, 256, 128}, 4}, {"lag", "", {0, 32, -8}, 3}, {"stride", "", {1, 2}, 2}, {0}};
static const struct backend some_backend = {.name = "some", .ranges = ranges};

static bool parse(struct arena *a, const char *text, struct profile *p, struct diag *d) {
    return profile_parse(a, "p.json", text, &some_backend, "Card", p, d);
}

/* What the diagnostics say, freed by the caller. */
static char *rendered(const struct diag *d) {
    char *s = NULL;
    size_t n;
    FILE *f = open_memstream(&s, &n);
    diag_render(d, f, false);
    fclose(f);
    return s;
}

static struct profile_entry entry(const char *test, const char *placement, const char *access, double rate,
                                  int threads) {
    return (struct profile_entry){
        test, placement, access, rate, {.parameter = {{"threads", threads}, {"lag", -8}}, .n = 2}, ""};
}

#define HEAD "{\"schema\": 1, \"device\": \"Card\", \"entries\": [\n"
#define CELL "{\"test\": \"MP\", \"placement\": \"device\", \"access\": \"weak\", \"rate\": 1e9"

static void a_profile_is_read(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct profile p;
    assert_true(parse(a,
                      HEAD CELL ", \"environment\": {\"threads\": 100, \"lag\": -8}},\n" CELL
                                "0, \"environment\": {\"stride\": 2}}]}",
                      &p, &d));
    assert_int_equal(d.n, 0);
    assert_string_equal(p.device, "Card");
    assert_int_equal(p.n, 1); /* both are for the same cell: the second, at 1e90, is better */
    const struct profile_entry *e = &p.entries[0];
    assert_string_equal(e->test, "MP");
    assert_string_equal(e->placement, "device");
    assert_string_equal(e->access, "weak");
    assert_true(e->rate == 1e90);
    assert_int_equal(e->environment.n, 1);
    assert_string_equal(e->environment.parameter[0].name, "stride");
    assert_int_equal(e->environment.parameter[0].value, 2);
    arena_close(a);
}

static void a_value_may_lie_between_those_of_its_range(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct profile p;
    assert_true(parse(a, HEAD CELL ", \"environment\": {\"threads\": 100, \"lag\": -8}}]}", &p, &d));
    const struct environment *e = &p.entries[0].environment;
    assert_int_equal(e->n, 2);
    assert_int_equal(e->parameter[0].value, 100);
    assert_int_equal(e->parameter[1].value, -8);
    arena_close(a);
}

/* Wrong profiles and all that is said of them. */
static const struct {
    const char *text, *says;
} wrong[] = {
    {"", "p.json:1:1: error: this is not JSON: a value is expected here\n"
         "    1 |\n"
         "      | ^\n"},
    {"[]", "p.json:1:1: error: a profile is a JSON object\n"
           "    1 | []\n"
           "      | ^\n"},
    {"{\"schema\": 1,\n \"device\": \"Card\",\n \"entries\": [{\"test\": }]}",
     "p.json:3:23: error: this is not JSON: a value is expected here\n"
     "    3 |  \"entries\": [{\"test\": }]}\n"
     "      |                       ^\n"},
    {"{\"device\": \"Card\", \"entries\": []}", "p.json:1:1: error: 'schema' is missing\n"
                                                "    1 | {\"device\": \"Card\", \"entries\": []}\n"
                                                "      | ^\n"
                                                "p.json:1:1: note: a profile of another format is made anew: "
                                                "remove it, then 'culitmus tune PATH -o p.json'\n"
                                                "    1 | {\"device\": \"Card\", \"entries\": []}\n"
                                                "      | ^\n"},
    {"{\"schema\": 2, \"devices\": 3}",
     "p.json:1:12: error: schema 2 is not one that this culitmus reads: it reads 1\n"
     "    1 | {\"schema\": 2, \"devices\": 3}\n"
     "      |            ^\n"
     "p.json:1:12: note: a profile of another format is made anew: remove it, then 'culitmus tune PATH -o "
     "p.json'\n"
     "    1 | {\"schema\": 2, \"devices\": 3}\n"
     "      |            ^\n"},
    {"{\"schema\": 1, \"device\": [], \"entry\": \"a\\\"}b\"}",
     "p.json:1:25: error: 'device' is not a text\n"
     "    1 | {\"schema\": 1, \"device\": [], \"entry\": \"a\\\"}b\"}\n"
     "      |                         ^\n"
     "p.json:1:38: error: unknown key 'entry'\n"
     "    1 | {\"schema\": 1, \"device\": [], \"entry\": \"a\\\"}b\"}\n"
     "      |                                      ^~~~~~~\n"},
    {"{\"schema\": 1, \"device\": \"Card\"}", "p.json:1:1: error: 'entries' is missing\n"
                                              "    1 | {\"schema\": 1, \"device\": \"Card\"}\n"
                                              "      | ^\n"},
    {HEAD "7,\n{\"test\": \"MP\", \"placement\": 1, \"rate\": \"fast\", \"environment\": {}}]}",
     "p.json:2:1: error: an entry is an object\n"
     "    2 | 7,\n"
     "      | ^\n"
     "p.json:3:1: error: 'access' is missing\n"
     "    3 | {\"test\": \"MP\", \"placement\": 1, \"rate\": \"fast\", \"environment\": {}}]}\n"
     "      | ^\n"
     "p.json:3:29: error: 'placement' is not a text\n"
     "    3 | {\"test\": \"MP\", \"placement\": 1, \"rate\": \"fast\", \"environment\": {}}]}\n"
     "      |                             ^\n"
     "p.json:3:40: error: 'rate' is not a number\n"
     "    3 | {\"test\": \"MP\", \"placement\": 1, \"rate\": \"fast\", \"environment\": {}}]}\n"
     "      |                                        ^~~~~~\n"},
    {HEAD CELL ",\n \"environment\": {\"threads\": 63, \"lag\": 33, \"stride\": 1.5}}]}",
     "p.json:3:29: error: 'threads' is 63, out of its range 64 to 256\n"
     "    3 |  \"environment\": {\"threads\": 63, \"lag\": 33, \"stride\": 1.5}}]}\n"
     "      |                             ^~\n"
     "p.json:3:40: error: 'lag' is 33, out of its range -8 to 32\n"
     "    3 |  \"environment\": {\"threads\": 63, \"lag\": 33, \"stride\": 1.5}}]}\n"
     "      |                                        ^~\n"
     "p.json:3:54: error: 'stride' is not a whole number\n"
     "    3 |  \"environment\": {\"threads\": 63, \"lag\": 33, \"stride\": 1.5}}]}\n"
     "      |                                                      ^~~\n"},
    {HEAD "{\"test\": \"MP\", \"placement\": \"cpu\",\n\"access\": \"atomic\", \"rate\": 1, \"environment\": "
          "{}}]}",
     "p.json:3:11: error: unknown access 'atomic': it is weak, volatile or relaxed\n"
     "    3 | \"access\": \"atomic\", \"rate\": 1, \"environment\": {}}]}\n"
     "      |           ^~~~~~~~\n"},
    {HEAD CELL ",\n \"edges\": \"WW apart, RR apart\", \"environment\": {}}]}",
     "p.json:3:11: error: edges are a sorted list such as \"RR apart, WW block\", not 'WW apart, RR apart'\n"
     "    3 |  \"edges\": \"WW apart, RR apart\", \"environment\": {}}]}\n"
     "      |           ^~~~~~~~~~~~~~~~~~~~\n"},
    {HEAD CELL ",\n \"edges\": 3, \"environment\": {}}]}", "p.json:3:11: error: 'edges' is not a text\n"
                                                           "    3 |  \"edges\": 3, \"environment\": {}}]}\n"
                                                           "      |           ^\n"},
    {HEAD "{\"test\": \"MP\", \"test\": \"SB\"}]}",
     "p.json:2:24: error: this is not JSON: 'test' is there twice\n"
     "    2 | {\"test\": \"MP\", \"test\": \"SB\"}]}\n"
     "      |                        ^~~~\n"},
    {HEAD "{\"te\\u0073t\": \"MP\", \"nome\": \"\\u0069\"}]}",
     "p.json:2:1: error: 'placement' is missing\n"
     "    2 | {\"te\\u0073t\": \"MP\", \"nome\": \"\\u0069\"}]}\n"
     "      | ^\n"
     "p.json:2:1: error: 'access' is missing\n"
     "    2 | {\"te\\u0073t\": \"MP\", \"nome\": \"\\u0069\"}]}\n"
     "      | ^\n"
     "p.json:2:1: error: 'rate' is missing\n"
     "    2 | {\"te\\u0073t\": \"MP\", \"nome\": \"\\u0069\"}]}\n"
     "      | ^\n"
     "p.json:2:1: error: 'environment' is missing\n"
     "    2 | {\"te\\u0073t\": \"MP\", \"nome\": \"\\u0069\"}]}\n"
     "      | ^\n"
     "p.json:2:29: error: unknown key 'nome'\n"
     "    2 | {\"te\\u0073t\": \"MP\", \"nome\": \"\\u0069\"}]}\n"
     "      |                             ^~~~~~~~\n"},
};

static void wrong_profiles(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        struct profile p;
        assert_false(parse(a, wrong[i].text, &p, &d));
        char *says = rendered(&d);
        assert_string_equal(says, wrong[i].says);
        free(says);
        diag_free(&d);
        arena_close(a);
    }
}

static void a_parameter_that_is_unknown_is_left_out(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct profile p;
    assert_true(parse(a, HEAD CELL ",\n\"environment\": {\"thread\": 63, \"stride\": 2}}]}", &p, &d));
    assert_int_equal(p.entries[0].environment.n, 1);
    assert_string_equal(p.entries[0].environment.parameter[0].name, "stride");
    char *says = rendered(&d);
    assert_string_equal(says,
                        "p.json:3:27: warning: the some backend has no parameter 'thread', which is left "
                        "out; did you mean 'threads'?\n"
                        "    3 | \"environment\": {\"thread\": 63, \"stride\": 2}}]}\n"
                        "      |                           ^~\n");
    free(says);
    diag_free(&d);
    arena_close(a);
}

static void another_devices_profile_is_not_looked_into(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct profile p;
    assert_true(parse(a, "{\"schema\": 1, \"device\": \"Other\", \"entries\": [{\"threads\": 0}]}", &p, &d));
    assert_string_equal(p.device, "Other");
    assert_int_equal(p.n, 0);
    assert_int_equal(d.n, 0);
    arena_close(a);
}

/* ---- files ---- */

struct folder {
    char root[32], path[64];
};

static int make_folder(void **state) {
    static struct folder f;
    strcpy(f.root, "/tmp/culitmus-test-XXXXXX");
    if (!mkdtemp(f.root)) return -1;
    snprintf(f.path, sizeof f.path, "%s/deep/profile.json", f.root);
    *state = &f;
    return 0;
}

static int remove_folder(void **state) {
    const struct folder *f = *state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", f->root);
    return system(command);
}

static const char written[] =
    "{\n"
    "  \"schema\": 1,\n"
    "  \"device\": \"Card \\\"2\\\"\",\n"
    "  \"entries\": [\n"
    "    {\"test\": \"MP\", \"placement\": \"T0 | T1\", \"access\": \"relaxed\", \"rate\": 1.23e+09, "
    "\"environment\": "
    "{\"threads\": 64, \"lag\": -8}},\n"
    "    {\"test\": \"SB\", \"placement\": \"block\", \"access\": \"weak\", \"edges\": \"WR block\", "
    "\"rate\": 400, \"environment\": "
    "{\"threads\": 128, \"lag\": -8}},\n"
    "    {\"test\": \"SB\", \"placement\": \"device\", \"access\": \"weak\", \"rate\": 7, \"environment\": "
    "{\"threads\": 256, \"lag\": -8}}\n"
    "  ]\n"
    "}\n";

static void what_is_written_is_sorted_and_read_back(void **state) {
    const struct folder *f = *state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct profile p = profile_new(a, "Card \"2\""), back;
    struct profile_entry entries[] = {entry("SB", "device", "weak", 7, 256),
                                      entry("MP", "T0 | T1", "relaxed", 1.2345e9, 64),
                                      entry("SB", "block", "weak", 400, 128)};
    entries[2].edges = "WR block";
    for (int i = 0; i < 3; i++)
        profile_add(&p, &entries[i]);
    assert_true(profile_write(&p, f->path, &d));
    FILE *file = fopen(f->path, "r");
    char text[1024];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, written);
    assert_true(profile_read(a, f->path, &some_backend, "Card \"2\"", &back, &d));
    assert_int_equal(back.n, 3);
    assert_string_equal(back.entries[0].placement, "T0 | T1");
    assert_true(back.entries[0].rate == 1.23e9);
    assert_string_equal(back.entries[1].edges, "WR block");
    assert_string_equal(back.entries[2].edges, "");
    assert_int_equal(back.entries[2].environment.parameter[0].value, 256);
    assert_int_equal(d.n, 0);
    arena_close(a);
}

/* Writes entries of its own one by one, as others do at the same time. */
static void write_some(const char *path, int writer) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct profile p = profile_new(a, "Card");
    for (int i = 0; i < 20; i++) {
        struct profile_entry e = entry(arena_printf(a, "T%d-%d", writer, i), "device", "weak", 1 + i, 64);
        profile_add(&p, &e);
        if (!profile_update(&p, path, &some_backend, &d)) _exit(1);
    }
    _exit(0);
}

static void what_several_write_stays(void **state) {
    const struct folder *f = *state;
    struct diag d = {0};
    struct profile p;
    int status;
    for (int writer = 0; writer < 4; writer++)
        if (fork() == 0) write_some(f->path, writer);
    for (int writer = 0; writer < 4; writer++)
        assert_true(wait(&status) > 0 && status == 0);
    struct arena *a = arena_open(); /* the writers leak none */
    assert_true(profile_read(a, f->path, &some_backend, "Card", &p, &d));
    assert_int_equal(p.n, 80);
    struct profile other = profile_new(a, "Other card");
    assert_false(profile_update(&other, f->path, &some_backend, &d));
    assert_string_equal(d.messages[0].text,
                        arena_printf(a, "'%s' is no profile of Other card any more", f->path));
    diag_free(&d);
    arena_close(a);
}

static void an_empty_profile_is_a_profile(void **state) {
    const struct folder *f = *state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct profile p = profile_new(a, "Card"), back;
    assert_true(profile_write(&p, f->path, &d));
    assert_true(profile_read(a, f->path, &some_backend, "Card", &back, &d));
    assert_int_equal(back.n, 0);
    arena_close(a);
}

static void what_cannot_be_written_or_read_is_said(void **state) {
    const struct folder *f = *state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct profile p = profile_new(a, "Card");
    const char *path = arena_printf(a, "%s/taken", f->root);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_false(profile_write(&p, path, &d));
    assert_string_equal(d.messages[0].text,
                        arena_printf(a, "cannot write the profile '%s': Is a directory", path));
    assert_false(profile_write(&p, "/dev/null/p.json", &d));
    assert_string_equal(d.messages[1].text, "cannot write the profile '/dev/null/p.json': Not a directory");
    assert_false(profile_read(a, "/dev/null/p.json", &some_backend, "Card", &p, &d));
    assert_string_equal(d.messages[2].text, "cannot read the file: Not a directory");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(f->root), 0); /* nothing is left beside it */
    assert_int_equal(mkdir(f->root, 0777), 0);
    diag_free(&d);
    arena_close(a);
}

static void where_a_profile_is(void **state) {
    (void)state;
    struct arena *a = arena_open();
    setenv("XDG_CONFIG_HOME", "/config", 1);
    setenv("HOME", "/home/me", 1);
    assert_string_equal(profile_path(a, "NVIDIA H200"), "/config/culitmus/profiles/nvidia-h200.json");
    assert_string_equal(profile_path(a, "AMD EPYC (TM), 2 cores."),
                        "/config/culitmus/profiles/amd-epyc-tm-2-cores.json");
    setenv("XDG_CONFIG_HOME", "relative", 1); /* to be ignored, says the XDG specification */
    assert_string_equal(profile_path(a, "X"), "/home/me/.config/culitmus/profiles/x.json");
    unsetenv("XDG_CONFIG_HOME");
    assert_string_equal(profile_path(a, "X"), "/home/me/.config/culitmus/profiles/x.json");
    unsetenv("HOME");
    assert_null(profile_path(a, "X"));
    arena_close(a);
}

static void shipped_profiles_are_right(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_profiles; e->name; e++) {
        struct arena *a = arena_open();
        struct diag d = {0};
        struct profile head, p;
        const struct backend *b = strncmp(e->name, "nvidia-", 7) == 0 ? &backend_cuda : &backend_cpu;
        assert_true(profile_parse(a, e->name, e->text, b, "", &head, &d));
        assert_ptr_equal(profile_shipped(head.device), e->text); /* it is named after its device */
        assert_true(profile_parse(a, e->name, e->text, b, head.device, &p, &d));
        assert_int_equal(d.n, 0);
        assert_true(p.n > 0);
        arena_close(a);
    }
    assert_null(profile_shipped("a device that nobody has"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_is_read),
        cmocka_unit_test(a_value_may_lie_between_those_of_its_range),
        cmocka_unit_test(wrong_profiles),
        cmocka_unit_test(a_parameter_that_is_unknown_is_left_out),
        cmocka_unit_test(another_devices_profile_is_not_looked_into),
        cmocka_unit_test_setup_teardown(what_is_written_is_sorted_and_read_back, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_several_write_stays, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(an_empty_profile_is_a_profile, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_or_read_is_said, make_folder, remove_folder),
        cmocka_unit_test(where_a_profile_is),
        cmocka_unit_test(shipped_profiles_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
