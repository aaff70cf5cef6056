#include "source/schema.h"

#include <string.h>

#include "litmus/type.h"
#include "litmus/words.h"

#define TEST_KEY(id, name, schema, doc) [KEY_##id] = name,
#define LOCATION_KEY(id, name, schema, doc)
#define THREAD_KEY(id, name, schema, doc)
#define CLAIM_KEY(id, name, schema, doc)
const char *const key_names[NKEYS] = {
#include "source/keys.def"
};
#define TEST_KEY(id, name, schema, doc)
#define LOCATION_KEY(id, name, schema, doc) [LOCATION_##id] = name,
#define THREAD_KEY(id, name, schema, doc)
#define CLAIM_KEY(id, name, schema, doc)
const char *const location_key_names[NLOCATION_KEYS] = {
#include "source/keys.def"
};
#define TEST_KEY(id, name, schema, doc)
#define LOCATION_KEY(id, name, schema, doc)
#define THREAD_KEY(id, name, schema, doc) [THREAD_##id] = name,
#define CLAIM_KEY(id, name, schema, doc)
const char *const thread_key_names[NTHREAD_KEYS] = {
#include "source/keys.def"
};
#define TEST_KEY(id, name, schema, doc)
#define LOCATION_KEY(id, name, schema, doc)
#define THREAD_KEY(id, name, schema, doc)
#define CLAIM_KEY(id, name, schema, doc) [CLAIM_##id] = name,
const char *const claim_key_names[NCLAIM_KEYS] = {
#include "source/keys.def"
};

const char *const schema_outcomes[] = {"forbidden", "allowed", NULL};
const char *const schema_fence_orders[] = {"sc", "acq_rel", NULL};
const char *const schema_timeouts[] = {"never", NULL};
const char *const schema_layouts[] = {"packed", NULL};
const char *const schema_aliases[] = {"generic", NULL};

enum schema {
    SCHEMA_TEST_NAME,
    SCHEMA_TEXT, /* a scalar: YAML takes some texts for numbers */
    SCHEMA_CONDITION,
    SCHEMA_COUNT,
    SCHEMA_SIZES,
    SCHEMA_TURNS,
    SCHEMA_VALUE,
    SCHEMA_TYPE,
    SCHEMA_SPACE,
    SCHEMA_ACCESS,
    SCHEMA_ACCESSES,
    SCHEMA_FENCES,
    SCHEMA_FENCE_ORDER,
    SCHEMA_PLACEMENTS,
    SCHEMA_OUTCOME,
    SCHEMA_NAMES,
    SCHEMA_LOCATIONS,
    SCHEMA_THREADS,
    SCHEMA_CLAIMS,
    SCHEMA_MODEL,
    SCHEMA_ARGUMENTS,
    SCHEMA_TIMEOUTS,
    SCHEMA_LAYOUT,
    SCHEMA_ALIAS,
};

struct schema_key {
    const char *name;
    enum schema schema;
    const char *doc;
};

#define TEST_KEY(id, name, schema, doc) {name, SCHEMA_##schema, doc},
#define LOCATION_KEY(id, name, schema, doc)
#define THREAD_KEY(id, name, schema, doc)
#define CLAIM_KEY(id, name, schema, doc)
static const struct schema_key test_keys[] = {
#include "source/keys.def"
};
#define TEST_KEY(id, name, schema, doc)
#define LOCATION_KEY(id, name, schema, doc) {name, SCHEMA_##schema, doc},
#define THREAD_KEY(id, name, schema, doc)
#define CLAIM_KEY(id, name, schema, doc)
static const struct schema_key location_keys[] = {
#include "source/keys.def"
};
#define TEST_KEY(id, name, schema, doc)
#define LOCATION_KEY(id, name, schema, doc)
#define THREAD_KEY(id, name, schema, doc) {name, SCHEMA_##schema, doc},
#define CLAIM_KEY(id, name, schema, doc)
static const struct schema_key thread_keys[] = {
#include "source/keys.def"
};
#define TEST_KEY(id, name, schema, doc)
#define LOCATION_KEY(id, name, schema, doc)
#define THREAD_KEY(id, name, schema, doc)
#define CLAIM_KEY(id, name, schema, doc) {name, SCHEMA_##schema, doc},
static const struct schema_key claim_keys[] = {
#include "source/keys.def"
};

/* Layouts and choices slot by slot are texts, too; an editor offers these words. */
static const char *const placements[] = {"warp", "block", "cluster", "sm", "device", "peer", "host", NULL};

static const char scalar[] = "\"type\": [\"string\", \"number\", \"boolean\"]";

static void add_words(struct text *out, const char *const *words) {
    text_add(out, "\"enum\": [");
    for (int k = 0; words[k]; k++)
        text_printf(out, "%s\"%s\"", k ? ", " : "", words[k]);
    text_add(out, "]");
}

/* One, or a list of them. `words`: what an editor offers; `open`: other texts may stand there, too. */
static void add_axis(struct text *out, const char *const *words, bool open) {
    for (int list = 0; list < 2; list++) {
        text_add(out, list ? ", {\"type\": \"array\", \"minItems\": 1, \"items\": {" : "\"anyOf\": [{");
        text_add(out, open ? "\"anyOf\": [{" : "");
        add_words(out, words);
        text_add(out, open ? "}, {\"type\": \"string\"}]" : "");
        text_add(out, list ? "}}]" : "}");
    }
}

static void add_object(struct text *out, const struct schema_key *keys, size_t n, const char *required);

/* A thread has a body, or is a kernel. */
static const char thread_text[] =
    "\"anyOf\": [{\"required\": [\"body\"]}, {\"required\": [\"ptx\"]}, {\"required\": [\"source\"]}]";

/* A map with names for keys; a value is a scalar, or an object of `keys`. */
static void add_named(struct text *out, const struct schema_key *keys, size_t n, const char *required,
                      const char *others) {
    text_printf(out,
                "\"type\": \"object\", \"minProperties\": 1, \"propertyNames\": {\"pattern\": "
                "\"^[A-Za-z_][A-Za-z0-9_]*$\"}, \"additionalProperties\": {\"anyOf\": [{%s}, %s{",
                scalar, others);
    add_object(out, keys, n, required);
    text_add(out, "}]}");
}

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static void add_schema(struct text *out, enum schema schema) {
    switch (schema) {
    case SCHEMA_TEST_NAME:
        text_add(out, "\"type\": [\"string\", \"number\"], \"pattern\": \"^[A-Za-z0-9][A-Za-z0-9_+.-]*$\"");
        break;
    case SCHEMA_TEXT:
    case SCHEMA_CONDITION: text_add(out, scalar); break;
    case SCHEMA_TURNS: text_add(out, "\"type\": \"integer\", \"minimum\": 1"); break;
    case SCHEMA_COUNT: text_add(out, "\"type\": \"integer\", \"minimum\": 0"); break;
    case SCHEMA_SIZES:
        text_add(
            out,
            "\"anyOf\": [{\"type\": \"integer\", \"minimum\": 1}, {\"type\": \"array\", \"minItems\": 1, "
            "\"maxItems\": 3, \"items\": {\"type\": \"integer\", \"minimum\": 1}}]");
        break;
    case SCHEMA_VALUE: text_add(out, "\"type\": [\"string\", \"number\", \"boolean\", \"array\"]"); break;
    case SCHEMA_TYPE: text_add(out, "\"type\": \"string\""); break;
    case SCHEMA_SPACE: add_words(out, space_names); break;
    case SCHEMA_ACCESS: add_words(out, access_names); break;
    case SCHEMA_ACCESSES: add_axis(out, access_names, false); break;
    case SCHEMA_FENCES: add_axis(out, scope_names, true); break;
    case SCHEMA_FENCE_ORDER: add_words(out, schema_fence_orders); break;
    case SCHEMA_PLACEMENTS: add_axis(out, placements, true); break;
    case SCHEMA_OUTCOME: add_words(out, schema_outcomes); break;
    case SCHEMA_NAMES:
        text_add(out, "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, \"items\": "
                      "{\"type\": \"string\"}}]");
        break;
    case SCHEMA_LOCATIONS:
        add_named(out, location_keys, COUNT_OF(location_keys), NULL, "{\"type\": \"null\"}, ");
        break;
    case SCHEMA_THREADS: add_named(out, thread_keys, COUNT_OF(thread_keys), thread_text, ""); break;
    case SCHEMA_TIMEOUTS: add_words(out, schema_timeouts); break;
    case SCHEMA_LAYOUT: add_words(out, schema_layouts); break;
    case SCHEMA_ALIAS: add_words(out, schema_aliases); break;
    case SCHEMA_ARGUMENTS: text_add(out, "\"type\": \"array\""); break;
    case SCHEMA_MODEL:
        text_printf(out,
                    "\"anyOf\": [{%s}, {\"type\": \"object\", \"additionalProperties\": false, \"required\": "
                    "[\"none\"], \"properties\": {\"none\": {%s}}}]",
                    scalar, scalar);
        break;
    case SCHEMA_CLAIMS:
        text_add(out, "\"type\": \"array\", \"items\": {");
        add_object(out, claim_keys, COUNT_OF(claim_keys), "\"required\": [\"outcome\"]");
        text_add(out, "}");
        break;
    }
}

static void add_object(struct text *out, const struct schema_key *keys, size_t n, const char *required) {
    text_add(out, "\"type\": \"object\", \"additionalProperties\": false, ");
    if (required) text_printf(out, "%s, ", required);
    text_add(out, "\"properties\": {");
    for (size_t k = 0; k < n; k++) {
        text_printf(out, "%s\n  \"%s\": {\"description\": \"%s\", ", k ? "," : "", keys[k].name, keys[k].doc);
        add_schema(out, keys[k].schema);
        text_add(out, "}");
    }
    text_add(out, "}");
}

void schema_write(struct text *out) {
    text_add(out,
             "{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n \"title\": \"a litmus test of "
             "culitmus\",\n \"oneOf\": [");
    for (enum key k = KEY_EXISTS; k <= KEY_FORALL; k++)
        text_printf(out, "%s{\"required\": [\"%s\"]}", k > KEY_EXISTS ? ", " : "", key_names[k]);
    text_add(out, "],\n ");
    add_object(out, test_keys, COUNT_OF(test_keys), "\"required\": [\"name\", \"memory\", \"threads\"]");
    text_add(out, "}\n");
}
