#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Makes room for `more` bytes and the closing NUL. */
static void reserve(struct text *t, size_t more) {
    size_t need = t->len + more + 1;
    if (need <= t->cap) return;
    size_t cap = t->cap ? t->cap : 256;
    while (cap < need)
        cap *= 2;
    t->s = memory_resize(t->s, cap, 1);
    t->cap = cap;
}

void text_free(struct text *t) {
    free(t->s);
    *t = (struct text){0};
}

void text_add(struct text *t, const char *s) {
    text_add_n(t, s, strlen(s));
}

void text_add_n(struct text *t, const char *s, size_t n) {
    reserve(t, n);
    if (n) memcpy(t->s + t->len, s, n);
    t->len += n;
    t->s[t->len] = '\0';
}

void text_printf(struct text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(t, fmt, ap);
    va_end(ap);
}

void text_vprintf(struct text *t, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    reserve(t, 0);
    int n = vsnprintf(t->s + t->len, t->cap - t->len, fmt, ap);
    size_t more = n < 0 ? 0 : (size_t)n;
    if (t->cap - t->len <= more) {
        reserve(t, more);
        vsnprintf(t->s + t->len, more + 1, fmt, again);
    }
    va_end(again);
    t->len += more;
    t->s[t->len] = '\0';
}
