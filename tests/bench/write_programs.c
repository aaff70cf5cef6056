/* Writes random programs (tests/model/interleave.h) as tests into a folder, to be run or compiled:
 *
 *   write_programs COUNT SEED FOLDER
 *
 * Each asks for a state that an interleaving reaches. Program n is that of seed SEED + n; those that have no final
 * state, that leave their array or that have too many states are left out. */
#include <stdio.h>
#include <stdlib.h>

#include "../model/interleave.h"
#include "base/text.h"

static bool write_text(const char *path, const struct text *text) {
    FILE *f = fopen(path, "w");
    bool fine = f && fwrite(text->s, 1, text->len, f) == text->len;
    fine = f && fclose(f) == 0 && fine;
    if (!fine) perror(path);
    return fine;
}

static bool write_program(const char *folder, uint64_t seed, const struct routine *r,
                          const struct finals *f) {
    struct text path = {0}, name = {0}, text = {0};
    text_printf(&name, "random-%llu", (unsigned long long)seed);
    text_printf(&path, "%s/%s.yaml", folder, name.s);
    interleave_write(&text, r, name.s, f->list[seed % (uint64_t)f->n]);
    bool fine = write_text(path.s, &text);
    text_free(&path);
    text_free(&name);
    text_free(&text);
    return fine;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: write_programs COUNT SEED FOLDER\n");
        return 2;
    }
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[1], NULL, 10);
    bool fine = true;
    for (uint64_t seed = first; seed < first + count && fine; seed++) {
        struct routine r;
        struct finals f;
        interleave_seed(seed);
        interleave_make(&r);
        if (interleave_run(&r, &f) == INTERLEAVED && f.n > 0) fine = write_program(argv[3], seed, &r, &f);
        free(f.list);
    }
    return !fine;
}
