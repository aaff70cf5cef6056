/* Critical cycles: the shapes that litmus tests are made from.
 *
 * A cycle is a ring of accesses. Each edge leads from one access to the next: program order within a thread
 * (with a fence or a dependency, perhaps), or communication, mostly between threads: reads-from, coherence,
 * from-read. An execution that has all edges of a cycle is not sequentially consistent, so the cycle's outcome
 * shows that some edge was relaxed (Shasha and Snir 1988; Alglave, Maranget, Sarkar, Sewell: "Fences in Weak
 * Memory Models", 2010, whose names of edges are used here).
 *
 * In words, an edge an item, what an access is between its two edges:
 *
 *   PodWR PosRR          program order between different locations, of one location; from a write, to a read
 *   FencedWW             the same with a slot of the fence axis between
 *   Fence.sc.devicedWW   ... with this fence between: acq_rel or sc, block, cluster, device or system
 *   DpDatadRW DpAddrdRR DpCtrldRW   ... with a dependency on the value that was read
 *   Rfe Coe Fre          communication between threads; Rfi Coi Fri within one
 *   Rlx.device Acq.block Rel.system Wk Vol   what the access between two edges is; else the axis `access` says
 */
#ifndef CULITMUS_CYCLE_H
#define CULITMUS_CYCLE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "litmus/program.h"

enum {
    CYCLE_MAX = 16,         /* accesses */
    CYCLE_MAX_WORDS = 32,   /* words of each kind in a space */
    CYCLE_ELEMENTS = 4,     /* elements of an array: a power of two, more than any value that is written */
    CYCLE_MAX_LAID_OUT = 4, /* with more threads, not every way to share blocks becomes a placement */
};

enum cycle_kind { CYCLE_PO, CYCLE_FENCE, CYCLE_DATA, CYCLE_ADDR, CYCLE_CTRL, CYCLE_RF, CYCLE_CO, CYCLE_FR };
enum { CYCLE_KINDS = CYCLE_FR + 1 };

/* An edge, and the access from which it leads. */
struct cycle_edge {
    enum cycle_kind kind;
    bool external;     /* communication: it leads to another thread */
    bool same;         /* program order: both accesses are of one location */
    enum order order;  /* of a CYCLE_FENCE: ACQ_REL or SC; BARE: a slot of the fence axis */
    enum scope scope;  /* of a CYCLE_FENCE that is no slot */
    bool write;        /* the access is a write */
    enum order access; /* BARE: the access axis decides */
    enum scope access_scope;
};

/* Edge k leads from access k to access (k + 1) % n. Access 0 is the first of its thread. */
struct cycle {
    int n;
    struct cycle_edge edges[CYCLE_MAX];
};

/* Where the accesses of a cycle are, and which values they read and write. */
struct cycle_plan {
    int nthreads, nlocs;
    int thread[CYCLE_MAX], loc[CYCLE_MAX], value[CYCLE_MAX];
    int writes[CYCLE_MAX];  /* of each location: how many writes it has */
    int element[CYCLE_MAX]; /* of each location: the element that is accessed; -1: it is no array */
};

bool cycle_is_communication(enum cycle_kind kind);

/* Reads a cycle in words. Returns false and leaves an error that quotes the wrong word. */
bool cycle_parse(const char *text, struct cycle *c, struct diag *d);
/* Returns the cycle, in words, of the named shape with which a name begins: that of MP for "MP+po+addr".
 * *length is the length of the shape's name. NULL: the name begins with no shape. */
const char *cycle_of_family(const char *name, size_t *length);
/* Reads a cycle from its name, as cycle_name() writes it, or with one part in the plural for all threads:
 * "SB+fences". Returns false and leaves an error that quotes the wrong part. */
bool cycle_by_name(const char *name, struct cycle *c, struct diag *d);
/* Writes a cycle in words, as cycle_parse reads it. */
void cycle_print(const struct cycle *c, struct text *out);

/* Whether a test can show the cycle; if so, fills in the plan, else *why (static text). */
bool cycle_plan(const struct cycle *c, struct cycle_plan *p, const char **why);

/* Returns the same ring begun at access k. */
struct cycle cycle_rotated(const struct cycle *c, int k);
/* Compares two edges, or two cycles: -1, 0 or 1. */
int cycle_compare_edges(const struct cycle_edge *x, const struct cycle_edge *y);
int cycle_compare(const struct cycle *a, const struct cycle *b);
/* Returns the ring begun at the first access of a thread, such that it comes first in the order of
 * cycle_compare. Equal rings give equal cycles. */
struct cycle cycle_canonical(const struct cycle *c);

/* Returns the name of the cycle's test by the field's convention, in the arena: "MP+fence+data", "WRC". A
 * shape without a name of its own is written as the accesses of its threads with the communication between
 * them: "WW-rf-RW-co". */
const char *cycle_name(const struct cycle *c, struct arena *a);
/* Returns the same ring, begun where its name begins it. */
struct cycle cycle_named(const struct cycle *c);

/* Writes the test as YAML, with a placement for each way to share blocks among its threads; with more than
 * CYCLE_MAX_LAID_OUT threads only all in one block, and each in its own. Writes nothing if no test can show
 * the cycle. */
void cycle_write(const struct cycle *c, const char *name, struct text *out);

/* ---- all cycles ---- */

/* The edges and accesses from which cycles are made. */
struct cycle_space {
    int accesses, threads; /* at most */
    struct cycle_edge
        /* the edges within a thread: their kind, location and fence; other fields are not used */
        edges[CYCLE_MAX_WORDS];
    int nedges;
    struct cycle_edge strengths[CYCLE_MAX_WORDS]; /* the accesses: read or write, and their order and scope */
    int nstrengths;
};

/* Adds the edges for a word such as "po", "pos", "fence", "fence.sc.device", "data", "addr", "ctrl", "rfi",
 * "coi" or "fri". Returns false if there is no such edge, or it was added before. */
bool cycle_add_edges(struct cycle_space *s, const char *word);
/* Adds the accesses for a word such as "bare", "weak", "volatile", "relaxed.device", "acquire.block" or
 * "release.system": for reads, writes or both, whichever can have that order. */
bool cycle_add_strengths(struct cycle_space *s, const char *word);

/* Calls `visit` for every critical cycle of the space once, in canonical form, small ones first, until it
 * returns false. In a critical cycle no thread has two edges of program order in a row, and no two
 * communications in a row stand for a single one, as rf; fr does for co. Cycles that no test can show are
 * left out. */
void cycle_enumerate(const struct cycle_space *s, bool (*visit)(const struct cycle *c, void *ctx), void *ctx);
/* Returns about how many cycles that is, without making them. Cycles that no test can show are counted, too;
 * a ring that looks the same from several of its edges counts for less than one. */
double cycle_count(const struct cycle_space *s);

#endif
