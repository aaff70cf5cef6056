/* The kinds of expressions: leaves, and operators, which value_apply computes. */
#ifndef CULITMUS_OPERATOR_H
#define CULITMUS_OPERATOR_H

/* clang-format off */
enum expr_kind {
    EXPR_INT,   /* value */
    EXPR_REG,   /* index: into the body's registers */
    EXPR_TID, /* the number of this copy of the body, 0..count-1 */
    EXPR_COUNT, /* the number of copies */
    EXPR_BLOCK,  /* blockIdx.x and threadIdx.x of a thread of a grid */
    EXPR_THREAD,
    /* the rank of the thread's block in its cluster; RANKS: the number of blocks in the cluster. The
     * placement decides both */
    EXPR_RANK,
    EXPR_RANKS,
    EXPR_OBS,   /* index: into the test's observables; conditions only */
    EXPR_CAST,  /* (type) a, of scalars */
    /* a scalar of the result type with the same bits as a, as between float and a 32-bit integer */
    EXPR_BITS,
    EXPR_LANE,  /* lane number b of the vector a */
    EXPR_JOIN,  /* a vector: the lanes of a, then those of b */
    EXPR_NEG, EXPR_NOT, EXPR_COMPL,                                       /* -a !a ~a */
    /* of an unsigned number: how many bits are set; how many zeros are above them; the bits in reverse
     * order */
    EXPR_POPC, EXPR_CLZ, EXPR_BREV,
    EXPR_MUL, EXPR_DIV, EXPR_MOD, EXPR_ADD, EXPR_SUB, EXPR_SHL, EXPR_SHR, /* a op b */
    EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_EQ, EXPR_NE,
    EXPR_AND, EXPR_XOR, EXPR_OR,  /* bitwise */
    EXPR_LAND, EXPR_LOR,          /* && || */
    EXPR_COND,                    /* a ? b : c */
};
/* clang-format on */

#endif
