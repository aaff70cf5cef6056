/* The keys of a YAML test, and the JSON schema that says what may stand at each. Editors check files with
 * it. */
#ifndef CULITMUS_SCHEMA_H
#define CULITMUS_SCHEMA_H

#include "base/text.h"

enum key {
#define KEY(owner, id, ...) owner##_##id,
#include "source/keys.def"
    NKEYS
};

/* What a key belongs to. */
enum key_owner { OF_TEST, OF_LOCATION, OF_THREAD, OF_CLAIM, OF_ARGUMENT };

struct key_row {
    enum key_owner owner;
    const char *name;
    const struct schema *schema;
    const char *doc;
};
extern const struct key_row key_rows[NKEYS];

/* Returns the words that may stand at a key; the list ends with NULL. */
const char *const *schema_words(enum key k);

/* Writes the schema. */
void schema_write(struct text *out);

#endif
