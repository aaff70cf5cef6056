/* What the commands choose where the options leave a choice: a backend, a seed, a model, a profile. */
#ifndef CULITMUS_CHOOSE_H
#define CULITMUS_CHOOSE_H

#include "cli/cli.h"
#include "model/model.h"
#include "run/backend.h"
#include "run/profile.h"
#include "session/suite.h"

/* All backends; ends with NULL. */
extern const struct backend *const backends[];

/* The backend that the options name, else the first. */
const struct backend *choose_named(const struct options *o);

/* The words that --backend takes. Fills `names` with at most `most` of them, and returns how many. */
int choose_backends(const char *names[], int most);

/* The name of the first backend for a kind of machine, such as "gpu"; NULL: there is none. */
const char *choose_backend_of(const char *machine);

/* Opens a device: of the backend that the options name, else of the first backend that has one. When another backend is
 * taken, a line on stderr says why and ends with `instead`. NULL when no device can be used; the reason is then on
 * stderr. */
const struct backend *choose_device(const struct options *o, const char *instead, struct device **out);

/* Whether the text looks like an architecture: sm_90, sm_90a, sm_100f. NVRTC knows whether it exists. */
bool choose_is_arch(const char *text);

/* The compilers of --nvrtc, or the one that the backend takes by itself, for its device or for an architecture. Returns 0, or
 * an exit code; stderr then says why. */
int choose_compilers(const struct options *o, struct arena *a, const struct backend *b,
                     const struct device *device, const char *arch, const struct compiler_choice **out,
                     int *n);

uint64_t choose_seed(const struct options *o);

/* -n, -t and --seed, or the backend's defaults. */
struct run_request choose_request(const struct options *o, const struct backend *b);

/* The model that judges a test: the option's, else the test's own, else ptx. NULL and an error when it cannot be
 * read. */
const struct model *choose_model(const struct options *o, struct arena *a, const struct test *t,
                                 struct diag *d);
/* A model (NULL: none) with the dependencies that --dependencies names. */
const struct model *choose_with_dependencies(const struct options *o, struct arena *a, const struct model *m);
/* Reads the models of --model, which differ in their names, by which results tell them apart. Returns 0, or an exit code;
 * stderr then says why. */
int choose_models(const struct options *o, struct arena *a, const struct model *out[MAX_CHOICES]);
/* The name of the model of this machine's CPU; NULL: there is none. */
const char *choose_host_model(void);

/* The folder of the shipped tests: beside an installed binary, else in the source tree it was built from. */
const char *choose_shipped(struct arena *a);
/* Says where machine code is that is installed beside the tool. */
void choose_packaged(void);
/* The address of the playground: that of --playground, else of the page that is installed, or built beside the tool; NULL
 * where there is none. Returns 0, or EXIT_USAGE when the option names no page; stderr then says why. */
int choose_playground(const struct options *o, struct arena *a, const char **out);
/* Each returns 0, or EXIT_USAGE; stderr then says why: --filter or --exclude is no regular expression; some choice of
 * --fence, --placement or --access fits no test, or, without a suite, means nothing. */
int choose_check_filter(const struct options *o);
int choose_check_cells(const struct options *o, const struct suite *s);

/* Whether the file that --profile names can be read, which is known before a device is opened. Returns 0, or an exit code;
 * stderr then says why. */
int choose_check_profile(const struct options *o);
/* The environments of --profile, whichever device it is for, else those of the device that most is known of. Returns as
 * choose_profile does. */
int choose_known(const struct options *o, struct arena *a, const struct backend *b, struct profile *out);
/* The environments that are known for the device: those of --profile, else the shipped ones and the user's own. There
 * may be none. Returns 0, or an exit code when the profile that --profile names is wrong; stderr then says why. */
int choose_profile(const struct options *o, struct arena *a, const struct backend *b, const char *device,
                   struct profile *out);

#endif
