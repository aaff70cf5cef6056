#include "report/link.h"

#include <stdbool.h>
#include <string.h>

#include "report/packed.h"

/* As playground/page.js has them. */
enum { MOST_BYTES = 256 * 1024, MOST_LETTERS = 32000 };

const char *link_of(struct arena *a, const char *page, const char *text, const char *beside,
                    const char **why) {
    struct text packed = {0};
    size_t n = strlen(text);
    if (beside) {
        *why = arena_printf(a, "it needs the file '%s', which a link cannot hold", beside);
        return NULL;
    }
    if (n <= MOST_BYTES) packed_put(text, n, &packed);
    bool fits = n <= MOST_BYTES && packed.len <= MOST_LETTERS;
    const char *link = fits ? arena_printf(a, "%s#z=%s", page, packed.s) : NULL;
    if (!fits)
        *why = arena_printf(
            a, "it is too long: a link holds %d letters of a compressed test, and a page reads %d KiB",
            MOST_LETTERS, MOST_BYTES / 1024);
    text_free(&packed);
    return link;
}
