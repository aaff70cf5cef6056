/* Inside runner/lift: what its files share. */
#ifndef CULITMUS_LIFT_READER_H
#define CULITMUS_LIFT_READER_H

#include "lift/lift.h"
#include "lower/column.h"

/* A variable of a PTX file. It becomes a location, which consists of bytes until its accesses are known. */
struct lift_variable {
    const char *name; /* its name in the PTX */
    /* the file that defines it, if only kernels of that file see it; NULL: kernels of all files see it */
    const char *file;
    int loc;
    int bytes;
    unsigned char *initial; /* NULL: zeros */
    bool *mbarriers;        /* of each byte: an mbarrier begins there; NULL: there is none */
    bool shaped;
};

/* A parameter as the bytes that the launch gives it. */
struct lift_parameter {
    const char *name;
    unsigned char *bytes;
    int size;
    int *pieces; /* of each byte: the size of the value that begins there; 0: none does */
};

/* The name of a parameter that stands for a variable in .local memory. */
struct lift_named {
    const char *name;
    uint64_t address;
};

/* A kernel that is being read. */
struct lift_reader {
    struct asm_kernel kernel; /* the first field, so that a cast finds the reader */
    struct lift *lift;
    struct arena *arena;
    struct test *test;
    struct diag *diag;
    const struct ptx_code *code; /* the whole PTX */
    const struct lift_launch *launch;
    struct body *body;
    struct lift_kernel *made;
    struct lift_parameter *parameters;
    int nparameters;
    struct lift_named *names; /* those from `frame` on belong to the function that is being read */
    int nnames, frame, ncalls;
    const char *end; /* the label behind that function; NULL: the kernel itself is being read */
};

/* A variable in .local memory. */
struct lift_local {
    /* its declaration, and the call that it belongs to if it is a call's own */
    const struct ptx_name *declared;
    int call;
    uint64_t address;
    int bytes;
    bool *cut; /* of each byte, and of the end: an access begins or ends there */
    int *reg;  /* of each byte: the register that begins there, from 1; 0: none does */
};

/* A kernel that was read. More statements can be added to it. */
struct lift_kernel {
    struct parser p;
    struct lift_local *locals;
    int nlocals;
    int carry; /* the register that holds the carry of sums; -1: none */
};

struct lift {
    struct arena *arena;
    struct test *test;
    struct diag *diag;
    struct lift_kernel **kernels;
    int nkernels;
    struct lift_variable *variables;
    int nvariables;
    bool maps; /* some kernel has addresses in other blocks of its cluster */
    bool failed;
};

/* ---- calls.c ---- */

/* Returns the statements between the braces behind a function's head. */
struct ptx_code lift_inside(const struct ptx_code *code, const struct ptx_statement *head);

/* Returns the head of a function whose body is in the PTX; NULL: there is none. */
const struct ptx_statement *lift_find_function(const struct ptx_code *code, const char *name);
/* Checks that a kernel can be read with the functions that it calls: these are not recursive, not nested too
 * deeply, and have not too many instructions. Returns false and leaves an error otherwise. */
bool lift_count_instructions(const struct lift_reader *r, const struct ptx_code *body);
/* Binds a name to the variable in .local memory at an address. The other finds the address that a name is
 * bound to; 0: none. */
void lift_bind(struct lift_reader *r, const char *name, uint64_t address);
uint64_t lift_find_local(struct column *c, const char *name);
/* Reads the function that the current instruction calls; false: its body is not there. The other reads what
 * ends a function. */
bool lift_follow_call(struct column *c);
void lift_return(struct column *c);

/* ---- instructions.c ---- */

/* Reads the current instruction if it is one of those that only whole kernels have. Returns whether it is. */
bool lift_instruction(struct column *c);

/* ---- launch.c ---- */

/* Lays out the parameters of an entry. Returns false and leaves an error when the launch does not fit
 * them. */
bool lift_lay_out(struct lift_reader *r, const struct ptx_function *entry);
/* Copies the parameters whose address the kernel takes into .local memory. Nothing writes to them. */
void lift_keep_parameters(struct lift_reader *r, const struct ptx_code *body);
/* Reads ld.param; st.param. */
void lift_load_parameter(struct column *c);
void lift_store_parameter(struct column *c);

/* ---- variables.c ---- */

/* Returns the value of a name that is no register: a special register, or the address of a variable. NULL: it
 * is neither, or an error says why it cannot be read. */
struct expr *lift_name(struct column *c, const struct ptx_operand *o);
/* Whether a declaration has this word. */
bool lift_has_word(const struct ptx_variable *v, const char *word);
/* Reads a statement that declares variables, or means nothing to the program. */
void lift_statement(struct column *c, const struct ptx_statement *s);
/* Adds a location and returns its number. Leaves an error if there are too many. */
int lift_add_location(struct lift *l, struct location location);
bool lift_counts_locations(struct lift *l);
/* Gives a variable elements of this type, and their initial values. */
void lift_shape(struct lift *l, struct lift_variable *v, struct type type);

/* ---- local.c ---- */

/* Makes a variable in .local memory and returns its address. lift_declared_local does so for a declared
 * variable, once for the kernel or once for each call. */
uint64_t lift_make_local(struct lift_reader *r, struct lift_local local, struct pos pos);
uint64_t lift_declared_local(struct column *c, const struct ptx_variable *v, const char *name, bool of_call);
/* Reads ld.local; st.local. Each lane of a vector is read by itself. */
void lift_read_local(struct column *c);
/* Whether an address is in .local memory; the same for a computed address; the variable at an address, or
 * NULL. */
struct expr *lift_is_local_of(struct parser *p, struct expr *address);
bool lift_is_local(uint64_t address);
const struct lift_local *lift_local_at(const struct lift_kernel *k, uint64_t address);
/* Returns the number of the variable in .local memory at an address; or -1. */
int lift_local_number(uint64_t address);
/* Records that some access has these bytes. */
void lift_cut_local(const struct lift_kernel *k, uint64_t address, int bytes);
/* Adds the assignments of registers that stand for an access to these bytes. Returns false if an access
 * cannot be expressed so. */
bool lift_add_local(struct parser *p, const struct lift_kernel *k, const struct op *op, uint64_t address);

/* ---- memory.c ---- */

/* Returns the kernel's reader for a column. The other makes a number of this type. */
struct lift_reader *lift_reader_of(struct column *c);
struct expr *lift_number(struct parser *p, struct pos pos, struct type type, uint64_t bits);

enum lift_space { LIFT_GENERIC, LIFT_GLOBAL, LIFT_SHARED };

/* Gives a location its address. */
void lift_place(struct test *t, int loc);
/* Returns the state space that an instruction names. */
enum lift_space lift_space_of(const struct ptx_instruction *in);
/* Returns the generic address for an address in shared memory, or for a global or generic one. */
struct expr *lift_generic(struct column *c, struct expr *address, bool shared);
/* Reads mapa. The others compute an address in the shared memory of a block of the cluster, given by its
 * rank; the same address in the thread's own block; the rank of an address; and whether an address has a
 * rank. */
void lift_map(struct column *c);
uint64_t lift_home(uint64_t address);
struct expr *lift_home_of(struct parser *p, struct expr *address);
struct expr *lift_rank_of(struct parser *p, struct expr *address);
struct expr *lift_is_afar(struct parser *p, struct expr *address);
/* Returns the address in a state space for a generic address. */
uint64_t lift_address_in(enum lift_space space, uint64_t address);
/* Returns the generic address for a number that may be an address in shared memory. */
uint64_t lift_generic_of_shared(uint64_t address);
/* Reads isspacep; cvta. */
void lift_ask_space(struct column *c);
void lift_convert_address(struct column *c);
/* Returns how many bytes of a location one block has. The other returns the location (no view) in which, or
 * just behind which, an address lies in any block; -1: none. */
uint64_t lift_bytes(const struct location *l);
int lift_location_at(const struct test *t, uint64_t address);

/* ---- set.c ---- */

enum { LIFT_MAX_VALUES = 64, LIFT_MAX_LOCATIONS = 64, LIFT_MAX_LOCALS = 64 };

/* The set of values of a register or an expression in a thread. It is a list of numbers; or all numbers that
 * are `rest` modulo 1 << low and that, if they are addresses, lie in one of these locations, bit n for
 * location n. */
struct lift_set {
    bool any;
    int n;
    uint64_t values[LIFT_MAX_VALUES];
    uint64_t locations, locals; /* or in one of these variables in .local memory */
    int low;
    uint64_t rest;
};

/* Returns the locations in which addresses of a set may lie; the same for variables in .local memory. */
uint64_t lift_locations_of(const struct test *t, const struct lift_set *s);
uint64_t lift_locals_of(const struct lift_set *s);
/* Makes the set of one number; and the set of all numbers that are `rest` modulo 1 << low. */
struct lift_set lift_set_one(uint64_t value);
struct lift_set lift_set_any(uint64_t locations, int low, uint64_t rest);
bool lift_set_is_empty(const struct lift_set *s);
bool lift_set_holds(const struct lift_set *s, uint64_t value);
/* Returns how many low bits are equal in all members of a set, and these bits in *rest. */
int lift_set_shared_bits(const struct lift_set *s, uint64_t *rest);
/* Turns a list of numbers into a set of the other kind that includes it. */
struct lift_set lift_set_widen(const struct test *t, const struct lift_set *s);
/* Adds a number, or a set, to a set. Returns whether that has grown. */
bool lift_set_add(const struct test *t, struct lift_set *to, uint64_t value);
bool lift_set_join(const struct test *t, struct lift_set *to, const struct lift_set *from);

/* ---- values.c ---- */

/* Whether an operation takes the number of bytes that it copies as an operand. */
bool lift_counts_bytes(const struct op *op);
/* Is called with the set of addresses that a place of an operation may have in a thread; for place OP_PLACES,
 * with the set of numbers of bytes that it copies. */
typedef void lift_teller(void *ctx, const struct lift_kernel *k, const struct op *op, int place,
                         const struct lift_set *address);
/* Calls f for each access of each thread. */
void lift_find_values(struct lift *l, lift_teller *f, void *ctx);

/* ---- found.c ---- */

enum { LIFT_MAX_WAYS = 64 };

/* A possible place of an access: byte `at` of an element of a location, in the thread's own block or in
 * another one of its cluster. For place OP_PLACES, `at` is a number of bytes. */
struct lift_way {
    int loc, at;
    bool afar;
    uint64_t local; /* an address in .local memory instead; else 0 */
};

/* A place of an operation, and everything that is known of its address over all threads. */
struct lift_found {
    const struct op *op;
    int place;
    const struct lift_kernel *kernel;
    struct lift_way ways[LIFT_MAX_WAYS];
    int n;
    bool unknown;     /* it may be anywhere */
    bool open;        /* it may be elsewhere than in `ways` */
    bool unaligned;   /* it may not be a multiple of the access's size */
    uint64_t nowhere; /* an address outside all locations that it may have; 0: there is none */
};

struct lift_founds {
    struct lift *lift;
    struct lift_found *list;
    int n;
    bool opens, opens_anywhere; /* some mbarrier is initialised; one at an address that may be anywhere */
    bool by_use; /* mbarriers are wherever an operation on one may be; else only where they are initialised */
    bool split;  /* variables have been split at their mbarriers */
};

/* Returns the type that an operation accesses at a place. Its size is that of the access; for a copy, that to
 * which its address is aligned. */
struct type lift_accessed(const struct op *op, int place);
int lift_access_bytes(const struct op *op, int place);
/* Returns what is known of a place. */
struct lift_found *lift_find(struct lift_founds *f, const struct op *op, int place);
/* Finds all places again. */
void lift_find_places(struct lift_founds *f);

/* ---- shape.c ---- */

/* Gives the variables their types, and finds all places. */
void lift_shape_variables(struct lift_founds *f);

/* ---- resolve.c ---- */

void lift_resolve(struct lift *l);

/* ---- ladder.c, structure.c, tidy.c ---- */

/* Drops a poll if the same poll follows it. */
void lift_climb(struct arena *a, struct body *body);

void lift_structure(struct arena *a, struct body *body);
/* Replaces registers by the numbers that they hold. Compilers copy one of two counters that begin with the
 * same number to the other. */
void lift_follow_numbers(struct arena *a, struct body *body);
/* Drops assignments that nothing reads, and branches around nothing. */
void lift_tidy(struct body *body);
/* Drops registers that nothing mentions. */
void lift_number_registers(struct arena *a, struct body *body);

#endif
