/* A growing string. `s` is always NUL-terminated and never NULL once anything was added. */
#ifndef CULITMUS_TEXT_H
#define CULITMUS_TEXT_H

#include <stdarg.h>
#include <stddef.h>

struct text {
    char *s;
    size_t len, cap;
};

void text_free(struct text *t);
void text_add(struct text *t, const char *s);
void text_add_n(struct text *t, const char *s, size_t n);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap);

#endif
