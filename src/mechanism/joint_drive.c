// A rate is integrated by Gauss's rule with five points, which is exact for polynomials of degree nine.
// Over a step that resolves the drive the error is that of rounding.
//
// Driven angles phi(t) turn the axes of the first marker by R = exp(phi). With the tangent T of so3.h,
//
//     w = T phi',   alpha = T phi'' + d(T phi')/d phi phi'.
//
// One driven angle is a turn about its axis, any number of times. Several are a rotation vector, which
// favours no axis; rates in constant proportion turn about one fixed axis.
#include "mechanism/joint_drive.h"

#include "math/so3.h"

Jet joint_drive_jet(const JointDrive *drive, TimePoint at, const double *state) {
    if (!drive->expression) return (Jet){0};
    Jet jet = expression_jet(drive->expression, at);
    if (drive->state < 0) return jet;
    return (Jet){state[drive->state], jet.value, jet.rate};
}

// The rate at `time`, with the inputs of `at`.
static double joint_drive_rate(const JointDrive *drive, TimePoint at, double time) {
    return expression_value(drive->expression, (TimePoint){time, at.inputs}, NULL);
}

void joint_drive_advance(const JointDrive *drive, TimePoint at, double h, double *state) {
    static const double nodes[] = {0, 0.53846931010568309104, 0.90617984593866399280};
    static const double weights[] = {0.56888888888888888889, 0.47862867049936646804, 0.23692688505618908751};
    if (!drive->expression || drive->state < 0) return;
    double middle = at.time - 0.5 * h, sum = weights[0] * joint_drive_rate(drive, at, middle);
    for (int i = 1; i < 3; i++)
        sum += weights[i] * (joint_drive_rate(drive, at, middle - 0.5 * h * nodes[i]) +
                             joint_drive_rate(drive, at, middle + 0.5 * h * nodes[i]));
    state[drive->state] += 0.5 * h * sum;
}

JointTurn joint_drive_turn(const JointDrive drives[3], TimePoint at, const double *state) {
    Jet x = joint_drive_jet(&drives[0], at, state), y = joint_drive_jet(&drives[1], at, state),
        z = joint_drive_jet(&drives[2], at, state);
    Vec3 phi = vec3(x.value, y.value, z.value), rate = vec3(x.rate, y.rate, z.rate),
         second = vec3(x.second, y.second, z.second);
    int axes = !!drives[0].expression + !!drives[1].expression + !!drives[2].expression;
    if (axes <= 1) return (JointTurn){.rotation = so3_exp(phi), .w = rate, .alpha = second};
    Mat3 T = so3_tangent(phi);
    return (JointTurn){
        .rotation = so3_exp(phi),
        .w = mat3_apply(T, rate),
        .alpha = vec3_add(mat3_apply(T, second), mat3_apply(so3_tangent_derivative(phi, rate), rate))};
}
