// From the definition of a joint to its constraints.
//
// A kind of joint is a row of a table: which translations and rotations it keeps. Kept rotations become
// constraints by their number (f_i, g_i: axes of the first and the second marker; all indices cyclic):
//
//     3: the rotation vector                 psi_x = psi_y = psi_z = 0
//     2: k is the free axis, i = k + 1, j = k + 2: the two k axes stay parallel, -f_j . g_k = 0 and
//        f_i . g_k = 0, to first order the turns about i and j
//     1: k is the kept one: f_i and g_j stay square, -f_i . g_j = 0, to first order the turn about k. The
//     free
//        turns are about f_i and g_j, the two bars of a cross (universal joint: k = z).
//
// Translations are kept along the axes of the first marker.
#include "base/error.h"
#include "mechanism/connect.h"
#include "mechanism/joint.h"

typedef struct KindRow {
    const char *name;
    bool translations[3], rotations[3]; // kept
    bool slide, turn;                   // along, about z: free, but may be driven
} KindRow;

static const KindRow kinds[] = {
    [JOINT_CLAMP] = {"clamp", {1, 1, 1}, {1, 1, 1}, 0, 0},
    [JOINT_REVOLUTE] = {"revolute", {1, 1, 1}, {1, 1, 0}, 0, 1},
    [JOINT_SPHERICAL] = {"spherical", {1, 1, 1}, {0, 0, 0}, 0, 0},
    [JOINT_PRISMATIC] = {"prismatic", {1, 1, 0}, {1, 1, 1}, 1, 0},
    [JOINT_CYLINDRICAL] = {"cylindrical", {1, 1, 0}, {1, 1, 0}, 1, 1},
    [JOINT_UNIVERSAL] = {"universal", {1, 1, 1}, {0, 0, 1}, 0, 0},
    [JOINT_PLANAR] = {"planar", {0, 0, 1}, {1, 1, 0}, 0, 0},
    [JOINT_POINT_ON_LINE] = {"point-on-line", {1, 1, 0}, {0, 0, 0}, 0, 0},
    [JOINT_POINT_IN_PLANE] = {"point-in-plane", {0, 0, 1}, {0, 0, 0}, 0, 0},
    [JOINT_DISTANCE] = {"distance", {0, 0, 0}, {0, 0, 0}, 0, 0},
    [JOINT_GENERAL] = {"general", {0, 0, 0}, {0, 0, 0}, 0, 0},
};

static Subject subject_of(const JointDefinition *definition) { return (Subject){"joint", definition->name}; }

// ---- drives --------------------------------------------------------------------------------------
// One component: its value or its rate. Counts the element's memory on.
static MrcStatus make_drive(const JointDefinition *definition, const Expression *value,
                            const Expression *rate, const char *value_key, const char *rate_key,
                            JointDrive *drive, int *state_count, MrcError *error) {
    *drive = (JointDrive){.expression = value ? value : rate, .state = -1};
    if (!drive->expression) return MRC_OK;
    const char *key = value ? value_key : rate_key;
    if (value && rate)
        return error_set(error, MRC_MODEL, "joint '%s': %s and %s drive the same component; give one of them",
                         definition->name, value_key, rate_key);
    if (expression_signal_count(drive->expression) > 0)
        return error_set(error, MRC_MODEL,
                         "joint '%s': %s is a function of time only; what depends on measured signals is a "
                         "force",
                         definition->name, key);
    Jet jet = expression_jet(drive->expression, 0);
    if (!isfinite(jet.value) || !isfinite(jet.rate) || !isfinite(jet.second))
        return error_set(error, MRC_MODEL,
                         "joint '%s': %s, its rate or its acceleration is not finite at t = 0",
                         definition->name, key);
    if (rate) drive->state = (*state_count)++;
    return MRC_OK;
}

static MrcStatus check_kept(const JointDefinition *definition, const JointDrive *drive, bool may, bool *kept,
                            const char *what, int axis, MrcError *error) {
    if (!drive->expression || *kept) return MRC_OK;
    if (may) {
        *kept = true;
        return MRC_OK;
    }
    return error_set(
        error, MRC_MODEL,
        "joint '%s' (%s) leaves the %s %c free, so it cannot be driven; use a joint that keeps it "
        "(kind: general keeps what you choose)",
        definition->name, kinds[definition->kind].name, what, "xyz"[axis]);
}

// ---- constraints ---------------------------------------------------------------------------------
static void add_row(Joint *joint, RelativeCoordinate coordinate, JointDrive drive) {
    joint->rows[joint->row_count++] = (JointRow){coordinate, drive};
}

static void add_rotations(Joint *joint, const bool kept[3]) {
    static const JointDrive none = {.state = -1};
    int count = kept[0] + kept[1] + kept[2];
    joint->rotates = count == 3;
    if (count == 3)
        for (int i = 0; i < 3; i++) add_row(joint, (RelativeCoordinate){&relative_rotation, .axis = i}, none);
    if (count == 2) {
        int k = !kept[0] ? 0 : !kept[1] ? 1 : 2, i = (k + 1) % 3, j = (k + 2) % 3;
        add_row(joint, (RelativeCoordinate){&relative_crossing, .axis = j, .other = k, .factor = -1}, none);
        add_row(joint, (RelativeCoordinate){&relative_crossing, .axis = i, .other = k, .factor = 1}, none);
    }
    if (count == 1) {
        int k = kept[0] ? 0 : kept[1] ? 1 : 2;
        add_row(
            joint,
            (RelativeCoordinate){&relative_crossing, .axis = (k + 1) % 3, .other = (k + 2) % 3, .factor = -1},
            none);
    }
}

static MrcStatus add_components(const JointDefinition *definition, Joint *joint, int *state_count,
                                MrcError *error) {
    const KindRow *kind = &kinds[definition->kind];
    bool general = definition->kind == JOINT_GENERAL;
    bool translations[3], rotations[3];
    JointDrive slides[3];
    for (int i = 0; i < 3; i++) {
        translations[i] = general ? definition->translations[i] : kind->translations[i];
        rotations[i] = general ? definition->rotations[i] : kind->rotations[i];
        MrcStatus status = make_drive(definition, definition->position[i], definition->speed[i], "position",
                                      "speed", &slides[i], state_count, error);
        if (status == MRC_OK)
            status = make_drive(definition, definition->angle[i], definition->rate[i], "angle", "rate",
                                &joint->turn[i], state_count, error);
        if (status == MRC_OK)
            status = check_kept(definition, &slides[i], kind->slide && i == 2, &translations[i],
                                "translation along", i, error);
        if (status == MRC_OK)
            status = check_kept(definition, &joint->turn[i], kind->turn && i == 2, &rotations[i],
                                "rotation about", i, error);
        if (status != MRC_OK) return status;
        if (joint->turn[i].expression) joint->turned = joint->driven = true;
        if (slides[i].expression) joint->driven = true;
    }
    for (int i = 0; i < 3; i++)
        if (translations[i])
            add_row(joint, (RelativeCoordinate){&relative_translation, .axis = i}, slides[i]);
    add_rotations(joint, rotations);
    if (joint->row_count == 0)
        return error_set(error, MRC_MODEL,
                         "joint '%s' keeps nothing: choose translations or rotations that it keeps",
                         definition->name);
    return MRC_OK;
}

static MrcStatus add_distance(const Builder *builder, const JointDefinition *definition, const int nodes[2],
                              Joint *joint, int *state_count, MrcError *error) {
    for (int i = 0; i < 3; i++)
        if (definition->position[i] || definition->speed[i] || definition->angle[i] || definition->rate[i])
            return error_set(error, MRC_MODEL, "joint '%s' keeps a distance: only `distance` can drive it",
                             definition->name);
    if (definition->distance && definition->length > 0)
        return error_set(error, MRC_MODEL, "joint '%s': give length or distance, not both", definition->name);
    double start = vec3_norm(vec3_sub(connect_place(builder, nodes[1], &joint->markers[1]),
                                      connect_place(builder, nodes[0], &joint->markers[0])));
    if (start == 0)
        return error_set(error, MRC_MODEL,
                         "joint '%s': its two points coincide at the start, so their distance has no "
                         "direction; give offsets, or use a spherical joint",
                         definition->name);
    JointDrive drive;
    MrcStatus status =
        make_drive(definition, definition->distance, NULL, "distance", "", &drive, state_count, error);
    if (status != MRC_OK) return status;
    if (drive.expression) {
        double first = expression_value(drive.expression, 0, NULL);
        if (first <= 0)
            return error_set(error, MRC_MODEL,
                             "joint '%s': the distance is %g m at the start; it must be positive",
                             definition->name, first);
        joint->driven = true;
    } else {
        double length = definition->length > 0 ? definition->length : start;
        drive.expression = expression_from_value(builder->arena, length, DIM_LENGTH);
        if (!drive.expression) return error_memory(error, "a joint");
    }
    add_row(joint, (RelativeCoordinate){.kind = &relative_distance}, drive);
    return MRC_OK;
}

// ---- markers -------------------------------------------------------------------------------------
static MrcStatus place_markers(const Builder *builder, const JointDefinition *definition, const int nodes[2],
                               bool swapped, Joint *joint, MrcError *error) {
    Mat3 axes;
    MrcStatus status =
        connect_axes(subject_of(definition), definition->axis, definition->second_axis, &axes, error);
    if (status != MRC_OK) return status;
    if (definition->has_at && definition->has_offsets)
        return error_set(error, MRC_MODEL, "joint '%s': give `at` or offsets, not both", definition->name);
    Vec3 at = definition->has_at ? definition->at : builder_node(builder, nodes[1])->x;
    // A distance without any place is that of the two origins.
    bool origins = definition->kind == JOINT_DISTANCE && !definition->has_at && !definition->has_offsets;
    for (int i = 0; i < 2; i++) {
        joint->markers[i] = connect_marker(builder, nodes[i], at, axes);
        if (definition->has_offsets) joint->markers[i].offset = definition->offsets[swapped ? 1 - i : i];
        if (origins) joint->markers[i].offset = vec3_zero();
    }
    return MRC_OK;
}

static MrcStatus build_joint(Builder *builder, const JointDefinition *definition, MrcError *error) {
    Joint joint = {.turn = {{.state = -1}, {.state = -1}, {.state = -1}}, .turn_memory = -1};
    int nodes[2], state_count = 0;
    bool swapped;
    MrcStatus status =
        connect_nodes(builder, subject_of(definition), definition->nodes, nodes, &swapped, error);
    if (status == MRC_OK) status = place_markers(builder, definition, nodes, swapped, &joint, error);
    if (status != MRC_OK) return status;
    if (definition->kind == JOINT_DISTANCE)
        status = add_distance(builder, definition, nodes, &joint, &state_count, error);
    else if (definition->distance)
        status = error_set(error, MRC_MODEL, "joint '%s' (%s) keeps no distance, so it cannot be driven",
                           definition->name, kinds[definition->kind].name);
    else status = add_components(definition, &joint, &state_count, error);
    if (status != MRC_OK) return status;
    builder_add_element(builder, &joint_kind, definition->name, &joint, sizeof joint, 2, nodes,
                        joint.row_count, state_count);
    return MRC_OK;
}

MrcStatus build_joints(Builder *builder, MrcError *error) {
    for (int i = 0; i < builder->definition->joint_count; i++) {
        MrcStatus status = build_joint(builder, &builder->definition->joints[i], error);
        if (status != MRC_OK) return status;
    }
    return MRC_OK;
}
