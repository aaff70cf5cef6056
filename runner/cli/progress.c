#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "session/estimate.h"

static struct {
    bool shown, hidden;
    char what[96];
    double last;
    struct estimate estimate; /* `prepared` includes the cells that will be prepared when the phase ends */
    double phase;             /* when the current phase began; 0: there is none */
    double since;             /* when seconds were last added up */
} state;

/* Returns the columns of the terminal; -1: there is none, or it cannot clear a line. */
static int columns(void) {
    struct winsize size;
    if (state.hidden || !is_terminal(stderr)) return -1;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

/* Prints as much as fits on the line: a line that wraps could not be cleared. */
static void show(const char *text) {
    int width = columns();
    if (width < 0) return;
    fprintf(stderr, "\r\33[K%.*s", width, text);
    fflush(stderr);
    state.shown = true;
}

void progress_clear(void) {
    if (!state.shown) return;
    fputs("\r\33[K", stderr);
    fflush(stderr);
    state.shown = false;
}

void progress_hide(void) {
    state.hidden = true;
}

void progress_text(const char *fmt, ...) {
    char line[192];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    show(line);
}

/* Returns "about 3 min left, "; "" if there is little left. */
static const char *say_left(double left, char *buf, size_t size) {
    if (left < 1)
        snprintf(buf, size, "%s", "");
    else if (left < 100)
        snprintf(buf, size, "about %.0f s left, ", left);
    else if (left < 100 * 60)
        snprintf(buf, size, "about %.0f min left, ", left / 60);
    else
        snprintf(buf, size, "about %.1f h left, ", left / 3600);
    return buf;
}

/* Adds up the seconds since the last call. */
static void pass_time(void) {
    double now = clock_now(), passed = state.since > 0 ? now - state.since : 0;
    *(state.phase > 0 ? &state.estimate.preparing : &state.estimate.rest) += passed;
    state.since = now;
}

static const char *time_left(char *buf, size_t size) {
    pass_time();
    return say_left(estimate_left(&state.estimate), buf, size);
}

void progress_phase(const char *what, int prepared, int of) {
    char line[160], left[48];
    pass_time();
    snprintf(line, sizeof line, "[%d/%d] %s%s", state.estimate.done, state.estimate.of,
             time_left(left, sizeof left), what);
    state.phase = clock_now();
    state.estimate.prepared = prepared;
    state.estimate.all = of;
    show(line);
}

/* At most ten lines a second. */
void progress_step(const char *what, int done, int of) {
    double time = clock_now();
    if (done == 0) {
        state.estimate = (struct estimate){0};
        state.since = state.phase = 0;
    } else if (time - state.last < 0.1) {
        return;
    }
    state.last = time;
    state.estimate.done = state.estimate.prepared = done;
    state.estimate.of = of;
    progress_phase(what, done, of);
}

void progress_count(int done, int of) {
    pass_time();
    state.phase = 0;
    state.estimate.done = done;
    state.estimate.of = of;
}

void progress_cell(const char *backend, const char *test, const struct cell_result *c) {
    snprintf(state.what, sizeof state.what, "%s on %s, placement %s, fence %s", test, backend, c->placement,
             c->fence);
    progress_show(NULL, 0, 0);
}

/* At most ten lines a second. */
void progress_show(void *ctx, uint64_t runs, double seconds) {
    (void)ctx;
    char line[256], left[48];
    double time = clock_now();
    if (runs > 0 && time - state.last < 0.1) return;
    state.last = time;
    snprintf(line, sizeof line, "[%d/%d] %s%s: %.3g runs, %.1f s", state.estimate.done + 1, state.estimate.of,
             time_left(left, sizeof left), state.what, (double)runs, seconds);
    show(line);
}
