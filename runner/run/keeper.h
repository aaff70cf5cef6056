/* A process that starts others. It is forked early, when this process has called neither the CUDA driver nor
 * NVRTC (which calls the driver behind one's back: a driver that was initialised does not survive a fork),
 * and does nothing but fork workers, one at a time, when it is told to. All of them end when this process
 * ends. */
#ifndef CULITMUS_KEEPER_H
#define CULITMUS_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

struct keeper {
    pid_t pid; /* 0: there is none */
    int fd;
};

/* A worker runs `work` with its end of a stream socket, and ends. False and errno: no process. */
bool keeper_open(struct keeper *k, void (*work)(void *ctx, int fd), void *ctx);
/* Starts a worker: its process and our end of its socket, which the caller closes. */
bool keeper_start(struct keeper *k, pid_t *pid, int *fd);
/* Waits until the worker has ended, and at most so many seconds: its status as waitpid's. */
bool keeper_reap(struct keeper *k, double seconds, int *status);
void keeper_close(struct keeper *k);

/* Forks a process that ends when this one does; both have a stream socket to the other. As fork: 0 in the new
 * process, -1 and errno when there is none. */
pid_t keeper_fork(int *fd);

#endif
