/* Completions and the manual page, made from the help text (docs/cli.md) and the table of options. */
#ifndef CULITMUS_DESCRIBE_H
#define CULITMUS_DESCRIBE_H

#include <stdio.h>

#include "base/arena.h"
#include "cli/cli.h"

/* What the help of a command says of an option, in one line; empty where it says nothing. */
const char *help_of_option(struct arena *a, const char *command, const char *option);
/* The words that an option takes, with blanks between them; empty if it takes none that are fixed, as in "--json FILE".
 * Looks in the command's own help first, then in that of the others: `run` explains --fence for all of them. */
const char *values_of_option(struct arena *a, const char *command, const char *option);
/* Whether an option takes a file. */
bool option_takes_file(const char *command, const char *option);
/* What the list of commands says of one. */
const char *help_of_command(struct arena *a, const char *command);
/* What a command takes as arguments: the end of its usage line, "[PATH...]". */
const char *arguments_of_command(struct arena *a, const char *command);

void complete_bash(struct arena *a, FILE *out);
void complete_zsh(struct arena *a, FILE *out);
void complete_fish(struct arena *a, FILE *out);
void manual_page(FILE *out);

#endif
