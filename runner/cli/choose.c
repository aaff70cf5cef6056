#include "cli/choose.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/foreign.h"
#include "base/source.h"
#include "compile/packaged.h"
#include "report/packed.h"
#include "session/own_model.h"

const struct backend *const backends[] = {
#define BACKEND(name, machine) &backend_##name,
#include "run/backends.def"
#undef BACKEND
    NULL};

int choose_backends(const char *names[], int most) {
    int n = 0;
    names[n++] = "auto";
    for (const struct backend *const *b = backends; *b && n < most; b++)
        names[n++] = (*b)->name;
    return n;
}

const char *choose_backend_of(const char *name) {
    for (const struct backend *const *b = backends; *b; b++) {
        enum machine machine;
        if (machine_of((*b)->name, &machine) && strcasecmp(machine_name(machine), name) == 0)
            return (*b)->name;
    }
    return NULL;
}

/* NULL: the options name none */
static const struct backend *find_named(const struct options *o) {
    if (!o->backend || strcmp(o->backend, "auto") == 0) return NULL;
    const struct backend *const *b = backends;
    while (strcmp((*b)->name, o->backend) != 0)
        b++;
    return *b;
}

/* the kind of machine that the backend needs, such as "GPU" */
static const char *missing_machine(const struct backend *b) {
    enum machine machine;
    machine_of(b->name, &machine);
    return machine_name(machine);
}

/* Says that the device with this number is missing because there is no device at all. */
static void refuse_number(const struct backend *b, int index, struct diag *d) {
    struct diag none = {0};
    diag_fail(&none, "no %s %d: there is none (%s)", missing_machine(b), index, diag_first_error(d));
    diag_free(d);
    *d = none;
}

const struct backend *choose_named(const struct options *o) {
    const struct backend *named = find_named(o);
    return named ? named : backends[0];
}

const struct backend *choose_device(const struct options *o, const char *instead, struct device **out) {
    const struct backend *named = find_named(o), *b = named ? named : backends[0];
    int index = o->devices.n ? o->devices.number[0] : 0;
    struct diag d = {0};
    enum opening opening = b->open(index, out, &d);
    if (opening == OPENING_NO_DEVICE && !named && index > 0) refuse_number(b, index, &d);
    for (int k = 1; opening == OPENING_NO_DEVICE && !named && index == 0 && backends[k]; k++) {
        fprintf(stderr, "culitmus: no %s (%s): %s\n", missing_machine(b), diag_first_error(&d), instead);
        diag_free(&d);
        d = (struct diag){0};
        b = backends[k];
        opening = b->open(index, out, &d);
    }
    diag_report(&d, EXIT_ENVIRONMENT);
    return opening == OPENING_DONE ? b : NULL;
}

/* Returns the program that --ptxas names; NULL for the word nvrtc, which stands for the assembler in
 * NVRTC. */
static const char *assembler_of(const char *named) {
    return strcmp(named, "nvrtc") == 0 ? NULL : named;
}

static void report_same(const struct compiler_choice *x, const struct compiler_choice *y, struct diag *d) {
    bool libraries = !y->ptxas || !x->ptxas || (x->path && strcmp(x->path, y->path) != 0);
    diag_fail(d, "'%s' and '%s' are both %s", libraries ? x->path : x->ptxas, libraries ? y->path : y->ptxas,
              y->name);
}

bool choose_is_arch(const char *text) {
    if (strncmp(text, "sm_", 3) != 0) return false;
    size_t digits = strspn(text + 3, "0123456789");
    const char *family = text + 3 + digits;
    return (digits == 2 || digits == 3) && (!*family || strcmp(family, "a") == 0 || strcmp(family, "f") == 0);
}

int choose_compilers(const struct options *o, struct arena *a, const struct backend *b,
                     const struct device *device, const char *arch, const struct compiler_choice **out,
                     int *n) {
    struct diag d = {0};
    int assemblers = o->ptxas.n ? o->ptxas.n : 1, libraries = o->compilers.n ? o->compilers.n : 1;
    *n = b->find_compiler ? libraries * assemblers : 0;
    if (!b->find_compiler && o->compilers.n) return usage_error(o->command, "option '--nvrtc' is for a GPU");
    if (!b->find_compiler && o->ptxas.n) return usage_error(o->command, "option '--ptxas' is for a GPU");
    struct compiler_choice *found = arena_array(a, (size_t)*n + 1, sizeof *found);
    for (int k = 0; k < *n && d.errors == 0; k++) {
        if (o->compilers.n) found[k].path = o->compilers.item[k / assemblers];
        if (o->ptxas.n) found[k].ptxas = assembler_of(o->ptxas.item[k % assemblers]);
        b->find_compiler(device, arch, a, &found[k], &d);
        for (int i = 0; i < k && d.errors == 0; i++)
            if (strcmp(found[i].name, found[k].name) == 0) report_same(&found[i], &found[k], &d);
    }
    *out = found;
    return diag_report(&d, EXIT_ENVIRONMENT);
}

uint64_t choose_seed(const struct options *o) {
    uint32_t seed;
    if (o->seed >= 0) return (uint64_t)o->seed;
    if (o->shard.of) return 1; /* the seed must be the same in all shards */
    return getrandom(&seed, sizeof seed, 0) == sizeof seed ? seed : 1;
}

struct run_request choose_request(const struct options *o, const struct backend *b) {
    bool given = o->runs > 0 || o->seconds > 0 || o->total > 0;
    return (struct run_request){
        .runs = given ? (o->runs > 0 ? (uint64_t)o->runs : 0) : b->budget.runs,
        .seconds = given ? o->seconds : b->budget.seconds,
        .seed = choose_seed(o),
    };
}

const struct model *choose_with_dependencies(const struct options *o, struct arena *a,
                                             const struct model *m) {
    return m && o->syntactic ? model_syntactic(a, m) : m;
}

const struct model *choose_model(const struct options *o, struct arena *a, const struct test *t,
                                 struct diag *d) {
    return choose_with_dependencies(o, a,
                                    own_model_load(o->model, a, t, own_model_name(o->model, a, t, "ptx"), d));
}

int choose_models(const struct options *o, struct arena *a, const struct model *out[MAX_CHOICES]) {
    struct diag d = {0};
    for (int k = 0; k < o->models.n && d.errors == 0; k++) {
        out[k] = choose_with_dependencies(o, a, model_load(a, o->models.item[k], &d));
        for (int i = 0; i < k && out[k]; i++)
            if (strcmp(model_name(out[i]), model_name(out[k])) == 0)
                return usage_error(o->command, "option '--model': '%s' and '%s' are both called '%s'",
                                   o->models.item[i], o->models.item[k], model_name(out[k]));
    }
    return diag_report(&d, EXIT_INPUT);
}

const char *choose_host_model(void) {
    for (const struct backend *const *b = backends; *b; b++) {
        enum machine machine;
        if (machine_of((*b)->name, &machine) && machine == MACHINE_CPU) return (*b)->model;
    }
    return NULL;
}

/* Returns share/culitmus/NAME of the installation; NULL: it does not exist. */
static const char *find_installed(struct arena *a, const char *name) {
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0) return NULL;
    exe[n] = '\0';
    *strrchr(exe, '/') = '\0'; /* the folder bin */
    char *slash = strrchr(exe, '/');
    const char *path = arena_printf(a, "%.*s/share/culitmus/%s", slash ? (int)(slash - exe) : 0, exe, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

const char *choose_shipped(struct arena *a) {
    const char *installed = find_installed(a, "litmus");
    return installed ? installed : CULITMUS_SUITE;
}

void choose_packaged(void) {
    struct arena *a = arena_open();
    packaged_set_folder(find_installed(a, "code"));
    arena_close(a);
}

static const char *file_address(struct arena *a, const char *path) {
    char *real = realpath(path, NULL);
    struct text text = {0};
    if (!real) return NULL;
    text_add(&text, "file://");
    packed_put_path(real, &text);
    const char *address = arena_strdup(a, text.s);
    text_free(&text);
    free(real);
    return address;
}

int choose_playground(const struct options *o, struct arena *a, const char **out) {
    static const char *const schemes[] = {"https://", "http://", "file://"};
    const char *page = o->playground, *installed = page ? NULL : find_installed(a, "playground.html");
    *out = NULL;
    for (int k = 0; k < 3 && page; k++)
        if (strncmp(page, schemes[k], strlen(schemes[k])) == 0) *out = page;
    if (*out && strchr(page, '#'))
        return usage_error(o->command, "option '--playground' wants a page without a part behind '#'");
    if (!*out) *out = file_address(a, page ? page : installed ? installed : CULITMUS_PLAYGROUND);
    return *out || !page ? EXIT_FINE
                         : usage_error(o->command,
                                       "option '--playground' wants an address such as https://example.org/ "
                                       "or the file of a page; there is no file '%s'",
                                       page);
}

static int check_expression(const struct options *o, const char *option, const char *expression) {
    struct arena *a = arena_open();
    const char *why = expression ? suite_refuse_filter(a, expression) : NULL;
    int code = why ? usage_error(o->command, "option '--%s' wants a regular expression, not '%s': %s", option,
                                 expression, why)
                   : EXIT_FINE;
    arena_close(a);
    return code;
}

int choose_check_filter(const struct options *o) {
    int code = check_expression(o, "filter", o->filter);
    return code ? code : check_expression(o, "exclude", o->exclude);
}

int choose_check_cells(const struct options *o, const struct suite *s) {
    struct arena *a = arena_open();
    struct cells_misfit m;
    int code = cells_misfit(a, s, &o->cells, &m)
                   ? usage_error(o->command, "option '--%s %s': %s", m.axis, m.choice, m.why)
                   : EXIT_FINE;
    arena_close(a);
    return code;
}

static void add_all(struct profile *to, const struct profile *from) {
    for (int k = 0; k < from->n; k++)
        profile_add(to, &from->entries[k]);
}

static void say_other_device(const char *path, const char *of, const char *device) {
    fputs("culitmus: the profile '", stderr);
    foreign_terminal(path, stderr);
    fputs("' is for ", stderr);
    foreign_terminal(of, stderr);
    fprintf(stderr, ", not for %s: it is not used\n", device);
}

/* Only `tune` may name a profile that does not exist yet, if that is the one to be written. */
static bool is_new_profile(const struct options *o) {
    return strcmp(o->command, "tune") == 0 && !o->output && access(o->profile, F_OK) != 0;
}

int choose_check_profile(const struct options *o) {
    struct diag d = {0};
    struct source source;
    if (!o->profile || is_new_profile(o)) return EXIT_FINE;
    struct arena *a = arena_open();
    source_load(a, o->profile, &source, &d);
    int code = diag_report(&d, EXIT_INPUT);
    arena_close(a);
    return code;
}

/* Reads the profile of --profile; any error in it ends the command. */
static int read_named(const struct options *o, struct arena *a, const struct backend *b,
                      struct profile *out) {
    struct diag d = {0};
    struct profile p;
    const char *device = out->device;
    if (is_new_profile(o)) return EXIT_FINE;
    if (profile_read(a, o->profile, b, device, &p, &d) && strcmp(p.device, device) != 0)
        say_other_device(o->profile, p.device, device);
    else
        *out = p;
    return diag_report(&d, EXIT_INPUT);
}

/* Reads the user's own profile if there is no --profile. If it has an error, the command goes on without
 * it. */
static void read_own(struct arena *a, const struct backend *b, struct profile *out) {
    const char *path = profile_path(a, out->device);
    struct diag d = {0};
    struct profile p;
    if (!path || access(path, F_OK) != 0) return;
    if (!profile_read(a, path, b, out->device, &p, &d))
        fprintf(stderr, "culitmus: the profile '%s' is not used:\n", path);
    else if (strcmp(p.device, out->device) == 0)
        add_all(out, &p);
    diag_report(&d, EXIT_INPUT);
}

int choose_profile(const struct options *o, struct arena *a, const struct backend *b, const char *device,
                   struct profile *out) {
    *out = profile_new(a, device);
    if (o->no_profile || !b->ranges) return EXIT_FINE;
    if (o->profile) return read_named(o, a, b, out);
    const char *shipped = profile_shipped(device);
    struct diag d = {0};
    struct profile p;
    if (shipped && profile_parse(a, "the shipped profile", shipped, b, device, &p, &d)) add_all(out, &p);
    diag_report(&d, EXIT_INPUT);
    read_own(a, b, out);
    return EXIT_FINE;
}

int choose_known(const struct options *o, struct arena *a, const struct backend *b, struct profile *out) {
    struct diag d = {0};
    const char *device = "NVIDIA H200";
    if (o->profile) {
        if (!profile_read(a, o->profile, b, "", out, &d)) return diag_report(&d, EXIT_INPUT);
        device = out->device;
    }
    return choose_profile(o, a, b, device, out);
}
