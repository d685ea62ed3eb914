// Archives in memory: what was saved comes back bit by bit, and misfits are errors.
#include "base/archive.h"

#include <stdlib.h>

#include "base/random.h"
#include "check.h"

typedef struct Toy {
    double time;
    ARRAY(double) x;
    ARRAY(int64_t) ids;
    ARRAY(int32_t) flags;
    unsigned char raw[5];
    size_t parts;
    double fixed[3];
} Toy;

static void toy_archive(Toy *toy, Archive *archive) {
    archive_group_begin(archive, "toy");
    archive_doubles(archive, "time", &toy->time, 1);
    archive_array(archive, "x", &toy->x);
    archive_group_begin(archive, "inner/odd");
    archive_array(archive, "ids", &toy->ids);
    archive_array(archive, "flags", &toy->flags);
    archive_bytes(archive, "raw", toy->raw, sizeof toy->raw);
    archive_group_end(archive, "inner/odd");
    archive_count(archive, "parts", &toy->parts);
    archive_doubles(archive, "fixed", toy->fixed, 3);
    archive_group_end(archive, "toy");
}

static void toy_fill(Toy *toy, uint64_t seed, size_t count) {
    Random random = {seed};
    toy->time = random_uniform(&random);
    assert_true(array_resize(&toy->x, count));
    assert_true(array_resize(&toy->ids, count / 2));
    assert_true(array_resize(&toy->flags, count / 3));
    for (size_t i = 0; i < toy->x.count; i++) toy->x.data[i] = random_normal(&random);
    for (size_t i = 0; i < toy->ids.count; i++) toy->ids.data[i] = (int64_t)random_bits(&random);
    for (size_t i = 0; i < toy->flags.count; i++) toy->flags.data[i] = (int32_t)random_bits(&random);
    for (size_t i = 0; i < sizeof toy->raw; i++) toy->raw[i] = (unsigned char)random_bits(&random);
    for (size_t i = 0; i < 3; i++) toy->fixed[i] = random_normal(&random);
    toy->parts = count;
}

static void toy_check_equal(const Toy *a, const Toy *b) {
    assert_memory_equal(&a->time, &b->time, sizeof a->time);
    assert_int_equal(a->x.count, b->x.count);
    assert_int_equal(a->ids.count, b->ids.count);
    assert_int_equal(a->flags.count, b->flags.count);
    if (a->x.count) assert_memory_equal(a->x.data, b->x.data, a->x.count * sizeof(double));
    if (a->ids.count) assert_memory_equal(a->ids.data, b->ids.data, a->ids.count * sizeof(int64_t));
    if (a->flags.count) assert_memory_equal(a->flags.data, b->flags.data, a->flags.count * sizeof(int32_t));
    assert_memory_equal(a->raw, b->raw, sizeof a->raw);
    assert_int_equal(a->parts, b->parts);
    assert_memory_equal(a->fixed, b->fixed, sizeof a->fixed);
}

static void toy_free(Toy *toy) {
    array_free(&toy->x);
    array_free(&toy->ids);
    array_free(&toy->flags);
}

static void saves_and_loads(void **state) {
    (void)state;
    Archive *archive = archive_memory_create();
    Toy toy = {0}, copy = {0};
    static const size_t counts[] = {0, 1, 7, 1000, 3, 0};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        toy_fill(&toy, i + 1, counts[i]);
        archive_memory_save(archive);
        assert_false(archive_is_loading(archive));
        toy_archive(&toy, archive);
        assert_int_equal(archive_status(archive, NULL), MRC_OK);
        for (int again = 0; again < 2; again++) {
            toy_fill(&copy, 99, 5);
            archive_memory_load(archive);
            assert_true(archive_is_loading(archive));
            toy_archive(&copy, archive);
            assert_int_equal(archive_status(archive, NULL), MRC_OK);
            toy_check_equal(&toy, &copy);
        }
    }
    toy_free(&toy);
    toy_free(&copy);
    archive_destroy(archive);
    archive_destroy(NULL);
}

static void repeated_saves_take_the_same_room(void **state) {
    (void)state;
    Archive *archive = archive_memory_create();
    Toy toy = {0};
    toy_fill(&toy, 1, 100);
    archive_memory_save(archive);
    toy_archive(&toy, archive);
    size_t size = archive_memory_size(archive);
    double *before = toy.x.data;
    for (int i = 0; i < 10; i++) {
        archive_memory_save(archive);
        toy_archive(&toy, archive);
        archive_memory_load(archive);
        toy_archive(&toy, archive);
    }
    assert_int_equal(archive_memory_size(archive), size);
    assert_ptr_equal(toy.x.data, before); // loading into a large enough array does not move it
    toy_free(&toy);
    archive_destroy(archive);
}

static void other_count_is_an_error(void **state) {
    (void)state;
    MrcError error;
    Archive *archive = archive_memory_create();
    double values[4] = {1, 2, 3, 4}, later = 5;
    archive_memory_save(archive);
    archive_group_begin(archive, "grains");
    archive_doubles(archive, "x", values, 4);
    archive_group_end(archive, "grains");
    archive_doubles(archive, "later", &later, 1);
    archive_memory_load(archive);
    archive_group_begin(archive, "grains");
    double loaded[3] = {7, 7, 7};
    archive_doubles(archive, "x", loaded, 3);
    archive_group_end(archive, "grains");
    later = 6;
    archive_doubles(archive, "later", &later, 1);
    assert_int_equal(archive_status(archive, &error), MRC_CHECKPOINT);
    assert_non_null(strstr(error.text, "grains/x"));
    check_near(loaded[0], 7, 0); // untouched
    check_near(later, 6, 0);     // the first error sticks
    archive_destroy(archive);
}

static void missing_or_other_entries_are_errors(void **state) {
    (void)state;
    Archive *archive = archive_memory_create();
    double value = 1;
    int64_t number = 0;
    size_t count = 77;
    archive_memory_load(archive); // nothing saved yet
    archive_doubles(archive, "x", &value, 1);
    assert_int_equal(archive_status(archive, NULL), MRC_CHECKPOINT);
    archive_memory_save(archive);
    assert_int_equal(archive_status(archive, NULL), MRC_OK); // a new start forgives
    archive_doubles(archive, "x", &value, 1);
    archive_memory_load(archive);
    archive_bits64(archive, "x", &number, 1);
    assert_int_equal(archive_status(archive, NULL), MRC_CHECKPOINT);
    archive_memory_load(archive);
    archive_doubles(archive, "y", &value, 1);
    assert_int_equal(archive_status(archive, NULL), MRC_CHECKPOINT);
    archive_memory_load(archive);
    archive_doubles(archive, "x", &value, 1);
    assert_false(archive_count(archive, "more", &count));
    assert_int_equal(count, 77);
    archive_destroy(archive);
}

static void negative_count_and_own_failures(void **state) {
    (void)state;
    MrcError error;
    Archive *archive = archive_memory_create();
    int64_t negative = -3;
    size_t count = 1;
    archive_memory_save(archive);
    archive_bits64(archive, "n", &negative, 1);
    archive_memory_load(archive);
    assert_false(archive_count(archive, "n", &count));
    assert_int_equal(archive_status(archive, &error), MRC_CHECKPOINT);
    assert_non_null(strstr(error.text, "-3"));
    archive_memory_save(archive);
    archive_fail(archive, MRC_MEMORY, "grid", "no room for %d cells", 5);
    archive_fail(archive, MRC_CHECKPOINT, "later", "not this one");
    assert_int_equal(archive_status(archive, &error), MRC_MEMORY);
    assert_string_equal(error.text, "entry 'grid': no room for 5 cells");
    archive_destroy(archive);
}

// The same bytes, as if they came from a file.
static void make_foreign(Archive *archive) {
    size_t size = archive_memory_size(archive);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, archive_memory_bytes(archive), size);
    assert_true(archive_memory_fill(archive, bytes, size));
    free(bytes);
}

// Saves the numbers, and loads them as counts, indices or a number of items; the status of that.
static MrcStatus load_foreign(int64_t number, int32_t index, bool foreign, size_t *items) {
    Archive *archive = archive_memory_create();
    struct {
        int32_t *data;
        size_t count, capacity;
    } array = {0};
    assert_true(array_push(&array, index));
    archive_memory_save(archive);
    archive_bits64(archive, "number", &number, 1);
    archive_bits32(archive, "index", &index, 1);
    archive_array(archive, "array", &array);
    archive_bits64(archive, "items", &(int64_t){(int64_t)*items}, 1);
    if (foreign) make_foreign(archive);
    archive_memory_load(archive);
    int64_t *scattered[] = {&number};
    archive_scattered_counts(archive, "number", scattered, 1);
    archive_int32s(archive, "index", &index, 1);
    archive_array(archive, "array", &array);
    archive_count(archive, "items", items);
    MrcStatus status = archive_status(archive, NULL);
    archive_destroy(archive);
    array_free(&array);
    return status;
}

// No sum or difference of two counts, or of two indices, overflows.
static void foreign_numbers_have_room_for_arithmetic(void **state) {
    (void)state;
    size_t none = 0, many = 100000, few = 100;
    const int64_t bad_counts[] = {-1, INT64_MIN, INT64_MAX, ARCHIVE_COUNT_MOST + 1};
    const int32_t bad_indices[] = {INT32_MIN, INT32_MAX, ARCHIVE_INDEX_MOST + 1, -ARCHIVE_INDEX_MOST - 1};
    assert_int_equal(load_foreign(ARCHIVE_COUNT_MOST, -ARCHIVE_INDEX_MOST, true, &none), MRC_OK);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(load_foreign(bad_counts[k], 0, true, &none), MRC_CHECKPOINT);
        assert_int_equal(load_foreign(0, bad_indices[k], true, &none), MRC_CHECKPOINT);
        assert_int_equal(load_foreign(bad_counts[k], bad_indices[k], false, &none), MRC_OK); // our own
    }
    assert_int_equal(load_foreign(0, 0, true, &few), MRC_OK);
    assert_int_equal(load_foreign(0, 0, true, &many), MRC_CHECKPOINT); // more items than bytes
    assert_int_equal(many, 100000);
    assert_int_equal(load_foreign(0, 0, false, &many), MRC_OK);
}

static void endless_names_are_errors(void **state) {
    (void)state;
    MrcError error;
    char name[2000];
    memset(name, '/', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    Archive *archive = archive_memory_create();
    archive_memory_save(archive);
    assert_int_equal(archive_group_begin(archive, name), MRC_CHECKPOINT);
    assert_int_equal(archive_group_end(archive, name), MRC_CHECKPOINT);
    assert_int_equal(archive_status(archive, &error), MRC_CHECKPOINT);
    archive_destroy(archive);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saves_and_loads),
        cmocka_unit_test(repeated_saves_take_the_same_room),
        cmocka_unit_test(other_count_is_an_error),
        cmocka_unit_test(missing_or_other_entries_are_errors),
        cmocka_unit_test(negative_count_and_own_failures),
        cmocka_unit_test(foreign_numbers_have_room_for_arithmetic),
        cmocka_unit_test(endless_names_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
