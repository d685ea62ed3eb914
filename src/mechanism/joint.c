// Joints: each row keeps one measure m between two markers (measure.h) where its drive d(t) says.
//
//     phi = m - d(t) = 0,      G = g^T,      r = lambda g,      dr/dq = lambda H
//
// Driven angles turn the axes F of the first marker by R_d(t) before turns are measured. For these rows the
// first frame has the angular velocity w_A + F_0 w_d and the angular acceleration
// alpha_A + w_A x F_0 w_d + F_0 alpha_d (F_0: its axes without the drive); with them in place of w_A and
// alpha_A in v and a,
//
//     d phi/dt = g . v - d',      d2 phi/dt2 = g . a + v . H v - d''.
//
// What the drives put in: lambda (d phi/dt with all nodes held), because the joint exerts -G^T lambda and
// G v = -(that) in a motion that keeps the joint.
#include "mechanism/joint.h"

static MarkerPair pair_of(const Joint *joint, const ElementInput *in, JointTurn *turn) {
    const NodeState *const nodes[2] = {in->node[0], in->node[1]};
    if (!joint->turned) return marker_pair(nodes, joint->markers, NULL, joint->rotates);
    *turn = joint_drive_turn(joint->turn, in->t, in->state);
    return marker_pair(nodes, joint->markers, &turn->rotation, joint->rotates);
}

static void residual(const Element *element, const ElementInput *in, double *r) {
    const Joint *joint = element->data;
    JointTurn turn;
    MarkerPair pair = pair_of(joint, in, &turn);
    for (int j = 0; j < 12; j++) r[j] = 0;
    for (int i = 0; i < joint->row_count; i++) {
        const JointRow *row = &joint->rows[i];
        double gradient[12], value = measure_value(&row->measure, &pair, gradient);
        for (int j = 0; j < 12; j++) r[j] += in->lambda[i] * gradient[j];
        r[12 + i] = value - joint_drive_jet(&row->drive, in->t, in->state).value;
    }
}

static void jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                     double *J) {
    (void)cm, (void)cc;
    const Joint *joint = element->data;
    int size = 12 + joint->row_count;
    JointTurn turn;
    MarkerPair pair = pair_of(joint, in, &turn);
    double H[12][12] = {{0}};
    for (int i = 0; i < joint->row_count; i++) {
        const Measure *measure = &joint->rows[i].measure;
        double gradient[12];
        measure_value(measure, &pair, gradient);
        for (int j = 0; j < 12; j++) J[(12 + i) * size + j] = J[j * size + 12 + i] = gradient[j];
        if (ck != 0 && in->lambda[i] != 0) measure_add_curvature(measure, &pair, ck * in->lambda[i], H);
    }
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) J[i * size + j] = H[i][j];
}

static bool is_turn(const Measure *measure) {
    return measure->kind == MEASURE_CROSSING || measure->kind == MEASURE_ROTATION;
}

static void put(double *row, Vec3 v) { row[0] = v.x, row[1] = v.y, row[2] = v.z; }

static void rates(const Element *element, const ElementInput *in, double *rate, double *second) {
    const Joint *joint = element->data;
    JointTurn turn;
    MarkerPair pair = pair_of(joint, in, &turn);
    double v[2][12], a[2][12]; // of the nodes, and with the first turned by the drive as well
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < 2; n++) {
            put(&v[i][6 * n], in->node[n]->v), put(&v[i][6 * n + 3], in->node[n]->w);
            put(&a[i][6 * n], in->node[n]->a), put(&a[i][6 * n + 3], in->node[n]->alpha);
        }
    if (joint->turned) {
        Vec3 w = in->node[0]->w, driven = mat3_apply(pair.base, turn.w);
        Vec3 bent = vec3_add(vec3_cross(w, driven), mat3_apply(pair.base, turn.alpha));
        put(&v[1][3], vec3_add(w, driven));
        put(&a[1][3], vec3_add(in->node[0]->alpha, bent));
    }
    for (int i = 0; i < joint->row_count; i++) {
        const JointRow *row = &joint->rows[i];
        int frame = is_turn(&row->measure);
        double gradient[12];
        measure_value(&row->measure, &pair, gradient);
        Jet drive = joint_drive_jet(&row->drive, in->t, in->state);
        rate[i] = -drive.rate;
        second[i] = measure_bend(&row->measure, &pair, v[frame]) - drive.second;
        for (int j = 0; j < 12; j++) {
            rate[i] += gradient[j] * v[frame][j];
            second[i] += gradient[j] * a[frame][j];
        }
    }
}

static void energy(const Element *element, const ElementInput *in, ElementEnergy *sum) {
    const Joint *joint = element->data;
    if (!joint->driven) return;
    JointTurn turn = {.rotation = mat3_identity()};
    MarkerPair pair = pair_of(joint, in, &turn);
    Vec3 driven = mat3_apply(pair.base, turn.w);
    for (int i = 0; i < joint->row_count; i++) {
        const JointRow *row = &joint->rows[i];
        double gradient[12], held = -joint_drive_jet(&row->drive, in->t, in->state).rate;
        measure_value(&row->measure, &pair, gradient);
        if (is_turn(&row->measure)) held += vec3_dot(vec3(gradient[3], gradient[4], gradient[5]), driven);
        sum->work += in->lambda[i] * held;
    }
}

static void begin_step(const Element *element, const ElementInput *in, double h, double *state) {
    const Joint *joint = element->data;
    for (int i = 0; i < joint->row_count; i++) joint_drive_advance(&joint->rows[i].drive, in->t, h, state);
    for (int k = 0; k < 3; k++) joint_drive_advance(&joint->turn[k], in->t, h, state);
}

static Vec3 marker(const Element *element, const ElementInput *in) {
    const Joint *joint = element->data;
    return vec3_add(in->node[1]->x, mat3_apply(in->node[1]->R, joint->markers[1].offset));
}

const ElementKind joint_kind = {
    .name = "joint",
    .residual = residual,
    .jacobian = jacobian,
    .rates = rates,
    .energy = energy,
    .begin_step = begin_step,
    .marker = marker,
};
