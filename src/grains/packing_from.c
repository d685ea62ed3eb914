// The grains as another run left them: it has written them to end-NAME.csv in its folder (record: {end: true}).
#include "base/text.h"
#include "grains/grain_sizes.h"
#include "grains/packing_internal.h"

static const SchemaKey packing_from_keys[] = {
    {"run", TEXT(PackingDefinition, path), .required = true,
     .doc = "The folder of the run, relative to this file. That run must have `record: {end: true}`."},
    {"bed", TEXT(PackingDefinition, bed), .fallback_words = "that of the same name",
     .doc = "Which of its beds."},
};
static const SchemaObject packing_from_schema = {
    .name = "from",
    .doc = "Grains begin where they were at the end of another run, with the velocities that they had "
           "against their "
           "port. Their number and sizes are those of that run; `particles` says what they are made of.",
    .size = sizeof(PackingDefinition),
    .short_key = "run",
    SCHEMA_KEYS(packing_from_keys),
    .example = "packing: {from: fill.run}\n",
};

static void packing_from_describe(const PackingDefinition *packing, Text *text) {
    text_add(text, "as the run %s left them", packing->path);
}

static const char *const *packing_from_member(const PackingDefinition *packing) {
    return packing->path ? &packing->path : NULL;
}

const PackingType packing_type_from = {
    .schema = {.alternative = {.key = "from",
                               .object = &packing_from_schema,
                               .doc = "As another run left them."}},
    .given = true,
    .of_run = true,
    .check = packing_file_check,
    .file = packing_from_member,
    .describe = packing_from_describe,
    .place = packing_file_place,
};
