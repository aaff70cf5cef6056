/* Inside runner/gen: accounts of mbarriers. An engine tells an mbarrier when it completes bytes there. A
 * thread of a GPU's harness keeps an account of what it does to such an mbarrier; by it the harness knows
 * when the engines of an instance have ended (kernels/cuda_drain.cuh). */
#ifndef CULITMUS_GEN_ACCOUNT_H
#define CULITMUS_GEN_ACCOUNT_H

#include "gen/gen.h"

/* Whether a location is an mbarrier at which some engine completes bytes. */
bool gen_is_told(const struct test *t, int loc);
/* Returns for how many blocks a thread keeps accounts of an mbarrier. If some operation reaches the mbarrier
 * from another block, these are all blocks of the cluster, one account for each rank; else it is 1. */
int gen_account_ranks(const struct test *t, const struct cell *cell, int loc);
/* Writes the flags of what the operation does to its mbarrier, as an argument between two others: ", EXPECTS
 * | ARRIVES, ". */
void gen_account(struct text *out, const struct op *op);
/* Written before and behind the statements of a body: declares the accounts of its thread, and adds them to
 * those of the instance. */
void gen_accounts_open(struct text *out, const struct test *t, const struct cell *cell, const struct body *b);
void gen_accounts_close(struct text *out, const struct test *t, const struct body *b);
/* Writes the part of init() that clears the account behind an mbarrier. */
void gen_account_init(struct text *out, const struct test *t, int loc);
/* Whether the harness must wait for engines that tell an mbarrier; and drain() and drain_own(), which do
 * so. */
bool gen_drains(const struct test *t);
void gen_drain(struct text *out, const struct test *t);

#endif
