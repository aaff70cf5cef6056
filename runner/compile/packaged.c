#include "compile/packaged.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/replace.h"
#include "base/text.h"

/* The head of a file. A row for each cubin follows, sorted by hash, and then the cubins. */
struct packaged_head {
    char magic[16], version[16], arch[16], compiler[48];
    uint64_t n, none; /* what follows is aligned */
};
struct packaged_row {
    unsigned __int128 text; /* the hash of the text */
    uint64_t begin, size;   /* in the file */
    unsigned __int128 code; /* the hash of the code */
};
static const char magic[] = "culitmus code 1";

/* FNV-1a of 128 bits. */
static unsigned __int128 hash_bytes(const void *data, size_t n) {
    const unsigned __int128 prime = ((unsigned __int128)1 << 88) + 0x13b;
    unsigned __int128 h = ((unsigned __int128)0x6c62272e07bb0142u << 64) + 0x62b821756295c58du;
    for (const unsigned char *p = data; n > 0; n--, p++)
        h = (h ^ *p) * prime;
    return h;
}

/* ---- the files of the folder ---- */

struct packaged_file {
    const struct packaged_head *head; /* the file in memory */
    size_t size;
    struct packaged_file *next;
};

static char *folder;
static struct packaged_file *files;
static bool opened;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct packaged_row *rows_of(const struct packaged_file *f) {
    return (const struct packaged_row *)(f->head + 1);
}

/* Whether a text ends within its field of the head. */
#define ENDS(field) (memchr(field, '\0', sizeof field) != NULL)

static bool is_fine(const struct packaged_file *f) {
    const struct packaged_head *h = f->head;
    return ENDS(h->version) && ENDS(h->arch) && ENDS(h->compiler) &&
           memcmp(h->magic, magic, sizeof h->magic) == 0 && strcmp(h->version, CULITMUS_VERSION) == 0 &&
           h->n <= (f->size - sizeof *h) / sizeof(struct packaged_row);
}

/* Whether only root, this user, and a group that may write the tool itself can write the file: its code will
 * be run. */
static bool is_trusted(const struct stat *st) {
    struct stat tool;
    bool by_group = (st->st_mode & S_IWGRP) != 0;
    if (by_group &&
        (stat("/proc/self/exe", &tool) != 0 || !(tool.st_mode & S_IWGRP) || tool.st_gid != st->st_gid))
        return false;
    return S_ISREG(st->st_mode) && (st->st_uid == 0 || st->st_uid == geteuid()) && !(st->st_mode & S_IWOTH);
}

static void open_file(int in, const char *name) {
    struct packaged_file file = {0};
    struct stat st;
    int fd = openat(in, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return;
    if (fstat(fd, &st) == 0 && is_trusted(&st) && st.st_size >= (off_t)sizeof *file.head) {
        file.size = (size_t)st.st_size;
        void *memory = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
        file.head = memory != MAP_FAILED ? memory : NULL;
    }
    close(fd);
    if (!file.head) return;
    if (!is_fine(&file)) {
        munmap((void *)file.head, file.size);
        return;
    }
    file.next = files;
    files = memcpy(memory_new(1, sizeof file), &file, sizeof file);
}

static void open_folder(void) {
    DIR *dir = folder ? opendir(folder) : NULL;
    if (!dir) return;
    for (struct dirent *e; (e = readdir(dir));) {
        size_t len = strlen(e->d_name);
        if (len > 5 && strcmp(e->d_name + len - 5, ".code") == 0) open_file(dirfd(dir), e->d_name);
    }
    closedir(dir);
}

/* Returns the files. They are opened when they are first asked for, and stay open. */
static const struct packaged_file *open_files(void) {
    pthread_mutex_lock(&lock);
    if (!opened) open_folder();
    opened = true;
    pthread_mutex_unlock(&lock);
    return files;
}

void packaged_set_folder(const char *path) {
    for (struct packaged_file *f = files, *next; f; f = next) {
        next = f->next;
        munmap((void *)f->head, f->size);
        free(f);
    }
    free(folder);
    folder = path ? memory_check(strdup(path)) : NULL;
    files = NULL;
    opened = false;
}

const char *packaged_compiler(const char *arch, const char *version) {
    const char *latest = NULL;
    for (const struct packaged_file *f = open_files(); f; f = f->next) {
        const char *name = f->head->compiler, *blank = strchr(name, ' ');
        bool fits = !version || (blank && strcmp(blank + 1, version) == 0);
        if (fits && strcmp(f->head->arch, arch) == 0 && (!latest || strverscmp(name, latest) > 0))
            latest = name;
    }
    return latest;
}

/* ---- getting and writing ---- */

static int by_text(const void *a, const void *b) {
    const struct packaged_row *x = a, *y = b;
    return x->text < y->text ? -1 : x->text > y->text;
}

static bool get_from(const struct packaged_file *f, unsigned __int128 text, void **data, size_t *size) {
    const struct packaged_row key = {.text = text},
                              *row = bsearch(&key, rows_of(f), f->head->n, sizeof key, by_text);
    if (!row || row->begin > f->size || row->size > f->size - row->begin) return false;
    const char *code = (const char *)f->head + row->begin;
    if (hash_bytes(code, row->size) != row->code) return false;
    *size = row->size;
    *data = memcpy(memory_new(1, row->size), code, row->size);
    return true;
}

bool packaged_get(const char *compiler, const char *arch, const char *text, void **data, size_t *size) {
    const struct packaged_file *first = open_files();
    if (!first) return false;
    unsigned __int128 hash = hash_bytes(text, strlen(text));
    for (const struct packaged_file *f = first; f; f = f->next)
        if (strcmp(f->head->arch, arch) == 0 && strcmp(f->head->compiler, compiler) == 0 &&
            get_from(f, hash, data, size))
            return true;
    return false;
}

/* Fills in a row for each different text, sorted by hash; `begin` is the number of its code for now. Returns
 * how many there are. */
static size_t list_rows(const struct packaged_code *codes, int n, struct packaged_row *rows) {
    size_t m = 0;
    for (int k = 0; k < n; k++)
        rows[k] = (struct packaged_row){.text = hash_bytes(codes[k].text, strlen(codes[k].text)),
                                        .begin = (uint64_t)k,
                                        .size = codes[k].size,
                                        .code = hash_bytes(codes[k].bytes, codes[k].size)};
    qsort(rows, (size_t)n, sizeof *rows, by_text);
    for (int k = 0; k < n; k++)
        if (k == 0 || rows[k].text != rows[m - 1].text) rows[m++] = rows[k];
    return m;
}

static void put_file(const struct packaged_head *head, const struct packaged_code *codes,
                     const struct packaged_row *rows, FILE *out) {
    uint64_t begin = sizeof *head + head->n * sizeof *rows;
    fwrite(head, sizeof *head, 1, out);
    for (uint64_t k = 0; k < head->n; k++) {
        struct packaged_row row = rows[k];
        row.begin = begin;
        begin += row.size;
        fwrite(&row, sizeof row, 1, out);
    }
    for (uint64_t k = 0; k < head->n; k++)
        fwrite(codes[rows[k].begin].bytes, 1, rows[k].size, out);
}

bool packaged_write(const char *to, const char *compiler, const char *arch, const struct packaged_code *codes,
                    int n, struct diag *d) {
    struct packaged_head head = {.version = CULITMUS_VERSION};
    struct packaged_row *rows = memory_new((size_t)n + 1, sizeof *rows);
    struct replacement file;
    struct text path = {0};
    memcpy(head.magic, magic, sizeof magic);
    snprintf(head.arch, sizeof head.arch, "%s", arch);
    snprintf(head.compiler, sizeof head.compiler, "%s", compiler);
    head.n = list_rows(codes, n, rows);
    text_printf(&path, "%s/%s-%s.code", to, arch, compiler);
    for (char *s = path.s + strlen(to); (s = strchr(s, ' '));)
        *s = '-';
    bool ok = replace_begin(&file, path.s);
    if (ok) put_file(&head, codes, rows, file.out);
    ok = ok && replace_end(&file);
    if (!ok) diag_fail(d, "cannot write '%s': %s", path.s, strerror(errno));
    text_free(&path);
    free(rows);
    return ok;
}
