// The top level of the model file: what the sections are called.
#include "model/schema_sections.h"
#include "sim/definition.h"

static const SchemaKey root_keys[] = {
    {"maraca", INTEGER(SimDefinition, format), .range = FROM_TO(1, 1), .required = true,
     .doc = "Version of the format of this file; always 1."},
    {"title", TEXT(SimDefinition, title), .doc = "One line that says what this model is."},
    {"include", .kind = SCHEMA_INCLUDE,
     .doc = "Files whose contents are taken in, relative to this one. What stands here wins over what is "
            "included, later files win over earlier ones, and mappings are merged key by key. Of keys that "
            "exclude "
            "each other, such as the kinds of a packing or a wall, that of the winning file stays."},
    {"constants", .kind = SCHEMA_CONSTANTS,
     .doc = "Names for values, to be used in every quantity and expression, in any order."},
    {"inputs", .kind = SCHEMA_INPUTS, .offset = offsetof(SimDefinition, inputs),
     .count_offset = SCHEMA_AT(SimDefinition, input_count, int), .object = &schema_input,
     .doc = "Quantities from outside, to be used in every expression that may change with time."},
    {"gravity", VECTOR(SimDefinition, gravity), .dimension = DIM_ACCELERATION, .fallback = "0 0 0 m/s^2",
     .doc = "Acceleration of free fall, in world axes."},
    {"materials", MAP(SimDefinition, materials, material_count, schema_material),
     .doc = "What grains and walls are made of, by name."},
    {"pairs", MAP(SimDefinition, pairs, pair_count, schema_pair),
     .doc = "Coefficients of two materials against each other, under any name."},
    {"mechanism", OBJECT(SimDefinition, mechanism, schema_mechanism), GIVEN(SimDefinition, has_mechanism),
     .fallback_words = "there is none", .doc = "Bodies, beams, joints and forces."},
    {"ports", MAP(SimDefinition, ports, port_count, schema_port),
     .doc = "Moving frames that carry walls, by name."},
    {"grains", MAP(SimDefinition, grains, grains_count, schema_grains),
     .doc = "Beds of grains with the walls around them, by name."},
    {"inlets", MAP(SimDefinition, flow.inlets, flow.inlet_count, schema_inlet),
     .doc = "Where grains come into beds, by name."},
    {"outlets", MAP(SimDefinition, flow.outlets, flow.outlet_count, schema_outlet),
     .doc = "Where grains leave beds, by name."},
    {"meters", MAP(SimDefinition, flow.meters, flow.meter_count, schema_meter),
     .doc = "What counts grains that pass, by name."},
    {"stops", MAP(SimDefinition, stops.items, stops.count, schema_stop),
     .doc = "Points of the mechanism that touch walls, by name."},
    {"partners", MAP(SimDefinition, links, link_count, schema_link),
     .doc = "Other programs that take part, by name."},
    {"coupling", OBJECT(SimDefinition, coupling, schema_coupling), .fallback = "{}",
     .doc = "How mechanism and grains are advanced together."},
    {"simulate", OBJECT(SimDefinition, simulate, schema_simulate), .required = true,
     .doc = "For how long, and in which steps."},
    {"record", OBJECT(SimDefinition, record, schema_record), .fallback = "{}",
     .doc = "What goes to series.csv, and how often."},
    {"periods", OBJECT(SimDefinition, periods, schema_periods), .fallback_words = "periods are not measured",
     .doc = "Energy dissipated in each period of a port's motion, to periods.csv."},
    {"frames", OBJECT_HERE(schema_frames), .fallback_words = "no frames",
     .doc = "Frames for ParaView, in the folder frames."},
    {"checkpoint", OBJECT_HERE(schema_checkpoint), .fallback_words = "by wall-clock time only",
     .doc = "States from which a run can be resumed."},
};

const SchemaObject schema_root = {
    .name = "model",
    .doc = "The top level of the file.",
    .size = sizeof(SimDefinition),
    SCHEMA_KEYS(root_keys),
};
