// Contacts: what the method and the laws of a bed ask for, and pairs of materials.
#include <string.h>

#include "grains/grains.h"
#include "model/check.h"

static GrainsSetting check_setting(const SimDefinition *d) {
    return (GrainsSetting){.materials = d->materials,
                           .material_count = d->material_count,
                           .pairs = d->pairs,
                           .pair_count = d->pair_count};
}

void check_contact(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains) {
    GrainsSetting setting = check_setting(d);
    Findings findings = loader_findings(loader);
    grains_check(&(GrainsModel){grains, &setting, d->simulate.source == STEP_AUTO}, &findings);
}

void check_effect(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains) {
    GrainsSetting setting = check_setting(d);
    Findings findings = loader_findings(loader);
    grains_check_effect(&(GrainsModel){grains, &setting, d->simulate.source == STEP_AUTO}, &findings);
}

static bool check_same_pair(const MaterialPair *a, const MaterialPair *b) {
    return (strcmp(a->first, b->first) == 0 && strcmp(a->second, b->second) == 0) ||
           (strcmp(a->first, b->second) == 0 && strcmp(a->second, b->first) == 0);
}

void check_pairs(Loader *loader, const SimDefinition *d) {
    for (int i = 0; i < d->pair_count; i++) {
        const MaterialPair *pair = &d->pairs[i];
        if (!pair->first || !pair->second) continue;
        if (pair->friction < 0 && pair->restitution < 0 && pair->rolling_friction < 0 &&
            pair->spinning_friction < 0)
            diagnostics_error(loader->diagnostics, loader_place(loader, &pair->name),
                              "'%s' gives no coefficient: expected 'friction', 'restitution', "
                              "'rolling_friction' or 'spinning_friction'",
                              pair->name);
        for (int k = 0; k < i; k++) {
            if (!d->pairs[k].first || !d->pairs[k].second || !check_same_pair(pair, &d->pairs[k])) continue;
            diagnostics_error(
                loader->diagnostics, loader_place(loader, &pair->name),
                "'%s' is between '%s' and '%s' like '%s' (line %d); their coefficients are given once",
                pair->name, pair->first, pair->second, d->pairs[k].name,
                loader_place(loader, &d->pairs[k].name).line);
        }
    }
}
