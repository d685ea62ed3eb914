// Joints: each row keeps one relative coordinate m of two markers (relative.h) at the value d(t) of its
// drive.
//
//     phi = m - d(t) = 0,      G = g^T,      r = lambda g,      dr/dq = lambda H
//
// Driven angles turn the axes F of the first marker by R_d(t). Coordinates that count from these axes
// (RelativeKind.from_driven) have a first frame with the angular velocity w_A + F_0 w_d and the angular
// acceleration alpha_A + w_A x F_0 w_d + F_0 alpha_d, F_0 being the axes without the drive. With these in
// place of w_A and alpha_A in v and a,
//
//     d phi/dt = g . v - d',      d2 phi/dt2 = g . a + v . H v - d''.
//
// Power of the drives: lambda d phi/dt with all nodes held. The joint exerts -G^T lambda, and G v is minus
// that rate in a motion that satisfies the constraints.
#include "mechanism/joint.h"

static MarkerPair joint_markers(const Joint *joint, const ElementInput *in, JointTurn *turn) {
    const NodeState *const nodes[2] = {in->node[0], in->node[1]};
    if (joint->turned) *turn = joint_drive_turn(joint->turn, element_time(in), in->state);
    MarkerPair pair =
        marker_pair(nodes, joint->markers, joint->turned ? &turn->rotation : NULL, joint->rotates);
    if (joint->turn_memory >= 0) pair.last_turn = in->state[joint->turn_memory];
    return pair;
}

static void joint_residual(const Element *element, const ElementInput *in, double *r) {
    const Joint *joint = element->data;
    JointTurn turn;
    MarkerPair pair = joint_markers(joint, in, &turn);
    for (int j = 0; j < 12; j++) r[j] = 0;
    for (int i = 0; i < joint->row_count; i++) {
        const JointRow *row = &joint->rows[i];
        double gradient[12], value = relative_value(&row->coordinate, &pair, gradient);
        for (int j = 0; j < 12; j++) r[j] += in->lambda[i] * gradient[j];
        r[12 + i] = value - joint_drive_jet(&row->drive, element_time(in), in->state).value;
    }
}

static void joint_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                           double *J) {
    (void)cm, (void)cc;
    const Joint *joint = element->data;
    int size = 12 + joint->row_count;
    JointTurn turn;
    MarkerPair pair = joint_markers(joint, in, &turn);
    double H[12][12] = {{0}};
    for (int i = 0; i < joint->row_count; i++) {
        const RelativeCoordinate *coordinate = &joint->rows[i].coordinate;
        double gradient[12];
        relative_value(coordinate, &pair, gradient);
        for (int j = 0; j < 12; j++) J[(12 + i) * size + j] = J[j * size + 12 + i] = gradient[j];
        if (ck != 0 && in->lambda[i] != 0) relative_add_curvature(coordinate, &pair, ck * in->lambda[i], H);
    }
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) J[i * size + j] = H[i][j];
}

static void joint_put(double *row, Vec3 v) { row[0] = v.x, row[1] = v.y, row[2] = v.z; }

static void joint_rates(const Element *element, const ElementInput *in, double *rate, double *second) {
    const Joint *joint = element->data;
    JointTurn turn;
    MarkerPair pair = joint_markers(joint, in, &turn);
    double v[2][12], a[2][12]; // of the nodes; with the rates of driven angles added to the first
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < 2; n++) {
            joint_put(&v[i][6 * n], in->node[n]->v), joint_put(&v[i][6 * n + 3], in->node[n]->w);
            joint_put(&a[i][6 * n], in->node[n]->a), joint_put(&a[i][6 * n + 3], in->node[n]->alpha);
        }
    if (joint->turned) {
        Vec3 w = in->node[0]->w, driven = mat3_apply(pair.base, turn.w);
        Vec3 extra = vec3_add(vec3_cross(w, driven), mat3_apply(pair.base, turn.alpha));
        joint_put(&v[1][3], vec3_add(w, driven));
        joint_put(&a[1][3], vec3_add(in->node[0]->alpha, extra));
    }
    for (int i = 0; i < joint->row_count; i++) {
        const JointRow *row = &joint->rows[i];
        int frame = row->coordinate.kind->from_driven;
        double gradient[12];
        relative_value(&row->coordinate, &pair, gradient);
        Jet drive = joint_drive_jet(&row->drive, element_time(in), in->state);
        rate[i] = -drive.rate;
        for (int j = 0; j < 12; j++) rate[i] += gradient[j] * v[frame][j];
        if (!second) continue;
        second[i] = relative_velocity_term(&row->coordinate, &pair, v[frame]) - drive.second;
        for (int j = 0; j < 12; j++) second[i] += gradient[j] * a[frame][j];
    }
}

static void joint_energy(const Element *element, const ElementInput *in, ElementEnergy *sum) {
    const Joint *joint = element->data;
    if (!joint->driven) return;
    JointTurn turn = {.rotation = mat3_identity()};
    MarkerPair pair = joint_markers(joint, in, &turn);
    Vec3 driven = mat3_apply(pair.base, turn.w);
    for (int i = 0; i < joint->row_count; i++) {
        const JointRow *row = &joint->rows[i];
        double gradient[12], held = -joint_drive_jet(&row->drive, element_time(in), in->state).rate;
        relative_value(&row->coordinate, &pair, gradient);
        if (row->coordinate.kind->from_driven)
            held += vec3_dot(vec3(gradient[3], gradient[4], gradient[5]), driven);
        sum->work += in->lambda[i] * held;
    }
}

static void joint_begin_step(const Element *element, const ElementInput *in, double h, double *state) {
    const Joint *joint = element->data;
    if (joint->turn_memory >= 0) {
        static const RelativeCoordinate turn = {.kind = &relative_turn};
        const NodeState *const nodes[2] = {in->node[0], in->node[1]};
        MarkerPair pair = marker_pair(nodes, joint->markers, NULL, false);
        pair.last_turn = state[joint->turn_memory];
        state[joint->turn_memory] = relative_value(&turn, &pair, NULL);
    }
    for (int i = 0; i < joint->row_count; i++)
        joint_drive_advance(&joint->rows[i].drive, element_time(in), h, state);
    for (int k = 0; k < 3; k++) joint_drive_advance(&joint->turn[k], element_time(in), h, state);
}

static double joint_coordinate(const RelativeCoordinate *coordinate, const MarkerPair *pair, double *rate) {
    double gradient[12], value = relative_value(coordinate, pair, gradient);
    *rate = 0;
    for (int j = 0; j < 12; j++) *rate += gradient[j] * pair->velocity[j];
    return value;
}

// Components that are kept at zero take no power, so that of the whole reaction is that of the drives.
static double joint_power(const ElementInput *in, Vec3 at, Load reaction) {
    const NodeState *a = in->node[0], *b = in->node[1];
    Vec3 slip = vec3_sub(vec3_add(b->v, vec3_cross(b->w, vec3_sub(at, b->x))),
                         vec3_add(a->v, vec3_cross(a->w, vec3_sub(at, a->x))));
    return vec3_dot(reaction.force, slip) + vec3_dot(reaction.moment, vec3_sub(b->w, a->w));
}

static Vec3 joint_marker(const Element *element, const ElementInput *in) {
    const Joint *joint = element->data;
    return vec3_add(in->node[1]->x, mat3_apply(in->node[1]->R, joint->markers[1].offset));
}

JointValues joint_values(const Element *element, const ElementInput *in, Load reaction) {
    static const RelativeCoordinate turn = {.kind = &relative_turn},
                                    slide = {.kind = &relative_translation, .axis = 2};
    const Joint *joint = element->data;
    const NodeState *const nodes[2] = {in->node[0], in->node[1]};
    MarkerPair pair = marker_pair(nodes, joint->markers, NULL, false);
    if (joint->turn_memory >= 0) pair.last_turn = in->state[joint->turn_memory];
    JointValues values;
    values.angle = joint_coordinate(&turn, &pair, &values.rate);
    values.position = joint_coordinate(&slide, &pair, &values.speed);
    values.power = joint_power(in, joint_marker(element, in), reaction);
    return values;
}

const ElementKind joint_kind = {
    .name = "joint",
    .residual = joint_residual,
    .jacobian = joint_jacobian,
    .rates = joint_rates,
    .energy = joint_energy,
    .begin_step = joint_begin_step,
    .marker = joint_marker,
};
