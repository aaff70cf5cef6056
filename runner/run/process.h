/* The process of an isolated device: this program started again, with a hidden command. Private to run/isolated.
 *
 * The process ends when the thread that started it ends, however that happens, and it starts no such process itself. A
 * signal that a terminal's Ctrl-C or timeout(1) sends to the whole group does not end it: the first process says when
 * to stop. */
#ifndef CULITMUS_PROCESS_H
#define CULITMUS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts a process that serves the driver of this name. Returns the process and our end of a stream socket to it. It
 * may map the file `shared`. False and errno when there is no process. */
bool process_start(const char *driver, int shared, pid_t *pid, int *fd);

/* Waits at most so many seconds until the process has ended. Its status is as waitpid's; -1 when that is unknown. */
bool process_reap(pid_t pid, double seconds, int *status);

/* In the new process: whether main's arguments say that it serves the driver of this name. If so, fills in its end of
 * the socket and the file. */
bool process_serves(int argc, char **argv, const char *driver, int *fd, int *shared);

#endif
