// Hydraulic cylinders: a controller holds the length between two points, within the pressure and the flow of the pump
// (actuator.c). With the piston's area A, the rod's area B, the pressure p and the flow Q the limits are
//
//     pushing   p A (1 - u A/Q),     pulling   p (A - B) (1 - u (A - B)/Q)
//
// u being the speed in that direction; without Q they do not depend on it. The compliance of oil and hoses is that of the
// controller's `gain`.
#include <math.h>

#include "base/error.h"
#include "math/human.h"
#include "mechanism/actuator.h"
#include "mechanism/connect.h"
#include "mechanism/part_type.h"

static const SchemaKey cylinder_keys[] = {
    PART_BETWEEN_KEY(CylinderDefinition),
    {"offsets", VECTORS(CylinderDefinition, offsets, 2), .dimension = DIM_LENGTH,
     .fallback_words = "at the origins",
     .doc = "The points it is fixed to, each in the axes of its node; for a lone node the second one is a "
            "point of the "
            "world."},
    {"length", EXPRESSION(CylinderDefinition, length), .dimension = DIM_LENGTH, .required = true,
     .doc = "The length that the controller aims at, as a function of the time t and inputs."},
    {"pressure", QUANTITY(CylinderDefinition, pressure), .dimension = DIM_PRESSURE, .range = POSITIVE,
     .required = true, .doc = "Of the pump, above that of the tank."},
    {"piston", QUANTITY(CylinderDefinition, piston), .dimension = DIM_LENGTH, .range = POSITIVE,
     .required = true, .doc = "Diameter of the piston."},
    {"rod", QUANTITY(CylinderDefinition, rod), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .fallback = "0 m", .doc = "Diameter of its rod, which makes it pull with less than it pushes."},
    {"flow", QUANTITY(CylinderDefinition, flow), .dimension = DIMENSION(3, 0, -1, 0), .range = POSITIVE,
     .fallback_words = "any",
     .doc = "Of the pump: the force falls to zero at the speed that takes all of it."},
    {"gain", QUANTITY(CylinderDefinition, gain), .dimension = DIM_STIFFNESS, .range = POSITIVE,
     .required = true, .doc = "Force per length that is missing: the stiffness of oil and hoses."},
    {"rate_gain", QUANTITY(CylinderDefinition, rate_gain), .dimension = DIM_DAMPING, .range = NON_NEGATIVE,
     .fallback = "0 N*s/m", .doc = "Force per speed that is missing."},
};

static void cylinder_limit(const CylinderDefinition *d, double area, ActuatorPoint points[2], int *count) {
    points[0] = (ActuatorPoint){0, d->pressure * area};
    points[1] = (ActuatorPoint){d->flow > 0 ? d->flow / area : 1, 0};
    *count = d->flow > 0 ? 2 : 1;
}

static MrcStatus cylinder_build(Builder *builder, const void *part, MrcError *error) {
    const CylinderDefinition *d = part;
    Subject subject = {"cylinder", d->name};
    int nodes[2] = {-1, -1};
    MrcStatus status = connect_node(builder, subject, d->nodes[0], &nodes[0], error);
    if (status == MRC_OK && d->nodes[1])
        status = connect_node(builder, subject, d->nodes[1], &nodes[1], error);
    if (status != MRC_OK) return status;
    Actuator cylinder = {.target = d->length, .gain = d->gain, .rate_gain = d->rate_gain};
    for (int i = 0; i < 2; i++)
        cylinder.markers[i] = (Marker){.offset = d->offsets[i], .axes = mat3_identity()};
    double start = vec3_norm(vec3_sub(connect_place(builder, nodes[1], &cylinder.markers[1]),
                                      connect_place(builder, nodes[0], &cylinder.markers[0])));
    if (!(start > 0))
        return error_set(error, MRC_MODEL,
                         "cylinder '%s': its two points coincide at the start, so it has no direction",
                         d->name);
    cylinder.coordinate = (RelativeCoordinate){.kind = &relative_distance, .smoothing = 1e-6 * start};
    double area = 0.25 * M_PI * d->piston * d->piston, ring = area - 0.25 * M_PI * d->rod * d->rod;
    ActuatorPoint *limits = arena_alloc(builder->arena, 4 * sizeof *limits);
    if (!limits) return error_memory(error, "the mechanism");
    cylinder_limit(d, area, limits, &cylinder.forward_count);
    cylinder_limit(d, ring, limits + 2, &cylinder.backward_count);
    cylinder.forward = limits, cylinder.backward = limits + 2;
    builder_add_element(builder, &actuator_cylinder_kind, d->name, &cylinder, sizeof cylinder, 2, nodes, 0,
                        0);
    return MRC_OK;
}

// Tested at many times; values that depend on inputs are not known before the run.
static void cylinder_check_length(const CylinderDefinition *d, const PartCheck *check) {
    enum { TIMES = 500 };
    if (!d->length || !(check->duration > 0) || expression_input_count(d->length) > 0) return;
    for (int k = 0; k <= TIMES; k++) {
        double t = check->duration * k / TIMES,
               length = expression_value(d->length, (TimePoint){t, NULL}, NULL);
        if (length > 0) continue;
        findings_error(check->findings, &d->length,
                       "'length' of cylinder '%s' is %.4g mm at t = %.4g s; it must be greater than 0",
                       d->name, 1e3 * length, t);
        return;
    }
}

static void cylinder_check(const void *part, const PartCheck *check) {
    const CylinderDefinition *d = part;
    cylinder_check_length(d, check);
    if (d->piston > 0 && d->rod >= d->piston)
        findings_error(check->findings, &d->rod,
                       "the rod of cylinder '%s' is as thick as its piston, or thicker", d->name);
}

static void cylinder_describe(const void *part, const PartContext *context, Text *text) {
    const CylinderDefinition *d = part;
    (void)context;
    double area = 0.25 * M_PI * d->piston * d->piston;
    part_describe_ends(text, "Cylinder", d->name, d->nodes);
    text_add_string(text, ", pushes with ");
    human_add(text, d->pressure * area, DIM_FORCE);
    text_add_string(text, " at most.\n");
}

const PartType cylinder_part = {
    .schema =
        {.name = "hydraulic_cylinder",
         .doc = "A hydraulic cylinder between two points, with a controller of its length.",
         .size = sizeof(CylinderDefinition),
         .name_offset = offsetof(CylinderDefinition, name),
         SCHEMA_KEYS(cylinder_keys),
         .example =
             "cylinders:\n"
             "  lift: {between: [frame, boom], offsets: [0 0 0 m, 0.4 0 0 m], length: 0.6 m + 20 mm/s*t, "
             "pressure: 160 bar, piston: 50 mm, rod: 30 mm, flow: 2e-4 m^3/s, gain: 5 MN/m}\n"},
    .noun = "cylinder",
    .plural = "cylinders",
    .order = PART_ORDER_SPRINGS,
    .ends = offsetof(CylinderDefinition, nodes),
    .build = cylinder_build,
    .check = cylinder_check,
    .describe = cylinder_describe,
};
