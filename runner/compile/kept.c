/* Compiled sources in the cache. The key is everything that the compiler was given. An entry names each file
 * that was read with a hash of its bytes, so when a file has changed, the source is compiled again. */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/cache.h"
#include "compile/job.h"

static void make_key(const char *compiler, const struct compile_job *job, struct text *key) {
    text_printf(key, "culitmus %s source\n%s\n%s\n%s\n", CULITMUS_VERSION, compiler, job->arch, job->std);
    for (int i = 0; i < job->nfolders; i++)
        text_printf(key, "%s\n", job->folders[i]);
    text_add(key, job->text);
}

/* Returns the FNV-1a hash of a file's bytes in *hash. False when it cannot be read. */
static bool hash_file(const char *path, uint64_t *hash) {
    unsigned char piece[65536];
    FILE *f = fopen(path, "rbe");
    if (!f) return false;
    *hash = 0xcbf29ce484222325u;
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;)
        for (size_t i = 0; i < n; i++)
            *hash = (*hash ^ piece[i]) * 0x100000001b3u;
    bool ok = !ferror(f);
    fclose(f);
    return ok;
}

/* Parses an entry: lines of a hash and a path up to an empty line, then the PTX. */
static bool read_kept(struct arena *a, const char *kept, struct compile_output *out) {
    *out = (struct compile_output){.log = ""};
    while (*kept && *kept != '\n') {
        size_t len = strcspn(kept, "\n");
        char *path;
        uint64_t then = strtoull(kept, &path, 16), now;
        if (*path != ' ' || kept[len] != '\n') return false;
        const char *file = arena_strndup(a, path + 1, (size_t)(kept + len - path - 1));
        if (!hash_file(file, &now) || now != then) return false;
        out->files = arena_more(a, out->files, (size_t)out->nfiles, sizeof *out->files);
        out->files[out->nfiles++] = file;
        kept += len + 1;
    }
    out->ptx = *kept ? kept + 1 : NULL;
    return out->ptx != NULL;
}

bool kept_get(struct arena *a, const char *compiler, const struct compile_job *job,
              struct compile_output *out) {
    struct text key = {0};
    void *data = NULL;
    size_t size;
    make_key(compiler, job, &key);
    bool found = cache_get(key.s, key.len, &data, &size) && read_kept(a, arena_strndup(a, data, size), out);
    free(data);
    text_free(&key);
    return found;
}

void kept_put(const char *compiler, const struct compile_job *job, const struct compile_output *out,
              struct diag *d) {
    struct text key = {0}, kept = {0};
    bool all = true;
    for (int i = 0; i < out->nfiles && all; i++) {
        uint64_t hash = 0;
        all = hash_file(out->files[i], &hash) && !strchr(out->files[i], '\n');
        text_printf(&kept, "%016" PRIx64 " %s\n", hash, out->files[i]);
    }
    text_printf(&kept, "\n%s", out->ptx);
    make_key(compiler, job, &key);
    if (all) cache_put(key.s, key.len, kept.s, kept.len, d);
    text_free(&key);
    text_free(&kept);
}

/* ---- one thread at a time ---- */

static pthread_mutex_t turns_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_ended = PTHREAD_COND_INITIALIZER;
static struct kept_turn *turns;

static bool is_compiled_now(const struct compile_job *job) {
    for (const struct kept_turn *t = turns; t; t = t->next)
        if (strcmp(t->job->text, job->text) == 0 && strcmp(t->job->arch, job->arch) == 0) return true;
    return false;
}

void kept_begin(struct kept_turn *turn, const struct compile_job *job) {
    pthread_mutex_lock(&turns_lock);
    while (is_compiled_now(job))
        pthread_cond_wait(&turn_ended, &turns_lock);
    *turn = (struct kept_turn){job, turns};
    turns = turn;
    pthread_mutex_unlock(&turns_lock);
}

void kept_end(const struct kept_turn *turn) {
    pthread_mutex_lock(&turns_lock);
    struct kept_turn **at = &turns;
    while (*at != turn)
        at = &(*at)->next;
    *at = turn->next;
    pthread_cond_broadcast(&turn_ended);
    pthread_mutex_unlock(&turns_lock);
}
