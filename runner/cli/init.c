/* `init`: writes a first test to be changed, which is docs/first-test.yaml with the user's name. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/write.h"
#include "cli/cli.h"
#include "embedded_help.h"
#include "source/read.h"

static bool has_ending(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Returns the template with a name in place of "first-test" and a path in place of "FILE". */
static void fill_in(struct text *t, const char *name, const char *path) {
    static const char *const marks[] = {"first-test", "FILE"};
    const char *const values[] = {name, path};
    const char *at = embedded_find(embedded_help, "first-test.yaml");
    while (*at) {
        int found = -1;
        for (int k = 0; k < 2 && found < 0; k++)
            if (strncmp(at, marks[k], strlen(marks[k])) == 0) found = k;
        if (found >= 0)
            text_add(t, values[found]);
        else
            text_add_n(t, at, 1);
        at += found >= 0 ? strlen(marks[found]) : 1;
    }
}

/* Checks that the text is a test, which fails only if its name is not allowed. */
static bool is_test(struct arena *a, const char *path, const struct text *t) {
    struct diag d = {0};
    bool fine = test_read_text(a, path, t->s, t->len, &d) != NULL;
    diag_free(&d);
    return fine;
}

/* Writes the file, but never over an existing one. */
static int write_new(const char *path, const struct text *t) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool fine = fd >= 0 && write_all(fd, t->s, t->len);
    int error = errno;
    if (fd >= 0 && close(fd) != 0 && fine) {
        error = errno;
        fine = false;
    }
    if (!fine && error == EEXIST) {
        fprintf(stderr, "culitmus: '%s' is there already; it stays as it is\n", path);
        return EXIT_ENVIRONMENT;
    }
    if (!fine) {
        if (fd >= 0) unlink(path); /* half a test is of no use */
        fprintf(stderr, "culitmus: cannot write '%s': %s\n", path, strerror(error));
        return EXIT_ENVIRONMENT;
    }
    printf("%s is a test of a flag that is raised after the data is written.\n"
           "Read it, change it, and try\n\n"
           "  culitmus check %s\n  culitmus run %s\n",
           path, path, path);
    return EXIT_FINE;
}

int command_init(const struct options *o) {
    struct arena *a = arena_open();
    struct text t = {0};
    const char *given = o->args[0];
    const char *path = has_ending(given) ? given : arena_printf(a, "%s.yaml", given);
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *name = arena_printf(a, "%.*s", (int)(strrchr(base, '.') - base), base);
    fill_in(&t, name, path);
    int code = is_test(a, path, &t)
                   ? write_new(path, &t)
                   : usage_error(o->command,
                                 "'%s' is not the name of a test: letters, digits, '_', '+', '.' and '-', "
                                 "beginning with a letter or a digit",
                                 name);
    text_free(&t);
    arena_close(a);
    return code;
}
