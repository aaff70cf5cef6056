#include "base/temporary.h"

#include <stdlib.h>

void temporary_name(struct text *out) {
    const char *folder = getenv("TMPDIR");
    text_printf(out, "%s/culitmus-XXXXXX", folder && *folder ? folder : "/tmp");
}
