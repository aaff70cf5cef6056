/* CPU threads that play beside a GPU (placement `host`). They meet the kernel after each round, in pinned
 * memory. */
#ifndef CULITMUS_CUDA_HOST_H
#define CULITMUS_CUDA_HOST_H

#include "base/diag.h"
#include "litmus/test.h"

struct host_team;
struct launch_args;

/* Compiles the test for the CPU. Returns NULL and leaves an error when it cannot. A launch needs host_bytes
 * of pinned memory, which host_lay_out divides. */
struct host_team *host_build(const struct test *t, const struct cell *cell, struct diag *d);
void host_discard(struct host_team *h);

/* Returns how many bytes the meeting place, the registers and the faults of so many instances take. */
size_t host_bytes(const struct host_team *h, int instances);
/* Clears the memory, which the CPU sees at `memory` and the GPU at `device`, and sets e->meeting,
 * e->host_values and e->host_faults to parts of it. Sets e->crew to how many crews there are cores for. */
void host_lay_out(struct host_team *h, char *memory, char *device, struct launch_args *e);

/* Starts the threads. They play the rounds of a launch in environment e, whose locations the CPU sees at
 * `locations`. */
bool host_start(struct host_team *h, const struct launch_args *e, int *locations, struct diag *d);
/* Waits for the threads. `failed`: the launch did not begin, so nobody will meet them. */
void host_finish(struct host_team *h, bool failed);

#endif
