/* The functions of a unit that know clusters: the ranks of blocks and the sizes of clusters. */
#include "litmus/cluster.h"
#include "gen/names.h"

static bool is_of_cell(const struct expr *e) {
    return e && (expr_is_of_cell(e) || is_of_cell(e->a) || is_of_cell(e->b) || is_of_cell(e->c));
}

static bool computes_with_rank(const struct stmt *s, void *ctx) {
    const struct expr *operands[OP_OPERANDS] = {s->value};
    (void)ctx;
    if (s->kind == STMT_OP) op_operands(s->op, operands);
    for (int k = 0; k < (s->kind == STMT_OP ? OP_OPERANDS : 1); k++)
        if (is_of_cell(operands[k])) return false;
    return true;
}

/* Whether some body computes with a rank or with the size of its cluster. */
static bool has_rank(const struct test *t) {
    for (int b = 0; b < t->nbodies; b++)
        if (!stmt_walk(t->bodies[b].first, computes_with_rank, NULL)) return true;
    return false;
}

/* Returns the first thread of a block of the test. */
static int first_thread(const struct test *t, int block) {
    int k = 0;
    while (t->threads[k].block != block)
        k++;
    return k;
}

enum ranked { RANK, SIZE };

/* "static ROLE unsigned cluster_rank(int block) { ... }" */
static void print_by_block(const struct test *t, const struct placement *p, enum ranked what,
                           struct text *out) {
    text_printf(out, "static ROLE unsigned cluster_%s(int block)\n{\n    switch (block) {\n",
                what == RANK ? "rank" : "size");
    for (int b = 0; b < t->nblocks; b++) {
        int k = first_thread(t, b), n = what == RANK ? cluster_rank(p, k) : cluster_size(t, p, k);
        if (n != (what == SIZE)) text_printf(out, "    case %d: return %d;\n", b, n);
    }
    text_printf(out, "    default: return %d;\n    }\n}\n\n", what == SIZE);
}

/* Writes cluster_step(): by how many blocks of the test a rank lies behind a block. Only C needs it, where
 * the shared memory of all blocks is one array. */
static void print_steps(const struct test *t, const struct placement *p, struct text *out) {
    text_add(out, "static ROLE int cluster_step(int block, int rank)\n{\n    switch (block) {\n");
    for (int b = 0; b < t->nblocks; b++) {
        int k = first_thread(t, b), n = cluster_size(t, p, k);
        text_printf(out, "    case %d:\n", b);
        for (int rank = 0; rank < n; rank++)
            text_printf(out, "        if (rank == %d) return %d;\n", rank,
                        t->threads[cluster_find(t, p, k, rank)].block - b);
        text_add(out, "        break;\n");
    }
    text_add(out, "    }\n    return 0;\n}\n\n");
}

void gen_cluster(const struct test *t, const struct cell *cell, enum dialect dialect, struct text *out) {
    const struct placement *p = cell->placement;
    bool maps = cluster_first_op(t) != NULL;
    if (!maps && !has_rank(t)) return;
    text_add(out, "/* The rank of a block of the test in its cluster, and the blocks that this has. */\n");
    print_by_block(t, p, RANK, out);
    print_by_block(t, p, SIZE, out);
    if (maps && dialect == DIALECT_C) print_steps(t, p, out);
}

void gen_block_number(const struct test *t, const struct body *b, enum dialect dialect, struct text *out) {
    int k = 0;
    while (t->threads[k].body != b)
        k++;
    text_printf(out, "%d", t->threads[k].block);
    if (b->grid)
        text_printf(out, " + (int)%s.x", gen_grid_word(dialect, EXPR_BLOCK));
    else if (b->indexed)
        text_add(out, " + tid");
}
