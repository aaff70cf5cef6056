#include "session/own_model.h"

#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "embedded_models.h"

/* Returns the folder of a test with its slash; "" for the working folder. */
static const char *folder_of(struct arena *a, const struct test *t) {
    const char *slash = strrchr(t->source.path, '/');
    return slash ? arena_strndup(a, t->source.path, (size_t)(slash - t->source.path) + 1) : "";
}

static bool names_model(const struct test *t) {
    return t->model && strcmp(t->model, "none") != 0;
}

const char *own_model_name(const char *chosen, struct arena *a, const struct test *t, const char *otherwise) {
    if (chosen) return chosen;
    if (!names_model(t)) return otherwise;
    const char *beside = arena_printf(a, "%s%s", folder_of(a, t), t->model);
    if (!strpbrk(t->model, "./") || (access(beside, F_OK) != 0 && embedded_find(embedded_models, t->model)))
        /* without its ending, or it would be a file of the working folder */
        return arena_strndup(a, t->model, strcspn(t->model, "."));
    return beside;
}

const struct model *own_model_load(const char *chosen, struct arena *a, const struct test *t,
                                   const char *name, struct diag *d) {
    size_t first = d->n;
    bool own = !chosen && names_model(t);
    if (own && !path_is_model_of(folder_of(a, t), t->model)) {
        diag_error(d, &t->source, t->model_pos, "'%s' is no .cat file of the test's folder", t->model);
        return NULL;
    }
    const struct model *m = model_load(a, name, d);
    if (!m && own) diag_place(d, first, &t->source, t->model_pos);
    return m;
}
