// Monolithic: mechanism and grains in one contact problem of semi-implicit Euler (Zhang et al. 2020, Eqs. 18-19 for both
// sides together, doi:10.1016/j.mechmachtheory.2020.104181). The joints are bilateral rows of that problem and solved
// with the contacts, exactly (joined_problem.c).
//
// The contact problem has dense matrices for what joints connect. For mechanisms with more bodies than a few, and for
// smooth grains, the rows are therefore eliminated beforehand: [M G^T; G 0] gives the mechanism's velocity without
// grains and what an impulse at a port adds to it. What is left for the contact solver is the same problem with fewer
// unknowns (tests/coupling/test_monolithic.c).
#include "coupling/coupling.h"

static MrcStatus monolithic_eliminated(Coupling *c, double h, MrcError *error) {
    const double *Y = NULL;
    MrcStatus status = exchange_whole(c, error);
    if (status == MRC_OK) status = exchange_mobility(c, h, &Y, error);
    if (status != MRC_OK) return status;
    exchange_divide(c);
    exchange_follow_euler(c, h);
    exchange_bend_euler(c, h);
    status = exchange_grains(c, h, Y, error);
    if (status == MRC_OK) status = exchange_impulse(c, h, error);
    if (status == MRC_OK) exchange_settle_euler(c, h);
    return status;
}

static MrcStatus monolithic_step(Coupling *c, double h, MrcError *error) {
    exchange_begin_euler(c);
    MrcStatus status = drivers_euler(&c->drivers, c->step.t, h, error);
    if (status != MRC_OK) return status;
    return joined_problem_is_used(c) ? exchange_joined(c, h, error) : monolithic_eliminated(c, h, error);
}

// rho_inf plays no part, and nothing is remembered but position and velocity.
static void monolithic_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    (void)settings;
    Real v = z->v2 - ((s->k1 + s->k2) * z->x2 + (s->c1 + s->c2) * z->v2) / (1 + s->m2), x = z->x2 + v;
    *z = (TwoMassState){.x1 = x, .v1 = v, .x2 = x, .v2 = v};
}

const SchemeType scheme_monolithic = {
    .choice = {"monolithic", 0, "one contact problem for both sides, semi-implicit Euler"},
    .step = monolithic_step,
    .needs_mobility = true,
    .needs_euler = true,
    .one_problem = true,
    .recurrence = monolithic_recurrence,
    .variants = (const SchemeVariant[]){{"monolithic", {0}}, {NULL, {0}}},
    .caution =
        "the sum of kinetic and elastic energy swings by up to 1/(1 - omega h/2) times, without growing",
    .instead = "scheme: condensed, which takes stiff springs and beams implicitly, or a smaller step",
};
