/* What lanes do that stand beside a test's threads on a GPU. A companion passes the barriers of a thread of its warp, since
 * a GPU counts warps, and does nothing else (gen/meeting.h). All lanes of a warp reduce at a barrier in one instruction.
 * So companions run the text of a body that reduces, and skip what does not lead them to its barriers. */
#ifndef CULITMUS_COMPANY_H
#define CULITMUS_COMPANY_H

#include "litmus/program.h"

/* Whether an operation is a barrier of a block or of a cluster. */
bool company_meets(const struct op *op);
/* Whether some operation of a list of statements is one. */
bool company_has_barriers(const struct stmt *s);
/* Whether a body reduces at a barrier. */
bool company_reduces(const struct body *b);
/* Whether companions that run a body's text skip the statement. What it sets decides no barrier. */
bool company_skips(const struct stmt *s);

#endif
