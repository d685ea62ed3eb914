// contact: the laws of force where grains touch, and where their stiffness comes from.
#include "grains/law.h"
#include "model/schema_sections.h"

static const SchemaChoice stiffness_sources[] = {
    {"material", STIFFNESS_MATERIAL,
     "with the same largest energy as Hertz at the impact speed, from the materials' `young`"},
    {"sized", STIFFNESS_SIZED,
     "as soft as `sizing` allows, which makes runs faster; never stiffer than the material"},
    {NULL, 0, NULL},
};

static const SchemaKey sizing_keys[] = {
    {"speed", QUANTITY(SizingDefinition, speed), .dimension = DIM_VELOCITY, .range = POSITIVE,
     .fallback_words = "found in the motion of the ports", .doc = "Largest speed of the walls."},
    {"overlap", QUANTITY(SizingDefinition, overlap), .range = BETWEEN(0, 1), .fallback = "5 %",
     .doc = "Allowed overlap over radius; 10 % is still safe in the dampers of the paper."},
    {"beta", QUANTITY(SizingDefinition, beta), .range = POSITIVE, .fallback = "3",
     .doc = "Largest overlap in the bed over that of one grain hitting a wall at `speed`."},
    {"frequency", QUANTITY(SizingDefinition, frequency), .dimension = DIM_FREQUENCY, .range = POSITIVE,
     .fallback_words = "found in the motion of the ports", .doc = "Frequency of the shaking."},
    {"contacts_per_period", QUANTITY(SizingDefinition, contacts_per_period), .range = POSITIVE,
     .fallback = "100", .doc = "How many times shorter than a period a contact must be."},
};
static const SchemaObject sizing = {
    .name = "sizing",
    .doc = "How soft contacts of a shaken bed may be (Biondani et al. 2022, doi:10.3390/pr10071247): the "
           "overlap "
           "stays below a fraction of the radius, and contacts are short against the period. `maraca advise` "
           "shows what comes out.",
    .size = sizeof(SizingDefinition),
    SCHEMA_KEYS(sizing_keys),
    .example = "sizing: {overlap: 10 %}\n",
};

static const SchemaKey liquid_keys[] = {
    {"surface_tension", QUANTITY(LiquidDefinition, surface_tension), .dimension = DIM_STIFFNESS,
     .words = "a surface tension (N/m)", .range = POSITIVE, .required = true,
     .doc = "Of the liquid; of water it is 72 mN/m."},
    {"angle", QUANTITY(LiquidDefinition, angle), .dimension = DIM_ANGLE, .range = FROM_TO(0, 1.5),
     .fallback = "0 rad", .doc = "At which the liquid meets the grains."},
    {"volume", QUANTITY(LiquidDefinition, volume), .dimension = DIM_VOLUME, .range = POSITIVE,
     .required = true, .doc = "Of each bridge."},
};
static const SchemaObject liquid = {
    .name = "liquid",
    .doc = "The liquid of bridges between wet grains: a bridge forms when two grains touch and breaks at a "
           "distance "
           "of (1 + angle/2) times the cube root of its volume.",
    .size = sizeof(LiquidDefinition),
    SCHEMA_KEYS(liquid_keys),
    .example = "liquid: {surface_tension: 72 mN/m, angle: 20 deg, volume: 0.02 mm^3}\n",
};

static const SchemaChoice rigid_laws[] = {
    {"relaxed", CONTACT_RELAXED,
     "the cone complementarity problem, for comparison: a contact that slides opens at `friction` times its "
     "speed w, until the gap is `friction` w times the step. Where that is more than `activation`, grains "
     "that graze a wall without restitution are thrown up, at `friction` w at most. Impacts of spheres with "
     "restitution rebound as by Coulomb's law; a step in which other shapes bounce has Coulomb's law"},
    {"coulomb", CONTACT_COULOMB,
     "Coulomb's law. A contact that slides opens no faster than at what gravity and, on a machine that "
     "turns, "
     "the centrifugal force give in a step (without gravity 1e-5 of a radius per step at least), without "
     "which "
     "problems of grains at rest could not be solved"},
    {NULL, 0, NULL},
};
static const SchemaKey solver_keys[] = {
    {"method", CHOICE_OF_ROWS(SolverDefinition, method, contact_solver_choices, NULL), .fallback = "auto",
     .doc = "The algorithm; in the method nscd `auto` is `nsgs`."},
    {"tolerance", QUANTITY(SolverDefinition, tolerance), .range = BETWEEN(0, 1), .fallback = "1e-4",
     .doc = "Largest violation of the laws of contact that may be left, relative to that without any "
            "impulse."},
    {"iterations", INTEGER(SolverDefinition, iterations), .range = FROM_TO(1, 1e9),
     .fallback_words = "enough for the algorithm",
     .doc = "At most so many iterations in each step; `auto` takes fewer in problems of more than "
            "200,000 contacts."},
    {"limit", QUANTITY(SolverDefinition, limit), .range = POSITIVE,
     .fallback_words = "100 times the tolerance, at least 0.001",
     .doc = "Residual above which a step counts as unsolved: the report gives their number, and the "
            "worst problem is kept in unsolved.txt."},
};
static const SchemaObject solver = {
    .name = "solver",
    .doc = "How the contact problem of each step is solved, of rigid grains.",
    .size = sizeof(SolverDefinition),
    SCHEMA_KEYS(solver_keys),
    .example = "solver: {tolerance: 1e-6}\n",
};

static const SchemaKey contact_keys[] = {
    {"normal", CHOICE_OF_ROWS(ContactDefinition, normal, normal_law_choices, NULL), .fallback = "linear",
     .doc = "Law of the force along the line of contact."},
    {"tangential", CHOICE_OF_ROWS(ContactDefinition, tangential, tangential_law_choices, NULL),
     GIVEN(ContactDefinition, tangential_given),
     .fallback_words = "`none`; without `stiffness`, `elastic` where there is friction",
     .doc = "Law of the force across the line of contact."},
    {"rolling", CHOICE_OF_ROWS(ContactDefinition, rolling, rolling_law_choices, NULL), .fallback = "none",
     .doc = "Law of the moment against rolling."},
    {"cohesion", CHOICE_OF_ROWS(ContactDefinition, cohesion, cohesion_law_choices, NULL),
     .fallback = "constant",
     .doc = "Law of the attraction of smooth grains; rigid ones have a constant one."},
    {"liquid", OBJECT(ContactDefinition, liquid, liquid), GIVEN(ContactDefinition, liquid_given),
     .doc = "Of bridges, for `cohesion: capillary`."},
    {"stiffness", QUANTITY_OR_WORD(ContactDefinition, stiffness, source, stiffness_sources),
     GIVEN(ContactDefinition, stiffness_given), .dimension = DIM_STIFFNESS, .range = POSITIVE,
     .fallback_words = "Hertz needs none; linear contacts of smooth grains are `sized`",
     .doc = "Normal stiffness between two grains, for the linear law; of grains with corners that of four "
            "corners "
            "together, of which each has a quarter. When nothing is said, and no motion of "
            "walls or "
            "grains is known or an inlet feeds the bed, it is sized for a fall through 20 radii at least."},
    {"wall_stiffness", QUANTITY(ContactDefinition, wall_stiffness), .dimension = DIM_STIFFNESS,
     .range = POSITIVE, .fallback_words = "as `stiffness` says",
     .doc = "Normal stiffness between a grain and a wall, for the linear law."},
    {"tangential_ratio", QUANTITY(ContactDefinition, tangential_ratio), .range = POSITIVE, .fallback = "2/7",
     .doc = "Tangential over normal stiffness, for elastic friction; with 2/7 both springs have the same "
            "period."},
    {"impact_speed", QUANTITY(ContactDefinition, impact_speed), .dimension = DIM_VELOCITY, .range = POSITIVE,
     .fallback_words =
         "the largest speed of the walls and of the grains at the start; without any, that of a "
         "fall through the room",
     .doc = "Speed at which grains hit, for `stiffness: material` and for the automatic step of Hertz "
            "contacts."},
    {"sizing", OBJECT(ContactDefinition, sizing, sizing), GIVEN(ContactDefinition, sizing_given),
     .fallback = "{}", .doc = "How `stiffness: sized` chooses the stiffness."},
    {"max_overlap", QUANTITY(ContactDefinition, max_overlap), .range = BETWEEN(0, 1), .fallback = "0.2",
     .doc = "The run stops when two grains overlap by more than this fraction of the smaller radius."},
    {"law", CHOICE(ContactDefinition, law, rigid_laws), GIVEN(ContactDefinition, law_given),
     .fallback = "coulomb",
     .doc = "Nonsmooth method: the law of friction between rigid grains (nscd always has that of Coulomb)."},
    {"theta", QUANTITY(ContactDefinition, theta), .range = FROM_TO(0.5, 1), .fallback = "0.5",
     .doc = "Method nscd: share of the step in which grains move with the velocity at its end. With 0.5 free "
            "flight "
            "keeps its energy; more dissipates some."},
    {"activation", QUANTITY(ContactDefinition, activation), .dimension = DIM_LENGTH, .range = POSITIVE,
     .fallback_words =
         "h (1 + e) times the largest speed of a grain against a wall, 5 to 50 % of the mean radius",
     .doc = "Rigid grains: contacts with a gap below this, or one that closes in the step, take part."},
    {"recovery", QUANTITY(ContactDefinition, recovery), .dimension = DIM_VELOCITY, .range = POSITIVE,
     .fallback_words = "what gravity and the curvature of walls take away again within a step",
     .doc = "Rigid grains: overlaps are undone at no more than this speed."},
    {"bounce", QUANTITY(ContactDefinition, bounce), .dimension = DIM_VELOCITY, .range = POSITIVE,
     .fallback_words = "what gravity gives in two steps",
     .doc = "Rigid grains: grains that approach more slowly do not bounce."},
    {"solver", OBJECT(ContactDefinition, solver, solver), .fallback = "{}",
     .doc = "Rigid grains: how the contact problem of each step is solved."},
};
const SchemaObject schema_contact = {
    .name = "contact",
    .doc =
        "What happens where grains touch each other and the walls. Coefficients are those of the materials, "
        "or of `pairs`.",
    .size = sizeof(ContactDefinition),
    SCHEMA_KEYS(contact_keys),
    .example = "contact: {normal: linear, tangential: directional, stiffness: 5 kN/m}\n"
               "contact: {normal: hertz, tangential: mindlin}\n"
               "contact: {stiffness: sized, tangential: elastic}\n"
               "contact: {bounce: 1 mm/s, solver: {tolerance: 1e-6}}   # nonsmooth\n"
               "contact: {theta: 0.5, solver: {tolerance: 1e-6}}   # nscd\n",
};
