/* A litmus test as read from a file, and the cells (placement x access x fence) it is run and judged in.
 *
 * Everything below a `struct test` lives in the arena it was read into and is never changed afterwards, so it
 * may be shared by threads. */
#ifndef CULITMUS_TEST_H
#define CULITMUS_TEST_H

#include "base/arena.h"
#include "base/diag.h"
#include "litmus/program.h"

/* Limits, checked when a test is read. */
enum { TEST_MAX_THREADS = 1024, TEST_MAX_SLOTS = 16, TEST_MAX_OBS = 64, TEST_MAX_ELEMENTS = 65536 };
enum { TEST_MAX_WORDS = 4 * TEST_MAX_OBS }; /* of what is observed */
enum { TEST_MAX_UNROLL = 1000000 };

struct location {
    const char *name;
    struct pos pos;
    struct type type; /* of an element */
    struct value init;
    const struct value *inits; /* one an element where they differ, else NULL */
    int count;    /* elements; 1: a plain variable unless `array`; 0: unknown, as an error said */
    int inner[2]; /* of s[4][2][3], 2 and 3; 0: it has no such dimension */
    int instances; /* 1; or each block of the test has one of its own, whose elements follow those of the block before */
    bool declared; /* by __shared__ in a body */
    bool array;
    bool packed;     /* its elements lie side by side: the test says so, or some copy takes several of them */
    bool restricted; /* a body has it as const and __restrict__, first at restricted_pos */
    struct pos restricted_pos;
    enum space space;
    bool has_access; /* the location fixes its own access, whatever the axis says */
    enum access access;
    int gpu;   /* whose memory, 0.. */
    bool view; /* it has no memory of its own: its bytes are those of `of`, from byte `at` on */
    int of, at;
    bool unknown;     /* what it holds at first is not known, and no thread may read it */
    bool map;         /* a tensor map: its value is the number of the array to which it leads (copy.h) */
    bool in_each;     /* a view of these bytes in each element of `of` */
    bool member;      /* ... which a struct has */
    bool alias;       /* a view whose virtual address is its own */
    int va;           /* a view: the location whose virtual address it has; else it has its own */
    int grain;        /* bytes of the parts that it shares with other locations; 0: it shares none */
    const char *ptx;  /* its name in a whole kernel's PTX; NULL: it is of no kernel */
    uint64_t address; /* as the threads of whole kernels see it; 0: no such thread is in the test */
};

/* One running thread of the test. */
struct thread {
    const char *name; /* "writeXY", "worker[2]" or "kernel[1][3]" */
    const struct body *body;
    int tid;   /* 0..body->count-1 */
    int block; /* of the test's, where it has grids */
};

/* How a kernel is launched. */
enum launch {
    LAUNCH_BEHIND,    /* A -> B: B begins when A has ended */
    LAUNCH_DEPENDENT, /* A ~> B: B may begin before, and waits by griddepcontrol.wait */
};

/* Where a thread sits. Ids are dense from 0 and global: equal id means the same warp / block / cluster / GPU.
 * A host thread shares none of them (its ids are -1). */
struct seat {
    int gpu, cluster, block, warp;
    bool host;
    int kernel; /* in the order of their stream */
};

struct placement {
    const char *name; /* "block", or a layout "T0 T1 | T2"; "cpu" on the CPU backend */
    struct pos pos;
    const struct seat *seats; /* one a thread */
    int ngpus, nclusters, nblocks, nwarps, nhost;
    int nkernels;              /* 1 where the layout names none */
    const enum launch *launch; /* one a kernel; that of the first means nothing */
    bool collapsed;            /* the seats mean nothing: a CPU has no blocks */
    bool one_sm;               /* the blocks share a multiprocessor; else they are on different ones */
};

struct strength {
    enum order order;
    enum scope scope;
};

/* What stands in a slot: nothing, or the fence of a row, with order and scope where the row has them. */
struct fence {
    bool there;
    enum op_name name;
    enum order order; /* ORDER_BARE: the test's fence_order */
    enum scope scope;
};

/* One column of the fence axis: what every slot is. */
struct fence_choice {
    const char
        *name; /* "none", "device", "acquire.block+sc.device", "release=device,acquire=none", "as-written" */
    struct fence slot[TEST_MAX_SLOTS];
};

struct slot {
    const char *name; /* NULL: written fence() */
    struct pos pos;
    int of, part; /* a further part: the slot whose operations it stands behind, and its number, from 1 */
};

/* A register or a location's final value, in the histogram. */
struct observable {
    const char *name; /* "readXY.B", "worker[2].r", "X", "a[3]": the key in the JSON */
    struct type type;
    bool is_reg;
    int thread, reg; /* is_reg */
    int loc, index;  /* else */
};

enum quantifier { EXISTS, NOT_EXISTS, FORALL };

struct condition {
    enum quantifier kind;
    const char *text; /* as written */
    struct pos pos;
    struct expr *prop; /* over EXPR_OBS */
};

/* An author's claim; a NULL or -1 key means "any". */
struct expectation {
    struct pos pos;
    const char *fence, *placement;
    int access; /* enum access or -1 */
    bool allowed;
};

struct test {
    struct source source;           /* source.path names the file */
    const char *name, *title, *doc; /* title, doc: NULL where absent */
    struct pos name_pos;
    struct location *locs;
    int nlocs;
    const struct located_structs *structs; /* of the locations that are members of structs; NULL: none is */
    struct body *bodies;
    int nbodies;
    struct op *ops; /* [1] to [nops]: body by body, each as stmt_walk goes through it; [0] is none */
    int nops;
    struct thread *threads;
    int nthreads;
    int nblocks; /* those of its grids, and one for each other thread; 0: no thread is of a grid */
    struct slot *slots;
    int nslots;
    int nparts; /* slots behind those: where a slot of the axis has several fences, "a.device+b.block", the further ones */
    struct condition cond;
    struct observable *obs; /* those of the condition in order of appearance, then `observe` */
    int nobs;
    enum order fence_order; /* ORDER_SC or ORDER_ACQ_REL */
    struct fence_choice *fences;
    int nfences;
    enum access *accesses;
    int naccesses;
    struct placement *placements;
    int nplacements;
    struct expectation *expects;
    int nexpects;
    const char *model; /* NULL: by backend */
    struct pos model_pos;
    const char *unjudged; /* why the model is "none", where the test says so; else NULL */
    int unroll;           /* how many turns of a loop the model follows; 0: the test does not say */
    bool no_timeouts;     /* whole kernels take clocks as 0 */
    const char
        *uncompiled; /* why a kernel of it could not be compiled, whose threads do nothing then; else NULL */
    struct pos uncompiled_pos;
    const char *
        beside; /* a file that it is read from besides its own: of a whole kernel, or of a model; else NULL */
};

/* One cell. `placement` is one of the test's, or placement_collapsed. */
struct cell {
    const struct placement *placement;
    enum access access;
    const struct fence_choice *fence;
};

/* Makes the operations of all bodies the test's ops[]. */
void test_number_ops(struct arena *a, struct test *t);
/* Whether all locations, registers and expressions are of type int. */
bool test_is_int(const struct test *t);
/* The elements of all its instances; those of a thread's own begin at which. */
int location_elements(const struct location *l);
int location_first(const struct location *l, const struct thread *th);
/* "X", "a[3]"; "s@1[3]" of the instance of block 1. */
void location_print(struct text *out, const struct location *l, int element);
/* The text in which the statements of a body are. */
const struct source *test_text_of(const struct test *t, const struct body *b);
/* Where a statement of a body is, in the arena: "line 12" of the test's file; of a whole kernel "kernel.cu:7 (header.h:152)",
 * or "kernel.ptx:40" where the PTX does not say. */
const char *body_place(struct arena *a, const struct body *b, struct pos pos);
/* The location whose memory it is: itself, unless it is a view. */
int location_root(const struct test *t, int loc);
/* The initial value of an element. */
struct value location_init(const struct location *l, int element);

/* A kernel leaves what it observed in words of 32 bits, the low one first: how many those of all observables are,
 * and their values. */
int observed_words(const struct test *t);
void observed_values(const struct test *t, const int *words, struct value *out);

/* The cells in the order placement, access, fence (fence fastest). */
struct cell *test_cells(const struct test *t, struct arena *a, int *n);

/* Whether an operation accesses a location. */
bool op_uses(const struct op *op, int loc);
/* Whether behind it an mbarrier is no longer valid. */
bool op_closes(const struct op *op);
/* What PTX calls the type of its values. */
const char *op_ptx_type(const struct op *op);
/* The caches that PTX lets a copy go through: "ca" or, where it may, "cg". */
const char *op_cache(const struct op *op);
/* How many elements, from its first on, an operation accesses at a place. */
int op_elements(const struct test *t, const struct op *op);
/* How many of them there are at a place: a copy may read fewer than it writes, or none. */
int op_elements_at(const struct test *t, const struct op *op, int place);
/* Order and scope that an operation has in a cell: resolves ORDER_BARE (the location's or the cell's access) and
 * fence slots; of an operation that is there (op_is_there). VOLATILE comes with SCOPE_SYS, WEAK with SCOPE_NONE, and so does
 * a fence whose row has neither order nor scope. */
struct strength op_strength(const struct test *t, const struct cell *cell, const struct op *op);

/* Those of what it does at a place: a source is read weakly. */
struct strength op_place_strength(const struct test *t, const struct cell *cell, const struct op *op,
                                  int place);

/* Whether a cell has an operation: a fence in a slot may not be the one that stands there. */
bool op_is_there(const struct cell *cell, const struct op *op);

/* Parses a placement by name or layout for this test. NULL and an error when it makes no sense. */
const struct placement *placement_parse(const struct test *t, struct arena *a, const char *text,
                                        struct pos pos, struct diag *d);
/* Whether a kernel begins after another one before it has ended; and whether its wait is for that. */
bool placement_follows(const struct placement *p, int kernel, int before);
bool placement_awaits(const struct placement *p, int kernel, int before);

/* Whether the scope of an event of a thread includes another thread. Each scope but SCOPE_NONE includes the thread itself. */
bool scope_includes(enum scope scope, const struct placement *p, int thread, int other);
/* The one placement of a machine that has no blocks, by a name of its own (kept, not copied): no thread is beside
 * another machine; who shares a block (for barriers), and which kernels follow each other, is taken from the test's first placement. */
const struct placement *placement_collapsed(const struct test *t, struct arena *a, const char *name);
/* Parses "none", "device", "acq_rel.device", "release=device,acquire=none" for this test. */
const struct fence_choice *fence_parse(const struct test *t, struct arena *a, const char *text,
                                       struct pos pos, struct diag *d);
/* Reads "none", a scope by either word, such a scope behind an order and a '.', or what a row calls its fence on the axis.
 * False when it is none of these. */
bool fence_find(const char *word, struct fence *out);
/* "acq_rel.device", "device" for ORDER_BARE, "none" */
const char *fence_name(struct arena *a, struct fence f);
bool fence_same(struct fence x, struct fence y);
/* The fence of a thread that has this order and scope. */
struct fence fence_of(enum order order, enum scope scope);

const char *quantifier_name(enum quantifier q); /* exists not_exists forall */

#endif
