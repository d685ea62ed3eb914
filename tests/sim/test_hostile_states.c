// Every whole number of a saved state at its extremes, one after the other: the state is refused with a reason, or the run goes
// on from it. What must not happen, an overflow or a division by zero, is seen by the sanitizers (make sanitize); fuzz_state
// looks further, at changes of any number at once.
#include "../fuzz/state.h"

#include "base/threads.h"
#include "check.h"

static const int64_t extremes[] = {INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, -1, ARCHIVE_COUNT_MOST, 63};
static const double far_doubles[] = {NAN, INFINITY, 1e300};
enum {
    extreme_count = sizeof extremes / sizeof *extremes,
    far_count = sizeof far_doubles / sizeof *far_doubles,
    items_tried = 10 // of an entry: the first ones
};

// Puts the value in the place of an item, tries the state, and puts the item back.
static MrcStatus try_value(int m, StateArchive *archive, char *item, const void *value, size_t size) {
    MrcError error;
    char before[8];
    memcpy(before, item, size);
    memcpy(item, value, size);
    MrcStatus status = state_try(m, archive, &error);
    memcpy(item, before, size);
    return status;
}

static void check_model(int m) {
    MrcError error;
    int refused = 0, taken = 0;
    state_model_start(m);
    StateArchive archive = state_copy(&saved[m]);
    assert_int_equal(state_try(m, &archive, &error), MRC_OK);
    for (size_t e = 0; e < archive.entries.count; e++) {
        StateEntry *entry = &archive.entries.data[e];
        size_t size = archive_item_size(entry->type);
        bool whole = entry->type == ARCHIVE_INT64 || entry->type == ARCHIVE_INT32;
        if (entry->type == ARCHIVE_BYTE || entry->count == 0) continue;
        size_t items = whole && entry->count < items_tried ? entry->count : 1;
        for (size_t k = 0; k < items; k++)
            for (int v = 0; v < (whole ? extreme_count : far_count); v++) {
                const void *value = whole ? (const void *)&extremes[v] : (const void *)&far_doubles[v];
                if (try_value(m, &archive, entry->bytes + k * size, value, size) == MRC_OK) taken++;
                else refused++;
            }
    }
    assert_true(refused > 0 && taken > 0); // some are counters that may have any value
    state_free(&archive);
    state_model_end(m);
}

static void flowing_rigid_grains(void **state) { (void)state, check_model(STATE_FLOW); }
static void steps_that_are_cut(void **state) { (void)state, check_model(STATE_CUT); }
static void rounds_of_exchange(void **state) { (void)state, check_model(STATE_TIGHT); }
static void polyhedra(void **state) { (void)state, check_model(STATE_NSCD); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowing_rigid_grains),
        cmocka_unit_test(steps_that_are_cut),
        cmocka_unit_test(rounds_of_exchange),
        cmocka_unit_test(polyhedra),
    };
    threads_set(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
