/* A backend whose device is driven by a process of its own. So a fault (an illegal address, a crash of the driver, a
 * kernel that never ends, a device that is lost) costs only the cell in which it happens.
 *
 * The process is this program, started again when the device is opened. It does everything that needs the driver, which
 * the first process never touches. Compiling stays in the first process, on any thread. When the process dies, says
 * that its device cannot be used any more, or is silent for too long (it is then killed), a new one runs the next cell.
 * After losses in too many tests in a row the device is given up. The process ends with the thread that opened the
 * device, however that ends. */
#ifndef CULITMUS_ISOLATED_H
#define CULITMUS_ISOLATED_H

#include "run/backend.h"

/* What a driver's compiler makes of a cell. Code is kept in the cache (compile/cache.h) once a device has loaded it; what is
 * kept and does not load any more is dropped, and compiled again. */
struct machine_code {
    void *bytes; /* malloc'ed; NULL: it does not compile, for the reason in the cell's `d` */
    size_t size;
    char *key; /* under which it is kept, malloc'ed; NULL: it is not to be kept */
    size_t key_len;
    bool kept;   /* it is there already */
    char *unfit; /* why the compiler cannot make it, malloc'ed; NULL: it can, or `d` says why not */
};
void machine_code_free(struct machine_code *code);

/* The functions that drive the device. They are those of struct backend, but for what is said here. The devices and
 * kernels are the driver's own. All functions but `cannot`, `compile` and `serve_compiler` are called in the device's
 * process, by one thread. */
struct driver {
    const char *name; /* the backend's; the process is told by it whom it serves */
    /* How many devices there are; when none, a reason in `why` (static or in the arena). Called first. */
    int (*count)(struct arena *a, const char **why);
    bool (*open)(int index, struct device **out, struct diag *d);
    const char *(*target)(const struct device *dev); /* what `compile` has to know of the device */
    /* What `cannot` has to know of the device: plain bytes. */
    const void *(*traits)(const struct device *dev);
    size_t traits_size;
    /* In the first process; thread-safe. */
    const char *(*cannot)(const void *traits, const struct test *t, const struct cell *cell,
                          const struct compiler_choice *c, struct arena *a);
    /* Fills in `codes`, each zeroed, from the cache or by compiling. In this process, on all its cores; thread-safe. */
    void (*compile)(const char *target, const struct build *cells, int n, struct machine_code *codes);
    /* Whether two pieces of machine code are the same instructions. */
    bool (*same_code)(const struct machine_code *x, const struct machine_code *y);
    /* In a process that may have been started to compile: whether it was. It has done so until it was told to end. NULL:
     * there are none. */
    bool (*serve_compiler)(int argc, char **argv);
    bool (*load)(struct device *dev, const struct test *t, const struct cell *cell, const void *code,
                 struct kernel **out, struct diag *d);
    /* Here the request always has a `stop`. */
    bool (*run)(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);
    /* As of struct backend: what it takes to measure, in this process, and the measuring. NULL: neither. */
    bool (*compile_costs)(const char *target, const struct fence_cost *costs, int n, const atomic_int *stop,
                          struct machine_code *code, struct diag *d);
    bool (*fence_costs)(struct device *dev, const void *code, struct fence_cost *costs, int n,
                        const atomic_int *stop, struct diag *d);
    bool (*usable)(struct device *dev); /* asked after a failure: may the next cell run on it? */
    void (*discard)(struct kernel *k);
    void (*close)(struct device *dev);
    const struct parameter_range *ranges;
    /* The process is killed after so many seconds of silence; sooner once it was asked to stop. */
    double patience;
};

enum { ISOLATED_MAX_LOSSES = 8 }; /* tests in a row */
enum { ISOLATED_GRACE = 5 };      /* seconds to stop, and to end */

/* Every program that opens such a device calls this first, in main. True: this process drives a device of that driver, or
 * compiles for it. It has done so until it was told to end, and main returns 0. */
bool isolated_serve(const struct driver *e, int argc, char **argv);

/* The functions of such a struct backend; its `count` and `open` call these with its driver. One thread opens the
 * device and runs kernels, and it outlives the device. */
int isolated_count(const struct driver *e, struct arena *a, const char **why);
enum opening isolated_open(const struct driver *e, int index, struct device **out, struct diag *d);
const char *isolated_cannot(const struct device *dev, const struct test *t, const struct cell *cell,
                            const struct compiler_choice *c, struct arena *a);
/* What the driver's `target` said of it. */
const char *isolated_target(const struct device *dev);
void isolated_build(struct device *dev, struct build *cells, int n);
bool isolated_run(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);
void isolated_discard(struct kernel *k);
bool isolated_fence_costs(struct device *dev, struct fence_cost *costs, int n, const atomic_int *stop,
                          struct diag *d);
void isolated_close(struct device *dev);

#endif
