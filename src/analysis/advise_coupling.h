// What a mechanism and grains should be coupled with.
//
// At each port, along each of its axes, or of those in which its mobility is diagonal, the mechanism is replaced by a mass on a spring with the same response to
// impulses at the start of the run. Y is the mobility by the mass matrix M, Y(h) that by M + s K, s = h^2 b0/(1 + a2), the
// matrix of a step of h without its dampers:
//
//     effective mass        m1 = 1/Y                     along the axis
//     effective stiffness   k1 = (1/Y(h) - 1/Y)/s
//
// With m2, the grains and the container on their side, that is the two-mass oscillator of
// coupling/two_mass.h, and the growth of errors in each scheme is known. The axis with the smallest effective mass
// counts. Frequencies below sqrt(k1/m1) act too (a beam has many), and small steps are no remedy for a
// mass ratio: a scheme is called stable when the radius is at most 1 for that omega h and for all smaller
// ones.
#ifndef ANALYSIS_ADVISE_COUPLING_H
#define ANALYSIS_ADVISE_COUPLING_H

#include "base/memory.h"
#include "coupling/stability.h"
#include "maraca/maraca.h"
#include "sim/sim.h"

enum { SCHEME_ADVICE_MAX = 32 };

typedef struct SchemeAdvice {
    const char *name;
    const SchemeType *scheme;
    double radius;   // largest growth per step at the model's step and rho_inf
    double rho_most; // largest rho_inf, of 0, 0.05 ... 1, at which it is stable; NAN: none
    // What an impact of a rigid grain makes of the energy of the relative motion, restitution's loss included; NAN: there
    // are no rigid grains, or no impact adds energy in this scheme.
    double impact_gain;
    // The sum of kinetic and elastic energy swings about what the scheme keeps, by up to this factor; NAN: it does not.
    double energy_swing;
} SchemeAdvice;

typedef struct PortAdvice {
    const char *name;
    Vec3 direction[3];           // looked along, in the port's axes: these, or where the mobility is diagonal
    char along[3][40];           // their words: "x", or "0.577 0.577 0.577"
    double effective_mass[3];    // along them; infinite: it cannot move so [kg]
    double effective_inertia[3]; // about the port's axes; infinite: it cannot turn so [kg m^2]
    double grains, container;    // mass on the grains' side [kg]
    bool carried;       // the container is a body of the mechanism in the condensed scheme (sim/carried.h)
    int axis;           // of the directions: with the smallest effective mass
    double ratio;       // grains and container over that
    double frequency;   // of effective mass and stiffness along that axis [Hz]; 0: no spring
    double contraction; // of the plain iteration of the tight scheme
    int small_steps;    // of smooth grains per step of the mechanism; 1: there are none
    double grain_ratio; // mass of the heaviest rigid grain over the least effective mass; 0: there is none
    double restitution; // the largest of rigid grains
    // Where contacts of heavy smooth grains may make errors grow (docs/theory/condensed.md):
    bool rings;         // a rho_inf above 0.6 would let it ring under its grains
    int stiff_axis;     // -1: nowhere
    double stiff_ratio; // mass of the grains over the effective one there
    double stiff_phase; // omega h there
    // Where contacts that lose nothing swing up (advise_contacts.c):
    double swing_growth;               // per step, the largest; 0: nowhere
    int swing_axis;                    // along which
    double swing_phase, swing_contact; // omega h there, of the mechanism and of grains on their contacts
    SchemeAdvice schemes[SCHEME_ADVICE_MAX];
    int scheme_count;
} PortAdvice;

typedef struct CouplingAdvice {
    PortAdvice *ports;
    int count;         // 0: nothing is coupled
    double first_mode; // of the mechanism, lowest vibration [Hz]; NAN: none
    double rho_inf;    // of the model
    // suggested
    const char *scheme;
    double step, grain_step; // of the mechanism, and of smooth grains (NAN: there are none) [s]
    int interval;            // steps of the grains per step of the mechanism
    double suggested_rho;
    const char *step_from; // what made it as small as it is
} CouplingAdvice;

// Contacts of heavy smooth grains may make errors grow at a port; a run warns of it, too. Whether the model can have
// such a port, and the warning for one (false: none is needed).
bool advise_stiff_is_possible(const SimDefinition *definition);
bool advise_stiff_words(const PortAdvice *port, char *text, size_t size);
// Likewise for contacts without damping that swing up: whether a bed can have them, what is found at a port, the warning.
struct BedAdvice;
bool advise_contacts_are_undamped(const SimDefinition *definition, const GrainsDefinition *bed);
void advise_find_swing(const SimDefinition *definition, const struct BedAdvice *bed, double h,
                       const double phases[3], PortAdvice *port);
bool advise_contact_words(const PortAdvice *port, char *text, size_t size);
// Likewise for the energies of a scheme that swing without growing.
bool advise_swing_words(const PortAdvice *port, const SchemeType *scheme, char *text, size_t size);

struct Advice;

// The simulation of the mechanism without its grains. MRC_OK and NULL: the model has no mechanism.
MrcStatus advise_machine(const SimDefinition *definition, Arena *arena, Sim **machine, MrcError *error);
// Fills in advice->coupling, once the beds are known; `arena` holds the result.
MrcStatus advise_coupling(const MrcModel *model, Sim *machine, Arena *arena, struct Advice *advice,
                          MrcError *error);

#endif
