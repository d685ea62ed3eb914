// Inside of the world: shared by world.c, world_rigid.c and world_smooth.c.
#ifndef GRAINS_WORLD_INTERNAL_H
#define GRAINS_WORLD_INTERNAL_H

#include "grains/engine.h"
#include "grains/method.h"
#include "grains/world.h"

// What is known of a bed from the steps before; whole numbers only (world_archive).
typedef struct RigidPast {
    int64_t unsolved; // steps in a row without a solution, of the problem that begins with this bed
    int64_t locked;   // further steps in which its overlaps stay (world_locked.c)
    int64_t wait;     // in how many they were to stay, in a bed at rest; 0: none, or it moves
} RigidPast;

struct World {
    const WorldBed *beds;
    int bed_count, port_count;
    double step; // [s]
    Vec3 gravity;
    int substeps;   // of smooth beds; 0: there are none
    int rigid_beds; // how many are nonsmooth
    WorldBed own_bed;
    int *own_ports;       // of world_create_alone
    Twist *twists;        // of the ports: free, then with the impulses of beds that were advanced
    Twist *past_twists;   // of the ports in the step before, with impulses; rigid beds only
    Twist *given_twists;  // likewise, as they were given
    double past_known;    // 1: there was one
    Twist *last_twists;   // before the last sub-step
    Twist *yielding;      // with which ports yield (world_set_answer)
    Motion *expected;     // ports, with what rigid beds will add
    Load *whole;          // impulses of rigid beds in the last step, with answer.whole
    Twist *whole_last;    // what they added to the velocities of the ports
    Twist *whole_lasting; // that part of it that was there in the step before, too
    Twist *during;        // of the ports in the last sub-step
    Twist *moved;         // of the ports in the last step, on average
    double *works;        // of the impulses on the ports in the last step [J]
    struct {
        const double *lasting, *yielding; // NULL: by the mobility
        const double *whole;              // of rigid beds; NULL: likewise
        double settling;                  // [s]
    } answer;
    Motion *motions;               // of the ports, within sub-steps
    Load *port_loads;              // likewise
    Load *early;                   // of the ports in the last step
    int32_t *bodies;               // of the ports in the problem; -1: the world at rest
    const ContactMachine *machine; // that carries the first ports in this step; NULL: none
    MachinePort *carried;          // per port of the machine
    RigidStep *rigid;              // per bed
    RigidPast *rigid_past;         // likewise
    bool *suspects;                // likewise: friction may lock its overlaps in this step (world_locked.c)
    ARRAY(RigidWall) walls;        // of all beds, one after the other
    ARRAY(Load) loads;             // likewise
    ARRAY(Load) mean_loads;        // likewise, over the last step; smooth beds only
    double mean_known;             // 1: there was a step
    ARRAY(Motion) wall_motions;    // of one smooth bed
    ARRAY(double) wall_mobility;   // 36 numbers per wall part of all smooth beds
    ContactProblem problem;
    ContactSolution solution;
    ContactSolution unlocked; // of the same problem, without undoing overlaps (world_locked.c)
    ARRAY(double) openings;   // per contact: speed at which it was to open [m/s] (world_locked.c)
    ContactSolution held; // by the rows alone, without contacts: its velocities are the problem's free ones
    ContactWorkspace *workspace;
    ContactReport report;
    ARRAY(Twist) mean; // per body of the problem
    bool later;        // restitution at ports with mobility acts after the step
    bool rebounds;     // it is to act after the last step
    ContactProblem bounce;
    ContactSolution bounced;
    ARRAY(size_t) source; // of each contact of `bounce` in `problem`
    WorldCounts counts;
    ContactProblem worst; // and how far it was solved
    ContactSolution worst_solution;
    Archive *saved;
};

int world_first_wall(const World *world, int bed); // place of its first wall part among those of all beds

// Nonsmooth beds, from..to - 1 of all, in one problem.
MrcStatus world_advance_rigid(World *world, double h, int from, int to, const Motion *ports,
                              const double *mobility, Load *impulses, MrcError *error);
// Solves the problem of these beds; overlaps that cannot be undone stay (world_locked.c).
MrcStatus world_locked_solve(World *world, int from, int to, const ContactOptions *options, MrcError *error);
void world_find_rebounds(World *world, int from, int to); // after the problem of the step was solved
// Solves w->bounce.
MrcStatus world_rigid_solve_bounce(World *world, double h, MrcError *error);
// All smooth beds.
MrcStatus world_advance_smooth(World *world, double h, const Motion *ports, const double *mobility,
                               Load *impulses, MrcError *error); // fills `early`, too
// twists += Y impulses
void world_push(const World *world, const double *mobility, const Load *impulses, Twist *twists);

#endif
