#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>

#include "base/clock.h"

atomic_int interrupted;
atomic_int pipe_broken;
static _Atomic double asked; /* when */

/* A shell or timeout(1) may signal both the process and its group. These signals come close together and count as
 * one. */
static void on_signal(int sig) {
    int error = errno; /* of what was interrupted */
    if (!interrupted) asked = clock_now();
    interrupted = 1;
    if (clock_now() - asked > 0.5) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
    errno = error;
}

/* A write to a pipe that nobody reads fails, and what goes elsewhere is still written. Unlike SIG_IGN a handler is not
 * handed down to programs that are started. */
static void on_broken_pipe(int sig) {
    (void)sig;
    pipe_broken = 1;
}

void interrupt_catch(void) {
    struct sigaction action = {.sa_handler = on_signal}, pipe = {.sa_handler = on_broken_pipe}, before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGPIPE, &pipe, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* not under nohup */
        sigaction(SIGHUP, &action, NULL);
}
