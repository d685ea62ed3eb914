// checkpoint.h5: comes back bit by bit, is an ordinary HDF5 file, and no damage goes unnoticed.
#include <hdf5.h>
#include <pthread.h>

#include "base/hash.h"
#include "base/random.h"
#include "output/checkpoint.h"
#include "output/temporary.h"

typedef struct Toy {
    double time;
    ARRAY(double) x;
    ARRAY(int64_t) ids;
    ARRAY(int32_t) flags;
    unsigned char raw[5];
    size_t parts;
    const char *odd; // name of a group, as a user might choose it
    bool ask_more;   // describe an entry that was not saved
    size_t fixed;    // values of `fixed_values` to describe
    double fixed_values[4];
} Toy;

static void toy_describe(Archive *archive, void *state) {
    Toy *toy = state;
    archive_group_begin(archive, "toy");
    archive_doubles(archive, "time", &toy->time, 1);
    archive_array(archive, "x", &toy->x);
    archive_group_begin(archive, toy->odd);
    archive_array(archive, "ids", &toy->ids);
    archive_array(archive, "flags", &toy->flags);
    archive_bytes(archive, "raw", toy->raw, sizeof toy->raw);
    archive_group_end(archive, toy->odd);
    archive_count(archive, "parts", &toy->parts);
    archive_doubles(archive, "fixed", toy->fixed_values, toy->fixed);
    if (toy->ask_more) archive_doubles(archive, "more", &toy->time, 1);
    archive_group_end(archive, "toy");
}

static Toy toy_make(uint64_t seed, size_t count) {
    Random random = {seed};
    Toy toy = {.time = random_uniform(&random), .odd = "left/../arm 50%", .parts = count, .fixed = 3};
    assert_true(array_resize(&toy.x, count) && array_resize(&toy.ids, count / 2) &&
                array_resize(&toy.flags, count / 3));
    for (size_t i = 0; i < toy.x.count; i++) toy.x.data[i] = random_normal(&random);
    for (size_t i = 0; i < toy.ids.count; i++) toy.ids.data[i] = (int64_t)random_bits(&random);
    for (size_t i = 0; i < toy.flags.count; i++)
        toy.flags.data[i] = (int32_t)random_bits(&random) / 2; // within ARCHIVE_INDEX_MOST
    for (size_t i = 0; i < sizeof toy.raw; i++) toy.raw[i] = (unsigned char)random_bits(&random);
    for (size_t i = 0; i < 4; i++) toy.fixed_values[i] = random_normal(&random);
    return toy;
}

static bool toy_equal(const Toy *a, const Toy *b) {
    return a->time == b->time && a->parts == b->parts && a->x.count == b->x.count &&
           a->ids.count == b->ids.count && a->flags.count == b->flags.count &&
           memcmp(a->raw, b->raw, sizeof a->raw) == 0 &&
           memcmp(a->fixed_values, b->fixed_values, 3 * sizeof(double)) == 0 &&
           (!a->x.count || memcmp(a->x.data, b->x.data, a->x.count * sizeof(double)) == 0) &&
           (!a->ids.count || memcmp(a->ids.data, b->ids.data, a->ids.count * sizeof(int64_t)) == 0) &&
           (!a->flags.count || memcmp(a->flags.data, b->flags.data, a->flags.count * sizeof(int32_t)) == 0);
}

static void toy_free(Toy *toy) {
    array_free(&toy->x);
    array_free(&toy->ids);
    array_free(&toy->flags);
}

static void save(const char *path, Toy *toy) {
    MrcError error = {0};
    MrcStatus status = checkpoint_save(path, 42, toy_describe, toy, &error);
    if (status != MRC_OK) print_error("%s\n", error.text);
    assert_int_equal(status, MRC_OK);
}

static void saves_and_loads(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 1000, 300000};
    MrcError error = {0};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *path = temporary_path("round.h5");
        Toy toy = toy_make(i + 1, counts[i]), copy = toy_make(99, 5);
        save(path, &toy);
        MrcStatus status = checkpoint_load(path, 42, toy_describe, &copy, &error);
        if (status != MRC_OK) print_error("%s\n", error.text);
        assert_int_equal(status, MRC_OK);
        assert_true(toy_equal(&toy, &copy));
        toy_free(&toy);
        toy_free(&copy);
    }
    assert_int_not_equal(access(temporary_path("round.h5.partial"), F_OK), 0);
}

static void same_state_same_bytes(void **state) {
    (void)state;
    const char *one = temporary_path("one.h5"), *two = temporary_path("two.h5");
    Toy toy = toy_make(5, 500);
    save(one, &toy);
    sleep(1); // would show in a time stamp
    save(two, &toy);
    size_t length_one, length_two;
    char *text_one = temporary_read(one, &length_one), *text_two = temporary_read(two, &length_two);
    assert_int_equal(length_one, length_two);
    assert_memory_equal(text_one, text_two, length_one);
    free(text_one);
    free(text_two);
    toy_free(&toy);
}

// Without any help from us, as h5dump or h5py would.
static void other_programs_can_read_it(void **state) {
    (void)state;
    const char *path = temporary_path("plain.h5");
    Toy toy = toy_make(6, 100);
    save(path, &toy);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    hid_t dataset = H5Dopen2(file, "/toy/x", H5P_DEFAULT);
    assert_true(dataset >= 0);
    double values[100];
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_memory_equal(values, toy.x.data, sizeof values);
    H5Dclose(dataset);
    char version[64] = "";
    int format = 0;
    uint64_t hash = 0;
    hid_t attribute = H5Aopen(file, "maraca_version", H5P_DEFAULT), type = H5Aget_type(attribute);
    assert_true(H5Aread(attribute, type, version) >= 0);
    assert_string_equal(version, MARACA_VERSION);
    H5Tclose(type);
    H5Aclose(attribute);
    attribute = H5Aopen(file, "format", H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_INT, &format) >= 0 && format == 2);
    H5Aclose(attribute);
    attribute = H5Aopen(file, "model_hash", H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_UINT64, &hash) >= 0 && hash == 42);
    H5Aclose(attribute);
    assert_true(H5Fclose(file) >= 0);
    toy_free(&toy);
}

// Every dataset, by HDF5's own library: names, types, sizes, values.
static void assert_dataset(hid_t file, const char *path, hid_t type, const void *expected, size_t bytes) {
    static char values[1 << 16];
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    if (dataset < 0) print_error("%s\n", path);
    assert_true(dataset >= 0);
    assert_int_equal(H5Dget_storage_size(dataset), bytes);
    if (bytes) assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_memory_equal(values, expected, bytes);
    H5Dclose(dataset);
}

static void other_programs_find_all_types(void **state) {
    (void)state;
    static const size_t counts[] = {0, 3, 300};
    for (size_t i = 0; i < 3; i++) {
        const char *path = temporary_path("types.h5");
        Toy toy = toy_make(16 + i, counts[i]);
        save(path, &toy);
        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        assert_dataset(file, "/toy/left%2F..%2Farm 50%25/ids", H5T_NATIVE_INT64, toy.ids.data,
                       toy.ids.count * 8);
        assert_dataset(file, "/toy/left%2F..%2Farm 50%25/flags", H5T_NATIVE_INT32, toy.flags.data,
                       toy.flags.count * 4);
        assert_dataset(file, "/toy/left%2F..%2Farm 50%25/raw", H5T_NATIVE_UINT8, toy.raw, 5);
        assert_dataset(file, "/toy/time", H5T_NATIVE_DOUBLE, &toy.time, 8);
        assert_true(H5Fclose(file) >= 0);
        toy_free(&toy);
    }
}

// Groups and entries by the thousand.
static void many_describe(Archive *archive, void *state) {
    int32_t *numbers = state;
    char name[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "entry %d", i);
        if (i % 10 == 0) archive_group_begin(archive, name);
        archive_int32s(archive, name, &numbers[i], 1);
        if (i % 10 == 0) archive_group_end(archive, name);
    }
}

static void many_entries(void **state) {
    (void)state;
    MrcError error;
    int32_t numbers[3000], copy[3000] = {0};
    const char *path = temporary_path("many.h5");
    for (int i = 0; i < 3000; i++) numbers[i] = 7 * i;
    assert_int_equal(checkpoint_save(path, 1, many_describe, numbers, &error), MRC_OK);
    assert_int_equal(checkpoint_load(path, 1, many_describe, copy, &error), MRC_OK);
    assert_memory_equal(numbers, copy, sizeof numbers);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_dataset(file, "/entry 2990/entry 2990", H5T_NATIVE_INT32, &numbers[2990], 4);
    assert_dataset(file, "/entry 2999", H5T_NATIVE_INT32, &numbers[2999], 4);
    H5G_info_t info;
    assert_true(H5Gget_info(file, &info) >= 0);
    assert_int_equal(info.nlinks, 3000);
    assert_true(H5Fclose(file) >= 0);
}

static void check_refused(const char *path, uint64_t hash, Toy *toy, const char *says) {
    MrcError error = {0};
    assert_int_equal(checkpoint_load(path, hash, toy_describe, toy, &error), MRC_CHECKPOINT);
    assert_int_equal(error.status, MRC_CHECKPOINT);
    if (!strstr(error.text, says)) print_error("'%s' does not say '%s'\n", error.text, says);
    assert_non_null(strstr(error.text, says));
    assert_non_null(strstr(error.text, path));
}

static void refuses_what_does_not_fit(void **state) {
    (void)state;
    const char *path = temporary_path("fit.h5"), *other = temporary_path("other.h5");
    Toy toy = toy_make(7, 50), copy = toy_make(8, 50);
    save(path, &toy);
    check_refused(path, 43, &copy, "another model");
    check_refused(temporary_path("missing.h5"), 42, &copy, "No such file");
    check_refused(temporary_folder, 42, &copy, "not an ordinary file");
    temporary_write(other, "hello", 5);
    check_refused(other, 42, &copy, "not a checkpoint");
    temporary_write(other, "", 0);
    check_refused(other, 42, &copy, "not a checkpoint");
    size_t length;
    char *text = temporary_read(path, &length);
    text[strcspn(text, "2")] = '7'; // the format
    temporary_write(other, text, length);
    check_refused(other, 42, &copy, "format 7");
    free(text);
    copy.fixed = 4;
    check_refused(path, 42, &copy, "toy/fixed': 3 items are stored, 4 are expected");
    copy.fixed = 3;
    copy.ask_more = true;
    check_refused(path, 42, &copy, "toy/more': it is not in the file");
    copy.ask_more = false;
    copy.odd = "right";
    check_refused(path, 42, &copy, "toy/right/ids': it is not in the file");
    toy_free(&toy);
    toy_free(&copy);
}

static void other_type_describe(Archive *archive, void *state) {
    archive_group_begin(archive, "toy");
    archive_bits64(archive, "time", state, 1);
    archive_group_end(archive, "toy");
}

static void refuses_another_type(void **state) {
    (void)state;
    const char *path = temporary_path("type.h5");
    MrcError error;
    int64_t number = 5;
    Toy toy = toy_make(7, 50);
    save(path, &toy);
    assert_int_equal(checkpoint_load(path, 42, other_type_describe, &number, &error), MRC_CHECKPOINT);
    assert_non_null(strstr(error.text, "another type"));
    assert_int_equal(number, 5);
    toy_free(&toy);
}

static void refuses_files_cut_off(void **state) {
    (void)state;
    MrcError error;
    const char *path = temporary_path("cut.h5");
    Toy toy = toy_make(9, 300), copy = toy_make(10, 300), before = toy_make(10, 300);
    save(path, &toy);
    size_t length, step;
    char *text = temporary_read(path, &length);
    step = length / 97;
    for (size_t cut = 0; cut < length; cut += cut < 600 || cut + 20 > length ? 7 : step) {
        temporary_write(path, text, cut);
        error.text[0] = '\0';
        assert_int_equal(checkpoint_load(path, 42, toy_describe, &copy, &error), MRC_CHECKPOINT);
        assert_true(strlen(error.text) > 10);
    }
    temporary_write(path, text, length - 1);
    assert_int_equal(checkpoint_load(path, 42, toy_describe, &copy, &error), MRC_CHECKPOINT);
    FILE *stream = fopen(path, "wb");
    fwrite(text, 1, length, stream);
    fputc(0, stream); // and one byte too many
    fclose(stream);
    assert_int_equal(checkpoint_load(path, 42, toy_describe, &copy, &error), MRC_CHECKPOINT);
    assert_true(toy_equal(&copy, &before)); // a damaged file does not touch the state
    free(text);
    toy_free(&toy);
    toy_free(&copy);
    toy_free(&before);
}

static void refuses_changed_bytes(void **state) {
    (void)state;
    MrcError error;
    Random random = {3};
    const char *path = temporary_path("flip.h5");
    Toy toy = toy_make(11, 300), copy = toy_make(12, 300);
    save(path, &toy);
    size_t length;
    char *text = temporary_read(path, &length);
    for (int i = 0; i < 1500; i++) {
        // All of the seal's text and HDF5's own headers, then anywhere.
        size_t at = i < 1000 ? (size_t)i : random_bits(&random) % length;
        unsigned char change = (unsigned char)(1u << random_bits(&random) % 8);
        text[at] = (char)(text[at] ^ change);
        temporary_write(path, text, length);
        assert_int_equal(checkpoint_load(path, 42, toy_describe, &copy, &error), MRC_CHECKPOINT);
        text[at] = (char)(text[at] ^ change);
    }
    temporary_write(path, text, length);
    assert_int_equal(checkpoint_load(path, 42, toy_describe, &copy, &error), MRC_OK);
    assert_true(toy_equal(&toy, &copy));
    free(text);
    toy_free(&toy);
    toy_free(&copy);
}

// Someone who knows how the seal is made: anything may stand behind it, and nothing but its own bytes is read.
static void survives_forged_seals(void **state) {
    (void)state;
    MrcError error;
    Random random = {4};
    const char *path = temporary_path("forged.h5");
    Toy toy = toy_make(17, 40), copy = toy_make(18, 40);
    save(path, &toy);
    size_t length;
    char *text = temporary_read(path, &length), *now = malloc(length);
    static const unsigned char likely[] = {0, 1, 2, 127, 128, 255};
    for (int i = 0; i < 20000; i++) {
        memcpy(now, text, length);
        for (uint64_t k = 0; k < 1 + random_bits(&random) % 4; k++)
            now[512 + random_bits(&random) % (length - 512)] =
                (char)(random_bits(&random) % 2 ? likely[random_bits(&random) % 6] : random_bits(&random));
        memset(now, 0, 512);
        snprintf(now, 512, "Maraca checkpoint, format 2, %zu bytes, hash %016llx\n", length,
                 (unsigned long long)hash_bytes(HASH_START, now + 512, length - 512));
        temporary_write(path, now, length);
        MrcStatus status = checkpoint_load(path, 42, toy_describe, &copy, &error);
        assert_true(status == MRC_OK || status == MRC_CHECKPOINT || status == MRC_MEMORY);
    }
    free(text);
    free(now);
    toy_free(&toy);
    toy_free(&copy);
}

static void failing_describe(Archive *archive, void *state) {
    toy_describe(archive, state);
    archive_fail(archive, MRC_MEMORY, "late", "no room");
}

static void twice_describe(Archive *archive, void *state) {
    double value = 1;
    (void)state;
    archive_doubles(archive, "same", &value, 1);
    archive_doubles(archive, "same", &value, 1);
}

static void failed_save_keeps_the_last_file(void **state) {
    (void)state;
    MrcError error;
    const char *path = temporary_path("keep.h5");
    Toy toy = toy_make(13, 20), later = toy_make(14, 20), copy = toy_make(15, 20);
    save(path, &toy);
    assert_int_equal(checkpoint_save(path, 42, failing_describe, &later, &error), MRC_MEMORY);
    assert_int_equal(checkpoint_save(path, 42, twice_describe, NULL, &error), MRC_WRITE_FAILED);
    assert_non_null(strstr(error.text, "same"));
    assert_int_equal(checkpoint_load(path, 42, toy_describe, &copy, &error), MRC_OK);
    assert_true(toy_equal(&toy, &copy));
    const char *nowhere = temporary_path("nowhere/keep.h5");
    assert_int_equal(checkpoint_save(nowhere, 42, toy_describe, &toy, &error), MRC_WRITE_FAILED);
    toy_free(&toy);
    toy_free(&later);
    toy_free(&copy);
}

static void *save_and_load_often(void *argument) {
    int number = *(int *)argument;
    char path[128];
    snprintf(path, sizeof path, "%s/thread-%d.h5", temporary_folder, number);
    Toy toy = toy_make((uint64_t)number, 200), copy = toy_make(99, 3);
    bool fine = true;
    for (int i = 0; i < 5; i++) {
        fine = checkpoint_save(path, 7, toy_describe, &toy, NULL) == MRC_OK && fine;
        fine =
            checkpoint_load(path, 7, toy_describe, &copy, NULL) == MRC_OK && toy_equal(&toy, &copy) && fine;
        fine = checkpoint_load(path, 8, toy_describe, &copy, NULL) == MRC_CHECKPOINT && fine;
    }
    toy_free(&toy);
    toy_free(&copy);
    return fine ? argument : NULL;
}

static void threads_do_not_meet(void **state) {
    (void)state;
    pthread_t threads[4];
    int numbers[4];
    for (int i = 0; i < 4; i++) {
        numbers[i] = i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, save_and_load_often, &numbers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saves_and_loads),
        cmocka_unit_test(same_state_same_bytes),
        cmocka_unit_test(other_programs_can_read_it),
        cmocka_unit_test(other_programs_find_all_types),
        cmocka_unit_test(many_entries),
        cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(refuses_another_type),
        cmocka_unit_test(refuses_files_cut_off),
        cmocka_unit_test(refuses_changed_bytes),
        cmocka_unit_test(survives_forged_seals),
        cmocka_unit_test(failed_save_keeps_the_last_file),
        cmocka_unit_test(threads_do_not_meet),
    };
    return cmocka_run_group_tests(tests, temporary_begin, temporary_end);
}
