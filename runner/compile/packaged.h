/* Packaged code: machine code of cells that was compiled and checked when a package was made. It serves
 * machines without NVRTC, and saves compiling elsewhere.
 *
 * A folder has a file for each compiler and architecture, with the cubins of many texts. A cubin is found by
 * a 128-bit hash of its text. A file is ignored if it is damaged, or of another version of the tool, or if
 * somebody may write it who cannot write the tool. */
#ifndef CULITMUS_PACKAGED_H
#define CULITMUS_PACKAGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Sets the folder; NULL: none. main calls it before anything is built. Texts that were returned for an
 * earlier folder are gone. */
void packaged_set_folder(const char *folder);

/* Returns a compiler of which there is packaged code for an architecture, such as "NVRTC 13.0.88": the one of
 * this version ("13.0.88"), or with NULL the latest. NULL: there is none. The text stays. Thread-safe. */
const char *packaged_compiler(const char *arch, const char *version);

/* Finds the code of a text. On a hit, *data is malloc'ed and *size its length. Thread-safe. */
bool packaged_get(const char *compiler, const char *arch, const char *text, void **data, size_t *size);

struct packaged_code {
    const char *text;
    const void *bytes;
    size_t size;
};
/* Writes the file of a compiler and an architecture into an existing folder. Of equal texts one is kept.
 * Returns false and leaves an error when it cannot be written. */
bool packaged_write(const char *folder, const char *compiler, const char *arch,
                    const struct packaged_code *codes, int n, struct diag *d);

#endif
