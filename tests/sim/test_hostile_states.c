// Every whole number of a saved state at its extremes, one after the other: the state is refused with a reason, or the run goes
// on from it. What must not happen, an overflow or a division by zero, is seen by the sanitizers (make sanitize); fuzz_state
// looks further, at changes of any number at once.
#include "../fuzz/state.h"

#include "base/hash.h"
#include "base/threads.h"
#include "check.h"
#include "maraca/sim.h"

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

// ---- after a state that was refused --------------------------------------------------------------
static MrcStatus load(Sim *sim, StateArchive *archive) {
    archive->next = 0;
    archive_begin(&archive->archive, true);
    sim_archive(sim, &archive->archive);
    return archive_status(&archive->archive, NULL);
}

// Loads the good state, goes on, and gives the state after that.
static StateArchive go_on_from(int m, Sim *sim) {
    MrcError error;
    StateArchive after = {.archive.backend = &state_backend};
    assert_int_equal(load(sim, &saved[m]), MRC_OK);
    for (int k = 0; k < 3; k++) assert_int_equal(sim_step(sim, &error), MRC_OK);
    archive_begin(&after.archive, false);
    sim_archive(sim, &after.archive);
    assert_int_equal(archive_status(&after.archive, NULL), MRC_OK);
    sim_destroy(sim);
    return after;
}

static bool same_entry(const StateArchive *a, const StateArchive *b, size_t e) {
    const StateEntry *x = &a->entries.data[e], *y = &b->entries.data[e];
    return x->count == y->count && memcmp(x->bytes, y->bytes, x->count * archive_item_size(x->type)) == 0;
}

// A state is refused at each of its entries in turn, by a simulation that has run; the good one is taken after that as by a
// simulation that is new. Times that steps took are part of the state: entries that differ between two new ones are passed over.
static void check_refused(int m) {
    MrcError error;
    state_model_start(m);
    StateArchive one = go_on_from(m, state_sim(m)), two = go_on_from(m, state_sim(m));
    for (size_t e = 0; e < saved[m].entries.count; e++) {
        StateArchive hostile = state_copy(&saved[m]);
        StateEntry *entry = &hostile.entries.data[e];
        size_t size = archive_item_size(entry->type);
        entry->bytes = realloc(entry->bytes, (entry->count + 1) * size);
        memset(entry->bytes + entry->count++ * size, 0, size);
        Sim *sim = state_sim(m);
        for (int k = 0; k < 40; k++) assert_int_equal(sim_step(sim, &error), MRC_OK); // with other lists
        MrcStatus status = load(sim, &hostile); // tallies of other signals are left out
        StateArchive after = go_on_from(m, sim);
        for (size_t k = 0; k < one.entries.count; k++)
            if (same_entry(&one, &two, k) && !same_entry(&one, &after, k))
                fail_msg("model %d, refused at entry %zu (%d): entry %zu is another one", m, e, status, k);
        state_free(&hostile), state_free(&after);
    }
    state_free(&one), state_free(&two);
    state_model_end(m);
}

static void a_refused_state_leaves_nothing_behind(void **state) {
    (void)state;
    for (int m = 0; m < state_models; m++) check_refused(m);
}

// The head of packed states: 16 bytes of magic, hashes of model and build, size and hash of what follows.
static void a_refused_state_must_be_replaced(void **state) {
    (void)state;
    enum { head = 48, hash_at = 40, entry_head = 24 };
    const char *text = state_texts[STATE_FLOW];
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    MrcSimOptions options = mrc_sim_options_default();
    MrcSim *sim;
    MrcError error;
    MrcState *good = NULL, *bad = NULL;
    MrcGrains grains;
    assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_OK);
    assert_int_equal(mrc_sim_step(sim, &error), MRC_OK);
    assert_int_equal(mrc_sim_save(sim, &good, &error), MRC_OK);
    size_t size = mrc_state_size(good);
    char *bytes = malloc(size);
    assert_int_equal(mrc_state_pack(good, bytes, size, &error), MRC_OK);
    memcpy(bytes + head + entry_head, &(int64_t){-1}, 8); // the number of the step
    uint64_t hash = hash_bytes(HASH_START, bytes + head, size - head);
    memcpy(bytes + hash_at, &hash, sizeof hash);
    assert_int_equal(mrc_state_unpack(bytes, size, &bad, &error), MRC_OK);
    assert_int_equal(mrc_sim_restore(sim, bad, &error), MRC_CHECKPOINT);
    assert_int_equal(mrc_sim_step(sim, &error), MRC_USAGE);
    assert_int_equal(mrc_sim_grains(sim, 0, &grains, &error), MRC_USAGE);
    assert_true(isnan(mrc_sim_value(sim, 0)));
    assert_int_equal(mrc_sim_restore(sim, good, &error), MRC_OK);
    assert_int_equal(mrc_sim_step(sim, &error), MRC_OK);
    assert_false(isnan(mrc_sim_value(sim, 0)));
    free(bytes);
    mrc_state_free(good), mrc_state_free(bad);
    mrc_sim_free(sim);
    mrc_model_free(model);
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
        cmocka_unit_test(a_refused_state_leaves_nothing_behind),
        cmocka_unit_test(a_refused_state_must_be_replaced),
    };
    threads_set(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
