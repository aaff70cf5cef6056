#include "cuda/cuda_program.h"

#include "cuda/barriers.h"
#include "cuda/cuda_kernel.h"
#include "gen/gen.h"

const char *program_cannot(const struct test *t, const struct cell *cell) {
    struct arena *a = arena_open();
    struct seating seating = gen_seating(a, t, cell->placement);
    const char *why = gen_cannot(t);
    if (!why && seating.gpus > 1) why = "a program of its own has one GPU";
    if (!why && cell->placement->nhost > 0) why = "a program of its own has no CPU threads";
    if (!why) why = barriers_unfit(t, cell->placement, &seating);
    arena_close(a);
    return why;
}

/* ---- facts of the cell for the host code ---- */

/* Writes a text as it stands in a C string. */
static void put_escaped(struct text *out, const char *s) {
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || *s == '?' || *s < ' ' || *s > '~')
            text_printf(out, "\\%03o", (unsigned char)*s);
        else
            text_printf(out, "%c", *s);
}

static void put_seats(const struct cuda_kernel *k, struct text *out) {
    text_add(out, "/* Where the test's threads sit, and then those that only pass barriers with them. */\n"
                  "static const struct launch_seat seats[] = {\n");
    for (int n = 0; n < k->nspots; n++) {
        const struct launch_seat *s = &k->spots[n];
        text_printf(out, "    {%d, %d, %d, %d, %d, %d},\n", s->host, s->gpu, s->block, s->warp, s->lane,
                    s->barriers);
    }
    text_add(out, "};\n\n");
}

static void put_kernels(const struct cuda_kernel *k, struct text *out) {
    if (!k->kernels) return;
    text_add(out, "/* Of each kernel: bit n, block n is its; whether it is a programmatic dependent. */\n"
                  "static const unsigned long long kernel_blocks[] = {");
    for (int n = 0; n < k->kernels; n++)
        text_printf(out, "%s0x%llxull", n ? ", " : "", (unsigned long long)k->kernel_blocks[n]);
    text_add(out, "};\nstatic const bool is_dependent[] = {");
    for (int n = 0; n < k->kernels; n++)
        text_printf(out, "%s%d", n ? ", " : "", n > 0 && k->launch[n] == LAUNCH_DEPENDENT);
    text_add(out, "};\n\n");
}

static void put_facts(const struct cuda_kernel *k, struct text *out) {
    const struct plan_facts f = plan_facts_of(k);
    text_printf(
        out,
        "/* The last two are the device's. */\nstatic const struct plan_facts facts = {%d, %d, %d, %d, "
        "%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, 0, 0};\n\n",
        f.dedicated, f.one_instance, f.one_sm, f.cluster, f.host, f.blocks, f.warps, f.lanes, f.align_gpu,
        f.align_block, f.align_warp, f.threads_multiple, f.words, f.shared_elements, f.global_elements,
        f.host_elements);
}

/* ---- environments ---- */

enum { ENVIRONMENTS = 16 };

static int fields(void) {
    int n = 0;
    while (cuda_environment_ranges[n].name)
        n++;
    return n;
}

static void put_environment_type(struct text *out) {
    text_add(out, "/* What may be varied without changing the test. */\nstruct cuda_environment {\n    int ");
    for (int n = 0; n < fields(); n++)
        text_printf(out, "%s%s", n ? ", " : "", cuda_environment_ranges[n].name);
    text_add(out, ";\n};\n");
}

static void put_environment(const struct cuda_environment *set, struct text *out) {
    const char *comma = "    {";
#define PUT(field, ...) text_printf(out, "%s%d", comma, set->field), comma = ", ";
    CUDA_PARAMETERS(PUT)
#undef PUT
    text_add(out, "},\n");
}

static void put_environments(const struct cuda_kernel *k, const struct environment *known, int nknown,
                             struct text *out) {
    text_add(out, "static const struct cuda_environment environments[] = {\n");
    for (int n = 0; n < ENVIRONMENTS; n++) {
        struct cuda_environment set =
            cuda_environment_choose(0, (unsigned)n, n < nknown ? &known[n] : NULL, &k->limits);
        put_environment(&set, out);
    }
    text_printf(out,
                "};\nenum { NENVIRONMENTS = %d, NPARAMETERS = %d };\n"
                "static const char *const parameter_names[] = {",
                ENVIRONMENTS, fields());
    for (int n = 0; n < fields(); n++)
        text_printf(out, "%s\"%s\"", n ? ", " : "", cuda_environment_ranges[n].name);
    text_add(out, "};\n\n");
}

/* ---- outcomes ---- */

static void put_observable(struct text *out, const struct expr *e, void *ctx) {
    (void)ctx;
    if (e->kind == EXPR_OBS) text_printf(out, "v%d", e->index);
}

/* Writes each observable as a variable of its type, made of its words in `w`. */
static void put_values(const struct test *t, struct text *out) {
    int word = 0;
    for (int o = 0; o < t->nobs; o++) {
        const char *type = type_name(t->obs[o].type);
        text_printf(out, "    %s v%d;\n    memcpy(&v%d, w + %d, sizeof v%d);\n", type, o, o, word, o);
        word += (type_bytes(t->obs[o].type) + 3) / 4;
    }
}

static void put_lane(const struct type *t, const char *value, struct text *out) {
    if (type_same(*t, type_half))
        text_printf(out, "    printf(\"0x%%04x\", %s);\n", value); /* its bits */
    else if (t->real)
        text_printf(out, "    printf(\"%%.%dg\", %s);\n", t->bits == 64 ? 17 : 9, value);
    else if (t->bits == 128)
        text_printf(out,
                    "    printf(\"0x%%llx%%016llx\", (unsigned long long)((unsigned __int128)%s >> 64), "
                    "(unsigned long long)%s);\n",
                    value, value);
    else
        text_printf(out, "    printf(\"%%ll%c\", (%slong long)%s);\n", t->sign ? 'd' : 'u',
                    t->sign ? "" : "unsigned ", value);
}

static void put_printing(const struct test *t, int o, struct text *out) {
    const struct type type = t->obs[o].type;
    char value[32];
    text_printf(out, "    printf(\"%s=\");\n", t->obs[o].name);
    for (int k = 0; k < type.lanes; k++) {
        snprintf(value, sizeof value, type_is_vector(type) ? "v%d.%c" : "v%d", o, type_lane_name(k));
        if (k) text_add(out, "    printf(\",\");\n");
        put_lane(&type, value, out);
    }
    if (o + 1 < t->nobs) text_add(out, "    printf(\"  \");\n");
}

static void put_outcomes(const struct test *t, struct text *out) {
    static const char *const quantifiers[] = {
        [EXISTS] = "exists ", [NOT_EXISTS] = "not exists ", [FORALL] = "forall "};
    text_add(out, "static const char TITLE[] = \"");
    put_escaped(out, t->title ? t->title : t->name);
    text_printf(out, "\";\nstatic const char CONDITION[] = \"%s", quantifiers[t->cond.kind]);
    put_escaped(out, t->cond.text);
    text_printf(out,
                "\";\n\n/* Whether an outcome %s. */\nstatic __device__ bool satisfies(const int *w)\n{\n",
                t->cond.kind == FORALL ? "breaks the claim" : "satisfies the condition");
    put_values(t, out);
    text_printf(out, "    return %s(", t->cond.kind == FORALL ? "!" : "");
    expr_print(out, t->cond.prop, true, put_observable, NULL);
    text_add(out, ");\n}\n\nstatic void print_outcome(const int *w)\n{\n");
    put_values(t, out);
    for (int o = 0; o < t->nobs; o++)
        put_printing(t, o, out);
    text_add(out, "}\n\n");
}

void program_write(const struct test *t, const struct cell *cell, const struct environment *known, int nknown,
                   struct text *out) {
    /* nothing is known of the device but that it can run the cell */
    struct cuda_device any = {.traits = {.sms = 128}};
    struct cuda_kernel *k = cuda_describe(&any, t, cell);
    k->limits.cold = k->limits.afar = k->limits.halves = false;
    k->limits.max_threads = cuda_most_threads(k, 1024);
    text_printf(out,
                "/* culitmus: %s, placement %s, access %s, fence %s, as a program of its own:\n *\n"
                " *   nvcc -O3 -std=c++17 -arch=native FILE.cu && ./a.out */\n",
                t->name, cell->placement->name, access_name(cell->access), cell->fence->name);
    text_add(out, "#pragma nv_diag_suppress 128, 177, 550\n"
                  "#pragma GCC diagnostic ignored \"-Wenum-compare\"\n"
                  "#include <stdio.h>\n#include <stdlib.h>\n");
    gen_unit(t, cell, DIALECT_CUDA, out);
    put_environment_type(out);
    gen_add_file("plan.h", out);
    put_seats(k, out);
    put_kernels(k, out);
    put_facts(k, out);
    put_environments(k, known, nknown, out);
    put_outcomes(t, out);
    gen_add_file("cuda_main.cuh", out);
    cuda_discard(k);
}
