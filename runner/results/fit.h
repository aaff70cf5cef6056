/* Holds what was observed against models, whichever of them judged the run: which model forbids what was seen,
 * which one allows what never showed, and how sure it is that an axiom holds on the device. */
#ifndef CULITMUS_FIT_H
#define CULITMUS_FIT_H

#include "model/model.h"
#include "results/results.h"

/* A cell that ran, and the test that it is of. */
struct fit_cell {
    const struct test_result *result;
    const struct cell_result *observed;
    const struct test *test;
    struct cell cell;
    int shape, layout; /* the numbers of its test's shape, and of that shape in its placement */
};

/* The names that have a number, from 0 on, in the arena. */
struct fit_names {
    struct arena *arena;
    void *known;
    int n;
};
/* Numbers the shape and the layout of a cell: so those that are of one are found without a look at the tests, which need not
 * be in memory. */
void fit_number(struct fit_names *names, struct fit_cell *c);
void fit_names_close(struct fit_names *names);

/* What a model makes of a cell. */
enum fit_word {
    FIT_SEEN,    /* allowed, and observed */
    FIT_UNSEEN,  /* allowed, and never observed */
    FIT_HELD,    /* forbidden, and never observed */
    FIT_REFUTED, /* some outcome that was observed is forbidden: the device does not keep to the model */
    FIT_UNKNOWN, /* the model gave up */
    FIT_WORDS
};

struct fit {
    const struct model *model;
    const struct fit_cell *cells;
    int ncells;
    enum fit_word *words; /* a cell each */
    const struct cell_outcome **
        broken; /* of a refuted cell: the outcome that is forbidden; NULL: only what its condition asks for is known */
    int count[FIT_WORDS];
    const char *wrong; /* of the cells that a model cannot judge at all: why not, of the first; or NULL */
};

/* How long a model may take for a cell, and who is told before it judges the next one: from any thread, but never from
 * two at once. */
struct fit_effort {
    struct model_limits limits;
    void (*next)(void *ctx); /* NULL: nobody */
    void *ctx;
};

/* Whether the cell showed what it is about; of a forall, what breaks it. */
bool fit_was_seen(const struct fit_cell *c);

/* Judges the cells by a model, on all cores. Lives in the arena. */
struct fit fit_judge(struct arena *a, const struct model *m, const struct fit_cell *cells, int n,
                     const struct fit_effort *effort);

/* What an axiom of a model is known to hold by. */
struct fit_axiom {
    const char *name;
    int tests;         /* that this axiom alone forbids in some cell, and in which nothing was seen there */
    double confidence; /* that the device keeps to it; NAN: nothing can be said */
};

/* Without the axiom, the model would allow some cells that it forbids. If the device did not keep to it, these
 * would show as often as allowed ones of the same shape do: where s of n allowed cells of a shape were seen, with
 * the chance s / (n + 1), counted in the cell's placement or in all, whichever gives less. Cells of a shape are
 * seen together or not at all, so the likeliest counts; shapes count as independent. The confidence is the chance
 * that one at least had been seen. */
struct fit_axiom fit_axiom(const struct fit *f, int axiom, const struct fit_effort *effort);

#endif
