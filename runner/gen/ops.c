/* Writes a test's operations as functions of one instruction each, from the patterns of the operation's
 * row. */
#include "gen/ops.h"

#include <string.h>

#include "gen/names.h"

struct definition {
    struct text *out;
    const struct test *t;
    const struct op *op;
    const struct op_row *row;
    struct strength s;
    enum dialect dialect;
    /* the first place is in shared memory; each block has one, and this is the thread's own */
    bool shared, own;
    bool afar; /* it is another block's of the cluster */
    bool source_shared;
    bool allotted;    /* the barrier is allotted (meeting.h) */
    bool leaves;      /* threads pass the barrier unequally often (meeting.h) */
    bool accompanies; /* the function is for companions */
};

bool gen_op_takes_run(const struct op *op) {
    return !op_rows[op->name].orders;
}

bool gen_is_cuda(enum dialect dialect) {
    return dialect == DIALECT_CUDA || dialect == DIALECT_OUTLINE;
}

static bool is_scoped(struct strength s) {
    return s.order != ORDER_WEAK && s.order != ORDER_VOLATILE;
}

struct strength gen_strength(const struct test *t, const struct cell *cell, const struct op *op,
                             enum dialect dialect) {
    struct strength s = op_strength(t, cell, op);
    if (dialect == DIALECT_C && s.scope != SCOPE_NONE) s.scope = SCOPE_SYS;
    return s;
}

bool gen_op_is_absent(const struct cell *cell, const struct op *op, enum dialect dialect) {
    return !op_is_there(cell, op) && dialect != DIALECT_OUTLINE;
}

void gen_op_name(struct text *out, const struct op *op, struct strength s, enum dialect dialect) {
    const struct op_row *row = &op_rows[op->name];
    bool open = !row->orders || dialect == DIALECT_OUTLINE;
    text_printf(out, "%s%s", op->kind == OP_RMW ? "atom_" : "", row->word);
    if (!open) text_printf(out, "_%s", order_name(s.order));
    if (!open && is_scoped(s)) text_printf(out, "_%s", scope_ptx(s.scope));
    text_printf(out, "_%d", op->number);
}

bool gen_op_takes_barrier(const struct op *op) {
    return op_kinds[op->kind].meets && op->barrier == BARRIER_CTA;
}

static bool has_result(const struct op *op) {
    return op_kinds[op->kind].returns && !op->red;
}

static struct type result_type(const struct op *op) {
    return op->kind == OP_EXCHANGE || op_kinds[op->kind].mbarrier ? op->result : op->type;
}

/* In C a float is passed and stored as its bits. */
static bool is_given_real(const struct definition *d) {
    return !gen_is_cuda(d->dialect) && d->op->type.real && d->op->type.lanes == 1;
}

/* Writes the head of the function, such as "static ROLE int load_weak_3(loc p) { ". */
static void put_head(const struct definition *d) {
    const struct op *op = d->op;
    const char *comma = "";
    text_printf(d->out, "static ROLE %s ", has_result(op) ? type_name(result_type(op)) : "void");
    gen_op_name(d->out, op, d->s, d->dialect);
    text_add(d->out, "(");
    if (op->place[0].loc >= 0) {
        const char *name = gen_is_cuda(d->dialect) ? "p" : "place";
        text_printf(d->out, "%s %s", d->shared ? "shared_loc" : "loc", name);
        comma = ", ";
    }
    if (op->place[1].loc >= 0) text_printf(d->out, ", %s source", d->source_shared ? "shared_loc" : "loc");
    if (op->place[2].loc >= 0) text_add(d->out, ", shared_loc told");
    if (op->expected) text_printf(d->out, "%s%s expected", comma, type_name(op->type)), comma = ", ";
    if (op->mask) text_printf(d->out, "%sunsigned mask", comma), comma = ", ";
    if (op->value)
        text_printf(d->out, "%s%s %s", comma, type_name(op->type), is_given_real(d) ? "given" : "v"),
            comma = ", ";
    if (op->lane) text_printf(d->out, "%sint lane", comma), comma = ", ";
    if (op->blocks) text_printf(d->out, "%sint blocks, int block", comma), comma = ", ";
    if (gen_op_takes_run(op)) text_printf(d->out, "%s%s *run", comma, gen_player(d->dialect)), comma = ", ";
    if (gen_op_takes_barrier(op)) text_add(d->out, ", int id, int threads");
    text_add(d->out, *comma ? ") { " : "void) { ");
}

static void put_companion_head(const struct definition *d) {
    text_printf(d->out, "static ROLE void accompany_%d(%s *run%s) { ", d->op->number, gen_player(d->dialect),
                gen_op_takes_barrier(d->op) ? ", int id, int threads" : "");
}

/* ---- inline PTX ---- */

/* Returns the constraint letter of a register in inline asm (CUDA, "Inline PTX Assembly"). */
static char constraint(struct type t) {
    if (t.real && t.bits > 16) return t.bits == 64 ? 'd' : 'f';
    return t.bits <= 16 ? 'h' : t.bits == 32 ? 'r' : t.bits == 64 ? 'l' : 'q';
}

/* The operand lists of an asm statement, which grow as operands are met. */
struct operands {
    struct text outputs, inputs;
    int noutputs,
        ninputs; /* so far; outputs are numbered first, and there are as many as the result has lanes */
};

static void put_operand(const struct definition *d, struct operands *o, struct text *list, const char *before,
                        char letter, const char *what) {
    int results = has_result(d->op) ? result_type(d->op).lanes : 0;
    text_printf(d->out, "%%%d", list == &o->outputs ? o->noutputs++ : results + o->ninputs++);
    text_printf(list, "%s\"%s%c\"(%s)", list->len ? ", " : "", before, letter, what);
}

/* Writes a value, or the lanes of a vector in braces. PTX has no 8-bit registers; 16-bit ones stand in for
 * them. */
static void put_value(const struct definition *d, struct operands *o, struct text *list, const char *name) {
    bool result = list == &o->outputs, negated = d->row->negated && strcmp(name, "v") == 0;
    struct type t = result ? result_type(d->op) : d->op->type;
    for (int k = 0; k < t.lanes; k++) {
        char what[48], lane[3] = {'.', type_lane_name(k), '\0'};
        if (result && t.bits < 16)
            snprintf(what, sizeof what, "d%d", k);
        else
            snprintf(what, sizeof what, "%s%s%s%s", t.bits < 16 ? "(short)" : "", negated ? "-" : "", name,
                     type_is_vector(t) ? lane : "");
        if (type_is_vector(t)) text_add(d->out, k ? ", " : "{");
        put_operand(d, o, list, result ? "=" : "", constraint(t), what);
    }
    if (type_is_vector(t)) text_add(d->out, "}");
}

/* Writes the operand c of PTX "shfl.sync": in which segment of lanes the shuffle stays. */
static void put_segment(const struct definition *d, struct operands *o) {
    char what[48];
    bool up = op_exchanges[d->row->exchange].lane == LANE_BELOW;
    snprintf(what, sizeof what, "segment_of(run, %d)%s", d->op->width, up ? "" : " | 31");
    put_operand(d, o, &o->inputs, "", 'r', what);
}

void gen_order(struct text *out, struct strength s) {
    text_printf(out, ".%s%s%s", order_name(s.order), is_scoped(s) ? "." : "",
                is_scoped(s) ? scope_ptx(s.scope) : "");
}

/* Writes the return statement. Several instances share a warp, so the harness takes this instance's lanes out
 * of the result. */
static void put_result(const struct definition *d) {
    const struct op_exchange_row *what = &op_exchanges[d->row->exchange];
    if (what->lane)
        text_printf(d->out, "return takes_lane(run, %s, mask, lane, %d) ? d : v; }\n", what->name,
                    d->op->width);
    else if (what->lanes)
        text_add(d->out, "return own_lanes(run, d); }\n");
    else
        text_add(d->out, "return d; }\n");
}

static void put_bytes_read(struct text *out, const struct op *op) {
    if (op->zeros) text_printf(out, ", %d", op->bytes - op->zeros);
}

static void put_ptx_part(const struct definition *d, struct operands *o, char part) {
    switch (part) {
    case 'o':
        if (d->dialect == DIALECT_OUTLINE)
            text_printf(d->out, OUTLINE_ORDER "%d", d->op->number);
        else
            gen_order(d->out, d->s);
        break;
    case 's':
        text_add(d->out, d->afar     ? ".shared::cluster"
                         : d->own    ? ".shared"
                         : d->shared ? "\" SHARED \""
                                     : ".global");
        break;
    case 't': text_printf(d->out, ".%s", op_ptx_type(d->op)); break;
    case 'x': text_add(d->out, d->op->red ? "red" : "atom"); break;
    case 'd':
        if (d->op->red)
            text_add(d->out, "_");
        else
            put_value(d, o, &o->outputs, "d");
        break;
    case 'r':
        if (d->op->red) break;
        put_value(d, o, &o->outputs, "d");
        text_add(d->out, ", ");
        break;
    case 'a': put_operand(d, o, &o->inputs, "", d->shared ? 'r' : 'l', d->shared ? "p.address" : "p"); break;
    case 'n':
        if (!d->op->value) break;
        text_add(d->out, ", ");
        put_value(d, o, &o->inputs, "v");
        break;
    case 'v': put_value(d, o, &o->inputs, "v"); break;
    case 'e': put_value(d, o, &o->inputs, "expected"); break;
    case 'm':
        put_operand(d, o, &o->inputs, "", 'r', d->op->mask ? "lanes_of(run, mask)" : "run->warp_mask");
        break;
    case 'j': put_operand(d, o, &o->inputs, "", 'r', "lane"); break;
    case 'c': put_segment(d, o); break;
    case 'i':
        put_operand(d, o, &o->inputs, "", 'r', d->allotted ? "barrier_of(run, id)" : "id");
        if (!d->allotted && !d->op->arrive_only) break;
        text_add(d->out, ", ");
        put_operand(d, o, &o->inputs, "", 'r', "threads");
        break;
    case 'b':
        put_operand(d, o, &o->inputs, "", d->source_shared ? 'r' : 'l',
                    d->source_shared ? "source.address" : "source");
        break;
    case 'y': put_operand(d, o, &o->inputs, "", 'r', "told.address"); break;
    case 'M': put_operand(d, o, &o->inputs, "", 'h', "(short)blocks"); break;
    case 'k': text_add(d->out, op_cache(d->op)); break;
    case 'z': text_printf(d->out, "%d", d->op->bytes); break;
    case 'Z': put_bytes_read(d->out, d->op); break;
    case 'g': text_printf(d->out, "%d", d->op->pending); break;
    case '0': text_add(d->out, "0"); break;
    }
}

/* Writes the asm statement. The instruction ends in the comment "op n", by which it is found again in the
 * compiled PTX and compared with the test. */
static void put_asm(const struct definition *d) {
    struct operands o = {0};
    size_t n = strlen(d->row->ptx);
    bool braces = n > 3 && strcmp(d->row->ptx + n - 3, "\n\t}") == 0;
    text_add(d->out, "asm volatile(\"");
    for (const char *s = d->row->ptx; s < d->row->ptx + n - (braces ? 4 : 0); s++) {
        if (*s == '$')
            put_ptx_part(d, &o, *++s);
        else if (*s == '\n' || *s == '\t')
            text_add(d->out, *s == '\n' ? "\\n" : "\\t");
        else
            text_add_n(d->out, s, 1);
    }
    if (d->accompanies)
        text_printf(d->out, ";%s", braces ? "\\n\\t}" : "");
    else
        text_printf(d->out, "; " OP_MARK "%d%s", d->op->number, braces ? "\\n\\t}" : "");
    text_printf(d->out, "\" :%s%s :%s%s : \"memory\"); ", o.outputs.len ? " " : "",
                o.outputs.len ? o.outputs.s : "", o.inputs.len ? " " : "", o.inputs.len ? o.inputs.s : "");
    text_free(&o.outputs);
    text_free(&o.inputs);
}

/* Where threads leave (meeting.h), each counts how often it has come to its block's barrier. */
static void put_coming(const struct definition *d) {
    if (d->leaves && gen_op_takes_barrier(d->op)) text_add(d->out, "run->come++; ");
}

/* Writes the function in CUDA. keep_order() around a weak access keeps the assembler from merging, hoisting
 * or dropping it: see cuda_ops.cuh. (Nothing may stand around a fence that a cell without the fence does not
 * have.) */
static void define_cuda(const struct definition *d) {
    bool results = has_result(d->op), weak = d->s.order == ORDER_WEAK && d->op->kind != OP_FENCE;
    put_head(d);
    put_coming(d);
    bool exchanges = d->op->kind == OP_EXCHANGE;
    struct type t = result_type(d->op);
    if (results) text_printf(d->out, "%s d; ", type_name(t));
    for (int k = 0; results && t.bits < 16 && k < t.lanes; k++)
        text_printf(d->out, "short d%d; ", k);
    if (weak) text_add(d->out, "keep_order(); ");
    put_asm(d);
    if (d->row->kind == OP_TRIGGER) text_add(d->out, "linger(run); ");
    if (exchanges) {
        put_result(d);
        return;
    }
    if (weak) text_add(d->out, "keep_order(); ");
    for (int k = 0; results && t.bits < 16 && k < t.lanes; k++)
        text_printf(d->out, "d%s%.1s = d%d; ", type_is_vector(t) ? "." : "",
                    type_is_vector(t) ? (char[2]){type_lane_name(k), '\0'} : "", k);
    text_add(d->out, results ? "return d; }\n" : "}\n");
}

/* ---- C, for a CPU and for an emulated GPU ---- */

/* Returns the order of a compare-exchange that fails: it has no release. */
static enum order order_of_failure(enum order order) {
    return order == ORDER_RELEASE ? ORDER_RELAXED : order == ORDER_ACQ_REL ? ORDER_ACQUIRE : order;
}

static void put_c_part(const struct definition *d, enum order order, char part) {
    switch (part) {
    case 'o': text_add(d->out, order_c(order)); break;
    case 'f': text_add(d->out, order_c(order_of_failure(order))); break;
    case 'z': text_printf(d->out, "%d", d->op->bytes); break;
    case 'Z': text_printf(d->out, "%d", d->op->zeros); break;
    case 'n': text_add(d->out, d->op->value ? "v" : "1"); break;
    case 'w': text_printf(d->out, "%d", type_bytes(type_lane(d->op->type))); break;
    case 'g': text_printf(d->out, "%d", d->op->pending); break;
    case 'q': text_printf(d->out, "reduce_%d", d->op->number); break;
    case 'P':
        text_printf(d->out, "%d, %d", gen_places(&d->t->locs[location_root(d->t, d->op->place[0].loc)]),
                    gen_places(&d->t->locs[location_root(d->t, d->op->place[2].loc)]));
        break;
    case 'j': text_add(d->out, op_exchanges[d->row->exchange].name); break;
    case 'c': text_printf(d->out, "%d", d->op->width); break;
    case 'l': text_add(d->out, d->op->mask ? "mask" : "~0u"); break;
    case 'i': text_add(d->out, d->allotted ? "barrier_of(run, id), threads" : "id, threads"); break;
    case 'u': text_add(d->out, d->op->type.sign ? "1u << 31" : "0"); break;
    }
}

/* Writes a pattern of the row in C. GCC has 16-byte atomics only in a library, so values.h has them. */
static void put_pattern(const struct definition *d, const char *pattern) {
    enum order order = d->dialect == DIALECT_EMULATED ? ORDER_SC : d->s.order;
    for (const char *s = pattern; *s; s++) {
        if (d->op->type.bits == 128 && strncmp(s, "__atomic_", 9) == 0) {
            text_add(d->out, "wide_");
            s += 8;
        } else if (*s != '$')
            text_add_n(d->out, s, 1);
        else
            put_c_part(d, order, *++s);
    }
}

/* Writes an atomic for which C has no function as a compare-exchange loop around the value of its row. */
static void put_loop(const struct definition *d) {
    bool real = d->op->type.real;
    text_add(d->out, "T old = __atomic_load_n(p, __ATOMIC_RELAXED); "
                     "while (!__atomic_compare_exchange_n(p, &old, ");
    if (real)
        text_printf(d->out, "bits_of%s(real_sum%s(%s_of(old), %sgiven)), 0, ", expr_real_suffix(d->op->type),
                    expr_real_suffix(d->op->type), type_name(d->op->type), d->row->negated ? "-" : "");
    else
        text_printf(d->out, "(%s), 0, ", d->row->value);
    put_pattern(d, "$o, $f)); ");
    if (has_result(d->op) && real) text_printf(d->out, "return %s_of(old); ", type_name(d->op->type));
    if (has_result(d->op) && !real) text_add(d->out, "return old; ");
    text_add(d->out, "}\n");
}

/* Writes the types T and U in which the rows are written, and the place as a pointer to T. */
static void put_types(const struct definition *d) {
    struct type lane = type_lane(d->op->type), plain = {lane.bits, 1, false, false};
    bool bits = lane.real || d->row->types == TYPES_COUNT;
    text_printf(d->out, "typedef %s T; typedef %s U; ", type_name(bits ? plain : lane), type_name(plain));
    bool emulated = d->dialect == DIALECT_EMULATED;
    const char *at = !emulated                          ? "place"
                     : d->row->proxy == PROXY_READ_ONLY ? "cached_at(place, sizeof(T))"
                                                        : "word_at(place)";
    text_printf(d->out, "volatile T *p = (volatile T *)%s; ", at);
    if (!emulated) text_printf(d->out, "_op(%d); ", d->op->number);
}

/* Writes a vector access as one access for each element. */
static void put_lanes(const struct definition *d, bool results) {
    struct type t = d->op->type;
    if (results)
        text_printf(d->out, "%s d; ", type_name(t));
    else
        text_printf(d->out, "%s all = v; ", type_name(t));
    for (int k = 0; k < t.lanes; k++) {
        char lane = type_lane_name(k);
        if (results && t.real)
            text_printf(d->out, "d.%c = %s_of(", lane, type_name(type_lane(t)));
        else if (results)
            text_printf(d->out, "d.%c = ", lane);
        else if (t.real)
            text_printf(d->out, "{ T v = bits_of%s(all.%c); ", expr_real_suffix(t), lane);
        else
            text_printf(d->out, "{ T v = all.%c; ", lane);
        put_pattern(d, d->row->c);
        text_add(d->out, !results ? "; p++; } " : t.real ? "); p++; " : "; p++; ");
    }
    text_add(d->out, results ? "return d; }\n" : "}\n");
}

/* Writes the function by which an engine changes one element: "static void reduce_5(volatile char *place,
 * const volatile char *source) { ... }" */
static void define_reduction(const struct definition *d) {
    struct type plain = {d->op->type.bits, 1, false, false};
    bool bits = d->row->types == TYPES_COUNT;
    text_printf(d->out, "static void reduce_%d(volatile char *place, const volatile char *source) { ",
                d->op->number);
    text_printf(d->out, "typedef %s T; typedef %s U; (void)(U)0; ", type_name(bits ? plain : d->op->type),
                type_name(plain));
    text_add(d->out, "volatile T *p = (volatile T *)place; T v = *(const volatile T *)source; ");
    put_loop(d);
}

static void define_c(const struct definition *d) {
    bool results = has_result(d->op);
    if (d->op->kind == OP_REDUCE || d->op->kind == OP_FETCH_CHANGE || d->op->kind == OP_SEND_CHANGE)
        define_reduction(d);
    put_head(d);
    put_coming(d);
    bool copies = op_kinds[d->op->kind].engine || d->op->kind == OP_CLEAR;
    bool converts = !copies && !op_kinds[d->op->kind].mbarrier;
    if (d->op->place[0].loc >= 0 && converts) put_types(d);
    if (d->dialect == DIALECT_EMULATED && d->op->kind == OP_FENCE) text_add(d->out, "machine_step(); ");
    if (type_is_vector(d->op->type) && !copies) {
        put_lanes(d, results);
        return;
    }
    if (!d->row->c || (d->op->type.real && d->row->types == TYPES_SUM)) {
        put_loop(d);
        return;
    }
    struct type bits = {d->op->type.bits, 1, false, false};
    if (is_given_real(d) && d->op->value)
        text_printf(d->out, "%s v = bits_of%s(given); ", type_name(bits), expr_real_suffix(d->op->type));
    bool real = results && result_type(d->op).real;
    if (results) text_add(d->out, "return ");
    if (real) text_printf(d->out, "%s_of(", type_name(result_type(d->op)));
    put_pattern(d, d->row->c);
    text_add(d->out, real ? "); }\n" : "; }\n");
}

void gen_op_define(struct text *out, const struct test *t, const struct cell *cell, const struct op *op,
                   const struct meeting *m, enum dialect dialect) {
    struct definition d = {.out = out,
                           .t = t,
                           .op = op,
                           .row = &op_rows[op->name],
                           .s = gen_strength(t, cell, op, dialect),
                           .dialect = dialect};
    d.allotted = m->allotted;
    d.leaves = m->leaves;
    d.shared = op->place[0].loc >= 0 && space_rows[t->locs[op->place[0].loc].space].of_block;
    d.source_shared = op->place[1].loc >= 0 && space_rows[t->locs[op->place[1].loc].space].of_block;
    d.own = op->place[0].loc >= 0 && t->locs[op->place[0].loc].instances > 1;
    d.afar = op->place[0].rank;
    if (gen_op_is_absent(cell, op, dialect)) return;
    switch (dialect) {
    case DIALECT_CUDA:
    case DIALECT_OUTLINE: define_cuda(&d); break;
    case DIALECT_C:
    case DIALECT_EMULATED: define_c(&d); break;
    }
}

void gen_op_accompany(struct text *out, const struct op *op, enum dialect dialect) {
    struct definition d = {.out = out,
                           .op = op,
                           .row = &op_rows[op->name],
                           .dialect = dialect,
                           .allotted = true,
                           .accompanies = true};
    put_companion_head(&d);
    if (gen_is_cuda(dialect)) {
        put_asm(&d);
        text_add(out, "}\n");
    } else {
        put_pattern(&d, d.row->c);
        text_add(out, "; }\n");
    }
}

void gen_ends(struct text *out, const struct test *t, const struct body *b) {
    static const char *const ends[ENGINES] = {[ENGINE_COPY] = "copies_end", [ENGINE_BULK] = "bulk_end"};
    bool has[ENGINES] = {0};
    for (int k = 1; k <= t->nops; k++)
        if (t->ops[k].body == b && op_kinds[t->ops[k].kind].engine && !op_kinds[t->ops[k].kind].touches[2])
            has[op_rows[t->ops[k].name].engine] = true;
    for (int e = 0; e < ENGINES; e++)
        if (has[e] && ends[e]) text_printf(out, "    %s(_run);\n", ends[e]);
}
