// Screw joint: the second node turns about the axis and moves along it by the pitch p per full turn. Five
// constraints:
//
//     f_x . D = f_y . D = 0,      -f_y . g_z = f_x . g_z = 0,      f_z . D - (p/2 pi) theta = 0
//
// theta is the turn about z, zero at the start and counted over full turns (relative_turn in relative.h). A
// positive pitch is a right-handed thread. The last constraint is one relative coordinate, the difference
// of a translation and a turn, and so are its gradient, curvature and velocity term. Its reaction F along
// the axis comes with the moment -(p/2 pi) F about it.
//
// With a driven position along z also f_z . D = d(t); with a driven angle about z the rotation is kept as a
// whole, psi = 0, counted from axes that the drive turns (joint.c).
#include "mechanism/joint_type.h"

enum { PITCH }; // JointDefinition.parameters [m]; RelativeCoordinate.factor is p/2 pi [m/rad]

static const RelativeCoordinate joint_screw_slide = {&relative_translation, .axis = 2};
static const RelativeCoordinate joint_screw_turn = {.kind = &relative_turn};

// ---- the coordinate ------------------------------------------------------------------------------------
static double joint_screw_value(const RelativeCoordinate *screw, const MarkerPair *pair, double *gradient) {
    double turn_gradient[12];
    double slide = relative_value(&joint_screw_slide, pair, gradient);
    double turn = relative_value(&joint_screw_turn, pair, gradient ? turn_gradient : NULL);
    for (int i = 0; i < 12 && gradient; i++) gradient[i] -= screw->factor * turn_gradient[i];
    return slide - screw->factor * turn;
}

static void joint_screw_curvature(const RelativeCoordinate *screw, const MarkerPair *pair, double weight,
                                  double H[12][12]) {
    relative_add_curvature(&joint_screw_slide, pair, weight, H);
    relative_add_curvature(&joint_screw_turn, pair, -screw->factor * weight, H);
}

static double joint_screw_velocity_term(const RelativeCoordinate *screw, const MarkerPair *pair,
                                        const double v[12]) {
    return relative_velocity_term(&joint_screw_slide, pair, v) -
           screw->factor * relative_velocity_term(&joint_screw_turn, pair, v);
}

static const RelativeKind joint_screw_kind = {.value = joint_screw_value,
                                              .add_curvature = joint_screw_curvature,
                                              .velocity_term = joint_screw_velocity_term};

// ---- the type ------------------------------------------------------------------------------------------
static const SchemaKey joint_screw_keys[] = {
    {"pitch", QUANTITY(JointDefinition, parameters[PITCH]), .dimension = DIM_LENGTH, .required = true,
     .doc = "Of a screw joint: how far it moves along the axis per full turn; negative for a left-handed "
            "thread."},
};

static void joint_screw_check(const JointDefinition *joint, const Findings *findings) {
    if (joint->parameters[PITCH] == 0)
        findings_error(findings, &joint->parameters[PITCH],
                       "joint '%s' has a 'pitch' of 0; use a revolute joint for a turn without advance",
                       joint->name);
    if ((joint->position[2] || joint->speed[2]) && (joint->angle[2] || joint->rate[2]))
        findings_object_error(findings, joint,
                              "joint '%s' is driven along and about its axis; the pitch ties the two, so "
                              "only one can be driven",
                              joint->name);
}

static MrcStatus joint_screw_add_rows(JointBuild *build, MrcError *error) {
    (void)error;
    double factor = build->definition->parameters[PITCH] / (2 * M_PI);
    joint_count_turns(build);
    joint_add_row(build, (RelativeCoordinate){.kind = &joint_screw_kind, .factor = factor},
                  (JointDrive){.state = -1});
    return MRC_OK;
}

const JointType joint_screw = {
    JOINT_SCHEMA_WITH(
        "screw",
        "A screw: moves along the axis by `pitch` per full turn about it. One of the two can be "
        "driven.",
        joint_screw_keys),
    .words = "turns on a screw on",
    .kept = {.along = {1, 1, 0}, .about = {1, 1, 0}},
    .slides = true,
    .turns = true,
    .check = joint_screw_check,
    .add_rows = joint_screw_add_rows,
};
