/* Names that a test may give to its threads, locations, registers and fence slots. Generated code prints them
 * unchanged, so they must be identifiers without another meaning in C, C++, CUDA or the test format. */
#ifndef CULITMUS_NAME_H
#define CULITMUS_NAME_H

#include <stdbool.h>

#include "base/arena.h"

/* Returns why `name` cannot be a name, such as "is a word of C or C++"; NULL when it can. */
const char *name_problem(const char *name);

/* The same for a register or a place in a body; it may also be "p.a", where the text declares p. */
const char *name_problem_declared(const char *name);

/* Returns why a word of C or CUDA is refused in a body, as it stands behind "is", such as "not supported
 * yet"; NULL: it is not refused. */
const char *name_refusal(const char *word);

/* The same for a word that is called. It also knows calls that CUDA does not have: "OpenCL's; CUDA has
 * ...". */
const char *name_call_refusal(const char *word);

/* Whether the word begins an instruction of PTX, if a '.' follows. */
bool name_is_ptx(const char *word);

/* Returns "; did you mean 'x'?" or "", in the arena. */
const char *name_suggest(struct arena *a, const char *word, const char *const *candidates, size_t n);
/* Returns a message for a text whose words, separated by blanks, are all among `names`: they must stand in a
 * list. NULL: they are not. */
const char *name_as_list(struct arena *a, const char *text, const char *const *names, size_t n);

#endif
