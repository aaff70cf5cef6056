#include "litmus/words.h"

#include <stddef.h>
#include <string.h>

const char *const scope_names[] = {"none", "block", "cluster", "device", "system", NULL};
const char *const space_names[] = {
#define SPACE(tag, name, ...) name,
#include "litmus/spaces.def"
#undef SPACE
    NULL};
const char *const access_names[] = {"weak", "volatile", "relaxed", NULL};

const char *scope_ptx(enum scope s) {
    static const char *const names[] = {"none", "cta", "cluster", "gpu", "sys"};
    return names[s];
}

const char *scope_name(enum scope s) {
    return scope_names[s];
}

enum scope scope_find(const char *word) {
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++)
        if (strcmp(word, scope_name(s)) == 0 || strcmp(word, scope_ptx(s)) == 0) return s;
    return SCOPE_NONE;
}

/* The names of an order here and in C. A plain access of C may be split or merged by the compiler, so in C it
 * is at least relaxed. */
static const struct {
    const char *name, *c;
} orders[] = {
    [ORDER_BARE] = {"bare", "__ATOMIC_RELAXED"},         [ORDER_WEAK] = {"weak", "__ATOMIC_RELAXED"},
    [ORDER_VOLATILE] = {"volatile", "__ATOMIC_RELAXED"}, [ORDER_RELAXED] = {"relaxed", "__ATOMIC_RELAXED"},
    [ORDER_ACQUIRE] = {"acquire", "__ATOMIC_ACQUIRE"},   [ORDER_RELEASE] = {"release", "__ATOMIC_RELEASE"},
    [ORDER_ACQ_REL] = {"acq_rel", "__ATOMIC_ACQ_REL"},   [ORDER_SC] = {"sc", "__ATOMIC_SEQ_CST"},
};

const char *order_name(enum order o) {
    return orders[o].name;
}

const char *order_c(enum order o) {
    return orders[o].c;
}

const struct space_row space_rows[SPACES] = {
#define SPACE(tag, name, owner, ptx, place, find, ...)                                                       \
    [SPACE_##tag] = {name, ptx, place, find, .of_##owner = true, __VA_ARGS__},
#include "litmus/spaces.def"
#undef SPACE
};

const char *space_name(enum space s) {
    return space_rows[s].name;
}

const char *access_name(enum access a) {
    return access_names[a];
}
