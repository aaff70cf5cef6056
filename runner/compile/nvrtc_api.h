/* NVRTC's API, loaded at run time: the tool builds and starts where NVRTC is not installed. Only the
 * functions in use are declared. The table of each library is filled once, under a lock. */
#ifndef CULITMUS_NVRTC_API_H
#define CULITMUS_NVRTC_API_H

#include <stddef.h>

#include "base/diag.h"

typedef struct nvrtc_program_handle *nvrtc_program;

#define NVRTC_FUNCTIONS(F)                                                                                   \
    F(nvrtcVersion, "nvrtcVersion", (int *major, int *minor))                                                \
    F(nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs", (int *n))                                      \
    F(nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs", (int *archs))                                        \
    F(nvrtcCreateProgram, "nvrtcCreateProgram",                                                              \
      (nvrtc_program * p, const char *text, const char *name, int n, const char *const *headers,             \
       const char *const *names))                                                                            \
    F(nvrtcDestroyProgram, "nvrtcDestroyProgram", (nvrtc_program * p))                                       \
    F(nvrtcCompileProgram, "nvrtcCompileProgram", (nvrtc_program p, int n, const char *const *options))      \
    F(nvrtcGetPTXSize, "nvrtcGetPTXSize", (nvrtc_program p, size_t * n))                                     \
    F(nvrtcGetPTX, "nvrtcGetPTX", (nvrtc_program p, char *to))                                               \
    F(nvrtcGetCUBINSize, "nvrtcGetCUBINSize", (nvrtc_program p, size_t * n))                                 \
    F(nvrtcGetCUBIN, "nvrtcGetCUBIN", (nvrtc_program p, char *to))                                           \
    F(nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize", (nvrtc_program p, size_t * n))                       \
    F(nvrtcGetProgramLog, "nvrtcGetProgramLog", (nvrtc_program p, char *to))

#define DECLARE(name, symbol, args) int(*name) args;
struct nvrtc_api {
    NVRTC_FUNCTIONS(DECLARE)
    const char *(*nvrtcGetErrorString)(int result);
};
#undef DECLARE

/* Returns the table of the NVRTC at this path; several may be loaded. With NULL it is looked for in
 * $CULITMUS_NVRTC (only there, if set), $CUDA_HOME, $CUDA_PATH, the Python environment of the tool, the
 * loader's path and /usr/local/cuda. NULL, and an error that says what was looked for, when it is not
 * there. */
const struct nvrtc_api *nvrtc_api_load(const char *library, struct diag *d);

#endif
