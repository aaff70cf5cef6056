/* Inside runner/gen: names in generated code, and the parts of a unit around the bodies. */
#ifndef CULITMUS_GEN_NAMES_H
#define CULITMUS_GEN_NAMES_H

#include "gen/meeting.h"

/* A user's name; one that would hide a function of the prelude gets a suffix that no user's name has. */
void gen_name(struct text *out, const char *name);
/* A register's name; hoisted temporaries become _t1, _t2, ... */
void gen_reg_name(struct text *out, const struct body *b, int reg);
/* Does the body touch location l? */
bool gen_body_uses(const struct test *t, const struct body *b, int l);
/* Is the register of any copy of the body among the test's observables? */
bool gen_reg_observed(const struct test *t, const struct body *b, int reg);

/* blockIdx and threadIdx as a body has them, by EXPR_BLOCK and EXPR_THREAD. A GPU done in software has macros of these
 * names. */
const char *gen_grid_word(enum dialect dialect, enum expr_kind kind);

/* How many words of 32 bits a value of this type takes. */
int gen_words(struct type t);
/* Writes an expression for one of these words, from 0, of the variable `name`. */
void gen_word(struct text *out, struct type t, const char *name, int word);

/* The first of an observable's words. */
int gen_first_word(const struct test *t, int observable);
/* The field of struct instance that is a location's, behind `of`: "I.", "at(_run, I.". */
void gen_field(struct text *out, const char *of, const struct location *l);
/* From an element to the next one, in bytes; 0: each has a place of its own. */
int gen_step(const struct test *t, int loc);

/* What a thread carries while it plays: "struct run", and in C "struct cpu_player". */
const char *gen_player(enum dialect dialect);

/* Constants and seat tables. */
void gen_constants(const struct test *t, const struct cell *cell, const struct seating *s,
                   const struct meeting *m, enum dialect dialect, struct text *out);
/* Where instances have barriers of their own: which of the block's they are, and who passes them beside the test. */
bool gen_meets_lanes(const struct test *t); /* at a warp's barriers, or in its exchanges */
bool gen_joins(const struct meeting *m);    /* some companion runs a thread's text */
void gen_barrier_of(const struct meeting *m, struct text *out);
void gen_accompany(const struct test *t, const struct seating *s, const struct meeting *m,
                   enum dialect dialect, struct text *out);
/* A body as a function. */
void gen_body(struct text *out, const struct test *t, const struct cell *cell, const struct body *b,
              const struct meeting *m, enum dialect dialect);
/* Declares the registers of a body that have to be before its first statement, or all; notes which. */
void gen_declare(const struct body *b, bool all, bool *declared, struct arena *scratch, struct text *out);
/* Ranks in clusters, where the test has some; and the number of a body's block among the test's. */
void gen_cluster(const struct test *t, const struct cell *cell, enum dialect dialect, struct text *out);
void gen_block_number(const struct test *t, const struct body *b, enum dialect dialect, struct text *out);
/* struct instance, locate() and init(); observe(). */
void gen_instance(const struct test *t, enum dialect dialect, struct text *out);
void gen_observe(const struct test *t, enum dialect dialect, struct text *out);
/* touch(), play(), obs_thread() and observe(). */
void gen_dispatch(const struct test *t, const struct cell *cell, const struct meeting *m,
                  enum dialect dialect, struct text *out);

#endif
