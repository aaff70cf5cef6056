#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/choose.h"
#include "cycle/cycle.h"
#include "logic/prunings.h"

/* Reads an option's argument into the field. Returns NULL, or what the option wants instead, such as "a whole
 * number". */
typedef const char *reader(char *text, void *field);

static const char *read_text(char *text, void *field) {
    *(const char **)field = text;
    return *text ? NULL : "something that is not empty";
}

static const char *read_flag(char *text, void *field) {
    (void)text;
    *(bool *)field = true;
    return NULL;
}

/* Reads digits only, without sign, blanks or exponent. Returns -1 if there is anything else, or the number is
 * too large. */
static long long read_digits(const char *text, char **end) {
    if (*text < '0' || *text > '9') return -1;
    errno = 0;
    long long n = strtoll(text, end, 10);
    return errno ? -1 : n;
}

static const char *read_number(char *text, void *field) {
    char *end;
    long long n = read_digits(text, &end);
    if (n < 0 || *end) return "a whole number, 0 or more and below 2^63";
    *(long long *)field = n;
    return NULL;
}

static const char *read_device(char *text, void *field) {
    struct device_list *list = field;
    long long number;
    const char *wants = read_number(text, &number);
    if (wants || number > INT_MAX) return wants ? wants : "the number of a device";
    *list = (struct device_list){.n = 1, .number = {(int)number}};
    return NULL;
}

static const char *read_devices(char *text, void *field) {
    struct device_list *list = field;
    *list = (struct device_list){.all = strcmp(text, "all") == 0};
    for (char *end = text; !list->all; text = end + 1) {
        long long number = read_digits(text, &end);
        if (number < 0 || number > INT_MAX || (*end && *end != ','))
            return "the numbers of devices with a comma between two, or 'all'";
        for (int k = 0; k < list->n; k++)
            if (list->number[k] == number) return "each device once";
        if (list->n == sizeof list->number / sizeof *list->number) return "fewer devices";
        list->number[list->n++] = (int)number;
        if (!*end) break;
    }
    return NULL;
}

/* Returns the factor for what follows the digits of a number: "", "k", "M", "G", or "e6". 0: it is something
 * else, or more than e15. */
static long long read_unit(char *text) {
    static const char suffixes[] = "kMG";
    const char *suffix = *text ? strchr(suffixes, *text == 'K' ? 'k' : *text) : NULL;
    char *end = text + 1;
    long long power = suffix ? 3 * (suffix - suffixes + 1) : 0, unit = 1;
    if (*text == 'e' || *text == 'E')
        power = read_digits(text + 1, &end);
    else if (*text && !suffix)
        return 0;
    if (power < 0 || power > 15 || (*text && *end)) return 0;
    while (power-- > 0)
        unit *= 10;
    return unit;
}

/* Reads 500000, 10k, 10M, 1G or 1e6; K is the same as k. */
static const char *read_count(char *text, void *field) {
    char *end;
    long long n = read_digits(text, &end), unit = n < 0 ? 0 : read_unit(end);
    if (n < 1 || unit < 1 || n > 1000000000000000 / unit)
        return "1 to 1000000G runs, such as 500000, 1e6, 10M or 1G";
    *(long long *)field = n * unit;
    return NULL;
}

static const char *read_turns(char *text, void *field) {
    const char *wants = read_number(text, field);
    return wants || *(long long *)field < 1 || *(long long *)field > TEST_MAX_UNROLL ? "1 to 1000000 turns"
                                                                                     : NULL;
}

static const char *read_size(char *text, void *field) {
    const char *wants = read_number(text, field);
    return wants || *(long long *)field < 2 || *(long long *)field > CYCLE_MAX ? "2 to 16" : NULL;
}

static const char *read_tests(char *text, void *field) {
    const char *wants = read_number(text, field);
    return wants || *(long long *)field < 1 || *(long long *)field > TEST_MAX_UNROLL ? "1 to 1000000 tests"
                                                                                     : NULL;
}

static const char *read_seconds(char *text, void *field) {
    char *end;
    double s = strtod(text, &end);
    if (end == text || *end || !(s > 0) || s > 1e6 || strpbrk(text, "xXnN"))
        return "seconds, more than 0, such as 0.5";
    *(double *)field = s;
    return NULL;
}

enum { MAX_WORDS = 32 };

/* Returns "one, two or three"; valid until the next call. */
static const char *list_words(const char *const *words, int n) {
    static char list[512];
    size_t len = 0;
    for (int k = 0; k < n && len < sizeof list; k++)
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%s",
                                k == 0      ? ""
                                : k + 1 < n ? ", "
                                            : " or ",
                                words[k]);
    return list;
}

static bool is_word(const char *text, const char *const *words, int n) {
    while (n > 0 && strcmp(text, words[n - 1]) != 0)
        n--;
    return n > 0;
}

static const char *read_factor(char *text, void *field) {
    char *end;
    double x = strtod(text, &end);
    *(double *)field = x;
    return end > text && !*end && isfinite(x) && x > 1 ? NULL : "a factor above 1, such as 1.5";
}

/* Reads the name of a backend, or of its kind of machine: gpu for cuda. */
static const char *read_backend(char *text, void *field) {
    const char *names[MAX_WORDS], *of_machine = choose_backend_of(text);
    int n = choose_backends(names, MAX_WORDS);
    *(const char **)field = of_machine ? of_machine : text;
    return of_machine || is_word(text, names, n) ? NULL : list_words(names, n);
}

static const char *read_as(char *text, void *field) {
    const char *names[MAX_WORDS];
    int n = show_forms(names, MAX_WORDS);
    *(const char **)field = text;
    return is_word(text, names, n) ? NULL : list_words(names, n);
}

const char *options_forms(void) {
    const char *names[MAX_WORDS];
    return list_words(names, show_forms(names, MAX_WORDS));
}

static const char *read_syntax(char *text, void *field) {
    *(const char **)field = text;
    return strcmp(text, "yaml") && strcmp(text, "litmus") ? "yaml or litmus" : NULL;
}

static const char *read_races(char *text, void *field) {
    *(const char **)field = text;
    return strcmp(text, "note") && strcmp(text, "fail") ? "note or fail" : NULL;
}

static const char *read_dependencies(char *text, void *field) {
    *(bool *)field = strcmp(text, "syntactic") == 0;
    return strcmp(text, "semantic") && !*(bool *)field ? "semantic or syntactic" : NULL;
}

static const char *read_preset(char *text, void *field) {
    *(const char **)field = text;
    return strcmp(text, "health") ? "health" : NULL;
}

static const char *read_arch(char *text, void *field) {
    *(const char **)field = text;
    return choose_is_arch(text) || strcmp(text, "newest") == 0 ? NULL
                                                               : "an architecture such as sm_90, or newest";
}

/* Adds the choices in a comma list, which is cut apart in place. A list with '=', such as
 * "slot=scope,slot=scope", is one choice. */
static const char *read_choices(char *text, void *field) {
    struct choices *list = field;
    char *save = NULL;
    const char *separators = strchr(text, '=') ? "" : ",";
    for (char *item = strtok_r(text, separators, &save); item; item = strtok_r(NULL, separators, &save)) {
        if (list->n == MAX_CHOICES) return "fewer choices";
        list->item[list->n++] = item;
    }
    return list->n ? NULL : "a name";
}

/* Adds the models in a comma list, which is cut apart in place. Each may be named once. */
static const char *read_models(char *text, void *field) {
    struct choices *list = field;
    char *save = NULL;
    size_t n = strlen(text);
    if (n == 0 || *text == ',' || text[n - 1] == ',' || strstr(text, ",,"))
        return "a model, or several with a comma between two";
    for (char *item = strtok_r(text, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        bool again = is_word(item, list->item, list->n);
        if (again) memmove(text, item, strlen(item) + 1);
        if (again) return "each model once";
        if (list->n == MAX_CHOICES) return "fewer models";
        list->item[list->n++] = item;
    }
    return NULL;
}

/* Reads a comma list of prunings, or "all". */
static const char *read_prunings(char *text, void *field) {
    const char *names[MAX_WORDS];
    char *save = NULL;
    for (int p = 0; p < NPRUNINGS; p++)
        names[p] = pruning_name((enum pruning)p);
    names[NPRUNINGS] = "all";
    for (char *item = strtok_r(text, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        enum pruning p = pruning_find(item);
        if (p == NPRUNINGS && strcmp(item, "all") != 0) {
            memmove(text, item, strlen(item) + 1);
            return list_words(names, NPRUNINGS + 1);
        }
        *(unsigned *)field |= p == NPRUNINGS ? ALL_PRUNINGS : 1u << p;
    }
    return *(unsigned *)field ? NULL : list_words(names, NPRUNINGS + 1);
}

static const char *read_by(char *text, void *field) {
    const char *names[MAX_WORDS];
    int n = merge_keys(names, MAX_WORDS);
    *(const char **)field = text;
    return is_word(text, names, n) ? NULL : list_words(names, n);
}

static const char *read_shard(char *text, void *field) {
    return shard_read(text, field);
}

struct spec {
    const char *name;
    char letter;
    bool argument;
    reader *read;
    size_t offset;
    unsigned commands;
};

enum { FOR_NAMED = FOR_RUN | FOR_TUNE | FOR_CHECK | FOR_LIST | FOR_COMPILERS };
enum { FOR_TESTS = FOR_NAMED | FOR_SHOW | FOR_FENCES };
enum { FOR_CELLS = FOR_RUN | FOR_TUNE | FOR_CHECK | FOR_SHOW | FOR_FENCES | FOR_GENERATE | FOR_COMPILERS };
enum { FOR_RESULTS = FOR_RUN | FOR_MERGE | FOR_REPORT };
#define FIELD(f) offsetof(struct options, f)
static const struct spec specs[] = {
    {"backend", 0, true, read_backend, FIELD(backend), FOR_RUN | FOR_TUNE | FOR_FENCES},
    {"device", 0, true, read_devices, FIELD(devices), FOR_RUN},
    {"device", 0, true, read_device, FIELD(devices), FOR_TUNE | FOR_FENCES},
    {"runs", 'n', true, read_count, FIELD(runs), FOR_RUN | FOR_FENCES},
    {"seconds", 't', true, read_seconds, FIELD(seconds), FOR_RUN | FOR_TUNE | FOR_FENCES},
    {"total", 'T', true, read_seconds, FIELD(total), FOR_RUN},
    {"seed", 0, true, read_number, FIELD(seed), FOR_RUN | FOR_TUNE | FOR_FENCES | FOR_GENERATE},
    {"filter", 0, true, read_text, FIELD(filter), FOR_NAMED},
    {"exclude", 0, true, read_text, FIELD(exclude), FOR_NAMED},
    {"fence", 0, true, read_choices, FIELD(cells.fences),
     FOR_RUN | FOR_CHECK | FOR_SHOW | FOR_GENERATE | FOR_COMPILERS},
    {"placement", 0, true, read_choices, FIELD(cells.placements), FOR_CELLS},
    {"access", 0, true, read_choices, FIELD(cells.accesses), FOR_CELLS},
    {"nvrtc", 0, true, read_choices, FIELD(compilers), FOR_RUN | FOR_COMPILERS},
    {"ptxas", 0, true, read_choices, FIELD(ptxas), FOR_RUN | FOR_COMPILERS},
    {"by", 0, true, read_by, FIELD(by), FOR_MERGE},
    {"shard", 0, true, read_shard, FIELD(shard), FOR_RUN},
    {"preset", 0, true, read_preset, FIELD(preset), FOR_RUN},
    {"profile", 0, true, read_text, FIELD(profile), FOR_RUN | FOR_TUNE | FOR_SHOW},
    {"no-profile", 0, false, read_flag, FIELD(no_profile), FOR_RUN},
    {"output", 'o', true, read_text, FIELD(output), FOR_TUNE | FOR_SHOW | FOR_GENERATE | FOR_LIFT},
    {"size", 0, true, read_size, FIELD(size), FOR_GENERATE},
    {"threads", 0, true, read_size, FIELD(threads), FOR_GENERATE},
    {"edges", 0, true, read_choices, FIELD(edges), FOR_GENERATE},
    {"strengths", 0, true, read_choices, FIELD(strengths), FOR_GENERATE},
    {"limit", 0, true, read_tests, FIELD(limit), FOR_GENERATE},
    {"sample", 0, true, read_tests, FIELD(sample), FOR_GENERATE},
    {"model", 0, true, read_text, FIELD(model), FOR_SHOW | FOR_FENCES},
    {"model", 0, true, read_models, FIELD(models), FOR_CHECK | FOR_FIT},
    {"timeout", 0, true, read_seconds, FIELD(timeout), FOR_RUN | FOR_CHECK | FOR_FENCES | FOR_FIT},
    {"unroll", 0, true, read_turns, FIELD(unroll), FOR_RUN | FOR_CHECK | FOR_SHOW | FOR_FENCES},
    {"dependencies", 0, true, read_dependencies, FIELD(syntactic), FOR_CHECK | FOR_SHOW | FOR_FIT},
    {"without", 0, true, read_prunings, FIELD(without), FOR_CHECK},
    {"brief", 0, false, read_flag, FIELD(brief), FOR_RUN | FOR_CHECK | FOR_MERGE | FOR_REPORT},
    {"races", 0, true, read_races, FIELD(races), FOR_RUN | FOR_CHECK},
    {"strict", 0, false, read_flag, FIELD(strict), FOR_CHECK},
    {"why", 0, false, read_flag, FIELD(why), FOR_CHECK},
    {"outcomes", 0, false, read_flag, FIELD(outcomes), FOR_CHECK},
    {"cost", 0, false, read_flag, FIELD(cost), FOR_FENCES},
#define PRINTER(name, judged)                                                                                \
    {#name, 0, true, read_text, FIELD(files[PRINTER_##name]), FOR_RESULTS | (judged ? FOR_CHECK : 0)},
#include "report/printers.def"
#undef PRINTER
    {"certificate", 0, false, read_flag, FIELD(certificate), FOR_REPORT},
    {"playground", 0, true, read_text, FIELD(playground), FOR_RESULTS | FOR_CHECK | FOR_SHOW},
    {"json", 0, true, read_text, FIELD(files[PRINTER_json]), FOR_DIFF | FOR_COMPILERS},
    {"markdown", 0, true, read_text, FIELD(files[PRINTER_markdown]), FOR_COMPILERS},
    {"mappings", 0, false, read_flag, FIELD(mappings), FOR_COMPILERS},
    {"html", 0, true, read_text, FIELD(files[PRINTER_html]), FOR_HISTORY},
    {"csv", 0, true, read_text, FIELD(files[PRINTER_csv]), FOR_HISTORY},
    {"tolerance", 0, true, read_factor, FIELD(tolerance), FOR_DIFF | FOR_HISTORY},
    {"as", 0, true, read_as, FIELD(as), FOR_SHOW},
    {"as", 0, true, read_syntax, FIELD(as), FOR_GENERATE},
    {"link", 0, false, read_flag, FIELD(link), FOR_SHOW},
    {"arch", 0, true, read_arch, FIELD(arch), FOR_SHOW | FOR_LIFT},
    {"arch", 0, true, read_choices, FIELD(archs), FOR_COMPILERS},
    {"std", 0, true, read_text, FIELD(std), FOR_LIFT},
    {"kernel", 0, true, read_text, FIELD(kernel), FOR_LIFT},
    {"define", 'D', true, read_choices, FIELD(defines), FOR_LIFT},
    {"include", 'I', true, read_choices, FIELD(includes), FOR_TESTS | FOR_LIFT},
    {"trust-source", 0, false, read_flag, FIELD(trust_source), FOR_TESTS | FOR_LIFT},
    {"compile-timeout", 0, true, read_seconds, FIELD(compile_timeout), FOR_TESTS | FOR_LIFT},
    {"all-cells", 0, false, read_flag, FIELD(all_cells), FOR_SHOW | FOR_COMPILERS},
    {"whole", 0, false, read_flag, FIELD(whole), FOR_SHOW},
    {"standalone", 0, false, read_flag, FIELD(standalone), FOR_SHOW},
    {"results", 0, true, read_text, FIELD(results), FOR_SHOW},
    {"help", 'h', false, read_flag, FIELD(help), ~0u},
};
enum { NSPECS = sizeof specs / sizeof *specs };

bool option_at(int k, struct option_info *out) {
    if (k >= NSPECS) return false;
    *out = (struct option_info){specs[k].name, specs[k].letter, specs[k].argument, specs[k].commands};
    return true;
}

/* Fills in getopt's two tables for one command. The `val` of a long option is its index in `specs` plus 256,
 * so it is no letter. */
static void build_tables(unsigned bit, struct option *longs, char *shorts) {
    *shorts++ = ':'; /* then getopt tells a missing argument from an unknown option */
    for (int k = 0; k < NSPECS; k++) {
        if (!(specs[k].commands & bit)) continue;
        *longs++ = (struct option){specs[k].name, specs[k].argument ? required_argument : no_argument, NULL,
                                   256 + k};
        if (!specs[k].letter) continue;
        *shorts++ = specs[k].letter;
        if (specs[k].argument) *shorts++ = ':';
    }
    *longs = (struct option){0};
    *shorts = '\0';
}

static const struct spec *find_spec(int value) {
    for (int k = 0; k < NSPECS; k++)
        if (value == 256 + k || (specs[k].letter && value == specs[k].letter)) return &specs[k];
    return NULL;
}

/* Names that other tools have for an option, and the argument that it then has. */
struct habit {
    const char *given, *name, *argument;
};

static const struct habit *find_habit(const char *given) {
    static const struct habit habits[] = {
        {"time", "seconds", ""},    {"duration", "seconds", ""}, {"out", "output", ""},
        {"iterations", "runs", ""}, {"cpu", "backend", " cpu"},  {"gpu", "backend", " gpu"},
        {"quiet", "brief", ""},     {"summary", "brief", ""},    {"explain", "why", ""},
        {"skip", "exclude", ""},    {"verbose", "why", ""},      {"scope", "fence", ""},
        {"xml", "junit", ""},       {"format", "as", ""},        {"limit", "runs", ""},
    };
    for (size_t k = 0; k < sizeof habits / sizeof *habits; k++)
        if (strcmp(given, habits[k].given) == 0) return &habits[k];
    return NULL;
}

/* Returns the option of a command that a word may mean, or NULL: another tool's name, the first letters, or
 * the most similar name, unless there is a reason why there is no such option. */
static const char *find_meant(const struct command *c, const char *given, const char **argument) {
    const char *names[NSPECS], *longer = NULL;
    const struct habit *habit = find_habit(given);
    size_t n = 0;
    *argument = "";
    for (int k = 0; k < NSPECS; k++) {
        if (!(specs[k].commands & c->bit)) continue;
        if (habit && strcmp(habit->name, specs[k].name) == 0) {
            *argument = habit->argument;
            return specs[k].name;
        }
        if (*given && strncmp(given, specs[k].name, strlen(given)) == 0) longer = specs[k].name;
        names[n++] = specs[k].name;
    }
    return help_reason(given) ? NULL : longer ? longer : diag_nearest(given, names, n);
}

/* Returns the option of a command that is written with a single '-', as -json; or NULL. */
static const char *find_dashed(const struct command *c, const char *given) {
    for (int k = 0; k < NSPECS; k++)
        if (specs[k].commands & c->bit && strlen(given) > 2 && strcmp(specs[k].name, given + 1) == 0)
            return specs[k].name;
    return NULL;
}

/* Reports an unknown option. A short one is in optopt; for a long one `given` is the argument. */
static void unknown_option(const struct command *c, const char *given) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given, "="), given);
    const char *argument = "", *meant = optopt == 0 ? find_meant(c, word + 2, &argument) : NULL;
    const char *reason = optopt == 0 ? help_reason(word + 2) : NULL;
    if (optopt >= 256)
        usage_error(c->name, "option '%s' takes no argument", word);
    else if (optopt > 0 && find_dashed(c, word))
        usage_error(c->name, "unknown option '%s'; did you mean '-%s'?", word, word);
    else if (optopt > 0)
        usage_error(c->name, "unknown option '-%c'%s", optopt, option_takers((char[]){(char)optopt, 0}));
    else if (meant)
        usage_error(c->name, "unknown option '%s'; did you mean '--%s%s'?", word, meant, argument);
    else if (reason)
        usage_error(c->name, "unknown option '%s': %s", word, reason);
    else
        usage_error(c->name, "unknown option '%s'%s", word, option_takers(word + 2));
}

/* Returns the argument in which getopt_long has just found an option. */
static const char *option_word(char **argv) {
    return argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)];
}

/* Reads the option that getopt_long has found. */
static bool read_option(const struct command *c, int value, char **argv, struct options *o) {
    const struct spec *spec = value == '?' ? NULL : find_spec(value);
    if (!spec) { /* optind stays at an argument that has letters left */
        bool inside = argv[optind] && argv[optind][0] == '-' && optopt && strchr(argv[optind], optopt);
        unknown_option(c, argv[optind - !inside]);
        return false;
    }
    const char *word = option_word(argv);
    if (value >= 256 &&
        strcspn(word + 2, "=") != strlen(spec->name)) { /* so '--time' is not taken for '--timeout' */
        optopt = 0;
        unknown_option(c, word);
        return false;
    }
    const char *wants = spec->read(optarg, (char *)o + spec->offset);
    if (!wants) return true;
    bool letter = value < 256;
    usage_error(c->name, "option '%s%.*s' wants %s, not '%s'", letter ? "-" : "--", letter ? 1 : 99,
                letter ? &spec->letter : spec->name, wants, optarg);
    return false;
}

static bool check_arguments(const struct command *c, const struct options *o) {
    if (o->nargs < c->min_args)
        usage_error(c->name, "it wants %s", c->wants);
    else if (c->max_args >= 0 && o->nargs > c->max_args)
        usage_error(c->name, "unexpected argument '%s'", o->args[c->max_args]);
    else
        return true;
    return false;
}

bool options_parse(const struct command *c, int argc, char **argv, struct options *o) {
    struct option longs[NSPECS + 1];
    char shorts[2 * NSPECS + 2];
    build_tables(c->bit, longs, shorts);
    *o = (struct options){.command = c->name, .seed = -1, .runs = -1};
    opterr = 0;
    for (;;) {
        int value = getopt_long(argc, argv, shorts, longs, NULL);
        if (value == -1) break;
        if (value == ':') {
            usage_error(c->name, "option '%s' wants an argument", argv[optind - 1]);
            return false;
        }
        if (!read_option(c, value, argv, o)) return false;
    }
    o->args = argv + optind;
    o->nargs = argc - optind;
    return o->help || check_arguments(c, o);
}
