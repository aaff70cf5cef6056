/* The results of a run or a check. This is plain data that knows nothing of devices or of reading tests, so
 * that it can be written as JSON, read back, merged, and shown by every printer.
 *
 * Everything lives in the arena in which it was made. */
#ifndef CULITMUS_RESULTS_H
#define CULITMUS_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "litmus/value.h"
#include "run/environment.h"
#include "run/machine.h"

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN };

enum verdict {
    VERDICT_NO_MODEL,  /* no model judges this cell */
    VERDICT_SEEN,      /* allowed, observed */
    VERDICT_UNSEEN,    /* allowed, never observed */
    VERDICT_HELD,      /* forbidden, never observed */
    VERDICT_VIOLATION, /* an outcome that the model forbids was observed */
    VERDICT_SKIPPED,   /* the cell did not run: `skipped` says why */
    VERDICT_STUCK,     /* a bounded wait ran out */
    VERDICT_UNKNOWN,   /* the model gave up: `model.unknown` says why */
    /* What the model says of a cell in which nothing ran: */
    VERDICT_ALLOWED,
    VERDICT_FORBIDDEN,
    VERDICT_ENDLESS, /* no execution ends */
    /* Verdicts of any cell: */
    VERDICT_BOUNDED,     /* forbidden as far as loops were followed, and never observed */
    VERDICT_UNDEFINED,   /* accesses of several sizes race: the model promises nothing */
    VERDICT_FAULT,       /* something ends the kernel in an execution that the model allows: `model.fault` */
    VERDICT_NOT_REACHED, /* no execution gives the values that the proposition names, with or without fences */
    VERDICT_COUNT
};

struct judgement {
    const char *name;    /* NULL: no model judged this cell */
    enum answer allowed; /* some allowed execution satisfies the proposition */
    enum answer holds;   /* the condition, with its quantifier, is true of the allowed outcomes */
    long long outcomes, executions;
    const char *unknown; /* why the model gave up (its answers are lower bounds then), or NULL */
    /* there are more executions than were counted: those that give no new outcome were not all searched */
    bool uncounted;
    bool unlisted;  /* there may be more outcomes than are listed */
    bool bounded;   /* loops were followed for some turns only */
    int turns;      /* for how many turns, if `bounded`; 0: not known */
    bool named;     /* the test or the user has set that bound; not written to a file */
    bool undefined; /* accesses of several sizes race: nothing is promised */
    /* what ends the kernel in some allowed execution, such as "T0 traps in line 8"; or NULL */
    const char *fault;
    bool unreached; /* no execution gives the values that the proposition names, with or without fences */
};

struct cell_outcome {
    const struct value *values; /* one per observable of the test */
    uint64_t count;             /* 0 in a cell that only a model judged */
    enum answer allowed;
    bool satisfies; /* it satisfies the proposition */
};

/* One of two accesses that race. */
struct racing_access {
    const char *thread, *place; /* "T0", "a[3]" */
    const char *does;           /* "reads", "writes", "changes" (an atomic operation), "copies" */
    const char *strength;       /* "weak", "relaxed.cta" */
    int line, column;           /* in the test's file; 0: it is in no line of it */
    /* the line for messages: "line 12", or for a whole kernel "kernel.cu:7 (header.h:152)" */
    const char *where;
};

/* Two accesses that race in an execution that the model allows. */
struct racing_pair {
    struct racing_access access[2];
    const struct value *values; /* an outcome of the execution */
    const char *risk;           /* what the race may lead to */
};

/* What the model of the host's CPU says of a cell that has threads there. */
struct host_judgement {
    const char *model;   /* NULL: no thread is on a CPU beside a GPU */
    enum answer allowed; /* as in struct judgement */
    enum answer holds;
    const char *threads; /* "T1 waits in a loop on a CPU" */
};

struct cell_result {
    const char *backend; /* its name, or "model" */
    enum machine machine;
    const char *device;   /* NULL: nothing ran */
    const char *compiler; /* such as "NVRTC 13.0.88"; NULL: it is not known, or the backend has no choice */
    const char *placement, *fence, *access;
    struct judgement model;
    struct host_judgement host;
    uint64_t runs, satisfied, stuck;
    double seconds;
    double best_rate, peak; /* runs a second: satisfying ones in the best environment; all in the fastest */
    /* environments that were tried; those that showed the proposition (or broke a forall) */
    int environments, seen_in;
    /* the chance that an outcome that was never observed would have been; NAN: it is not known */
    double confidence;
    bool alone;                    /* the outcome was never observed, and no cell with a weaker fence ran */
    struct cell_outcome *outcomes; /* sorted by values */
    int noutcomes;
    enum verdict verdict;
    struct parameter *environment;
    int nenvironment;
    const char **warnings;
    int nwarnings;
    struct racing_pair *races;
    int nraces;
    bool races_partial;   /* there may be more races: not all executions were searched for them */
    const char *skipped;  /* why the cell did not run, or NULL */
    bool lost;            /* it was to run, but failed or was interrupted; `skipped` says why */
    int elsewhere;        /* the shard that runs it and is not in this result; 0: none */
    const char *unjudged; /* why no model judges it, if the test says so; or NULL */
    const char **why;     /* lines that explain the model's answer, if asked for */
    int nwhy;
};

/* A claim of a test that is false, or an error in its file. */
struct failure {
    struct pos pos; /* in the test's file */
    const char *text;
};

struct test_result {
    const char *name, *title, *file; /* title may be NULL */
    const char *source;              /* the text of the test; NULL: not known */
    const char *beside;              /* a file without which that text is no test; NULL: none */
    const char *kind, *condition; /* the condition's kind, "exists", "not_exists" or "forall", and its text */
    const char *const *obs;       /* names of the observables */
    /* of the observables; in a result that was read from a file only as wide as the values there */
    struct type *types;
    int nobs;
    struct cell_result *cells;
    int ncells;
    struct failure *failures;
    int nfailures;
};

/* A file that should be a test, but is none or cannot be read. */
struct refused_file {
    const char *file;
    struct failure *errors; /* line 0: of the file as a whole */
    int nerrors;
};

struct property {
    const char *name, *value;
};

/* The shards of a suite that a result has. Each shard is a part of the cells; other processes may run the
 * others. */
enum { SHARDS_MAX = 10000 };
struct shards {
    int of;         /* how many there are; 0: the suite was not split */
    uint64_t suite; /* a hash of all cells that were split */
    int *numbers;   /* sorted, from 1 */
    int n;
};

struct report {
    const struct source *source; /* NULL: it was not read from a file */
    const char *tool;
    const char *playground; /* address of a page that judges tests; NULL: none is known */
    const char *date;       /* when the cells ran or were judged: "2026-11-22 04:30 UTC"; NULL: not known */
    long long seed;
    struct property *machine;
    int nmachine;
    struct test_result *tests;
    int ntests;
    const struct refused_file *refused;
    int nrefused;
    struct shards shards;
};

/* Whether two names are equal. NULL (no device, no model) equals only NULL. */
bool results_same(const char *x, const char *y);
/* Whether two cells have the same backend, placement, access and fence. Their devices may differ. */
bool results_same_cell(const struct cell_result *x, const struct cell_result *y);
/* Returns why two cells of a test contradict each other: the same model gives different answers. NULL: they
 * do not. */
const char *results_contradict(const struct cell_result *x, const struct cell_result *y);
/* Compares two outcomes by their values: below, equal to or above 0. */
int results_order(const struct test_result *t, const struct value *x, const struct value *y);

/* Whether several models judged the cells and nothing ran. */
bool results_of_models(const struct test_result *t);
const char *verdict_name(enum verdict v);
/* Whether "forbidden" (for a forall, "always") holds only for the number of loop turns that the model
 * followed. */
bool judgement_is_bounded(const struct judgement *m, bool forall);
/* Returns for how many turns the model followed loops, such as "3 turns". In the arena. */
const char *judgement_turns(struct arena *a, const struct judgement *m);
/* Whether the model found no execution that ends, so that there is no outcome. */
bool judgement_is_endless(const struct judgement *m);
bool result_is_forall(const struct test_result *t);
/* Returns how many runs showed the proposition; for a forall, how many broke it. */
uint64_t cell_shown(const struct cell_result *c, bool forall);
double cell_rate(const struct cell_result *c); /* satisfied / runs; 0 without runs */
/* Returns the verdict as a word. A held cell is "held" if its confidence is at least 99 %, "held?" if cells
 * with weaker fences showed the outcome too seldom for that or never, and "held alone" if no such cell
 * ran. */
const char *cell_word(const struct cell_result *c);
/* Returns what a cell ran on and what compiled it, such as "NVIDIA H200, NVRTC 13.0.88". */
const char *cell_ran_on(struct arena *a, const struct cell_result *c);
bool cell_is_held(const struct cell_result *c); /* the cell is "held", with a confidence of at least 99 % */

/* Returns a test of a report to a caller that goes through all tests in order: the tests before it may leave
 * memory. */
const struct test_result *results_test(const struct report *r, int k);
bool results_failed(const struct report *r); /* there is a violation or a failed claim */
bool results_ran(
    const struct report *r); /* some cell was to run, and not only to be judged, so the seed matters */

/* Adds the counts of `b` to `a`. Cells of the same test, backend, device, placement, access and fence are
 * added up and judged again. `b` must live as long as `a`. Returns false and leaves an error when two
 * different tests have the same name. */
bool results_merge(struct arena *arena, struct report *a, const struct report *b, struct diag *d);

#endif
