/* Random programs whose threads meet. A program is written as text and as code at once. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../random.h"
#include "meet.h"

/* A text that grows, and its code. */
struct writer {
    struct meet_program *p;
    int body; /* 0: of the lanes; 1: of the other thread */
    int depth, indent;
    int left; /* statements */
};

static const char *const call_names[MEET_CALLS] = {
    [CALL_ANY] = "__any_sync",
    [CALL_ALL] = "__all_sync",
    [CALL_UNI] = "__uni_sync",
    [CALL_BALLOT] = "__ballot_sync",
    [CALL_MATCH_ANY] = "__match_any_sync",
    [CALL_MATCH_ALL] = "__match_all_sync",
    [CALL_ADD] = "__reduce_add_sync",
    [CALL_MIN] = "__reduce_min_sync",
    [CALL_AND] = "__reduce_and_sync",
    [CALL_SHUFFLE] = "__shfl_sync",
    [CALL_SYNC] = "__syncwarp",
    [CALL_BLOCK_COUNT] = "__syncthreads_count",
    [CALL_BLOCK_AND] = "__syncthreads_and",
    [CALL_BLOCK_OR] = "__syncthreads_or",
    [CALL_BLOCK_SYNC] = "__syncthreads",
};

void meet_random_seed(uint64_t to) {
    seed = to;
}

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...) {
    char *text = w->p->text[w->body];
    size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, sizeof w->p->text[0] - n, format, args);
    va_end(args);
}

static void begin_line(struct writer *w) {
    put(w, "%*s", 6 + 2 * w->indent, "");
}

static int emit(struct writer *w, struct meet_ins i) {
    int at = w->p->n[w->body]++;
    w->p->code[w->body][at] = i;
    return at;
}

/* The registers are r0, r1 and r2; the last is for what loops and branches look at. */
static struct meet_value random_value(bool lanes) {
    static const char ops[] = {0, 0, '=', '!', '+', '&'};
    struct meet_value v = {.of = pick(4)            ? VALUE_REG
                                 : pick(2) && lanes ? VALUE_TID
                                                    : VALUE_CONSTANT,
                           .number = pick(3),
                           .op = ops[pick(6)],
                           .constant = 1 + pick(2)};
    if (v.of == VALUE_CONSTANT) v.op = 0;
    return v;
}

static void put_value(struct writer *w, const struct meet_value *v) {
    static const char *const names[128] = {['='] = "==", ['!'] = "!=", ['+'] = "+", ['&'] = "&"};
    if (v->op) put(w, "(");
    put(w, v->of == VALUE_TID ? "tid" : v->of == VALUE_REG ? "r%d" : "%d", v->number);
    if (v->op) put(w, " %s %d)", names[(int)v->op], v->constant);
}

static void write_set(struct writer *w, struct meet_ins i) {
    begin_line(w);
    if (i.kind == MEET_LOAD) put(w, "r%d = %c;\n", i.reg, 'X' + i.loc);
    if (i.kind == MEET_ADD) put(w, "r%d = atomicAdd(&%c, 1);\n", i.reg, 'X' + i.loc);
    if (i.kind == MEET_STORE) put(w, "%c = ", 'X' + i.loc);
    if (i.kind == MEET_SET) put(w, "r%d = ", i.reg);
    if (i.kind == MEET_STORE || i.kind == MEET_SET) {
        put_value(w, &i.value);
        put(w, ";\n");
    }
    emit(w, i);
}

static bool is_of_block(enum meet_call call) {
    return call >= CALL_BLOCK_COUNT;
}

static bool has_result(enum meet_call call) {
    return call != CALL_SYNC && call != CALL_BLOCK_SYNC;
}

/* The text of a call. */
static void put_call(struct writer *w, const struct meet_ins *i) {
    put(w, "%s(", call_names[i->call]);
    if (!is_of_block(i->call)) put(w, "0x%x%s", i->lanes, has_result(i->call) ? ", " : "");
    if (has_result(i->call)) put_value(w, &i->value);
    if (i->call == CALL_SHUFFLE) put(w, ", %d", i->from);
    if (i->call == CALL_MATCH_ALL) put(w, ", &p");
    put(w, ")");
}

static struct meet_ins random_call(const struct writer *w) {
    unsigned all = (1u << w->p->lanes) - 1;
    struct meet_ins i = {.kind = MEET_JOIN,
                         .reg = pick(MEET_REGS),
                         .call = (enum meet_call)pick(pick(4) ? CALL_BLOCK_COUNT : MEET_CALLS),
                         .lanes = pick(3) ? all : 1 + (unsigned)pick((int)all),
                         .value = random_value(true)};
    i.from = pick(w->p->lanes);
    return i;
}

static void write_sync(struct writer *w, const struct meet_ins *i) {
    if (!w->p->synced || is_of_block(i->call) || i->call == CALL_SYNC) return;
    struct meet_ins sync = {.kind = MEET_JOIN, .call = CALL_SYNC, .lanes = i->lanes};
    put_call(w, &sync);
    put(w, "; ");
    emit(w, sync);
}

/* A lane that the mask leaves out may not come: the tool refuses it. So a partial mask has its branch. */
static void write_call(struct writer *w) {
    struct meet_ins i = random_call(w);
    unsigned all = (1u << w->p->lanes) - 1;
    int skip = -1;
    if (i.call == CALL_SHUFFLE && !(i.lanes >> i.from & 1)) i.lanes = all;
    if (is_of_block(i.call)) i.lanes = all;
    begin_line(w);
    if (i.lanes != all) {
        put(w, "if (0x%x >> tid & 1) { ", i.lanes);
        skip = emit(w, (struct meet_ins){.kind = MEET_BRANCH, .lanes = i.lanes});
    }
    write_sync(w, &i);
    if (has_result(i.call)) put(w, "r%d = ", i.reg);
    put_call(w, &i);
    put(w, skip >= 0 ? "; }\n" : ";\n");
    emit(w, i);
    if (skip >= 0) w->p->code[w->body][skip].target = w->p->n[w->body];
}

static void write_block(struct writer *w, int statements);

static void write_if(struct writer *w) {
    struct meet_value v = random_value(true);
    begin_line(w);
    put(w, "if (");
    put_value(w, &v);
    put(w, ") {\n");
    int skip = emit(w, (struct meet_ins){.kind = MEET_BRANCH, .value = v});
    if (pick(3) == 0) {
        begin_line(w);
        put(w, "  return;\n");
        emit(w, (struct meet_ins){.kind = MEET_END});
    } else {
        write_block(w, 1 + pick(2));
    }
    begin_line(w);
    put(w, "}\n");
    w->p->code[w->body][skip].target = w->p->n[w->body];
}

/* A vote on what was read, into a register. */
static void write_vote(struct writer *w, enum meet_call call, int from, int to) {
    struct meet_ins i = {.kind = MEET_JOIN, .reg = to, .call = call, .lanes = (1u << w->p->lanes) - 1};
    i.from = pick(w->p->lanes);
    i.value = (struct meet_value){VALUE_REG, from, pick(2) ? '=' : '!', pick(2)};
    begin_line(w);
    write_sync(w, &i);
    put(w, "r%d = ", to);
    put_call(w, &i);
    put(w, ";\n");
    emit(w, i);
}

/* What a loop looks at: a result, also in part, or now and then something else. */
static struct meet_value random_condition(enum meet_call call, int result) {
    struct meet_value v = {VALUE_REG, pick(5) ? result : pick(MEET_REGS), 0, 0};
    if (call == CALL_BALLOT || call == CALL_BLOCK_COUNT || pick(4) == 0) {
        v.op = "&=!"[pick(3)];
        v.constant = 1 + pick(3);
    }
    return v;
}

/* More of a turn: what goes on from turn to turn, another vote, or anything. */
static void write_more(struct writer *w, enum meet_call call) {
    int kind = pick(12), reg = pick(MEET_REGS);
    if (kind == 0) write_block(w, 1);
    if (kind == 1)
        write_set(w, (struct meet_ins){.kind = MEET_SET, .reg = reg, .value = {VALUE_REG, reg, '+', 1}});
    if (kind == 2) write_vote(w, call, pick(MEET_REGS), reg);
}

/* do { r = location; s = vote(r); } while (s); and now and then more. Returns the vote. */
static enum meet_call write_loop(struct writer *w) {
    static const enum meet_call calls[] = {
        CALL_ANY,     CALL_ALL,       CALL_BALLOT, CALL_BLOCK_AND,   CALL_BLOCK_OR, CALL_MATCH_ALL, CALL_AND,
        CALL_SHUFFLE, CALL_MATCH_ANY, CALL_ADD,    CALL_BLOCK_COUNT, CALL_MIN,      CALL_UNI};
    enum meet_call call = calls[pick(sizeof calls / sizeof *calls)];
    int reg = pick(MEET_REGS), head = w->p->n[w->body], result = pick(MEET_REGS);
    begin_line(w);
    put(w, "do {\n");
    w->indent++;
    write_more(w, call);
    write_set(w, (struct meet_ins){.kind = pick(12) ? MEET_LOAD : MEET_ADD, .reg = reg, .loc = pick(2)});
    write_more(w, call);
    write_vote(w, call, reg, result);
    w->indent--;
    struct meet_value v = random_condition(call, result);
    begin_line(w);
    put(w, "} while (");
    put_value(w, &v);
    put(w, ");\n");
    int skip = emit(w, (struct meet_ins){.kind = MEET_BRANCH, .value = v});
    emit(w, (struct meet_ins){.kind = MEET_JUMP, .target = head});
    w->p->code[w->body][skip].target = w->p->n[w->body];
    return call;
}

static void write_statement(struct writer *w) {
    int kind = pick(10);
    if (w->body == 0 && kind >= 7) {
        write_call(w);
    } else if (w->body == 0 && kind == 6 && w->depth < 2) {
        w->depth++;
        write_loop(w);
        w->depth--;
    } else if (kind == 5 && w->depth < 2) {
        w->depth++;
        w->indent++;
        write_if(w);
        w->indent--;
        w->depth--;
    } else {
        static const enum meet_kind kinds[] = {MEET_LOAD,  MEET_LOAD, MEET_STORE,
                                               MEET_STORE, MEET_ADD,  MEET_SET};
        write_set(w, (struct meet_ins){.kind = kinds[pick(6)],
                                       .reg = pick(MEET_REGS),
                                       .loc = pick(MEET_LOCS),
                                       .value = random_value(w->body == 0)});
    }
}

static void write_block(struct writer *w, int statements) {
    w->indent++;
    for (; statements > 0 && w->left > 0; statements--, w->left--)
        write_statement(w);
    w->indent--;
}

/* A poll, something before it, and behind it perhaps another vote, of all or some. */
static void write_poll(struct writer *w) {
    write_block(w, pick(2));
    w->indent++;
    enum meet_call call = write_loop(w);
    if (pick(3) == 0) write_block(w, 1);
    if (pick(3) == 0) {
        bool some = pick(2);
        struct meet_value v = random_value(true);
        begin_line(w);
        if (some) put(w, "if (");
        if (some) put_value(w, &v);
        put(w, some ? ") {\n" : "\n");
        int skip = some ? emit(w, (struct meet_ins){.kind = MEET_BRANCH, .value = v}) : -1;
        write_vote(w, call, pick(MEET_REGS), pick(MEET_REGS));
        begin_line(w);
        put(w, some ? "}\n" : "\n");
        if (some) w->p->code[w->body][skip].target = w->p->n[w->body];
    }
    w->indent--;
}

static void write_body(struct meet_program *p, int body, int statements, bool polls) {
    struct writer w = {.p = p, .body = body, .left = statements, .indent = -1};
    if (polls)
        write_poll(&w);
    else
        write_block(&w, statements);
    emit(&w, (struct meet_ins){.kind = MEET_END});
}

void meet_random(struct meet_program *p) {
    bool polls = pick(2);
    *p = (struct meet_program){.lanes = 2 + (pick(3) == 0)};
    p->nthreads = p->lanes + (pick(4) > 0);
    p->synced = pick(2);
    write_body(p, 0, polls ? 4 : 2 + pick(p->lanes == 2 ? 5 : 3), polls);
    write_body(p, 1, 1 + pick(2), false);
    for (int t = 0; t < p->nthreads; t++)
        for (int r = 0; r < MEET_REGS; r++)
            p->observed[t][r] = pick(3) == 0;
}

void meet_print(const struct meet_program *p, struct text *out) {
    static const char *const places[] = {"T[0].T[1]", "T[0].T[1].T[2]"};
    bool other = p->nthreads > p->lanes;
    text_printf(out, "name: meet\nmemory: {X: 0, Y: 0}\naccess: volatile\nplacements: [\"%s%s\"]\nthreads:\n",
                places[p->lanes - 2], other ? " | U" : "");
    for (int b = 0; b <= other; b++)
        text_printf(out, "  %s:\n    count: %d\n    body: |\n      int r0 = 0, r1 = 0, r2 = 0, p = 0;\n%s",
                    b ? "U" : "T", b ? 1 : p->lanes, p->text[b]);
    text_add(out, "exists: ");
    for (int t = 0; t < p->nthreads; t++)
        for (int r = 0; r < MEET_REGS; r++)
            if (p->observed[t][r]) {
                if (t < p->lanes)
                    text_printf(out, "T[%d].r%d == 77 && ", t, r);
                else
                    text_printf(out, "U[0].r%d == 77 && ", r);
            }
    text_add(out, "X == 77 && Y == 77\n");
}
