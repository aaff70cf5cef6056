/* Arrays of registers, int r[4]: each element is a register of its own, so which one an index means is known when the text
 * is read. And arrays of pointers, int *p[2] = {&X, a}: each is a place, of which an index may choose one when the thread
 * runs. */
#include <string.h>

#include "lower/pointer.h"

enum { MAX_DIMENSIONS = 2, MAX_POINTERS = 16 };

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
static int lower_index(struct parser *p, const struct tree *n, const struct token *name, int size) {
    struct value number;
    struct expr *index = access_index(p, lower_value(p, n->b));
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

/* The indices of an element, the outer one first; how many there are, -1: more than `most`. */
static int find_indices(const struct tree *n, const struct tree **indices, int most) {
    int k = n->kind == TREE_INDEX ? find_indices(n->a, indices, most) : 0;
    if (n->kind != TREE_INDEX || k < 0) return k;
    if (k < most) indices[k] = n;
    return k < most ? k + 1 : -1;
}

/* Which element it is, and the first one of a row, whose `given` indices are fewer. */
static int find_element(struct parser *p, const struct tree *n, int *given) {
    const struct token *name = n->first;
    const struct reg_array *a = registers_find(p, name)->array;
    const struct tree *indices[MAX_DIMENSIONS];
    int at = 0;
    struct stmts before = stmts_capture(p);
    *given = find_indices(n, indices, a->ndimensions);
    if (*given < 0) parse_error(p, n->at->pos, "unexpected '['");
    for (int k = 0; k < a->ndimensions; k++)
        at = at * a->dimensions[k] + (k < *given ? lower_index(p, indices[k], name, a->dimensions[k]) : 0);
    stmts_restore(p, before); /* an index that is known reads nothing */
    return at;
}

int registers_element(struct parser *p, const struct tree *n) {
    const struct token *name = n->first;
    const struct reg_array *a = registers_find(p, name)->array;
    int given, at = find_element(p, n, &given);
    if (!p->panic && given < a->ndimensions)
        parse_error(p, name->pos, "'%s' is an array of registers: write %s[index]", name->text, name->text);
    return p->panic ? -1 : a->regs[at];
}

int registers_all(struct parser *p, const struct tree *n, const int **regs) {
    const struct reg_array *a = registers_find(p, n->first)->array;
    *regs = a->regs;
    return a->nregs;
}

int registers_begin(struct parser *p, const struct tree *n) {
    int given, at = find_element(p, n, &given);
    return p->panic ? -1 : at;
}

bool registers_are_row(const struct parser *p, const struct tree *n) {
    const struct reference *ref = registers_find(p, n->first);
    const struct tree *indices[MAX_DIMENSIONS];
    bool named = tree_is_word(n) || n->kind == TREE_INDEX;
    int given = ref && named ? find_indices(n, indices, ref->array->ndimensions) : -1;
    return given >= 0 && given < ref->array->ndimensions;
}

int registers_bytes(struct parser *p, const struct tree *n) {
    const struct reg_array *a = registers_find(p, n->first)->array;
    int bytes = a->nregs * type_bytes(a->type), k = 0;
    for (; n->kind == TREE_INDEX && k < a->ndimensions; n = n->a)
        bytes /= a->dimensions[k++];
    return bytes;
}

/* ---- declarations ---- */

/* How many values stand in the braces behind "[] =". */
static int count_values(const struct tree *list) {
    int n = 0;
    for (const struct tree *k = list && list->kind == TREE_LIST ? list->b : NULL; k; k = k->next)
        n++;
    return n;
}

long long registers_count(struct parser *p, const struct tree *size, int values) {
    struct value number;
    if (size->kind == TREE_NONE) return values;
    struct expr *e = access_index(p, lower_value(p, size));
    return !p->panic && body_number(p, e, &number) ? value_int(e->type, number) : 0;
}

/* "[4]" */
static int lower_size(struct parser *p, const struct tree *size, const struct tree *values) {
    long long n = registers_count(p, size, count_values(values));
    if (n < 1 || n > MAX_LOCALS)
        parse_error(p, size->kind == TREE_NONE ? size->end[-1].pos : size->first->pos,
                    "the size of an array of registers is a constant from 1 to %d", MAX_LOCALS);
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

static void set_value(struct parser *p, struct reg_values *v, int at, const struct tree *n) {
    struct type type = v->array->type;
    struct expr *value = n->kind == TREE_LIST ? lower_initial(p, n, type) : lower_value(p, n);
    if (p->panic) return;
    v->given[at] = true;
    set_element(p, v->array->regs[at], value, v->constant, value->pos);
}

/* {1, 2} or {{1, 2}, {3, 4}}: elements from..from + n, of a dimension. */
static void set_values(struct parser *p, struct reg_values *v, const struct tree *list, int level, int from,
                       int n) {
    const struct reg_array *a = v->array;
    int at = from, row = n / a->dimensions[level];
    bool deeper = level + 1 < MAX_DIMENSIONS && level + 1 < a->ndimensions;
    for (const struct tree *k = list->b; k && !p->panic; k = k->next) {
        bool nested = deeper && k->kind == TREE_LIST;
        if (nested) at = from + (at - from + row - 1) / row * row;
        if (at >= from + n) {
            parse_error(p, k->first->pos, "there are more values than elements of '%s'", v->name->text);
        } else if (nested) {
            set_values(p, v, k, level + 1, at, row);
            at += row;
        } else {
            set_value(p, v, at++, k);
        }
    }
}

/* What a list leaves out is 0. */
static void set_all(struct parser *p, const struct reg_array *a, const struct tree *n, bool constant) {
    struct reg_values v = {a, n->at, constant, {false}};
    struct pos pos = n->at->pos;
    if (n->b->kind == TREE_BAD) parse_fault(p, n->b->fault);
    if (n->b->kind != TREE_LIST || n->b->at->kind != '{')
        parse_error(p, n->b->first[-1].after, "expected '{' and values");
    if (p->panic) return;
    set_values(p, &v, n->b, 0, 0, a->nregs);
    for (int k = 0; k < a->nregs && !p->panic; k++)
        if (!v.given[k]) set_element(p, a->regs[k], make_zero(p, a->type, pos), constant, pos);
}

/* "r[1][2]" */
static const char *element_name(struct parser *p, const struct reg_array *a, const char *name, int k) {
    int columns = a->dimensions[1];
    return a->ndimensions == 1 ? arena_printf(p->arena, "%s[%d]", name, k)
                               : arena_printf(p->arena, "%s[%d][%d]", name, k / columns, k % columns);
}

/* Its dimensions. */
static void set_sizes(struct parser *p, struct reg_array *a, const struct tree *n) {
    for (const struct tree *k = n->c; k && !p->panic; k = k->next) {
        const struct token *bracket = k->kind == TREE_NONE ? k->first : k->first - 1;
        if (a->ndimensions == MAX_DIMENSIONS)
            parse_error(p, bracket->pos, "an array of registers has at most %d dimensions", MAX_DIMENSIONS);
        int size = lower_size(p, k, n->b);
        if (!p->panic && a->nregs * size > MAX_LOCALS)
            parse_error(p, bracket->pos, "a thread has at most %d registers", MAX_LOCALS);
        if (p->panic) return;
        a->dimensions[a->ndimensions++] = size;
        a->nregs *= size;
    }
}

void registers_declare(struct parser *p, const struct tree *type, const struct tree *n) {
    struct reg_array *a = arena_alloc(p->arena, sizeof *a);
    const struct token *name = n->at;
    bool constant = type->flags & (TYPE_CONST | TYPE_CONSTEXPR);
    *a = (struct reg_array){.type = lower_type(p, type), .nregs = 1};
    set_sizes(p, a, n);
    if (p->panic) return;
    struct reference ref = {.name = name->text, .pos = name->pos, .place = {.loc = -1}, .array = a};
    reference_declare(p, &ref);
    for (int k = 0; k < a->nregs && !p->panic; k++) {
        struct token element = *name;
        element.text = element_name(p, a, name->text, k);
        a->regs[k] = body_declare_element(p, &element, a->type);
    }
    if (!p->panic && n->b) set_all(p, a, n, constant);
    for (int k = 0; k < a->nregs && !p->panic; k++)
        p->locals[a->regs[k]].constant = constant;
}

/* ---- arrays of pointers, which stay as they are declared ---- */

struct pointer_array {
    struct place of[MAX_POINTERS]; /* whose `loc` is -1 where one is nullptr */
    int n;
};

static const struct pointer_array *find_array(const struct parser *p, const struct tree *n) {
    const struct reference *ref = p->body && tree_is_word(n) ? reference_find(p, n->at->text) : NULL;
    return ref ? ref->pointers : NULL;
}

bool pointers_are_indexed(const struct parser *p, const struct tree *n) {
    return n->kind == TREE_INDEX && find_array(p, n->a);
}

bool pointers_are_named(const struct parser *p, const struct tree *n) {
    return find_array(p, n) || pointers_are_indexed(p, n);
}

/* "[2]"; [] has as many as there are values. */
static int lower_count(struct parser *p, const struct tree *n, int values) {
    long long count = registers_count(p, n->c, values);
    if (n->c->next)
        parse_error(p, n->c->next->first[-1].pos, "an array of pointers has one dimension");
    else if (count < 1 || count > MAX_POINTERS || count < values)
        parse_error(
            p, n->c->first->pos,
            "the size of an array of pointers is a constant from 1 to %d, and no less than it has values",
            MAX_POINTERS);
    return p->panic ? 0 : (int)count;
}

static void declare_element(struct parser *p, struct pointer_array *a, int k, const struct tree *n,
                            const struct pointer_type *type) {
    if (!n || choice_is_null(n)) return;
    struct place place = pointer_seen_as(p, place_address(p, n, place_usage), type, n->first->pos);
    if (p->panic || place.loc < 0) return;
    pointer_restrict(p, type, place.loc, n->first->pos);
    pointer_keep(p, &place);
    a->of[k] = place;
}

void pointers_declare(struct parser *p, const struct tree *type, const struct tree *n) {
    struct pointer_array *a = arena_alloc(p->arena, sizeof *a);
    struct pointer_type whole = pointer_type(p, type, n);
    const struct tree *value = n->b && n->b->kind == TREE_LIST ? n->b->b : NULL;
    struct reference ref = {.name = n->at->text, .pos = n->at->pos, .place = {.loc = -1}, .pointers = a};
    int values = count_values(n->b);
    if (n->b && n->b->kind == TREE_BAD) parse_fault(p, n->b->fault);
    if (!values && !p->panic)
        parse_error(
            p, n->at->pos,
            "an array of pointers is given its places where it is declared, as in %s *%s[] = {&X, &Y};",
            whole.automatic ? "int" : type_name(whole.type), n->at->text);
    int count = p->panic ? 0 : lower_count(p, n, values);
    for (; a->n < count && !p->panic; a->n++) {
        a->of[a->n] = (struct place){.loc = -1, .pos = n->at->pos};
        declare_element(p, a, a->n, value, &whole);
        value = value ? value->next : NULL;
    }
    if (!p->panic) reference_declare(p, &ref);
}

/* What the index says: none of the pointers is nullptr. */
static struct place choose_element(struct parser *p, const struct pointer_array *a, struct expr *index,
                                   struct pos pos) {
    struct place all = choice_new(p, pos);
    bool known = false;
    struct stmts old = stmts_capture(p);
    choice_clear(p, &all, pos);
    struct stmts rest = stmts_restore(p, old);
    for (int k = a->n; k-- > 0 && !p->panic;) {
        const struct place *of = &a->of[k];
        struct stmts before = stmts_capture(p);
        choice_assign(p, &all, of, pos);
        struct stmts here = stmts_restore(p, before);
        rest = stmts_if(p, pos, expr_new(p, EXPR_EQ, pos, index, expr_int(p, pos, k)), here, rest);
        if (of->loc >= 0 && known) choice_agree(p, of, &all, pos);
        if (of->loc >= 0) all.order = of->order;
        known = known || of->loc >= 0;
        all.constant = all.constant || of->constant;
        all.untyped = all.untyped || of->untyped;
    }
    stmts_append(p, rest);
    return all;
}

struct place pointers_element(struct parser *p, const struct tree *n) {
    const struct pointer_array *a = find_array(p, n->a);
    struct pos pos = n->first->pos;
    struct place none = {.loc = -1, .pos = pos};
    struct expr *index = access_index(p, lower_value(p, n->b));
    struct value number;
    if (p->panic) return none;
    if (!body_number(p, index, &number)) return choose_element(p, a, body_hold(p, index, pos), pos);
    long long k = value_int(index->type, number);
    if (k < 0 || k >= a->n)
        parse_error(p, index->pos, "index %lld of '%s' is out of bounds: it has %d pointers", k,
                    n->a->at->text, a->n);
    else if (a->of[k].loc < 0)
        parse_error(p, pos, "'%s[%lld]' is nullptr", n->a->at->text, k);
    if (p->panic) return none;
    struct place place = a->of[k];
    place.pos = pos;
    return place;
}
