/* An NVRTC of version 13.0, or 12.4 if $PLAY_OLD is set. It never comes back from a text whose name begins with "slow",
 * crashes on one that begins with "crash", and refuses all others; those that begin with "new" as its assembler does. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/nvrtc_api.h"

#define EXPORT(fn, args)                                                                                     \
    int played_##fn args __asm__(#fn);                                                                       \
    int played_##fn args

static char compiled[64];
static const char refusal[] = "no",
                  assembler[] = "ptxas application ptx input, line 3; warning : it is a long error\n"
                                "ptxas application ptx input, line 7; error   : State space incorrect for "
                                "instruction 'cp.async.bulk'\n"
                                "ptxas fatal   : Ptx assembly aborted due to errors",
                  wordless[] = "ptxas application ptx input, line 3; warning : Advisory";

static const char *log_of(void) {
    if (strncmp(compiled, "newer", 5) == 0) return wordless;
    return strncmp(compiled, "new", 3) == 0 ? assembler : refusal;
}

EXPORT(nvrtcVersion, (int *major, int *minor)) {
    bool old = getenv("PLAY_OLD") != NULL;
    *major = old ? 12 : 13;
    *minor = old ? 4 : 0;
    return 0;
}

EXPORT(nvrtcGetNumSupportedArchs, (int *n)) {
    *n = 1;
    return 0;
}

EXPORT(nvrtcGetSupportedArchs, (int *archs)) {
    *archs = 90;
    return 0;
}

EXPORT(nvrtcCreateProgram, (nvrtc_program * p, const char *text, const char *name, int n,
                            const char *const *headers, const char *const *names)) {
    (void)text, (void)n, (void)headers, (void)names;
    snprintf(compiled, sizeof compiled, "%s", name);
    *p = (nvrtc_program)(void *)compiled;
    return 0;
}

EXPORT(nvrtcDestroyProgram, (nvrtc_program * p)) {
    *p = NULL;
    return 0;
}

EXPORT(nvrtcCompileProgram, (nvrtc_program p, int n, const char *const *options)) {
    const char *started = getenv("PLAY_STARTED");
    (void)p, (void)n, (void)options;
    if (strncmp(compiled, "crash", 5) == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer handles it */
        raise(SIGSEGV);
    }
    if (strncmp(compiled, "slow", 4) != 0) return 6; /* NVRTC_ERROR_COMPILATION */
    if (started) fclose(fopen(started, "w"));
    for (;;)
        pause();
}

EXPORT(nvrtcGetProgramLogSize, (nvrtc_program p, size_t *n)) {
    (void)p;
    *n = strlen(log_of()) + 1;
    return 0;
}

EXPORT(nvrtcGetProgramLog, (nvrtc_program p, char *to)) {
    (void)p;
    strcpy(to, log_of());
    return 0;
}

/* Nothing is ever compiled. */
#define NOTHING(fn)                                                                                          \
    EXPORT(fn, (void)) {                                                                                     \
        return 1;                                                                                            \
    }
NOTHING(nvrtcGetPTXSize)
NOTHING(nvrtcGetPTX)
NOTHING(nvrtcGetCUBINSize)
NOTHING(nvrtcGetCUBIN)

const char *played_text(int r) __asm__("nvrtcGetErrorString");
const char *played_text(int r) {
    return r == 0 ? "fine" : "played";
}
