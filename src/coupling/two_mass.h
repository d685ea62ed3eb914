// The two-mass oscillator: the smallest machine with grains, on which coupling schemes are judged.
//
//     ground --k1,c1-- [ mass 1 ] == rigid link == [ mass 2 ] --k2,c2-- ground
//
// Mass 1 is the mechanism, moved by the implicit two-step scheme (math/two_step.h). Mass 2 stands for the
// grains, moved by the semi-implicit Euler scheme at the level of impulses, its spring and damper taken at
// the start of the step:
//
//     m2 (v2(n+1) - v2(n)) = h [-k2 x2(n) - c2 v2(n) - load],  x2(n+1) = x2(n) + h v2(n+1)
//
// The link prescribes the motion of mass 2; the load is the force of the link on mass 1. Smooth grains have a contact in
// its place, a spring and a dashpot inside their small steps. Everything
// is without dimension: m1 = 1, h = 1, so that a velocity is a displacement per step. With w = omega01 h:
//
//     m2 = r_m,  k1 = w^2,  c1 = 2 xi1 w,  k2 = r_m (r_k w)^2,  c2 = 2 r_m (r_k w) (r_c xi1)
//
// Sources: TIGHT section 4.1 and Eq. 33, EXPLICIT section 4.1.1 and Eq. 44; see docs/theory/stability.md.
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181, EXPLICIT doi:10.1007/s11044-022-09829-w.
#ifndef COUPLING_TWO_MASS_H
#define COUPLING_TWO_MASS_H

typedef long double Real; // see math/eigenvalues.h: double roots on the unit circle need the digits

typedef struct TwoMassParameters {
    double mass_ratio;      // r_m = m2 / m1
    double frequency_ratio; // r_k = omega02 / omega01, omega0i = sqrt(ki / mi)
    double damping_ratio;   // r_c = xi2 / xi1, xi_i = ci / (2 mi omega0i)
    double xi1;             // damping ratio of the mechanism alone
    double rho_inf;         // of the two-step scheme
    double omega_h;         // omega01 times the step
    int substeps;           // steps of the grains per step of the mechanism
    // The contact of smooth grains in place of the link; only with small steps, in schemes that support it.
    double contact_omega_h; // sqrt(k/m2) times the step, k: its stiffness; 0: a link
    double contact_damping; // c/(2 sqrt(k m2)), c: of its dashpot
} TwoMassParameters;

typedef struct TwoMass {
    Real m2, k1, c1, k2, c2;
    Real contact_k, contact_c; // of the contact between the masses; 0: a link
    Real a1, a2, b0, b1, b2;   // two-step scheme
    Real newton;               // S = m1 + b0 c1 + b0^2 k1, the Newton matrix of a step
    Real uneven;               // of impulses that do not fall evenly over a step (two_step_uneven)
    int substeps;
} TwoMass;

// What is carried from step to step. A scheme uses what it needs of it; the rest stays zero or follows.
typedef struct TwoMassState {
    Real x1, v1, a1;             // mechanism at t(n); a1 as stored by the integrator
    Real x1_old, v1_old, a1_old; // at t(n-1)
    Real x2, v2;                 // grains at t(n)
    Real load[3];                // on the mechanism, of the last step and the two before
    Real jump;                   // of the mechanism's velocity in the last step
    Real yielding;               // condensed, small steps: velocity with which the container yields
    Real gap;                    // condensed, with a contact: the container's place less that of mass 1
} TwoMassState;
enum { TWO_MASS_STATE_COUNT = sizeof(TwoMassState) / sizeof(Real) };

typedef struct TwoMassMotion {
    Real x, v, a;
} TwoMassMotion;

TwoMass two_mass(const TwoMassParameters *parameters);

// The motion at t(n+1) before anything is solved: TIGHT Eqs. 5-6, EXPLICIT Eqs. 33-35.
TwoMassMotion two_mass_predict(const TwoMass *system, const TwoMassState *state);

// The motion at t(n+1) under `load`, and making it the present.
TwoMassMotion two_mass_mechanism(const TwoMass *system, const TwoMassState *state, Real load);
void two_mass_accept(TwoMassState *state, TwoMassMotion motion);

// The grains follow the link at the velocity `link` for one step of the mechanism, in `substeps` steps of
// their own. Returns the load on the mechanism, averaged over them.
Real two_mass_grains(const TwoMass *system, TwoMassState *state, Real link);
void two_mass_keep_load(TwoMassState *state,
                        Real load); // as the latest, without a jump and what comes with it

#endif
