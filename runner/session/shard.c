#include "session/shard.h"

#include <stdlib.h>
#include <string.h>

/* Reads a number of digits only; -1: it is something else. */
static long read_number(const char *text) {
    char *end;
    long n = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
    return n >= 0 && !*end ? n : -1;
}

/* Reads the shard's number from an environment variable that counts from `first`. */
static const char *read_variable(const char *name, int first, struct shard *s) {
    static char wants[96];
    long number = read_number(getenv(name));
    snprintf(wants, sizeof wants, "%s to be a number from %d to %d", name, first, s->of - 1 + first);
    if (number < first || number - first >= s->of) return wants;
    s->number = (int)number - first + 1;
    return NULL;
}

static const char *read_environment(struct shard *s) {
    if (getenv("SLURM_ARRAY_TASK_ID")) return read_variable("SLURM_ARRAY_TASK_ID", 1, s);
    if (getenv("JOB_COMPLETION_INDEX")) return read_variable("JOB_COMPLETION_INDEX", 0, s);
    return "SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX in the environment";
}

const char *shard_read(const char *text, struct shard *out) {
    static const char wants[] = "a number and how many there are, such as 1/8 to 8/8, or auto/8";
    const char *slash = strchr(text, '/');
    long of = slash ? read_number(slash + 1) : -1, number = 0;
    char first[16] = "";
    if (of < 1 || of > SHARDS_MAX || slash - text >= (long)sizeof first) return wants;
    memcpy(first, text, (size_t)(slash - text));
    *out = (struct shard){.of = (int)of};
    if (strcmp(first, "auto") == 0) return read_environment(out);
    number = read_number(first);
    out->number = (int)number;
    return number >= 1 && number <= of ? NULL : wants;
}

struct shard_split shard_begin(struct arena *a, struct shard own) {
    return (struct shard_split){.own = own,
                                .work = arena_array(a, (size_t)own.of, sizeof(long long)),
                                .suite = 0xcbf29ce484222325}; /* FNV-1a */
}

void shard_hash(struct shard_split *s, const char *text) {
    for (const char *p = text;; p++) {
        s->suite = (s->suite ^ (unsigned char)*p) * 0x100000001b3;
        if (!*p) return;
    }
}

int shard_take(struct shard_split *s, long long work, bool several) {
    int least = 0;
    if (s->own.apart && several) return s->own.of;
    for (int k = 1; k < s->own.of - s->own.apart; k++)
        if (s->work[k] < s->work[least]) least = k;
    s->work[least] += work;
    return least + 1;
}

struct shards shard_of(const struct shard_split *s, struct arena *a) {
    int *number = arena_alloc(a, sizeof *number);
    *number = s->own.number;
    return (struct shards){.of = s->own.of, .suite = s->suite, .numbers = number, .n = 1};
}
