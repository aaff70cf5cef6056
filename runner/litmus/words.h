/* The words for scopes, orders, spaces and accesses, each with its table of names. */
#ifndef CULITMUS_WORDS_H
#define CULITMUS_WORDS_H

#include <stdbool.h>

/* PTX scopes, narrow to wide. SCOPE_NONE: a weak access, or no fence at all. */
enum scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

/* ORDER_BARE: a load or store written as plain C. The access of its location or of the cell gives the order.
 * ORDER_VOLATILE is relaxed at system scope to the model, and ld.volatile / st.volatile to the GPU. */
enum order {
    ORDER_BARE,
    ORDER_WEAK,
    ORDER_VOLATILE,
    ORDER_RELAXED,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SC,
};

enum space {
#define SPACE(name, ...) SPACE_##name,
#include "litmus/spaces.def"
#undef SPACE
};
enum {
    SPACES = 0
#define SPACE(...) +1
#include "litmus/spaces.def"
#undef SPACE
};

/* The properties of a space. */
struct space_row {
    const char *name;
    const char *ptx;          /* the qualifier of accesses to it */
    const char *place, *find; /* in generated code: the type of a place, and the function that finds one */
    bool of_block;            /* each block has its own */
    bool of_gpu;              /* it lies on a GPU, of which there may be several */
    bool of_host;             /* it is the host's: CPU threads access it as well */
    bool cached;              /* its accesses may have cache operators */
    bool in_tables;           /* a test with it can be written as a table in PTX syntax */
};
extern const struct space_row space_rows[SPACES];

/* What a bare read or write compiles to. */
enum access { ACCESS_WEAK, ACCESS_VOLATILE, ACCESS_RELAXED };

const char *scope_ptx(enum scope s);  /* none cta cluster gpu sys */
const char *scope_name(enum scope s); /* none block cluster device system */
/* Finds a scope by its word in CUDA or PTX ("block", "cta"); SCOPE_NONE: there is none. */
enum scope scope_find(const char *word);
const char *order_name(enum order o);   /* bare weak volatile relaxed acquire release acq_rel sc */
const char *order_c(enum order o);      /* C11's: __ATOMIC_RELAXED __ATOMIC_ACQUIRE ... */
const char *space_name(enum space s);   /* global shared host */
const char *access_name(enum access a); /* weak volatile relaxed */

/* The same words as arrays that end in NULL. */
extern const char *const scope_names[], *const space_names[], *const access_names[];

#endif
