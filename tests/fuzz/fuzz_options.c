/* Reads what libFuzzer invents as a command line, an argument a line, and makes tests of what are cycles. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/choose.h"
#include "cycle/cycle.h"
#include "input.h"
#include "source/read.h"

enum { MOST = 24 };

static const char test[] =
    "name: t\nmemory: {x: 0}\nplacements: [block, device]\nfences: [none, device]\nthreads:\n"
    "  T0: |\n    x = 1; fence();\n  T1: |\n    int r = x; fence();\nexists: r == 1\n";

/* A cycle in words is written as a test that can be read, and in words that give it again. */
static void check_cycle(struct arena *a, const char *words) {
    struct diag d = {0};
    struct cycle c, again;
    struct cycle_plan plan;
    const char *why;
    if (cycle_parse(words, &c, &d) && cycle_plan(&c, &plan, &why)) {
        struct text printed = {0}, written = {0};
        struct cycle named = cycle_named(&c);
        cycle_print(&c, &printed);
        if (!cycle_parse(printed.s, &again, &d) || cycle_compare(&c, &again) != 0) abort();
        cycle_write(&named, cycle_name(&c, a), &written);
        if (!test_read_text(a, "cycle.yaml", written.s, written.len, &d)) abort();
        text_free(&printed);
        text_free(&written);
    }
    diag_free(&d);
}

static void use_options(struct arena *a, const struct options *o, const struct suite *suite) {
    struct cycle_space space = {.accesses = 2, .threads = 2};
    int n;
    for (int k = 0; k < o->edges.n; k++)
        cycle_add_edges(&space, o->edges.item[k]);
    for (int k = 0; k < o->strengths.n; k++)
        cycle_add_strengths(&space, o->strengths.item[k]);
    if (choose_check_cells(o, suite) == 0) cells_chosen(a, suite->tests[0], &o->cells, NULL, &n);
    choose_check_filter(o);
    for (int k = 0; k < o->nargs; k++)
        check_cycle(a, o->args[k]);
}

static struct suite *shared_suite(void) {
    static struct suite suite;
    static struct arena *a;
    if (suite.n) return &suite;
    struct diag d = {0};
    a = arena_open();
    suite.tests = arena_alloc(a, sizeof *suite.tests);
    suite.tests[0] = test_read_text(a, "t.yaml", test, strlen(test), &d);
    if (!suite.tests[0]) abort();
    suite.n = 1;
    stderr = fopen("/dev/null", "w"); /* what is said of wrong options */
    return &suite;
}

/* A command by its name, else any. */
static const struct command *find_command(const char *name) {
    int n = 0;
    for (; command_at(n); n++)
        if (strcmp(command_at(n)->name, name) == 0) return command_at(n);
    return command_at((unsigned char)*name % n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct suite *suite = shared_suite();
    char *argv[MOST + 1] = {0}, *kept[MOST];
    int argc = 0;
    for (size_t i = 0; i < size && argc < MOST; argc++) {
        const uint8_t *end = memchr(data + i, '\n', size - i);
        size_t len = (end ? (size_t)(end - data) : size) - i;
        kept[argc] = argv[argc] = input_text(data + i, len);
        i += len + 1;
    }
    if (argc > 0) {
        struct options o;
        struct arena *a = arena_open();
        optind = 0; /* getopt begins anew */
        if (options_parse(find_command(argv[0]), argc, argv, &o) && !o.help) use_options(a, &o, suite);
        arena_close(a);
    }
    while (argc > 0)
        free(kept[--argc]);
    return 0;
}
