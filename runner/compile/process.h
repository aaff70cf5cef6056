/* Processes that are this program, started again with a hidden command: for a device (run/isolated.h), and for a compiler
 * that could not be ended otherwise.
 *
 * Such a process starts none itself. A signal that a terminal's Ctrl-C or timeout(1) sends to the whole group does not
 * end it: the first process says when to stop. */
#ifndef CULITMUS_PROCESS_H
#define CULITMUS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct process_kind {
    const char *command;   /* the hidden one */
    const char *name;      /* which of those with this command */
    bool ends_with_thread; /* it ends when the thread that started it ends, however that happens */
};

/* Starts a process. Returns the process and our end of a stream socket to it. It may map the file `shared`; -1: there is
 * none. False and errno when there is no process. */
bool process_start(const struct process_kind *kind, int shared, pid_t *pid, int *fd);

/* Waits at most so many seconds until the process has ended. Its status is as waitpid's; -1 when that is unknown. */
bool process_reap(pid_t pid, double seconds, int *status);

/* In the new process: whether main's arguments say that it is one of this kind. If so, fills in its end of the socket and
 * the file. */
bool process_serves(int argc, char **argv, const struct process_kind *kind, int *fd, int *shared);

#endif
