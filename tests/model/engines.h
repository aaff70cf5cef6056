/* Random programs with asynchronous copies, mbarriers, fences of proxies, clusters and launches, and a second writing of
 * what PTX allows of them: all orders of the operations on an mbarrier, all sources of all reads, all orders of writes and
 * of fence.sc, and the clauses of the text in turn.
 *
 * This is a second judge, so it shares nothing with the checker. */
#ifndef CULITMUS_TEST_ENGINES_H
#define CULITMUS_TEST_ENGINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { MOST_THREADS = 3, MOST_OPS = 16, MOST_NODES = 64, MOST_READ = 12, ELEMENTS = 2 };
enum { MOST_ENDS = 4096, MOST_TURNS = 8, MOST_WAYS = 512 };

/* Where the threads are: in one block; each in a block of its own, of one cluster or of several; each in a kernel, which
 * begins when the one before it has ended, or has let it begin. */
enum layout { ONE_BLOCK, ONE_CLUSTER, APART, IN_KERNELS, DEPENDENT, LAYOUTS };

/* Words of memory: x, the elements of g, and those of s in each block. */
enum { WORD_X, WORD_G, WORD_S = WORD_G + ELEMENTS, WORDS = WORD_S + MOST_THREADS * ELEMENTS };
enum { OBSERVED = WORD_S /* of memory */, MOST_SEEN = OBSERVED + MOST_READ };

enum order_of { WEAK_ACCESS, RELAXED, ACQUIRING, RELEASING, BOTH_WAYS, TOTAL /* of fences */ };
enum scope_of { OF_BLOCK, OF_CLUSTER, OF_DEVICE };
enum space_of { EVERYWHERE, IN_GLOBAL, IN_BLOCK, IN_CLUSTER };

enum deed {
    DO_LOAD,
    DO_STORE, /* a number, or what was loaded before */
    DO_ADD,   /* atomically */
    DO_FENCE,
    DO_PROXY_FENCE,
    DO_BARRIER, /* of the block or the cluster */
    DO_SMALL_COPY,
    DO_SMALL_COMMIT,
    DO_SMALL_WAIT,
    DO_SMALL_ARRIVE, /* when the small copies are done */
    DO_BULK_LOAD,
    DO_BULK_STORE,
    DO_BULK_ADD,
    DO_BULK_SEND,     /* to another block */
    DO_BULK_SEND_ADD, /* the same, as a reduction */
    DO_BULK_COMMIT,
    DO_BULK_WAIT,
    DO_STORE_ASYNC, /* to another block */
    DO_ADD_ASYNC,
    DO_ARRIVE,
    DO_EXPECT,
    DO_COMPLETE,
    DO_TEST,
    DO_SPIN,
    DO_AWAIT_KERNEL,
    DO_TRIGGER_NEXT,
};

struct deed_of {
    enum deed kind;
    int word, block; /* of an access; which block's memory or mbarrier */
    bool mapped;     /* by an address of the cluster */
    bool by_map;     /* a bulk copy by a tensor map, which nobody changes */
    unsigned blocks; /* into which a bulk load goes; 0: its thread's own alone */
    enum order_of order;
    enum scope_of scope;
    enum space_of space; /* of a fence; of a bulk load, what its destination is called */
    int value;           /* of a write; bytes; a parity; how many groups a wait leaves */
    int count;           /* how many arrive: 0 or 1 */
    int unread;          /* elements of a small copy, the last ones, for which it writes 0 */
    bool bytes;          /* an arrival that expects `value` bytes */
    bool flag;           /* a wait for the reads alone; an arrival that raises no count; a relaxed barrier */
    int reg;             /* of a result; -1 */
    int from;            /* the register that is stored; -1 */
};

struct engines_program {
    enum layout layout;
    int nthreads, nops[MOST_THREADS], counts[MOST_THREADS], elements, nregs;
    int topic; /* where most accesses are: 0: anywhere, 2: in g, 4: in s of the last block */
    struct deed_of ops[MOST_THREADS][MOST_OPS];
};

/* All that a program may end with: words that are observed, then registers. */
struct engines_ends {
    int seen[MOST_ENDS][MOST_SEEN], n, width;
    bool undefined; /* an mbarrier may be misused */
    bool too_many;  /* executions to go through */
};

/* Of places that the text leaves open, which reading. */
enum reading { WEAKER, STRONGER };

/* Random choices follow from a seed. */
struct engines_program engines_draw(uint64_t *random);
void engines_write(const struct engines_program *p, struct text *yaml);

void engines_run(const struct engines_program *p, enum reading reading, struct engines_ends *out);

/* The first element of an array that is accessed. */
static inline int first_element(const struct engines_program *p) {
    return ELEMENTS - p->elements;
}

static inline bool is_shared(int word) {
    return word >= WORD_S;
}

/* Which block a thread is in. */
static inline int block_of(const struct engines_program *p, int thread) {
    return p->layout == ONE_BLOCK ? 0 : thread;
}

#endif
