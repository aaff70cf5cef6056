/* Atomic operations as libcu++ (atomic.c) and nvcc (atomic_nvcc.c) spell them: what both files share. */
#ifndef CULITMUS_TEST_ATOMIC_H
#define CULITMUS_TEST_ATOMIC_H

#include "lower/calls.h"

/* Who wrote the operation: their words differ. */
enum dialect_of { LIBCUXX, NVCC };

/* An operation that is being read. */
struct atomic {
    const char *name; /* "fetch_add" */
    enum op_name op;
    struct pos pos;
    struct place place;
    enum scope scope;
    enum order order;
    struct expr *value, *expected;
};

/* The next argument as an order that the operation can have; as that of a failure, joined with the one of its success; as
 * a scope. */
enum order atomic_order(struct parser *p, struct arguments *left, const struct atomic *a, enum dialect_of by);
enum order atomic_failure(struct parser *p, struct arguments *left, enum order success, enum dialect_of by);
enum scope atomic_scope(struct parser *p, struct arguments *left, enum dialect_of by);
/* The scope that a name is. */
enum scope atomic_scope_of(struct parser *p, const struct tree *n);

/* The type of what is at its place. */
struct type atomic_type(const struct parser *p, const struct atomic *a);
/* The next argument as a value of that type. */
struct expr *atomic_argument(struct parser *p, struct arguments *left, const struct atomic *a);
/* A register of that type; -1: the tree is none, where the call "expects a register". */
int atomic_register(struct parser *p, const struct atomic *a, const struct tree *n, const char *what,
                    bool written);

/* Adds it; its value, or NULL of a store. A compare-exchange leaves what was there in register `expected`, and its value
 * is whether it succeeded. A fence that is relaxed is none. */
struct expr *atomic_add(struct parser *p, const struct atomic *a);
struct expr *atomic_compare(struct parser *p, const struct atomic *a, int expected);
void atomic_fence(struct parser *p, enum order order, enum scope scope, struct pos pos);

#endif
