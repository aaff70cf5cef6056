#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

void oracle_begin(struct oracle *o, const char *tests, int argc, char **argv) {
    if (argc > 1) o->programs = atoi(argv[1]);
    if (argc > 2) o->seed = strtoull(argv[2], NULL, 10);
    if (argc > 1) cmocka_set_test_filter(argc > 3 ? argv[3] : tests);
}

int oracle_end(const struct oracle *o, int failed) {
    print_message("%lld programs, %lld comparisons, %lld unknown, %lld differences\n", o->drawn, o->compared,
                  o->unknown, o->different);
    return failed || o->different ? EXIT_FAILURE : EXIT_SUCCESS;
}
