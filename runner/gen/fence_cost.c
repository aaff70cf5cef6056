/* The unit that measures what fences cost. Its operations are those of a test that is read from text, so each
 * is the same instruction as in a cell. */
#include <assert.h>
#include <string.h>

#include "embedded_kernels.h"
#include "gen/ops.h"
#include "source/read.h"

/* Reads the test: a write, the widest fence, and then the fences to be measured. */
static struct test *read_operations(struct arena *a, const struct fence *fences, int n) {
    struct text yaml = {0};
    struct diag d = {0};
    text_add(&yaml, "name: fence-cost\nmemory: {X: 0}\nexists: X == 1\nthreads:\n  T: |\n"
                    "    store(X, 1, volatile);\n    atomic_thread_fence(sc, system);\n");
    for (int k = 0; k < n; k++)
        text_printf(&yaml, "    atomic_thread_fence(%s, %s);\n", order_name(fences[k].order),
                    scope_name(fences[k].scope));
    struct test *t = test_read_text(a, "fence-cost.yaml", yaml.s, yaml.len, &d);
    assert(t && t->nops == n + 2);
    text_free(&yaml);
    diag_free(&d);
    return t;
}

const char *gen_fence_cost_name(struct arena *a, struct fence fence) {
    if (!fence.there) return "cost_none";
    return arena_printf(a, "cost_%s_%s", order_name(fence.order), scope_ptx(fence.scope));
}

/* Writes a kernel that measures a fence; with NULL it has none, and measures what reading the clock takes. */
static void put_kernel(struct arena *a, const struct op *fence, struct text *out) {
    struct fence f = fence ? fence_of(fence->order, fence->scope) : (struct fence){0};
    text_printf(out,
                "extern \"C\" __global__ void __launch_bounds__(%d) %s(const __grid_constant__ struct "
                "launch_args env)\n{\n    measure(&env, [] { ",
                FENCE_COST_THREADS, gen_fence_cost_name(a, f));
    if (fence) {
        gen_op_name(out, fence, (struct strength){fence->order, fence->scope}, DIALECT_CUDA);
        text_add(out, "(); ");
    }
    text_add(out, "});\n}\n");
}

void gen_fence_costs(const struct fence *fences, int n, enum dialect dialect, struct text *out) {
    struct arena *a = arena_open();
    struct test *t = read_operations(a, fences, n);
    struct cell v = {&t->placements[0], t->accesses[0], &t->fences[0]};
    bool cuda = dialect == DIALECT_CUDA;
    text_add(out, cuda ? embedded_find(embedded_kernels, "launch.h") : "#include \"gpu.h\"\n");
    if (cuda) text_add(out, embedded_find(embedded_kernels, "cuda_ops.cuh"));
    for (int k = 1; k <= t->nops; k++)
        gen_op_define(out, t, &v, &t->ops[k], &(struct meeting){0}, dialect);
    text_printf(out,
                "ROLE void put(loc p, int v) { store_volatile_1(p, v); }\n"
                "ROLE void settle() { fence_sc_sys_2(); }\n"
                "ROLE long long cycles()\n{\n    long long now;\n    %s\n    return now;\n}\n\n",
                cuda ? "asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(now) : : \"memory\");"
                     : "now = clock64();");
    text_add(out, embedded_find(embedded_kernels, "fence_cost.cuh"));
    put_kernel(a, NULL, out);
    for (int k = 3; k <= t->nops; k++)
        put_kernel(a, &t->ops[k], out);
    arena_close(a);
}
