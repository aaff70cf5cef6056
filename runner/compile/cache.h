/* Compiled code on disk, under $CULITMUS_CACHE, else $XDG_CACHE_HOME/culitmus, else ~/.cache/culitmus.
 *
 * An entry is one file named by a hash of its key, and carries the whole key and a checksum: a damaged entry,
 * or another key's, is a miss. Entries are written to a temporary name and renamed. A cache that cannot be
 * written costs one warning a process and nothing else. Once a process, when it writes, the entries that were
 * used longest ago are removed if all together are larger than 1 GiB. */
#ifndef CULITMUS_CACHE_H
#define CULITMUS_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* On a hit, *data is malloc'ed and *size its length. */
bool cache_get(const char *key, size_t key_len, void **data, size_t *size);
/* Removes an entry that turned out to be unusable. */
void cache_drop(const char *key, size_t key_len);
/* Warns in `d` (once a process) when the entry cannot be stored. */
void cache_put(const char *key, size_t key_len, const void *data, size_t size, struct diag *d);

#endif
