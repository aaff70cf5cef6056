#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/temporary.h"

atomic_int interrupted;
atomic_int pipe_broken;
static _Atomic double asked; /* when the first signal came */
static pid_t self;           /* this process; processes that it starts share the lists of temporary files */

static void end_by(int sig) {
    if (getpid() == self) temporary_remove_all();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* A shell or timeout(1) may signal both the process and its group. Signals that come close together count as
 * one. */
static void on_signal(int sig) {
    int error = errno; /* the errno of what was interrupted */
    if (!interrupted) asked = clock_now();
    interrupted = 1;
    if (clock_now() - asked > 0.5) end_by(sig);
    errno = error;
}

/* Makes a write to a pipe that nobody reads fail with an error, so that output elsewhere is still written.
 * Unlike SIG_IGN, a handler is not inherited by programs that are started. */
static void on_broken_pipe(int sig) {
    (void)sig;
    pipe_broken = 1;
}

static void handle(int sig, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    sigaction(sig, &action, NULL);
}

static bool is_ignored(int sig) {
    struct sigaction now;
    return sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void interrupt_tidy(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    self = getpid();
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        if (!is_ignored(signals[k])) handle(signals[k], end_by);
}

void interrupt_catch(void) {
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
    if (!is_ignored(SIGHUP)) handle(SIGHUP, on_signal); /* not under nohup */
    handle(SIGPIPE, on_broken_pipe);
}
