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
    EXIT_FOUND = 1, /* a forbidden outcome was seen, or a claim failed; for diff: the results differ */
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
        /* for each printer the file of results; NULL: not asked for; "-": standard output */
        *files[NPRINTERS];
    const char *profile, *output, *races, *results, *kernel, *by, *playground, *preset;
    struct cell_choices cells;
    struct shard shard;
    struct choices edges, strengths;  /* of cycles */
    struct choices models;            /* for check and fit */
    struct choices includes, defines; /* for sources that are compiled */
    struct choices compilers;         /* libraries of NVRTC */
    struct choices archs;             /* architectures for which several compilers compile */
    struct choices ptxas;             /* separate assemblers for these compilers */
    struct device_list devices;
    long long seed, runs;                      /* -1 where not given */
    long long unroll;                          /* 0 where not given */
    long long size, threads, limit, sample;    /* 0 where not given */
    double seconds, total, timeout, tolerance; /* 0 where not given */
    double compile_timeout;                    /* 0 where not given */
    unsigned without;                          /* prunings to leave out, as bits */
    bool syntactic;                            /* dependencies are those of the text */
    bool all_cells, whole, standalone, link, no_profile, brief, why, strict, outcomes, cost, trust_source,
        certificate, mappings;
};

enum command_number {
#define COMMAND(name, TAG, min, max, wants) COMMAND_##TAG,
#include "cli/commands.def"
#undef COMMAND
    NCOMMANDS
};

/* A bit for each command: which commands take an option. */
enum {
#define COMMAND(name, TAG, min, max, wants) FOR_##TAG = 1 << COMMAND_##TAG,
#include "cli/commands.def"
#undef COMMAND
};

struct command {
    const char *name;
    unsigned bit;
    int min_args, max_args; /* max_args -1: any number */
    const char *wants;      /* the arguments that it needs */
    int (*run)(const struct options *o);
};

#define COMMAND(name, TAG, min, max, wants) int command_##name(const struct options *o);
#include "cli/commands.def"
#undef COMMAND

/* Prints the test for show --as lift. False: no thread of it is a whole kernel. */
bool lift_put(const struct test *t);
int fence_cost_show(const struct options *o); /* fences --cost */
struct spread;
/* Reads the results that the command line names, each of which may be named once, and adds them up. NULL and
 * errors: there is no sum. `spread` also keeps them apart (--by), or is NULL. *unread is how many errors are
 * about files that cannot be read, which the sum lacks. */
struct report *merge_read(struct arena *a, const struct options *o, struct spread *spread, struct diag *d,
                          size_t *unread);
/* What is added up: results; shards, of which the missing ones are named; or what several devices of this
 * machine did at once, which is shown like one run. */
enum sum_of { SUM_OF_RESULTS, SUM_OF_SHARDS, SUM_OF_DEVICES };
/* Adds up the results that the command line names, and shows and writes the sum. Returns an exit code. */
int merge_show(const struct options *o, enum sum_of of);
/* Lists the words that --by takes, at most `most`. Returns their number. */
int merge_keys(const char *names[], int most);

/* Returns the commands in the order of the help; NULL behind the last. */
const struct command *command_at(int k);

/* What a shell's completion needs to know of an option. */
struct option_info {
    const char *name;
    char letter; /* 0: it has no letter */
    bool argument;
    unsigned commands;
};
/* Returns the options one after another; false behind the last. */
bool option_at(int k, struct option_info *out);

/* Returns which commands have an option, given its name or letter, as in ": 'culitmus run' has it"; "" if
 * none has. Valid until the next call. */
const char *option_takers(const char *name);

/* Reads argv[1..] as the options of a command. Returns false when something is wrong; stderr then says
 * what. */
bool options_parse(const struct command *c, int argc, char **argv, struct options *o);

/* Lists the words that --as takes, at most `most`. Returns their number. */
int show_forms(const char *names[], int most);
const char *options_forms(void); /* the same as one text, "cuda, ptx or c"; valid until the next call */

/* Prints "culitmus run: <message>" and where to read more, on stderr. Returns EXIT_USAGE. */
int usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints the diagnostics on stderr and frees them. Returns `code`; EXIT_FINE if there was no error. */
int diag_report(struct diag *d, int code);

/* Whether the stream is a terminal that can clear a line. */
bool is_terminal(FILE *f);
/* Whether to colour output to the stream: it is such a terminal, and NO_COLOR is not set. */
bool use_color(FILE *f);

/* Checks before a long run that every file of results can be written. Returns 0, or an exit code; stderr then
 * says why. */
int outputs_check(const struct options *o);
/* Checks that no file of results would overwrite `input`, which is read. Returns like outputs_check. */
int outputs_spare(const struct options *o, const char *input);
/* Writes the files of results; a regular file is replaced as a whole. Returns false when one could not be
 * written; stderr says why. */
bool outputs_write(const struct options *o, const struct report *r);
/* Writes to a file, which is replaced as a whole, or to standard output ("-"). Returns like outputs_write. */
bool outputs_put(const char *path, void (*put)(const void *ctx, FILE *out), const void *ctx);
/* Writes tests into the folder of --output, all or none, and says how many. Returns 0, or an exit code; then
 * the diagnostics say why. */
int outputs_folder(const struct options *o, struct arena *a, const struct folder_file *files, int n,
                   struct diag *d);
/* Whether the options ask for a file of results. */
bool outputs_wanted(const struct options *o);
/* Whether results go to standard output, where nothing else may be printed then. */
bool outputs_to_stdout(const struct options *o);

/* Prints the help of a command (NULL: of the tool), which is part of docs/cli.md. */
void help_print(const char *command, FILE *out);
/* Returns that text, *length bytes behind its heading. */
const char *help_find(const char *command, size_t *length);

/* Returns why no command has an option of this name; NULL: there is no reason to give. */
const char *help_reason(const char *given);

#endif
