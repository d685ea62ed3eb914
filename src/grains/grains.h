// Grains: a bed of grains among walls. Input of a step is the motion of each wall part, output the load on it.
#ifndef GRAINS_GRAINS_H
#define GRAINS_GRAINS_H

#include "base/archive.h"
#include "base/log.h"
#include "grains/definition.h"
#include "grains/store.h"
#include "math/frame.h"
#include "math/unit.h"
#include "schema/findings.h"

typedef struct Grains Grains;
struct Text;

// ---- before there are grains ---------------------------------------------------------------------
// Properties of the method of a bed.
bool grains_takes_substeps(const GrainsDefinition *definition); // small steps within a step of the machine
bool grains_are_rigid(const GrainsDefinition *definition);  // contacts are part of the step's contact problem
bool grains_need_speed(const GrainsDefinition *definition); // `contact.impact_speed` is needed

// Do the keys of `contact` go together, and do materials have what they need?
void grains_check(const GrainsModel *model, const Findings *findings);
// Warnings about coefficients and laws that have no effect; only for a model without errors.
void grains_check_effect(const GrainsModel *model, const Findings *findings);
// The laws of contact in words, with the numbers that come out for this bed: "  They touch with ...\n".
void grains_describe_contacts(const GrainsModel *model, struct Text *text);

// ---- a bed ---------------------------------------------------------------------------------------

// Progress of settling and messages. All members may be NULL.
typedef struct GrainsWatch {
    const Log *log; // for notes and warnings
    // Called at intervals of some steps with the time simulated so far and the longest allowed [s].
    void (*settling)(void *user, double time, double limit, int64_t steps);
    void *user;
} GrainsWatch;

// The world around a bed when it is created.
typedef struct GrainsSetting {
    const Material *materials;
    int material_count;
    const MaterialPair *pairs; // coefficients of pairs of materials
    int pair_count;
    Vec3 gravity;             // [m/s^2]
    double step;              // [s]
    bool keep_orientation;    // of round grains too, whose motion does not depend on it
    bool keep_history;        // grains may come and leave (change.h)
    const Motion *port;       // that the grains are placed in
    const Motion *walls;      // one per wall part
    const GrainsWatch *watch; // NULL: no messages
} GrainsSetting;

// Everything that can be measured on a bed at one instant.
typedef struct GrainsMeasure {
    Vec3 center;          // of mass [m]
    Vec3 velocity;        // mean, weighted by mass [m/s]
    double inertia[6];    // about the centre of mass, world axes: xx, yy, zz, xy, yz, zx [kg m^2]
    double temperature;   // granular: mean of |v - mean|^2 / 3 [m^2/s^2]
    double overlap;       // largest at this instant [m]
    double contacts;      // number of touching pairs, walls included
    double wall_contacts; // of them with walls
    double coordination;  // contacts per grain: those of pairs count for both
    double kinetic;       // energy [J]
    double potential;     // in gravity, zero at the world's origin [J]
    double elastic;       // stored in contacts [J]
    double work;          // done by the walls on the grains since the start [J]
    double input;         // the positive part of that work: what the walls' drives put in [J]
    double belts;         // work done by moving surfaces on the grains since the start [J]
    double impact;        // dissipated by normal damping since the start [J]
    double friction;      // dissipated by friction since the start [J]
    double rolling;       // dissipated by rolling since the start [J]
    double stabilisation; // dissipated by undoing overlaps since the start, negative when added [J]
    double algorithm;     // numerical dissipation since the start [J]
    double carried;       // energy that came with grains less that which left with them, since the start [J]
    double lifted;        // the potential part of it [J]
    double arrived;       // kinetic energy that came with grains since the start [J]
    Load load;            // sum over all walls, about the port's origin
    double largest_overlap; // since the start, as a fraction of the radius
} GrainsMeasure;

// Forces between grains that touch, in the last step; pairs count once, whatever the number of their points.
typedef struct GrainsForces {
    double pairs;         // that touch
    double neighbours;    // touching ones per grain
    double mean, largest; // force of a pair [N]
    double strong;        // share of pairs with more than the mean
    double carried;       // share of the sum of all forces that they carry
} GrainsForces;

// Places the grains at rest relative to the port. `definition` must outlive the grains.
MrcStatus grains_create(const GrainsDefinition *definition, const GrainsSetting *setting, Grains **grains,
                        MrcError *error);
void grains_destroy(Grains *grains);

void grains_forces(const Grains *grains, GrainsForces *forces); // zero for methods that do not provide them

// Gives walls the mobility of their ports (6x6 each, about the port's origin), which then enters the
// effective mass of contacts; NULL: the motion of the walls is prescribed. Read at every step.
void grains_set_mobility(Grains *grains, const double (*mobility)[6][6]);

// One step from t to t + h: forces where walls and grains are now, then the motion. `loads` (one per wall
// part, about the origin of that part's port) are those forces.
MrcStatus grains_advance(Grains *grains, const Motion *walls, Load *loads, MrcError *error);

// Forces and sums at this instant; changes nothing. `port` is where the total load's moment is taken.
MrcStatus grains_measure(Grains *grains, const Motion *port, const Motion *walls, GrainsMeasure *measure,
                         MrcError *error);
// After grains_measure: the loads of the wall parts are these instead of those of the instant.
void grains_measure_loads(Grains *grains, const Motion *port, const Motion *walls, const Load *loads,
                          GrainsMeasure *measure);
const Load *grains_measured_loads(const Grains *grains); // per wall part, of the last grains_measure

// What grains did to a wall part since the start (wear.c).
typedef struct WallWear {
    double friction; // work of friction on it [J]
    double impact;   // dissipated by impacts on it [J]
    double volume;   // worn off after Archard [m^3]
} WallWear;
const WallWear *grains_wear(const Grains *grains); // per wall part

// Collisions by what they dissipated (spectra.c), of a wall part or, part -1, of two grains.
typedef struct SpectrumClass {
    double from, to; // energies of one collision [J]
    int64_t count;   // of collisions that are over
    double energy;   // that they dissipated [J]
} SpectrumClass;
typedef struct SpectrumSums {
    int64_t count;
    double energy; // [J]
    double median; // collisions with less than this dissipated half of it [J]
} SpectrumSums;
// Class k, from the least energies on; false: there is none, or the bed keeps no spectra.
bool grains_spectrum_class(const Grains *grains, int part, size_t k, SpectrumClass *out);
SpectrumSums grains_spectrum_sums(const Grains *grains, int part);

// The grains as they are now, in order of id; valid until the next step.
const GrainStore *grains_view(Grains *grains);

// Place of a grain in the view by its id; grains_count: it is not there (any more).
size_t grains_find(const Grains *grains, int64_t id);

// Has any grain left the room? MRC_LOST_GRAIN names it.
MrcStatus grains_check_lost(Grains *grains, const Motion *walls, MrcError *error);

void grains_archive(Grains *grains, Archive *archive);

// What the engine did, for reports.
typedef struct GrainsCounts {
    int64_t steps;      // taken
    int64_t lists;      // neighbour lists made
    int64_t prunings;   // of the neighbour lists
    int64_t early;      // of them earlier than planned
    double stepped;     // grains moved step by step, over all, at this instant
    size_t pairs, near; // pairs in the neighbour lists and near pairs at this instant
    double skin;        // [m]
} GrainsCounts;
GrainsCounts grains_counts(const Grains *grains);

size_t grains_count(const Grains *grains);
double grains_mass(const Grains *grains); // of all grains [kg]
// Energy that came with grains and from moving surfaces since the start, less what left [J]; `flow`: what of it came as
// motion, every contribution counted positive.
double grains_given(const Grains *grains, double *flow);
// By how much of a step the load on walls belongs to an instant before the middle of the step: grains that are moved by
// theta v1 + (1 - theta) v0 have the velocity v1 at t1 + (1/2 - theta) h, so that an impulse m (v1 - v0) is that of the
// instant t0 + (1 - theta) h.
double grains_load_early(const Grains *grains);
double grains_lift_energy(const Grains *grains);   // that lifts all grains by their mean radius [J]
double grains_critical_step(const Grains *grains); // smallest of all grains [s]

extern const SignalRow grains_signals[]; // of a GrainsMeasure
extern const int grains_signal_count;

#endif
