/* Processes that run this program again with a hidden command: one drives a device (run/isolated.h), others
 * compile where a compiler could not be ended otherwise.
 *
 * Such a process starts none itself. It ignores the signals that Ctrl-C or timeout(1) send to the whole
 * group: the first process tells it when to stop. */
#ifndef CULITMUS_PROCESS_H
#define CULITMUS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct process_kind {
    const char *command;   /* the hidden command */
    const char *name;      /* tells apart the processes with this command */
    bool ends_with_thread; /* it ends when the thread that started it ends, for whatever reason */
};

/* Starts a process. Sets *fd to this end of a stream socket to it. The new process may map the file `shared`
 * (-1: there is none). Returns false and sets errno when it cannot be started. */
bool process_start(const struct process_kind *kind, int shared, pid_t *pid, int *fd);

/* Waits at most so many seconds until the process has ended. *status is waitpid's, or -1 if that is
 * unknown. */
bool process_reap(pid_t pid, double seconds, int *status);

/* Called in a new process: returns whether main's arguments say that it is of this kind. If so, *fd is its
 * end of the socket and *shared the file. */
bool process_serves(int argc, char **argv, const struct process_kind *kind, int *fd, int *shared);

#endif
