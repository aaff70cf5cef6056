#include <stdlib.h>
#include <string.h>

#include "cli/choose.h"
#include "cli/session_show.h"

/* How long the model may take for a test without --timeout, so that no test makes the run wait for long. */
static const double model_seconds = 5;

static int run_device(struct session *s, const struct options *o, struct arena *a) {
    struct profile profile;
    int code = choose_profile(o, a, s->backend, s->device->description, &profile);
    if (code) return code;
    s->profile = &profile;
    if (profile.n > 0 && !outputs_to_stdout(o)) printf("profile %s\n\n", profile_describe(&profile, a));
    code = session_show(s, o);
    session_close(s);
    return code;
}

static int run_suite(const struct options *o, struct arena *a, const struct suite *suite) {
    struct session s = {
        .suite = suite,
        .limits = {.seconds = o->timeout > 0 ? o->timeout : model_seconds, .unroll = (int)o->unroll}};
    /* The device asks for a compiler when it is opened. */
    if (o->compilers.n) setenv("CULITMUS_NVRTC", o->compilers.item[0], 1);
    s.backend = choose_device(o, "running on the CPU, and showing what PTX allows of a GPU", &s.device);
    if (!s.backend) return EXIT_ENVIRONMENT;
    s.request = choose_request(o, s.backend);
    s.total = o->total;
    struct shard_split split = shard_begin(a, o->shard);
    if (o->shard.of) s.split = &split;
    int code = choose_compilers(o, a, s.backend, s.device, NULL, &s.compilers, &s.ncompilers);
    if (!code) code = run_device(&s, o, a);
    s.backend->close(s.device);
    return code;
}

int command_run(const struct options *o) {
    if (o->total > 0 && o->seconds > 0)
        return usage_error(o->command,
                           "option '--seconds' is for a cell, and '--total' for all: one of them");
    if (o->no_profile && o->profile)
        return usage_error(o->command, "option '--profile' is not for '--no-profile'");
    return with_suite(o, run_suite);
}
