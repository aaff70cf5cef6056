#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>

#include "base/clock.h"

atomic_int interrupted;
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

void interrupt_catch(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
