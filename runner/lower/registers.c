/* Arrays of registers, int r[4]: each element is a register of its own, so which one an index means is known when the text
 * is read. */
#include <string.h>

#include "lower/lower.h"

enum { MAX_DIMENSIONS = 2 };

struct reg_array {
    struct type type;
    int dimensions[MAX_DIMENSIONS], ndimensions;
    int regs[MAX_LOCALS], nregs;
};

const struct reference *registers_find(const struct parser *p, const struct token *name) {
    bool named = p->body && !p->panic && name->kind == TOK_NAME;
    const struct reference *ref = named ? reference_find(p, name->text) : NULL;
    return ref && ref->array ? ref : NULL;
}

/* ---- elements ---- */

/* "[i]", of a dimension. */
static int read_index(struct parser *p, const struct token *name, int size) {
    struct value number;
    if (parse_peek(p) != '[')
        parse_error(p, name->pos, "'%s' is an array of registers: write %s[index]", name->text, name->text);
    parse_accept(p, '[');
    struct expr *index = access_index(p, parse_expression(p));
    parse_expect(p, ']', "']'");
    if (p->panic) return 0;
    if (!body_number(p, index, &number)) {
        parse_error(
            p, index->pos,
            "'%s' is an array of registers: its index is a number, or the counter of a 'for' whose head "
            "has numbers alone",
            name->text);
        return 0;
    }
    long long k = value_int(index->type, number);
    if (k >= 0 && k < size) return (int)k;
    if (!guard_excludes(p))
        parse_complain(p, index->pos, "index %lld of '%s' is out of bounds: it has %d element%s", k,
                       name->text, size, size == 1 ? "" : "s");
    return 0;
}

static int read_element(struct parser *p, const struct reg_array *a) {
    const struct token *name = parse_next(p);
    struct stmts before = stmts_capture(p);
    int at = 0;
    for (int k = 0; k < a->ndimensions; k++)
        at = at * a->dimensions[k] + read_index(p, name, a->dimensions[k]);
    stmts_restore(p, before); /* an index that is known reads nothing */
    return p->panic ? -1 : a->regs[at];
}

int registers_read(struct parser *p) {
    const struct reference *ref = registers_find(p, p->tok);
    if (ref) return read_element(p, ref->array);
    int reg = parse_peek(p) == TOK_NAME ? body_find(p, p->tok->text) : -1;
    if (reg >= 0) parse_next(p);
    return reg;
}

int registers_bytes(struct parser *p) {
    const struct reg_array *a = registers_find(p, parse_next(p))->array;
    int n = a->nregs;
    for (int k = 0; k < a->ndimensions && parse_accept(p, '['); k++) {
        struct stmts before = stmts_capture(p);
        parse_expression(p);
        stmts_restore(p, before);
        parse_expect(p, ']', "']'");
        n /= a->dimensions[k];
    }
    return n * type_bytes(a->type);
}

/* ---- declarations ---- */

/* How many values stand in the braces behind "[] =". */
static int count_values(const struct token *t) {
    int depth = 0, n = 0;
    if (t->kind == '=') t++;
    if (t->kind != '{') return 0;
    for (; t->kind != TOK_END; t++) {
        bool opens = t->kind == '{' || t->kind == '(' || t->kind == '[';
        bool closes = t->kind == '}' || t->kind == ')' || t->kind == ']';
        if (closes && depth == 1) return n + (t[-1].kind != ',' && t[-1].kind != '{');
        depth += opens - closes;
        n += depth == 1 && t->kind == ',';
    }
    return 0;
}

/* "[4]", from behind the '['. */
static int read_size(struct parser *p) {
    struct value number;
    const struct token *t = p->tok;
    long long n = 0;
    if (parse_accept(p, ']')) {
        n = count_values(p->tok);
    } else {
        struct expr *size = access_index(p, parse_expression(p));
        parse_expect(p, ']', "']'");
        n = !p->panic && body_number(p, size, &number) ? value_int(size->type, number) : 0;
    }
    if (n < 1 || n > MAX_LOCALS)
        parse_error(p, t->pos, "the size of an array of registers is a constant from 1 to %d", MAX_LOCALS);
    return p->panic ? 1 : (int)n;
}

static struct expr *make_zero(struct parser *p, struct type type, struct pos pos) {
    struct expr *lanes[4], *zero = expr_convert(p, expr_int(p, pos, 0), type_lane(type));
    if (!type_is_vector(type)) return zero;
    for (int k = 0; k < type.lanes; k++)
        lanes[k] = zero;
    return expr_vector(p, pos, type, lanes);
}

static void set_element(struct parser *p, int reg, struct expr *value, bool constant, struct pos pos) {
    body_set(p, reg, value, pos);
    if (constant) body_keep_number(p, reg, value);
}

/* The values that are being read. */
struct reg_values {
    const struct reg_array *array;
    const struct token *name;
    bool constant;
    bool given[MAX_LOCALS];
};

static void read_value(struct parser *p, struct reg_values *v, int at) {
    struct type type = v->array->type;
    struct expr *value = parse_peek(p) == '{' ? parse_initializer(p, type) : parse_assigned(p);
    if (p->panic) return;
    v->given[at] = true;
    set_element(p, v->array->regs[at], value, v->constant, value->pos);
}

/* {1, 2} or {{1, 2}, {3, 4}}: elements from..from + n, of a dimension. */
static void read_list(struct parser *p, struct reg_values *v, int level, int from, int n) {
    const struct reg_array *a = v->array;
    int at = from, row = n / a->dimensions[level];
    parse_expect(p, '{', "'{' and values");
    while (!p->panic && p->tok->kind != '}') {
        bool deeper = level + 1 < MAX_DIMENSIONS && level + 1 < a->ndimensions;
        bool nested = deeper && p->tok->kind == '{';
        if (nested) at = from + (at - from + row - 1) / row * row;
        if (at >= from + n) {
            parse_error(p, p->tok->pos, "there are more values than elements of '%s'", v->name->text);
        } else if (nested) {
            read_list(p, v, level + 1, at, row);
            at += row;
        } else {
            read_value(p, v, at++);
        }
        if (!parse_accept(p, ',')) break;
    }
    parse_expect(p, '}', "'}'");
}

/* What a list leaves out is 0. */
static void read_values(struct parser *p, const struct reg_array *a, const struct token *name,
                        bool constant) {
    struct reg_values v = {a, name, constant, {false}};
    bool listed = parse_accept(p, '=');
    if (!listed && parse_peek(p) != '{') return;
    read_list(p, &v, 0, 0, a->nregs);
    for (int k = 0; k < a->nregs && !p->panic; k++)
        if (!v.given[k]) set_element(p, a->regs[k], make_zero(p, a->type, name->pos), constant, name->pos);
}

/* "r[1][2]" */
static const char *element_name(struct parser *p, const struct reg_array *a, const char *name, int k) {
    int columns = a->dimensions[1];
    return a->ndimensions == 1 ? arena_printf(p->arena, "%s[%d]", name, k)
                               : arena_printf(p->arena, "%s[%d][%d]", name, k / columns, k % columns);
}

void registers_declare(struct parser *p, const struct token *name, struct type type, bool constant) {
    struct reg_array *a = arena_alloc(p->arena, sizeof *a);
    *a = (struct reg_array){.type = type, .nregs = 1};
    while (parse_peek(p) == '[') {
        const struct token *bracket = parse_next(p);
        if (a->ndimensions == MAX_DIMENSIONS)
            parse_error(p, bracket->pos, "an array of registers has at most %d dimensions", MAX_DIMENSIONS);
        int size = read_size(p);
        if (!p->panic && a->nregs * size > MAX_LOCALS)
            parse_error(p, bracket->pos, "a thread has at most %d registers", MAX_LOCALS);
        if (p->panic) return;
        a->dimensions[a->ndimensions++] = size;
        a->nregs *= size;
    }
    struct reference ref = {.name = name->text, .pos = name->pos, .place = {.loc = -1}, .array = a};
    reference_declare(p, &ref);
    for (int k = 0; k < a->nregs && !p->panic; k++) {
        struct token element = *name;
        element.text = element_name(p, a, name->text, k);
        a->regs[k] = body_declare_element(p, &element, type);
    }
    if (!p->panic) read_values(p, a, name, constant);
    for (int k = 0; k < a->nregs && !p->panic; k++)
        p->locals[a->regs[k]].constant = constant;
}
