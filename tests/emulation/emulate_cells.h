/* The cells that emulate_harness plays. */
#ifndef CULITMUS_EMULATE_CELLS_H
#define CULITMUS_EMULATE_CELLS_H

/* What is expected of a cell beside that all is well. */
enum extra {
    NOTHING,
    ALL_OUTCOMES,
    STUCK,
    OUT_OF_BOUNDS,
    TOO_MANY, /* outcomes, of large values */
    STRANGE,  /* outcomes, which the test cannot have: a few threads read 1000 here, */
    TOO_STRANGE, /* or half of them */
    CROWDED,  /* on one multiprocessor, against the plan */
    FEW       /* runs are asked for */
};

struct emulated_cell {
    const char *test; /* in the folder of the suite, or in cells/ here */
    const char *placement;
    int max_threads; /* a block: enough for two warps of each kind */
    enum extra extra;
};

/* After the last one `test` is NULL. */
extern const struct emulated_cell emulated_cells[];

#endif
