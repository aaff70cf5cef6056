/* A clock in seconds that is never set back. */
#ifndef CULITMUS_CLOCK_H
#define CULITMUS_CLOCK_H

double clock_now(void);

#endif
