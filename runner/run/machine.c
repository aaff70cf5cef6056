#include "run/machine.h"

#include <stddef.h>
#include <string.h>

const char *machine_name(enum machine m) {
    static const char *const names[] = {
        [MACHINE_NONE] = "model", [MACHINE_GPU] = "GPU", [MACHINE_CPU] = "CPU"};
    return names[m];
}

bool machine_of(const char *backend, enum machine *out) {
    static const struct {
        const char *name;
        enum machine machine;
    } known[] = {
        {"model", MACHINE_NONE},
#define BACKEND(name, machine) {#name, machine},
#include "run/backends.def"
#undef BACKEND
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        *out = known[k].machine;
        if (strcmp(known[k].name, backend) == 0) return true;
    }
    return false;
}
