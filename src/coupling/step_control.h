// Control of the exchange step: steps as long as the port energy error allows.
//
// The step of the simulation is the longest one. It is done in 2^cuts parts, after each of which both sides
// exchange; a part whose energy error e is too large is taken back and done again in halves,
//
//     e > tolerance * max(passed in the part, part's duration * mean power passed so far)
//
// so that the error of a run is at most about twice the tolerance times the energy that passes; a part with
// less than a twentieth of that makes the next one twice as long. (Doubling a step multiplies e by 4 to 16.)
//
// Why this is for smooth grains. Let a load F change by dF from one exchange to the next. The side that goes first,
// with an extrapolated load or motion, is off by about dx = b0^2 h^2 dF/m, and the error is F dx. Of a load that is
// smooth in time, dF falls with h: e falls as h^3 or faster, and its sum as h^2 or faster. An impulse P of rigid grains
// is a load P/h in one step: dF = F = P/h, and e = b0^2 P^2/m whatever the step is. Besides, their velocities, and that
// of a container with mass, are means over steps: where a step of h follows one of h', the load between is (v(n+1) -
// v(n))/h, too large by (h' - h)/2h. With them, steps are left as they are.
//
// A scheme that passes loads on a step later than they come (multirate, overlapped, Jacobi order) must pass
// them on for as long as they acted: a load of a long step that the short one after it passes on has lost the
// rest of its momentum. It is not cut either.
//
// Contacts of smooth grains that are over within the shortest part are impulses, too. That is seen where
// parts are done again: when 16 such stretches together have kept more than half of the error that they had
// at first (every 32 of the shortest parts a longer one is tried), steps are not cut for 500 steps of the
// simulation; the next time for 1000, and so on.
#ifndef COUPLING_STEP_CONTROL_H
#define COUPLING_STEP_CONTROL_H

#include "base/archive.h"
#include "base/error.h"
#include "base/fact.h"

typedef struct PortEnergy {
    double error;  // that the exchange made [J]
    double passed; // [J]
} PortEnergy;

typedef struct StepControl {
    bool active;        // for the part at hand
    bool refused;       // it is to be done again, in halves
    bool again;         // it is being done again
    int64_t cuts;       // of the exchange step now
    int64_t pause;      // steps of the simulation for which none is cut, still
    int64_t next_pause; // how many the next time
    double elapsed;     // [s]
    PortEnergy last;    // of the part at hand
    double allowed;     // likewise [J]
    // what doing stretches again has brought
    int64_t stretch_end;                  // of the one at hand, in the shortest parts of the step; 0: none
    double stretch_before, stretch_after; // its error, at first and now [J]
    int64_t stretches;
    int64_t in_a_row;      // shortest parts without having tried a longer one
    double before, after;  // of these together [J]
    int64_t parts, redone; // counts
    int64_t shortest;      // cuts, at most
    int64_t pauses;
} StepControl;

struct Coupling;

typedef enum StepControlUse {
    STEP_CONTROL_USEFUL,
    STEP_CONTROL_ONE_PROBLEM, // the scheme makes no error that shorter steps would lower
    STEP_CONTROL_LATE,        // the scheme passes loads on a step later than they come
    STEP_CONTROL_IMPULSES     // loads are impulses: rigid grains, or a container with mass
} StepControlUse;
StepControlUse step_control_use(const struct Coupling *coupling);

void step_control_start(StepControl *control);
MrcStatus step_control_step(struct Coupling *coupling, double t, double h, MrcError *error);
// At the end of a part, before it is final: is it to be done again, in halves?
bool step_control_refuses(struct Coupling *coupling, double h);
void step_control_facts(const struct Coupling *coupling, FactList *list);
// Why exchange steps are not cut although the user allowed it; NULL: they are.
const char *step_control_words(const struct Coupling *coupling);
void step_control_archive(struct Coupling *coupling, Archive *archive);

#endif
