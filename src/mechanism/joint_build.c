// From the definition of a joint to its constraints.
//
// Translations are kept along the axes of the first marker. Kept rotations become constraints by their
// number (f_i, g_i: axes of the first and the second marker; indices are cyclic):
//
//     3: the rotation vector                 psi_x = psi_y = psi_z = 0
//     2: k is the free axis, i = k + 1, j = k + 2: the two k axes stay parallel, -f_j . g_k = 0 and
//        f_i . g_k = 0; to first order these are the turns about i and j
//     1: k is the kept axis: f_i and g_j stay square, -f_i . g_j = 0; to first order this is the turn about
//        k. The free turns are about f_i and g_j, the two bars of a cross
//
// A driven component that the joint otherwise leaves free becomes a kept one.
#include "base/error.h"
#include "mechanism/connect.h"
#include "mechanism/joint_type.h"

// ---- for the types -----------------------------------------------------------------------------------
void joint_add_row(JointBuild *build, RelativeCoordinate coordinate, JointDrive drive) {
    build->joint.rows[build->joint.row_count++] = (JointRow){coordinate, drive};
}

void joint_count_turns(JointBuild *build) { build->joint.turn_memory = build->state_count++; }

MrcStatus joint_make_drive(JointBuild *build, const Expression *value, const Expression *rate,
                           const char *value_key, const char *rate_key, JointDrive *drive, MrcError *error) {
    const char *name = build->definition->name, *key = value ? value_key : rate_key;
    *drive = (JointDrive){.expression = value ? value : rate, .state = -1};
    if (!drive->expression) return MRC_OK;
    if (value && rate)
        return error_set(error, MRC_MODEL, "joint '%s': %s and %s drive the same component; give one of them",
                         name, value_key, rate_key);
    if (expression_signal_count(drive->expression) > 0)
        return error_set(error, MRC_MODEL,
                         "joint '%s': %s is a function of time only; what depends on measured signals is a "
                         "force",
                         name, key);
    Jet jet = joint_drive_jet(drive, (TimePoint){0}, NULL);
    if (!isfinite(jet.value) || !isfinite(jet.rate) || !isfinite(jet.second))
        return error_set(error, MRC_MODEL,
                         "joint '%s': %s, its rate or its acceleration is not finite at t = 0", name, key);
    if (rate) drive->state = build->state_count++;
    return MRC_OK;
}

// ---- kept components ---------------------------------------------------------------------------------
static MrcStatus joint_build_keep_driven(const JointDefinition *definition, const JointDrive *drive,
                                         bool drivable, bool *kept, const char *what, int axis,
                                         MrcError *error) {
    if (!drive->expression) return MRC_OK;
    *kept = true;
    if (drivable) return MRC_OK;
    return error_set(
        error, MRC_MODEL,
        "joint '%s' (%s) leaves the %s %c free, so it cannot be driven; use a joint that keeps it "
        "(a general joint keeps what you choose)",
        definition->name, joint_types[definition->kind]->schema.alternative.key, what, "xyz"[axis]);
}

static void joint_build_rotations(JointBuild *build, const bool kept[3]) {
    static const JointDrive none = {.state = -1};
    int count = kept[0] + kept[1] + kept[2];
    build->joint.rotates = count == 3;
    if (count == 3)
        for (int i = 0; i < 3; i++)
            joint_add_row(build, (RelativeCoordinate){&relative_rotation, .axis = i}, none);
    if (count == 2) {
        int k = !kept[0] ? 0 : !kept[1] ? 1 : 2, i = (k + 1) % 3, j = (k + 2) % 3;
        joint_add_row(build, (RelativeCoordinate){&relative_crossing, .axis = j, .other = k, .factor = -1},
                      none);
        joint_add_row(build, (RelativeCoordinate){&relative_crossing, .axis = i, .other = k, .factor = 1},
                      none);
    }
    if (count == 1) {
        int k = kept[0] ? 0 : kept[1] ? 1 : 2, i = (k + 1) % 3, j = (k + 2) % 3;
        joint_add_row(build, (RelativeCoordinate){&relative_crossing, .axis = i, .other = j, .factor = -1},
                      none);
    }
}

static MrcStatus joint_build_components(JointBuild *build, MrcError *error) {
    const JointDefinition *definition = build->definition;
    JointComponents kept = joint_kept(definition), drivable = joint_drivable(definition);
    Joint *joint = &build->joint;
    JointDrive slides[3];
    for (int i = 0; i < 3; i++) {
        MrcStatus status = joint_make_drive(build, definition->position[i], definition->speed[i], "position",
                                            "speed", &slides[i], error);
        if (status == MRC_OK)
            status = joint_make_drive(build, definition->angle[i], definition->rate[i], "angle", "rate",
                                      &joint->turn[i], error);
        if (status == MRC_OK)
            status = joint_build_keep_driven(definition, &slides[i], drivable.along[i], &kept.along[i],
                                             "translation along", i, error);
        if (status == MRC_OK)
            status = joint_build_keep_driven(definition, &joint->turn[i], drivable.about[i], &kept.about[i],
                                             "rotation about", i, error);
        if (status != MRC_OK) return status;
        if (joint->turn[i].expression) joint->turned = joint->driven = true;
        if (slides[i].expression) joint->driven = true;
    }
    for (int i = 0; i < 3; i++)
        if (kept.along[i])
            joint_add_row(build, (RelativeCoordinate){&relative_translation, .axis = i}, slides[i]);
    joint_build_rotations(build, kept.about);
    return MRC_OK;
}

// ---- markers -----------------------------------------------------------------------------------------
static MrcStatus joint_build_markers(JointBuild *build, bool single, MrcError *error) {
    const JointDefinition *definition = build->definition;
    Mat3 axes;
    MrcStatus status = connect_axes((Subject){"joint", definition->name}, definition->axis,
                                    definition->second_axis, &axes, error);
    if (status != MRC_OK) return status;
    if (definition->has_at && definition->has_offsets)
        return error_set(error, MRC_MODEL, "joint '%s': give `at` or offsets, not both", definition->name);
    Vec3 at = definition->has_at ? definition->at : builder_node(build->builder, build->nodes[1])->x;
    bool origins = joint_types[definition->kind]->between_origins && !definition->has_at;
    for (int i = 0; i < 2; i++) {
        Marker *marker = &build->joint.markers[i];
        *marker = connect_marker(build->builder, build->nodes[i], at, axes);
        if (definition->has_offsets) marker->offset = definition->offsets[single ? 1 - i : i];
        else if (origins) marker->offset = vec3_zero();
    }
    return MRC_OK;
}

// ---- checks of the type --------------------------------------------------------------------------------
typedef struct JointRefusal {
    MrcError *error;
    bool refused;
} JointRefusal;

// Findings.report: an error of the check is that of the builder.
static void joint_build_refuse(void *self, FindingLevel level, const void *address, bool object,
                               const char *text) {
    JointRefusal *refusal = self;
    (void)address, (void)object;
    if (level != FINDING_ERROR || refusal->refused) return;
    refusal->refused = true;
    error_set(refusal->error, MRC_MODEL, "%s", text);
}

// ---- all of it ---------------------------------------------------------------------------------------
MrcStatus joint_build(Builder *builder, const void *part, MrcError *error) {
    const JointDefinition *definition = part;
    const JointType *type = joint_types[definition->kind];
    JointBuild build = {
        .builder = builder,
        .definition = definition,
        .joint = {.turn = {{.state = -1}, {.state = -1}, {.state = -1}}, .turn_memory = -1},
    };
    bool single;
    MrcStatus status = connect_nodes(builder, (Subject){"joint", definition->name}, definition->nodes,
                                     build.nodes, &single, error);
    if (status == MRC_OK) status = joint_build_markers(&build, single, error);
    if (status != MRC_OK) return status;
    JointRefusal refusal = {.error = error};
    if (type->check) type->check(definition, &(Findings){&refusal, joint_build_refuse});
    if (refusal.refused) return MRC_MODEL;
    status = joint_build_components(&build, error);
    if (status == MRC_OK && type->add_rows) status = type->add_rows(&build, error);
    if (status != MRC_OK) return status;
    if (type->turns && build.joint.turn_memory < 0) joint_count_turns(&build); // for joint_values
    builder_add_element(builder, &joint_kind, definition->name, &build.joint, sizeof build.joint, 2,
                        build.nodes, build.joint.row_count, build.state_count);
    return MRC_OK;
}
