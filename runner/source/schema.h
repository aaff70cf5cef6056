/* The keys of a YAML test, and the JSON schema that says what may stand where: editors check files with it. */
#ifndef CULITMUS_SCHEMA_H
#define CULITMUS_SCHEMA_H

#include "base/text.h"

#define TEST_KEY(id, name, schema, doc) KEY_##id,
#define LOCATION_KEY(id, name, schema, doc)
#define THREAD_KEY(id, name, schema, doc)
#define CLAIM_KEY(id, name, schema, doc)
enum key {
#include "source/keys.def"
    NKEYS
};
#define TEST_KEY(id, name, schema, doc)
#define LOCATION_KEY(id, name, schema, doc) LOCATION_##id,
#define THREAD_KEY(id, name, schema, doc)
#define CLAIM_KEY(id, name, schema, doc)
enum location_key {
#include "source/keys.def"
    NLOCATION_KEYS
};
#define TEST_KEY(id, name, schema, doc)
#define LOCATION_KEY(id, name, schema, doc)
#define THREAD_KEY(id, name, schema, doc) THREAD_##id,
#define CLAIM_KEY(id, name, schema, doc)
enum thread_key {
#include "source/keys.def"
    NTHREAD_KEYS
};
#define TEST_KEY(id, name, schema, doc)
#define LOCATION_KEY(id, name, schema, doc)
#define THREAD_KEY(id, name, schema, doc)
#define CLAIM_KEY(id, name, schema, doc) CLAIM_##id,
enum claim_key {
#include "source/keys.def"
    NCLAIM_KEYS
};

extern const char *const key_names[NKEYS];
extern const char *const location_key_names[NLOCATION_KEYS];
extern const char *const thread_key_names[NTHREAD_KEYS];
extern const char *const claim_key_names[NCLAIM_KEYS];

/* The words of `outcome`, of `fence_order`, of `timeouts`, of `layout` and of `alias`; each list ends with NULL. */
extern const char *const schema_outcomes[],
    *const schema_fence_orders[], *const schema_timeouts[], *const schema_layouts[], *const schema_aliases[];

/* Adds the schema to a text. */
void schema_write(struct text *out);

#endif
