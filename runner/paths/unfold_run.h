/* A path under construction (unfold_path.c), and what its makers share: unfold.c goes from instruction to instruction,
 * unfold_op.c and unfold_meet.c make events of operations, and unfold_loop.c says when the turns of a loop end. */
#ifndef CULITMUS_UNFOLD_RUN_H
#define CULITMUS_UNFOLD_RUN_H

#include "paths/unfold.h"

/* The state of a run when it passed a place of a loop where turns are compared. It never changes, so copies
 * of a run share it. */
struct passage {
    const struct passage *last;   /* the passage of the turn before; or NULL */
    const struct passage *before; /* `last`, if the run wrote nothing and passed no barrier since; or NULL */
    int writes, events, guards, reads, steps; /* how many of each the run had */
    const struct sym **cells;                 /* what the registers held */
    const struct reads *written; /* register -> the reads from which the text computed it; or NULL */
};

/* Where a run is in a loop. */
struct turn {
    bool inside;
    bool counted; /* since the head, a guard decided whether there is another turn */
    int turns;    /* that were counted */
    int guards;   /* how many the path had at the head */
    /* The last passage of the head, and of code_loop.look; or NULL. */
    const struct passage *at_head, *at_look;
};

/* A path under construction. */
struct unfold_run {
    int pc, from; /* from: the instruction before, or -1 */
    int steps;
    struct path path;
    int event_cap;
    int writes;               /* how many events others can notice */
    int step;                 /* of the thread: that of the next event */
    int engines;              /* how many were started */
    int group[ENGINES];       /* of copies: the one that is not yet committed */
    const struct sym **cells; /* what the registers hold */
    struct reads *written;    /* register -> the reads from which the text computes it; or NULL */
    struct reads branched; /* the reads from which the text computes the branches that the path has passed */
    struct turn *turns;    /* one a loop */
    /* How it ends, since it has passed an access that leads nowhere; PATH_DONE: it has not. */
    enum path_end strayed;
    int writes_before;    /* `writes` at that access */
    const char *overflow; /* why it has become too large; or NULL */
    struct unfold_run *next;
};

struct unfolder {
    const struct test *test;
    const struct cell *cell;
    const struct thread *thread;
    int number; /* of the thread */
    const struct code *code;
    const bool *polls; /* loops in which all who meet poll together: poll.h */
    int unroll;
    unsigned without; /* prunings that are switched off */
    bool syntactic;   /* dependencies of the text are kept */
    struct search_budget *budget;
    struct arena *arena;
    struct diag *diag;
    struct unfold_run *pending;
    struct unfolding *out;
    int cap;
    int forks;
    bool counted; /* some loop has taken a turn that is counted */
    bool failed;
};

/* The reads from which the text computes an expression (unfold_written.c). */
struct reads unfold_written(const struct unfold_run *r, const struct expr *e);
/* The dependencies of an event in the text; NULL where they do not matter. */
const struct written *unfold_written_event(struct unfolder *u, const struct unfold_run *r,
                                           enum event_kind kind, const struct op *op);
/* Sets those of the store of one lane of a vector, which depends on the expression of that lane alone. */
void unfold_written_lane(struct unfolder *u, const struct unfold_run *r, struct event *store,
                         const struct expr *value, int lane, int lanes);
/* Notes the reads from which an operation's result is computed; and those from which a branch is. */
void unfold_written_result(struct unfold_run *r, const struct op *op, const struct sym *value);
void unfold_written_branch(struct unfold_run *r, const struct expr *e);
/* Whether the text computes each register that still matters from all the reads from which it computed it at
 * a passage. */
bool unfold_written_since(const struct code *code, const struct unfold_run *r, const struct passage *then);

/* The value of an expression, as far as the run knows it. */
const struct sym *unfold_value(struct unfolder *u, const struct unfold_run *r, const struct expr *e);

/* Adds the guard that a term is not zero (`holds`), or that it is. False when the term is a number or has a
 * guard already, and is not so. */
bool unfold_assume(struct unfolder *u, struct unfold_run *r, const struct sym *s, bool holds);
/* Adds a guard that says whether an atomic operation writes what it found (`same`), so that turns which write
 * nothing new are told from others. */
void unfold_assume_quiet(struct unfolder *u, struct unfold_run *r, const struct sym *same, bool holds);

/* A copy of a run; unfold_later puts a run first among those that are still to be followed. */
struct unfold_run *unfold_fork(struct unfolder *u, const struct unfold_run *r);
void unfold_later(struct unfolder *u, struct unfold_run *r);

/* Makes a path of the run. But if it has gone astray, and others notice nothing of what it has done since,
 * the path that was made there is enough. */
void unfold_end(struct unfolder *u, struct unfold_run *r, enum path_end end);

/* An access leads nowhere, or is not aligned: makes a path that ends there, with its location and index. Then
 * lets the run go on behind the access, to the end or to the next turn of a loop: what stands there may
 * happen before the access. */
void unfold_stray(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, enum path_end end,
                  int loc, const struct sym *index);

/* The paths are not all. */
void unfold_give_up(struct unfolder *u, const char *why);

/* Adds an event of the thread's present step. */
struct event *unfold_event(struct unfolder *u, struct unfold_run *r, enum event_kind kind,
                           const struct stmt *stmt);

/* The reads on which a value depends, under the guards of the path so far. */
struct reads unfold_needs(const struct unfolder *u, const struct unfold_run *r, const struct sym *value);

/* Gives the register of an operation's result its value. */
void unfold_set_result(struct unfold_run *r, const struct op *op, const struct sym *value);

/* The events of a barrier or an exchange. False when the run was replaced by others. */
bool unfold_meet(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt);

/* The events of an operation on an mbarrier, which is an element of a location; the result of a pending
 * count, which has no event; and one COUNT event. */
void unfold_mbarrier(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc, int element);
void unfold_pending(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt);
struct event *unfold_count(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc,
                           int element, unsigned counts, int amount);

/* The events of an operation. False when the run ended or was replaced by others. */
bool unfold_op(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt);

/* Compares and counts the turns of loops for which this is the place. False when the run ends here. */
bool unfold_loops(struct unfolder *u, struct unfold_run *r);

/* Whether the turn that ends here, and began at the passage `last`, could have followed the earlier passage
 * `from` at once, without the turns between (unfold_repeat.c). */
bool unfold_repeats(struct unfolder *u, const struct unfold_run *r, const struct passage *last,
                    const struct passage *from);

/* The normal form of a guard: `!a` becomes a, and `a != b` becomes a == b; each turns `holds` around. */
const struct sym *unfold_normal(struct arena *a, const struct sym *s, bool *holds);

/* Notes that the branch at hand depends on reads: the turn of each loop that it may leave is counted. */
void unfold_note_guard(const struct code *code, struct unfold_run *r);
/* Notes that the clock is read: the turn of each loop that a branch may leave by what it says is counted. */
void unfold_note_clock(struct unfolder *u, struct unfold_run *r);

/* Whether the run is in a loop whose turns are counted. */
bool unfold_counts(const struct code *code, const struct unfold_run *r);

#endif
