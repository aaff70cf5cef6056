/* Splits a suite among the processes of a fleet. Each process plans all cells and keeps those of its shard.
 * Which shard a cell belongs to follows from the suite and the options alone, so all processes agree whatever
 * machine they are on. */
#ifndef CULITMUS_SHARD_H
#define CULITMUS_SHARD_H

#include "results/results.h"

struct shard {
    int number, of; /* the number is from 1; `of` 0: the suite is not split */
    bool apart;     /* the last shard gets exactly the cells that need several devices */
};

/* The state of splitting. */
struct shard_split {
    struct shard own;
    long long *work; /* of each shard: the work that it has so far */
    uint64_t suite;  /* a hash of everything that was split */
};

/* Reads "3/8"; or "auto/8", where the number comes from SLURM_ARRAY_TASK_ID (which counts from 1) or
 * JOB_COMPLETION_INDEX (which counts from 0). Returns NULL, or what is expected instead: static until the
 * next call. */
const char *shard_read(const char *text, struct shard *out);

struct shard_split shard_begin(struct arena *a, struct shard own);
/* Adds a text, which describes what is split next, to the hash. */
void shard_hash(struct shard_split *s, const char *text);
/* Returns the shard for the next cells, which are so much work: the first of those with the least work so
 * far. `several`: the cells need several devices. */
int shard_take(struct shard_split *s, long long work, bool several);
/* Returns the splitting as results record it. */
struct shards shard_of(const struct shard_split *s, struct arena *a);

#endif
