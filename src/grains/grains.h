// Grains: a bed of spheres among walls, as one partner of a simulation. Walls move as they are told (one
// Motion per wall part); the grains answer with a Load on each part.
#ifndef GRAINS_GRAINS_H
#define GRAINS_GRAINS_H

#include "base/archive.h"
#include "grains/definition.h"
#include "grains/store.h"
#include "math/frame.h"
#include "math/unit.h"

typedef struct Grains Grains;

// Everything that can be measured on a bed at one instant.
typedef struct GrainsMeasure {
    Vec3 center;            // of mass [m]
    Vec3 velocity;          // mean, weighted by mass [m/s]
    double temperature;     // granular: mean of |v - mean|^2 / 3 [m^2/s^2]
    double overlap;         // largest at this instant [m]
    double contacts;        // number of touching pairs, walls included
    double kinetic;         // energy [J]
    double potential;       // in gravity, zero at the world's origin [J]
    double elastic;         // stored in contacts [J]
    double work;            // done by the walls on the grains since the start [J]
    double input;           // the positive part of that work: what the walls' drives put in [J]
    double impact;          // dissipated by normal damping since the start [J]
    double friction;        // dissipated by friction since the start [J]
    Load load;              // sum over all walls, about the port's origin
    double largest_overlap; // since the start, as a fraction of the radius
} GrainsMeasure;

// Places the grains at rest relative to the port. `walls` holds one motion per wall part at the start.
// `definition` and `materials` must outlive the grains.
MrcStatus grains_create(const GrainsDefinition *definition, const Material *materials, int material_count,
                        Vec3 gravity, double step, const Motion *port, const Motion *walls, Grains **grains,
                        MrcError *error);
void grains_destroy(Grains *grains);

// One step from t to t + h: forces where walls and grains are now, then the motion. `loads` (one per wall
// part, about the origin of that part's port) are those forces.
MrcStatus grains_advance(Grains *grains, const Motion *walls, Load *loads, MrcError *error);

// Looks without touching: forces and sums at this instant. `port` is where the total load's moment is taken.
MrcStatus grains_measure(Grains *grains, const Motion *port, const Motion *walls, GrainsMeasure *measure,
                         MrcError *error);

// Has any grain left the room? MRC_LOST_GRAIN names it.
MrcStatus grains_check_lost(const Grains *grains, const Motion *walls, MrcError *error);

void grains_archive(Grains *grains, Archive *archive);

const GrainStore *grains_store(const Grains *grains);
double grains_mass(const Grains *grains); // of all grains [kg]
int grains_wall_count(const Grains *grains);
const WallDefinition *grains_wall(const Grains *grains, int part);
double grains_critical_step(const Grains *grains); // Hart's, DAMPER Eq. 1 with alpha = 1 [s]

// The table of signals: suffix, dimension, and where it is in a measure (offset in bytes of a double).
typedef struct GrainsSignal {
    const char *suffix;
    Dimension dimension;
    size_t offset;
} GrainsSignal;
extern const GrainsSignal grains_signals[];
extern const int grains_signal_count;

#endif
