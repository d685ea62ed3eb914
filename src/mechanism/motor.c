// Motors: a moment on the second node about an axis fixed to the first, by the motor's curve of torque over speed
// (actuator.c). It counts full turns.
#include <math.h>

#include "mechanism/actuator.h"
#include "mechanism/connect.h"
#include "mechanism/part_type.h"

static const SchemaKey motor_point_keys[] = {
    {"speed", QUANTITY(ActuatorPoint, speed), .dimension = DIM_ANGULAR_VELOCITY, .required = true,
     .doc = "Speed of the second node against the first."},
    {"torque", QUANTITY(ActuatorPoint, force), .dimension = DIM_MOMENT, .required = true,
     .doc = "Moment that the motor gives at it."},
};
static const SchemaObject motor_point = {
    .name = "motor_point",
    .doc = "One point of a motor's curve. Speeds increase; between two points the curve is straight, beyond "
           "them constant.",
    .size = sizeof(ActuatorPoint),
    SCHEMA_KEYS(motor_point_keys),
};

static const SchemaKey motor_keys[] = {
    PART_BETWEEN_KEY(MotorDefinition),
    {"axis", AXIS(MotorDefinition, axis), .fallback = "z",
     .doc = "Its axis at the start, in world axes; it rides on the first node."},
    {"curve", LIST(MotorDefinition, curve, curve_count, motor_point), .required = true,
     .doc = "Torque over speed; against the other direction the same."},
    {"command", EXPRESSION(MotorDefinition, command),
     .doc = "Share of the curve's torque, from -1 to 1, as a function of the time t and inputs; where it is "
            "beyond, -1 or 1 is taken. A number beyond is an error."},
    {"angle", EXPRESSION(MotorDefinition, angle), .dimension = DIM_ANGLE,
     .doc = "Instead: the angle from the start that a controller holds, within the torque of the curve. For "
            "a speed write "
            "`10 rad/s*t`."},
    {"gain", QUANTITY(MotorDefinition, gain), .dimension = DIM_TURN_STIFFNESS, .range = NON_NEGATIVE,
     .fallback = "0 N*m/rad",
     .doc = "Of that controller: torque per angle that is missing; of a speed its integral part."},
    {"rate_gain", QUANTITY(MotorDefinition, rate_gain), .dimension = DIM_TURN_DAMPING, .range = NON_NEGATIVE,
     .fallback = "0 N*m*s/rad", .doc = "Of that controller: torque per speed that is missing."},
};

static MrcStatus motor_build(Builder *builder, const void *part, MrcError *error) {
    const MotorDefinition *d = part;
    Subject subject = {"motor", d->name};
    int nodes[2];
    Mat3 axes;
    MrcStatus status = connect_nodes(builder, subject, d->nodes, nodes, NULL, error);
    if (status == MRC_OK) status = connect_axes(subject, d->axis, vec3_zero(), &axes, error);
    if (status != MRC_OK) return status;
    Actuator motor = {.coordinate = {.kind = &relative_turn},
                      .counts_turns = true,
                      .forward = d->curve,
                      .backward = d->curve,
                      .forward_count = d->curve_count,
                      .backward_count = d->curve_count,
                      .command = d->command,
                      .target = d->angle,
                      .gain = d->gain,
                      .rate_gain = d->rate_gain};
    for (int i = 0; i < 2; i++)
        motor.markers[i] = connect_marker(builder, nodes[i], builder_node(builder, nodes[i])->x, axes);
    builder_add_element(builder, &actuator_motor_kind, d->name, &motor, sizeof motor, 2, nodes, 0, 1);
    return MRC_OK;
}

static void motor_check(const void *part, const PartCheck *check) {
    const MotorDefinition *d = part;
    for (int k = 1; k < d->curve_count; k++)
        if (!(d->curve[k].speed > d->curve[k - 1].speed))
            findings_error(
                check->findings, &d->curve[k].speed,
                "the speeds of the curve of motor '%s' must increase: %g rad/s comes after %g rad/s", d->name,
                d->curve[k].speed, d->curve[k - 1].speed);
    if (d->curve_count == 0)
        findings_object_error(check->findings, d, "motor '%s': its curve has no points", d->name);
    double share = d->command && expression_is_constant(d->command)
                       ? expression_value(d->command, (TimePoint){0}, NULL)
                       : 0;
    if (!(fabs(share) <= 1 + 1e-12))
        findings_error(check->findings, &d->command,
                       "the 'command' of motor '%s' is %g; it is a share of the curve's torque, from -1 to 1",
                       d->name, share);
    if (d->angle && !(d->gain > 0 || d->rate_gain > 0))
        findings_error(check->findings, &d->angle,
                       "motor '%s' holds an angle, but its 'gain' and 'rate_gain' are 0", d->name);
}

static void motor_describe(const void *part, const PartContext *context, Text *text) {
    const MotorDefinition *d = part;
    (void)context;
    part_describe_ends(text, "Motor", d->name, d->nodes);
    text_add(text, ", %.4g N*m at %.4g rad/s%s.\n", d->curve_count ? d->curve[0].force : 0,
             d->curve_count ? d->curve[0].speed : 0, d->angle ? ", holds an angle" : "");
}

const PartType motor_part = {
    .schema =
        {.name = "motor",
         .doc = "A motor: a moment about an axis, bounded by its curve of torque over speed.",
         .size = sizeof(MotorDefinition),
         .name_offset = offsetof(MotorDefinition, name),
         SCHEMA_KEYS(motor_keys),
         .exactly_one = {"command angle"},
         .example =
             "motors:\n"
             "  drive: {between: drum, axis: y, command: 1, curve: [{speed: 0 rpm, torque: 12 N*m}, {speed: "
             "1400 rpm, torque: 8 N*m}, {speed: 1500 rpm, torque: 0 N*m}]}\n"},
    .noun = "motor",
    .plural = "motors",
    .order = PART_ORDER_SPRINGS,
    .ends = offsetof(MotorDefinition, nodes),
    .build = motor_build,
    .check = motor_check,
    .describe = motor_describe,
};
