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
enum { TEST_MAX_WORDS = 4 * TEST_MAX_OBS }; /* 32-bit words of what is observed */
enum { TEST_MAX_UNROLL = 1000000 };

struct location {
    const char *name;
    struct pos pos;
    struct type type; /* of an element */
    struct value init;
    const struct value *inits; /* of each element, if they differ; else NULL */
    /* number of elements; 1: a plain variable, unless it is an `array`; 0: not known because of an error */
    int count;
    int inner[2]; /* 2 and 3 of s[4][2][3]; 0: it has no such dimension */
    /* 1; or how many blocks have one of their own: the elements of each follow those of the block before */
    int instances;
    bool declared; /* by __shared__ in a body */
    bool array;
    bool packed;     /* its elements lie side by side: the test says so, or some copy takes several of them */
    bool restricted; /* some body has it as const and __restrict__, first at restricted_pos */
    struct pos restricted_pos;
    enum space space;
    bool has_access; /* it has an access of its own, which the axis does not change */
    enum access access;
    int gpu;   /* the number of the GPU that has it, from 0 */
    bool view; /* it has no memory of its own: its bytes are those of location `of`, from byte `at` on */
    int of, at;
    bool unknown; /* its initial value is not known, so no thread may read it */
    bool map;     /* a tensor map: its value is the number of the array to which it leads (copy.h) */
    bool in_each; /* a view of these bytes in each element of `of` */
    bool member;  /* such a view that is a member of a struct */
    bool alias;   /* a view with a virtual address of its own */
    /* of a view: the location whose virtual address it has; other locations have addresses of their own */
    int va;
    int grain; /* the size of the parts in which it shares bytes with other locations; 0: it shares none */
    const char *ptx;  /* its name in the PTX of a whole kernel; NULL: it is not from a kernel */
    uint64_t address; /* its address for the threads of whole kernels; 0: the test has no such threads */
};

/* One running thread of the test. */
struct thread {
    const char *name; /* "writeXY", "worker[2]" or "kernel[1][3]" */
    const struct body *body;
    int tid;   /* 0..body->count-1 */
    int block; /* the number of its block in the test, if that has grids */
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
    int kernel; /* the number of its kernel, in the order of the stream */
};

struct placement {
    const char *name; /* "block", or a layout "T0 T1 | T2"; "cpu" on the CPU backend */
    struct pos pos;
    const struct seat *seats; /* of each thread */
    int ngpus, nclusters, nblocks, nwarps, nhost;
    int nkernels;              /* 1 if the layout names none */
    const enum launch *launch; /* of each kernel; that of the first means nothing */
    bool collapsed;            /* the seats mean nothing, because a CPU has no blocks */
    bool one_sm;               /* the blocks share a multiprocessor; else they are on different ones */
};

struct strength {
    enum order order;
    enum scope scope;
};

/* What is in a slot: nothing, or the fence of a row, with order and scope if the row has them. */
struct fence {
    bool there;
    enum op_name name;
    enum order order; /* ORDER_BARE: the test's fence_order */
    enum scope scope;
};

/* One column of the fence axis: what is in each slot. */
struct fence_choice {
    const char
        *name; /* "none", "device", "acquire.block+sc.device", "release=device,acquire=none", "as-written" */
    struct fence slot[TEST_MAX_SLOTS];
};

struct slot {
    const char *name; /* NULL: it is written fence() */
    struct pos pos;
    /* of a further part of a slot: that slot, behind whose operations it stands, and its number from 1 */
    int of, part;
};

/* A register, or the final value of a location, in the histogram. */
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
    const char *text; /* the expression as written */
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
    struct op *ops; /* numbered from 1 to nops, body by body, in the order of stmt_walk; ops[0] is none */
    int nops;
    struct thread *threads;
    int nthreads;
    int nblocks; /* the blocks of its grids, and one for each other thread; 0: no thread is of a grid */
    struct slot *slots;
    int nslots;
    /* how many slots follow those: one for each further fence in a slot, as in "a.device+b.block" */
    int nparts;
    struct condition cond;
    struct observable *obs; /* first those of the condition in order of appearance, then those of `observe` */
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
    const char *model; /* NULL: it depends on the backend */
    struct pos model_pos;
    const char *unjudged; /* why the model is "none", if the test says so; else NULL */
    int unroll;           /* how many turns of a loop the model follows; 0: the test does not say */
    bool no_timeouts;     /* in whole kernels clocks always return 0 */
    const char
        *uncompiled; /* why a kernel of it could not be compiled, whose threads then do nothing; else NULL */
    struct pos uncompiled_pos;
    /* Another file from which it is read: that of a whole kernel or of a model; else NULL. */
    const char *beside;
};

/* One cell. `placement` is one of the test's, or placement_collapsed. */
struct cell {
    const struct placement *placement;
    enum access access;
    const struct fence_choice *fence;
};

/* Makes the test's ops[] from the operations of all bodies. */
void test_number_ops(struct arena *a, struct test *t);
/* Whether all locations, registers and expressions are of type int. */
bool test_is_int(const struct test *t);
/* Returns the number of elements of all its instances. The other returns where those of a thread's own
 * instance begin. */
int location_elements(const struct location *l);
int location_first(const struct location *l, const struct thread *th);
/* Writes "X" or "a[3]"; "s@1[3]" for the instance of block 1. */
void location_print(struct text *out, const struct location *l, int element);
/* Returns the text with the statements of a body. */
const struct source *test_text_of(const struct test *t, const struct body *b);
/* Returns where a statement of a body is, in the arena: "line 12" of the test's file; for a whole kernel
 * "kernel.cu:7 (header.h:152)", or "kernel.ptx:40" if the PTX does not say. */
const char *body_place(struct arena *a, const struct body *b, struct pos pos);
/* Returns the location that has the memory: this one, or what it is a view of. */
int location_root(const struct test *t, int loc);
/* Returns the initial value of an element. */
struct value location_init(const struct location *l, int element);

/* A kernel stores what it observed as words of 32 bits, the low word first. These return how many words all
 * observables take, and their values. */
int observed_words(const struct test *t);
void observed_values(const struct test *t, const int *words, struct value *out);

/* Returns the cells in the order placement, access, fence (fence fastest). */
struct cell *test_cells(const struct test *t, struct arena *a, int *n);

/* Whether an operation accesses a location. */
bool op_uses(const struct op *op, int loc);
/* Whether an mbarrier is no longer valid behind the operation. */
bool op_closes(const struct op *op);
/* Returns the PTX type of the operation's values. */
const char *op_ptx_type(const struct op *op);
/* Returns the cache operator of a copy in PTX: "cg" if it may bypass the L1 cache, else "ca". */
const char *op_cache(const struct op *op);
/* Returns how many elements an operation accesses, from its first one on. */
int op_elements(const struct test *t, const struct op *op);
/* Returns how many elements it accesses at a place: a copy may read fewer than it writes, or none. */
int op_elements_at(const struct test *t, const struct op *op, int place);
/* Returns the order and scope of an operation in a cell that has it (op_is_there). Resolves ORDER_BARE (the
 * access of the location or the cell) and fence slots. VOLATILE comes with SCOPE_SYS, WEAK with SCOPE_NONE,
 * and so does a fence whose row has neither order nor scope. */
struct strength op_strength(const struct test *t, const struct cell *cell, const struct op *op);

/* Returns the order and scope of what it does at a place: the source of a copy is read weakly. */
struct strength op_place_strength(const struct test *t, const struct cell *cell, const struct op *op,
                                  int place);

/* Whether a cell has an operation: another fence, or none, may be in its slot. */
bool op_is_there(const struct cell *cell, const struct op *op);

/* Parses a placement by name or layout for this test. NULL and an error when it makes no sense. */
const struct placement *placement_parse(const struct test *t, struct arena *a, const char *text,
                                        struct pos pos, struct diag *d);
/* Whether a kernel begins only when an earlier one has ended; and whether its wait is for that one. */
bool placement_follows(const struct placement *p, int kernel, int before);
bool placement_awaits(const struct placement *p, int kernel, int before);

/* Whether the scope of a thread's event includes another thread. Each scope except SCOPE_NONE includes the
 * thread itself. */
bool scope_includes(enum scope scope, const struct placement *p, int thread, int other);
/* Returns the one placement of a machine without blocks, with this name (which is not copied). No thread is
 * beside another machine. Which threads share a block, for barriers, and which kernels follow each other is
 * taken from the test's first placement. */
const struct placement *placement_collapsed(const struct test *t, struct arena *a, const char *name);
/* Parses "none", "device", "acq_rel.device", "release=device,acquire=none" for this test. */
const struct fence_choice *fence_parse(const struct test *t, struct arena *a, const char *text,
                                       struct pos pos, struct diag *d);
/* Reads "none", a scope in CUDA's or PTX's words, such a scope behind an order and a '.', or a row's name for
 * its fence. Returns false when it is none of these. */
bool fence_find(const char *word, struct fence *out);
/* Returns "acq_rel.device", "device" for ORDER_BARE, or "none". */
const char *fence_name(struct arena *a, struct fence f);
bool fence_same(struct fence x, struct fence y);
/* Returns the fence of a thread with this order and scope. */
struct fence fence_of(enum order order, enum scope scope);

const char *quantifier_name(enum quantifier q); /* exists not_exists forall */

#endif
