#include <string.h>
#include <sys/random.h>

#include "cli/session.h"

/* The budget of a cell where the command line gives none: whichever ends first. */
struct budget {
    uint64_t runs;
    double seconds;
};
static const struct budget cuda_budget = {1000000000, 1.0}, cpu_budget = {1000000, 0.5};

/* A judged cell of `run` must not make the run wait for long. */
static const double model_seconds = 5;

static uint64_t choose_seed(const struct options *o) {
    uint32_t seed;
    if (o->seed >= 0) return (uint64_t)o->seed;
    return getrandom(&seed, sizeof seed, 0) == sizeof seed ? seed : 1;
}

static struct run_request make_request(const struct options *o, const struct backend *b) {
    const struct budget *budget = b == &backend_cuda ? &cuda_budget : &cpu_budget;
    bool given = o->runs > 0 || o->seconds > 0;
    return (struct run_request){
        .runs = given ? (o->runs > 0 ? (uint64_t)o->runs : 0) : budget->runs,
        .seconds = given ? o->seconds : budget->seconds,
        .seed = choose_seed(o),
    };
}

/* auto: a GPU where there is one. The CPU never takes its place in silence. */
static const struct backend *choose_backend(const struct options *o, struct arena *a) {
    if (o->backend && strcmp(o->backend, "cuda") == 0) return &backend_cuda;
    if (o->backend && strcmp(o->backend, "cpu") == 0) return &backend_cpu;
    const char *why = NULL;
    if (cuda_device_count(a, &why) > 0) return &backend_cuda;
    fprintf(stderr, "culitmus: no GPU (%s): running on the CPU, and showing what PTX allows of a GPU\n", why);
    return &backend_cpu;
}

static int run_suite(const struct options *o, struct arena *a, const struct suite *suite) {
    struct session s = {.options = o, .suite = suite, .limits = {.seconds = model_seconds}};
    struct diag d = {0};
    s.backend = choose_backend(o, a);
    s.request = make_request(o, s.backend);
    if (!s.backend->open(o->device < 0 ? 0 : (int)o->device, &s.device, &d))
        return diag_report(&d, EXIT_ENVIRONMENT);
    diag_report(&d, 0);
    int code = session_show(&s);
    session_close(&s);
    s.backend->close(s.device);
    return code;
}

int command_run(const struct options *o) {
    return with_suite(o, run_suite);
}
