/* Splitting a suite among the processes of a fleet. Each process plans all cells and takes its shard of them, and all
 * agree on whose each is: that follows from the suite and the options, not from the machine. */
#ifndef CULITMUS_SHARD_H
#define CULITMUS_SHARD_H

#include "results/results.h"

struct shard {
    int number, of; /* from 1; of 0: there are none */
    bool apart;     /* the last shard has the cells that take several devices, and no others */
};

/* What is known of the split so far. */
struct shard_split {
    struct shard own;
    long long *work; /* of each shard */
    uint64_t suite;  /* a hash of what was hashed */
};

/* Reads "3/8", or "auto/8", whose number is the SLURM_ARRAY_TASK_ID (from 1) or the JOB_COMPLETION_INDEX (from 0) of the
 * environment. Returns NULL, or what is wanted instead: static until the next call. */
const char *shard_read(const char *text, struct shard *out);

struct shard_split shard_begin(struct arena *a, struct shard own);
/* Says what is split next. */
void shard_hash(struct shard_split *s, const char *text);
/* The shard that gets the next cells, of which this is the work: the first of those that have the least so far. `several`:
 * they take several devices. */
int shard_take(struct shard_split *s, long long work, bool several);
/* What a result says of it. */
struct shards shard_of(const struct shard_split *s, struct arena *a);

#endif
