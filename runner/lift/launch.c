/* The parameters of a kernel, as the bytes that a launch gives (PTX ISA, "Kernel Function Parameters"). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lift/reader.h"

enum { MAX_PARAMETER = 4096 };

/* The type of a parameter by its declaration. */
struct parameter_shape {
    struct type type; /* of a single value */
    bool is_struct;   /* it is declared as bytes */
    int size;
};

static struct parameter_shape shape_of(const struct ptx_variable *v) {
    struct parameter_shape s = {.type = type_uint64};
    const struct ptx_name *name = &v->names[0];
    type_find_ptx(v->words[v->nwords - 1].text, &s.type);
    s.size = type_bytes(s.type);
    s.is_struct = name->ndimensions > 0;
    if (s.is_struct) s.size *= name->dimensions[0] > 0 ? name->dimensions[0] : 0;
    return s;
}

static void complain(struct lift_reader *r, struct pos pos, const char *text) {
    diag_error(r->diag, &r->test->source, pos, "%s", text);
}

/* Reads the type in "u32 1". Returns what follows it. */
static const char *take_type(const char *text, struct type *type) {
    char word[16];
    size_t n = strcspn(text, " ");
    if (!text[n] || n >= sizeof word) return text;
    memcpy(word, text, n);
    word[n] = '\0';
    return type_find_ptx(word, type) || type_find(word, type) ? text + n + strspn(text + n, " ") : text;
}

/* Reads a value, which may name another type than *type. */
static bool read_value(struct lift_reader *r, const struct lift_piece *piece, struct type *type,
                       struct value *out) {
    uint64_t address;
    const char *text = take_type(piece->text, type);
    size_t n = strlen(text);
    if (lift_find_address(r->test, text, &address)) {
        *type = type_uint64;
        *out = (struct value){.lo = address};
        return true;
    }
    bool fraction = strchr(text, '.') && strspn(text, "+-.0123456789ef") == n;
    if (fraction && n && text[n - 1] == 'f' && text == piece->text) *type = type_float;
    if (type->real && n && text[n - 1] == 'f') text = arena_strndup(r->arena, text, n - 1);
    if (fraction && type->bits == 64) *type = type_double;
    enum value_problem problem = value_parse(text, *type, out);
    if (problem != VALUE_FINE)
        complain(r, piece->pos,
                 arena_printf(r->arena, "'%s' is %s", piece->text,
                              problem == VALUE_NO_NUMBER
                                  ? "neither a number nor a location"
                                  : arena_printf(r->arena, "beyond what %s can hold", type_name(*type))));
    return problem == VALUE_FINE;
}

/* Fills in the bytes of a struct. */
static bool fill_struct(struct lift_reader *r, const struct lift_argument *arg, struct lift_parameter *to) {
    int end = 0;
    for (int k = 0; k < arg->npieces; k++) {
        const struct lift_piece *piece = &arg->pieces[k];
        struct type type = type_int;
        struct value value;
        if (!read_value(r, piece, &type, &value)) return false;
        int size = type_bytes(type), at = piece->at >= 0 ? piece->at : (end + size - 1) / size * size;
        if (at + size > to->size) {
            complain(r, piece->pos,
                     arena_printf(r->arena, "this ends at byte %d, and parameter '%s' has %d", at + size,
                                  to->name, to->size));
            return false;
        }
        memcpy(to->bytes + at, &value, (size_t)size);
        to->pieces[at] = size;
        end = at + size;
    }
    return true;
}

static bool fill(struct lift_reader *r, const struct lift_argument *arg, const struct parameter_shape *shape,
                 struct lift_parameter *to) {
    if (arg->is_struct && arg->bytes && arg->bytes != shape->size) {
        complain(r, arg->pos,
                 arena_printf(r->arena, "a struct of %d bytes, and parameter '%s' has %d", arg->bytes,
                              to->name, shape->size));
        return false;
    }
    if (shape->is_struct && !arg->is_struct && arg->npieces == 1) return fill_struct(r, arg, to);
    if (arg->is_struct) return fill_struct(r, arg, to);
    struct type type = shape->type;
    struct value value;
    if (!read_value(r, &arg->pieces[0], &type, &value)) return false;
    if (type_bytes(type) != shape->size) {
        complain(r, arg->pos,
                 arena_printf(r->arena, "parameter '%s' has %d bytes, and this has %d", to->name, shape->size,
                              type_bytes(type)));
        return false;
    }
    memcpy(to->bytes, &value, (size_t)shape->size);
    to->pieces[0] = shape->size;
    return true;
}

/* Returns such as "'p' (u64, an address or a number)". */
static const char *describe(struct lift_reader *r, const struct ptx_variable *v) {
    struct parameter_shape s = shape_of(v);
    return s.is_struct ? arena_printf(r->arena, "'%s', a struct of %d bytes", v->names[0].text, s.size)
                       : arena_printf(r->arena, "'%s' of type %s", v->names[0].text, type_ptx(s.type));
}

static bool check_count(struct lift_reader *r, const struct ptx_function *entry) {
    int n = entry->nparameters, given = r->launch->nargs;
    if (given < n)
        complain(r, r->launch->pos,
                 arena_printf(r->arena, "kernel '%s' has %d parameter%s, and 'args' has %d: %s has none",
                              entry->name, n, n == 1 ? "" : "s", given,
                              describe(r, &entry->parameters[given])));
    else if (given > n)
        complain(r, r->launch->args[n].pos,
                 arena_printf(r->arena, "an argument too many: kernel '%s' has %d parameter%s", entry->name,
                              n, n == 1 ? "" : "s"));
    return given == n;
}

/* Returns how many blocks the cluster has by ".reqnctapercluster 2, 1, 1", which __cluster_dims__ becomes; 0:
 * it is not given. */
static int required_cluster(const struct ptx_function *entry) {
    int blocks = 1;
    for (int k = 0; k < entry->ndirectives; k++) {
        const struct ptx_directive *d = &entry->directives[k];
        if (strcmp(d->tokens[0], "reqnctapercluster") != 0) continue;
        for (int i = 1; i < d->n; i++)
            if (isdigit((unsigned char)*d->tokens[i])) blocks *= (int)strtol(d->tokens[i], NULL, 0);
        return blocks;
    }
    return 0;
}

/* Checks that the launch has the cluster size for which the kernel is compiled. */
static bool check_cluster(struct lift_reader *r, const struct ptx_function *entry) {
    struct body *b = r->body;
    int required = required_cluster(entry), given = b->cluster ? b->cluster : required;
    const char *problem = NULL;
    if (required && given != required)
        problem = arena_printf(r->arena, "kernel '%s' is for clusters of %d, and 'cluster' says %d",
                               entry->name, required, given);
    else if (required && b->grid % required)
        problem =
            arena_printf(r->arena, "kernel '%s' is for clusters of %d, of which 'grid' is a multiple, not %d",
                         entry->name, required, b->grid);
    b->cluster = given;
    if (problem) complain(r, r->launch->pos, problem);
    return !problem;
}

bool lift_lay_out(struct lift_reader *r, const struct ptx_function *entry) {
    if (!check_count(r, entry) || !check_cluster(r, entry)) return false;
    r->nparameters = entry->nparameters;
    r->parameters = arena_array(r->arena, (size_t)r->nparameters, sizeof *r->parameters);
    bool good = true;
    for (int k = 0; k < r->nparameters; k++) {
        struct parameter_shape shape = shape_of(&entry->parameters[k]);
        struct lift_parameter *to = &r->parameters[k];
        if (shape.size > MAX_PARAMETER) shape.size = MAX_PARAMETER;
        *to = (struct lift_parameter){entry->parameters[k].names[0].text,
                                      arena_alloc(r->arena, (size_t)shape.size), shape.size,
                                      arena_array(r->arena, (size_t)shape.size + 1, sizeof(int))};
        good = fill(r, &r->launch->args[k], &shape, to) && good;
    }
    return good;
}

static const struct lift_parameter *find_parameter(const struct lift_reader *r, const char *name) {
    for (int k = 0; k < r->nparameters; k++)
        if (strcmp(r->parameters[k].name, name) == 0) return &r->parameters[k];
    return NULL;
}

/* ---- addresses of parameters ---- */

static bool names(const struct ptx_operand *o, const char *name) {
    bool found = o->kind == PTX_NAME && strcmp(o->text, name) == 0;
    for (int k = 0; k < o->nparts && !found; k++)
        found = names(&o->parts[k], name);
    return found;
}

/* Whether an instruction uses a parameter's name otherwise than to load from it. */
static bool takes_address(const struct ptx_instruction *in, const char *name) {
    bool loads = ptx_is(in, "ld"), found = false;
    for (int k = 0; k < in->noperands && !loads; k++)
        found = found || names(&in->operands[k], name);
    return found;
}

/* Copies a parameter into .local memory, value by value as the launch gives them; bytes between them are
 * 0. */
static void keep_parameter(struct lift_reader *r, const struct lift_parameter *from, struct pos pos) {
    struct parser *p = &r->made->p;
    uint64_t address = lift_make_local(r, (struct lift_local){.bytes = from->size}, pos);
    lift_bind(r, from->name, address);
    for (int at = 0, n; at < from->size; at += n) {
        uint64_t bits = 0;
        n = from->pieces[at] > 8 ? 8 : from->pieces[at] ? from->pieces[at] : 1;
        memcpy(&bits, from->bytes + at, (size_t)n);
        struct op op = op_make(STORE_PLAIN, pos);
        op.type = (struct type){.bits = (uint8_t)(8 * n), .lanes = 1};
        op.place[0].index = lift_number(p, pos, type_uint64, address + (uint64_t)at);
        op.value = lift_number(p, pos, op.type, bits);
        stmt_add_op(p, op);
    }
}

void lift_keep_parameters(struct lift_reader *r, const struct ptx_code *body) {
    for (int k = 0; k < r->nparameters; k++) {
        bool taken = false;
        for (int i = 0; i < body->n && !taken; i++)
            taken = body->statements[i].kind == PTX_INSTRUCTION &&
                    takes_address(body->statements[i].instruction, r->parameters[k].name);
        if (taken) keep_parameter(r, &r->parameters[k], body->statements[0].pos);
    }
}

/* ---- ld.param, st.param ---- */

/* what a call of a printing function returns */
static unsigned char zeros[8];
static const struct lift_parameter nothing = {"", zeros, sizeof zeros, NULL};

/* Returns the address of the call's variable that an operand names; 0: none. */
static uint64_t find_passed(struct column *c, const struct ptx_operand *o) {
    return o->nparts == 1 ? lift_find_local(c, o->parts[0].text) : 0;
}

/* Reads ld.param.u64 r, [p+8] and ld.param.v2.u32 {a, b}, [p]. */
void lift_load_parameter(struct column *c) {
    struct parser *p = &c->p;
    struct lift_reader *r = lift_reader_of(c);
    struct type type = c->type;
    const struct ptx_operand *o = c->in->noperands > 1 ? &c->in->operands[1] : NULL;
    const struct ptx_operand *base = o && o->nparts == 1 ? &o->parts[0] : o;
    const struct lift_parameter *from =
        base && base->kind == PTX_NAME && !r->end ? find_parameter(r, base->text) : NULL;
    if (o && !from && (*base->text == '%' || find_passed(c, o))) {
        lift_read_local(c);
        return;
    }
    struct ptx_targets to = ptx_targets(c);
    o = ptx_next(c, "a parameter");
    if (!o || p->panic) return;
    int size = type_bytes(type), at = base->offset ? (int)base->offset->bits : 0;
    if (!from && strncmp(base->text, "retval", 6) == 0) from = &nothing;
    if (!from)
        parse_error(p, o->pos, "expected a parameter of the kernel");
    else if (at + size * to.n > from->size)
        parse_error(p, o->pos, "parameter '%s' has %d bytes", from->name, from->size);
    for (int k = 0; k < to.n && !p->panic; k++) {
        uint64_t bits = 0;
        memcpy(&bits, from->bytes + at + k * size, size < 8 ? (size_t)size : 8);
        ptx_set(c, to.regs[k], lift_number(p, o->pos, type, bits));
    }
}

/* Reads st.param. Arguments for a function that is not followed are dropped. */
void lift_store_parameter(struct column *c) {
    if (c->in->noperands && find_passed(c, &c->in->operands[0])) lift_read_local(c);
}
