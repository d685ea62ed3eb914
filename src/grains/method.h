// Methods of moving grains: one row each. A method is one file (or a few, if it is large) with these functions,
// and one row in GRAIN_METHODS. Other code does not depend on which method a bed has, only on the members of its
// row.
#ifndef GRAINS_METHOD_H
#define GRAINS_METHOD_H

#include <stdio.h>

#include "contact/solver.h"
#include "grains/grains.h"
#include "grains/time_steps.h"
#include "schema/schema.h"

// One row per method: src/grains/NAME.c defines method_NAME.
#define GRAIN_METHODS(ROW)                                                                                   \
    ROW(METHOD_SMOOTH, smooth)                                                                               \
    ROW(METHOD_NONSMOOTH, nonsmooth)                                                                         \
    ROW(METHOD_NSCD, nscd)

#define METHOD_NUMBER(number, name) number,
typedef enum GrainMethod { GRAIN_METHODS(METHOD_NUMBER) GRAIN_METHOD_COUNT } GrainMethod; // rows
#undef METHOD_NUMBER

// A wall part in the contact problem of this step.
typedef struct RigidWall {
    Motion motion; // where it is at the start of the step; how it would move during the step without contacts
    Mat3 axes;     // its orientation
    int32_t body;  // of the problem; -1: the ground
    Vec3 origin;   // of that body [m]
    bool later;    // restitution acts after the step (world_rebound.c)
    bool yields;   // contacts move it within the step
    Twist past;    // of its port at the end of the step before; in the first step that of `motion`
    Twist
        prescribed; // its constant twist over the step before, from pose to pose; zero if it is not prescribed
    Vec3 moved;     // its displacement since the beginning of the step [m]; zero but in nscd.c
} RigidWall;

typedef struct RigidStep {
    double h;               // [s]
    const RigidWall *walls; // per wall part
    double weight;          // of a grain that rests in them, over its mass [m/s^2]
    int32_t first_body;     // of the bed's grains in the problem; by `collect`
    size_t first_contact;   // likewise
    bool by_coulomb;        // likewise: the step is solved by Coulomb's law, whatever the bed's is
} RigidStep;

// How contacts of rigid grains enter the contact problem of a step, together with those of other beds and of
// machines (world_rigid.c).
typedef struct GrainsRigid {
    // Adds the bed's grains and contacts to the problem, and impulses to start from to the solution.
    MrcStatus (*collect)(Grains *grains, RigidStep *step, ContactProblem *problem, ContactSolution *solution,
                         MrcError *error);
    // Moves the grains. `mean` holds one twist per body of the problem, the mean of before and after the contacts
    // act; those of the bed's grains are filled in here. `impulses`: on each wall part, about its port's origin. The solution
    // becomes one impulse for each of the bed's own contacts.
    void (*apply)(Grains *grains, const RigidStep *step, const ContactProblem *problem,
                  ContactSolution *solution, Twist *mean, Load *impulses);
    double (*activation)(const Grains *grains); // gap below which a contact may act [m]
    ContactLaw (*law)(const GrainsDefinition *definition);
    double (*theta)(const Grains *grains); // grains are moved by theta v1 + (1 - theta) v0 over a step
    ContactMethod automatic;               // the solver that `auto` stands for
    bool dilates; // Coulomb's law: contacts that slide may open a little (dilation in contact/problem.h)
    bool exact;   // but ever less where the tolerance is below 1e-6
    // Of each contact of the last step, in the order of the problem: the normal velocity that restitution asks for
    // after it [m/s]; 0: none.
    const double *(*rebounds)(const Grains *grains, size_t *count);
    // Likewise: the speed at which an overlap is undone [m/s]; 0: there is none.
    const double *(*recoveries)(const Grains *grains, size_t *count);
    // Angular velocities and inertia of the bed's bodies in the problem, where the grains are after the step.
    void (*turned)(const Grains *grains, const RigidStep *step, ContactProblem *problem);
    void (*rebound)(Grains *grains, const RigidStep *step, const ContactProblem *problem,
                    const ContactSolution *solution, const size_t *source, size_t from, size_t to,
                    Twist *mean,
                    Load *impulses); // see nonsmooth.h
} GrainsRigid;

// How a bed comes to rest before the run (settle.c).
typedef struct GrainsSettling {
    double (*step)(const Grains *grains, double moment); // [s]; `moment`: time to fall by a radius [s]
    double rest_energy; // mean kinetic energy at rest, over what falling by a radius gives
    // May velocities be changed from outside before the next step?
    MrcStatus (*is_open)(Grains *grains, const Motion *walls, bool *open, MrcError *error);
    void (*slowed)(Grains *grains,
                   double factor); // all velocities have been multiplied by it; NULL: nothing to do
} GrainsSettling;

struct GrainsChange; // change.h

typedef struct GrainsMethod {
    SchemaChoice choice;       // its word in the model file
    bool substeps;             // takes small steps of its own within a step of the machine
    const GrainsRigid *rigid;  // NULL: contacts are not part of contact problems
    const char *const *unused; // keys of `contact` that have no effect; ends with NULL
    GrainsSettling settling;
    double memory_per_grain, checkpoint_per_grain; // measured on dense beds [bytes], about
    double lag;                                    // by how much of a step velocities lag behind places

    // ---- the model file, before there are grains ----
    bool (*needs_speed)(const GrainsDefinition *definition); // is the speed of impact needed?
    void (*check)(const GrainsModel *model, const Findings *findings);
    void (*check_effect)(const GrainsModel *model,
                         const Findings *findings); // see grains_check_effect; may be NULL
    void (*describe)(const GrainsModel *model, const Material *grain, const Material *wall,
                     struct Text *text);
    bool (*steps)(const GrainsDefinition *definition, const GrainsSetting *setting, GrainsSteps *steps);
    void (*write_identity)(const GrainsModel *model, FILE *out); // of its keys, for the cache of settled beds

    // ---- a bed ----
    // The grains are in their places and move with their port: `store`, `position` and `motion` are filled.
    MrcStatus (*create)(Grains *grains, const GrainsSetting *setting, MrcError *error);
    void (*destroy)(Grains *grains); // what create made; also after create has failed
    MrcStatus (*advance)(Grains *grains, const Motion *walls, Load *loads, MrcError *error);
    // Must a measurement with these walls do what the next step begins with? NULL: never.
    bool (*is_due)(const Grains *grains, const Motion *walls);
    // Contacts, loads on the wall parts, and energies since the start. What follows from places and
    // velocities alone is added by grains_measure.
    MrcStatus (*measure)(Grains *grains, const Motion *walls, Load *loads, GrainsMeasure *measure,
                         MrcError *error);
    // Grains leave and come (change.h): calls change_grains. `place`: new place of each grain, -1: it leaves.
    MrcStatus (*change)(Grains *grains, const struct GrainsChange *change, const int32_t *place,
                        const Motion *walls, MrcError *error);
    // Room for the number of grains in the store, of which there were `before`.
    MrcStatus (*resize)(Grains *grains, size_t before, MrcError *error);
    void (*archive)(Grains *grains, Archive *archive); // what is not common to all methods
    void (*count)(const Grains *grains, GrainsCounts *counts);
    void (*forces)(const Grains *grains, GrainsForces *forces); // NULL: not available
    double (*critical_step)(const Grains *grains);              // [s]
} GrainsMethod;

#define METHOD_DECLARE(number, name) extern const GrainsMethod method_##name;
GRAIN_METHODS(METHOD_DECLARE)
#undef METHOD_DECLARE

const GrainsMethod *grains_method(const GrainsDefinition *definition);
// The first method in the table that has rigid grains where the bed's has springs, or the reverse.
int grains_method_alternative(const GrainsDefinition *definition);
int grains_method_of_springs(
    void); // the method in which beds fall and are pressed before they rest in their own
extern const SchemaChoice *const grains_method_choices[];

#endif
