#include "sim/resolve.h"

#include <math.h>
#include <string.h>

#include "sim/shaking.h"

bool sim_steps(const SimDefinition *d, const GrainsDefinition *grains, GrainsSteps *steps) {
    GrainsSetting setting = {.materials = d->materials,
                             .material_count = d->material_count,
                             .pairs = d->pairs,
                             .pair_count = d->pair_count};
    return steps_of_bed(grains, &setting, steps);
}

static void resolve_contact(const SimDefinition *d, GrainsDefinition *grains) {
    ContactDefinition *contact = &grains->contact;
    if (grains_need_speed(grains) && contact->impact_speed == 0)
        contact->impact_speed = shaking_impact_speed(d, grains);
    if (contact->source != STIFFNESS_SIZED) return;
    SizingDefinition *sizing = &contact->sizing;
    if (sizing->speed > 0 && sizing->frequency > 0) return;
    Shaking shaking = shaking_of_bed(d, grains);
    if (sizing->speed == 0) sizing->speed = shaking.speed;
    if (sizing->frequency == 0) sizing->frequency = shaking.frequency;
}

static void resolve_periods(SimDefinition *d) {
    PeriodsDefinition *periods = &d->periods;
    for (int p = 0; periods->port && periods->frequency == 0 && p < d->port_count; p++)
        if (strcmp(d->ports[p].name, periods->port) == 0 && d->simulate.duration > 0)
            periods->frequency = shaking_of_port(&d->ports[p], d->simulate.duration, 1).frequency;
}

static void resolve_step(SimDefinition *d) {
    double step = INFINITY;
    if (d->simulate.source != STEP_AUTO) return;
    for (int g = 0; g < d->grains_count; g++) {
        GrainsSteps steps;
        if (!sim_steps(d, &d->grains[g], &steps)) return;
        step = fmin(step, steps.suggested);
    }
    if (isfinite(step)) d->simulate.step = step;
}

void sim_resolve(SimDefinition *d) {
    for (int g = 0; g < d->grains_count; g++) resolve_contact(d, &d->grains[g]);
    resolve_periods(d);
    resolve_step(d);
}
