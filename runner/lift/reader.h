/* Inside runner/lift: what its files share. */
#ifndef CULITMUS_LIFT_READER_H
#define CULITMUS_LIFT_READER_H

#include "lift/lift.h"
#include "lower/column.h"

/* A variable of a PTX, which is a location. Until its accesses are known it is one of bytes. */
struct lift_variable {
    const char *name; /* in the PTX */
    const char *file; /* in which it is defined, and whose kernels have it; NULL: those of any */
    int loc;
    int bytes;
    unsigned char *initial; /* NULL: zeros */
    bool *mbarriers;        /* by the byte: an mbarrier begins there; NULL: none does */
    bool shaped;
};

/* The bytes of a parameter, as the launch gives them. */
struct lift_parameter {
    const char *name;
    unsigned char *bytes;
    int size;
    int *pieces; /* by the byte: of how many bytes a value is that begins there; 0: none does */
};

/* The name of a parameter, for which a variable in .local memory stands. */
struct lift_named {
    const char *name;
    uint64_t address;
};

/* A kernel that is being read. */
struct lift_reader {
    struct asm_kernel kernel; /* first: by it the reader is found */
    struct lift *lift;
    struct arena *arena;
    struct test *test;
    struct diag *diag;
    const struct ptx_code *code; /* the whole text */
    const struct lift_launch *launch;
    struct body *body;
    struct lift_kernel *made;
    struct lift_parameter *parameters;
    int nparameters;
    struct lift_named *names; /* from `frame` on those of the function that is being read */
    int nnames, frame, ncalls;
    const char *end; /* the label behind that function; NULL: it is the kernel */
};

/* A variable in .local memory. */
struct lift_local {
    const struct ptx_name *declared; /* and in which call, if it is a call's own */
    int call;
    uint64_t address;
    int bytes;
    bool *cut; /* by the byte, and the one behind the last: an access begins there, or ends */
    int *reg;  /* by the byte: the register that begins there, from 1; 0: none does */
};

/* A kernel that was read, to which more can be added. */
struct lift_kernel {
    struct parser p;
    struct lift_local *locals;
    int nlocals;
    int carry; /* the register that stands for the carry of sums, or -1 */
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

/* The statements between the braces behind a head. */
struct ptx_code lift_inside(const struct ptx_code *code, const struct ptx_statement *head);

/* The head of a function whose code is in a text; NULL: there is none. */
const struct ptx_statement *lift_find_function(const struct ptx_code *code, const char *name);
/* Whether a kernel, with the functions that it calls, can be read: else an error says why not. */
bool lift_count_instructions(const struct lift_reader *r, const struct ptx_code *body);
/* Lets a name stand for the variable in .local memory at an address; and finds that of a name: 0: it is none. */
void lift_bind(struct lift_reader *r, const char *name, uint64_t address);
uint64_t lift_find_local(struct column *c, const char *name);
/* Reads the function that the instruction at hand calls; false: its code is not there. And what ends one. */
bool lift_follow_call(struct column *c);
void lift_return(struct column *c);

/* ---- instructions.c ---- */

/* Takes the instruction at hand, if it is one of those. */
bool lift_instruction(struct column *c);

/* ---- launch.c ---- */

/* Lays out the parameters of an entry. False and an error where the arguments are not theirs. */
bool lift_lay_out(struct lift_reader *r, const struct ptx_function *entry);
/* Lets parameters whose address a kernel takes stand in .local memory, too: nothing writes them. */
void lift_keep_parameters(struct lift_reader *r, const struct ptx_code *body);
/* ld.param, st.param */
void lift_load_parameter(struct column *c);
void lift_store_parameter(struct column *c);

/* ---- variables.c ---- */

/* What a name is that is no register: a special register, or the address of a variable; NULL: neither, or an error said why
 * not. */
struct expr *lift_name(struct column *c, const struct ptx_operand *o);
/* Whether a declaration has a word. */
bool lift_has_word(const struct ptx_variable *v, const char *word);
/* A statement that declares variables, or says nothing to the program. */
void lift_statement(struct column *c, const struct ptx_statement *s);
/* Adds a location; and complains where there are more than can be followed. */
int lift_add_location(struct lift *l, struct location location);
bool lift_counts_locations(struct lift *l);
/* Gives a variable elements of this type, and their initial values. */
void lift_shape(struct lift *l, struct lift_variable *v, struct type type);

/* ---- local.c ---- */

/* Makes room in .local memory: its address. The same for a variable, once, or once in the call that is being read. */
uint64_t lift_make_local(struct lift_reader *r, struct lift_local local, struct pos pos);
uint64_t lift_declared_local(struct column *c, const struct ptx_variable *v, const char *name, bool of_call);
/* ld.local and st.local, a lane at a time. */
void lift_read_local(struct column *c);
/* Whether an address is in .local memory; the same of one that is computed; and the variable there, or NULL. */
struct expr *lift_is_local_of(struct parser *p, struct expr *address);
bool lift_is_local(uint64_t address);
const struct lift_local *lift_local_at(const struct lift_kernel *k, uint64_t address);
/* The number of a variable in .local memory, by an address there; or -1. */
int lift_local_number(uint64_t address);
/* Says that there is an access to these bytes. */
void lift_cut_local(const struct lift_kernel *k, uint64_t address, int bytes);
/* Adds what an access does to the registers that stand for these bytes. False where it cannot be said. */
bool lift_add_local(struct parser *p, const struct lift_kernel *k, const struct op *op, uint64_t address);

/* ---- memory.c ---- */

/* The reader of a kernel, by its column; and a number of this type. */
struct lift_reader *lift_reader_of(struct column *c);
struct expr *lift_number(struct parser *p, struct pos pos, struct type type, uint64_t bits);

enum lift_space { LIFT_GENERIC, LIFT_GLOBAL, LIFT_SHARED };

/* Gives a location its address. */
void lift_place(struct test *t, int loc);
/* The space that an instruction names. */
enum lift_space lift_space_of(const struct ptx_instruction *in);
/* The generic address of one in shared memory; or of one in global memory, or generic. */
struct expr *lift_generic(struct column *c, struct expr *address, bool shared);
/* mapa. An address in the shared memory of a block of the cluster, by its rank; the same in the thread's own block; that rank;
 * and whether the address has one. */
void lift_map(struct column *c);
uint64_t lift_home(uint64_t address);
struct expr *lift_home_of(struct parser *p, struct expr *address);
struct expr *lift_rank_of(struct parser *p, struct expr *address);
struct expr *lift_is_afar(struct parser *p, struct expr *address);
/* An address in a space, of a generic one. */
uint64_t lift_address_in(enum lift_space space, uint64_t address);
/* The generic address of a number that may be one in shared memory. */
uint64_t lift_generic_of_shared(uint64_t address);
/* isspacep, cvta */
void lift_ask_space(struct column *c);
void lift_convert_address(struct column *c);
/* The bytes of a location that one block has; and the location, but no view, in which an address lies in whatever block, or
 * just behind: -1. */
uint64_t lift_bytes(const struct location *l);
int lift_location_at(const struct test *t, uint64_t address);

/* ---- set.c ---- */

enum { LIFT_MAX_VALUES = 64, LIFT_MAX_LOCATIONS = 64, LIFT_MAX_LOCALS = 64 };

/* What a register or an expression can be in a thread: one of some numbers; or any number that is `rest` modulo 1 << low, and
 * if it is an address, then one of these locations, as 1 << number. */
struct lift_set {
    bool any;
    int n;
    uint64_t values[LIFT_MAX_VALUES];
    uint64_t locations, locals; /* ... or one of these variables in .local memory */
    int low;
    uint64_t rest;
};

/* The locations in which an address of a set can be, and the variables in .local memory. */
uint64_t lift_locations_of(const struct test *t, const struct lift_set *s);
uint64_t lift_locals_of(const struct lift_set *s);
/* The set of one number; and that of any numbers that are `rest` modulo 1 << low. */
struct lift_set lift_set_one(uint64_t value);
struct lift_set lift_set_any(uint64_t locations, int low, uint64_t rest);
bool lift_set_is_empty(const struct lift_set *s);
bool lift_set_holds(const struct lift_set *s, uint64_t value);
/* How many low bits all members of a set share, and these. */
int lift_set_shared_bits(const struct lift_set *s, uint64_t *rest);
/* The set as one of any numbers. */
struct lift_set lift_set_widen(const struct test *t, const struct lift_set *s);
/* Adds a number, or a set, to another one; true when that has more now. */
bool lift_set_add(const struct test *t, struct lift_set *to, uint64_t value);
bool lift_set_join(const struct test *t, struct lift_set *to, const struct lift_set *from);

/* ---- values.c ---- */

/* Whether what an operation is given is how many bytes it copies. */
bool lift_counts_bytes(const struct op *op);
/* Takes what the address of a place of an operation can be in a thread, or, as place OP_PLACES, how many bytes it copies. */
typedef void lift_teller(void *ctx, const struct lift_kernel *k, const struct op *op, int place,
                         const struct lift_set *address);
/* Tells of each access of each thread. */
void lift_find_values(struct lift *l, lift_teller *f, void *ctx);

/* ---- found.c ---- */

enum { LIFT_MAX_WAYS = 64 };

/* Where a place may be: byte `at` of an element of a location, in the thread's own block or in one of its cluster. Of
 * OP_PLACES, `at` is a number of bytes. */
struct lift_way {
    int loc, at;
    bool afar;
    uint64_t local; /* an address in .local memory, instead; else 0 */
};

/* A place of an operation, and what is known of its address over all threads. */
struct lift_found {
    const struct op *op;
    int place;
    const struct lift_kernel *kernel;
    struct lift_way ways[LIFT_MAX_WAYS];
    int n;
    bool unknown;     /* it can be anywhere */
    bool open;        /* it can be elsewhere than in the ways */
    bool unaligned;   /* it may be no multiple of the access's size */
    uint64_t nowhere; /* an address that is in no location; 0: there is none */
};

struct lift_founds {
    struct lift *lift;
    struct lift_found *list;
    int n;
    bool opens, opens_anywhere; /* some mbarrier is initialised; at an address that can be anywhere */
    bool by_use; /* so mbarriers are where any operation on one can be; else where they are initialised, */
    bool split;  /* and that is known */
};

/* What an operation accesses at a place, and its bytes: of a copy, those of which its address is a multiple. */
struct type lift_accessed(const struct op *op, int place);
int lift_access_bytes(const struct op *op, int place);
/* What is known of a place. */
struct lift_found *lift_find(struct lift_founds *f, const struct op *op, int place);
/* Finds all places anew. */
void lift_find_places(struct lift_founds *f);

/* ---- shape.c ---- */

/* Gives variables their types, and finds all places. */
void lift_shape_variables(struct lift_founds *f);

/* ---- resolve.c ---- */

void lift_resolve(struct lift *l);

/* ---- ladder.c, structure.c, tidy.c ---- */

/* Leaves out polls behind which the same poll follows. */
void lift_climb(struct arena *a, struct body *body);

void lift_structure(struct arena *a, struct body *body);
/* Takes numbers for registers that hold them: of two counters that begin as one number, a compiler copies one to the other. */
void lift_follow_numbers(struct arena *a, struct body *body);
/* Leaves out assignments that nothing reads, and branches around nothing. */
void lift_tidy(struct body *body);
/* Leaves out registers that nothing mentions. */
void lift_number_registers(struct arena *a, struct body *body);

#endif
