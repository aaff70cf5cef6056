/* Cycles in words: reading them, writing them, and the words of a space. */
#include <string.h>

#include "cycle/cycle.h"
#include "litmus/name.h"

/* The names of edges in a cycle and in a space. RF, CO and FR between threads are part of every space. */
static const struct {
    const char *word, *in_space;
    enum cycle_kind kind;
    bool external;
    bool from_write, to_write; /* of communication: what it leads from and to */
} edges[] = {
    {"Po", "po", CYCLE_PO, false, false, false},         {"Fence", "fence", CYCLE_FENCE, false, false, false},
    {"DpData", "data", CYCLE_DATA, false, false, true},  {"DpAddr", "addr", CYCLE_ADDR, false, false, false},
    {"DpCtrl", "ctrl", CYCLE_CTRL, false, false, false}, {"Rfe", NULL, CYCLE_RF, true, true, false},
    {"Rfi", "rfi", CYCLE_RF, false, true, false},        {"Coe", NULL, CYCLE_CO, true, true, true},
    {"Coi", "coi", CYCLE_CO, false, true, true},         {"Fre", NULL, CYCLE_FR, true, false, true},
    {"Fri", "fri", CYCLE_FR, false, false, true},
};
enum { NEDGES = sizeof edges / sizeof *edges };

static const struct {
    const char *word, *in_space;
    enum order order;
} strengths[] = {
    {"Wk", "weak", ORDER_WEAK},        {"Vol", "volatile", ORDER_VOLATILE}, {"Rlx", "relaxed", ORDER_RELAXED},
    {"Acq", "acquire", ORDER_ACQUIRE}, {"Rel", "release", ORDER_RELEASE},
};
enum { NSTRENGTHS = sizeof strengths / sizeof *strengths };

static bool has_scope(enum order order) {
    return order >= ORDER_RELAXED;
}

static bool is_word(const char *word, const char *text, size_t n) {
    return strlen(word) == n && strncmp(word, text, n) == 0;
}

/* Finds the scope that `n` characters name in CUDA's or PTX's words; SCOPE_NONE: none. */
static enum scope find_scope(const char *text, size_t n) {
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++)
        if (is_word(scope_name(s), text, n) || is_word(scope_ptx(s), text, n)) return s;
    return SCOPE_NONE;
}

/* Reads ".sc.device" from `n` characters; with none, the fence is a slot. */
static bool read_fence(const char *text, size_t n, struct cycle_edge *e) {
    if (n == 0) return true;
    for (enum order o = ORDER_ACQ_REL; o <= ORDER_SC; o++) {
        size_t len = strlen(order_name(o));
        if (n < len + 3 || *text != '.' || strncmp(text + 1, order_name(o), len) != 0 || text[len + 1] != '.')
            continue;
        e->order = o;
        e->scope = find_scope(text + len + 2, n - len - 2);
        return e->scope != SCOPE_NONE;
    }
    return false;
}

/* Reads the end of a word of `n` characters, such as "dWR". Returns how many characters that is; 0: it has no
 * such end. */
static size_t read_ends(const char *word, size_t n, bool dependency, struct cycle_edge *e, bool *to_write) {
    size_t letters = n >= 2 && strchr("WR", word[n - 2]) ? 2 : 1;
    if (n < letters + 1 || !strchr("WR", word[n - 1]) || !strchr("ds", word[n - letters - 1])) return 0;
    if (letters == 1 && !dependency) return 0;
    e->same = word[n - letters - 1] == 's';
    e->write = letters == 2 && word[n - 2] == 'W';
    *to_write = word[n - 1] == 'W';
    return letters + 1;
}

/* Reads one edge; *to_write says whether it leads to a write. */
static bool read_edge(const char *word, size_t n, struct cycle_edge *e, bool *to_write) {
    for (int k = 0; k < NEDGES; k++) {
        size_t len = strlen(edges[k].word);
        if (n < len || strncmp(word, edges[k].word, len) != 0) continue;
        *e = (struct cycle_edge){.kind = edges[k].kind, .external = edges[k].external};
        if (cycle_is_communication(e->kind)) {
            e->write = edges[k].from_write;
            *to_write = edges[k].to_write;
            return n == len;
        }
        bool dependency = e->kind >= CYCLE_DATA && e->kind <= CYCLE_CTRL;
        size_t ends = read_ends(word, n, dependency, e, to_write);
        if (ends == 0 || n < len + ends) return false;
        if (dependency && (e->write || (e->kind == CYCLE_DATA && !*to_write))) return false;
        return e->kind == CYCLE_FENCE ? read_fence(word + len, n - len - ends, e) : n == len + ends;
    }
    return false;
}

static bool read_strength(const char *word, size_t n, enum order *order, enum scope *scope) {
    for (int k = 0; k < NSTRENGTHS; k++) {
        size_t len = strlen(strengths[k].word);
        if (n < len || strncmp(word, strengths[k].word, len) != 0) continue;
        *order = strengths[k].order;
        *scope = SCOPE_NONE;
        if (!has_scope(*order)) return n == len;
        if (n > len + 1 && word[len] == '.') *scope = find_scope(word + len + 1, n - len - 1);
        return *scope != SCOPE_NONE;
    }
    return false;
}

/* A cycle that is being read. */
struct cycle_reader {
    struct cycle *cycle;
    bool to_write[CYCLE_MAX]; /* of each edge: it leads to a write */
    enum order access;        /* the order given for the access before the next edge; BARE: none */
    enum scope access_scope;
    struct diag *diag;
};

static bool add_strength(struct cycle_reader *r, const char *word, size_t n, enum order order,
                         enum scope scope) {
    if (r->access != ORDER_BARE)
        diag_fail(r->diag, "'%.*s': this access has a strength already", (int)n, word);
    bool fine = r->access == ORDER_BARE;
    r->access = order;
    r->access_scope = scope;
    return fine;
}

static bool add_edge(struct cycle_reader *r, const char *word, size_t n, struct cycle_edge e, bool to_write) {
    struct cycle *c = r->cycle;
    if (c->n == CYCLE_MAX) {
        diag_fail(r->diag, "'%.*s': a cycle has at most %d edges", (int)n, word, CYCLE_MAX);
        return false;
    }
    e.access = r->access;
    e.access_scope = r->access_scope;
    r->access = ORDER_BARE;
    r->access_scope = SCOPE_NONE;
    r->to_write[c->n] = to_write;
    c->edges[c->n++] = e;
    return true;
}

/* Lists the words of an edge with each of its ends, such as "PodWW" to "PosRR". */
static size_t list_edge(struct arena *a, int k, const char **list) {
    static const char *const ends[] = {"", "dWW", "dWR", "dRW", "dRR", "sWW", "sWR", "sRW", "sRR"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct cycle_edge e;
        bool to_write;
        const char *word = arena_printf(a, "%s%s", edges[k].word, ends[i]);
        if (read_edge(word, strlen(word), &e, &to_write)) list[n++] = word;
    }
    return n;
}

/* Lists the words of an access with each of its scopes. */
static size_t list_strength(struct arena *a, int k, const char **list) {
    size_t n = 0;
    if (!has_scope(strengths[k].order)) list[n++] = strengths[k].word;
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS && has_scope(strengths[k].order); s++) {
        list[n++] = arena_printf(a, "%s.%s", strengths[k].word, scope_name(s));
        list[n++] = arena_printf(a, "%s.%s", strengths[k].word, scope_ptx(s));
    }
    return n;
}

/* Reports a word that is unknown, with the one that may be meant. */
static void report_word(struct cycle_reader *r, const char *text, size_t n) {
    struct arena *a = arena_open();
    const char *list[9 * NEDGES + 8 * NSTRENGTHS], *word = arena_strndup(a, text, n), *hint = "";
    size_t listed = 0;
    for (int k = 0; k < NEDGES; k++)
        listed += list_edge(a, k, list + listed);
    for (int k = 0; k < NSTRENGTHS; k++)
        listed += list_strength(a, k, list + listed);
    for (int k = 0; k < NSTRENGTHS; k++)
        if (strcmp(word, strengths[k].word) == 0)
            hint = arena_printf(a, "; did you mean '%s.%s'?", word, scope_name(SCOPE_GPU));
    if (!*hint) hint = name_suggest(a, word, list, listed);
    if (!*hint) hint = ": see 'culitmus generate --help'";
    diag_fail(r->diag, "'%s' is no edge, and no strength of an access%s", word, hint);
    arena_close(a);
}

static bool read_word(struct cycle_reader *r, const char *word, size_t n) {
    enum order order;
    enum scope scope;
    struct cycle_edge e;
    bool to_write;
    /* diy's words for coherence */
    if (is_word("Wse", word, n)) word = "Coe";
    if (is_word("Wsi", word, n)) word = "Coi";
    if (read_strength(word, n, &order, &scope)) return add_strength(r, word, n, order, scope);
    if (read_edge(word, n, &e, &to_write)) return add_edge(r, word, n, e, to_write);
    report_word(r, word, n);
    return false;
}

/* An access named behind the last edge is the first one of the ring. */
static bool close_ring(struct cycle_reader *r, const char *text) {
    struct cycle *c = r->cycle;
    if (c->n < 2) {
        diag_fail(r->diag, "'%s' is no cycle: it has less than two edges", text);
        return false;
    }
    if (r->access == ORDER_BARE) return true;
    if (c->edges[0].access != ORDER_BARE) {
        diag_fail(r->diag, "the first access has a strength at the begin and at the end of '%s'", text);
        return false;
    }
    c->edges[0].access = r->access;
    c->edges[0].access_scope = r->access_scope;
    return true;
}

static const char *kind_of_access(bool write) {
    return write ? "write" : "read";
}

/* Checks that each edge leads to what the next one leaves, and that each access can have the order that it is
 * given. */
static bool check_accesses(const struct cycle_reader *r) {
    const struct cycle *c = r->cycle;
    for (int k = 0; k < c->n; k++) {
        const struct cycle_edge *e = &c->edges[k];
        int before = (k + c->n - 1) % c->n;
        bool fits = r->to_write[before] == e->write,
             can = e->access != (e->write ? ORDER_ACQUIRE : ORDER_RELEASE);
        if (!fits)
            diag_fail(r->diag, "this is no cycle: edge %d leads to a %s, and edge %d leaves a %s", before + 1,
                      kind_of_access(r->to_write[before]), k + 1, kind_of_access(e->write));
        else if (!can)
            diag_fail(r->diag, "edge %d leaves a %s, which cannot be %s", k + 1, kind_of_access(e->write),
                      order_name(e->access));
        if (!fits || !can) return false;
    }
    return true;
}

bool cycle_parse(const char *text, struct cycle *c, struct diag *d) {
    struct cycle_reader r = {.cycle = c, .diag = d};
    *c = (struct cycle){0};
    static const char blank[] = " \t\n";
    for (const char *word = text + strspn(text, blank); *word; word += strspn(word, blank)) {
        size_t n = strcspn(word, blank);
        if (!read_word(&r, word, n)) return false;
        word += n;
    }
    return close_ring(&r, text) && check_accesses(&r);
}

static void print_strength(const struct cycle_edge *e, struct text *out) {
    for (int k = 0; k < NSTRENGTHS; k++)
        if (strengths[k].order == e->access) text_printf(out, "%s", strengths[k].word);
    if (has_scope(e->access)) text_printf(out, ".%s", scope_name(e->access_scope));
    if (e->access != ORDER_BARE) text_add(out, " ");
}

static void print_edge(const struct cycle_edge *e, bool to_write, struct text *out) {
    for (int k = 0; k < NEDGES; k++)
        if (edges[k].kind == e->kind && edges[k].external == e->external) text_add(out, edges[k].word);
    if (cycle_is_communication(e->kind)) return;
    if (e->kind == CYCLE_FENCE && e->order != ORDER_BARE)
        text_printf(out, ".%s.%s", order_name(e->order), scope_name(e->scope));
    text_printf(out, "%c%c%c", e->same ? 's' : 'd', e->write ? 'W' : 'R', to_write ? 'W' : 'R');
}

void cycle_print(const struct cycle *c, struct text *out) {
    for (int k = 0; k < c->n; k++) {
        if (k > 0) text_add(out, " ");
        print_strength(&c->edges[k], out);
        print_edge(&c->edges[k], c->edges[(k + 1) % c->n].write, out);
    }
}

/* ---- the words of a space ---- */

static bool same_edge(const struct cycle_edge *x, const struct cycle_edge *y) {
    return x->kind == y->kind && x->same == y->same && x->order == y->order && x->scope == y->scope &&
           x->external == y->external;
}

static bool same_strength(const struct cycle_edge *x, const struct cycle_edge *y) {
    return x->write == y->write && x->access == y->access && x->access_scope == y->access_scope;
}

/* Adds an item. False: it is there already, or there is no room. */
static bool add(struct cycle_edge *items, int *n, struct cycle_edge item,
                bool (*same)(const struct cycle_edge *x, const struct cycle_edge *y)) {
    for (int k = 0; k < *n; k++)
        if (same(&items[k], &item)) return false;
    if (*n == CYCLE_MAX_WORDS) return false;
    items[(*n)++] = item;
    return true;
}

bool cycle_add_edges(struct cycle_space *s, const char *word) {
    if (strcmp(word, "pos") == 0)
        return add(s->edges, &s->nedges, (struct cycle_edge){.kind = CYCLE_PO, .same = true}, same_edge);
    for (int k = 0; k < NEDGES; k++) {
        struct cycle_edge e = {.kind = edges[k].kind};
        size_t len = edges[k].in_space ? strlen(edges[k].in_space) : 0;
        if (len == 0 || strncmp(word, edges[k].in_space, len) != 0) continue;
        if (e.kind == CYCLE_FENCE ? read_fence(word + len, strlen(word + len), &e) : !word[len])
            return add(s->edges, &s->nedges, e, same_edge);
    }
    return false;
}

bool cycle_add_strengths(struct cycle_space *s, const char *word) {
    struct cycle_edge e = {0};
    bool known = strcmp(word, "bare") == 0, added = false;
    for (int k = 0; k < NSTRENGTHS && !known; k++) {
        size_t len = strlen(strengths[k].in_space);
        if (strncmp(word, strengths[k].in_space, len) != 0) continue;
        e.access = strengths[k].order;
        if (has_scope(e.access) && word[len] == '.')
            e.access_scope = find_scope(word + len + 1, strlen(word + len + 1));
        known = has_scope(e.access) ? e.access_scope != SCOPE_NONE : !word[len];
    }
    if (!known) return false;
    for (int write = 0; write < 2; write++) {
        e.write = write;
        if (e.access != (write ? ORDER_ACQUIRE : ORDER_RELEASE))
            added |= add(s->strengths, &s->nstrengths, e, same_strength);
    }
    return added;
}
