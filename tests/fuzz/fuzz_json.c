/* Reads what libFuzzer invents as JSON, from memory that ends where the text does, and looks every member up. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "input.h"

static void visit(const struct json_value *v) {
    if ((v->kind == JSON_IS_NUMBER || v->kind == JSON_IS_TEXT) != (v->text != NULL)) abort();
    for (const struct json_value *item = v->first; item; item = item->next) {
        if (v->kind == JSON_IS_OBJECT && json_find(v, item->name) != item) abort();
        visit(item);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_open();
    struct diag d = {0};
    char *exact = input_copy(data, size);
    const struct source source = {.path = "fuzz.json", .text = exact, .len = size};
    const struct json_value *root = json_parse(&(struct json_file){a, &source, &d});
    if ((root == NULL) != (d.errors > 0)) abort();
    if (root) visit(root);
    FILE *out = fopen("/dev/null", "w");
    diag_render(&d, out, false);
    fclose(out);
    diag_free(&d);
    arena_close(a);
    free(exact);
    return 0;
}
