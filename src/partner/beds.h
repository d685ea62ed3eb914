// All beds of grains, as one follower: they are advanced together (grains/world.h).
#ifndef PARTNER_BEDS_H
#define PARTNER_BEDS_H

#include "grains/compactness.h"
#include "grains/filling.h"
#include "grains/kinds.h"
#include "grains/time_steps.h"
#include "grains/world.h"
#include "partner/partner.h"

// How many sub-steps smooth beds take in one step of the simulation.
typedef struct BedsSteps {
    double step;      // of the simulation [s]
    bool divide;      // `step` is the machine's, which beds divide; false: beds take it as it is
    int64_t interval; // sub-steps; 0: as many as they need
    int64_t halvings; // by how many powers of two their number must be divisible
} BedsSteps;

// A single grain whose motion is recorded.
typedef struct WatchedGrain {
    size_t id;
    Vec3 position, velocity; // world axes, as of the last measure
    struct WatchedGrain *next;
} WatchedGrain;

typedef struct Bed {
    const GrainsDefinition *definition;
    Grains *grains;
    int port;               // index, or -1: the ground
    int *wall_ports;        // per wall part: index, or -1
    Motion frame;           // of its port, as of the last measure
    Motion *motions;        // per wall part, likewise
    GrainsMeasure measure;  //
    GrainsSteps steps;      // critical and suggested
    double step;            // that the bed takes [s]
    double stiffness;       // of a contact of two grains [N/m]; NAN: the law has none
    double restitution;     // asked for, if too low for dashpots (they give law_least_restitution); else NAN
    WatchedGrain *watched;  // NULL: none
    BedFilling filling;     //
    GrainsForces forces;    //
    RegionMeasure *regions; // per region of the definition
    unsigned char *cells_of_region; // scratch for them
    KindMeasure *kinds;             // per kind of grains; NULL: there is only one
    double mixing;                  // index of Lacey
    KindCells cells;                // scratch for it
} Bed;

typedef struct Beds {
    Bed *items;
    int count;
    int port_count;
    Vec3 gravity;         // [m/s^2]
    WorldBed *world_beds; //
    World *world;
} Beds;

// The step that a bed takes; `own`: its critical and suggested steps.
double beds_step(const GrainsDefinition *bed, const BedsSteps *steps, const GrainsSteps *own);

// Of PartnerType (partner/beds_frames.c).
MrcStatus beds_frames(void *beds, FrameView view, FrameList *list, MrcError *error);

// Likewise (partner/beds_signals.c), and what has to be measured for them, when the frames of the bed are known.
void beds_signals(const void *definition, void *beds, SignalList *list);
MrcStatus beds_measure_for_signals(Bed *bed, MrcError *error);

// Are grains of two different beds in the same place now (partner/beds_meeting.c)?
bool beds_meet(const Beds *beds, int a, int b);

extern const PartnerType partner_beds; // its definition is a BedsDefinition

#endif
