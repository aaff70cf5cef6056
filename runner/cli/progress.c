#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

static struct {
    bool shown;
    int done, of;
    char what[96];
    double last;
} state;

static void show(const char *text) {
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r\33[K%.100s", text);
    fflush(stderr);
    state.shown = true;
}

void progress_clear(void) {
    if (!state.shown) return;
    fputs("\r\33[K", stderr);
    fflush(stderr);
    state.shown = false;
}

void progress_text(const char *fmt, ...) {
    char line[192];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    show(line);
}

void progress_phase(const char *what, int done, int of) {
    char line[128];
    snprintf(line, sizeof line, "%s: %d of %d cells done", what, done, of);
    show(line);
}

void progress_count(int done, int of) {
    state.done = done;
    state.of = of;
}

void *progress_cell(const char *backend, const char *test, const struct cell_result *c) {
    snprintf(state.what, sizeof state.what, "%s on %s, placement %s, fence %s", test, backend, c->placement,
             c->fence);
    progress_show(&state, 0, 0);
    return &state;
}

/* At most ten lines a second. */
void progress_show(void *ctx, uint64_t runs, double seconds) {
    (void)ctx;
    char line[192];
    double time = clock_now();
    if (runs > 0 && time - state.last < 0.1) return;
    state.last = time;
    snprintf(line, sizeof line, "[%d/%d] %s: %.3g runs, %.1f s", state.done + 1, state.of, state.what,
             (double)runs, seconds);
    show(line);
}
