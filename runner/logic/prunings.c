#include "logic/prunings.h"

#include <string.h>

static const char *const names[] = {
#define PRUNING(id, name, what) name,
#include "logic/prunings.def"
};

const char *pruning_name(enum pruning p) {
    return names[p];
}

enum pruning pruning_find(const char *name) {
    int p = 0;
    while (p < NPRUNINGS && strcmp(names[p], name) != 0)
        p++;
    return (enum pruning)p;
}
