#include "base/foreign.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"

/* Control characters drive a terminal; the others reorder text, or hide. */
bool foreign_is_plain(uint32_t c) {
    return c >= 0x20 && (c < 0x7f || c > 0x9f) && c != 0xad && c != 0x61c && !(c >= 0x200b && c <= 0x200f) &&
           !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2060 && c <= 0x206f) && c != 0xfeff &&
           !(c >= 0xfff9 && c <= 0xfffb) && (c & 0xfffe) != 0xfffe && !(c >= 0xe0000 && c <= 0xe007f);
}

/* Decodes the first character of `s`: *c is a blank for an ASCII control character, `odd` for anything else
 * that is not plain, and otherwise the character itself. Returns the text behind it. */
static const char *next(const char *s, uint32_t odd, uint32_t *c) {
    size_t len = utf8_decode(s, strnlen(s, 4), c);
    if (len && (*c < 0x20 || *c == 0x7f))
        *c = ' ';
    else if (len == 0 || !foreign_is_plain(*c))
        *c = odd;
    return s + (len ? len : 1);
}

static void put(uint32_t c, FILE *out) {
    char bytes[4];
    fwrite(bytes, 1, utf8_write(c, bytes), out);
}

enum { REPLACEMENT = 0xfffd };

/* Returns how many ASCII characters at the beginning of the text are printable. Most texts are nothing
 * else. */
static int plain_head(const char *s) {
    int n = 0;
    while (s[n] >= 0x20 && s[n] < 0x7f)
        n++;
    return n;
}

bool foreign_is_command(const char *s) {
    s += strspn(s, " \t\r\n");
    if (strncmp(s, "##[", 3) == 0 || strncmp(s, "##vso[", 6) == 0) return true;
    return strncmp(s, "::", 2) == 0 && isalpha((unsigned char)s[2]) && strstr(s + 2, "::");
}

/* If the text is a command of a CI system, prints its leading blanks and '?' in place of its first character.
 * Returns how many bytes of the text that covers, else 0. */
static int defuse(const char *s, FILE *out) {
    if (!foreign_is_command(s)) return 0;
    size_t blanks = strspn(s, " \t\r\n");
    fprintf(out, "%*s?", (int)blanks, "");
    return (int)blanks + 1;
}

int foreign_terminal(const char *s, FILE *out) {
    int defused = defuse(s, out);
    s += defused;
    int columns = plain_head(s);
    fwrite(s, 1, (size_t)columns, out);
    s += columns;
    for (uint32_t c; *s; columns++) {
        bool control = (unsigned char)*s < 0x20 || *s == 0x7f, blank = *s == '\n' || *s == '\t';
        s = next(s, '?', &c);
        put(control && !blank ? '?' : c, out);
    }
    return defused + columns;
}

int foreign_columns(const char *s) {
    int columns = plain_head(s);
    s += columns;
    for (uint32_t c; *s; columns++)
        s = next(s, '?', &c);
    return columns;
}

void foreign_html(const char *s, FILE *out) {
    for (uint32_t c; *s;) {
        s = next(s, REPLACEMENT, &c);
        switch (c) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: put(c, out);
        }
    }
}

void foreign_markdown(const char *s, FILE *out) {
    for (uint32_t c; *s;) {
        s = next(s, REPLACEMENT, &c);
        bool entity = c == '&' && (*s == '#' || isalpha((unsigned char)*s)); /* such as "&#x202e;" */
        if (entity || (c < 0x80 && strchr("|*_<>[]`\\", (int)c))) fputc('\\', out);
        put(c, out);
    }
}

void foreign_markdown_link(const char *s, FILE *out) {
    for (uint32_t c; *s;) {
        s = next(s, REPLACEMENT, &c);
        if (strchr("<>|\\%", c < 0x80 ? (int)c : 'a'))
            fprintf(out, "%%%02X", (unsigned)c);
        else
            put(c, out);
    }
}

void foreign_log(const char *s, bool word, FILE *out) {
    for (uint32_t c; *s;) {
        s = next(s, REPLACEMENT, &c);
        put(word && c == ' ' ? '_' : c, out);
    }
}
