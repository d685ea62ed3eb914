// Linear spring-dashpot (doi:10.3390/pr10071247, 2.1.1):
//
//     f = max(0, k s + c ds/dt),    c = 2 zeta sqrt(k m)
//
// s is the overlap, m the effective mass; LAW_STIFFNESS is k [N/m], LAW_DAMPING is zeta. The force never
// pulls: a contact ends when f reaches zero, which is before the overlap does. Restitution as a function of
// the damping ratio is then (Schwager and Poeschel, Granular Matter 9, 2007, doi:10.1007/s10035-007-0065-z),
// with w = sqrt(|1 - zeta^2|):
//
//     zeta < 1/sqrt(2):      e = exp(-zeta/w (pi - atan(2 zeta w/(1 - 2 zeta^2))))
//     1/sqrt(2) .. 1:        e = exp(-zeta/w atan(2 zeta w/(2 zeta^2 - 1)))
//     zeta > 1:              e = exp(-zeta/w ln((zeta + w)/(zeta - w)))
//
// The first two cases are one: the angle between the axes (2 zeta^2 - 1) and 2 zeta w, by atan2. The usual
// formula zeta = -ln e/sqrt(pi^2 + ln^2 e) belongs to a contact that ends at s = 0 and so pulls at its end.
//
// In symplectic Euler the stored velocity belongs to the middle between two positions, half a step before the
// force. The speed of approach in the middle of the kick, as far as this contact changes it, is a - h f/(2
// m); solved for f it gives the factor 1/(1 + c h/(2 m)). It makes damping second order in the step and stable for any c.
//
// What is left is when the contact begins and ends, which is anywhere between two kicks. With g = c/(2 m) and w^2 = k/m,
// the contact that began at speed a has gone
//
//     s(t) = a (t - g t^2 + (4 g^2 - w^2) t^3/6 + ...)
//
// The first kick (s < a h) finds the overlap s = a u of free flight. It puts the grain onto this path where it has this
// overlap, at t = u (1 + g u + (4 g^2/3 + w^2/6) u^2), with the speed that the path has half a step later, at T = t + h/2 and
// with x = g T:
//
//     ds/dt = a (1 - x + x^2/3 - (1 - x/3) w^2 T^2/2) / (1 + x + x^2/3)
//
// Before it ends, with the speed -b, the force falls as k b r (1 + g r), r being the time that is left. The last kick (r < h)
// stands for all from h/2 before it on, R = r + h/2:
//
//     f h = k b R^2/2 (1 + 2 g R/3)
//
// The same sums and integrals explain why: kicks of a ramp that ends r after the last one are short of its integral by
// (r/h - 1/2)^2/2 of what it changes in a step. Without both, a rebound was wrong by up to 0.5 % at e = 0.9 and 1 % at e =
// 0.5 with 15 steps per contact, and 0.1 % took 36 and 52 steps.
//
// Without damping, symplectic Euler keeps y^2 + q s (s + y) from step to step, with q = h^2 k/m and y = h a
// the way of the next step; but a contact that began since the last kick, at s < y, enters with q s (y - s) less than
// its y^2, and one that ends leaves with as much too much. Gain and loss differ at random, by 0.1 q of the energy per
// impact: 0.3 % at 20 steps per contact, so that the energy of a gas drifts at random. Here the first kick is chosen
// such that the contact enters with y^2, and the last one likewise in reverse:
//
//     first (s < y):        y' = -q s/2 + sqrt(y^2 - q s^2 (1 - q/4))
//     last (s < q s - y):   y' = -sqrt(y^2 + q s (s - y))
//
// Both go over into the common kick, y' = y - q s, at their borders.
//
// Steps per contact for a rebound speed within 0.1 % of the prescribed one, wherever between two steps the contact
// begins and ends; the error falls with the square of the step:
//
//     restitution    1.0   0.99   0.95   0.9   0.7   0.5   0.3   0.2   0.1
//     needed          12     12     12    12    12    14    18    37    74
//     taken           28     27     22    16    16    19    29    40    75     max(16, 12 + 7 (1/e - 1), 28 - 120 (1 - e))
//
// More near e = 1, where impacts hardly dissipate and the small errors of springs along the contact add up: with 16 the
// ledger of a bed of elastic friction closes to 2.8e-3 at e = 1, 1.6e-3 at 0.95 and 9e-4 at 0.8.
#include <math.h>

#include "grains/contact_stiffness.h"
#include "grains/law.h"
#include "math/human.h"

// ---- forces --------------------------------------------------------------------------------------
// The force of a contact without damping.
static inline Wide law_linear_elastic_force(Wide overlap, Wide approach, Wide step, Wide mass,
                                            Wide stiffness) {
    Wide zero = wide_set(0), way = approach * step, q = step * step * stiffness / mass, push = q * overlap;
    WideMask first = wide_less(overlap, way);
    WideMask last = wide_mask_and(wide_less(overlap, push - way), wide_less(way, zero));
    Wide force = stiffness * overlap;
    if (!wide_mask_any(wide_mask_or(first, last))) return force;
    Wide inside = way * way - push * overlap * (wide_set(1) - wide_set(0.25) * q);
    Wide in = wide_sqrt(wide_max(inside, zero)) - wide_set(0.5) * push;
    Wide out = -wide_sqrt(wide_max(way * way + push * (overlap - way), zero));
    Wide after = wide_select(first, in, out), scale = mass / (step * step);
    return wide_select(wide_mask_or(first, last), (way - after) * scale, force);
}

typedef struct LinearContact {
    Wide overlap, approach, stiffness, mass;
    Wide inverse_mass, rate; // [1/kg], g = c/(2 m) [1/s]; with damping
} LinearContact;

// The first force of a contact; `way` = a h.
static inline Wide law_linear_first_force(const LinearContact *c, Wide way, Wide step) {
    Wide one = wide_set(1), two = wide_set(2), half = wide_set(0.5), third = wide_set(1.0 / 3.0);
    Wide square = c->stiffness * c->inverse_mass, u = step * c->overlap / wide_max(way, wide_set(1e-300));
    Wide late =
        one + u * (c->rate + u * (wide_set(4.0 / 3.0) * c->rate * c->rate + wide_set(1.0 / 6.0) * square));
    Wide time = u * wide_min(late, two) + half * step, x = c->rate * time,
         y = third * x * x; // no more: unresolved
    Wide braked = one - x + y - half * square * time * time * (one - third * x);
    Wide after = way * wide_max(braked / (one + x + y), -one); // no faster than it came
    return (way - after) * c->mass / (step * step);
}

// The last force, from the common one; `out` = b h.
static inline Wide law_linear_last_force(const LinearContact *c, Wide force, Wide out, Wide step) {
    Wide half = wide_set(0.5), ramp = c->stiffness * out / step;
    Wide left = force / (ramp + c->rate * force), all = left + half * step;
    return ramp * all * all * (half + c->rate * all * wide_set(1.0 / 3.0)) / step;
}

static inline Wide law_linear_damped_force(const LinearContact *c, Wide step) {
    Wide zero = wide_set(0), one = wide_set(1), way = c->approach * step, share = c->rate * step;
    Wide force = c->stiffness * c->overlap + wide_set(2) * c->rate * c->mass * c->approach;
    force = wide_max(force / (one + share), zero);
    Wide out = step * step * force * c->inverse_mass - way;
    WideMask first = wide_less_equal(c->overlap, way);
    WideMask ends = wide_less(force * wide_max(one - share, zero), c->stiffness * out); // r < h
    WideMask last = wide_mask_and(ends, wide_less(zero, force));
    if (wide_mask_any(last)) force = wide_select(last, law_linear_last_force(c, force, out, step), force);
    if (wide_mask_any(first)) force = wide_select(first, law_linear_first_force(c, way, step), force);
    return force;
}

static inline void law_linear_set_parameters(const ContactBatch *b, const LawTable *table, int k,
                                             LinearContact *c) {
    c->stiffness = law_parameter(table, LAW_STIFFNESS, b, k);
    c->mass = wide_load(b->mass + k);
    if (!table->damped) return;
    c->inverse_mass = wide_set(1) / c->mass;
    c->rate = law_parameter(table, LAW_DAMPING, b, k) * wide_sqrt(c->stiffness * c->inverse_mass);
}

static void law_linear_forces(ContactBatch *b, const LawTable *table) {
    Wide h = wide_set(b->step);
    LinearContact c = {0};
    law_linear_set_parameters(b, table, 0, &c);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        if (!b->alike) law_linear_set_parameters(b, table, k, &c);
        c.overlap = wide_load(b->overlap + k), c.approach = wide_load(b->approach + k);
        Wide spring = c.stiffness * c.overlap, energy = wide_set(0.5) * spring * c.overlap, force, recorded;
        if (table->damped) {
            force = law_linear_damped_force(&c, h);
            recorded = law_ledger_spring(c.overlap, c.approach, h, c.mass, spring, energy, force);
        } else {
            force = law_linear_elastic_force(c.overlap, c.approach, h, c.mass, c.stiffness);
            recorded = force;
        }
        wide_store(b->spring + k, recorded);
        wide_store(b->normal + k, force);
        wide_store(b->stiffness + k, c.stiffness);
        wide_store(b->energy + k, energy);
    }
}

// ---- parameters ----------------------------------------------------------------------------------
static double law_linear_restitution(double zeta) {
    if (zeta <= 0) return 1;
    double distance = 1 - zeta * zeta;
    if (fabs(distance) < 1e-9) return exp(-2); // limit of both sides
    double w = sqrt(fabs(distance));
    if (distance > 0) return exp(-zeta / w * atan2(2 * zeta * w, 2 * zeta * zeta - 1));
    return exp(-zeta / w * log((zeta + w) / (zeta - w)));
}

static double law_linear_damping(double restitution) {
    return law_find_damping(law_linear_restitution, restitution, 1e6, 100);
}

static double law_linear_stiffness(const LawPair *pair) {
    return contact_stiffness_of_pair(pair->grains, pair->grain, pair->other, pair->wall);
}

static double law_linear_rest_stiffness(const LawPair *pair, double radius, double force) {
    (void)radius;
    (void)force;
    return law_linear_stiffness(pair);
}

// ---- time steps ----------------------------------------------------------------------------------
static LawImpact law_linear_impact(double mass, double radius, double stiffness, double speed) {
    (void)radius;
    return (LawImpact){.duration = M_PI * sqrt(mass / stiffness),
                       .overlap = speed * sqrt(mass / stiffness),
                       .stiffness = stiffness};
}

static double law_linear_steps_per_contact(double restitution) {
    return fmax(fmax(16, 12 + 7 * (1 / restitution - 1)), 28 - 120 * (1 - restitution));
}

static bool law_linear_needs_speed(const ContactDefinition *contact) {
    return contact->source != STIFFNESS_GIVEN;
}

// ---- the model file ------------------------------------------------------------------------------
// A `contact` that is no mapping, and a stiffness that is wrong, have been reported: nothing was loaded then.
static void law_linear_check_stiffness(const GrainsModel *model, const Findings *findings) {
    const ContactDefinition *c = &model->grains->contact;
    if (c->stiffness > 0 || c->source != STIFFNESS_GIVEN || c->stiffness_given || c->max_overlap == 0) return;
    if (!model->grains->contact_given)
        findings_object_error(
            findings, model->grains,
            "'%s' lacks 'contact': the smooth method needs a 'stiffness' (N/m), 'material' or "
            "'sized', or 'normal: hertz'",
            model->grains->name);
    else
        findings_object_error(findings, c,
                              "'contact' lacks 'stiffness': a stiffness (N/m), 'material' or 'sized'");
}

static void law_linear_check(const GrainsModel *model, const Findings *findings) {
    const ContactDefinition *c = &model->grains->contact;
    law_linear_check_stiffness(model, findings);
    if (c->source == STIFFNESS_MATERIAL) {
        law_check_young(model, "'stiffness: material'", findings);
        if (c->impact_speed == 0)
            findings_error(findings, &c->stiffness,
                           "'stiffness: material' needs 'impact_speed': no wall and no grain of '%s' moves, "
                           "and there is no "
                           "room to fall through",
                           model->grains->name);
    }
    if (c->source == STIFFNESS_SIZED && c->sizing.speed == 0)
        findings_error(findings, &c->stiffness,
                       "'stiffness: sized' needs 'sizing.speed': no wall and no grain of '%s' moves",
                       model->grains->name);
}

static void law_linear_describe(const GrainsModel *model, const Material *grain, const Material *wall,
                                Text *text) {
    const ContactDefinition *c = &model->grains->contact;
    double between = contact_stiffness_of_pair(model->grains, grain, grain, false),
           at_wall = contact_stiffness_of_pair(model->grains, grain, wall, true);
    text_add_string(text, "a linear spring of ");
    human_add(text, between, DIM_STIFFNESS);
    if (at_wall != between) {
        text_add_string(text, " (");
        human_add(text, at_wall, DIM_STIFFNESS);
        text_add_string(text, " at walls)");
    }
    if (c->source == STIFFNESS_MATERIAL) {
        text_add_string(text, ", from the materials at impacts of ");
        human_add(text, c->impact_speed, DIM_VELOCITY);
    } else if (c->source == STIFFNESS_SIZED) {
        text_add(text, ", sized for overlaps up to %g %% of the radius when walls move at ",
                 100 * c->sizing.overlap);
        human_add(text, c->sizing.speed, DIM_VELOCITY);
        if (c->sizing.frequency > 0) {
            text_add_string(text, " and ");
            human_add(text, c->sizing.frequency, DIM_FREQUENCY);
        }
    }
}

const NormalLawType normal_law_linear = {
    .choice = {.word = "linear",
               .doc = "a linear spring with a dashpot that gives the materials' restitution"},
    .contacts = "linear",
    .forces = law_linear_forces,
    .needs_speed = law_linear_needs_speed,
    .stiffness = law_linear_stiffness,
    .damping = law_linear_damping,
    .restitution = law_linear_restitution,
    .impact = law_linear_impact,
    .steps_per_contact = law_linear_steps_per_contact,
    .rest_stiffness = law_linear_rest_stiffness,
    .check = law_linear_check,
    .describe = law_linear_describe,
};
