#include "check/probes.h"

#include <ctype.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct probe_type {
    const char *c;
    char letter; /* constraint letter of its registers in inline asm */
};
static const struct probe_type types[] = {
    {"unsigned char", 'h'}, {"unsigned short", 'h'},     {"int", 'r'},  {"unsigned", 'r'},
    {"long long", 'l'},     {"unsigned long long", 'l'}, {"float", 'f'}};

/* nvcc's names for the scopes. Its orders are named like C's: "__NV_ATOMIC_RELAXED" for
 * "__ATOMIC_RELAXED". */
static const char *const nvcc_scopes[] = {[SCOPE_CTA] = "__NV_THREAD_SCOPE_BLOCK",
                                          [SCOPE_CLUSTER] = "__NV_THREAD_SCOPE_CLUSTER",
                                          [SCOPE_GPU] = "__NV_THREAD_SCOPE_DEVICE",
                                          [SCOPE_SYS] = "__NV_THREAD_SCOPE_SYSTEM"};

const char *probe_spelling_name(enum probe_spelling s) {
    static const char *const names[] = {"CUDA", "nvcc", "libcu++", "PTX"};
    return names[s];
}

struct probes {
    struct arena *arena;
    struct probe *list;
    int n;
    bool all;
};

static bool is_probed(const struct op_row *row) {
    bool kind = row->kind == OP_LOAD || row->kind == OP_STORE || row->kind == OP_RMW || row->kind == OP_FENCE;
    return kind && row->ptx && !row->judged && (row->kind != OP_FENCE || row->orders);
}

static bool returns(const struct op_row *row) {
    return op_kinds[row->kind].returns;
}

/* Whether the operation takes an expected value. */
static bool compares(const struct op_row *row) {
    return row->types == TYPES_COMPARED;
}

/* Returns the text with a word in place of each `from`. */
static const char *replaced(struct arena *a, const char *text, const char *from, const char *to) {
    struct text out = {0};
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
        text_add_n(&out, text, (size_t)(at - text));
        text_add(&out, to);
    }
    text_add(&out, text);
    const char *result = arena_strdup(a, out.s);
    text_free(&out);
    return result;
}

/* Whether the probe is of the operation's usual type, of which every order and scope is listed. */
static bool is_usual(const struct probe *p) {
    return p->row->kind == OP_FENCE ||
           type_same(p->type, p->row->types == TYPES_COUNT ? type_unsigned : type_int);
}

/* Whether the probe is listed without `all`: those left out combine what other probes show one by one. */
static bool is_chosen(const struct probe *p) {
    bool scoped =
        p->asked.scope != SCOPE_NONE && p->asked.scope != SCOPE_GPU && p->asked.order != ORDER_VOLATILE;
    bool usual = is_usual(p);
    if (p->unused || strcmp(p->space, "generic") == 0)
        return usual && (!p->unused || strcmp(p->space, "global") == 0);
    return usual || !scoped;
}

static void add(struct probes *p, struct probe probe) {
    if (!p->all && !is_chosen(&probe)) return;
    p->list = arena_more(p->arena, p->list, (size_t)p->n, sizeof *p->list);
    p->list[p->n++] = probe;
}

/* Adds a probe of this kind whose statement evaluates `value`; if there is a result, it assigns it to r. */
static void add_value(struct probes *p, struct probe probe, const char *value) {
    probe.returns = returns(probe.row) && !probe.unused;
    probe.statement = arena_printf(p->arena, "%s%s;", probe.returns ? "r = " : "", value);
    add(p, probe);
}

/* ---- CUDA's own names ---- */

static bool is_cuda(const char *usage) {
    bool atomic = strncmp(usage, "atomic", 6) == 0 && isupper((unsigned char)usage[6]);
    return (atomic || strncmp(usage, "__", 2) == 0) && !strstr(usage, "order");
}

/* Whether CUDA has the atomic function for the type (CUDA C++ Programming Guide, "Atomic Functions"). */
static bool is_overloaded(const struct probe *p) {
    bool long_long = p->type.bits == 64 && p->type.sign;
    switch (p->row->types) {
    case TYPES_SUM: return p->row->negated ? p->type.bits == 32 && !p->type.real : !long_long;
    case TYPES_SWAP:
    case TYPES_COMPARED: return !long_long;
    case TYPES_COUNT: return !p->type.sign;
    default: return true;
    }
}

/* "atomicAdd_block(p, v)" becomes "atomicOP_block(p, v)". */
static const char *without_operation(struct arena *a, const char *value) {
    if (strncmp(value, "atomic", 6) != 0 || strncmp(value, "atomicCAS", 9) == 0) return value;
    return arena_printf(a, "atomicOP%s", value + 6 + strcspn(value + 6, "_("));
}

static void add_calls(struct probes *p, struct probe probe) {
    for (const struct op_call *call = probe.row->calls; call->usage; call++) {
        if (!is_cuda(call->usage) || !is_overloaded(&probe)) continue;
        const char *value = replaced(p->arena, call->usage, "&X", "p");
        value = replaced(p->arena, replaced(p->arena, value, "value", "v"), "expected, desired", "e, v");
        probe.written = without_operation(p->arena, value);
        probe.asked = (struct strength){call->order, call->scope};
        add_value(p, probe, value);
    }
}

/* Adds plain and volatile accesses, written as in C. */
static void add_plain(struct probes *p, struct probe probe) {
    bool store = probe.row->kind == OP_STORE;
    if (!(probe.row->orders >> ORDER_VOLATILE & 1)) return; /* other rows are not accesses of every order */
    probe.asked = (struct strength){ORDER_WEAK, SCOPE_NONE};
    probe.written = store ? "*p = v" : "*p";
    add_value(p, probe, probe.written);
    probe.asked = (struct strength){ORDER_VOLATILE, SCOPE_SYS};
    probe.written = store ? "*(volatile T *)p = v" : "*(volatile T *)p";
    add_value(p, probe, probe.written);
}

/* ---- nvcc's functions and libcu++ ---- */

/* Finds the call of a row that takes an order and a scope, such as "fetch_add"; NULL: there is none.
 * fetch_inc and fetch_dec exist in tests only. */
static const char *generic_name(struct arena *a, const struct op_row *row) {
    for (const struct op_call *call = row->calls; call->usage; call++)
        if (op_call_has(call, "order") && op_call_has(call, "scope") && row->types != TYPES_COUNT)
            return arena_strndup(a, call->usage, (size_t)op_call_length(call));
    return NULL;
}

static const char *nvcc_value(struct probes *p, const struct probe *probe, const char *name) {
    enum order asked = probe->asked.order;
    enum order failed = asked == ORDER_ACQ_REL   ? ORDER_ACQUIRE
                        : asked == ORDER_RELEASE ? ORDER_RELAXED
                                                 : asked;
    const char *order = arena_printf(p->arena, "__NV%s", order_c(asked) + 1);
    const char *scope = nvcc_scopes[probe->asked.scope];
    if (probe->row->kind == OP_FENCE)
        return arena_printf(p->arena, "__nv_atomic_thread_fence(%s, %s)", order, scope);
    if (probe->row->kind == OP_LOAD)
        return arena_printf(p->arena, "__nv_atomic_load_n(p, %s, %s)", order, scope);
    if (compares(probe->row))
        return arena_printf(p->arena, "__nv_atomic_compare_exchange_n(p, &e, v, false, %s, __NV%s, %s)",
                            order, order_c(failed) + 1, scope);
    const char *end = strncmp(name, "fetch_", 6) == 0 ? "" : "_n";
    return arena_printf(p->arena, "__nv_atomic_%s%s(p, v, %s, %s)", name, end, order, scope);
}

static const char *libcuxx_value(struct probes *p, const struct probe *probe, const char *name) {
    const char *order = probe->asked.order == ORDER_SC ? "seq_cst" : order_name(probe->asked.order);
    const char *scope = scope_name(probe->asked.scope);
    if (probe->row->kind == OP_FENCE)
        return arena_printf(p->arena,
                            "cuda::atomic_thread_fence(cuda::memory_order_%s, cuda::thread_scope_%s)", order,
                            scope);
    const char *operands = probe->row->kind == OP_LOAD ? "" : compares(probe->row) ? "e, v, " : "v, ";
    if (compares(probe->row)) name = "compare_exchange_strong";
    return arena_printf(p->arena,
                        "cuda::atomic_ref<%s, cuda::thread_scope_%s>(*p).%s(%scuda::memory_order_%s)",
                        probe->c_type, scope, name, operands, order);
}

/* "__nv_atomic_fetch_add(p, v, ...)" becomes "__nv_atomic_fetch_OP", and libcu++'s ".fetch_add(...)" becomes
 * ".fetch_OP". */
static const char *called(struct arena *a, enum probe_spelling s, const char *name) {
    const char *any = strncmp(name, "fetch_", 6) == 0 ? "fetch_OP" : name;
    if (strcmp(name, "atomic_thread_fence") == 0)
        return s == PROBE_NVCC ? "__nv_atomic_thread_fence" : "cuda::atomic_thread_fence";
    return arena_printf(a, s == PROBE_NVCC ? "__nv_atomic_%s" : "cuda::atomic_ref.%s", any);
}

/* Whether C++ allows the order for a load, a store, an atomic or a fence (C++17,
 * [atomics.types.operations]). */
static bool may_have(enum op_kind kind, enum order order) {
    if (kind == OP_LOAD) return order != ORDER_RELEASE && order != ORDER_ACQ_REL;
    if (kind == OP_STORE) return order != ORDER_ACQUIRE && order != ORDER_ACQ_REL;
    return kind == OP_RMW || order != ORDER_RELAXED;
}

/* Whether nvcc has its function for the type: those with _n are for integers, and sums are not for long
 * long. */
static bool nvcc_has(const struct probe *p) {
    bool sums = p->row->types == TYPES_SUM;
    return sums ? p->type.bits < 64 || !p->type.sign : !p->type.real;
}

static void add_scoped(struct probes *p, struct probe probe, enum probe_spelling s) {
    const char *name = generic_name(p->arena, probe.row);
    if (!name || (s == PROBE_NVCC && !nvcc_has(&probe))) return;
    probe.spelling = s;
    probe.written = called(p->arena, s, name);
    for (enum order o = ORDER_RELAXED; o <= ORDER_SC; o++)
        for (enum scope scope = SCOPE_CTA; scope <= SCOPE_SYS; scope++) {
            if (!may_have(probe.row->kind, o) || (s == PROBE_LIBCUXX && scope == SCOPE_CLUSTER)) continue;
            probe.asked = (struct strength){o, scope};
            add_value(p, probe,
                      s == PROBE_NVCC ? nvcc_value(p, &probe, name) : libcuxx_value(p, &probe, name));
        }
}

/* ---- PTX ---- */

static bool is_scoped(enum order o) {
    return o != ORDER_WEAK && o != ORDER_VOLATILE;
}

/* Writes what stands for a letter of the row's pattern. Operands are numbered from the result on. */
static void put_letter(struct text *out, const struct probe *p, char letter) {
    int first = returns(p->row) && !p->unused;
    switch (letter) {
    case 'o':
        if (p->asked.order != ORDER_WEAK) text_printf(out, ".%s", order_name(p->asked.order));
        if (is_scoped(p->asked.order)) text_printf(out, ".%s", scope_ptx(p->asked.scope));
        break;
    case 's':
        if (strcmp(p->space, "generic") != 0) text_printf(out, ".%s", p->space);
        break;
    case 't': text_printf(out, ".%s", op_type_ptx(p->row->types, p->type)); break;
    case 'x': text_add(out, p->unused ? "red" : "atom"); break;
    case 'r': text_add(out, p->unused ? "" : "%0, "); break;
    case 'd': text_add(out, "%0"); break;
    case 'a': text_printf(out, "%%%d", first); break;
    case 'v': text_printf(out, "%%%d", first + (compares(p->row) ? 2 : 1)); break;
    case 'e': text_printf(out, "%%%d", first + 1); break;
    default: break;
    }
}

static const char *address_of(const char *space, char *letter) {
    *letter = strcmp(space, "shared") == 0 ? 'r' : 'l';
    return strcmp(space, "shared") == 0   ? "(unsigned)__cvta_generic_to_shared(p)"
           : strcmp(space, "global") == 0 ? "__cvta_generic_to_global(p)"
                                          : "p";
}

static const char *asm_of(struct arena *a, const struct probe *p, char letter) {
    struct text out = {0};
    char pointer;
    const char *address = address_of(p->space, &pointer);
    text_add(&out, "asm volatile(\"");
    for (const char *s = p->row->ptx; *s; s++)
        if (*s == '$')
            put_letter(&out, p, *++s);
        else
            text_add_n(&out, s, 1);
    text_add(&out, ";\" : ");
    if (p->returns) text_printf(&out, "\"=%c\"(r)", letter);
    text_add(&out, " : ");
    if (p->row->kind != OP_FENCE) text_printf(&out, "\"%c\"(%s)", pointer, address);
    if (compares(p->row)) text_printf(&out, ", \"%c\"(e)", letter);
    if (p->row->kind == OP_RMW || p->row->kind == OP_STORE) text_printf(&out, ", \"%c\"(v)", letter);
    text_add(&out, " : \"memory\");");
    const char *statement = arena_strdup(a, out.s);
    text_free(&out);
    return statement;
}

static void add_ptx(struct probes *p, struct probe probe, char letter) {
    if (probe.row->negated) return; /* PTX has no atom.sub */
    probe.spelling = PROBE_PTX;
    if (letter == 'h') probe.c_type = "unsigned short"; /* PTX has no 8-bit registers */
    probe.written = "asm";
    probe.returns = returns(probe.row) && !probe.unused;
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++) {
        if (!(probe.row->orders >> o & 1)) continue;
        if (probe.unused && (o == ORDER_ACQUIRE || o == ORDER_ACQ_REL)) continue; /* red has no acquire */
        for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++) {
            if (!is_scoped(o) && s != SCOPE_CTA) continue;
            enum scope only = o == ORDER_VOLATILE ? SCOPE_SYS : SCOPE_NONE;
            probe.asked = (struct strength){o, is_scoped(o) ? s : only};
            probe.statement = asm_of(p->arena, &probe, letter);
            add(p, probe);
        }
    }
}

/* ---- all of them ---- */

static void add_typed(struct probes *p, const struct op_row *row, const struct probe_type *type,
                      const char *space, bool unused) {
    struct probe probe = {
        .row = row, .operation = row->word, .c_type = type->c, .space = space, .unused = unused};
    if (!type_find(type->c, &probe.type)) return;
    if (row->kind != OP_FENCE && op_needs(row->types, probe.type)) return;
    if (unused) probe.operation = arena_printf(p->arena, "(%s)", row->word);
    if (strcmp(space, "generic") != 0) {
        add_calls(p, probe);
        add_plain(p, probe);
        add_scoped(p, probe, PROBE_NVCC);
        add_scoped(p, probe, PROBE_LIBCUXX);
    }
    add_ptx(p, probe, type->letter);
}

struct probe *probes_list(struct arena *a, bool all, int *n) {
    static const char *const spaces[] = {"global", "shared", "generic"};
    struct probes p = {.arena = a, .all = all};
    for (enum op_name name = 0; name < OP_COUNT; name++) {
        const struct op_row *row = &op_rows[name];
        if (!is_probed(row)) continue;
        if (row->kind == OP_FENCE) add_typed(&p, row, &types[2], "", false);
        for (size_t t = 0; t < COUNT_OF(types) && row->kind != OP_FENCE; t++)
            for (size_t s = 0; s < COUNT_OF(spaces); s++) {
                if (row->cache && s > 0) continue;
                add_typed(&p, row, &types[t], spaces[s], false);
                if (row->kind == OP_RMW && !compares(row) && row->types != TYPES_SWAP)
                    add_typed(&p, row, &types[t], spaces[s], true);
            }
    }
    *n = p.n;
    return p.list;
}

bool probe_is_had(const struct probe *p, int cc) {
    /* for an order that PTX lacks on this architecture, a library uses something else */
    bool own = p->spelling == PROBE_PTX;
    return (p->asked.scope != SCOPE_CLUSTER || cc >= 90) &&
           op_is_had(cc, p->row->name, own ? p->asked.order : ORDER_RELAXED, p->type);
}

static void write_kernel(struct text *out, const struct probe *p, int k) {
    bool shared = strcmp(p->space, "shared") == 0;
    text_printf(out, "extern \"C\" __global__ void m%d(%s *g, %s v, %s e, %s *out) { using T = %s; ", k,
                p->c_type, p->c_type, p->c_type, p->c_type, p->c_type);
    text_add(out, shared ? "T *p = (T *)raw; " : "T *p = g; ");
    if (p->row->kind == OP_FENCE) text_add(out, "*(volatile T *)p; ");
    text_printf(out, "%s%s", p->returns ? "T r; " : "", p->statement);
    if (p->row->kind == OP_FENCE) text_add(out, " *(volatile T *)out = v;");
    text_add(out, p->returns ? " *out = r; }\n" : " }\n");
}

void probes_write(struct text *out, const struct probe *const *probes, int n) {
    bool libcuxx = n && probes[0]->spelling == PROBE_LIBCUXX;
    text_add(out, libcuxx ? "#include <cuda/atomic>\n" : "\n");
    text_add(out, "extern __shared__ __align__(16) unsigned char raw[];\n");
    for (int k = 0; k < n; k++)
        write_kernel(out, probes[k], k);
}
