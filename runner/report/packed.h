/* A text as part of an address: compressed, in the letters that an address may have; and links that hold one. */
#ifndef CULITMUS_PACKED_H
#define CULITMUS_PACKED_H

#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

/* Adds a file's path as part of an address: other letters than those of names become %XX. */
void packed_put_path(const char *path, struct text *out);

/* The address of a page with a test in its fragment, which a browser does not send; in the arena. NULL and *why: the test
 * has none. `page`: the playground's address. `text`: the test's; `beside`: a file that it needs besides, or NULL. */
const char *packed_link(struct arena *a, const char *page, const char *text, const char *beside,
                        const char **why);

#endif
