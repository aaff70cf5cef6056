/* What an expression is: a leaf, or an operator, which value_apply computes. */
#ifndef CULITMUS_OPERATOR_H
#define CULITMUS_OPERATOR_H

/* clang-format off */
enum expr_kind {
    EXPR_INT,   /* value */
    EXPR_REG,   /* index: into the body's registers */
    EXPR_TID,   /* the copy's number, 0..count-1 */
    EXPR_COUNT, /* how many copies */
    EXPR_BLOCK,  /* blockIdx.x and threadIdx.x of a thread of a grid */
    EXPR_THREAD,
    EXPR_RANK,  /* the number of its block in the cluster, and the blocks that this has: a cell's placement says it */
    EXPR_RANKS,
    EXPR_OBS,   /* index: into the test's observables; conditions only */
    EXPR_CAST,  /* (type) a, of scalars */
    EXPR_BITS,  /* a scalar of the type that has the bits of a: between float and integers of 32 bits */
    EXPR_LANE,  /* lane number b of the vector a */
    EXPR_JOIN,  /* a vector: the lanes of a, then those of b */
    EXPR_NEG, EXPR_NOT, EXPR_COMPL,                                       /* -a !a ~a */
    EXPR_POPC, EXPR_CLZ, EXPR_BREV, /* of a number without a sign: its bits that are set; that are 0 above them; reversed */
    EXPR_MUL, EXPR_DIV, EXPR_MOD, EXPR_ADD, EXPR_SUB, EXPR_SHL, EXPR_SHR, /* a op b */
    EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_EQ, EXPR_NE,
    EXPR_AND, EXPR_XOR, EXPR_OR,  /* bitwise */
    EXPR_LAND, EXPR_LOR,          /* && || */
    EXPR_COND,                    /* a ? b : c */
};
/* clang-format on */

#endif
