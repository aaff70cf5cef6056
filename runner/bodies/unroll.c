/* A `for` over arrays of registers: its turns are lowered one after the other, so that in each its counters are
 * numbers, which an index can be. */
#include <string.h>

#include "bodies/bodies.h"

enum { MAX_COUNTERS = 8, MAX_TURNS = 4096, MAX_DEPTH = 4, MAX_WORDS = 20000 };

/* ---- texts ---- */

/* What is behind the bracket that closes the one at t. */
static const struct token *skip_pair(const struct token *t, int open, int close) {
    int depth = 0;
    if (t->kind != open) return t;
    for (; t->kind != TOK_END; t++) {
        depth += (t->kind == open) - (t->kind == close);
        if (depth == 0) return t + 1;
    }
    return t;
}

/* ---- which loops need it ---- */

struct counted_loop {
    int counters[MAX_COUNTERS], ncounters; /* the registers that the head sets */
    const struct token *body, *end;
    const struct tree *tree;
};

/* The head of the `for` within the body that counts by this name, from its bracket on; NULL: there is none. */
static const struct token *find_head(const struct counted_loop *s, const char *name) {
    for (const struct token *t = s->body; t < s->end; t++) {
        if (!token_is_word(t, "for")) continue;
        for (const struct token *k = t + 1; k < s->end && k->kind != ';'; k++)
            if (token_is_word(k, name) && k[1].kind == '=') return t + 1;
    }
    return NULL;
}

/* Whether a name within an index is a counter, or follows from one: it comes from within the body, or counts there in a
 * `for` whose head names a counter. */
static bool is_counted(const struct parser *p, const struct counted_loop *s, const struct token *t,
                       int depth) {
    int reg = t->kind == TOK_NAME ? body_find(p, t->text) : -1;
    for (int k = 0; k < s->ncounters; k++)
        if (reg == s->counters[k]) return true;
    bool unknown = reg < 0 && t->kind == TOK_NAME && find_location(p->test, t->text) < 0;
    if (!unknown || reference_find(p, t->text)) return false;
    const struct token *head = find_head(s, t->text);
    bool counted = !head;
    for (const struct token *k = head; head && !counted && depth < MAX_DEPTH && k < skip_pair(head, '(', ')');
         k++)
        counted = !token_is_word(k, t->text) && !parse_type_begins(p, k) && is_counted(p, s, k, depth + 1);
    return counted;
}

/* Whether the ')' at t is behind the address of a register, or of one that the body declares: ((int *)&r)[i] */
static bool ends_register(const struct parser *p, const struct counted_loop *s, const struct token *t) {
    const struct token *last = t;
    for (int depth = 0; t > s->body; t--) {
        depth += (t->kind == ')') - (t->kind == '(');
        if (depth == 0) break;
    }
    for (; t < last; t++)
        if (registers_find(p, t) ||
            (t->kind == '&' && t[1].kind == TOK_NAME && find_location(p->test, t[1].text) < 0 &&
             (!reference_find(p, t[1].text) || registers_find(p, t + 1))))
            return true;
    return false;
}

/* Whether an index means an element of an array of registers, or a part of a register, which must be known. */
static bool is_of_registers(const struct parser *p, const struct counted_loop *s, const struct token *t) {
    if (t->kind == ')') return ends_register(p, s, t);
    if (t->kind != TOK_NAME || find_location(p->test, t->text) >= 0) return false;
    return !reference_find(p, t->text) || registers_find(p, t);
}

/* Whether an array of registers, or one that the body declares, has an index by a counter. */
static bool has_counted_index(const struct parser *p, const struct counted_loop *s) {
    for (const struct token *t = s->body; t < s->end; t++) {
        if (t[1].kind != '[' || !is_of_registers(p, s, t)) continue;
        for (const struct token *from = t + 1, *to; from < s->end && from->kind == '['; from = to) {
            to = skip_pair(from, '[', ']');
            for (const struct token *k = from; k < to; k++)
                if (is_counted(p, s, k, 0)) return true;
        }
    }
    return false;
}

static bool add_counters(struct counted_loop *s, const struct stmt *head) {
    for (; head; head = head->next) {
        if (head->kind != STMT_SET || s->ncounters == MAX_COUNTERS) return false;
        s->counters[s->ncounters++] = head->reg;
    }
    return true;
}

/* ---- turns ---- */

/* Follows what a head sets, where that is known. */
static void follow(struct parser *p, const struct stmt *set) {
    for (; set; set = set->next)
        body_keep_number(p, set->reg, set->value);
}

static bool goes_on(const struct parser *p, const struct expr *value) {
    struct value number;
    return !p->panic && body_number(p, value, &number) && value_is_true(value->type, number);
}

/* While a turn is read, nothing else sets a counter. */
static void hold_counters(struct parser *p, const struct counted_loop *s, bool hold) {
    for (int k = 0; k < s->ncounters; k++)
        p->locals[s->counters[k]].counts = hold && p->locals[s->counters[k]].has_number;
}

/* What a list has of this loop's own jumps. */
struct turn_jumps {
    struct stmt *first_break, *first_continue, *in_switch;
};

static void find_jumps(struct stmt *s, bool in_switch, struct turn_jumps *j) {
    for (; s; s = s->next) {
        bool leaves = s->kind == STMT_BREAK && !s->returns && !s->leaves && !in_switch;
        if (leaves && !j->first_break) j->first_break = s;
        if (s->kind == STMT_CONTINUE && !s->leaves && in_switch) j->in_switch = s;
        if (s->kind == STMT_CONTINUE && !s->leaves && !in_switch && !j->first_continue) j->first_continue = s;
        if (s->kind == STMT_LOOP && !s->of_switch) continue;
        find_jumps(s->body, in_switch || s->kind == STMT_LOOP, j);
        find_jumps(s->orelse, in_switch, j);
    }
}

/* In a loop of one turn that is read as a switch, a `continue` leaves that loop, and a `break` the one around. */
static void swap_jumps(struct stmt *s) {
    for (; s; s = s->next) {
        if (s->leaves) continue;
        if (s->kind == STMT_CONTINUE)
            s->kind = STMT_BREAK;
        else if (s->kind == STMT_BREAK && !s->returns)
            s->kind = STMT_CONTINUE;
        if (s->kind == STMT_LOOP) continue;
        swap_jumps(s->body);
        swap_jumps(s->orelse);
    }
}

/* Adds a turn; whether it may leave the whole loop. */
static bool add_turn(struct parser *p, struct stmts turn, struct pos pos) {
    struct turn_jumps j = {NULL, NULL, NULL};
    find_jumps(turn.first, false, &j);
    if (j.in_switch)
        parse_complain(p, j.in_switch->pos,
                       "'continue' in a switch is not supported yet in a loop over an array of registers");
    struct stmts before = j.first_continue ? stmts_capture(p) : p->out;
    if (j.first_continue) swap_jumps(turn.first);
    stmts_append(p, turn);
    if (j.first_continue) statement_add_once(p, before, pos)->of_switch = true;
    return j.first_break != NULL;
}

/* Lowers the body once more. What it warns of was said in the first turn. */
static struct stmts lower_turn(struct parser *p, const struct counted_loop *s, bool first) {
    struct diag later = {0}, *diag = p->diag;
    if (!first) p->diag = &later;
    hold_counters(p, s, true);
    struct stmts turn = statement_turn(p, s->tree);
    hold_counters(p, s, false);
    p->diag = diag;
    if (later.errors > 0) diag_join(diag, &later);
    diag_free(&later);
    return turn;
}

/* Adds all turns; whether one may leave the whole loop. */
static bool lower_turns(struct parser *p, const struct counted_loop *s, const struct for_head *head,
                        struct pos pos) {
    size_t errors = p->diag->errors;
    bool leaves = false, first = true;
    while (p->diag->errors == errors && goes_on(p, head->value)) {
        if (++p->unrolled > MAX_TURNS) {
            parse_complain(p, pos, "loops over arrays of registers take at most %d turns in a thread",
                           MAX_TURNS);
            break;
        }
        struct stmts turn = lower_turn(p, s, first);
        first = false;
        leaves = add_turn(p, turn, pos) || leaves;
        if (p->panic) break;
        struct stmts before = stmts_capture(p);
        if (head->tree->d) statement_lower(p, head->tree->d);
        struct stmts step = stmts_restore(p, before);
        follow(p, step.first);
        stmts_append(p, step);
    }
    return leaves;
}

/* All turns; in a loop of one turn, whose `continue` leaves it as well, where something leaves them. */
static void lower_whole(struct parser *p, const struct counted_loop *s, const struct for_head *head,
                        struct pos pos) {
    struct stmts before = stmts_capture(p);
    if (!lower_turns(p, s, head, pos)) {
        struct stmts all = stmts_restore(p, before);
        stmts_append(p, all);
        return;
    }
    struct stmt *loop = statement_add_once(p, before, pos);
    before = stmts_capture(p);
    stmt_add(p, STMT_BREAK, pos);
    loop->step = stmts_restore(p, before).first;
}

bool turns_lower(struct parser *p, const struct stmt *init, const struct for_head *head, struct pos pos) {
    struct counted_loop s = {.ncounters = 0};
    struct value number;
    if (p->panic || !head->value || head->reads.first) return false;
    if (!add_counters(&s, init) || !add_counters(&s, head->step.first)) return false;
    s.tree = head->tree->b;
    s.body = s.tree->first;
    s.end = s.tree->end;
    if (s.end - s.body > MAX_WORDS || !has_counted_index(p, &s)) return false;
    follow(p, init);
    bool known = body_number(p, head->value, &number);
    if (known) lower_whole(p, &s, head, pos);
    for (int k = 0; k < s.ncounters; k++)
        p->locals[s.counters[k]].has_number = false;
    return known;
}

/* ---- the number of turns, by running the head before the test runs ---- */

/* Which registers of a `for` head have a value that is known before the test runs. */
struct head {
    bool *known;
    struct value *values;
};

static bool is_known(const struct head *h, const struct expr *e) {
    if (!e) return true;
    if (e->kind == EXPR_REG) return h->known[e->index];
    if (expr_is_of_cell(e)) return false;
    return is_known(h, e->a) && is_known(h, e->b) && is_known(h, e->c);
}

static void run_sets(struct head *h, const struct stmt *s, const struct expr_env *env) {
    for (; s; s = s->next)
        if (s->kind == STMT_SET && h->known[s->reg]) h->values[s->reg] = expr_eval(s->value, env);
}

/* Marks the registers that the head sets from what is known. */
static void find_known(struct head *h, const struct stmt *init) {
    for (const struct stmt *s = init; s; s = s->next)
        if (s->kind == STMT_SET) h->known[s->reg] = is_known(h, s->value);
}

/* Forgets the value of a register that something else writes, too. */
static bool forget_written(const struct stmt *s, void *ctx) {
    struct head *h = ctx;
    if (s->kind == STMT_SET) h->known[s->reg] = false;
    if (s->kind == STMT_OP && s->op->dst >= 0) h->known[s->op->dst] = false;
    return true;
}

static void forget_unknown_steps(struct head *h, const struct stmt *step) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const struct stmt *s = step; s; s = s->next)
            if (s->kind == STMT_SET && h->known[s->reg] && !is_known(h, s->value)) {
                h->known[s->reg] = false;
                changed = true;
            }
    }
}

int for_count_trips(struct parser *p, const struct stmt *init, const struct expr *value,
                    const struct stmt *body, const struct stmt *step) {
    size_t n = (size_t)p->body->nregs;
    struct head h = {arena_array(p->arena, n, sizeof(bool)), arena_array(p->arena, n, sizeof(struct value))};
    for (size_t k = 0; k < n; k++) {
        h.known[k] = p->locals[k].has_number;
        h.values[k] = p->known[k];
    }
    find_known(&h, init);
    stmt_walk(body, forget_written, &h);
    for (const struct stmt *s = step; s; s = s->next)
        if (s->kind != STMT_SET) forget_written(s, &h);
    forget_unknown_steps(&h, step);
    if (!is_known(&h, value)) return FOR_UNKNOWN;
    int most = 0;
    for (int tid = 0; tid < p->body->count; tid++) {
        struct expr_env env = body_env(p->body, tid);
        env.regs = h.values;
        int trips = 0;
        for (run_sets(&h, init, &env); expr_is_true(value, &env); run_sets(&h, step, &env))
            if (++trips > FOR_MAX_TRIPS || ++p->turns > FOR_MAX_TURNS) return FOR_TOO_MANY;
        if (trips > most) most = trips;
    }
    return most;
}
