/* `merge` and `report`: results from files, added up, shown or written in other formats. */
#include "cli/cli.h"
#include "cli/view.h"
#include "report/json.h"

static bool wants_files(const struct options *o) {
    return o->json || o->log || o->junit || o->html || o->markdown;
}

int command_merge(const struct options *o) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct report *sum = NULL;
    int code;
    for (int k = 0; k < o->nargs; k++) {
        struct report *r = report_read(a, o->args[k], &d);
        if (!r) continue;
        if (sum)
            results_merge(a, sum, r, &d);
        else
            sum = r;
    }
    code = diag_report(&d, EXIT_INPUT);
    if (code) goto out;
    if (!wants_files(o)) view_report(sum, o->brief);
    code = outputs_check(o);
    if (!code && !outputs_write(o, sum)) code = EXIT_ENVIRONMENT;
    if (!code && results_failed(sum)) code = EXIT_FOUND;
out:
    arena_close(a);
    return code;
}

int command_report(const struct options *o) {
    return command_merge(o);
}
