/* Values of type int, as tests write them. */
#ifndef CULITMUS_TESTS_INTS_H
#define CULITMUS_TESTS_INTS_H

#include "litmus/value.h"

#define INT(n) ((struct value){(uint32_t)(n), 0})

static inline int int_of(struct value v) {
    return (int)value_int(type_int, v);
}

#endif
