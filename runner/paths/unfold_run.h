/* A path under construction (unfold_path.c), and what its makers share: unfold.c goes from instruction to instruction,
 * unfold_op.c and unfold_meet.c make events of operations, and unfold_loop.c says when the turns of a loop end. */
#ifndef CULITMUS_UNFOLD_RUN_H
#define CULITMUS_UNFOLD_RUN_H

#include "paths/unfold.h"

/* What a path had done when it passed a place. It never changes, so copies of a run share it. */
struct passage {
    const struct passage *last; /* the turn before; or NULL */
    const struct passage
        *before; /* the same, if the path has written nothing and passed no barrier since; or NULL */
    int writes, events, guards, reads, steps;
    const struct sym **cells;    /* what the registers held, */
    const struct reads *written; /* and of which reads the text computed that; or NULL */
};

/* A loop that a path is in. */
struct turn {
    bool inside;
    bool counted; /* since the head, a guard decided whether there is another turn */
    int turns;
    int guards;                              /* of the path, at the head */
    const struct passage *at_head, *at_look; /* the last; or NULL */
};

/* A path under construction. */
struct unfold_run {
    int pc, from; /* from: the instruction before, or -1 */
    int steps;
    struct path path;
    int event_cap;
    int writes;               /* events that others can notice */
    int step;                 /* of the thread */
    int engines;              /* started */
    int group[ENGINES];       /* of copies: the one that is not yet committed */
    const struct sym **cells; /* what the registers hold */
    struct reads *written;    /* of which reads the text computes that; NULL: it does not matter */
    struct reads branched;    /* and the branches that the path has passed */
    struct turn *turns;
    enum path_end
        strayed;       /* how it ends, as it has passed an access that leads nowhere; PATH_DONE: it has not */
    int writes_before; /* of `writes`, what came before that */
    const char *overflow; /* it has become too large */
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
/* What the text says that an event depends on; NULL where that does not matter. */
const struct written *unfold_written_event(struct unfolder *u, const struct unfold_run *r,
                                           enum event_kind kind, const struct op *op);
/* The store of one lane of a vector, which is in a register of its own. */
void unfold_written_lane(struct unfolder *u, const struct unfold_run *r, struct event *store,
                         const struct expr *value, int lane, int lanes);
/* An operation's result has a value; a branch decides by an expression. */
void unfold_written_result(struct unfold_run *r, const struct op *op, const struct sym *value);
void unfold_written_branch(struct unfold_run *r, const struct expr *e);
/* Whether the text computes the registers that still matter from all reads at least from which it computed them then. */
bool unfold_written_since(const struct code *code, const struct unfold_run *r, const struct passage *then);

/* The value of an expression, as far as the run knows it. */
const struct sym *unfold_value(struct unfolder *u, const struct unfold_run *r, const struct expr *e);

/* Assumes that a term is, or is not, zero. False when the path knows better. */
bool unfold_assume(struct unfolder *u, struct unfold_run *r, const struct sym *s, bool holds);
/* Assumes that an atomic operation writes what it found, or something else, only to look at its turn. */
void unfold_assume_quiet(struct unfolder *u, struct unfold_run *r, const struct sym *same, bool holds);

/* A copy of a run; unfold_later has it followed when those before it have ended. */
struct unfold_run *unfold_fork(struct unfolder *u, const struct unfold_run *r);
void unfold_later(struct unfolder *u, struct unfold_run *r);

/* Makes a path of the run, unless it has gone astray, and others notice nothing of what it has done since: then the path up to
 * there says as much. */
void unfold_end(struct unfolder *u, struct unfold_run *r, enum path_end end);

/* An access leads nowhere, or is not aligned: makes a path that ends there, with its location and index, and has the run go on
 * behind the access, as what comes later may happen earlier, but for further turns of loops. */
void unfold_stray(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, enum path_end end,
                  int loc, const struct sym *index);

/* The paths are not all. */
void unfold_give_up(struct unfolder *u, const char *why);

/* Adds an event of the thread's present step. */
struct event *unfold_event(struct unfolder *u, struct unfold_run *r, enum event_kind kind,
                           const struct stmt *stmt);

/* The reads on which a value depends that is written here. */
struct reads unfold_needs(const struct unfolder *u, const struct unfold_run *r, const struct sym *value);

/* Gives the register of an operation's result its value. */
void unfold_set_result(struct unfold_run *r, const struct op *op, const struct sym *value);

/* The events of a barrier or an exchange. False when the run was replaced by others. */
bool unfold_meet(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt);

/* The event of an operation on an mbarrier, which is an element of a location; and one that counts there. */
void unfold_mbarrier(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc, int element);
void unfold_pending(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt);
struct event *unfold_count(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc,
                           int element, unsigned counts, int amount);

/* The events of an operation. False when the run ended or was replaced by others. */
bool unfold_op(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt);

/* What the loops do at this place. False when this run ends here. */
bool unfold_loops(struct unfolder *u, struct unfold_run *r);

/* Whether the turn that ends here could have been the one behind an earlier passage, without the turns between them. `last`
 * is the passage where it began. */
bool unfold_repeats(struct unfolder *u, const struct unfold_run *r, const struct passage *last,
                    const struct passage *from);

/* What says the same, as `a != b` and the contrary of `a == b` do, is written the same way. */
const struct sym *unfold_normal(struct arena *a, const struct sym *s, bool *holds);

/* Notes a branch that depends on reads. */
void unfold_note_guard(const struct code *code, struct unfold_run *r);
/* Notes a look at a clock, on which branches may depend. */
void unfold_note_clock(struct unfolder *u, struct unfold_run *r);

/* Whether the run is in a loop whose turns are counted. */
bool unfold_counts(const struct code *code, const struct unfold_run *r);

#endif
