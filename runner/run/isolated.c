#include "run/isolated.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "run/cache.h"
#include "run/process.h"
#include "run/worker.h"

/* The device and the kernel as this process knows them. The driver's are in the other process, behind the socket. */
struct isolated_device {
    struct device base;
    const struct driver *driver;
    int index;
    pid_t pid; /* of the process that drives the device; 0: there is none */
    int fd;
    int shared; /* a file that holds `stop` */
    atomic_int *stop;
    struct arena *arena;
    const char *target;
    void *traits;
    struct isolated_kernel *ahead; /* was sent before it is run; NULL: none */
    struct wire sending;           /* what of that is still to be sent */
    int losses;                    /* how many tests in a row lost their process */
    const char *lost;              /* the last of them */
    bool given_up;
};

struct isolated_kernel {
    struct isolated_device *dev;
    const struct test *t;
    const struct cell *v;
    char *name;               /* the cell's, for messages */
    struct machine_code code; /* without the bytes: they end `cell` */
    struct wire cell;         /* the begin of a request to run it */
};

/* ---- the process ---- */

static struct process_kind kind_of(const struct driver *e) {
    return (struct process_kind){"device-process", e->name, .ends_with_thread = true};
}

/* Waits for the process to end. Kills it when it should be killed, or does not end. Returns its status, or -1 when that
 * is unknown. The process of a device that hangs may not even die: it is left alone, and the device is given up. */
static int end_process(struct isolated_device *dev, bool kill_it) {
    int status = -1;
    if (dev->pid == 0) return status;
    close(dev->fd);
    if (kill_it) kill(dev->pid, SIGKILL);
    bool ended = process_reap(dev->pid, ISOLATED_GRACE, &status);
    if (!ended) kill(dev->pid, SIGKILL);
    ended = ended || process_reap(dev->pid, ISOLATED_GRACE, &status);
    dev->given_up = dev->given_up || !ended;
    dev->pid = 0;
    dev->ahead = NULL;
    wire_clear(&dev->sending);
    return status;
}

/* Reports how the process ended while it did what it was asked for. */
static void report_death(struct isolated_device *dev, const char *during, struct diag *d) {
    int status = end_process(dev, false);
    if (status == -1)
        diag_fail(d, "%s: the process that drives the device was lost", during);
    else if (WIFSIGNALED(status))
        diag_fail(d, "%s: the process that drives the device was ended by signal %d (%s)", during,
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        diag_fail(d, "%s: the process that drives the device ended with exit code %d", during,
                  WEXITSTATUS(status));
}

/* When to give up waiting: sooner if the process was asked to stop. */
static double give_up_at(double deadline) {
    double soon = clock_now() + ISOLATED_GRACE;
    return soon < deadline ? soon : deadline;
}

/* Reports that the process was killed because it was silent. */
static void report_silence(const struct isolated_device *dev, const char *during, bool asked,
                           struct diag *d) {
    if (asked)
        diag_fail(d, "%s: the device did not stop when it was asked to: its process was ended", during);
    else
        diag_fail(d, "%s: nothing came back from the device for %g s: its process was ended", during,
                  dev->driver->patience);
}

/* Reads the next message into `in`. Meanwhile sends what is sent ahead, passes on a wish to stop, and kills the process
 * when it is silent for too long. False and an error when there will be no message. */
static bool await(struct isolated_device *dev, const atomic_int *stop, const char *during, struct wire *in,
                  struct diag *d) {
    double deadline = clock_now() + dev->driver->patience;
    bool asked = false;
    for (;;) {
        bool sending = wire_push(dev->fd, &dev->sending);
        struct pollfd p = {.fd = dev->fd, .events = (short)(sending ? POLLIN | POLLOUT : POLLIN)};
        if (stop && *stop && !asked) {
            asked = true;
            *dev->stop = 1;
            deadline = give_up_at(deadline);
        }
        bool heard = poll(&p, 1, 50) > 0 && (p.revents & ~POLLOUT);
        if (heard && wire_receive(dev->fd, in)) return true;
        if (heard) {
            report_death(dev, during, d);
            return false;
        }
        if (clock_now() < deadline) continue;
        end_process(dev, true);
        report_silence(dev, during, asked, d);
        return false;
    }
}

static void keep_description(struct isolated_device *dev, struct wire *in) {
    const char *text, **properties = NULL;
    size_t n = 0;
    dev->base.description = wire_get_text(in, dev->arena);
    dev->target = wire_get_text(in, dev->arena);
    dev->traits = arena_alloc(dev->arena, dev->driver->traits_size);
    wire_get(in, dev->traits, dev->driver->traits_size);
    do {
        text = wire_get_text(in, dev->arena);
        properties = arena_grow(dev->arena, properties, n, n + 1, sizeof *properties);
        properties[n++] = text;
    } while (text);
    dev->base.properties = properties;
}

/* Reads what the process says of opening the device. Its warnings are reported only the first time. */
static bool hear_opened(struct isolated_device *dev, struct wire *in, struct diag *d) {
    struct diag said = {0};
    wire_get_int(in);
    bool fine = wire_get_int(in) != 0, again = dev->base.description != NULL;
    wire_get_diag(in, fine && again ? &said : d);
    diag_free(&said);
    if (fine && !again) keep_description(dev, in);
    if (!fine) end_process(dev, false);
    return fine;
}

/* Bounds the time that a message may take from its first byte to its last. */
static void bound_messages(const struct isolated_device *dev) {
    struct timeval most = {.tv_sec = (time_t)dev->driver->patience};
    setsockopt(dev->fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    setsockopt(dev->fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
}

/* Starts the process, which says how many devices there are. Returns that number; 0 and an error when there are none,
 * -1 when there is no process. */
static int start_process(struct isolated_device *dev, const atomic_int *stop, struct diag *d) {
    struct wire in = {0};
    char during[32];
    int n = 0;
    const struct process_kind kind = kind_of(dev->driver);
    if (!process_start(&kind, dev->shared, &dev->pid, &dev->fd)) {
        diag_fail(d, "cannot start a process for the device: %s", strerror(errno));
        dev->pid = 0;
        return -1;
    }
    bound_messages(dev);
    snprintf(during, sizeof during, "the %s driver", dev->driver->name);
    if (await(dev, stop, during, &in, d)) {
        wire_get_int(&in);
        n = (int)wire_get_int(&in);
        const char *why = wire_get_text(&in, dev->arena);
        if (n <= 0) diag_fail(d, "%s", why);
    }
    wire_free(&in);
    return n;
}

/* Starts the process, and has it open the device. */
static enum opening start_device(struct isolated_device *dev, const atomic_int *stop, struct diag *d) {
    struct wire w = {0};
    char during[32];
    int n = start_process(dev, stop, d);
    if (n <= 0) return n < 0 ? OPENING_FAILED : OPENING_NO_DEVICE;
    snprintf(during, sizeof during, "device %d", dev->index);
    wire_put_int(&w, MESSAGE_OPEN);
    wire_put_int(&w, dev->index);
    wire_send(dev->fd, &w);
    bool fine = await(dev, stop, during, &w, d) && hear_opened(dev, &w, d);
    wire_free(&w);
    return fine ? OPENING_DONE : OPENING_FAILED;
}

static atomic_int *map_stop(int shared) {
    void *at = mmap(NULL, sizeof(atomic_int), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    return at == MAP_FAILED ? NULL : at;
}

bool isolated_serve(const struct driver *e, int argc, char **argv) {
    int fd, shared;
    const struct process_kind kind = kind_of(e);
    if (e->serve_compiler && e->serve_compiler(argc, argv)) return true;
    if (!process_serves(argc, argv, &kind, &fd, &shared)) return false;
    const atomic_int *stop = map_stop(shared);
    close(shared);
    if (stop) worker_serve(e, fd, stop);
    return true;
}

/* ---- the device ---- */

void isolated_close(struct device *base) {
    struct isolated_device *dev = (struct isolated_device *)base;
    end_process(dev, false);
    wire_free(&dev->sending);
    if (dev->stop) munmap((void *)dev->stop, sizeof *dev->stop);
    if (dev->shared >= 0) close(dev->shared);
    arena_close(dev->arena);
    free(dev);
}

/* A device that has no process yet. NULL and an error when there cannot be one. */
static struct isolated_device *new_device(const struct driver *e, int index, struct diag *d) {
    struct isolated_device *dev = memory_new(1, sizeof *dev);
    *dev = (struct isolated_device){.driver = e, .index = index, .arena = arena_open()};
    dev->shared = memfd_create("culitmus-stop", MFD_CLOEXEC);
    if (dev->shared >= 0 && ftruncate(dev->shared, sizeof *dev->stop) == 0) dev->stop = map_stop(dev->shared);
    if (dev->stop) return dev;
    diag_fail(d, "cannot share memory with a process for the device: %s", strerror(errno));
    isolated_close(&dev->base);
    return NULL;
}

int isolated_count(const struct driver *e, struct arena *a, const char **why) {
    struct diag d = {0};
    struct isolated_device *dev = new_device(e, 0, &d);
    int n = dev ? start_process(dev, NULL, &d) : 0;
    if (n <= 0) *why = arena_strdup(a, diag_first_error(&d));
    if (dev) isolated_close(&dev->base);
    diag_free(&d);
    return n < 0 ? 0 : n;
}

enum opening isolated_open(const struct driver *e, int index, struct device **out, struct diag *d) {
    struct isolated_device *dev = new_device(e, index, d);
    enum opening opening = dev ? start_device(dev, NULL, d) : OPENING_FAILED;
    if (opening == OPENING_DONE)
        *out = &dev->base;
    else if (dev)
        isolated_close(&dev->base);
    return opening;
}

const char *isolated_cannot(const struct device *base, const struct test *t, const struct cell *v,
                            struct arena *a) {
    const struct isolated_device *dev = (const struct isolated_device *)base;
    return dev->driver->cannot(dev->traits, t, v, a);
}

/* ---- a kernel ---- */

void machine_code_free(struct machine_code *code) {
    free(code->bytes);
    free(code->key);
    *code = (struct machine_code){0};
}

/* One that was sent ahead and is not wanted any more may run already: its process is ended. */
void isolated_discard(struct kernel *opaque) {
    struct isolated_kernel *k = (struct isolated_kernel *)opaque;
    if (k->dev->ahead == k) end_process(k->dev, true);
    wire_free(&k->cell);
    machine_code_free(&k->code);
    free(k->name);
    free(k);
}

/* "MP (device, volatile, none)" */
static char *name_cell(const struct test *t, const struct cell *v) {
    struct text name = {0};
    text_printf(&name, "%s (%s, %s, %s)", t->name, v->placement->name, access_name(v->access),
                v->fence->name);
    return name.s;
}

/* Gives the kernel its code, of which it takes the key. */
static void set_code(struct isolated_kernel *k, struct machine_code *code) {
    wire_clear(&k->cell);
    wire_put_int(&k->cell, MESSAGE_RUN);
    worker_put_cell(&k->cell, k->t, k->v);
    wire_put_int(&k->cell, (long long)code->size);
    wire_put(&k->cell, code->bytes, code->size);
    free(code->bytes);
    code->bytes = NULL;
    machine_code_free(&k->code);
    k->code = *code;
}

static struct kernel *new_kernel(struct isolated_device *dev, const struct test *t, const struct cell *v,
                                 struct machine_code *code) {
    struct isolated_kernel *k = memory_new(1, sizeof *k);
    *k = (struct isolated_kernel){.dev = dev, .t = t, .v = v, .name = name_cell(t, v)};
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
        const struct build *c = &b->cells[k];
        b->cells[k].kernel = b->codes[k].bytes ? new_kernel(b->dev, c->t, c->v, &b->codes[k]) : NULL;
    }
}

void isolated_build(struct device *base, struct build *cells, int n) {
    struct isolated_device *dev = (struct isolated_device *)base;
    struct isolated_building b = {dev, cells, memory_new((size_t)n, sizeof *b.codes)};
    dev->driver->compile(dev->target, cells, n, b.codes);
    pool_each(n, 8, make_kernels, &b);
    free(b.codes);
}

/* Keeps the code, now that a device has loaded it. */
static void keep_code(struct isolated_kernel *k, struct diag *d) {
    struct machine_code *code = &k->code;
    const char *bytes = k->cell.data + k->cell.len - code->size;
    if (code->key && !code->kept) cache_put(code->key, code->key_len, bytes, code->size, d);
    code->kept = true;
}

/* Compiles again what was kept and does not load any more. */
static bool renew_code(struct isolated_kernel *k, const atomic_int *stop, struct diag *d) {
    struct machine_code code = {0};
    const struct build build = {.t = k->t, .v = k->v, .stop = stop, .d = d};
    cache_drop(k->code.key, k->code.key_len);
    k->dev->driver->compile(k->dev->target, &build, 1, &code);
    if (!code.bytes) return false;
    code.kept = false; /* nor is it refused once more without a word */
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

/* What became of running a kernel. */
struct isolated_attempt {
    bool usable;  /* the process is there, and its device */
    bool fine;    /* the kernel ran */
    bool refused; /* its code was kept, and did not load: nothing is reported */
    bool lost;    /* the process was, without a word */
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

/* Reads messages until the cell is done, or the process is lost. */
static struct isolated_attempt follow(struct isolated_kernel *k, const struct run_request *req,
                                      struct run_result *res, struct diag *d) {
    struct isolated_attempt attempt = {.usable = true};
    struct wire in = {0};
    enum message_kind kind = MESSAGE_PROGRESS;
    while (attempt.usable && kind != MESSAGE_DONE) {
        attempt.usable = await(k->dev, req->stop, k->name, &in, d);
        kind = (enum message_kind)wire_get_int(&in);
        if (attempt.usable) pass_on(k->dev, kind, &in, req);
    }
    attempt.lost = !attempt.usable;
    if (attempt.usable) hear_done(k, &in, &attempt, res, d);
    wire_free(&in);
    return attempt;
}

/* Makes sure that there is a process that can do this. False and an error when there cannot be one. */
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
    if (dev->pid == 0) dev->given_up = start_device(dev, stop, d) != OPENING_DONE;
    return !dev->given_up;
}

static void send_request(struct isolated_kernel *k, const struct run_request *req) {
    struct isolated_device *dev = k->dev;
    size_t len = k->cell.len;
    if (dev->ahead == k) {
        wire_push_all(dev->fd, &dev->sending);
    } else {
        worker_put_request(&k->cell, req);
        wire_send(dev->fd, &k->cell);
        k->cell.len = len;
    }
}

/* Has what is run next sent while this one runs, so that the device need not wait for it. */
static void send_ahead(struct isolated_device *dev, const struct run_request *req) {
    struct isolated_kernel *k = (struct isolated_kernel *)req->then;
    dev->ahead = k;
    if (!k) return;
    size_t len = k->cell.len;
    worker_put_request(&k->cell, req->then_request);
    wire_clear(&dev->sending);
    wire_put_message(&dev->sending, &k->cell);
    k->cell.len = len;
}

static struct isolated_attempt try_to_run(struct isolated_kernel *k, const struct run_request *req,
                                          struct run_result *res, struct diag *d) {
    struct isolated_device *dev = k->dev;
    if (dev->ahead && dev->ahead != k) end_process(dev, true); /* it was to run something else */
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
        end_process(dev, true);
    }
    return attempt;
}

/* Runs a kernel, and if its process is lost runs it again alone: it may have been lost over the next cell, which it loads
 * meanwhile. */
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

/* Reads what came of measuring. False when the process is lost, or says that its device is. */
static bool hear_costs(struct isolated_device *dev, struct fence_cost *costs, int n, const atomic_int *stop,
                       bool *fine, struct diag *d) {
    struct wire in = {0};
    bool usable = await(dev, stop, "the cost of fences", &in, d);
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
    if (!hear_costs(dev, costs, n, stop, &fine, d)) end_process(dev, true);
    wire_free(&w);
    machine_code_free(&code);
    return fine;
}
