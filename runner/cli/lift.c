/* `lift`: writes a first test of a kernel, to be completed. */
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "cli/cli.h"
#include "source/guess.h"

/* Returns a path relative to a folder above it; NULL: the folder is not above it. */
static const char *path_below(struct arena *a, const char *folder, const char *path) {
    char *above = realpath(*folder ? folder : ".", NULL), *real = realpath(path, NULL);
    size_t len = above ? strlen(above) : 0;
    bool below = above && real && strncmp(real, above, len) == 0 && (real[len] == '/' || len == 1);
    const char *rest = below ? arena_strdup(a, real + len + (real[len] == '/')) : NULL;
    free(above);
    free(real);
    return rest;
}

static struct compile_word *make_words(struct arena *a, const struct choices *c) {
    struct compile_word *words = arena_array(a, (size_t)c->n + 1, sizeof *words);
    for (int i = 0; i < c->n; i++)
        words[i].text = c->item[i];
    return words;
}

/* Lists the folders of headers that the test can name itself, because they are below its own. The others must
 * be given with each command. */
static void add_folders(struct arena *a, const struct options *o, const char *folder,
                        struct compile_request *r) {
    struct compile_word *words = arena_array(a, (size_t)o->includes.n + 1, sizeof *words);
    for (int i = 0; i < o->includes.n; i++) {
        const char *below = path_below(a, folder, o->includes.item[i]);
        if (below) words[r->nincludes++].text = *below ? below : ".";
    }
    r->includes = words;
}

static void put_text(const void *ctx, FILE *out) {
    fputs(((const struct text *)ctx)->s, out);
}

/* Without a name, the source must have only one kernel. */
static int choose_kernel(struct arena *a, const struct options *o, const char **kernel, struct diag *d) {
    struct source source;
    struct compile_declaration *found;
    const char *dot = strrchr(o->args[0], '.');
    if (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".litmus") == 0))
        return usage_error(o->command, "'%s' is a test: it wants a CUDA source", o->args[0]);
    *kernel = o->kernel;
    if (o->kernel) return EXIT_FINE;
    if (!source_load(a, o->args[0], &source, d)) return EXIT_INPUT;
    int n = compile_declarations(a, source.text, &found);
    *kernel = n == 1 ? found[0].name : NULL;
    if (n <= 1) return EXIT_FINE;
    return usage_error(o->command, "which kernel of '%s'? --kernel names one of %s", o->args[0],
                       compile_kernels(a, source.text));
}

static int lift(struct arena *a, const struct options *o, const char *kernel, struct diag *d) {
    const char *test_path = o->output && strcmp(o->output, "-") != 0 ? o->output : o->args[0];
    const char *folder = compile_folder(a, test_path), *path = path_below(a, folder, o->args[0]);
    struct source *test = arena_array(a, 1, sizeof *test); /* messages name it */
    struct text text = {0};
    test->path = test_path;
    if (!path && !o->trust_source)
        return usage_error(o->command, "a test stands beside or above its source, and '%s' is not below '%s'",
                           o->args[0], *folder ? folder : ".");
    struct compile_request r = {.test = test,
                                .source.text = path ? path : realpath(o->args[0], NULL),
                                .kernel.text = kernel,
                                .arch.text = o->arch,
                                .std.text = o->std,
                                .defines = make_words(a, &o->defines),
                                .ndefines = o->defines.n};
    add_folders(a, o, folder, &r);
    bool fine = guess_test(a, &r, &text, d);
    if (fine) fine = outputs_put(o->output ? o->output : "-", put_text, &text);
    text_free(&text);
    return fine ? EXIT_FINE : d->errors ? EXIT_INPUT : EXIT_ENVIRONMENT;
}

int command_lift(const struct options *o) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *kernel;
    int code = choose_kernel(a, o, &kernel, &d);
    if (!code) code = lift(a, o, kernel, &d);
    diag_report(&d, code);
    arena_close(a);
    return code;
}
