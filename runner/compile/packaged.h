/* Machine code of cells that was compiled, and checked, when a package was made: for machines without NVRTC, and so that
 * none is compiled where a package has it.
 *
 * A folder has a file for each compiler and architecture, with the cubins of many texts; a cubin is found by a hash of its
 * text, of 128 bits. A file of another version of the tool, that is damaged, or that others may write who cannot write
 * the tool, is as good as none. */
#ifndef CULITMUS_PACKAGED_H
#define CULITMUS_PACKAGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Where such files are; NULL: nowhere. main says it before anything is built; what was told of other files is gone. */
void packaged_set_folder(const char *folder);

/* The compiler of which there is code for an architecture: "NVRTC 13.0.88". It is that of a version, "13.0.88"; NULL: of
 * several the latest. NULL: there is none. It stays. Thread-safe. */
const char *packaged_compiler(const char *arch, const char *version);

/* Looks for the code of a text. On a hit, *data is malloc'ed and *size its length. Thread-safe. */
bool packaged_get(const char *compiler, const char *arch, const char *text, void **data, size_t *size);

struct packaged_code {
    const char *text;
    const void *bytes;
    size_t size;
};
/* Writes the file of a compiler and an architecture into a folder that is there. Of equal texts one is kept. False and an
 * error when it cannot be written. */
bool packaged_write(const char *folder, const char *compiler, const char *arch,
                    const struct packaged_code *codes, int n, struct diag *d);

#endif
