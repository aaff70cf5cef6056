/* The namespaces of libraries whose names may stand without them after `using`. */
#ifndef CULITMUS_SPACES_H
#define CULITMUS_SPACES_H

#include "syntax/lex.h"

/* The names of a namespace; one that ends in '*' stands for all names that begin so. */
struct name_space {
    const char *name;
    const char *words[16];
};

/* Finds a namespace by name, or NULL. The other says whether a token is one of its names. */
const struct name_space *spaces_find(const char *name);
bool spaces_has(const struct name_space *space, const struct token *t);
/* Reads `using` at t up to its ';'. Returns the text behind it with the namespace put before its names;
 * `before` is a token that stands before that text. NULL: nothing that is known is opened. */
const struct token *spaces_open(struct arena *a, const struct token *t, const struct token *semicolon);

/* Whether the type of an atomic of libcu++ begins here. */
bool spaces_names_type(const struct token *t);

/* Reads `namespace name = path;`. If the path is a known namespace, or such a type, returns the text behind the ';' with the
 * path in place of the name; `before` is a token that stands before that text. Else NULL. */
const struct token *spaces_rename(struct arena *a, const struct token *name, const struct token *path,
                                  const struct token *semicolon);

#endif
