#include "syntax/tree.h"

static const struct tree_operator operators[] = {
    {'*', TOK_MUL_SET, 0, 10, EXPR_MUL},
    {'/', TOK_DIV_SET, 0, 10, EXPR_DIV},
    {'%', TOK_MOD_SET, 0, 10, EXPR_MOD},
    {'+', TOK_ADD_SET, TOK_INC, 9, EXPR_ADD},
    {'-', TOK_SUB_SET, TOK_DEC, 9, EXPR_SUB},
    {TOK_SHL, TOK_SHL_SET, 0, 8, EXPR_SHL},
    {TOK_SHR, TOK_SHR_SET, 0, 8, EXPR_SHR},
    {'<', 0, 0, 7, EXPR_LT},
    {TOK_LE, 0, 0, 7, EXPR_LE},
    {'>', 0, 0, 7, EXPR_GT},
    {TOK_GE, 0, 0, 7, EXPR_GE},
    {TOK_EQ, 0, 0, 6, EXPR_EQ},
    {TOK_NE, 0, 0, 6, EXPR_NE},
    {'&', TOK_AND_SET, 0, 5, EXPR_AND},
    {'^', TOK_XOR_SET, 0, 4, EXPR_XOR},
    {'|', TOK_OR_SET, 0, 3, EXPR_OR},
    {TOK_LAND, 0, 0, 2, EXPR_LAND},
    {TOK_LOR, 0, 0, 1, EXPR_LOR},
};

const struct tree_operator *tree_operator(int token) {
    for (size_t k = 0; k < sizeof operators / sizeof *operators && token != TOK_END; k++)
        if (operators[k].between == token || operators[k].sets == token || operators[k].steps == token)
            return &operators[k];
    return NULL;
}

int tree_level(int token) {
    const struct tree_operator *found = tree_operator(token);
    return found && found->between == token ? found->level : 0;
}

bool tree_assigns(int token) {
    const struct tree_operator *found = tree_operator(token);
    return token == '=' || (found && found->sets == token);
}

const struct tree *tree_inside(const struct tree *n) {
    while (n->kind == TREE_GROUPED)
        n = n->a;
    return n;
}

const struct tree *tree_root(const struct tree *n) {
    for (;;)
        switch (n->kind) {
        case TREE_CALL:
        case TREE_INDEX:
        case TREE_MEMBER:
        case TREE_STEP:
        case TREE_BEHIND:
        case TREE_ASSIGN: n = n->a; continue;
        case TREE_NAME: return n;
        default: return NULL;
        }
}

bool tree_is_word(const struct tree *n) {
    return n->kind == TREE_NAME && n->end == n->first + 1;
}

bool tree_is_place(const struct tree *n) {
    return n->kind == TREE_NAME || n->kind == TREE_BLOCK_OF || n->kind == TREE_INDEX ||
           n->kind == TREE_MEMBER;
}
