/* CPU threads that play beside a GPU (placement `host`): they meet the kernel after each round, in pinned
 * memory. */
#ifndef CULITMUS_CUDA_HOST_H
#define CULITMUS_CUDA_HOST_H

#include "base/diag.h"
#include "litmus/test.h"

struct host_team;
struct launch_args;

/* Compiles the test for the CPU. NULL and an error when that cannot be. The pinned memory that a launch needs
 * is host_bytes; it is divided by host_lay_out. */
struct host_team *host_build(const struct test *t, const struct cell *cell, struct diag *d);
void host_discard(struct host_team *h);

/* Bytes for the meeting place, the registers and the faults of so many instances. */
size_t host_bytes(const struct host_team *h, int instances);
/* Sets e->meeting, host_values and host_faults to parts of `device` memory that the CPU sees at `memory`,
 * cleared; and e->crew, for the threads that there are cores for. */
void host_lay_out(struct host_team *h, char *memory, char *device, struct launch_args *e);

/* Starts the threads; they play the rounds of a launch in environment e, whose locations the CPU sees at
 * `locations`. */
bool host_start(struct host_team *h, const struct launch_args *e, int *locations, struct diag *d);
/* Waits for them. `failed`: the launch did not come about, so nobody will meet them. */
void host_finish(struct host_team *h, bool failed);

#endif
