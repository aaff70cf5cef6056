#include "cli/interrupt.h"

#include "base/clock.h"

volatile sig_atomic_t interrupted;
static volatile double asked; /* when */

/* One request may arrive as several signals, when a shell or timeout(1) signals both the process and its
 * group: those are one. */
static void on_signal(int sig) {
    if (!interrupted) asked = clock_now();
    interrupted = 1;
    if (clock_now() - asked > 0.5) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
}

void interrupt_catch(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
