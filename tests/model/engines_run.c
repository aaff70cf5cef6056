/* All executions of a program of engines.h, and what they end with. */
#include "engines_graph.h"

enum { MOST_SOURCES = 20000 };

struct run {
    struct graph_of g;
    struct net strong, atomic, causality;
    struct engines_ends *out;
    bool misused;
};

static int value_at(const struct graph_of *g, int write) {
    if (write < 0) return 0;
    const struct node *n = &g->nodes[write];
    int sum = n->value < 0 ? value_at(g, g->source[-1 - n->value]) : n->value;
    if (n->data < 0) return sum;
    return sum + value_at(g, g->source[n->data]);
}

/* ---- outcomes ---- */

static void record(const struct run *r, const int *finals) {
    struct engines_ends *out = r->out;
    int values[MOST_SEEN] = {0}, n = 0;
    values[n++] = value_at(&r->g, finals[WORD_X]);
    for (int k = first_element(r->g.program); k < ELEMENTS; k++)
        values[n++] = value_at(&r->g, finals[WORD_G + k]);
    for (int e = 0; e < r->g.n; e++) {
        const struct node *node = &r->g.nodes[e];
        if (node->result)
            values[n + node->op->reg] = node->kind == A_TRY ? r->g.over[e] : value_at(&r->g, r->g.source[e]);
    }
    out->width = n + r->g.program->nregs;
    for (int k = 0; k < out->n; k++)
        if (memcmp(out->seen[k], values, sizeof values) == 0) return;
    if (out->n < MOST_ENDS) memcpy(out->seen[out->n++], values, sizeof values);
}

/* Each write of a word that no other one follows may be its last. */
static void choose_finals(const struct run *r, int word, int *finals) {
    if (word == OBSERVED) {
        record(r, finals);
        return;
    }
    finals[word] = -1;
    bool any = false;
    for (int w = 0; w < r->g.n; w++) {
        if (r->g.nodes[w].kind != A_WRITE || r->g.nodes[w].word != word || r->g.co.row[w]) continue;
        finals[word] = w;
        any = true;
        choose_finals(r, word + 1, finals);
    }
    if (!any) choose_finals(r, word + 1, finals);
}

/* ---- axioms ---- */

static bool is_overwritten_by(const struct graph_of *g, int read, int w) {
    if (g->nodes[read].kind != A_READ || g->nodes[w].kind != A_WRITE ||
        g->nodes[read].word != g->nodes[w].word)
        return false;
    return g->source[read] < 0 || linked(&g->co, g->source[read], w);
}

static bool is_read_by(const struct graph_of *g, int w, int read) {
    return g->nodes[read].kind == A_READ && g->source[read] == w;
}

/* Whether a write comes between the halves of an atomic operation, strong towards both. */
static bool is_torn(const struct run *r, int read) {
    int write = r->g.nodes[read].partner;
    for (int w = 0; w < r->g.n && r->g.nodes[read].kind == A_READ && write >= 0; w++)
        if (is_overwritten_by(&r->g, read, w) && linked(&r->atomic, read, w) && linked(&r->g.co, w, write) &&
            linked(&r->atomic, w, write))
            return true;
    return false;
}

static bool is_allowed(const struct run *r) {
    const struct graph_of *g = &r->g;
    struct net word = {{0}};
    for (int x = 0; x < g->n; x++) {
        if (is_torn(r, x)) return false;
        for (int y = 0; y < g->n; y++) {
            const struct node *a = &g->nodes[x], *b = &g->nodes[y];
            bool reads = is_read_by(g, x, y), over = is_overwritten_by(g, x, y);
            if ((reads || over) && linked(&r->causality, y, x)) return false;
            if ((reads || over || linked(&g->co, x, y)) && linked(&r->strong, x, y)) link_to(&word, x, y);
            if (is_access(a) && is_access(b) && a->word == b->word && linked(&g->po, x, y) &&
                a->async == b->async)
                link_to(&word, x, y);
        }
    }
    word = net_closed(&word);
    return !net_turns_back(&word);
}

/* ---- choices ---- */

static bool are_writes_of_one(const struct graph_of *g, int x, int y) {
    const struct node *a = &g->nodes[x], *b = &g->nodes[y];
    return a->kind == A_WRITE && b->kind == A_WRITE && a->word == b->word;
}

/* Of two writes that are morally strong one comes first; causality orders writes, and beyond that nothing does. */
static void choose_co(struct run *r, int x, int y) {
    for (; x < r->g.n; x++, y = x + 1)
        for (; y < r->g.n; y++) {
            if (!are_writes_of_one(&r->g, x, y) || !linked(&r->atomic, x, y)) continue;
            struct net before = r->g.co;
            for (int turned = 0; turned < 2; turned++) {
                link_to(&r->g.co, turned ? y : x, turned ? x : y);
                choose_co(r, x, y + 1);
                r->g.co = before;
            }
            return;
        }
    struct net chosen = r->g.co;
    int finals[OBSERVED];
    r->g.co = net_closed(&r->g.co);
    if (!net_turns_back(&r->g.co) && is_allowed(r)) {
        if (r->misused)
            r->out->undefined = true;
        else
            choose_finals(r, 0, finals);
    }
    r->g.co = chosen;
}

static void judge(struct run *r) {
    struct graph_of *g = &r->g;
    struct net closed = net_closed(&g->sc), kept = g->sc;
    if (net_turns_back(&closed)) return;
    g->sc = closed;
    bool good = engines_causality(g, &r->causality);
    g->co = (struct net){{0}};
    for (int x = 0; x < g->n; x++)
        for (int y = 0; y < g->n; y++)
            if (are_writes_of_one(g, x, y) && linked(&r->causality, x, y)) link_to(&g->co, x, y);
    if (good) choose_co(r, 0, 1);
    g->sc = kept;
}

/* Of two fence.sc that are morally strong one comes first. */
static void choose_sc(struct run *r, int x, int y) {
    struct graph_of *g = &r->g;
    for (; x < g->n; x++, y = x + 1)
        for (; y < g->n; y++) {
            bool both = g->nodes[x].order == TOTAL && g->nodes[y].order == TOTAL;
            if (!both || !linked(&r->strong, x, y)) continue;
            struct net before = g->sc;
            for (int turned = 0; turned < 2; turned++) {
                link_to(&g->sc, turned ? y : x, turned ? x : y);
                choose_sc(r, x, y + 1);
                g->sc = before;
            }
            return;
        }
    judge(r);
}

static void choose_sources(struct run *r, int read) {
    struct graph_of *g = &r->g;
    while (read < g->n && g->nodes[read].kind != A_READ)
        read++;
    if (read == g->n) {
        g->sc = (struct net){{0}};
        if (engines_has_values(g)) choose_sc(r, 0, 1);
        return;
    }
    for (int w = -1; w < g->n; w++) {
        if (w >= 0 && (g->nodes[w].kind != A_WRITE || g->nodes[w].word != g->nodes[read].word)) continue;
        g->source[read] = w;
        choose_sources(r, read + 1);
    }
}

/* How many ways there are to choose the sources. */
static long count_sources(const struct graph_of *g) {
    long ways = 1;
    for (int r = 0; r < g->n; r++) {
        int writes = 1;
        for (int w = 0; w < g->n; w++)
            writes += g->nodes[w].kind == A_WRITE && g->nodes[w].word == g->nodes[r].word;
        if (g->nodes[r].kind == A_READ && ways < MOST_SOURCES) ways *= writes;
    }
    return ways;
}

void engines_run(const struct engines_program *p, enum reading reading, struct engines_ends *out) {
    static struct way_of ways[MOST_WAYS + 1];
    struct run r = {.out = out};
    out->n = out->width = 0;
    out->undefined = out->too_many = false;
    if (!engines_build(&r.g, p)) {
        out->too_many = true;
        return;
    }
    r.g.reading = reading;
    r.strong = engines_strong(&r.g);
    r.atomic = engines_atomic(&r.g);
    bool stuck;
    int n = engines_phases(&r.g, ways, &stuck);
    out->too_many = n > MOST_WAYS || n * count_sources(&r.g) > MOST_SOURCES || stuck;
    for (int k = 0; k < n && !out->too_many; k++) {
        memcpy(r.g.phase, ways[k].phase, sizeof r.g.phase);
        memcpy(r.g.over, ways[k].over, sizeof r.g.over);
        r.misused = ways[k].misused;
        for (int e = 0; e < MOST_NODES; e++)
            r.g.source[e] = -1;
        choose_sources(&r, 0);
    }
    out->too_many = out->too_many || out->n == MOST_ENDS;
}
