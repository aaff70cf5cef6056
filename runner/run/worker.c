#include "run/worker.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/environment.h"
#include "source/read.h"

/* ---- messages ---- */

/* Returns how many kernels of a placement have a way of launching. */
static size_t launches(const struct placement *p) {
    return p->launch && p->nkernels > 0 ? (size_t)p->nkernels : 0;
}

void worker_put_cell(struct wire *w, const struct test *t, const struct cell *cell) {
    const struct placement *p = cell->placement;
    wire_put_text(w, t->source.path);
    wire_put_int(w, (long long)t->source.len);
    wire_put(w, t->source.text, t->source.len);
    wire_put_text(w, p->name);
    wire_put(w, p, sizeof *p);
    wire_put(w, p->seats, (size_t)t->nthreads * sizeof *p->seats);
    wire_put(w, p->launch, launches(p) * sizeof *p->launch);
    wire_put_int(w, cell->access);
    wire_put_text(w, cell->fence->name);
    wire_put(w, cell->fence->slot, sizeof cell->fence->slot);
}

/* A test that was received. */
struct sent_test {
    struct arena *arena;
    struct test *test; /* NULL: there is none, or it could not be read */
};

/* The test that was received last, and the one before, of which a cell may still run. Each cell comes with
 * the text of its test, but most cells that follow each other are of one test, which is parsed once. */
struct sent_tests {
    struct sent_test last, before;
};

static bool is_test(const struct test *t, const char *path, const char *text, size_t len) {
    return t && t->source.len == len && memcmp(t->source.text, text, len) == 0 &&
           strcmp(t->source.path, path) == 0;
}

/* Reads a test's text; parses it unless it is the same as the last one. NULL when it cannot be read, or the
 * message is too short. */
static struct test *get_test(struct wire *w, struct sent_tests *tests, struct diag *d) {
    struct arena *a = arena_open();
    const char *path = wire_get_text(w, a);
    size_t len = (size_t)wire_get_int(w);
    const char *text = wire_get_bytes(w, len);
    if (path && text && is_test(tests->last.test, path, text, len)) {
        arena_close(a);
        return tests->last.test;
    }
    if (tests->before.arena) arena_close(tests->before.arena);
    tests->before = tests->last;
    tests->last = (struct sent_test){a, path && text ? test_read_text(a, path, text, len, d) : NULL};
    return tests->last.test;
}

/* Reads a cell. NULL when its test cannot be read, or the message is too short. */
static struct test *get_cell(struct wire *w, struct sent_tests *tests, struct arena *a, struct cell *cell,
                             struct diag *d) {
    struct test *t = get_test(w, tests, d);
    if (!t) return NULL;
    struct placement *p = arena_alloc(a, sizeof *p);
    struct seat *seats = arena_array(a, (size_t)t->nthreads, sizeof *seats);
    struct fence_choice *fence = arena_alloc(a, sizeof *fence);
    const char *name = wire_get_text(w, a);
    wire_get(w, p, sizeof *p);
    wire_get(w, seats, (size_t)t->nthreads * sizeof *seats);
    enum launch *launch = arena_array(a, launches(p), sizeof *launch);
    wire_get(w, launch, launches(p) * sizeof *launch);
    p->name = name;
    p->seats = seats;
    p->launch = launch;
    cell->placement = p;
    cell->access = (enum access)wire_get_int(w);
    cell->fence = fence;
    fence->name = wire_get_text(w, a);
    wire_get(w, fence->slot, sizeof fence->slot);
    return w->bad ? NULL : t;
}

static void put_parameters(struct wire *w, const struct parameter *p, int n) {
    wire_put_int(w, n);
    for (int k = 0; k < n; k++) {
        wire_put_text(w, p[k].name);
        wire_put_int(w, p[k].value);
    }
}

/* Reads parameters. Their names are taken from `ranges`, which are never freed. */
static int get_parameters(struct wire *w, const struct parameter_range *ranges, struct parameter *p) {
    struct arena *a = arena_open();
    long long n = wire_get_int(w);
    int kept = 0;
    for (long long k = 0; k < n && !w->bad; k++) {
        const char *name = wire_get_text(w, a);
        long long value = wire_get_int(w);
        const struct parameter_range *r = name ? range_find(ranges, name) : NULL;
        if (r && kept < ENV_MAX) p[kept++] = (struct parameter){r->name, value};
    }
    arena_close(a);
    return kept;
}

void worker_put_request(struct wire *w, const struct run_request *req) {
    wire_put_int(w, req->tried != NULL);
    wire_put(w, req, sizeof *req);
    for (int k = 0; k < req->nschedule; k++)
        put_parameters(w, req->schedule[k].parameter, req->schedule[k].n);
}

static void get_request(struct wire *w, const struct parameter_range *ranges, struct arena *a, bool *tried,
                        struct run_request *req) {
    *tried = wire_get_int(w) != 0;
    wire_get(w, req, sizeof *req);
    struct environment *schedule = arena_array(a, (size_t)req->nschedule, sizeof *schedule);
    for (int k = 0; k < req->nschedule; k++)
        schedule[k].n = get_parameters(w, ranges, schedule[k].parameter);
    req->schedule = schedule;
    req->then = NULL;
}

static void put_trial(struct wire *w, const struct trial *t) {
    put_parameters(w, t->environment, t->nenvironment);
    wire_put(w, t, sizeof *t);
}

void worker_get_trial(struct wire *w, const struct parameter_range *ranges, struct parameter *environment,
                      struct trial *t) {
    int n = get_parameters(w, ranges, environment);
    wire_get(w, t, sizeof *t);
    t->environment = environment;
    t->nenvironment = n;
}

static void put_result(struct wire *w, const struct run_result *r) {
    put_parameters(w, r->environment, r->nenvironment);
    wire_put(w, r, sizeof *r);
    for (size_t i = 0; i < r->hist.n; i++) {
        wire_put_int(w, (long long)r->hist.outcomes[i].count);
        wire_put(w, r->hist.outcomes[i].values, (size_t)r->hist.nobs * sizeof(struct value));
    }
}

void worker_get_result(struct wire *w, const struct parameter_range *ranges, struct run_result *res) {
    struct value values[TEST_MAX_OBS];
    struct histogram mine = res->hist;
    struct parameter environment[ENV_MAX];
    int n = get_parameters(w, ranges, environment);
    wire_get(w, res, sizeof *res);
    size_t outcomes = res->hist.n;
    memcpy(res->environment, environment, sizeof environment);
    res->nenvironment = n;
    res->hist = mine;
    for (size_t i = 0; i < outcomes && !w->bad; i++) {
        uint64_t count = (uint64_t)wire_get_int(w);
        if (wire_get(w, values, (size_t)mine.nobs * sizeof *values)) histogram_add(&res->hist, values, count);
    }
}

/* ---- serving ---- */

/* A cell that was received. */
struct worker_cell {
    struct arena *arena; /* NULL: there is none */
    struct diag diag;
    struct test *test; /* NULL: it did not arrive intact */
    struct cell cell;
    struct run_request request;
    const void *code; /* points into the message */
    struct kernel *kernel;
    bool loaded, wants_trials;
};

struct service {
    const struct driver *driver;
    struct device *device;
    int fd;
    const atomic_int *stop;
    struct wire in, out;
    struct sent_tests tests;
    double said;              /* when the last sign of life was sent */
    struct worker_cell ahead; /* the cell that runs next, if it has arrived */
    struct kernel *done;      /* the kernel that ran last, if it is not discarded yet; NULL: none */
};

static void begin(struct service *s, enum message_kind kind) {
    wire_clear(&s->out);
    wire_put_int(&s->out, kind);
}

static void tell_progress(void *ctx, uint64_t runs, double seconds) {
    struct service *s = ctx;
    double at = clock_now();
    if (at - s->said < 0.05) return;
    s->said = at;
    begin(s, MESSAGE_PROGRESS);
    wire_put_int(&s->out, (long long)runs);
    wire_put(&s->out, &seconds, sizeof seconds);
    wire_send(s->fd, &s->out);
}

static void tell_trial(void *ctx, const struct trial *t) {
    struct service *s = ctx;
    begin(s, MESSAGE_TRIED);
    put_trial(&s->out, t);
    wire_send(s->fd, &s->out);
}

static void discard_done(struct service *s) {
    if (s->done) s->driver->discard(s->done);
    s->done = NULL;
}

/* Reads the cell of a message. */
static void get_worker_cell(struct service *s, struct worker_cell *c) {
    *c = (struct worker_cell){.arena = arena_open()};
    c->test = get_cell(&s->in, &s->tests, c->arena, &c->cell, &c->diag);
    c->code = wire_get_bytes(&s->in, (size_t)wire_get_int(&s->in));
    get_request(&s->in, s->driver->ranges, c->arena, &c->wants_trials, &c->request);
    if (c->test && !s->in.bad) return;
    diag_fail(&c->diag, "a cell did not arrive as it was sent");
    c->test = NULL;
}

/* Loads a cell, unless that was tried before. */
static void load(struct service *s, struct worker_cell *c) {
    if (c->test && c->code)
        c->loaded = s->driver->load(s->device, c->test, &c->cell, c->code, &c->kernel, &c->diag);
    c->code = NULL;
}

/* Whether a cell is loaded ahead: it runs on one GPU alone. Loading others would start a compiler or open
 * another GPU. */
static bool is_simple(const struct cell *cell) {
    return cell->placement->nhost == 0 && cell->placement->ngpus == 1;
}

/* Called while the device runs a cell: discards the kernel before it, and loads the cell after it if that has
 * arrived. */
static void look_ahead(void *ctx) {
    struct service *s = ctx;
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    discard_done(s);
    if (s->ahead.arena || poll(&p, 1, 0) <= 0 || !wire_receive(s->fd, &s->in)) return;
    wire_get_int(&s->in); /* the kind of the message: nothing but a cell is sent while one runs */
    get_worker_cell(s, &s->ahead);
    if (s->ahead.test && is_simple(&s->ahead.cell)) load(s, &s->ahead);
}

static bool run(struct service *s, struct worker_cell *c, struct run_result *res) {
    struct run_request *req = &c->request;
    load(s, c);
    if (!c->loaded) return false;
    req->stop = s->stop;
    req->progress = tell_progress;
    req->tried = c->wants_trials ? tell_trial : NULL;
    req->meanwhile = look_ahead;
    req->ctx = s;
    res->hist.nobs = c->test->nobs;
    bool fine = s->driver->run(c->kernel, req, res, &c->diag);
    discard_done(s);
    s->done = c->kernel;
    return fine;
}

static void begin_done(struct service *s, bool fine, bool loaded, const struct diag *d) {
    begin(s, MESSAGE_DONE);
    wire_put_int(&s->out, fine);
    wire_put_int(&s->out, fine || s->driver->usable(s->device));
    wire_put_int(&s->out, loaded);
    wire_put_diag(&s->out, d);
}

/* Runs a cell: the one of the message, or the one that arrived ahead. */
static void serve_run(struct service *s) {
    struct worker_cell c = s->ahead;
    struct run_result res = {0};
    if (!c.arena) get_worker_cell(s, &c);
    s->ahead = (struct worker_cell){0};
    bool fine = run(s, &c, &res);
    begin_done(s, fine, c.loaded, &c.diag);
    put_result(&s->out, &res);
    wire_send(s->fd, &s->out);
    histogram_free(&res.hist);
    diag_free(&c.diag);
    arena_close(c.arena);
}

static void serve_costs(struct service *s) {
    struct arena *a = arena_open();
    struct diag d = {0};
    int n = (int)wire_get_int(&s->in);
    struct fence_cost *costs = arena_array(a, (size_t)n, sizeof *costs);
    wire_get(&s->in, costs, (size_t)n * sizeof *costs);
    const void *code = wire_get_bytes(&s->in, s->in.len - s->in.at);
    bool fine = s->driver->fence_costs(s->device, code, costs, n, s->stop, &d);
    begin_done(s, fine, fine, &d);
    wire_put(&s->out, costs, (size_t)n * sizeof *costs);
    wire_send(s->fd, &s->out);
    diag_free(&d);
    arena_close(a);
}

static void serve_count(struct service *s) {
    struct arena *a = arena_open();
    const char *why = NULL;
    begin(s, MESSAGE_COUNTED);
    wire_put_int(&s->out, s->driver->count(a, &why));
    wire_put_text(&s->out, why);
    wire_send(s->fd, &s->out);
    arena_close(a);
}

/* Opens the device, once in a process. */
static void serve_open(struct service *s) {
    struct diag d = {0};
    bool fine = s->driver->open((int)wire_get_int(&s->in), &s->device, &d);
    begin(s, MESSAGE_OPEN);
    wire_put_int(&s->out, fine);
    wire_put_diag(&s->out, &d);
    if (fine) {
        wire_put_text(&s->out, s->device->description);
        wire_put_text(&s->out, s->driver->target(s->device));
        wire_put(&s->out, s->driver->traits(s->device), s->driver->traits_size);
        for (const char *const *p = s->device->properties; *p; p++)
            wire_put_text(&s->out, *p);
        wire_put_text(&s->out, NULL);
    }
    wire_send(s->fd, &s->out);
    diag_free(&d);
}

void worker_serve(const struct driver *e, int fd, const atomic_int *stop) {
    struct service s = {.driver = e, .fd = fd, .stop = stop};
    serve_count(&s);
    while (s.ahead.arena || wire_receive(fd, &s.in)) {
        enum message_kind kind = s.ahead.arena ? MESSAGE_RUN : (enum message_kind)wire_get_int(&s.in);
        if (kind == MESSAGE_OPEN && !s.device) serve_open(&s);
        if (kind == MESSAGE_RUN && s.device) serve_run(&s);
        if (kind == MESSAGE_COSTS && s.device) serve_costs(&s);
    }
    discard_done(&s);
    if (s.device) e->close(s.device);
    if (s.tests.last.arena) arena_close(s.tests.last.arena);
    if (s.tests.before.arena) arena_close(s.tests.before.arena);
    wire_free(&s.in);
    wire_free(&s.out);
}
