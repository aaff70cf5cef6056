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
    CYCLE_MAX_WORDS = 32,   /* of each kind in a space */
    CYCLE_ELEMENTS = 4,     /* of an array: a power of two, more than any value */
    CYCLE_MAX_LAID_OUT = 4, /* threads: of more, not every way to share blocks is a placement */
};

enum cycle_kind { CYCLE_PO, CYCLE_FENCE, CYCLE_DATA, CYCLE_ADDR, CYCLE_CTRL, CYCLE_RF, CYCLE_CO, CYCLE_FR };
enum { CYCLE_KINDS = CYCLE_FR + 1 };

/* An edge, and the access that it leaves. */
struct cycle_edge {
    enum cycle_kind kind;
    bool external;     /* communication: between threads */
    bool same;         /* program order: of one location */
    enum order order;  /* CYCLE_FENCE: ACQ_REL or SC; BARE: a slot of the fence axis */
    enum scope scope;  /* CYCLE_FENCE that is no slot */
    bool write;        /* the access is a write */
    enum order access; /* BARE: what the axis says */
    enum scope access_scope;
};

/* Edge k leads from access k to access (k + 1) % n. Access 0 is the first of its thread. */
struct cycle {
    int n;
    struct cycle_edge edges[CYCLE_MAX];
};

/* Where the accesses are, and what they read and write. */
struct cycle_plan {
    int nthreads, nlocs;
    int thread[CYCLE_MAX], loc[CYCLE_MAX], value[CYCLE_MAX];
    int writes[CYCLE_MAX];  /* to each location */
    int element[CYCLE_MAX]; /* of each location; -1: it is no array */
};

bool cycle_is_communication(enum cycle_kind kind);

/* Reads a cycle in words. False and an error that quotes the word. */
bool cycle_parse(const char *text, struct cycle *c, struct diag *d);
/* The cycle, in words, of the shape whose name, of *length characters, a name begins with: that of MP for "MP+po+addr".
 * NULL: it begins with none. */
const char *cycle_of_family(const char *name, size_t *length);
/* Reads such a name, as cycle_name() writes it, or with one part in the plural for all threads: "SB+fences". False and an
 * error that quotes the part. */
bool cycle_by_name(const char *name, struct cycle *c, struct diag *d);
/* Writes it so that cycle_parse reads it back. */
void cycle_print(const struct cycle *c, struct text *out);

/* Whether a test can show the cycle. `why` says (static text) why not. */
bool cycle_plan(const struct cycle *c, struct cycle_plan *p, const char **why);

/* Begins with the access k. */
struct cycle cycle_rotated(const struct cycle *c, int k);
/* An order of edges, and of cycles: -1, 0 or 1. */
int cycle_compare_edges(const struct cycle_edge *x, const struct cycle_edge *y);
int cycle_compare(const struct cycle *a, const struct cycle *b);
/* Of all cycles that are the same ring the first, in that order; each begins with the first access of a thread. */
struct cycle cycle_canonical(const struct cycle *c);

/* The name of its test by the field's convention, in the arena: "MP+fence+data", "WRC". A shape without a name of
 * its own is called by its threads' accesses and the communication between them: "WW-rf-RW-co". */
const char *cycle_name(const struct cycle *c, struct arena *a);
/* The same ring, begun where its name has it. */
struct cycle cycle_named(const struct cycle *c);

/* The test, as YAML, with a placement for every way in which its threads can share blocks; of more than CYCLE_MAX_LAID_OUT
 * all in one and all apart. Nothing where no test can show the cycle. */
void cycle_write(const struct cycle *c, const char *name, struct text *out);

/* ---- all cycles ---- */

/* What cycles are made from. */
struct cycle_space {
    int accesses, threads; /* at most */
    struct cycle_edge
        edges[CYCLE_MAX_WORDS]; /* the edges within a thread: their kind, location, fence and nothing else */
    int nedges;
    struct cycle_edge strengths[CYCLE_MAX_WORDS]; /* the accesses: whether a write, and what access */
    int nstrengths;
};

/* Adds what a word such as "po", "pos", "fence", "fence.sc.device", "data", "addr", "ctrl", "rfi", "coi" or "fri" stands
 * for. False: there is no such edge, or it is there. */
bool cycle_add_edges(struct cycle_space *s, const char *word);
/* Likewise "bare", "weak", "volatile", "relaxed.device", "acquire.block", "release.system", of reads and writes as they
 * can be. */
bool cycle_add_strengths(struct cycle_space *s, const char *word);

/* Visits every cycle of the space once, in canonical form, small ones first, until `visit` returns false. Only critical
 * ones: no thread has two edges of program order in a row, and no communication stands for another (rf; fr is co).
 * Those that no test can show are left out. */
void cycle_enumerate(const struct cycle_space *s, bool (*visit)(const struct cycle *c, void *ctx), void *ctx);
/* About how many these are, without a visit: those that no test can show are among them, and a ring that is the same
 * from several of its edges counts for less than one. */
double cycle_count(const struct cycle_space *s);

#endif
