#include "session/suite.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/source.h"
#include "source/read.h"

/* ---- files ---- */

struct file {
    const char *path;
    dev_t device; /* device and inode tell whether a file was named twice */
    ino_t inode;
    struct source text;                 /* the text of standard input; its `text` is NULL for a file */
    struct test *test;                  /* NULL: it was not read yet, or is no test */
    const char *name;                   /* a copy of the test's name */
    struct diag diag;                   /* what reading it said and was not reported yet */
    const struct refused_file *refused; /* set when it was reported as no test */
    bool left_out;                      /* because of its name */
};

struct files {
    struct arena *arena;
    const char *shipped; /* the folder of the shipped tests */
    struct file **list;
    int n, cap;
    void *known; /* a tree of the files by device and inode */
    /* the user named no paths; then warnings about tests that are so on purpose are not reported */
    bool unnamed;
};

static bool is_test_file(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml") || !strcmp(dot, ".litmus"));
}

static int by_id(const void *a, const void *b) {
    const struct file *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static void keep_node(void *node) {
    (void)node; /* it lives in an arena */
}

/* Returns the element of a tree that equals `thing`; if there is none, adds `thing` and returns it. */
static void *find_first(void *thing, void **tree, int (*compare)(const void *a, const void *b)) {
    return *(void **)memory_check(tsearch(thing, tree, compare));
}

static struct file *new_file(struct files *f, const char *path) {
    struct file *file = arena_alloc(f->arena, sizeof *file);
    *file = (struct file){.path = arena_strdup(f->arena, path)};
    return file;
}

static void append_file(struct files *f, struct file *file) {
    if (f->n == f->cap) {
        int cap = f->cap ? 2 * f->cap : 64;
        f->list = arena_grow(f->arena, f->list, (size_t)f->n, (size_t)cap, sizeof *f->list);
        f->cap = cap;
    }
    f->list[f->n++] = file;
}

static void add_file(struct files *f, const char *path, const struct stat *id) {
    struct file *file = new_file(f, path);
    file->device = id->st_dev;
    file->inode = id->st_ino;
    if (!id->st_ino || find_first(file, &f->known, by_id) == file) append_file(f, file);
}

static size_t stem_length(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

/* Compares names without their endings, so that MP comes before MP+add. */
static int by_name(const struct dirent **x, const struct dirent **y) {
    const char *p = (*x)->d_name, *q = (*y)->d_name;
    size_t n = stem_length(p), m = stem_length(q);
    int order = memcmp(p, q, n < m ? n : m);
    return order ? order : n < m ? -1 : n > m;
}

/* Skips hidden files: locks of editors, .git and the like. */
static int is_visible(const struct dirent *e) {
    return e->d_name[0] != '.';
}

/* A folder that is being searched, and the one in which it was found. */
struct folder {
    struct stat id;
    const struct folder *above;
};

/* Whether the folder is being searched already: a link may lead back to it. */
static bool is_entered(const struct folder *folder, const struct stat *id) {
    for (; folder; folder = folder->above)
        if (folder->id.st_ino == id->st_ino && folder->id.st_dev == id->st_dev) return true;
    return false;
}

/* Returns the folders of the shipped suite, and their number in *n. */
static const char **list_folders(struct arena *a, const char *shipped, size_t *n) {
    struct dirent **entries;
    int found = scandir(shipped, &entries, is_visible, by_name);
    const char **names = arena_array(a, found > 0 ? (size_t)found : 1, sizeof *names);
    *n = 0;
    for (int k = 0; k < found; k++) {
        names[(*n)++] = arena_strdup(a, entries[k]->d_name);
        free(entries[k]);
    }
    if (found >= 0) free(entries);
    return names;
}

static const char *find_shipped(struct arena *a, const char *shipped, const char *name, struct diag *d);

/* If the path, which does not exist, ends in the file name of a shipped test, returns the test's name: MP for
 * MP.yaml. Else NULL. */
static const char *shipped_of(struct files *f, const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *name = arena_strndup(f->arena, base, stem_length(base));
    struct diag quiet = {0};
    const char *found = is_test_file(path) ? find_shipped(f->arena, f->shipped, name, &quiet) : NULL;
    diag_free(&quiet);
    return found ? name : NULL;
}

/* A path that the user named must exist, else it is an error. A file found below such a path that cannot be
 * read is only refused. */
static bool cannot_read(struct files *f, const char *path, const struct folder *above, struct diag *d) {
    struct file *file = above ? new_file(f, path) : NULL;
    const char *reason = strerror(errno), *near = NULL;
    if (errno == ENOENT && !above) {
        size_t n;
        const char **folders = list_folders(f->arena, f->shipped, &n), *name = strrchr(path, '/');
        near = name ? diag_nearest(name + 1, folders, n) : NULL;
        if (near && strncmp(path, "litmus/", 7) == 0 && name == path + 6)
            near = arena_printf(f->arena, "litmus/%s", near);
        if (!near) near = shipped_of(f, path);
    }
    diag_fail(file ? &file->diag : d, "cannot read '%s': %s%s%s%s", path, reason,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    if (file) append_file(f, file);
    return file != NULL;
}

static bool add_entry(struct files *f, const char *path, const struct folder *above, struct diag *d);

/* Adds the tests of a folder. Returns whether there are any. */
static bool add_folder(struct files *f, const char *path, const struct folder *folder, struct diag *d) {
    struct dirent **entries;
    int n = scandir(path, &entries, is_visible, by_name);
    bool found = false, slash = path[strlen(path) - 1] == '/';
    if (n < 0) return cannot_read(f, path, folder->above, d);
    for (int k = 0; k < n; k++) {
        const char *entry = arena_printf(f->arena, "%s%s%s", path, slash ? "" : "/", entries[k]->d_name);
        found = add_entry(f, entry, folder, d) || found;
        free(entries[k]);
    }
    free(entries);
    return found;
}

/* Adds an entry of a folder. A broken link is reported only if its name is that of a test. */
static bool add_entry(struct files *f, const char *path, const struct folder *above, struct diag *d) {
    struct folder folder = {.above = above};
    bool wanted = !above || is_test_file(path);
    if (stat(path, &folder.id) != 0)
        return (wanted || lstat(path, &folder.id) != 0 || !S_ISLNK(folder.id.st_mode)) &&
               cannot_read(f, path, above, d);
    if (S_ISDIR(folder.id.st_mode)) return !is_entered(above, &folder.id) && add_folder(f, path, &folder, d);
    bool file = wanted && S_ISREG(folder.id.st_mode);
    if (file || !above) add_file(f, path, &folder.id);
    return file;
}

/* Adds a file, or all tests below a folder. */
static void add_path(struct files *f, const char *path, struct diag *d) {
    size_t errors = d->errors;
    struct stat id;
    if (!add_entry(f, path, NULL, d) && d->errors == errors && stat(path, &id) == 0 && S_ISDIR(id.st_mode))
        diag_fail(d, "no tests in '%s': it has no *.yaml, *.yml or *.litmus file", path);
}

static void add_shipped(struct files *f, struct diag *d) {
    if (access(f->shipped, R_OK) == 0)
        add_path(f, f->shipped, d);
    else
        diag_fail(d, "the shipped tests are not at '%s'; name a file or a folder", f->shipped);
}

/* ---- standard input ---- */

static bool is_stdin(const char *path) {
    return strcmp(path, "-") == 0;
}

/* Reads standard input, which can be done only once. */
static bool load_stdin(struct arena *a, struct source *text, struct diag *d) {
    if (!source_load(a, "/dev/stdin", text, d)) return false;
    text->path = suite_text_path(a, "stdin", text->text);
    return true;
}

static void add_stdin(struct files *f, struct diag *d) {
    struct source text;
    if (!load_stdin(f->arena, &text, d)) return;
    struct file *file = new_file(f, text.path);
    file->text = text;
    append_file(f, file);
}

/* ---- reading ---- */

/* Lets the tests before number k leave memory. */
static void leave_before(int k) {
    enum { TOGETHER = 64 };
    if (k % TOGETHER == 0) arena_forget();
}

/* The work of reading files on all cores. */
struct suite_reading {
    const struct files *files;
    /* compile the sources of the tests that have one and are left; else read each file without compiling */
    bool compile;
    pthread_mutex_t lock;
    int next; /* the first file that no core has taken */
};

/* Takes the next file; NULL: there is none. */
static struct file *take_file(struct suite_reading *r) {
    pthread_mutex_lock(&r->lock);
    leave_before(r->next);
    struct file *file = r->next < r->files->n ? r->files->list[r->next++] : NULL;
    pthread_mutex_unlock(&r->lock);
    return file;
}

static bool wants_compiler(const struct file *file) {
    return file->test && file->test->uncompiled && !file->left_out;
}

static struct test *read_whole(struct arena *a, struct file *file) {
    return file->text.text ? test_read_text(a, file->path, file->text.text, file->text.len, &file->diag)
                           : test_read(a, file->path, &file->diag);
}

static void read_some(void *ctx) {
    struct suite_reading *r = ctx;
    struct arena *a = arena_open_large();
    for (struct file *file; (file = take_file(r)) != NULL;)
        if (r->compile && wants_compiler(file))
            file->test = read_whole(a, file);
        else if (!r->compile && file->diag.errors == 0)
            file->test = test_peek(a, file->path, file->text.text ? &file->text : NULL, &file->diag);
    pthread_mutex_lock(&r->lock);
    arena_join(r->files->arena, a);
    pthread_mutex_unlock(&r->lock);
}

static void read_all(const struct files *f, bool compile) {
    struct suite_reading r = {.files = f, .compile = compile, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct pool pool;
    pool_start(&pool, f->n, read_some, &r);
    pool_join(&pool);
    pthread_mutex_destroy(&r.lock);
}

static struct file *next_file(const struct files *f, int k) {
    leave_before(k);
    return f->list[k];
}

static int by_test_name(const void *a, const void *b) {
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

/* Reports two YAML tests with the same name. Tables in PTX syntax keep the names that others gave them, so
 * two of them may have the same. */
static bool is_unique(void **names, struct file *file) {
    const struct test *t = file->test;
    const struct file *first = find_first(file, names, by_test_name);
    const char *ending = strrchr(t->source.path, '.');
    if (first == file || strcmp(ending ? ending : "", ".litmus") == 0) return true;
    diag_error(&file->diag, &t->source, t->name_pos, "the name '%s' is taken by '%s'", t->name, first->path);
    return false;
}

/* Refuses tests with the name of an earlier test. */
static void check_names(const struct files *f) {
    void *names = NULL;
    for (int k = 0; k < f->n; k++) {
        struct file *file = next_file(f, k);
        if (!file->test) continue;
        file->name = arena_strdup(f->arena, file->test->name);
        if (!is_unique(&names, file)) file->test = NULL;
    }
    tdestroy(names, keep_node);
}

/* Leaves out the tests whose names do not match the expression, or, if `match` is false, those whose names
 * match. Returns false if none is left. */
static bool keep_matching(const struct files *f, const char *expression, bool match) {
    regex_t regex;
    int kept = 0;
    bool all = !expression || regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) != 0;
    for (int k = 0; k < f->n; k++) {
        struct file *file = f->list[k];
        if (!file->test || file->left_out) continue;
        file->left_out = !all && (regexec(&regex, file->name, 0, NULL, 0) == 0) != match;
        kept += !file->left_out;
    }
    if (!all) regfree(&regex);
    return kept > 0;
}

static bool filter_names(const struct files *f, struct name_filter names, struct diag *d) {
    if (!keep_matching(f, names.only, true)) {
        diag_fail(d, "no test's name matches '%s'", names.only);
        return false;
    }
    bool left = keep_matching(f, names.not, false);
    if (!left) diag_fail(d, "no test is left: all names match '%s'", names.not );
    return left;
}

/* Reports what reading a file said. If its source will be compiled, the file is read again, and reported
 * then. */
static void tell(const struct files *f, struct file *file, struct diag *d) {
    if (!file->test && !file->refused) {
        struct refused_file *refused = arena_alloc(f->arena, sizeof *refused);
        *refused = suite_refused(f->arena, file->path, &file->diag);
        file->refused = refused;
    }
    if (file->test && (f->unnamed || file->left_out || file->test->uncompiled))
        diag_free(&file->diag);
    else
        diag_join(d, &file->diag);
}

/* Fills in the suite from the files, and reports what reading them said. Everything is in the order of the
 * files. */
static void settle(const struct files *f, struct suite *s, struct diag *d) {
    s->n = s->nrefused = 0;
    for (int k = 0; k < f->n; k++) {
        struct file *file = next_file(f, k);
        tell(f, file, d);
        if (file->refused)
            s->refused[s->nrefused++] = *file->refused;
        else if (!file->left_out)
            s->tests[s->n++] = file->test;
    }
}

/* Reads the tests of the files, and keeps those with the right names. */
static bool read_files(struct files *f, struct suite *s, struct name_filter names, struct diag *d) {
    struct diag none_left = {0};
    bool any = false, left;
    read_all(f, false);
    check_names(f);
    for (int k = 0; k < f->n; k++)
        any = any || f->list[k]->test;
    left = any && filter_names(f, names, &none_left);
    s->tests = arena_array(f->arena, (size_t)f->n, sizeof *s->tests);
    s->refused = arena_array(f->arena, (size_t)f->n, sizeof *s->refused);
    s->files = f;
    settle(f, s, d);
    diag_join(d, &none_left);
    return left;
}

const struct test *suite_test(const struct suite *s, int k) {
    leave_before(k);
    return s->tests[k];
}

void suite_compile(struct suite *s, struct diag *d) {
    read_all(s->files, true);
    settle(s->files, s, d);
}

/* Returns the path of a file or folder of the shipped suite when the given path does not exist: "locks",
 * "litmus/locks", "litmus/locks/seqlock.yaml". */
static const char *find_path(struct arena *a, const char *shipped, const char *path) {
    static const char suite[] = "litmus";
    if (access(path, F_OK) == 0 || *path == '/' || *path == '.' || strstr(path, "..")) return path;
    const char *inner = path;
    if (strncmp(path, suite, strlen(suite)) == 0 && (path[strlen(suite)] == '/' || !path[strlen(suite)]))
        inner += strlen(suite);
    const char *found = arena_printf(a, "%s/%s", shipped, inner + (*inner == '/'));
    return *path && access(found, F_OK) == 0 ? found : path;
}

/* Whether a word is a path: the file exists, or the word cannot be the name of a test. */
static bool is_path(const char *name) {
    return access(name, F_OK) == 0 || strchr(name, '/') || is_test_file(name);
}

/* Returns the file that a path without its ending may mean, or NULL. */
static const char *find_unended(struct arena *a, const char *name) {
    static const char *const endings[] = {"yaml", "yml", "litmus"};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        const char *path = arena_printf(a, "%s.%s", name, endings[k]);
        if (*name && access(path, F_OK) == 0) return path;
    }
    return NULL;
}

/* Returns the file of a shipped test, or NULL. The file has the test's name, so none need be read to find
 * it. */
static const char *find_shipped(struct arena *a, const char *shipped, const char *name, struct diag *d) {
    struct files files = {.arena = a, .shipped = shipped};
    add_shipped(&files, d);
    tdestroy(files.known, keep_node);
    if (d->errors) return NULL;
    const char **names = arena_array(a, (size_t)files.n + 1, sizeof *names);
    const char *other = NULL; /* the same name in other upper and lower case */
    for (int k = 0; k < files.n; k++) {
        const char *base = strrchr(files.list[k]->path, '/') + 1;
        names[k] = arena_strndup(a, base, stem_length(base));
        if (strcmp(names[k], name) == 0) return files.list[k]->path;
        if (!other && strcasecmp(names[k], name) == 0) other = files.list[k]->path;
    }
    if (other) return other;
    const char *near = find_unended(a, name);
    if (!near) near = diag_nearest(name, names, (size_t)files.n);
    if (!near) {
        size_t n;
        const char **folders = list_folders(a, shipped, &n);
        near = diag_nearest(name, folders, n);
    }
    diag_fail(d, "no file, no folder and no shipped test is called '%s'%s%s%s", name,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

struct test *suite_find_shipped(struct arena *a, const char *shipped, const char *name) {
    struct diag unsaid = {0};
    const char *path = find_shipped(a, shipped, name, &unsaid);
    struct test *t = path ? test_read(a, path, &unsaid) : NULL;
    diag_free(&unsaid);
    return t;
}

bool suite_read(struct arena *a, const char *shipped, char **paths, int npaths, struct name_filter names,
                struct suite *s, struct diag *d) {
    struct files *files = arena_alloc(a, sizeof *files);
    *files = (struct files){.arena = a, .shipped = shipped, .unnamed = npaths == 0};
    size_t errors = d->errors;
    if (npaths == 0) add_shipped(files, d);
    for (int k = 0; k < npaths; k++) {
        const char *path = find_path(a, shipped, paths[k]);
        if (is_stdin(path))
            add_stdin(files, d);
        else if (is_path(path) || (path = find_shipped(a, shipped, path, d)) != NULL)
            add_path(files, path, d);
    }
    bool found = d->errors == errors;
    tdestroy(files->known, keep_node);
    return read_files(files, s, names, d) && found;
}

static struct test *find_test(struct arena *a, const char *shipped, const char *name, struct diag *d) {
    struct source text;
    if (is_stdin(name))
        return load_stdin(a, &text, d) ? test_read_text(a, text.path, text.text, text.len, d) : NULL;
    name = find_path(a, shipped, name);
    struct stat id;
    if (stat(name, &id) == 0 && S_ISDIR(id.st_mode)) {
        diag_fail(d, "'%s' is a folder: name one test in it", name);
        return NULL;
    }
    if (!is_path(name)) name = find_shipped(a, shipped, name, d);
    return name ? test_read(a, name, d) : NULL;
}

struct test *suite_find(struct arena *a, const char *shipped, const char *name, struct diag *d) {
    struct test *t = find_test(a, shipped, name, d);
    if (!t || !t->uncompiled) return t;
    diag_error(d, &t->source, t->uncompiled_pos, "%s", t->uncompiled);
    return NULL;
}
