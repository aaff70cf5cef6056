#include "source/yaml.h"

#include <string.h>
#include <yaml.h>

enum { MAX_DEPTH = 16, MAX_ANCHORS = 1000 };

struct anchor {
    const char *name;
    struct yaml_node *node;
    bool open; /* its node is still being read, so an alias to it would be recursive */
};

struct yaml_reader {
    struct arena *arena;
    const struct source *source;
    struct diag *diag;
    struct lines lines;
    yaml_parser_t yaml;
    struct anchor anchors[MAX_ANCHORS];
    int nanchors;
    size_t seen, offset; /* the last mark: how many characters come before it, and its offset in the source */
};

/* Returns the offset of a mark in the source. libyaml counts in characters from 0. Marks mostly move forward,
 * so counting begins at the last one. */
static size_t mark_offset(struct yaml_reader *r, const yaml_mark_t *mark) {
    if (mark->index < r->seen) {
        r->seen = 0;
        r->offset = source_mark(r->source);
    }
    for (; r->seen < mark->index && r->offset < r->source->len; r->seen++)
        do
            r->offset++;
        while ((r->source->text[r->offset] & 0xc0) == 0x80);
    return r->offset;
}

static struct pos mark_pos(struct yaml_reader *r, const yaml_mark_t *mark) {
    return source_pos(&r->lines, mark_offset(r, mark), 1);
}

/* ---- errors of the scanner ---- */

static size_t line_begin(const struct source *src, size_t at) {
    while (at > 0 && src->text[at - 1] != '\n')
        at--;
    return at;
}

/* Returns the end of a line without the blanks before it. */
static size_t line_end(const struct source *src, size_t at) {
    size_t begin = line_begin(src, at), end = begin + strcspn(src->text + begin, "\n");
    while (end > begin && strchr(" \r", src->text[end - 1]))
        end--;
    return end;
}

/* A line as a key and what follows it, both without blanks around them. */
struct key_line {
    size_t begin, end; /* the key */
    /* what follows the key; it begins with the ':' unless a blank comes before that */
    const char *key, *behind;
};

static struct key_line key_line_at(struct yaml_reader *r, size_t at) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *text = r->source->text;
    size_t begin = line_begin(r->source, at), end = line_end(r->source, at);
    begin += strspn(text + begin, " ");
    if (begin > end) begin = end;
    size_t key = strspn(text + begin, letters), behind = begin + key;
    behind += strspn(text + behind, " ");
    if (behind > end) behind = end;
    return (struct key_line){begin, begin + key, arena_strndup(r->arena, text + begin, key),
                             arena_strndup(r->arena, text + behind, end - behind)};
}

/* Whether a line looks like a statement of a body: x = 1; f(); */
static bool is_statement(const struct key_line *l, const struct source *src) {
    return !*l->key || strchr(l->behind, ';') || (*l->behind && strchr("=+-<*[", *l->behind)) ||
           src->text[l->end] == '(';
}

/* Reports what is wrong with the key of a line, if it is clear: it has no ':', or no blank behind it. */
static bool report_key(struct yaml_reader *r, size_t at) {
    struct key_line l = key_line_at(r, at);
    const char *behind = l.behind;
    if (!*l.key) return false;
    if (*behind == ':' && behind[1] && behind[1] != ' ') {
        diag_error(r->diag, r->source, source_pos(&r->lines, l.end, 1), "'%s:' has no blank behind its ':'",
                   l.key);
        return true;
    }
    bool opens = *behind && strchr("{[", *behind);
    if (*behind == ':' || is_statement(&l, r->source) || (!opens && strpbrk(behind, ":#\"'{}[]")))
        return false;
    size_t end = opens ? l.end : line_end(r->source, at);
    diag_error(r->diag, r->source, source_pos(&r->lines, end, 1),
               "this line has no ':' behind its key; did you mean '%s:%s%s'?", l.key, *behind ? " " : "",
               behind);
    return true;
}

/* Returns the line whose value YAML takes the following lines for: the first one above that is not indented
 * further. */
static size_t line_above(const struct source *src, size_t at) {
    size_t begin = line_begin(src, at), indent = strspn(src->text + begin, " ");
    while (begin > 0) {
        begin = line_begin(src, begin - 1);
        size_t blanks = strspn(src->text + begin, " ");
        if (blanks <= indent && !strchr("\r\n", src->text[begin + blanks])) return begin;
    }
    return 0;
}

/* Our own messages where a beginner would not understand the scanner's. */
static const char *remedy_of(const struct yaml_reader *r, const char *problem, size_t at) {
    const char *text = r->source->text;
    if (strcmp(problem, "could not find expected ':'") == 0)
        return "; the lines of a body are indented, below 'NAME: |'";
    if (strcmp(problem, "mapping values are not allowed in this context") == 0)
        return ": a text with ': ' stands in quotes";
    if (strcmp(problem, "did not find expected ',' or '}'") == 0 && at < r->source->len && text[at] == '[')
        return "; an array is written NAME: {count: 4}";
    return "";
}

static bool is_unclosed_quote(const yaml_parser_t *y) {
    return y->context && strcmp(y->context, "while scanning a quoted scalar") == 0;
}

/* Reports an error of the scanner. */
static void report_syntax(struct yaml_reader *r) {
    const yaml_parser_t *y = &r->yaml;
    const char *problem = y->problem ? y->problem : "unreadable";
    size_t at = mark_offset(r, &y->problem_mark);
    if (y->error == YAML_READER_ERROR) { /* such an error has an offset in bytes, and no mark */
        struct pos pos = source_pos(&r->lines, source_mark(r->source) + y->problem_offset, 1);
        diag_error(r->diag, r->source, pos, "not YAML: %s", problem);
        return;
    }
    struct pos pos = source_pos(&r->lines, at, 1);
    if (strcmp(problem, "mapping values are not allowed in this context") == 0 &&
        (report_key(r, at) || report_key(r, line_above(r->source, at))))
        return;
    if (strcmp(problem, "could not find expected ':'") == 0 &&
        report_key(r, mark_offset(r, &y->context_mark)))
        return;
    if (at < r->source->len && r->source->text[at] == '\t')
        diag_error(r->diag, r->source, pos, "a tab: YAML is indented with spaces");
    else if (is_unclosed_quote(y))
        diag_error(r->diag, r->source, mark_pos(r, &y->context_mark), "this quote is not closed");
    else
        diag_error(r->diag, r->source, pos, "not YAML: %s%s", problem, remedy_of(r, problem, at));
    if (y->context && y->context_mark.line != y->problem_mark.line && !is_unclosed_quote(y))
        diag_note(r->diag, r->source, mark_pos(r, &y->context_mark), "%s that begins here", y->context);
}

static bool next_event(struct yaml_reader *r, yaml_event_t *event) {
    if (yaml_parser_parse(&r->yaml, event)) return true;
    report_syntax(r);
    return false;
}

static struct yaml_node *read_node(struct yaml_reader *r, yaml_event_t *event, int depth);

static struct yaml_node *new_node(struct yaml_reader *r, enum node_kind kind, const yaml_event_t *event) {
    struct yaml_node *node = arena_alloc(r->arena, sizeof *node);
    node->kind = kind;
    node->begin = mark_offset(r, &event->start_mark);
    node->end = mark_offset(r, &event->end_mark);
    bool one_line = event->start_mark.line == event->end_mark.line;
    node->pos = source_pos(&r->lines, node->begin, one_line ? node->end - node->begin : 1);
    return node;
}

static struct yaml_node *read_scalar(struct yaml_reader *r, const yaml_event_t *event) {
    const char *text = (const char *)event->data.scalar.value;
    struct yaml_node *node = new_node(r, NODE_SCALAR, event);
    node->len = event->data.scalar.length;
    node->text = arena_strndup(r->arena, text, node->len);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (!memchr(text, '\0', node->len)) return node;
    diag_error(r->diag, r->source, node->pos, "this text contains a NUL");
    return NULL;
}

static void add_entry(struct yaml_reader *r, struct yaml_node *node, struct yaml_node *key,
                      struct yaml_node *value) {
    node->entries = arena_more(r->arena, node->entries, (size_t)node->n, sizeof *node->entries);
    node->entries[node->n++] = (struct yaml_entry){key, value};
}

/* A map may have this many keys; only a hostile one has more. */
enum { MAX_KEYS = 2000 };

static bool check_key(struct yaml_reader *r, const struct yaml_node *map, const struct yaml_node *key) {
    if (key->kind != NODE_SCALAR) {
        diag_error(r->diag, r->source, key->pos, "a key must be a word");
        return false;
    }
    if (map->n == MAX_KEYS) {
        diag_error(r->diag, r->source, key->pos, "more than %d keys", MAX_KEYS);
        return false;
    }
    for (int i = 0; i < map->n; i++) {
        const struct yaml_node *earlier = map->entries[i].key;
        if (strcmp(earlier->text, key->text) != 0) continue;
        diag_error(r->diag, r->source, key->pos, "duplicate key '%s'", key->text);
        diag_note(r->diag, r->source, earlier->pos, "it is here already");
        return true; /* it was reported; go on to find other errors */
    }
    return true;
}

/* Reads the values of a list, or the keys and values of a map. */
static bool read_entries(struct yaml_reader *r, struct yaml_node *node, int depth) {
    struct yaml_node *key = NULL;
    for (;;) {
        yaml_event_t event;
        if (!next_event(r, &event)) return false;
        bool done = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        struct yaml_node *child = done ? NULL : read_node(r, &event, depth + 1);
        yaml_event_delete(&event);
        if (!child) return done;
        if (node->kind == NODE_LIST || key) {
            add_entry(r, node, key, child);
            key = NULL;
        } else {
            if (!check_key(r, node, child)) return false;
            key = child;
        }
    }
}

/* Returns the node that an alias stands for. */
static struct yaml_node *find_alias(struct yaml_reader *r, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    struct pos pos = source_pos(&r->lines, mark_offset(r, &event->start_mark), strlen(name) + 1);
    for (int i = r->nanchors - 1; i >= 0; i--) {
        const struct anchor *anchor = &r->anchors[i];
        if (strcmp(anchor->name, name) != 0) continue;
        if (!anchor->open) return anchor->node;
        diag_error(r->diag, r->source, pos, "the alias '*%s' stands inside of what it names", name);
        diag_note(r->diag, r->source, anchor->node->pos, "which begins here");
        return NULL;
    }
    diag_error(r->diag, r->source, pos,
               "the alias '*%s' has no anchor '&%s' before it: put text that begins with '*' into quotes",
               name, name);
    return NULL;
}

static bool read_children(struct yaml_reader *r, struct yaml_node *node, const char *name, int depth) {
    struct anchor *anchor = NULL;
    if (name) {
        if (r->nanchors == MAX_ANCHORS) {
            diag_error(r->diag, r->source, node->pos, "more than %d anchors", MAX_ANCHORS);
            return false;
        }
        anchor = &r->anchors[r->nanchors++];
        *anchor = (struct anchor){arena_strdup(r->arena, name), node, true};
    }
    bool ok = node->kind == NODE_SCALAR || read_entries(r, node, depth);
    if (anchor) anchor->open = false;
    return ok;
}

static struct yaml_node *read_node(struct yaml_reader *r, yaml_event_t *event, int depth) {
    struct yaml_node *node;
    const yaml_char_t *anchor, *tag;
    if (event->type == YAML_ALIAS_EVENT) return find_alias(r, event);
    if (event->type == YAML_SCALAR_EVENT) {
        node = read_scalar(r, event);
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        node = new_node(r, NODE_LIST, event);
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else {
        node = new_node(r, NODE_MAP, event);
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (!node) return NULL;
    if (tag) {
        diag_error(r->diag, r->source, node->pos,
                   "a YAML tag has no meaning here; put text that begins with '!' into quotes");
        return NULL;
    }
    if (depth > MAX_DEPTH) {
        diag_error(r->diag, r->source, node->pos, "nested too deeply: no test needs more than %d levels",
                   MAX_DEPTH);
        return NULL;
    }
    return read_children(r, node, (const char *)anchor, depth) ? node : NULL;
}

/* Reads the documents of a stream: returns the root of the first, or NULL; *second is that of the second. */
static struct yaml_node *read_documents(struct yaml_reader *r, struct yaml_node **second) {
    struct yaml_node *root = NULL;
    *second = NULL;
    for (bool done = false; !done;) {
        yaml_event_t event;
        if (!next_event(r, &event)) return NULL;
        switch (event.type) {
        case YAML_DOCUMENT_START_EVENT:
            if (*second) {
                diag_error(r->diag, r->source, mark_pos(r, &event.start_mark),
                           "another document: a file holds one test, and behind it the PTX that it carries");
                root = NULL;
                done = true;
            }
            break;
        case YAML_STREAM_END_EVENT:
            if (!root) diag_error(r->diag, r->source, (struct pos){1, 1, 1}, "the file is empty");
            done = true;
            break;
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT: break;
        default: {
            struct yaml_node *node = read_node(r, &event, 1);
            if (root && node)
                *second = node;
            else
                root = node;
            done = !node;
        }
        }
        yaml_event_delete(&event);
    }
    return root;
}

struct yaml_node *yaml_read(struct arena *a, const struct source *src, struct yaml_node **second,
                            struct diag *d) {
    size_t errors = d->errors;
    struct yaml_reader reader = {.arena = a, .source = src, .diag = d, .lines = source_lines(a, src)};
    struct yaml_reader *r = &reader;
    if (!yaml_parser_initialize(&r->yaml)) {
        diag_fail(d, "libyaml cannot start: out of memory");
        return NULL;
    }
    yaml_parser_set_encoding(&r->yaml, YAML_UTF8_ENCODING);
    size_t skip = source_mark(src);
    r->offset = skip;
    yaml_parser_set_input_string(&r->yaml, (const unsigned char *)src->text + skip, src->len - skip);
    struct yaml_node *root = read_documents(r, second);
    yaml_parser_delete(&r->yaml);
    return d->errors == errors ? root : NULL;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns where the text of a scalar begins: behind its quote, or in the line after its | or >. */
static size_t skip_indicator(const struct source *src, const struct yaml_node *scalar) {
    size_t i = scalar->begin;
    if (!scalar->quoted) return i;
    if (src->text[i] != '|' && src->text[i] != '>') return i + 1;
    while (i < scalar->end && src->text[i] != '\n')
        i++;
    return i;
}

/* Whether a quoted scalar has escapes, so that its text differs from its source. */
static bool has_escapes(const struct source *src, const struct yaml_node *scalar) {
    if (!scalar->quoted) return false;
    const char *s = src->text + scalar->begin + 1;
    size_t n = scalar->end > scalar->begin + 2 ? scalar->end - scalar->begin - 2 : 0;
    char quote = src->text[scalar->begin];
    return quote == '"' ? memchr(s, '\\', n) != NULL : quote == '\'' && memchr(s, '\'', n) != NULL;
}

struct snippet yaml_snippet(struct arena *a, const struct source *src, const struct lines *lines,
                            const struct yaml_node *scalar) {
    size_t *offset = arena_array(a, scalar->len + 1, sizeof *offset);
    bool opaque = has_escapes(src, scalar);
    size_t at = opaque ? scalar->begin : skip_indicator(src, scalar);
    for (size_t k = 0; k < scalar->len; k++) {
        bool visible = !opaque && !is_space(scalar->text[k]);
        while (visible && at < scalar->end && is_space(src->text[at]))
            at++;
        offset[k] = at;
        if (visible && at < scalar->end) at++;
    }
    offset[scalar->len] = at;
    return (struct snippet){scalar->text, scalar->len, offset, 0, lines};
}
