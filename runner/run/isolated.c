#include "run/isolated_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "compile/cache.h"
#include "run/worker.h"

struct isolated_kernel {
    struct isolated_device *dev;
    const struct test *t;
    const struct cell *cell;
    const struct compiler_choice *compiler;
    char *name;               /* the cell's name for messages */
    struct machine_code code; /* without the bytes, which are the end of `request` */
    /* the message MESSAGE_RUN up to the code; the run request is appended when it is sent */
    struct wire request;
};

void machine_code_free(struct machine_code *code) {
    free(code->bytes);
    free(code->key);
    free(code->unfit);
    *code = (struct machine_code){0};
}

/* Frees a kernel. If it was sent ahead it may be running already, so the process is ended. */
void isolated_discard(struct kernel *opaque) {
    struct isolated_kernel *k = (struct isolated_kernel *)opaque;
    if (k->dev->ahead == k) isolated_end_process(k->dev, true);
    wire_free(&k->request);
    machine_code_free(&k->code);
    free(k->name);
    free(k);
}

/* Returns a name such as "MP (device, volatile, none)". */
static char *name_cell(const struct test *t, const struct cell *cell) {
    struct text name = {0};
    text_printf(&name, "%s (%s, %s, %s)", t->name, cell->placement->name, access_name(cell->access),
                cell->fence->name);
    return name.s;
}

/* Puts the code into the kernel's message, and frees it except the key, which the kernel keeps. */
static void set_code(struct isolated_kernel *k, struct machine_code *code) {
    wire_clear(&k->request);
    wire_put_int(&k->request, MESSAGE_RUN);
    worker_put_cell(&k->request, k->t, k->cell);
    wire_put_int(&k->request, (long long)code->size);
    wire_put(&k->request, code->bytes, code->size);
    free(code->bytes);
    code->bytes = NULL;
    machine_code_free(&k->code);
    k->code = *code;
}

static struct kernel *new_kernel(struct isolated_device *dev, const struct build *b,
                                 struct machine_code *code) {
    struct isolated_kernel *k = memory_new(1, sizeof *k);
    *k = (struct isolated_kernel){
        .dev = dev, .t = b->t, .cell = b->cell, .compiler = b->compiler, .name = name_cell(b->t, b->cell)};
    set_code(k, code);
    return (struct kernel *)k;
}

struct isolated_building {
    struct isolated_device *dev;
    struct build *cells;
    struct machine_code *codes;
};

static void make_kernels(void *ctx, int first, int n) {
    const struct isolated_building *b = ctx;
    for (int k = first; k < first + n; k++) {
        struct build *c = &b->cells[k];
        if (c->twin) machine_code_free(&b->codes[k]);
        c->unfit = b->codes[k].unfit;
        b->codes[k].unfit = NULL;
        c->kernel = b->codes[k].bytes ? new_kernel(b->dev, c, &b->codes[k]) : NULL;
    }
}

const char *isolated_target(const struct device *dev) {
    return ((const struct isolated_device *)dev)->target;
}

/* Finds builds of one cell by several compilers that gave the same machine code. */
static void find_twins(struct isolated_building *b, int n) {
    for (int k = 1; k < n; k++) {
        struct build *c = &b->cells[k];
        for (int i = k - 1; i >= 0 && b->cells[i].cell == c->cell && b->cells[i].t == c->t && !c->twin; i--)
            if (!b->cells[i].twin && b->codes[i].bytes && b->codes[k].bytes &&
                b->dev->driver->same_code(&b->codes[i], &b->codes[k]))
                c->twin = &b->cells[i];
    }
}

void isolated_build(struct device *base, struct build *cells, int n) {
    struct isolated_device *dev = (struct isolated_device *)base;
    struct isolated_building b = {dev, cells, memory_new((size_t)n, sizeof *b.codes)};
    dev->driver->compile(dev->target, cells, n, b.codes);
    find_twins(&b, n);
    pool_each(n, 8, make_kernels, &b);
    free(b.codes);
}

/* Puts the code into the cache, after a device has loaded it. */
static void keep_code(struct isolated_kernel *k, struct diag *d) {
    struct machine_code *code = &k->code;
    const char *bytes = k->request.data + k->request.len - code->size;
    if (code->key && !code->kept) cache_put(code->key, code->key_len, bytes, code->size, d);
    code->kept = true;
}

/* Drops cached code that does not load any more, and compiles the cell again. */
static bool renew_code(struct isolated_kernel *k, const atomic_int *stop, struct diag *d) {
    struct machine_code code = {0};
    const struct build build = {.t = k->t, .cell = k->cell, .compiler = k->compiler, .stop = stop, .d = d};
    cache_drop(k->code.key, k->code.key_len);
    k->dev->driver->compile(k->dev->target, &build, 1, &code);
    if (!code.bytes) {
        machine_code_free(&code);
        return false;
    }
    code.kept = false; /* if it does not load either, that is reported */
    set_code(k, &code);
    return true;
}

static void pass_on(struct isolated_device *dev, enum message_kind kind, struct wire *in,
                    const struct run_request *req) {
    if (kind == MESSAGE_PROGRESS && req->progress) {
        uint64_t runs = (uint64_t)wire_get_int(in);
        double seconds;
        wire_get(in, &seconds, sizeof seconds);
        req->progress(req->ctx, runs, seconds);
    }
    if (kind == MESSAGE_TRIED && req->tried) {
        struct parameter environment[ENV_MAX];
        struct trial trial;
        worker_get_trial(in, dev->driver->ranges, environment, &trial);
        req->tried(req->ctx, &trial);
    }
}

/* The outcome of one attempt to run a kernel. */
struct isolated_attempt {
    bool usable;  /* the process and its device can go on */
    bool fine;    /* the kernel ran to its end */
    bool refused; /* its code came from the cache and did not load: nothing is reported yet */
    bool lost;    /* the process was lost without a word */
};

static void hear_done(struct isolated_kernel *k, struct wire *in, struct isolated_attempt *out,
                      struct run_result *res, struct diag *d) {
    struct diag ignored = {0};
    out->fine = wire_get_int(in) != 0;
    out->usable = wire_get_int(in) != 0;
    bool loaded = wire_get_int(in) != 0;
    out->refused = out->usable && !loaded && k->code.kept;
    wire_get_diag(in, out->refused ? &ignored : d);
    diag_free(&ignored);
    if (!out->fine && !out->refused) diag_note(d, NULL, (struct pos){0}, "in %s", k->name);
    worker_get_result(in, k->dev->driver->ranges, res);
    if (loaded) keep_code(k, d);
}

/* Reads messages until the kernel is done or the process is lost. */
static struct isolated_attempt follow(struct isolated_kernel *k, const struct run_request *req,
                                      struct run_result *res, struct diag *d) {
    struct isolated_attempt attempt = {.usable = true};
    struct wire in = {0};
    enum message_kind kind = MESSAGE_PROGRESS;
    while (attempt.usable && kind != MESSAGE_DONE) {
        attempt.usable = isolated_await(k->dev, req->stop, k->name, &in, d);
        kind = (enum message_kind)wire_get_int(&in);
        if (attempt.usable) pass_on(k->dev, kind, &in, req);
    }
    attempt.lost = !attempt.usable;
    if (attempt.usable) hear_done(k, &in, &attempt, res, d);
    wire_free(&in);
    return attempt;
}

/* Makes sure that there is a process that can run `what`. Returns false and leaves an error when there can be
 * none. */
static bool prepare_process(struct isolated_device *dev, const char *what, const atomic_int *stop,
                            struct diag *d) {
    if (!dev->given_up && dev->losses >= ISOLATED_MAX_LOSSES) {
        diag_fail(d, "%s was lost in %d tests in a row: it is given up", dev->base.description, dev->losses);
        dev->given_up = true;
        return false;
    }
    if (dev->given_up) {
        diag_fail(d, "%s: the device was given up", what);
        return false;
    }
    if (dev->pid == 0) dev->given_up = isolated_start(dev, stop, d) != OPENING_DONE;
    return !dev->given_up;
}

static void send_request(struct isolated_kernel *k, const struct run_request *req) {
    struct isolated_device *dev = k->dev;
    size_t len = k->request.len;
    if (dev->ahead == k) {
        wire_push_all(dev->fd, &dev->sending);
    } else {
        worker_put_request(&k->request, req);
        wire_send(dev->fd, &k->request);
        k->request.len = len;
    }
}

/* Prepares the next kernel's message, which is sent while this one runs, so that the device need not wait for
 * it. */
static void send_ahead(struct isolated_device *dev, const struct run_request *req) {
    struct isolated_kernel *k = (struct isolated_kernel *)req->then;
    dev->ahead = k;
    if (!k) return;
    size_t len = k->request.len;
    worker_put_request(&k->request, req->then_request);
    wire_clear(&dev->sending);
    wire_put_message(&dev->sending, &k->request);
    k->request.len = len;
}

static struct isolated_attempt try_to_run(struct isolated_kernel *k, const struct run_request *req,
                                          struct run_result *res, struct diag *d) {
    struct isolated_device *dev = k->dev;
    /* the process would run another kernel next */
    if (dev->ahead && dev->ahead != k) isolated_end_process(dev, true);
    if (!prepare_process(dev, k->name, req->stop, d)) return (struct isolated_attempt){0};
    *dev->stop = req->stop && *req->stop;
    send_request(k, req);
    send_ahead(dev, req);
    struct isolated_attempt attempt = follow(k, req, res, d);
    if (attempt.usable) {
        dev->losses = 0;
        dev->lost = NULL;
    } else {
        if (!dev->lost || strcmp(dev->lost, k->t->name) != 0) dev->losses++;
        dev->lost = arena_strdup(dev->arena, k->t->name);
        isolated_end_process(dev, true);
    }
    return attempt;
}

/* Runs a kernel. If its process is lost, runs it again alone: the process loads the next kernel meanwhile,
 * and may have been lost over that. */
static struct isolated_attempt run_kernel(struct isolated_kernel *k, const struct run_request *req,
                                          struct run_result *res, struct diag *d) {
    struct run_request alone = *req;
    struct diag said = {0};
    struct isolated_attempt attempt = try_to_run(k, req, res, &said);
    alone.then = NULL;
    if (attempt.lost && req->then && !(req->stop && *req->stop)) {
        diag_free(&said);
        said = (struct diag){0};
        attempt = try_to_run(k, &alone, res, &said);
    }
    diag_join(d, &said);
    return attempt;
}

bool isolated_run(struct kernel *opaque, const struct run_request *req, struct run_result *res,
                  struct diag *d) {
    struct isolated_kernel *k = (struct isolated_kernel *)opaque;
    struct isolated_attempt attempt = run_kernel(k, req, res, d);
    if (attempt.refused && renew_code(k, req->stop, d)) attempt = run_kernel(k, req, res, d);
    return attempt.fine;
}

/* ---- the cost of fences ---- */

/* Reads the measured costs. Returns false if the process is lost or says that its device is. */
static bool hear_costs(struct isolated_device *dev, struct fence_cost *costs, int n, const atomic_int *stop,
                       bool *fine, struct diag *d) {
    struct wire in = {0};
    bool usable = isolated_await(dev, stop, "the cost of fences", &in, d);
    if (usable) {
        wire_get_int(&in);
        *fine = wire_get_int(&in) != 0;
        usable = wire_get_int(&in) != 0;
        wire_get_int(&in);
        wire_get_diag(&in, d);
        wire_get(&in, costs, (size_t)n * sizeof *costs);
    }
    wire_free(&in);
    return usable;
}

bool isolated_fence_costs(struct device *base, struct fence_cost *costs, int n, const atomic_int *stop,
                          struct diag *d) {
    struct isolated_device *dev = (struct isolated_device *)base;
    struct machine_code code = {0};
    struct wire w = {0};
    bool fine = false;
    for (int k = 0; k < n; k++)
        costs[k].cycles = -1;
    if (!dev->driver->compile_costs(dev->target, costs, n, stop, &code, d) ||
        !prepare_process(dev, "the cost of fences", stop, d)) {
        machine_code_free(&code);
        return false;
    }
    *dev->stop = stop && *stop;
    wire_put_int(&w, MESSAGE_COSTS);
    wire_put_int(&w, n);
    wire_put(&w, costs, (size_t)n * sizeof *costs);
    wire_put(&w, code.bytes, code.size);
    wire_send(dev->fd, &w);
    if (!hear_costs(dev, costs, n, stop, &fine, d)) isolated_end_process(dev, true);
    wire_free(&w);
    machine_code_free(&code);
    return fine;
}
