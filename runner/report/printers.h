/* The printers of results in the formats of printers.def. Write errors are left in the stream. */
#ifndef CULITMUS_PRINTERS_H
#define CULITMUS_PRINTERS_H

#include <stdio.h>

#include "results/history.h"

typedef void report_printer(const struct report *r, FILE *out);
#define PRINTER(name, judged) report_printer report_##name;
#include "report/printers.def"
#undef PRINTER

enum printer_number {
#define PRINTER(name, judged) PRINTER_##name,
#include "report/printers.def"
#undef PRINTER
    NPRINTERS
};

/* Print only the certificate (results/certificate.h): as a page, and as JSON. */
report_printer report_certificate_html, report_certificate_json;

/* Prints what the page says of the tests, without their texts and without the rest of the page. */
void report_html_answers(const struct report *r, FILE *out);

/* Prints a field of CSV, quoted if needed. NULL is an empty field. */
void csv_field(const char *s, FILE *out);

/* Print the rates of several runs: as a page, and as a table with a line for each cell and run. */
void history_html(const struct history *h, FILE *out);
void history_csv(const struct history *h, FILE *out);

#endif
