/* Inside runner/gen: accounts of the mbarriers that engines tell, by which a GPU's harness knows when the engines of an
 * instance have ended (kernels/cuda_drain.cuh). */
#ifndef CULITMUS_GEN_ACCOUNT_H
#define CULITMUS_GEN_ACCOUNT_H

#include "gen/gen.h"

/* Whether a location is an mbarrier that some engine tells. */
bool gen_is_told(const struct test *t, int loc);
/* Of how many ranks a thread keeps accounts: of all of the cluster where something is done from another block, else of its
 * own alone. */
int gen_account_ranks(const struct test *t, const struct cell *cell, int loc);
/* What the operation does there, behind which stands how much: ", EXPECTS | ARRIVES, ". */
void gen_account(struct text *out, const struct op *op);
/* Around the statements of a body: the accounts of its thread, which it adds to those of the instance. */
void gen_accounts_open(struct text *out, const struct test *t, const struct cell *cell, const struct body *b);
void gen_accounts_close(struct text *out, const struct test *t, const struct body *b);
/* Part of an instance's initial values: nothing has been done yet. */
void gen_account_init(struct text *out, const struct test *t, int loc);
/* drain() and drain_own(): wait for the engines of an instance. Whether there are some is told to the harness. */
bool gen_drains(const struct test *t);
void gen_drain(struct text *out, const struct test *t);

#endif
