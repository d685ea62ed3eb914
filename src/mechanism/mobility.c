// How the velocities of the ports answer impulses on them.
//
// An impulse P on the ports, over a step, changes all velocities by dv with
//
//     S dv + G^T L = Q^T P,   G dv = 0
//
// S = M + c C + c^2 K, c = h b0, being the matrix of Newton's iteration, or M alone (the explicit mobility,
// for steps much shorter than this one). Q takes velocities of nodes to velocities of ports. D = d(dv)/dP is
// kept, all velocities by 6 columns for each port; Y = Q D is the mobility. Clamped and driven ports have
// rows of zeros.
//
// The factors of the step are used as they are when they were computed in this step, or when Newton's
// convergence has shown them to be right to 1e-3 and nothing has turned since. (Convergence alone does not
// tell: impulses lie in other directions than the corrections it was measured with, and joints that had
// turned by 0.04 rad since passed on a load that was wrong by as much, at every step.) Older ones, and those
// where nodes turn fast (newton.c puts a factor B^-1 on M there, which an impulse must not feel), make a
// first answer D whose error is then taken off,
//
//     D <- D + F^-1 (Q^T - S D)
//
// with S as it is now, until what is left of it is less than 1e-4 of D. Where that takes more than a few
// rounds, S is factored.
#include <math.h>

#include "mechanism/internal.h"

static const double good_rate = 1e-3;
static const double good_turn = 1e-4;  // of any node since the factors were computed [rad]
static const double good_error = 1e-4; // left of D, relative
enum { rounds = 1 };

static bool has_turned(const Mechanism *m) {
    for (int n = 0; n < m->node_count; n++) {
        Mat3 turn = mat3_mul(m->now.nodes[n].R, mat3_transpose(m->step_point.nodes[n].R));
        double trace = turn.m[0][0] + turn.m[1][1] + turn.m[2][2]; // 1 + 2 cos(angle)
        if (3 - trace > good_turn * good_turn) return true;
    }
    return false;
}

static bool turns_fast(const Mechanism *m) {
    Mat3 inverse;
    for (int n = 0; n < m->node_count; n++)
        if (turn_inverse(m->base[n].turn, m->now.nodes[n].w, m->head->c, &inverse)) return true;
    return false;
}

static void unit_impulse(const Mechanism *m, int port, int k, double *column) {
    int node = m->ports[port].node;
    if (node < 0) return;
    Vec3 unit = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    Load load = k < 3 ? (Load){unit, vec3_zero()} : (Load){vec3_zero(), unit};
    load = port_load_on_node(m, m->now, port, load);
    for (int i = 0; i < 3; i++) {
        column[6 * node + i] = vec3_component(load.force, i);
        column[6 * node + 3 + i] = vec3_component(load.moment, i);
    }
}

// Velocity of a port that belongs to the velocities of the nodes in `column`.
static void port_velocity(const Mechanism *m, int port, const double *column, double velocity[6]) {
    int node = m->ports[port].node;
    memset(velocity, 0, sizeof(double) * 6);
    if (node < 0) return;
    const double *d = column + 6 * node;
    Vec3 w = vec3(d[3], d[4], d[5]), arm = mat3_apply(m->now.nodes[node].R, m->ports[port].offset);
    Vec3 v = vec3_add(vec3(d[0], d[1], d[2]), vec3_cross(w, arm));
    velocity[0] = v.x, velocity[1] = v.y, velocity[2] = v.z;
    velocity[3] = w.x, velocity[4] = w.y, velocity[5] = w.z;
}

static void unit_impulses(const Mechanism *m, double *columns) {
    size_t size = (size_t)m->matrix.size;
    memset(columns, 0, sizeof(double) * 6 * (size_t)m->port_count * size);
    for (int j = 0; j < 6 * m->port_count; j++) unit_impulse(m, j / 6, j % 6, columns + (size_t)j * size);
}

static bool answer(Mechanism *m, const Factor *factor) {
    unit_impulses(m, m->mobility);
    return factor == &m->step_factor ? step_solve(m, m->mobility, 6 * m->port_count)
                                     : factor_solve(&m->matrix, factor, m->mobility, 6 * m->port_count);
}

// One round. Returns the size of the correction over that of the answer, of the worst column.
static double correct(Mechanism *m) {
    double *error = m->mobility_error, worst = 0;
    size_t size = (size_t)m->matrix.size, columns = 6 * (size_t)m->port_count;
    unit_impulses(m, error);
    factor_subtract_product(&m->matrix, &m->plain_factor, m->mobility, error, (int)columns);
    if (!step_solve(m, error, (int)columns)) return INFINITY;
    for (size_t j = 0; j < columns; j++) { // a port that cannot move has columns of rounding
        double least = 1e-9 / (m->mass_scale * (j % 6 < 3 ? 1 : m->length));
        double all = fmax(newton_size(m, m->mobility + j * size, NULL), least);
        double wrong = newton_size(m, error + j * size, NULL);
        if (!(wrong <= worst * all)) worst = wrong / all;
    }
    for (size_t i = 0; i < columns * size; i++) m->mobility[i] += error[i];
    return worst;
}

// Takes the error off an answer; false: it was too large for that.
static bool refine(Mechanism *m, double t) {
    plain_values(m, m->now, t, m->head->c);
    double last = 1;
    for (int k = 0; k < rounds; k++) {
        double now = correct(m), rate = now / last;
        if (!(rate < 0.3)) return false;
        if (now * rate <= good_error) return true;
        last = now;
    }
    return false;
}

static bool answer_explicit(Mechanism *m, double t) {
    bool there = m->head->mass_t == t && mass_matrix_in_use(m);
    return (there || mass_matrix(m, t)) && answer(m, &m->mass_factor);
}

static bool answer_step(Mechanism *m, double t) {
    const StateHead *head = m->head;
    bool fast = turns_fast(m), known = head->step_serial != 0 && head->step_c == head->c;
    bool good = head->step_t == t || (head->step_rate > 0 && head->step_rate <= good_rate && !has_turned(m));
    if (known && step_matrix_in_use(m)) {
        if (!answer(m, &m->step_factor)) return false;
        if ((good && !fast) || refine(m, t)) return true;
    }
    if (fast) return plain_matrix(m, t) && answer(m, &m->plain_factor);
    return step_matrix(m, t) && answer(m, &m->step_factor);
}

// Rounding leaves some 1e-16 of a free node's mobility in directions that joints forbid, negative as often as
// not: such rows and columns become zero.
static void clear_rounding(const Mechanism *m, double *Y, int columns) {
    for (int i = 0; i < columns; i++) {
        double scale = i % 6 < 3 ? m->mass_scale : m->mass_scale * m->length * m->length;
        if (fabs(Y[i * columns + i]) * scale > 1e-12) continue;
        for (int j = 0; j < columns; j++) Y[i * columns + j] = Y[j * columns + i] = 0;
    }
}

MrcStatus mechanism_mobility(Mechanism *m, MobilityKind kind, double *Y, MrcError *error) {
    int columns = 6 * m->port_count;
    double t = m->head->t + m->head->h;
    if (m->head->stage < STAGE_ITERATED)
        return error_set(error, MRC_USAGE, "mechanism: mobility before advance");
    if (!columns) return MRC_OK;
    if (!(kind == MOBILITY_EXPLICIT ? answer_explicit(m, t) : answer_step(m, t)))
        return error_set(error, MRC_NOT_CONVERGED,
                         "the mobility of the ports cannot be found at t = %.9g s: the "
                         "mechanism's matrix is singular",
                         t);
    for (int j = 0; j < columns; j++)
        for (int p = 0; p < m->port_count; p++) {
            double velocity[6];
            port_velocity(m, p, m->mobility + (size_t)j * (size_t)m->matrix.size, velocity);
            for (int i = 0; i < 6; i++) Y[(6 * p + i) * columns + j] = velocity[i];
        }
    clear_rounding(m, Y, columns);
    m->mobility_known = true;
    return MRC_OK;
}
