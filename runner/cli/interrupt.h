/* Ctrl-C, SIGTERM and the end of a terminal. The first such signal asks the run to stop, a later one ends the
 * process. A pipe that nobody reads any more stops nothing. */
#ifndef CULITMUS_INTERRUPT_H
#define CULITMUS_INTERRUPT_H

#include <stdatomic.h>

/* From now on these signals end the process at once, as by default, but its temporary files are removed. */
void interrupt_tidy(void);
/* From now on the first signal only asks to stop. */
void interrupt_catch(void);
extern atomic_int interrupted; /* the run is asked to stop; atomic, since every thread may read it */
extern atomic_int pipe_broken; /* something was written to a pipe that nobody reads */

#endif
