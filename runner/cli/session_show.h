/* What `run` and `check` share before and after their session. */
#ifndef CULITMUS_SESSION_SHOW_H
#define CULITMUS_SESSION_SHOW_H

#include "cli/cli.h"
#include "session/session.h"

/* Reads and checks the tests and options of a command, then calls `f`. Returns the exit code. */
int with_suite(const struct options *o,
               int (*f)(const struct options *o, struct arena *a, const struct suite *suite));

/* Puts the options into the session, runs it, shows its results, and writes the files that the options name.
 * Returns the exit code. */
int session_show(struct session *s, const struct options *o);

#endif
