/* Cycles by the names of their tests: "MP+fence+addr", "SB+fences", "WRC+rel.device+po+po". A name becomes a
 * cycle in words. */
#include <ctype.h>
#include <string.h>

#include "cycle/cycle.h"

enum { MOST_PARTS = CYCLE_MAX };

struct name_reader {
    struct arena *arena;
    const char *name, *shape;      /* "MP+po+addr", "MP" */
    const char *parts[MOST_PARTS]; /* "po", "addr" */
    int n, next;
    bool all; /* the only part is in the plural, and stands for every thread: "fences" */
    struct text *out;
    struct diag *diag;
};

/* The part of the name for a thread of two accesses: its first access, its edge, its second one, as
 * "rel.device", "po", "". */
struct name_part {
    const char *before, *edge, *behind;
};

static bool begins(const char *s, const char *word) {
    return strncmp(s, word, strlen(word)) == 0;
}

/* Returns the edge of a name as cycles write it; NULL: names have no such edge. */
static const char *edge_word(const char *edge) {
    static const char *const words[][2] = {
        {"po", "Po"}, {"fence", "Fence"}, {"data", "DpData"}, {"addr", "DpAddr"}, {"ctrl", "DpCtrl"}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const char *rest = edge + strlen(words[k][0]);
        bool fence = strcmp(words[k][0], "fence") == 0;
        if (begins(edge, words[k][0]) && (!*rest || (fence && *rest == '.'))) return words[k][1];
    }
    return NULL;
}

static bool is_strength(const char *part) {
    static const char *const words[] = {"wk", "vol", "rlx.", "acq.", "rel."};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (begins(part, words[k])) return true;
    return false;
}

static void put_strength(struct name_reader *r, const char *strength) {
    if (*strength) text_printf(r->out, "%c%s ", toupper((unsigned char)*strength), strength + 1);
}

/* Cuts a text at its first '-'. Returns what follows, or "". */
static char *cut(char *s) {
    char *dash = strchr(s, '-');
    if (!dash) return s + strlen(s);
    *dash = '\0';
    return dash + 1;
}

static bool read_part(struct name_reader *r, const char *text, struct name_part *out) {
    char *first = arena_strdup(r->arena, text), *second = cut(first);
    *out = (struct name_part){"", first, second};
    if (is_strength(first)) *out = (struct name_part){first, second, cut(second)};
    if (edge_word(out->edge) && (!*out->behind || is_strength(out->behind))) return true;
    diag_fail(r->diag,
              "'%s': '%s' is not what a thread of %s can have between its accesses, which is po, fence, "
              "fence.sc.device, data, addr or ctrl, with what they are, as in rel.device-po-acq.block",
              r->name, text, r->shape);
    return false;
}

/* Whether an edge of a name can lead between the accesses of a word such as "PodWW". */
static bool check_ends(struct name_reader *r, const char *edge, const char *word) {
    bool depends = begins(edge_word(edge), "Dp"), from_read = word[3] == 'R', to_read = word[4] == 'R';
    if (!depends || (from_read && (strcmp(edge, "data") != 0 || !to_read))) return true;
    diag_fail(r->diag, "'%s': '%s' leads from a read%s, and that thread of %s %s", r->name, edge,
              from_read ? " to a write" : "", r->shape, from_read ? "reads twice" : "begins with a write");
    return false;
}

/* Adds a thread of two accesses in place of `word`, such as "PodWW". */
static bool put_pair(struct name_reader *r, const char *word, size_t n) {
    struct name_part part = {"", "po", ""};
    if (r->n > 0 && !r->all && r->next == r->n) {
        diag_fail(r->diag,
                  "'%s': each thread of %s with two accesses needs a part of the name, as in %s+po+addr",
                  r->name, r->shape, r->shape);
        return false;
    }
    if (r->n > 0 && !read_part(r, r->parts[r->all ? 0 : r->next++], &part)) return false;
    if (!check_ends(r, part.edge, word)) return false;
    put_strength(r, part.before);
    text_printf(r->out, "%s%s%.*s ", edge_word(part.edge), part.edge + strcspn(part.edge, "."), (int)n - 2,
                word + 2);
    put_strength(r, part.behind);
    return true;
}

/* Splits "+po+addr" into its parts, "po" and "addr". If there is one part, in the plural, it is that of all
 * threads. */
static void split(struct name_reader *r, const char *rest) {
    while (*rest == '+' && r->n < MOST_PARTS) {
        size_t n = strcspn(rest + 1, "+");
        r->parts[r->n++] = arena_strndup(r->arena, rest + 1, n);
        rest += n + 1;
    }
    const char *one = r->n == 1 ? r->parts[0] : "";
    size_t n = strlen(one);
    if (n > 1 && one[n - 1] == 's' && !edge_word(one)) {
        r->parts[0] = arena_strndup(r->arena, one, n - 1);
        r->all = true;
    }
}

static bool put_cycle(struct name_reader *r, const char *words) {
    bool begin = true; /* an access begins a thread */
    for (const char *word = words; *word; word += strspn(word, " ")) {
        size_t n = strcspn(word, " ");
        bool pair = begins(word, "Po"), alone = begin && !pair;
        if (pair && !put_pair(r, word, n)) return false;
        if (alone && r->next < r->n && is_strength(r->parts[r->next]) && !strchr(r->parts[r->next], '-'))
            put_strength(r, r->parts[r->next++]);
        if (!pair) text_printf(r->out, "%.*s ", (int)n, word);
        begin = !pair;
        word += n;
    }
    if (r->all || r->next == r->n) return true;
    diag_fail(r->diag, "'%s': '%s' is one part too many: %s has no thread for it", r->name, r->parts[r->next],
              r->shape);
    return false;
}

bool cycle_by_name(const char *name, struct cycle *c, struct diag *d) {
    size_t length;
    const char *words = cycle_of_family(name, &length);
    struct text text = {0};
    struct name_reader r = {.arena = arena_open(), .name = name, .out = &text, .diag = d};
    r.shape = arena_strndup(r.arena, name, length);
    split(&r, name + length);
    bool fine = put_cycle(&r, words) && cycle_parse(text.s, c, d);
    text_free(&text);
    arena_close(r.arena);
    return fine;
}
