/* What is reported about tests as they are read: texts, names and errors. */
#include <regex.h>
#include <string.h>

#include "session/suite.h"

const char *suite_text_path(struct arena *a, const char *name, const char *text) {
    text += strspn(text, " \t\r\n");
    bool table = strncmp(text, "PTX", 3) == 0 && strchr(" \t\"\r\n", text[3]);
    return arena_printf(a, "%s.%s", name, table ? "litmus" : "yaml");
}

const char *suite_refuse_filter(struct arena *a, const char *filter) {
    regex_t regex;
    char why[128];
    int error = regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB);
    if (error)
        regerror(error, &regex, why, sizeof why);
    else
        regfree(&regex);
    return error ? arena_strdup(a, why) : NULL;
}

struct refused_file suite_refused(struct arena *a, const char *file, const struct diag *d) {
    struct refused_file refused = {.file = file, .errors = arena_array(a, d->n, sizeof *refused.errors)};
    for (size_t k = 0; k < d->n; k++) {
        const struct message *m = &d->messages[k];
        if (m->severity != DIAG_ERROR) continue;
        struct failure *to = &refused.errors[refused.nerrors++];
        bool elsewhere = m->source && strcmp(m->source->path, file) != 0;
        if (!elsewhere) to->pos = m->pos;
        to->text = elsewhere
                       ? arena_printf(a, "%s:%d:%d: %s", m->source->path, m->pos.line, m->pos.col, m->text)
                       : arena_strdup(a, m->text);
    }
    return refused;
}
