/* What machine code waits for between two accesses is told in words: three compilers make the same instructions of a load,
 * a fence and an access, and differ in what is still under way. */
#include "cm.h"

#include "check/waits.h"
#include "verified.h"

static const char lb[] = "name: lb\n"
                         "memory: {X: 0, Y: 0}\n"
                         "placements: [device]\n"
                         "access: relaxed\n"
                         "threads:\n"
                         "  P0: |\n    int a = X; fence(); Y = 1;\n"
                         "  P1: |\n    int b = Y; fence(); int c = X; Y = 2;\n"
                         "exists: P0.a == 2\n";

enum { SB0 = 1, SB1 = 2, SB2 = 4 };

/* An instruction of operation `op`, and what it waits for and takes. */
struct row {
    const char *name;
    int op;
    unsigned waits, results, reads;
    int jumps; /* -1: control goes on */
};

static struct waits_edge *edges;

/* How many edges code has, with the fence of this name. */
static int find(struct cell_result *c, const char *fence, const struct row *rows, int n) {
    cell_open(c, lb, fence);
    int *op = arena_array(c->a, (size_t)n, sizeof *op);
    struct sass_instruction *code = arena_array(c->a, (size_t)n, sizeof *code);
    for (int k = 0; k < n; k++) {
        code[k] = (struct sass_instruction){.name = rows[k].name,
                                            .operands = "",
                                            .guard = "",
                                            .calls = -1,
                                            .jumps = rows[k].jumps,
                                            .goes_on = rows[k].jumps < 0,
                                            .waits = rows[k].waits,
                                            .results = rows[k].results,
                                            .reads = rows[k].reads};
        op[k] = rows[k].op;
    }
    return waits_edges(c->a, c->t, &c->cell, &(struct sass_kernel){code, n}, op, &edges);
}

#define ACCESS(name, op)                                                                                     \
    { name ".E.STRONG.GPU", op, 0, 0, 0, -1 }
#define LOAD(op, takes)                                                                                      \
    { "LDG.E.STRONG.GPU", op, 0, takes, 0, -1 }
#define FENCE(op, takes)                                                                                     \
    { "MEMBAR.ALL.CTA", op, 0, 0, takes, -1 }
#define OTHER(name, waits)                                                                                   \
    { name, 0, waits, 0, 0, -1 }
#define FINDS(c, fence, ...)                                                                                 \
    find(c, fence, (const struct row[]){__VA_ARGS__},                                                        \
         sizeof((struct row[]){__VA_ARGS__}) / sizeof(struct row))

static void expect(const char *ptx, const char *machine, const char *awaited, const struct waits_edge *e) {
    assert_string_equal(e->ptx, ptx);
    assert_string_equal(e->machine, machine);
    assert_string_equal(e->awaited, awaited);
}

static const char edge[] = "ld.relaxed.gpu; fence.sc.cta; st.relaxed.gpu";
static const char fence_alone[] = "the scoreboard of the fence, not for that of the first access";

static void the_fence_alone_is_awaited(void **state) {
    (void)state;
    struct cell_result c;
    assert_int_equal(FINDS(&c, "block", LOAD(1, SB1), FENCE(2, SB2), OTHER("DEPBAR.LE", SB2),
                           OTHER("IMAD", SB0), ACCESS("STG", 3)),
                     1);
    expect(edge, "LDG.E.STRONG.GPU; MEMBAR.ALL.CTA; DEPBAR.LE, which waits for MEMBAR; STG.E.STRONG.GPU",
           fence_alone, edges);
    assert_null(cell_close(&c, true));
    assert_int_equal(FINDS(&c, "block", LOAD(1, SB1), FENCE(2, SB2), OTHER("IMAD", SB2), ACCESS("STG", 3)),
                     1);
    expect(edge, "LDG.E.STRONG.GPU; MEMBAR.ALL.CTA; STG.E.STRONG.GPU, which waits for MEMBAR", fence_alone,
           edges);
    assert_null(cell_close(&c, true));
}

static void all_is_awaited(void **state) {
    (void)state;
    struct cell_result c;
    assert_int_equal(
        FINDS(&c, "block", LOAD(1, SB1), FENCE(2, SB2), OTHER("NOP", SASS_ALL), ACCESS("STG", 3)), 1);
    expect(edge, "LDG.E.STRONG.GPU; MEMBAR.ALL.CTA; NOP, which waits for all; STG.E.STRONG.GPU",
           "every scoreboard, so for all loads under way", edges);
    assert_null(cell_close(&c, true));
}

/* A NOP that waits for nothing is none; three masks that are all together are not one of all. */
static void nothing_or_the_load_is_awaited(void **state) {
    (void)state;
    struct cell_result c;
    assert_int_equal(FINDS(&c, "block", LOAD(1, SB1), FENCE(2, 0), OTHER("NOP", 0), ACCESS("STG", 3)), 1);
    expect(edge, "LDG.E.STRONG.GPU; MEMBAR.ALL.CTA; STG.E.STRONG.GPU", "no scoreboard of these", edges);
    assert_null(cell_close(&c, true));
    assert_int_equal(FINDS(&c, "block", LOAD(1, SB1), FENCE(2, SB0), OTHER("IMAD", 0x3c), OTHER("IMAD", SB0),
                           OTHER("IMAD", SB1), ACCESS("STG", 3)),
                     1);
    expect(edge, "LDG.E.STRONG.GPU; MEMBAR.ALL.CTA; STG.E.STRONG.GPU, which waits for LDG and MEMBAR",
           "the scoreboards of the first access and of the fence", edges);
    assert_null(cell_close(&c, true));
}

/* Control goes on at the next operation of the body. From the last one it comes to the next run of it, which is no edge. */
static void the_next_access_is_found_on_the_way(void **state) {
    (void)state;
    struct cell_result c;
    assert_int_equal(FINDS(&c, "none", OTHER("IMAD", 0), LOAD(4, SB1), {"BRA", 0, 0, 0, 0, 5},
                           ACCESS("STG", 3), OTHER("IMAD", 0), LOAD(6, SB2), LOAD(6, SB1), ACCESS("STG", 7),
                           {"BRA", 0, 0, 0, 0, 0}),
                     2);
    expect("ld.relaxed.gpu; ld.relaxed.gpu", "LDG.E.STRONG.GPU; LDG.E.STRONG.GPU", "no scoreboard of these",
           &edges[0]);
    expect("ld.relaxed.gpu; st.relaxed.gpu", "LDG.E.STRONG.GPU; STG.E.STRONG.GPU", "no scoreboard of these",
           &edges[1]);
    assert_null(cell_close(&c, true));
}

/* That a store has read its operands says nothing of its end. */
static void a_store_is_not_awaited(void **state) {
    (void)state;
    struct cell_result c;
    assert_int_equal(FINDS(&c, "none", LOAD(6, 0), {"STG.E.STRONG.GPU", 7, 0, 0, SB0, -1}), 1);
    assert_null(cell_close(&c, true));
    assert_int_equal(FINDS(&c, "none", {"STG.E.STRONG.GPU", 6, 0, 0, SB0, -1}, {"STG.E", 7, SB0, 0, 0, -1}),
                     1);
    assert_string_equal(edges[0].machine, "STG.E.STRONG.GPU; STG.E");
    assert_null(cell_close(&c, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fence_alone_is_awaited),
        cmocka_unit_test(all_is_awaited),
        cmocka_unit_test(nothing_or_the_load_is_awaited),
        cmocka_unit_test(the_next_access_is_found_on_the_way),
        cmocka_unit_test(a_store_is_not_awaited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
