/* A backend whose device is driven by a process of its own. So a fault (an illegal address, a crash of the
 * driver, a kernel that never ends, a lost device) costs only the cell in which it happens.
 *
 * That process is this program, started again when the device is opened. It does everything that needs the
 * driver; the first process never touches the driver. Compiling stays in the first process, on any thread. If
 * the process dies, says that its device is no longer usable, or is silent for too long (it is then killed),
 * a new process runs the next cell. After losses in too many tests in a row the device is given up. The
 * process ends with the thread that opened the device, however that ends. */
#ifndef CULITMUS_ISOLATED_H
#define CULITMUS_ISOLATED_H

#include "run/backend.h"

/* The machine code that a driver's compiler makes of a cell. It goes into the cache (compile/cache.h) once a
 * device has loaded it. Cached code that no longer loads is dropped and compiled again. */
struct machine_code {
    void *bytes; /* malloc'ed; NULL: the cell does not compile, and the reason is in its `d` */
    size_t size;
    char *key; /* the key in the cache, malloc'ed; NULL: the code must not be cached */
    size_t key_len;
    bool kept; /* the code came from the cache */
    /* why the compiler cannot build the cell, malloc'ed; NULL: it can, or the reason is in `d` */
    char *unfit;
};
void machine_code_free(struct machine_code *code);

/* The functions that drive a device. They work like those of struct backend, with the differences given here.
 * Devices and kernels are the driver's own structs. `cannot`, `compile`, `same_code`, `compile_costs` and
 * `serve_compiler` are called in the first process or in a compiler's; all others are called in the device's
 * process, by one thread. */
struct driver {
    const char *name; /* the backend's name; it tells the new process which driver to serve */
    /* Returns the number of devices; if it is 0, *why is the reason (static or in the arena). Called
     * first. */
    int (*count)(struct arena *a, const char **why);
    bool (*open)(int index, struct device **out, struct diag *d);
    const char *(*target)(const struct device *dev); /* what `compile` needs to know of the device */
    /* What `cannot` needs to know of the device, as plain bytes. */
    const void *(*traits)(const struct device *dev);
    size_t traits_size;
    /* Called in the first process. Thread-safe. */
    const char *(*cannot)(const void *traits, const struct test *t, const struct cell *cell,
                          const struct compiler_choice *c, struct arena *a);
    /* Fills in `codes`, which are zeroed, from the cache or by compiling on all cores. Called in the first
     * process. Thread-safe. */
    void (*compile)(const char *target, const struct build *cells, int n, struct machine_code *codes);
    /* Whether two pieces of machine code have the same instructions. */
    bool (*same_code)(const struct machine_code *x, const struct machine_code *y);
    /* Called at the start of every process: returns whether it was started to compile. If so, it has compiled
     * until it was told to end. NULL: no process is started to compile. */
    bool (*serve_compiler)(int argc, char **argv);
    bool (*load)(struct device *dev, const struct test *t, const struct cell *cell, const void *code,
                 struct kernel **out, struct diag *d);
    /* The request always has a `stop` here. */
    bool (*run)(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);
    /* `compile_costs` makes the code that measures fences, in the first process; `fence_costs` measures, as
     * in struct backend. NULL: the driver has neither. */
    bool (*compile_costs)(const char *target, const struct fence_cost *costs, int n, const atomic_int *stop,
                          struct machine_code *code, struct diag *d);
    bool (*fence_costs)(struct device *dev, const void *code, struct fence_cost *costs, int n,
                        const atomic_int *stop, struct diag *d);
    bool (*usable)(struct device *dev); /* called after a failure: may the next cell run on this device? */
    void (*discard)(struct kernel *k);
    void (*close)(struct device *dev);
    const struct parameter_range *ranges;
    /* After so many seconds of silence the process is killed; sooner if it was asked to stop. */
    double patience;
};

enum { ISOLATED_MAX_LOSSES = 8 }; /* the device is given up after losses in so many tests in a row */
enum { ISOLATED_GRACE = 5 };      /* seconds that the process has to stop, and then to end */

/* Every program that opens such a device calls this first in main. Returns true if this process was started
 * to drive a device of the driver, or to compile for it: it has done so until it was told to end, and main
 * returns 0. */
bool isolated_serve(const struct driver *e, int argc, char **argv);

/* The functions for a struct backend of this kind; its `count` and `open` pass its driver. The thread that
 * opens the device also runs kernels, and outlives the device. */
int isolated_count(const struct driver *e, struct arena *a, const char **why);
enum opening isolated_open(const struct driver *e, int index, struct device **out, struct diag *d);
const char *isolated_cannot(const struct device *dev, const struct test *t, const struct cell *cell,
                            const struct compiler_choice *c, struct arena *a);
/* Returns what the driver's `target` said of the device. */
const char *isolated_target(const struct device *dev);
void isolated_build(struct device *dev, struct build *cells, int n);
bool isolated_run(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);
void isolated_discard(struct kernel *k);
bool isolated_fence_costs(struct device *dev, struct fence_cost *costs, int n, const atomic_int *stop,
                          struct diag *d);
void isolated_close(struct device *dev);

#endif
