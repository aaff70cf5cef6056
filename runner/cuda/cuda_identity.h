/* Identifies the GPU and the software on it other than the driver's library: results of many machines are
 * told apart by this. */
#ifndef CULITMUS_CUDA_IDENTITY_H
#define CULITMUS_CUDA_IDENTITY_H

#include <stdbool.h>

enum { IDENTITY_TEXT = 64 }; /* size of each text in bytes */

/* Writes the UUID as nvidia-smi does, "GPU-aabbccdd-...". Returns `out`. */
const char *identity_uuid(const unsigned char uuid[16], char *out);
/* Reads the version of the video BIOS of the GPU with this UUID. `folder` is the kernel module's, with a
 * folder for each GPU. Returns false when it is not known. */
bool identity_vbios(const char *folder, const char *uuid, char *out);
/* Reads the version of the kernel module, such as "570.86.15". Returns false when it is not known. */
bool identity_driver(const char *file, char *out);

#endif
