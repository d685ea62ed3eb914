// The table of joints, and what follows from its rows.
#include "mechanism/joint_type.h"

#define JOINT_POINTER(number, type) [number] = &type,
const JointType *const joint_types[JOINT_COUNT + 1] = {JOINT_TABLE(JOINT_POINTER)};
#undef JOINT_POINTER

static const SchemaKey joint_nodes_keys[] = {
    {"nodes", NAMES(JointDefinition, nodes[0], 2), .short_length = 1, .nodes = true, .required = true,
     .doc = "The two nodes; a lone one is joined to the ground."},
};

const SchemaObject joint_nodes_schema = {.name = "joined_nodes",
                                         .doc =
                                             "One node, which is joined to the ground, or a list of two: the "
                                             "second is held by the first.",
                                         .size = sizeof(JointDefinition),
                                         .bare = true,
                                         SCHEMA_KEYS(joint_nodes_keys)};

JointComponents joint_kept(const JointDefinition *joint) {
    const JointType *type = joint_types[joint->kind];
    return type->choose ? type->choose(joint) : type->kept;
}

JointComponents joint_drivable(const JointDefinition *joint) {
    const JointType *type = joint_types[joint->kind];
    JointComponents components = joint_kept(joint);
    components.along[2] |= type->slides;
    components.about[2] |= type->turns;
    return components;
}

// ---- keys of all joints ------------------------------------------------------------------------------
static const SchemaKey joint_keys[] = {
    {"at", VECTOR(JointDefinition, at), .dimension = DIM_LENGTH, GIVEN(JointDefinition, has_at),
     .fallback_words = "at the second node, or the lone one",
     .doc = "Where the joint is at the start, in world axes."},
    {"offsets", VECTORS(JointDefinition, offsets, 2), .dimension = DIM_LENGTH,
     GIVEN(JointDefinition, has_offsets), .fallback_words = "by `at`",
     .doc = "Instead of `at`: the points on the two nodes that meet, each in the axes of its node."},
    {"axis", AXIS(JointDefinition, axis), .fallback_words = "`z`",
     .doc = "The joint's z axis at the start, in world axes; it rides on the first node."},
    {"second_axis", AXIS(JointDefinition, second_axis), .fallback_words = "any",
     .doc = "The joint's x axis at the start, made square to `axis`."},
    {"position", EXPRESSIONS(JointDefinition, position), .lone = true, .dimension = DIM_LENGTH,
     .fallback_words = "0 where it is kept",
     .doc = "Where the second point is, along the joint's axes, as a function of the time t; a lone "
            "expression is along the axis."},
    {"angle", EXPRESSIONS(JointDefinition, angle), .lone = true, .dimension = DIM_ANGLE,
     .fallback_words = "0 where it is kept",
     .doc = "How far the second node is turned about the joint's axes, as a function of the time t; a lone "
            "expression is about the axis."},
    {"speed", EXPRESSIONS(JointDefinition, speed), .lone = true, .dimension = DIM_VELOCITY,
     .fallback_words = "by `position`", .doc = "Instead of `position`: how fast it moves."},
    {"rate", EXPRESSIONS(JointDefinition, rate), .lone = true, .dimension = DIM_ANGULAR_VELOCITY,
     .fallback_words = "by `angle`", .doc = "Instead of `angle`: how fast it turns."},
};

// ---- checks ------------------------------------------------------------------------------------------
static void joint_check_drive(const JointDefinition *joint, const char *key, const Expression *const *drive,
                              const bool *drivable, const char *way, const PartCheck *check) {
    for (int k = 0; k < 3; k++) {
        if (!drive[k]) continue;
        if (!drivable[k])
            findings_error(check->findings, &drive[k],
                           "'%s' of joint '%s' drives it %s its %c axis, where it is free; only what a joint "
                           "keeps can be driven",
                           key, joint->name, way, 'x' + k);
        for (int end = 0; end < 2; end++) {
            double t = end ? check->duration : 0;
            Jet jet = expression_jet(drive[k], (TimePoint){t, NULL});
            if (isfinite(jet.value) && isfinite(jet.rate) && isfinite(jet.second)) continue;
            findings_error(check->findings, &drive[k],
                           "'%s' of joint '%s' or its velocity or acceleration is not finite at t = %g s",
                           key, joint->name, t);
            break;
        }
    }
}

static void joint_check(const void *part, const PartCheck *check) {
    const JointDefinition *joint = part;
    const JointType *type = joint_types[joint->kind];
    JointComponents drivable = joint_drivable(joint);
    Vec3 axis = vec3_norm(joint->axis) > 0 ? joint->axis : vec3(0, 0, 1);
    if (vec3_norm(joint->second_axis) > 0 && vec3_norm(vec3_cross(axis, joint->second_axis)) < 1e-6)
        findings_error(check->findings, &joint->second_axis,
                       "'second_axis' of joint '%s' points along its axis; it must point across it",
                       joint->name);
    joint_check_drive(joint, "position", joint->position, drivable.along, "along", check);
    joint_check_drive(joint, "speed", joint->speed, drivable.along, "along", check);
    joint_check_drive(joint, "angle", joint->angle, drivable.about, "about", check);
    joint_check_drive(joint, "rate", joint->rate, drivable.about, "about", check);
    if (type->check && check->complete) type->check(joint, check->findings);
}

// ---- in words ----------------------------------------------------------------------------------------
static void joint_describe_drives(const JointDefinition *joint, const PartContext *context, Text *text) {
    const struct {
        const Expression *const *drive;
        const char *key;
    } drives[] = {{joint->position, "position"},
                  {joint->speed, "speed"},
                  {joint->angle, "angle"},
                  {joint->rate, "rate"}};
    for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
        if (!drives[i].drive[0] && !drives[i].drive[1] && !drives[i].drive[2]) continue;
        const char *formula = context->written(context->file, "joints", joint->name, drives[i].key);
        text_add(text, "; its %s is driven", drives[i].key);
        if (formula) text_add(text, ": %s", formula);
    }
}

static void joint_describe(const void *part, const PartContext *context, Text *text) {
    const JointDefinition *joint = part;
    const JointType *type = joint_types[joint->kind];
    const char *held = joint->nodes[1] ? joint->nodes[1] : joint->nodes[0];
    const char *holder = joint->nodes[1] ? joint->nodes[0] : "the ground";
    text_add(text, "Joint %s: %s %s %s", joint->name, held, type->words, holder);
    joint_describe_drives(joint, context, text);
    for (size_t k = 0; k < type->schema.key_count; k++) {
        const char *key = type->schema.keys[k].key;
        const char *value = context->written(context->file, "joints", joint->name, key);
        if (value) text_add(text, "; %s %s", key, value);
    }
    text_add_string(text, ".\n");
}

const PartType joint_part = {
    .schema =
        {.name = "joint",
         .doc = "What holds two nodes together, or one to the ground. What a joint keeps can be driven by a "
                "function of time; so can the axis of a revolute, prismatic or cylindrical joint. The force "
                "and moment it takes are the signals `NAME.fx` ... `NAME.mz`: on the second node, about the "
                "joint.",
         .size = sizeof(JointDefinition),
         .name_offset = offsetof(JointDefinition, name),
         SCHEMA_KEYS(joint_keys),
         TYPES_OF_ROWS(joint_types),
         .tag_offset = SCHEMA_ENUM_AT(JointDefinition, kind),
         .at_most_one = {"at offsets", "position speed", "angle rate"},
         .example = "joints:\n"
                    "  root: {clamp: arm.start}\n"
                    "  motor: {revolute: crank, axis: z, rate: 600 rpm}\n"
                    "  pin: {revolute: [crank, rod], at: 30 0 0 mm, axis: z}\n"
                    "  guide: {prismatic: piston, axis: x}\n"
                    "  rail: {general: [frame, cart], translations: [y, z], rotations: all}\n"},
    .noun = "joint",
    .plural = "joints",
    .order = PART_ORDER_JOINTS,
    .ends = offsetof(JointDefinition, nodes),
    .build = joint_build,
    .check = joint_check,
    .describe = joint_describe,
};

bool joint_is_driven(const JointDefinition *joint) {
    bool driven = joint->distance;
    for (int k = 0; k < 3; k++)
        driven = driven || joint->position[k] || joint->angle[k] || joint->speed[k] || joint->rate[k];
    return driven;
}
