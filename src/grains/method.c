// The table of methods, and the functions of a bed's method before grains are created.
#include "grains/method.h"

#include <assert.h>

#define METHOD_POINTER(number, name) [number] = &method_##name,
static const GrainsMethod *const grains_methods[] = {GRAIN_METHODS(METHOD_POINTER)};
#define METHOD_CHOICE(number, name) &method_##name.choice,
const SchemaChoice *const grains_method_choices[] = {GRAIN_METHODS(METHOD_CHOICE) NULL};

const GrainsMethod *grains_method(const GrainsDefinition *d) {
    assert(d->method >= 0 && d->method < GRAIN_METHOD_COUNT);
    return grains_methods[d->method];
}

int grains_method_of_springs(void) { return METHOD_SMOOTH; }

int grains_method_alternative(const GrainsDefinition *d) {
    for (int k = 0; k < GRAIN_METHOD_COUNT; k++)
        if ((grains_methods[k]->rigid != NULL) != grains_are_rigid(d)) return k;
    return d->method;
}

bool grains_takes_substeps(const GrainsDefinition *d) { return grains_method(d)->substeps; }
bool grains_are_rigid(const GrainsDefinition *d) { return grains_method(d)->rigid; }
bool grains_need_speed(const GrainsDefinition *d) { return grains_method(d)->needs_speed(d); }

void grains_check(const GrainsModel *model, const Findings *findings) {
    grains_method(model->grains)->check(model, findings);
}

void grains_check_effect(const GrainsModel *model, const Findings *findings) {
    const GrainsMethod *method = grains_method(model->grains);
    if (method->check_effect) method->check_effect(model, findings);
}

void grains_describe_contacts(const GrainsModel *model, struct Text *text) {
    const GrainsDefinition *d = model->grains;
    const Material *materials = model->setting->materials;
    int count = model->setting->material_count;
    const Material *grain = material_by_name(materials, count, d->particles.material);
    const Material *wall =
        d->wall_count > 0 ? material_by_name(materials, count, d->walls[0].material) : NULL;
    if (grain) grains_method(d)->describe(model, grain, wall ? wall : grain, text);
}
