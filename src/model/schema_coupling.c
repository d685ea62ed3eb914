// coupling, and the container of a port: how mechanism and grains are advanced together.
#include "coupling/scheme.h"
#include "model/schema_sections.h"
#include "partner/port_definition.h"

static const SchemaChoice automatic[] = {{"auto", 0, "condensed"}, {NULL, 0, NULL}};
static const SchemaChoice coupling_inputs[] = {
    {"index-1", INPUTS_INDEX_1, "errors of position, velocity and acceleration: 2/h^2, 2/h, 1"},
    {"index-2", INPUTS_INDEX_2, "of position and velocity: 1/h^2, 1/h, 0"},
    {"index-3", INPUTS_INDEX_3, "of position alone"},
    {"original", INPUTS_ORIGINAL,
     "velocity of the end and position of the beginning of the step; seldom stable"},
    {"own", INPUTS_OWN, "alpha, beta and gamma as given"},
    {NULL, 0, NULL},
};
static const SchemaChoice orders[] = {
    {"gauss-seidel", ORDER_GAUSS_SEIDEL, "grains first, then the mechanism with their load"},
    {"jacobi", ORDER_JACOBI, "both from what is known at the beginning of the step"},
    {NULL, 0, NULL},
};
static const SchemaChoice accelerations[] = {
    {"quasi-newton", ACCELERATION_QUASI_NEWTON, "interface quasi-Newton: seldom more than three rounds"},
    {"aitken", ACCELERATION_AITKEN, "relaxation by Aitken's rule"},
    {"none", ACCELERATION_NONE, "the plain fixed point, as published"},
    {NULL, 0, NULL},
};
static const SchemaChoice repeats[] = {
    {"step", REPEAT_STEP, "around a converged step of the mechanism"},
    {"newton", REPEAT_NEWTON, "inside each of its Newton iterations"},
    {NULL, 0, NULL},
};
static const SchemaChoice extrapolations[] = {
    {"auto", EXTRAPOLATION_AUTO, "quadratic in multirate, none in overlapped, which is stable longest so"},
    {"quadratic", EXTRAPOLATION_QUADRATIC, "through the last three loads"},
    {"linear", EXTRAPOLATION_LINEAR, "through the last two"},
    {"none", EXTRAPOLATION_NONE, "the last one"},
    {NULL, 0, NULL},
};

static const SchemaChoice joints[] = {
    {"auto", JOINTS_AUTO, "rows in small machines with rigid grains, else eliminated"},
    {"rows", JOINTS_ROWS, "bilateral rows of the contact problem, solved with the contacts"},
    {"eliminated", JOINTS_ELIMINATED, "taken out beforehand: the same problem with fewer unknowns"},
    {NULL, 0, NULL},
};
static const SchemaChoice loads[] = {
    {"constraint", LOAD_CONSTRAINT,
     "the reaction of what holds the container: the grains' impulses with its own inertia and weight"},
    {"contacts", LOAD_CONTACTS,
     "the sum of the contact impulses; the container's inertia and weight are the mechanism's"},
    {NULL, 0, NULL},
};

static const SchemaKey coupling_keys[] = {
    {"scheme", CHOICE_OF_ROWS(CouplingDefinition, scheme, scheme_types, automatic), .fallback = "auto",
     .doc = "How both sides are advanced together."},
    {"joints", CHOICE(CouplingDefinition, joints, joints), .fallback = "auto",
     .doc = "Monolithic: where the joints of the mechanism are solved for."},
    {"inputs", CHOICE(CouplingDefinition, inputs, coupling_inputs), .fallback = "index-1",
     .doc = "Explicit: which errors between container and mechanism the modified motion makes die out."},
    {"alpha", QUANTITY(CouplingDefinition, alpha), .range = NON_NEGATIVE, .fallback = "2",
     .doc = "Own inputs: weight of the position's error, in 1/h^2."},
    {"beta", QUANTITY(CouplingDefinition, beta), .range = NON_NEGATIVE, .fallback = "2",
     .doc = "Own inputs: weight of the velocity's error, in 1/h."},
    {"gamma", QUANTITY(CouplingDefinition, gamma), .range = NON_NEGATIVE, .fallback = "1",
     .doc = "Own inputs: weight of the acceleration's error."},
    {"order", CHOICE(CouplingDefinition, order, orders), .fallback = "gauss-seidel",
     .doc = "Explicit: which partner is advanced first."},
    {"acceleration", CHOICE(CouplingDefinition, acceleration, accelerations), .fallback = "quasi-newton",
     .doc = "Tight: how the next load is chosen."},
    {"repeat", CHOICE(CouplingDefinition, repeat, repeats), .fallback = "step",
     .doc = "Tight: where the grains are solved again."},
    {"tolerance", QUANTITY(CouplingDefinition, tolerance), .range = POSITIVE, .fallback = "1e-3",
     .doc = "Tight: change of the load between two rounds, over its size, at which it stops. With `repeat: "
            "newton`, "
            "and with MBDyn, the accelerations of the ports must have settled likewise."},
    {"iterations", INTEGER(CouplingDefinition, iterations), .range = FROM_TO(1, 1000), .fallback = "20",
     .doc = "Tight: rounds at most."},
    {"extrapolation", CHOICE(CouplingDefinition, extrapolation, extrapolations), .fallback = "auto",
     .doc = "Multirate and overlapped: the load in the coming step, from the means of the last ones."},
    {"interval", INTEGER(CouplingDefinition, interval), .range = FROM_TO(1, 1e6),
     .fallback_words = "as many as the grains need",
     .doc = "Smooth grains: how many of their steps make one step of the mechanism, after which both sides "
            "exchange."},
    {"energy_tolerance", QUANTITY(CouplingDefinition, energy_tolerance), .range = POSITIVE,
     .fallback_words = "steps are not cut",
     .doc =
         "Energy error at the ports over the energy that passes: exchange steps with more are done again in "
         "halves, and grow again when there is less than a twentieth of it. The step of the simulation is "
         "the longest. Only with smooth grains that no container with mass holds, by schemes that pass on "
         "a load in the step in which it comes (loose, tight, explicit in the order gauss-seidel); "
         "elsewhere steps are not cut, and the report says why."},
    {"most_cuts", INTEGER(CouplingDefinition, most_cuts), .range = FROM_TO(1, 12), .fallback = "5",
     .doc =
         "How often a step may be halved. Grains take a multiple of 2^most_cuts steps in the longest one, or "
         "`interval`, which is halved as long as it is even."},
};

const SchemaObject schema_coupling = {
    .name = "coupling",
    .doc = "How mechanism and grains are advanced together where they meet.",
    .size = sizeof(CouplingDefinition),
    SCHEMA_KEYS(coupling_keys),
    .example = "coupling: {scheme: tight, tolerance: 1e-4}\n",
};

static const SchemaKey container_keys[] = {
    {"mass", QUANTITY(ContainerDefinition, mass), .dimension = DIM_MASS, .range = NON_NEGATIVE,
     .fallback = "0 kg", .doc = "Mass that is moved on the grains' side."},
    {"load", CHOICE(ContainerDefinition, load, loads), .fallback = "constraint",
     .doc = "Which load acts on the port; both are the same without mass."},
    {"inertia", NUMBERS(ContainerDefinition, inertia, 6), .dimension = DIM_INERTIA,
     .fallback = "0 0 0 0 0 0 kg*m^2",
     .doc = "Needed with a mass. About the centre of mass, in the port's axes: xx, yy, zz, and xy, yz, zx."},
    {"center", VECTOR(ContainerDefinition, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Centre of mass, from the port's origin."},
    {"slides", TEXTS(ContainerDefinition, slides, slide_count), .fallback_words = "none",
     .doc = "Axes of the port along which the coupling joint lets the container slide: a list of x, y, z."},
    {"turns", TEXTS(ContainerDefinition, turns, turn_count), .fallback_words = "none",
     .doc = "Axes of the port about which the coupling joint lets the container turn."},
    {"stiffness", NUMBERS(ContainerDefinition, stiffness, 3), .dimension = DIM_STIFFNESS,
     .range = NON_NEGATIVE, .fallback = "0 0 0 N/m",
     .doc = "Springs along x, y, z of the world to where the container starts."},
    {"damping", NUMBERS(ContainerDefinition, damping, 3), .dimension = DIM_DAMPING, .range = NON_NEGATIVE,
     .fallback = "0 0 0 N*s/m", .doc = "Dampers along x, y, z of the world to the ground."},
    {"angular_velocity", VECTOR(ContainerDefinition, angular_velocity), .dimension = DIM_ANGULAR_VELOCITY,
     .fallback = "0 0 0 rad/s",
     .doc = "At the start, beyond that of the port: about an axis that is free to turn."},
};

const SchemaObject schema_container = {
    .name = "container",
    .doc = "A container with a mass of its own on the grains' side of a port. Without it, all mass is the "
           "mechanism's.",
    .size = sizeof(ContainerDefinition),
    SCHEMA_KEYS(container_keys),
    .example = "container: {mass: 48.5 g, inertia: 2.66 4.85 2.66 0 0 0 kg*mm^2}\n",
};
