#include "report/printers.h"

void report_escape(const char *s, FILE *out) {
    for (; *s; s++) {
        switch (*s) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*s < 0x20 || *s == 0x7f ? ' ' : *s, out);
        }
    }
}
