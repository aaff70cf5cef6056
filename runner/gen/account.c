#include "gen/account.h"

#include "gen/names.h"

bool gen_is_told(const struct test *t, int loc) {
    for (int k = 1; k <= t->nops && loc >= 0; k++)
        if (t->ops[k].place[2].loc == loc) return true;
    return false;
}

/* Whether an operation reaches the location in another block of the cluster. */
static bool is_used_afar(const struct test *t, int loc) {
    for (int k = 1; k <= t->nops; k++)
        for (int p = 0; p < OP_PLACES; p++)
            if (t->ops[k].place[p].loc == loc && (t->ops[k].place[p].rank || t->ops[k].blocks)) return true;
    return false;
}

int gen_account_ranks(const struct test *t, const struct cell *cell, int loc) {
    const struct placement *p = cell->placement;
    return is_used_afar(t, loc) && p->nclusters == 1 ? p->nblocks : 1;
}

/* Whether an engine completes bytes at an mbarrier of another block. */
static bool tells_afar(const struct test *t) {
    for (int k = 1; k <= t->nops; k++)
        if (t->ops[k].place[2].loc >= 0 && (t->ops[k].place[2].rank || t->ops[k].blocks)) return true;
    return false;
}

void gen_account(struct text *out, const struct op *op) {
    static const char *const does[] = {"OPENS",   "CLOSES", "EXPECTS", "COMPLETES",
                                       "ARRIVES", "DROPS",  "RAISES"};
    const char *between = ", ";
    unsigned counts = op_kinds[op->kind].touches[2] ? COUNT_COMPLETES : op_rows[op->name].counts;
    for (int k = 0; k < 7; k++) {
        if (!(counts >> k & 1)) continue;
        text_printf(out, "%s%s", between, does[k]);
        between = " | ";
    }
    text_add(out, ", ");
}

/* Whether the body keeps an account of the mbarrier `full`: a variable `_account_full`, an array like
 * `full`. */
static bool has_account(const struct test *t, const struct body *b, int l) {
    return gen_is_told(t, l) && gen_body_uses(t, b, l);
}

void gen_accounts_open(struct text *out, const struct test *t, const struct cell *cell,
                       const struct body *b) {
    for (int l = 0; l < t->nlocs; l++) {
        if (!has_account(t, b, l)) continue;
        text_add(out, "    struct account _account_");
        gen_name(out, t->locs[l].name);
        text_printf(out, "[%d] = {};\n", t->locs[l].count * gen_account_ranks(t, cell, l));
    }
}

/* Writes the place of an array and its number of elements: "I.full, 2" if `of` is "I.". */
static void print_all(struct text *out, const struct location *l, const char *of) {
    gen_field(out, of, l);
    text_printf(out, ", %d", l->count);
}

void gen_accounts_close(struct text *out, const struct test *t, const struct body *b) {
    for (int l = 0; l < t->nlocs; l++) {
        if (!has_account(t, b, l)) continue;
        text_add(out, "    account_add(_run, ");
        print_all(out, &t->locs[l], "");
        text_add(out, ", _account_");
        gen_name(out, t->locs[l].name);
        text_add(out, ");\n");
    }
}

void gen_account_init(struct text *out, const struct test *t, int loc) {
    if (!gen_is_told(t, loc)) return;
    text_add(out, "    account_begin(_run, ");
    print_all(out, &t->locs[loc], "I.");
    text_add(out, ");\n");
}

static void print_drain(struct text *out, const struct test *t, bool own) {
    text_printf(out,
                "static ROLE bool drain%s(struct instance I, struct run *_run)\n{\n    bool ended = true;\n",
                own ? "_own" : "");
    for (int l = 0; l < t->nlocs; l++) {
        if (!gen_is_told(t, l) || (t->locs[l].instances > 1) != own) continue;
        text_add(out, "    ended = drain_all(_run, ");
        print_all(out, &t->locs[l], "I.");
        text_add(out, ") && ended;\n");
    }
    text_add(out, "    return ended;\n}\n\n");
}

bool gen_drains(const struct test *t) {
    for (int l = 0; l < t->nlocs; l++)
        if (gen_is_told(t, l)) return true;
    return false;
}

void gen_drain(struct text *out, const struct test *t) {
    if (!gen_drains(t)) return;
    text_add(out, "/* Wait for the engines of an instance, or of a block's part of it. */\n");
    print_drain(out, t, false);
    print_drain(out, t, true);
    text_printf(out, "enum { DRAINS_AFAR = %d }; /* an engine tells another block's mbarrier */\n\n",
                tells_afar(t));
}
