/* What the commands choose where the options leave a choice: a backend, a seed, a model, a profile. */
#ifndef CULITMUS_CHOOSE_H
#define CULITMUS_CHOOSE_H

#include "cli/cli.h"
#include "model/model.h"
#include "run/backend.h"
#include "run/profile.h"

/* All backends; ends with NULL. */
extern const struct backend *const backends[];

/* The words that --backend takes. Fills `names` with at most `most` of them, and returns how many. */
int choose_backends(const char *names[], int most);

/* Opens a device: of the backend that the options name, else of the first backend that has one. When another backend is
 * taken, a line on stderr says why and ends with `instead`. NULL when no device can be used; the reason is then on
 * stderr. */
const struct backend *choose_device(const struct options *o, const char *instead, struct device **out);

uint64_t choose_seed(const struct options *o);

/* -n, -t and --seed, or the backend's defaults. */
struct run_request choose_request(const struct options *o, const struct backend *b);

/* The name of the model that judges a test: the option's, else the test's own (perhaps a file beside the test), else
 * `otherwise`. */
const char *choose_model_name(const struct options *o, struct arena *a, const struct test *t,
                              const char *otherwise);

/* Reads that model. NULL and an error when it cannot be read; the error points at the test's line if the test names the
 * model. */
const struct model *choose_model(const struct options *o, struct arena *a, const struct test *t,
                                 const char *name, struct diag *d);

/* The environments that are known for the device: those of --profile, else the shipped ones and the user's own. There
 * may be none. Returns 0, or an exit code when the profile that --profile names is wrong; stderr then says why. */
int choose_profile(const struct options *o, struct arena *a, const struct backend *b, const char *device,
                   struct profile *out);

#endif
