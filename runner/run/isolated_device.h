/* The process that drives a device, and the device as the first process knows it. Private to what runs kernels there. */
#ifndef CULITMUS_ISOLATED_DEVICE_H
#define CULITMUS_ISOLATED_DEVICE_H

#include <sys/types.h>

#include "run/isolated.h"
#include "run/worker.h"

/* The device as this process knows it. The driver's is in the other process, behind the socket. */
struct isolated_device {
    struct device base;
    const struct driver *driver;
    int index;
    pid_t pid; /* of the process that drives the device; 0: there is none */
    int fd;
    int shared; /* a file that holds `stop` */
    atomic_int *stop;
    struct arena *arena;
    const char *target;
    void *traits;
    struct isolated_kernel *ahead; /* was sent before it is run; NULL: none */
    struct wire sending;           /* what of that is still to be sent */
    int losses;                    /* how many tests in a row lost their process */
    const char *lost;              /* the last of them */
    bool given_up;
};

/* Waits for the process to end. Kills it when it should be killed, or does not end. Returns its status, or -1 when that
 * is unknown. The process of a device that hangs may not even die: it is left alone, and the device is given up. */
int isolated_end_process(struct isolated_device *dev, bool kill_it);

/* Reads the next message into `in`. Meanwhile sends what is sent ahead, passes on a wish to stop, and kills the process
 * when it is silent for too long. False and an error when there will be no message. */
bool isolated_await(struct isolated_device *dev, const atomic_int *stop, const char *during, struct wire *in,
                    struct diag *d);

/* Starts the process, and has it open the device. */
enum opening isolated_start(struct isolated_device *dev, const atomic_int *stop, struct diag *d);

#endif
