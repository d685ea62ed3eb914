#include "math/input.h"

#include <math.h>
#include <string.h>

bool inputs_create(Inputs *inputs, Arena *arena, const InputDefinition *definitions, int count) {
    *inputs = (Inputs){.definitions = definitions, .count = count};
    inputs->values = arena_alloc(arena, (size_t)count * sizeof *inputs->values + 1);
    inputs->is_set = arena_alloc(arena, (size_t)count * sizeof *inputs->is_set + 1);
    return inputs->values && inputs->is_set;
}

bool inputs_set(Inputs *inputs, int index, double value) {
    if (!isfinite(value)) return false;
    inputs->values[index] = value;
    inputs->is_set[index] = true;
    return true;
}

Jet input_jet(const InputDefinition *definition, double t) {
    return definition->table ? table_jet(definition->table, t) : (Jet){.value = definition->fallback};
}

Jet inputs_jet(const Inputs *inputs, int index, double t) {
    if (inputs->is_set[index]) return (Jet){.value = inputs->values[index]};
    return input_jet(&inputs->definitions[index], t);
}

int input_find(const InputDefinition *definitions, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(definitions[i].name, name) == 0) return i;
    return -1;
}

// By name, so that an archive of other inputs is refused.
void inputs_archive(Inputs *inputs, Archive *archive) {
    for (int i = 0; i < inputs->count; i++) {
        int32_t set = inputs->is_set[i];
        archive_group_begin(archive, inputs->definitions[i].name);
        archive_int32s(archive, "set", &set, 1);
        archive_doubles(archive, "value", &inputs->values[i], 1);
        archive_group_end(archive, inputs->definitions[i].name);
        if (!isfinite(inputs->values[i]))
            archive_fail(archive, MRC_CHECKPOINT, inputs->definitions[i].name, "it is not a finite number");
        inputs->is_set[i] = set != 0;
    }
}
