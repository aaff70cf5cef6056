#include "brute_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../random.h"

static const char *const orders[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
static const char *const scopes[] = {"block", "device", "system"};
static const char *const ptx_scopes[] = {"cta", "gpu", "sys"};
static const char *const locs[BRUTE_LOCS] = {"x", "y"};

bool brute_swaps(const struct brute_program *p) {
    for (int k = 0; k < p->nops[0]; k++)
        if (p->ops[0][k].kind == BRUTE_SWAP) return true;
    return false;
}

static void write_seats(struct text *t, const struct brute_program *p) {
    for (int k = 0; k < p->nthreads; k++) {
        bool same_gpu = k > 0 && p->gpu[k] == p->gpu[k - 1],
             same_block = k > 0 && p->block[k] == p->block[k - 1];
        text_printf(t, "%sT%d",
                    k == 0                     ? ""
                    : k == 1 && brute_swaps(p) ? "."
                    : same_block               ? " "
                    : same_gpu                 ? " | "
                                               : " || ",
                    k);
    }
}

const struct brute_width brute_widths[BRUTE_WIDTHS] = {{"int", "int2", 1},
                                                       {"uint64_t", "ulonglong2", 0x100000001},
                                                       {"int64_t", "longlong2", -0x100000001},
                                                       {"unsigned", "uint2", 0x30000001}};

static void write_stored(struct text *t, const struct brute_program *p, const struct brute_width *w,
                         const struct brute_op *o) {
    static const char *const zeros[] = {"(r%d ^ r%d)", "(r%d & 0) * r%d", "r%d * 0 + (r%d - r%d)"};
    long long value = o->value * w->scale;
    if (o->source >= 0 && o->use == BRUTE_CANCELS) {
        text_printf(t, "%lld + ", value);
        text_printf(t, zeros[o->source % 3], o->source, o->source, o->source);
    } else if (o->use == BRUTE_OTHER_WAY)
        text_printf(t, "r%d == %lld ? %lld : %lld", o->source, value, value, (3 - o->value) * w->scale);
    else if (o->source >= 0 && !o->guarded && o->use == BRUTE_IS_STORED)
        text_printf(t, "r%d", o->source);
    else if (brute_is_vector(p, o->loc))
        text_printf(t, "make_%s(%lld, %lld)", w->vector, o->value * w->scale, (o->value + 2) * w->scale);
    else
        text_printf(t, "%lld", (long long)brute_number(o, o->value) * w->scale);
}

static bool is_sized(const struct brute_program *p, const struct brute_op *o) {
    return p->grain && o->loc == 0 && o->kind != BRUTE_EXIT && o->kind != BRUTE_FENCE;
}

/* The location that an operation accesses: of mixed sizes, a view of x. */
static const char *place_of(char buf[32], const struct brute_program *p, const struct brute_op *o) {
    if (!is_sized(p, o) || o->bytes == BRUTE_BYTES) return locs[o->loc];
    snprintf(buf, 32, "x%d_%d", o->bytes, o->at);
    return buf;
}

/* What an operation returns. Before an exit, it has a value all the same. */
static void write_register(struct text *t, const struct brute_program *p, const struct brute_op *o,
                           const char *type, int op) {
    if (!brute_returns_value(o)) return;
    if (p->grain)
        text_printf(t, "r%d = ", op);
    else
        text_printf(t, "%s r%d = ", type, op);
}

static void write_op(struct text *t, const struct brute_program *p, const struct brute_width *w,
                     const struct brute_op *o, int op) {
    char place[32];
    const char *loc = place_of(place, p, o), *order = orders[o->order], *scope = scopes[o->scope];
    const char *type = brute_is_vector(p, o->loc) ? w->vector : w->scalar;
    bool weak = o->order == BRUTE_WEAK;
    long long value = (long long)brute_number(o, o->value) * w->scale,
              expected = (long long)brute_number(o, o->expected) * w->scale;
    text_add(t, "    ");
    write_register(t, p, o, type, op);
    switch (o->kind) {
    case BRUTE_LOAD:
        text_printf(t, weak ? "load(%s, %s);\n" : "load(%s, %s, %s);\n", loc, order, scope);
        break;
    case BRUTE_STORE:
        if (o->guarded)
            text_printf(t, "if (r%d%s == %lld) ", o->source, brute_is_vector(p, o->loc) ? ".x" : "", value);
        if (o->use == BRUTE_SAME_WAYS) {
            text_printf(t, "if (r%d > 1) store(%s, %lld, ", o->source, loc, value);
            text_printf(t, weak ? "%s); else " : "%s, %s); else ", order, scope);
        }
        text_printf(t, "store(%s, ", loc);
        write_stored(t, p, w, o);
        text_printf(t, weak ? ", %s);\n" : ", %s, %s);\n", order, scope);
        break;
    case BRUTE_ADD:
    case BRUTE_EXCH:
        if (o->red) {
            text_printf(t, "asm volatile(\"red.%s.%s.global.add.u%d [%%0], %lld;\" :: \"l\"(&%s));\n", order,
                        ptx_scopes[o->scope], 8 * o->bytes, value, loc);
            break;
        }
        text_printf(t, "%s(%s, %lld, %s, %s);\n", o->kind == BRUTE_ADD ? "fetch_add" : "exchange", loc, value,
                    order, scope);
        break;
    case BRUTE_CAS:
        text_printf(t, "compare_exchange(%s, %lld, %lld, %s, %s);\n", loc, expected, value, order, scope);
        break;
    case BRUTE_FENCE: text_printf(t, "atomic_thread_fence(%s, %s);\n", order, scope); break;
    case BRUTE_BARRIER: text_add(t, "__syncthreads();\n"); break;
    case BRUTE_MEET:
        text_printf(t, "asm volatile(\"bar.%s 1, %d;\" ::: \"memory\");\n", o->arrives ? "arrive" : "sync",
                    32 * o->value);
        break;
    case BRUTE_EXIT: text_printf(t, "if (r%d == %d) return;\n", o->source, o->value); break;
    case BRUTE_SWAP:
        if (o->source < 0)
            text_printf(t, "__shfl_xor_sync(3, (%s)%lld, 1);\n", type, value);
        else
            text_printf(t, "__shfl_xor_sync(3, r%d, 1);\n", o->source);
        break;
    case BRUTE_COPY:
    case BRUTE_COMMIT:
    case BRUTE_WAIT: abort(); /* these are in tables */
    }
}

static const char *type_of(const struct brute_program *p, const struct brute_width *w,
                           const struct brute_op *o) {
    static const char *const sizes[] = {
        [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
    return is_sized(p, o) ? sizes[o->bytes] : w->scalar;
}

/* The views that the operations access, and all registers, so that they have values also before an exit. */
static void write_views(struct text *t, const struct brute_program *p, const struct brute_width *w) {
    char place[32];
    for (int bytes = p->grain; p->grain && bytes < BRUTE_BYTES; bytes *= 2)
        for (int at = 0; at < BRUTE_BYTES; at += bytes) {
            struct brute_op o = {.kind = BRUTE_LOAD, .bytes = bytes, .at = at};
            text_printf(t, ", %s: {of: x, at: %d, type: %s}", place_of(place, p, &o), at, type_of(p, w, &o));
        }
}

static void write_registers(struct text *t, const struct brute_program *p, const struct brute_width *w,
                            int thread) {
    for (int o = 0; p->grain && o < p->nops[thread]; o++)
        if (brute_returns_value(&p->ops[thread][o]))
            text_printf(t, "    %s r%d = 0;\n", type_of(p, w, &p->ops[thread][o]), o);
}

/* Neither the counter nor what is added to it is observed. */
static unsigned counter_mask(const struct brute_program *p) {
    unsigned mask = 0, bit = 1;
    for (int k = 0; k < p->nthreads; k++)
        for (int o = 0; o < p->nops[k]; o++) {
            if (!brute_returns_value(&p->ops[k][o])) continue;
            mask |= p->ops[k][o].kind == BRUTE_ADD ? 0 : bit;
            bit <<= 1;
        }
    return mask;
}

static int count_lines(const struct text *t) {
    int n = 0;
    for (const char *at = strchr(t->s, '\n'); at; at = strchr(at + 1, '\n'))
        n++;
    return n;
}

static void write_test(struct brute_text *out, const struct brute_program *p, const struct brute_width *w) {
    struct text *t = &out->text;
    const char *lane = p->vector ? ".x" : "";
    text_printf(t, "name: random\nmemory: {x: {type: %s}, y: {type: %s}",
                p->vector  ? w->vector
                : p->grain ? "uint64_t"
                           : w->scalar,
                w->scalar);
    write_views(t, p, w);
    text_add(t, "}\nplacements: [\"");
    write_seats(t, p);
    text_add(t, "\"]\nthreads:\n");
    struct text cond = {0};
    unsigned mask = p->vector || p->grain || pick(2) ? ~0u : (unsigned)pick(1 << BRUTE_MAX_OBS);
    if (p->counts && pick(6)) mask = counter_mask(p);
    int at = 0;
    out->observed = 0;
    for (int k = 0; k < p->nthreads; k++) {
        text_printf(t, "  T%d: |\n", k);
        write_registers(t, p, w, k);
        for (int o = 0; o < p->nops[k]; o++) {
            const struct brute_op *op = &p->ops[k][o];
            out->op_at[k][count_lines(t) + 1] = o;
            write_op(t, p, w, op, o);
            if (!brute_returns_value(op)) continue;
            if (mask >> at & 1)
                text_printf(&cond, "T%d.r%d%s == 0 && ", k, o, brute_is_vector(p, op->loc) ? ".x" : "");
            out->observed |= mask & 1u << at++;
        }
    }
    out->observed = mask == ~0u ? mask : out->observed | (mask & 1u << at) | 2u << at;
    text_printf(t, "exists: %s", cond.s ? cond.s : "");
    if (mask >> at & 1) text_printf(t, "x%s == 0 && ", lane);
    text_add(t, "y == 0\n");
    text_free(&cond);
}

/* The same as a PTX table, for programs with operations that CUDA C has no word for. */

enum { MAX_ROWS = 6 * BRUTE_MAX_OPS, FIRST_ROW = 4 /* its line */ };

struct table_column {
    char rows[MAX_ROWS][64];
    int n;
};

#define ROW(column, ...) snprintf((column)->rows[(column)->n++], sizeof *(column)->rows, __VA_ARGS__)

static void write_rows(struct table_column *c, const struct brute_op *o, int op) {
    const char *loc = locs[o->loc], *order = orders[o->order], *scope = ptx_scopes[o->scope];
    bool weak = o->order == BRUTE_WEAK;
    char strength[32], value[16];
    snprintf(strength, sizeof strength, weak ? "%s" : "%s.%s", order, scope);
    bool stored = o->source >= 0 && !o->guarded && o->use == BRUTE_IS_STORED;
    snprintf(value, sizeof value, stored ? "r%d" : "%d", stored ? o->source : o->value);
    switch (o->kind) {
    case BRUTE_LOAD: ROW(c, "ld.%s r%d, %s", strength, op, loc); break;
    case BRUTE_STORE:
        if (o->use == BRUTE_CANCELS) {
            ROW(c, "xor t%d, r%d, r%d", op, o->source, o->source);
            ROW(c, "add t%d, t%d, %d", op, op, o->value);
            snprintf(value, sizeof value, "t%d", op);
        }
        if (o->guarded || o->use > BRUTE_CANCELS) ROW(c, "bne r%d, %d, L%d", o->source, o->value, op);
        ROW(c, "st.%s %s, %s", strength, loc, value);
        if (o->use > BRUTE_CANCELS) ROW(c, "goto M%d", op);
        if (o->guarded || o->use > BRUTE_CANCELS) ROW(c, "L%d:", op);
        if (o->use > BRUTE_CANCELS) {
            ROW(c, "st.%s %s, %d", strength, loc, o->use == BRUTE_SAME_WAYS ? o->value : 3 - o->value);
            ROW(c, "M%d:", op);
        }
        break;
    case BRUTE_EXIT: ROW(c, "beq r%d, %d, END", o->source, o->value); break;
    case BRUTE_ADD:
    case BRUTE_EXCH:
        if (o->red)
            ROW(c, "red.%s.add %s, %d", strength, loc, o->value);
        else
            ROW(c, "atom.%s.%s r%d, %s, %d", strength, o->kind == BRUTE_ADD ? "add" : "exch", op, loc,
                o->value);
        break;
    case BRUTE_CAS: ROW(c, "atom.%s.cas r%d, %s, %d, %d", strength, op, loc, o->expected, o->value); break;
    case BRUTE_FENCE: ROW(c, "fence.%s", strength); break;
    case BRUTE_BARRIER: ROW(c, "bar.cta.sync 0"); break;
    case BRUTE_MEET: ROW(c, "bar.cta.%s 1, %d", o->arrives ? "arrive" : "sync", 32 * o->value); break;
    case BRUTE_SWAP: abort(); /* not in tables */
    case BRUTE_COPY: ROW(c, "cp.async.ca.shared.global %s, %s, 4", loc, locs[o->from]); break;
    case BRUTE_COMMIT: ROW(c, "cp.async.commit_group"); break;
    case BRUTE_WAIT:
        if (o->pending < 0)
            ROW(c, "cp.async.wait_all");
        else
            ROW(c, "cp.async.wait_group %d", o->pending);
        break;
    }
}

static bool has_exit(const struct brute_program *p, int thread) {
    for (int k = 0; k < p->nops[thread]; k++)
        if (p->ops[thread][k].kind == BRUTE_EXIT) return true;
    return false;
}

static void write_table(struct brute_text *out, const struct brute_program *p) {
    struct text *t = &out->text;
    struct table_column columns[BRUTE_MAX_THREADS] = {0};
    struct text cond = {0};
    int rows = 0;
    text_add(t, "PTX random\n{ x=0; y=0; }\n");
    for (int k = 0; k < p->nthreads; k++) {
        text_printf(t, "%s P%d@cta %d,gpu %d", k ? " |" : "", k, p->block[k], p->gpu[k]);
        for (int o = 0; o < p->nops[k]; o++) {
            int before = columns[k].n;
            write_rows(&columns[k], &p->ops[k][o], o);
            for (int row = before; row < columns[k].n; row++)
                out->op_at[k][FIRST_ROW + row] = o;
            if (brute_returns_value(&p->ops[k][o])) text_printf(&cond, "P%d:r%d == 0 /\\ ", k, o);
        }
        if (has_exit(p, k)) ROW(&columns[k], "END:");
        rows = columns[k].n > rows ? columns[k].n : rows;
    }
    text_add(t, " ;\n");
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < p->nthreads; k++)
            text_printf(t, "%s %s", k ? " |" : "", columns[k].rows[r]);
        text_add(t, " ;\n");
    }
    text_printf(t, "exists (%sx == 0 /\\ y == 0)\n", cond.s ? cond.s : "");
    text_free(&cond);
}

bool brute_needs_table(const struct brute_program *p) {
    if (p->grain) return false;
    for (int t = 0; t < p->nthreads; t++)
        for (int k = 0; k < p->nops[t]; k++)
            if (p->ops[t][k].red || p->ops[t][k].kind == BRUTE_COPY || p->ops[t][k].kind == BRUTE_EXIT)
                return true;
    return false;
}

void brute_write(struct brute_text *t, const struct brute_program *p, const struct brute_width *w) {
    *t = (struct brute_text){.table = brute_needs_table(p), .observed = ~0u};
    if (t->table)
        write_table(t, p);
    else
        write_test(t, p, w);
}
