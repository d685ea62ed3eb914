// mechanism: its integrator and its parts, whose keys are in their own files (src/mechanism/part_table.h).
#include "mechanism/part_type.h"
#include "model/schema_sections.h"

// ---- the integrator ------------------------------------------------------------------------------
static const SchemaKey schema_integrator_keys[] = {
    {"rho_inf", QUANTITY(IntegratorDefinition, rho_inf), .range = FROM_TO(0, 1), .fallback = "0.6",
     .doc = "What a step leaves of vibrations far too fast for it: 1 keeps them, 0 removes them at once."},
    {"tolerance", QUANTITY(IntegratorDefinition, tolerance), .range = BETWEEN(0, 1), .fallback = "1e-6",
     .doc = "How exactly Newton's iteration solves a step, relative."},
    {"iterations", INTEGER(IntegratorDefinition, iterations), .range = FROM_TO(1, 1000), .fallback = "20",
     .doc = "Newton iterations after which a step is taken back and tried shorter."},
};

static const SchemaObject schema_integrator = {
    .name = "integrator",
    .doc = "How the mechanism is carried from one step to the next: a two-step method of second order whose "
           "dissipation is chosen.",
    .size = sizeof(IntegratorDefinition),
    SCHEMA_KEYS(schema_integrator_keys),
    .example = "integrator: {rho_inf: 0.6}\n",
};

// ---- the whole -----------------------------------------------------------------------------------
static const SchemaChoice schema_mechanism_starts[] = {
    {"given", START_GIVEN, "as it is written, once joints are closed with the smallest change"},
    {"equilibrium", START_EQUILIBRIUM,
     "where all forces at t = 0 balance while nothing moves; velocities are then as written"},
    {NULL, 0, NULL},
};

static const SchemaChoice schema_mechanism_formulations[] = {
    {"absolute", FORMULATION_ABSOLUTE, "position and orientation of every node, joints as constraints"},
    {"relative", FORMULATION_RELATIVE,
     "what the joints of a tree leave free; loops are closed by dependent coordinates. Rigid bodies only"},
    {NULL, 0, NULL},
};

static const SchemaKey schema_mechanism_keys[] = {
    {"integrator", OBJECT(MechanismDefinition, integrator, schema_integrator), .fallback = "{}",
     .doc = "The time integrator."},
    {"start", CHOICE(MechanismDefinition, start, schema_mechanism_starts), .fallback = "given",
     .doc = "How the run begins."},
    {"formulation", CHOICE(MechanismDefinition, formulation, schema_mechanism_formulations),
     .fallback = "absolute", .doc = "In which coordinates the equations of motion are written."},
    {"cut", TEXTS(MechanismDefinition, cut, cut_count),
     .fallback_words = "of each loop the joint with the fewest constraints",
     .doc = "Of the relative form: the joints at which loops are cut open and closed by equations."},
    {"independent", TEXTS(MechanismDefinition, independent, independent_count),
     .fallback_words = "by pivoting, and again where the choice becomes poor",
     .doc = "Of the relative form with loops: coordinates that are independent, as many as there are degrees "
            "of freedom or fewer. They are named after their joints: `hinge` where it leaves one component "
            "free, otherwise `guide.x`, `.y`, `.z` along and `guide.rx`, `.ry`, `.rz` about its axes, and "
            "`box.x` ... of a body without a joint."},
#define PART_KEY(type, definition, list, count, sentence)                                                    \
    {#list, MAP(MechanismDefinition, list, count, type.schema), .doc = (sentence)},
    PART_TABLE(PART_KEY)
#undef PART_KEY
};

const SchemaObject schema_mechanism = {
    .name = "mechanism",
    .doc = "Rigid bodies and flexible beams, joints, springs and forces. A node is named by its own name, by "
           "that of a body on it, or as a node of a beam (`arm.start`, `arm.end`, `arm.3`); `ground` never "
           "moves.",
    .size = sizeof(MechanismDefinition),
    SCHEMA_KEYS(schema_mechanism_keys),
    .example = "mechanism:\n"
               "  integrator: {rho_inf: 0.6}\n"
               "  beams:\n"
               "    arm: {from: 0 0 0 mm, to: 250 0 0 mm, elements: 10, section: {rectangle: 30 2 mm}, "
               "material: steel}\n"
               "  bodies:\n"
               "    shell: {node: arm.end, mass: 48.5 g, inertia: 2.66 4.85 2.66 kg*mm^2}\n"
               "  joints:\n"
               "    root: {clamp: arm.start}\n"
               "  forces:\n"
               "    shaker: {at: arm.end, force: [0, 0.25 N*sin(2*pi*15.5 Hz*t), 0]}\n",
};
