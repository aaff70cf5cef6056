/* Calls: their arguments, and what libraries do. */
#ifndef CULITMUS_CALLS_H
#define CULITMUS_CALLS_H

#include "lower/lower.h"

/* A name with its namespaces, "cuda::std::memory_order_acquire". */
struct full_name {
    const char *text;
    struct pos pos;
};
struct full_name full_name_of(struct parser *p, const struct tree *name);

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
/* Takes the next one, which must be a name alone. */
const struct token *arguments_word(struct parser *p, struct arguments *a, const char *what);
/* Complains where there is one more. */
void arguments_end(struct parser *p, const struct arguments *a);

/* A call of an exchange; and its next argument as a mask. */
struct expr *exchange_call(struct parser *p, const struct op_row *row, const struct op_call *as,
                           struct arguments *a, struct pos pos);
struct expr *exchange_mask(struct parser *p, struct arguments *a);
/* The call of that name by a tile of 32 threads, which gives no mask: all lanes take part. */
struct expr *exchange_of_tile(struct parser *p, const char *name, const struct tree *call, struct pos pos);
/* Adds an exchange; its result. */
struct expr *exchange_add(struct parser *p, struct op op);

/* A function that computes in registers, by its name; whether a call is of one, min(a, b) or std::min(a, b); its value. */
bool function_is(const char *name);
bool function_is_called(const struct tree *call);
struct expr *function_value(struct parser *p, const struct tree *call);

/* Whether a name is one of a grid's words, blockIdx and its like, in a body of a grid; and its value, such as
 * blockIdx.x. */
bool grid_knows(const struct parser *p, const char *name);
struct expr *grid_value(struct parser *p, const struct tree *n);
/* A special register of PTX, %tid.x or %laneid, in a body of a grid; NULL where none is next. */
struct expr *grid_special(struct parser *p, const char *name, struct pos pos);
/* A thread's number in its block, tile or grid, and how many threads that has. */
struct expr *grid_rank(struct parser *p, enum group_kind kind, struct pos pos);
struct expr *grid_size(struct parser *p, enum group_kind kind, struct pos pos);
/* The number of a thread's block in its grid, or of its tile in its block; and how many of these there are. */
struct expr *grid_whole(struct parser *p, enum group_kind kind, bool rank, struct pos pos);
/* thread_index().x of a block and the like, behind the member's name; NULL: it is none of these. */
bool grid_has_part(enum group_kind kind, const struct token *member);
struct expr *grid_part(struct parser *p, enum group_kind kind, const struct token *member,
                       const struct token *axis);

/* Whether a tree that begins with this name is about a group, block.sync() or cg::sync(block); and what it does. */
bool groups_know(const struct parser *p, const struct tree *root);
struct expr *groups_use(struct parser *p, const struct tree *n);
/* A declaration of groups; and another name for the namespace, `namespace cg = cooperative_groups`. */
void groups_declare(struct parser *p, const struct tree *n);
void groups_name_space(struct parser *p, const struct tree *n);
/* Whether the value of a name that is declared is a group, of which `auto` makes one. */
bool groups_declare_auto(struct parser *p, const struct tree *n);

/* Whether a name is one of cuda:: or std::; and what a tree is that begins so, or NULL: it has no value. */
bool atomic_is_name(const struct tree *n);
struct expr *atomic_named(struct parser *p, const struct tree *n);
/* The visible atomic_ref of that name, or NULL; and what is done with it, which may have no value: NULL. */
const struct reference *atomic_find(const struct parser *p, const char *name);
struct expr *atomic_use(struct parser *p, const struct reference *ref, const struct tree *n);
/* Whether a name is cuda::atomic_ref<type, scope>, or cuda::atomic<type, scope>; and a declaration of that type. */
bool atomic_is_type(const struct tree *name);
void atomic_declare(struct parser *p, const struct tree *n);
/* Whether the value of a name that is declared is an atomic_ref, of which `auto` makes one. */
bool atomic_declare_auto(struct parser *p, const struct tree *n);
/* A call of nvcc's __nv_atomic_load_n and the like; NULL when it has no value. */
bool atomic_is_nvcc(const char *name);
struct expr *atomic_nvcc(struct parser *p, const struct tree *call);

/* Adds an execution barrier that has no operands. */
void groups_add_barrier(struct parser *p, enum op_name name, struct pos pos);
/* What is moved by cuda::std::move(a); or the tree itself. */
const struct tree *groups_moved(const struct tree *n);
/* Makes what was captured since `before` one turn of a loop, which ends where `over` is true. */
void protocol_poll(struct parser *p, struct stmts before, struct expr *over, struct pos pos);
/* The halves of the barrier of a grid: the accesses that cooperative groups make of it. The arrival's value is what the
 * wait takes. */
struct expr *protocol_grid_arrive(struct parser *p, struct pos pos);
void protocol_grid_wait(struct parser *p, struct expr *token, struct pos pos);
/* The same of a cuda::barrier; `count` may be NULL: once. To drop is to come no more in later phases. */
void protocol_init(struct parser *p, const struct reference *ref, struct expr *count, struct pos pos);
struct expr *protocol_arrive(struct parser *p, const struct reference *ref, struct expr *count,
                             struct pos pos);
void protocol_wait(struct parser *p, const struct reference *ref, struct expr *token, struct pos pos);
void protocol_drop(struct parser *p, const struct reference *ref, struct pos pos);

/* Whether a type is cuda::barrier<scope>, that of its token, or a name of these; and a declaration of it. */
bool arrival_is_type(const struct parser *p, const struct tree *type);
void arrival_declare(struct parser *p, const struct tree *n);
/* Gives it a name. */
void arrival_name_type(struct parser *p, const struct tree *type, const struct token *name);
/* Whether a tree uses one, init(&bar, 2) or bar.arrive(); and that. NULL: it has no value. */
bool arrival_knows(const struct parser *p, const struct tree *n);
struct expr *arrival_use(struct parser *p, const struct tree *n);

#endif
