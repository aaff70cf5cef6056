/* Instructions of PTX, and words of their opcodes, that exist and cannot be had here. */
#include "lower/column.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#define DIMENSIONS "not modelled: tensor copies of more than one dimension"

/* A word in an opcode that begins so; in any opcode where that is NULL. A word that ends in '*' stands for all that
 * begin so. */
static const struct {
    const char *opcode, *word, *problem;
} words[] = {
    {"fence", "proxy", "not modelled yet: fences between proxies"},
    {NULL, "proxy", "not modelled yet: proxies"},
    {"fence", "sync_restrict*", "not modelled yet: fences that are restricted to some memory"},
    {"cp", "im2col*", "not modelled: tensor copies of im2col"},
    {"cp", "tile::*", "not modelled: tensor copies that gather and scatter"},
    {"cp", "tensor", "not modelled: tensor copies but those of one dimension, '.tensor.1d'"},
    {"tensormap", "cp_fenceproxy", "not modelled: copies of tensor maps"},
    {"cp", "reduce", "not modelled yet: bulk reductions"},
    {"cp", "cp_mask", "not modelled: copies of some of the bytes"},
    {"cp", "ignore_oob", "not modelled: copies beyond what there is"},
    {"cp", "relaxed", "not modelled: bulk copies that are strong"},
    {"cp", "report", "not modelled: copies that report what became of them"},
    {"ld", "const", "not modelled: loads from constant memory; a table has 'cold.weak r0, x'"},
    {"mbarrier", "report", "not modelled: mbarriers that are told what became of copies"},
    {"mbarrier", "layout*", "not modelled: mbarriers of another layout"},
    {"atom", "mul", "PTX has no atom.mul"},
    {"atom", "div", "PTX has no atom.div"},
    {"atom", "mult", "PTX has no atom.mul"},
    {"red", "mult", "PTX has no red.mul"},
    {"red", "mul", "PTX has no red.mul"},
    {"red", "div", "PTX has no red.div"},
    {"match", "b64", "not supported yet: matches of 64 bits"},
    {NULL, "f16*", "not supported yet: half floats"},
    {NULL, "bf16*", "not supported yet: half floats"},
};

/* The same where another word stands in the opcode, too. */
static const struct {
    const char *opcode, *word, *beside, *problem;
} pairs[] = {
    {"cp", "tensor", "2d", DIMENSIONS},
    {"cp", "tensor", "3d", DIMENSIONS},
    {"cp", "tensor", "4d", DIMENSIONS},
    {"cp", "tensor", "5d", DIMENSIONS},
    {"fence", "proxy", "fabric", "not modelled: the fabric proxy"},
    {"st", "release", "async", "not modelled: asynchronous stores that release"},
    {"st", "mmio", "async", "not modelled: asynchronous stores that release"},
    {"red", "release", "async", "not modelled: asynchronous reductions that release"},
    {"red", "mmio", "async", "not modelled: asynchronous reductions that release"},
};

static const struct {
    const char *opcode, *problem;
} opcodes[] = {
    {"tld", "loads through the texture proxy are for tables: 'tld.weak r0, x'"},
    {"tex", "not modelled: fetches of a texture; a table has 'tld.weak r0, x'"},
    {"suld", "not modelled: loads of a surface; a table has 'suld.weak r0, x'"},
    {"cold", "loads through the constant proxy are for tables: 'cold.weak r0, x'"},
    {"sust", "not modelled: stores to a surface; a table has 'sust.weak x, 1'"},
    {"suatom", "atomic operations through the surface proxy are for tables"},
    {"sured", "not modelled: reductions of a surface; a table has 'sured.relaxed.gpu.add x, 1'"},
    {"fma", "not supported yet: a product and a sum that are rounded once"},
    {"ldu", "not modelled: 'ldu' promises nothing for data that is written meanwhile"},
    {"wgmma", "not modelled: matrix operations; a bulk copy reads shared memory through the same proxy"},
    {"tcgen05", "not modelled: matrix operations; a bulk copy reads shared memory through the same proxy"},
    {"clusterlaunchcontrol", "not modelled: launches that a cluster cancels and takes over"},
    {"multimem", "not modelled: memory of several GPUs behind one address"},
};

/* Instructions that are not read yet. */
static const char *const unread[] = {"elect",        "discard", "applypriority", "cvta",
                                     "isspacep",  "createpolicy", "call",    "exit",          "ret"};

static bool has_name(const char *pattern, const char *word) {
    size_t n = strcspn(pattern, "*");
    return strncmp(pattern, word, n) == 0 && (pattern[n] || word[n] == '\0');
}

static const char *find_opcode_problem(struct parser *p, const char *opcode) {
    for (size_t i = 0; i < COUNT_OF(opcodes); i++)
        if (strcmp(opcodes[i].opcode, opcode) == 0) return opcodes[i].problem;
    for (size_t i = 0; i < COUNT_OF(unread); i++)
        if (strcmp(unread[i], opcode) == 0)
            return arena_printf(p->arena, "'%s' is not supported yet", opcode);
    return NULL;
}

static const char *find_word_problem(const struct ptx_instruction *in, const char *word) {
    const char *opcode = in->words[0].text;
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (strcmp(pairs[i].opcode, opcode) == 0 && strcmp(pairs[i].word, word) == 0 &&
            ptx_find_word(in, pairs[i].beside) > 0)
            return pairs[i].problem;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if ((!words[i].opcode || strcmp(words[i].opcode, opcode) == 0) && has_name(words[i].word, word))
            return words[i].problem;
    return NULL;
}

bool ptx_refuse_opcode(struct parser *p, const struct ptx_instruction *in) {
    const char *problem = find_opcode_problem(p, in->words[0].text);
    if (problem) parse_error(p, in->pos, "%s", problem);
    return problem;
}

/* The words, as 1 << number, of a row that is of a proxy or a tensor map. */
static uint64_t find_proxy_words(struct parser *p, const struct ptx_instruction *in) {
    struct ptx_words w = ptx_words_of(in);
    if (!op_ptx_knows(in)) return 0;
    op_ptx_read(&w, in, p->arena);
    return w.row && (w.row->proxy != PROXY_GENERIC || w.row->tensor) ? w.used : 0;
}

bool ptx_refuse_words(struct parser *p, const struct ptx_instruction *in) {
    uint64_t known = find_proxy_words(p, in);
    for (int k = 1; k < in->nwords; k++) {
        if (k < 64 && known >> k & 1) continue;
        const char *problem = find_word_problem(in, in->words[k].text);
        if (problem) parse_error(p, in->words[k].pos, "%s", problem);
        if (problem) return true;
    }
    return false;
}

bool ptx_refuse_all(struct parser *p, const struct ptx_code *code) {
    bool refused = false;
    for (int k = 0; k < code->n; k++) {
        const struct ptx_statement *s = &code->statements[k];
        p->panic = false;
        if (s->kind != PTX_INSTRUCTION) continue;
        refused = ptx_refuse_opcode(p, s->instruction) || ptx_refuse_words(p, s->instruction) || refused;
    }
    p->panic = refused;
    return refused;
}
