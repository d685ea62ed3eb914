// Divergence of a scheme: the largest load that the energy in play admits, and loads beyond it.
//
// Over a step of h, what is passed to the mechanism at a port is the momentum that everything on the grains'
// side of it loses, grains and container, and what acts on these from outside:
//
//     J = p(n) - p(n+1) + h (weight, springs and dampers of the container)
//
// Let m be their mass, Theta = sum (m_i r_i^2 + I_i) with r_i from the port's origin, and K their kinetic
// energy. By Cauchy and Schwarz |p| <= sum m_i |v_i| <= sqrt(2 m K), and the moment of momentum is at most
// sqrt(2 Theta K). K is never more than
//
//     E = K0 + (S0 - S) + W                             (the energy in play)
//
// K0 and S0 being kinetic and stored energy of both sides at the start, S what is stored now, W the work put
// in from outside: dissipation only takes away from it. So, with the container's stiffness k and damping c,
//
//     |force|  h <= 2 sqrt(2 m E) + h f,                f = m g + sqrt(2 k E) + c sqrt(2 E/m)
//     |moment| h <= 2 sqrt(2 Theta E) + h f sqrt(Theta/m)
//
// The first terms are all grains hitting at once with all the energy and bouncing back with it. (The weight is taken
// twice as a margin, because contact problems are solved to a tolerance.)
//
// Grains that touch walls of other ports, or the ground, may be pressed against them by any force. There the
// bound follows from the mechanism: with its mobility Y, impulses L on all ports change its velocities by
// dv = Y L, and its kinetic energy before and after is at most E, so that
//
//     L^T Y L <= 8 E
//
// (for springs that a step does not resolve, Y is that of the spring, and this is their energy).
//
// A load beyond the bound is a fault of the exchange. One step of it may be an overlap in the packing; a
// scheme that diverges goes on and grows. Each such step scores 1 + log2(load/bound), of which 2 % fade with
// every step, and 8 are divergence: 9 steps just above the bound, one in four for 50 steps, or one 128 times
// above.
#ifndef COUPLING_DIVERGENCE_H
#define COUPLING_DIVERGENCE_H

#include "base/archive.h"
#include "base/error.h"
#include "partner/partner.h"

typedef struct DivergenceWatch {
    double energy; // in play, the highest so far: E [J]
    double score;
    double answer;        // L^T Y L of the last step; 0: not computed [J]
    PartnerMass *carried; // per port, grains and container, at the last check
} DivergenceWatch;

struct Coupling;

// Before the first step, and after each.
void divergence_start(struct Coupling *coupling);
MrcStatus divergence_watch(struct Coupling *coupling, double h, MrcError *error);
// Once loads are final and before the drivers commit.
void divergence_find_answer(struct Coupling *coupling, double h);
// The loads as they stand, over the bound as last known; `port`: where. Cheap.
double divergence_excess(const struct Coupling *coupling, double h, int *port);
// The same by momentum alone, as if nothing else held the grains.
double divergence_momentum_excess(const struct Coupling *coupling, double h, int *port);
// After a failure of one side: if its cause is that the scheme diverges, the error says so.
MrcStatus divergence_explain(struct Coupling *coupling, double h, MrcError *error);
// The error that the scheme has diverged at the port, why, and what to use instead (divergence_message.c). `failed`:
// message of the side that failed; NULL: none did.
MrcStatus divergence_report(struct Coupling *coupling, int port, double h, const char *failed,
                            MrcError *error);
void divergence_archive(struct Coupling *coupling, Archive *archive);

#endif
