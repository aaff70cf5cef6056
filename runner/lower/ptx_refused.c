/* Instructions of PTX, and words of their opcodes, that exist and cannot be had here. */
#include "lower/ptx.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A word in an opcode that begins so; in any opcode where that is NULL. A word that ends in '*' stands for all that
 * begin so. */
static const struct {
    const char *opcode, *word, *problem;
} words[] = {
    {"ld", "nc", "'ld.global.nc' is not modelled: it promises nothing for data that is written meanwhile"},
    {"fence", "proxy", "not modelled yet: fences between proxies"},
    {NULL, "proxy", "not modelled yet: proxies"},
    {"fence", "sync_restrict*", "not modelled yet: fences that are restricted to some memory"},
    {"fence", "mbarrier_init", "not modelled yet: mbarriers"},
    {"cp", "bulk", "not modelled yet: bulk copies"},
    {"cp", "mbarrier", "not modelled yet: mbarriers"},
    {"st", "async", "not modelled yet: asynchronous stores"},
    {"red", "async", "not modelled yet: asynchronous reductions"},
    {"atom", "mul", "PTX has no atom.mul"},
    {"atom", "div", "PTX has no atom.div"},
    {"atom", "mult", "PTX has no atom.mul"},
    {"red", "mult", "PTX has no red.mul"},
    {"red", "mul", "PTX has no red.mul"},
    {"red", "div", "PTX has no red.div"},
    {NULL, "f16*", "not supported yet: half floats"},
    {NULL, "bf16*", "not supported yet: half floats"},
    {NULL, "f64", "not supported yet: floats of 64 bits"},
};

static const struct {
    const char *opcode, *problem;
} opcodes[] = {
    {"tld", "not modelled yet: loads through the texture proxy"},
    {"tex", "not modelled yet: loads through the texture proxy"},
    {"suld", "not modelled yet: loads through the surface proxy"},
    {"cold", "not modelled yet: loads through the constant proxy"},
    {"sust", "not modelled yet: stores through the surface proxy"},
    {"suatom", "not modelled yet: atomic operations through the surface proxy"},
    {"sured", "not modelled yet: atomic operations through the surface proxy"},
    {"ldu", "not modelled: 'ldu' promises nothing for data that is written meanwhile"},
    {"mbarrier", "not modelled yet: mbarriers"},
    {"multimem", "not modelled: memory of several GPUs behind one address"},
};

/* Instructions that are not read yet. */
static const char *const unread[] = {"prefetchu", "elect",    "discard",      "applypriority", "cvta",
                                     "mapa",      "isspacep", "createpolicy", "call",          "exit",
                                     "ret",       "mad",      "popc"};

static bool has_name(const char *pattern, const char *word) {
    size_t n = strcspn(pattern, "*");
    return strncmp(pattern, word, n) == 0 && (pattern[n] || word[n] == '\0');
}

void ptx_refuse_words(struct parser *p, const struct instruction *in) {
    const char *opcode = in->words[0]->text;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        for (int k = 1; k < in->n && (!words[i].opcode || strcmp(words[i].opcode, opcode) == 0); k++)
            if (has_name(words[i].word, in->words[k]->text))
                parse_error(p, in->words[k]->pos, "%s", words[i].problem);
}

bool ptx_refuse_opcode(struct parser *p, const struct token *opcode) {
    for (size_t i = 0; i < COUNT_OF(opcodes); i++)
        if (strcmp(opcodes[i].opcode, opcode->text) == 0)
            parse_error(p, opcode->pos, "%s", opcodes[i].problem);
    for (size_t i = 0; i < COUNT_OF(unread); i++)
        if (strcmp(unread[i], opcode->text) == 0)
            parse_error(p, opcode->pos, "'%s' is not supported yet", opcode->text);
    return p->panic;
}

const char *ptx_hint_at_word(const struct instruction *in, const char *word) {
    bool load = strcmp(in->words[0]->text, "ld") == 0;
    if (!load && strcmp(in->words[0]->text, "st") != 0) return "";
    for (enum order o = ORDER_ACQUIRE; o <= ORDER_SC; o++)
        if (strcmp(word, order_name(o)) == 0)
            return load ? ": a load is .weak, .volatile, .relaxed or .acquire"
                        : ": a store is .weak, .volatile, .relaxed or .release";
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++)
        if (strcmp(word, scope_ptx(s)) == 0)
            return load ? ": only .relaxed and .acquire loads have a scope"
                        : ": only .relaxed and .release stores have a scope";
    return "";
}

/* Reads the words of an opcode, from t on. */
static void read_words(struct instruction *in, const struct token *t) {
    in->n = 0;
    in->words[in->n++] = t++;
    while (t->kind == '.' && t[1].kind == TOK_NAME && in->n < MAX_WORDS) {
        in->words[in->n++] = t + 1;
        t += 2;
        while (t->kind == ':' && t[1].kind == ':' && t[2].kind == TOK_NAME)
            t += 3;
    }
}

bool ptx_refuse_text(struct parser *p, const struct token *t) {
    bool refused = false, begins = true;
    for (; t->kind != TOK_END; t++) {
        if (begins && t->kind == '@') { /* a predicate: @p, @!p, @%p */
            while (t->kind != TOK_NAME && t[1].kind != TOK_END)
                t++;
            continue;
        }
        if (begins && t->kind == TOK_NAME && t[1].kind != ':') {
            struct instruction in = {0};
            read_words(&in, t);
            if (!ptx_refuse_opcode(p, t)) ptx_refuse_words(p, &in);
            refused = refused || p->panic;
            p->panic = false;
        }
        begins = t->kind == ';' || t->kind == '{' || t->kind == '}' || (t->kind == ':' && begins) ||
                 (t->kind == TOK_NAME && begins && t[1].kind == ':');
    }
    p->panic = refused;
    return refused;
}
