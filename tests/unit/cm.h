/* cmocka wants these before it. */
#ifndef CULITMUS_TESTS_CM_H
#define CULITMUS_TESTS_CM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
