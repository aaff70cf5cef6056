/* Calls: their arguments, and what libraries do. */
#ifndef CULITMUS_CALLS_H
#define CULITMUS_CALLS_H

#include "lower/lower.h"

/* A name with its namespaces, "cuda::std::memory_order_acquire". */
struct full_name {
    const char *text;
    const char *bare; /* without cuda:: and std:: */
    struct pos pos;
};
struct full_name full_name_of(struct parser *p, const struct tree *name);

/* Whether what is written so has this name. */
bool names_is(const char *usage, const char *name);
/* The row of that name in a table; NULL: there is none. And what to add to an error about one that is near another, or "". */
const void *names_find(struct names names, const char *name);
const char *names_suggest(struct parser *p, struct names names, const char *name);
/* "a, b or c" of these names, each between two of the quotes, which may be "". */
const char *names_list(struct parser *p, const char *const *names, size_t n, const char *quote);

/* The arguments of a call that is written like `usage`, one after the other. */
struct arguments {
    const struct tree *next;    /* NULL: there are no more */
    const struct token *before; /* the last token before it */
    const char *usage;
    struct pos pos; /* of the call's name */
};
struct arguments arguments_of(const struct tree *call, const char *usage);
/* Takes the next one. NULL, and an error that says `what` is missing, where there is none. */
const struct tree *arguments_take(struct parser *p, struct arguments *a, const char *what);
/* The next one as a value, 0 where there is none; and as a place. */
struct expr *arguments_value(struct parser *p, struct arguments *a, const char *what);
struct place arguments_place(struct parser *p, struct arguments *a, const char *what);
/* Complains where there is one more. */
void arguments_end(struct parser *p, const struct arguments *a);

/* A call of an operation, which any call is that nobody else knows. NULL when it has no value (a store, a fence, a
 * barrier). */
bool call_is_any(struct parser *p, const struct tree *n);
struct expr *call_value(struct parser *p, const struct tree *n);
/* The same, as a call of this name, whatever namespaces are written. */
struct expr *call_of_name(struct parser *p, const struct tree *n, const char *text);
/* How many arguments a call has, without its tags. */
int call_arguments(const struct tree *n);
/* Whether a size is cuda::aligned_size_t<16>(size). */
bool call_is_aligned(const struct tree *n);
/* Adds an operation; its value, or NULL. */
struct expr *call_add(struct parser *p, struct op op);
/* A map's array as the value that the map has; and the bytes that a fence of a map names, which are none of a copy. */
struct expr *map_array(struct parser *p, struct place array);
int map_bytes(struct parser *p, struct pos pos, int bytes);
/* Complains where a copy, whose places and size are read, is none that a GPU has. */
void copy_check(struct parser *p, const struct op *op);
/* Adds a cp.async, whose places and size are read, that writes 0 in so many bytes at its end and does not read them. */
void copy_fill(struct parser *p, struct op op, struct expr *zeros);

/* A call of an exchange; and its next argument as a mask. */
struct expr *exchange_call(struct parser *p, const struct op_row *row, const struct op_call *as,
                           struct arguments *a);
struct expr *exchange_mask(struct parser *p, struct arguments *a);
/* The call of that name by a tile or coalesced threads, which gives no mask: all their lanes take part. */
struct expr *exchange_of_group(struct parser *p, struct group g, const char *name, const struct tree *call,
                               struct pos pos);
/* A reduction of their values, by the call of that name, of which `value` is a lane's. */
struct expr *exchange_reduce(struct parser *p, struct group g, const char *name, struct expr *value,
                             struct pos pos);
/* The lanes that happen to run together, in a register of their own. */
int exchange_active(struct parser *p, struct pos pos);
/* Adds an exchange; its result. */
struct expr *exchange_add(struct parser *p, struct op op);

/* A call of an operation on an mbarrier, mbarrier_init(&bar, 1) or cuda::ptx::mbarrier_init(&bar, 1); its value, or NULL. */
bool mbarrier_is_call(struct parser *p, const struct tree *n);
struct expr *mbarrier_call(struct parser *p, const struct tree *n);

/* Adds an operation on an mbarrier that has a value; its own value, or NULL. */
struct expr *mbarrier_add(struct parser *p, enum op_name name, struct op_place at, struct expr *value,
                          struct pos pos);
/* The expectation of a copy that has been added: its mbarrier expects its bytes. */
void mbarrier_expect(struct parser *p, const struct op *copy);

/* cuda::memcpy_async(&X, &Y, size, bar), whose bytes its mbarrier expects; __pipeline_memcpy_async(&X, &Y, size, zfill); and the
 * address that cuda::device::barrier_native_handle(bar) is. */
bool transfer_knows(struct parser *p, const struct tree *n);
struct expr *transfer_use(struct parser *p, const struct tree *n);
bool transfer_leads(const struct parser *p, const struct tree *n);
struct place transfer_address(struct parser *p, const struct tree *call);

/* A function that computes in registers, by its name; and a call of one, min(a, b), std::min(a, b), make_int4(...) or
 * int(a). */
bool function_is(const char *name);
extern const struct names function_names;
bool function_knows(struct parser *p, const struct tree *n);
struct expr *function_value(struct parser *p, const struct tree *call);

/* The value of a formula, in which a is the first of some values, and so on; or x, where there are three at most. It is
 * written as in C, and may have
 *
 *   popc(a) clz(a) brev(a) div(a, b) rem(a, b)
 *                        operators; what is divided by may be 0
 *   shl(a, n) shr(a, n)  shifts of PTX: n has no sign, and may be more than a has bits
 *   u8(a)  t(a)          a as a value of a type of PTX, and of that of the first value */
struct expr *formula_value(struct parser *p, struct pos pos, struct expr *const *values, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether a name is one of a grid's words, blockIdx and its like, in a body of a grid; and its value, such as
 * blockIdx.x. */
bool grid_knows(const struct parser *p, const char *name);
bool grid_is_value(struct parser *p, const struct tree *n);
struct expr *grid_value(struct parser *p, const struct tree *n);
/* A special register of PTX, %tid.x or %laneid, in a body of a grid; NULL where none is next. */
struct expr *grid_special(struct parser *p, const char *name, struct pos pos);
/* A tile that is a whole warp. */
extern const struct group warp_group;
/* A thread's number in its block, tile or grid, and how many threads that has. */
struct expr *grid_rank(struct parser *p, struct group g, struct pos pos);
struct expr *grid_size(struct parser *p, struct group g, struct pos pos);
/* The number of a thread's block in its grid, or of its tile in what it is a part of; and how many of these there are. */
struct expr *grid_whole(struct parser *p, struct group g, bool rank, struct pos pos);
/* The lane of a warp in which the tile of a thread of a grid begins; and the lanes of a tile, or of coalesced threads, as a
 * mask. */
struct expr *grid_tile_begin(struct parser *p, struct group tile, struct pos pos);
struct expr *grid_lanes(struct parser *p, struct group g, struct pos pos);
/* The lane of the thread of that rank among coalesced ones. */
struct expr *grid_lane_of(struct parser *p, struct group g, struct expr *rank, struct pos pos);
/* thread_index().x of a block and the like, behind the member's name; NULL: it is none of these. */
bool grid_has_part(enum group_kind kind, const struct token *member);
struct expr *grid_part(struct parser *p, enum group_kind kind, const struct token *member,
                       const struct token *axis);

/* printf and assert. */
bool console_knows(struct parser *p, const struct tree *n);
struct expr *console_use(struct parser *p, const struct tree *n);

/* Whether a call gives the address of a place in another block of the cluster; and that. It has no other value. */
bool cluster_leads(const struct parser *p, const struct tree *n);
struct place cluster_address(struct parser *p, const struct tree *call);
bool cluster_knows(struct parser *p, const struct tree *n);
struct expr *cluster_use(struct parser *p, const struct tree *n);
/* The place in the block of this rank, which stands at `pos`. */
struct place cluster_place(struct parser *p, struct place place, struct expr *rank, struct pos pos);

/* The group that a variable, cg::this_thread_block() and its like are. Of kind GROUP_NONE: an error. */
struct group groups_of(struct parser *p, const struct tree *n);
/* Whether a tree that begins with this name is about a group, block.sync() or cg::sync(block); and what it does. */
bool groups_know(const struct parser *p, const struct tree *root);
bool groups_are_used(struct parser *p, const struct tree *n);
struct expr *groups_use(struct parser *p, const struct tree *n);
/* A declaration of groups. */
void groups_declare(struct parser *p, const struct tree *type, const struct tree *n);
/* Whether the value of a name that is declared is a group, of which `auto` makes one. */
bool groups_declare_auto(struct parser *p, const struct tree *n);

/* Whether a tree begins with a name of cuda:: or std::; and what it is, or NULL: it has no value. */
bool atomic_is_named(struct parser *p, const struct tree *n);
struct expr *atomic_named(struct parser *p, const struct tree *n);
/* Adds a load, a store or an atomic operation, whose place says where it is written; its value, or NULL of a store. */
struct expr *atomic_access(struct parser *p, enum op_name op, const struct place *at, enum order order,
                           enum scope scope, struct expr *value);
/* A call of a member of an atomic_ref, and of atomic_thread_fence by its name. */
struct expr *atomic_member(struct parser *p, const struct reference *ref, const struct tree *call);
void atomic_fence(struct parser *p, const struct tree *call, const struct full_name *name);
/* The scope that a name is. */
enum scope atomic_scope_of(struct parser *p, const struct tree *n);
/* Whether a tree begins with the name of an atomic_ref; and what is done with it, which may have no value: NULL. */
bool atomic_is_used(struct parser *p, const struct tree *n);
struct expr *atomic_use(struct parser *p, const struct tree *n);
/* Whether a name is cuda::atomic_ref<type, scope>, or cuda::atomic<type, scope>; and a declaration of that type. */
bool atomic_is_type(const struct tree *name);
void atomic_declare(struct parser *p, const struct tree *type, const struct tree *n);
/* Whether the value of a name that is declared is an atomic_ref, of which `auto` makes one. */
bool atomic_declare_auto(struct parser *p, const struct tree *n);
/* A call of nvcc's __nv_atomic_load_n and the like; NULL when it has no value. */
bool atomic_is_nvcc(struct parser *p, const struct tree *n);
struct expr *atomic_nvcc(struct parser *p, const struct tree *call);

/* What is moved by cuda::std::move(a); or the tree itself. */
const struct tree *groups_moved(const struct tree *n);
/* Makes what was captured since `before` one turn of a loop, which ends where `over` is true. */
void protocol_poll(struct parser *p, struct stmts before, struct expr *over, struct pos pos);
/* The halves of the barrier of a grid: the accesses that cooperative groups make of it. The arrival's value is what the
 * wait takes. */
struct expr *protocol_grid_arrive(struct parser *p, struct pos pos);
void protocol_grid_wait(struct parser *p, struct expr *token, struct pos pos);

/* Whether a type is cuda::barrier<scope>, that of its token, or a name of these; and a declaration of it. */
bool arrival_is_type(const struct parser *p, const struct tree *type);
void arrival_declare(struct parser *p, const struct tree *type, const struct tree *n);
/* Gives it a name. */
void arrival_name_type(struct parser *p, const struct tree *type, const struct token *name);
/* Whether a tree uses one, init(&bar, 2) or bar.arrive(); and that. NULL: it has no value. */
bool arrival_knows(struct parser *p, const struct tree *n);
struct expr *arrival_use(struct parser *p, const struct tree *n);

/* ---- clocks.c ---- */

/* What a clock says; that of a special register, %clock64, or NULL; and calls that say it, clock64(). */
struct expr *clock_value(struct parser *p, struct pos pos, struct type type);
bool clock_is_special(const char *name);
struct expr *clock_special(struct parser *p, const char *name, struct pos pos);
bool clock_knows(struct parser *p, const struct tree *n);
struct expr *clock_use(struct parser *p, const struct tree *n);
/* Of a body that is read: leaves out what a clock decides, where that is a trap; and loops that do nothing but wait until a
 * clock is far enough: they end, as time goes on. */
void clocks_leave_out_timeouts(struct parser *p);
void clocks_leave_out_pauses(struct parser *p);
/* Lets each comparison of what depends on a clock be true or false. */
void clocks_look(struct parser *p);
/* Complains, and returns false, where a number that depends on a clock goes elsewhere. */
bool clocks_check(struct parser *p);
/* All of these. */
void clocks_settle(struct parser *p);

#endif
