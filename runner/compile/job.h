/* What a compiler is given, and what it gives back. Private to compile. */
#ifndef CULITMUS_JOB_H
#define CULITMUS_JOB_H

#include "base/source.h"
#include "base/text.h"
#include "compile/trust.h"

/* The name of the text's file without its extension; and the variable in the text that holds the address of
 * the kernel. */
#define JOB_NAME  "culitmus_source"
#define JOB_ENTRY "culitmus_entry"

enum { JOB_SECONDS = 60 }; /* if the command line says nothing else */
/* How many bytes a compiler's process, and a file that it writes, may have. Longer PTX would be longer than a
 * test may be. */
static const long long job_memory = 8LL << 30, job_file = 64LL << 20;

struct compile_job {
    const char *text;           /* CUDA C++ that includes the source */
    const char *path;           /* of the source, for messages */
    const char *arch;           /* "sm_90" */
    const char *std;            /* "c++17" */
    const char *const *folders; /* of headers, in this order */
    int nfolders;
    int seconds; /* how long the compiler may take */
};

struct compile_output {
    const char *ptx;    /* NULL: it does not compile */
    const char *log;    /* what the compiler printed */
    const char **files; /* the files that were read, each once, as the compiler names them */
    int nfiles;
};

/* Compiles with the program `nvcc`. Returns false and leaves an error when it could not be run or was
 * ended. */
bool nvcc_compile(struct arena *a, const char *nvcc, const struct compile_job *job,
                  struct compile_output *out, struct diag *d);

/* The same with NVRTC, which does not say which files it has read. */
bool nvrtc_compile(struct arena *a, const struct compile_job *job, struct compile_output *out,
                   struct diag *d);
/* Lists the files that a source and its headers include; headers of a toolkit are listed but not searched.
 * Returns false when a macro makes the name of a file. */
bool includes_find(struct arena *a, const struct trust *t, const struct compile_job *job, const char *source,
                   struct compile_output *out);

/* The first error in a compiler's log. */
struct log_error {
    const char *file, *text;
    int line, col; /* col 0: unknown */
    const char
        /* the line with its macros expanded, and the column in it; NULL: the log does not quote it */
        *quoted;
    int quoted_col;
};
/* Returns false when the log has no error with a place. */
bool log_find_error(struct arena *a, const char *log, struct log_error *out);
/* Returns what a log without a place says: its first line that has ": ", such as "nvcc fatal : no". */
const char *log_find_reason(struct arena *a, const char *log);

/* Gets a compilation from the cache: its PTX, and a hash of each file that it was made of. The key is
 * `compiler` and the job. Returns false when there is no entry, or when a file has changed since. */
bool kept_get(struct arena *a, const char *compiler, const struct compile_job *job,
              struct compile_output *out);
void kept_put(const char *compiler, const struct compile_job *job, const struct compile_output *out,
              struct diag *d);

/* Lets one thread at a time compile a text. A thread that comes with the same text waits until it is in the
 * cache. */
struct kept_turn {
    const struct compile_job *job;
    struct kept_turn *next;
};
void kept_begin(struct kept_turn *turn, const struct compile_job *job);
void kept_end(const struct kept_turn *turn);

/* Returns the PTX without what no test reads (sections of names for debuggers), and with its files named for
 * people. */
char *tidy_ptx(struct arena *a, const struct trust *t, const char *ptx);
/* Removes the variable of the text, and the function declarations that came with it, from the PTX. Returns
 * the kernel's name in PTX, which the variable held; NULL: the variable is not there. */
const char *entry_take(struct arena *a, char *ptx);
/* Returns the name in PTX of the kernel with this plain name in C++; NULL: there is none, or there are
 * several. */
const char *entry_find(struct arena *a, const char *ptx, const char *kernel);

#endif
