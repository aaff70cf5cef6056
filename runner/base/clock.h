/* Time that passes, in seconds since some moment; never set back. */
#ifndef CULITMUS_CLOCK_H
#define CULITMUS_CLOCK_H

double clock_now(void);

#endif
