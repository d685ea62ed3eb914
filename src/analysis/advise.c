// `maraca advise`: figures first (advise_bed), then words and JSON.
#include "analysis/advise.h"

#include <math.h>
#include <stdio.h>

#include "analysis/advise_coupling.h"
#include "base/json.h"
#include "grains/law.h"
#include "grains/packing.h"
#include "grains/sizing.h"
#include "maraca/maraca.h"
#include "math/human.h"
#include "model/model.h"
#include "sim/resolve.h"

// ---- figures -------------------------------------------------------------------------------------
static const Material *material_of(const SimDefinition *d, const GrainsDefinition *grains) {
    int index = material_find(d->materials, d->material_count, grains->particles.material);
    return index < 0 ? NULL : &d->materials[index];
}

static StiffnessAdvice advise_stiffness(const GrainsDefinition *grains, const Material *material,
                                        const BedAdvice *bed) {
    const SizingDefinition *sizing = &grains->contact.sizing;
    double speed = sizing->speed > 0 ? sizing->speed : bed->shaking.speed;
    double frequency = sizing->frequency > 0 ? sizing->frequency : bed->shaking.frequency;
    StiffnessAdvice k = {
        .material = NAN, .overlap = NAN, .safe = NAN, .duration = NAN, .chosen = NAN, .now = NAN};
    k.speed_up = NAN;
    if (!law_normal(grains->contact.normal)->elastic_bodies)
        k.now = sizing_stiffness(grains, material, material, false);
    if (material->young > 0 && bed->impact_speed > 0)
        k.material = sizing_material_stiffness(bed->impact_speed, bed->mass / 2, bed->radius / 2,
                                               material_effective_young(material, material));
    if (speed > 0) {
        k.overlap = sizing_overlap_stiffness(bed->mass, bed->radius, speed, sizing->beta, sizing->overlap);
        k.safe = sizing_overlap_stiffness(bed->mass, bed->radius, speed, sizing->beta, 2 * sizing->overlap);
    }
    if (frequency > 0)
        k.duration = sizing_duration_stiffness(bed->mass / 2, 1 / frequency, sizing->contacts_per_period);
    if (speed > 0) k.chosen = fmin(fmax(k.overlap, k.duration), k.material); // fmin and fmax pass over NAN
    k.speed_up = sqrt(k.material / k.chosen);
    return k;
}

// The step of the same bed with linear springs of the stiffness chosen.
static double sized_step(const SimDefinition *d, const GrainsDefinition *grains, const BedAdvice *bed) {
    GrainsDefinition sized = *grains;
    GrainsSteps steps;
    sized.contact.normal = NORMAL_LINEAR;
    sized.contact.source = STIFFNESS_SIZED;
    sized.contact.stiffness = sized.contact.wall_stiffness = 0;
    sized.contact.tangential = law_tangential_beside(NORMAL_LINEAR, grains->contact.tangential);
    sized.contact.impact_speed = bed->impact_speed;
    if (sized.contact.sizing.speed == 0) sized.contact.sizing.speed = bed->shaking.speed;
    if (sized.contact.sizing.frequency == 0) sized.contact.sizing.frequency = bed->shaking.frequency;
    bool known = isfinite(bed->stiffness.chosen) && sim_steps(d, &sized, &steps);
    return known ? steps.suggested : NAN;
}

// Does a wall ride on the mechanism?
static bool rides(const SimDefinition *d, const GrainsDefinition *grains) {
    for (int w = 0; w < grains->wall_count; w++) {
        const char *name = grains->walls[w].port ? grains->walls[w].port : grains->port;
        bool imposed = !name;
        for (int p = 0; name && p < d->port_count; p++)
            imposed = imposed || (strcmp(d->ports[p].name, name) == 0 && !d->ports[p].node);
        if (!imposed) return true;
    }
    return false;
}

// The step that the grains take: with a mechanism, smooth ones divide its step as they need it.
static double own_step(const SimDefinition *d, const GrainsDefinition *grains, const BedAdvice *bed) {
    double h = d->simulate.step, suggested = bed->has_steps ? bed->steps.suggested : INFINITY;
    bool coupled = false;
    for (int g = 0; g < d->grains_count; g++) coupled = coupled || rides(d, &d->grains[g]);
    if (!coupled || !grains_takes_substeps(grains)) return h;
    if (d->coupling.interval > 0) return h / (double)d->coupling.interval;
    return suggested < h ? h / ceil(h / suggested - 1e-6) : h;
}

BedAdvice advise_bed(const SimDefinition *d, const GrainsDefinition *grains) {
    const Material *material = material_of(d, grains);
    BedAdvice bed = {.radius = sizing_mean_radius(&grains->particles), .shaking = shaking_of_bed(d, grains)};
    size_t count = 0;
    if (!material) return bed;
    bed.mass = material->density * 4.0 / 3.0 * M_PI * pow(bed.radius, 3);
    if (packing_count(grains, material->density, &count, NULL) == MRC_OK) bed.count = (double)count;
    bed.impact_speed =
        grains->contact.impact_speed > 0 ? grains->contact.impact_speed : shaking_impact_speed(d, grains);
    bed.has_steps = sim_steps(d, grains, &bed.steps);
    bed.stiffness = advise_stiffness(grains, material, &bed);
    bed.sized_step = sized_step(d, grains, &bed);
    bed.on_mechanism = rides(d, grains);
    bed.step = own_step(d, grains, &bed);
    return bed;
}

// ---- words ---------------------------------------------------------------------------------------
static void add_value(Text *text, const char *what, double value, Dimension dimension, const char *remark) {
    text_add(text, "    %-34s", what);
    if (isfinite(value)) human_add(text, value, dimension);
    else text_add_string(text, "-");
    text_add(text, "%s%s\n", remark[0] ? "  " : "", remark);
}

static void add_motion(Text *text, const BedAdvice *bed) {
    if (bed->shaking.speed > 0) {
        add_value(text, "walls move at most at", bed->shaking.speed, DIM_VELOCITY, "");
        add_value(text, "and with", bed->shaking.acceleration, DIM_ACCELERATION, "");
        if (bed->shaking.frequency > 0)
            add_value(text, "at a frequency of", bed->shaking.frequency, DIM_FREQUENCY, "");
    } else
        text_add_string(text, bed->on_mechanism ? "    walls move with the mechanism\n"
                                                : "    walls do not move\n");
    if (bed->impact_speed > 0)
        add_value(text, "expected speed of impact", bed->impact_speed, DIM_VELOCITY, "");
}

static void add_steps(Text *text, const SimDefinition *d, const BedAdvice *bed) {
    static const char *const titles[] = {"shortest contact", "Hart's critical step",
                                         "Rayleigh's critical step", "eigenfrequency's critical step",
                                         "time to move by a radius"};
    text_add_string(text, "  time step\n");
    if (!bed->has_steps) {
        text_add_string(text, "    not known: the contact law lacks something\n");
        return;
    }
    for (int c = 0; c < STEP_CRITERION_COUNT; c++) {
        bool rigid = isfinite(bed->steps.limit[STEP_BY_MOTION]);
        if (rigid != (c == STEP_BY_MOTION)) continue; // the criteria of the other method
        char remark[80] = "does not apply to linear springs";
        if (isfinite(bed->steps.limit[c]))
            snprintf(remark, sizeof remark, "x %.3g = %.3g us%s", bed->steps.factor[c],
                     1e6 * bed->steps.factor[c] * bed->steps.limit[c],
                     c == (int)bed->steps.governing ? "  <- the smallest" : "");
        add_value(text, titles[c], bed->steps.limit[c], DIM_TIME, remark);
    }
    add_value(text, "suggested step", bed->steps.suggested, DIM_TIME, "");
    bool divided = bed->step < d->simulate.step;
    add_value(text, divided ? "step of the grains in the model" : "step of the model", bed->step, DIM_TIME,
              bed->step > bed->steps.critical            ? "longer than critical: energy is gained"
              : bed->step > 1.001 * bed->steps.suggested ? "longer than suggested"
              : divided                                  ? "the mechanism's, divided"
              : d->simulate.source == STEP_AUTO          ? "automatic"
                                                         : "");
}

static void add_stiffness(Text *text, const GrainsDefinition *grains, const BedAdvice *bed) {
    const StiffnessAdvice *k = &bed->stiffness;
    const SizingDefinition *sizing = &grains->contact.sizing;
    char what[64];
    text_add_string(text, "  stiffness between two grains\n");
    add_value(text, "from the material", k->material, DIM_STIFFNESS,
              isfinite(k->material) ? "" : "needs 'young' and a speed");
    snprintf(what, sizeof what, "for overlaps up to %g %%", 100 * sizing->overlap);
    add_value(text, what, k->overlap, DIM_STIFFNESS,
              isfinite(k->overlap) ? ""
              : bed->on_mechanism  ? "needs sizing: {speed: ...}"
                                   : "needs walls that move");
    snprintf(what, sizeof what, "for overlaps up to %g %%", 200 * sizing->overlap);
    add_value(text, what, k->safe, DIM_STIFFNESS, "");
    snprintf(what, sizeof what, "for contacts of 1/%g period", sizing->contacts_per_period);
    add_value(text, what, k->duration, DIM_STIFFNESS, isfinite(k->duration) ? "" : "needs a frequency");
    add_value(text, "of the model", k->now, DIM_STIFFNESS,
              isfinite(k->now) ? "" : law_normal(grains->contact.normal)->contacts);
    if (!isfinite(k->chosen)) return;
    add_value(text, "the softest that will do", k->chosen, DIM_STIFFNESS,
              k->chosen == k->material   ? "the material itself: softening gains nothing"
              : k->chosen == k->duration ? "contacts stay short against the period"
                                         : "overlaps stay small");
    add_value(text, "the step it allows", bed->sized_step, DIM_TIME, "");
    if (isfinite(k->speed_up))
        text_add(text, "    %-34s%.3g times\n", "faster than with the material's", k->speed_up);
}

// What to paste into the model file, or to say on the command line.
static void add_hint(Text *text, const GrainsDefinition *grains, const BedAdvice *bed) {
    const ContactDefinition *c = &grains->contact;
    bool coupled = bed->on_mechanism && grains_takes_substeps(grains); // see below, at the coupling
    if (bed->has_steps && !coupled)
        text_add(text,
                 "  with contacts as they are\n    simulate: {step: %.3g us}\n    --set simulate.step=auto\n",
                 1e6 * bed->steps.suggested);
    if (!isfinite(bed->sized_step) || c->source == STIFFNESS_SIZED || grains_are_rigid(grains)) return;
    int tangential = law_tangential_beside(NORMAL_LINEAR, c->tangential);
    const char *friction = law_tangential(tangential)->choice.word;
    text_add(
        text,
        "  with softer contacts\n    contact: {%sstiffness: %.4g N/m%s%s}\n    simulate: {step: %.3g us}\n",
        c->normal != NORMAL_LINEAR ? "normal: linear, " : "", bed->stiffness.chosen,
        tangential != c->tangential ? ", tangential: " : "", tangential != c->tangential ? friction : "",
        1e6 * bed->sized_step);
    text_add(text, "    --set simulate.step=auto --set grains.%s.contact.stiffness=sized", grains->name);
    if (c->normal != NORMAL_LINEAR) text_add(text, " --set grains.%s.contact.normal=linear", grains->name);
    if (tangential != c->tangential)
        text_add(text, " --set grains.%s.contact.tangential=%s", grains->name, friction);
    if (c->wall_stiffness > 0)
        text_add(text, " --set grains.%s.contact.wall_stiffness='%.4g N/m'", grains->name,
                 bed->stiffness.chosen);
    text_add_string(text, "\n");
}

static char *report(const SimDefinition *d, const CouplingAdvice *coupling, const MrcError *trouble) {
    Text text = {0};
    if (d->title) text_add(&text, "%s\n\n", d->title);
    for (int g = 0; g < d->grains_count; g++) {
        BedAdvice bed = advise_bed(d, &d->grains[g]);
        text_add(&text, "%sGrains %s: ", g ? "\n" : "", d->grains[g].name);
        human_add_count(&text, bed.count);
        text_add_string(&text, " of radius ");
        human_add(&text, bed.radius, DIM_LENGTH);
        text_add_string(&text, ", ");
        human_add(&text, bed.mass, DIM_MASS);
        text_add_string(&text, " each\n");
        add_motion(&text, &bed);
        add_steps(&text, d, &bed);
        if (!grains_are_rigid(&d->grains[g])) add_stiffness(&text, &d->grains[g], &bed);
        add_hint(&text, &d->grains[g], &bed);
    }
    advise_coupling_words(&text, coupling);
    if (trouble) text_add(&text, "\nNothing can be said about the mechanism: %s\n", trouble->text);
    return text_take(&text);
}

// ---- JSON ----------------------------------------------------------------------------------------
static void number(Json *json, const char *key, double value) {
    json_key(json, key), json_number(json, value);
}

static void write_steps(Json *json, const BedAdvice *bed) {
    json_key(json, "steps");
    json_object_begin(json);
    for (int c = 0; c < STEP_CRITERION_COUNT; c++) {
        json_key(json, steps_criterion_name(c));
        json_object_begin(json);
        number(json, "limit_s", bed->steps.limit[c]);
        number(json, "factor", bed->steps.factor[c]);
        json_object_end(json);
    }
    number(json, "critical_s", bed->steps.critical);
    number(json, "suggested_s", bed->steps.suggested);
    json_key(json, "governed_by"), json_string(json, steps_criterion_name(bed->steps.governing));
    json_object_end(json);
}

static void write_stiffness(Json *json, const BedAdvice *bed) {
    const StiffnessAdvice *k = &bed->stiffness;
    json_key(json, "stiffness");
    json_object_begin(json);
    number(json, "material_N_per_m", k->material);
    number(json, "overlap_N_per_m", k->overlap);
    number(json, "twice_the_overlap_N_per_m", k->safe);
    number(json, "duration_N_per_m", k->duration);
    number(json, "model_N_per_m", k->now);
    number(json, "chosen_N_per_m", k->chosen);
    number(json, "step_s", bed->sized_step);
    number(json, "speed_up", k->speed_up);
    json_object_end(json);
}

static void write_bed(Json *json, const GrainsDefinition *grains, const BedAdvice *bed) {
    json_key(json, grains->name);
    json_object_begin(json);
    number(json, "count", bed->count);
    number(json, "radius_m", bed->radius);
    number(json, "grain_mass_kg", bed->mass);
    number(json, "wall_speed_m_per_s", bed->shaking.speed);
    number(json, "wall_acceleration_m_per_s2", bed->shaking.acceleration);
    number(json, "frequency_Hz", bed->shaking.frequency);
    number(json, "impact_speed_m_per_s", bed->impact_speed);
    if (bed->has_steps) write_steps(json, bed);
    else json_key(json, "steps"), json_null(json);
    write_stiffness(json, bed);
    json_object_end(json);
}

static char *document(const SimDefinition *d, const CouplingAdvice *coupling, const MrcError *trouble) {
    Json json = {.indent = 2};
    json_object_begin(&json);
    json_key(&json, "status"), json_string(&json, "OK");
    number(&json, "step_s", d->simulate.step);
    json_key(&json, "grains");
    json_object_begin(&json);
    for (int g = 0; g < d->grains_count; g++) {
        BedAdvice bed = advise_bed(d, &d->grains[g]);
        write_bed(&json, &d->grains[g], &bed);
    }
    json_object_end(&json);
    if (d->has_mechanism) advise_coupling_json(&json, coupling);
    if (trouble) json_key(&json, "trouble"), json_string(&json, trouble->text);
    json_object_end(&json);
    return json_take(&json);
}

char *mrc_advise(const MrcModel *model, bool json) {
    if (mrc_model_status(model) != MRC_OK) return NULL;
    const SimDefinition *d = model_definition(model);
    Arena *arena = arena_create();
    if (!arena) return NULL;
    CouplingAdvice coupling;
    MrcError error;
    bool fine = advise_coupling(model, arena, &coupling, &error) == MRC_OK;
    if (!fine) coupling.count = 0;
    char *text =
        json ? document(d, &coupling, fine ? NULL : &error) : report(d, &coupling, fine ? NULL : &error);
    arena_destroy(arena);
    return text;
}
