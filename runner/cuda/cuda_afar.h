/* Locations in the host's memory, so that accesses to them take long. The kernel finds an element as an
 * offset in words from one base address. So the host's memory and the GPU's are mapped into one range of
 * addresses. */
#ifndef CULITMUS_CUDA_AFAR_H
#define CULITMUS_CUDA_AFAR_H

#include "cuda/cuda_kernel.h"

/* How many bytes the locations of a launch may take in the host's memory. */
enum { AFAR_HOST_BYTES = 64 << 20 };

/* Makes room for far locations before the plan's memory is reserved. Sets the environment's `afar` to 0 where
 * it is not possible. */
void afar_make_room(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e);
/* Returns how many words the locations in the GPU's memory may take, if others are in the host's. */
int afar_words(const struct cuda_device *dev);
/* Then fills in where each line of each element lies, for the kernel. */
bool afar_lay_out(const struct cuda_kernel *k, const struct cuda_environment *set, struct launch_args *e,
                  struct diag *d);
void afar_forget(struct cuda_device *dev);

#endif
