/* A backend whose device is driven by a process of its own, so that a fault (an illegal address, a crash of
 * the driver, a kernel that never ends, a device that is lost) costs the cell that it happened in and no
 * other.
 *
 * The process is this program, started again when the device is opened; it does everything that concerns the driver,
 * which this process never touches. Compiling stays here, on any thread. A process that dies, that says that its
 * device cannot be used any more, or that is silent for too long (and is then killed) is replaced when the next cell
 * runs; after losses in too many tests in a row the device is given up. It ends with the thread that opened the device,
 * however that ends.
 */
#ifndef CULITMUS_ISOLATED_H
#define CULITMUS_ISOLATED_H

#include "run/backend.h"

/* What a driver's compiler makes of a cell. */
struct machine_code {
    void *bytes; /* malloc'ed; NULL: it does not compile, for the reason in the cell's `d` */
    size_t size;
};

/* What drives the device. As in struct backend, but for what is said here; the devices and kernels are its
 * own, and all but `compile` is called in the other process, by one thread. */
struct driver {
    const char *name; /* the backend's: tells the process whom it serves */
    /* How many devices there are; when none, a reason in `why` (static or in the arena). Called first. */
    int (*count)(struct arena *a, const char **why);
    bool (*open)(int index, struct device **out, struct diag *d);
    const char *(*target)(const struct device *dev); /* what `compile` has to know of the device */
    const char *(*cannot)(const struct device *dev, const struct test *t, const struct cell *v,
                          struct arena *a);
    /* Fills in `codes`, each zeroed. In this process; thread-safe. */
    void (*compile)(const char *target, const struct build *cells, int n, struct machine_code *codes);
    bool (*load)(struct device *dev, const struct test *t, const struct cell *v, const void *code,
                 struct kernel **out, struct diag *d);
    /* Here the request always has a `stop`. */
    bool (*run)(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);
    bool (*usable)(struct device *dev); /* asked after a failure: may the next cell run on it? */
    void (*discard)(struct kernel *k);
    void (*close)(struct device *dev);
    const struct parameter_range *ranges;
    double
        patience; /* seconds of silence after which the process is killed; fewer once it was asked to stop */
};

enum { ISOLATED_MAX_LOSSES = 8 }; /* tests in a row */
enum { ISOLATED_GRACE = 5 };      /* seconds to stop, and to end */

/* Each program that opens such a device calls this first of all, in main. True: this is the process of a device of that
 * driver, it has served, and main is to return 0. */
bool isolated_serve(const struct driver *e, int argc, char **argv);

/* The functions of a struct backend whose `count` and `open` call these with its driver. The device is to be opened,
 * and kernels are to be run, by one thread, which outlives the device. */
int isolated_count(const struct driver *e, struct arena *a, const char **why);
enum opening isolated_open(const struct driver *e, int index, struct device **out, struct diag *d);
const char *isolated_cannot(const struct device *dev, const struct test *t, const struct cell *v,
                            struct arena *a);
void isolated_build(struct device *dev, struct build *cells, int n);
bool isolated_run(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);
void isolated_discard(struct kernel *k);
void isolated_close(struct device *dev);

#endif
