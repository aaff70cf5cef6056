/* What the commands make of options that leave a choice: a backend, a seed, a model, a profile. */
#ifndef CULITMUS_CHOOSE_H
#define CULITMUS_CHOOSE_H

#include "cli/cli.h"
#include "model/model.h"
#include "run/backend.h"
#include "run/profile.h"

/* All backends; ends with NULL. */
extern const struct backend *const backends[];

/* What --backend may name: fills `names` with at most so many, and returns how many. */
int choose_backends(const char *names[], int most);

/* Opens a device of the backend that the options name, else of the first that has one. None takes the place of another
 * in silence: `instead` ends the sentence. NULL when the device cannot be used, which is then said on stderr. */
const struct backend *choose_device(const struct options *o, const char *instead, struct device **out);

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
