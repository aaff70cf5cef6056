/* Ctrl-C: the first asks the run to stop, a later one ends the process. */
#ifndef CULITMUS_INTERRUPT_H
#define CULITMUS_INTERRUPT_H

#include <stdatomic.h>

void interrupt_catch(void);
extern atomic_int interrupted; /* it was asked to stop; atomic, since any thread may look */

#endif
