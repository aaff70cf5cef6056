/* The memory of an instance: where its locations lie, their initial values, and what is observed of their
 * final values. */
#include "gen/account.h"
#include "gen/gen.h"
#include "gen/names.h"

/* Returns word number `word` of an initial value. */
static int word_of(struct value v, int word) {
    return (int)(uint32_t)((word < 2 ? v.lo : v.hi) >> 32 * (word % 2));
}

/* Writes the stores of the initial values: word by word of each element. `elements` are those of all
 * instances of the location. */
static void print_init(const struct location *l, int elements, struct text *out) {
    bool array = l->array || elements > 1, same = array && !l->inits;
    int words = gen_words(l->type), n = same ? 1 : elements;
    for (int k = 0; k < n; k++)
        for (int word = 0; word < words; word++) {
            text_add(out, "    ");
            if (same) text_printf(out, "for (int i = 0; i < %d; i++) ", elements);
            text_add(out, words > 1 ? "store_plain(word_of(" : "store_plain(");
            gen_field(out, array ? "at(_run, I." : "I.", l);
            if (same) text_printf(out, ", i, %d)", elements);
            if (array && !same) text_printf(out, ", %d, %d)", k, elements);
            if (words > 1) text_printf(out, ", %d)", word);
            text_printf(out, ", %d);\n", word_of(location_init(l, k), word));
        }
}

/* Returns word number `word` of elements that lie side by side. */
static int packed_word(const struct location *l, int word) {
    uint32_t bits = 0;
    int size = type_bytes(l->type);
    for (int byte = 4 * word; byte < 4 * word + 4 && byte < size * l->count; byte++) {
        struct value v = location_init(l, byte / size);
        int at = byte % size;
        bits |= (uint32_t)((at < 8 ? v.lo : v.hi) >> 8 * (at % 8) & 0xff) << 8 * (byte % 4);
    }
    return (int)bits;
}

/* Writes the stores of the initial values of elements that lie side by side. */
static void print_packed_init(const struct location *l, int instances, struct text *out) {
    int words = (type_bytes(l->type) * l->count + 3) / 4;
    for (int k = 0; k < instances; k++)
        for (int word = 0, next; word < words; word = next) {
            for (next = word + 1; next < words && packed_word(l, next) == packed_word(l, word);)
                next++;
            text_printf(out, "    for (int i = %d; i < %d; i++) store_plain(word_of(", word, next);
            gen_field(out, instances > 1 ? "at(_run, I." : "I.", l);
            if (instances > 1) text_printf(out, ", %d, %d)", k, instances);
            text_printf(out, ", i), %d);\n", packed_word(l, word));
        }
}

static void init_location(const struct location *l, int instances, struct text *out) {
    if (l->packed)
        print_packed_init(l, instances, out);
    else
        print_init(l, l->count * instances, out);
}

/* Writes the initial values of the locations of which each block has one, if `own`, or of the others. */
static void print_inits(const struct test *t, enum dialect dialect, bool own, struct text *out) {
    for (int l = 0; l < t->nlocs; l++) {
        const struct location *loc = &t->locs[l];
        bool all = dialect == DIALECT_C;
        if (loc->view || (!all && (loc->instances > 1) != own)) continue;
        init_location(loc, own ? 1 : loc->instances, out);
        if (!all) gen_account_init(out, t, l);
    }
}

static void print_views(const struct test *t, struct text *out) {
    for (int l = 0; l < t->nlocs; l++) {
        const struct location *view = &t->locs[l];
        if (!view->view) continue;
        gen_field(out, "    I.", view);
        gen_field(out, " = byte_of(I.", &t->locs[view->of]);
        text_printf(out, ", %d);\n", view->at);
    }
}

void gen_instance(const struct test *t, enum dialect dialect, struct text *out) {
    int offset[SPACES] = {0};
    text_add(out, "/* One instance: every location of the test. */\nstruct instance {\n");
    for (int l = 0; l < t->nlocs; l++) {
        text_printf(out, "    %s ", space_rows[t->locs[l].space].place);
        gen_field(out, "", &t->locs[l]);
        text_add(out, ";\n");
    }
    text_printf(out,
                "};\n\n/* Where instance i of a chunk lies: its first element among the instance's, and "
                "how many. */\n"
                "static ROLE struct instance locate(const %s *run, int chunk, int i)\n{\n"
                "    struct instance I;\n",
                gen_player(dialect));
    for (int l = 0; l < t->nlocs; l++) {
        const struct location *loc = &t->locs[l];
        if (loc->view) continue;
        gen_field(out, "    I.", loc);
        bool own = loc->instances > 1 && dialect != DIALECT_C;
        text_printf(out, " = %s%s(run, chunk, i, %d, %d", own ? "own_" : "", space_rows[loc->space].find,
                    offset[loc->space], gen_places(loc));
        if (space_rows[loc->space].of_gpu) text_printf(out, ", %d", loc->gpu);
        text_add(out, ");\n");
        offset[loc->space] += gen_places(loc) * (dialect == DIALECT_C ? loc->instances : 1);
    }
    print_views(t, out);
    text_printf(out, "    return I;\n}\n\nstatic ROLE void init(struct instance I, %s *_run)\n{\n",
                gen_player(dialect));
    print_inits(t, dialect, false, out);
    text_add(out, "}\n\n");
    if (dialect == DIALECT_C || !gen_shape(t).own) return;
    text_add(out, "/* What this block has in its shared memory. */\n"
                  "static ROLE void init_own(struct instance I, struct run *_run)\n{\n");
    print_inits(t, dialect, true, out);
    text_add(out, "}\n\n");
}

/* Whether the bytes of a location lie within those of another place: it is a view, or its elements lie side
 * by side. */
static bool is_within(const struct test *t, int loc) {
    return t->locs[loc].view || t->locs[loc].packed;
}

/* Writes the final value of such an element: it is cut out of the word where its bytes lie. `blocks`: how
 * many blocks have the location. */
static void print_final_bytes(const struct test *t, int o, int element, int blocks, int word,
                              struct text *out) {
    int loc = t->obs[o].loc;
    const struct location *l = &t->locs[loc];
    int bytes = type_bytes(l->type), at = l->at + element % l->count * gen_step(t, loc) + 4 * word;
    text_printf(out, "    obs[%d] = (int)((unsigned)load_plain(word_of(%s", gen_first_word(t, o) + word,
                blocks > 1 ? "at(_run, " : "");
    gen_field(out, "I.", &t->locs[location_root(t, loc)]);
    if (blocks > 1) text_printf(out, ", %d, %d)", element / l->count, blocks);
    text_printf(out, ", %d)) >> %d", at / 4, at % 4 * 8);
    if (bytes < 4) text_printf(out, " & 0x%xu", (1u << 8 * bytes) - 1);
    text_add(out, ");\n");
}

/* Writes the final value of an observable, word by word. It is element number `element` of `elements`. */
static void print_final(const struct test *t, int o, int element, int elements, struct text *out) {
    const struct location *l = &t->locs[t->obs[o].loc];
    bool array = l->array || elements > 1;
    int words = gen_words(l->type);
    for (int word = 0; word < words; word++) {
        if (is_within(t, t->obs[o].loc)) {
            print_final_bytes(t, o, element, elements / l->count, word, out);
            continue;
        }
        text_printf(out, "    obs[%d] = load_plain(%s", gen_first_word(t, o) + word,
                    words > 1 ? "word_of(" : "");
        gen_field(out, array ? "at(_run, I." : "I.", l);
        if (array) text_printf(out, ", %d, %d)", element, elements);
        if (words > 1) text_printf(out, ", %d)", word);
        text_add(out, ");\n");
    }
}

static bool is_own(const struct test *t, int o) {
    return !t->obs[o].is_reg && t->locs[t->obs[o].loc].instances > 1;
}

/* Returns the first thread of a block of the test. */
static int first_of_block(const struct test *t, int block) {
    int k = 0;
    while (t->threads[k].block != block)
        k++;
    return k;
}

/* Writes obs_block() and observe_own(), for what each block has in its own shared memory. */
static void print_observe_own(const struct test *t, struct text *out) {
    text_add(
        out,
        "/* A thread of the block in whose own shared memory an observable is; -1: it is not in any. */\n"
        "static ROLE int obs_block(int o)\n{\n    switch (o) {\n");
    for (int o = 0; o < t->nobs; o++)
        for (int word = 0; is_own(t, o) && word < gen_words(t->obs[o].type); word++)
            text_printf(out, "    case %d: return %d;\n", gen_first_word(t, o) + word,
                        first_of_block(t, t->obs[o].index / t->locs[t->obs[o].loc].count));
    text_add(out, "    default: return -1;\n    }\n}\n\n"
                  "static ROLE void observe_own(struct instance I, struct run *_run, int *obs)\n{\n");
    for (int o = 0; o < t->nobs; o++)
        if (is_own(t, o))
            print_final(t, o, t->obs[o].index % t->locs[t->obs[o].loc].count, t->locs[t->obs[o].loc].count,
                        out);
    text_add(out, "}\n\n");
}

void gen_observe(const struct test *t, enum dialect dialect, struct text *out) {
    text_printf(out,
                "/* Final memory. */\nstatic ROLE void observe(struct instance I, %s *_run, int *obs)\n{\n",
                gen_player(dialect));
    for (int o = 0; o < t->nobs; o++)
        if (!t->obs[o].is_reg && (dialect == DIALECT_C || !is_own(t, o)))
            print_final(t, o, t->obs[o].index, location_elements(&t->locs[t->obs[o].loc]), out);
    text_add(out, "}\n\n");
    if (dialect != DIALECT_C && gen_shape(t).own) print_observe_own(t, out);
}
