/* The keys of a YAML test, and the JSON schema that says what may stand where: editors check files with it. */
#ifndef CULITMUS_SCHEMA_H
#define CULITMUS_SCHEMA_H

#include "base/text.h"

enum key {
#define KEY(owner, id, ...) owner##_##id,
#include "source/keys.def"
    NKEYS
};

/* What has a key. */
enum key_owner { OF_TEST, OF_LOCATION, OF_THREAD, OF_CLAIM, OF_ARGUMENT };

struct key_row {
    enum key_owner owner;
    const char *name;
    const struct schema *schema;
    const char *doc;
};
extern const struct key_row key_rows[NKEYS];

/* The words of which one stands at a key; the list ends with NULL. */
const char *const *schema_words(enum key k);

/* Adds the schema to a text. */
void schema_write(struct text *out);

#endif
