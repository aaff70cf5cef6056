/* Sets and relations as bits, at sizes around a word, against the definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../random.h"
#include "logic/rel.h"

static const int sizes[] = {1, 2, 17, 63, 64, 65, 130};

static uint64_t *new_rel(struct dim d) {
    uint64_t *r = calloc(dim_rel(d) + 1, sizeof *r);
    assert_non_null(r);
    return r;
}

/* About `edges` edges an event. */
static uint64_t *random_rel(struct dim d, int edges) {
    uint64_t *r = new_rel(d);
    for (int k = 0; k < d.n * edges; k++)
        rel_add(d, r, pick(d.n), pick(d.n));
    return r;
}

static bool composes(struct dim d, const uint64_t *a, const uint64_t *b, int x, int y) {
    for (int m = 0; m < d.n; m++)
        if (rel_has(d, a, x, m) && rel_has(d, b, m, y)) return true;
    return false;
}

static void check_operations(struct dim d) {
    uint64_t *a = random_rel(d, 2), *b = random_rel(d, 2), *inverse = new_rel(d), *seq = new_rel(d);
    uint64_t *seq_inverse = new_rel(d), *complement = new_rel(d), *from = new_rel(d), *to = new_rel(d);
    uint64_t *product = new_rel(d), *diagonal = new_rel(d);
    uint64_t domain[3] = {0}, range[3] = {0}, all[3] = {0};
    rel_inverse(d, inverse, a);
    rel_compose(d, seq, a, b);
    rel_compose_inverse(d, seq_inverse, a, b);
    rel_complement(d, complement, a);
    set_domain(d, domain, a);
    set_range(d, range, b);
    set_fill(d, all);
    rel_from(d, from, range, a);
    rel_to(d, to, a, domain);
    rel_product(d, product, domain, range);
    rel_diagonal(d, diagonal, domain);
    for (int x = 0; x < d.n; x++) {
        assert_true(set_has(all, x));
        for (int y = 0; y < d.n; y++) {
            bool ab = rel_has(d, a, x, y);
            assert_int_equal(rel_has(d, inverse, y, x), ab);
            assert_int_equal(rel_has(d, seq, x, y), composes(d, a, b, x, y));
            assert_int_equal(rel_has(d, seq_inverse, x, y), composes(d, inverse, b, x, y));
            assert_int_equal(rel_has(d, complement, x, y), !ab);
            assert_int_equal(rel_has(d, from, x, y), ab && set_has(range, x));
            assert_int_equal(rel_has(d, to, x, y), ab && set_has(domain, y));
            assert_int_equal(rel_has(d, product, x, y), set_has(domain, x) && set_has(range, y));
            assert_int_equal(rel_has(d, diagonal, x, y), x == y && set_has(domain, x));
            if (ab) assert_true(set_has(domain, x));
        }
    }
    if (d.n % 64) assert_int_equal(all[d.words - 1] >> d.n % 64, 0);
    uint64_t *owned[] = {a, b, inverse, seq, seq_inverse, complement, from, to, product, diagonal};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        free(owned[k]);
}

/* The closure, and what it means: a path. */
static void check_closure(struct dim d) {
    uint64_t *r = random_rel(d, 1), *closed = new_rel(d);
    memcpy(closed, r, dim_rel(d) * sizeof *r);
    rel_close(d, closed);
    for (int x = 0; x < d.n; x++)
        for (int y = 0; y < d.n; y++)
            assert_int_equal(rel_has(d, closed, x, y), rel_has(d, r, x, y) || composes(d, r, closed, x, y));
    int *cycle = calloc((size_t)d.n, sizeof *cycle);
    assert_non_null(cycle);
    int length = rel_find_cycle(d, r, cycle);
    assert_int_equal(length == 0, rel_is_irreflexive(d, closed));
    for (int k = 0; k < length; k++)
        assert_true(rel_has(d, r, cycle[k], cycle[(k + 1) % length]));
    free(cycle);
    free(r);
    free(closed);
}

static void test_operations(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        check_operations(dim_of(sizes[k]));
}

static void test_closure(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int again = 0; again < 10; again++)
            check_closure(dim_of(sizes[k]));
}

static void test_iteration(void **state) {
    (void)state;
    uint64_t s[3] = {0};
    static const int members[] = {0, 5, 63, 64, 127, 128, 129};
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        set_add(s, members[k]);
    size_t n = 0;
    for (int e = set_first(s, 3); e >= 0; e = set_next(s, 3, e))
        assert_int_equal(e, members[n++]);
    assert_int_equal(n, sizeof members / sizeof *members);
    set_remove(s, 63);
    assert_false(set_has(s, 63));
    assert_int_equal(set_next(s, 3, 5), 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_closure),
        cmocka_unit_test(test_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
