/* Inside runner/gen: the names in generated code, and what writes the parts of a unit around the bodies. */
#ifndef CULITMUS_GEN_NAMES_H
#define CULITMUS_GEN_NAMES_H

#include "gen/meeting.h"

/* Writes the name of a location or register. A name that would hide something of the prelude or the harness
 * gets a suffix that no user's name has. */
void gen_name(struct text *out, const char *name);
/* Writes the name of a register; temporaries are _t1, _t2, ... */
void gen_reg_name(struct text *out, const struct body *b, int reg);
/* Whether the body accesses location l. */
bool gen_body_uses(const struct test *t, const struct body *b, int l);
/* Whether the register is an observable of any thread that runs the body. */
bool gen_reg_observed(const struct test *t, const struct body *b, int reg);

/* Returns "blockIdx" for EXPR_BLOCK and "threadIdx" for EXPR_THREAD. An emulated GPU has macros of these
 * names, so its dialect has other words. */
const char *gen_grid_word(enum dialect dialect, enum expr_kind kind);

/* Returns how many words of 32 bits a value of this type takes. */
int gen_words(struct type t);
/* Writes an expression for word number `word`, from 0, of the variable `name`. */
void gen_word(struct text *out, struct type t, const char *name, int word);

/* Returns the number of an observable's first word among the words of an outcome. */
int gen_first_word(const struct test *t, int observable);
/* Writes `of` and the location's name, such as "I.X": its field of struct instance. */
void gen_field(struct text *out, const char *of, const struct location *l);
/* Returns how many bytes lie from an element of a location to its next one; 0: each element has a place of
 * its own. */
int gen_step(const struct test *t, int loc);

/* Returns the type of a thread's state while it plays: "struct run", in C "struct cpu_player". */
const char *gen_player(enum dialect dialect);

/* Writes the constants of a unit: its #defines and its enum. */
void gen_constants(const struct test *t, const struct cell *cell, const struct seating *s,
                   const struct meeting *m, enum dialect dialect, struct text *out);
/* For allotted barriers (meeting.h): gen_barrier_of writes barrier_of(), which maps a barrier id to a
 * hardware barrier; gen_accompany writes what companions do. */
bool gen_meets_lanes(const struct test *t); /* the test has a barrier or an exchange of a warp */
bool gen_joins(const struct meeting *m);    /* some companion runs the body of a thread */
void gen_barrier_of(const struct meeting *m, struct text *out);
void gen_accompany(const struct test *t, const struct seating *s, const struct meeting *m,
                   enum dialect dialect, struct text *out);
/* Writes a body as a function. */
void gen_body(struct text *out, const struct test *t, const struct cell *cell, const struct body *b,
              const struct meeting *m, enum dialect dialect);
/* Declares the registers of a body that cannot be declared at their first assignment, or all registers, and
 * marks them in `declared`. */
void gen_declare(const struct body *b, bool all, bool *declared, struct arena *scratch, struct text *out);
/* Writes functions for the rank of a block in its cluster, if the test needs them; and an expression for the
 * number of a body's block among the blocks of the test. */
void gen_cluster(const struct test *t, const struct cell *cell, enum dialect dialect, struct text *out);
void gen_block_number(const struct test *t, const struct body *b, enum dialect dialect, struct text *out);
/* gen_instance writes struct instance, locate() and init(); gen_observe writes observe(). */
void gen_instance(const struct test *t, enum dialect dialect, struct text *out);
void gen_observe(const struct test *t, enum dialect dialect, struct text *out);
/* Writes touch(), play(), obs_thread() and observe(). */
void gen_dispatch(const struct test *t, const struct cell *cell, const struct meeting *m,
                  enum dialect dialect, struct text *out);

#endif
