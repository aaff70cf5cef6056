#include "check/strength.h"

#include <string.h>

#include "check/machine.h"
#include "check/waits.h"
#include "litmus/op_ptx.h"

/* ---- PTX ---- */

/* Returns the opcode without type and state space, with order and scope first: so it is the same whoever
 * wrote the words in whichever order. */
static const char *name_of(struct arena *a, const struct ptx_instruction *in, const struct ptx_words *w) {
    const char *order = order_name(w->order), *scope = w->scope ? scope_ptx(w->scope) : "";
    struct text out = {0};
    text_add(&out, in->words[0].text);
    if (ptx_find_word(in, order) > 0) text_printf(&out, ".%s", order);
    if (*scope && ptx_find_word(in, scope) > 0) text_printf(&out, ".%s", scope);
    for (int k = 1; k < in->nwords; k++) {
        const struct ptx_word *word = &in->words[k];
        if (word == w->type_word || word == w->space || ptx_is_word(word, order) || ptx_is_word(word, scope))
            continue;
        text_printf(&out, ".%s", word->text);
    }
    const char *name = arena_strdup(a, out.s);
    text_free(&out);
    return name;
}

static bool is_one_of(const struct ptx_instruction *in, const char *const *opcodes) {
    while (*opcodes && !ptx_is(in, *opcodes))
        opcodes++;
    return *opcodes;
}
static const char *const probed[] = {"ld", "st", "atom", "red", "fence", "membar", NULL},
                         *const others[] = {"call", "cp", "multimem", "mbarrier", "bar", "barrier", NULL};

/* Whether it accesses memory of the thread alone: parameters or locals. */
static bool is_private(const struct ptx_instruction *in) {
    return ptx_find_word(in, "param") > 0 || ptx_find_word(in, "local") > 0;
}

static void add_step(struct arena *a, struct strength_code *out, const struct ptx_instruction *in) {
    struct ptx_words w = ptx_words_of(in);
    op_ptx_read(&w, in, a);
    bool known = w.row && (w.row->kind == OP_LOAD || w.row->kind == OP_STORE || w.row->kind == OP_RMW ||
                           w.row->kind == OP_FENCE);
    if (!known || w.problem) {
        out->unknown = in->words[0].text;
        return;
    }
    struct strength is = {w.order, w.order == ORDER_VOLATILE ? SCOPE_SYS : w.scope};
    if (w.order == ORDER_WEAK) is.scope = SCOPE_NONE;
    out->steps = arena_more(a, out->steps, (size_t)out->n, sizeof *out->steps);
    out->steps[out->n++] =
        (struct strength_step){w.row, is, w.space ? w.space->text : "", name_of(a, in, &w)};
}

static bool is_weak_store(const struct strength_step *s) {
    return s->row->kind == OP_STORE && s->is.order == ORDER_WEAK;
}

/* Drops the kernel's own accesses. */
static void drop_own(struct strength_code *code, const struct probe *p) {
    if (p->returns && code->n && is_weak_store(&code->steps[code->n - 1])) code->n--;
    if (p->row->kind != OP_FENCE || code->n < 2) return;
    code->steps++;
    code->n -= 2;
}

struct strength_code strength_read(struct arena *a, const struct ptx_code *code, int begin, int end,
                                   const struct probe *p) {
    struct strength_code out = {0};
    for (int k = begin; k < end; k++) {
        const struct ptx_instruction *in = code->statements[k].instruction;
        if (code->statements[k].kind != PTX_INSTRUCTION) continue;
        if (ptx_is(in, "bra") && in->noperands) {
            int to = ptx_find_label(code, k, in->operands[0].text);
            out.loops = out.loops || (to >= 0 && to < k);
        }
        if (is_one_of(in, others)) out.unknown = in->words[0].text;
        if (is_one_of(in, probed) && !is_private(in)) add_step(a, &out, in);
    }
    drop_own(&out, p);
    return out;
}

const char *strength_words(struct arena *a, const struct strength_code *code, bool spaces) {
    const char *words = "";
    for (int k = 0; k < code->n; k++) {
        const struct strength_step *s = &code->steps[k];
        bool named = spaces && *s->space;
        words = arena_printf(a, "%s%s%s%s%s", words, k ? "; " : "", s->name, named ? "." : "",
                             named ? s->space : "");
    }
    return code->loops ? arena_printf(a, "%s, in a loop", words) : words;
}

/* ---- is the PTX as strong as what was asked for? ---- */

static bool acquires(enum order o) {
    return o == ORDER_ACQUIRE || o == ORDER_ACQ_REL || o == ORDER_SC;
}

static bool releases(enum order o) {
    return o == ORDER_RELEASE || o == ORDER_ACQ_REL || o == ORDER_SC;
}

static bool is_fence(const struct strength_step *s) {
    return s->row->kind == OP_FENCE;
}

/* Whether a fence at least as strong stands among steps `from` up to `to`. */
static bool has_fence(const struct strength_code *code, int from, int to, enum order least,
                      enum scope scope) {
    for (int k = from; k < to; k++) {
        const struct strength_step *s = &code->steps[k];
        if (!is_fence(s) || s->is.scope < scope) continue;
        bool enough = least == ORDER_SC        ? s->is.order == ORDER_SC
                      : least == ORDER_ACQ_REL ? acquires(s->is.order) && releases(s->is.order)
                      : least == ORDER_ACQUIRE ? acquires(s->is.order)
                                               : releases(s->is.order);
        if (enough) return true;
    }
    return false;
}

static enum touch touch_of(const struct op_row *row) {
    return op_kinds[row->kind].touches[0];
}

/* Returns what an access in step k lacks; NULL: nothing. In a loop every access belongs to the operation that
 * was asked for. */
static const char *access_lacks(struct arena *a, const struct strength_code *code, int k,
                                const struct probe *p) {
    const struct strength_step *s = &code->steps[k];
    enum order asked = p->asked.order;
    enum scope scope = p->asked.scope;
    enum touch touches = touch_of(s->row) & touch_of(p->row);
    if (asked == ORDER_WEAK) return NULL;
    if (s->is.order == ORDER_WEAK || s->is.scope < scope)
        return arena_printf(a, "'%s' is not strong at %s scope", s->name, scope_ptx(scope));
    bool acquired = acquires(s->is.order) || has_fence(code, k + 1, code->n, ORDER_ACQUIRE, scope);
    bool released = releases(s->is.order) || has_fence(code, 0, k, ORDER_RELEASE, scope);
    bool first_of_loop = code->loops && s->row->kind == OP_LOAD && p->row->kind == OP_RMW;
    if (acquires(asked) && touches & TOUCH_READS && !acquired && !first_of_loop)
        return arena_printf(a, "'%s' does not acquire", s->name);
    if (releases(asked) && touches & TOUCH_WRITES && !released)
        return arena_printf(a, "'%s' does not release", s->name);
    if (asked == ORDER_SC && !first_of_loop && !has_fence(code, 0, k, ORDER_SC, scope))
        return arena_printf(a, "no fence.sc of %s scope stands before '%s'", scope_ptx(scope), s->name);
    return NULL;
}

const char *strength_lacks(struct arena *a, const struct strength_code *code, const struct probe *p) {
    enum touch touches = TOUCH_NOTHING;
    if (code->unknown) return arena_printf(a, "'%s' is not understood", code->unknown);
    if (p->row->kind == OP_FENCE)
        return has_fence(code, 0, code->n, p->asked.order, p->asked.scope) ? NULL : "no fence is as strong";
    for (int k = 0; k < code->n; k++) {
        const char *why = is_fence(&code->steps[k]) ? NULL : access_lacks(a, code, k, p);
        if (why) return why;
        touches |= touch_of(code->steps[k].row);
    }
    return (touches & touch_of(p->row)) == touch_of(p->row) ? NULL : "there is no such access";
}

/* ---- is the machine code as strong as the PTX? ---- */

struct machine_steps {
    struct waits_step *list;
    int n;
};

/* Lists the instructions that access or order memory, with what each waits for. The store of the result is
 * left out; the accesses around a fence stay. */
static struct machine_steps steps_of(struct arena *a, const struct probe *p,
                                     const struct sass_kernel *kernel) {
    struct machine_steps out = {arena_array(a, (size_t)kernel->n + 1, sizeof *out.list), 0};
    struct waits_step next = {0};
    for (int k = 0; k < kernel->n; k++) {
        const struct sass_instruction *code = &kernel->code[k];
        bool access = machine_is_access(code->name);
        next.waits |= code->waits;
        next.all = next.all || code->waits == SASS_ALL;
        if (!access && !waits_is_step(code)) continue;
        next.code = code;
        next.access = access;
        if (out.n || access || strcmp(code->name, "NOP") != 0) out.list[out.n++] = next;
        next = (struct waits_step){0};
    }
    while (out.n && strcmp(out.list[out.n - 1].code->name, "NOP") == 0)
        out.n--; /* drop padding behind the end */
    const char *last = out.n ? out.list[out.n - 1].code->name : "";
    if (p->returns && sass_is_one_of("STG ST", last) && !machine_has_part(last, "STRONG")) out.n--;
    return out;
}

static bool is_membar(const char *name, bool sc, enum scope scope) {
    return sass_is_one_of("MEMBAR", name) && (!sc || machine_has_part(name, "SC")) &&
           machine_has_wide_scope(name, scope);
}

/* Whether one of steps `from` up to `to` is a MEMBAR of at least this strength. */
static bool has_membar(const struct machine_steps *m, int from, int to, bool sc, enum scope scope) {
    for (int k = from; k < to; k++)
        if (is_membar(m->list[k].code->name, sc, scope)) return true;
    return false;
}

/* Whether the first-level cache, which is not coherent, is invalidated behind step `from`
 * (docs/compilers.md). Block scope does not need that: a block has one such cache. */
static bool drops_cache(const struct machine_steps *m, int from, enum scope scope) {
    if (scope == SCOPE_CTA) return true;
    for (int k = from; k < m->n; k++)
        if (sass_is_one_of("CCTL", m->list[k].code->name) && machine_has_part(m->list[k].code->name, "IVALL"))
            return true;
    return false;
}

static bool is_shared(const char *name) {
    return sass_is_one_of("LDS STS ATOMS", name);
}

/* Whether a machine instruction is an access at least as strong as that of the PTX. */
static bool is_access_of(const struct strength_step *s, const char *name) {
    if (!sass_is_one_of(s->row->machine, name)) return false;
    if (s->is.order == ORDER_WEAK || is_shared(name)) return true;
    return machine_has_part(name, "STRONG") && machine_has_wide_scope(name, s->is.scope);
}

static const char *fence_lacks(struct arena *a, const struct machine_steps *m,
                               const struct strength_step *s) {
    bool only_acquires = s->is.order == ORDER_ACQUIRE;
    if (!only_acquires && !has_membar(m, 0, m->n, s->is.order == ORDER_SC, s->is.scope))
        return arena_printf(a, "no MEMBAR as strong as '%s'", s->name);
    if (s->is.order != ORDER_RELEASE && !drops_cache(m, 0, s->is.scope))
        return arena_printf(a, "no CCTL.IVALL for '%s'", s->name);
    return NULL;
}

/* Returns what the machine code lacks of an access, which must come at step *at or later; NULL: nothing.
 * Moves *at behind it. */
static const char *machine_lacks(struct arena *a, const struct machine_steps *m,
                                 const struct strength_step *s, int *at) {
    int k = *at;
    while (k < m->n && !is_access_of(s, m->list[k].code->name))
        k++;
    if (k == m->n) return arena_printf(a, "no instruction as strong as '%s'", s->name);
    bool shared = is_shared(m->list[k].code->name);
    if (releases(s->is.order) && !has_membar(m, 0, k, false, s->is.scope))
        return arena_printf(a, "no MEMBAR before that of '%s'", s->name);
    if (acquires(s->is.order) && !shared && !drops_cache(m, k + 1, s->is.scope))
        return arena_printf(a, "no CCTL.IVALL behind that of '%s'", s->name);
    *at = k + 1;
    return NULL;
}

struct strength_machine strength_machine_of(struct arena *a, const struct strength_code *code,
                                            const struct probe *p, const struct sass_kernel *kernel) {
    struct machine_steps m = steps_of(a, p, kernel);
    struct strength_machine out = {.words = waits_words(a, m.list, m.n)};
    for (int k = 0, at = 0; k < code->n && !out.lacks; k++)
        out.lacks = is_fence(&code->steps[k]) ? fence_lacks(a, &m, &code->steps[k])
                                              : machine_lacks(a, &m, &code->steps[k], &at);
    return out;
}
