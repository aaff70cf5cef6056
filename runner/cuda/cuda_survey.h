/* Compiles cells with several NVRTCs and compares what they make: private to the CUDA backend. */
#ifndef CULITMUS_CUDA_SURVEY_H
#define CULITMUS_CUDA_SURVEY_H

#include "run/survey.h"

/* Everything lives in the arena. */
void cuda_survey(struct arena *a, const struct survey_request *r, struct survey *out);

#endif
