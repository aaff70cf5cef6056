/* Writes the programs of engines.h as tests. */
#include "engines.h"

static const char *const scopes[] = {"block", "cluster", "device"};
static const char *const orders[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
static const char *const spaces[] = {"", "space_global", "space_shared", "space_cluster"};

/* Where a word is; an array's beginning where `element` is negative. */
static void write_place(const struct deed_of *op, int element, struct text *out) {
    if (op->word == WORD_X)
        text_add(out, "x");
    else if (!is_shared(op->word))
        text_printf(out, "g[%d]", element);
    else if (op->mapped)
        text_printf(out, "*__cluster_map_shared_rank(&s[%d], %d)", element, op->block);
    else
        text_printf(out, "s[%d]", element);
}

static int element_of(int word) {
    return is_shared(word) ? (word - WORD_S) % ELEMENTS : word - WORD_G;
}

static void write_access(const struct deed_of *op, struct text *out) {
    if (op->kind != DO_STORE) text_printf(out, "int r%d = ", op->reg);
    if (op->order)
        text_add(out, op->kind == DO_LOAD ? "load(" : op->kind == DO_ADD ? "fetch_add(" : "store(");
    write_place(op, element_of(op->word), out);
    if (op->kind != DO_LOAD && op->from >= 0) text_printf(out, "%s r%d", op->order ? "," : " =", op->from);
    if (op->kind != DO_LOAD && op->from < 0) text_printf(out, "%s %d", op->order ? "," : " =", op->value);
    if (op->order) text_printf(out, ", %s, %s)", orders[op->order], scopes[op->scope]);
    text_add(out, ";");
}

static void write_fence(const struct deed_of *op, struct text *out) {
    if (op->kind == DO_FENCE)
        text_printf(out, "atomic_thread_fence(%s, %s);", orders[op->order], scopes[op->scope]);
    else if (op->order)
        text_printf(out, "fence_proxy_async_generic_sync_restrict(sem_%s, %s, scope_cluster);",
                    orders[op->order], spaces[op->space]);
    else
        text_printf(out, "fence_proxy_async(%s);", spaces[op->space]);
}

static void write_small(const struct engines_program *p, const struct deed_of *op, struct text *out) {
    int first = first_element(p);
    if (op->kind == DO_SMALL_COPY)
        text_printf(out, "__pipeline_memcpy_async(&s[%d], &g[%d], %d, %d);", first, first, 4 * p->elements,
                    4 * op->unread);
    if (op->kind == DO_SMALL_COMMIT) text_add(out, "__pipeline_commit();");
    if (op->kind == DO_SMALL_WAIT) text_printf(out, "__pipeline_wait_prior(%d);", op->value);
    if (op->kind == DO_SMALL_ARRIVE)
        text_printf(out, "cp_async_mbarrier_arrive%s(&b);", op->flag ? "_noinc" : "");
}

#define FAR "__cluster_map_shared_rank(&"

/* A load, a store or a reduction by a tensor map. */
static void write_by_map(const struct deed_of *op, struct text *out) {
    const char *tensor = "cp_async_bulk_tensor(";
    if (op->kind == DO_BULK_LOAD)
        text_printf(out, "%s%s, space_global, &s[0], &m, {0}, &b", tensor,
                    op->blocks ? "space_cluster" : spaces[op->space]);
    if (op->kind == DO_BULK_STORE) text_printf(out, "%sspace_global, space_shared, &m, {0}, &s[0]", tensor);
    if (op->kind == DO_BULK_ADD)
        text_add(out, "cp_reduce_async_bulk_tensor(space_global, space_shared, op_add, &m, {0}, &s[0]");
    if (op->blocks) text_printf(out, ", %u", op->blocks);
    text_add(out, ");");
}

static void write_copy(const struct deed_of *op, struct text *out) {
    const char *stores = "space_global, space_shared", *sends = "space_cluster, space_shared";
    if (op->kind == DO_BULK_LOAD)
        text_printf(out, "cp_async_bulk(%s, space_global, &s[0], &g[0], 16, &b",
                    op->blocks ? "space_cluster" : spaces[op->space]);
    if (op->kind == DO_BULK_STORE) text_printf(out, "cp_async_bulk(%s, &g[0], &s[0], 16", stores);
    if (op->kind == DO_BULK_ADD)
        text_printf(out, "cp_reduce_async_bulk(%s, op_add, &g[0], &s[0], 16", stores);
    if (op->kind == DO_BULK_SEND || op->kind == DO_BULK_SEND_ADD)
        text_printf(out, "cp_%sasync_bulk(%s, %s" FAR "s[0], %d), &s[0], 16, " FAR "b, %d)",
                    op->kind == DO_BULK_SEND ? "" : "reduce_", sends,
                    op->kind == DO_BULK_SEND ? "" : "op_add, ", op->block, op->block);
    if (op->blocks) text_printf(out, ", %u", op->blocks);
    text_add(out, ");");
}

static void write_bulk(const struct deed_of *op, struct text *out) {
    bool copies = op->kind == DO_BULK_LOAD || op->kind == DO_BULK_STORE || op->kind == DO_BULK_ADD ||
                  op->kind == DO_BULK_SEND || op->kind == DO_BULK_SEND_ADD;
    if (copies) (op->by_map ? write_by_map : write_copy)(op, out);
    if (op->kind == DO_STORE_ASYNC || op->kind == DO_ADD_ASYNC)
        text_printf(out, "%s" FAR "s[%d], %d), %d, " FAR "b, %d));",
                    op->kind == DO_STORE_ASYNC ? "st_async(" : "red_async(op_add, ", element_of(op->word),
                    op->block, op->value, op->block);
    if (op->kind == DO_BULK_COMMIT) text_add(out, "cp_async_bulk_commit_group();");
    if (op->kind == DO_BULK_WAIT)
        text_printf(out, "cp_async_bulk_wait_group%s(%d);", op->flag ? "_read" : "", op->value);
}

static const char *scope_word(const struct deed_of *op) {
    return op->scope == OF_BLOCK ? "scope_cta" : "scope_cluster";
}

static void write_count(const struct deed_of *op, struct text *out) {
    const char *name = op->kind == DO_EXPECT     ? "expect_tx"
                       : op->kind == DO_COMPLETE ? "complete_tx"
                                                 : "arrive";
    text_printf(out, "mbarrier_%s%s(sem_%s, %s, ", name, op->bytes ? "_expect_tx" : "", orders[op->order],
                scope_word(op));
    if (op->mapped)
        text_printf(out, "space_cluster, " FAR "b, %d)", op->block);
    else
        text_add(out, "space_shared, &b");
    if (op->bytes || !op->count) text_printf(out, ", %d", op->value);
    text_add(out, ");");
}

static void write_try(const struct deed_of *op, struct text *out) {
    if (op->kind == DO_TEST) text_printf(out, "int r%d = ", op->reg);
    if (op->kind == DO_SPIN) text_add(out, "while (!");
    text_printf(out, "mbarrier_test_wait_parity(sem_%s, %s, &b, %d)%s", orders[op->order], scope_word(op),
                op->value, op->kind == DO_SPIN ? ") {}" : ";");
}

static const char *barrier_word(const struct engines_program *p, bool relaxed) {
    if (p->layout == ONE_BLOCK) return "__syncthreads();";
    return relaxed ? "__cluster_barrier_arrive_relaxed(); __cluster_barrier_wait();" : "cluster_sync();";
}

static void write_op(const struct engines_program *p, const struct deed_of *op, struct text *out) {
    text_add(out, "      ");
    switch (op->kind) {
    case DO_LOAD:
    case DO_STORE:
    case DO_ADD: write_access(op, out); break;
    case DO_FENCE:
    case DO_PROXY_FENCE: write_fence(op, out); break;
    case DO_BARRIER: text_add(out, barrier_word(p, op->flag)); break;
    case DO_SMALL_COPY:
    case DO_SMALL_COMMIT:
    case DO_SMALL_WAIT:
    case DO_SMALL_ARRIVE: write_small(p, op, out); break;
    case DO_BULK_LOAD:
    case DO_BULK_STORE:
    case DO_BULK_ADD:
    case DO_BULK_SEND:
    case DO_BULK_SEND_ADD:
    case DO_BULK_COMMIT:
    case DO_BULK_WAIT:
    case DO_STORE_ASYNC:
    case DO_ADD_ASYNC: write_bulk(op, out); break;
    case DO_ARRIVE:
    case DO_EXPECT:
    case DO_COMPLETE: write_count(op, out); break;
    case DO_TEST:
    case DO_SPIN: write_try(op, out); break;
    case DO_AWAIT_KERNEL: text_add(out, "cudaGridDependencySynchronize();"); break;
    case DO_TRIGGER_NEXT: text_add(out, "cudaTriggerProgrammaticLaunchCompletion();"); break;
    }
    text_add(out, "\n");
}

static void write_thread(const struct engines_program *p, int t, struct text *out) {
    bool meets = p->layout == ONE_BLOCK || p->layout == ONE_CLUSTER;
    text_printf(out, "  T%d:\n%s    body: |\n", t,
                p->layout == ONE_BLOCK ? "" : "    grid: 1\n    block: 1\n");
    if (t == 0 || p->layout != ONE_BLOCK) text_printf(out, "      mbarrier_init(&b, %d);\n", p->counts[t]);
    if (meets) text_printf(out, "      %s\n", barrier_word(p, false));
    for (int k = 0; k < p->nops[t]; k++)
        write_op(p, &p->ops[t][k], out);
    if (p->layout == ONE_CLUSTER) text_add(out, "      cluster_sync();\n");
}

void engines_write(const struct engines_program *p, struct text *yaml) {
    static const char *const placements[] = {"block", "cluster", "device", "T0 -> T1", "T0 ~> T1"};
    text_printf(
        yaml,
        "name: test\nmemory: {x: 0, g: {count: 4}, s: {count: 4, space: shared}, b: {type: mbarrier, space: "
        "shared}, m: {type: tensormap, of: g}}\naccess: weak\nplacements: [\"%s\"]\nthreads:\n",
        placements[p->layout]);
    for (int t = 0; t < p->nthreads; t++)
        write_thread(p, t, yaml);
    text_add(yaml, "exists: x == 0");
    for (int k = first_element(p); k < ELEMENTS; k++)
        text_printf(yaml, " && g[%d] == 0", k);
    for (int r = 0; r < p->nregs; r++)
        text_printf(yaml, " && r%d == 0", r);
    text_add(yaml, "\n");
}
