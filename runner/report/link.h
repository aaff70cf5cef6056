/* Links to the playground, which hold a test. */
#ifndef CULITMUS_LINK_H
#define CULITMUS_LINK_H

#include "base/arena.h"

/* The address of a page with a test in its fragment, which a browser does not send; in the arena. NULL and *why: the test
 * has none. `page`: the playground's address. `text`: the test's; `beside`: a file that it needs besides, or NULL. */
const char *link_of(struct arena *a, const char *page, const char *text, const char *beside,
                    const char **why);

#endif
