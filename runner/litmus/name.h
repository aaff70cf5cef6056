/* Names that a test may give to its threads, locations, registers and fence slots. Generated code prints them
 * as they are, so they are identifiers that mean nothing else in C, C++, CUDA or the test format. */
#ifndef CULITMUS_NAME_H
#define CULITMUS_NAME_H

#include <stdbool.h>

#include "base/arena.h"

/* Why `name` cannot be one ("is a word of C or C++"), or NULL when it can. */
const char *name_problem(const char *name);

/* The same of a register or a place in a body, "p.a" as well, of which a text has named p only. */
const char *name_problem_declared(const char *name);

/* Why a body cannot have a word of C or CUDA, behind "is": "not supported yet", or NULL. */
const char *name_refusal(const char *word);

/* The same of a word that is called: also what a call is that CUDA does not have, "OpenCL's; CUDA has ...". */
const char *name_call_refusal(const char *word);

/* Whether it begins an instruction of PTX, where a '.' follows. */
bool name_is_ptx(const char *word);

/* "; did you mean 'x'?" or "", in the arena. */
const char *name_suggest(struct arena *a, const char *word, const char *const *candidates, size_t n);
/* What to say of a text whose words, with blanks between, are all among names: they stand in a list. NULL: they are not. */
const char *name_as_list(struct arena *a, const char *text, const char *const *names, size_t n);

#endif
