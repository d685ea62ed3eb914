// Kinematics of the tree, from the ground to its ends.
//
// A joint has a first marker A, at x_A + R_A o_A with the axes F = R_A F0, and a second one B (joint.h). Its
// translations d, along F, and its rotation are free (coordinates), kept at zero, or driven:
//
//     point    p = x_A + R_A o_A + F d,              the origin of marker B
//     axes     E = F D Q,                            D: driven angles, Q: free rotations
//
//     Q = 1,   exp(q e_k),   exp(q1 e_i) exp(q2 e_j),   exp(q) C       for 0, 1, 2, 3 free rotations
//
// Two are those of a cross, about e_i of the first marker and e_j of the second. Three are a rotation vector from a
// reference orientation C, the chart, which is renewed between steps before the vector reaches half a turn. So q are
// true coordinates, q' their rates, and one formula integrates all of them.
//
// With w_Q the angular velocity of Q per rates, in the axes F D, relative to A:
//
//     w_B = w_A + s,   s = F (w_D + D w_Q),          p' = v_A + w_A x (p - x_A) + F d'
//     w_B' = w_A' + w_A x s + F (w_D' + w_D x D w_Q + D w_Q')
//     p'' = a_A + w_A' x r + w_A x (w_A x r) + 2 w_A x F d' + F d'',   r = p - x_A
//
//     w_Q' = sum e q'' and: two: (e_i q1') x (exp(q1 e_i) e_j q2');   three: (dT(q)/dq q') q',   w_Q = T(q) q'
//
// The tree may reach a joint from B; the same equations are then solved for A. A coordinate moves the child, and all
// that hangs on it, by the twist S about p: translation +-F e, rotation +-(F D e), with - when the child is A.
//
// Source: recursive kinematics as in Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, ch. 4
// (doi:10.1007/978-1-4899-7560-7), with all twists in world axes at the nodes' origins, as the elements need them.
#include <math.h>

#include "mechanism/tree.h"

static Vec3 tree_unit(int k) { return vec3(k == 0, k == 1, k == 2); }

static const NodeState *tree_node(Instant at, int node) { return node < 0 ? &node_ground : &at.nodes[node]; }

// ---- poses ---------------------------------------------------------------------------------------
static void tree_read_drives(const Mechanism *m, const TreeJoint *joint, Instant at, double t, double gap[3],
                             TreeMotion *motion) {
    motion->turn = (JointTurn){.rotation = mat3_identity()};
    motion->drive_rate = motion->drive_second = vec3_zero();
    gap[0] = gap[1] = gap[2] = 0;
    if (!joint->element || !joint->joint->driven) return;
    ElementInput in = element_input(m, joint->element, at, t);
    if (joint->joint->turned)
        motion->turn = joint_drive_turn(joint->joint->turn, element_time(&in), in.state);
    for (int k = 0; k < 3; k++) {
        if (!joint->drive[k]) continue;
        Jet jet = joint_drive_jet(joint->drive[k], element_time(&in), in.state);
        gap[k] = jet.value;
        vec3_set_component(&motion->drive_rate, k, jet.rate);
        vec3_set_component(&motion->drive_second, k, jet.second);
    }
}

// Q, and the axes of its rates.
static Mat3 tree_turn(const Tree *tree, const TreeJoint *joint, const double *q, Vec3 axes[3]) {
    const double *angle = q + joint->first + joint->count - joint->turns;
    Vec3 first = tree_unit(joint->turn_axis[0]), second = tree_unit(joint->turn_axis[1]);
    if (joint->turns == 0) return mat3_identity();
    if (joint->turns == 3) {
        Vec3 vector = vec3(angle[0], angle[1], angle[2]);
        Mat3 tangent = so3_tangent(vector);
        for (int k = 0; k < 3; k++) axes[k] = mat3_column(tangent, k);
        return mat3_mul(so3_exp(vector), tree->charts[joint->chart]);
    }
    Mat3 turn = so3_exp(vec3_scale(angle[0], first));
    axes[0] = first;
    if (joint->turns == 1) return turn;
    axes[1] = mat3_apply(turn, second);
    return mat3_mul(turn, so3_exp(vec3_scale(angle[1], second)));
}

static void tree_set_axes(Tree *tree, const TreeJoint *joint, const TreeMotion *motion, Vec3 child) {
    double sign = joint->reversed ? -1 : 1;
    Mat3 turned = mat3_mul(motion->base, motion->turn.rotation);
    Vec3 arm = vec3_sub(child, motion->point);
    int k = joint->first;
    for (int axis = 0; axis < 3; axis++)
        if (joint->slide[axis] >= 0)
            tree->axes[k++] = (Twist){vec3_scale(sign, mat3_column(motion->base, axis)), vec3_zero()};
    for (int i = 0; i < joint->turns; i++) {
        Vec3 w = vec3_scale(sign, mat3_apply(turned, motion->turn_axes[i]));
        tree->axes[k++] = (Twist){vec3_cross(w, arm), w};
    }
}

void tree_place(Mechanism *m, Instant at, double t) {
    Tree *tree = m->tree;
    tree->jump_known = false;
    for (int i = 0; i < m->node_count; i++) {
        int n = tree->order[i];
        const TreeJoint *joint = &tree->joints[n];
        const Marker *markers = joint->joint->markers;
        TreeMotion *motion = &tree->motion[n];
        NodeState *child = &at.nodes[n];
        const NodeState *parent = tree_node(at, joint->parent);
        double gap[3];
        tree_read_drives(m, joint, at, t, gap, motion);
        for (int k = 0; k < 3; k++)
            if (joint->slide[k] >= 0) gap[k] = at.q[joint->slide[k]];
        Mat3 relative = mat3_mul(motion->turn.rotation, tree_turn(tree, joint, at.q, motion->turn_axes));
        Vec3 from = vec3_add(parent->x, mat3_apply(parent->R, markers[joint->reversed].offset));
        Mat3 axes = mat3_mul(parent->R, markers[joint->reversed].axes);
        if (!joint->reversed) {
            motion->base = axes;
            motion->point = vec3_add(from, mat3_apply(axes, vec3(gap[0], gap[1], gap[2])));
            child->R = mat3_mul(mat3_mul(axes, relative), mat3_transpose(markers[1].axes));
            child->x = vec3_sub(motion->point, mat3_apply(child->R, markers[1].offset));
        } else {
            motion->base = mat3_mul(axes, mat3_transpose(relative));
            motion->point = from;
            child->R = mat3_mul(motion->base, mat3_transpose(markers[0].axes));
            Vec3 first = vec3_sub(from, mat3_apply(motion->base, vec3(gap[0], gap[1], gap[2])));
            child->x = vec3_sub(first, mat3_apply(child->R, markers[0].offset));
        }
        tree_set_axes(tree, joint, motion, child->x);
    }
}

// ---- velocities ----------------------------------------------------------------------------------
static void tree_joint_rates(const TreeJoint *joint, const double *u, TreeMotion *motion) {
    Vec3 slide = motion->drive_rate, turning = vec3_zero();
    const double *rates = u + joint->first + joint->count - joint->turns;
    for (int k = 0; k < 3; k++)
        if (joint->slide[k] >= 0) vec3_set_component(&slide, k, u[joint->slide[k]]);
    for (int i = 0; i < joint->turns; i++) turning = vec3_madd(turning, rates[i], motion->turn_axes[i]);
    motion->slide = mat3_apply(motion->base, slide);
    motion->turning = turning;
    motion->spin =
        mat3_apply(motion->base, vec3_add(motion->turn.w, mat3_apply(motion->turn.rotation, turning)));
}

void tree_move(Mechanism *m, Instant at) {
    Tree *tree = m->tree;
    for (int i = 0; i < m->node_count; i++) {
        int n = tree->order[i];
        const TreeJoint *joint = &tree->joints[n];
        TreeMotion *motion = &tree->motion[n];
        NodeState *child = &at.nodes[n];
        const NodeState *parent = tree_node(at, joint->parent);
        tree_joint_rates(joint, at.u, motion);
        double sign = joint->reversed ? -1 : 1;
        child->w = vec3_madd(parent->w, sign, motion->spin);
        // Of the point, as fixed to the parent: the gap grows where the first node is.
        Vec3 rate = vec3_add(parent->v, vec3_cross(parent->w, vec3_sub(motion->point, parent->x)));
        rate = vec3_madd(rate, sign, motion->slide);
        child->v = vec3_add(rate, vec3_cross(child->w, vec3_sub(child->x, motion->point)));
    }
}

// ---- accelerations -------------------------------------------------------------------------------
// w_Q'
static Vec3 tree_turning_rate(const TreeJoint *joint, Instant at, const TreeMotion *motion) {
    int first = joint->first + joint->count - joint->turns;
    const double *q = at.q + first, *u = at.u + first, *du = at.du + first;
    Vec3 sum = vec3_zero();
    for (int i = 0; i < joint->turns; i++) sum = vec3_madd(sum, du[i], motion->turn_axes[i]);
    if (joint->turns == 2)
        sum = vec3_madd(sum, u[0] * u[1], vec3_cross(motion->turn_axes[0], motion->turn_axes[1]));
    if (joint->turns == 3) {
        Vec3 rate = vec3(u[0], u[1], u[2]);
        Mat3 change = so3_tangent_derivative(vec3(q[0], q[1], q[2]), rate);
        sum = vec3_add(sum, mat3_apply(change, rate));
    }
    return sum;
}

// w x (w x r) + alpha x r
static Vec3 tree_turning_point(Vec3 w, Vec3 alpha, Vec3 r) {
    return vec3_add(vec3_cross(w, vec3_cross(w, r)), vec3_cross(alpha, r));
}

void tree_accelerate(Mechanism *m, Instant at) {
    Tree *tree = m->tree;
    for (int i = 0; i < m->node_count; i++) {
        int n = tree->order[i];
        const TreeJoint *joint = &tree->joints[n];
        const TreeMotion *motion = &tree->motion[n];
        NodeState *child = &at.nodes[n];
        const NodeState *parent = tree_node(at, joint->parent);
        const NodeState *first = joint->reversed ? child : parent;
        double sign = joint->reversed ? -1 : 1;
        Vec3 slide = motion->drive_second;
        for (int k = 0; k < 3; k++)
            if (joint->slide[k] >= 0) vec3_set_component(&slide, k, at.du[joint->slide[k]]);
        const JointTurn *turn = &motion->turn;
        Vec3 turning = mat3_apply(turn->rotation, motion->turning);
        Vec3 rate = mat3_apply(turn->rotation, tree_turning_rate(joint, at, motion));
        rate = vec3_add(rate, vec3_add(turn->alpha, vec3_cross(turn->w, turning)));
        Vec3 spin = vec3_add(mat3_apply(motion->base, rate), vec3_cross(first->w, motion->spin));
        Vec3 gap = vec3_madd(mat3_apply(motion->base, slide), 2, vec3_cross(first->w, motion->slide));
        child->alpha = vec3_madd(parent->alpha, sign, spin);
        Vec3 a = vec3_add(parent->a,
                          tree_turning_point(parent->w, parent->alpha, vec3_sub(motion->point, parent->x)));
        a = vec3_madd(a, sign, gap);
        child->a = vec3_add(a, tree_turning_point(child->w, child->alpha, vec3_sub(child->x, motion->point)));
    }
}

// ---- rates of coordinates and velocities of nodes ------------------------------------------------
// Rotations of a joint first: one and two have unit axes that are square; then its translations.
static void tree_joint_rates_of(const Tree *tree, const TreeJoint *joint, Vec3 v, Vec3 w, double *rates) {
    int turn = joint->first + joint->count - joint->turns;
    const Twist *axes = tree->axes;
    if (joint->turns == 3) {
        Mat3 inverse =
            mat3_inverse(mat3_columns(axes[turn].angular, axes[turn + 1].angular, axes[turn + 2].angular));
        Vec3 rate = mat3_apply(inverse, w);
        rates[turn] = rate.x, rates[turn + 1] = rate.y, rates[turn + 2] = rate.z;
    } else
        for (int i = 0; i < joint->turns; i++) rates[turn + i] = vec3_dot(axes[turn + i].angular, w);
    for (int i = 0; i < joint->turns; i++) v = vec3_madd(v, -rates[turn + i], axes[turn + i].linear);
    for (int k = joint->first; k < turn; k++) rates[k] = vec3_dot(axes[k].linear, v);
}

void tree_rates_of_nodes(const Mechanism *m, Instant at, const double *velocities, double *rates) {
    const Tree *tree = m->tree;
    for (int n = 0; n < m->node_count; n++) {
        const TreeJoint *joint = &tree->joints[n];
        const double *d = velocities + 6 * n;
        Vec3 v = vec3(d[0], d[1], d[2]), w = vec3(d[3], d[4], d[5]);
        if (joint->parent >= 0) {
            const double *p = velocities + 6 * joint->parent;
            Vec3 turning = vec3(p[3], p[4], p[5]);
            Vec3 arm = vec3_sub(at.nodes[n].x, at.nodes[joint->parent].x);
            v = vec3_sub(v, vec3_add(vec3(p[0], p[1], p[2]), vec3_cross(turning, arm)));
            w = vec3_sub(w, turning);
        }
        tree_joint_rates_of(tree, joint, v, w, rates);
    }
}

// ---- coordinates of nodes ------------------------------------------------------------------------
static void tree_measure_turn(Tree *tree, const TreeJoint *joint, Mat3 Q, double *q) {
    double *angle = q + joint->first + joint->count - joint->turns;
    if (joint->turns == 1) {
        int k = joint->turn_axis[0], i = (k + 1) % 3, j = (k + 2) % 3;
        angle[0] = atan2(Q.m[j][i] - Q.m[i][j], Q.m[i][i] + Q.m[j][j]);
    } else if (joint->turns == 2) { // Q e_j = exp(q1 e_i) e_j,  Q^T e_i = exp(-q2 e_j) e_i
        int i = joint->turn_axis[0], j = joint->turn_axis[1], k = 3 - i - j;
        double hand = (i + 1) % 3 == j ? 1 : -1; // e_i x e_j = hand e_k
        angle[0] = atan2(hand * Q.m[k][j], Q.m[j][j]);
        angle[1] = atan2(hand * Q.m[i][k], Q.m[i][i]);
    } else if (joint->turns == 3) {
        tree->charts[joint->chart] = Q;
        angle[0] = angle[1] = angle[2] = 0;
    }
}

void tree_measure(Mechanism *m, double t) {
    Tree *tree = m->tree;
    for (int n = 0; n < m->node_count; n++) {
        const TreeJoint *joint = &tree->joints[n];
        const NodeState *child = &m->now.nodes[n], *parent = tree_node(m->now, joint->parent);
        const NodeState *const nodes[2] = {joint->reversed ? child : parent,
                                           joint->reversed ? parent : child};
        double gap[3];
        tree_read_drives(m, joint, m->now, t, gap, &tree->motion[n]);
        MarkerPair pair = marker_pair(nodes, joint->joint->markers, &tree->motion[n].turn.rotation, false);
        Vec3 D = mat3_apply_transpose(pair.base, pair.gap);
        for (int k = 0; k < 3; k++)
            if (joint->slide[k] >= 0) m->now.q[joint->slide[k]] = vec3_component(D, k);
        tree_measure_turn(tree, joint, mat3_mul(mat3_transpose(pair.axes[0]), pair.axes[1]), m->now.q);
    }
}

// ---- charts --------------------------------------------------------------------------------------
static const double tree_chart_limit = 1; // of a rotation vector [rad]

// The coordinates of one instant, from the reference orientation `from` to `to`.
static void tree_change_chart(double *q, double *u, double *du, Mat3 from, Mat3 to) {
    Vec3 vector = vec3(q[0], q[1], q[2]), rate = vec3(u[0], u[1], u[2]);
    Mat3 tangent = so3_tangent(vector);
    Vec3 w = mat3_apply(tangent, rate);
    Vec3 alpha = vec3_add(mat3_apply(tangent, vec3(du[0], du[1], du[2])),
                          mat3_apply(so3_tangent_derivative(vector, rate), rate));
    vector = so3_log(mat3_mul(mat3_mul(so3_exp(vector), from), mat3_transpose(to)));
    rate = so3_tangent_inverse_apply(vector, w);
    Vec3 second = so3_tangent_inverse_apply(
        vector, vec3_sub(alpha, mat3_apply(so3_tangent_derivative(vector, rate), rate)));
    q[0] = vector.x, q[1] = vector.y, q[2] = vector.z;
    u[0] = rate.x, u[1] = rate.y, u[2] = rate.z;
    du[0] = second.x, du[1] = second.y, du[2] = second.z;
}

void tree_renew_charts(Mechanism *m) {
    Tree *tree = m->tree;
    for (int n = 0; n < m->node_count && tree->chart_count; n++) {
        const TreeJoint *joint = &tree->joints[n];
        if (joint->turns != 3) continue;
        int k = joint->first + joint->count - 3;
        const double *q = m->now.q + k;
        if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] < tree_chart_limit * tree_chart_limit) continue;
        Mat3 from = tree->charts[joint->chart];
        Mat3 to = step_orthogonal(mat3_mul(so3_exp(vec3(q[0], q[1], q[2])), from));
        const Instant instants[] = {m->now, m->one, m->two};
        for (int i = 0; i < 3; i++)
            tree_change_chart(instants[i].q + k, instants[i].u + k, instants[i].du + k, from, to);
        tree->charts[joint->chart] = to;
    }
}
