/* Instructions that are operations: the row says what they are, and its pattern what their operands are. */
#include <string.h>

#include "litmus/copy.h"
#include "lower/calls.h"
#include "lower/column.h"

/* An operation whose operands are being read. */
struct op_reading {
    struct op op;
    bool result; /* its registers are among the operands */
    struct ptx_targets to;
    struct expr *segment;               /* of a shuffle, where only registers know it */
    const struct ptx_operand *reaching; /* p of shfl r|p, all of match r|p; NULL: there is none */
    struct expr *zeros;                 /* of a cp.async: bytes that it does not read; NULL: there are none */
};

/* ---- single operands ---- */

/* Whether the instruction is of a whole kernel, whose places are found later. */
static bool in_kernel(const struct column *c) {
    return c->block && c->block->kernel;
}

/* A value of 32 bits, as an exchange takes it. */
static struct expr *read_word(struct column *c, struct type type) {
    c->type = c->block ? type_unsigned : type_int;
    return expr_cast(&c->p, ptx_next_value(c), type);
}

/* The registers of a result; those of an exchange have 32 bits. */
static void read_result(struct column *c, struct op_reading *r) {
    bool exchange = r->op.kind == OP_EXCHANGE;
    if (r->op.kind == OP_ARRIVE) c->type = type_uint64;
    if (r->op.kind == OP_PENDING) c->type = type_unsigned;
    if (exchange) c->type = c->block ? type_unsigned : type_int;
    if (exchange && ptx_peek(c)) r->reaching = ptx_peek(c)->second;
    r->to = ptx_targets(c);
    r->result = true;
}

/* Whether the destination of an atom is `_`: nobody reads its result (PTX ISA, "atom"). It is taken then. */
static bool take_sink(struct column *c) {
    const struct ptx_operand *o = ptx_peek(c);
    bool sink = o && o->kind == PTX_NAME && strcmp(o->text, "_") == 0;
    if (sink) c->next++;
    return sink;
}

/* A predicate: the first operand is the result, another one what is given. */
static void read_predicate(struct column *c, struct op_reading *r) {
    bool first = c->next == 0;
    const struct ptx_operand *o = ptx_next(c, "a predicate");
    if (!o) return;
    if (first) {
        r->to = (struct ptx_targets){.regs = {ptx_predicate(c, o)}, .n = 1, .pos = o->pos};
        r->result = true;
    } else {
        r->op.value = ptx_condition(c, o);
    }
}

static void read_given(struct column *c, struct op_reading *r) {
    if (op_kinds[r->op.kind].mbarrier) {
        c->type = r->op.type;
        c->memory = false;
    }
    if (r->op.kind == OP_EXCHANGE)
        r->op.value = read_word(c, r->op.type);
    else
        r->op.value = ptx_next_value(c);
    if (r->op.kind != OP_HINT) return;
    r->op.type = type_unsigned;
    r->op.value = expr_cast(&c->p, r->op.value, type_unsigned);
}

/* The mask of lanes, which a barrier of all lanes may lack. */
static void read_mask(struct column *c, struct op_reading *r) {
    if (r->op.kind == OP_BARRIER && !ptx_peek(c)) return;
    struct expr *mask = read_word(c, type_unsigned);
    bool all = mask->kind == EXPR_INT && mask->value.lo == 0xffffffff;
    if (r->op.kind != OP_BARRIER || !all) r->op.mask = mask;
}

/* The width, as CUDA's headers pack it: (32 - width) << 8, and 31 but for `up`. */
static void read_segment(struct column *c, struct op_reading *r) {
    bool up = r->op.name == SHFL_UP;
    const struct ptx_operand *o = ptx_peek(c);
    if (in_kernel(c) && o && o->kind != PTX_INTEGER && !asm_settled(c, o)) {
        r->segment = read_word(c, type_unsigned);
        return;
    }
    struct pos pos = ptx_at(c);
    int n = ptx_number(c, "a segment of lanes", 0x1fff), width = WARP_LANES - (n >> 8 & 31);
    if (c->p.panic) return;
    if ((n & 0xff) != (up ? 0 : 31) || (width & (width - 1)) != 0)
        parse_error(&c->p, pos,
                    "not supported yet: segments of lanes but those of a width of 1, 2, 4, 8, 16 or 32, "
                    "which is (32 - width) << 8%s",
                    up ? "" : " | 31");
    r->op.width = width;
}

static bool is_in_shared(unsigned spaces) {
    return spaces >> SPACE_SHARED & 1;
}

/* The types of what an mbarrier is given and gives. */
static void type_mbarrier(struct column *c, struct op *op) {
    bool token = op->kind == OP_TRY && !c->words.row->parity;
    op->type = token ? type_uint64 : type_unsigned;
    op->result = op->kind == OP_ARRIVE ? type_uint64 : type_int;
    access_check_mbarrier(&c->p, op->place[0].loc, op->pos);
}

/* [map, {x}]: a tensor map, and where in its array a copy begins. */
static void read_map(struct column *c, struct op_reading *r, int place) {
    const struct ptx_operand *o = ptx_next(c, "a tensor map");
    if (!o) return;
    bool one =
        o->kind == PTX_ADDRESS && o->nparts == 2 && o->parts[1].kind == PTX_VECTOR && o->parts[1].nparts == 1;
    if (!one)
        parse_error(&c->p, o->pos, "expected a tensor map and a coordinate, as in [%%0, {%%1}]");
    else if (in_kernel(c))
        parse_error(&c->p, o->pos,
                    "not supported yet: copies by tensor maps in whole kernels; in bodies and tables "
                    "they are judged, and not run");
    if (c->p.panic) return;
    struct ptx_operand *address = arena_alloc(c->p.arena, sizeof *address);
    *address = *o;
    address->nparts = 1;
    struct place map = ptx_place_at(c, address, false);
    r->op.place[place] = access_place(&map);
    c->type = type_int;
    c->memory = false;
    if (!c->p.panic) r->op.place[place].index = access_index(&c->p, ptx_value(c, &o->parts[1].parts[0]));
    r->op.bytes = MAP_BOX;
}

static void read_zero(struct column *c) {
    struct pos pos = ptx_at(c);
    if (ptx_number(c, "0", 1) != 0 && !c->p.panic)
        parse_error(&c->p, pos, "st.bulk writes zeros: its last operand is 0");
}

/* The array to which a tensor map is to lead. */
static void read_array(struct column *c, struct op_reading *r) {
    const struct ptx_operand *o = ptx_next(c, "an array");
    if (o && in_kernel(c))
        parse_error(&c->p, o->pos,
                    "not supported yet: tensor maps in whole kernels; in bodies and tables they are judged");
    if (!o || c->p.panic) return;
    struct place array = c->block ? asm_led(c, o).place : ptx_place_at(c, o, false);
    array.pos = o->pos;
    if (!c->p.panic) r->op.value = map_array(&c->p, array);
}

/* The place of an access. */
static void read_place(struct column *c, struct op_reading *r) {
    struct op *op = &r->op;
    if (op_rows[op->name].tensor && copy_map(op) == 0) {
        read_map(c, r, 0);
        return;
    }
    if (op->kind == OP_FENCE) {
        struct place map = ptx_copied_place(c, false);
        op->place[0] = access_place(&map);
        return;
    }
    if (!op_kinds[op->kind].engine && op->kind != OP_HINT && op->kind != OP_CLEAR) {
        ptx_place(c, op);
        if (op_kinds[op->kind].mbarrier) type_mbarrier(c, op);
        return;
    }
    bool generic = op->kind == OP_CLEAR && c->block && ptx_find_word(c->in, "shared::cta") < 0;
    struct place place = generic ? asm_address(c, ptx_next(c, "a location"))
                                 : ptx_copied_place(c, is_in_shared(c->words.row->to));
    op->place[0] = access_place(&place);
    if (in_kernel(c) && c->words.type_word) asm_check_type(c, op);
    if (place.loc >= 0) op->type = c->p.test->locs[place.loc].type;
    if (place.loc >= 0 && op->kind == OP_SEND) {
        if (!type_is_vector(op->type)) op->type.lanes = (uint8_t)c->words.lanes;
        c->type = op->type;
        c->memory = true;
    }
}

static void read_source(struct column *c, struct op_reading *r) {
    if (op_rows[r->op.name].tensor && copy_map(&r->op) == 1) {
        read_map(c, r, 1);
        return;
    }
    struct place place = ptx_copied_place(c, is_in_shared(c->words.row->from));
    r->op.place[1] = access_place(&place);
}

/* The mbarrier that a copy tells. */
static void read_told(struct column *c, struct op_reading *r) {
    struct place place = ptx_copied_place(c, true);
    r->op.place[2] = access_place(&place);
    access_check_mbarrier(&c->p, place.loc, place.pos);
    bool sends = op_kinds[r->op.kind].touches[1] == TOUCH_NOTHING;
    if (sends && (place.loc >= 0 || in_kernel(c))) r->op.bytes = type_bytes(r->op.type);
}

/* The ranks of the blocks to which a copy goes, in a register of 16 bits. */
static void read_blocks(struct column *c, struct op_reading *r) {
    struct type type = c->type;
    type_find("uint16_t", &c->type);
    c->memory = false;
    r->op.blocks = expr_cast(&c->p, expr_cast(&c->p, ptx_next_value(c), c->type), type_unsigned);
    c->type = type;
}

/* cp.async may say how many bytes it reads, behind which it writes zeros; or by a predicate that it reads none. */
static void read_zeros(struct column *c, struct op_reading *r) {
    bool policy = c->words.cache_hint && c->next == c->in->noperands - 1;
    if (!ptx_peek(c) || policy) return;
    const struct ptx_operand *o = &c->in->operands[c->next++];
    struct parser *p = &c->p;
    struct expr *all = expr_int(p, o->pos, r->op.bytes), *read = in_kernel(c) ? asm_settled(c, o) : NULL;
    struct type type = c->type;
    c->type = type_unsigned;
    c->memory = false;
    if (c->block ? asm_is_predicate(c, o) : o->negated)
        r->zeros = expr_choice(p, o->pos, ptx_condition(c, o), all, expr_int(p, o->pos, 0));
    else
        r->zeros = expr_new(p, EXPR_SUB, o->pos, all, expr_cast(p, read ? read : ptx_value(c, o), type_int));
    c->type = type;
}

/* The bytes of a copy. In a whole kernel they may be in a register, of which it is found out later what it holds. */
static void read_bytes(struct column *c, struct op_reading *r) {
    const struct ptx_operand *o = ptx_peek(c);
    bool later = in_kernel(c) && r->op.kind != OP_HINT && o && o->kind == PTX_NAME && !asm_settled(c, o);
    struct type type = c->type;
    c->type = type_unsigned;
    c->memory = false;
    if (later)
        r->op.value = expr_cast(&c->p, ptx_next_value(c), type_unsigned);
    else
        r->op.bytes = ptx_number(c, "a number of bytes", OP_MAX_BYTES);
    if (r->op.kind == OP_FENCE) r->op.bytes = map_bytes(&c->p, o ? o->pos : c->in->end, r->op.bytes);
    c->type = type;
}

/* Reads the operand that a letter of a pattern stands for (ops.def). */
static void read_operand(struct column *c, struct op_reading *r, char letter) {
    switch (letter) {
    case 'd':
    case 'r':
        if (r->op.kind == OP_ARRIVE) r->op.red = take_sink(c);
        if (!ptx_is(c->in, "red") && !r->op.red && !(r->op.kind == OP_RMW && take_sink(c))) read_result(c, r);
        break;
    case 'p': read_predicate(c, r); break;
    case 'a': read_place(c, r); break;
    case 'b': read_source(c, r); break;
    case 'y': read_told(c, r); break;
    case 'M': read_blocks(c, r); break;
    case 'A': read_array(c, r); break;
    case '0': read_zero(c); break;
    case 'e': r->op.expected = ptx_next_value(c); break;
    case 'v': read_given(c, r); break;
    case 'n':
        if (ptx_peek(c)) read_given(c, r);
        break;
    case 'h':
        c->type = type_unsigned;
        if (ptx_peek(c)) ptx_next_value(c);
        break;
    case 'm': read_mask(c, r); break;
    case 'j': r->op.lane = read_word(c, type_int); break;
    case 'c': read_segment(c, r); break;
    case 'z': read_bytes(c, r); break;
    case 'Z': read_zeros(c, r); break;
    case 'g': r->op.pending = ptx_number(c, "a number of groups", OP_MAX_GROUPS); break;
    }
}

/* The register of .L2::cache_hint, which says what the cache should do. It has 64 bits, whatever the access has. */
static void skip_policy(struct column *c) {
    if (!c->words.cache_hint || !ptx_peek(c)) return;
    const struct ptx_operand *o = ptx_next(c, "a policy");
    struct type type = c->type;
    c->type = type_uint64;
    if (c->block)
        ptx_value(c, o);
    else if (o->kind != PTX_NAME)
        parse_error(&c->p, o->pos, "expected a register");
    c->type = type;
}

static void read_operands(struct column *c, struct op_reading *r) {
    for (const char *s = op_ptx_operands(c->words.row); *s && *s != ';' && !c->p.panic; s++)
        if (*s == '$')
            read_operand(c, r, *++s);
        else if (*s == 'p')
            read_operand(c, r, 'p');
    skip_policy(c);
}

/* ---- exchanges ---- */

/* The types of what is given and got, where the pattern does not say. */
static void type_exchange(struct column *c, struct op *op) {
    const struct op_row *row = c->words.row;
    bool votes =
        (row->exchange >= VOTE_BALLOT && row->exchange <= VOTE_COUNT) || row->exchange == LANES_ACTIVE;
    bool is_signed = c->words.type_word && c->words.type.sign;
    op->type = votes || is_signed ? type_int : type_unsigned;
    op->result = row->exchange == VOTE_BALLOT || row->exchange == LANES_ACTIVE ? type_unsigned : op->type;
    if (row->exchange == LANES_ACTIVE) op->value = expr_int(&c->p, op->pos, 1);
}

/* Whether there is a lane to take from (PTX ISA, "shfl.sync"). */
static struct expr *reaches(struct column *c, const struct op *op) {
    struct parser *p = &c->p;
    int last = op->width - 1;
    if (op->name == SHFL_IDX) return expr_int(p, op->pos, 1);
    struct expr *v[] = {op->lane, expr_cast(p, grid_rank(p, warp_group, op->pos), type_int)};
    if (op->name == SHFL_UP) return formula_value(p, op->pos, v, "(b & %d) >= (a & 31)", last);
    if (op->name == SHFL_DOWN) return formula_value(p, op->pos, v, "(b & %d) + (a & 31) <= %d", last, last);
    return formula_value(p, op->pos, v, "(b ^ (a & 31)) <= (b | %d)", last);
}

/* p of r|p: of a shuffle, whether there is a lane; of a match of all, whether they are the same. */
static int find_reaching(struct column *c, const struct op_reading *r) {
    if (!r->reaching) return -1;
    bool shuffles = r->op.lane != NULL, matches = r->op.name == WARP_MATCH_ALL;
    if (!shuffles && !matches)
        parse_error(&c->p, r->reaching->pos, "'%s' has no second result", c->in->words[0].text);
    else if (shuffles && !c->p.body->grid)
        parse_error(&c->p, r->reaching->pos,
                    "the predicate of a shuffle is for a thread of a grid: {grid: 1, block: 32, body: ...}");
    return c->p.panic ? -1 : ptx_predicate(c, r->reaching);
}

/* A shuffle whose segment is a register, as one that names its lane; whether there is one (PTX ISA, "shfl.sync"): of the
 * low bits of the segment is the last lane, and from bit 8 on those of the lane that are the segment's. */
static struct expr *name_lane(struct column *c, struct op_reading *r) {
    struct parser *p = &c->p;
    struct pos pos = r->op.pos;
    const char *from = r->op.name == SHFL_IDX    ? "d | (a & 31) & (~(c >> 8 & 31) & 31)"
                       : r->op.name == SHFL_UP   ? "b - (a & 31)"
                       : r->op.name == SHFL_DOWN ? "b + (a & 31)"
                                                 : "b ^ (a & 31)";
    struct expr *lane = expr_cast(p, grid_rank(p, warp_group, pos), type_int);
    struct expr *v[6] = {r->op.lane, lane, expr_cast(p, r->segment, type_int)};
    v[3] = formula_value(p, pos, v, "b & (c >> 8 & 31)"); /* the first lane of the segment */
    v[4] = formula_value(p, pos, v, "%s", from);
    v[5] =
        formula_value(p, pos, v, "e %s (d | c & (~(c >> 8 & 31) & 31))", r->op.name == SHFL_UP ? ">=" : "<=");
    v[5] = body_hold(p, v[5], pos);
    r->op.lane = formula_value(p, pos, v, "f ? e : b");
    r->op.name = SHFL_IDX;
    r->op.width = WARP_LANES;
    return v[5];
}

static void add_exchange(struct column *c, struct op_reading *r) {
    struct parser *p = &c->p;
    int reg = find_reaching(c, r);
    if (p->panic) return;
    struct expr *reached = r->segment ? name_lane(c, r) : reg >= 0 && r->op.lane ? reaches(c, &r->op) : NULL;
    struct expr *result = exchange_add(p, r->op);
    if (reg >= 0 && !reached) reached = expr_new(p, EXPR_NE, r->op.pos, result, expr_int(p, r->op.pos, 0));
    if (reg >= 0) body_set(p, reg, reached, r->op.pos);
    ptx_set_targets(c, &r->to, result);
}

/* ---- the operation ---- */

/* A red that acquires is none of PTX. Dartagnan's grammar has it: an atom whose result is not used. */
static void check_red(struct column *c, struct op *op) {
    op->red = ptx_is(c->in, "red");
    enum op_types types = c->words.row->types;
    if (!op->red) return;
    if (op->order == ORDER_RELAXED || op->order == ORDER_RELEASE) {
        if (types == TYPES_SWAP || types == TYPES_COMPARED)
            parse_error(&c->p, c->in->pos, "PTX has no red.%s", c->words.row->word);
        return;
    }
    if (c->block) {
        parse_error(&c->p, c->in->pos, "PTX has no 'red' that acquires: it is .relaxed or .release");
        return;
    }
    column_say(c, op->pos,
               "PTX has no 'red' that acquires: it is read as an 'atom' whose result nobody reads, as "
               "Dartagnan has it");
    op->red = false;
}

/* What a table copies to or from is in shared memory where the copy says so: a table has no other way to say it. */
static void put_in_shared(struct column *c, const struct op *op) {
    const struct op_row *row = &op_rows[op->name];
    if (is_in_shared(row->to)) c->p.test->locs[op->place[0].loc].space = SPACE_SHARED;
    if (is_in_shared(row->from) && op->place[1].loc >= 0)
        c->p.test->locs[op->place[1].loc].space = SPACE_SHARED;
}

/* Whether an instruction with a vector sends it to elements of an array. */
static bool is_of_elements(const struct column *c, const struct op *op) {
    const struct location *l = &c->p.test->locs[op->place[0].loc];
    return op->kind == OP_SEND && c->words.lanes > 1 && !type_is_vector(l->type) &&
           l->type.bits == c->words.type.bits;
}

static void check_copy(struct column *c, struct op *op) {
    if (c->p.panic || !(op_kinds[op->kind].engine || op->kind == OP_CLEAR)) return;
    if (op->kind == OP_CLEAR && in_kernel(c)) {
        parse_error(&c->p, op->pos, "not supported yet: st.bulk in whole kernels");
        return;
    }
    if (op->place[0].loc < 0 || (op->place[1].loc < 0 && op_kinds[op->kind].touches[1])) return;
    if (op->kind == OP_SEND_CHANGE) return; /* which is of one element */
    if (ptx_find_word(c->in, "cg") > 0 && op->bytes != 16)
        parse_complain(&c->p, op->pos, "cp.async.cg copies 16 bytes, not %d", op->bytes);
    if (!c->block) put_in_shared(c, op);
    if (c->words.type_word && c->block && !is_of_elements(c, op)) asm_check_type(c, op);
    copy_check(&c->p, op);
    if (!c->p.panic && op_rows[op->name].tensor) op->type = copy_data(c->p.test, op, 0)->type;
}

/* A cp.async that does not read all its bytes. True: it has been added, as one of several. */
static bool fill(struct column *c, struct op_reading *r) {
    struct expr *known = body_fold(&c->p, r->zeros);
    bool several = known->kind != EXPR_INT && !in_kernel(c);
    if (known->kind == EXPR_INT)
        r->op.zeros = (int)expr_number(known, NULL);
    else
        r->op.value = several ? NULL : known; /* it is found out later what that can be */
    check_copy(c, &r->op);
    if (several && !c->p.panic) copy_fill(&c->p, r->op, known);
    return several;
}

static void check_hint(struct column *c, const struct op *op) {
    bool known = !c->p.panic && op->kind == OP_HINT && op->place[0].loc >= 0;
    const struct location *l = known ? &c->p.test->locs[op->place[0].loc] : NULL;
    if (known && !space_rows[l->space].cached)
        parse_complain(&c->p, op->pos, "a prefetch is from global memory, and '%s' is in shared memory",
                       l->name);
}

/* An arrival in another block gives no token (PTX ISA, "mbarrier.arrive"). */
static void check_arrival(struct column *c, const struct op_reading *r) {
    bool elsewhere = r->op.kind == OP_ARRIVE && ptx_find_word(c->in, "shared::cluster") > 0;
    if (elsewhere && r->result)
        parse_complain(&c->p, c->in->operands[0].pos,
                       "an arrival with '.shared::cluster' gives no token: expected '_'");
}

static void add_operation(struct column *c, struct op_reading *r) {
    struct op *op = &r->op;
    if (r->zeros && !c->p.panic && fill(c, r)) return;
    if (!r->zeros) check_copy(c, op);
    check_hint(c, op);
    check_arrival(c, r);
    bool unread = op->kind == OP_RMW && !op->red && !r->result;
    if (unread) op->dst = body_temporary(&c->p, op->pos, op->type);
    if (op->kind == OP_EXCHANGE)
        add_exchange(c, r);
    else if (r->result)
        ptx_add_result(c, *op, &r->to);
    else
        stmt_add_op(&c->p, *op);
}

void ptx_operation(struct column *c) {
    const struct ptx_words *w = &c->words;
    if (ptx_is(c->in, "st") && (ptx_find_word(c->in, "async") > 0 || ptx_find_word(c->in, "bulk") > 0))
        ptx_words_take(&c->words, c->in, "weak"); /* which it is anyway */
    op_ptx_read(&c->words, c->in, c->p.arena);
    if (w->problem) parse_error(&c->p, w->at, "%s", w->problem);
    if (!c->block && w->row && !w->row->from && w->row->to)
        parse_error(&c->p, c->in->pos,
                    "the shared memory of a table is that of no block: nothing is sent to another one");
    if (c->p.panic || ptx_moves(c)) return;
    struct op_reading r = {.op = op_make(w->row->name, c->in->pos)};
    if (c->proxy != PROXY_GENERIC) r.op.proxy = c->proxy;
    if (w->row->orders) {
        r.op.order = w->order;
        r.op.scope = w->scope;
    }
    if (w->scope != SCOPE_NONE && r.op.kind == OP_REDUCE) r.op.scope = w->scope;
    if (w->mmio)
        column_say(c, w->mmio->pos,
                   "'.mmio' changes nothing to the model, and is left out where the test runs");
    if (r.op.kind == OP_RMW) check_red(c, &r.op);
    if (r.op.kind == OP_EXCHANGE) type_exchange(c, &r.op);
    if (r.op.kind == OP_PENDING) r.op.type = type_uint64, r.op.result = type_unsigned;
    if (w->row->types == TYPES_ORDERED) ptx_need_sign(c, w->row->word);
    read_operands(c, &r);
    if (!c->p.panic) add_operation(c, &r);
}
