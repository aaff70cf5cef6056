#include <ctype.h>
#include <string.h>

#include "litmus/axes.h"
#include "litmus/name.h"

static bool is_order(enum order o) {
    return op_rows[FENCE_THREAD].orders >> o & 1;
}

/* Finds the order that is the n characters before the '.' of "acq_rel.device"; ORDER_BARE: none. */
static enum order find_order(const char *word, size_t n) {
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++)
        if (is_order(o) && strlen(order_name(o)) == n && strncmp(order_name(o), word, n) == 0) return o;
    return ORDER_BARE;
}

struct fence fence_of(enum order order, enum scope scope) {
    return (struct fence){true, FENCE_THREAD, order, scope};
}

bool fence_same(struct fence x, struct fence y) {
    if (!x.there || !y.there) return x.there == y.there;
    return x.name == y.name && x.order == y.order && x.scope == y.scope;
}

/* Finds a fence that has a word of its own, and no order and scope. */
static bool find_word(const char *word, struct fence *out) {
    for (enum op_name k = 0; k < OP_COUNT; k++)
        if (op_rows[k].axis && strcmp(op_rows[k].axis, word) == 0) {
            *out = (struct fence){true, k, ORDER_WEAK, SCOPE_NONE};
            return true;
        }
    return false;
}

bool fence_find(const char *word, struct fence *out) {
    size_t n = strcspn(word, ".");
    bool ordered = word[n];
    enum order order = ordered ? find_order(word, n) : ORDER_BARE;
    enum scope scope = scope_find(ordered ? word + n + 1 : word);
    *out = (struct fence){0};
    if (find_word(word, out) || strcmp(word, "none") == 0) return true;
    if (scope == SCOPE_NONE || (ordered && order == ORDER_BARE)) return false;
    *out = fence_of(order, scope);
    return true;
}

const char *fence_name(struct arena *a, struct fence f) {
    if (!f.there) return scope_name(SCOPE_NONE);
    if (op_rows[f.name].axis) return op_rows[f.name].axis;
    if (f.order == ORDER_BARE) return scope_name(f.scope);
    return arena_printf(a, "%s.%s", order_name(f.order), scope_name(f.scope));
}

/* Returns such as "acq_rel or sc". */
static const char *list_orders(struct arena *a) {
    const char *list = "";
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++) {
        const char *sign = !*list ? "" : o == ORDER_SC ? " or " : ", ";
        if (is_order(o)) list = arena_printf(a, "%s%s%s", list, sign, order_name(o));
    }
    return list;
}

static void report_level(const struct test *t, struct arena *a, const char *word, struct pos pos,
                         struct diag *d) {
    size_t n = strcspn(word, ".");
    bool instruction = strncmp(word, "membar", n) == 0;
    bool prefixed = strncmp(word, "fence.", 6) == 0;
    const char *bare = prefixed ? word + 6 : word;
    struct fence meant;
    if (prefixed && fence_find(bare, &meant)) {
        diag_error(d, &t->source, pos, "unknown fence '%s'; did you mean '%s'?", word, fence_name(a, meant));
        return;
    }
    if (strcspn(bare, ".") == 5 && strncmp(bare, "proxy", 5) == 0) {
        diag_error(d, &t->source, pos, "not modelled yet: '%s', the fence of a proxy", word);
        return;
    }
    const char *suggestion = word[n] && !instruction ? "" : name_suggest(a, word, scope_names, SCOPE_SYS + 1);
    if (*suggestion)
        diag_error(d, &t->source, pos, "unknown fence '%s'%s", word, suggestion);
    else if (!word[n])
        diag_error(
            d, &t->source, pos,
            "unknown fence '%s'; it can be none, block, cluster, device or system, with an order before "
            "it as in acq_rel.device",
            word);
    else if (find_order(word, n) == ORDER_BARE)
        diag_error(d, &t->source, pos, "unknown order in the fence '%s'; it can be %s", word, list_orders(a));
    else
        diag_error(d, &t->source, pos,
                   "unknown scope in the fence '%s'; it can be block, cluster, device or system", word);
}

static int find_slot(const struct test *t, const char *name) {
    for (int i = 0; i < t->nslots; i++)
        if (t->slots[i].name && strcmp(t->slots[i].name, name) == 0) return i;
    return -1;
}

static void report_slot(const struct test *t, struct arena *a, const char *name, struct pos pos,
                        struct diag *d) {
    const char **names = arena_array(a, TEST_MAX_SLOTS, sizeof *names);
    size_t n = 0;
    for (int i = 0; i < t->nslots; i++)
        if (t->slots[i].name) names[n++] = t->slots[i].name;
    const char *hint = name_suggest(a, name, names, n);
    bool near = *hint;
    for (size_t i = 0; i < n && !near; i++)
        hint = arena_printf(a, "%s%sfence(%s)", hint, i ? ", " : "; the test has ", names[i]);
    diag_error(d, &t->source, pos,
               n ? "there is no fence(%s)%s" : "there is no fence(%s): no slot has a name%s", name, hint);
}

/* Takes the next word of *s up to one of the characters `ends`, without the blanks around it. */
static const char *next_word(struct arena *a, const char **s, const char *ends) {
    while (isspace((unsigned char)**s))
        ++*s;
    size_t n = strcspn(*s, ends), trimmed = n;
    while (trimmed > 0 && isspace((unsigned char)(*s)[trimmed - 1]))
        trimmed--;
    const char *word = arena_strndup(a, *s, trimmed);
    *s += n;
    return word;
}

/* ---- several fences in a slot ---- */

/* Returns the slot for part number `part` of a slot; -1: the test has none. */
static int find_part(const struct test *t, int slot, int part) {
    if (part == 0) return slot;
    for (int i = t->nslots; i < t->nslots + t->nparts; i++)
        if (t->slots[i].of == slot && t->slots[i].part == part) return i;
    return -1;
}

/* Sets part number `part` of a slot, or of all slots if slot is -1. Returns false and leaves an error if it
 * has no such part. */
static bool set_part(const struct test *t, struct fence_choice *choice, int slot, int part,
                     struct fence level, const char *text, struct pos pos, struct diag *d) {
    for (int i = 0; i < t->nslots; i++) {
        int at = slot < 0 || i == slot ? find_part(t, i, part) : 0;
        if (at < 0) {
            diag_error(d, &t->source, pos,
                       "'%s' is more fences in a slot than any choice in the test's 'fences' has", text);
            return false;
        }
        if (slot < 0 || i == slot) choice->slot[at] = level;
    }
    return true;
}

/* Parses the fences of a slot (-1: of each slot), such as "acquire.block+release.device", and adds them to
 * the choice's name. */
static bool parse_levels(const struct test *t, struct arena *a, const char *text, int slot, struct pos pos,
                         struct diag *d, struct fence_choice *choice) {
    struct fence level;
    int part = 0;
    bool several = strchr(text, '+') != NULL, good = true;
    for (const char *s = text;; s++, part++) {
        const char *word = next_word(a, &s, "+");
        bool known = fence_find(word, &level);
        if (!known || (several && !level.there)) {
            if (known)
                diag_error(d, &t->source, pos, "'none' stands alone, not beside other fences in '%s'", text);
            else
                report_level(t, a, word, pos, d);
            good = false;
        } else if (good) {
            good = set_part(t, choice, slot, part, level, text, pos, d);
            choice->name = arena_printf(a, "%s%s%s", choice->name, part ? "+" : "", fence_name(a, level));
        }
        if (*s != '+') return good;
    }
}

/* Returns the most fences that a slot has in a choice: the longest run of words joined by '+'. */
static int count_parts(const char *text) {
    int most = 1;
    for (const char *s = text; *s; s += strcspn(s, ","), s += *s == ',') {
        int n = 1;
        for (const char *c = s; *c && *c != ','; c++)
            n += *c == '+';
        if (n > most) most = n;
    }
    return most;
}

void fence_reserve(struct test *t, const char *text, struct pos pos, struct diag *d) {
    int parts = count_parts(text);
    for (int slot = 0; slot < t->nslots; slot++)
        for (int part = 1; part < parts; part++) {
            if (find_part(t, slot, part) >= 0) continue;
            if (t->nslots + t->nparts == TEST_MAX_SLOTS) {
                diag_error(d, &t->source, pos, "the slots of a test have at most %d fences", TEST_MAX_SLOTS);
                return;
            }
            struct slot *s = &t->slots[t->nslots + t->nparts++];
            *s = t->slots[slot];
            s->of = slot;
            s->part = part;
        }
}

/* Whether some choice has the row's fence in a slot. */
static bool is_chosen(const struct test *t, int slot, enum op_name name) {
    for (int k = 0; k < t->nfences; k++)
        if (t->fences[k].slot[slot].there && t->fences[k].slot[slot].name == name) return true;
    return false;
}

/* Puts an operation of the row behind the slot's operation. Returns its statement. */
static struct stmt *add_behind(struct arena *a, struct stmt *s, enum op_name name, int slot) {
    struct stmt *more = arena_alloc(a, sizeof *more);
    *more = *s;
    more->op = arena_alloc(a, sizeof *more->op);
    *more->op = op_make(name, s->op->pos);
    more->op->body = s->op->body;
    more->op->slot = slot;
    s->next = more;
    return more;
}

/* Puts behind each operation of a slot those of other rows that some choice has there, and those of the
 * slot's further parts. */
static void add_fences(const struct test *t, struct arena *a, struct stmt *s) {
    for (; s; s = s->next) {
        add_fences(t, a, s->body);
        add_fences(t, a, s->orelse);
        add_fences(t, a, s->step);
        if (s->kind != STMT_OP || s->op->slot < 0) continue;
        int slot = s->op->slot;
        for (int part = 0, i; (i = find_part(t, slot, part)) >= 0; part++)
            for (enum op_name name = 0; name < OP_COUNT; name++)
                if ((part || name != FENCE_THREAD) && is_chosen(t, i, name)) s = add_behind(a, s, name, i);
    }
}

void fence_add(struct test *t, struct arena *a) {
    for (int b = 0; b < t->nbodies; b++)
        add_fences(t, a, t->bodies[b].first);
    test_number_ops(a, t);
}

/* ---- choices ---- */

/* Finds the slot of a name, which may be given only once. Returns -1 and leaves an error otherwise. */
static int take_slot(const struct test *t, struct arena *a, const char *name, bool *given, struct pos pos,
                     struct diag *d) {
    int slot = find_slot(t, name);
    if (slot < 0)
        report_slot(t, a, name, pos, d);
    else if (given[slot])
        diag_error(d, &t->source, pos, "fence(%s) is given twice", name);
    else
        given[slot] = true;
    return slot;
}

/* Parses "release=device,acquire=none": a fence for each named slot. Other slots have none. */
static bool parse_slots(const struct test *t, struct arena *a, const char *text, struct pos pos,
                        struct diag *d, struct fence_choice *choice) {
    bool given[TEST_MAX_SLOTS] = {false}, good = true;
    for (const char *s = text;; s++) {
        const char *name = next_word(a, &s, "=,");
        if (*s != '=') {
            diag_error(d, &t->source, pos, "expected name=level in the fence list '%s'", text);
            return false;
        }
        s++;
        const char *levels = next_word(a, &s, ",");
        size_t errors = d->errors;
        int slot = take_slot(t, a, name, given, pos, d);
        choice->name = arena_printf(a, "%s%s%s=", choice->name, *choice->name ? "," : "", name);
        if (d->errors == errors && !parse_levels(t, a, levels, slot, pos, d, choice)) good = false;
        good = good && d->errors == errors;
        if (*s != ',') return good;
    }
}

static const char as_written[] = "as-written";

bool fence_check_words(struct arena *a, const char *text, struct diag *d) {
    static const struct test any;
    bool list = strchr(text, '=') != NULL, good = true;
    char before = list ? ',' : '='; /* what stands before a word: ',' in the list of a slot, else '=' */
    if (strcmp(text, as_written) == 0) return true;
    for (const char *s = text; *s; s += *s != '\0') {
        struct fence level;
        const char *word = next_word(a, &s, list ? "+=," : "+");
        if (before != ',' && !fence_find(word, &level)) {
            report_level(&any, a, word, (struct pos){0}, d);
            good = false;
        }
        before = *s;
    }
    return good;
}

const struct fence_choice *fence_read(const struct test *t, struct arena *a, const char *text, struct pos pos,
                                      struct diag *d) {
    struct fence_choice *choice = arena_alloc(a, sizeof *choice);
    choice->name = "";
    if (t->nslots == 0) {
        choice->name = as_written;
        if (strcmp(text, as_written) == 0) return choice;
        diag_error(d, &t->source, pos, "the test has no fence() that '%s' could stand for", text);
        return NULL;
    }
    bool good = strchr(text, '=') ? parse_slots(t, a, text, pos, d, choice)
                                  : parse_levels(t, a, text, -1, pos, d, choice);
    return good ? choice : NULL;
}

/* Whether a test has an operation for the choice's fence in a slot. */
static bool has_fence(const struct test *t, const struct fence_choice *choice, int slot) {
    for (int k = 1; k <= t->nops && choice->slot[slot].there; k++)
        if (t->ops[k].slot == slot && t->ops[k].name == choice->slot[slot].name) return true;
    return !choice->slot[slot].there;
}

const struct fence_choice *fence_parse(const struct test *t, struct arena *a, const char *text,
                                       struct pos pos, struct diag *d) {
    const struct fence_choice *choice = fence_read(t, a, text, pos, d);
    for (int slot = 0; choice && slot < t->nslots + t->nparts; slot++) {
        if (has_fence(t, choice, slot)) continue;
        diag_error(d, &t->source, pos, "no choice in the test's 'fences' has the fence '%s' there",
                   fence_name(a, choice->slot[slot]));
        return NULL;
    }
    return choice;
}

void fence_defaults(struct test *t, struct arena *a) {
    static const enum scope levels[] = {SCOPE_NONE, SCOPE_CTA, SCOPE_GPU, SCOPE_SYS};
    t->nfences = t->nslots ? 4 : 1;
    t->fences = arena_array(a, 4, sizeof *t->fences);
    for (int i = 0; i < t->nfences; i++) {
        t->fences[i].name = scope_name(levels[i]);
        for (int k = 0; k < TEST_MAX_SLOTS; k++)
            if (i > 0) t->fences[i].slot[k] = fence_of(ORDER_BARE, levels[i]);
    }
    if (t->nslots == 0) t->fences[0].name = as_written;
}
