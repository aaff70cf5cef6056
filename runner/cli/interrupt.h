/* Ctrl-C: the first asks to stop, a later one ends the process. */
#ifndef CULITMUS_INTERRUPT_H
#define CULITMUS_INTERRUPT_H

#include <signal.h>

void interrupt_catch(void);
extern volatile sig_atomic_t interrupted; /* it was asked to stop */

#endif
