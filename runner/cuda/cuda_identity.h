/* Which GPU it is, and what runs on it beside the driver's library: results of many machines are told apart by it. */
#ifndef CULITMUS_CUDA_IDENTITY_H
#define CULITMUS_CUDA_IDENTITY_H

#include <stdbool.h>

enum { IDENTITY_TEXT = 64 }; /* bytes of each text */

/* "GPU-aabbccdd-...", as nvidia-smi names it; returns `out`. */
const char *identity_uuid(const unsigned char uuid[16], char *out);
/* The version of the BIOS of the GPU with this UUID: a folder of the kernel's module has a folder for each. False: not
 * known. */
bool identity_vbios(const char *folder, const char *uuid, char *out);
/* The version of the kernel's module: "570.86.15". False: not known. */
bool identity_driver(const char *file, char *out);

#endif
