/* The cores that there are for this process. */
#ifndef CULITMUS_CORES_H
#define CULITMUS_CORES_H

/* Those that it may use, which may be fewer than the machine has; 1 at least. */
int cores_count(void);

#endif
