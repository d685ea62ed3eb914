// The container on the grains' side of a port, joined to the mechanism's marker by the coupling joint.
//
// The joint keeps some of the six components of the relative twist (all of them: a clamp); C has a column for
// each, in the container's axes. With container mass M, forces f, grain impulse P, and L the impulses that
// the joint passes on, over one step of semi-implicit Euler (EXPLICIT Eq. 11):
//
//     container   M (v2 - v2_n) = h f + P - C L
//     marker      v1 = u + Y J,   J = C L                  u: its velocity without J, Y: its mobility
//     joint       C^T (v2 - v1) = 0
//
// v1 is the velocity of the marker's point at the container's origin. Where the joint slides freely, this point is
// at an arm d from the marker's origin. There, Y is T Y_m T^T, and T^T J acts on the marker, T = [1, -d x; 0, 1].
//
// The marker follows J only in the condensed scheme; otherwise Y = 0 and u is prescribed. A container without a
// mass is the marker itself: v2 = v1, J = P. Either way v2 and J are linear in P: the grains get v2 at P = 0 and
// dv2/dP, a free velocity and an inverse mass, and nothing else of the mechanism.
//
// With small steps of the grains and a mobility, `early` = e < 1 is the share of a steady load that moves the container in
// its step. Then the equations hold twice, with two impulses of the joint: for velocities at the end of the step, with P,
// h f and the marker's velocity there; and for mean velocities, with e h f, the impulses `early` of the grains and the
// marker's displacement. In the latter v2_n is the velocity without the marker's lag, (e - 1/2) times its lasting jump
// (mechanism/jump.c). At rest both are exact.
// EXPLICIT is doi:10.1007/s11044-022-09829-w.
#ifndef COUPLING_CONTAINER_H
#define COUPLING_CONTAINER_H

#include "base/error.h"
#include "base/memory.h"
#include "math/frame.h"
#include "math/inertia.h"
#include "partner/port_definition.h"

enum { CONTAINERS_MAX = 64 };

typedef struct Container {
    ContainerDefinition definition;
    bool free[6];   // components that the joint does not keep: slides along x, y, z, turns about them
    Motion motion;  // where the grains' side has it: pose and twist
    Vec3 home;      // where its springs pull it [m]
    double carried; // part of its mass that the driver carries [kg]
    Twist last_jump,
        lasting_jump; // velocity jump of the marker in the last step; the part of it that the step before had, too
} Container;

// All containers of a coupling, and the linear system of one step.
typedef struct Containers {
    int count;
    Container *items;
    bool any_free; // a container may slide or turn on its marker
    bool any_mass;
    // of one step
    double *mass;    // 6x6 each, about the origin, world axes
    double *inverse; // of that
    double *joint;   // 6x6 each: columns of C, `kept` of them
    int *kept;
    Twist *loose;     // v2 without joint and grains, on average
    Twist *loose_end; // and at the end of the step
    Vec3 *arm;        // from the marker's origin to the container's, as far as it may slide [m]
    double *Y_arm;    // the mobility at the arms' ends
    double *factor;   // of C^T (M^-1 + Y) C, all containers together
    int *pivots;
    double *effective;      // dv2/dP, 6p x 6p
    const double *Y;        // of the marker, or NULL
    const Twist *u, *u_end; // of the marker, on average and at the end
} Containers;

MrcStatus containers_create(Containers *containers, int count, Arena *arena, MrcError *error);
// Puts a container on a port; `motion` is the port's.
void containers_place(Containers *containers, int index, const ContainerDefinition *definition,
                      Motion motion);

// What a mass that the driver carries does to the port over a step of h: its weight less its inertia, by the change of the
// port's velocities from `before` to `after`.
Load container_reaction(const Container *container, double h, Vec3 gravity, const Motion *before,
                        const Motion *after);

// Where the joint holds the container when the marker, which was at `before`, is at `now`: there, but moved
// along the free axes and turned about them as the container is already.
Motion container_target(const Container *container, const Motion *before, const Motion *now);

// What every scheme needs of a step of h that begins with the markers at `before`: arms, kept axes, masses
// and the twists that containers would have without joint and grains.
void containers_begin(Containers *containers, double h, Vec3 gravity, const Motion *before, double early);

// Prepares a step of h that begins with the markers at `before`: from their twists u at the containers'
// origins and their mobility Y (NULL: prescribed) the free twists of the containers and what grain impulses add
// to them (*effective, NULL when nothing).
MrcStatus containers_prepare(Containers *containers, double h, Vec3 gravity, const Motion *before,
                             const Twist *u, const Twist *u_end, double early, const double *Y, Twist *free,
                             const double **effective, MrcError *error);
// With the grain impulses P known: the containers' twists and the impulses J on the mechanism's markers,
// about the markers' origins.
// `at_end`: at the end of the step; otherwise on average, P being the impulses at its beginning that would move them as
// far.
void containers_respond(const Containers *containers, const Load *P, bool at_end, Twist *twists, Load *J);
void containers_remember(Containers *containers, const Load *J); // once the impulses on the markers are final
// The pose advances by the mean twist of the step; `end` is the twist at its end.
void container_move(Container *container, double h, Twist mean, Twist end);

// Mechanical energy, for the ledger [J].
double container_kinetic(const Container *container);
double container_potential(const Container *container, Vec3 gravity);
double containers_kinetic(const Containers *containers);                 // of all
double containers_potential(const Containers *containers, Vec3 gravity); // in springs and in gravity
double containers_energy(const Containers *containers, Vec3 gravity);    // both
// Taken by its dampers in a step that begins at its present motion.
double container_damped(const Container *container, double h, Twist mean);
double container_polar(const Container *container, Vec3 from); // sum of mass times distance squared [kg m^2]

#endif
