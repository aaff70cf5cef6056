/* Names in generated code, and the words of a value. */
#include "gen/names.h"

#include <ctype.h>
#include <string.h>

/* Names in kernels/ that a register or location of the same name would hide from its body, sorted. One that
 * ends in '*' stands for all names that begin so. */
static const char *const kernel_names[] = {
#include "taken_names.inc"
};

/* Functions that the generator writes; functions of CUDA; macros of the standard headers and of old
 * compilers. */
static const char *const other_names[] = {"make_*",
                                          "barrier_of",
                                          "begin_instance",
                                          "end_instance",
                                          "text_of",
                                          "cluster_rank",
                                          "cluster_size",
                                          "cluster_step",
                                          "grid_index",
                                          "errno",
                                          "assert",
                                          "complex",
                                          "I",
                                          "stdin",
                                          "stdout",
                                          "stderr",
                                          "linux",
                                          "unix",
                                          "i386"};

/* An operation is called load_weak_3 or atom_add_relaxed_gpu_4: a word of its row or one of these, and a
 * number at the end. */
static const char *const operation_words[] = {"atom_", "reduce_", "accompany_"};

static bool begins(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

static bool is_of_operation(const char *name) {
    const char *number = strrchr(name, '_');
    if (!number || !isdigit((unsigned char)number[1]) || number[1 + strspn(number + 1, "0123456789")])
        return false;
    for (size_t i = 0; i < sizeof operation_words / sizeof *operation_words; i++)
        if (begins(name, operation_words[i])) return true;
    for (int row = 0; row < OP_COUNT; row++)
        if (op_rows[row].word && begins(name, op_rows[row].word)) return true;
    return false;
}

static bool is_among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t n = strcspn(names[i], "*");
        if (strncmp(name, names[i], n) == 0 && (names[i][n] || !name[n])) return true;
    }
    return false;
}

#define AMONG(name, names) is_among(name, names, sizeof(names) / sizeof *(names))

/* Whether a name is a call of the test format, "tid" or "count", or begins with '_' as the generator's own
 * names do. */
static bool means_something(const char *name) {
    const struct op_call *call;
    return *name == '_' || strcmp(name, "tid") == 0 || strcmp(name, "count") == 0 ||
           op_find_call(name, ANY_ARGUMENTS, &call);
}

static bool is_taken(const char *name) {
    return means_something(name) || AMONG(name, kernel_names) || AMONG(name, other_names) ||
           is_of_operation(name);
}

/* Whether the name may be a macro: it is in capitals and has more than one letter. */
static bool is_in_capitals(const char *name) {
    for (const char *s = name; *s; s++)
        if (islower((unsigned char)*s)) return false;
    return name[1] != '\0';
}

/* Whether the name behind a dot is that of a view, as "x" or "uint64_t_4", or another name without '_' and
 * without a dot. Then a '_' in place of the dot is unambiguous. */
static bool is_view(const char *name) {
    char word[16] = "";
    struct type type;
    bool known = false;
    for (size_t n = 0; n + 1 < sizeof word && name[n]; n++) {
        word[n] = name[n];
        known = known || ((name[n + 1] == '_' || !name[n + 1]) && type_find(word, &type));
    }
    return !strchr(name, '.') && (known || !strchr(name, '_'));
}

/* Writes a member's name: p.q.a becomes p_q_a__d1d3, where d1 and d3 say where the dots were. So it differs
 * from p.q_a, which becomes p_q_a__d1. */
static void print_member(struct text *out, const char *name, size_t length) {
    for (size_t k = 0; k < length; k++)
        text_printf(out, "%c", name[k] == '.' ? '_' : name[k]);
    text_add(out, "__");
    for (size_t k = 0; k < length; k++)
        if (name[k] == '.') text_printf(out, "d%zu", k);
}

void gen_name(struct text *out, const char *name) {
    bool hides = is_in_capitals(name) || is_taken(name);
    const char *lane = strchr(name, '.'); /* the view of an element of a vector, or a member of a struct */
    if (!lane)
        text_printf(out, "%s%s", name, hides ? "__" : "");
    else if (!is_view(lane + 1))
        print_member(out, name, strlen(name));
    else
        text_printf(out, "%.*s_%s__", (int)(lane - name), name, lane + 1);
}

/* Writes an element of an array of registers: r[1][2] becomes r__1_2, a name that no user can write. */
static void print_element(struct text *out, const char *name, const char *index) {
    if (memchr(name, '.', (size_t)(index - name)))
        print_member(out, name, (size_t)(index - name));
    else
        text_printf(out, "%.*s_", (int)(index - name), name);
    for (; *index; index++)
        if (*index != ']') text_printf(out, "%c", *index == '[' ? '_' : *index);
}

void gen_reg_name(struct text *out, const struct body *b, int reg) {
    const struct reg *r = &b->regs[reg];
    const char *index = strchr(r->name, '['); /* an element of an array of registers */
    if (r->temporary || strchr(r->name, '$'))
        text_printf(out, "_t%d", reg);
    else if (index)
        print_element(out, r->name, index);
    else
        gen_name(out, r->name);
}

const char *gen_player(enum dialect dialect) {
    return dialect == DIALECT_C ? "struct cpu_player" : "struct run";
}

const char *gen_grid_word(enum dialect dialect, enum expr_kind kind) {
    if (dialect == DIALECT_EMULATED) return kind == EXPR_BLOCK ? "_block" : "_thread";
    return kind == EXPR_BLOCK ? "blockIdx" : "threadIdx";
}

int gen_words(struct type t) {
    return (type_bytes(t) + 3) / 4;
}

/* Writes word number `word` of a vector: the lanes that lie in it, or half of a 64-bit lane. */
static void print_lane_word(struct text *out, struct type t, const char *name, int word) {
    int bits = t.bits == 1 ? 8 : t.bits, first = 32 * word / bits, n = bits < 32 ? 32 / bits : 1;
    for (int k = 0; k < n && first + k < t.lanes; k++) {
        text_printf(out, "%s", k ? " | " : "(int)(");
        if (t.real)
            text_printf(out, "bits_of%s(%s.%c)", expr_real_suffix(t), name, type_lane_name(first + k));
        else
            text_printf(out, "%s%s.%c",
                        bits == 8    ? "(uint8_t)"
                        : bits == 16 ? "(uint16_t)"
                        : bits == 32 ? "(unsigned)"
                                     : "(uint64_t)",
                        name, type_lane_name(first + k));
        if (bits == 64 ? word % 2 : k)
            text_printf(out, bits == 64 ? " >> %d" : " << %d", bits == 64 ? 32 : bits * k);
    }
    text_add(out, ")");
}

void gen_word(struct text *out, struct type t, const char *name, int word) {
    if (type_is_vector(t))
        print_lane_word(out, t, name, word);
    else if (type_same(t, type_int))
        text_add(out, name);
    else if (type_same(t, type_float))
        text_printf(out, "(int)bits_of(%s)", name);
    else if (t.real)
        text_printf(out, "(int)(bits_of%s(%s) >> %d)", expr_real_suffix(t), name, 32 * word);
    else if (t.bits > 32)
        text_printf(out, "(int)((%s)%s >> %d)", t.bits == 64 ? "uint64_t" : "unsigned __int128", name,
                    32 * word);
    else
        text_printf(out, "(int)%s", name);
}

bool gen_body_uses(const struct test *t, const struct body *b, int l) {
    for (int k = 1; k <= t->nops; k++)
        if (t->ops[k].body == b && op_uses(&t->ops[k], l)) return true;
    return false;
}

bool gen_reg_observed(const struct test *t, const struct body *b, int reg) {
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->threads[t->obs[o].thread].body == b && t->obs[o].reg == reg) return true;
    return false;
}

int gen_first_word(const struct test *t, int observable) {
    int n = 0;
    for (int o = 0; o < observable; o++)
        n += gen_words(t->obs[o].type);
    return n;
}

void gen_field(struct text *out, const char *of, const struct location *l) {
    text_add(out, of);
    gen_name(out, l->name);
}
