/* What a compiler is given and gives back: private to compile. */
#ifndef CULITMUS_JOB_H
#define CULITMUS_JOB_H

#include "base/source.h"
#include "base/text.h"
#include "compile/trust.h"

/* The text's name without its ending; and the variable in it that holds the address of the kernel. */
#define JOB_NAME  "culitmus_source"
#define JOB_ENTRY "culitmus_entry"

enum { JOB_SECONDS = 60 }; /* where the command line says nothing else */
/* Bytes of a process and of a file: PTX that is longer than a test may be is of no use. */
static const long long job_memory = 8LL << 30, job_file = 64LL << 20;

struct compile_job {
    const char *text;           /* CUDA C++ that includes the source */
    const char *path;           /* of the source, for messages */
    const char *arch;           /* "sm_90" */
    const char *std;            /* "c++17" */
    const char *const *folders; /* of headers, in this order */
    int nfolders;
    int seconds; /* that the compiler may take */
};

struct compile_output {
    const char *ptx;    /* NULL: it does not compile */
    const char *log;    /* what the compiler said */
    const char **files; /* that were read: each once, as the compiler names them */
    int nfiles;
};

/* Compiles by nvcc, a program at this path. False and an error when it could not be run or was ended. */
bool nvcc_compile(struct arena *a, const char *nvcc, const struct compile_job *job,
                  struct compile_output *out, struct diag *d);

/* The same by NVRTC, which does not say what it reads. */
bool nvrtc_compile(struct arena *a, const struct compile_job *job, struct compile_output *out,
                   struct diag *d);
/* Lists what a source and its headers include, below them no header of a toolkit. False when a name is made by a macro. */
bool includes_find(struct arena *a, const struct trust *t, const struct compile_job *job, const char *source,
                   struct compile_output *out);

/* The first error of a compiler's log. */
struct log_error {
    const char *file, *text;
    int line, col; /* col 0: unknown */
    const char
        *quoted; /* the line with its macros expanded, and the column in it; NULL: the log does not say */
    int quoted_col;
};
/* False: there is none with a place. */
bool log_find_error(struct arena *a, const char *log, struct log_error *out);
/* What a log without a place says: its first line that has ": ", as "nvcc fatal   : no". */
const char *log_find_reason(struct arena *a, const char *log);

/* What is kept of a compilation: the PTX, and a hash of each file that it was made of. `compiler` and the job are the key;
 * false when nothing is kept, or a file has changed. */
bool kept_get(struct arena *a, const char *compiler, const struct compile_job *job,
              struct compile_output *out);
void kept_put(const char *compiler, const struct compile_job *job, const struct compile_output *out,
              struct diag *d);

/* A text is compiled by one thread at a time: who comes with it meanwhile waits until it is kept. */
struct kept_turn {
    const struct compile_job *job;
    struct kept_turn *next;
};
void kept_begin(struct kept_turn *turn, const struct compile_job *job);
void kept_end(const struct kept_turn *turn);

/* PTX without what no test reads (sections of names for debuggers), and with files named as a person does. */
char *tidy_ptx(struct arena *a, const struct trust *t, const char *ptx);
/* Takes the declarations of functions that the text's variable brought, and the variable itself, out of PTX. Returns what it
 * says the entry is; NULL: it is not there. */
const char *entry_take(struct arena *a, char *ptx);
/* What PTX calls the kernel that has this plain name in C++; NULL: it has none, or several. */
const char *entry_find(struct arena *a, const char *ptx, const char *kernel);

#endif
