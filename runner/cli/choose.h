/* What the commands make of options that leave a choice: a backend, a seed, a model, a profile. */
#ifndef CULITMUS_CHOOSE_H
#define CULITMUS_CHOOSE_H

#include "cli/cli.h"
#include "model/model.h"
#include "run/backend.h"
#include "run/profile.h"

/* Opens a GPU where there is one, unless the options say otherwise. The CPU never takes its place in silence:
 * `instead` ends the sentence. NULL when the device cannot be used, which is then said on stderr. */
const struct backend *choose_device(const struct options *o, struct arena *a, const char *instead,
                                    struct device **out);

uint64_t choose_seed(const struct options *o);

/* -n, -t and --seed, or what stands for them. */
struct run_request choose_request(const struct options *o, const struct backend *b);

/* The name of the model that judges a test: the option's, else the test's own, which may be a file beside the
 * test, else `otherwise`. */
const char *choose_model_name(const struct options *o, struct arena *a, const struct test *t,
                              const char *otherwise);

/* Reads that model. NULL and an error, which is where the test names the model if it does. */
const struct model *choose_model(const struct options *o, struct arena *a, const struct test *t,
                                 const char *name, struct diag *d);

/* The environments that are known for the device: those of --profile, else the shipped ones and the user's
 * own; none where there are none. 0, or an exit code when the profile that was named is no good, which is
 * then said on stderr. */
int choose_profile(const struct options *o, struct arena *a, const struct backend *b, const char *device,
                   struct profile *out);

#endif
