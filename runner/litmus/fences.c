#include <ctype.h>
#include <string.h>

#include "litmus/axes.h"
#include "litmus/name.h"

static bool is_order(enum order o) {
    return op_rows[FENCE_THREAD].orders >> o & 1;
}

/* The order in the n characters before the '.' of "acq_rel.device", or ORDER_BARE. */
static enum order find_order(const char *word, size_t n) {
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++)
        if (is_order(o) && strlen(order_name(o)) == n && strncmp(order_name(o), word, n) == 0) return o;
    return ORDER_BARE;
}

bool strength_find(const char *word, struct strength *out) {
    size_t n = strcspn(word, ".");
    bool ordered = word[n];
    out->order = ordered ? find_order(word, n) : ORDER_BARE;
    out->scope = scope_find(ordered ? word + n + 1 : word);
    if (out->scope == SCOPE_NONE) return !ordered && strcmp(word, "none") == 0;
    return !ordered || out->order != ORDER_BARE;
}

const char *strength_name(struct arena *a, struct strength s) {
    if (s.scope == SCOPE_NONE || s.order == ORDER_BARE) return scope_name(s.scope);
    return arena_printf(a, "%s.%s", order_name(s.order), scope_name(s.scope));
}

/* "acq_rel or sc" */
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

static void set_all(struct fence_choice *choice, struct strength level) {
    for (int i = 0; i < TEST_MAX_SLOTS; i++)
        choice->slot[i] = level;
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
    diag_error(d, &t->source, pos,
               n ? "there is no fence(%s)%s" : "there is no fence(%s): no slot has a name%s", name,
               name_suggest(a, name, names, n));
}

/* Takes the next word from *s, up to one of the characters `ends`, without the blanks around it. */
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

/* Parses "release=device,acquire=none": a fence for each named slot; slots that are left out have none. */
static bool parse_slots(const struct test *t, struct arena *a, const char *text, struct pos pos,
                        struct diag *d, struct fence_choice *choice) {
    bool given[TEST_MAX_SLOTS] = {false};
    choice->name = "";
    for (const char *s = text;; s++) {
        const char *name = next_word(a, &s, "=,");
        if (*s != '=') {
            diag_error(d, &t->source, pos, "expected name=level in the fence list '%s'", text);
            return false;
        }
        s++;
        const char *word = next_word(a, &s, ",");
        struct strength level;
        int slot = find_slot(t, name);
        if (slot < 0)
            report_slot(t, a, name, pos, d);
        else if (given[slot])
            diag_error(d, &t->source, pos, "fence(%s) is given twice", name);
        else if (!strength_find(word, &level))
            report_level(t, a, word, pos, d);
        else {
            given[slot] = true;
            choice->slot[slot] = level;
            choice->name = arena_printf(a, "%s%s%s=%s", choice->name, *choice->name ? "," : "", name,
                                        strength_name(a, level));
            if (*s == ',') continue;
            return true;
        }
        return false;
    }
}

static const char as_written[] = "as-written";

const struct fence_choice *fence_parse(const struct test *t, struct arena *a, const char *text,
                                       struct pos pos, struct diag *d) {
    struct fence_choice *choice = arena_alloc(a, sizeof *choice);
    struct strength level;
    if (t->nslots == 0) {
        choice->name = as_written;
        if (strcmp(text, as_written) == 0) return choice;
        diag_error(d, &t->source, pos, "the test has no fence() that '%s' could stand for", text);
        return NULL;
    }
    if (strchr(text, '=')) return parse_slots(t, a, text, pos, d, choice) ? choice : NULL;
    if (!strength_find(text, &level)) {
        report_level(t, a, text, pos, d);
        return NULL;
    }
    choice->name = strength_name(a, level);
    set_all(choice, level);
    return choice;
}

void fence_defaults(struct test *t, struct arena *a) {
    static const enum scope levels[] = {SCOPE_NONE, SCOPE_CTA, SCOPE_GPU, SCOPE_SYS};
    t->nfences = t->nslots ? 4 : 1;
    t->fences = arena_array(a, 4, sizeof *t->fences);
    for (int i = 0; i < t->nfences; i++) {
        t->fences[i].name = scope_name(levels[i]);
        set_all(&t->fences[i], (struct strength){ORDER_BARE, levels[i]});
    }
    if (t->nslots == 0) t->fences[0].name = as_written;
}
