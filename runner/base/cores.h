/* The cores that this process may use. */
#ifndef CULITMUS_CORES_H
#define CULITMUS_CORES_H

/* How many; at least 1. A machine may have more. */
int cores_count(void);

#endif
