#include "base/memory.h"

#include "check.h"

static void test_blocks_are_aligned_and_zeroed(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes < 400; bytes += 7) {
        unsigned char *block = memory_alloc(bytes);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % MEMORY_ALIGNMENT, 0);
        for (size_t i = 0; i < bytes; i++) assert_int_equal(block[i], 0);
        memset(block, 0xff, bytes); // so that a block used again would show what was left in it
        memory_free(block);
    }
}

static void test_impossible_sizes_are_refused(void **state) {
    (void)state;
    assert_null(memory_alloc(SIZE_MAX));
    void *data = NULL;
    size_t capacity = 0;
    assert_false(array_grow(&data, &capacity, 8, SIZE_MAX / 8 + 1)); // the product overflows
    assert_null(data);
    assert_int_equal(capacity, 0);
}

static void test_array_keeps_its_items_while_growing(void **state) {
    (void)state;
    ARRAY(int) numbers = {0};
    for (int i = 0; i < 10000; i++) assert_true(array_push(&numbers, 3 * i + 1));
    assert_int_equal(numbers.count, 10000);
    assert_true(numbers.capacity >= numbers.count);
    assert_int_equal((uintptr_t)numbers.data % MEMORY_ALIGNMENT, 0);
    for (int i = 0; i < 10000; i++) assert_int_equal(numbers.data[i], 3 * i + 1);
    array_free(&numbers);
    assert_null(numbers.data);
    assert_int_equal(numbers.count, 0);
    assert_int_equal(numbers.capacity, 0);
}

static void test_array_reserve_and_resize(void **state) {
    (void)state;
    ARRAY(double) numbers = {0};
    assert_true(array_reserve(&numbers, 100));
    assert_int_equal(numbers.count, 0);
    double *before = numbers.data;
    for (int i = 0; i < 100; i++) assert_true(array_push(&numbers, 0.5 * i));
    assert_ptr_equal(numbers.data, before); // what was reserved does not move
    assert_true(array_resize(&numbers, 1000));
    assert_int_equal(numbers.count, 1000);
    for (int i = 0; i < 100; i++) assert_true(numbers.data[i] == 0.5 * i);
    for (int i = 100; i < 1000; i++) assert_true(numbers.data[i] == 0);
    assert_true(array_resize(&numbers, 10));
    assert_int_equal(numbers.count, 10);
    array_free(&numbers);
}

static void test_array_of_structs(void **state) {
    (void)state;
    typedef struct Pair {
        int a, b;
    } Pair;
    ARRAY(Pair) pairs = {0};
    for (int i = 0; i < 50; i++) assert_true(array_push(&pairs, (Pair){i, -i}));
    for (int i = 0; i < 50; i++) assert_true(pairs.data[i].a == i && pairs.data[i].b == -i);
    array_free(&pairs);
}

// Pieces of many sizes, some larger than a block: each zeroed, aligned, and none written over by another.
static void test_arena_pieces_do_not_overlap(void **state) {
    (void)state;
    enum { piece_count = 500 };
    Arena *arena = arena_create();
    assert_non_null(arena);
    unsigned char *pieces[piece_count];
    size_t sizes[piece_count];
    for (size_t i = 0; i < piece_count; i++) {
        sizes[i] = i % 50 == 49 ? 100000 : 1 + (i * 37) % 700;
        pieces[i] = arena_alloc(arena, sizes[i]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], (int)(i % 255 + 1), sizes[i]);
    }
    for (size_t i = 0; i < piece_count; i++)
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(pieces[i][k], i % 255 + 1);
    assert_null(arena_alloc(arena, SIZE_MAX));
    arena_destroy(arena);
    arena_destroy(NULL);
}

static void test_arena_text(void **state) {
    (void)state;
    Arena *arena = arena_create();
    char source[] = "granular";
    char *copy = arena_strdup(arena, source), *part = arena_strndup(arena, source, 5);
    char *empty = arena_strndup(arena, NULL, 0);
    source[0] = 'X'; // the copies are copies
    assert_string_equal(copy, "granular");
    assert_string_equal(part, "granu");
    assert_string_equal(empty, "");
    assert_string_equal(arena_printf(arena, "%d grains of %s", 12, "lead"), "12 grains of lead");
    char *wide = arena_printf(arena, "%0200000d", 7); // longer than a block
    assert_int_equal(strlen(wide), 200000);
    assert_int_equal(wide[199999], '7');
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_are_aligned_and_zeroed),
        cmocka_unit_test(test_impossible_sizes_are_refused),
        cmocka_unit_test(test_array_keeps_its_items_while_growing),
        cmocka_unit_test(test_array_reserve_and_resize),
        cmocka_unit_test(test_array_of_structs),
        cmocka_unit_test(test_arena_pieces_do_not_overlap),
        cmocka_unit_test(test_arena_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
