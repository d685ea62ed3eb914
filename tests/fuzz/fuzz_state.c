// Fuzz target of saved states: whatever a checkpoint behind its seal says, it is refused with a reason, or the
// simulation goes on from it without reading or writing where it must not.
//
// The bytes are changes to a good state: which model, and then for each change which entry, which item of it, and what
// it becomes.
//
//     fuzz_state -max_total_time=60 CORPUS tests/fuzz/states
//     FUZZ_STATE_TELLS=1 fuzz_state tests/fuzz/states/*    # says what became of each
#include <math.h>

#include "base/random.h"
#include "base/threads.h"
#include "state.h"

enum { change_bytes = 13 }; // of a StateChange in the input
static bool tells;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

typedef struct StateChange {
    uint16_t entry, item;
    uint8_t kind;
    uint8_t value[8];
} StateChange;

static void state_change(StateArchive *archive, const StateChange *change) {
    StateEntry *entry = &archive->entries.data[change->entry % archive->entries.count];
    size_t size = archive_item_size(entry->type);
    if (change->kind % 8 == 7) { // another count
        size_t count = (size_t)(change->value[0] | change->value[1] << 8) % (2 * entry->count + 3);
        char *bytes = calloc(count + 1, size);
        require(bytes != NULL, "memory");
        if (entry->count) memcpy(bytes, entry->bytes, (count < entry->count ? count : entry->count) * size);
        free(entry->bytes);
        *entry = (StateEntry){entry->type, count, bytes};
        return;
    }
    if (entry->count == 0) return;
    // Bytes hold numbers of all kinds; whole words are changed.
    size_t width = entry->type == ARCHIVE_BYTE ? (change->kind % 8 < 3   ? 4
                                                  : change->kind % 8 < 6 ? 8
                                                                         : 1)
                                               : size;
    size_t room = entry->count * size / width;
    if (room == 0) return;
    memcpy(entry->bytes + change->item % room * width, change->value, width);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    threads_set(1);
    for (int m = 0; m < state_models; m++) state_model_start(m);
    tells = getenv("FUZZ_STATE_TELLS") != NULL;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    int m = data[0] % state_models;
    StateArchive archive = state_copy(&saved[m]);
    for (size_t at = 1; at + change_bytes <= size; at += change_bytes) {
        const uint8_t *d = data + at;
        StateChange change = {
            .entry = (uint16_t)(d[0] | d[1] << 8), .item = (uint16_t)(d[2] | d[3] << 8), .kind = d[4]};
        memcpy(change.value, d + 5, 8);
        state_change(&archive, &change);
    }
    MrcError error;
    MrcStatus status = state_try(m, &archive, &error);
    if (tells) fprintf(stderr, "model %d: %s\n", m, status == MRC_OK ? "taken" : error.text);
    state_free(&archive);
    return 0;
}

// ---- mutations -----------------------------------------------------------------------------------
// Numbers at which arithmetic goes wrong.
static void state_hostile_value(uint64_t random, uint8_t value[8]) {
    static const int64_t integers[] = {0,         1,         -1,        INT32_MAX, INT32_MIN, INT32_MAX - 1,
                                       1 << 30,   INT64_MAX, INT64_MIN, 1LL << 31, 1LL << 53, 1LL << 62,
                                       UINT32_MAX};
    static const double doubles[] = {NAN,    INFINITY, -INFINITY, 1e308, -1e308, 1e100,
                                     1e-308, 1e9,      -1e9,      1,     -1,     0.5};
    enum {
        integer_count = sizeof integers / sizeof *integers,
        double_count = sizeof doubles / sizeof *doubles
    };
    int64_t small = (int64_t)(random >> 8 & 63);
    if (random % 3 == 0) memcpy(value, &integers[random / 3 % integer_count], 8);
    else if (random % 3 == 1) memcpy(value, &doubles[random / 3 % double_count], 8);
    else memcpy(value, &small, 8);
}

// One change becomes another, or there is one more; a third is left to libFuzzer.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    Random random = {.state = seed};
    uint64_t choice = random_bits(&random);
    if (choice % 3 == 0 || size == 0 || most < 1 + change_bytes) return LLVMFuzzerMutate(data, size, most);
    if (choice % 16 == 1) data[0] = (uint8_t)(choice >> 32);
    size_t changes = (size - 1) / change_bytes, at = changes;
    bool again = changes > 0 && choice / 16 % 2 == 0;
    if (again || 1 + (changes + 1) * change_bytes > most) at = (size_t)(choice >> 16) % changes;
    uint8_t *d = data + 1 + at * change_bytes;
    uint64_t place = random_bits(&random);
    if (at == changes || choice / 32 % 2 == 0) memcpy(d, &place, 5); // another entry, item and kind
    if (at == changes || choice / 64 % 4 != 0) state_hostile_value(random_bits(&random), d + 5);
    return at == changes ? 1 + (changes + 1) * change_bytes : size;
}
