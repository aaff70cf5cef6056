/* What the lanes beside a test's threads do on a GPU. A companion passes the barriers of a thread of its
 * warp, since a GPU counts arrivals in warps, and does nothing else (gen/meeting.h). But all lanes of a warp
 * reduce at a barrier in one instruction. So for a body that reduces, companions run its text, and skip the
 * statements that do not lead to its barriers. */
#ifndef CULITMUS_COMPANY_H
#define CULITMUS_COMPANY_H

#include "litmus/program.h"

/* Whether an operation is a barrier of a block or of a cluster. */
bool company_meets(const struct op *op);
/* Whether some operation of a list of statements is such a barrier. */
bool company_has_barriers(const struct stmt *s);
/* Whether a body reduces at a barrier. */
bool company_reduces(const struct body *b);
/* Whether companions that run a body's text skip the statement: it has no barrier, and what it sets decides
 * no barrier. */
bool company_skips(const struct stmt *s);

#endif
