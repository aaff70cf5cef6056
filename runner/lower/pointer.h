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
const struct location *place_location(const struct parser *p, const struct place *place);
/* The place as a pointer of this type has it; behind a cast, which may give the bits another meaning. */
struct place pointer_seen_as(struct parser *p, struct place place, const struct pointer_type *t,
                             struct pos pos);
/* Makes the index of a place, its rank and what says which it is those of now, whatever happens to their registers later. */
void pointer_keep(struct parser *p, struct place *place);
/* Whether a location is a part of the elements of another one; and the place so many such parts further. */
bool pointer_is_part(const struct test *t, int loc);
struct place pointer_move_part(struct parser *p, struct place place, struct expr *offset, struct pos pos);
struct place pointer_cast_place(struct parser *p, struct place place, const struct pointer_type *t,
                                struct pos pos);
/* Keeps that a location is const and restricted. */
void pointer_restrict(struct parser *p, const struct pointer_type *t, int loc, struct pos pos);
/* Declares a pointer, whose value is an address; a reference to a place or a register; one to a whole array. */
void pointer_declare(struct parser *p, const struct tree *type, const struct tree *n);
void pointer_declare_alias(struct parser *p, const struct tree *type, const struct tree *n);
void pointer_declare_whole(struct parser *p, const struct tree *type, const struct tree *n);

/* A place that is chosen, which is none yet; and what it is from here on: that of `from`, which may be none, or none. */
struct place choice_new(struct parser *p, struct pos pos);
void choice_assign(struct parser *p, struct place *of, const struct place *from, struct pos pos);
void choice_clear(struct parser *p, const struct place *of, struct pos pos);
/* Notes that it moves within an array. */
void choice_step(const struct place *of);
/* The same place, or what says which it is, whatever is assigned later. */
struct place choice_copy(struct parser *p, const struct place *from, struct pos pos);
struct place_choice *choice_keep(struct parser *p, const struct place_choice *c, struct pos pos);
/* Complains where accesses by one place are volatile, and by the other what the test says. */
void choice_agree(struct parser *p, const struct place *x, const struct place *y, struct pos pos);
/* Whether a tree is nullptr; whether a place is one, and no nullptr; and whether two are the same. */
bool choice_is_null(const struct tree *n);
struct expr *choice_is_some(struct parser *p, const struct place *place, struct pos pos);
struct expr *choice_is_same(struct parser *p, const struct place *x, const struct place *y, struct pos pos);
/* Declares an array of pointers; whether a tree is an element of one; and where that leads: one whose index is computed is
 * chosen. */
void pointers_declare(struct parser *p, const struct tree *type, const struct tree *n);
bool pointers_are_indexed(const struct parser *p, const struct tree *n);
bool pointers_are_named(const struct parser *p, const struct tree *n); /* or all of one */
struct place pointers_element(struct parser *p, const struct tree *n);
/* Makes accesses of the locations of what was chosen, when all statements are known. */
void choice_settle(struct parser *p);

#endif
