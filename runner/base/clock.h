/* Clocks in seconds that are never set back. */
#ifndef CULITMUS_CLOCK_H
#define CULITMUS_CLOCK_H

double clock_now(void);

/* How many seconds of processor time this thread has used. */
double clock_processor(void);

#endif
