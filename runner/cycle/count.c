/* Counts the cycles of a space without making them. */
#include "cycle/cycle.h"

/* The class of an edge, which decides what may stand beside it. */
enum cycle_class { CLASS_WITHIN, CLASS_RF, CLASS_CO, CLASS_FR, CLASS_COUNT };

/* The edges of one class from a write or a read to a write or a read. */
struct cycle_move {
    enum cycle_class class;
    bool from, to, external;
    double ways;
};
enum { MOVES_MOST = 4 * CYCLE_MAX_WORDS + 3 };

struct cycle_moves {
    struct cycle_move move[MOVES_MOST];
    int n;
};

static void add(struct cycle_moves *m, const struct cycle_space *s, struct cycle_move move) {
    for (int k = 0; k < s->nstrengths; k++)
        move.ways += s->strengths[k].write == move.from;
    m->move[m->n++] = move;
}

static void add_communication(struct cycle_moves *m, const struct cycle_space *s, enum cycle_kind kind,
                              bool external) {
    enum cycle_class class = kind == CYCLE_RF ? CLASS_RF : kind == CYCLE_CO ? CLASS_CO : CLASS_FR;
    add(m, s,
        (struct cycle_move){
            .class = class, .from = kind != CYCLE_FR, .to = kind != CYCLE_RF, .external = external});
}

static void add_edge(struct cycle_moves *m, const struct cycle_space *s, enum cycle_kind kind) {
    bool dependency = kind >= CYCLE_DATA && kind <= CYCLE_CTRL;
    if (cycle_is_communication(kind)) {
        add_communication(m, s, kind, false);
        return;
    }
    for (int from = 0; from <= !dependency; from++)
        for (int to = kind == CYCLE_DATA; to < 2; to++)
            add(m, s, (struct cycle_move){.class = CLASS_WITHIN, .from = from, .to = to});
}

static bool may_follow(enum cycle_class last, enum cycle_class next) {
    return last == CLASS_WITHIN || next == CLASS_WITHIN ? last != next : next == CLASS_RF;
}

/* [class][write or read][threads]: the number of paths that begin with one move and end so. */
struct cycle_ways {
    double n[CLASS_COUNT][2][CYCLE_MAX + 1];
};

static struct cycle_ways extend(const struct cycle_moves *m, const struct cycle_ways *w, int threads) {
    struct cycle_ways next = {0};
    for (int k = 0; k < m->n; k++) {
        const struct cycle_move *move = &m->move[k];
        for (enum cycle_class class = 0; class < CLASS_COUNT; class ++)
            for (int t = 0; t + move->external <= threads && may_follow(class, move->class); t++)
                next.n[move->class][move->to][t + move->external] += move->ways * w->n[class][move->from][t];
    }
    return next;
}

/* Counts the rings of at most so many edges that begin with one move. Each ring counts once for each of its
 * edges, divided by the number of its edges. */
static double count_from(const struct cycle_space *s, const struct cycle_moves *m,
                         const struct cycle_move *first) {
    struct cycle_ways ways = {0};
    double rings = 0;
    ways.n[first->class][first->to][first->external] = first->ways;
    for (int size = 2; size <= s->accesses; size++) {
        ways = extend(m, &ways, s->threads);
        for (enum cycle_class class = 0; class < CLASS_COUNT; class ++)
            for (int t = 2; t <= s->threads && may_follow(class, first->class); t++)
                rings += ways.n[class][first->from][t] / size;
    }
    return rings;
}

double cycle_count(const struct cycle_space *s) {
    struct cycle_moves m = {0};
    double rings = 0;
    for (int k = 0; k < s->nedges; k++)
        add_edge(&m, s, s->edges[k].kind);
    for (enum cycle_kind kind = CYCLE_RF; kind <= CYCLE_FR; kind++)
        add_communication(&m, s, kind, true);
    for (int k = 0; k < m.n; k++)
        rings += count_from(s, &m, &m.move[k]);
    return rings;
}
