/* SHA-256: the examples of FIPS 180-4, and every length around the end of a block. */
#include "results/sha256.h"

#include <string.h>

#include "cm.h"

static void expect(const char *text, const char *hash) {
    char found[SHA256_TEXT];
    sha256_text(text, strlen(text), found);
    assert_string_equal(found, hash);
}

static void examples(void **state) {
    (void)state;
    expect("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters(void **state) {
    (void)state;
    static char text[1000000];
    char found[SHA256_TEXT];
    memset(text, 'a', sizeof text);
    sha256_text(text, sizeof text, found);
    assert_string_equal(found, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* 55 bytes and the end fit into a block, 56 do not, and 64 leave one for the end alone; by sha256sum. */
static void ends_of_blocks(void **state) {
    (void)state;
    static const char letters[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    static const struct {
        size_t n;
        const char *hash;
    } of[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        char found[SHA256_TEXT];
        sha256_text(letters, of[k].n, found);
        assert_string_equal(found, of[k].hash);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples), cmocka_unit_test(a_million_letters),
                                       cmocka_unit_test(ends_of_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
