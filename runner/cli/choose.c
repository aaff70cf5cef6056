#include "cli/choose.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Devices are counted only once none could be opened: that takes a start of the driver, too. */
const struct backend *choose_device(const struct options *o, struct arena *a, const char *instead,
                                    struct device **out) {
    const char *named = o->backend ? o->backend : "auto", *why = NULL;
    const struct backend *b = strcmp(named, "cpu") == 0 ? &backend_cpu : &backend_cuda;
    int index = o->device < 0 ? 0 : (int)o->device;
    struct diag d = {0};
    bool opened = b->open(index, out, &d);
    if (!opened && strcmp(named, "auto") == 0 && cuda_device_count(a, &why) == 0) {
        diag_free(&d);
        d = (struct diag){0};
        if (index > 0) {
            diag_fail(&d, "no GPU %d: there is none (%s)", index, why);
        } else {
            fprintf(stderr, "culitmus: no GPU (%s): %s\n", why, instead);
            b = &backend_cpu;
            opened = b->open(index, out, &d);
        }
    }
    diag_report(&d, EXIT_ENVIRONMENT);
    return opened ? b : NULL;
}

uint64_t choose_seed(const struct options *o) {
    uint32_t seed;
    if (o->seed >= 0) return (uint64_t)o->seed;
    return getrandom(&seed, sizeof seed, 0) == sizeof seed ? seed : 1;
}

/* The budget of a cell where the command line gives none: whichever ends first. */
struct run_budget {
    uint64_t runs;
    double seconds;
};
static const struct run_budget cuda_budget = {1000000000, 1.0}, cpu_budget = {1000000, 0.5};

struct run_request choose_request(const struct options *o, const struct backend *b) {
    const struct run_budget *budget = b == &backend_cuda ? &cuda_budget : &cpu_budget;
    bool given = o->runs > 0 || o->seconds > 0;
    return (struct run_request){
        .runs = given ? (o->runs > 0 ? (uint64_t)o->runs : 0) : budget->runs,
        .seconds = given ? o->seconds : budget->seconds,
        .seed = choose_seed(o),
    };
}

const char *choose_model_name(const struct options *o, struct arena *a, const struct test *t,
                              const char *otherwise) {
    if (o->model) return o->model;
    if (!t->model || strcmp(t->model, "none") == 0) return otherwise;
    const char *slash = strrchr(t->source.path, '/');
    if (!slash || t->model[0] == '/') return t->model;
    const char *beside = arena_printf(a, "%.*s/%s", (int)(slash - t->source.path), t->source.path, t->model);
    return access(beside, F_OK) == 0 ? beside : t->model;
}

const struct model *choose_model(const struct options *o, struct arena *a, const struct test *t,
                                 const char *name, struct diag *d) {
    size_t first = d->n;
    const struct model *m = model_load(a, name, d);
    if (!m && !o->model && t->model) diag_place(d, first, &t->source, t->model_pos);
    return m;
}

static void add_all(struct profile *to, const struct profile *from) {
    for (int k = 0; k < from->n; k++)
        profile_add(to, &from->entries[k]);
}

/* One that was named, and so has to be right. `tune` begins a file that is not there yet. */
static int read_named(const struct options *o, struct arena *a, const struct backend *b,
                      struct profile *out) {
    struct diag d = {0};
    struct profile p;
    const char *device = out->device;
    if (strcmp(o->command, "tune") == 0 && access(o->profile, F_OK) != 0) return EXIT_FINE;
    if (profile_read(a, o->profile, b, device, &p, &d) && strcmp(p.device, device) != 0)
        fprintf(stderr, "culitmus: the profile '%s' is for %s, not for %s: it is not used\n", o->profile,
                p.device, device);
    else
        *out = p;
    return diag_report(&d, EXIT_INPUT);
}

/* The user's own, of which nobody has spoken: when it is no good, the work goes on without it. */
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
