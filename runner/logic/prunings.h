/* Prunings: what the checker leaves out because nothing is lost by it (prunings.def). Each can be switched off. */
#ifndef CULITMUS_PRUNINGS_H
#define CULITMUS_PRUNINGS_H

#include <stdbool.h>

enum pruning {
#define PRUNING(id, name, what) PRUNE_##id,
#include "logic/prunings.def"
    NPRUNINGS
};

/* Sets of prunings have a bit each. */
enum { ALL_PRUNINGS = (1 << NPRUNINGS) - 1 };

/* The name of a pruning; the pruning of a name, or NPRUNINGS. */
const char *pruning_name(enum pruning p);
enum pruning pruning_find(const char *name);

/* Whether a pruning is on: it is not in the set of those that are switched off. */
static inline bool prunes(unsigned without, enum pruning p) {
    return !(without >> p & 1);
}

#endif
