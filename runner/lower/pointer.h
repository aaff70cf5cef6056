/* Types of pointers, and places as pointers have them: what the files that declare them share. */
#ifndef CULITMUS_POINTER_H
#define CULITMUS_POINTER_H

#include "lower/lower.h"

struct pointer_type {
    bool automatic; /* auto: of what it points to, as is one to void */
    bool untyped;   /* to void */
    struct type type;
    bool is_volatile, is_const, is_restrict;
    bool is_fixed; /* the pointer itself is const */
};

/* What a name that is declared points or refers to. */
struct pointer_type pointer_type(struct parser *p, const struct tree *type, const struct tree *n);
/* The place as a pointer of this type has it; behind a cast, which may give the bits another meaning. */
struct place pointer_seen_as(struct parser *p, struct place place, const struct pointer_type *t,
                             struct pos pos);
/* Whether a location is a part of the elements of another one; and the place so many such parts further. */
bool pointer_is_part(const struct test *t, int loc);
struct place pointer_move_part(struct parser *p, struct place place, struct expr *offset, struct pos pos);
struct place pointer_cast_place(struct parser *p, struct place place, const struct pointer_type *t,
                                struct pos pos);
/* Keeps that a location is const and restricted. */
void pointer_restrict(struct parser *p, const struct pointer_type *t, int loc, struct pos pos);
/* The register that a reference of this type is of; -1: there is none, or an error. */
int pointer_register(struct parser *p, const struct pointer_type *type, const struct tree *n);
/* Declares a pointer, whose value is an address; a reference to a place or a register; one to a whole array. */
void pointer_declare(struct parser *p, const struct tree *type, const struct tree *n);
void pointer_declare_alias(struct parser *p, const struct tree *type, const struct tree *n);
void pointer_declare_whole(struct parser *p, const struct tree *type, const struct tree *n);

#endif
