// materials, and pairs of them
#include "geometry/material.h"
#include "model/schema_sections.h"

static const SchemaKey material_keys[] = {
    {"density", QUANTITY(Material, density), .dimension = DIM_DENSITY, .range = POSITIVE, .required = true,
     .doc = "Mass per volume."},
    {"young", QUANTITY(Material, young), .dimension = DIM_PRESSURE, .range = POSITIVE,
     .fallback_words = "not known", .doc = "Young's modulus."},
    {"poisson", QUANTITY(Material, poisson), .range = BETWEEN(-1, 0.5), .fallback = "0.3",
     .doc = "Poisson's ratio."},
    {"friction", QUANTITY(Material, friction), .range = NON_NEGATIVE, .fallback = "0",
     .doc = "Coulomb's coefficient of friction; between two materials the smaller one counts."},
    {"restitution", QUANTITY(Material, restitution), .range = FROM_TO(0, 1), .fallback = "1",
     .doc = "Speed after a collision over speed before it: 1 loses nothing, 0 does not rebound; between two "
            "materials the smaller one counts. Springs and dashpots (`method: smooth`) give 0.01 at least."},
    {"rolling_friction", QUANTITY(Material, rolling_friction), .range = NON_NEGATIVE, .fallback = "0",
     .doc = "Moment against rolling over normal force and radius; between two materials the smaller one "
            "counts."},
    {"spinning_friction", QUANTITY(Material, spinning_friction), .range = NON_NEGATIVE, .fallback = "0",
     .doc = "Moment against spinning about the line of contact, over normal force and radius, in the "
            "methods of rigid grains; between two materials the smaller one counts."},
    {"cohesion", QUANTITY(Material, cohesion), .dimension = DIM_FORCE, .range = NON_NEGATIVE,
     .fallback = "0 N",
     .doc =
         "Tension that a contact holds before it opens; friction is limited by `friction` times the sum of "
         "this and the normal force. Between two materials the smaller one counts."},
    {"wear", QUANTITY(Material, wear), .dimension = DIMENSION(1, -1, 2, 0),
     .words = "a volume per work (m^3/J)", .range = NON_NEGATIVE, .fallback = "0 m^3/J",
     .doc = "Volume that friction wears off a wall of this material, per work of friction: Archard's "
            "coefficient over "
            "the hardness and the coefficient of friction."},
    {"adhesion", QUANTITY(Material, adhesion), .dimension = DIM_STIFFNESS,
     .words = "an energy per area (J/m^2)", .range = NON_NEGATIVE, .fallback = "0 J/m^2",
     .doc = "Work that takes two surfaces of this material apart, for `cohesion: dmt` and `jkr` of smooth "
            "grains. Between two materials the smaller one counts."},
};

const SchemaObject schema_material = {
    .name = "material",
    .doc = "What grains and walls are made of.",
    .size = sizeof(Material),
    .name_offset = offsetof(Material, name),
    SCHEMA_KEYS(material_keys),
    .example = "materials:\n"
               "  steel: {density: 7845 kg/m^3, young: 210 GPa, friction: 0.3, restitution: 0.9}\n",
};

static const SchemaKey pair_keys[] = {
    {"between", NAMES(MaterialPair, first, 2), .refers = "materials", .required = true,
     .doc = "The two materials; the same one twice is allowed."},
    {"friction", QUANTITY(MaterialPair, friction), .range = NON_NEGATIVE, .absent = -1,
     .fallback_words = "the smaller one of the two materials", .doc = "Coulomb's coefficient of friction."},
    {"restitution", QUANTITY(MaterialPair, restitution), .range = FROM_TO(0, 1), .absent = -1,
     .fallback_words = "the smaller one of the two materials",
     .doc = "Speed after a collision over speed before it."},
    {"rolling_friction", QUANTITY(MaterialPair, rolling_friction), .range = NON_NEGATIVE, .absent = -1,
     .fallback_words = "the smaller one of the two materials",
     .doc = "Moment against rolling over normal force and radius."},
    {"spinning_friction", QUANTITY(MaterialPair, spinning_friction), .range = NON_NEGATIVE, .absent = -1,
     .fallback_words = "the smaller one of the two materials",
     .doc = "Moment against spinning over normal force and radius, in the methods of rigid grains."},
    {"cohesion", QUANTITY(MaterialPair, cohesion), .dimension = DIM_FORCE, .range = NON_NEGATIVE,
     .absent = -1, .fallback_words = "the smaller one of the two materials",
     .doc = "Tension that a contact holds before it opens."},
    {"adhesion", QUANTITY(MaterialPair, adhesion), .dimension = DIM_STIFFNESS,
     .words = "an energy per area (J/m^2)", .range = NON_NEGATIVE, .absent = -1,
     .fallback_words = "the smaller one of the two materials",
     .doc = "Work that takes the two surfaces apart, of smooth grains."},
};

const SchemaObject schema_pair = {
    .name = "pair",
    .doc = "Coefficients of two materials against each other.",
    .size = sizeof(MaterialPair),
    .name_offset = offsetof(MaterialPair, name),
    SCHEMA_KEYS(pair_keys),
    .example = "pairs:\n"
               "  lead_on_steel: {between: [lead, steel], friction: 0.4, restitution: 0.2}\n",
};
