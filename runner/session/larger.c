/* Makes a test with one more block in a grid, or one more copy of a thread, by changing that number in its
 * text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "session/larger.h"
#include "source/read.h"

/* Returns where a line of the text begins. */
static const char *find_line(const struct source *s, int line) {
    const char *at = s->text;
    for (; line > 1 && at; line--) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at;
}

/* Finds a number behind a key, searching from `at`; NULL: it is not there. */
static const char *find_number(const char *at, const char *key, int number) {
    size_t len = strlen(key);
    while ((at = strstr(at, key))) {
        const char *value = at + len;
        while (*value == ' ')
            value++;
        char *end;
        if (strtol(value, &end, 10) == number && end > value && !isalnum((unsigned char)*end)) return value;
        at += len;
    }
    return NULL;
}

static bool is_one_more(const struct test *t, const struct test *larger, int body) {
    if (!larger || larger->nbodies != t->nbodies || larger->nslots != t->nslots) return false;
    for (int k = 0; k < t->nbodies; k++)
        if (body_copies(&larger->bodies[k]) != body_copies(&t->bodies[k]) + (k == body)) return false;
    return true;
}

int body_copies(const struct body *b) {
    return b->grid ? b->grid : b->count;
}

struct test *test_larger(struct arena *a, const struct test *t, int body) {
    const struct body *b = &t->bodies[body];
    const struct source *s = &t->source;
    const char *from = s->text ? find_line(s, b->pos.line) : NULL;
    int copies = body_copies(b);
    const char *number = from ? find_number(from, b->grid ? "grid:" : "count:", copies) : NULL;
    if (!number) return NULL;
    const char *behind = number + strspn(number, "0123456789");
    const char *text = arena_printf(a, "%.*s%d%s", (int)(number - s->text), s->text, copies + 1, behind);
    struct diag quiet = {0};
    struct test *larger = test_read_text(a, s->path, text, strlen(text), &quiet);
    diag_free(&quiet);
    return is_one_more(t, larger, body) ? larger : NULL;
}
