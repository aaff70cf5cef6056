/* The process of an isolated device: this program started again, with a hidden command. Private to run/isolated.
 *
 * It ends when the thread that started it ends, however that comes about, and starts no such process itself. It does
 * not end by what a terminal's Ctrl-C or timeout(1) send to all of a group: this process says when to stop. */
#ifndef CULITMUS_PROCESS_H
#define CULITMUS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts one that serves the driver of this name: its process, and our end of a stream socket to it. It may map the
 * file `shared`. False and errno: there is none. */
bool process_start(const char *driver, int shared, pid_t *pid, int *fd);

/* Waits until it has ended, and at most so many seconds: its status as waitpid's, -1: unknown. */
bool process_reap(pid_t pid, double seconds, int *status);

/* In the new process: whether main's arguments say that this is one for the driver of this name, and if so its end of
 * the socket and the file. */
bool process_serves(int argc, char **argv, const char *driver, int *fd, int *shared);

#endif
