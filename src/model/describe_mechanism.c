// The mechanism in words: each part describes itself (src/mechanism/part_table.h).
#include "mechanism/part_type.h"
#include "model/describe.h"

enum { SHOWN_MAX = 20 }; // of each type; the rest is counted

// PartContext.written: the value of mechanism.LIST.NAME.KEY.
static const char *describe_written(const void *file, const char *list, const char *name, const char *key) {
    const YamlNode *mechanism = yaml_get(file, "mechanism");
    const YamlNode *map = mechanism ? yaml_get(mechanism, list) : NULL;
    const YamlNode *part = map ? yaml_get(map, name) : NULL;
    const YamlNode *value = part ? yaml_get(part, key) : NULL;
    return value && value->kind == YAML_SCALAR ? value->text : NULL;
}

static void describe_list(Text *text, const char *before, const char **names, int count) {
    for (int i = 0; i < count; i++) text_add(text, "%s%s", i ? ", " : before, names[i]);
}

void describe_mechanism(Text *text, const SimDefinition *d, const YamlNode *tree) {
    const MechanismDefinition *m = &d->mechanism;
    PartContext context = {d->materials, d->material_count, describe_written, tree};
    if (!d->has_mechanism) return;
    for (const PartRow *row = part_rows; row->type; row++) {
        int count = part_count(m, row);
        if (!row->type->describe) continue;
        for (int i = 0; i < count && i < SHOWN_MAX; i++)
            row->type->describe(part_at(m, row, i), &context, text);
        if (count > SHOWN_MAX) text_add(text, "And %d more %s.\n", count - SHOWN_MAX, row->type->plural);
    }
    if (m->formulation == FORMULATION_RELATIVE) {
        text_add_string(text, "The mechanism is computed in relative coordinates");
        describe_list(text, ", its loops cut at ", m->cut, m->cut_count);
        describe_list(text, ", independent: ", m->independent, m->independent_count);
        text_add_string(text, ".\n");
    }
    text_add(text, "The mechanism starts %s; rho_inf is %.4g.\n",
             m->start == START_EQUILIBRIUM ? "in its static equilibrium" : "as it is written",
             m->integrator.rho_inf);
}
