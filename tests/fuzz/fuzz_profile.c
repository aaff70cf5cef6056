/* Reads what libFuzzer invents as a profile of a GPU. */
#include <stdlib.h>

#include "input.h"
#include "run/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct profile p;
    char *text = input_text(data, size);
    bool fine = profile_parse(a, "fuzz.json", text, &backend_cuda, "Card", &p, &d);
    if (fine == (d.errors > 0)) abort();
    for (int k = 0; fine && k < p.n; k++)
        if (p.entries[k].environment.n > ENV_MAX) abort();
    diag_free(&d);
    arena_close(a);
    free(text);
    return 0;
}
