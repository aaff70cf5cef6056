#include "paths/code.h"

#include <limits.h>

#include "logic/prunings.h"
#include "logic/rel.h"
#include "paths/faint.h"

struct coder {
    struct arena *arena;
    struct code *code;
    int cap;
    int *labels;          /* label -> pc */
    int *breaks, nbreaks; /* jumps that wait for the end of the innermost loop */
    int *continues, ncontinues;
    int loop_breaks, loop_continues; /* where those of the innermost loop begin */
};

static int emit(struct coder *c, enum ins_kind kind, const struct stmt *s) {
    struct code *code = c->code;
    if (code->nins == c->cap) {
        int cap = c->cap ? 2 * c->cap : 32;
        code->ins = arena_grow(c->arena, code->ins, (size_t)code->nins, (size_t)cap, sizeof *code->ins);
        c->breaks = arena_grow(c->arena, c->breaks, (size_t)c->nbreaks, (size_t)cap, sizeof *c->breaks);
        c->continues =
            arena_grow(c->arena, c->continues, (size_t)c->ncontinues, (size_t)cap, sizeof *c->continues);
        c->cap = cap;
    }
    code->ins[code->nins] = (struct ins){.kind = kind, .stmt = s, .target = -1};
    return code->nins++;
}

static void patch(struct coder *c, const int *jumps, int *n, int from, int target) {
    for (int k = from; k < *n; k++)
        c->code->ins[jumps[k]].target = target;
    *n = from;
}

static void emit_list(struct coder *c, const struct stmt *s);

static void emit_if(struct coder *c, const struct stmt *s) {
    int skip = emit(c, INS_BRANCH, s);
    emit_list(c, s->body);
    if (s->orelse) {
        int end = emit(c, INS_JUMP, s);
        c->code->ins[skip].target = c->code->nins;
        emit_list(c, s->orelse);
        c->code->ins[end].target = c->code->nins;
    } else {
        c->code->ins[skip].target = c->code->nins;
    }
}

static void emit_loop(struct coder *c, const struct stmt *s) {
    int outer_breaks = c->loop_breaks, outer_continues = c->loop_continues;
    c->loop_breaks = c->nbreaks;
    c->loop_continues = c->ncontinues;
    int head = c->code->nins;
    if (s->body && s->body->kind == STMT_LOOP) { /* which must not begin at the same place */
        emit(c, INS_JUMP, s);
        c->code->ins[head].target = c->code->nins;
    }
    emit_list(c, s->body);
    patch(c, c->continues, &c->ncontinues, c->loop_continues, c->code->nins);
    emit_list(c, s->step);
    int back = emit(c, INS_JUMP, s);
    c->code->ins[back].target = head;
    patch(c, c->breaks, &c->nbreaks, c->loop_breaks, c->code->nins);
    c->loop_breaks = outer_breaks;
    c->loop_continues = outer_continues;
}

static void emit_stmt(struct coder *c, const struct stmt *s) {
    switch (s->kind) {
    case STMT_SET: emit(c, INS_SET, s); break;
    case STMT_OP: emit(c, INS_OP, s); break;
    case STMT_IF: emit_if(c, s); break;
    case STMT_LOOP: emit_loop(c, s); break;
    case STMT_BREAK: {
        int jump = emit(c, INS_JUMP, s);
        c->breaks[c->nbreaks++] = jump;
        break;
    }
    case STMT_CONTINUE: {
        int jump = emit(c, INS_JUMP, s);
        c->continues[c->ncontinues++] = jump;
        break;
    }
    case STMT_LABEL: c->labels[s->label] = c->code->nins; break;
    case STMT_GOTO: {
        int jump = emit(c, s->value ? INS_BRANCH : INS_JUMP, s);
        c->code->ins[jump].when = true;
        break; /* the label may come later */
    }
    }
}

static void emit_list(struct coder *c, const struct stmt *s) {
    for (; s; s = s->next)
        emit_stmt(c, s);
}

static void resolve_labels(struct coder *c) {
    for (int pc = 0; pc < c->code->nins; pc++) {
        struct ins *i = &c->code->ins[pc];
        if (i->stmt && i->stmt->kind == STMT_GOTO) i->target = c->labels[i->stmt->label];
    }
}

int code_successors(const struct code *code, int pc, int out[2]) {
    const struct ins *i = &code->ins[pc];
    int n = 0;
    if (i->kind == INS_BRANCH || i->kind == INS_JUMP) out[n++] = i->target;
    if (i->kind != INS_JUMP && i->kind != INS_END) out[n++] = pc + 1;
    return n;
}

/* Liveness */

static void add_uses(const struct expr *e, uint64_t *set) {
    if (!e) return;
    if (e->kind == EXPR_REG) set_add(set, e->index);
    add_uses(e->a, set);
    add_uses(e->b, set);
    add_uses(e->c, set);
}

/* What an instruction reads, and the register it sets or -1. */
static int uses_and_sets(const struct ins *i, uint64_t *uses) {
    const struct expr *operands[OP_OPERANDS];
    switch (i->kind) {
    case INS_SET: add_uses(i->stmt->value, uses); return i->stmt->reg;
    case INS_BRANCH: add_uses(i->stmt->value, uses); return -1;
    case INS_OP:
        op_operands(i->stmt->op, operands);
        for (int k = 0; k < OP_OPERANDS; k++)
            add_uses(operands[k], uses);
        return i->stmt->op->dst;
    default: return -1;
    }
}

/* Updates the live registers before one instruction. True when there are more than before. */
static bool add_live(struct code *code, int pc, uint64_t *live, uint64_t *scratch) {
    size_t words = (size_t)code->reg_words;
    memset(scratch, 0, 2 * words * sizeof *scratch);
    uint64_t *after = scratch, *uses = scratch + words;
    int next[2], n = code_successors(code, pc, next);
    for (int k = 0; k < n; k++)
        bits_or(after, live + (size_t)next[k] * words, words);
    int set = uses_and_sets(&code->ins[pc], uses);
    if (set >= 0) set_remove(after, set);
    bits_or(after, uses, words);
    uint64_t *mine = live + (size_t)pc * words;
    bits_or(after, mine, words);
    if (bits_equal(after, mine, words)) return false;
    memcpy(mine, after, words * sizeof *mine);
    return true;
}

static void find_live(struct code *code, const uint64_t *observed, unsigned without, struct arena *a) {
    size_t words = (size_t)code->reg_words;
    uint64_t *live = arena_array(a, (size_t)code->nins * words, sizeof *live);
    uint64_t *scratch = arena_array(a, 2 * words, sizeof *scratch);
    bits_or(live + (size_t)(code->nins - 1) * words, observed, words);
    for (bool changed = true; changed;) {
        changed = false;
        for (int pc = code->nins - 1; pc >= 0; pc--)
            changed |= add_live(code, pc, live, scratch);
    }
    const uint64_t *faint = prunes(without, PRUNE_FAINT) ? faint_find(code, observed, a) : NULL;
    for (int pc = 0; pc < code->nins; pc++) {
        uint64_t *mine = live + (size_t)pc * words;
        for (size_t w = 0; faint && w < words; w++)
            mine[w] &= ~faint[w];
        code->ins[pc].live = mine;
    }
}

/* Loops */

static struct code_loop *loop_at(struct code *code, int first) {
    for (int k = 0; k < code->nloops; k++)
        if (code->loops[k].first == first) return &code->loops[k];
    return NULL;
}

/* Finds the branches of a loop that decide whether there is another turn: only one of their ways can come back to the
 * head within the loop. */
static void find_leaves(struct code *code, struct code_loop *loop, struct arena *a) {
    int n = loop->last - loop->first + 1, next[2];
    bool *returns = arena_array(a, (size_t)n, sizeof *returns);
    bool *leaves = arena_array(a, (size_t)n, sizeof *leaves);
    for (bool changed = true; changed;) {
        changed = false;
        for (int pc = loop->last; pc >= loop->first; pc--) {
            int k = code_successors(code, pc, next);
            while (k-- > 0 && !returns[pc - loop->first]) {
                bool inside = next[k] >= loop->first && next[k] <= loop->last;
                if (!inside || (next[k] != loop->first && !returns[next[k] - loop->first])) continue;
                returns[pc - loop->first] = changed = true;
            }
        }
    }
    for (int pc = loop->first; pc <= loop->last; pc++) {
        int ways = 0, k = code_successors(code, pc, next), total = k;
        while (k-- > 0) {
            bool inside = next[k] >= loop->first && next[k] <= loop->last;
            ways += inside && (next[k] == loop->first || returns[next[k] - loop->first]);
        }
        leaves[pc - loop->first] = total == 2 && ways == 1;
    }
    loop->leaves = leaves;
    loop->returns = returns;
}

static bool is_endless(const struct code *code, const struct code_loop *loop) {
    int next[2];
    for (int pc = loop->first; pc <= loop->last; pc++)
        for (int k = code_successors(code, pc, next); k-- > 0;)
            if (next[k] < loop->first || next[k] > loop->last) return false;
    return true;
}

bool code_is_on_all_turns(const struct code *code, const struct code_loop *loop, int place, struct arena *a) {
    int n = loop->last - loop->first + 1, next[2], nopen = 0;
    bool *seen = arena_array(a, (size_t)n, sizeof *seen);
    int *open = arena_array(a, (size_t)n, sizeof *open);
    if (place == loop->first) return true;
    open[nopen++] = loop->first;
    while (nopen > 0) {
        int k = code_successors(code, open[--nopen], next);
        while (k-- > 0) {
            if (next[k] == loop->first) return false;
            if (next[k] < loop->first || next[k] > loop->last || next[k] == place) continue;
            if (seen[next[k] - loop->first]) continue;
            seen[next[k] - loop->first] = true;
            open[nopen++] = next[k];
        }
    }
    return true;
}

/* Adds the registers from which those of a set are computed in a loop. */
static void add_sources(const struct code *code, const struct code_loop *loop, uint64_t *set,
                        struct arena *a) {
    size_t words = (size_t)code->reg_words;
    uint64_t *before = arena_array(a, words, sizeof *before);
    do {
        memcpy(before, set, words * sizeof *before);
        for (int pc = loop->first; pc <= loop->last; pc++)
            if (code->ins[pc].kind == INS_SET && set_has(set, code->ins[pc].stmt->reg))
                uses_and_sets(&code->ins[pc], set);
    } while (!bits_equal(before, set, words));
}

/* The registers on which it depends whether a loop has another turn. */
static const uint64_t *find_deciding(const struct code *code, const struct code_loop *loop, struct arena *a) {
    uint64_t *deciding = arena_array(a, (size_t)code->reg_words, sizeof *deciding);
    for (int pc = loop->first; pc <= loop->last; pc++)
        if (loop->leaves[pc - loop->first]) uses_and_sets(&code->ins[pc], deciding);
    add_sources(code, loop, deciding, a);
    return deciding;
}

/* The registers that decide which way a turn goes, and what it accesses. */
static const uint64_t *find_steering(const struct code *code, const struct code_loop *loop, struct arena *a) {
    uint64_t *steering = arena_array(a, (size_t)code->reg_words, sizeof *steering);
    for (int pc = loop->first; pc <= loop->last; pc++)
        if (code->ins[pc].kind != INS_SET) uses_and_sets(&code->ins[pc], steering);
    add_sources(code, loop, steering, a);
    return steering;
}

static bool is_in_inner_loop(const struct code *code, const struct code_loop *loop, int pc) {
    for (int k = 0; k < code->nloops; k++) {
        const struct code_loop *other = &code->loops[k];
        bool inner = other->first > loop->first && other->last <= loop->last;
        if (inner && pc >= other->first && pc <= other->last) return true;
    }
    return false;
}

int code_sets(const struct ins *i) {
    return i->kind == INS_SET ? i->stmt->reg : i->kind == INS_OP ? i->stmt->op->dst : -1;
}

/* In longer loops, turns are compared at the head alone. */
enum { MAX_LOOKED = 1000 };

static void look_at_turns(const struct code *code, struct code_loop *loop, struct arena *a) {
    const uint64_t *deciding = find_deciding(code, loop, a);
    int fewest = INT_MAX;
    loop->steering = find_steering(code, loop, a);
    loop->look = loop->first;
    loop->varies = loop->last - loop->first > MAX_LOOKED;
    for (int pc = loop->first; pc <= loop->last && !(loop->last - loop->first > MAX_LOOKED); pc++) {
        const struct ins *i = &code->ins[pc];
        bool all = code_is_on_all_turns(code, loop, pc, a);
        int set = code_sets(i), live = bits_count(i->live, (size_t)code->reg_words);
        if (set >= 0 && set_has(deciding, set) && (i->kind == INS_OP || !all)) loop->varies = true;
        if (!all || live >= fewest || is_in_inner_loop(code, loop, pc)) continue;
        fewest = live;
        loop->look = pc;
    }
}

static void find_loops(struct code *code, struct arena *a) {
    code->loops = arena_array(a, (size_t)code->nins, sizeof *code->loops);
    for (int pc = 0; pc < code->nins; pc++) {
        const struct ins *i = &code->ins[pc];
        if ((i->kind != INS_JUMP && i->kind != INS_BRANCH) || i->target > pc) continue;
        struct code_loop *loop = loop_at(code, i->target);
        if (!loop) {
            loop = &code->loops[code->nloops++];
            loop->first = i->target;
        }
        loop->last = pc;
        loop->stmt = i->stmt;
    }
    for (int k = 0; k < code->nloops; k++)
        find_leaves(code, &code->loops[k], a);
    for (int k = 0; k < code->nloops; k++)
        code->loops[k].endless = is_endless(code, &code->loops[k]);
    for (int k = 0; k < code->nloops; k++)
        look_at_turns(code, &code->loops[k], a);
}

struct code *code_build(const struct body *body, const uint64_t *observed, unsigned without,
                        struct arena *a) {
    struct code *code = arena_alloc(a, sizeof *code);
    code->body = body;
    code->reg_words = (body->nregs + 63) / 64;
    struct coder c = {.arena = a, .code = code, .labels = arena_array(a, (size_t)body->nlabels, sizeof(int))};
    emit_list(&c, body->first);
    emit(&c, INS_END, NULL);
    resolve_labels(&c);
    find_live(code, observed, without, a);
    find_loops(code, a);
    return code;
}
