/* Results on this terminal. */
#ifndef CULITMUS_VIEW_H
#define CULITMUS_VIEW_H

#include "report/results.h"

void view_test(const struct test_result *r, bool histograms);
void view_summary(const struct report *r);
void view_report(const struct report *r); /* all of it, as `run` would have shown it */

#endif
