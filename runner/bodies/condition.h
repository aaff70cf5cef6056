/* Names of conditions, for condition.c. */
#ifndef CULITMUS_CONDITION_H
#define CULITMUS_CONDITION_H

#include "bodies/bodies.h"

/* A name in a condition or in `observe`, and what it stands for. */
struct name {
    const struct token *first;
    const struct token *reg_token; /* the register, NULL for a location */
    const struct body *body;
    int reg, loc;              /* -1: none */
    int index;                 /* [k]: the copy or the element; -1: not written */
    int block;                 /* @k: of a location that each block has; -1: not written */
    int second;                /* [k][n]: a thread of block k of a grid; -1: not written */
    int element, column;       /* .r[1][2]: of an array of registers; -1: not written */
    const struct token *large; /* a number that no place has, or NULL */
    const struct tree *joined; /* the last member of a struct that is a part of a name; NULL: none is */
};

/* The thread that runs copy `tid` of a body. */
int condition_find_thread(const struct test *t, const struct body *b, int tid);
/* What stands behind the name of a thread that has copies. */
const char *condition_copy_index(const struct body *b);
/* Whether ".x" is an element of a vector, and no register of a thread. */
bool condition_is_element(struct parser *p, const struct tree *n);
struct name condition_find_name(struct parser *p, const struct tree *n);

#endif
