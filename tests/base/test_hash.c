#include "base/hash.h"

#include <string.h>

#include "check.h"

// Values published with the algorithm by Fowler, Noll and Vo.
static void test_known_values(void **state) {
    (void)state;
    assert_true(hash_bytes(HASH_START, "", 0) == 0xcbf29ce484222325ull);
    assert_true(hash_bytes(HASH_START, "a", 1) == 0xaf63dc4c8601ec8cull);
    assert_true(hash_bytes(HASH_START, "foobar", 6) == 0x85944171f73967e8ull);
}

static void test_chaining_equals_one_call(void **state) {
    (void)state;
    const char *text = "grains push back on machines";
    size_t length = strlen(text);
    uint64_t whole = hash_bytes(HASH_START, text, length);
    for (size_t cut = 0; cut <= length; cut++)
        assert_true(hash_bytes(hash_bytes(HASH_START, text, cut), text + cut, length - cut) == whole);
}

static void test_every_bit_counts(void **state) {
    (void)state;
    unsigned char bytes[32] = {0};
    uint64_t before = hash_bytes(HASH_START, bytes, sizeof bytes);
    for (size_t i = 0; i < 8 * sizeof bytes; i++) {
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
        assert_true(hash_bytes(HASH_START, bytes, sizeof bytes) != before);
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
    }
    assert_true(hash_bytes(HASH_START, bytes, 31) != before); // as does the length
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_chaining_equals_one_call),
        cmocka_unit_test(test_every_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
