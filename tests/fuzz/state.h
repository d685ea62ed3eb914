// Saved states that can be changed, of a number of small models: what fuzz_state throws bytes at, and what
// tests/sim/test_hostile_states.c tries one number after the other. HDF5 is left out: a backend of its own hands over what
// HDF5 would.
#ifndef FUZZ_STATE_H
#define FUZZ_STATE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/archive_backend.h"
#include "base/timer.h"
#include "base/watch.h"
#include "maraca/maraca.h"
#include "model/model.h"
#include "output/summary.h"
#include "sim/sim.h"
#include "state_models.h"

enum { steps_before = 160, steps_after = 2 }; // the state is saved, and when it has been loaded

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "saved states: %s\n", what);
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
static MrcModel *models[state_models];
static StateArchive saved[state_models];

static Sim *state_sim(int m) {
    MrcError error;
    Sim *sim = NULL;
    SimSetting setting = {0};
    MrcStatus status = sim_create(model_definition(models[m]), &setting, &sim, &error);
    if (status != MRC_OK) fprintf(stderr, "%d: %s\n", m, error.text);
    require(status == MRC_OK, "a model cannot be simulated");
    return sim;
}

static void state_model_start(int m) {
    MrcError error;
    models[m] = mrc_model_parse(state_texts[m], strlen(state_texts[m]), "fuzz.yaml", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(models[m]); i++)
        fprintf(stderr, "%d: %s\n", m, mrc_model_diagnostic(models[m], i)->text);
    require(mrc_model_status(models[m]) == MRC_OK, "a model is wrong");
    Sim *sim = state_sim(m);
    for (int k = 0; k < steps_before; k++) require(sim_step(sim, &error) == MRC_OK, "a step");
    saved[m].archive.backend = &state_backend;
    archive_begin(&saved[m].archive, false);
    sim_archive(sim, &saved[m].archive);
    require(archive_status(&saved[m].archive, &error) == MRC_OK, "saving");
    sim_destroy(sim);
}

static void state_free(StateArchive *archive) {
    for (size_t k = 0; k < archive->entries.count; k++) free(archive->entries.data[k].bytes);
    array_free(&archive->entries);
}

static inline void state_model_end(int m) {
    state_free(&saved[m]);
    mrc_model_free(models[m]);
    models[m] = NULL;
}

static StateArchive state_copy(const StateArchive *from) {
    StateArchive to = {.archive.backend = &state_backend};
    for (size_t k = 0; k < from->entries.count; k++) {
        StateEntry entry = from->entries.data[k];
        size_t bytes = entry.count * archive_item_size(entry.type);
        char *copy = malloc(bytes + 1);
        require(copy != NULL, "memory");
        if (bytes) memcpy(copy, entry.bytes, bytes);
        entry.bytes = copy;
        require(array_push(&to.entries, entry), "memory");
    }
    return to;
}

// Goes on from the state, and tells what a run tells at its end.
static void state_go_on(Sim *sim) {
    MrcError error = {.text = ""};
    // A state may be one whose contacts take minutes to solve; whoever does not want to wait stops it.
    static const volatile int stop = 1;
    Watch watch = {.stop = &stop, .patience = timer_wall() + 4};
    MrcStatus status = MRC_OK;
    watch_set(&watch);
    for (int k = 0; k < steps_after && status == MRC_OK; k++) {
        status = sim_step(sim, &error);
        if (status == MRC_OK) status = sim_sample(sim, &error);
        require(status == MRC_OK || error.text[0], "a step fails without a reason");
    }
    watch_set(NULL);
    if (status != MRC_OK) return;
    MrcFacts *facts = facts_create();
    require(facts != NULL, "memory");
    summary_sim_facts(sim, &facts->list);
    tallies_facts(&sim->tallies, &sim->recorder, &facts->list);
    mrc_facts_free(facts);
}

// Makes a simulation, loads the state and goes on from it. It is refused with a reason, or nothing bad happens. Returns the
// status of loading.
static MrcStatus state_try(int m, StateArchive *archive, MrcError *error) {
    Sim *sim = state_sim(m);
    *error = (MrcError){.text = ""};
    archive->next = 0;
    archive_begin(&archive->archive, true);
    sim_archive(sim, &archive->archive);
    MrcStatus status = archive_status(&archive->archive, error);
    require(status == MRC_OK || error->text[0], "a state is refused without a reason");
    if (status == MRC_OK) state_go_on(sim);
    sim_destroy(sim);
    return status;
}

#endif
