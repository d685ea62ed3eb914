// inlets, outlets, meters
#include "grains/flow.h"
#include "model/schema_sections.h"

// ---- where ---------------------------------------------------------------------------------------
static const SchemaKey plane_keys[] = {
    {"point", VECTOR(FlowPlane, point), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "A point of the plane."},
    {"normal", AXIS(FlowPlane, normal), .required = true,
     .doc = "Direction in which grains cross it on their way out."},
};
static const SchemaObject plane = {.name = "flow_plane",
                                   .doc = "An endless plane that grains cross.",
                                   .size = sizeof(FlowPlane),
                                   SCHEMA_KEYS(plane_keys)};

static const SchemaKey box_keys[] = {
    {"size", VECTOR(FlowBox, size), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Lengths along x, y and z of the port."},
    {"center", VECTOR(FlowBox, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the box."},
};
static const SchemaObject box = {.name = "flow_box",
                                 .doc = "A box in which grains are measured.",
                                 .size = sizeof(FlowBox),
                                 SCHEMA_KEYS(box_keys)};

#define BED(type)                                                                                            \
    { "bed", NAME(type, bed), .refers = "grains", .required = true, .doc = "The bed of grains." }
#define PORT(type)                                                                                           \
    {                                                                                                        \
        "port", NAME(type, port), .refers = "ports", .nodes = true, .fallback_words = "the ground",          \
                                  .doc = "The port that carries it; places are in its axes."                 \
    }

// ---- inlets --------------------------------------------------------------------------------------
static const SchemaKey inlet_keys[] = {
    BED(InletDefinition),
    PORT(InletDefinition),
    {"kind", TEXT(InletDefinition, kind), .fallback_words = "the only one",
     .doc = "Which of the bed's kinds of grains, by its name; without one, by its material."},
    {"region", OBJECT(InletDefinition, region, region_schema), .required = true,
     .doc = "Where grains appear, at random places without overlap."},
    {"rate", EXPRESSION(InletDefinition, rate), .words = "a flow of mass (kg/s)",
     .dimension = DIMENSION(0, 1, -1, 0),
     .doc = "Mass per time, which may change with the time t and with inputs."},
    {"count", EXPRESSION(InletDefinition, count), .dimension = DIM_FREQUENCY,
     .doc = "Instead of `rate`: grains per time."},
    {"velocity", VECTOR(InletDefinition, velocity), .dimension = DIM_VELOCITY, .fallback = "0 0 0 m/s",
     .doc = "With which they come, on top of that of the port."},
    {"from", QUANTITY(InletDefinition, from), .dimension = DIM_TIME, .range = NON_NEGATIVE, .fallback = "0 s",
     .doc = "When it opens."},
    {"until", QUANTITY(InletDefinition, until), .dimension = DIM_TIME, .range = POSITIVE, .absent = INFINITY,
     .fallback_words = "the end of the run", .doc = "When it closes; what is owed then still comes."},
    {"total_mass", QUANTITY(InletDefinition, total_mass), .dimension = DIM_MASS, .range = POSITIVE,
     .fallback_words = "no limit", .doc = "Mass after which it closes."},
    {"total_count", INTEGER(InletDefinition, total_count), .range = FROM_TO(1, 2e9),
     .fallback_words = "no limit", .doc = "Number of grains after which it closes."},
    {"seed", INTEGER(InletDefinition, seed), .range = AT_LEAST(0), .fallback = "1",
     .doc = "Another whole number gives other places."},
};

const SchemaObject schema_inlet = {
    .name = "inlet",
    .doc = "Grains come into a bed. They are of the bed's `particles`; a bed with an inlet may begin empty: "
           "then `count`, `total_mass` and `filling` are left out there. Mass that finds no room is kept as "
           "`owed`, with a warning, and comes in later.",
    .size = sizeof(InletDefinition),
    .name_offset = offsetof(InletDefinition, name),
    SCHEMA_KEYS(inlet_keys),
    .exactly_one = {"rate count"},
    .example = "inlets:\n"
               "  feed: {bed: bed, region: {box: {size: 40 40 20 mm, center: 0 0 200 mm}}, rate: 0.8 kg/s,\n"
               "         velocity: 0 0 -0.5 m/s, until: 3 s}\n",
};

// ---- outlets -------------------------------------------------------------------------------------
static const SchemaKey outlet_keys[] = {
    BED(OutletDefinition),
    PORT(OutletDefinition),
    {"region", OBJECT(OutletDefinition, region, region_schema),
     .doc = "Grains whose centres are in it leave."},
    {"plane", OBJECT(OutletDefinition, plane, plane), GIVEN(OutletDefinition, by_plane),
     .doc = "Instead: grains beyond a plane leave, on the side that its normal points to."},
};

const SchemaObject schema_outlet = {
    .name = "outlet",
    .doc = "Grains leave a bed and are counted.",
    .size = sizeof(OutletDefinition),
    .name_offset = offsetof(OutletDefinition, name),
    SCHEMA_KEYS(outlet_keys),
    .exactly_one = {"region plane"},
    .example = "outlets:\n"
               "  sink: {bed: bed, plane: {point: 0 0 -100 mm, normal: -z}}\n",
};

// ---- meters --------------------------------------------------------------------------------------
static const SchemaKey meter_keys[] = {
    BED(MeterDefinition),
    PORT(MeterDefinition),
    {"plane", OBJECT(MeterDefinition, plane, plane), GIVEN(MeterDefinition, by_plane),
     .doc = "Counts what crosses a plane along its normal, less what comes back."},
    {"box", OBJECT(MeterDefinition, box, box), .doc = "Looks at what is in a box."},
    {"direction", AXIS(MeterDefinition, direction), .fallback = "x",
     .doc = "Of a box: the direction of its flow and velocity."},
    {"window", QUANTITY(MeterDefinition, window), .dimension = DIM_TIME, .range = POSITIVE,
     .fallback = "100 ms", .doc = "Of a plane: flow and velocity are means over so much time."},
};

const SchemaObject schema_meter = {
    .name = "meter",
    .doc =
        "Counts grains without touching them. Signals, of a meter `lip`: `lip.mass`, `lip.count`, `lip.flow` "
        "and `lip.velocity`.",
    .size = sizeof(MeterDefinition),
    .name_offset = offsetof(MeterDefinition, name),
    SCHEMA_KEYS(meter_keys),
    .exactly_one = {"plane box"},
    .example = "meters:\n"
               "  lip: {bed: bed, plane: {point: 0.3 0 0 m, normal: x}, window: 0.2 s}\n",
};
