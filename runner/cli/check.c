#include "cli/choose.h"
#include "cli/session_show.h"

/* Reads the models of --model, before the tests are read. */
static const struct model *models[MAX_CHOICES];

static int check_suite(const struct options *o, struct arena *a, const struct suite *suite) {
    (void)a;
    struct session s = {.suite = suite,
                        .models = models,
                        .nmodels = o->models.n,
                        .syntactic = o->syntactic,
                        .limits = {.seconds = o->timeout, .unroll = (int)o->unroll, .without = o->without}};
    int code = session_show(&s, o);
    session_close(&s);
    return code;
}

int command_check(const struct options *o) {
    if (o->brief && o->outcomes)
        return usage_error(o->command, "option '--outcomes' lists nothing with '--brief'");
    if (o->brief && o->why && !o->files[PRINTER_json])
        return usage_error(o->command, "option '--why' explains nothing with '--brief' and without '--json'");
    struct arena *a = arena_open();
    int code = EXIT_FINE;
    for (int k = 0; k < o->models.n && !code; k++)
        code = outputs_spare(o, o->models.item[k]);
    if (!code) code = choose_models(o, a, models);
    if (!code) code = with_suite(o, check_suite);
    arena_close(a);
    return code;
}
