/* What several compilers make of the same cells is shown: ranges of compilers, edges that are alike, reasons, JSON. */
#include "cm.h"

#include <stdlib.h>
#include <string.h>

#include "report/survey.h"
#include "source/read.h"

enum { COMPILERS = 4 };

static const struct compiler_choice compilers[COMPILERS] = {{.path = "a.so", .name = "NVRTC 12.1.55"},
                                                            {.path = "b.so", .name = "NVRTC 12.4.99"},
                                                            {.path = "c.so", .name = "NVRTC 12.6.20"},
                                                            {.path = "d.so", .name = "NVRTC 13.0.88"}};
static const struct survey_request request = {
    .compilers = compilers, .ncompilers = COMPILERS, .arch = "sm_90"};

static struct test *read_test(struct arena *a) {
    static const char lb[] = "name: lb\nmemory: {X: 0}\nplacements: [device]\naccess: relaxed\n"
                             "threads: {A: 'int a = X;', B: X = 1;}\nexists: A.a == 1\n";
    struct diag d = {0};
    struct test *t = test_read_text(a, "lb.yaml", lb, sizeof lb - 1, &d);
    assert_non_null(t);
    return t;
}

#define NONE  "no scoreboard of these"
#define FENCE "the scoreboard of the fence, not for that of the first access"

/* Two edges that are alike, one that does not differ, and one that a compiler lacks. */
static struct survey make_survey(struct arena *a) {
    static int first[] = {1, 0, 0, 0}, middle[] = {0, 2, 2, 0}, last[] = {0, 0, 0, 1}, ever[] = {1, 1, 1, 1},
               lacks[] = {1, 0, 1, 1};
    static struct survey_form differ[] = {{"LDG; MEMBAR; STG", NONE, first},
                                          {"LDG; MEMBAR; STG, which waits for MEMBAR", FENCE, middle},
                                          {"LDG; MEMBAR; NOP, which waits for all; STG", "every scoreboard",
                                           last}},
                              alike[] = {{"LDG.E; MEMBAR; LDG.E", NONE, first},
                                         {"LDG.E; MEMBAR; LDG.E, which waits for MEMBAR", FENCE, middle},
                                         {"LDG.E; MEMBAR; NOP, which waits for all; LDG.E",
                                          "every scoreboard", last}},
                              same[] = {{"LDG; STG", NONE, ever}}, lacking[] = {{"STG; STG", NONE, lacks}};
    const struct test *t = read_test(a), **tests = arena_array(a, 2, sizeof *tests);
    tests[0] = tests[1] = t;
    struct survey_edge *edges = arena_array(a, 4, sizeof *edges);
    edges[0] = (struct survey_edge){"ld.relaxed.gpu; fence.cta; st.relaxed.gpu", tests, 1, differ, 3};
    edges[1] = (struct survey_edge){"ld.relaxed.gpu; st.relaxed.gpu", tests, 1, same, 1};
    edges[2] = (struct survey_edge){"st.weak; st.weak", tests, 1, lacking, 1};
    edges[3] = (struct survey_edge){"ld.weak; fence.cta; ld.weak", tests, 2, alike, 3};
    struct survey_code *by = arena_array(a, COMPILERS, sizeof *by);
    for (int k = 0; k < COMPILERS; k++)
        by[k] = (struct survey_code){.ptx = 0xabcull << 32,
                                     .code = k < 3 ? 7 : 8,
                                     .bytes = 1600,
                                     .registers = 40 + k,
                                     .seconds = 0.25};
    by[0] = (struct survey_code){.refused = "it is too old"};
    by[3].wrong = "op 1 is missing";
    struct survey_text *text = arena_array(a, 1, sizeof *text);
    int n;
    *text = (struct survey_text){t, test_cells(t, a, &n), 3, by};
    return (struct survey){.texts = text, .ntexts = 1, .edges = edges, .nedges = 4};
}

static char *shown(const struct survey *s, bool all) {
    char *out = NULL;
    size_t n;
    const struct terminal t = {.out = open_memstream(&out, &n), .width = 100};
    assert_non_null(t.out);
    survey_show(&t, &request, s, all);
    fclose(t.out);
    return out;
}

static const char head[] =
    "3 cells in 1 text, for sm_90\n"
    "\n"
    "                      texts    refused      bytes  registers    seconds        PTX       code\n"
    "NVRTC 12.1.55             0          1          -          0          -          -          -\n"
    "NVRTC 12.4.99             1          0       1600         41       0.25          -          -\n"
    "NVRTC 12.6.20             1          0       1600         42       0.25          1          1\n"
    "NVRTC 13.0.88             1          0       1600         43       0.25          1          0\n"
    "bytes of machine code and seconds: the mean of a text; registers: the most; PTX and code: so many\n"
    "  texts have the same as by the compiler above\n";

static const char reasons[] = "\nRefused:\n"
                              "  12.1.55: it is too old\n"
                              "    1 text, the first is lb, device, relaxed, as-written\n"
                              "\nNot what the test means, or not to be read:\n"
                              "  13.0.88: op 1 is missing\n"
                              "    1 text, the first is lb, device, relaxed, as-written\n";

static const char differing[] =
    "\nld.relaxed.gpu; fence.cta; st.relaxed.gpu (in lb)\n"
    "  like ld.weak; fence.cta; ld.weak\n"
    "  12.1.55:\n"
    "    LDG; MEMBAR; STG\n"
    "      the second access waits for no scoreboard of these\n"
    "  12.4.99 to 12.6.20:\n"
    "    LDG; MEMBAR; STG, which waits for MEMBAR\n"
    "      the second access waits for the scoreboard of the fence, not for that of the first access\n"
    "  13.0.88:\n"
    "    LDG; MEMBAR; NOP, which waits for all; STG\n"
    "      the second access waits for every scoreboard\n";

static void differences_are_shown(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct survey s = make_survey(a);
    char *out = shown(&s, false), *want;
    assert_true(asprintf(&want, "%s%s%s\n2 of 4 edges differ\n", head, reasons, differing) > 0);
    assert_string_equal(out, want);
    free(want);
    free(out);
    arena_close(a);
}

/* A compiler that lacks an edge stands within a range of those that have it. */
static void all_is_shown(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct survey s = make_survey(a);
    char *out = shown(&s, true), *want;
    assert_true(
        asprintf(
            &want,
            "%s\nlb, device, relaxed, as-written (3 cells)\n"
            "  12.4.99    PTX 00000abc, code 00000000, 1600 bytes, 41 registers, 0.25 s\n"
            "  12.6.20    PTX 00000abc, code 00000000, 1600 bytes, 42 registers, 0.25 s\n"
            "  13.0.88    PTX 00000abc, code 00000000, 1600 bytes, 43 registers, 0.25 s\n"
            "%s%s\nld.relaxed.gpu; st.relaxed.gpu (in lb)\n"
            "  12.1.55 to 13.0.88:\n    LDG; STG\n      the second access waits for no scoreboard of these\n"
            "\nst.weak; st.weak (in lb)\n"
            "  12.1.55 to 13.0.88:\n    STG; STG\n      the second access waits for no scoreboard of these\n"
            "\n2 of 4 edges differ\n",
            head, reasons, differing) > 0);
    assert_string_equal(out, want);
    free(want);
    free(out);
    arena_close(a);
}

static void unread_code_says_so(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct survey s = make_survey(a);
    s.nedges = 0;
    s.unread = "there is no disassembler";
    char *out = shown(&s, false);
    assert_non_null(strstr(out, "\nmachine code was compared as a whole only: there is no disassembler\n"));
    free(out);
    arena_close(a);
}

static void it_is_written_as_json(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct survey s = make_survey(a);
    char *out = NULL;
    size_t n;
    FILE *f = open_memstream(&out, &n);
    s.edges += 2;
    s.nedges = 1;
    survey_json(&request, &s, f);
    fclose(f);
    const char *const parts[] = {"\"architecture\": \"sm_90\"",
                                 "\"compiler\": \"NVRTC 12.1.55\",\n     \"refused\": \"it is too old\"\n",
                                 "\"wrong\": \"op 1 is missing\",\n     \"ptx\": \"00000abc00000000\",\n",
                                 "\"code\": \"0000000000000008\"",
                                 "\"ptx\": \"st.weak; st.weak\",\n   \"differs\": false",
                                 "\"machine\": \"STG; STG\",\n     \"awaited\": \"no scoreboard of these\"",
                                 "\"compiler\": \"NVRTC 12.6.20\",\n       \"texts\": 1"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!strstr(out, parts[k])) fail_msg("'%s' is not in\n%s", parts[k], out);
    free(out);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_shown),
        cmocka_unit_test(all_is_shown),
        cmocka_unit_test(unread_code_says_so),
        cmocka_unit_test(it_is_written_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
