/* Compares observations with models, whichever model judged the run: which model forbids what was seen, which
 * one allows what never showed, and with which confidence the device keeps an axiom. */
#ifndef CULITMUS_FIT_H
#define CULITMUS_FIT_H

#include "model/model.h"
#include "results/results.h"

/* A cell that ran, and its test. */
struct fit_cell {
    const struct test_result *result;
    const struct cell_result *observed;
    const struct test *test;
    struct cell cell;
    int shape, layout; /* the numbers of the test's shape, and of the shape in this placement */
};

/* Names with numbers from 0 on, in the arena. */
struct fit_names {
    struct arena *arena;
    void *known;
    int n;
};
/* Sets the numbers of a cell's shape and layout. By them cells of the same shape are found without the tests,
 * which need not be in memory. */
void fit_number(struct fit_names *names, struct fit_cell *c);
void fit_names_close(struct fit_names *names);

/* What a model says of a cell, compared with what was observed. */
enum fit_word {
    FIT_SEEN,    /* allowed, and observed */
    FIT_UNSEEN,  /* allowed, and never observed */
    FIT_HELD,    /* forbidden, and never observed */
    FIT_REFUTED, /* an outcome that was observed is forbidden: the device does not keep to the model */
    FIT_UNKNOWN, /* the model gave up */
    FIT_WORDS
};

struct fit {
    const struct model *model;
    const struct fit_cell *cells;
    int ncells;
    enum fit_word *words; /* of each cell */
    const struct cell_outcome **
        /* of each refuted cell: the observed outcome that is forbidden; NULL: only that the condition's
         * outcome was seen is known */
        broken;
    int count[FIT_WORDS];
    const char *wrong; /* of the first cell that the model cannot judge at all: why not; or NULL */
};

/* How long a model may take for a cell, and what is called before each cell: on any thread, but never on two
 * at once. */
struct fit_effort {
    struct model_limits limits;
    void (*next)(void *ctx); /* may be NULL */
    void *ctx;
};

/* Whether the cell showed the outcome of its condition; for a forall, one that breaks it. */
bool fit_was_seen(const struct fit_cell *c);

/* Judges the cells with a model, on all cores. Everything lives in the arena. */
struct fit fit_judge(struct arena *a, const struct model *m, const struct fit_cell *cells, int n,
                     const struct fit_effort *effort);

/* How well an axiom of a model is confirmed. */
struct fit_axiom {
    const char *name;
    /* how many tests have a cell that this axiom alone forbids, and showed nothing in such cells */
    int tests;
    double confidence; /* the confidence that the device keeps the axiom; NAN: nothing is known */
};

/* Computes the confidence that the device keeps an axiom. Without it, the model would allow some cells that
 * it forbids. If the device did not keep it, these cells would show their outcome as often as allowed cells
 * of the same shape do. If s of n allowed cells of a shape were seen, the chance is s / (n + 1), counted in
 * the cell's placement or in all placements, whichever is less. Cells of one shape are taken to be seen
 * together or not at all, so only the likeliest cell of a shape counts; shapes are taken as independent. The
 * confidence is the chance that at least one shape would have been seen. */
struct fit_axiom fit_axiom(const struct fit *f, int axiom, const struct fit_effort *effort);

#endif
