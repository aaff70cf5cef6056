#include "litmus/name.h"

#include <ctype.h>
#include <string.h>

#include "base/diag.h"
#include "litmus/ops.h"

enum { LONGEST_NAME = 64 };

static const char *const language_words[] = {
    /* C11 */
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
    "while",
    /* C++20, with its alternative operators */
    "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "bool", "catch", "char8_t", "char16_t",
    "char32_t", "class", "compl", "concept", "consteval", "constexpr", "constinit", "const_cast", "co_await",
    "co_return", "co_yield", "decltype", "delete", "dynamic_cast", "explicit", "export", "false", "friend",
    "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
    "private", "protected", "public", "reinterpret_cast", "requires", "static_assert", "static_cast",
    "template", "this", "thread_local", "throw", "true", "try", "typeid", "typename", "using", "virtual",
    "wchar_t", "xor", "xor_eq", "typeof", "NULL"};

static const char *const cuda_words[] = {
    "threadIdx", "blockIdx", "blockDim", "gridDim",  "warpSize", "dim3",   "int8_t",    "int16_t", "int32_t",
    "int64_t",   "uint8_t",  "uint16_t", "uint32_t", "uint64_t", "size_t", "uintptr_t", "intptr_t"};

static const char *const format_words[] = {"exists", "forall", "not_exists"};

static bool is_among(const char *name, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (words[i][0] == name[0] && strcmp(words[i], name) == 0) return true;
    return false;
}

#define AMONG(name, words) is_among(name, words, sizeof(words) / sizeof *(words))

const char *name_problem(const char *name) {
    size_t n = strlen(name);
    bool word = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (size_t i = 0; i < n; i++)
        word = word && (isalnum((unsigned char)name[i]) || name[i] == '_');
    if (!word) return "is not a name: letters, digits and '_', not beginning with a digit";
    if (name[0] == '_' && !islower((unsigned char)name[1]))
        return "begins with '_' and no small letter, which is kept for compilers";
    if (strstr(name, "__")) return "contains '__', which is kept for compilers";
    if (n > LONGEST_NAME) return "is longer than 64 characters";
    if (AMONG(name, language_words)) return "is a word of C or C++";
    struct type type; /* only a header declares half, and some name a member so */
    bool known = type_find(name, &type) && !type_same(type_lane(type), type_half);
    if (AMONG(name, cuda_words) || known) return "is a name of CUDA";
    if (AMONG(name, format_words)) return "has a meaning of its own in a test";
    return NULL;
}

const char *name_problem_declared(const char *name) {
    char first[LONGEST_NAME + 2] = "";
    size_t n = strcspn(name, ".");
    bool own = name[n] && (strchr(name, '$') || strncmp(name, "this.", 5) == 0 ||
                           strncmp(name, "return.", 7) == 0); /* no text can contain such a name */
    if (own) return NULL;
    if (n > LONGEST_NAME) return name_problem(name);
    memcpy(first, name, n);
    return name_problem(first);
}

/* Why words are refused. One that ends in '*' stands for all words that begin so. A reason says what is
 * missing, and may name what the format has for the same thing; but it never advises anything that orders
 * more or less than what was written. */
static const char *const refusals[][2] = {
    {"case", "for the statements of a switch"},
    {"default", "for the statements of a switch"},
    {"__nv_bfloat16*", "not supported yet; of real types there are half, float and double"},
    {"fma", "not supported yet: a product and a sum that are rounded once"},
    {"fmaf", "not supported yet: a product and a sum that are rounded once"},
    {"__fma*", "not supported yet: a product and a sum that are rounded once"},
    {"struct", "not supported in this form: a struct of plain data is defined by its name, as in "
               "struct P { int a; int b = 3; };, and declared by it, P p = {1, 2}; a kernel of `source:` may "
               "have any"},
    {"union", "not supported yet: what shares its bytes is a view"},
    {"class", "not supported: a struct of plain data is; a kernel of `source:` may have any"},
    {"namespace", "not supported yet"},
    {"template",
     "not supported: its lines stand where they are used, or in a macro; a kernel of `source:` may have any"},
    {"static", "not supported yet"},
    {"new", "not supported: a test has its memory in 'memory'"},
    {"delete", "not supported: a test has its memory in 'memory'"},
    {"decltype", "not supported yet; 'auto' is the type of a value"},
    {"consteval", "not supported; constexpr is"},
    {"try", "not supported: device code has no exceptions; what ends a kernel is __trap()"},
    {"catch", "not supported: device code has no exceptions; what ends a kernel is __trap()"},
    {"throw", "not supported: device code has no exceptions; what ends a kernel is __trap()"},
    {"nullptr", "not supported yet"},
    {"NULL", "a pointer, which has no value in a test; the number is 0"},
    {"u8", "no type of C++; it has uint8_t"},
    {"u16", "no type of C++; it has uint16_t"},
    {"u32", "no type of C++; it has uint32_t"},
    {"u64", "no type of C++; it has uint64_t"},
    {"s32", "no type of C++; it has int32_t"},
    {"s64", "no type of C++; it has int64_t"},
    {"i32", "no type of C++; it has int32_t"},
    {"i64", "no type of C++; it has int64_t"},
    {"int32", "no type of C++; it has int32_t"},
    {"int64", "no type of C++; it has int64_t"},
    {"uint32", "no type of C++; it has uint32_t"},
    {"uint64", "no type of C++; it has uint64_t"},
    {"TRUE", "no word of C++; it has true"},
    {"FALSE", "no word of C++; it has false"},
    {"__device__",
     "for the functions before a kernel, where they are defined; a variable of the device is in 'memory'"},
    {"__global__", "for the one kernel of a body; a second kernel is another thread, with a body of its own"},
    {"__constant__", "not modelled yet: constant memory"},
    {"__builtin_amdgcn_fence", "AMD's; CUDA has cuda::atomic_thread_fence(order, scope)"},
    {"__builtin_amdgcn_*", "AMD's"},
    {"__builtin_*", "not supported yet"},
    {"volatile", "not supported yet before a register, which no other thread sees; it is before a pointer, "
                 "as in volatile "
                 "int *p = &X"},
    {"threadIdx",
     "for a thread of a grid: {grid: 1, block: 4, body: ...}; one with 'count' has its number in 'tid'"},
    {"blockIdx",
     "for a thread of a grid: {grid: 2, block: 4, body: ...}; one with 'count' has its number in 'tid'"},
    {"blockDim",
     "for a thread of a grid: {grid: 1, block: 4, body: ...}; 'count' is how many copies a thread has"},
    {"gridDim",
     "for a thread of a grid: {grid: 2, block: 4, body: ...}; 'count' is how many copies a thread has"},
    {"warpSize", "for a thread of a grid: {grid: 1, block: 4, body: ...}"},
    {"extern", "not supported; a location of all threads is declared in 'memory'"},
    {"cout", "not supported; 'observe' names what is to be seen"},
    {"clock*", "a function, clock64(), whose number nobody knows"},
    {"globaltimer*", "a special register in an asm, %globaltimer"},
    {"void", "no type of a value or a place: a pointer says what it points to, as in int *p = &X"},
    {"__threadfence_device", "no call of CUDA's; __threadfence() is at device scope"},
    {"membar", "not supported in a body; what CUDA C has for membar.cta, membar.gl and membar.sys is "
               "__threadfence_block(), __threadfence() and __threadfence_system()"},
    {"__shfl", "not supported; current GPUs have __shfl_sync and its like"},
    {"__shfl_up", "not supported; current GPUs have __shfl_up_sync"},
    {"__shfl_down", "not supported; current GPUs have __shfl_down_sync"},
    {"__shfl_xor", "not supported; current GPUs have __shfl_xor_sync"},
    {"__ballot", "not supported; current GPUs have __ballot_sync"},
    {"__any", "not supported; current GPUs have __any_sync"},
    {"__all", "not supported; current GPUs have __all_sync"},
};

static const char *find_text(const char *const (*texts)[2], size_t n, const char *word) {
    for (size_t i = 0; i < n; i++) {
        const char *known = texts[i][0];
        if (known[0] != word[0]) continue; /* no known word begins with '*' */
        size_t star = strcspn(known, "*");
        if (known[star] ? strncmp(known, word, star) == 0 : strcmp(known, word) == 0) return texts[i][1];
    }
    return NULL;
}

const char *name_refusal(const char *word) {
    return find_text(refusals, sizeof refusals / sizeof *refusals, word);
}

#define CUDA_FENCES        "__threadfence_block(), __threadfence() and __threadfence_system()"
#define GRID_MEETS         "no call of CUDA's; all blocks of a grid meet in cg::this_grid().sync()"
#define BLOCK_MEETS(whose) whose "; all threads of a block meet in __syncthreads()"
#define OWN_NUMBER                                                                                           \
    "OpenCL's; a copy of a thread has its number in 'tid', one of a grid in blockIdx and threadIdx"

#define MATRIX "not modelled: a matrix operation; a bulk copy reads shared memory through the same proxy"

/* Calls of other languages, and calls that CUDA might have but does not. */
static const char *const foreign_calls[][2] = {
    {"__cvta_generic_to_*", "an address: it is an operand of an asm, or has a name, as in unsigned s = "
                            "__cvta_generic_to_shared(&X)"},
    {"__threadfence_warp", "no call of CUDA's: its narrowest fence is __threadfence_block()"},
    {"__threadfence_cluster", "no call of CUDA's; a fence of a cluster is atomic_thread_fence(sc, cluster)"},
    {"print", "no call of CUDA's; 'observe' names what is to be seen"},
    {"malloc", "not supported; a test has its memory in 'memory'"},
    {"free", "not supported; a test has its memory in 'memory'"},
    {"cudaMalloc*", "the host's; a test has its memory in 'memory'"},
    {"cudaMemcpy*", "the host's; a location has its initial value in 'memory'"},
    {"cudaMemset*", "the host's; a location has its initial value in 'memory'"},
    {"__sync", "no call of CUDA's; a block meets in __syncthreads(), a warp in __syncwarp()"},
    {"cudaDeviceSynchronize", "the host's; the placement 'A -> B' launches the kernel of B behind that of A"},
    {"cudaThreadSynchronize", "the host's; the placement 'A -> B' launches the kernel of B behind that of A"},
    {"cudaStreamSynchronize", "the host's; the placement 'A -> B' launches the kernel of B behind that of A"},
    {"__syncgrid", GRID_MEETS},
    {"__grid_sync", GRID_MEETS},
    {"__gridsync", GRID_MEETS},
    {"grid_sync", GRID_MEETS},
    {"gridSync", GRID_MEETS},
    {"this_grid", GRID_MEETS},
    {"get_global_*", OWN_NUMBER},
    {"get_local_*", OWN_NUMBER},
    {"get_group_*", OWN_NUMBER},
    {"mem_fence", "OpenCL's; CUDA's fences are " CUDA_FENCES},
    {"read_mem_fence", "OpenCL's; CUDA's fences are " CUDA_FENCES},
    {"write_mem_fence", "OpenCL's; CUDA's fences are " CUDA_FENCES},
    {"atomic_work_item_fence", "OpenCL's; CUDA has cuda::atomic_thread_fence(order, scope)"},
    {"work_group_barrier", BLOCK_MEETS("OpenCL's")},
    {"sub_group_barrier", "OpenCL's; the lanes of a warp meet in __syncwarp()"},
    {"s_barrier", BLOCK_MEETS("AMD's")},
    {"threadgroup_barrier", BLOCK_MEETS("Metal's")},
    {"simdgroup_barrier", "Metal's; the lanes of a warp meet in __syncwarp()"},
    {"GroupMemoryBarrierWithGroupSync", BLOCK_MEETS("HLSL's")},
    {"GroupMemoryBarrier*", "HLSL's; CUDA's fences are " CUDA_FENCES},
    {"DeviceMemoryBarrier*", "HLSL's; CUDA's fences are " CUDA_FENCES},
    {"AllMemoryBarrier*", "HLSL's; CUDA's fences are " CUDA_FENCES},
    {"Interlocked*", "HLSL's; CUDA has atomicAdd(&X, value) and its like"},
    {"controlBarrier", BLOCK_MEETS("GLSL's")},
    {"memory_barrier", "no call of CUDA's; its fences are " CUDA_FENCES},
    {"__memory_barrier", "no call of CUDA's; its fences are " CUDA_FENCES},
    {"memoryBarrier*", "of GLSL; CUDA's fences are " CUDA_FENCES},
    {"membar_*", "no call of CUDA's; what it has for membar.cta, membar.gl and membar.sys is " CUDA_FENCES},
    {"__membar", "no call of CUDA's; what it has for membar.cta, membar.gl and membar.sys is " CUDA_FENCES},
    {"mfence", "a CPU's; CUDA's fences are " CUDA_FENCES},
    {"__mfence", "a CPU's; CUDA's fences are " CUDA_FENCES},
    {"_mm_mfence", "a CPU's; CUDA's fences are " CUDA_FENCES},
    {"smp_*", "Linux's; CUDA's fences are " CUDA_FENCES},
    {"READ_ONCE", "Linux's; here it is load(X, order, scope)"},
    {"WRITE_ONCE", "Linux's; here it is store(X, value, order, scope)"},
    {"__hip_atomic_*",
     "HIP's; here it is load(X, order, scope), store(X, value, order, scope) and their like"},
    {"fence_*", "no call; a fence of an order and a scope is atomic_thread_fence(order, scope)"},
    {"__sync_*", "GCC's; what nvcc has of its own begins with __nv_atomic_"},
    {"__atomic_*", "GCC's; what nvcc has of its own begins with __nv_atomic_"},
    {"atomic_load*", "C11's or OpenCL's; here it is load(X, order, scope)"},
    {"atomic_store*", "C11's or OpenCL's; here it is store(X, value, order, scope)"},
    {"atomic_exchange*", "C11's or OpenCL's; here it is exchange(X, value, order, scope)"},
    {"atomic_compare_exchange*",
     "C11's or OpenCL's; here it is compare_exchange(X, expected, desired, order, scope)"},
    {"atomic_fetch_*", "C11's or OpenCL's; here it is fetch_add(X, value, order, scope) and its like"},
    {"atomicLoad", "no call of CUDA's; here it is load(X, order, scope)"},
    {"atomicStore", "no call of CUDA's; here it is store(X, value, order, scope)"},
    {"atomicIncrement", "no call of CUDA's; atomicAdd(&X, 1) adds one"},
    {"atomicDecrement", "no call of CUDA's; atomicSub(&X, 1) takes one away"},
    {"atomic_inc", "OpenCL's; atomicAdd(&X, 1) adds one"},
    {"atomic_dec", "OpenCL's; atomicSub(&X, 1) takes one away"},
    {"atom_inc", "OpenCL's; atomicAdd(&X, 1) adds one"},
    {"atom_dec", "OpenCL's; atomicSub(&X, 1) takes one away"},
    {"wgmma_*", MATRIX},
    {"tcgen05_*", MATRIX},
    {"multimem_*", "not modelled: an operation on memory of several GPUs behind one address"},
    {"clusterlaunchcontrol_*", "not modelled: a launch that a cluster cancels and takes over"},
    {"cp_async_bulk_cp_mask", "not modelled: a copy of some of the bytes"},
    {"cp_async_bulk_ignore_oob", "not modelled: a copy beyond what there is"},
    {"tensormap_cp_fenceproxy", "not modelled: a copy of a tensor map"},
    {"tensormap_replace_*",
     "not modelled: of a tensor map, tensormap_replace_global_address() changes to which array it leads"},
    {"__popcnt", "no call of CUDA's; __popc(x) counts bits"},
    {"popcount", "no call of CUDA's; __popc(x) counts bits"},
};

const char *name_call_refusal(const char *word) {
    const char *refusal = name_refusal(word);
    return refusal ? refusal : find_text(foreign_calls, sizeof foreign_calls / sizeof *foreign_calls, word);
}

bool name_is_ptx(const char *word) {
    static const char *const words[] = {"ld",     "st",   "atom", "red",   "bar",   "barrier", "fence",
                                        "membar", "shfl", "vote", "match", "redux", "cp"};
    return AMONG(word, words);
}

/* What PTX, OpenCL and the literature call something, and what it is called here. Several names may stand for
 * one thing. */
static const char *const synonyms[][2] = {
    {"cta", "block"},
    {"thread_block", "block"},
    {"workgroup", "block"},
    {"wg", "block"},
    {"work_group", "block"},
    {"subgroup", "warp"},
    {"wavefront", "warp"},
    {"grid", "device"},
    {"gpu", "device"},
    {"gl", "device"},
    {"agent", "device"},
    {"sys", "system"},
    {"intra_warp", "warp"},
    {"inter_warp", "block"},
    {"intra_cta", "block"},
    {"intra_block", "block"},
    {"inter_cta", "device"},
    {"inter_block", "device"},
    {"thread_scope_block", "block"},
    {"thread_scope_cta", "block"},
    {"thread_scope_device", "device"},
    {"thread_scope_gpu", "device"},
    {"thread_scope_system", "system"},
    {"same_block", "block"},
    {"nvlink", "peer"},
    {"cpu", "host"},
    {"multi_gpu", "peer"},
    {"inter_gpu", "peer"},
    {"all_svm_devices", "system"},
    {"membar.cta", "block"},
    {"membar.gl", "device"},
    {"membar.sys", "system"},
    {"__threadfence_block", "block"},
    {"__threadfence", "device"},
    {"__threadfence_system", "system"},
    {"tso", "x86-tso"},
    {"x86", "x86-tso"},
    {"x86_64", "x86-tso"},
    {"arm", "aarch64"},
    {"armv8", "aarch64"},
    {"arm64", "aarch64"},
    {"nvidia", "ptx"},
    {"cuda", "ptx"},
    {"local", "shared"},
    {"__shared__", "shared"},
    {"smem", "shared"},
    {"lds", "shared"},
    {"groupshared", "shared"},
    {"threadgroup", "shared"},
    {"gmem", "global"},
    {"pinned", "host"},
    {"zero_copy", "host"},
    {"plain", "weak"},
    {"na", "weak"},
    {"atomic", "relaxed"},
    {"non_atomic", "weak"},
    {"vol", "volatile"},
    {"rlx", "relaxed"},
    {"acq", "acquire"},
    {"rel", "release"},
    {"ar", "acq_rel"},
    {"acquire_release", "acq_rel"},
    {"seq_cst", "sc"},
    {"seq", "sc"},
    {"memory_order_relaxed", "relaxed"},
    {"memory_order_acquire", "acquire"},
    {"memory_order_release", "release"},
    {"memory_order_acq_rel", "acq_rel"},
    {"memory_order_seq_cst", "sc"},
    {"Wse", "Coe"},
    {"Wsi", "Coi"},
    {"barrier", "__syncthreads"},
    {"bar_sync", "__syncthreads"},
    {"__bar_sync", "__syncthreads"},
    {"__syncblock", "__syncthreads"},
    {"__syncthreads_block", "__syncthreads"},
    {"__membar_cta", "__threadfence_block"},
    {"__membar_gl", "__threadfence"},
    {"__membar_sys", "__threadfence_system"},
    {"__threadfence_cta", "__threadfence_block"},
    {"__threadfence_gpu", "__threadfence"},
    {"__threadfence_grid", "__threadfence"},
    {"__threadfence_gl", "__threadfence"},
    {"__threadfence_sys", "__threadfence_system"},
    {"cluster_barrier", "cluster_sync"},
    {"atomicSwap", "atomicExch"},
    {"atomic_swap", "atomicExch"},
    {"atomic_cmpxchg", "atomicCAS"},
    {"atom_cmpxchg", "atomicCAS"},
    {"atom_cas", "atomicCAS"},
    {"atomicCompareAndSwap", "atomicCAS"},
    {"atomicCompareExchange", "atomicCAS"},
    {"atomicCmpXchg", "atomicCAS"},
};

/* Whether two words have the same letters and digits, apart from upper and lower case. */
static bool is_alike(const char *a, const char *b) {
    for (;; a++, b++) {
        a += strspn(a, "_-");
        b += strspn(b, "_-");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
        if (!*a) return true;
    }
}

static const char *find_alike(const char *word, const char *const *candidates, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (is_alike(word, candidates[k])) return candidates[k];
    return NULL;
}

static const char *find_synonym(const char *word, const char *const *candidates, size_t n) {
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        for (size_t k = 0; k < n && is_alike(synonyms[i][0], word); k++)
            if (strcmp(synonyms[i][1], candidates[k]) == 0) return candidates[k];
    return NULL;
}

const char *name_suggest(struct arena *a, const char *word, const char *const *candidates, size_t n) {
    const char *nearest = find_alike(word, candidates, n);
    if (!nearest) nearest = find_synonym(word, candidates, n);
    if (!nearest) nearest = diag_nearest(word, candidates, n);
    return nearest ? arena_printf(a, "; did you mean '%s'?", nearest) : "";
}

const char *name_as_list(struct arena *a, const char *text, const char *const *names, size_t n) {
    const char *list = "";
    for (const char *at = text; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " "), k = 0;
        while (k < n && (strlen(names[k]) != length || strncmp(names[k], at, length) != 0))
            k++;
        if (k == n) return NULL;
        list = arena_printf(a, "%s%s%s", list, *list ? ", " : "", names[k]);
        at += length;
    }
    return arena_printf(a, "a list is put in brackets: [%s]", list);
}
