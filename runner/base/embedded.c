#include "base/embedded.h"

#include <stddef.h>
#include <string.h>

const char *embedded_find(const struct embedded *table, const char *name) {
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0) return table->text;
    return NULL;
}
