// The smooth method before grains are created: checks, descriptions, time steps.
//
// Critical steps, beyond which symplectic Euler gains energy, with the fraction of each that may be taken:
//
//     Hart            2 sqrt(m/(2 k))                                 0.1   (DAMPER Eq. 1), of linear springs 0.14
//     eigenfrequency  2 sqrt(m/k)                                     0.8   (MULTIRATE Eq. 27)
//     Rayleigh        pi R sqrt(rho/G) / (0.1631 nu + 0.8766)         0.4   (MULTIRATE Eq. 26)
//
// DAMPER calls 0.1 safe and 0.2 generally sufficient. Springs that stiffen with their overlap need the reserve; linear ones
// have it from their contacts, which take at least 16 steps: 0.14 of a wall's.
//
// Of grains with corners, m is the least effective mass of a corner: a contact there turns the grain as well. Four corners
// together have the stiffness k, one alone a quarter of it (smooth_shapes.c). Of clumps, m/k is that of the quickest motion on
// springs k at all spheres that a plane can touch at once, or at one of them (geometry/clump_shaking.c); lengths are those of
// their parts, the largest for contacts, the smallest for waves.
//
// m is the mass of the lightest grain, k its stiffest contact; contacts of elastic bodies have the stiffness that
// they reach in an impact at the expected speed. Rayleigh's is the time a surface wave takes half around a grain.
// MULTIRATE prints the bracket under the root; it belongs outside (Ning and Thornton), being the ratio of the
// speeds of Rayleigh and shear waves: the root of Rayleigh's equation is 0.874, 0.919 and 0.955 at nu = 0,
// 0.25 and 0.5, the bracket 0.877, 0.917 and 0.958. It needs no speed, and so covers Hertz beds at rest,
// whatever presses on them; of 0.2 (many contacts) to 0.4 (few) we take 0.4, because contacts are resolved
// anyway. It does not apply to linear contacts: their stiffness is a number, however fast waves are in the
// real material.
//
// Resolving contacts: the shortest contact of two grains, or of a grain with a wall, takes as many steps as its
// law needs for a rebound speed within 0.1 % of the prescribed one (law_NAME.c). With them the ledger of the moving
// box of DAMPER Table 2 closes to better than 8e-4 with every law and e = 0.3 to 1. Below e = 0.1 no more are taken:
// a thousandth of such a rebound does not matter.
//
// DAMPER is doi:10.3390/pr10071247, MULTIRATE doi:10.1108/EC-07-2017-0246.
#include <math.h>

#include "base/text.h"
#include "grains/engine.h"
#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "grains/method.h"

// ---- the model file ------------------------------------------------------------------------------
bool smooth_needs_speed(const GrainsDefinition *d) {
    return law_normal(d->contact.normal)->needs_speed(&d->contact);
}

// Laws of grains that are not spheres: those of a spring at each point. The others are laws of two round bodies.
static void smooth_check_forms(const GrainsModel *model, const Findings *findings) {
    const ContactDefinition *c = &model->grains->contact;
    const GrainsSetting *setting = model->setting;
    bool spheres = true, hertz = true; // hertz: spheres, and clumps of them
    for (int k = 0; k < grains_kind_count(model->grains); k++) {
        const ParticlesDefinition *p = grains_kind(model->grains, k);
        spheres = spheres && p->form.kind == FORM_SPHERE;
        hertz = hertz && forms_are_round(p);
    }
    if (spheres) return;
    if (c->normal != NORMAL_LINEAR && !(hertz && c->normal == NORMAL_HERTZ))
        findings_error(
            findings, &c->normal,
            "'normal' is '%s', a law of round bodies; grains of other shapes have 'linear' contacts%s",
            law_normal(c->normal)->choice.word, hertz ? ", clumps of spheres also 'hertz'" : "");
    if (c->rolling != ROLLING_NONE)
        findings_error(findings, &c->rolling,
                       "'rolling' is '%s', a law of round bodies; grains of other shapes have 'none'",
                       law_rolling(c->rolling)->choice.word);
    const CohesionLawType *cohesion = law_cohesion(c->cohesion);
    bool held = cohesion->by_adhesion || cohesion->by_liquid;
    for (int m = 0; m < setting->material_count && cohesion->forces; m++)
        held = held || setting->materials[m].cohesion > 0;
    for (int k = 0; k < setting->pair_count && cohesion->forces; k++)
        held = held || setting->pairs[k].cohesion > 0;
    if (held)
        findings_error(findings, &c->cohesion,
                       "smooth grains that are not spheres have no cohesion: give 'cohesion: none', or take "
                       "'method: nonsmooth' or 'nscd', which have a constant one");
}

void smooth_check(const GrainsModel *model, const Findings *findings) {
    const ContactDefinition *c = &model->grains->contact;
    laws_check(model, findings);
    smooth_check_forms(model, findings);
    if (c->sizing_given && c->source != STIFFNESS_SIZED)
        findings_object_warning(
            findings, &c->sizing,
            "'sizing' changes nothing in a run unless 'stiffness' is 'sized'; only 'maraca "
            "advise' looks at it");
}

void smooth_check_effect(const GrainsModel *model, const Findings *findings) {
    const GrainsDefinition *d = model->grains;
    const GrainsSetting *setting = model->setting;
    const ContactDefinition *c = &d->contact;
    const Material *grain =
        material_by_name(setting->materials, setting->material_count, d->particles.material);
    LawCoefficients most = {0};
    if (!grain) return;
    for (int w = -grains_kind_count(d); w < d->wall_count; w++) {
        const char *name = w < 0                  ? grains_kind(d, -1 - w)->material
                           : d->walls[w].material ? d->walls[w].material
                                                  : d->particles.material;
        const Material *other = material_by_name(setting->materials, setting->material_count, name);
        LawCoefficients pair = other ? law_coefficients(setting, grain, other) : most;
        most.friction = fmax(most.friction, pair.friction);
        most.rolling_friction = fmax(most.rolling_friction, pair.rolling_friction);
        most.cohesion = fmax(most.cohesion, pair.cohesion);
        most.adhesion = fmax(most.adhesion, pair.adhesion);
    }
    bool slides = law_tangential(c->tangential)->forces, rolls = law_rolling(c->rolling)->forces;
    if (!slides && most.friction > 0)
        findings_object_warning(findings, c,
                                "the friction of the materials has no effect in '%s': 'tangential' is 'none'",
                                d->name);
    if (slides && most.friction == 0)
        findings_warning(findings, &c->tangential,
                         "'tangential' has no effect in '%s': 'friction' of its materials is 0", d->name);
    if (!rolls && most.rolling_friction > 0)
        findings_object_warning(
            findings, c, "the rolling friction of the materials has no effect in '%s': 'rolling' is 'none'",
            d->name);
    if (most.cohesion > 0 && c->cohesion != COHESION_CONSTANT)
        findings_warning(findings, &c->cohesion,
                         "the 'cohesion' of the materials has no effect in '%s': that of the contact is '%s'",
                         d->name, law_cohesion(c->cohesion)->choice.word);
    if (most.adhesion > 0 && !law_cohesion(c->cohesion)->by_adhesion)
        findings_object_warning(
            findings, c,
            "the 'adhesion' of the materials has no effect in '%s': it needs 'cohesion: dmt' or 'jkr'",
            d->name);
    if (!(most.adhesion > 0) && law_cohesion(c->cohesion)->by_adhesion)
        findings_warning(findings, &c->cohesion,
                         "'cohesion' has no effect in '%s': 'adhesion' of its materials is 0", d->name);
    if (rolls && most.rolling_friction == 0)
        findings_warning(findings, &c->rolling,
                         "'rolling' has no effect in '%s': 'rolling_friction' of its materials is 0",
                         d->name);
}

void smooth_describe(const GrainsModel *model, const Material *grain, const Material *wall, Text *text) {
    const ContactDefinition *c = &model->grains->contact;
    LawCoefficients between = law_coefficients(model->setting, grain, grain),
                    at_wall = law_coefficients(model->setting, grain, wall);
    text_add_string(text, "  They touch with ");
    law_normal(c->normal)->describe(model, grain, wall, text);
    text_add_string(text, "; restitution ");
    law_describe_coefficient(text, between.restitution, at_wall.restitution);
    if (fmin(between.restitution, at_wall.restitution) < law_least_restitution)
        text_add(text, ", but %g is the least that their dashpots give", law_least_restitution);
    text_add(text, ", %s", law_tangential(c->tangential)->words);
    if (law_tangential(c->tangential)->forces) {
        text_add_string(text, " ");
        law_describe_coefficient(text, between.friction, at_wall.friction);
    }
    if (law_rolling(c->rolling)->forces) {
        text_add(text, ", rolling friction %s", law_rolling(c->rolling)->words);
        law_describe_coefficient(text, between.rolling_friction, at_wall.rolling_friction);
    }
    const CohesionLawType *cohesion = law_cohesion(c->cohesion);
    bool held = cohesion->by_adhesion ? between.adhesion > 0 || at_wall.adhesion > 0
                                      : between.cohesion > 0 || at_wall.cohesion > 0;
    if (cohesion->forces && (held || cohesion->by_liquid)) {
        text_add(text, ", cohesion %s", cohesion->words);
        if (!cohesion->by_liquid) text_add_string(text, " ");
        if (cohesion->by_adhesion) law_describe_coefficient(text, between.adhesion, at_wall.adhesion);
        else if (!cohesion->by_liquid) law_describe_coefficient(text, between.cohesion, at_wall.cohesion);
        if (!cohesion->by_liquid) text_add_string(text, cohesion->by_adhesion ? " J/m^2" : " N");
    }
    text_add_string(text, ".\n");
}

void smooth_write_identity(const GrainsModel *model, FILE *out) {
    const ContactDefinition *c = &model->grains->contact;
    const SizingDefinition *s = &c->sizing;
    double numbers[] = {c->stiffness, c->wall_stiffness, c->impact_speed, c->tangential_ratio,   s->speed,
                        s->overlap,   s->beta,           s->frequency,    s->contacts_per_period};
    fprintf(out, "contact %s %s %s source %d", law_normal(c->normal)->choice.word,
            law_tangential(c->tangential)->choice.word, law_rolling(c->rolling)->choice.word, (int)c->source);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) fprintf(out, " %a", numbers[k]);
    fprintf(out, " cohesion %s %a %a %a", law_cohesion(c->cohesion)->choice.word, c->liquid.surface_tension,
            c->liquid.angle, c->liquid.volume);
    for (int m = 0; m < model->setting->material_count; m++)
        fprintf(out, " %a %a", model->setting->materials[m].cohesion, model->setting->materials[m].adhesion);
    for (int k = 0; k < model->setting->pair_count; k++)
        fprintf(out, " %a %a", model->setting->pairs[k].cohesion, model->setting->pairs[k].adhesion);
    fprintf(out, "\n");
}

// ---- time steps ----------------------------------------------------------------------------------
// One kind of contact: of two grains, or of a grain with a wall. `bed`: with all kinds, by which contacts are as stiff as they are.
static void smooth_limit_by_contact(GrainsSteps *s, const GrainsDefinition *bed, const GrainsSetting *setting,
                                    const LawPair *pair) {
    const ContactDefinition *contact = &pair->grains->contact;
    const NormalLawType *normal = law_normal(contact->normal);
    const TangentialLawType *tangential = law_tangential(contact->tangential);
    double radius = grain_sizes_least_radius(&pair->grains->particles), share = pair->wall ? 1 : 0.5;
    double mass =
        pair->grain->density * sphere_volume(radius) * forms_least_volume_factor(&pair->grains->particles);
    double quicker = forms_impact_shaking(&pair->grains->particles);
    double length = radius * forms_coarsest_part(&pair->grains->particles);
    double stiffness = normal->stiffness(&(LawPair){bed, pair->grain, pair->other, pair->wall});
    LawImpact impact = normal->impact(share * mass / quicker, share * length, stiffness, s->speed);
    if (tangential->shortening) impact.duration /= tangential->shortening(contact);
    double restitution = law_coefficients(setting, pair->grain, pair->other).restitution;
    double steps = time_steps_per_contact(contact->normal, restitution);
    s->restitution = fmin(s->restitution, restitution);
    if (impact.duration / steps < s->factor[STEP_BY_CONTACT] * s->limit[STEP_BY_CONTACT]) {
        s->limit[STEP_BY_CONTACT] = impact.duration;
        s->factor[STEP_BY_CONTACT] = 1 / steps;
    }
    mass /= forms_shaking(&pair->grains->particles);
    s->limit[STEP_BY_HART] = fmin(s->limit[STEP_BY_HART], time_steps_hart(mass, impact.stiffness));
    s->limit[STEP_BY_EIGENFREQUENCY] =
        fmin(s->limit[STEP_BY_EIGENFREQUENCY], time_steps_eigenfrequency(mass, impact.stiffness));
}

// Contacts of one kind of grains with itself, with other kinds and with walls.
static bool smooth_limit_by_kind(const GrainsDefinition *d, int kind, const GrainsSetting *setting,
                                 GrainsSteps *s) {
    const GrainsDefinition one = grains_of_kind(d, kind);
    bool elastic = law_normal(d->contact.normal)->elastic_bodies;
    const Material *all = setting->materials,
                   *grain = material_by_name(all, setting->material_count, one.particles.material);
    if (!grain || !(grain_sizes_least_radius(&one.particles) > 0)) return false;
    if (!(grain->density > 0) || (elastic && !(grain->young > 0 && s->speed > 0))) return false;
    for (int k = 0; k < grains_kind_count(d); k++) {
        const Material *other = material_by_name(all, setting->material_count, grains_kind(d, k)->material);
        if (!other || (elastic && !(other->young > 0))) return false;
        smooth_limit_by_contact(s, d, setting, &(LawPair){&one, grain, other, false});
    }
    for (int w = 0; w < d->wall_count; w++) {
        const Material *wall = material_by_name(all, setting->material_count, d->walls[w].material);
        if (!wall) wall = grain;
        if (elastic && !(wall->young > 0)) return false;
        smooth_limit_by_contact(s, d, setting, &(LawPair){&one, grain, wall, true});
    }
    if (elastic) {
        double finest = grain_sizes_least_radius(&one.particles) * forms_finest_part(&one.particles);
        double rayleigh = time_steps_rayleigh(finest, grain);
        s->limit[STEP_BY_RAYLEIGH] = kind == 0 ? rayleigh : fmin(s->limit[STEP_BY_RAYLEIGH], rayleigh);
    }
    return true;
}

bool smooth_steps(const GrainsDefinition *d, const GrainsSetting *setting, GrainsSteps *s) {
    if (!law_normal(d->contact.normal)->elastic_bodies) s->factor[STEP_BY_HART] = 0.14;
    for (int k = 0; k < grains_kind_count(d); k++)
        if (!smooth_limit_by_kind(d, k, setting, s)) return false;
    return s->limit[STEP_BY_HART] > 0 && isfinite(s->limit[STEP_BY_HART]);
}
