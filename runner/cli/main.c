#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/choose.h"
#include "cli/interrupt.h"
#include "compile/compile.h"
#include "run/isolated.h"

static const struct command commands[NCOMMANDS] = {
#define COMMAND(name, TAG, min, max, wants) {#name, FOR_##TAG, min, max, wants, command_##name},
#include "cli/commands.def"
#undef COMMAND
};

const struct command *command_at(int k) {
    return k < NCOMMANDS ? &commands[k] : NULL;
}

static const struct command *find_command(const char *name) {
    for (int k = 0; k < NCOMMANDS; k++)
        if (strcasecmp(name, commands[k].name) == 0) return &commands[k];
    return NULL;
}

/* Names that other tools have for a command. */
static const char *find_habit(const char *given) {
    static const char *const habits[][2] = {
        {"ls", "list"},      {"test", "run"},         {"bench", "run"},        {"simulate", "check"},
        {"verify", "check"}, {"judge", "check"},      {"model", "check"},      {"herd", "check"},
        {"herd7", "check"},  {"explain", "check"},    {"litmus", "run"},       {"litmus7", "run"},
        {"diy", "generate"}, {"diy7", "generate"},    {"diyone7", "generate"}, {"gen", "generate"},
        {"new", "init"},     {"create", "init"},      {"print", "show"},       {"dump", "show"},
        {"compile", "show"}, {"compare", "diff"},     {"info", "devices"},     {"completion", "describe"},
        {"man", "describe"}, {"version", "--version"}};
    for (size_t k = 0; k < sizeof habits / sizeof *habits; k++)
        if (strcasecmp(given, habits[k][0]) == 0) return habits[k][1];
    return NULL;
}

static int unknown_command(const char *given) {
    const char *names[NCOMMANDS];
    for (int k = 0; k < NCOMMANDS; k++)
        names[k] = commands[k].name;
    const char *near = find_habit(given);
    if (!near) near = diag_nearest(given, names, NCOMMANDS);
    if (near) return usage_error(NULL, "unknown command '%s'; did you mean '%s'?", given, near);
    return usage_error(NULL, *given == '-' ? "unknown option '%s'" : "unknown command '%s'", given);
}

int command_help(const struct options *o) {
    const struct command *c = o->nargs ? find_command(o->args[0]) : NULL;
    if (o->nargs && !c) return unknown_command(o->args[0]);
    help_print(c ? c->name : NULL, stdout);
    return EXIT_FINE;
}

static int run_command(const struct command *c, int argc, char **argv) {
    struct options o;
    if (!options_parse(c, argc, argv, &o)) return EXIT_USAGE;
    compile_set_trust(
        &(struct compile_trust){o.includes.item, o.includes.n, o.trust_source, (int)ceil(o.compile_timeout)});
    if (!o.help) return c->run(&o);
    help_print(c->name, stdout);
    return EXIT_FINE;
}

/* Returns an exit code; an error if standard output could not be written. */
static int flush_stdout(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (pipe_broken) return 128 + SIGPIPE; /* the reader has left, and need not be told */
    fprintf(stderr, "culitmus: cannot write to standard output\n");
    return EXIT_ENVIRONMENT;
}

/* If standard output is closed, the next file that is opened would get its number, and output would go into
 * that file. So a closed stream is replaced by /dev/null opened in the wrong direction: using it fails, as on
 * a closed stream. */
static void hold_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Whether this process was started to drive a device. If so, it has done that when this returns. */
static bool serve_device(int argc, char **argv) {
    for (const struct backend *const *b = backends; *b; b++)
        if ((*b)->driver && isolated_serve((*b)->driver, argc, argv)) return true;
    return false;
}

/* A file that grows beyond its limit (ulimit -f) becomes a write error. Unlike SIG_IGN, a handler is not
 * inherited by programs that are started. */
static void on_file_limit(int sig) {
    (void)sig;
}

/* Returns false when the machine gives too little stack; stderr then says so. */
static bool prepare_limits(void) {
    size_t stack;
    struct sigaction large = {.sa_handler = on_file_limit};
    sigaction(SIGXFSZ, &large, NULL);
    if (memory_provide_stack(&stack)) return true;
    fprintf(stderr, "culitmus: the stack is limited to %zu KiB, and %d KiB are needed: see ulimit -s\n",
            stack >> 10, MEMORY_STACK >> 10);
    return false;
}

int main(int argc, char **argv) {
    hold_streams();
    if (!prepare_limits()) return EXIT_ENVIRONMENT;
    choose_packaged();
    if (serve_device(argc, argv)) return EXIT_FINE;
    interrupt_tidy();
    if (argc < 2) {
        help_print(NULL, stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_print(NULL, stdout);
        return flush_stdout(EXIT_FINE);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("culitmus " CULITMUS_VERSION);
        return flush_stdout(EXIT_FINE);
    }
    const struct command *c = find_command(argv[1]);
    return c ? flush_stdout(run_command(c, argc - 1, argv + 1)) : unknown_command(argv[1]);
}
