#include <ctype.h>
#include <string.h>

#include "litmus/axes.h"
#include "litmus/name.h"

enum { WARP_THREADS = 32, BLOCK_WARPS = 32 };

static const char *const builtins[] = {"warp", "block", "cluster", "sm", "device", "peer", "host", NULL};

/* Returns the warp of thread i of n in a block: its own if there are enough warps, else filled evenly. */
static int warp_in_block(int i, int n) {
    return n <= BLOCK_WARPS ? i : (int)((long long)i * BLOCK_WARPS / n);
}

/* Returns the warp of thread k of a block of a grid, within the block. */
static int warp_in_grid(int k) {
    return k / WARP_THREADS;
}

/* The same if some threads are of grids: each block of a grid is placed as a whole, and a thread of no grid
 * counts as a block. */
static bool seat_blocks(const char *name, const struct test *t, struct seat *seats) {
    bool peer = strcmp(name, "peer") == 0, cluster = strcmp(name, "cluster") == 0,
         host = strcmp(name, "host") == 0;
    bool one = (strcmp(name, "block") == 0 || strcmp(name, "warp") == 0) && t->nblocks == 1, threads = false;
    for (int i = 0; i < t->nbodies; i++)
        threads = threads || !t->bodies[i].grid;
    if (host && !threads) return false;
    if (!peer && !cluster && !host && !one && strcmp(name, "sm") != 0 && strcmp(name, "device") != 0)
        return false;
    for (int i = 0, b = -1, warp = -1, c = -1; i < t->nthreads; i++) {
        const struct thread *th = &t->threads[i];
        int k = th->body->grid ? th->tid % th->body->block : 0;
        if (host && !th->body->grid) {
            seats[i] = (struct seat){-1, -1, -1, -1, true, 0};
            continue;
        }
        b += k == 0;
        c += k == 0 && (th->body->cluster < 2 || th->tid / th->body->block % th->body->cluster == 0);
        warp += k == 0 || warp_in_grid(k) != warp_in_grid(k - 1);
        seats[i] = (struct seat){.gpu = peer ? b : 0, .cluster = cluster ? 0 : c, .block = b, .warp = warp};
    }
    return true;
}

static bool seat_builtin(const char *name, const struct test *t, struct seat *seats) {
    int n = t->nthreads;
    if (t->nblocks && seat_blocks(name, t, seats)) return true;
    for (int i = 0; i < n; i++) {
        if (strcmp(name, "warp") == 0)
            seats[i] = (struct seat){0};
        else if (strcmp(name, "block") == 0)
            seats[i] = (struct seat){.warp = warp_in_block(i, n)};
        else if (strcmp(name, "cluster") == 0)
            seats[i] = (struct seat){.block = i, .warp = i};
        else if (strcmp(name, "sm") == 0 || strcmp(name, "device") == 0)
            seats[i] = (struct seat){.cluster = i, .block = i, .warp = i};
        else if (strcmp(name, "peer") == 0)
            seats[i] = (struct seat){i, i, i, i, false, 0};
        else if (strcmp(name, "host") == 0)
            seats[i] = i == 0 ? (struct seat){0} : (struct seat){-1, -1, -1, -1, true, 0};
        else
            return false;
    }
    return true;
}

/* Counts the GPUs, clusters, blocks and warps of the seats of n threads. */
static void count_seats(struct placement *p, int n) {
    for (int i = 0; i < n; i++) {
        const struct seat *s = &p->seats[i];
        if (s->gpu >= p->ngpus) p->ngpus = s->gpu + 1;
        if (s->cluster >= p->nclusters) p->nclusters = s->cluster + 1;
        if (s->block >= p->nblocks) p->nblocks = s->block + 1;
        if (s->warp >= p->nwarps) p->nwarps = s->warp + 1;
        if (s->kernel >= p->nkernels) p->nkernels = s->kernel + 1;
        p->nhost += s->host;
    }
}

bool placement_follows(const struct placement *p, int kernel, int before) {
    return before < kernel && p->launch[kernel] == LAUNCH_BEHIND;
}

bool placement_awaits(const struct placement *p, int kernel, int before) {
    if (placement_follows(p, kernel, before)) return true;
    return before < kernel && (before == kernel - 1 || placement_follows(p, kernel - 1, before));
}

static bool is_shared(int x, int y) {
    return x >= 0 && x == y;
}

bool scope_includes(enum scope scope, const struct placement *p, int thread, int other) {
    const struct seat *x = &p->seats[thread], *y = &p->seats[other];
    switch (scope) {
    case SCOPE_NONE: return false;
    case SCOPE_CTA: return thread == other || is_shared(x->block, y->block);
    case SCOPE_CLUSTER: return thread == other || is_shared(x->cluster, y->cluster);
    case SCOPE_GPU: return thread == other || is_shared(x->gpu, y->gpu);
    case SCOPE_SYS: return true;
    }
    return false;
}

/* ---- layouts ---- */

struct placement_layout {
    const struct test *test;
    struct arena *arena;
    struct diag *diag;
    const char *text;
    struct pos pos;
    size_t at; /* how far the text was read */
    struct seat *seats;
    bool *seated;
    struct seat current; /* where the next thread sits; -1: in a new one */
    int ngpus, nclusters, nblocks, nwarps;
    enum launch *launch; /* how each kernel so far is launched */
    bool failed;
};

/* Returns the position in the file of bytes from..to of the layout; exact only if that is on one line. */
static struct pos part(const struct placement_layout *l, size_t from, size_t to) {
    size_t len = strlen(l->text);
    struct pos pos = l->pos;
    if (pos.line == 0 || ((size_t)pos.len != len && (size_t)pos.len != len + 2)) return pos;
    size_t quote = (size_t)pos.len == len + 2;
    return (struct pos){pos.line, pos.col + (int)(quote + from), (int)(to - from)};
}

static void fail(struct placement_layout *l, struct pos pos, const char *message) {
    if (!l->failed) diag_error(l->diag, &l->test->source, pos, "%s", message);
    l->failed = true;
}

static void skip_space(struct placement_layout *l) {
    while (isspace((unsigned char)l->text[l->at]))
        l->at++;
}

/* Seats a thread in the current warp. A warp, block, cluster or GPU that is new is opened. */
static void take_seat(struct placement_layout *l, int thread, bool host, size_t from) {
    if (l->seated[thread] && l->seats[thread].kernel != l->current.kernel)
        fail(l, part(l, from, l->at),
             arena_printf(l->arena,
                          "thread '%s' is in two kernels: a thread belongs to one, which is launched once",
                          l->test->threads[thread].name));
    else if (l->seated[thread])
        fail(l, part(l, from, l->at),
             arena_printf(l->arena, "thread '%s' sits in two places", l->test->threads[thread].name));
    l->seated[thread] = true;
    if (host) {
        l->seats[thread] = (struct seat){-1, -1, -1, -1, true, l->current.kernel};
        return;
    }
    struct seat *c = &l->current;
    if (c->gpu < 0) c->gpu = l->ngpus++;
    if (c->cluster < 0) c->cluster = l->nclusters++;
    if (c->block < 0) c->block = l->nblocks++;
    if (c->warp < 0) c->warp = l->nwarps++;
    l->seats[thread] = *c;
}

/* The threads first .. first + n - 1, which a word of a layout names. */
struct placement_group {
    int first, n;
    bool host;
    size_t from; /* where the word begins */
};

/* Reports a word that names no thread. If it is the whole text, the text may be a misspelt placement. */
static void report_unknown(struct placement_layout *l, const char *word, struct pos pos) {
    bool alone = strcmp(word, l->text) == 0;
    const char **names = arena_array(l->arena, (size_t)l->test->nbodies + 7, sizeof *names);
    size_t nplacements = 0, n = 0;
    for (; builtins[nplacements]; nplacements++)
        names[n++] = builtins[nplacements];
    const char *whole = strpbrk(l->text, " .|&") ? "" : name_suggest(l->arena, l->text, names, n);
    for (int i = 0; i < l->test->nbodies; i++)
        names[n++] = l->test->bodies[i].name;
    size_t skipped = alone ? 0 : nplacements;
    const char *suggestion = *whole ? whole : name_suggest(l->arena, word, names + skipped, n - skipped);
    if (alone && !*suggestion)
        suggestion = "; it can be warp, block, cluster, sm, device, peer, host or a layout such as 'T0 | T1'";
    const char *list = name_as_list(l->arena, l->text, names, nplacements);
    if (alone || *whole || list)
        fail(l, pos, list ? list : arena_printf(l->arena, "unknown placement '%s'%s", l->text, suggestion));
    else
        fail(l, pos, arena_printf(l->arena, "there is no thread '%s'%s", word, suggestion));
}

/* Reads "[k]" behind the name of a thread or grid: the group becomes that one copy, or that one block. */
static void read_copy(struct placement_layout *l, struct placement_group *g) {
    if (l->text[l->at] != '[') return;
    size_t from = l->at++;
    int k = 0, grid = l->test->threads[g->first].body->grid;
    int size = grid ? l->test->threads[g->first].body->block : 1;
    bool digits = isdigit((unsigned char)l->text[l->at]);
    while (isdigit((unsigned char)l->text[l->at]) && k < TEST_MAX_THREADS)
        k = 10 * k + (l->text[l->at++] - '0');
    bool closed = digits && l->text[l->at] == ']';
    if (closed) l->at++;
    if (!closed)
        fail(l, part(l, from, from + 1), "expected the number of a copy: [k]");
    else if (k >= g->n / size)
        fail(l, part(l, from, l->at),
             arena_printf(l->arena,
                          grid ? "there is no block %d: the grid has %d"
                               : "there is no copy %d: the thread has %d",
                          k, g->n / size));
    g->first += k * size;
    g->n = size;
}

static struct placement_group read_group(struct placement_layout *l) {
    const struct test *t = l->test;
    struct placement_group g = {.from = l->at};
    while (isalnum((unsigned char)l->text[l->at]) || l->text[l->at] == '_')
        l->at++;
    const char *word = arena_strndup(l->arena, l->text + g.from, l->at - g.from);
    if (!*word) {
        fail(l, part(l, g.from, g.from + 1), "expected the name of a thread");
        return g;
    }
    for (int i = 0; i < t->nthreads; i++)
        if (strcmp(t->threads[i].body->name, word) == 0 && g.n++ == 0) g.first = i;
    if (g.n == 0) {
        report_unknown(l, word, part(l, g.from, l->at));
        return g;
    }
    read_copy(l, &g);
    if (l->text[l->at] != '@') return g;
    size_t at = l->at++;
    g.host = strncmp(l->text + l->at, "host", 4) == 0;
    l->at += g.host ? 4 : 0;
    if (!g.host || isalnum((unsigned char)l->text[l->at])) fail(l, part(l, at, at + 1), "expected '@host'");
    return g;
}

static void open_kernel(struct placement_layout *l, enum launch launch) {
    struct seat *c = &l->current;
    c->warp = c->block = c->cluster = -1;
    if (++c->kernel < l->test->nthreads)
        l->launch[c->kernel] = launch;
    else
        fail(l, part(l, l->at, l->at + 2), "there are more kernels than threads");
}

/* Reads a separator, and begins a new warp, block, kernel, ... Returns false at the end of the text. */
static bool next_separator(struct placement_layout *l) {
    struct seat *c = &l->current;
    skip_space(l);
    const char *s = l->text + l->at;
    if (*s == '\0') return false;
    if ((*s == '-' || *s == '~') && s[1] == '>') {
        open_kernel(l, *s == '-' ? LAUNCH_BEHIND : LAUNCH_DEPENDENT);
        l->at += 2;
    } else if (*s == '.') {
        l->at++;
    } else if (*s == '&') {
        c->warp = c->block = -1;
        l->at++;
    } else if (*s == '|') {
        c->warp = c->block = c->cluster = -1;
        if (s[1] == '|') c->gpu = -1;
        l->at += s[1] == '|' ? 2 : 1;
    } else {
        c->warp = -1;
    }
    skip_space(l);
    return true;
}

/* Begins the warp or block of thread k of a block of a grid, unless it is the group's first. */
static void open_in_grid(struct seat *c, int k) {
    if (k == 0) c->block = c->cluster = -1;
    if (k == 0 || warp_in_grid(k) != warp_in_grid(k - 1)) c->warp = -1;
}

/* Seats a group. The blocks of a grid are on one GPU, each by itself. Copies of a thread share a warp if a
 * '.' joins the group to others; else they sit as in the placement `block`. */
static void seat_group(struct placement_layout *l, const struct placement_group *g, bool joined) {
    const struct body *b = l->test->threads[g->first].body;
    for (int k = 0; k < g->n; k++) {
        if (b->grid && k > 0)
            open_in_grid(&l->current, k % b->block);
        else if (k > 0 && !joined && warp_in_block(k, g->n) != warp_in_block(k - 1, g->n))
            l->current.warp = -1;
        take_seat(l, g->first + k, g->host, g->from);
    }
}

static void read_layout(struct placement_layout *l) {
    bool joined = false;
    skip_space(l);
    do {
        struct placement_group g = read_group(l);
        if (l->failed) return;
        size_t end = l->at;
        skip_space(l);
        bool dot = l->text[l->at] == '.';
        l->at = end;
        seat_group(l, &g, joined || dot);
        joined = dot;
    } while (!l->failed && next_separator(l));
    for (int i = 0; i < l->test->nthreads && !l->failed; i++)
        if (!l->seated[i])
            fail(l, l->pos,
                 arena_printf(l->arena, "the layout leaves out thread '%s'", l->test->threads[i].name));
}

static bool seat_layout(const struct test *t, struct arena *a, const char *text, struct pos pos,
                        struct diag *d, struct seat *seats, const enum launch **launch) {
    struct placement_layout l = {.test = t, .arena = a, .diag = d, .text = text, .pos = pos, .seats = seats};
    l.seated = arena_array(a, (size_t)t->nthreads, sizeof *l.seated);
    l.current = (struct seat){-1, -1, -1, -1, false, 0};
    l.launch = arena_array(a, (size_t)t->nthreads + 1, sizeof *l.launch);
    read_layout(&l);
    *launch = l.launch;
    return !l.failed;
}

/* The separator between two threads in a layout. The second one is not in the layout yet. */
static const char *separator(const struct seat *a, const struct seat *b) {
    if (a->warp == b->warp) return ".";
    return a->block == b->block ? " " : a->cluster == b->cluster ? " & " : a->gpu == b->gpu ? " | " : " || ";
}

/* Returns the thread nearest to thread `last` among those that are not in the layout yet. */
static int next_neighbour(const struct placement *p, const bool *done, int n, int last) {
    int best = -1, closest = -1;
    for (int i = 0; i < n; i++) {
        const struct seat *a = &p->seats[last], *b = &p->seats[i];
        int near =
            (a->gpu == b->gpu) + (a->cluster == b->cluster) + (a->block == b->block) + (a->warp == b->warp);
        if (done[i] || near <= closest) continue;
        best = i;
        closest = near;
    }
    return best;
}

/* Returns a layout for these seats, such as "P0 P1 | P2 || P3". */
static const char *write_layout(struct arena *a, const struct test *t, const struct placement *p) {
    bool *done = arena_array(a, (size_t)t->nthreads, sizeof *done);
    const char *layout = "";
    int last = -1;
    for (int k = 0; k < t->nthreads; k++) {
        int i = last < 0 ? 0 : next_neighbour(p, done, t->nthreads, last);
        layout = arena_printf(a, "%s%s%s", layout, last < 0 ? "" : separator(&p->seats[last], &p->seats[i]),
                              t->threads[i].name);
        done[i] = true;
        last = i;
    }
    return layout;
}

/* ---- what a placement must allow ---- */

static bool has_barrier(const struct test *t, const struct body *b) {
    for (int k = 1; k <= t->nops; k++)
        if (t->ops[k].body == b && t->ops[k].kind == OP_BARRIER) return true;
    return false;
}

/* Returns "kernel[1]", or the name of a thread that is a block by itself. */
static const char *block_name(struct arena *a, const struct thread *th) {
    const struct body *b = th->body;
    return b->grid ? arena_printf(a, "%s[%d]", b->name, th->tid / b->block) : th->name;
}

/* Returns a location in shared memory that a body uses, or -1. */
static int find_shared(const struct test *t, const struct body *b) {
    for (int k = 1; k <= t->nops; k++)
        for (int l = 0; l < t->nlocs; l++)
            if (t->ops[k].body == b && space_rows[t->locs[l].space].of_block && op_uses(&t->ops[k], l))
                return l;
    return -1;
}

/* Returns why the blocks of the test's grids cannot sit like this, or NULL. */
static const char *find_grid_misfit(const struct test *t, struct arena *a, const struct placement *p) {
    const struct thread **first = arena_array(a, (size_t)p->nblocks + 1, sizeof *first); /* of each block */
    for (int i = 0; i < t->nthreads; i++) {
        const struct thread *th = &t->threads[i];
        int shared = p->seats[i].host ? find_shared(t, th->body) : -1;
        if (shared >= 0)
            return arena_printf(a, "'%s' is in shared memory: '%s' cannot be a CPU thread",
                                t->locs[shared].name, th->name);
        if (p->seats[i].host && !th->body->grid) continue;
        if (p->seats[i].host)
            return arena_printf(a, "'%s' is of a grid: it cannot be a CPU thread", block_name(a, th));
        const struct thread **owner = &first[p->seats[i].block];
        if (*owner && (*owner)->block != th->block)
            return arena_printf(a, "'%s' and '%s' are different blocks: they do not share one",
                                block_name(a, *owner), block_name(a, th));
        *owner = th;
    }
    return NULL;
}

/* Returns why the kernels of a layout are not possible, or NULL. */
static const char *find_kernel_misfit(const struct test *t, struct arena *a, const struct placement *p) {
    if (p->nhost) return "a CPU thread beside several kernels is not supported";
    if (p->ngpus > 1) return "the kernels of a stream run on one GPU";
    for (int i = 1; i < t->nthreads; i++) {
        const struct body *b = t->threads[i].body;
        if (b->grid && b == t->threads[i - 1].body && p->seats[i].kernel != p->seats[i - 1].kernel)
            return arena_printf(a, "'%s' is one grid: its blocks are of one kernel", b->name);
    }
    return NULL;
}

/* Returns why the test cannot have this placement, or NULL. */
static const char *find_misfit(const struct test *t, struct arena *a, const struct placement *p) {
    const char *shared = NULL, *declared = NULL;
    int *threads = arena_array(a, (size_t)p->nwarps + 1, sizeof *threads);
    for (int i = 0; i < t->nlocs && t->nblocks == 0; i++) {
        if (space_rows[t->locs[i].space].of_block) shared = t->locs[i].name;
        if (t->locs[i].declared) declared = t->locs[i].name;
    }
    for (int i = 0; i < t->nthreads; i++) {
        const struct seat *s = &p->seats[i];
        if (declared && (s->host || s->block != p->seats[0].block))
            return arena_printf(a, "'%s' is __shared__: all threads must sit in one block", declared);
        if (shared && (s->host || s->cluster != p->seats[0].cluster))
            return arena_printf(a, "'%s' is in shared memory: all threads must sit in one block or cluster",
                                shared);
        if (s->host && has_barrier(t, t->threads[i].body))
            return arena_printf(a, "'%s' has a barrier: it cannot be a CPU thread", t->threads[i].name);
        if (!s->host && ++threads[s->warp] > WARP_THREADS)
            return arena_printf(a, "more than %d threads in a warp", WARP_THREADS);
    }
    const char *why = p->nkernels > 1 ? find_kernel_misfit(t, a, p) : NULL;
    return !why && t->nblocks ? find_grid_misfit(t, a, p) : why;
}

/* Seats the threads. NULL and an error: the layout is wrong. *misfit: why it does not fit, or NULL. */
static struct placement *make(const struct test *t, struct arena *a, const char *text, struct pos pos,
                              struct diag *d, const char **misfit) {
    struct seat *seats = arena_array(a, (size_t)t->nthreads, sizeof *seats);
    const enum launch *launch = NULL;
    if (!seat_builtin(text, t, seats) && !seat_layout(t, a, text, pos, d, seats, &launch)) return NULL;
    struct placement *p = arena_alloc(a, sizeof *p);
    *p = (struct placement){.name = arena_strdup(a, text), .pos = pos, .seats = seats, .launch = launch};
    p->one_sm = strcmp(text, "sm") == 0;
    count_seats(p, t->nthreads);
    *misfit = find_misfit(t, a, p);
    return p;
}

const struct placement *placement_parse(const struct test *t, struct arena *a, const char *text,
                                        struct pos pos, struct diag *d) {
    const char *misfit;
    const struct placement *p = make(t, a, text, pos, d, &misfit);
    if (p && !misfit) return placement_check_masks(t, p, d) ? p : NULL;
    if (!p) return NULL;
    diag_error(d, &t->source, pos, "placement '%s' is not possible: %s", text, misfit);
    return NULL;
}

const struct placement *placement_of_seats(const struct test *t, struct arena *a, const struct seat *seats,
                                           struct pos pos, struct diag *d) {
    struct placement *p = arena_alloc(a, sizeof *p);
    *p = (struct placement){.pos = pos, .seats = seats};
    count_seats(p, t->nthreads);
    p->name = write_layout(a, t, p);
    const char *misfit = find_misfit(t, a, p);
    if (misfit) diag_error(d, &t->source, pos, "the threads cannot sit like this: %s", misfit);
    return p;
}

void placement_defaults(struct test *t, struct arena *a, struct pos pos, struct diag *d) {
    static const char *const names[] = {"block", "device"};
    const char *misfit = NULL;
    t->placements = arena_array(a, 2, sizeof *t->placements);
    for (int i = 0; i < 2; i++) {
        const struct placement *p = make(t, a, names[i], pos, d, &misfit);
        if (!misfit) t->placements[t->nplacements++] = *p;
    }
    for (int i = 0; i < t->nplacements; i++)
        if (!placement_check_masks(t, &t->placements[i], d)) return;
    if (t->nplacements == 0) diag_error(d, &t->source, pos, "no placement is possible: %s", misfit);
}

const struct placement *placement_collapsed(const struct test *t, struct arena *a, const char *name) {
    struct placement *p = arena_alloc(a, sizeof *p);
    struct seat *seats = arena_array(a, (size_t)t->nthreads, sizeof *seats);
    for (int i = 0; i < t->nthreads; i++) {
        seats[i] = t->placements[0].seats[i];
        seats[i].host = false;
    }
    *p = (struct placement){
        .name = name, .seats = seats, .launch = t->placements[0].launch, .collapsed = true};
    count_seats(p, t->nthreads);
    return p;
}
