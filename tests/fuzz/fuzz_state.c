// Fuzz target of saved states: whatever a checkpoint behind its seal says, it is refused with a reason, or the
// simulation goes on from it without reading or writing where it must not.
//
// The bytes are changes to a good state: which model, and then for each change which entry, which item of it, and what
// it becomes. HDF5 is left out: a backend of its own hands over what HDF5 would.
//
//     fuzz_state -max_total_time=60 CORPUS tests/fuzz/states
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/archive_backend.h"
#include "base/threads.h"
#include "base/timer.h"
#include "base/watch.h"
#include "maraca/maraca.h"
#include "model/model.h"
#include "sim/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_state: %s\n", what);
    abort();
}

// ---- an archive that can be changed --------------------------------------------------------------
typedef struct StateEntry {
    ArchiveType type;
    size_t count;
    char *bytes; // malloc'ed
} StateEntry;

typedef struct StateArchive {
    Archive archive; // must be first
    ARRAY(StateEntry) entries;
    size_t next; // entry, while loading
} StateArchive;

static bool state_stored_count(Archive *archive, const char *name, ArchiveType type, size_t *count) {
    const StateArchive *own = (StateArchive *)archive;
    const StateEntry *entry = &own->entries.data[own->next];
    if (own->next >= own->entries.count || entry->type != type) {
        archive_fail(archive, MRC_CHECKPOINT, name, "it is stored as another type");
        return false;
    }
    *count = entry->count;
    return true;
}

static size_t state_stored_bytes(const Archive *archive) {
    const StateArchive *own = (const StateArchive *)archive;
    size_t bytes = 0;
    for (size_t k = 0; k < own->entries.count; k++)
        bytes += own->entries.data[k].count * archive_item_size(own->entries.data[k].type);
    return bytes;
}

static bool state_transfer(Archive *archive, const char *name, ArchiveType type, void *data, size_t count) {
    StateArchive *own = (StateArchive *)archive;
    size_t bytes = count * archive_item_size(type), stored;
    if (!archive->loading) {
        StateEntry entry = {type, count, malloc(bytes + 1)};
        require(entry.bytes != NULL, "memory");
        if (bytes) memcpy(entry.bytes, data, bytes);
        return array_push(&own->entries, entry);
    }
    if (!state_stored_count(archive, name, type, &stored)) return false;
    if (stored != count) {
        archive_fail(archive, MRC_CHECKPOINT, name, "%zu items are stored, %zu are expected", stored, count);
        return false;
    }
    if (bytes) memcpy(data, own->entries.data[own->next].bytes, bytes);
    own->next++;
    return true;
}

static void state_destroy(Archive *archive) { (void)archive; }

static const ArchiveBackend state_backend = {state_stored_count, state_transfer, state_stored_bytes,
                                             state_destroy};

// ---- models --------------------------------------------------------------------------------------
#define HEAD                                                                                                 \
    "maraca: 1\n"                                                                                            \
    "gravity: 0 0 -9.81 m/s^2\n"                                                                             \
    "materials:\n"                                                                                           \
    "  glass: {density: 2500 kg/m^3, young: 70 MPa, poisson: 0.2, friction: 0.4, restitution: 0.3}\n"
#define BED(method)                                                                                          \
    "grains:\n"                                                                                              \
    "  bed:\n"                                                                                               \
    "    port: box\n"                                                                                        \
    "    wall: {box: {size: [8 mm, 8 mm, 8 mm]}}\n"                                                          \
    "    particles: {radius: 1 mm, count: 30, material: glass}\n"                                            \
    "    packing: fcc\n" method
#define SMOOTH "    contact: {normal: hertz, tangential: mindlin}\n"
#define RIGID "    method: nonsmooth\n"
#define SPRING                                                                                               \
    "mechanism:\n"                                                                                           \
    "  bodies:\n"                                                                                            \
    "    box: {position: [0, 0, 0], mass: 50 g, inertia: 10 10 10 kg*mm^2}\n"                                \
    "  joints:\n"                                                                                            \
    "    guide: {prismatic: box, axis: z}\n"                                                                 \
    "  springs:\n"                                                                                           \
    "    coil: {between: box, offsets: [0 0 0 m, 0 0 0.05 m], stiffness: 1 kN/m, damping: 1 N*s/m}\n"
#define TIME "simulate: {duration: 10 ms, step: 0.05 ms}\n"

static const char *const texts[] = {
    HEAD TIME "ports: {box: {position: [0, 0, 1 mm*sin(100 rad/s*t)]}}\n" BED(SMOOTH),
    HEAD TIME "ports: {box: {position: [0, 0, 1 mm*sin(100 rad/s*t)]}}\n" BED(RIGID),
    HEAD TIME SPRING BED(RIGID) "coupling: {scheme: condensed}\n",
    HEAD TIME SPRING BED(SMOOTH) "coupling: {scheme: tight}\n",
    HEAD TIME SPRING BED(RIGID) "coupling: {scheme: explicit}\n",
    HEAD TIME SPRING BED(RIGID) "coupling: {scheme: monolithic}\n",
};
enum { state_models = sizeof texts / sizeof *texts };

static MrcModel *models[state_models];
static StateArchive saved[state_models];

static Sim *state_sim(int m) {
    MrcError error;
    Sim *sim = NULL;
    SimSetting setting = {0};
    MrcStatus status = sim_create(model_definition(models[m]), &setting, &sim, &error);
    if (status != MRC_OK) fprintf(stderr, "%s\n", error.text);
    require(status == MRC_OK, "a model cannot be simulated");
    return sim;
}

static void state_start(void) {
    MrcError error;
    threads_set(1);
    for (int m = 0; m < state_models; m++) {
        models[m] = mrc_model_parse(texts[m], strlen(texts[m]), "fuzz.yaml", NULL, 0);
        for (int i = 0; i < mrc_model_diagnostic_count(models[m]); i++)
            fprintf(stderr, "%d: %s\n", m, mrc_model_diagnostic(models[m], i)->text);
        require(mrc_model_status(models[m]) == MRC_OK, "a model is wrong");
        Sim *sim = state_sim(m);
        for (int k = 0; k < 40; k++) require(sim_step(sim, &error) == MRC_OK, "a step");
        saved[m].archive.backend = &state_backend;
        archive_begin(&saved[m].archive, false);
        sim_archive(sim, &saved[m].archive);
        require(archive_status(&saved[m].archive, &error) == MRC_OK, "saving");
        sim_destroy(sim);
    }
}

// ---- one input -----------------------------------------------------------------------------------
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool started;
    if (!started) state_start();
    started = true;
    if (size == 0) return 0;
    int m = data[0] % state_models;
    StateArchive archive = {.archive.backend = &state_backend};
    for (size_t k = 0; k < saved[m].entries.count; k++) {
        StateEntry entry = saved[m].entries.data[k];
        size_t bytes = entry.count * archive_item_size(entry.type);
        char *copy = malloc(bytes + 1);
        require(copy != NULL, "memory");
        if (bytes) memcpy(copy, entry.bytes, bytes);
        entry.bytes = copy;
        require(array_push(&archive.entries, entry), "memory");
    }
    for (size_t at = 1; at + 13 <= size; at += 13) {
        const uint8_t *d = data + at;
        StateChange change = {
            .entry = (uint16_t)(d[0] | d[1] << 8), .item = (uint16_t)(d[2] | d[3] << 8), .kind = d[4]};
        memcpy(change.value, d + 5, 8);
        state_change(&archive, &change);
    }
    Sim *sim = state_sim(m);
    MrcError error = {.text = ""};
    archive_begin(&archive.archive, true);
    sim_archive(sim, &archive.archive);
    MrcStatus status = archive_status(&archive.archive, &error);
    require(status == MRC_OK || error.text[0], "a state is refused without a reason");
    // A state may be one whose contacts take minutes to solve; whoever does not want to wait stops it.
    static const volatile int stop = 1;
    Watch watch = {.stop = &stop, .patience = timer_wall() + 2};
    watch_set(&watch);
    for (int k = 0; k < 6 && status == MRC_OK; k++) {
        status = sim_step(sim, &error);
        if (status == MRC_OK && k % 2 == 0) status = sim_sample(sim, &error);
        require(status == MRC_OK || error.text[0], "a step fails without a reason");
    }
    watch_set(NULL);
    sim_destroy(sim);
    for (size_t k = 0; k < archive.entries.count; k++) free(archive.entries.data[k].bytes);
    array_free(&archive.entries);
    return 0;
}
