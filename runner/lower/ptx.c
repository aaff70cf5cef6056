#include "lower/ptx.h"

#include <string.h>

#include "litmus/name.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

const struct token *ptx_take(struct instruction *in, const char *word) {
    for (int i = 1; i < in->n; i++) {
        if (strcmp(in->words[i]->text, word) != 0) continue;
        in->used[i] = true;
        return in->words[i];
    }
    return NULL;
}

static enum scope take_scope(struct instruction *in) {
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++)
        if (ptx_take(in, scope_ptx(s))) return s;
    return SCOPE_NONE;
}

/* A type may follow any opcode. In a table, integers of 32 bits are signed whatever it says. */
static void take_type(struct column *c, struct instruction *in) {
    struct parser *p = &c->p;
    c->type = type_int;
    c->memory = false;
    in->lanes = ptx_take(in, "v2") ? 2 : ptx_take(in, "v4") ? 4 : 1;
    for (int i = 1; i < in->n && !in->type; i++) {
        const struct token *word = in->words[i];
        struct type type;
        if (!type_find_ptx(word->text, &type)) continue;
        in->type = word;
        in->used[i] = true;
        c->type = type;
        if (!c->block && type.real)
            parse_error(p, word->pos, "not supported yet: '.%s' in a table", word->text);
    }
    bool plain = c->type.bits == 32 && in->lanes == 1;
    if (!c->block && c->type.bits == 32) c->type = type_int;
    if (!c->block) c->type.lanes = (uint8_t)in->lanes;
    c->typed = c->block || !plain;
}

bool ptx_is_type(const struct instruction *in, const char *letters) {
    return in->type && strchr(letters, in->type->text[0]);
}

void ptx_need_sign(struct column *c, const struct instruction *in, const char *what) {
    if (!c->typed && in->type && strcmp(in->type->text, "s32") != 0)
        parse_error(&c->p, in->type->pos, "'%s.%s' is not supported: values are signed 32-bit integers", what,
                    in->type->text);
}

/* The order that the opcode names, one of these (1 << order each); else `none`. */
static enum order take_order(struct instruction *in, unsigned orders, enum order none) {
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++)
        if (orders >> o & 1 && ptx_take(in, order_name(o))) return o;
    return none;
}

static void check_words(struct parser *p, const struct instruction *in) {
    for (int i = 1; i < in->n; i++) {
        const struct token *word = in->words[i];
        if (in->used[i]) continue;
        parse_complain(p, word->pos, "unexpected '.%s' in '%s'%s", word->text, in->words[0]->text,
                       ptx_hint_at_word(in, word->text));
        return;
    }
}

/* Where a scope is missing: behind the opcode, or at a word that may have been meant. */
static void need_scope(struct parser *p, const struct instruction *in, enum scope scope, const char *what) {
    if (scope != SCOPE_NONE) return;
    for (int i = 1; i < in->n; i++)
        if (!in->used[i])
            parse_error(p, in->words[i]->pos,
                        "%s needs a scope, and '.%s' is none: .cta, .cluster, .gpu or .sys", what,
                        in->words[i]->text);
    parse_error(p, in->words[in->n - 1]->after, "%s needs a scope: .cta, .cluster, .gpu or .sys", what);
}

void ptx_say(struct column *c, struct pos pos, const char *text) {
    const struct diag *d = c->p.diag;
    for (size_t i = 0; i < d->n; i++)
        if (d->messages[i].source == c->p.source && strcmp(d->messages[i].text, text) == 0) return;
    if (!c->p.panic) diag_warning(c->p.diag, c->p.source, pos, "%s", text);
}

bool ptx_at_end(const struct parser *p) {
    return parse_peek(p) == TOK_END || parse_peek(p) == ';';
}

/* ---- memory ---- */

/* The spaces of an asm statement are taken by asm_address(). */
static void take_space(struct column *c, struct instruction *in) {
    static const char *const spaces[] = {"global", "shared", "shared::cta", "shared::cluster"};
    for (size_t i = 0; i < COUNT_OF(spaces) && !c->block && !in->space; i++)
        in->space = ptx_take(in, spaces[i]);
}

/* .mmio forbids to merge and to repeat an access, and is of system scope. */
static void take_mmio(struct column *c, struct instruction *in, const struct op *op) {
    const struct token *mmio = ptx_take(in, "mmio");
    if (!mmio) return;
    if (op->scope != SCOPE_SYS || op->order == ORDER_WEAK || op->order == ORDER_VOLATILE)
        parse_error(&c->p, mmio->pos, "'.mmio' needs an order and system scope: %s.mmio.relaxed.sys",
                    in->words[0]->text);
    else
        ptx_say(c, mmio->pos, "'.mmio' changes nothing to the model, and is left out where the test runs");
}

/* .weak, .volatile, or .relaxed and the like with a scope; nothing is weak. */
static void take_strength(struct column *c, struct instruction *in, const char *strong, enum order order,
                          struct op *op) {
    op->order = ORDER_WEAK;
    take_space(c, in);
    if (ptx_take(in, "weak")) return;
    if (ptx_take(in, "volatile")) {
        op->order = ORDER_VOLATILE;
        return;
    }
    bool relaxed = ptx_take(in, "relaxed");
    if (!relaxed && !ptx_take(in, strong)) return;
    op->order = relaxed ? ORDER_RELAXED : order;
    op->scope = take_scope(in);
    need_scope(&c->p, in, op->scope,
               relaxed                  ? "'.relaxed'"
               : order == ORDER_ACQUIRE ? "'.acquire'"
                                        : "'.release'");
}

/* ld.weak.cg and the like: of a weak access only. */
static void take_cache(struct instruction *in, struct op *op) {
    for (enum op_name name = 0; name < OP_COUNT && op->order == ORDER_WEAK; name++) {
        const struct op_row *row = &op_rows[name];
        if (row->kind == op->kind && row->cache && ptx_take(in, row->cache)) op->name = name;
    }
}

/* ld r, 1 and ld r, r1, which are no loads in Dartagnan's grammar, but what mov is. */
static void read_moved(struct column *c, int reg, struct pos pos) {
    ptx_say(c, pos, "this 'ld' names no location: it is read as 'mov', as Dartagnan has it");
    struct stmt *s = stmt_add(&c->p, STMT_SET, pos);
    s->reg = reg;
    s->value = ptx_value(c);
}

/* The register of .L2::cache_hint, which says what the cache should do. */
static void read_policy(struct column *c, const struct instruction *in) {
    if (!in->hint || !parse_accept(&c->p, ',')) return;
    if (c->block)
        ptx_value(c);
    else if (parse_accept(&c->p, '%') || parse_peek(&c->p) == TOK_NAME)
        parse_expect(&c->p, TOK_NAME, "a register");
}

static void read_load(struct column *c, struct instruction *in) {
    struct op op = op_make(LOAD_PLAIN, in->words[0]->pos);
    take_strength(c, in, "acquire", ORDER_ACQUIRE, &op);
    take_mmio(c, in, &op);
    take_cache(in, &op);
    struct asm_targets to = ptx_targets(c);
    ptx_comma(c);
    if (!c->block && ptx_at_value(c)) {
        read_moved(c, to.regs[0], op.pos);
        return;
    }
    ptx_place(c, in, &op);
    read_policy(c, in);
    ptx_add_result(c, op, &to);
}

static void read_store(struct column *c, struct instruction *in) {
    struct op op = op_make(STORE_PLAIN, in->words[0]->pos);
    take_strength(c, in, "release", ORDER_RELEASE, &op);
    take_mmio(c, in, &op);
    take_cache(in, &op);
    ptx_place(c, in, &op);
    ptx_comma(c);
    op.value = ptx_value(c);
    read_policy(c, in);
    stmt_add_op(&c->p, op);
}

/* The word of an atomic operation in an opcode. An early grammar has `plus` and `minus`. */
static bool take_word(struct instruction *in, const struct op_row *row) {
    return ptx_take(in, row->word) || (row->name == RMW_ADD && ptx_take(in, "plus")) ||
           (row->name == RMW_SUB && ptx_take(in, "minus"));
}

static void take_function(struct column *c, struct instruction *in, struct op *op) {
    for (enum op_name name = 0; name < OP_COUNT; name++) {
        const struct op_row *row = &op_rows[name];
        if (row->kind != OP_RMW || !take_word(in, row)) continue;
        if (op->red && (row->types == TYPES_SWAP || row->types == TYPES_COMPARED))
            parse_error(&c->p, in->words[0]->pos, "PTX has no red.%s", row->word);
        op->name = name;
        if (row->types == TYPES_ORDERED) ptx_need_sign(c, in, row->word);
        return;
    }
    parse_error(&c->p, in->words[0]->after,
                "expected an operation: .add, .exch, .cas, .min, .max, .and, .or, .xor, ...");
}

/* The destination `_` of an atom: nobody reads its result (PTX ISA, "atom"). */
static bool take_sink(struct column *c) {
    const struct token *t = c->p.tok;
    if (t->kind != TOK_NAME || strcmp(t->text, "_") != 0) return false;
    parse_next(&c->p);
    ptx_comma(c);
    return true;
}

/* atom.order.scope.op r, x, v and red.order.scope.op x, v; relaxed and .gpu where they are not written. */
static void read_rmw(struct column *c, struct instruction *in) {
    struct parser *p = &c->p;
    struct op op = op_make(RMW_ADD, in->words[0]->pos);
    op.red = strcmp(in->words[0]->text, "red") == 0;
    bool result = !op.red;
    unsigned orders = op_rows[RMW_ADD].orders;
    if (op.red && c->block) orders &= 1u << ORDER_RELAXED | 1u << ORDER_RELEASE; /* PTX ISA, "red" */
    op.order = take_order(in, orders, ORDER_RELAXED);
    /* A red that acquires is none of PTX. Dartagnan's grammar has it: an atom whose result is not used. */
    if (op.red && op.order != ORDER_RELAXED && op.order != ORDER_RELEASE) {
        ptx_say(c, op.pos,
                "PTX has no 'red' that acquires: it is read as an 'atom' whose result nobody reads, as "
                "Dartagnan has it");
        op.red = false;
    }
    take_space(c, in);
    op.scope = take_scope(in);
    if (op.scope == SCOPE_NONE) op.scope = SCOPE_GPU;
    take_function(c, in, &op);
    struct asm_targets to = {0};
    result = result && !take_sink(c);
    if (result) {
        to = ptx_targets(c);
        ptx_comma(c);
    }
    ptx_place(c, in, &op);
    ptx_comma(c);
    if (op.name == RMW_CAS) {
        op.expected = ptx_value(c);
        ptx_comma(c);
    }
    op.value = ptx_value(c);
    if (!result && !op.red) op.dst = body_temporary(p, op.pos, op.type);
    if (result)
        ptx_add_result(c, op, &to);
    else
        stmt_add_op(p, op);
}

/* ---- fences ---- */

static void read_fence(struct column *c, struct instruction *in) {
    struct op op = op_make(FENCE_THREAD, in->words[0]->pos);
    op.order = take_order(in, op_rows[FENCE_THREAD].orders, ORDER_ACQ_REL);
    op.scope = take_scope(in);
    need_scope(&c->p, in, op.scope, "a fence");
    stmt_add_op(&c->p, op);
}

/* PTX ISA, "membar": a synonym for fence.sc. */
static void read_membar(struct column *c, struct instruction *in) {
    struct op op = op_make(FENCE_THREAD, in->words[0]->pos);
    op.order = ORDER_SC;
    op.scope = ptx_take(in, "gl")    ? SCOPE_GPU
               : ptx_take(in, "cta") ? SCOPE_CTA
               : ptx_take(in, "sys") ? SCOPE_SYS
                                     : SCOPE_NONE;
    if (op.scope == SCOPE_NONE) parse_error(&c->p, in->words[0]->after, "a membar is .cta, .gl or .sys");
    stmt_add_op(&c->p, op);
}

int ptx_number(struct column *c, const char *what, int max) {
    struct parser *p = &c->p;
    const struct token *t = p->tok;
    if (c->block) return asm_number(c, what, max);
    if (!parse_expect(p, TOK_INT, what)) return 0;
    int n = parse_bits(p, t, false);
    if (n >= 0 && n <= max) return n;
    parse_complain(p, t->pos, "%s is too large: at most %d", t->text, max);
    return 0;
}

/* ---- asynchronous copies ---- */

/* What a table copies to is in shared memory, which a table has no other way to say. */
static void read_copied(struct column *c, struct instruction *in, struct op *op) {
    struct parser *p = &c->p;
    bool all = ptx_take(in, "ca"), global = !all && ptx_take(in, "cg");
    bool shared = ptx_take(in, "shared") || (c->block && ptx_take(in, "shared::cta"));
    if ((!all && !global) || !shared || !ptx_take(in, "global"))
        parse_error(p, in->words[0]->after,
                    "expected cp.async.ca.shared.global or cp.async.cg.shared.global");
    struct place to = ptx_copied_place(c, true);
    ptx_comma(c);
    struct place from = ptx_copied_place(c, false);
    ptx_comma(c);
    op->place[0].loc = to.loc;
    op->place[0].index = to.index;
    op->place[1].loc = from.loc;
    op->place[1].index = from.index;
    op->bytes = ptx_number(c, "a number of bytes", 16);
    if (p->panic) return;
    if (global && op->bytes != 16)
        parse_complain(p, op->pos, "cp.async.cg copies 16 bytes, not %d", op->bytes);
    if (!c->block) p->test->locs[op->place[0].loc].space = SPACE_SHARED;
    copy_check(p, op, op->pos);
}

/* cp.async.ca.shared.global x, y, bytes, cp.async.commit_group, cp.async.wait_group n, cp.async.wait_all. */
static void read_async(struct column *c, struct instruction *in) {
    if (!ptx_take(in, "async")) parse_error(&c->p, in->words[0]->after, "expected '.async'");
    enum op_name name = ptx_take(in, "commit_group") ? COPY_COMMIT
                        : ptx_take(in, "wait_all")   ? COPY_WAIT_ALL
                        : ptx_take(in, "wait_group") ? COPY_WAIT
                                                     : COPY_ASYNC;
    struct op op = op_make(name, in->words[0]->pos);
    if (name == COPY_WAIT) op.pending = ptx_number(c, "a number of groups", OP_MAX_GROUPS);
    if (name == COPY_ASYNC) read_copied(c, in, &op);
    if (op.place[0].loc >= 0) op.type = c->p.test->locs[op.place[0].loc].type;
    stmt_add_op(&c->p, op);
}

/* ---- cells ---- */

static const struct {
    const char *name;
    void (*read)(struct column *c, struct instruction *in);
    bool table_only;
} opcodes[] = {
    {"ld", read_load, false},          {"st", read_store, false},
    {"atom", read_rmw, false},         {"red", read_rmw, false},
    {"cp", read_async, false},         {"fence", read_fence, false},
    {"membar", read_membar, false},    {"bar", ptx_barrier, false},
    {"barrier", ptx_barrier, false},   {"mov", ptx_move, false},
    {"not", ptx_unary, false},         {"neg", ptx_unary, false},
    {"setp", ptx_setp, false},         {"selp", ptx_select, false},
    {"add", ptx_arithmetic, false},    {"sub", ptx_arithmetic, false},
    {"mul", ptx_arithmetic, false},    {"div", ptx_arithmetic, false},
    {"rem", ptx_arithmetic, false},    {"and", ptx_arithmetic, false},
    {"or", ptx_arithmetic, false},     {"xor", ptx_arithmetic, false},
    {"min", ptx_extreme, false},       {"max", ptx_extreme, false},
    {"shl", ptx_shift, false},         {"shr", ptx_shift, false},
    {"cvt", ptx_convert, false},       {"nanosleep", ptx_sleep, false},
    {"shfl", ptx_shuffle, false},      {"vote", ptx_vote, false},
    {"match", ptx_match, false},       {"redux", ptx_reduce, false},
    {"prefetch", ptx_prefetch, false}, {"griddepcontrol", ptx_dependence, false},
    {"trap", ptx_trap, false},         {"goto", ptx_goto, true},
    {"bra", ptx_goto, false},          {"exit", ptx_exit, true},
    {"ret", ptx_exit, true},           {"beq", ptx_branch, true},
    {"bne", ptx_branch, true},         {"blt", ptx_branch, true},
    {"ble", ptx_branch, true},         {"bgt", ptx_branch, true},
    {"bge", ptx_branch, true},         {"activemask", ptx_active, false},
};

/* The entry of `opcodes` that the current token names, or -1: it is none, which is reported. */
static int find_opcode(struct column *c) {
    struct parser *p = &c->p;
    const char *names[COUNT_OF(opcodes)];
    const struct token *t = p->tok;
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(opcodes); i++) {
        if (c->block && opcodes[i].table_only) continue;
        names[n++] = opcodes[i].name;
        if (token_is_word(t, opcodes[i].name)) return (int)i;
    }
    if (t->kind == TOK_NAME && !ptx_refuse_opcode(p, t))
        parse_error(p, t->pos, "unknown instruction '%s'%s", t->text,
                    name_suggest(p->arena, t->text, names, n));
    parse_expect(p, TOK_NAME, "an instruction");
    return -1;
}

/* shared::cta, L2::128B */
static const struct token *join_word(struct parser *p, const struct token *t) {
    struct token *word = arena_alloc(p->arena, sizeof *word);
    parse_next(p);
    parse_expect(p, ':', "':'");
    const struct token *part = p->tok;
    *word = *t;
    if (!parse_expect(p, TOK_NAME, "a word behind '::'")) return t;
    word->text = arena_printf(p->arena, "%s::%s", t->text, part->text);
    word->pos.len = part->pos.col + part->pos.len - t->pos.col;
    word->after = part->after;
    return word;
}

/* .L1::evict_last and its like say where a copy of the data pays, and change no promise. */
static void take_hints(struct instruction *in) {
    for (int i = 1; i < in->n; i++) {
        const char *word = in->words[i]->text;
        if (strncmp(word, "L1::", 4) == 0 || strncmp(word, "L2::", 4) == 0) in->used[i] = true;
        if (strcmp(word, "L2::cache_hint") == 0) in->hint = true;
    }
}

void ptx_instruction(struct column *c) {
    struct parser *p = &c->p;
    struct instruction in = {0};
    int opcode = find_opcode(c);
    if (opcode < 0) return;
    do {
        const struct token *t = p->tok;
        if (!parse_expect(p, TOK_NAME, "a word of the opcode")) return;
        if (parse_peek(p) == ':') t = join_word(p, t);
        if (in.n == MAX_WORDS) parse_error(p, t->pos, "this opcode is too long");
        if (in.n < MAX_WORDS) in.words[in.n++] = t;
    } while (parse_accept(p, '.'));
    ptx_refuse_words(p, &in);
    if (p->panic) return;
    take_hints(&in);
    take_type(c, &in);
    opcodes[opcode].read(c, &in);
    check_words(p, &in);
    if (!ptx_at_end(p)) parse_error(p, p->tok->pos, "unexpected '%s'", p->tok->text);
}

/* @p instruction, @!p instruction: an if, or the condition of a branch. */
static void read_predicated(struct column *c) {
    struct parser *p = &c->p;
    const struct token *t = parse_next(p);
    bool negated = parse_accept(p, '!');
    struct expr *value = c->block ? asm_predicate(c) : ptx_read_register(c);
    if (p->panic) return;
    if (negated) value = expr_new(p, EXPR_NOT, t->pos, value, NULL);
    struct stmts old = stmts_capture(p);
    ptx_instruction(c);
    struct stmts guarded = stmts_restore(p, old);
    if (p->panic || !guarded.first) return;
    if (guarded.first->kind == STMT_GOTO && !guarded.first->value) {
        guarded.first->value = value;
        stmts_append(p, guarded);
    } else if (guarded.first->kind == STMT_GOTO) {
        parse_error(p, t->pos, "a branch that compares cannot have a predicate, too");
    } else {
        struct stmt *s = stmt_add(p, STMT_IF, t->pos);
        s->value = value;
        s->body = guarded.first;
    }
}

void ptx_statement(struct column *c) {
    if (parse_peek(&c->p) == '@')
        read_predicated(c);
    else
        ptx_instruction(c);
}

void ptx_cell(struct column *c, const struct snippet *cell) {
    struct parser *p = &c->p;
    p->panic = false;
    p->tok = p->first = lex(p->arena, p->source, cell, p->diag);
    while (p->tok->kind == TOK_NAME && p->tok[1].kind == ':')
        ptx_label(c);
    if (p->tok->kind != TOK_END) ptx_statement(c);
}

/* ---- the column as a whole ---- */

void ptx_start(struct column *c, struct arena *a, struct test *t, struct body *body, struct diag *d) {
    c->p = (struct parser){.arena = a, .source = &t->source, .diag = d, .test = t, .body = body};
}

/* Whether a register has no initial value yet; complains when it has. */
static bool check_initial(struct column *c, const struct token *reg) {
    struct parser *p = &c->p;
    bool twice = ptx_alias_of(c, reg->text) != NULL;
    for (int i = 0; i < c->ninitials; i++)
        twice = twice || strcmp(p->body->regs[c->initials[i].reg].name, reg->text) == 0;
    if (twice) parse_complain(p, reg->pos, "register '%s' has two initial values", reg->text);
    return !twice;
}

void ptx_initial(struct column *c, const struct token *reg, struct type type, bool typed,
                 struct value value) {
    if (!check_initial(c, reg)) return;
    c->type = type;
    int r = ptx_find_register(c, reg);
    if (c->p.panic) return;
    c->initials = arena_more(c->p.arena, c->initials, (size_t)c->ninitials, sizeof *c->initials);
    c->initials[c->ninitials++] = (struct initial){r, type, value, typed, reg->pos};
}

void ptx_alias(struct column *c, const struct token *reg, int loc) {
    if (!check_initial(c, reg)) return;
    if (find_location(c->p.test, reg->text) >= 0)
        parse_complain(&c->p, reg->pos, "expected a register: '%s' is a location", reg->text);
    else
        ptx_set_alias(c, reg, (struct alias){.reg = reg->text, .loc = loc});
}

/* Puts initial values before the first statement. Registers are 0 anyway: only one that nothing else writes
 * needs a statement for that. */
static void set_initials(struct column *c) {
    struct parser *p = &c->p;
    for (int i = c->ninitials - 1; i >= 0; i--) {
        struct initial *initial = &c->initials[i];
        struct type type = p->body->regs[initial->reg].type;
        if (value_is_zero(initial->value) && stmt_sets(p->out.first, initial->reg)) continue;
        if (initial->type.bits > type.bits)
            parse_complain(p, initial->pos, "the initial value of '%s' does not fit into %d bits",
                           p->body->regs[initial->reg].name, type.bits);
        struct stmts rest = stmts_capture(p);
        struct stmt *s = stmt_add(p, STMT_SET, initial->pos);
        s->reg = initial->reg;
        s->value = expr_int(p, initial->pos, 0);
        s->value->type = initial->type;
        s->value->value = initial->value;
        s->value = expr_cast(p, s->value, type);
        stmts_append(p, rest);
    }
}

void ptx_finish(struct column *c, bool good) {
    struct parser *p = &c->p;
    size_t errors = p->diag->errors;
    p->panic = false;
    ptx_finish_labels(c, p->body->name);
    set_initials(c);
    p->body->first = p->out.first;
    if (p->diag->errors != errors) return;
    if (good) body_check_written(p, true);
    ptx_check_ends(c, p->body->name);
}
