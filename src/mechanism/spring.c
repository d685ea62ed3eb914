// Springs and dampers along the line between two points (force law: compliance.c).
//
// The line has no direction where the points meet, so the length is sqrt(gap^2 + s^2) with s a millionth of
// the spring's own size. Elsewhere the error is below 5e-13 of the length. The force k gap of a spring of
// zero rest length is not changed by s, and a dashpot acts where the points meet, too (compliance.c).
//
// With a driven length L(t) it is an actuator: f = k (|D| - L(t)) + c d|D|/dt (Docquier et al. 2020, Eq. 36,
// doi:10.1007/s11044-019-09721-0).
#include "base/error.h"
#include "math/human.h"
#include "mechanism/compliance.h"
#include "mechanism/connect.h"
#include "mechanism/part_type.h"

static const ElementKind spring_kind = COMPLIANCE_KIND("spring");

static const SchemaKey spring_keys[] = {
    PART_BETWEEN_KEY(SpringDefinition),
    {"offsets", VECTORS(SpringDefinition, offsets, 2), .dimension = DIM_LENGTH,
     .fallback_words = "at the origins",
     .doc = "The points it is fixed to, each in the axes of its node; for a lone node the second one is a "
            "point of the world."},
    {"stiffness", QUANTITY(SpringDefinition, stiffness), .dimension = DIM_STIFFNESS, .range = NON_NEGATIVE,
     .fallback = "0 N/m", .doc = "Force per change of length."},
    {"damping", QUANTITY(SpringDefinition, damping), .dimension = DIM_DAMPING, .range = NON_NEGATIVE,
     .fallback = "0 N*s/m", .doc = "Force per rate of change of length."},
    {"length", QUANTITY(SpringDefinition, length), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .absent = -1, .fallback_words = "as at the start",
     .doc = "Length at which the spring is without force."},
    {"driven_length", EXPRESSION(SpringDefinition, driven_length), .dimension = DIM_LENGTH,
     .fallback_words = "by `length`",
     .doc = "Instead of `length`: that length as a function of the time t. The spring is then an actuator "
            "with the "
            "compliance of its hydraulics."},
    {"preload", QUANTITY(SpringDefinition, preload), .dimension = DIM_FORCE, .fallback = "0 N",
     .doc = "A constant tension that is added."},
};

static MrcStatus spring_build(Builder *builder, const void *part, MrcError *error) {
    const SpringDefinition *definition = part;
    Subject subject = {"spring", definition->name};
    int nodes[2] = {-1, -1};
    MrcStatus status = connect_node(builder, subject, definition->nodes[0], &nodes[0], error);
    if (status == MRC_OK && definition->nodes[1])
        status = connect_node(builder, subject, definition->nodes[1], &nodes[1], error);
    if (status != MRC_OK) return status;
    if (nodes[0] == nodes[1])
        return error_set(error, MRC_MODEL, "spring '%s': both ends are on '%s'", definition->name,
                         nodes[0] < 0 ? "ground" : definition->nodes[0]);
    Compliance spring = {.count = 1};
    for (int i = 0; i < 2; i++)
        spring.markers[i] = (Marker){.offset = definition->offsets[i], .axes = mat3_identity()};
    double start = vec3_norm(vec3_sub(connect_place(builder, nodes[1], &spring.markers[1]),
                                      connect_place(builder, nodes[0], &spring.markers[0])));
    const Expression *driven = definition->driven_length;
    double rest = driven                   ? expression_value(driven, (TimePoint){0}, NULL)
                  : definition->length < 0 ? start
                                           : definition->length;
    if (driven && !(rest >= 0))
        return error_set(error, MRC_MODEL,
                         "spring '%s': its 'driven_length' is %g m at the start; it must not be "
                         "negative",
                         definition->name, rest);
    double size = fmax(rest, start);
    if (start <= 1e-9 * size || size == 0) {
        if (definition->preload != 0 || (definition->stiffness != 0 && rest > 0))
            return error_set(error, MRC_MODEL,
                             "spring '%s': its two points coincide at the start, so its force has no "
                             "direction; give offsets that differ, or a length and a preload of 0",
                             definition->name);
    }
    const double smallest = 1e-3; // [m] size of a spring without length, at rest and at the start
    const double smoothing = 1e-6 * (size > 0 ? size : smallest);
    if (rest > 0) rest = hypot(rest, smoothing); // as the coordinate is: no force at that length
    spring.parts[0] = (CompliancePart){.coordinate = {.kind = &relative_distance, .smoothing = smoothing},
                                       .stiffness = definition->stiffness,
                                       .damping = definition->damping,
                                       .rest = rest,
                                       .driven = driven,
                                       .preload = definition->preload};
    builder_add_element(builder, &spring_kind, definition->name, &spring, sizeof spring, 2, nodes, 0, 0);
    return MRC_OK;
}

static void spring_describe(const void *part, const PartContext *context, Text *text) {
    const SpringDefinition *spring = part;
    (void)context;
    part_describe_ends(text, "Spring", spring->name, spring->nodes);
    text_add_string(text, ", ");
    human_add(text, spring->stiffness, DIM_STIFFNESS);
    if (spring->damping > 0) {
        text_add_string(text, " and ");
        human_add(text, spring->damping, DIM_DAMPING);
    }
    text_add_string(text, ".\n");
}

const PartType spring_part = {
    .schema = {.name = "spring",
               .doc = "A spring and a damper along the line between two points.",
               .size = sizeof(SpringDefinition),
               .name_offset = offsetof(SpringDefinition, name),
               SCHEMA_KEYS(spring_keys),
               .at_most_one = {"length driven_length"},
               .example =
                   "springs:\n"
                   "  mount: {between: box, offsets: [0 0 0 m, 0 1 0 m], stiffness: 5 kN/m, damping: 10 "
                   "N*s/m}\n"},
    .noun = "spring",
    .plural = "springs",
    .order = PART_ORDER_SPRINGS,
    .ends = offsetof(SpringDefinition, nodes),
    .build = spring_build,
    .describe = spring_describe,
};
