// The packing `settle`: keys, words and checks of the model file; beds that have been settled before come from the cache,
// others from settle.c, around what was dug out by settle_dig.c.
#include <stdlib.h>

#include "base/text.h"
#include "grains/settle.h"

static MrcStatus settle_and_dig(const Room *room, const GrainsSetting *setting, double gravity,
                                GrainStore *store, MrcError *error) {
    if (!settle_digs(&room->definition->packing))
        return settle_bed(room, setting, gravity, false, store, error);
    GrainsDefinition definition;
    Room before;
    MrcStatus status = settle_leave_out(room, &definition, &before, error);
    if (status == MRC_OK) status = settle_bed(&before, setting, gravity, false, store, error);
    memory_free(definition.walls);
    memory_free(before.walls);
    if (status == MRC_OK) status = settle_dig(room, store, error);
    return status == MRC_OK ? settle_bed(room, setting, gravity, true, store, error) : status;
}

static void settle_note_dug(const Room *room, const GrainsSetting *setting, size_t before, size_t left) {
    if (left == before || !setting->watch || !setting->watch->log) return;
    log_note(setting->watch->log,
             "grains '%s': %zu of %zu grains were taken away after settling, above the 'depth' or in the "
             "place of walls "
             "'without'; %zu are left",
             room->definition->name, before - left, before, left);
}

static MrcStatus settle_place(const Room *room, const GrainsSetting *setting, GrainStore *store,
                              MrcError *error) {
    const PackingDefinition *packing = &room->definition->packing;
    double gravity = vec3_norm(setting->gravity);
    size_t before = store->count;
    if (!(gravity > 0) && !(vec3_norm(packing->direction) > 0))
        return error_set(error, MRC_PACKING,
                         "grains '%s' cannot settle without gravity; give the 'direction' of the fall",
                         room->definition->name);
    if (!(gravity > 0)) gravity = 9.81;
    char *identity = packing->cache ? settle_identity(room, setting, store, "settled") : NULL;
    if (identity && settle_cache_load(identity, store)) {
        if (setting->watch && setting->watch->log)
            log_note(setting->watch->log,
                     "grains '%s': this bed has been settled before and is taken from "
                     "the cache",
                     room->definition->name);
        settle_note_dug(room, setting, before, store->count);
        free(identity);
        if (setting->watch) settle_note_depth(room, store, setting->watch->log);
        return MRC_OK;
    }
    MrcStatus status = settle_and_dig(room, setting, gravity, store, error);
    if (status == MRC_OK && identity) settle_cache_save(identity, store);
    if (status == MRC_OK) settle_note_dug(room, setting, before, store->count);
    free(identity);
    if (status == MRC_OK && setting->watch) settle_note_depth(room, store, setting->watch->log);
    return status;
}

// ---- the packing ---------------------------------------------------------------------------------
static const SchemaKey packing_settle_keys[] = {
    PACKING_REGION,
    {"direction", AXIS(PackingDefinition, direction), .fallback_words = "that of gravity",
     .doc = "Where the grains fall to, in the axes of the port; needed when there is no gravity."},
    {"shakes", INTEGER(PackingDefinition, shakes), .range = FROM_TO(0, 1000), .fallback = "5",
     .doc = "How often the bed is shaken at most; it ends when shaking does not make it lower any more."},
    {"stages", INTEGER(PackingDefinition, stages), .range = FROM_TO(1, 1000), .fallback = "1",
     .doc = "Portions in which the grains are poured, one after the other has come to rest. Several kinds of "
            "grains come in their order, not mixed: they lie in layers."},
    {"seed", INTEGER(PackingDefinition, seed), .range = AT_LEAST(0), .fallback = "1",
     .doc = "Another whole number gives another bed; the same number always the same one."},
    {"limit", QUANTITY(PackingDefinition, limit), .dimension = DIM_TIME, .range = POSITIVE,
     .fallback = "10 s", .doc = "Simulated time after which a bed that is still moving is given up."},
    {"depth", QUANTITY(PackingDefinition, depth), .dimension = DIM_LENGTH, .range = POSITIVE,
     .fallback_words = "that of all grains",
     .doc = "The bed is made level: afterwards, grains whose centre is higher above the bottom of the room "
            "are taken "
            "away."},
    {"without", TEXTS(PackingDefinition, without, without_count), .fallback_words = "none",
     .doc = "Walls that are not there while the grains settle, such as tools and sleepers. Afterwards, "
            "grains in their "
            "place are taken away, and the rest comes to rest around them, until it also holds when friction "
            "begins anew."},
    {"cache", BOOLEAN(PackingDefinition, cache), .fallback = "true",
     .doc = "Keep the settled bed in $XDG_CACHE_HOME/maraca (~/.cache/maraca) and take it from there the "
            "next time; "
            "results are the same either way."},
};
static const SchemaObject packing_settle_schema = {
    .name = "settle",
    .doc =
        "Grains start loosely, fall, are shaken gently and come to rest, before the simulation begins. "
        "Walls stay where they are at the start of the simulation. Friction begins anew with it: places are "
        "kept, forces are not. In a smooth bed walls therefore carry nothing by friction at first, and the "
        "load is less than the weight until the grains have sunk by a part of their overlap, in about the "
        "time in which one falls by a radius.",
    .size = sizeof(PackingDefinition),
    SCHEMA_KEYS(packing_settle_keys),
};

static void settle_check(const GrainsDefinition *d, Vec3 gravity, const Findings *findings) {
    if (!(vec3_norm(gravity) > 0) && !(vec3_norm(d->packing.direction) > 0))
        findings_error(
            findings, &d->packing.kind,
            "grains cannot settle without gravity; give 'gravity', or the 'direction' of the fall");
    settle_check_dig(d, findings);
}

static Vec3 settle_direction(const PackingDefinition *packing) { return packing->direction; }

static void settle_describe(const PackingDefinition *packing, Text *text) {
    const Vec3 way = packing->direction;
    if (vec3_norm(way) > 0)
        text_add(text, "at rest, after falling towards %.4g %.4g %.4g", way.x, way.y, way.z);
    else text_add_string(text, "at rest, after falling under gravity");
    if (packing->stages > 1) text_add(text, " in %lld portions", (long long)packing->stages);
    if (packing->shakes > 0)
        text_add(text, " and at most %lld gentle shake%s", (long long)packing->shakes,
                 packing->shakes == 1 ? "" : "s");
    if (settle_digs(packing)) text_add_string(text, "; then grains are taken away");
    if (packing->depth > 0) text_add(text, " above a depth of %.4g mm", 1e3 * packing->depth);
    for (int k = 0; k < packing->without_count; k++)
        text_add(text, "%s%s",
                 k > 0                ? ", "
                 : packing->depth > 0 ? " and in the place of "
                                      : " in the place of ",
                 packing->without[k]);
}

const PackingType packing_type_settle = {
    .schema = {.alternative = {.key = "settle",
                               .object = &packing_settle_schema,
                               .doc = "At rest under gravity, as poured in."}},
    .check = settle_check,
    .direction = settle_direction,
    .describe = settle_describe,
    .place = settle_place,
};
