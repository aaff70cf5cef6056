/* Ctrl-C, SIGTERM and the end of a terminal: the first asks the run to stop, a later one ends the process. A pipe that
 * nobody reads any more stops nothing. */
#ifndef CULITMUS_INTERRUPT_H
#define CULITMUS_INTERRUPT_H

#include <stdatomic.h>

/* From here on these signals end the process at once, as by default; but its temporary files are removed. */
void interrupt_tidy(void);
/* From here on the first asks. */
void interrupt_catch(void);
extern atomic_int interrupted; /* it was asked to stop; atomic, since any thread may look */
extern atomic_int pipe_broken; /* something was written to such a pipe */

#endif
