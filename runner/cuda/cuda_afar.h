/* Locations in the host's memory, so that what an access waits for is far away. The kernel finds an element's place as an
 * offset from one address, in words: so the host's memory is put beside the GPU's, in one range of addresses. */
#ifndef CULITMUS_CUDA_AFAR_H
#define CULITMUS_CUDA_AFAR_H

#include "cuda/cuda_kernel.h"

/* What all chunks of a launch may take there, of each memory. */
enum { AFAR_HOST_BYTES = 64 << 20 };

/* Makes room for what the environment wants of it, before the plan's memory is reserved. Turns the environment's `afar` off
 * where it cannot be. */
void afar_make_room(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e);
/* How many words from one address on may be the GPU's, where locations are afar. */
int afar_words(const struct cuda_device *dev);
/* Then tells the kernel where all lies. */
bool afar_lay_out(const struct cuda_kernel *k, const struct cuda_environment *set, struct launch_args *e,
                  struct diag *d);
void afar_forget(struct cuda_device *dev);

#endif
