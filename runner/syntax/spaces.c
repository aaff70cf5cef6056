/* The namespaces that a text may open. */
#include "syntax/spaces.h"

#include <string.h>

/* What there is in a namespace; a word that ends in '*' stands for all that begin so. */
static const struct name_space name_spaces[] = {
    {"cooperative_groups",
     {"this_*", "thread_block*", "thread_group", "tiled_partition", "grid_group", "cluster_group",
      "coalesced_*", "sync"}},
    {"cuda",
     {"atomic", "atomic_ref", "barrier", "atomic_thread_fence", "thread_scope_*", "memory_order_*",
      "memory_order"}},
    {"std", {"memory_order_*", "memory_order"}},
    {"ptx",
     {"mbarrier_*", "cp_async_*", "cp_reduce_async_*", "st_async", "st_bulk", "red_async", "fence_*",
      "barrier_*", "tensormap_*", "mapa", "sem_*", "scope_*", "space_*", "op_*", "n32_t"}},
};

const struct name_space *spaces_find(const char *name) {
    for (size_t k = 0; k < sizeof name_spaces / sizeof *name_spaces; k++)
        if (strcmp(name_spaces[k].name, name) == 0) return &name_spaces[k];
    return NULL;
}

bool spaces_has(const struct name_space *space, const struct token *t) {
    for (const char *const *word = space->words; *word; word++) {
        size_t n = strcspn(*word, "*");
        if ((*word)[n] ? strncmp(*word, t->text, n) == 0 : strcmp(*word, t->text) == 0) return true;
    }
    return false;
}

/* Whether a name of the namespace stands here without it. */
static bool is_unqualified(const struct name_space *space, const struct token *t) {
    if (t->kind != TOK_NAME || t[-1].kind == '.' || t[-1].kind == ':') return false;
    bool call = strcmp(t->text, "sync") != 0 || t[1].kind == '(';
    return call && spaces_has(space, t);
}

/* Adds "name::", where t stands. */
static size_t add_name(struct token *all, size_t k, const struct token *t, const char *name) {
    all[k] = all[k + 1] = all[k + 2] = *t;
    all[k].text = name;
    all[k + 1].kind = all[k + 2].kind = ':';
    all[k + 1].text = all[k + 2].text = ":";
    return k + 3;
}

/* The text from t on, with the namespace before its names; its first token is the one before. Only within cuda is one called
 * ptx. */
static const struct token *add_space(struct arena *a, const struct token *from,
                                     const struct name_space *space) {
    const struct token *end = from;
    while (end->kind != TOK_END)
        end++;
    size_t n = (size_t)(end - from) + 1, k = 0;
    struct token *all = arena_array(a, 7 * n + 1, sizeof *all);
    bool inner = strcmp(space->name, "ptx") == 0;
    all[k++] = from[-1];
    for (const struct token *t = from; t <= end; t++) {
        bool bare = is_unqualified(space, t);
        if (bare && inner) k = add_name(all, k, t, "cuda");
        if (bare) k = add_name(all, k, t, space->name);
        all[k++] = *t;
    }
    return all;
}

const struct token *spaces_open(struct arena *a, const struct token *t, const struct token *semicolon) {
    bool whole = token_is_word(t, "namespace");
    const struct token *first = t + whole, *last = first;
    while (last[1].kind == ':' && last[2].kind == ':' && last[3].kind == TOK_NAME)
        last += 3;
    if (last + 1 != semicolon || (!whole && last == first)) return NULL;
    bool known = last == first || token_is_word(last, "std") || token_is_word(last, "ptx");
    const struct name_space *space = spaces_find(!whole ? last[-3].text : known ? last->text : "");
    if (!space || (!whole && !spaces_has(space, last))) return NULL;
    return add_space(a, semicolon + 1, whole ? space : &(struct name_space){space->name, {last->text}});
}

/* Whether "name::" stands at t, which is in no other namespace. */
static bool is_renamed(const struct token *t, const char *name) {
    bool inside = t[-1].kind == ':' && t[-2].kind == ':';
    return token_is_word(t, name) && t[1].kind == ':' && t[2].kind == ':' && !inside;
}

const struct token *spaces_rename(struct arena *a, const struct token *name, const struct token *path,
                                  const struct token *semicolon) {
    if (!spaces_find(semicolon[-1].text) || token_is_word(name, "cg")) return NULL; /* which is known */
    const struct token *from = semicolon + 1, *end = from;
    size_t n = 1, k = 0, more = (size_t)(semicolon - path);
    for (; end->kind != TOK_END; end++)
        n += is_renamed(end, name->text) ? more : 1;
    struct token *all = arena_array(a, n + 1, sizeof *all);
    all[k++] = *semicolon;
    for (const struct token *t = from; t <= end; t++)
        if (is_renamed(t, name->text))
            for (size_t m = 0; m < more; m++) {
                all[k] = path[m];
                all[k].pos = t->pos;
                all[k].after = t->after;
                all[k++].at = t->at;
            }
        else
            all[k++] = *t;
    return all;
}
