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
// The factors F of the step stand for S as they do in Newton's iteration, turned with the nodes of beams
// (newton.c): X = T F^-1 T^T. Unit impulses on a port are loads on its node, so that
//
//     D0 = X Q^T = T E B,   E = F^-1 N,   B = T^T N^T Q^T  (6 x 6 for each port)
//
// with N the unit loads on the nodes of the ports: E is solved for once for each factorization, and D0 takes
// no more than turning. That is D when the factors were computed in this step, or when Newton's convergence
// has shown them to be right to 1e-3 and nothing has turned since. (Convergence alone does not tell: impulses
// lie in other directions than the corrections it was measured with, and joints that had turned by 0.04 rad
// since passed on a load that was wrong by as much, at every step.) Older ones, and those where nodes turn
// fast (newton.c puts a factor B^-1 on M there, which an impulse must not feel), leave an error that is taken
// off once,
//
//     R = Q^T - S D0,   D = D0 + X R,   Y = Q D0 + (X^T Q^T)^T R,   dv = D0 P + X (R P)
//
// with S as it is now. X^T Q^T is D0 of the transposed equations, so that Y takes no solution either, and dv
// one; the velocity of the ports in dv is Y P to rounding. What is left of the error is about |X R|^2 of 1.
// It is measured on the sum of all columns of R, each over the largest answer of its kind (to forces, or to
// moments): along a stiff axis there is hardly an answer, and its errors do not matter. Where it is more than
// 1e-4, S is factored.
#include <math.h>

#include "mechanism/internal.h"

static const double good_rate = 1e-3;
static const double good_turn = 1e-4;  // of any node since the factors were computed [rad]
static const double good_error = 1e-4; // left of D, relative

// Where row i of a port begins.
static size_t at(const Mechanism *m, int i, int port) {
    return ((size_t)i * (size_t)m->port_count + (size_t)port) * PORT_COLUMNS;
}

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

// Where ports are: semi-implicit Euler knows the beginning of the step only.
static Instant place_of_ports(const Mechanism *m) { return m->head->euler ? m->one : m->now; }

// ---- ports and nodes -----------------------------------------------------------------------------
static Load unit_load(int k) {
    Vec3 unit = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    return k < 3 ? (Load){unit, vec3_zero()} : (Load){vec3_zero(), unit};
}

// Q^T
static void unit_impulses(const Mechanism *m, double *rows) {
    memset(rows, 0, sizeof(double) * at(m, m->matrix.size, 0));
    for (int p = 0; p < m->port_count; p++) {
        int node = m->ports[p].node;
        if (node < 0) continue;
        for (int j = 0; j < 6; j++) {
            Load load = port_load_on_node(m, place_of_ports(m), p, unit_load(j));
            for (int i = 0; i < 3; i++) {
                rows[at(m, 6 * node + i, p) + (size_t)j] = vec3_component(load.force, i);
                rows[at(m, 6 * node + 3 + i, p) + (size_t)j] = vec3_component(load.moment, i);
            }
        }
    }
}

Twist mobility_port(const Mechanism *m, int port, const double *x) {
    int node = m->ports[port].node;
    if (node < 0) return (Twist){vec3_zero(), vec3_zero()};
    const double *d = x + 6 * node;
    Vec3 w = vec3(d[3], d[4], d[5]), arm = mat3_apply(place_of_ports(m).nodes[node].R, m->ports[port].offset);
    return (Twist){vec3_add(vec3(d[0], d[1], d[2]), vec3_cross(w, arm)), w};
}

// Solves for the columns of `rows`, in place.
static bool solve_rows(Mechanism *m, Matrix *matrix, const Factor *factor, bool transposed, double *rows) {
    int size = m->matrix.size, columns = 6 * m->port_count;
    double *work = m->mobility.work;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < size; i++) work[j * size + i] = rows[at(m, i, j / 6) + (size_t)(j % 6)];
    if (!(transposed ? factor_solve_transposed : factor_solve)(matrix, factor, work, columns)) return false;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < size; i++) rows[at(m, i, j / 6) + (size_t)(j % 6)] = work[j * size + i];
    return true;
}

// ---- by factors of now ---------------------------------------------------------------------------
static bool answer_exactly(Mechanism *m, Matrix *matrix, const Factor *factor) {
    unit_impulses(m, m->mobility.answer);
    m->mobility.corrected = false;
    return solve_rows(m, matrix, factor, false, m->mobility.answer);
}

// ---- by those of the step ------------------------------------------------------------------------
// E, and that of the transposed equations.
static bool unit_answers(Mechanism *m) {
    Mobility *y = &m->mobility;
    if (y->serial == m->step_factor.serial) return true;
    for (int side = 0; side < 2; side++) {
        double *E = side ? y->unit_left : y->unit_answer;
        memset(E, 0, sizeof(double) * at(m, m->matrix.size, 0));
        for (int p = 0; p < m->port_count; p++)
            for (int j = 0; j < 6 && m->ports[p].node >= 0; j++)
                E[at(m, 6 * m->ports[p].node + j, p) + (size_t)j] = 1;
        if (!solve_rows(m, &m->matrix, &m->step_factor, side, E)) return false;
    }
    y->serial = m->step_factor.serial;
    return true;
}

// B of a port.
static void unit_weights(const Mechanism *m, int port, const Mat3 *turns, double B[6][PORT_COLUMNS]) {
    int node = m->ports[port].node;
    memset(B, 0, sizeof(double) * 6 * PORT_COLUMNS);
    if (node < 0) return;
    for (int j = 0; j < 6; j++) {
        Load load = port_load_on_node(m, m->now, port, unit_load(j));
        Vec3 force = load.force, moment = load.moment;
        if (m->of_beam[node]) {
            force = mat3_apply_transpose(turns[node], force);
            moment = mat3_apply_transpose(turns[node], moment);
        }
        for (int i = 0; i < 3; i++) {
            B[i][j] = vec3_component(force, i);
            B[i + 3][j] = vec3_component(moment, i);
        }
    }
}

// A x of three rows side by side.
static void turn_three(const Mat3 *A, double *rows, size_t stride) {
    double *x = rows, *y = x + stride, *z = y + stride, turned[3][PORT_COLUMNS];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < PORT_COLUMNS; j++)
            turned[i][j] = A->m[i][0] * x[j] + A->m[i][1] * y[j] + A->m[i][2] * z[j];
    memcpy(x, turned[0], sizeof turned[0]);
    memcpy(y, turned[1], sizeof turned[1]);
    memcpy(z, turned[2], sizeof turned[2]);
}

// T E B
static void turn_answers(Mechanism *m, const double *E, double *D) {
    const Mat3 *turns = step_turns(m);
    for (int p = 0; p < m->port_count; p++) {
        double B[6][PORT_COLUMNS];
        unit_weights(m, p, turns, B);
        for (int i = 0; i < m->matrix.size; i++) {
            const double *from = E + at(m, i, p);
            double sum[PORT_COLUMNS] = {0};
            for (int k = 0; k < 6; k++)
                for (int j = 0; j < PORT_COLUMNS; j++) sum[j] += from[k] * B[k][j];
            memcpy(D + at(m, i, p), sum, sizeof sum);
        }
        for (int n = 0; n < m->node_count; n++) {
            if (!m->of_beam[n]) continue;
            turn_three(&turns[n], D + at(m, 6 * n, p), at(m, 1, 0));
            turn_three(&turns[n], D + at(m, 6 * n + 3, p), at(m, 1, 0));
        }
    }
}

// Largest answers of any node to the six impulses on a port.
static void largest_answers(const Mechanism *m, int port, double largest[PORT_COLUMNS]) {
    double L2 = m->length * m->length;
    for (int j = 0; j < PORT_COLUMNS; j++) largest[j] = 0;
    for (int n = 0; n < m->node_count; n++) {
        double linear[PORT_COLUMNS] = {0}, angular[PORT_COLUMNS] = {0};
        for (int k = 0; k < 3; k++) {
            const double *d = m->mobility.answer + at(m, 6 * n + k, port), *r = d + at(m, 3, 0);
            for (int j = 0; j < PORT_COLUMNS; j++) linear[j] += d[j] * d[j], angular[j] += L2 * r[j] * r[j];
        }
        for (int j = 0; j < PORT_COLUMNS; j++) {
            double size = linear[j] > angular[j] ? linear[j] : angular[j];
            largest[j] = size > largest[j] ? size : largest[j];
        }
    }
    for (int j = 0; j < PORT_COLUMNS; j++) largest[j] = sqrt(largest[j]);
}

// The sum of all columns of R, each over the largest answer of its kind.
static void sum_errors(const Mechanism *m, double *sum) {
    memset(sum, 0, sizeof(double) * (size_t)m->matrix.size);
    for (int p = 0; p < m->port_count; p++) {
        double largest[PORT_COLUMNS];
        largest_answers(m, p, largest);
        double to_forces = fmax(largest[0], fmax(largest[1], largest[2])),
               to_moments = fmax(largest[3], fmax(largest[4], largest[5]));
        to_forces = 1 / fmax(to_forces, 1e-9 / m->mass_scale); // the least: for a port that cannot move
        to_moments = 1 / fmax(to_moments, 1e-9 / (m->mass_scale * m->length));
        for (int i = 0; i < m->matrix.size; i++) {
            const double *r = m->mobility.error + at(m, i, p);
            sum[i] += to_forces * (r[0] + r[1] + r[2]) + to_moments * (r[3] + r[4] + r[5]);
        }
    }
}

// R, and whether it is small enough.
static bool find_error(Mechanism *m, double t) {
    Mobility *y = &m->mobility;
    double c = m->head->c;
    unit_impulses(m, y->error);
    mech_subtract_product(m, m->now, t, 1, c, c * c, true, y->answer, y->error);
    for (int i = 0; i < m->matrix.freedoms && m->massless_count; i++)
        for (size_t k = at(m, i, 0); k < at(m, i + 1, 0); k++)
            y->error[k] -= massless_share * m->massless[i] * y->answer[k];
    sum_errors(m, m->unknown);
    if (!step_solve(m, m->unknown)) return false;
    double wrong = newton_size(m, m->unknown, NULL);
    if (!(wrong * wrong <= good_error)) return false;
    turn_answers(m, y->unit_left, y->left);
    return y->corrected = true;
}

static bool answer_step(Mechanism *m, double t) {
    const StateHead *head = m->head;
    bool fast = turns_fast(m);
    for (int renewed = 0; renewed < 2; renewed++) {
        bool there = renewed ? step_matrix(m, t)
                             : head->step_serial != 0 && head->step_c == head->c && step_matrix_in_use(m);
        if (!there) continue;
        if (!unit_answers(m)) return false;
        turn_answers(m, m->mobility.unit_answer, m->mobility.answer);
        m->mobility.corrected = false;
        bool good =
            head->step_t == t || (head->step_rate > 0 && head->step_rate <= good_rate && !has_turned(m));
        if ((good && !fast) || find_error(m, t)) return true;
    }
    return plain_matrix(m, t) && answer_exactly(m, &m->matrix, &m->plain_factor);
}

static bool answer_explicit(Mechanism *m, double t) {
    bool there = m->head->euler || (m->head->mass_t == t && mass_matrix_in_use(m));
    return (there || mass_matrix(m, t)) && answer_exactly(m, &m->mass_matrix, &m->mass_factor);
}

// ---- the verbs -----------------------------------------------------------------------------------
// Rounding leaves some 1e-16 of a free node's mobility in directions that joints forbid, negative as often as
// not: such rows and columns become zero.
static void clear_rounding(const Mechanism *m, double *Y, int columns) {
    for (int i = 0; i < columns; i++) {
        double scale = i % 6 < 3 ? m->mass_scale : m->mass_scale * m->length * m->length;
        if (fabs(Y[i * columns + i]) * scale > 1e-12) continue;
        for (int j = 0; j < columns; j++) Y[i * columns + j] = Y[j * columns + i] = 0;
    }
}

// L^T R of two ports.
static void add_correction(const Mechanism *m, int p, int q, double *Y, int columns) {
    double sum[6][PORT_COLUMNS] = {{0}};
    for (int i = 0; i < m->matrix.size; i++) {
        const double *left = m->mobility.left + at(m, i, p), *right = m->mobility.error + at(m, i, q);
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < PORT_COLUMNS; b++) sum[a][b] += left[a] * right[b];
    }
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) Y[(6 * p + a) * columns + 6 * q + b] += sum[a][b];
}

static void find_mobility(const Mechanism *m, double *Y) {
    int columns = 6 * m->port_count;
    memset(Y, 0, sizeof(double) * (size_t)(columns * columns));
    for (int p = 0; p < m->port_count; p++) {
        int node = m->ports[p].node;
        if (node < 0) continue;
        Vec3 arm = mat3_apply(place_of_ports(m).nodes[node].R, m->ports[p].offset);
        for (int j = 0; j < columns; j++) {
            double velocity[6];
            for (int k = 0; k < 6; k++)
                velocity[k] = m->mobility.answer[at(m, 6 * node + k, j / 6) + (size_t)(j % 6)];
            Vec3 turning = vec3_cross(vec3(velocity[3], velocity[4], velocity[5]), arm);
            for (int k = 0; k < 3; k++) velocity[k] += vec3_component(turning, k);
            for (int k = 0; k < 6; k++) Y[(6 * p + k) * columns + j] += velocity[k];
        }
        for (int q = 0; q < m->port_count && m->mobility.corrected; q++) add_correction(m, p, q, Y, columns);
    }
    clear_rounding(m, Y, columns);
}

MrcStatus mechanism_mobility(Mechanism *m, MobilityKind kind, double *Y, MrcError *error) {
    double t = m->head->t + m->head->h;
    if (m->head->stage < STAGE_ITERATED)
        return error_set(error, MRC_USAGE, "mechanism: mobility before advance");
    if (!m->port_count) return MRC_OK;
    // Whoever takes smaller steps looks at velocities, too.
    MrcStatus status = kind == MOBILITY_EXPLICIT ? mechanism_finish(m, error) : MRC_OK;
    if (status != MRC_OK) return status;
    if (!(kind == MOBILITY_EXPLICIT ? answer_explicit(m, t) : answer_step(m, t)))
        return error_set(error, MRC_NOT_CONVERGED,
                         "the mobility of the ports cannot be found at t = %.9g s: the "
                         "mechanism's matrix is singular",
                         t);
    find_mobility(m, Y);
    m->mobility.known = true;
    return MRC_OK;
}

// rows times impulses
static void combine(const Mechanism *m, const double *rows, const Load *impulses, double *x) {
    memset(x, 0, sizeof(double) * (size_t)m->matrix.size);
    for (int p = 0; p < m->port_count; p++) {
        Vec3 force = impulses[p].force, moment = impulses[p].moment;
        for (int i = 0; i < m->matrix.size; i++) {
            const double *r = rows + at(m, i, p);
            x[i] += r[0] * force.x + r[1] * force.y + r[2] * force.z + r[3] * moment.x + r[4] * moment.y +
                    r[5] * moment.z;
        }
    }
}

bool mobility_answer(Mechanism *m, const Load *impulses, double *x) {
    combine(m, m->mobility.answer, impulses, x);
    if (!m->mobility.corrected) return true;
    combine(m, m->mobility.error, impulses, m->unknown);
    if (!step_solve(m, m->unknown)) return false;
    for (int i = 0; i < m->matrix.size; i++) x[i] += m->unknown[i];
    return true;
}
