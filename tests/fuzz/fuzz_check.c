/* Judges what libFuzzer invents and the readers take for a test: outcomes, races, reasons and a drawing of two of its
 * cells, within little work. */
#include <stdlib.h>

#include "explain/dot.h"
#include "explain/why.h"
#include "input.h"
#include "model/race.h"
#include "source/read.h"

static const struct model *ptx(void) {
    static struct arena *kept;
    static const struct model *model;
    struct diag d = {0};
    if (kept) return model;
    kept = arena_open();
    model = model_load(kept, "ptx", &d);
    if (!model) abort();
    return model;
}

static void check_cell(struct arena *a, const struct test *t, const struct cell *cell) {
    const struct model_limits limits = {.seconds = 0.3, .candidates = 1000};
    struct model_result result;
    struct races races;
    struct why why;
    struct text dot = {0};
    struct diag d = {0};
    if (!model_check_races(ptx(), t, cell, &limits, a, &result, &races, &d) && d.errors == 0) abort();
    for (int k = 0; k < result.noutcomes && d.errors == 0; k++)
        if (!model_allows(&result, t->nobs, result.outcomes[k].values)) abort();
    if (races.open) model_races(ptx(), t, cell, &limits, a, &races, &d);
    model_why(ptx(), t, cell, &limits, a, &why, &d);
    model_dot(ptx(), t, cell, &limits, &dot, &d);
    text_free(&dot);
    diag_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    struct arena *a = arena_open();
    struct diag d = {0};
    char *text = input_copy(data, size);
    const struct test *t = test_read_text(a, data[0] == 'P' ? "fuzz.litmus" : "fuzz.yaml", text, size, &d);
    if (t) {
        int n;
        const struct cell *cells = test_cells(t, a, &n);
        check_cell(a, t, &cells[0]);
        if (n > 1) check_cell(a, t, &cells[n - 1]);
    }
    diag_free(&d);
    arena_close(a);
    free(text);
    return 0;
}
