/* Reads what libFuzzer invents as a result. What is one is printed in every format, read again, and added up. */
#include <stdio.h>
#include <stdlib.h>

#include "input.h"
#include "report/json.h"
#include "report/printers.h"
#include "report/terminal.h"

static void print(const struct report *r) {
    FILE *out = fopen("/dev/null", "w");
#define PRINTER(name, judged) report_##name(r, out);
#include "report/printers.def"
#undef PRINTER
    fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = input_file(data, size);
    struct arena *a = arena_open();
    struct diag d = {0};
    struct report *r = report_read(a, path, &d), *again = report_read(a, path, &d);
    if ((r == NULL) != (d.errors > 0)) abort();
    if (r) {
        print(r);
        results_merge(a, r, again, &d);
        print(r);
    }
    diag_free(&d);
    arena_close(a);
    return 0;
}
