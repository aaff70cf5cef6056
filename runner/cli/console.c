/* What commands print besides their output: errors; and whether somebody reads that at a terminal. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign.h"
#include "cli/cli.h"

int usage_error(const char *command, const char *fmt, ...) {
    struct text what = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&what, fmt, ap);
    fprintf(stderr, "culitmus%s%s: ", command ? " " : "", command ? command : "");
    foreign_terminal(what.s, stderr); /* file names of strangers may be among the words */
    text_free(&what);
    fprintf(stderr, " (see 'culitmus%s%s --help')\n", command ? " " : "", command ? command : "");
    va_end(ap);
    return EXIT_USAGE;
}

bool is_terminal(FILE *f) {
    const char *terminal = getenv("TERM");
    return isatty(fileno(f)) && !(terminal && strcmp(terminal, "dumb") == 0);
}

bool use_color(FILE *f) {
    const char *no = getenv("NO_COLOR");
    return is_terminal(f) && !(no && *no);
}

int diag_report(struct diag *d, int code) {
    bool errors = d->errors > 0;
    diag_render(d, stderr, use_color(stderr));
    diag_free(d);
    return errors ? code : EXIT_FINE;
}
