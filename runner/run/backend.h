/* What runs a test. A backend is data and a row of functions in a folder of its own, and a line in run/backends.def;
 * nobody outside of that folder asks which one it is.
 *
 * A cell goes through `cannot` (a reason to skip it), `build` (generate, compile) and `run`; everything that belongs
 * to a kernel is freed with it. A failed `run` costs its own cell. */
#ifndef CULITMUS_BACKEND_H
#define CULITMUS_BACKEND_H

#include <stdatomic.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "litmus/histogram.h"
#include "litmus/test.h"
#include "run/environment.h"
#include "run/machine.h"

/* An opened device. The struct that a backend keeps of it begins with this one. */
struct device {
    const char *description;       /* "NVIDIA H200", "AMD EPYC, 2 cores" */
    const char *const *properties; /* for the JSON's `machine`: name/value text pairs, NULL-terminated */
};

struct driver;
struct survey;
struct survey_request;
struct mappings;
struct mappings_request;
struct kernel; /* a cell that was built: what a backend keeps of it goes by this name elsewhere */

/* What one environment showed, or a part of it. */
struct trial {
    const struct parameter *environment;
    int nenvironment;
    int index;                /* of the environment, as they are tried: the schedule's come first */
    uint64_t runs, satisfied; /* stuck ones count as runs; a forall is broken in `satisfied` of them */
    double seconds;
};

struct run_request {
    uint64_t runs;  /* instances to run at least; 0: as many as `seconds` allows */
    double seconds; /* stop after this long; 0: no limit */
    uint64_t seed;
    /* Tried first, in this order; then variations of it and random ones. */
    const struct environment *schedule;
    int nschedule;
    double seconds_each;    /* > 0: the schedule alone, each environment for so long */
    const atomic_int *stop; /* becomes nonzero on Ctrl-C: return what was counted. May be NULL */
    void (*progress)(void *ctx, uint64_t runs, double seconds); /* called now and then, may be NULL */
    void (*tried)(void *ctx, const struct trial *t);            /* after each launch or slice, may be NULL */
    /* Called while the device works and nothing is measured on the CPU: what is to be done beside it. May be NULL. */
    void (*meanwhile)(void *ctx);
    void *ctx;
    /* The kernel that is run after this one, with what will be asked for, or discarded. A backend may begin it before it
     * is told to run it. NULL: not known. */
    struct kernel *then;
    const struct run_request *then_request;
};

struct run_result {
    struct histogram hist; /* zeroed by the caller but for nobs; freed by the caller */
    uint64_t runs;         /* instances that ran, stuck ones included */
    uint64_t stuck;        /* instances in which a bounded wait ran out; not in the histogram */
    double seconds;        /* time on the device or the CPU threads, without compiling */
    bool interrupted;
    double best_rate;          /* runs a second that satisfy the condition, in the best environment */
    double peak;               /* instances a second, in the fastest environment */
    int environments, seen_in; /* how many were tried, and how many showed the condition */
    struct parameter environment[ENV_MAX]; /* which showed the condition most often (else the first) */
    int nenvironment;
};

/* A compiler of a backend's, which was asked for by the path of its library. It outlives the kernels. */
struct compiler_choice {
    const char *path;  /* NULL: the one that is found */
    const char *ptxas; /* the path of an assembler of its own; NULL: there is none */
    const char *name;  /* "NVRTC 13.0.88", "NVRTC 13.0.88 + ptxas 13.1.80" */
    bool packaged;     /* it is not there: what it made was compiled beforehand */
};

/* A cell to be built. The test and the cell outlive the kernel. */
struct build {
    const struct test *t;
    const struct cell *cell;
    const struct compiler_choice *compiler; /* NULL: the backend's own */
    const atomic_int *stop;                 /* becomes nonzero on Ctrl-C: build nothing more. May be NULL */
    struct diag *d;
    struct kernel
        *kernel; /* filled in; NULL: it could not be built, for the reason in `d`, is unfit, or has a twin */
    char *unfit; /* filled in: why its compiler cannot build it, malloc'ed; or NULL */
    /* Filled in: the build of the same cell by another compiler, next before this one, that has the same machine code; or
     * NULL. */
    const struct build *twin;
};

/* What became of opening a device. */
enum opening {
    OPENING_DONE,
    OPENING_FAILED,
    OPENING_NO_DEVICE, /* the machine has none of its kind: another backend may be tried */
};

/* Whichever ends first; 0: no limit. */
struct run_budget {
    uint64_t runs;
    double seconds;
};

/* Who does a fence at once where its cost is measured. */
enum crowd {
    CROWD_THREAD, /* one thread of the device */
    CROWD_WARP,   /* the threads of a warp */
    CROWD_BLOCK,  /* several warps of a block */
    CROWD_DEVICE, /* such a block on each multiprocessor */
};

/* What a fence costs. */
struct fence_cost {
    struct fence fence; /* none: only the measuring */
    enum crowd crowd;
    int writes; /* of each thread, under way when it comes to the fence */
    long long
        cycles; /* from before to behind it, the median; -1: not measured, or the device has no such fence */
};
enum { FENCE_COST_WRITES = 64 }; /* at most */

/* What became of a listing that was asked for. */
enum listed {
    LISTED,
    LISTING_UNFIT,       /* the cell or what was asked for has none */
    LISTING_UNAVAILABLE, /* something is missing on this machine */
    LISTING_BROKEN,      /* what was generated is refused */
};

/* What the options of `show` chose. */
struct listing_choice {
    bool whole;
    bool standalone;
    const struct environment *known; /* standalone: the environments that it tries first */
    int nknown;
    const char *arch; /* NULL: the newest */
};

/* A form of a cell's code for people to read, such as the text that is compiled. */
struct listing {
    const char *name; /* "cuda", "sass": `show --as NAME` */
    const char *
        choice; /* the option that chooses what of it is shown: "whole" (with harness), "standalone" or "arch" */
    enum listed (*put)(const struct test *t, const struct cell *cell, const struct listing_choice *c,
                       FILE *out, struct diag *d);
};

struct backend {
    const char *name;
    const char *model; /* judges the cells of tests that name none; NULL: there is none of this machine */
    const struct driver *driver;    /* of a process of its own (run/isolated.h); NULL: there is none */
    struct run_budget budget;       /* of a cell, where nobody said how long */
    int together;                   /* cells at least that should be built together, as that costs less */
    const struct listing *listings; /* ends with {0} */
    const struct parameter_range
        *ranges; /* what an environment is made of; ends with {0}. NULL: not to be chosen */
    /* The one placement that all of a test collapse to, in the arena. NULL: a cell is run at its own. */
    const struct placement *(*placement)(const struct test *t, struct arena *a);

    /* How many devices there are; when none, a reason in `why` (static or in the arena). */
    int (*count)(struct arena *a, const char **why);
    /* `index`: the device's number. An error that names the environment's fault (exit code 4) unless it is done. */
    enum opening (*open)(int index, struct device **out, struct diag *d);
    /* Why this cell cannot run here (in the arena), or NULL. `c`: what builds it, as of struct build. */
    const char *(*cannot)(const struct device *dev, const struct test *t, const struct cell *cell,
                          const struct compiler_choice *c, struct arena *a);
    /* Loads the compiler of the path in `out` (NULL: the one that is found), with the assembler there, sees whether it compiles
     * for the device, and gives it its name; `dev` NULL: for the architecture `arch`. False and an error when it does not.
     * NULL: all cells are built by the same one. */
    bool (*find_compiler)(const struct device *dev, const char *arch, struct arena *a,
                          struct compiler_choice *out, struct diag *d);
    /* Compiles cells with several compilers and compares what they make (run/survey.h); needs no device. NULL: as above. */
    void (*survey)(struct arena *a, const struct survey_request *r, struct survey *out);
    /* Compiles the ways to write operations (run/mappings.h); needs no device. Where `survey` is. */
    void (*mappings)(struct arena *a, const struct mappings_request *r, struct mappings *out);
    /* Generates and compiles n cells (or takes them from the cache) on all cores; several together cost less. */
    void (*build)(struct device *dev, struct build *cells, int n);
    bool (*run)(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);
    void (*discard)(struct kernel *k);
    /* Measures what fences cost; fills in `cycles`. NULL: not on such a device. `stop` may be NULL. */
    bool (*fence_costs)(struct device *dev, struct fence_cost *costs, int n, const atomic_int *stop,
                        struct diag *d);
    void (*close)(struct device *dev);
};

#define BACKEND(name, machine) extern const struct backend backend_##name;
#include "run/backends.def"
#undef BACKEND

#endif
