// Condensed: the grains see the container as a body with the mechanism's mobility; what they do to it comes back as an
// impulse, that is a velocity jump, on top of a smooth step (docs/theory/condensed.md).
#include "coupling/coupling.h"

static MrcStatus condensed_step(Coupling *c, double h, MrcError *error) {
    const double *Y = NULL;
    MrcStatus status = exchange_begin(c, h, error);
    if (status == MRC_OK) status = drivers_advance(&c->drivers, NULL, error);
    if (status == MRC_OK) status = exchange_whole(c, error);
    if (status == MRC_OK) status = exchange_mobility(c, h, &Y, error);
    if (status == MRC_OK) status = exchange_bend(c, h, error);
    if (status != MRC_OK) return status;
    exchange_divide(c);
    exchange_follow(c, h);
    status = exchange_grains(c, h, Y, error);
    if (status == MRC_OK) status = exchange_impulse(c, h, error);
    return status == MRC_OK ? exchange_rebound(c, h, error) : status;
}

// How mass 1 answers to impulses of the grains (docs/theory/condensed.md), per unit.
typedef struct CondensedAnswer {
    bool small;                 // there are several small steps
    Real step, e;               // one small step; `early` of a steady load
    Real lasting, stiff, force; // velocity that stays; share that is a force, and velocity by it
    Real yielding, settling;    // displacement by it, and the time that it takes
    Real kept, gain;            // of the velocity with which the container yields, over a small step
    Real place, mean, change,
        velocity; // container: place, mean free velocity, change of it; velocity just now
} CondensedAnswer;

static CondensedAnswer condensed_answer(const TwoMass *s, const TwoMassState *z, TwoMassMotion smooth) {
    CondensedAnswer a = {.small = s->substeps > 1, .step = (Real)1 / s->substeps};
    Real share = s->b0 / (1 + s->a2);
    a.e = (1 + a.step) / 2;
    Real mobility = 1 / (1 + (a.e - 0.5L + share) * s->c1 + a.e * share * s->k1);
    a.stiff = a.small ? 1 - mobility : 0;
    a.lasting = (1 - a.stiff) * mobility;
    a.force = s->b0 * a.stiff / s->newton;
    a.yielding = s->b0 * a.force;
    a.settling = a.e * share / 8;
    a.kept = a.settling / (a.settling + a.step);
    a.gain = a.small ? a.yielding / (a.settling + a.step) : 0;
    a.place = s->contact_k > 0 ? z->x1 + z->gap : z->x2;
    // The displacement settling * z->yielding is still to come.
    a.mean = smooth.x - a.place - (a.small ? a.settling * z->yielding : 0);
    a.change = a.small ? smooth.v - z->v1 + a.force * z->load[0] : 0;
    a.change -= a.stiff * (a.change + z->jump);
    a.velocity = a.mean - a.change * (1 + a.step) / 2 + z->yielding;
    return a;
}

// One small step of mass 2 on the container, which would move at `follow`. Returns its impulse on it.
static Real condensed_push(const TwoMass *s, CondensedAnswer *a, TwoMassState *z, Real follow) {
    Real answer = a->lasting + a->gain, pull = a->step * (-s->k2 * z->x2 - s->c2 * z->v2), push;
    if (s->contact_k > 0) {
        push = a->step * (s->contact_k * (z->x2 - a->place) + s->contact_c * (z->v2 - a->velocity));
        z->v2 += (pull - push) / s->m2;
        a->velocity = follow + answer * push;
    } else {
        push = (s->m2 * (z->v2 - follow) + pull) / (1 + s->m2 * answer);
        z->v2 = a->velocity = follow + answer * push;
    }
    z->x2 += a->step * z->v2;
    a->place += a->step * a->velocity;
    return push;
}

// A smooth step without load; steps of the grains with the container as a body of inverse mass 1/S'(e); and their
// impulses as a jump of the velocity, with the stored past shifted to match. With more small steps than one, the
// container's velocity goes from that of the mechanism at the beginning to that of the smooth step at the end, and the
// part `stiff` of the impulses is a force at the end of the step (mechanism/stiff.c). Only this enters the stored
// accelerations.
static void condensed_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    (void)settings;
    TwoMassMotion smooth = two_mass_mechanism(s, z, 0);
    CondensedAnswer a = condensed_answer(s, z, smooth);
    Real impulse = 0, early = 0, yields = z->yielding;
    for (int i = 0; i < s->substeps; i++) {
        Real follow =
            a.mean + a.lasting * impulse + a.change * ((i + (Real)0.5) * a.step - 0.5L) + a.kept * yields;
        Real push = condensed_push(s, &a, z, follow);
        impulse += push;
        early += push * (1 - i * a.step);
        yields = a.small ? a.kept * yields + a.gain * push : 0;
    }
    Real uneven = a.stiff * s->uneven * (impulse - early / a.e);
    Real jump = a.lasting * (impulse + uneven), way = a.lasting * early;
    two_mass_accept(z, smooth);
    z->x1 += way + a.yielding * impulse;
    z->v1 += jump + a.force * impulse;
    z->x1_old += way - jump;
    z->v1_old += jump;
    z->a1 = -s->k1 * z->x1 - s->c1 * z->v1 + a.stiff * impulse;
    two_mass_keep_load(z, impulse);
    if (a.small) z->jump = jump, z->yielding = yields;
    if (s->contact_k > 0) z->gap = a.place - z->x1;
}

const SchemeType scheme_condensed = {
    .choice =
        {"condensed", 0,
         "the grains move the container with its effective mass on the mechanism; what they do to it comes "
         "back as an impulse"},
    .step = condensed_step,
    .needs_mobility = true,
    .one_problem = true,
    .rebounds = true,
    .carries = true,
    .options = SCHEME_SUBSTEPS | SCHEME_CONTACT,
    .recurrence = condensed_recurrence,
    .variants = (const SchemeVariant[]){{"condensed", {0}}, {NULL, {0}}},
    .instead = "a smaller step or a smaller rho_inf",
    .caution = "impacts: grains that bounce may gain energy where rho_inf is above 0.6 and omega h above 1; "
               "a run ends "
               "with an error then",
    .caution_rho = 0.6,
    .caution_omega_h = 1,
};
