// A partner of your own: a driver or a follower in C, with the same rights as the ones of the model file.
//
// A driver turns loads into motions: it moves ports that the model file leaves to it,
//
//     ports: {tip: {partner: rig}}
//
// A follower turns motions into loads: it is carried by ports that something else moves. examples/c/spring_mass.c is
// one of the first kind.
//
// All vectors are in world axes and SI units; moments are about the port's origin. Functions return MRC_OK or fill the
// error. Functions that are NULL say what the partner cannot do: a driver without `mobility` and `impulse` cannot be
// coupled by the scheme `condensed`, a follower without `state` cannot be coupled by `tight`.
#ifndef MARACA_PARTNER_H
#define MARACA_PARTNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "maraca/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MrcMotion {
    double position[3];             // of the origin [m]
    double orientation[4];          // unit quaternion w, x, y, z: body axes to world axes
    double velocity[3];             // of the origin [m/s]
    double angular_velocity[3];     // [rad/s]
    double acceleration[3];         // of the origin [m/s^2]
    double angular_acceleration[3]; // [rad/s^2]
} MrcMotion;

typedef struct MrcLoad {
    double force[3];  // [N]; as an impulse [N s]
    double moment[3]; // about the origin [N m]; as an impulse [N m s]
} MrcLoad;

// Where the energy of a partner is, and where it came from other than through ports [J].
typedef struct MrcEnergy {
    double kinetic, potential, elastic;
    double work;       // done on it from outside since the start
    double dissipated; // since the start
} MrcEnergy;

// A quantity that can be recorded and read by name: "rig.force".
typedef struct MrcPartnerSignal {
    const char *name;    // behind the partner's name and a dot: "force"
    const char *unit;    // as in model files: "N"
    const double *value; // read after each step
} MrcPartnerSignal;

typedef struct MrcPartner {
    size_t size;      // of this struct: sizeof(MrcPartner)
    const char *name; // "rig"
    void *self;       // given to all functions

    // ---- a driver: all but `mobility` and `impulse` are needed
    // The step from t to t + h begins: predict the motion at its end. Called again without commit: discard the step.
    MrcStatus (*begin)(void *self, double t, double h, MrcError *error);
    // Of a port as it stands: before the first step, predicted, or advanced. Ports are numbered in the order in which
    // the model file names them.
    void (*motion)(void *self, int port, MrcMotion *motion);
    // Solve for t + h with these mean loads on the ports (NULL: none). May be called several times in a step.
    MrcStatus (*advance)(void *self, const MrcLoad *loads, MrcError *error);
    // Y, (6 n)^2 numbers, row by row: what impulses at the n ports add to their velocities over the step, velocity and
    // angular velocity of port 0, 1, ... After `advance`. `early`: 1 when impulses act as if they came at the beginning
    // of the step; with n small steps (1 + 1/n)/2, the mean part of the step during which those of a steady load move
    // the ports. A bed at rest weighs right when Y is the inverse of the matrix that `early` asks for: see
    // examples/c/spring_mass.c for one integrator, docs/theory/condensed.md for another.
    MrcStatus (*mobility)(void *self, double early, double *Y, MrcError *error);
    // Impulses on top of the advanced step: velocities at t + h jump by Y impulses, and poses move by h Y early.
    MrcStatus (*impulse)(void *self, const MrcLoad *impulses, const MrcLoad *early, MrcError *error);
    MrcStatus (*commit)(void *self, MrcError *error); // t + h becomes the present

    // ---- a follower
    const char *const *ports; // names of the ports (or nodes) that carry it
    int port_count;           // 0: it is no follower
    // One step of h. Ports have their pose at the beginning, and the mean velocities that they would have in the step
    // if nothing touched them. Y as above, of the follower's own ports: what impulses add to these velocities; NULL:
    // nothing. Out: the impulses on the ports.
    MrcStatus (*step)(void *self, double h, const MrcMotion *ports, const double *Y, MrcLoad *impulses,
                      MrcError *error);

    // ---- of both, as far as wanted
    void *state; // all that changes in a run, as plain bytes: saved, restored and written to checkpoints
    size_t state_size; // 0: it cannot go back, and a run with it cannot be resumed
    void (*energy)(void *self, MrcEnergy *energy); // NULL: what passes its ports is work from outside
    const MrcPartnerSignal *signals;
    int signal_count;

    // ---- of states that are not plain bytes, instead of `state`: as far as wanted
    MrcStatus (*save)(void *self, MrcError *error); // of a follower: the state now, until the next one
    MrcStatus (*restore)(void *self, MrcError *error);
    // Of both: the state now as malloc'ed bytes, and back from them, for checkpoints and mrc_sim_save.
    MrcStatus (*pack)(void *self, unsigned char **bytes, size_t *count, MrcError *error);
    MrcStatus (*unpack)(void *self, const unsigned char *bytes, size_t count, MrcError *error);

    // ---- of a driver that cannot do all
    bool once; // `advance` can be called only once in a step: not for the schemes `tight` and `condensed`
    // One iteration towards the solution of `advance`, *left <= 1 when there is nothing left to do; NULL: `advance` does.
    // With `iterate` and no `advance`, the partner can be coupled by the scheme `tight` only: one iteration in each round,
    // until loads and motions have stopped changing.
    MrcStatus (*iterate)(void *self, const MrcLoad *loads, double *left, MrcError *error);
} MrcPartner;

#ifdef __cplusplus
}
#endif
#endif
