// The nonsmooth method before grains are created: checks, descriptions, time steps.
//
// Rigid grains have no critical step. The step takes contacts as flat, so that a grain must not move by more than a
// small part of its radius, 0.05, while it falls, slides and is pushed at the expected speed: at 0.05 the places of
// two grains that slide past each other are right to 0.05^2/2 of a radius.
#include <math.h>

#include "base/text.h"
#include "grains/grain_sizes.h"
#include "grains/law.h"
#include "grains/nonsmooth.h"

bool nonsmooth_needs_speed(const GrainsDefinition *d) {
    (void)d;
    return true;
}

// A bed may keep the keys of other methods, so that changing the method is changing a word (unused ones of the model file get
// a warning); but not a law that is missing here.
void nonsmooth_check(const GrainsModel *model, const Findings *findings) {
    const ContactDefinition *c = &model->grains->contact;
    const CohesionLawType *cohesion = law_cohesion(c->cohesion);
    if (cohesion->by_adhesion || cohesion->by_liquid)
        findings_error(findings, &c->cohesion,
                       "'cohesion: %s' is a law of 'method: smooth'; rigid grains have a constant one, the "
                       "'cohesion' of their materials",
                       cohesion->choice.word);
    double most = 0;
    for (int m = 0; m < model->setting->material_count; m++)
        most = fmax(most, model->setting->materials[m].cohesion);
    if (c->cohesion == COHESION_NONE && most > 0)
        findings_warning(
            findings, &c->cohesion,
            "unused: 'cohesion: none' is of 'method: smooth'; rigid grains have the 'cohesion' of their "
            "materials");
    double radius = grain_sizes_least_radius(&model->grains->particles);
    if (c->activation > 0 && radius > 0 && c->activation > radius)
        findings_error(
            findings, &c->activation,
            "'activation' is %g m, more than the radius of the smallest grain, %g m: every grain would "
            "touch all its neighbours",
            c->activation, radius);
    if (c->impact_speed == 0 && model->automatic_step)
        findings_error(findings, &c->impact_speed,
                       "the automatic step depends on how fast grains move, but nothing moves in '%s': give "
                       "'impact_speed', or 'simulate.step'",
                       model->grains->name);
}

// ", word 0.3 (0.5 at walls)", if it is there at all
static void nonsmooth_describe_one(Text *text, const char *word, double between, double at_wall,
                                   const char *unit) {
    if (!(between > 0 || at_wall > 0)) return;
    text_add(text, ", %s ", word);
    law_describe_coefficient(text, between, at_wall);
    text_add_string(text, unit);
}

void nonsmooth_describe_laws(const GrainsModel *model, const Material *grain, const Material *wall,
                             ContactLaw law, Text *text) {
    LawCoefficients between = law_coefficients(model->setting, grain, grain),
                    at_wall = law_coefficients(model->setting, grain, wall);
    text_add(text, "%s, solved to %.2g; restitution ",
             law == CONTACT_COULOMB ? "Coulomb's law" : "cone complementarity",
             model->grains->contact.solver.tolerance);
    law_describe_coefficient(text, between.restitution, at_wall.restitution);
    text_add_string(text, ", friction ");
    law_describe_coefficient(text, between.friction, at_wall.friction);
    nonsmooth_describe_one(text, "rolling friction", between.rolling_friction, at_wall.rolling_friction, "");
    nonsmooth_describe_one(text, "spinning friction", between.spinning_friction, at_wall.spinning_friction,
                           "");
    nonsmooth_describe_one(text, "cohesion", between.cohesion, at_wall.cohesion, " N");
    text_add_string(text, ".\n");
}

void nonsmooth_describe(const GrainsModel *model, const Material *grain, const Material *wall, Text *text) {
    text_add_string(text, "  They are rigid: ");
    nonsmooth_describe_laws(model, grain, wall, model->grains->contact.law, text);
}

bool nonsmooth_steps(const GrainsDefinition *d, const GrainsSetting *setting, GrainsSteps *s) {
    (void)setting;
    double radius = INFINITY;
    for (int k = 0; k < grains_kind_count(d); k++)
        radius = fmin(radius, grain_sizes_least_radius(grains_kind(d, k)));
    if (!(radius > 0 && isfinite(radius) && s->speed > 0)) return false;
    s->limit[STEP_BY_MOTION] = radius / s->speed;
    return true;
}

void nonsmooth_write_identity(const GrainsModel *model, FILE *out) {
    const ContactDefinition *c = &model->grains->contact;
    const GrainsSetting *setting = model->setting;
    fprintf(out, "rigid law %d solver %d iterations %lld %a %a %a %a spinning", (int)c->law,
            (int)c->solver.method, (long long)c->solver.iterations, c->activation, c->recovery, c->bounce,
            c->solver.tolerance);
    for (int m = 0; m < setting->material_count; m++)
        fprintf(out, " %a", setting->materials[m].spinning_friction);
    for (int k = 0; k < setting->pair_count; k++) fprintf(out, " %a", setting->pairs[k].spinning_friction);
    fprintf(out, " cohesion");
    for (int m = 0; m < setting->material_count; m++) fprintf(out, " %a", setting->materials[m].cohesion);
    for (int k = 0; k < setting->pair_count; k++) fprintf(out, " %a", setting->pairs[k].cohesion);
    fprintf(out, "\n");
}
