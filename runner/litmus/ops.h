/* The table of operations: the names and properties of each, and what it becomes. Its rows are in ops.def. */
#ifndef CULITMUS_OPS_H
#define CULITMUS_OPS_H

#include "litmus/value.h"
#include "litmus/words.h"

enum op_kind {
#define KIND(name, ...) name,
#include "litmus/kinds.def"
};
enum {
    OP_KINDS = 0
#define KIND(...) +1
#include "litmus/kinds.def"
};

/* What an operation does at one of its places. */
enum touch { TOUCH_NOTHING, TOUCH_READS, TOUCH_WRITES, TOUCH_CHANGES = TOUCH_READS | TOUCH_WRITES };
enum { OP_PLACES = 3, OP_DATA = 2 }; /* of data are the first two */

/* What holds of all operations of a kind. */
struct op_kind_row {
    const char *name; /* for messages, such as "a load" or "an atomic operation" */
    /* what it does at its places: its own, the one that a copy reads, and the mbarrier at which an engine
     * completes bytes */
    enum touch touches[OP_PLACES];
    const char *does[OP_PLACES]; /* the verb for that, such as "copies to" */
    bool afar[OP_PLACES];        /* the place may be in the shared memory of another block of the cluster */
    bool engine;                 /* an asynchronous engine does it, not the thread */
    bool returns;                /* it has a result, which goes to a register unless the program ignores it */
    bool meets;                  /* threads wait for each other there */
    bool mbarrier; /* its first place is an mbarrier; its operands and result have types of their own */
    bool idle;     /* it changes nothing that another thread, or a later turn of a loop, could notice */
};

extern const struct op_kind_row op_kinds[OP_KINDS];

/* What an exchange computes from the values of a warp's lanes, or of a block's threads. */
enum op_exchange {
#define EXCHANGE(name, ...) name,
#include "litmus/exchanges.def"
};
enum {
    OP_EXCHANGES = 0
#define EXCHANGE(...) +1
#include "litmus/exchanges.def"
};

/* Which lane's value a shuffle returns: that of lane number `lane` of the segment; of the lane so many below
 * or above; or of the lane whose number is this one's XOR `lane`. */
enum op_lane { LANE_NONE, LANE_AT, LANE_BELOW, LANE_ABOVE, LANE_CROSSED };

/* How two values are combined. */
enum op_fold { FOLD_NONE, FOLD_AND, FOLD_OR, FOLD_XOR, FOLD_ADD, FOLD_MIN, FOLD_MAX };

/* What replaces the value of a lane that has exited. */
enum op_absent {
    ABSENT_UNDEFINED,
    ABSENT_ZERO,
    ABSENT_ONE,
    ABSENT_ALL_BITS,
    ABSENT_LEAST,
    ABSENT_GREATEST,
    ABSENT_UNLIKE, /* a value different from that of every lane */
};

struct op_exchange_row {
    const char *name;
    enum op_lane lane; /* the result is the value of this lane */
    bool common;       /* all threads that meet get the same result */
    bool lanes;        /* the result has a bit for each lane */
    bool matches;      /* a bit is set if that lane has the thread's own value */
    bool whole;        /* the result is 0 unless all lanes have it */
    bool active;       /* of the lanes that happen to run the instruction together */
    enum op_fold fold;
    enum op_absent absent;
};

extern const struct op_exchange_row op_exchanges[OP_EXCHANGES];

enum { WARP_LANES = 32 };

enum barrier_kind {
    BARRIER_WARP,    /* the test's threads in the warp */
    BARRIER_CTA,     /* the test's threads in the block */
    BARRIER_CLUSTER, /* the test's threads in the cluster */
};

/* The proxy through which an access goes to memory, or which a fence orders with accesses through the generic
 * proxy (PTX ISA, "Proxies"). */
enum proxy {
    PROXY_GENERIC,
    PROXY_READ_ONLY, /* ld.global.nc */
    PROXY_ALIAS,     /* through another virtual address */
    PROXY_ASYNC,     /* data of bulk copies */
    PROXY_TENSORMAP, /* the map of a tensor copy */
    PROXY_TEXTURE,
    PROXY_SURFACE,
    PROXY_CONSTANT,
    PROXY_INIT, /* of fences only: they order initialisations of mbarriers */
};

/* The kinds of asynchronous engines. Each has groups of its own, which a thread closes and waits for. */
enum engine {
    ENGINE_NONE,
    ENGINE_COPY, /* cp.async: all elements are read, then written */
    ENGINE_BULK, /* cp.async.bulk: each element is read and written by itself */
    ENGINES
};

/* What an operation does to the state of an mbarrier (PTX ISA, "mbarrier"). */
enum counting {
    COUNT_OPENS = 1,     /* it becomes valid, with a number of arrivals for each phase */
    COUNT_CLOSES = 2,    /* it becomes invalid */
    COUNT_EXPECTS = 4,   /* the phase waits for so many more bytes */
    COUNT_COMPLETES = 8, /* the phase waits for so many fewer bytes */
    /* the phase waits for so many fewer arrivals; for one if the operation also expects bytes */
    COUNT_ARRIVES = 16,
    COUNT_DROPS = 32,   /* later phases wait for fewer arrivals, too */
    COUNT_RAISES = 64,  /* the phase first waits for one more arrival */
    COUNT_TRACKS = 128, /* an engine arrives when the copies that its thread started before are done */
    /* it is not to complete the phase; its token knows for how many arrivals the phase waited */
    COUNT_STAYS = 256,
    COUNT_LOOKED = 512, /* of an event: the program asks for something that its token does not know */
};

/* Which types an operation takes, and how PTX writes them. */
enum op_types {
    TYPES_NONE,
    TYPES_ANY,      /* s32, v4.s32 */
    TYPES_SUM,      /* integers of 32 and 64 bits, floats: s32 u32 u64 f32 */
    TYPES_ORDERED,  /* integers of 32 and 64 bits: s32 u64 */
    TYPES_COUNT,    /* u32, also of a signed integer */
    TYPES_BITS,     /* integers of 32 and 64 bits: b32 */
    TYPES_SWAP,     /* scalars of 32, 64 and 128 bits: b32 */
    TYPES_COMPARED, /* and 16 bits */
    TYPES_SENT,     /* scalars of 32 and 64 bits, and vectors of them: s32, v4.f32 */
    TYPES_COPIED,   /* any type; the copy has a size of its own */
    TYPES_MBARRIER, /* 64 bits in shared memory */
};

enum op_name {
#define ROW(name, ...) name,
#include "litmus/ops.def"
    OP_COUNT
};

/* A way to call an operation. The text "store(X, value, order, scope)" names its arguments:
 *
 *   X                   a place
 *   value, desired      what is stored
 *   expected            what a compare-exchange expects
 *   order, scope        those of the operation; without them it has those given here
 *   name                a slot of the fence axis; it may be missing
 *   zero                what is stored: 0
 *   Y, size             the place that a copy reads, and its bytes
 *   B                   the mbarrier that a copy tells of its end
 *   blocks              the ranks of the blocks to which it goes, as bits
 *   space_global        a tag, which is written as it stands here
 *   coords              where in its array a copy by a tensor map begins
 *   array               to which a tensor map is to lead
 *   groups              how many groups of copies a wait leaves
 *   time                a number of nanoseconds
 *   mask                the lanes that meet; that of a barrier may be missing
 *   word, predicate     what a lane gives to an exchange
 *   lane, width         as in CUDA; the width may be missing
 *   all                 a register that is set to whether all lanes gave the same
 *   sem, space          of an mbarrier, behind which its scope stands: these three may be missing
 *   count, bytes        how many arrive, which may be missing: 1; and how much is to come
 *   state, parity       of the phase that is waited for */
struct op_call {
    const char *usage; /* NULL: there are no more */
    enum order order;
    enum scope scope;
};

enum { OP_MAX_CALLS = 5, OP_MAX_GROUPS = 7, OP_MAX_BYTES = 4096 };

struct op_row {
    enum op_name name;
    enum op_kind kind;
    enum op_types types;
    const char *word; /* in a table, and in names of generated functions */
    struct op_call calls[OP_MAX_CALLS + 1];
    unsigned orders;     /* 1 << order, of those that it may have; 0: it has no order and scope of its own */
    const char *ptx;     /* pattern; NULL: it is judged by the model only */
    const char *machine; /* kinds of instructions that ptxas makes of it: "LDG LD LDS" */
    const char *machine_word; /* and a part of their names, or NULL */
    const char *machine_end;  /* it is two instructions, of which this is the second; NULL: it is one */
    const char
        *machine_met; /* stand in its place where all lanes have come already, or a kernel was not launched as
                               * clusters; NULL: nothing does */
    enum scope machine_scope; /* of a weak access: ptxas makes one of it that is strong at this scope */
    const char *axis;         /* of a fence without order and scope: what the fence axis calls it */
    const char *cache;        /* the cache operator of a load or a store: "cg"; NULL: none */
    const char *c;            /* pattern of a C expression; NULL: a loop around compare-exchange */
    const char *value;        /* what is left in memory, in C */
    bool negated;             /* PTX gets the negated operand */
    enum proxy proxy;
    unsigned spaces; /* 1 << space, of the locations that a fence of the async proxy is about; 0: of all */
    bool reads;      /* ... is about the thread's own reads alone, of the generic accesses */
    bool own;        /* ... those in shared memory only of its block */
    enum barrier_kind barrier;
    enum op_exchange exchange;
    bool arrive_only;
    bool wait_only;       /* a barrier: for the opening that the thread has arrived at */
    enum engine engine;   /* a copy, a commit, a wait: whose */
    unsigned to, from;    /* 1 << space, of the memory that a copy writes and reads */
    int multiple;         /* a copy takes any multiple of so many bytes; 0: 4, 8 or 16 */
    bool waits_for_all;   /* a wait, for copies that are in no group as well */
    bool waits_for_reads; /* a wait, for no more than that copies have read */
    unsigned counts;      /* of an mbarrier: a set of enum counting */
    bool tensor;          /* a copy by a tensor map, which is a place of it */
    bool maps;            /* its place is a tensor map */
    const char *judged;   /* why it is judged, and not run; NULL: it is run */
    bool parity;          /* a wait for the phase of a parity; else for that of a token */
    int since;            /* the compute capability that has it, 80 for 8.0; 0: all have */
    int before; /* the first one that has it no more, but a call of the driver's; 0: all later ones have */
    unsigned later; /* 1 << order, of those to which `since` applies; 0: to all */
};

extern const struct op_row op_rows[OP_COUNT];

/* By the name of a call, behind which its tags may stand: "cp_async_bulk(space_global, space_shared"; *call
 * is the one. Of several, the one that takes so many arguments, or else the first. NULL: there is none. */
const struct op_row *op_find_call(const char *name, int arguments, const struct op_call **call);
/* How many arguments it takes, without its tags. */
int op_call_arguments(const struct op_call *call);
enum { ANY_ARGUMENTS = -1 };
/* Whether the call's text has this argument. */
bool op_call_has(const struct op_call *call, const char *argument);
/* The call's name, which ends before its first parenthesis, has so many characters; and with its tags. */
int op_call_length(const struct op_call *call);
int op_call_key(const struct op_call *call);
/* Whether an argument is a tag, which stands before all others. */
bool op_is_tag(const char *argument);
/* The compute capability that has the operation in this order, of values of this type: 80 for 8.0; 0: all
 * have. */
int op_since(enum op_name name, enum order order, struct type t);
/* Whether a device of this compute capability has it. */
bool op_is_had(int cc, enum op_name name, enum order order, struct type t);
/* What an atomic operation leaves in memory (`expected` is read by compare-exchange only). */
struct value op_value(enum op_name name, struct type t, struct value old, struct value operand,
                      struct value expected);
/* What a location must be for the operation (PTX ISA, "atom"), which one of this type is not: "a scalar";
 * else NULL. */
const char *op_needs(enum op_types types, struct type t);
/* What PTX calls a type there: "s32", "b64"; "" of TYPES_NONE. */
const char *op_type_ptx(enum op_types types, struct type t);

#endif
