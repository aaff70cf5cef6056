/* Values that depend on what reads return: terms over the reads of one thread, folded where they are numbers.
 * They live in the arena they were made in and never change. */
#ifndef CULITMUS_SYM_H
#define CULITMUS_SYM_H

#include "base/arena.h"
#include "litmus/program.h"

/* A set of reads of one thread, numbered in program order. */
enum { MAX_READS = 128 };
struct reads {
    uint64_t bits[MAX_READS / 64];
};

/* Terms of more weight are not judged. */
enum { SYM_MAX_WEIGHT = 1 << 20 };

enum sym_kind {
    SYM_INT,  /* value */
    SYM_READ, /* what read number `read` returned */
    SYM_OP,   /* op(a, b), a ? b : c, or a cast of a */
    SYM_RMW,  /* what fn writes: old value a, operand b, expected c */
};

struct sym {
    enum sym_kind kind;
    enum expr_kind op;
    enum op_name fn;
    struct type type;
    int read;
    struct value value;
    const struct sym *a, *b, *c;
    struct reads reads; /* that the value is computed from */
    uint32_t weight;    /* the terms in it, each as often as a walk comes to it; at most UINT32_MAX */
};

const struct sym *sym_value(struct arena *a, struct type t, struct value value);
/* An integer of a type. */
const struct sym *sym_int(struct arena *a, struct type t, long long value);
const struct sym *sym_read(struct arena *a, struct type t, int read);
/* The term `s`, whose parts and type are set and whose reads follow from them. */
const struct sym *sym_make(struct arena *a, struct sym s);
/* An operator on terms of one type. */
const struct sym *sym_apply(struct arena *a, enum expr_kind op, const struct sym *x, const struct sym *y);

/* An integer as another type; a float keeps its bits. */
const struct sym *sym_cast(struct arena *a, const struct sym *s, struct type to);

/* Lane number `lane` of a vector or of a scalar, and the vector of `n` lanes. */
const struct sym *sym_lane(struct arena *a, const struct sym *vector, int lane);
const struct sym *sym_vector(struct arena *a, const struct sym *const *lanes, int n);

/* The value of a term, given what each read returned; and whether that is not zero. */
struct value sym_eval(const struct sym *s, const struct value *reads);
bool sym_is_true(const struct sym *s, const struct value *reads);
/* Whether it is plain that a term is not zero, as `x | 4` is not. */
bool sym_is_nonzero(const struct sym *s);
/* Whether a term is a choice between the two terms that its condition compares, as the minimum x < y ? x : y
 * is. A walk goes into x and y once, not also in the condition: else each minimum in a chain would double the
 * time. */
bool sym_is_extreme(const struct sym *s);
/* Whether two terms are such choices, and are the same if their conditions are. */
bool sym_both_extreme(const struct sym *x, const struct sym *y);
/* The same shape, and so the same value. */
bool sym_same(const struct sym *x, const struct sym *y);

void reads_add(struct reads *to, const struct reads *from);
bool reads_share(const struct reads *x, const struct reads *y);

#endif
