/* Whether what a cell says is good news, bad news, or neither: printers choose their colours by it. */
#ifndef CULITMUS_TONE_H
#define CULITMUS_TONE_H

#include "results/results.h"

enum tone {
    TONE_MUTE, /* nothing is said */
    TONE_GOOD, /* forbidden; for forall always */
    TONE_OPEN, /* allowed, or seen: no claim is broken */
    TONE_BAD,  /* a claim is broken, or an outcome that the model forbids was observed */
};

enum tone tone_allowed(const struct test_result *t, const struct cell_result *c);
enum tone tone_observed(const struct test_result *t, const struct cell_result *c);
/* Of what was observed; where nothing ran, of what is allowed. */
enum tone tone_of(const struct test_result *t, const struct cell_result *c);

#endif
