/* Profiles: the environments of one device in which tests showed their outcomes most often.
 *
 * A profile is a JSON file, sorted, an entry a line (here in two), to be read, edited, compared and shared:
 *
 *     {
 *       "schema": 1,
 *       "device": "NVIDIA H200",
 *       "entries": [
 *         {"test": "MP", "placement": "device", "access": "relaxed", "edges": "RR apart, WW apart",
 *          "rate": 1.4e9, "environment": {"threads": 512}}
 *       ]
 *     }
 *
 * An entry names no fence. A test with a fence runs in the environments in which it shows the most without the fence:
 * only there does it mean something if the outcome stays away. An environment may name some parameters only; the
 * others are then chosen by chance.
 *
 * Everything of a profile lives in its arena. */
#ifndef CULITMUS_PROFILE_H
#define CULITMUS_PROFILE_H

#include "run/backend.h"

struct profile_entry {
    const char *test, *placement, *access;
    double rate; /* runs a second that showed the outcome */
    struct environment environment;
    const char *edges; /* the edges of the test's cell (run/edges.h); "": not known */
};

struct profile {
    struct arena *arena;
    const char *device;            /* as the backend describes it */
    struct profile_entry *entries; /* sorted by test, placement and access; at most one for all three */
    int n, cap;
};

struct profile profile_new(struct arena *a, const char *device);

/* Reads a file. Returns false and leaves errors when it is no profile, or when it is a profile of this device
 * with values out of range. A parameter that the backend does not have is left out, with a warning. The
 * entries of a profile of another device are not read: compare `device`. */
bool profile_read(struct arena *a, const char *path, const struct backend *b, const char *device,
                  struct profile *out, struct diag *d);
/* The same, but reads `text`; `path` is for messages. */
bool profile_parse(struct arena *a, const char *path, const char *text, const struct backend *b,
                   const char *device, struct profile *out, struct diag *d);

/* Returns such as "NVIDIA H200 (41 environments)", in the arena. */
const char *profile_describe(const struct profile *p, struct arena *a);

/* Adds a copy of an entry. If there is one for the same cell, the one with the better rate stays. */
void profile_add(struct profile *p, const struct profile_entry *e);

/* Writes a temporary file, which then replaces the file at `path`. Makes the folder if it is missing. */
bool profile_write(const struct profile *p, const char *path, struct diag *d);
/* The same, but first adds to `p` the entries that other processes have written to the file. Of two entries
 * for one cell the better one stays. */
bool profile_update(struct profile *p, const char *path, const struct backend *b, struct diag *d);

/* Returns the path of the user's profile for a device, such as
 * $XDG_CONFIG_HOME/culitmus/profiles/nvidia-h200.json, or the same below ~/.config. NULL when neither
 * XDG_CONFIG_HOME nor HOME is set. */
const char *profile_path(struct arena *a, const char *device);
/* Returns the text of the shipped profile for a device, or NULL. */
const char *profile_shipped(const char *device);

/* Returns the environments that a run tries first for a cell: those of the cell itself, then those of the
 * same test with other accesses, then those of other tests, ordered by how many edges they and the cell do
 * not share. Among entries of equal rank, the next one is always that which differs most from those chosen so
 * far. At most PROFILE_MAX_SCHEDULE, in the arena. */
enum { PROFILE_MAX_SCHEDULE = 12 };
struct environment *profile_schedule(const struct profile *p, const struct test *t, const struct cell *cell,
                                     struct arena *a, int *n);

#endif
