/* What commands say besides their output: errors, and whether somebody reads them at a terminal. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

int usage_error(const char *command, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "culitmus%s%s: ", command ? " " : "", command ? command : "");
    vfprintf(stderr, fmt, ap);
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
