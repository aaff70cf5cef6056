#include "syntax/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Finds the type of a literal: the first type that holds its value (C11, 6.4.4.1). `suffix` is u, l, ll or
 * both. */
static bool find_literal_type(uint64_t value, bool decimal, const char *suffix, struct type *out) {
    bool is_unsigned = strpbrk(suffix, "uU"), is_long = strpbrk(suffix, "lL");
    const struct type types[] = {type_int, type_unsigned, type_int64, type_uint64};
    static const char *const suffixes[] = {"", "u", "l", "ll", "ul", "ull", "lu", "llu"};
    size_t i = 0, n = sizeof suffixes / sizeof *suffixes;
    while (i < n && strcasecmp(suffix, suffixes[i]) != 0)
        i++;
    if (i == n) return false;
    for (int k = 0; k < 4; k++) {
        bool fits = value <= UINT64_MAX >> (64 - types[k].bits + types[k].sign);
        bool may_be = types[k].sign ? !is_unsigned : is_unsigned || !decimal || k == 3;
        if (!fits || !may_be || (is_long && k < 2)) continue;
        *out = types[k];
        return true;
    }
    return false;
}

/* 1.5f, and 1.5, which is a double */
static void read_real(struct lexer *l, struct token *t) {
    size_t n = strlen(t->text) - 1;
    bool marked = t->text[n] == 'f' || t->text[n] == 'F';
    const char *number = marked ? arena_strndup(l->arena, t->text, n) : t->text;
    t->type = marked ? type_float : type_double;
    if ((!isdigit((unsigned char)*number) && !isdigit((unsigned char)number[1])) ||
        strpbrk(number, "_xXnN") || value_parse(number, t->type, &t->value) != VALUE_FINE) {
        t->value = (struct value){0}; /* which fits everywhere: one error is enough */
        diag_error(l->diag, l->source, t->pos, "'%s' is no number", t->text);
    }
}

/* Whether a number goes on at s[i]; a sign goes on behind the e of an exponent, as in 1e-3f. In v@1.x the
 * number ends at the dot. */
static bool goes_on(const char *s, size_t from, size_t i) {
    bool hex = s[from] == '0' && (s[from + 1] == 'x' || s[from + 1] == 'X');
    bool sign = i > from && (s[i] == '-' || s[i] == '+');
    bool exponent = sign && !hex && (s[i - 1] == 'e' || s[i - 1] == 'E') && isdigit((unsigned char)s[i + 1]);
    bool member = s[i] == '.' && s[i + 1] && strchr("xyzw", s[i + 1]) && !isalnum((unsigned char)s[i + 2]);
    int (*is_digit)(int) = hex ? isxdigit : isdigit;
    bool separator =
        s[i] == '\'' && i > from && is_digit((unsigned char)s[i - 1]) && is_digit((unsigned char)s[i + 1]);
    return isalnum((unsigned char)s[i]) || s[i] == '_' || (s[i] == '.' && !member) || exponent || separator;
}

/* Returns the text of a number without its separators, as in 1'000'000. */
static const char *without_separators(struct lexer *l, const char *text) {
    if (!strchr(text, '\'')) return text;
    char *bare = arena_strndup(l->arena, text, strlen(text)), *end = bare;
    for (; *text; text++)
        if (*text != '\'') *end++ = *text;
    *end = '\0';
    return bare;
}

/* Reads a number of more than 64 bits, which C does not have, but conditions and tables do. */
static void read_wide(struct lexer *l, struct token *t) {
    t->type = type_find("unsigned __int128", &t->type) ? t->type : type_uint64;
    if (value_parse(t->text, t->type, &t->value) != VALUE_FINE)
        diag_error(l->diag, l->source, t->pos, "%s does not fit into 128 bits", t->text);
}

/* Reads the value of digits, and returns what follows them; the whole text if it is no number. 0b101 is not
 * known to every strtoull, which is given its digits alone. */
static unsigned long long read_digits(const char *text, char **suffix) {
    bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    const char *bits = text + 2;
    errno = 0;
    if (!binary) return strtoull(text, suffix, 0);
    unsigned long long value = strtoull(bits, suffix, 2);
    if (*suffix != bits + strspn(bits, "01") || *suffix == bits) *suffix = strchr(text, '0');
    return value;
}

size_t literal_end(const char *s, size_t from) {
    size_t i = from;
    while (goes_on(s, from, i))
        i++;
    return i;
}

void literal_read(struct lexer *l, struct token *t) {
    t->type = type_int;
    t->text = without_separators(l, t->text);
    bool digits = strspn(t->text, "0123456789") == strcspn(t->text, "eE");
    if (strchr(t->text, '.') || (digits && strpbrk(t->text, "eE"))) {
        read_real(l, t);
        return;
    }
    char *suffix;
    unsigned long long value = read_digits(t->text, &suffix);
    if (errno == ERANGE) {
        read_wide(l, t);
        return;
    }
    if (!find_literal_type(value, *t->text != '0', suffix, &t->type))
        diag_error(l->diag, l->source, t->pos, "'%s' is no number: write it decimal, as 0x..., 0b... or 0...",
                   t->text);
    t->value = (struct value){value, 0};
}
