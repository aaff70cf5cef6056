#include "syntax/tree.h"

int tree_level(int token) {
    static const struct {
        int token, level;
    } levels[] = {
        {'*', 10},    {'/', 10}, {'%', 10},   {'+', 9}, {'-', 9},      {TOK_SHL, 8},
        {TOK_SHR, 8}, {'<', 7},  {TOK_LE, 7}, {'>', 7}, {TOK_GE, 7},   {TOK_EQ, 6},
        {TOK_NE, 6},  {'&', 5},  {'^', 4},    {'|', 3}, {TOK_LAND, 2}, {TOK_LOR, 1},
    };
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        if (levels[k].token == token) return levels[k].level;
    return 0;
}

bool tree_assigns(int token) {
    return token == '=' || token == TOK_SHL_SET || token == TOK_SHR_SET ||
           (token >= TOK_ADD_SET && token <= TOK_XOR_SET);
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
