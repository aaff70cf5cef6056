/* Reads the initial values of a table: { x=0; int y[2]={1,2}; P0:r0=1; P1:r1=x; } */
#include <string.h>

#include "litmus/copy.h"
#include "litmus/name.h"
#include "litmus/view.h"
#include "source/table_read.h"

enum { MAX_LOCATIONS = 2000, MAX_IMPLICIT = 64 };

/* Returns the '}' that closes the '{' at text[from]; NULL: there is none. */
static const char *find_close(const char *text, size_t from) {
    int depth = 0;
    for (const char *s = text + from; *s; s++) {
        depth += (*s == '{') - (*s == '}');
        if (depth == 0) return s;
    }
    return NULL;
}

/* ---- what may stand before a name ---- */

static bool take_word(struct parser *p, const char *word) {
    return syntax_at(&p->syntax, word) && syntax_next(&p->syntax);
}

/* Reads ".global" or ".shared", also without the '.'. */
static bool take_space(struct parser *p, struct location *l) {
    bool shared = take_word(p, "shared");
    if (shared) l->space = SPACE_SHARED;
    return shared || take_word(p, "global");
}

/* Whether a name follows, perhaps in brackets: then the current word belongs to a type. */
static bool is_before_name(const struct token *t) {
    return t->kind == TOK_NAME && (t[1].kind == TOK_NAME || (t[1].kind == '[' && t[2].kind == TOK_NAME));
}

/* Reads a type: "uint64_t", "unsigned long", "u64", ".u64", "mbarrier". Without one the type is int. Returns
 * whether there is one. */
static bool read_type(struct parser *p, struct location *l) {
    const char *name = "";
    struct pos pos = p->syntax.tok->pos;
    for (;;) {
        syntax_accept(&p->syntax, '.');
        if (take_space(p, l) || take_word(p, "atomic")) continue;
        if (!is_before_name(p->syntax.tok)) break;
        name = arena_printf(p->arena, "%s%s%s", name, *name ? " " : "", syntax_next(&p->syntax)->text);
    }
    l->type = type_int;
    l->map = strcmp(name, "tensormap") == 0;
    if (l->map) {
        if (l->space == SPACE_SHARED)
            parse_complain(p, pos, "not supported yet: a tensor map in shared memory");
        l->type = type_uint64;
        return true;
    }
    if (strcmp(name, "mbarrier") == 0) {
        l->type = type_uint64; /* the operations on it make it an mbarrier */
        l->space = SPACE_SHARED;
        return true;
    }
    if (*name && !type_find_ptx(name, &l->type) && !type_find(name, &l->type))
        parse_complain(p, pos, "unknown type '%s'%s", name, type_hint(p->arena, name));
    return *name;
}

/* ---- values ---- */

/* Reads a number of this type. */
static struct value read_number(struct parser *p, struct type type) {
    struct value value = {0};
    bool negative = syntax_accept(&p->syntax, '-');
    const struct token *t = p->syntax.tok;
    if (!parse_expect(p, TOK_INT, "a number")) return value;
    if (type_same(type, type_int)) return value_from(type, parse_bits(p, t, negative));
    const char *text = arena_printf(p->arena, "%s%s", negative ? "-" : "", t->text);
    enum value_problem problem = value_parse(text, type, &value);
    if (problem == VALUE_NO_NUMBER)
        parse_complain(p, t->pos, "'%s' is no number of type %s", t->text, type_name(type));
    else if (problem == VALUE_OUT_OF_RANGE)
        parse_complain(p, t->pos, "%s does not fit into type %s", text, type_name(type));
    return value;
}

/* A number for a vector is the value of its first lane. */
static struct value read_value(struct parser *p, struct type type) {
    return value_set_lane(type, (struct value){0}, 0, read_number(p, type_lane(type)));
}

/* Reads {1,2}: a value for each element, or for each lane of a vector. */
static void read_list(struct parser *p, struct location *l) {
    bool lanes = !l->array && type_is_vector(l->type);
    int most = lanes ? l->type.lanes : l->count, n = 0;
    struct value *values = arena_array(p->arena, (size_t)l->count, sizeof *values);
    do {
        const struct token *t = p->syntax.tok;
        struct value v = lanes ? read_number(p, type_lane(l->type)) : read_value(p, l->type);
        if (n == most) parse_error(p, t->pos, "'%s' has %d values, and here are more", l->name, most);
        if (p->panic) return;
        if (lanes)
            l->init = value_set_lane(l->type, l->init, n++, v);
        else
            values[n++] = v;
    } while (syntax_accept(&p->syntax, ','));
    if (!lanes) l->inits = values;
    parse_expect(p, '}', "'}'");
}

/* Reads what stands behind '='. */
static void read_initial(struct parser *p, struct location *l) {
    const struct token *t = p->syntax.tok;
    if (syntax_accept(&p->syntax, '{')) {
        read_list(p, l);
    } else if (t->kind == '&' || t->kind == TOK_NAME) {
        parse_error(
            p, t->pos,
            "not modelled yet: that '%s' holds the address of another location, or is another name of it",
            l->name);
    } else {
        l->init = read_value(p, l->type);
    }
}

/* ---- entries ---- */

static struct location location_of(const struct token *name, struct type type) {
    return (struct location){.name = name->text, .pos = name->pos, .type = type, .instances = 1, .count = 1};
}

static void add_location(struct parser *p, struct location l) {
    struct test *test = p->test;
    const char *problem = name_problem(l.name);
    int loc = find_location(test, l.name);
    if (problem) parse_complain(p, l.pos, "location name '%s' %s", l.name, problem);
    if (loc >= 0) {
        parse_complain(p, l.pos, "location '%s' is declared twice", l.name);
        diag_note(p->diag, p->source, test->locs[loc].pos, "it is declared here already");
        return;
    }
    if (test->nlocs == MAX_LOCATIONS) {
        parse_error(p, l.pos, "a table has at most %d locations", MAX_LOCATIONS);
        return;
    }
    test->locs[test->nlocs++] = l;
}

/* Reads "[2]" behind the name of an array. */
static void read_size(struct parser *p, struct location *l) {
    const struct token *t = p->syntax.tok;
    if (!parse_expect(p, TOK_INT, "the number of elements")) return;
    l->array = true;
    l->count = (int)token_number(t);
    if (token_number(t) < 1 || token_number(t) > TEST_MAX_ELEMENTS) {
        parse_complain(p, t->pos, "an array has 1 to %d elements", TEST_MAX_ELEMENTS);
        l->count = 1;
    }
    parse_expect(p, ']', "']'");
}

/* Reads tensormap m=a, where a is an array, from '=' on. */
static void read_map(struct table *t, struct parser *p, const struct token *name) {
    struct table_alias a = {.name = name, .map = true};
    parse_expect(p, '=', "'=' and the array to which the map leads");
    syntax_accept(&p->syntax, '&');
    a.of = p->syntax.tok;
    parse_expect(p, TOK_NAME, "the array to which the map leads");
    if (!p->panic) t->aliases[t->naliases++] = a;
}

/* Reads x=1, [x]=1, int x=1, x, or int x[2]={1,2}. */
static void read_location(struct table *t, struct parser *p) {
    struct location l = {.instances = 1, .count = 1};
    bool typed = read_type(p, &l);
    bool bracket = syntax_accept(&p->syntax, '[');
    const struct token *name = p->syntax.tok;
    l.name = name->text;
    l.pos = name->pos;
    parse_expect(p, TOK_NAME, "a location or a register");
    if (l.map) {
        read_map(t, p, name);
        return;
    }
    if (bracket)
        parse_expect(p, ']', "']'");
    else if (syntax_accept(&p->syntax, '['))
        read_size(p, &l);
    if (syntax_accept(&p->syntax, '=')) read_initial(p, &l);
    if (p->panic) return;
    t->declared[p->test->nlocs] = typed;
    add_location(p, l);
}

/* Reads the number of a register. It has more than 32 bits if it is written so. */
static void read_register_number(struct parser *p, struct register_value *v) {
    const struct token *t = p->syntax.tok->kind == '-' ? p->syntax.tok + 1 : p->syntax.tok;
    bool wide = t->kind == TOK_INT && !t->type.real && (t->value.lo > UINT32_MAX || t->value.hi);
    if (wide && !v->typed) v->type = t->type;
    v->value = read_number(p, v->type);
}

/* Reads P0:r0=1, 0:%r0=x or 0:.reg .b64 r0=&x. */
static void read_register(struct table *t, struct parser *p) {
    struct register_value v = {.thread = syntax_next(&p->syntax)};
    syntax_next(&p->syntax);
    if (syntax_accept(&p->syntax, '.')) take_word(p, "reg");
    struct location declared = {.name = ""};
    v.typed = read_type(p, &declared);
    v.type = v.typed && declared.type.bits > 32 ? declared.type : type_int;
    syntax_accept(&p->syntax, '%');
    v.reg = p->syntax.tok;
    parse_expect(p, TOK_NAME, "a register");
    if (syntax_accept(&p->syntax, '=')) {
        bool address = syntax_accept(&p->syntax, '&') || p->syntax.tok->kind == TOK_NAME;
        v.location = address ? p->syntax.tok : NULL;
        if (address)
            parse_expect(p, TOK_NAME, "a location");
        else
            read_register_number(p, &v);
    }
    if (!p->panic) t->values[t->nvalues++] = v;
}

/* Returns the word `aliases` of this entry, as in "y @ texture aliases x" and "x aliases y"; NULL: there is
 * none. */
static const struct token *find_alias(const struct token *t) {
    for (; t->kind != ';' && t->kind != TOK_END; t++)
        if (token_is_word(t, "aliases") || token_is_word(t, "alias")) return t;
    return NULL;
}

/* Reads the proxy behind '@'. */
static bool read_generic(struct parser *p) {
    static const char *const others[] = {"texture", "surface", "constant"};
    if (take_word(p, "generic")) return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (take_word(p, others[i])) return false;
    parse_error(p, p->syntax.tok->pos, "expected a proxy: generic, texture, surface or constant");
    return false;
}

/* Reads y @ texture aliases x, y aliases x, or y -> x aliases. */
static void read_alias(struct table *t, struct parser *p) {
    struct table_alias a = {.name = p->syntax.tok, .generic = true};
    parse_expect(p, TOK_NAME, "a location");
    bool arrow = syntax_accept(&p->syntax, '-');
    if (arrow) parse_expect(p, '>', "'>'");
    if (!arrow && syntax_accept(&p->syntax, '@')) a.generic = read_generic(p);
    if (!arrow && !p->panic) syntax_next(&p->syntax); /* skips the word `aliases` */
    a.of = p->syntax.tok;
    parse_expect(p, TOK_NAME, "a location");
    if (arrow && !p->panic) syntax_next(&p->syntax);
    if (!p->panic) t->aliases[t->naliases++] = a;
}

static int find_target(struct table *t, const struct token *location);

static void declare_map(struct table *t, struct parser *p, const struct table_alias *a) {
    int of = find_target(t, a->of), loc = t->test->nlocs;
    const char *problem = copy_map_problem(&t->test->locs[of]);
    if (problem) parse_error(p, a->of->pos, "%s", problem);
    struct location map = location_of(a->name, type_uint64);
    map.map = true;
    map.init = value_from(type_uint64, of);
    add_location(p, map);
    if (t->test->nlocs > loc) t->declared[loc] = true;
}

/* Declares the aliases and tensor maps, when all locations are known. */
static void declare_aliases(struct table *t, struct parser *p) {
    for (int k = 0; k < t->naliases; k++) {
        const struct table_alias *a = &t->aliases[k];
        p->panic = false;
        if (a->map) {
            declare_map(t, p, a);
            continue;
        }
        int of = find_target(t, a->of), loc = t->test->nlocs;
        struct location known = t->test->locs[of];
        struct location view = location_of(a->name, known.type);
        view.view = true;
        add_location(p, view);
        if (t->test->nlocs == loc) continue; /* this was reported */
        const char *problem = known.map ? "a view is of no tensor map"
                                        : view_resolve(t->arena, t->test, loc, location_root(t->test, of));
        if (problem) parse_error(p, a->of->pos, "%s", problem);
        t->test->locs[loc].va = a->generic ? loc : known.view ? known.va : of;
        t->declared[of] = t->declared[loc] = true;
    }
}

static void read_entry(struct table *t, struct parser *p) {
    const struct token *name = p->syntax.tok, *alias = find_alias(name);
    bool of_thread = (name->kind == TOK_INT || name->kind == TOK_NAME) && name[1].kind == ':';
    if (alias)
        read_alias(t, p);
    else if (of_thread)
        read_register(t, p);
    else
        read_location(t, p);
}

bool table_read_initials(struct table *t) {
    const char *close = find_close(t->text, t->at);
    size_t errors = t->diag->errors;
    if (!close) return table_fail(t, t->at, t->at + 1, "these initial values have no end '}'");
    struct snippet text = table_cut(t, t->at + 1, (size_t)(close - t->text));
    struct parser *p = table_parser(t, &text);
    size_t most = 0;
    for (const struct token *tok = p->syntax.tok; tok->kind != TOK_END; tok++)
        most++;
    t->values = arena_array(t->arena, most, sizeof *t->values);
    t->aliases = arena_array(t->arena, most, sizeof *t->aliases);
    t->max_locs = (int)most + MAX_IMPLICIT;
    t->test->locs = arena_array(t->arena, (size_t)t->max_locs, sizeof *t->test->locs);
    t->declared = arena_array(t->arena, (size_t)t->max_locs, sizeof *t->declared);
    t->global = arena_array(t->arena, (size_t)t->max_locs, sizeof *t->global);
    while (p->syntax.tok->kind != TOK_END) {
        if (syntax_accept(&p->syntax, ';') || syntax_accept(&p->syntax, '}')) continue;
        read_entry(t, p);
        if (syntax_peek(&p->syntax) != TOK_END) parse_expect(p, ';', "';'");
        parse_recover(p);
    }
    declare_aliases(t, p);
    t->at = (size_t)(close - t->text) + 1;
    table_skip_space(t);
    t->at += t->text[t->at] == ';';
    return t->diag->errors == errors;
}

/* ---- registers ---- */

int table_find_thread(struct table *t, const struct token *thread) {
    const char *name = thread->kind == TOK_INT ? table_thread_name(t->arena, t->test, thread) : thread->text;
    for (int i = 0; i < t->test->nbodies; i++)
        if (strcmp(t->test->bodies[i].name, name) == 0) return i;
    diag_error(t->diag, &t->test->source, thread->pos, "there is no thread '%s'", name);
    return -1;
}

/* Returns the location whose address a register has. A location without an initial value begins as 0. */
static int find_target(struct table *t, const struct token *location) {
    struct test *test = t->test;
    int loc = find_location(test, location->text);
    const char *problem = name_problem(location->text);
    if (loc >= 0) return loc;
    if (problem)
        diag_error(t->diag, &test->source, location->pos, "location name '%s' %s", location->text, problem);
    test->locs[test->nlocs] = location_of(location, type_int);
    return test->nlocs++;
}

void table_apply_values(struct table *t) {
    for (int i = 0; i < t->nvalues; i++) {
        const struct register_value *v = &t->values[i];
        int column = table_find_thread(t, v->thread);
        if (column < 0) continue;
        if (v->location)
            column_alias(&t->columns[column], v->reg, find_target(t, v->location));
        else
            column_initial(&t->columns[column], v->reg, v->type, v->typed, v->value);
    }
}
