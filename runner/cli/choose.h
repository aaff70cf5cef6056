/* What commands choose if the options leave it open: a backend, a seed, a model, a profile. */
#ifndef CULITMUS_CHOOSE_H
#define CULITMUS_CHOOSE_H

#include "cli/cli.h"
#include "model/model.h"
#include "run/backend.h"
#include "run/profile.h"
#include "session/suite.h"

/* All backends; ends with NULL. */
extern const struct backend *const backends[];

/* Returns the backend that the options name, else the first one. */
const struct backend *choose_named(const struct options *o);

/* Lists the words that --backend takes, at most `most`. Returns their number. */
int choose_backends(const char *names[], int most);

/* Returns the name of the first backend for a kind of machine, such as "gpu"; NULL: there is none. */
const char *choose_backend_of(const char *machine);

/* Opens a device of the backend that the options name, else of the first backend that has one. If the first
 * backend has none, a line on stderr says why and ends with `instead`. Returns NULL when no device can be
 * used; stderr then says why. */
const struct backend *choose_device(const struct options *o, const char *instead, struct device **out);

/* Whether the text has the form of an architecture: sm_90, sm_90a, sm_100f. Only NVRTC knows whether it
 * exists. */
bool choose_is_arch(const char *text);

/* Chooses the compilers of --nvrtc, or the backend's own, for its device or for an architecture. Returns 0,
 * or an exit code; stderr then says why. */
int choose_compilers(const struct options *o, struct arena *a, const struct backend *b,
                     const struct device *device, const char *arch, const struct compiler_choice **out,
                     int *n);

uint64_t choose_seed(const struct options *o);

/* Returns a request with -n, -t and --seed, or the backend's defaults. */
struct run_request choose_request(const struct options *o, const struct backend *b);

/* Returns the model that judges a test: the option's, else the test's own, else ptx. NULL and an error when
 * it cannot be read. */
const struct model *choose_model(const struct options *o, struct arena *a, const struct test *t,
                                 struct diag *d);
/* Returns a model (NULL: none) with dependencies as --dependencies says. */
const struct model *choose_with_dependencies(const struct options *o, struct arena *a, const struct model *m);
/* Reads the models of --model. Their names must differ, because results tell them apart by name. Returns 0,
 * or an exit code; stderr then says why. */
int choose_models(const struct options *o, struct arena *a, const struct model *out[MAX_CHOICES]);
/* Returns the name of the model of this machine's CPU; NULL: there is none. */
const char *choose_host_model(void);

/* Returns the folder of the shipped tests: that of the installation, else that of the source tree. */
const char *choose_shipped(struct arena *a);
/* Sets the folder of packaged machine code to the one that is installed with the tool. */
void choose_packaged(void);
/* Finds the address of the playground: that of --playground, else of the page that is installed or was built;
 * NULL: there is none. Returns 0, or EXIT_USAGE when the option names no page; stderr then says why. */
int choose_playground(const struct options *o, struct arena *a, const char **out);
/* Each returns 0, or EXIT_USAGE with a reason on stderr: if --filter or --exclude is no regular expression;
 * if a choice of --fence, --placement or --access fits no test, or without a suite cannot fit any. */
int choose_check_filter(const struct options *o);
int choose_check_cells(const struct options *o, const struct suite *s);

/* Checks before a device is opened that the file of --profile can be read. Returns 0, or an exit code; stderr
 * then says why. */
int choose_check_profile(const struct options *o);
/* Returns the environments of --profile, whatever device it is for; else those of the device with the most
 * entries. Its result is like that of choose_profile. */
int choose_known(const struct options *o, struct arena *a, const struct backend *b, struct profile *out);
/* Returns the environments known for the device: those of --profile, else the shipped ones and the user's
 * own. There may be none. Returns 0, or an exit code when the profile of --profile is wrong; stderr then says
 * why. */
int choose_profile(const struct options *o, struct arena *a, const struct backend *b, const char *device,
                   struct profile *out);

#endif
