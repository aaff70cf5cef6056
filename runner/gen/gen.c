/* The parts of a unit, in their order. */
#include "gen/gen.h"

#include <string.h>

#include "base/embedded.h"
#include "embedded_kernels.h"
#include "gen/account.h"
#include "gen/names.h"
#include "gen/ops.h"

static void print_operations(const struct test *t, const struct cell *cell, const struct meeting *m,
                             enum dialect dialect, struct text *out) {
    text_add(out, "/* The operations of this cell, a line each. */\n");
    for (int k = 1; k <= t->nops; k++)
        gen_op_define(out, t, cell, &t->ops[k], m, dialect);
    text_add(out, "\n");
}

static void print_cell(const struct test *t, const struct cell *cell, enum dialect dialect,
                       struct text *out) {
    struct arena *scratch = arena_open();
    struct seating seating = gen_seating(scratch, t, cell->placement);
    struct meeting meeting = {0};
    if (dialect != DIALECT_C) meeting = meeting_of(scratch, t, cell->placement, &seating);
    gen_constants(t, cell, &seating, &meeting, dialect, out);
    if (meeting.allotted) gen_barrier_of(&meeting, out);
    gen_cluster(t, cell, dialect, out);
    print_operations(t, cell, &meeting, dialect, out);
    gen_instance(t, dialect, out);
    if (t->nblocks)
        text_add(out, "/* As CUDA's blockIdx and threadIdx: a thread's place in its grid. */\n"
                      "struct grid_index { unsigned x; };\n\n"
                      "static ROLE struct grid_index grid_index(unsigned x) { struct grid_index i = {x}; "
                      "return i; }\n\n");
    for (int b = 0; b < t->nbodies; b++)
        gen_body(out, t, cell, &t->bodies[b], &meeting, dialect);
    if (meeting.allotted) gen_accompany(t, &seating, &meeting, dialect, out);
    gen_dispatch(t, cell, &meeting, dialect, out);
    if (dialect != DIALECT_C) gen_drain(out, t);
    arena_close(scratch);
}

void gen_cell(const struct test *t, const struct cell *cell, enum dialect dialect, struct text *out) {
    text_printf(out, "/* %s: placement %s, access %s, fence %s */\n", t->name, cell->placement->name,
                access_name(cell->access), cell->fence->name);
    print_cell(t, cell, dialect, out);
}

/* Adds the functions that floats and 128-bit integers need, if the test has such values. */
static void add_values(const struct test *t, struct text *out) {
    struct shape s = gen_shape(t);
    if (s.wide) text_add(out, "#define WIDE\n");
    if (s.wide || s.reals) text_add(out, embedded_find(embedded_kernels, "values.h"));
}

void gen_add_file(const char *name, struct text *out) {
    text_add(out, embedded_find(embedded_kernels, name));
}

static void add_files(const char *const *names, struct text *out) {
    for (; *names; names++)
        gen_add_file(*names, out);
}

void gen_unit(const struct test *t, const struct cell *cell, enum dialect dialect, struct text *out) {
    static const char *const before_cuda[] = {"launch.h", "cuda_ops.cuh", NULL};
    static const char *const before_c[] = {"cpu_abi.h",  "cpu_ops.h",  "software.h",
                                           "mbarrier.h", "cpu_meet.h", NULL};
    static const char *const behind_cuda[] = {"cuda_ptx.cuh", "cuda_layout.cuh", "cuda_count.cuh",
                                              "cuda_harness.cuh", NULL};
    static const char *const behind_c[] = {"cpu_harness.h", NULL};
    bool cuda = gen_is_cuda(dialect);
    add_files(cuda ? before_cuda : before_c, out);
    if (cuda && gen_drains(t)) gen_add_file("cuda_drain.cuh", out);
    add_values(t, out);
    print_cell(t, cell, dialect, out);
    add_files(cuda ? behind_cuda : behind_c, out);
}

void gen_list(const struct test *t, const struct cell *cell, enum dialect dialect, bool whole, FILE *out) {
    struct text text = {0};
    (whole ? gen_unit : gen_cell)(t, cell, dialect, &text);
    fputs(text.s, out);
    text_free(&text);
}
