#include "source/schema.h"

#include "litmus/type.h"
#include "litmus/words.h"

/* What may stand at a key: the JSON text if there is one; else a word, or an object with keys. */
struct schema {
    const char *json;
    const char *const *words; /* one of these words */
    bool list;                /* or a list of them */
    bool open;                /* editors offer these words, but other texts are allowed, too */
    enum key_owner owner;     /* whose keys an object has: they come */
    const char *before;       /* behind this text */
    const char *required;     /* these keys are required */
    const char *behind;
};

#define SCALAR   "\"type\": [\"string\", \"number\", \"boolean\"]" /* YAML reads some texts as numbers */
#define POSITIVE "\"type\": \"integer\", \"minimum\": 1"
#define WORDS(...)                                                                                           \
    (const char *const[]) {                                                                                  \
        __VA_ARGS__, NULL                                                                                    \
    }
/* A map from names to scalars or objects. */
#define NAMED(others)                                                                                        \
    .before =                                                                                                \
        "\"type\": \"object\", \"minProperties\": 1, \"propertyNames\": {\"pattern\": "                      \
        "\"^[A-Za-z_][A-Za-z0-9_]*$\"}, \"additionalProperties\": {\"anyOf\": [{" SCALAR "}, " others "{",   \
    .behind = "}]}"

static const struct schema schema_text = {.json = SCALAR};
static const struct schema schema_condition = {.json = SCALAR};
static const struct schema schema_count = {.json = "\"type\": \"integer\", \"minimum\": 0"};
static const struct schema schema_turns = {.json = POSITIVE};
static const struct schema schema_type = {.json = "\"type\": \"string\""};
static const struct schema schema_list = {.json = "\"type\": \"array\""};
static const struct schema schema_bytes = {.json = "\"type\": \"object\""};
static const struct schema schema_value = {.json =
                                               "\"type\": [\"string\", \"number\", \"boolean\", \"array\"]"};
static const struct schema schema_test_name = {
    .json = "\"type\": [\"string\", \"number\"], \"pattern\": \"^[A-Za-z0-9][A-Za-z0-9_+.-]*$\""};
static const struct schema schema_sizes = {
    .json = "\"anyOf\": [{" POSITIVE "}, {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 3, "
            "\"items\": {" POSITIVE "}}]"};
static const struct schema schema_names = {
    .json = "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, \"items\": "
            "{\"type\": \"string\"}}]"};
static const struct schema schema_model = {
    .json = "\"anyOf\": [{" SCALAR "}, {\"type\": \"object\", \"additionalProperties\": false, "
            "\"required\": [\"none\"], \"properties\": {\"none\": {" SCALAR "}}}]"};
static const struct schema schema_space = {.words = space_names};
static const struct schema schema_access = {.words = access_names};
static const struct schema schema_outcome = {.words = WORDS("forbidden", "allowed")};
static const struct schema schema_fence_order = {.words = WORDS("sc", "acq_rel")};
static const struct schema schema_timeouts = {.words = WORDS("never")};
static const struct schema schema_layout = {.words = WORDS("packed")};
static const struct schema schema_alias = {.words = WORDS("generic")};
static const struct schema schema_accesses = {.words = access_names, .list = true};
static const struct schema schema_fences = {.words = scope_names, .list = true, .open = true};
/* layouts are texts, too */
static const struct schema schema_placements = {
    .words = WORDS("warp", "block", "cluster", "sm", "device", "peer", "host"), .list = true, .open = true};
static const struct schema schema_locations = {.owner = OF_LOCATION, NAMED("{\"type\": \"null\"}, ")};
/* A thread has a body, or is a kernel. */
static const struct schema schema_threads = {
    .owner = OF_THREAD,
    NAMED(""),
    .required =
        "\"anyOf\": [{\"required\": [\"body\"]}, {\"required\": [\"ptx\"]}, {\"required\": [\"source\"]}]"};
static const struct schema schema_claims = {.owner = OF_CLAIM,
                                            .before = "\"type\": \"array\", \"items\": {",
                                            .required = "\"required\": [\"outcome\"]",
                                            .behind = "}"};
static const struct schema schema_arguments = {
    .owner = OF_ARGUMENT,
    .before = "\"type\": \"array\", \"items\": {\"anyOf\": [{" SCALAR "}, {",
    .behind = "}]}"};
static const struct schema schema_test = {.owner = OF_TEST,
                                          .before = "",
                                          .required = "\"required\": [\"name\", \"memory\", \"threads\"]",
                                          .behind = ""};

const struct key_row key_rows[NKEYS] = {
#define KEY(owner, id, name, schema, doc) {OF_##owner, name, &schema_##schema, doc},
#include "source/keys.def"
};

const char *const *schema_words(enum key k) {
    return key_rows[k].schema->words;
}

static void add_words(struct text *out, const struct schema *s) {
    text_add(out, s->open ? "\"anyOf\": [{\"enum\": [" : "\"enum\": [");
    for (int k = 0; s->words[k]; k++)
        text_printf(out, "%s\"%s\"", k ? ", " : "", s->words[k]);
    text_add(out, s->open ? "]}, {\"type\": \"string\"}]" : "]");
}

static void add_schema(struct text *out, const struct schema *s);

static void add_object(struct text *out, const struct schema *s) {
    const char *comma = "";
    text_printf(out, "%s\"type\": \"object\", \"additionalProperties\": false, ", s->before);
    if (s->required) text_printf(out, "%s, ", s->required);
    text_add(out, "\"properties\": {");
    for (enum key k = 0; k < NKEYS; k++) {
        if (key_rows[k].owner != s->owner) continue;
        text_printf(out, "%s\n  \"%s\": {\"description\": \"%s\", ", comma, key_rows[k].name,
                    key_rows[k].doc);
        add_schema(out, key_rows[k].schema);
        text_add(out, "}");
        comma = ",";
    }
    text_printf(out, "}%s", s->behind);
}

static void add_schema(struct text *out, const struct schema *s) {
    if (s->json) {
        text_add(out, s->json);
    } else if (!s->words) {
        add_object(out, s);
    } else if (s->list) {
        text_add(out, "\"anyOf\": [{");
        add_words(out, s);
        text_add(out, "}, {\"type\": \"array\", \"minItems\": 1, \"items\": {");
        add_words(out, s);
        text_add(out, "}}]");
    } else {
        add_words(out, s);
    }
}

void schema_write(struct text *out) {
    text_add(out,
             "{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n \"title\": \"a litmus test of "
             "culitmus\",\n \"oneOf\": [");
    for (enum key k = TEST_EXISTS; k <= TEST_FORALL; k++)
        text_printf(out, "%s{\"required\": [\"%s\"]}", k > TEST_EXISTS ? ", " : "", key_rows[k].name);
    text_add(out, "],\n ");
    add_schema(out, &schema_test);
    text_add(out, "}\n");
}
