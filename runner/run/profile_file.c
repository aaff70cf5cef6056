/* Where profiles lie, and how they are written. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "base/path.h"
#include "base/replace.h"
#include "base/text.h"
#include "embedded_profiles.h"
#include "run/profile.h"

/* Returns a file name such as "nvidia-h200.json". */
static char *file_name(struct arena *a, const char *device) {
    char *name = arena_alloc(a, strlen(device) + sizeof ".json");
    size_t n = 0;
    for (const char *p = device; *p; p++) {
        if (isalnum((unsigned char)*p))
            name[n++] = (char)tolower((unsigned char)*p);
        else if (n > 0 && name[n - 1] != '-')
            name[n++] = '-';
    }
    while (n > 0 && name[n - 1] == '-')
        n--;
    strcpy(name + n, ".json");
    return name;
}

const char *profile_path(struct arena *a, const char *device) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const char *name = file_name(a, device);
    if (config && *config == '/') return arena_printf(a, "%s/culitmus/profiles/%s", config, name);
    if (home && *home) return arena_printf(a, "%s/.config/culitmus/profiles/%s", home, name);
    return NULL;
}

const char *profile_shipped(const char *device) {
    struct arena *a = arena_open();
    const char *text = embedded_find(embedded_profiles, file_name(a, device));
    arena_close(a);
    return text;
}

/* ---- writing ---- */

/* Writes an entry, its rate with three significant digits. */
static void put_entry(struct text *t, const struct profile_entry *e) {
    text_add(t, "    {\"test\": ");
    json_quote(t, e->test);
    text_add(t, ", \"placement\": ");
    json_quote(t, e->placement);
    text_add(t, ", \"access\": ");
    json_quote(t, e->access);
    if (*e->edges) {
        text_add(t, ", \"edges\": ");
        json_quote(t, e->edges);
    }
    text_printf(t, ", \"rate\": %.3g, \"environment\": {", e->rate);
    for (int i = 0; i < e->environment.n; i++) {
        if (i) text_add(t, ", ");
        json_quote(t, e->environment.parameter[i].name);
        text_printf(t, ": %lld", e->environment.parameter[i].value);
    }
    text_add(t, "}}");
}

static void put_profile(struct text *t, const struct profile *p) {
    text_add(t, "{\n  \"schema\": 1,\n  \"device\": ");
    json_quote(t, p->device);
    text_add(t, ",\n  \"entries\": [");
    for (int k = 0; k < p->n; k++) {
        text_add(t, k ? ",\n" : "\n");
        put_entry(t, &p->entries[k]);
    }
    text_add(t, p->n ? "\n  ]\n}\n" : "]\n}\n");
}

bool profile_write(const struct profile *p, const char *path, struct diag *d) {
    struct text text = {0};
    struct replacement file;
    path_make_folders(path, 0777);
    put_profile(&text, p);
    bool ok = replace_begin(&file, path);
    if (ok) {
        fwrite(text.s, 1, text.len, file.out); /* replace_end reports errors */
        ok = replace_end(&file);
    }
    if (!ok) diag_fail(d, "cannot write the profile '%s': %s", path, strerror(errno));
    text_free(&text);
    return ok;
}

/* Locks an open folder. Another process holds the lock only while it writes a file. Returns false if it is
 * still held after some seconds. */
static bool lock(int fd) {
    enum { PATIENCE = 5 };
    double end = clock_now() + PATIENCE;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0 && (errno == EINTR || errno == EWOULDBLOCK)) {
        if (clock_now() > end) return false;
        usleep(20000);
    }
    return true;
}

/* Locks the folder of a file, so that no other process updates the file. Closing *fd unlocks it. *fd is -1 if
 * the folder cannot be read; then nothing is locked. Returns false and leaves an error if another process
 * keeps the lock. */
static bool lock_folder(const char *path, int *fd, struct diag *d) {
    char *file = replace_target(path), *folder = file ? dirname(file) : NULL;
    *fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool fine = *fd < 0 || lock(*fd);
    if (!fine) {
        diag_fail(d,
                  "cannot write the profile '%s': another program has locked its folder, '%s', for 5 seconds",
                  path, folder);
        close(*fd);
    }
    free(file);
    return fine;
}

/* Adds the entries of the file. Returns false and leaves an error if the file is no profile. */
static bool take_over(struct profile *p, const char *path, const struct backend *b, struct diag *d) {
    struct arena *a = arena_open();
    struct diag said = {0};
    struct profile theirs;
    bool fine = profile_read(a, path, b, p->device, &theirs, &said) && strcmp(theirs.device, p->device) == 0;
    for (int k = 0; fine && k < theirs.n; k++)
        profile_add(p, &theirs.entries[k]);
    if (!fine) diag_fail(d, "'%s' is no profile of %s any more", path, p->device);
    diag_free(&said);
    arena_close(a);
    return fine;
}

bool profile_update(struct profile *p, const char *path, const struct backend *b, struct diag *d) {
    path_make_folders(path, 0777);
    int folder;
    if (!lock_folder(path, &folder, d)) return false;
    bool fine = access(path, F_OK) != 0 || take_over(p, path, b, d);
    fine = fine && profile_write(p, path, d);
    if (folder >= 0) close(folder);
    return fine;
}
