/* Progress: one line on stderr, if stderr is a terminal. */
#ifndef CULITMUS_PROGRESS_H
#define CULITMUS_PROGRESS_H

#include "results/results.h"

/* Shows "[12/96] about 3 min left, building": cells are being prepared, and `prepared` of all will be
 * then. */
void progress_phase(const char *what, int prepared, int of);
/* Shows "[12/96] about 3 min left, judging": the next of `of` equal steps begins. The first step restarts the
 * time. */
void progress_step(const char *what, int done, int of);
/* So many of the cells that run are done. */
void progress_count(int done, int of);
/* Names the cell that runs now. */
void progress_cell(const char *backend, const char *test, const struct cell_result *c);
void progress_show(void *ctx, uint64_t runs, double seconds);
void progress_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);
/* From now on nothing is shown, because another process shows its progress. */
void progress_hide(void);

#endif
