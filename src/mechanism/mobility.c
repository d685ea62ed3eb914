// Mobility: the velocities of the ports per impulse on the ports.
//
// An impulse P on the ports during a step changes all velocities by dv with
//
//     S dv + G^T L = Q^T P,   G dv = 0
//
// S is the matrix of the jump (jump.c); for semi-implicit Euler, S = M. Q maps velocities of nodes to
// velocities of ports, at the lever arm with which impulses act (port_arm). D = d(dv)/dP has 6 columns for
// each port; Y = Q D is the mobility. Clamped and driven ports have rows of zeros.
//
// The factors F of S are those of the point where the matrix of Newton's iteration was factored, turned with
// the nodes of beams (newton.c): X = T F^-1 T^T. Unit impulses on a port are loads on its node, so that
//
//     D0 = X Q^T = T E B,   E = F^-1 N,   B = T^T N^T Q^T  (6 x 6 for each port)
//
// with N the unit loads on the nodes of the ports. E is solved for once per factorization; D0 then needs
// only rotations. D0 is taken for D when the factors were computed in this step, or when Newton's
// convergence has shown them to be accurate to 1e-6 and nothing has turned since. (Convergence alone is not
// sufficient: impulses act in other directions than the corrections that it was measured with. Joints that
// had turned by 0.04 rad transmitted a load with an error of 4 % at every step. Neither is 1e-3: a bed on a cubic spring
// rested with an error of 1.7e-5 for ever. Machines that shake are hardly ever as good as that, so that the smaller limit
// makes no more than 0.5 % more corrections there.) Older factors leave an error, which is removed by one correction,
//
//     R = Q^T - S D0,   D = D0 + X R,   Y = Q D0 + (X^T Q^T)^T R,   dv = D0 P + X (R P)
//
// with the present S. X^T Q^T is D0 of the transposed equations, so that Y needs no solution and dv one; the
// velocity of the ports in dv is Y P up to rounding. The relative error left is about |X R|^2. It is
// estimated from the sum of all columns of R, each divided by the largest answer of its kind (to forces or
// to moments): along a stiff axis the answer is small, and its errors do not matter. Above 1e-4, S itself
// is factored.
//
// Under a load that lasts the same error returns at every step: where a damper has faded, the load that it carried in part was
// off by 3e-6 for ever. There, errors above 1e-10 make new factors of the step, which at rest are exact from then on, and while
// a machine moves on are not made again within 100 steps.
#include <math.h>

#include "math/wide3.h"
#include "mechanism/tree.h"

enum { MOBILITY_WIDES = (6 + WIDE_LANES - 1) / WIDE_LANES }; // vectors that hold six columns

static const double mobility_good_rate = 1e-6;
static const double mobility_good_turn = 1e-6;   // rotation of any node since the factors were computed [rad]
static const double mobility_good_error = 1e-4;  // of D, relative
static const double mobility_rest_error = 1e-10; // likewise, under a load that lasts
static const double mobility_rest_change = 1e-3; // of the jump since the step before: such a load lasts
static const double mobility_rest_steps = 100;   // least age of factors that are not exact enough for it
static const double mobility_small_turn = 0.02;  // likewise, for small steps of the grains [rad]

static int mobility_columns(const Mechanism *m) { return 6 * m->port_count; }

static bool mobility_has_turned(const Mechanism *m, double angle) {
    for (int n = 0; n < m->node_count; n++) {
        Mat3 turn = mat3_mul(m->now.nodes[n].R, mat3_transpose(m->step_point.nodes[n].R));
        double trace = turn.m[0][0] + turn.m[1][1] + turn.m[2][2]; // 1 + 2 cos(angle)
        if (3 - trace > angle * angle) return true;
    }
    return false;
}

// The instant of the nodes that impulses act on: with semi-implicit Euler the beginning of the step.
static Instant mobility_instant(const Mechanism *m) { return m->head->euler ? m->one : m->now; }

// ---- ports and nodes -----------------------------------------------------------------------------
static Load mobility_unit_load(int k) {
    Vec3 unit = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    return k < 3 ? (Load){unit, vec3_zero()} : (Load){vec3_zero(), unit};
}

void mobility_unit_impulses(const Mechanism *m, double *rows) {
    int columns = mobility_columns(m);
    memset(rows, 0, sizeof(double) * (size_t)columns * (size_t)m->matrix.size);
    for (int j = 0; j < columns; j++) {
        int node = m->ports[j / 6].node;
        if (node < 0) continue;
        Load load = port_load_on_node(m, mobility_instant(m), j / 6, mobility_unit_load(j % 6));
        for (int i = 0; i < 3; i++) {
            rows[(6 * node + i) * columns + j] = vec3_component(load.force, i);
            rows[(6 * node + 3 + i) * columns + j] = vec3_component(load.moment, i);
        }
    }
}

Twist mobility_port(const Mechanism *m, int port, const double *x) {
    int node = m->ports[port].node;
    if (node < 0) return (Twist){vec3_zero(), vec3_zero()};
    const double *d = x + 6 * node;
    Vec3 w = vec3(d[3], d[4], d[5]), arm = port_arm(m, mobility_instant(m), port);
    return (Twist){vec3_add(vec3(d[0], d[1], d[2]), vec3_cross(w, arm)), w};
}

static void mobility_transpose(const double *columns, int count, int size, double *rows) {
    for (int j = 0; j < count; j++)
        for (int i = 0; i < size; i++) rows[i * count + j] = columns[j * size + i];
}

// ---- by factors of now ---------------------------------------------------------------------------
static bool mobility_solve_exactly(Mechanism *m, Matrix *matrix, const Factor *factor) {
    Mobility *y = &m->mobility;
    int columns = mobility_columns(m), size = m->matrix.size;
    mobility_unit_impulses(m, y->answer);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < columns; j++) y->columns[j * size + i] = y->answer[i * columns + j];
    if (!factor_solve(matrix, factor, y->columns, columns)) return false;
    mobility_transpose(y->columns, columns, size, y->answer);
    y->corrected = false;
    y->exact = true;
    return true;
}

// ---- by those of the step ------------------------------------------------------------------------
// E, and E of the transposed equations.
static bool mobility_unit_answers(Mechanism *m) {
    Mobility *y = &m->mobility;
    int columns = mobility_columns(m), size = m->matrix.size;
    if (y->serial == m->jumps.factor.serial) return true;
    for (int side = 0; side < 2; side++) {
        memset(y->columns, 0, sizeof(double) * (size_t)columns * (size_t)size);
        for (int j = 0; j < columns; j++)
            if (m->ports[j / 6].node >= 0) y->columns[j * size + 6 * m->ports[j / 6].node + j % 6] = 1;
        bool solved = side ? factor_solve_transposed(&m->matrix, &m->jumps.factor, y->columns, columns)
                           : factor_solve(&m->matrix, &m->jumps.factor, y->columns, columns);
        if (!solved) return false;
        mobility_transpose(y->columns, columns, size, side ? y->unit_left : y->unit_answer);
    }
    y->serial = m->jumps.factor.serial;
    return true;
}

// B of a port.
static void mobility_unit_weights(const Mechanism *m, int port, const Mat3 *turns, double B[6][6]) {
    int node = m->ports[port].node;
    memset(B, 0, sizeof(double) * 36);
    if (node < 0) return;
    for (int j = 0; j < 6; j++) {
        Load load = port_load_on_node(m, m->now, port, mobility_unit_load(j));
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

// A row of E times B, columns from `first` on.
static inline Wide mobility_times_weights(const double *row, double B[6][MOBILITY_WIDES * WIDE_LANES],
                                          int first) {
    Wide sum = wide_set(0);
    for (int k = 0; k < 6; k++) sum = wide_fma(wide_set(row[k]), *(const WideUnaligned *)(B[k] + first), sum);
    return sum;
}

// T E B for the columns of one port, three rows at a time: those of a vector of a node.
static void mobility_turn_port(const Mechanism *m, int port, const Mat3 *turns, const double *E, double *D) {
    size_t columns = (size_t)mobility_columns(m), first = 6 * (size_t)port;
    double B[6][6], wide[6][MOBILITY_WIDES * WIDE_LANES] = {{0}}, lanes[WIDE_LANES];
    mobility_unit_weights(m, port, turns, B);
    for (int i = 0; i < 6; i++) memcpy(wide[i], B[i], sizeof B[i]);
    for (int k = 0; k < WIDE_LANES; k++) lanes[k] = k;
    for (int at = 0; at < 6; at += WIDE_LANES) {
        WideMask mask = wide_less(*(const WideUnaligned *)lanes, wide_set(6 - at));
        for (int n = 0; n < 2 * m->node_count; n++) {
            const double *from = E + 3 * (size_t)n * columns + first;
            double *to = D + 3 * (size_t)n * columns + first + (size_t)at;
            Wide3 v = {mobility_times_weights(from, wide, at),
                       mobility_times_weights(from + columns, wide, at),
                       mobility_times_weights(from + 2 * columns, wide, at)};
            if (m->of_beam[n / 2]) v = wide3_apply(&turns[n / 2], v);
            wide_store_masked(to, mask, v.x);
            wide_store_masked(to + columns, mask, v.y);
            wide_store_masked(to + 2 * columns, mask, v.z);
        }
        for (size_t i = (size_t)m->matrix.freedoms; i < (size_t)m->matrix.size; i++)
            wide_store_masked(D + i * columns + first + (size_t)at, mask,
                              mobility_times_weights(E + i * columns + first, wide, at));
    }
}

static void mobility_turn_answers(Mechanism *m, const double *E, double *D) {
    const Mat3 *turns = step_turns(m);
    for (int p = 0; p < m->port_count; p++) mobility_turn_port(m, p, turns, E, D);
}

// Largest answer of any node to the three impulses from column `first` on.
static double mobility_largest_answer(const Mechanism *m, int first) {
    int columns = mobility_columns(m);
    double largest2 = 0;
    for (int n = 0; n < m->node_count; n++)
        for (int j = first; j < first + 3; j++) {
            const double *d = m->mobility.answer + 6 * n * columns + j;
            double linear = 0, angular = 0;
            for (int k = 0; k < 3; k++) {
                linear += d[k * columns] * d[k * columns];
                angular += d[(k + 3) * columns] * d[(k + 3) * columns];
            }
            largest2 = larger(largest2, larger(linear, m->length * m->length * angular));
        }
    return sqrt(largest2);
}

// Is the load of the last two steps the same?
static bool mobility_load_lasts(const Mechanism *m) {
    double sum = 0, away = 0;
    for (int i = 0; i < m->matrix.freedoms; i++) {
        double last = m->last_jump[i], change = last - m->lasting_jump[i];
        sum += last * last, away += change * change;
    }
    return sum > 0 && away <= mobility_rest_change * mobility_rest_change * sum;
}

// The error that one correction may leave.
static double mobility_allowed_error(const Mechanism *m, double t) {
    bool old = t - m->head->step_t >= mobility_rest_steps * m->head->h;
    return old && mobility_load_lasts(m) ? mobility_rest_error : mobility_good_error;
}

// R. False: too large for one correction.
static bool mobility_find_error(Mechanism *m, double t, double allowed) {
    Mobility *y = &m->mobility;
    int columns = mobility_columns(m);
    mobility_unit_impulses(m, y->error);
    jump_subtract(m, t, y->answer, y->error, columns);
    memset(m->unknown, 0, sizeof(double) * (size_t)m->matrix.size);
    for (int first = 0; first < columns; first += 3) {
        double least =
            1e-9 / (m->mass_scale * (first % 6 < 3 ? 1 : m->length)); // for a port that cannot move
        double weight = 1 / fmax(mobility_largest_answer(m, first), least);
        for (int i = 0; i < m->matrix.size; i++) {
            const double *r = y->error + i * columns + first;
            m->unknown[i] += weight * (r[0] + r[1] + r[2]);
        }
    }
    if (!jump_solve(m, m->unknown)) return false;
    double wrong = newton_size(m, m->unknown, NULL);
    if (!(wrong * wrong <= allowed)) return false;
    mobility_turn_answers(m, y->unit_left, y->left);
    return y->corrected = true;
}

static bool mobility_solve_tree(Mechanism *m, bool of_masses) {
    Mobility *y = &m->mobility;
    int columns = mobility_columns(m), size = m->matrix.size;
    if (!tree_jump_prepare(m, of_masses)) return false;
    mobility_unit_impulses(m, y->answer);
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < size; i++) y->columns[j * size + i] = y->answer[i * columns + j];
        tree_jump_solve(m, y->columns + j * size);
    }
    mobility_transpose(y->columns, columns, size, y->answer);
    y->corrected = false;
    return true;
}

static bool mobility_solve_step(Mechanism *m, double t) {
    if (m->tree) return mobility_solve_tree(m, false);
    const StateHead *head = m->head;
    // Small steps take the answer to forces (stiff.c) as the factors give it. With those of an arm that has turned by 0.2 rad
    // since, the container yielded in other directions than the arm, and grains swung up.
    bool small = head->lag_share < 0.5, old = small && mobility_has_turned(m, mobility_small_turn);
    for (int renewed = old; renewed < 2; renewed++) {
        bool there = renewed ? step_matrix(m, t) : head->step_serial != 0 && step_matrix_in_use(m);
        if (!there || !jump_factors(m)) continue;
        if (!mobility_unit_answers(m)) return false;
        mobility_turn_answers(m, m->mobility.unit_answer, m->mobility.answer);
        m->mobility.corrected = m->mobility.exact = false;
        bool good = head->step_t == t || (head->step_rate > 0 && head->step_rate <= mobility_good_rate &&
                                          !mobility_has_turned(m, mobility_good_turn));
        if (good || mobility_find_error(m, t, mobility_allowed_error(m, t))) return true;
    }
    return jump_factors_now(m, t) && mobility_solve_exactly(m, &m->matrix, &m->jumps.now);
}

static bool mobility_solve_explicit(Mechanism *m, double t) {
    if (m->tree) return mobility_solve_tree(m, true);
    bool there = m->head->euler || (m->head->mass_t == t && mass_matrix_in_use(m));
    return (there || mass_matrix(m, t)) && mobility_solve_exactly(m, &m->mass_matrix, &m->mass_factor);
}

// ---- along stiff directions ----------------------------------------------------------------------
bool mobility_of_forces(Mechanism *m) {
    Mobility *y = &m->mobility;
    int columns = mobility_columns(m), size = m->matrix.size;
    if (!step_matrix_in_use(m)) return false;
    if (y->force_serial != m->step_factor.serial) {
        memset(y->columns, 0, sizeof(double) * (size_t)columns * (size_t)size);
        for (int j = 0; j < columns; j++)
            if (m->ports[j / 6].node >= 0) y->columns[j * size + 6 * m->ports[j / 6].node + j % 6] = 1;
        if (!factor_solve(&m->matrix, &m->step_factor, y->columns, columns)) return false;
        mobility_transpose(y->columns, columns, size, y->unit_forces);
        y->force_serial = m->step_factor.serial;
    }
    mobility_turn_answers(m, y->unit_forces, y->of_forces);
    return true;
}

bool mobility_refine(Mechanism *m, double *x) {
    double *r = m->saved;
    if (m->mobility.exact) return factor_solve(&m->matrix, &m->jumps.now, x, 1);
    memcpy(r, x, sizeof(double) * (size_t)m->matrix.size);
    if (!jump_solve(m, x)) return false;
    if (!m->mobility.corrected) return true;
    jump_subtract(m, m->head->t + m->head->h, x, r, 1);
    if (!jump_solve(m, r)) return false;
    for (int i = 0; i < m->matrix.size; i++) x[i] += r[i];
    return true;
}

// ---- the verbs -----------------------------------------------------------------------------------
// In directions that joints forbid, rounding leaves about 1e-16 of the mobility of a free node, of either
// sign. Such rows and columns become zero.
void mobility_clear_rounding(const Mechanism *m, double *Y) {
    int columns = mobility_columns(m);
    for (int i = 0; i < columns; i++) {
        double scale = i % 6 < 3 ? m->mass_scale : m->mass_scale * m->length * m->length;
        if (fabs(Y[i * columns + i]) * scale > 1e-12) continue;
        for (int j = 0; j < columns; j++) Y[i * columns + j] = Y[j * columns + i] = 0;
    }
}

static void mobility_assemble(const Mechanism *m, double *Y) {
    const Mobility *y = &m->mobility;
    int columns = mobility_columns(m);
    memset(Y, 0, sizeof(double) * (size_t)(columns * columns));
    for (int p = 0; p < m->port_count && y->corrected; p++)
        for (int q = 0; q < m->port_count; q++) {
            double sum[6][6] = {{0}};
            for (int i = 0; i < m->matrix.size; i++) {
                const double *left = y->left + i * columns + 6 * p, *right = y->error + i * columns + 6 * q;
                for (int a = 0; a < 6; a++)
                    for (int b = 0; b < 6; b++) sum[a][b] += left[a] * right[b];
            }
            for (int a = 0; a < 6; a++) memcpy(Y + (6 * p + a) * columns + 6 * q, sum[a], sizeof sum[a]);
        }
    for (int p = 0; p < m->port_count; p++) {
        int node = m->ports[p].node;
        if (node < 0) continue;
        Vec3 arm = port_arm(m, mobility_instant(m), p);
        for (int j = 0; j < columns; j++) {
            double velocity[6];
            for (int k = 0; k < 6; k++) velocity[k] = y->answer[(6 * node + k) * columns + j];
            Vec3 turning = vec3_cross(vec3(velocity[3], velocity[4], velocity[5]), arm);
            for (int k = 0; k < 3; k++) velocity[k] += vec3_component(turning, k);
            for (int k = 0; k < 6; k++) Y[(6 * p + k) * columns + j] += velocity[k];
        }
    }
    mobility_clear_rounding(m, Y);
}

// By the mass matrix or by that of the jump, whose weights have been set.
static MrcStatus mobility_find(Mechanism *m, bool of_masses, double *Y, MrcError *error) {
    double t = m->head->t + m->head->h;
    m->mobility.divided = false;
    m->mobility.of_masses = of_masses;
    if (!(of_masses ? mobility_solve_explicit(m, t) : mobility_solve_step(m, t)))
        return error_set(error, MRC_NOT_CONVERGED,
                         "the mobility of the ports cannot be found at t = %.9g s: the "
                         "mechanism's matrix is singular",
                         t);
    mobility_assemble(m, Y);
    m->mobility.known = true;
    return MRC_OK;
}

MrcStatus mechanism_mobility(Mechanism *m, double early, double *Y, MrcError *error) {
    bool of_masses = early == MOBILITY_OF_MASSES;
    if (m->head->stage < STAGE_ITERATED)
        return error_set(error, MRC_USAGE, "mechanism: mobility before advance");
    if (!m->port_count) return MRC_OK;
    // For small steps the velocities must satisfy the constraints, too.
    MrcStatus status = early < 1 ? mechanism_finish(m, error) : MRC_OK;
    if (status != MRC_OK) return status;
    if (!of_masses) jump_set_early(m, early);
    return mobility_find(m, of_masses, Y, error);
}

MrcStatus mechanism_mobility_undamped(Mechanism *m, double square, double *Y, MrcError *error) {
    if (m->head->stage < STAGE_ITERATED)
        return error_set(error, MRC_USAGE, "mechanism: mobility before advance");
    if (!m->port_count) return MRC_OK;
    jump_set_undamped(m, square);
    return mobility_find(m, false, Y, error);
}

// rows times impulses
static void mobility_times_impulses(const Mechanism *m, const double *rows, const Load *impulses, double *x) {
    int columns = mobility_columns(m);
    const double *P = &impulses->force.x;
    for (int i = 0; i < m->matrix.size; i++) {
        x[i] = 0;
        for (int j = 0; j < columns; j++) x[i] += rows[i * columns + j] * P[j];
    }
}

bool mobility_answer(Mechanism *m, const Load *impulses, double *x) {
    if (m->tree) return tree_jump_answer(m, impulses, x);
    mobility_times_impulses(m, m->mobility.answer, impulses, x);
    if (!m->mobility.corrected) return true;
    mobility_times_impulses(m, m->mobility.error, impulses, m->unknown);
    if (!jump_solve(m, m->unknown)) return false;
    for (int i = 0; i < m->matrix.size; i++) x[i] += m->unknown[i];
    return true;
}
