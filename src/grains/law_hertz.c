// Hertz with viscous damping (Hertz 1882; damping of Tsuji, Tanaka and Ishida, Powder Technology 71, 1992,
// doi:10.1016/0032-5910(92)88030-L):
//
//     f = max(0, K a s + c ds/dt),   a = sqrt(R s),   c = alpha sqrt(m K a),   K = 4/3 E'
//
// R is the effective radius, a the radius of the contact area, 1/E' = (1 - nu1^2)/E1 + (1 - nu2^2)/E2.
// LAW_STIFFNESS is K [Pa], LAW_DAMPING is alpha. The damping grows with s^(1/4), and so restitution does not
// depend on the speed: with s = L x and t = T tau, m L/T^2 = K sqrt(R) L^(3/2), the collision is
//
//     x'' = -max(0, x^(3/2) + alpha x^(1/4) x'),    x(0) = 0, x'(0) = 1
//
// for every speed, mass and size. law_hertz_restitution integrates it to the moment the force reaches zero;
// law_hertz_damping inverts that. The force takes the speed in the middle of the kick, as in law_linear.c.
//
// At first the overlap changes so much during a step that s^(1/4) in the middle is no good mean of it. While
// it grows, its mean over the step is taken, from the way of the overlap in the kick, s - a h/2 to s + a h/2,
// and from zero for a contact that began since the last kick:
//
//     4/5 (s_2^(5/4) - s_1^(5/4)) / (a h)
//
// At 50 steps per contact and e = 0.3 the rebound is wrong by up to 1.2 % without it, by 0.04 % with it.
//
// Steps per contact for a rebound speed within 0.1 % of the prescribed one, wherever between two steps the contact
// begins and ends; the error falls with the square of the step. Contacts are shorter when they are faster, by
// speed^(-1/5).
//
//     restitution    1.0   0.99   0.95   0.9   0.7   0.5   0.3   0.2   0.1
//     needed          16     16     20    20    24    29    36    41    63
//     taken           22     24     25    27    32    37    45    52    67     22 + 15 sqrt(1/e - 1)
#include <math.h>

#include "grains/law_spheres.h"
#include "math/human.h"

// ---- forces --------------------------------------------------------------------------------------
// x^(1/4) x for x >= 0.
static inline Wide law_hertz_five_quarters(Wide x) { return x * wide_sqrt(wide_sqrt(x)); }

// The mean of s^(1/4) over the step, over s^(1/4).
static inline Wide law_hertz_early_share(Wide overlap, Wide approach, Wide step) {
    LawGrowth growth;
    if (!law_growth(overlap, approach, step, &growth)) return wide_set(1);
    Wide change = law_hertz_five_quarters(growth.to) - law_hertz_five_quarters(growth.from);
    return wide_select(growth.early, wide_set(0.8) * change / growth.ratio, wide_set(1));
}

static void law_hertz_forces(ContactBatch *b, const LawTable *table) {
    Wide h = wide_set(b->step), damping;
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        SphereSpring spring = law_spheres_spring(b, table, k);
        if (table->damped) {
            damping =
                law_parameter(table, LAW_DAMPING, b, k) * wide_sqrt(wide_load(b->mass + k) * spring.secant);
            damping = damping * law_hertz_early_share(spring.overlap, wide_load(b->approach + k), h);
        }
        law_spheres_store(b, k, &spring, table->damped ? &damping : NULL);
    }
}

// ---- parameters ----------------------------------------------------------------------------------
static double law_hertz_force(double x, double v, double alpha) {
    if (x <= 0) return 0;
    return x * sqrt(x) + alpha * sqrt(sqrt(x)) * v;
}

static double law_hertz_restitution(double alpha) { return law_collide(law_hertz_force, alpha); }
static double law_hertz_damping(double restitution) {
    return law_find_damping(law_hertz_restitution, restitution, 1000, 50);
}

static double law_hertz_stiffness(const LawPair *pair) {
    return 4.0 / 3.0 * material_effective_young(pair->grain, pair->other);
}

static double law_hertz_rest_stiffness(const LawPair *pair, double radius, double force) {
    double hertz = law_hertz_stiffness(pair) * sqrt(0.5 * radius);
    return force / pow(force / hertz, 2.0 / 3.0);
}

// ---- time steps ----------------------------------------------------------------------------------
// In units of T above a contact lasts 3.2181.
static LawImpact law_hertz_impact(double mass, double radius, double modulus, double speed) {
    double unit = pow(mass * mass / (modulus * modulus * radius * speed), 0.2);
    double overlap = pow(1.25, 0.4) * speed * unit;
    return (LawImpact){
        .duration = 3.218102 * unit, .overlap = overlap, .stiffness = 1.5 * modulus * sqrt(radius * overlap)};
}

static double law_hertz_steps_per_contact(double restitution) { return 22 + 15 * sqrt(1 / restitution - 1); }

static bool law_hertz_needs_speed(const ContactDefinition *contact) {
    (void)contact;
    return true;
}

// ---- the model file ------------------------------------------------------------------------------
static void law_hertz_describe(const GrainsModel *model, const Material *grain, const Material *wall,
                               Text *text) {
    (void)model;
    (void)wall;
    text_add_string(text, "Hertz's law, E' = ");
    human_add(text, material_effective_young(grain, grain), DIM_PRESSURE);
}

const NormalLawType normal_law_hertz = {
    .choice = {.word = "hertz",
               .doc = "two elastic spheres after Hertz, with damping that gives the materials' restitution"},
    .contacts = "Hertz",
    .forces = law_hertz_forces,
    .elastic_bodies = true,
    .needs_speed = law_hertz_needs_speed,
    .stiffness = law_hertz_stiffness,
    .damping = law_hertz_damping,
    .restitution = law_hertz_restitution,
    .impact = law_hertz_impact,
    .steps_per_contact = law_hertz_steps_per_contact,
    .rest_stiffness = law_hertz_rest_stiffness,
    .check = law_check_elastic_bodies,
    .describe = law_hertz_describe,
};
