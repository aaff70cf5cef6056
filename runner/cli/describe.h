/* What is generated from the help text, docs/cli.md, and from the table of options: completions, the manual page. */
#ifndef CULITMUS_DESCRIBE_H
#define CULITMUS_DESCRIBE_H

#include <stdio.h>

#include "base/arena.h"
#include "cli/cli.h"

/* What the help of a command says of an option, in one line; empty where it says nothing. */
const char *help_of_option(struct arena *a, const char *command, const char *option);
/* What an option may be given, as words with blanks between them. Names in capitals (FILE) are left out: it is empty
 * where all are such. The command's own help comes first, then that of the others: run's stands for all. */
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
