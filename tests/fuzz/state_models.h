// The models of fuzz_state: each brings state of its own. Beds are small, because a simulation is made anew for each input;
// gravity is strong, so that grains lie on each other after few steps.
#ifndef FUZZ_STATE_MODELS_H
#define FUZZ_STATE_MODELS_H

#define HEAD_OF(restitution)                                                                                 \
    "maraca: 1\n"                                                                                            \
    "gravity: 0 0 -200 m/s^2\n"                                                                              \
    "materials:\n"                                                                                           \
    "  glass: {density: 2500 kg/m^3, young: 4 MPa, poisson: 0.2, friction: 0.4, restitution: " restitution   \
    "}\n"
#define HEAD HEAD_OF("0.3")
#define HARD                                                                                                 \
    HEAD_OF("1") // for Hertz's law: its damping for another restitution would be searched for each time
#define TIME "simulate: {duration: 10 ms, step: 0.05 ms}\n"
#define SHAKEN "ports: {box: {position: [0, 0, 1 mm*sin(100 rad/s*t)]}}\n"

#define SPHERES "{radius: 1 mm, count: 12, material: glass}"
#define CUBES                                                                                                \
    "{shape: {box: {size: [1.6 mm, 1.4 mm, 1.2 mm]}}, count: 5, material: glass, orientation: random}"
#define STONES "{shape: {ballast: {vertices: 12, forms: 2}}, radius: 1 mm, count: 5, material: glass}"
#define PODS                                                                                                 \
    "{shape: {clump: {spheres: [{radius: 0.8 mm}, {center: 0.8 0 0 mm, radius: 0.6 mm}]}}, count: 5, "       \
    "material: glass, orientation: random}"
#define KINDS                                                                                                \
    "[{name: balls, radius: 1 mm, count: 4, material: glass}, {name: cubes, shape: {box: {size: [1.6 mm, "   \
    "1.4 mm, 1.2 mm]}}, count: 3, material: glass}]"

// Rigid contacts that a hostile state makes hopeless end after a few iterations.
#define HERTZ "    contact: {normal: hertz, tangential: mindlin}\n"
#define LINEAR "    contact: {stiffness: 300 N/m, max_overlap: 0.9, tangential: elastic}\n"
#define SOLVER "    contact: {law: coulomb, solver: {method: nsgs, iterations: 40}}\n"
#define RIGID "    method: nonsmooth\n" SOLVER
#define NSCD "    method: nscd\n" SOLVER
#define SPECTRA "    spectra: {per_decade: 2}\n"

#define BED(particles, more)                                                                                 \
    "grains:\n"                                                                                              \
    "  bed:\n"                                                                                               \
    "    port: box\n"                                                                                        \
    "    wall: {box: {size: [6 mm, 6 mm, 8 mm]}}\n"                                                          \
    "    particles: " particles "\n" more
#define FCC "    packing: fcc\n"
#define POURED "    packing: {random: {seed: 3}}\n"

#define BOX "    box: {position: [0, 0, 0], mass: 50 g, inertia: 10 10 10 kg*mm^2}\n"
#define COIL                                                                                                 \
    "  springs:\n"                                                                                           \
    "    coil: {between: box, offsets: [0 0 0 m, 0 0 0.05 m], stiffness: 1 kN/m, damping: 1 N*s/m}\n"
#define SPRING "mechanism:\n  bodies:\n" BOX "  joints:\n    guide: {prismatic: box, axis: z}\n" COIL
// Two bodies in a loop with the world, in the coordinates of the joints, of which one depends on the other.
#define LINKAGE                                                                                              \
    "mechanism:\n"                                                                                           \
    "  formulation: relative\n"                                                                              \
    "  bodies:\n" BOX "    arm: {position: 0.05 0 0 m, mass: 20 g, inertia: 5 5 5 kg*mm^2}\n"                \
    "  joints:\n"                                                                                            \
    "    hinge: {revolute: arm, at: 0.1 0 0 m, axis: y}\n"                                                   \
    "    guide: {prismatic: box, axis: z}\n"                                                                 \
    "    pin: {point_in_plane: [box, arm], at: 0 0 0 m, axis: z}\n" COIL

// Grains come in, pass a plane and leave. Rate and box are such that some do all of it within the steps that are saved.
#define FLOW                                                                                                 \
    "inlets:\n"                                                                                              \
    "  feed: {bed: bed, region: {box: {size: 5 5 2 mm, center: 0 0 2.5 mm}}, rate: 8 g/s, velocity: 0 0 -1 " \
    "m/s}\n"                                                                                                 \
    "outlets:\n"                                                                                             \
    "  drain: {bed: bed, plane: {point: 1.5 0 0 mm, normal: x}}\n"                                           \
    "meters:\n"                                                                                              \
    "  gate: {bed: bed, plane: {point: 0 0 2 mm, normal: -z}}\n"                                             \
    "  middle: {bed: bed, box: {size: 6 6 4 mm}, direction: z}\n"
#define FEW "{sizes: {uniform: {from: 0.4 mm, to: 0.6 mm}}, material: glass}"

#define PERIODIC                                                                                             \
    "grains:\n"                                                                                              \
    "  bed:\n"                                                                                               \
    "    port: box\n"                                                                                        \
    "    periodic: {along_x: -4 4 mm}\n"                                                                     \
    "    wall: {plane: {point: 0 0 -4 mm, normal: z}}\n"                                                     \
    "    particles: " SPHERES "\n"                                                                           \
    "    packing: {fcc: {region: {box: {size: [8 mm, 8 mm, 8 mm]}}}}\n"

static const char *const state_texts[] = {
    HARD TIME SHAKEN BED(SPHERES, FCC HERTZ),
    HEAD TIME SHAKEN BED(SPHERES, FCC RIGID),
    HEAD TIME SPRING BED(SPHERES, FCC RIGID) "coupling: {scheme: condensed}\n",
    HARD TIME SPRING BED(SPHERES, FCC HERTZ) "coupling: {scheme: tight}\n",
    HEAD TIME SPRING BED(SPHERES, FCC RIGID) "coupling: {scheme: explicit}\n",
    HEAD TIME SPRING BED(SPHERES, FCC RIGID) "coupling: {scheme: monolithic}\n",
    HEAD TIME SHAKEN BED(CUBES, POURED NSCD),
    HEAD TIME SHAKEN BED(STONES, POURED LINEAR),
    HEAD TIME SHAKEN BED(PODS, POURED RIGID SPECTRA),
    HEAD TIME SHAKEN BED(SPHERES, FCC LINEAR SPECTRA),
    HEAD TIME SHAKEN BED(KINDS, POURED LINEAR),
    HEAD TIME SHAKEN BED(FEW, LINEAR) FLOW,
    HEAD TIME SHAKEN BED(FEW, RIGID) FLOW,
    HARD TIME SHAKEN PERIODIC HERTZ,
    HEAD TIME SHAKEN PERIODIC RIGID,
    HEAD TIME LINKAGE BED(SPHERES, FCC RIGID) "coupling: {scheme: condensed}\n",
    HEAD TIME SPRING BED(SPHERES, FCC LINEAR) "coupling: {scheme: loose, energy_tolerance: 1e-6}\n",
    HEAD TIME SPRING BED(SPHERES, FCC LINEAR) "coupling: {scheme: multirate}\n",
    HEAD TIME SPRING BED(KINDS, POURED NSCD) "coupling: {scheme: staggered}\n",
};
enum { STATE_TIGHT = 3, STATE_NSCD = 6, STATE_FLOW = 12, STATE_CUT = 16 }; // places in the list
enum { state_models = sizeof state_texts / sizeof *state_texts };

#endif
