/* Variables of a PTX, each a location; and special registers. */
#include <stdlib.h>
#include <string.h>

#include "lift/reader.h"
#include "litmus/name.h"
#include "lower/calls.h"

/* ---- names ---- */

/* Returns the last name in a mangled one: `tile` for "_ZZ6kernelPiE4tile" and "_ZL4tile". NULL: it has
 * none. */
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

/* Returns the variable's name in the source, or if that is taken its name in the PTX. If both are taken, a
 * number follows: its size in bytes, or the next larger number that makes it unique. */
static const char *location_name(const struct lift *l, const char *name, int bytes) {
    const char *short_name = source_name(l->arena, name);
    bool fine = short_name && !name_problem(short_name) && find_location(l->test, short_name) < 0;
    if (fine || find_location(l->test, name) < 0) return fine ? short_name : name;
    for (int number = bytes;; number++) {
        const char *made = arena_printf(l->arena, "%s_%d", short_name ? short_name : name, number);
        if (find_location(l->test, made) < 0) return made;
    }
}

/* ---- variables ---- */

/* Whether kernels of a file see a variable of this name. */
static bool has_variable(const struct lift_variable *v, const char *file, const char *name) {
    return strcmp(v->name, name) == 0 && (!v->file || strcmp(v->file, file) == 0);
}

static struct lift_variable *find_variable(const struct lift_reader *r, const char *name) {
    const struct lift *l = r->lift;
    for (int k = 0; k < l->nvariables; k++)
        if (has_variable(&l->variables[k], r->launch->ptx->path, name)) return &l->variables[k];
    return NULL;
}

bool lift_has_word(const struct ptx_variable *v, const char *word) {
    for (int k = 0; k < v->nwords; k++)
        if (ptx_is_word(&v->words[k], word)) return true;
    return false;
}

static int find_declared(struct lift_reader *r, const char *name);

/* Returns an initial value: a number, or the address of a variable, as x+4 or generic(x). */
static uint64_t initial_bits(struct lift_reader *r, const struct ptx_operand *o) {
    if (o->kind != PTX_NAME && o->nparts == 0) return o->negated ? -o->bits : o->bits;
    bool generic = strcmp(o->text, "generic") == 0 && o->nparts == 1;
    const struct ptx_operand *name = generic ? &o->parts[0] : o;
    int found = name->nparts ? -1 : find_declared(r, name->text);
    if (found < 0) {
        diag_error(r->diag, r->launch->ptx, name->pos,
                   "not supported: an initial value that is the address of '%s', which is no variable in "
                   "global memory",
                   name->text);
        return 0;
    }
    const struct ptx_operand *more = name->offset ? name->offset : o->offset;
    uint64_t address = r->test->locs[r->lift->variables[found].loc].address;
    return !more ? address : more->negated ? address - more->bits : address + more->bits;
}

/* Fills in the bytes of a list in braces, which may nest, from byte `at` on. Returns the byte behind them. */
static int read_list(struct lift_reader *r, const struct ptx_operand *o, int size, int bytes, int at,
                     unsigned char *out) {
    for (int k = 0; o->kind == PTX_VECTOR && k < o->nparts; k++)
        at = read_list(r, &o->parts[k], size, bytes, at, out);
    if (o->kind == PTX_VECTOR || at + size > bytes) return at;
    if (o->kind == PTX_FLOAT && o->size != 8 * size)
        diag_error(r->diag, r->launch->ptx, o->pos, "not supported yet: an initial value of %d bits for %d",
                   o->size, 8 * size);
    uint64_t bits = initial_bits(r, o);
    memcpy(out + at, &bits, size < 8 ? (size_t)size : 8);
    return at + size;
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

/* Makes a variable a location that consists of bytes. */
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
                            .unknown = space == SPACE_SHARED,
                            .space = space};
    int loc = lift_add_location(l, made);
    l->variables = arena_more(l->arena, l->variables, (size_t)l->nvariables, sizeof *l->variables);
    l->variables[l->nvariables] = (struct lift_variable){.name = ptx_name, .loc = loc, .bytes = bytes};
    return &l->variables[l->nvariables++];
}

/* A declaration of a variable in the PTX. */
struct declaration {
    const struct ptx_variable *variable;
    const struct ptx_name *name;
};

static bool find_declaration(const struct ptx_code *code, const char *name, struct declaration *out) {
    for (int k = 0; k < code->n; k++) {
        const struct ptx_variable *v = code->statements[k].variable;
        if (code->statements[k].kind != PTX_VARIABLE) continue;
        if (!lift_has_word(v, "global") && !lift_has_word(v, "shared") && !lift_has_word(v, "const"))
            continue;
        for (int i = 0; i < v->nnames; i++)
            if (strcmp(v->names[i].text, name) == 0) {
                *out = (struct declaration){v, &v->names[i]};
                return true;
            }
    }
    return false;
}

/* Returns the size of a value's type, including types that are read nowhere else, such as .f16x2. */
static int value_bytes(const struct ptx_variable *v) {
    const char *word = v->words[v->nwords - 1].text, *digits = word + strcspn(word, "0123456789");
    int bits = (int)strtol(digits, NULL, 10);
    return strstr(word, "x2") ? bits / 4 : bits / 8;
}

/* Returns the size of a variable. One without a size is the dynamic shared memory. */
static long long bytes_of(const struct lift_reader *r, const struct declaration *d) {
    int lanes = lift_has_word(d->variable, "v2") ? 2 : lift_has_word(d->variable, "v4") ? 4 : 1;
    long long bytes = (long long)value_bytes(d->variable) * lanes;
    for (int k = 0; k < d->name->ndimensions && bytes <= TEST_MAX_ELEMENTS; k++) {
        if (d->name->dimensions[k] < 0) return lift_has_word(d->variable, "shared") ? r->launch->shared : 0;
        bytes *= d->name->dimensions[k];
    }
    return bytes;
}

/* Returns why a variable cannot be a location; NULL: it can. */
static const char *variable_problem(const struct lift_reader *r, const struct declaration *d) {
    const char *name = d->name->text;
    bool shared = lift_has_word(d->variable, "shared");
    long long bytes = bytes_of(r, d);
    if (lift_has_word(d->variable, "const"))
        return arena_printf(r->arena,
                            "not supported: '%s' is constant memory, which the host may set before the "
                            "launch; a parameter or a __device__ variable says what it holds",
                            name);
    if (lift_has_word(d->variable, "extern") && !shared)
        return arena_printf(r->arena, "not supported: '%s' is defined in another file", name);
    if (bytes == 0 && shared)
        return arena_printf(r->arena,
                            "'%s' is the dynamic shared memory, of which this launch has none: 'shared' says "
                            "how many bytes",
                            name);
    if (bytes > TEST_MAX_ELEMENTS)
        return arena_printf(r->arena, "not supported: '%s' has more than %d bytes", name, TEST_MAX_ELEMENTS);
    return bytes > 0 ? NULL : arena_printf(r->arena, "'%s' has no bytes", name);
}

/* Whether kernels of another file have a variable of their own by this name: nvcc compiles each file as a
 * module. For .weak and .common variables the linker takes one for all. Shared memory belongs to a block
 * anyway. */
static bool belongs_to_file(const struct declaration *d) {
    const struct ptx_variable *v = d->variable;
    return !lift_has_word(v, "shared") && !lift_has_word(v, "weak") && !lift_has_word(v, "common");
}

/* Makes a variable a location. Returns its number. Others may follow, because an initial value may name
 * them. */
static int add_variable(struct lift_reader *r, const struct declaration *d) {
    int bytes = (int)bytes_of(r, d), at = r->lift->nvariables;
    add_location(r, d->name->text, location_name(r->lift, d->name->text, bytes), bytes,
                 lift_has_word(d->variable, "shared") ? SPACE_SHARED : SPACE_GLOBAL);
    if (belongs_to_file(d)) r->lift->variables[at].file = r->launch->ptx->path;
    if (!d->name->initial) return at;
    unsigned char *initial = arena_alloc(r->arena, (size_t)bytes);
    read_list(r, d->name->initial, value_bytes(d->variable), bytes, 0, initial);
    r->lift->variables[at].initial = initial;
    return at;
}

/* Returns the number of a variable in global memory that the PTX declares; -1: there is none. */
static int find_declared(struct lift_reader *r, const char *name) {
    struct declaration d;
    const struct lift_variable *v = find_variable(r, name);
    if (v) return (int)(v - r->lift->variables);
    bool fine = find_declaration(r->code, name, &d) && lift_has_word(d.variable, "global") &&
                !variable_problem(r, &d);
    return fine ? add_variable(r, &d) : -1;
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

/* Reads CULITMUS_FENCE(name) of a source (compile/compile.c). In PTX it is a comment, over which the compiler
 * has moved no access. */
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
        return; /* .loc, .pragma and the like */
    if (!lift_has_word(s->variable, "shared") && !lift_has_word(s->variable, "global") &&
        !lift_has_word(s->variable, "local"))
        parse_error(&c->p, s->pos, "'.%s' is not supported yet", s->variable->words[0].text);
}

/* ---- names ---- */

/* Returns %envreg1 or %envreg2: the high and the low half of the address of the grid's workspace, which each
 * cooperative launch provides (cooperative_groups/details/driver_abi.h). */
static struct expr *workspace_half(struct column *c, const struct ptx_operand *o) {
    enum { WORKSPACE_BYTES = 64 };
    bool high = strcmp(o->text, "%envreg1") == 0;
    struct lift_reader *r = lift_reader_of(c);
    int launch = r->lift->nkernels;
    if (!high && strcmp(o->text, "%envreg2") != 0) return NULL;
    const char *name = arena_printf(r->arena, "%%grid_workspace%d", launch);
    struct lift_variable *v = find_variable(r, name);
    const char *shown = launch ? arena_printf(r->arena, "grid_workspace%d", launch) : "grid_workspace";
    if (!v) v = add_location(r, name, shown, WORKSPACE_BYTES, SPACE_GLOBAL);
    uint64_t address = r->test->locs[v->loc].address;
    return lift_number(&c->p, o->pos, type_unsigned, high ? address >> 32 : address & UINT32_MAX);
}

/* Finds a variable by name and size; NULL: there is none yet. Kernels may have different shared variables of
 * the same name. */
static const struct lift_variable *find_sized(const struct lift_reader *r, const char *name,
                                              long long bytes) {
    const struct lift *l = r->lift;
    for (int k = 0; k < l->nvariables; k++)
        if (has_variable(&l->variables[k], r->launch->ptx->path, name) && l->variables[k].bytes == bytes)
            return &l->variables[k];
    return NULL;
}

/* Finds the variable of a name, and makes it a location if it is only declared. NULL: there is none, or an
 * error says why it cannot be a location. */
static const struct lift_variable *take_variable(struct column *c, const struct ptx_operand *o) {
    struct lift_reader *r = lift_reader_of(c);
    struct declaration d;
    const struct lift_variable *v = find_variable(r, o->text);
    if (!find_declaration(c->code, o->text, &d) && !find_declaration(r->code, o->text, &d)) return v;
    const struct lift_variable *same = find_sized(r, o->text, bytes_of(r, &d));
    if (same) return same;
    const char *problem = variable_problem(r, &d);
    if (v && !problem && !lift_has_word(d.variable, "shared"))
        problem =
            arena_printf(r->arena, "'%s' has %lld bytes here, and %d where another kernel of the test has it",
                         o->text, bytes_of(r, &d), v->bytes);
    if (problem) parse_error(&c->p, o->pos, "%s", problem);
    if (problem) return NULL;
    int added = add_variable(r, &d);
    return &r->lift->variables[added];
}

/* Returns the address of a name that is no variable. */
static struct expr *other_address(struct column *c, const struct ptx_operand *o) {
    const struct lift_reader *r = lift_reader_of(c);
    uint64_t local = lift_find_local(c, o->text);
    if (local && o->offset) local += o->offset->negated ? -o->offset->bits : o->offset->bits;
    if (!local && lift_find_function(r->code, o->text))
        parse_error(&c->p, o->pos, "not supported: the address of function '%s', for an indirect call",
                    o->text);
    return local ? lift_number(&c->p, o->pos, type_uint64, local) : NULL;
}

/* Returns a special register that follows from the launch; NULL: the name is none. */
static struct expr *launch_word(struct column *c, const struct ptx_operand *o) {
    static const char *const ones[] = {"%nclusterid.y", "%nclusterid.z"}, *const zeros[] = {"%clusterid.y",
                                                                                            "%clusterid.z"};
    struct parser *p = &c->p;
    const struct lift_reader *r = lift_reader_of(c);
    for (size_t k = 0; k < 2; k++) {
        if (strcmp(o->text, ones[k]) == 0) return lift_number(p, o->pos, type_unsigned, 1);
        if (strcmp(o->text, zeros[k]) == 0) return lift_number(p, o->pos, type_unsigned, 0);
    }
    bool blocks = strcmp(o->text, "%nclusterid.x") == 0;
    if (blocks || strcmp(o->text, "%clusterid.x") == 0)
        return expr_new(p, EXPR_DIV, o->pos, grid_special(p, blocks ? "%nctaid.x" : "%ctaid.x", o->pos),
                        grid_special(p, "%cluster_nctarank", o->pos));
    if (strcmp(o->text, "%warpid") == 0)
        return expr_new(p, EXPR_DIV, o->pos, grid_special(p, "%tid.x", o->pos),
                        lift_number(p, o->pos, type_unsigned, WARP_LANES));
    if (strcmp(o->text, "%dynamic_smem_size") == 0)
        return lift_number(p, o->pos, type_unsigned, (uint64_t)r->launch->shared);
    if (strcmp(o->text, "%is_explicit_cluster") == 0) return expr_int(p, o->pos, p->body->cluster > 0);
    return NULL;
}

struct expr *lift_name(struct column *c, const struct ptx_operand *o) {
    struct parser *p = &c->p;
    struct lift_reader *r = lift_reader_of(c);
    if (strcmp(o->text, "WARP_SZ") == 0) return lift_number(p, o->pos, type_unsigned, WARP_LANES);
    if (*o->text == '%') {
        struct expr *e = clock_is_special(o->text) ? clock_value(p, o->pos, type_uint64) : NULL;
        if (!e) e = workspace_half(c, o);
        if (!e) e = launch_word(c, o);
        if (e) return e;
        parse_error(p, o->pos, "special register '%s' is not supported yet", o->text);
        return NULL;
    }
    const struct lift_variable *v = take_variable(c, o);
    if (!v) return p->panic ? NULL : other_address(c, o);
    const struct location *l = &r->test->locs[v->loc];
    bool shared = l->space == SPACE_SHARED;
    uint64_t address = lift_address_in(shared ? LIFT_SHARED : LIFT_GLOBAL, l->address);
    if (o->offset) address += o->offset->negated ? -o->offset->bits : o->offset->bits;
    return lift_number(p, o->pos, shared && type_bytes(c->type) <= 4 ? type_unsigned : type_uint64, address);
}
