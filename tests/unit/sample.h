/* Results to merge and to print. */
#ifndef CULITMUS_TESTS_SAMPLE_H
#define CULITMUS_TESTS_SAMPLE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cm.h"
#include "results/results.h"

static const char *const sample_obs[] = {"T1.r0"};
static const struct value sample_values[] = {{1, 0}, {0, 0}};
static struct type sample_types[] = {{32, 1, true, false}, {32, 1, true, false}};

/* A cell that ran so often, with one outcome, which is put into *o. */
static inline struct cell_result ran(struct cell_outcome *o, uint64_t runs) {
    *o = (struct cell_outcome){
        .values = sample_values, .count = runs, .allowed = ANSWER_YES, .satisfies = true};
    return (struct cell_result){.backend = "cuda",
                                .machine = MACHINE_GPU,
                                .device = "a GPU",
                                .placement = "peer",
                                .fence = "none",
                                .access = "volatile",
                                .runs = runs,
                                .satisfied = runs,
                                .outcomes = o,
                                .noutcomes = 1,
                                .confidence = NAN,
                                .model = {.name = "ptx", .allowed = ANSWER_YES, .holds = ANSWER_YES}};
}

/* A test of one cell. */
static inline struct test_result test_of(struct cell_result *c, int nobs) {
    return (struct test_result){.name = "MP",
                                .file = "MP.yaml",
                                .kind = "exists",
                                .condition = "r0 == 1",
                                .obs = sample_obs,
                                .types = sample_types,
                                .nobs = nobs,
                                .cells = c,
                                .ncells = 1};
}

/* What a printer writes; the caller frees it. */
static inline char *sample_print(void (*printer)(const struct report *r, FILE *out), const struct report *r) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    printer(r, f);
    fclose(f);
    return text;
}

/* How often a word stands in a text. */
static inline int sample_count(const char *text, const char *word) {
    int n = 0;
    for (const char *s = text; (s = strstr(s, word)); s++)
        n++;
    return n;
}

#endif
