/* Variables of a PTX, each a location; and special registers. */
#include <string.h>

#include "lift/reader.h"
#include "litmus/name.h"

/* ---- names ---- */

/* The last name in a mangled one: "_ZZ6kernelPiE4tile" and "_ZL4tile" are `tile`. NULL: there is none. */
static const char *source_name(struct arena *a, const char *mangled) {
    const char *last = NULL, *s = strncmp(mangled, "_Z", 2) == 0 ? mangled + 2 : "";
    int length = 0;
    while (*s) {
        int n = 0;
        const char *digits = s;
        while (*s >= '0' && *s <= '9' && n < 1000)
            n = 10 * n + (*s++ - '0');
        if (s == digits) {
            s++;
            continue;
        }
        if ((int)strlen(s) < n) break;
        last = s;
        length = n;
        s += n;
    }
    return last ? arena_strndup(a, last, (size_t)length) : NULL;
}

static const char *location_name(const struct lift *l, const char *name) {
    const char *short_name = source_name(l->arena, name);
    bool fine = short_name && !name_problem(short_name) && find_location(l->test, short_name) < 0;
    return fine ? short_name : name;
}

/* ---- variables ---- */

static struct lift_variable *find_variable(const struct lift *l, const char *name) {
    for (int k = 0; k < l->nvariables; k++)
        if (strcmp(l->variables[k].name, name) == 0) return &l->variables[k];
    return NULL;
}

static bool has_word(const struct ptx_variable *v, const char *word) {
    for (int k = 0; k < v->nwords; k++)
        if (ptx_is_word(&v->words[k], word)) return true;
    return false;
}

/* The value of an initial value: a number, or the address of a variable. */
static uint64_t initial_bits(const struct ptx_operand *o) {
    return o->negated ? -o->bits : o->bits;
}

static unsigned char *read_initial(struct lift_reader *r, const struct ptx_operand *o, int size, int bytes) {
    unsigned char *out = arena_alloc(r->arena, (size_t)bytes);
    bool list = o->kind == PTX_VECTOR;
    for (int k = 0; k < (list ? o->nparts : 1) && (k + 1) * size <= bytes; k++) {
        uint64_t bits = initial_bits(list ? &o->parts[k] : o);
        memcpy(out + k * size, &bits, size < 8 ? (size_t)size : 8);
    }
    return out;
}

int lift_add_location(struct lift *l, struct location location) {
    struct test *t = l->test;
    t->locs = arena_grow(l->arena, t->locs, (size_t)t->nlocs, (size_t)t->nlocs + 1, sizeof *t->locs);
    t->locs[t->nlocs] = location;
    lift_place(t, t->nlocs);
    return t->nlocs++;
}

bool lift_counts_locations(struct lift *l) {
    const struct test *t = l->test;
    if (t->nlocs <= LIFT_MAX_LOCATIONS) return true;
    diag_error(l->diag, &t->source, t->name_pos, "%d locations: a test of whole kernels has at most %d",
               t->nlocs, LIFT_MAX_LOCATIONS);
    l->failed = true;
    return false;
}

/* Makes a variable a location of bytes. */
static struct lift_variable *add_location(struct lift_reader *r, const char *ptx_name, const char *name,
                                          int bytes, enum space space) {
    struct lift *l = r->lift;
    struct location made = {.name = name,
                            .pos = r->launch->pos,
                            .type = {.bits = 8, .lanes = 1},
                            .count = bytes,
                            .array = true,
                            .instances = 1,
                            .declared = true,
                            .ptx = ptx_name,
                            .space = space};
    int loc = lift_add_location(l, made);
    l->variables = arena_more(l->arena, l->variables, (size_t)l->nvariables, sizeof *l->variables);
    l->variables[l->nvariables] = (struct lift_variable){.name = ptx_name, .loc = loc, .bytes = bytes};
    return &l->variables[l->nvariables++];
}

/* The same of a variable of the PTX. One that has no size is the dynamic shared memory. */
static struct lift_variable *add_variable(struct lift_reader *r, const struct ptx_variable *v,
                                          const struct ptx_name *name) {
    struct type type = type_unsigned;
    type_find_ptx(v->words[v->nwords - 1].text, &type);
    int count = 1;
    for (int k = 0; k < name->ndimensions; k++)
        count *= name->dimensions[k];
    int bytes = count >= 0 ? type_bytes(type) * count : r->launch->shared;
    if (bytes <= 0 || bytes > TEST_MAX_ELEMENTS) return NULL;
    struct lift_variable *out = add_location(r, name->text, location_name(r->lift, name->text), bytes,
                                             has_word(v, "shared") ? SPACE_SHARED : SPACE_GLOBAL);
    if (name->initial) out->initial = read_initial(r, name->initial, type_bytes(type), bytes);
    return out;
}

/* The variable that a text or a kernel declares by that name. */
static struct lift_variable *declare(struct lift_reader *r, const char *name) {
    for (int k = 0; k < r->code->n; k++) {
        const struct ptx_statement *s = &r->code->statements[k];
        if (s->kind != PTX_VARIABLE || !(has_word(s->variable, "global") || has_word(s->variable, "shared")))
            continue;
        for (int i = 0; i < s->variable->nnames; i++)
            if (strcmp(s->variable->names[i].text, name) == 0)
                return add_variable(r, s->variable, &s->variable->names[i]);
    }
    return NULL;
}

void lift_shape(struct lift *l, struct lift_variable *v, struct type type) {
    struct location *loc = &l->test->locs[v->loc];
    int size = type_bytes(type);
    if (v->shaped) return;
    v->shaped = true;
    loc->type = type;
    loc->count = (v->bytes + size - 1) / size;
    loc->array = loc->count > 1;
    if (!v->initial) return;
    struct value *inits = arena_array(l->arena, (size_t)loc->count, sizeof *inits);
    for (int k = 0; k < loc->count; k++) {
        int left = v->bytes - k * size;
        memcpy(&inits[k], v->initial + k * size, (size_t)(left < size ? left : size));
    }
    loc->init = inits[0];
    if (loc->array) loc->inits = inits;
}

/* CULITMUS_FENCE(name) of a source (compile/compile.c): a comment, which the compiler moved no access over. */
static void read_slot(struct column *c, const struct ptx_statement *s) {
    static const char slot[] = "// culitmus fence ";
    struct op op = op_make(FENCE_THREAD, s->pos);
    if (strncmp(s->text, slot, strlen(slot)) != 0) return;
    const char *name = s->text + strlen(slot);
    op.slot = call_slot(&c->p, arena_strndup(c->p.arena, name, strcspn(name, " \t\r\n")), s->pos);
    if (op.slot >= 0) stmt_add_op(&c->p, op);
}

void lift_statement(struct column *c, const struct ptx_statement *s) {
    if (s->kind == PTX_COMMENT) read_slot(c, s);
    if (s->kind != PTX_VARIABLE || ptx_is_word(&s->variable->words[0], "param"))
        return; /* and .loc, .pragma */
    if (!has_word(s->variable, "shared") && !has_word(s->variable, "global") &&
        !has_word(s->variable, "local"))
        parse_error(&c->p, s->pos, "'.%s' is not supported yet", s->variable->words[0].text);
}

/* ---- names ---- */

/* %envreg1 and %envreg2: the high and the low half of the address of the grid's workspace, which a cooperative launch
 * gives (cooperative_groups/details/driver_abi.h). */
static struct expr *workspace_half(struct column *c, const struct ptx_operand *o) {
    enum { WORKSPACE_BYTES = 64 };
    static const char name[] = "%grid_workspace";
    bool high = strcmp(o->text, "%envreg1") == 0;
    struct lift_reader *r = lift_reader_of(c);
    if (!high && strcmp(o->text, "%envreg2") != 0) return NULL;
    struct lift_variable *v = find_variable(r->lift, name);
    if (!v) v = add_location(r, name, "grid_workspace", WORKSPACE_BYTES, SPACE_GLOBAL);
    uint64_t address = r->test->locs[v->loc].address;
    return lift_number(&c->p, o->pos, type_unsigned, high ? address >> 32 : address & UINT32_MAX);
}

struct expr *lift_name(struct column *c, const struct ptx_operand *o) {
    struct parser *p = &c->p;
    struct lift_reader *r = lift_reader_of(c);
    if (*o->text == '%') {
        struct expr *e = lift_clock(c, o);
        if (!e) e = workspace_half(c, o);
        if (e) return e;
        parse_error(p, o->pos, "special register '%s' is not supported yet", o->text);
        return NULL;
    }
    struct lift_variable *v = find_variable(r->lift, o->text);
    if (!v) v = declare(r, o->text);
    if (!v) return lift_local_address(c, o);
    const struct location *l = &r->test->locs[v->loc];
    bool shared = l->space == SPACE_SHARED;
    uint64_t address = lift_address_in(shared ? LIFT_SHARED : LIFT_GLOBAL, l->address);
    if (o->offset) address += o->offset->negated ? -o->offset->bits : o->offset->bits;
    return lift_number(p, o->pos, shared && type_bytes(c->type) <= 4 ? type_unsigned : type_uint64, address);
}
