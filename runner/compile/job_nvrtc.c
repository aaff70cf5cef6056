/* A job for NVRTC, where there is no nvcc. It has no headers of the host. */
#include <string.h>

#include "compile/job.h"
#include "compile/nvrtc.h"

bool nvrtc_compile(struct arena *a, const struct compile_job *job, struct compile_output *out,
                   struct diag *d) {
    static const char refused[] = "NVRTC does not compile ";
    struct nvrtc_source source = {.text = job->text,
                                  .name = JOB_NAME ".cu",
                                  .arch = job->arch,
                                  .std = job->std,
                                  .seconds = job->seconds,
                                  .lines = true,
                                  .folders = job->folders,
                                  .nfolders = job->nfolders};
    struct text ptx = {0};
    struct diag said = {0};
    bool fine = nvrtc_ptx(&source, &ptx, &said);
    const char *message = said.n ? said.messages[said.n - 1].text : "";
    const char *log = strncmp(message, refused, strlen(refused)) == 0 ? strchr(message, '\n') : NULL;
    out->ptx = fine ? arena_strdup(a, ptx.s) : NULL;
    out->log = arena_strdup(a, log ? log + 1 : "");
    if (!fine && !log) diag_fail(d, "%s", message);
    text_free(&ptx);
    diag_free(&said);
    return fine || log;
}
