/* Clocks in seconds that are never set back. */
#ifndef CULITMUS_CLOCK_H
#define CULITMUS_CLOCK_H

double clock_now(void);

/* How long this thread has had a processor. */
double clock_processor(void);

#endif
