#include "litmus/op_ptx.h"

#include <string.h>

enum { MAX_USED = 64 };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- words ---- */

struct pos ptx_behind(const struct ptx_word *word) {
    return (struct pos){word->pos.line, word->pos.col + word->pos.len, 1};
}

/* Notes a problem, unless there is one already. */
static void ptx_words_fail(struct ptx_words *w, struct pos at, const char *problem) {
    if (w->problem) return;
    w->problem = problem;
    w->at = at;
}

static bool is_used(const struct ptx_words *w, int k) {
    return k < MAX_USED && w->used >> k & 1;
}

const struct ptx_word *ptx_words_take(struct ptx_words *w, const struct ptx_instruction *in,
                                      const char *word) {
    int k = ptx_find_word(in, word);
    if (k < 0) return NULL;
    if (k < MAX_USED) w->used |= (uint64_t)1 << k;
    return &in->words[k];
}

/* Whether the word is a hint such as .L1::evict_last: it says where to cache the data, and changes no
 * promise. */
static bool is_hint(const struct ptx_word *word) {
    return strncmp(word->text, "L1::", 4) == 0 || strncmp(word->text, "L2::", 4) == 0;
}

struct ptx_words ptx_words_of(const struct ptx_instruction *in) {
    struct ptx_words w = {.type = type_int, .lanes = 1};
    if (ptx_words_take(&w, in, "v2")) w.lanes = 2;
    if (w.lanes == 1 && ptx_words_take(&w, in, "v4")) w.lanes = 4;
    for (int k = 1; k < in->nwords && k < MAX_USED; k++) {
        bool type = !w.type_word && type_find_ptx(in->words[k].text, &w.type);
        if (type) w.type_word = &in->words[k];
        if (type || is_hint(&in->words[k])) w.used |= (uint64_t)1 << k;
    }
    w.cache_hint = ptx_find_word(in, "L2::cache_hint") > 0;
    return w;
}

/* Returns what is wrong with a word that ld or st cannot have: an order, a scope, or what may be a misspelt
 * order. */
static const char *hint_at(struct arena *a, const struct ptx_instruction *in, const char *word) {
    const char *names[ORDER_RELEASE], *near;
    size_t n = 0;
    bool load = ptx_is(in, "ld");
    if (!load && !ptx_is(in, "st")) return "";
    for (enum order o = ORDER_ACQUIRE; o <= ORDER_SC; o++)
        if (strcmp(word, order_name(o)) == 0)
            return load ? ": a load is .weak, .volatile, .relaxed or .acquire"
                        : ": a store is .weak, .volatile, .relaxed or .release";
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++)
        if (strcmp(word, scope_ptx(s)) == 0)
            return load ? ": only .relaxed and .acquire loads have a scope"
                        : ": only .relaxed and .release stores have a scope";
    for (enum order o = ORDER_WEAK; o <= ORDER_RELEASE; o++)
        if (o != (load ? ORDER_RELEASE : ORDER_ACQUIRE)) names[n++] = order_name(o);
    near = diag_nearest(word, names, n);
    return near && strcmp(near, word) != 0 ? arena_printf(a, "; did you mean '.%s'?", near) : "";
}

void ptx_words_check(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a) {
    for (int k = 1; k < in->nwords; k++) {
        const struct ptx_word *word = &in->words[k];
        if (is_used(w, k)) continue;
        ptx_words_fail(w, word->pos,
                       arena_printf(a, "unexpected '.%s' in '%s'%s", word->text, in->words[0].text,
                                    hint_at(a, in, word->text)));
    }
}

/* ---- the patterns of rows ---- */

/* A part of a pattern's opcode: a word, or the letter behind a '$'. */
struct pattern_part {
    const char *word;
    size_t len;
    char letter;
};

/* Returns the instruction of a pattern that does the operation. In a pattern in braces it is not the one that
 * makes a predicate. */
static const char *core_of(const struct op_row *row) {
    const char *s = row->ptx;
    while (s && (*s == '{' || *s == '.' || strncmp(s, "setp.", 5) == 0)) {
        s = strchr(s, '\n');
        if (s) s += strspn(s, "\n\t");
    }
    return s;
}

static bool next_part(const char **s, struct pattern_part *part) {
    const char *at = *s + (**s == '.');
    if (!*at || strchr(" ;", *at)) return false;
    bool letter = *at == '$';
    size_t len = letter ? 2 : strcspn(at, ".$ ;");
    *part = (struct pattern_part){at, letter ? 0 : len, letter ? at[1] : '\0'};
    *s = at + len;
    return true;
}

const char *op_ptx_operands(const struct op_row *row) {
    const char *s = core_of(row);
    s += strcspn(s, " ;");
    return *s == ' ' ? s + 1 : "";
}

static bool reads_so(const struct pattern_part *part, const char *word) {
    return strlen(word) == part->len && memcmp(word, part->word, part->len) == 0;
}

/* Whether the opcode begins with the row's first word; *s is then behind it. Some dialects of tables write
 * red for each atomic operation. */
static bool begins(const struct ptx_instruction *in, const struct op_row *row, const char **s) {
    struct pattern_part first;
    if (!*s || !next_part(s, &first)) return false;
    if (row->kind == OP_RMW) return ptx_is(in, "atom") || ptx_is(in, "red");
    return reads_so(&first, in->words[0].text) || (row->name == MEET_WARP && ptx_is(in, "barrier"));
}

/* Returns the index of the opcode's word that matches a part, or -1. An atomic operation matches by the row's
 * own word, since PTX has no atom.sub, and an early grammar of tables has `plus` and `minus`. */
static int find_part(const struct ptx_instruction *in, const struct op_row *row,
                     const struct pattern_part *part) {
    bool plus = row->name == RMW_ADD, minus = row->name == RMW_SUB;
    for (int k = 1; k < in->nwords; k++) {
        const char *word = in->words[k].text;
        bool shared = strcmp(word, "shared::cta") == 0 && reads_so(part, "shared");
        if (row->kind != OP_RMW ? reads_so(part, word) || shared
                                : strcmp(word, row->word) == 0 || (plus && strcmp(word, "plus") == 0) ||
                                      (minus && strcmp(word, "minus") == 0))
            return k;
    }
    return -1;
}

/* Whether a part of a pattern is a type. */
static bool is_type(const struct pattern_part *part) {
    struct type type;
    char name[8] = "";
    if (part->letter == 't') return true;
    if (part->letter || part->len >= sizeof name) return false;
    memcpy(name, part->word, part->len);
    return strcmp(name, "pred") == 0 || type_find_ptx(name, &type);
}

/* How well an opcode fits a row: how many words match, without types, which many rows have. */
struct pattern_fit {
    int found;
    bool whole;
    struct pattern_part missing; /* the first word that the opcode lacks */
};

static struct pattern_fit fit_row(const struct ptx_instruction *in, const struct op_row *row) {
    struct pattern_fit fit = {.found = -1, .whole = true};
    const char *s = core_of(row);
    struct pattern_part part;
    if (!begins(in, row, &s)) return (struct pattern_fit){.found = -1};
    for (fit.found = 0; next_part(&s, &part);) {
        bool optional = row->kind == OP_CLEAR && reads_so(&part, "shared::cta");
        if (part.letter || optional) continue;
        if (find_part(in, row, &part) >= 0)
            fit.found += !is_type(&part);
        else if (fit.whole) {
            fit.missing = part;
            fit.whole = false;
        }
    }
    return fit;
}

bool op_ptx_knows(const struct ptx_instruction *in) {
    for (enum op_name name = 0; name < OP_COUNT; name++)
        if (fit_row(in, &op_rows[name]).found >= 0) return true;
    return ptx_is(in, "membar");
}

size_t op_ptx_opcodes(struct arena *a, const char **names) {
    size_t n = 0;
    for (enum op_name name = 0; name < OP_COUNT; name++) {
        const char *s = core_of(&op_rows[name]);
        if (s && *s != '$') names[n++] = arena_strndup(a, s, strcspn(s, ".$ ;"));
    }
    return n;
}

/* Whether PTX has the operation at all: tables may have words for operations that PTX lacks (PTX ISA, "atom",
 * "red"). */
static bool has_ptx(const struct ptx_instruction *in, const struct op_row *row) {
    bool swaps = row->types == TYPES_SWAP || row->types == TYPES_COMPARED;
    return !row->negated && !(swaps && ptx_is(in, "red"));
}

/* Returns such as ".idx, .up": words of the best fitting rows, one of which is missing. */
static const char *list_missing(const struct ptx_instruction *in, int found, struct arena *a, int *n) {
    const char *list = "";
    *n = 0;
    for (enum op_name name = 0; name < OP_COUNT; name++) {
        struct pattern_fit fit = fit_row(in, &op_rows[name]);
        if (fit.found != found) continue;
        const char *word = arena_printf(a, ".%.*s", (int)fit.missing.len, fit.missing.word);
        if (!has_ptx(in, &op_rows[name]) || strstr(list, word)) continue;
        list = arena_printf(a, "%s%s%s", list, *n ? ", " : "", word);
        ++*n;
    }
    return list;
}

/* Notes which word is missing. If it is a type, another type may stand there. */
static void report_missing(struct ptx_words *w, const struct ptx_instruction *in, int found,
                           struct arena *a) {
    int n;
    const char *list = list_missing(in, found, a, &n);
    struct pattern_part missing = {.word = list + 1, .len = strlen(list) - 1};
    const struct ptx_word *last = &in->words[in->nwords - 1];
    struct pos at = n > 1 || !is_type(&missing) ? ptx_behind(&in->words[0])
                    : w->type_word              ? w->type_word->pos
                                                : ptx_behind(last);
    ptx_words_fail(w, at, arena_printf(a, n > 1 ? "expected one of %s" : "expected '%s'", list));
}

/* Finds the row with the most words among those whose words the opcode all has. */
static const struct op_row *find_row(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a) {
    const struct op_row *best = NULL;
    int found = -1, near = -1;
    for (enum op_name name = 0; name < OP_COUNT; name++) {
        struct pattern_fit fit = fit_row(in, &op_rows[name]);
        if (fit.found > near) near = fit.found;
        if (!fit.whole || fit.found <= found) continue;
        found = fit.found;
        best = &op_rows[name];
    }
    if (!best) report_missing(w, in, near, a);
    return best;
}

/* ---- orders, scopes, spaces ---- */

/* PTX ISA, "mbarrier.arrive": an operation on an mbarrier is of a block or a cluster, and of a block with .noComplete. */
static enum scope widest_scope(const struct op_row *row) {
    if (!op_kinds[row->kind].mbarrier) return SCOPE_SYS;
    return row->counts & COUNT_STAYS ? SCOPE_CTA : SCOPE_CLUSTER;
}

static enum scope take_scope(struct ptx_words *w, const struct ptx_instruction *in) {
    for (enum scope s = SCOPE_CTA; s <= widest_scope(w->row); s++)
        if (ptx_words_take(w, in, scope_ptx(s))) return s;
    return SCOPE_NONE;
}

/* Notes that a scope is missing: behind the opcode, or at a word that may be a misspelt scope. */
static void need_scope(struct ptx_words *w, const struct ptx_instruction *in, const char *what,
                       struct arena *a) {
    if (w->scope != SCOPE_NONE) return;
    for (int k = 1; k < in->nwords; k++)
        if (!is_used(w, k))
            ptx_words_fail(w, in->words[k].pos,
                           arena_printf(a,
                                        "%s needs a scope, and '.%s' is none: .cta, .cluster, .gpu or .sys",
                                        what, in->words[k].text));
    ptx_words_fail(w, ptx_behind(&in->words[in->nwords - 1]),
                   arena_printf(a, "%s needs a scope: .cta, .cluster, .gpu or .sys", what));
}

/* Returns the order of an instruction without a word for it (PTX ISA, "ld", "atom", "fence",
 * "mbarrier.arrive"). */
static enum order default_order(const struct op_row *row) {
    enum op_kind kind = row->kind;
    return op_kinds[kind].mbarrier ? row->calls[0].order
           : kind == OP_RMW        ? ORDER_RELAXED
           : kind == OP_FENCE      ? ORDER_ACQ_REL
                                   : ORDER_WEAK;
}

static void take_strength(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a) {
    enum op_kind kind = w->row->kind;
    w->order = default_order(w->row);
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++)
        if (w->row->orders >> o & 1 && ptx_words_take(w, in, order_name(o))) {
            w->order = o;
            break;
        }
    if (w->order == ORDER_WEAK || w->order == ORDER_VOLATILE) return;
    w->scope = take_scope(w, in);
    if (kind == OP_RMW && w->scope == SCOPE_NONE) w->scope = SCOPE_GPU;
    if (op_kinds[kind].mbarrier && w->scope == SCOPE_NONE) w->scope = w->row->calls[0].scope;
    const char *what = kind == OP_FENCE ? "a fence" : arena_printf(a, "'.%s'", order_name(w->order));
    need_scope(w, in, what, a);
}

/* .mmio forbids merging and repeating an access, and implies system scope. */
static void take_mmio(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a) {
    w->mmio = ptx_words_take(w, in, "mmio");
    if (w->mmio && (w->scope != SCOPE_SYS || w->order == ORDER_WEAK || w->order == ORDER_VOLATILE))
        ptx_words_fail(w, w->mmio->pos,
                       arena_printf(a, "'.mmio' needs an order and system scope: %s.mmio.relaxed.sys",
                                    in->words[0].text));
}

/* A wait is for an mbarrier of its own block (PTX ISA, "mbarrier.test_wait"). */
static void take_space(struct ptx_words *w, const struct ptx_instruction *in) {
    static const char *const spaces[] = {"global", "shared", "shared::cta", "shared::cluster"};
    size_t n = COUNT_OF(spaces) - (w->row->kind == OP_TRY);
    for (size_t k = 0; k < n && !w->space; k++)
        w->space = ptx_words_take(w, in, spaces[k]);
}

/* PTX ISA, "membar": a synonym for fence.sc. */
static void read_membar(struct ptx_words *w, const struct ptx_instruction *in) {
    w->row = &op_rows[FENCE_THREAD];
    w->order = ORDER_SC;
    w->scope = ptx_words_take(w, in, "gl")    ? SCOPE_GPU
               : ptx_words_take(w, in, "cta") ? SCOPE_CTA
               : ptx_words_take(w, in, "sys") ? SCOPE_SYS
                                              : SCOPE_NONE;
    if (w->scope == SCOPE_NONE) ptx_words_fail(w, ptx_behind(&in->words[0]), "a membar is .cta, .gl or .sys");
}

/* A reduction over a warp is of 32-bit integers (PTX ISA, "redux.sync"). */
static void check_reduced(struct ptx_words *w, const struct ptx_instruction *in) {
    const struct ptx_word *type = w->type_word;
    if (w->row->kind != OP_EXCHANGE || (type && (ptx_is_word(type, "u32") || ptx_is_word(type, "s32"))))
        return;
    ptx_words_fail(w, type ? type->pos : ptx_behind(&in->words[in->nwords - 1]), "expected '.u32' or '.s32'");
}

/* If the pattern has no place for a type, a type is a word that is not understood. */
static void check_typed(struct ptx_words *w, const struct ptx_instruction *in, bool typed) {
    if (w->type_word && !typed) w->used &= ~((uint64_t)1 << (w->type_word - in->words));
}

/* Matches the words of the row's pattern, and reads what stands for its letters. */
static void take_parts(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a) {
    const char *s = core_of(w->row);
    struct pattern_part part;
    bool typed = false;
    begins(in, w->row, &s);
    while (next_part(&s, &part)) {
        typed = typed || is_type(&part);
        int k = part.letter ? -1 : find_part(in, w->row, &part);
        if (k >= 0 && k < MAX_USED) w->used |= (uint64_t)1 << k;
        if (part.letter == 's') take_space(w, in);
        if (part.letter == 't') check_reduced(w, in);
        if (part.letter == 'k' && !ptx_words_take(w, in, "ca") && !ptx_words_take(w, in, "cg"))
            ptx_words_fail(w, ptx_behind(&in->words[0]), "expected one of .ca, .cg");
    }
    if (w->row->kind == OP_REDUCE && ptx_words_take(w, in, "relaxed")) { /* since PTX 9.3 */
        w->scope = take_scope(w, in);
        need_scope(w, in, "'.relaxed'", a);
    }
    if (w->row->tensor) ptx_words_take(w, in, "tile"); /* the default */
    check_typed(w, in, typed);
    if (w->row->orders) take_strength(w, in, a);
    if (w->row->kind == OP_LOAD || w->row->kind == OP_STORE) take_mmio(w, in, a);
}

void op_ptx_read(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a) {
    if (ptx_is(in, "membar")) {
        read_membar(w, in);
    } else {
        w->row = find_row(w, in, a);
        if (w->row) take_parts(w, in, a);
    }
    ptx_words_check(w, in, a);
}
