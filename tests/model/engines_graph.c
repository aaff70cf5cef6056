/* The events of a program, and what its text says of their order. */
#include "engines_graph.h"

enum { MOST_NODES_OF_OP = 1 + ELEMENTS + MOST_THREADS * (ELEMENTS + 1) };

/* Engines of a thread that are under way, and in which group each is. */
struct open_copies {
    int first[MOST_OPS], last[MOST_OPS], group[MOST_OPS], n, groups; /* nodes from first to last */
};

struct builder {
    struct graph_of *g;
    int thread, agents, regs[MOST_READ];
    struct open_copies small, bulk;
};

/* Whether x comes before y by the order of an agent's text: engines have their own. */
static void order_thread(struct graph_of *g, int node) {
    for (int e = 0; e < node; e++)
        if (g->nodes[e].thread == g->nodes[node].thread && g->nodes[e].agent == 0) link_to(&g->po, e, node);
}

static int add_node(struct builder *b, enum node_kind kind, const struct deed_of *op, int agent) {
    struct graph_of *g = b->g;
    int n = g->n++;
    g->nodes[n] = (struct node){.kind = kind,
                                .thread = b->thread,
                                .agent = agent,
                                .op = op,
                                .word = -1,
                                .partner = -1,
                                .data = -1,
                                .mbarrier = -1};
    if (agent == 0) order_thread(g, n);
    return n;
}

static int add_access(struct builder *b, enum node_kind kind, const struct deed_of *op, int agent, int word) {
    int n = add_node(b, kind, op, agent);
    struct node *node = &b->g->nodes[n];
    node->word = word;
    if (agent) return n;
    node->mapped = op->mapped;
    node->order = op->order;
    node->scope = op->scope;
    return n;
}

static void pair(struct graph_of *g, int r, int w, int value) {
    g->nodes[r].partner = w;
    g->nodes[w].partner = r;
    g->nodes[w].data = r;
    g->nodes[w].value = value;
}

static void build_access(struct builder *b, const struct deed_of *op) {
    int r = -1, w = -1;
    if (op->kind != DO_STORE) {
        r = add_access(b, A_READ, op, 0, op->word);
        b->g->nodes[r].result = true;
        b->regs[op->reg] = r;
    }
    if (op->kind != DO_LOAD) w = add_access(b, A_WRITE, op, 0, op->word);
    if (op->kind == DO_ADD) pair(b->g, r, w, op->value);
    if (op->kind != DO_STORE) return;
    b->g->nodes[w].value = op->from < 0 ? op->value : 0;
    b->g->nodes[w].data = op->from < 0 ? -1 : b->regs[op->from];
}

static void build_point(struct builder *b, enum node_kind kind, const struct deed_of *op) {
    struct node *n = &b->g->nodes[add_node(b, kind, op, 0)];
    n->order = op->order;
    n->scope = op->scope;
}

/* ---- engines ---- */

static int begin_engine(struct builder *b, const struct deed_of *op, int *issue) {
    *issue = add_node(b, AN_ISSUE, op, 0);
    return ++b->agents;
}

static void end_engine(struct builder *b, int issue, struct open_copies *copies) {
    struct graph_of *g = b->g;
    for (int e = issue + 1; e < g->n; e++)
        link_to(&g->issue, issue, e);
    if (!copies) return;
    int k = copies->n++;
    copies->first[k] = issue + 1;
    copies->last[k] = g->n - 1;
    copies->group[k] = copies->groups;
}

static int block_at(const struct node *n) {
    return (n->word - WORD_S) / ELEMENTS;
}

/* Bytes of an mbarrier are completed behind all that the engine has done so far, but for what it did in other blocks. */
static void complete_bytes(struct builder *b, const struct deed_of *op, int agent, int issue, int block,
                           int bytes) {
    int n = add_node(b, A_COUNT, op, agent);
    struct node *node = &b->g->nodes[n];
    node->mbarrier = block;
    node->completes = bytes;
    node->order = RELEASING;
    node->scope = OF_CLUSTER;
    for (int e = issue + 1; e < n; e++) {
        const struct node *before = &b->g->nodes[e];
        bool beside =
            op->blocks && (before->kind == A_COUNT || (before->kind == A_WRITE && block_at(before) != block));
        if (!beside) link_to(&b->g->po, e, n);
    }
}

/* A load into several blocks: it reads once, and completes the bytes of each block behind what it has written there. */
static void build_multicast(struct builder *b, const struct deed_of *op) {
    struct graph_of *g = b->g;
    int issue, agent = begin_engine(b, op, &issue), skip = first_element(g->program), reads = g->n;
    for (int k = skip; k < ELEMENTS; k++)
        g->nodes[add_access(b, A_READ, op, agent, WORD_G + k)].async = true;
    for (int block = 0; block < g->program->nthreads; block++) {
        if (!(op->blocks >> block & 1)) continue;
        for (int k = skip; k < ELEMENTS; k++) {
            int w = add_access(b, A_WRITE, op, agent, WORD_S + block * ELEMENTS + k);
            g->nodes[w].async = true;
            g->nodes[w].data = reads + k - skip;
            link_to(&g->po, g->nodes[w].data, w);
        }
        complete_bytes(b, op, agent, issue, block, 16);
    }
    end_engine(b, issue, NULL);
}

/* A copy of each element: its read, then its write. All reads of a small copy come before all its writes. */
static void copy_elements(struct builder *b, const struct deed_of *op, int agent, int from, int to) {
    struct graph_of *g = b->g;
    int first = g->n, elements = g->program->elements, skip = first_element(g->program);
    int reads = elements - op->unread;
    bool async = op->kind != DO_SMALL_COPY;
    for (int half = 0; half < 2; half++)
        for (int k = 0; k < (half ? elements : reads); k++) {
            int n = add_access(b, half ? A_WRITE : A_READ, op, agent, (half ? to : from) + skip + k);
            g->nodes[n].async = async;
            g->nodes[n].mapped = half && op->kind == DO_BULK_SEND;
            if (half && k < reads) g->nodes[n].data = first + k;
            if (half && k >= reads) g->nodes[n].value = 0;
        }
    for (int r = 0; r < reads; r++)
        for (int w = 0; w < elements; w++)
            if (r == w || !async) link_to(&g->po, first + r, first + reads + w);
}

/* An atomic operation of an engine, behind the node `after` of it. */
static void change_word(struct builder *b, const struct deed_of *op, int agent, int word, int after) {
    struct graph_of *g = b->g;
    int r = add_access(b, A_READ, op, agent, word), w = add_access(b, A_WRITE, op, agent, word);
    bool async = op->kind != DO_ADD_ASYNC;
    pair(g, r, w, op->value);
    link_to(&g->po, r, w);
    for (int n = r; n <= w; n++) {
        g->nodes[n].order = RELAXED;
        g->nodes[n].scope = async ? OF_DEVICE : OF_CLUSTER;
        g->nodes[n].async = async;
        g->nodes[n].mapped = op->kind != DO_BULK_ADD;
        if (after >= 0) link_to(&g->po, after, n);
    }
}

/* From the thread's own block to global memory, or to another block. */
static void build_bulk_add(struct builder *b, const struct deed_of *op) {
    struct graph_of *g = b->g;
    bool sends = op->kind == DO_BULK_SEND_ADD;
    int issue, agent = begin_engine(b, op, &issue);
    int from = WORD_S + block_of(g->program, b->thread) * ELEMENTS,
        to = sends ? WORD_S + op->block * ELEMENTS : WORD_G;
    for (int k = first_element(g->program); k < ELEMENTS; k++) {
        int r = add_access(b, A_READ, op, agent, from + k);
        g->nodes[r].async = true;
        change_word(b, op, agent, to + k, r);
        g->nodes[g->n - 1].value = -1 - r; /* what is added is what r has read */
    }
    if (sends) complete_bytes(b, op, agent, issue, op->block, 16);
    end_engine(b, issue, sends ? NULL : &b->bulk);
}

static void build_engine(struct builder *b, const struct deed_of *op) {
    if (op->blocks) {
        build_multicast(b, op);
        return;
    }
    int issue, agent = begin_engine(b, op, &issue), shared = WORD_S + op->block * ELEMENTS;
    int own = WORD_S + block_of(b->g->program, b->thread) * ELEMENTS;
    if (op->kind == DO_SMALL_COPY || op->kind == DO_BULK_LOAD) copy_elements(b, op, agent, WORD_G, shared);
    if (op->kind == DO_BULK_STORE) copy_elements(b, op, agent, own, WORD_G);
    if (op->kind == DO_BULK_SEND) copy_elements(b, op, agent, own, shared);
    if (op->kind == DO_ADD_ASYNC) change_word(b, op, agent, op->word, -1);
    if (op->kind == DO_STORE_ASYNC) {
        struct node *w = &b->g->nodes[add_access(b, A_WRITE, op, agent, op->word)];
        w->value = op->value;
        w->mapped = true;
    }
    if (op->kind == DO_BULK_LOAD || op->kind == DO_BULK_SEND)
        complete_bytes(b, op, agent, issue, op->block, 16);
    if (op->kind == DO_STORE_ASYNC || op->kind == DO_ADD_ASYNC)
        complete_bytes(b, op, agent, issue, op->block, 4);
    end_engine(b, issue, op->kind == DO_SMALL_COPY ? &b->small : op->kind == DO_BULK_STORE ? &b->bulk : NULL);
}

/* The arrival of an engine behind the small copies of its thread, and where it raises the count, that of the thread. */
static void build_small_arrive(struct builder *b, const struct deed_of *op) {
    struct graph_of *g = b->g;
    if (!op->flag) {
        struct node *n = &g->nodes[add_node(b, A_COUNT, op, 0)];
        n->mbarrier = op->block;
        n->raises = 1;
    }
    int issue, agent = begin_engine(b, op, &issue), n = add_node(b, A_COUNT, op, agent);
    struct node *node = &g->nodes[n];
    node->mbarrier = op->block;
    node->arrives = 1;
    node->order = RELEASING;
    node->scope = OF_BLOCK;
    for (int k = 0; k < b->small.n; k++)
        for (int e = b->small.first[k]; e <= b->small.last[k]; e++)
            link_to(&g->tracks, e, n);
    end_engine(b, issue, NULL);
}

/* A wait for all groups that are closed but the newest; for their reads of sources alone, where it says so. */
static void build_group_wait(struct builder *b, const struct deed_of *op, const struct open_copies *copies) {
    struct graph_of *g = b->g;
    int n = add_node(b, A_GROUP_WAIT, op, 0);
    for (int k = 0; k < copies->n; k++)
        for (int e = copies->first[k]; e <= copies->last[k] && copies->group[k] < copies->groups - op->value;
             e++) {
            bool source = g->nodes[e].kind == A_READ && g->nodes[e].partner < 0;
            if (!op->flag || source) link_to(&g->completion, e, n);
        }
}

/* ---- all operations ---- */

static void build_count(struct builder *b, const struct deed_of *op) {
    bool is_try = op->kind == DO_TEST || op->kind == DO_SPIN;
    int n = add_node(b, is_try ? A_TRY : A_COUNT, op, 0);
    struct node *node = &b->g->nodes[n];
    node->mbarrier = op->block;
    node->order = op->order;
    node->scope = op->scope;
    node->result = op->kind == DO_TEST;
    if (op->kind == DO_ARRIVE) node->arrives = op->count;
    if (op->kind == DO_EXPECT || op->bytes) node->expects = op->value;
    if (op->kind == DO_COMPLETE) node->completes = op->value;
}

static void build_op(struct builder *b, const struct deed_of *op) {
    switch (op->kind) {
    case DO_LOAD:
    case DO_STORE:
    case DO_ADD: build_access(b, op); break;
    case DO_FENCE: build_point(b, A_FENCE, op); break;
    case DO_PROXY_FENCE: build_point(b, A_PROXY_FENCE, op); break;
    case DO_BARRIER: build_point(b, A_MEETING, op); break;
    case DO_SMALL_COPY:
    case DO_BULK_LOAD:
    case DO_BULK_STORE:
    case DO_BULK_SEND:
    case DO_STORE_ASYNC:
    case DO_ADD_ASYNC: build_engine(b, op); break;
    case DO_BULK_ADD:
    case DO_BULK_SEND_ADD: build_bulk_add(b, op); break;
    case DO_SMALL_COMMIT: b->small.groups++; break;
    case DO_BULK_COMMIT: b->bulk.groups++; break;
    case DO_SMALL_WAIT: build_group_wait(b, op, &b->small); break;
    case DO_BULK_WAIT: build_group_wait(b, op, &b->bulk); break;
    case DO_SMALL_ARRIVE: build_small_arrive(b, op); break;
    case DO_ARRIVE:
    case DO_EXPECT:
    case DO_COMPLETE:
    case DO_TEST:
    case DO_SPIN: build_count(b, op); break;
    case DO_AWAIT_KERNEL: build_point(b, A_KERNEL_WAIT, op); break;
    case DO_TRIGGER_NEXT: build_point(b, A_TRIGGER, op); break;
    }
}

/* The one barrier of a program: what is before a meeting is before what is behind that of another thread. A relaxed arrival
 * passes on no more than what a fence before it releases. */
static void meet_at_barrier(struct graph_of *g, int x, int y) {
    const struct node *a = &g->nodes[x], *b = &g->nodes[y];
    if (a->kind != A_MEETING || b->kind != A_MEETING || a->thread == b->thread) return;
    if (!a->op->flag) link_to(&g->bar, x, y);
    for (int f = 0; f < g->n && a->op->flag; f++)
        if (g->nodes[f].kind == A_FENCE && linked(&g->po, f, x) && g->nodes[f].scope >= OF_CLUSTER)
            link_to(&g->bar, f, y);
}

static void order_kernels(struct graph_of *g, int x, int y) {
    if (g->nodes[x].thread >= g->nodes[y].thread) return;
    bool dependent = g->program->layout == DEPENDENT;
    if (!dependent || g->nodes[y].kind == A_KERNEL_WAIT) link_to(&g->launch, x, y);
    if (dependent && g->nodes[x].kind == A_TRIGGER && g->nodes[y].agent == 0) link_to(&g->start, x, y);
}

bool engines_build(struct graph_of *g, const struct engines_program *p) {
    memset(g, 0, sizeof *g);
    g->program = p;
    for (int t = 0, agents = 0; t < p->nthreads; t++) {
        struct builder b = {.g = g, .thread = t, .agents = agents};
        for (int k = 0; k < p->nops[t]; k++) {
            if (g->n > MOST_NODES - MOST_NODES_OF_OP) return false;
            build_op(&b, &p->ops[t][k]);
        }
        agents = b.agents;
    }
    for (int x = 0; x < g->n; x++)
        for (int y = 0; y < g->n; y++) {
            meet_at_barrier(g, x, y);
            if (p->layout >= IN_KERNELS) order_kernels(g, x, y);
        }
    return true;
}
