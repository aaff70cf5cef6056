/* Completions: what a shell offers after "culitmus". */
#include <string.h>

#include "cli/describe.h"

/* The names of the shipped tests, for the shells: lines of `list` that are not indented. */
static const char list_tests[] = "culitmus list 2>/dev/null | sed -n 's/^\\([^ :]*\\).*/\\1/p'";

/* The kind of arguments that a command takes. */
enum argument_kind { ARGUMENT_TEST, ARGUMENT_JSON, ARGUMENT_COMMAND, ARGUMENT_WORDS, ARGUMENT_NONE };

static enum argument_kind kind_of(struct arena *a, const char *command) {
    const char *arguments = arguments_of_command(a, command);
    if (strstr(arguments, ".json")) return ARGUMENT_JSON;
    if (strstr(arguments, "PATH") || strstr(arguments, "TEST")) return ARGUMENT_TEST;
    if (strstr(arguments, "COMMAND")) return ARGUMENT_COMMAND;
    return strchr(arguments, '|') ? ARGUMENT_WORDS : ARGUMENT_NONE;
}

/* Returns "bash zsh" for "bash|zsh". */
static const char *words_of(struct arena *a, const char *alternatives) {
    char *words = arena_strdup(a, alternatives + strspn(alternatives, " "));
    for (char *p = words; *p; p++)
        if (*p == '|') *p = ' ';
    return words;
}

static const char *command_words(struct arena *a) {
    const char *words = "";
    for (int k = 0; command_at(k); k++)
        words = arena_printf(a, "%s%s%s", words, k ? " " : "", command_at(k)->name);
    return words;
}

/* ---- bash ---- */

static const char *option_words(struct arena *a, const struct command *c) {
    const char *words = "";
    struct option_info info;
    for (int k = 0; option_at(k, &info); k++)
        if (info.commands & c->bit) words = arena_printf(a, "%s%s--%s", words, *words ? " " : "", info.name);
    return words;
}

/* A case for each option that takes an argument. */
static void put_bash_options(struct arena *a, const struct command *c, FILE *out) {
    struct option_info info;
    for (int k = 0; option_at(k, &info); k++) {
        if (!(info.commands & c->bit) || !info.argument) continue;
        const char *letter = info.letter ? arena_printf(a, " | %s/-%c", c->name, info.letter) : "";
        fprintf(out, "    %s/--%s%s) words='%s' kind=%s ;;\n", c->name, info.name, letter,
                values_of_option(a, c->name, info.name),
                option_takes_file(c->name, info.name) ? "any" : "none");
    }
}

static void put_bash_command(struct arena *a, const struct command *c, FILE *out) {
    static const char *const kinds[] = {"test", "json", "command", "words", "none"};
    enum argument_kind kind = kind_of(a, c->name);
    fprintf(out, "    %s/*) options='%s' kind=%s", c->name, option_words(a, c), kinds[kind]);
    if (kind == ARGUMENT_WORDS) fprintf(out, " words='%s'", words_of(a, arguments_of_command(a, c->name)));
    fputs(" ;;\n", out);
}

void complete_bash(struct arena *a, FILE *out) {
    fprintf(
        out,
        "# Completion of culitmus for bash, written by 'culitmus describe bash'.\n"
        "_culitmus_files() { # the folders, and the files that match the pattern\n"
        "    local file\n"
        "    compopt -o filenames 2>/dev/null\n"
        "    while IFS= read -r file; do\n"
        "        [[ -d $file || $file == $2 ]] && COMPREPLY+=(\"$file\")\n"
        "    done < <(compgen -f -- \"$1\")\n"
        "}\n"
        "_culitmus() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
        "command=${COMP_WORDS[1]}\n"
        "    local words='' options='' kind=none commands='%s'\n"
        "    COMPREPLY=()\n"
        "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$commands --help --version -V\" -- \"$word\"))\n"
        "        return\n"
        "    fi\n"
        "    [[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD - 2]} # --option=value is three words\n"
        "    [[ $word == '=' ]] && word=''\n"
        "    case $command/$before in\n",
        command_words(a));
    for (int k = 0; command_at(k); k++)
        put_bash_options(a, command_at(k), out);
    for (int k = 0; command_at(k); k++)
        put_bash_command(a, command_at(k), out);
    fprintf(out,
            "    esac\n"
            "    [[ $word == -* ]] && words=$options kind=none\n"
            "    [[ $kind == command ]] && words=$commands\n"
            "    [[ $kind == test && $word != */* ]] && words=$(%s)\n"
            "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
            "    case $kind in\n"
            "    test) _culitmus_files \"$word\" '*.@(yaml|yml|litmus)' ;;\n"
            "    json) _culitmus_files \"$word\" '*.json' ;;\n"
            "    any) _culitmus_files \"$word\" '*' ;;\n"
            "    esac\n"
            "}\n"
            "complete -F _culitmus culitmus\n",
            list_tests);
}

/* ---- zsh ---- */

/* Writes a text between single quotes; characters that _arguments would interpret get a backslash. */
static void put_quoted(const char *s, const char *special, FILE *out) {
    for (; *s; s++) {
        if (*s == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, "%s%c", strchr(special, *s) ? "\\" : "", *s);
    }
}

static void put_zsh_option(struct arena *a, const struct command *c, const struct option_info *o, FILE *out) {
    const char *values = values_of_option(a, c->name, o->name), *equals = o->argument ? "=" : "";
    if (o->letter)
        fprintf(out, "      '(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter,
                o->argument ? "+" : "", o->name, equals);
    else
        fprintf(out, "      '*--%s%s[", o->name, equals);
    put_quoted(help_of_option(a, c->name, o->name), "[]:\\", out);
    fputc(']', out);
    if (o->argument) fprintf(out, ":%s:", o->name);
    bool file = o->argument && option_takes_file(c->name, o->name);
    if (file && *values)
        fprintf(out, "{compadd %s; _files}", values);
    else if (file)
        fputs("_files", out);
    else if (*values)
        fprintf(out, "(%s)", values);
    fputs("' \\\n", out);
}

static void put_zsh_command(struct arena *a, const struct command *c, FILE *out) {
    struct option_info info;
    fprintf(out, "  %s)\n    _arguments -s \\\n", c->name);
    for (int k = 0; option_at(k, &info); k++)
        if (info.commands & c->bit) put_zsh_option(a, c, &info, out);
    switch (kind_of(a, c->name)) {
    case ARGUMENT_TEST: fputs("      '*:test:_culitmus_tests' ;;\n", out); break;
    case ARGUMENT_JSON: fputs("      '*:results:_files -g \"*.json\"' ;;\n", out); break;
    case ARGUMENT_COMMAND: fprintf(out, "      '1:command:(%s)' ;;\n", command_words(a)); break;
    case ARGUMENT_WORDS:
        fprintf(out, "      '1:what:(%s)' ;;\n", words_of(a, arguments_of_command(a, c->name)));
        break;
    case ARGUMENT_NONE: fputs("      ;;\n", out); break;
    }
}

void complete_zsh(struct arena *a, FILE *out) {
    fprintf(out,
            "#compdef culitmus\n"
            "# Completion of culitmus for zsh, written by 'culitmus describe zsh'.\n"
            "_culitmus_tests() {\n"
            "  local -a names\n"
            "  names=(${(f)\"$(%s)\"})\n"
            "  _alternative 'tests:shipped test:compadd -a names' \\\n"
            "    'files:file:_files -g \"*.(yaml|yml|litmus)\"'\n"
            "}\n"
            "_culitmus() {\n"
            "  local -a commands\n"
            "  commands=(\n",
            list_tests);
    for (int k = 0; command_at(k); k++) {
        fprintf(out, "    '%s:", command_at(k)->name);
        put_quoted(help_of_command(a, command_at(k)->name), ":\\", out);
        fputs("'\n", out);
    }
    fputs("  )\n"
          "  if ((CURRENT == 2)); then\n"
          "    _describe command commands\n"
          "    return\n"
          "  fi\n"
          "  shift words\n"
          "  ((CURRENT--))\n"
          "  case $words[1] in\n",
          out);
    for (int k = 0; command_at(k); k++)
        put_zsh_command(a, command_at(k), out);
    fputs("  esac\n}\n_culitmus \"$@\"\n", out);
}

/* ---- fish ---- */

/* Writes each value without a description, because fish would show the option's beside it. */
static void put_fish_values(const char *values, FILE *out) {
    fputs(" -a '", out);
    for (size_t n; *(values += strspn(values, " ")); values += n) {
        n = strcspn(values, " ");
        fprintf(out, "%.*s\\t ", (int)n, values);
    }
    fputs("'", out);
}

static void put_fish_option(struct arena *a, const struct command *c, const struct option_info *o,
                            FILE *out) {
    const char *values = values_of_option(a, c->name, o->name);
    fprintf(out, "complete -c culitmus -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
    if (o->letter) fprintf(out, " -s %c", o->letter);
    if (o->argument) fputs(option_takes_file(c->name, o->name) ? " -rF" : " -x", out);
    if (o->argument && *values) put_fish_values(values, out);
    fputs(" -d '", out);
    put_quoted(help_of_option(a, c->name, o->name), "\\", out);
    fputs("'\n", out);
}

static void put_fish_command(struct arena *a, const struct command *c, FILE *out) {
    struct option_info info;
    fprintf(out, "complete -c culitmus -n __fish_use_subcommand -a %s -d '", c->name);
    put_quoted(help_of_command(a, c->name), "\\", out);
    fputs("'\n", out);
    for (int k = 0; option_at(k, &info); k++)
        if (info.commands & c->bit) put_fish_option(a, c, &info, out);
    static const char *const offers[] = {
        [ARGUMENT_TEST] = "(__culitmus_tests) (__fish_complete_suffix .yaml)",
        [ARGUMENT_JSON] = "(__fish_complete_suffix .json)",
    };
    enum argument_kind kind = kind_of(a, c->name);
    const char *offer = kind == ARGUMENT_COMMAND ? command_words(a)
                        : kind == ARGUMENT_WORDS ? words_of(a, arguments_of_command(a, c->name))
                        : kind == ARGUMENT_NONE  ? NULL
                                                 : offers[kind];
    if (offer)
        fprintf(out, "complete -c culitmus -n '__fish_seen_subcommand_from %s' -a '%s'\n", c->name, offer);
}

void complete_fish(struct arena *a, FILE *out) {
    fprintf(out,
            "# Completion of culitmus for fish, written by 'culitmus describe fish'.\n"
            "function __culitmus_tests\n"
            "    %s\n"
            "end\n"
            "complete -c culitmus -f\n"
            "complete -c culitmus -n __fish_use_subcommand -l help -s h -d 'this text'\n"
            "complete -c culitmus -n __fish_use_subcommand -l version -s V -d 'the version'\n",
            list_tests);
    for (int k = 0; command_at(k); k++)
        put_fish_command(a, command_at(k), out);
}

/* Whether some row of an option applies to a command. */
static bool takes(const struct command *c, const char *name) {
    struct option_info info;
    for (int k = 0; option_at(k, &info); k++) {
        bool same = strcmp(info.name, name) == 0 || (info.letter == name[0] && name[1] == 0);
        if (same && info.commands & c->bit) return true;
    }
    return false;
}

const char *option_takers(const char *name) {
    enum { MOST = 3 };
    static char text[160];
    int n = 0, all = 0;
    size_t len = 0;
    for (int k = 0; command_at(k); k++)
        all += takes(command_at(k), name);
    for (int k = 0; command_at(k) && n < MOST; k++) {
        if (!takes(command_at(k), name)) continue;
        const char *before = n == 0 ? ": " : n + 1 == all ? " and " : ", ";
        len +=
            (size_t)snprintf(text + len, sizeof text - len, "%s'culitmus %s'", before, command_at(k)->name);
        n++;
    }
    if (n)
        snprintf(text + len, sizeof text - len,
                 all > MOST ? " and others have it"
                 : n > 1    ? " have it"
                            : " has it");
    return n ? text : "";
}
