/* Profiles: for one device, the environments that showed a test's outcome most often.
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
 * A fence is not part of what an entry is for: a test with its fence runs in the environments in which the
 * same test without it is weakest, for that is what makes its silence mean something. An environment may name
 * some parameters only; the others are then chosen by chance.
 *
 * Everything of a profile lives in its arena. */
#ifndef CULITMUS_PROFILE_H
#define CULITMUS_PROFILE_H

#include "run/backend.h"

struct profile_entry {
    const char *test, *placement, *access;
    double rate; /* of the outcome, a second */
    struct environment environment;
    const char *edges; /* run/edges.h: those of the test's cell; "": not known */
};

struct profile {
    struct arena *arena;
    const char *device;            /* as the backend describes it */
    struct profile_entry *entries; /* sorted by test, placement, access; each at most once */
    int n, cap;
};

struct profile profile_new(struct arena *a, const char *device);

/* Reads a file. False when it is not a profile, or one for this backend's device but with values that are out
 * of range: errors in `d`. A parameter that the backend does not have is a warning and left out. A profile
 * for another device is not looked into: compare `device`. */
bool profile_read(struct arena *a, const char *path, const struct backend *b, const char *device,
                  struct profile *out, struct diag *d);
/* The same from memory. */
bool profile_parse(struct arena *a, const char *path, const char *text, const struct backend *b,
                   const char *device, struct profile *out, struct diag *d);

/* "NVIDIA H200 (41 environments)", in the arena. */
const char *profile_describe(const struct profile *p, struct arena *a);

/* Adds a copy of an entry. Of two entries for the same cell the one with the better rate stays. */
void profile_add(struct profile *p, const struct profile_entry *e);

/* Writes a temporary file, which then takes the path's place. Makes the folder if there is none. */
bool profile_write(const struct profile *p, const char *path, struct diag *d);
/* The same, but first takes over into `p` what other processes have written there: of two entries for the same cell the
 * better. */
bool profile_update(struct profile *p, const char *path, const struct backend *b, struct diag *d);

/* The path of a user's profile for a device: $XDG_CONFIG_HOME/culitmus/profiles/nvidia-h200.json, else below ~/.config.
 * NULL when neither variable is set. */
const char *profile_path(struct arena *a, const char *device);
/* The text of the profile that is shipped for a device, or NULL. */
const char *profile_shipped(const char *device);

/* The environments that a run tries first for a cell, best first: those of the cell itself, those of the same test with
 * other accesses, then a few of other tests: first of those whose edges differ in the fewest from the cell's, and of
 * these such as are as different from each other as possible. In the arena. */
enum { PROFILE_MAX_SCHEDULE = 12 };
struct environment *profile_schedule(const struct profile *p, const struct test *t, const struct cell *cell,
                                     struct arena *a, int *n);

#endif
