/* The PTX memory model a second time, written from its definitions alone: no cat, no pruning, no cleverness.
 * All sources of all reads, all partial coherence orders, all orders of the fence.sc; then the axioms. For
 * the small programs that the interpreter is held against. */
#ifndef CULITMUS_TEST_BRUTE_H
#define CULITMUS_TEST_BRUTE_H

#include <stdbool.h>
#include <stdint.h>

enum { BRUTE_BYTES = 8 /* of location 0, where sizes are mixed */ };
enum { BRUTE_MAX_THREADS = 5, BRUTE_MAX_OPS = 8, BRUTE_LOCS = 2, BRUTE_MAX_OBS = 24 };

enum brute_kind {
    BRUTE_LOAD,
    BRUTE_STORE,
    BRUTE_ADD,
    BRUTE_EXCH,
    BRUTE_CAS,
    BRUTE_FENCE,
    BRUTE_BARRIER,
    BRUTE_COPY,
    BRUTE_COMMIT,
    BRUTE_WAIT,
    BRUTE_EXIT,
    BRUTE_MEET, /* at a barrier for `value` threads, each a warp */
    BRUTE_SWAP  /* threads 0 and 1, which sit in one warp, give each other what `source` read, or `value` */
};
/* What a store that has a source makes of what that read. */
enum brute_use {
    BRUTE_IS_STORED, /* or its guard */
    BRUTE_CANCELS,   /* `value` plus what is always 0 */
    BRUTE_SAME_WAYS, /* both ways of an `if` store `value` */
    BRUTE_OTHER_WAY  /* if it is `value`, this is stored; else 3 - value */
};
enum brute_order { BRUTE_WEAK, BRUTE_RELAXED, BRUTE_ACQUIRE, BRUTE_RELEASE, BRUTE_ACQ_REL, BRUTE_SC };
enum brute_scope { BRUTE_CTA, BRUTE_GPU, BRUTE_SYS };

struct brute_op {
    enum brute_kind kind;
    enum brute_order order;
    enum brute_scope scope;
    int loc;
    int value;    /* stored, added or exchanged in; of a vector, the first element's: the other has 2 more */
    int expected; /* by a CAS */
    int source;   /* a store: of the value that operation `source` of the thread read; -1: of `value` */
    enum brute_use use;
    bool guarded; /* a store: under `if` the value that operation `source` read is `value` */
    bool arrives; /* a MEET: does not wait */
    bool red;     /* an ADD or EXCH: returns nothing */
    int from;     /* a COPY: the location it reads; it writes `loc` */
    /* an EXIT: if the value that operation `source` read is `value`, the thread ends here */
    int at, bytes; /* in a program of mixed sizes, of the 8 bytes of location 0: which are accessed; else 0 */
    int pending;   /* a WAIT: groups of copies that need not be complete; -1: waits for every copy */
};

/* A program. Every operation that returns what it read has its own register. */
struct brute_program {
    int nthreads;
    int nops[BRUTE_MAX_THREADS];
    struct brute_op ops[BRUTE_MAX_THREADS][BRUTE_MAX_OPS];
    int block[BRUTE_MAX_THREADS], gpu[BRUTE_MAX_THREADS];
    int grain; /* bytes; of mixed sizes: all accesses to location 0 are of a multiple of it. 0: of no program else */
    bool counts; /* location 0 is a counter: of no matter to brute_run */
    bool vector; /* location 0 has two elements, which are only loaded and stored, and both at once */
};

/* Whether an operation returns what it read; whether a location is a vector. */
bool brute_returns_value(const struct brute_op *o);
bool brute_is_vector(const struct brute_program *p, int loc);

/* The number that a `value` of an operation stands for: of mixed sizes every byte has it, so that a torn one is seen. */
int64_t brute_number(const struct brute_op *o, int value);

/* Random programs, which follow from the seed. The last says where the threads sit, from the first on: beside the one
 * before, in a block of its own, or on a GPU of its own. */
void brute_random_seed(uint64_t to);
void brute_random_program(struct brute_program *p);
void brute_random_exits(struct brute_program *p);
void brute_random_vectors(struct brute_program *p);
void brute_random_message(struct brute_program *p);
void brute_random_counters(struct brute_program *p);
void brute_random_rounds(struct brute_program *p);
void brute_random_copies(struct brute_program *p);
void brute_random_sizes(struct brute_program *p);
void brute_random_views(struct brute_program *p);
void brute_random_atomics(struct brute_program *p);
void brute_random_swaps(struct brute_program *p);
void brute_random_meetings(struct brute_program *p);
void brute_random_seats(struct brute_program *p, bool together);

/* Which use of its barrier each MEET is of. */
struct brute_meeting {
    int use[BRUTE_MAX_THREADS][BRUTE_MAX_OPS];
};

/* Every way in which the threads can meet so that none waits for ever. Overwritten by the next call. */
const struct brute_meeting *brute_meetings(const struct brute_program *p, int *n);

/* Outcomes: the registers in program order, thread by thread, then the final value of every location; an element
 * of a vector after the other. */
struct brute_outcomes {
    int nobs, n, cap;
    /* Operations that race in some execution, the one of the smaller number first: they are numbered by thread. */
    bool races[BRUTE_MAX_THREADS * BRUTE_MAX_OPS][BRUTE_MAX_THREADS * BRUTE_MAX_OPS];
    bool undefined; /* accesses that share bytes, but are not of the same ones, race in some execution */
    int64_t *values;
};

void brute_run(const struct brute_program *p, struct brute_outcomes *out);
/* Of a program of nothing but atomic operations and barriers, adds the outcomes that the operations have when they take
 * turns, in whatever order. False of another one. */
bool brute_take_turns(const struct brute_program *p, struct brute_outcomes *out);
/* Leaves of each outcome only the values whose bits are in `observed`. */
void brute_project(struct brute_outcomes *out, unsigned observed);
void brute_free(struct brute_outcomes *out);
void brute_add(struct brute_outcomes *out, const int64_t *values);
bool brute_has(const struct brute_outcomes *out, const int64_t *values);

#endif
