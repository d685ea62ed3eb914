#include "sim/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grains/grain_sizes.h"
#include "grains/law.h"
#include "sim/recorder.h"
#include "sim/shaking.h"

static const double resolve_fall_radii = 20;

GrainsSetting sim_grains_setting(const SimDefinition *d) {
    return (GrainsSetting){.materials = d->materials,
                           .material_count = d->material_count,
                           .pairs = d->pairs,
                           .pair_count = d->pair_count};
}

bool sim_steps(const SimDefinition *d, const GrainsDefinition *grains, GrainsSteps *steps) {
    GrainsSetting setting = sim_grains_setting(d);
    return time_steps_of_bed(grains, &setting, steps);
}

BedsSteps sim_beds_steps(const SimDefinition *d, bool yields) {
    return (BedsSteps){.step = d->simulate.step,
                       .divide = yields,
                       .interval = d->coupling.interval,
                       .halvings = d->coupling.energy_tolerance > 0 ? d->coupling.most_cuts : 0};
}

// Smooth grains without any key about their stiffness, as when only the word of the method was changed: the stiffness
// is sized for the known motion, or for a fall through some grains, and friction is elastic.
static void resolve_unsaid_contact(const SimDefinition *d, GrainsDefinition *grains) {
    ContactDefinition *c = &grains->contact;
    bool unsaid = !grains_are_rigid(grains) && !law_normal(c->normal)->elastic_bodies &&
                  !c->stiffness_given && !(c->stiffness > 0) && c->source == STIFFNESS_GIVEN &&
                  c->max_overlap > 0;
    if (!unsaid) return;
    double speed = fmax(shaking_of_bed(d, grains).speed, shaking_thrown_speed(grains)),
           radius = grain_sizes_mean_radius(&grains->particles), fed = -1;
    for (int k = 0; k < d->flow.inlet_count; k++)
        if (d->flow.inlets[k].bed && strcmp(d->flow.inlets[k].bed, grains->name) == 0)
            fed = fmax(fed, vec3_norm(d->flow.inlets[k].velocity));
    if (!(speed > 0) || fed >= 0) { // grains that come fall in, however slowly the walls move
        fed = fmax(fed, 0);
        speed = fmax(speed, sqrt(2 * vec3_norm(d->gravity) * resolve_fall_radii * radius + fed * fed));
    }
    if (!(speed > 0)) return;
    c->source = STIFFNESS_SIZED;
    if (!(c->sizing.speed > 0)) c->sizing.speed = speed;
    if (c->tangential_given) return;
    int own = material_find(d->materials, d->material_count, grains->particles.material);
    if (own >= 0 && d->materials[own].friction > 0) c->tangential = TANGENTIAL_ELASTIC;
}

void sim_resolve_contact(const SimDefinition *d, GrainsDefinition *grains) {
    ContactDefinition *contact = &grains->contact;
    resolve_unsaid_contact(d, grains);
    if (grains_need_speed(grains) && contact->impact_speed == 0) {
        contact->impact_speed = shaking_impact_speed(d, grains);
        for (int k = 0; k < d->flow.inlet_count; k++)
            if (d->flow.inlets[k].bed && strcmp(d->flow.inlets[k].bed, grains->name) == 0)
                contact->impact_speed = fmax(contact->impact_speed, vec3_norm(d->flow.inlets[k].velocity));
        // Where nothing bounds the fall, or grains fall in: the speed that contacts were sized for.
        if (contact->source == STIFFNESS_SIZED && (!(contact->impact_speed > 0) || grains->fed))
            contact->impact_speed = fmax(contact->impact_speed, contact->sizing.speed);
    }
    if (contact->source != STIFFNESS_SIZED) return;
    SizingDefinition *sizing = &contact->sizing;
    if (sizing->speed > 0 && sizing->frequency > 0) return;
    Shaking shaking = shaking_of_bed(d, grains);
    if (sizing->speed == 0) sizing->speed = fmax(shaking.speed, shaking_thrown_speed(grains));
    if (sizing->frequency == 0) sizing->frequency = shaking.frequency;
}

static void resolve_periods(SimDefinition *d) {
    PeriodsDefinition *periods = &d->periods;
    for (int p = 0; periods->port && periods->frequency == 0 && p < d->port_count; p++)
        if (strcmp(d->ports[p].name, periods->port) == 0 && simulate_planned(&d->simulate) > 0)
            periods->frequency = shaking_of_port(&d->ports[p], simulate_planned(&d->simulate), 1).frequency;
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

static void resolve_inlets(SimDefinition *d) {
    for (int k = 0; k < d->flow.inlet_count; k++)
        for (int g = 0; g < d->grains_count; g++)
            if (d->flow.inlets[k].bed && strcmp(d->flow.inlets[k].bed, d->grains[g].name) == 0)
                d->grains[g].fed = true;
}

void sim_resolve(SimDefinition *d) {
    resolve_inlets(d);
    for (int g = 0; g < d->grains_count; g++) sim_resolve_contact(d, &d->grains[g]);
    resolve_periods(d);
    resolve_step(d);
}

// ---- what depends on the duration ----------------------------------------------------------------
static bool resolve_same_contact(const ContactDefinition *a, const ContactDefinition *b) {
    return a->stiffness == b->stiffness && a->wall_stiffness == b->wall_stiffness &&
           a->impact_speed == b->impact_speed && a->sizing.speed == b->sizing.speed &&
           a->sizing.frequency == b->sizing.frequency;
}

void sim_differences(const SimDefinition *a, const SimDefinition *b, char *text, size_t size) {
    bool contacts = true;
    for (int g = 0; g < a->grains_count; g++)
        contacts = contacts && resolve_same_contact(&a->grains[g].contact, &b->grains[g].contact);
    const struct {
        bool same;
        const char *words;
    } values[] = {
        {a->simulate.step == b->simulate.step, "the step"},
        {contacts, "the speed or stiffness of contacts"},
        {record_every(a) == record_every(b), "the time between samples"},
        {a->periods.frequency == b->periods.frequency, "the frequency of the periods"},
    };
    size_t length = 0;
    text[0] = '\0';
    for (size_t k = 0; k < sizeof values / sizeof *values && length < size; k++)
        if (!values[k].same)
            length +=
                (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", values[k].words);
}
