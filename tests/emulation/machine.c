#include "machine.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    STACK = 64 << 10,          /* bytes */
    MAX_STEPS = 50 * 1000000,  /* of a launch */
    CLOCKS_A_STEP = 512,       /* so that waits give up in reasonable time */
    STEPS_A_TURN = 4,          /* on average */
    TURNS_OF_A_LAGGARD = 8000, /* for so long one block is slow */
};

/* Barriers, by what is waited for; the id or the mask follows. */
#define AT_BLOCK   0x100000000ull
#define AT_CLUSTER 0x200000000ull
#define AT_WARP    0x300000000ull

/* It is entered by its context, once, and again by a jump, which costs no system call. */
struct fibre {
    ucontext_t context;
    jmp_buf here;
    bool entered;
    struct machine_self self;
    const struct machine_grid *grid;
    int number;              /* of the grid */
    const char *instruction; /* that it reduces in */
    unsigned long long at;   /* the barrier it waits at, 0: none */
    bool whole_warp;         /* which only whole warps may come to */
    bool arrived, armed; /* at the cluster's barrier, which has not opened; and has not waited there since */
    int first, first_cluster; /* of its block, of its cluster: numbers of fibres */
    int place;                /* in `ready` */
    int block;                /* of all GPUs' */
    unsigned begun, left;     /* threads of its block that have, where it is the block's first; */
    bool triggered;           /* and whether one of them has triggered, or all have left */
};

/* A grid of a run. */
struct grid_state {
    int first, threads; /* fibres */
    int blocks;         /* that have not triggered */
    int running;        /* threads that have not left */
    bool awaited;       /* another one begins when all blocks have triggered */
};

struct machine_self machine_self;

static struct fibre fibres[MACHINE_MAX_THREADS];
static char *stacks;
static struct grid_state states[MACHINE_MAX_GRIDS];
static unsigned launches; /* so far */
static int nfibres, ready[MACHINE_MAX_THREADS], nready, current;
static jmp_buf outside;
static const char *failure;
static long long steps;
static unsigned state, laggard, turns;

static unsigned random_number(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void set_ready(int f) {
    fibres[f].place = nready;
    ready[nready++] = f;
}

static void set_idle(int f) {
    int last = ready[--nready];
    ready[fibres[f].place] = last;
    fibres[last].place = fibres[f].place;
}

static void turn_to(jmp_buf *from, int f) {
    struct fibre *to = &fibres[f];
    current = f;
    machine_self = to->self;
    if (_setjmp(*from)) return;
    if (to->entered) _longjmp(to->here, 1);
    to->entered = true;
    setcontext(&to->context);
}

void machine_fail(const char *why) {
    failure = why;
    _longjmp(outside, 1);
}

/* Anyone, but for a while hardly ever one of a certain block, which falls behind. */
static void pass_turn(void) {
    int f = -1, from = current;
    if (nready == 0) machine_fail("threads wait for each other");
    if (turns++ % TURNS_OF_A_LAGGARD == 0) laggard = random_number();
    for (int tries = 0; tries < 16; tries++) {
        f = ready[random_number() % (unsigned)nready];
        if (fibres[f].first != fibres[laggard % (unsigned)nfibres].first) break;
    }
    if (f != from) turn_to(&fibres[from].here, f);
}

static void count_step(void) {
    if (++steps > MAX_STEPS) machine_fail("the kernel does not end");
}

void machine_step(void) {
    count_step();
    if (random_number() % STEPS_A_TURN == 0) pass_turn();
}

void machine_pause(void) {
    count_step();
    pass_turn();
}

long long machine_clock(void) {
    machine_step(); /* or a loop that waits for it would not end */
    return steps * CLOCKS_A_STEP;
}

/* `n` of the `count` threads from number `first` on meet. */
static void meet(int first, unsigned count, unsigned long long at, unsigned n) {
    unsigned there = 0;
    fibres[current].at = at;
    for (unsigned i = 0; i < count; i++)
        there += fibres[(unsigned)first + i].at == at;
    if (there < n) {
        set_idle(current);
        pass_turn();
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        struct fibre *f = &fibres[(unsigned)first + i];
        if (f->at != at) continue;
        f->at = 0;
        if (f != &fibres[current]) set_ready(first + (int)i);
    }
    machine_step();
}

void machine_meet_block(unsigned barrier, int whole_warp) {
    struct fibre *f = &fibres[current];
    f->whole_warp = whole_warp;
    for (unsigned t = f->self.thread.x & ~31u; t < f->self.threads.x && t < (f->self.thread.x | 31u) + 1;
         t++) {
        const struct fibre *other = &fibres[f->first + (int)t];
        if (other->at == (AT_BLOCK | barrier) && other->whole_warp != f->whole_warp)
            machine_fail("a barrier for whole warps, in a part of one");
    }
    meet(f->first, f->self.threads.x, AT_BLOCK | barrier, f->self.threads.x);
}

/* A named barrier of a block, at the first fibre of which these are. */
struct named_barrier {
    unsigned came, warps, expected; /* lanes of the opening that gathers; whole warps of them; threads */
    unsigned lanes[32];             /* that have come, of each warp */
    enum machine_meeting how[32];   /* and for what, */
    const char *instruction[32];    /* and where, if they reduce */
    int sum;
    unsigned openings;
    int result; /* of the newest */
};
enum { NAMED_BARRIERS = 16 };
static struct named_barrier named[MACHINE_MAX_BLOCKS * MACHINE_MAX_GRIDS][NAMED_BARRIERS];

static void open_named(struct named_barrier *b) {
    b->result = b->sum;
    b->openings++;
    for (int w = 0; w < 32; w++)
        b->lanes[w] = 0;
    b->came = b->warps = b->expected = 0;
    b->sum = 0;
}

void machine_reduce_in(const char *instruction) {
    fibres[current].instruction = instruction;
}

/* A thread that arrives alone waits for nobody of another warp; it is let go on at once. */
int machine_meet_warps(unsigned barrier, unsigned threads, enum machine_meeting how, int given) {
    struct fibre *f = &fibres[current];
    unsigned warp = f->self.thread.x / 32, lane = f->self.thread.x % 32;
    if (barrier == 0 || barrier >= NAMED_BARRIERS) machine_fail("a barrier that is not the test's to use");
    if (threads == 0 || threads % 32 != 0) machine_fail("a barrier counts whole warps");
    struct named_barrier *b = &named[f->block][barrier];
    if (b->came && b->expected != threads) machine_fail("a barrier with two counts");
    if (b->lanes[warp] >> lane & 1) machine_fail("a thread comes to a barrier twice");
    if (b->lanes[warp] && b->how[warp] != how) machine_fail("lanes of a warp do not come alike");
    if (how == MACHINE_REDUCE && b->lanes[warp] && strcmp(b->instruction[warp], f->instruction) != 0)
        machine_fail("lanes of a warp reduce in different instructions");
    for (unsigned w = 0; w < 32; w++)
        if (b->lanes[w] && (b->how[w] == MACHINE_REDUCE) != (how == MACHINE_REDUCE))
            machine_fail("a reduction and another operation at one barrier");
    b->expected = threads;
    b->how[warp] = how;
    b->instruction[warp] = f->instruction;
    b->lanes[warp] |= 1u << lane;
    b->came++;
    b->sum += given;
    b->warps += b->lanes[warp] == ~0u;
    unsigned opening = b->openings;
    if (32 * b->warps == threads) open_named(b);
    machine_step();
    while (how != MACHINE_ARRIVE && b->openings == opening)
        machine_pause();
    return b->result;
}

void machine_arrive_cluster(void) {
    struct fibre *f = &fibres[current];
    unsigned n = f->self.threads.x * f->self.cluster, there = 0;
    if (f->armed) machine_fail("a thread arrives at its cluster's barrier again without a wait");
    f->arrived = f->armed = true;
    for (unsigned i = 0; i < n; i++)
        there += fibres[(unsigned)f->first_cluster + i].arrived;
    for (unsigned i = 0; i < n && there == n; i++) {
        struct fibre *other = &fibres[(unsigned)f->first_cluster + i];
        other->arrived = false;
        if (other->at == AT_CLUSTER) set_ready(f->first_cluster + (int)i);
        if (other->at == AT_CLUSTER) other->at = 0;
    }
    machine_step();
}

void machine_wait_cluster(void) {
    struct fibre *f = &fibres[current];
    if (!f->armed) machine_fail("a thread waits at its cluster's barrier without having arrived");
    f->armed = false;
    if (!f->arrived) {
        machine_step();
        return;
    }
    f->at = AT_CLUSTER;
    set_idle(current);
    pass_turn();
}

void machine_meet_cluster(void) {
    machine_arrive_cluster();
    machine_wait_cluster();
}

void machine_meet_warp(unsigned mask) {
    const struct fibre *f = &fibres[current];
    if (!(mask >> f->self.thread.x % 32 & 1)) machine_fail("a lane is not in its own mask");
    meet(f->first + (int)(f->self.thread.x & ~31u), 32, AT_WARP | mask, (unsigned)__builtin_popcount(mask));
}

int *machine_shared(unsigned address) {
    const struct fibre *f = &fibres[current];
    unsigned block = address / MACHINE_WINDOW, cluster = f->self.cluster;
    if (block / cluster != f->self.block.x / cluster) machine_fail("another block's shared memory");
    const struct fibre *owner = &fibres[f->first_cluster + (int)(block % cluster * f->self.threads.x)];
    if (owner->begun == 0) machine_fail("shared memory of a block that has not begun");
    if (owner->left == f->self.threads.x) machine_fail("shared memory of a block that has left");
    if (address % MACHINE_WINDOW >= f->grid->shared_bytes) machine_fail("memory beyond the block's");
    return (int *)(void *)(f->grid->shared[block] + address % MACHINE_WINDOW);
}

struct later {
    void (*done)(const void *);
    char what[192];
};
static struct later put_off[MACHINE_MAX_THREADS];
static int nput_off;

void machine_put_off(void (*later)(const void *), const void *what, size_t bytes) {
    if (nput_off == MACHINE_MAX_THREADS || bytes > sizeof put_off->what) {
        later(what);
        return;
    }
    struct later *l = &put_off[nput_off++];
    l->done = later;
    memcpy(l->what, what, bytes);
}

/* Threads may change while something is done, and put off more. */
void machine_catch_up(void) {
    while (nput_off > 0) {
        struct later l = put_off[--nput_off];
        l.done(l.what);
    }
}

static void begin_grid(int number) {
    const struct grid_state *g = &states[number];
    for (int i = 0; i < g->threads; i++)
        set_ready(g->first + i);
}

static void trigger_block(struct fibre *first) {
    struct grid_state *g = &states[first->number];
    if (first->triggered) return;
    first->triggered = true;
    if (--g->blocks == 0 && g->awaited) begin_grid(first->number + 1);
}

void machine_trigger(void) {
    trigger_block(&fibres[fibres[current].first]);
    machine_step();
}

void machine_wait_grid(void) {
    const struct fibre *f = &fibres[current];
    while (f->grid->dependent && states[f->number - 1].running > 0)
        machine_pause();
}

static void leave(const struct fibre *f) {
    struct fibre *first = &fibres[f->first];
    states[f->number].running--;
    if (++first->left == f->self.threads.x) trigger_block(first);
    set_idle(current);
}

static void live(void) {
    const struct fibre *f = &fibres[current];
    fibres[f->first].begun++;
    f->grid->kernel[f->self.block.x](*f->grid->env);
    leave(f);
    if (nready == 0) {
        bool waiting = false;
        for (int i = 0; i < nfibres; i++)
            waiting = waiting || fibres[i].at != 0;
        if (waiting) failure = "threads wait for one that has left";
        _longjmp(outside, 1);
    }
    pass_turn();
}

/* Blocks lie on multiprocessors in an order that their numbers do not tell. */
static void add_thread(const struct machine_grid *g, int number, unsigned block, unsigned thread) {
    struct fibre *f = &fibres[nfibres];
    f->self = (struct machine_self){.launch = launches,
                                    .thread = {thread},
                                    .threads = {g->threads},
                                    .block = {block},
                                    .blocks = {g->blocks},
                                    .cluster = g->cluster,
                                    .gpu = (unsigned)g->env->gpu,
                                    .multiprocessor =
                                        (block * 3 + block / g->multiprocessors) % g->multiprocessors};
    f->grid = g;
    f->number = number;
    f->entered = f->triggered = false;
    f->at = 0;
    f->begun = f->left = 0;
    f->arrived = f->armed = false;
    f->first = nfibres - (int)thread;
    f->first_cluster = f->first - (int)(block % g->cluster * g->threads);
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = stacks + (size_t)nfibres * STACK;
    f->context.uc_stack.ss_size = STACK;
    makecontext(&f->context, live, 0);
    nfibres++;
}

static void add_grid(const struct machine_grid *grids, int n, int number) {
    const struct machine_grid *g = &grids[number];
    launches++;
    states[number] = (struct grid_state){.first = nfibres,
                                         .threads = (int)(g->blocks * g->threads),
                                         .blocks = (int)g->blocks,
                                         .running = (int)(g->blocks * g->threads),
                                         .awaited = number + 1 < n && g[1].dependent};
    for (unsigned b = 0; b < g->blocks; b++)
        for (unsigned t = 0; t < g->threads; t++)
            add_thread(g, number, b, t);
    if (!g->dependent) begin_grid(number);
}

const char *machine_run(const struct machine_grid *grids, int n, unsigned seed) {
    if (!stacks)
        stacks = mmap(NULL, (size_t)MACHINE_MAX_THREADS * STACK, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    nfibres = nready = nput_off = 0;
    memset(named, 0, sizeof named);
    failure = NULL;
    steps = 0;
    turns = 0;
    state = seed;
    for (int i = 0; i < n; i++)
        add_grid(grids, n, i);
    for (int i = 0, blocks = -1; i < nfibres; i++) {
        blocks += fibres[i].self.thread.x == 0;
        fibres[i].block = blocks;
    }
    turn_to(&outside, ready[random_number() % (unsigned)nready]);
    return failure;
}
