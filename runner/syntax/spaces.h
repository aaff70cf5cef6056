/* Namespaces of libraries, whose names `using` lets stand without them. */
#ifndef CULITMUS_SPACES_H
#define CULITMUS_SPACES_H

#include "syntax/lex.h"

/* What there is in a namespace; a word that ends in '*' stands for all that begin so. */
struct name_space {
    const char *name;
    const char *words[16];
};

/* By its name; or NULL. Whether a token is one of its names. */
const struct name_space *spaces_find(const char *name);
bool spaces_has(const struct name_space *space, const struct token *t);
/* What `using` from t on, up to its ';', opens: the text behind it with the namespace before the names, from a token on
 * that stands before it. NULL: nothing that is known. */
const struct token *spaces_open(struct arena *a, const struct token *t, const struct token *semicolon);

/* What `namespace name = path;` lets stand, if the path is a namespace that is known: the text behind the ';' with the path in
 * place of the name, from a token on that stands before it; else NULL. */
const struct token *spaces_rename(struct arena *a, const struct token *name, const struct token *path,
                                  const struct token *semicolon);

#endif
