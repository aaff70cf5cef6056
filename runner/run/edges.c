#include "run/edges.h"

#include <string.h>

enum { MAX_THREADS = 16 /* in a test with more threads the first ones stand for all */ };
enum { ACTS = 3, WHERES = 3, EDGES = ACTS * ACTS * WHERES };
static const char acts[ACTS + 1] = "MRW";
static const char *const wheres[WHERES] = {"apart", "block", "mixed"};

/* Returns what an operation does to its location as an index of `acts`, or -1. */
static int act(const struct op *op) {
    if (op->place[0].loc < 0) return -1;
    static const int act[] = {
        [TOUCH_NOTHING] = -1, [TOUCH_CHANGES] = 0, [TOUCH_READS] = 1, [TOUCH_WRITES] = 2};
    return op_kinds[op->kind].engine ? -1 : act[op_kinds[op->kind].touches[0]];
}

static bool body_touches(const struct test *t, const struct body *b, int loc) {
    for (int k = 1; k <= t->nops; k++)
        if (t->ops[k].body == b && t->ops[k].place[0].loc == loc) return true;
    return false;
}

/* Returns where the other threads sit that access one of the two locations, as an index of `wheres`. */
static int where(const struct test *t, const struct placement *p, int thread, int from, int to) {
    int near = 0, far = 0;
    for (int k = 0; k < t->nthreads; k++) {
        const struct body *b = t->threads[k].body;
        if (k == thread || (!body_touches(t, b, from) && !body_touches(t, b, to))) continue;
        if (p->seats[k].block == p->seats[thread].block)
            near++;
        else
            far++;
    }
    return far == 0 ? 1 : near == 0 ? 0 : 2;
}

/* Marks the edges of a thread. Operations are numbered in the order of the text. */
static void find_edges(const struct test *t, const struct placement *p, int thread, bool *found) {
    const struct op *last = NULL;
    for (int k = 1; k <= t->nops; k++) {
        const struct op *op = &t->ops[k];
        if (op->body != t->threads[thread].body || act(op) < 0) continue;
        if (last && last->place[0].loc != op->place[0].loc)
            found[(act(last) * ACTS + act(op)) * WHERES +
                  where(t, p, thread, last->place[0].loc, op->place[0].loc)] = true;
        last = op;
    }
}

static char *edge_name(int edge, char *name) {
    name[0] = acts[edge / WHERES / ACTS];
    name[1] = acts[edge / WHERES % ACTS];
    name[2] = ' ';
    strcpy(name + 3, wheres[edge % WHERES]);
    return name;
}

const char *edges_of(struct arena *a, const struct test *t, const struct placement *p) {
    bool found[EDGES] = {false};
    char name[16];
    const char *all = "";
    for (int k = 0; k < t->nthreads && k < MAX_THREADS; k++)
        find_edges(t, p, k, found);
    for (int e = 0; e < EDGES; e++)
        if (found[e]) all = arena_printf(a, "%s%s%s", all, *all ? ", " : "", edge_name(e, name));
    return all;
}

/* Marks the edges that a list names. Returns false if the text is no such list. */
static bool read_list(const char *text, bool *found) {
    char name[16];
    for (int e = 0; *text && e < EDGES; e++) {
        size_t n = strlen(edge_name(e, name));
        if (strncmp(text, name, n) != 0 || (text[n] && strncmp(text + n, ", ", 2) != 0)) continue;
        found[e] = true;
        text += text[n] ? n + 2 : n;
    }
    return *text == '\0';
}

bool edges_valid(const char *text) {
    bool found[EDGES] = {false};
    size_t n = strlen(text);
    return read_list(text, found) && (n == 0 || text[n - 1] != ' ');
}

int edges_apart(const char *x, const char *y, int *common) {
    bool in_x[EDGES] = {false}, in_y[EDGES] = {false};
    int apart = 0;
    *common = 0;
    if (!read_list(x, in_x) || !read_list(y, in_y)) return EDGES;
    for (int e = 0; e < EDGES; e++) {
        apart += in_x[e] != in_y[e];
        *common += in_x[e] && in_y[e];
    }
    return apart;
}
