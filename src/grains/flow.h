// Grains that come and leave: inlets, outlets and meters of beds.
//
// They act between steps, at ticks: about as often as the fastest grain moves by a radius. At a tick meters find the
// grains that have crossed them, outlets take out the grains in their regions, and inlets put in the grains that are
// due; then the bed changes once (change.h). Everything depends on the state of the simulation alone, so that it is the
// same on any number of threads and after resuming.
#ifndef GRAINS_FLOW_H
#define GRAINS_FLOW_H

#include "base/random.h"
#include "grains/change.h"
#include "grains/grain_sizes.h"
#include "grains/periodic.h"
#include "math/expression.h"

// ---- definitions ---------------------------------------------------------------------------------
typedef struct FlowPlane {
    Vec3 point;  // [m]
    Vec3 normal; // unit
} FlowPlane;

typedef struct FlowBox {
    Vec3 center, size; // [m]
} FlowBox;

typedef struct InletDefinition {
    const char *name, *bed;
    const char *kind; // of grains; NULL: the only one
    const char *port; // that carries the region; NULL: the ground
    RegionDefinition region;
    const Expression *rate;  // mass per time [kg/s]; NULL: by `count`
    const Expression *count; // grains per time [1/s]
    Vec3 velocity;           // beyond that of the port, in its axes [m/s]
    double from, until;      // [s]
    double total_mass;       // at most [kg]; 0: no limit
    int64_t total_count;     // at most; 0: no limit
    int64_t seed;
} InletDefinition;

typedef struct OutletDefinition {
    const char *name, *bed, *port;
    RegionDefinition region;
    FlowPlane plane; // grains beyond it leave
    bool by_plane;
} OutletDefinition;

typedef struct MeterDefinition {
    const char *name, *bed, *port;
    FlowPlane plane; // grains that cross it are counted
    bool by_plane;
    FlowBox box;    // grains in it are counted
    Vec3 direction; // of a box: along which velocity and flow are meant, unit
    double window;  // over which flow and velocity are averaged [s]
} MeterDefinition;

typedef struct FlowDefinition {
    InletDefinition *inlets;
    OutletDefinition *outlets;
    MeterDefinition *meters;
    int inlet_count, outlet_count, meter_count;
} FlowDefinition;
static inline bool flow_is_given(const FlowDefinition *d) {
    return d->inlet_count + d->outlet_count + d->meter_count > 0;
}

// ---- the run -------------------------------------------------------------------------------------
// Mean of a flow over the last while: a ring of slots of equal time.
enum { FLOW_SLOTS = 32 };
typedef struct FlowWindow {
    double span;                 // [s]
    int64_t slot;                // the present one, counted from t = 0
    double mass[FLOW_SLOTS];     // that passed, less what came back [kg]
    double both[FLOW_SLOTS];     // that passed or came back [kg]
    double momentum[FLOW_SLOTS]; // of both [kg m/s]
} FlowWindow;
void flow_window_move(FlowWindow *window, double time);
void flow_window_add(FlowWindow *window, double mass, double momentum); // mass < 0: it came back
double flow_window_rate(const FlowWindow *window, double time);         // [kg/s]
double flow_window_speed(const FlowWindow *window); // weighted by mass [m/s]; 0: nothing passed
void flow_window_archive(FlowWindow *window, Archive *archive);
// Of grains, from a file: signals and facts show it as a whole number.
void flow_check_count(double count, Archive *archive);

typedef struct InletItem { // a grain, or one that is about to come, near the region
    Vec3 center;           // port axes [m]
    double radius;         // [m]
    int32_t next;          // in the same cell; -1: none
} InletItem;

typedef struct Inlet {
    const InletDefinition *definition;
    const ParticlesDefinition *particles;
    int bed, port;  // indices; port -1: the ground
    int material;   // index
    int kind;       // likewise
    double density; // [kg/m^3]
    SizeTable sizes;
    double largest; // radius that may come [m]
    Vec3 lower, upper;
    Random random;
    int64_t drawn;     // sizes so far
    double radius;     // of the next grain [m]; 0: not drawn yet
    double last;       // time up to which the rate has been added up [s]
    double wanted;     // grains or mass that are due, by `count` or `rate`
    bool full, warned; // the region had no place at the last tick; a warning was given
    FlowWindow window;
    double count, mass, flow, owed; // signals: grains and [kg] so far, [kg/s], [kg]
    ARRAY(InletItem) items;         // scratch: what is near the region,
    ARRAY(int32_t) cells;           // and the first of each cell
    PlacedRegion place;             // where it is at this tick
    Vec3 cell_lower;
    double cell_size;
    int cell_count[3];
} Inlet;

typedef struct Outlet {
    const OutletDefinition *definition;
    int bed, port;
    FlowWindow window;
    double count, mass, flow; // signals
    double residence;         // mean of what has left [s]
    double stayed;            // sum over what has left [s]
    PlacedRegion place;       // scratch: where it is at this tick
} Outlet;

typedef struct Meter {
    const MeterDefinition *definition;
    int bed, port;
    int32_t mark; // bit of grains that are beyond the plane
    FlowWindow window;
    double count, mass, flow, velocity; // signals
} Meter;

typedef ARRAY(GrainNewcomer) Newcomers;

// Input of the devices of a bed at a tick.
typedef struct FlowTick {
    Grains *grains;
    double time;
    const Motion *walls;   // of the bed
    const Motion *ports;   // of the simulation
    const Inputs *inputs;  //
    Newcomers *coming;     // so far
    const Meter *meters;   // of all beds
    int meter_count, bed;  //
    const struct Log *log; // NULL: none
} FlowTick;

static inline Motion flow_port(const FlowTick *tick, int port) {
    return port < 0 ? motion_at_rest() : tick->ports[port];
}

// ---- inlet.c, outlet.c, meter.c ------------------------------------------------------------------
MrcStatus inlet_create(Inlet *inlet, const InletDefinition *definition, const GrainsDefinition *bed,
                       const GrainsSetting *setting, MrcError *error);
void inlet_free(Inlet *inlet);
MrcStatus inlet_tick(Inlet *inlet, const FlowTick *tick, MrcError *error); // adds to `coming`
void inlet_archive(Inlet *inlet, Archive *archive);

// Is a grain of the bed beyond the plane or, itself or an image of it, in the region? After placing it for this instant.
void outlet_place(Outlet *outlet, const Motion *port);
bool outlet_takes(const Outlet *outlet, const Periodic *periodic, Vec3 center);
void outlet_count(Outlet *outlet, double mass, double speed, double stayed);
void outlet_archive(Outlet *outlet, Archive *archive);

bool meter_is_beyond(const Grains *grains, const Meter *meter, const Motion *port, Vec3 center);
void meter_tick(Meter *meter, const FlowTick *tick, bool first); // marks of the grains follow
void meter_look_into_box(Meter *meter, const FlowTick *tick);    // of a box: now
int32_t meter_marks(const FlowTick *tick, Vec3 center);          // of a grain that comes
void meter_archive(Meter *meter, Archive *archive);

#endif
