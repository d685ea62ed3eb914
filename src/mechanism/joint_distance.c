// Distance joint, a massless rod between two points. One constraint:
//
//     |D| = d(t)
//
// d(t) is the given length, or the distance at the start. The direction of D must exist, so the two points
// must not coincide.
#include "base/error.h"
#include "mechanism/connect.h"
#include "mechanism/joint_type.h"

static const SchemaKey joint_distance_keys[] = {
    {"length", EXPRESSION(JointDefinition, distance), .dimension = DIM_LENGTH,
     .fallback_words = "as at the start",
     .doc = "Of a distance joint: the distance, as a function of the time t."},
};

static MrcStatus joint_distance_add_rows(JointBuild *build, MrcError *error) {
    const JointDefinition *definition = build->definition;
    if (definition->distance && definition->length > 0)
        return error_set(error, MRC_MODEL, "joint '%s': give length or distance, not both", definition->name);
    const Marker *markers = build->joint.markers;
    double start = vec3_norm(vec3_sub(connect_place(build->builder, build->nodes[1], &markers[1]),
                                      connect_place(build->builder, build->nodes[0], &markers[0])));
    if (start == 0)
        return error_set(error, MRC_MODEL,
                         "joint '%s': its two points coincide at the start, so their distance has no "
                         "direction; give offsets, or use a spherical joint",
                         definition->name);
    JointDrive drive;
    MrcStatus status = joint_make_drive(build, definition->distance, NULL, "length", "", &drive, error);
    if (status != MRC_OK) return status;
    if (drive.expression) {
        double first = joint_drive_jet(&drive, (TimePoint){0}, NULL).value;
        if (first <= 0)
            return error_set(error, MRC_MODEL,
                             "joint '%s': the distance is %g m at the start; it must be positive",
                             definition->name, first);
        build->joint.driven = true;
    } else {
        double length = definition->length > 0 ? definition->length : start;
        drive.expression = expression_from_value(build->builder->arena, length, DIM_LENGTH);
        if (!drive.expression) return error_memory(error, "a joint");
    }
    joint_add_row(build, (RelativeCoordinate){.kind = &relative_distance}, drive);
    return MRC_OK;
}

const JointType joint_distance = {
    JOINT_SCHEMA_WITH("distance", "Only the distance of the two points is kept.", joint_distance_keys),
    .words = "is kept at a distance from",
    .between_origins = true,
    .add_rows = joint_distance_add_rows,
};
