/* The process that drives a device, and what the first process knows of both. Private to isolated*.c. */
#ifndef CULITMUS_ISOLATED_DEVICE_H
#define CULITMUS_ISOLATED_DEVICE_H

#include <sys/types.h>

#include "run/isolated.h"
#include "run/worker.h"

/* The device as the first process knows it. The driver's own device is in the other process, behind a
 * socket. */
struct isolated_device {
    struct device base;
    const struct driver *driver;
    int index;
    pid_t pid; /* of the process that drives the device; 0: there is none */
    int fd;
    int shared; /* a file in shared memory that holds `stop` */
    atomic_int *stop;
    struct arena *arena;
    const char *target;
    void *traits;
    struct isolated_kernel *ahead; /* a kernel that was sent before it is to run; NULL: none */
    struct wire sending;           /* the rest of its message that is not sent yet */
    int losses;                    /* how many tests in a row lost their process */
    const char *lost;              /* the name of the last of these tests */
    bool given_up;
};

/* Waits until the process ends. Kills it if `kill_it`, or if it does not end in time. Returns its exit
 * status, or -1 if that is unknown. A process whose device hangs may not die even then; it is left alone, and
 * the device is given up. */
int isolated_end_process(struct isolated_device *dev, bool kill_it);

/* Reads the next message into `in`. Meanwhile it sends what is sent ahead, passes on *stop, and kills the
 * process if it is silent for too long. Returns false and leaves an error when no message will come. */
bool isolated_await(struct isolated_device *dev, const atomic_int *stop, const char *during, struct wire *in,
                    struct diag *d);

/* Starts the process, and has it open the device. */
enum opening isolated_start(struct isolated_device *dev, const atomic_int *stop, struct diag *d);

#endif
