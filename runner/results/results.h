/* What a run or a check found: plain data that knows nothing of devices or of how tests are read, so that it
 * can be written as JSON, read back, merged and shown by every printer alike.
 *
 * Everything lives in the arena it was made in. */
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
    /* The model's own word, of a cell in which nothing ran: */
    VERDICT_ALLOWED,
    VERDICT_FORBIDDEN,
    VERDICT_ENDLESS, /* no execution ends */
    /* and of any cell: */
    VERDICT_BOUNDED,     /* forbidden as far as loops were followed, and never observed */
    VERDICT_UNDEFINED,   /* accesses of several sizes race: the model promises nothing */
    VERDICT_FAULT,       /* something ends the kernel in an execution that the model allows: `model.fault` */
    VERDICT_NOT_REACHED, /* no execution gives the values that the proposition names, with or without fences */
    VERDICT_COUNT
};

struct judgement {
    const char *name;    /* the model's; NULL: none judged this cell */
    enum answer allowed; /* some allowed execution satisfies the proposition */
    enum answer holds;   /* the quantified condition is true of the allowed outcomes */
    long long outcomes, executions;
    const char *unknown; /* why the model gave up (its answers are lower bounds then), or NULL */
    bool uncounted;      /* there are more executions: not all that give no new outcome were looked for */
    bool unlisted;       /* there may be more outcomes: they are too many to list */
    bool bounded;        /* loops were followed for some turns only */
    int turns;           /* for how many, where that is so; 0: not known */
    bool named;          /* the test or the user has named that bound; is not written */
    bool undefined;      /* accesses of several sizes race: nothing is promised */
    const char *fault;   /* what ends the kernel in some allowed execution: "T0 traps in line 8"; or NULL */
    bool unreached;      /* nothing gives the values that the proposition names, with or without fences */
};

struct cell_outcome {
    const struct value *values; /* one per observable of the test */
    uint64_t count;             /* 0 in a cell that only the model looked at */
    enum answer allowed;
    bool satisfies; /* the proposition */
};

/* One of two accesses that race. */
struct racing_access {
    const char *thread, *place; /* "T0", "a[3]" */
    const char *does;           /* "reads", "writes", "changes" (an atomic operation), "copies" */
    const char *strength;       /* "weak", "relaxed.cta" */
    int line, column;           /* in the test's file; 0: in no line of it */
    const char *where;          /* "line 12"; of a whole kernel "kernel.cu:7 (header.h:152)" */
};

/* Two accesses that race in an execution that the model allows. */
struct racing_pair {
    struct racing_access access[2];
    const struct value *values; /* an outcome of the execution */
    const char *risk;           /* what may come of it */
};

/* What the model of the host's own CPU says of a cell whose threads are partly on it. */
struct host_judgement {
    const char *model;   /* its name; NULL: no thread is on a CPU beside a GPU */
    enum answer allowed; /* as in a judgement */
    enum answer holds;
    const char *threads; /* "T1 waits in a loop on a CPU" */
};

struct cell_result {
    const char *backend; /* by name, or "model" */
    enum machine machine;
    const char *device;   /* NULL: none */
    const char *compiler; /* "NVRTC 13.0.88"; NULL: not known, or there is no choice */
    const char *placement, *fence, *access;
    struct judgement model;
    struct host_judgement host;
    uint64_t runs, satisfied, stuck;
    double seconds;
    double best_rate, peak;    /* a second: satisfying runs in the best environment; runs in the fastest */
    int environments, seen_in; /* how many were tried; how many showed the proposition (broke a forall) */
    double confidence;         /* that what was never observed would have been; NAN: nothing can be said */
    bool alone;                /* it was never observed, and no cell with a weaker fence ran beside it */
    struct cell_outcome *outcomes; /* sorted by values */
    int noutcomes;
    enum verdict verdict;
    struct parameter *environment;
    int nenvironment;
    const char **warnings;
    int nwarnings;
    struct racing_pair *races;
    int nraces;
    bool races_partial;   /* there may be more: not all executions were looked at for them */
    const char *skipped;  /* why, or NULL */
    bool lost;            /* it was to run, and did not: it failed or was interrupted; `skipped` says why */
    int elsewhere;        /* the shard that is to run it, which this result does not have; 0: none */
    const char *unjudged; /* why no model judges it, where the test says so; or NULL */
    const char **why;     /* lines that explain what the model says, if that was asked for */
    int nwhy;
};

/* What is wrong with a test: a claim that was found false, or an error in its file. */
struct failure {
    struct pos pos; /* in the test's file */
    const char *text;
};

struct test_result {
    const char *name, *title, *file; /* title may be NULL */
    const char *source;              /* the text of the test; NULL: not known */
    const char *beside;              /* a file without which that text is no test; NULL: there is none */
    const char *kind, *condition;    /* "exists", "not_exists", "forall"; the text */
    const char *const *obs;          /* names of the observables */
    struct type *types;              /* theirs; of what was read from a file, as wide as they are written */
    int nobs;
    struct cell_result *cells;
    int ncells;
    struct failure *failures;
    int nfailures;
};

/* A file that was to be a test: it is none, or cannot be read. */
struct refused_file {
    const char *file;
    struct failure *errors; /* line 0: of the file as a whole */
    int nerrors;
};

struct property {
    const char *name, *value;
};

/* The shards of a suite that a result has: parts of its cells, which other processes may run. */
enum { SHARDS_MAX = 10000 };
struct shards {
    int of;         /* how many there are; 0: the suite was not split */
    uint64_t suite; /* a hash of all cells that were split */
    int *numbers;   /* sorted, from 1 */
    int n;
};

struct report {
    const struct source *source; /* what it was read from; NULL: it was not */
    const char *tool;
    const char *playground; /* the address of a page that judges tests; NULL: none is known */
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
/* Why two cells of a test cannot both be true: one model says of one cell this and that. NULL: they can. */
const char *results_contradict(const struct cell_result *x, const struct cell_result *y);
/* The order of two outcomes by their values: below, equal to or above 0. */
int results_order(const struct test_result *t, const struct value *x, const struct value *y);

/* Whether what several models say of the cells stands beside each other, where nothing runs. */
bool results_of_models(const struct test_result *t);
const char *verdict_name(enum verdict v);
/* Whether a loop may turn more often than it was followed, so that "forbidden", or "always" of a forall, is said
 * of so many turns only. */
bool judgement_is_bounded(const struct judgement *m, bool forall);
/* "3 turns": for how many the model followed loops. Lives in the arena. */
const char *judgement_turns(struct arena *a, const struct judgement *m);
/* Whether the model knows no execution that ends: it has no outcome to speak of. */
bool judgement_is_endless(const struct judgement *m);
bool result_is_forall(const struct test_result *t);
/* How many runs showed what the test is about: its proposition; of a forall, what breaks it. */
uint64_t cell_shown(const struct cell_result *c, bool forall);
double cell_rate(const struct cell_result *c); /* satisfied / runs; 0 without runs */
/* The verdict's name. What held has one of three: "held" where the confidence is 99 % and more, "held?" where a weaker
 * fence showed the outcome too seldom for that or not at all, "held alone" where nothing weaker ran. */
const char *cell_word(const struct cell_result *c);
/* What a cell ran on, and what compiled it: "NVIDIA H200, NVRTC 13.0.88". */
const char *cell_ran_on(struct arena *a, const struct cell_result *c);
bool cell_is_held(const struct cell_result *c); /* the first of them */

/* A test of a report, all of which are gone through: those before need not be in memory. */
const struct test_result *results_test(const struct report *r, int k);
bool results_failed(const struct report *r); /* a violation, or a failed claim */
bool results_ran(
    const struct report *r); /* a cell was to be run, not only judged: the seed means something */

/* Adds what `b` counted to `a`. Cells of the same test, backend, device, placement, access and fence are summed and
 * judged again. Both must live as long as `a`. False and an error when one name stands for two different tests. */
bool results_merge(struct arena *arena, struct report *a, const struct report *b, struct diag *d);

#endif
