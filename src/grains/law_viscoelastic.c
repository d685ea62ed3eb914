// Viscoelastic spheres (Kuwabara and Kono, Jpn. J. Appl. Phys. 26, 1987, doi:10.1143/JJAP.26.1230; Brilliantov,
// Spahn, Hertzsch and Poeschel, Phys. Rev. E 53, 1996, doi:10.1103/PhysRevE.53.5382): Hertz's law, with a damping
// that is a property of the material, so that restitution falls with the speed of impact, as it is measured:
//
//     f = max(0, K a (s + D ds/dt)),   a = sqrt(R s),   K = 4/3 E'
//
// R is the effective radius, a the radius of the contact area. LAW_STIFFNESS is K [Pa], LAW_DAMPING is D [s], 3/2 of
// the constant A of the second paper. With s = L x, t = T tau, m L/T^2 = K sqrt(R) L^(3/2) and L = v T, that is
// T = (m^2/(K^2 R v))^(1/5), the collision is
//
//     x'' = -max(0, sqrt(x) (x + beta x')),    x(0) = 0, x'(0) = 1,    beta = D/T
//
// so that beta grows with v^(1/5). To first order in beta the rebound is 1 - C beta,
//
//     C = 4/5 (5/4)^(3/5) B(3/5, 3/2) = 1.15344
//
// law_viscoelastic_restitution integrates it to the moment the force reaches zero; law_viscoelastic_damping inverts
// that. D is chosen so that the restitution of the materials is met at `impact_speed`, by grains of the mean radius.
//
// The force takes the speed in the middle of the kick, as in law_linear.c, and sqrt(s) its mean over the step while
// the overlap grows, as in law_hertz.c:
//
//     2/3 (s_2^(3/2) - s_1^(3/2)) / (a h)
//
// Steps per contact for a rebound speed within 0.1 % of the prescribed one, and those taken, as for Hertz contacts:
//
//     restitution    1.0   0.99   0.95   0.9   0.7   0.5   0.3   0.2   0.1
//     needed          15     15     16    19    22    24    31    37    57
//     taken           22     24     25    27    32    37    45    52    67     22 + 15 sqrt(1/e - 1)
#include <math.h>

#include "grains/grain_sizes.h"
#include "grains/law_spheres.h"
#include "math/human.h"

// ---- forces --------------------------------------------------------------------------------------
static inline Wide law_viscoelastic_power(Wide x) { return x * wide_sqrt(x); } // x^(3/2) for x >= 0

// The mean of sqrt(s) over the step, over sqrt(s).
static inline Wide law_viscoelastic_early_share(Wide overlap, Wide approach, Wide step) {
    LawGrowth growth;
    if (!law_growth(overlap, approach, step, &growth)) return wide_set(1);
    Wide change = law_viscoelastic_power(growth.to) - law_viscoelastic_power(growth.from);
    return wide_select(growth.early, wide_set(2.0 / 3.0) * change / growth.ratio, wide_set(1));
}

static void law_viscoelastic_forces(ContactBatch *b, const LawTable *table) {
    Wide h = wide_set(b->step), damping;
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        SphereSpring spring = law_spheres_spring(b, table, k);
        if (table->damped) {
            damping = law_parameter(table, LAW_DAMPING, b, k) * spring.secant;
            damping = damping * law_viscoelastic_early_share(spring.overlap, wide_load(b->approach + k), h);
        }
        law_spheres_store(b, k, &spring, table->damped ? &damping : NULL);
    }
}

// ---- parameters ----------------------------------------------------------------------------------
static double law_viscoelastic_force(double x, double v, double beta) {
    return x <= 0 ? 0 : sqrt(x) * (x + beta * v);
}

static double law_viscoelastic_restitution(double beta) { return law_collide(law_viscoelastic_force, beta); }
static double law_viscoelastic_damping(double restitution) {
    return law_find_damping(law_viscoelastic_restitution, restitution, 1000, 50);
}

static double law_viscoelastic_stiffness(const LawPair *pair) { return normal_law_hertz.stiffness(pair); }

// T of the collision at the expected speed.
static double law_viscoelastic_damping_unit(const LawPair *pair, double modulus) {
    double share = pair->wall ? 1 : 0.5, radius = grain_sizes_mean_radius(&pair->grains->particles);
    double mass = share * pair->grain->density * 4.0 / 3.0 * M_PI * radius * radius * radius;
    return pow(mass * mass / (modulus * modulus * share * radius * pair->grains->contact.impact_speed), 0.2);
}

static double law_viscoelastic_rest_stiffness(const LawPair *pair, double radius, double force) {
    return normal_law_hertz.rest_stiffness(pair, radius, force);
}

// ---- time steps ----------------------------------------------------------------------------------
static LawImpact law_viscoelastic_impact(double mass, double radius, double modulus, double speed) {
    return normal_law_hertz.impact(mass, radius, modulus, speed);
}

static double law_viscoelastic_steps_per_contact(double restitution) {
    return normal_law_hertz.steps_per_contact(restitution);
}

static bool law_viscoelastic_needs_speed(const ContactDefinition *contact) {
    (void)contact;
    return true;
}

// ---- the model file ------------------------------------------------------------------------------
static void law_viscoelastic_check(const GrainsModel *model, const Findings *findings) {
    law_check_elastic_bodies(model, findings);
    if (model->grains->contact.impact_speed == 0 && !model->automatic_step)
        findings_error(
            findings, &model->grains->contact.impact_speed,
            "the restitution of viscoelastic contacts is that at 'impact_speed', but nothing moves in "
            "'%s': give 'impact_speed'",
            model->grains->name);
}

static void law_viscoelastic_describe(const GrainsModel *model, const Material *grain, const Material *wall,
                                      Text *text) {
    (void)wall;
    text_add_string(text, "the viscoelastic law, E' = ");
    human_add(text, material_effective_young(grain, grain), DIM_PRESSURE);
    text_add_string(text, ", with its restitution at impacts of ");
    human_add(text, model->grains->contact.impact_speed, DIM_VELOCITY);
}

const NormalLawType normal_law_viscoelastic = {
    .choice = {.word = "viscoelastic",
               .doc = "two viscoelastic spheres after Kuwabara and Kono: restitution falls with the speed, "
                      "and is that "
                      "of the materials at `impact_speed`"},
    .contacts = "viscoelastic",
    .forces = law_viscoelastic_forces,
    .elastic_bodies = true,
    .needs_speed = law_viscoelastic_needs_speed,
    .stiffness = law_viscoelastic_stiffness,
    .damping = law_viscoelastic_damping,
    .restitution = law_viscoelastic_restitution,
    .damping_unit = law_viscoelastic_damping_unit,
    .impact = law_viscoelastic_impact,
    .steps_per_contact = law_viscoelastic_steps_per_contact,
    .rest_stiffness = law_viscoelastic_rest_stiffness,
    .check = law_viscoelastic_check,
    .describe = law_viscoelastic_describe,
};
