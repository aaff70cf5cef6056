/* What the commands share. Only this folder prints and chooses exit codes. */
#ifndef CULITMUS_CLI_H
#define CULITMUS_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "report/printers.h"
#include "session/cells.h"
#include "session/folder.h"
#include "session/shard.h"

enum {
    EXIT_FINE = 0,
    EXIT_FOUND = 1, /* a forbidden outcome was seen, a claim failed, or for diff: there is a difference */
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_ENVIRONMENT = 4, /* no device, no compiler, a file that cannot be written, a cell that failed */
    EXIT_INTERRUPTED = 130,
};

/* The options of all commands. The table in options.c says which command takes which. */
/* The devices that --device names. */
struct device_list {
    bool all;
    int n, number[64];
};

struct options {
    const char *command;
    char **args;
    int nargs;
    bool help;
    const char *backend, *as, *arch, *std, *filter, *exclude, *model;
    const char
        *files[NPRINTERS]; /* of results, a file a printer; NULL: not asked for; "-": standard output */
    const char *profile, *output, *races, *results, *kernel, *by, *playground, *preset;
    struct cell_choices cells;
    struct shard shard;
    struct choices edges, strengths;  /* of cycles */
    struct choices models;            /* of check and fit */
    struct choices includes, defines; /* of sources that are compiled */
    struct choices compilers;         /* libraries of NVRTC */
    struct choices archs;             /* that several compilers compile for */
    struct choices ptxas;             /* assemblers of their own for each */
    struct device_list devices;
    long long seed, runs;                      /* -1 where not given */
    long long unroll;                          /* 0 where not given */
    long long size, threads, limit, sample;    /* likewise */
    double seconds, total, timeout, tolerance; /* 0 where not given */
    double compile_timeout;                    /* likewise */
    unsigned without;                          /* prunings, a bit each */
    bool syntactic;                            /* dependencies */
    bool all_cells, whole, standalone, link, no_profile, brief, why, strict, outcomes, cost, trust_source,
        certificate, mappings;
};

enum command_number {
#define COMMAND(name, TAG, min, max, wants) COMMAND_##TAG,
#include "cli/commands.def"
#undef COMMAND
    NCOMMANDS
};

/* A bit a command: which of them take an option. */
enum {
#define COMMAND(name, TAG, min, max, wants) FOR_##TAG = 1 << COMMAND_##TAG,
#include "cli/commands.def"
#undef COMMAND
};

struct command {
    const char *name;
    unsigned bit;
    int min_args, max_args; /* max_args -1: any number */
    const char *wants;      /* the arguments that it cannot do without */
    int (*run)(const struct options *o);
};

#define COMMAND(name, TAG, min, max, wants) int command_##name(const struct options *o);
#include "cli/commands.def"
#undef COMMAND

/* show --as lift. False: no thread of the test is a whole kernel. */
bool lift_put(const struct test *t);
int fence_cost_show(const struct options *o); /* fences --cost */
struct spread;
/* The sum of the results that the command line names; each may be named once. NULL and errors: there is none. `spread`:
 * where they are kept apart, too (--by), or NULL. `unread`: how many of the errors are of files that cannot be read, which
 * the sum lacks. */
struct report *merge_read(struct arena *a, const struct options *o, struct spread *spread, struct diag *d,
                          size_t *unread);
/* Of shards it is said what is missing. What devices of this machine did at once is shown as a run shows it. */
enum sum_of { SUM_OF_RESULTS, SUM_OF_SHARDS, SUM_OF_DEVICES };
/* Adds up the results that the command line names, shows and writes the sum. Returns an exit code. */
int merge_show(const struct options *o, enum sum_of of);
/* The words that --by takes. Fills `names` with at most `most` of them, and returns how many. */
int merge_keys(const char *names[], int most);

/* The commands, in the order of the help; NULL after the last. */
const struct command *command_at(int k);

/* An option, as the completion of a shell needs to know it. */
struct option_info {
    const char *name;
    char letter; /* 0: it has none */
    bool argument;
    unsigned commands;
};
/* False after the last. */
bool option_at(int k, struct option_info *out);

/* ": 'culitmus run' has it": of an option by its name or letter, which commands have it; "" where none has. Until the next
 * call. */
const char *option_takers(const char *name);

/* Reads argv[1..] for a command. False when something is wrong; stderr then says what. */
bool options_parse(const struct command *c, int argc, char **argv, struct options *o);

/* The words that --as takes. Fills `names` with at most `most` of them, and returns how many. */
int show_forms(const char *names[], int most);
const char *options_forms(void); /* the same as "cuda, ptx or c", until the next call */

/* "culitmus run: <message>" and where to read more, on stderr. Returns EXIT_USAGE. */
int usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Renders the diagnostics on stderr and frees them. Returns `code`, or EXIT_FINE when there was no error. */
int diag_report(struct diag *d, int code);

/* Whether the stream leads to a terminal that is not dumb: one that can clear a line. */
bool is_terminal(FILE *f);
/* Whether to colour what goes to the stream: such a terminal, and no NO_COLOR. */
bool use_color(FILE *f);

/* Checks before a long run that every file of results can be written. Returns 0, or an exit code; stderr then says
 * why. */
int outputs_check(const struct options *o);
/* Checks that no file of results would take the place of a file that is read. Returns as outputs_check does. */
int outputs_spare(const struct options *o, const char *input);
/* Writes the files of results; a regular file is replaced as a whole. False when one could not be written; stderr says
 * why. */
bool outputs_write(const struct options *o, const struct report *r);
/* Writes to a file, which is replaced as a whole, or to standard output ("-"). As outputs_write. */
bool outputs_put(const char *path, void (*put)(const void *ctx, FILE *out), const void *ctx);
/* Writes tests into the folder of --output, all or none, and says how many. Returns 0, or an exit code; the diagnostics then
 * say why. */
int outputs_folder(const struct options *o, struct arena *a, const struct folder_file *files, int n,
                   struct diag *d);
/* Whether results go to some file. */
bool outputs_wanted(const struct options *o);
/* Whether some format goes to standard output, so that nothing else may be printed there. */
bool outputs_to_stdout(const struct options *o);

/* The help of a command (NULL: of the tool), from docs/cli.md. */
void help_print(const char *command, FILE *out);
/* The same text, from below its heading: *length bytes. */
const char *help_find(const char *command, size_t *length);

/* Why no command has an option of this name; NULL: there is no reason to tell. In help.c. */
const char *help_reason(const char *given);

#endif
