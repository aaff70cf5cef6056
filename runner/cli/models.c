/* `models`: lists the memory models in the tool. */
#include <ctype.h>
#include <string.h>

#include "base/embedded.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "embedded_models.h"

/* Returns "ptx" for "ptx.cat". */
static const char *name_of(struct arena *a, const struct embedded *model) {
    return arena_strndup(a, model->name, strcspn(model->name, "."));
}

/* Returns the first comment of a model as one line. */
static const char *comment_of(struct arena *a, const struct embedded *model) {
    struct text t = {0};
    const char *at = strstr(model->text, "(*"), *end = at ? strstr(at, "*)") : NULL;
    for (at = end ? at + 2 : end; at < end; at++)
        if (!isspace((unsigned char)*at))
            text_add_n(&t, at, 1);
        else if (t.len && t.s[t.len - 1] != ' ' && at + strspn(at, " \n") < end)
            text_add(&t, " ");
    const char *comment = arena_strdup(a, t.len ? t.s : "");
    text_free(&t);
    return comment;
}

static void list_models(struct arena *a) {
    for (const struct embedded *m = embedded_models; m->name; m++) {
        view_line(name_of(a, m), "", 0, 0);
        view_line("", comment_of(a, m), 4, 0);
    }
}

static int print_model(const struct options *o, struct arena *a, const char *name) {
    const char *names[64], *list = "";
    size_t n = 0;
    for (const struct embedded *m = embedded_models; m->name && n < 64; m++) {
        list = arena_printf(a, "%s%s%s", list, n ? ", " : "", name_of(a, m));
        names[n++] = name_of(a, m);
        if (strcmp(names[n - 1], name) != 0) continue;
        fputs(m->text, stdout);
        return EXIT_FINE;
    }
    const char *near = diag_nearest(name, names, n);
    if (near) return usage_error(o->command, "there is no model '%s'; did you mean '%s'?", name, near);
    return usage_error(o->command, "there is no model '%s': there are %s", name, list);
}

int command_models(const struct options *o) {
    struct arena *a = arena_open();
    int code = EXIT_FINE;
    if (o->nargs)
        code = print_model(o, a, o->args[0]);
    else
        list_models(a);
    arena_close(a);
    return code;
}
