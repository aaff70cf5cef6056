/* Links that hold a text: it is compressed and written in the characters that an address may contain. */
#ifndef CULITMUS_PACKED_H
#define CULITMUS_PACKED_H

#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

/* Adds a file's path as part of an address; characters other than those of names become %XX. */
void packed_put_path(const char *path, struct text *out);

/* Returns the address of a page with a test in its fragment, which browsers do not send to the server. In the
 * arena. NULL, with the reason in *why: the test has no such address. `page` is the playground's address,
 * `text` the test's text, `beside` a file that it needs besides, or NULL. */
const char *packed_link(struct arena *a, const char *page, const char *text, const char *beside,
                        const char **why);

#endif
