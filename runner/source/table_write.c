#include <string.h>

#include "base/foreign.h"
#include "base/utf8.h"
#include "source/table_column.h"

bool column_is_word(struct type type) {
    return type_same(type, type_int) || type_same(type, type_unsigned);
}

bool column_minds_sign(enum expr_kind kind, struct type type) {
    bool order = column_is_comparison(kind) && kind != EXPR_EQ && kind != EXPR_NE;
    return type_same(type, type_unsigned) &&
           (order || kind == EXPR_DIV || kind == EXPR_MOD || kind == EXPR_SHR);
}

const char *column_number(struct table_writer *w, struct type type, struct value v) {
    char buf[VALUE_MAX_TEXT];
    bool word = column_is_word(type);
    if (type.bits > 64 && v.hi) column_refuse(w, "a number has more than 64 bits");
    return arena_strdup(w->arena, word ? value_text(buf, type_int, value_convert(v, type, type_int))
                                       : value_text(buf, type, v));
}

/* ---- locations ---- */

/* Whether a register chooses elements of an array. */
static bool is_indexed(const struct test *t, int loc) {
    for (int k = 1; k <= t->nops; k++)
        for (int i = 0; i < OP_PLACES; i++) {
            const struct op_place *place = &t->ops[k].place[i];
            if (place->loc == loc && place->index && !expr_is_known(place->index)) return true;
        }
    return false;
}

static bool is_taken(const struct test *t, const char *name) {
    for (int i = 0; i < t->nlocs; i++)
        if (strcmp(t->locs[i].name, name) == 0) return true;
    for (int i = 0; i < t->nbodies; i++)
        for (int k = 0; k < t->bodies[i].nregs; k++)
            if (strcmp(t->bodies[i].regs[k].name, name) == 0) return true;
    return false;
}

const char *column_element(struct table_writer *w, int loc, int index) {
    const struct location *l = &w->test->locs[loc];
    if (!l->array) return l->name;
    if (is_indexed(w->test, loc)) return FORMAT(w, "%s[%d]", l->name, index);
    const char *name = FORMAT(w, "%s_%d", l->name, index);
    if (is_taken(w->test, name))
        column_refuse(w, "two locations, or one and a register, would have one name");
    return name;
}

const char *column_pointer(struct table_writer *w, int loc) {
    const char **pointer = &w->pointers[(w->thread - w->test->threads) * w->test->nlocs + loc];
    if (*pointer) return *pointer;
    return *pointer = column_new_name(w, FORMAT(w, "p_%s", w->test->locs[loc].name));
}

/* ---- the condition ---- */

/* Writes "P1:r" or "x"; for a lane "P1:r_x" or "x.x". Lane -1 is the whole. */
static const char *observed_name(struct table_writer *w, int o, int lane) {
    const struct observable *obs = &w->test->obs[o];
    const char *element = obs->is_reg ? NULL : column_element(w, obs->loc, obs->index);
    if (element) return lane < 0 ? element : FORMAT(w, "%s.%c", element, type_lane_name(lane));
    w->thread = &w->test->threads[obs->thread];
    return FORMAT(w, "P%d:%s", obs->thread,
                  lane < 0 ? column_register(w, obs->reg) : column_lane(w, obs->reg, lane));
}

static const char *write_proposition(struct table_writer *w, const struct expr *e);

/* Whether an observed number becomes an int of the same value, as tables observe it. */
static bool is_promotion(const struct expr *e) {
    struct type from = e->a->type;
    return type_same(e->type, type_int) && !from.real && from.lanes == 1 && from.bits < 32 &&
           (e->a->kind == EXPR_OBS || e->a->kind == EXPR_LANE);
}

static const char *in_parentheses(struct table_writer *w, const struct expr *e) {
    const char *text = write_proposition(w, e);
    if (e->kind == EXPR_CAST && is_promotion(e)) e = e->a;
    return e->kind == EXPR_OBS || e->kind == EXPR_LANE || e->kind == EXPR_INT ? text
                                                                              : FORMAT(w, "(%s)", text);
}

/* Whether (a o b) p c needs no parentheses. With them a long sum would be nested too deeply to be read
 * again. */
static bool groups_left(enum expr_kind o, enum expr_kind p) {
    bool sum = (o == EXPR_ADD || o == EXPR_SUB) && (p == EXPR_ADD || p == EXPR_SUB);
    return sum || (o == p && !column_is_comparison(p));
}

static const char *write_proposition(struct table_writer *w, const struct expr *e) {
    static const char *const signs[] = {
        [EXPR_MUL] = "*",  [EXPR_DIV] = "/",    [EXPR_MOD] = "%",   [EXPR_ADD] = "+", [EXPR_SUB] = "-",
        [EXPR_SHL] = "<<", [EXPR_SHR] = ">>",   [EXPR_LT] = "<",    [EXPR_LE] = "<=", [EXPR_GT] = ">",
        [EXPR_GE] = ">=",  [EXPR_EQ] = "==",    [EXPR_NE] = "!=",   [EXPR_AND] = "&", [EXPR_XOR] = "^",
        [EXPR_OR] = "|",   [EXPR_LAND] = "/\\", [EXPR_LOR] = "\\/",
    };
    switch (e->kind) {
    case EXPR_INT: return column_number(w, e->type, e->value);
    case EXPR_OBS: return observed_name(w, e->index, -1);
    case EXPR_LANE:
        if (e->a->kind == EXPR_OBS) return observed_name(w, e->a->index, (int)e->b->value.lo);
        column_refuse(w, "the condition computes a vector");
        return "";
    case EXPR_NOT: return FORMAT(w, "~(%s)", write_proposition(w, e->a));
    case EXPR_NEG: return FORMAT(w, "-%s", in_parentheses(w, e->a));
    case EXPR_COMPL:
    case EXPR_COND: column_refuse(w, "the condition has '~' of a number or '?'"); return "";
    case EXPR_CAST:
        if (column_is_word(e->type) && column_is_word(e->a->type)) return write_proposition(w, e->a);
        if (is_promotion(e)) return write_proposition(w, e->a);
        column_refuse(w, "the condition converts a value");
        return "";
    default: break;
    }
    if (column_minds_sign(e->kind, e->a->type))
        column_refuse(w, "the condition orders or divides numbers without a sign");
    bool joins = e->kind == EXPR_LAND || e->kind == EXPR_LOR;
    bool bare = groups_left(e->a->kind, e->kind) || (joins && column_is_comparison(e->a->kind));
    const char *a = bare ? write_proposition(w, e->a) : in_parentheses(w, e->a);
    const char *b =
        joins && column_is_comparison(e->b->kind) ? write_proposition(w, e->b) : in_parentheses(w, e->b);
    return FORMAT(w, "%s %s %s", a, signs[e->kind], b);
}

/* Whether an expression contains the observable, or one of its lanes; lane -1: the whole. */
static bool observes(const struct expr *e, int o, int lane) {
    if (!e) return false;
    if (e->kind == EXPR_LANE && e->a->kind == EXPR_OBS && lane >= 0)
        return e->a->index == o && (int)e->b->value.lo == lane;
    return (e->kind == EXPR_OBS && e->index == o) || observes(e->a, o, lane) || observes(e->b, o, lane) ||
           observes(e->c, o, lane);
}

/* Writes what is observed but is not in the condition; for a vector register, each lane. */
static const char *name_rest(struct table_writer *w, int o) {
    const struct observable *obs = &w->test->obs[o];
    const struct expr *prop = w->test->cond.prop;
    const char *names = "";
    if (!obs->is_reg || !type_is_vector(obs->type))
        return observes(prop, o, -1) ? "" : FORMAT(w, "%s; ", observed_name(w, o, -1));
    for (int k = 0; k < obs->type.lanes; k++)
        if (!observes(prop, o, k)) names = FORMAT(w, "%s%s; ", names, observed_name(w, o, k));
    return names;
}

static void write_condition(struct table_writer *w, struct text *out) {
    static const char *const words[] = {"exists", "~exists", "forall"};
    const char *more = "";
    for (int o = 0; o < w->test->nobs; o++)
        more = FORMAT(w, "%s%s", more, name_rest(w, o));
    if (*more) text_printf(out, "locations [%.*s]\n", (int)strlen(more) - 1, more);
    text_printf(out, "%s (%s)\n", words[w->test->cond.kind], write_proposition(w, w->test->cond.prop));
}

/* ---- the whole ---- */

/* Whether a view is another address of the whole location, or the whole location through another proxy. */
static bool is_alias(const struct test *t, const struct location *l) {
    return l->view && !l->in_each && l->at == 0 && type_same(l->type, t->locs[l->of].type);
}

/* Writes " y @ texture aliases x;" with the proxy of the accesses to y. */
static void write_alias(const struct table_writer *w, struct text *out, int loc) {
    static const char *const words[] = {[PROXY_SURFACE] = "surface", [PROXY_CONSTANT] = "constant"};
    const struct location *l = &w->test->locs[loc];
    const char *word = l->va == loc ? "generic" : "texture";
    for (int k = 1; k <= w->test->nops && l->va != loc; k++) {
        const struct op *op = &w->test->ops[k];
        bool named = op->proxy == PROXY_SURFACE || op->proxy == PROXY_CONSTANT;
        if (op->place[0].loc == loc && named) word = words[op->proxy];
    }
    text_printf(out, " %s @ %s aliases %s;", l->name, word, w->test->locs[l->va == loc ? l->of : l->va].name);
}

/* Finds what tables cannot express. */
static void check_test(struct table_writer *w) {
    const struct test *t = w->test;
    for (int i = 0; i < t->nlocs; i++)
        if (*t->locs[i].name == '_')
            column_refuse(w, "the barrier of a grid counts in a number without a sign");
        else if (!column_can_write(t->locs[i].type))
            column_refuse(w, FORMAT(w, "'%s' is of type %s", t->locs[i].name, type_name(t->locs[i].type)));
    for (int i = 0; i < t->nbodies; i++)
        for (int k = 0; k < t->bodies[i].nregs; k++)
            if (!column_can_write(t->bodies[i].regs[k].type))
                column_refuse(w,
                              FORMAT(w, "some values are of type %s", type_name(t->bodies[i].regs[k].type)));
    for (int i = 0; i < t->nlocs; i++) {
        if (!space_rows[t->locs[i].space].in_tables)
            column_refuse(w,
                          FORMAT(w, "'%s' is in %s memory", t->locs[i].name, space_name(t->locs[i].space)));
        if (t->locs[i].instances > 1)
            column_refuse(w, FORMAT(w, "'%s' is in the shared memory of several blocks", t->locs[i].name));
        if (strchr(t->locs[i].name, '.') && !t->locs[i].view)
            column_refuse(w, FORMAT(w, "'%s' is a member of a struct", t->locs[i].name));
        if (t->locs[i].map) column_refuse(w, FORMAT(w, "'%s' is a tensor map", t->locs[i].name));
        if (t->locs[i].view && !is_alias(t, &t->locs[i]))
            column_refuse(w, FORMAT(w, "'%s' is a part of other bytes", t->locs[i].name));
        if (t->locs[i].gpu > 0)
            column_refuse(w, FORMAT(w, "'%s' is in the memory of one GPU", t->locs[i].name));
    }
    if (w->cell->placement->nkernels > 1) column_refuse(w, "a table has one kernel");
    for (int i = 0; i < t->nthreads; i++)
        if (w->cell->placement->seats[i].host)
            column_refuse(w, FORMAT(w, "'%s' is a CPU thread", t->threads[i].name));
}

/* Writes the title in quotes, as herd has it. */
static void write_title(const struct table_writer *w, struct text *out) {
    const char *title = w->test->title ? w->test->title : w->test->doc;
    if (!title) return;
    text_add(out, "\"");
    for (const char *s = title; *s && !(s[0] == '\n' && s[1] == '\0');) {
        uint32_t c = 0;
        size_t n = utf8_decode(s, strlen(s), &c);
        bool plain = n && foreign_is_plain(c) && c != '"';
        text_add_n(out, plain ? s : c == '"' ? "'" : " ", plain ? n : 1);
        s += n ? n : 1;
    }
    text_add(out, "\"\n");
}

/* Writes what stands before a name. */
static const char *declared_type(struct type type) {
    return column_is_word(type)                     ? "int"
           : type_is_vector(type) || type.bits == 1 ? type_name(type)
                                                    : type_ptx(type);
}

/* Writes such as " int a[2]={1,2}; P0:p_a=a;". */
static void write_array(struct table_writer *w, struct text *out, const struct location *l, int loc) {
    text_printf(out, " %s%s %s[%d]={", space_rows[l->space].of_block ? "shared " : "", declared_type(l->type),
                l->name, l->count);
    for (int k = 0; k < l->count; k++) {
        struct value v = location_init(l, k), first = value_lane(l->type, v, 0);
        if (!value_equal(v, value_set_lane(l->type, (struct value){0}, 0, first)))
            column_refuse(
                w, FORMAT(w, "the elements of '%s' are vectors that begin as more than one number", l->name));
        text_printf(out, "%s%s", k ? "," : "", column_number(w, type_lane(l->type), first));
    }
    text_add(out, "};");
    for (int i = 0; i < w->test->nthreads; i++) {
        const char *pointer = w->pointers[i * w->test->nlocs + loc];
        if (pointer) text_printf(out, " P%d:%s=%s;", i, pointer, l->name);
    }
}

/* Writes such as " x=1;" or " shared u64 x=1;". */
static void write_location(struct table_writer *w, struct text *out, const struct location *l, int loc,
                           int element) {
    const struct expr first = {.kind = EXPR_INT, .type = l->type, .value = location_init(l, element)};
    bool shared = space_rows[l->space].of_block, wide = !column_is_word(l->type);
    text_printf(out, " %s%s%s%s=%s;", shared ? "shared " : "", shared && !wide ? "int " : "",
                wide ? FORMAT(w, "%s ", declared_type(l->type)) : "", column_element(w, loc, element),
                column_operand(w, &first));
}

static void write_memory(struct table_writer *w, struct text *out) {
    text_add(out, "{");
    for (int i = 0; i < w->test->nlocs; i++)
        if (w->test->locs[i].view)
            write_alias(w, out, i);
        else if (is_indexed(w->test, i))
            write_array(w, out, &w->test->locs[i], i);
        else
            for (int k = 0; k < w->test->locs[i].count; k++)
                write_location(w, out, &w->test->locs[i], i, k);
    text_add(out, " }\n");
}

static void write_rows(const struct table_writer *w, struct text *out) {
    int n = w->test->nthreads, rows = 0;
    for (int i = 0; i < n; i++)
        if (w->columns[i].n > rows) rows = w->columns[i].n;
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < n; i++) {
            const struct table_cells *c = &w->columns[i];
            text_printf(out, "%s%-*s%s", i ? " | " : " ", c->width, row < c->n ? c->text[row] : "",
                        i == n - 1 ? " ;\n" : "");
        }
}

const char *litmus_write(struct arena *a, const struct test *t, const struct cell *v, struct text *out) {
    struct table_writer w = {.arena = a, .test = t, .cell = v};
    struct text body = {0};
    w.columns = arena_array(a, (size_t)t->nthreads, sizeof *w.columns);
    w.pointers = arena_array(a, (size_t)t->nthreads * (size_t)t->nlocs, sizeof *w.pointers);
    check_test(&w);
    if (!w.reason) {
        for (int i = 0; i < t->nthreads; i++)
            column_write(&w, i);
        text_printf(&body, "PTX %s\n", t->name);
        write_title(&w, &body);
        write_memory(&w, &body);
        write_rows(&w, &body);
        write_condition(&w, &body);
    }
    if (!w.reason) text_add_n(out, body.s, body.len);
    text_free(&body);
    return w.reason;
}
