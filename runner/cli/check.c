#include "cli/session_show.h"

static int check_suite(const struct options *o, struct arena *a, const struct suite *suite) {
    (void)a;
    struct session s = {.suite = suite,
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
    return with_suite(o, check_suite);
}
