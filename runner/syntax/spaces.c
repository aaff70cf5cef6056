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

/* Whether a name of the namespace stands here without its namespace. */
static bool is_unqualified(const struct name_space *space, const struct token *t) {
    if (t->kind != TOK_NAME || t[-1].kind == '.' || t[-1].kind == ':') return false;
    bool call = strcmp(t->text, "sync") != 0 || t[1].kind == '(';
    return call && spaces_has(space, t);
}

/* What is replaced in a text: a path is put before the names of a namespace, or in place of another name for
 * it. */
struct respelling {
    const struct name_space *space; /* NULL: the path replaces `name` */
    const char *renamed;
    bool type; /* that is the name of a type */
    const struct token *path;
    size_t n; /* words in the path */
};

/* Whether "name::" stands at t and is not within another namespace. */
static bool is_renamed(const struct token *t, const char *name) {
    bool inside = t[-1].kind == ':' && t[-2].kind == ':';
    return token_is_word(t, name) && t[1].kind == ':' && t[2].kind == ':' && !inside;
}

/* Whether the name of a type stands at t, and no member of that name. */
static bool is_type(const struct token *t, const char *name) {
    bool arrow = t[-1].kind == '>' && t[-2].kind == '-';
    return token_is_word(t, name) && t[-1].kind != '.' && t[-1].kind != ':' && !arrow;
}

static bool is_rewritten(const struct respelling *r, const struct token *t) {
    if (r->type) return is_type(t, r->renamed);
    return r->space ? is_unqualified(r->space, t) : is_renamed(t, r->renamed);
}

/* Returns a copy of the text behind `semicolon`, which becomes its first token. */
static const struct token *rewrite(struct arena *a, const struct token *semicolon,
                                   const struct respelling *r) {
    const struct token *from = semicolon + 1, *end = from;
    size_t n = 2, k = 0;
    for (; end->kind != TOK_END; end++)
        n += 1 + (is_rewritten(r, end) ? r->n : 0);
    struct token *all = arena_array(a, n, sizeof *all);
    all[k++] = *semicolon;
    for (const struct token *t = from; t <= end; t++) {
        bool here = is_rewritten(r, t);
        for (size_t m = 0; here && m < r->n; m++) {
            all[k] = *t;
            all[k].kind = r->path[m].kind;
            all[k++].text = r->path[m].text;
        }
        if (!here || r->space) all[k++] = *t;
    }
    return all;
}

/* Puts "name::" before names of the namespace. Only within cuda is a namespace called ptx. */
static const struct token *add_space(struct arena *a, const struct token *semicolon,
                                     const struct name_space *space) {
    const struct token colon = {.kind = ':', .text = ":"}, cuda = {.kind = TOK_NAME, .text = "cuda"},
                       name = {.kind = TOK_NAME, .text = space->name};
    const struct token path[] = {cuda, colon, colon, name, colon, colon};
    size_t outer = strcmp(space->name, "ptx") == 0 ? 0 : 3;
    return rewrite(a, semicolon, &(struct respelling){.space = space, .path = path + outer, .n = 6 - outer});
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
    return add_space(a, semicolon, whole ? space : &(struct name_space){space->name, {last->text}});
}

bool spaces_names_type(const struct token *t) {
    bool cuda = token_is_word(t, "cuda") && t[1].kind == ':' && t[2].kind == ':';
    t += cuda ? 3 : 0;
    if (cuda && token_is_word(t, "std") && t[1].kind == ':' && t[2].kind == ':') t += 3;
    return cuda && (token_is_word(t, "atomic_ref") || token_is_word(t, "atomic"));
}

const struct token *spaces_rename(struct arena *a, const struct token *name, const struct token *path,
                                  const struct token *semicolon) {
    bool type = spaces_names_type(path), known = !type && token_is_word(name, "cg");
    if (!(type || spaces_find(semicolon[-1].text)) || known) return NULL;
    struct respelling r = {
        .renamed = name->text, .type = type, .path = path, .n = (size_t)(semicolon - path)};
    return rewrite(a, semicolon, &r);
}
