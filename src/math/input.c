#include "math/input.h"

#include <math.h>
#include <string.h>

bool inputs_create(Inputs *inputs, Arena *arena, const InputDefinition *definitions, int count) {
    *inputs = (Inputs){.definitions = definitions, .count = count};
    inputs->values = arena_alloc(arena, (size_t)count * sizeof *inputs->values + 1);
    for (int i = 0; inputs->values && i < count; i++) inputs->values[i] = NAN;
    return inputs->values != NULL;
}

bool inputs_set(Inputs *inputs, int index, double value) {
    if (!isfinite(value)) return false;
    inputs->values[index] = value;
    return true;
}

void inputs_copy(Inputs *to, const Inputs *from) {
    for (int i = 0; i < from->count; i++) to->values[i] = from->values[i];
}

Jet input_jet(const InputDefinition *definition, double t) {
    return definition->table ? table_jet(definition->table, t) : (Jet){.value = definition->fallback};
}

Jet inputs_jet(const Inputs *inputs, int index, double t) {
    double value = inputs->values[index];
    return isnan(value) ? input_jet(&inputs->definitions[index], t) : (Jet){.value = value};
}

int input_find(const InputDefinition *definitions, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(definitions[i].name, name) == 0) return i;
    return -1;
}

void inputs_archive(Inputs *inputs, Archive *archive) {
    archive_doubles(archive, "values", inputs->values, (size_t)inputs->count);
    for (int i = 0; i < inputs->count; i++)
        if (isinf(inputs->values[i]))
            archive_fail(archive, MRC_CHECKPOINT, "values", "input '%s' is infinite",
                         inputs->definitions[i].name);
}
