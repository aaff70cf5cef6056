/* Completions and the manual page. They are made from the help text (docs/cli.md) and the table of
 * options. */
#ifndef CULITMUS_DESCRIBE_H
#define CULITMUS_DESCRIBE_H

#include <stdio.h>

#include "base/arena.h"
#include "cli/cli.h"

/* Returns what the help of a command says of an option, in one line; "" if it says nothing. */
const char *help_of_option(struct arena *a, const char *command, const char *option);
/* Returns the words that an option takes, separated by blanks; "" if it has no fixed ones, as "--json FILE".
 * The command's own help comes first, then that of the others: `run` explains --fence for all of them. */
const char *values_of_option(struct arena *a, const char *command, const char *option);
/* Whether an option takes a file. */
bool option_takes_file(const char *command, const char *option);
/* Returns what the list of commands says of a command. */
const char *help_of_command(struct arena *a, const char *command);
/* Returns the arguments of a command: the end of its usage line, such as "[PATH...]". */
const char *arguments_of_command(struct arena *a, const char *command);

void complete_bash(struct arena *a, FILE *out);
void complete_zsh(struct arena *a, FILE *out);
void complete_fish(struct arena *a, FILE *out);
void manual_page(FILE *out);

#endif
