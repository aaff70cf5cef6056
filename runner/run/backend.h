/* The interface of a backend: what runs tests. A backend is a struct of data and functions in a folder of its
 * own, and a line in run/backends.def. Code outside that folder never asks which backend it is.
 *
 * A cell goes through `cannot` (a reason to skip it), `build` (generate and compile) and `run`. What belongs
 * to a kernel is freed with it. If `run` fails, only its cell is lost. */
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

/* An opened device. A backend's own struct for it begins with this one. */
struct device {
    const char *description;       /* "NVIDIA H200", "AMD EPYC, 2 cores" */
    const char *const *properties; /* for `machine` of the JSON: pairs of name and value, ended by NULL */
};

struct driver;
struct survey;
struct survey_request;
struct mappings;
struct mappings_request;
struct kernel; /* a cell that was built; a backend has a struct of its own behind this name */

/* The results of one environment, or of one launch in it. */
struct trial {
    const struct parameter *environment;
    int nenvironment;
    /* the environment's number in the order in which they are tried; those of the schedule come first */
    int index;
    /* instances that ran, stuck ones included; those that satisfied the condition, or broke it if it is a
     * forall */
    uint64_t runs, satisfied;
    double seconds;
};

struct run_request {
    uint64_t runs;  /* instances to run at least; 0: as many as `seconds` allows */
    double seconds; /* stop after this long; 0: no limit */
    uint64_t seed;
    /* The environments that are tried first, in this order; then come variations of them and random ones. */
    const struct environment *schedule;
    int nschedule;
    double seconds_each;    /* > 0: only the schedule is run, each environment for so many seconds */
    const atomic_int *stop; /* becomes nonzero on Ctrl-C: then return what was counted. May be NULL */
    void (*progress)(void *ctx, uint64_t runs, double seconds); /* called now and then, may be NULL */
    void (*tried)(void *ctx, const struct trial *t);            /* after each launch or slice, may be NULL */
    /* Called for work to be done beside the device: the device is busy and nothing is measured on the CPU.
     * May be NULL. */
    void (*meanwhile)(void *ctx);
    void *ctx;
    /* The kernel that will run or be discarded after this one, and its request. A backend may begin to run it
     * before it is told to. NULL: not known. */
    struct kernel *then;
    const struct run_request *then_request;
};

struct run_result {
    struct histogram hist; /* zeroed by the caller except nobs, and freed by the caller */
    uint64_t runs;         /* instances that ran, stuck ones included */
    uint64_t stuck;        /* instances in which a bounded wait ran out; they are not in the histogram */
    double seconds;        /* time on the device or the CPU threads, without compiling */
    bool interrupted;
    double best_rate; /* in the best environment: runs a second that satisfy the condition */
    double peak;      /* in the fastest environment: runs a second */
    /* how many environments were tried, and how many of them showed the condition */
    int environments, seen_in;
    /* the environment with the best rate; if none showed the condition, the first */
    struct parameter environment[ENV_MAX];
    int nenvironment;
};

/* A compiler of a backend that the user chose. It outlives the kernels. */
struct compiler_choice {
    const char *path;  /* the path of its library; NULL: the one that is found */
    const char *ptxas; /* the path of a separate assembler; NULL: none */
    const char *name;  /* such as "NVRTC 13.0.88" or "NVRTC 13.0.88 + ptxas 13.1.80" */
    bool packaged;     /* the compiler is not on this machine, but code that it compiled beforehand is */
};

/* A cell to be built. The test and the cell outlive the kernel. */
struct build {
    const struct test *t;
    const struct cell *cell;
    const struct compiler_choice *compiler; /* NULL: the backend's own */
    const atomic_int *stop; /* becomes nonzero on Ctrl-C: then build nothing more. May be NULL */
    struct diag *d;
    struct kernel
        /* filled in. NULL: the cell could not be built (the reason is in `d`), is unfit, or has a twin */
        *kernel;
    char *unfit; /* filled in: why this compiler cannot build the cell, malloc'ed; or NULL */
    /* Filled in: an earlier build of the same cell by another compiler that gave the same machine code; or
     * NULL. */
    const struct build *twin;
};

/* What became of opening a device. */
enum opening {
    OPENING_DONE,
    OPENING_FAILED,
    OPENING_NO_DEVICE, /* the machine has no device of this kind, so another backend may be tried */
};

/* How long to run: until one of these is reached. 0: no limit. */
struct run_budget {
    uint64_t runs;
    double seconds;
};

/* Which threads execute a fence at the same time when its cost is measured. */
enum crowd {
    CROWD_THREAD, /* one thread of the device */
    CROWD_WARP,   /* the threads of a warp */
    CROWD_BLOCK,  /* several warps of a block */
    CROWD_DEVICE, /* such a block on each multiprocessor */
};

/* The cost of a fence. */
struct fence_cost {
    struct fence fence; /* without a fence: only what measuring costs */
    enum crowd crowd;
    int writes; /* how many writes each thread has under way when it reaches the fence */
    long long
        /* the median of the cycles that the fence takes; -1: not measured, or the device has no such fence */
        cycles;
};
enum { FENCE_COST_WRITES = 64 }; /* the most that `writes` may be */

/* The result of asking for a listing. */
enum listed {
    LISTED,
    LISTING_UNFIT,       /* the cell has no listing in this form, or not with this choice */
    LISTING_UNAVAILABLE, /* something is missing on this machine */
    LISTING_BROKEN,      /* the generated code was refused by a check */
};

/* The choices of the options of `show`. */
struct listing_choice {
    bool whole;
    bool standalone;
    const struct environment *known; /* standalone: the environments that the program tries first */
    int nknown;
    const char *arch; /* NULL: the newest */
};

/* A form of a cell's code for people to read, such as the text that is compiled. `choice` is the option that
 * chooses what is shown: "whole" (with the harness), "standalone" or "arch". */
struct listing {
    const char *name; /* the NAME of `show --as NAME`, such as "cuda" or "sass" */
    const char *choice;
    enum listed (*put)(const struct test *t, const struct cell *cell, const struct listing_choice *c,
                       FILE *out, struct diag *d);
};

struct backend {
    const char *name;
    /* judges the cells of tests that name no model; NULL: there is no model of this machine */
    const char *model;
    /* drives the device in a process of its own (run/isolated.h); NULL: there is none */
    const struct driver *driver;
    struct run_budget budget;       /* of a cell, if the user gave none */
    int together;                   /* building costs less if at least so many cells are built together */
    const struct listing *listings; /* ends with {0} */
    const struct parameter_range
        *ranges; /* the parameters of an environment; ends with {0}. NULL: environments cannot be chosen */
    /* Returns the one placement that stands for all placements of a test, in the arena. NULL: each placement
     * is run. */
    const struct placement *(*placement)(const struct test *t, struct arena *a);

    /* Returns the number of devices; if it is 0, *why is the reason (static or in the arena). */
    int (*count)(struct arena *a, const char **why);
    /* Opens device number `index`. Unless it returns OPENING_DONE it leaves an error, which is the machine's
     * fault (exit code 4). */
    enum opening (*open)(int index, struct device **out, struct diag *d);
    /* Returns why the cell cannot run here (in the arena), or NULL. `c` is the compiler that would build it,
     * as in struct build. */
    const char *(*cannot)(const struct device *dev, const struct test *t, const struct cell *cell,
                          const struct compiler_choice *c, struct arena *a);
    /* Loads the compiler at `out->path` (NULL: the one that is found), with the assembler given there. Checks
     * that it compiles for the device, or if `dev` is NULL for the architecture `arch`, and fills in its
     * name. Returns false and leaves an error if it does not. NULL: the backend has no choice of
     * compilers. */
    bool (*find_compiler)(const struct device *dev, const char *arch, struct arena *a,
                          struct compiler_choice *out, struct diag *d);
    /* Compiles cells with several compilers and compares the results (run/survey.h). Needs no device. NULL:
     * as above. */
    void (*survey)(struct arena *a, const struct survey_request *r, struct survey *out);
    /* Compiles all ways to write operations (run/mappings.h). Needs no device. NULL where `survey` is. */
    void (*mappings)(struct arena *a, const struct mappings_request *r, struct mappings *out);
    /* Generates n cells and compiles them, or takes them from the cache, on all cores. */
    void (*build)(struct device *dev, struct build *cells, int n);
    bool (*run)(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);
    void (*discard)(struct kernel *k);
    /* Measures what fences cost and fills in `cycles`. `stop` may be NULL. NULL: the backend cannot. */
    bool (*fence_costs)(struct device *dev, struct fence_cost *costs, int n, const atomic_int *stop,
                        struct diag *d);
    void (*close)(struct device *dev);
};

#define BACKEND(name, machine) extern const struct backend backend_##name;
#include "run/backends.def"
#undef BACKEND

#endif
