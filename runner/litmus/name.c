#include "litmus/name.h"

#include <ctype.h>
#include <stdbool.h>
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

static const char *const format_words[] = {"tid", "count", "exists", "forall", "not_exists"};

static bool is_among(const char *name, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], name) == 0) return true;
    return false;
}

#define AMONG(name, words) is_among(name, words, sizeof(words) / sizeof *(words))

const char *name_problem(const char *name) {
    size_t n = strlen(name);
    bool word = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (size_t i = 0; i < n; i++)
        word = word && (isalnum((unsigned char)name[i]) || name[i] == '_');
    if (!word) return "is not a name: letters, digits and '_', not beginning with a digit";
    if (name[0] == '_') return "begins with '_', which is kept for compilers";
    if (strstr(name, "__")) return "contains '__', which is kept for compilers";
    if (n > LONGEST_NAME) return "is longer than 64 characters";
    if (AMONG(name, language_words)) return "is a word of C or C++";
    struct type type;
    if (AMONG(name, cuda_words) || type_find(name, &type)) return "is a name of CUDA";
    const struct op_call *call;
    if (AMONG(name, format_words) || op_find_call(name, &call)) return "has a meaning of its own in a test";
    return NULL;
}

/* A word that ends in '*' stands for all that begin so. A refusal says what is missing, and may name what the format
 * has for the same thing. It never advises anything that orders more or less than what was written. */
static const char *const refusals[][2] = {
    {"goto", "not supported yet; there are 'while', 'break' and 'continue'"},
    {"case", "for the statements of a switch"},
    {"default", "for the statements of a switch"},
    {"double", "not supported yet; of real types there is float"},
    {"__half*", "not supported yet; of real types there is float"},
    {"__nv_bfloat16*", "not supported yet; of real types there is float"},
    {"struct", "not supported yet: each member in memory is a location of its own, or a view"},
    {"union", "not supported yet: what shares its bytes is a view"},
    {"class", "not supported yet"},
    {"namespace", "not supported yet"},
    {"template", "not supported yet"},
    {"static", "not supported yet"},
    {"new", "not supported"},
    {"delete", "not supported"},
    {"nullptr", "not supported yet"},
    {"__device__", "not supported yet in a body: a test has no functions of your own"},
    {"__constant__", "not modelled yet: constant memory"},
    {"__builtin_*", "not supported yet"},
    {"volatile", "not supported yet in a body; 'access: volatile' is a volatile location"},
    {"threadIdx",
     "for a thread of a grid: {grid: 1, block: 4, body: ...}; one with 'count' has its number in 'tid'"},
    {"blockIdx",
     "for a thread of a grid: {grid: 2, block: 4, body: ...}; one with 'count' has its number in 'tid'"},
    {"blockDim",
     "for a thread of a grid: {grid: 1, block: 4, body: ...}; 'count' is how many copies a thread has"},
    {"gridDim",
     "for a thread of a grid: {grid: 2, block: 4, body: ...}; 'count' is how many copies a thread has"},
    {"warpSize", "for a thread of a grid: {grid: 1, block: 4, body: ...}"},
    {"printf", "not supported; 'observe' names what is to be seen"},
    {"assert", "not supported; 'forall' is a claim"},
    {"clock*", "not modelled: time orders nothing"},
    {"globaltimer*", "not modelled: time orders nothing"},
    {"__ldg", "not modelled: `ld.global.nc` promises nothing for data that is written meanwhile"},
    {"__threadfence_device", "no call of CUDA's; __threadfence() is at device scope"},
    {"membar", "not supported in a body; what CUDA C has for membar.cta, membar.gl and membar.sys is "
               "__threadfence_block(), __threadfence() and __threadfence_system()"},
    {"__activemask", "not modelled: which lanes run together is the GPU's choice"},
    {"__shfl", "not supported; current GPUs have __shfl_sync and its like"},
    {"__shfl_up", "not supported; current GPUs have __shfl_up_sync"},
    {"__shfl_down", "not supported; current GPUs have __shfl_down_sync"},
    {"__shfl_xor", "not supported; current GPUs have __shfl_xor_sync"},
    {"__ballot", "not supported; current GPUs have __ballot_sync"},
    {"__any", "not supported; current GPUs have __any_sync"},
    {"__all", "not supported; current GPUs have __all_sync"},
};

const char *name_refusal(const char *word) {
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const char *known = refusals[i][0];
        size_t n = strcspn(known, "*");
        if (known[n] ? strncmp(known, word, n) == 0 : strcmp(known, word) == 0) return refusals[i][1];
    }
    return NULL;
}

/* What PTX, OpenCL and the literature call a thing, and what it is called here; it may have several names. */
static const char *const synonyms[][2] = {
    {"cta", "block"},
    {"thread_block", "block"},
    {"workgroup", "block"},
    {"work_group", "block"},
    {"subgroup", "warp"},
    {"wavefront", "warp"},
    {"grid", "device"},
    {"gpu", "device"},
    {"gl", "device"},
    {"sys", "system"},
    {"all_svm_devices", "system"},
    {"membar.cta", "block"},
    {"membar.gl", "device"},
    {"membar.sys", "system"},
    {"__threadfence_block", "block"},
    {"__threadfence", "device"},
    {"__threadfence_system", "system"},
    {"local", "shared"},
    {"plain", "weak"},
    {"non_atomic", "weak"},
    {"memory_order_relaxed", "relaxed"},
    {"memory_order_acquire", "acquire"},
    {"memory_order_release", "release"},
    {"memory_order_acq_rel", "acq_rel"},
    {"barrier", "__syncthreads"},
    {"__membar_cta", "__threadfence_block"},
    {"__membar_gl", "__threadfence"},
    {"__membar_sys", "__threadfence_system"},
};

static const char *find_synonym(const char *word, const char *const *candidates, size_t n) {
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        for (size_t k = 0; k < n && strcasecmp(synonyms[i][0], word) == 0; k++)
            if (strcmp(synonyms[i][1], candidates[k]) == 0) return candidates[k];
    return NULL;
}

const char *name_suggest(struct arena *a, const char *word, const char *const *candidates, size_t n) {
    const char *nearest = find_synonym(word, candidates, n);
    if (!nearest) nearest = diag_nearest(word, candidates, n);
    return nearest ? arena_printf(a, "; did you mean '%s'?", nearest) : "";
}
