// Newton's iteration for one step.
//
// The unknowns are the accelerations at t + h and the multipliers. Their changes change velocities by the
// factor c = h b0, positions by c^2 and orientations by c^2 B, where B = I + O(h w) because rotation
// vectors are not additive (two_step.c). With rotations over c^2, u = B d(alpha), as unknowns instead of
// angular accelerations,
//
//     [ (M + c C) B^-1 + c^2 K   G^T ] [ d a, u   ]     [ r       ]
//     [ G                        0   ] [ d lambda ] = - [ phi/c^2 ],      d(alpha) = B^-1 u
//
// (B does not act on translations). Without B, stiff beams that turn by 0.1 rad in a step would not
// converge: the error of c^2 K B is large compared with the softest parts of the matrix.
//
// The factors are kept from step to step. The ratio of two corrections measures their quality: when more
// than newton_extra_iterations further iterations are expected, the matrix is computed anew, which costs
// about as much.
//
// Convergence. A correction is measured at the node with the largest one, d = max(|d a|, L |d alpha|) with
// L the size of the mechanism, and the error after it is estimated as d rate/(1 - rate). It must not exceed
//
//     tolerance min(A, V/c, D/c^2)
//
// where A, V and D are the largest acceleration, velocity and displacement of a node in the step, rotations
// times L. `tolerance` is thus the relative error of accelerations, of velocities and of the displacement
// in the step. For smooth motion A is the smallest of the three, and positions and constraints have an
// error of tolerance c^2 A; for motion that is much too fast for the step (omega h >> 1) it is D. Errors of
// position above tolerance L/100 are never allowed. There are two lower bounds. In steady motion A is zero,
// so that A counts as at least a thousandth of the others. Rounding leaves 2e-15 L/c^2 from positions and
// 2e-15 A from accelerations, sometimes more: an iteration that stalls, with a new matrix, below 500 times
// that has converged.
//
// Multipliers need not converge. The motion does not determine the reactions on a body that joints hold
// completely; consistent.c finds them.
#include <math.h>

#include "mechanism/tree.h"

static const double newton_extra_iterations = 3;
static const double newton_slow = 0.2; // convergence rate above which the next step begins with a new matrix
static const double newton_same_c = 0.02; // relative change of c with which a matrix is still used
static const double newton_turn = 0.5;    // rotation of any node with which a matrix is still used [rad]

static const double newton_massless_share = 1e-10; // of Mechanism.massless, on the diagonal of matrices

// ---- matrices --------------------------------------------------------------------------------------
// Convergence is measured by the motion of the nodes, which the reactions on a body that joints hold
// completely (a driven shaft) do not affect. With factors that are off by an angle, an iteration multiplies
// the errors of these reactions by 2 sin(angle/2). Beyond 60 degrees they would grow at every step,
// unnoticed until they overflow.
static bool newton_has_turned(const Mechanism *m, Instant since) {
    double least = 1 + 2 * cos(newton_turn);
    for (int n = 0; n < m->node_count; n++) {
        const Mat3 *now = &m->now.nodes[n].R, *then = &since.nodes[n].R;
        double trace = 0; // of now times then^T
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) trace += now->m[i][j] * then->m[i][j];
        if (trace < least) return true;
    }
    return false;
}

static void newton_step_values(Mechanism *m, Instant at, const Vec3 *turns, double t, double c) {
    mech_step_jacobian(m, at, turns, t, c, &m->step_factor);
    for (int i = 0; i < m->matrix.freedoms; i++) // degrees of freedom without any force keep their state
        if (m->massless[i] > 0)
            factor_add_diagonal(&m->matrix, &m->step_factor, i, newton_massless_share * m->massless[i]);
}

// The order of pivots is always that of the matrix of the first step at the start, so that a restored or
// resumed run has the same factors bit by bit.
static bool newton_step_factors(Mechanism *m, double t, double c) {
    if (m->pivot_c != m->head->pivot_c) {
        newton_step_values(m, m->start, NULL, 0, m->head->pivot_c);
        factor_pivot(&m->matrix, &m->step_factor, NULL);
        m->pivot_c = m->head->pivot_c;
    }
    newton_step_values(m, m->step_point, m->step_turns, t, c);
    m->counts.factorizations++;
    return factor_compute(&m->matrix, &m->step_factor, NULL);
}

bool step_matrix(Mechanism *m, double t) {
    StateHead *head = m->head;
    if (head->pivot_c == 0) head->pivot_c = head->c;
    instant_copy(m, m->step_point, m->now);
    for (int n = 0; n < m->node_count; n++) m->step_turns[n] = m->base[n].turn;
    head->step_c = head->c;
    head->step_t = t;
    head->step_rate = 0;
    bool good = newton_step_factors(m, t, head->c);
    head->step_serial = m->step_factor.serial = good ? ++m->serial : 0;
    return good;
}

bool step_matrix_in_use(Mechanism *m) {
    StateHead *head = m->head;
    if (head->step_serial == 0) return false;
    if (m->step_factor.serial == head->step_serial) return true;
    if (!newton_step_factors(m, head->step_t, head->step_c)) return false;
    m->step_factor.serial = head->step_serial;
    return true;
}

// Beams are much stiffer along than across. When nodes have turned by an angle since the factors were
// computed, c^2 K in world axes has changed by that angle times the largest stiffness, which may be far
// more than the mass; in axes that turn with the nodes it has not changed. So the factors are turned with
// the nodes of beams,
//
//     S^-1 ~ T F^-1 T^T,   T: rotations of the nodes of beams since the factors were computed
//
// and can be used for hundreds of steps instead of a few.
static const Mat3 *newton_turns(Mechanism *m, const bool *which, Instant since) {
    for (int n = 0; n < m->node_count; n++)
        if (which[n]) m->turns[n] = mat3_mul(m->now.nodes[n].R, mat3_transpose(since.nodes[n].R));
    return m->turns;
}

const Mat3 *step_turns(Mechanism *m) { return newton_turns(m, m->of_beam, m->step_point); }

static void newton_turn_rows(const Mechanism *m, const bool *which, const Mat3 *turns, double *x, bool back) {
    for (int n = 0; n < m->node_count; n++) {
        if (!which[n]) continue;
        for (double *v = x + 6 * n; v <= x + 6 * n + 3; v += 3) {
            Vec3 u = vec3(v[0], v[1], v[2]);
            u = back ? mat3_apply_transpose(turns[n], u) : mat3_apply(turns[n], u);
            v[0] = u.x, v[1] = u.y, v[2] = u.z;
        }
    }
}

bool turned_solve(Mechanism *m, const Factor *factor, double *x) {
    const Mat3 *turns = step_turns(m);
    newton_turn_rows(m, m->of_beam, turns, x, true);
    if (!factor_solve(&m->matrix, factor, x, 1)) return false;
    newton_turn_rows(m, m->of_beam, turns, x, false);
    return true;
}

bool step_solve(Mechanism *m, double *x) { return turned_solve(m, &m->step_factor, x); }

void weighted_values(Mechanism *m, Instant at, double t, double cc, double ck, Factor *factor) {
    mech_jacobian(m, at, t, 1, cc, ck, factor);
    for (int k = 0; k < m->matrix.freedoms; k++)
        if (m->massless[k] > 0)
            factor_add_diagonal(&m->matrix, factor, k, newton_massless_share * m->massless[k]);
}

void weighted_subtract(Mechanism *m, double t, double cc, double ck, const double *x, double *r,
                       int columns) {
    mech_subtract_product(m, m->now, t, 1, cc, ck, x, r, columns);
    for (int i = 0; i < m->matrix.freedoms; i++)
        for (int k = 0; m->massless[i] > 0 && k < columns; k++)
            r[i * columns + k] -= newton_massless_share * m->massless[i] * x[i * columns + k];
}

static void newton_mass_values(Mechanism *m, Instant at, double t) {
    mech_mass(m, at, t, &m->mass_factor);
    for (int i = 0; i < m->matrix.freedoms; i++)
        if (m->massless[i] > 0)
            factor_add_diagonal(&m->mass_matrix, &m->mass_factor, i, 1e-6 * m->massless[i]);
}

static bool newton_mass_factors(Mechanism *m, Instant at, double t) {
    if (!m->mass_factor.pivoted) {
        newton_mass_values(m, m->start, 0);
        factor_pivot(&m->mass_matrix, &m->mass_factor, NULL);
    }
    newton_mass_values(m, at, t);
    m->counts.factorizations++;
    return factor_compute(&m->mass_matrix, &m->mass_factor, NULL);
}

bool mass_matrix(Mechanism *m, double t) {
    StateHead *head = m->head;
    instant_copy(m, m->mass_point, m->now);
    head->mass_t = t;
    bool good = newton_mass_factors(m, m->mass_point, t);
    head->mass_serial = m->mass_factor.serial = good ? ++m->serial : 0;
    return good;
}

bool mass_matrix_in_use(Mechanism *m) {
    StateHead *head = m->head;
    if (head->mass_serial == 0 || newton_has_turned(m, m->mass_point)) return false;
    if (m->mass_factor.serial == head->mass_serial) return true;
    if (!newton_mass_factors(m, m->mass_point, head->mass_t)) return false;
    m->mass_factor.serial = head->mass_serial;
    return true;
}

// The mass of a body turns with its node. Nodes that no joint holds are blocks of their own, so that with their rows
// turned the factors are exact there, however old they are.
bool mass_solve(Mechanism *m, double *x) {
    const Mat3 *turns = newton_turns(m, m->alone, m->mass_point);
    newton_turn_rows(m, m->alone, turns, x, true);
    if (!factor_solve(&m->mass_matrix, &m->mass_factor, x, 1)) return false;
    newton_turn_rows(m, m->alone, turns, x, false);
    return true;
}

// ---- the iteration ---------------------------------------------------------------------------------
double newton_allowed(const Mechanism *m, const NodeState *before, double c) {
    double a2 = 0, alpha2 = 0, v2 = 0, w2 = 0, d2 = 0, turn2 = 0;
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *node = &m->now.nodes[n];
        a2 = larger(a2, vec3_norm2(node->a));
        alpha2 = larger(alpha2, vec3_norm2(node->alpha));
        v2 = larger(v2, vec3_norm2(node->v));
        w2 = larger(w2, vec3_norm2(node->w));
        d2 = larger(d2, vec3_norm2(vec3_sub(node->x, before[n].x)));
        turn2 = larger(turn2, vec3_norm2(m->base[n].turn));
    }
    double L = m->length;
    double a = fmax(sqrt(a2), L * sqrt(alpha2)), v = fmax(sqrt(v2), L * sqrt(w2)) / c;
    double fast = fmin(v, fmax(sqrt(d2), L * sqrt(turn2)) / (c * c));
    double reference = fmax(fmin(a, fast), 1e-3 * fast);
    reference = fmin(reference, 0.01 * L / (c * c));
    return fmax(m->definition->integrator.tolerance * reference, 2e-15 * fmax(a, L / (c * c)));
}

// Corrections below this may be due to rounding.
static double newton_rounding_bound(const Mechanism *m, double c) {
    double a = 0;
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *node = &m->now.nodes[n];
        a = fmax(a, fmax(vec3_norm(node->a), m->length * vec3_norm(node->alpha)));
    }
    return 1e-12 * fmax(a, m->length / (c * c));
}

double newton_size(const Mechanism *m, const double *d, int *worst) {
    double largest = 0;
    for (int n = 0; n < m->node_count; n++) {
        const double *x = d + 6 * n;
        double translation = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        double rotation = m->length * m->length * (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
        double size = larger(translation, rotation);
        if (!(translation + rotation < INFINITY)) size = NAN;
        if (!(size <= largest)) {
            largest = size;
            if (worst) *worst = n;
            if (isnan(size)) break;
        }
    }
    return sqrt(largest);
}

// Size of multipliers as accelerations: what they exert, over the typical mass of a node.
static double newton_multiplier_size(const Mechanism *m, const double *lambda) {
    double largest = 0;
    for (int i = 0; i < m->multiplier_count; i++) {
        double size = fabs(lambda[i]) * m->phi_scale[i];
        if (!(size <= largest)) largest = size; // NaN counts as the largest
    }
    return largest / m->mass_scale;
}

double newton_reactions(const Mechanism *m, const double *correction, double allowed) {
    double reactions = m->definition->integrator.tolerance * newton_multiplier_size(m, m->now.lambda);
    return newton_multiplier_size(m, correction) / fmax(allowed, reactions);
}

bool newton_iterate(Mechanism *m, Instant one, double t, const Load *loads, double *correction, int *worst) {
    if (m->tree) return tree_iterate(m, one, t, loads, correction, worst);
    double c = m->head->c, *x = m->unknown;
    int freedoms = m->matrix.freedoms;
    mech_residual(m, m->now, t, loads, x);
    for (int i = 0; i < freedoms; i++) x[i] = -x[i];
    for (int i = freedoms; i < m->matrix.size; i++) x[i] /= -c * c;
    m->counts.iterations++;
    if (!step_solve(m, x)) return false;
    double size = newton_size(m, x, worst);
    if (!isfinite(size)) return false;
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        const double *d = x + 6 * n;
        Vec3 turn = vec3(d[3], d[4], d[5]);
        Mat3 inverse;
        if (turn_inverse(m->base[n].turn, node->w, c, &inverse)) turn = mat3_apply(inverse, turn);
        node->a = vec3_add(node->a, vec3(d[0], d[1], d[2]));
        node->alpha = vec3_add(node->alpha, turn);
    }
    for (int i = 0; i < m->multiplier_count; i++) m->now.lambda[i] += x[freedoms + i];
    step_move(m, one);
    double allowed = newton_allowed(m, one.nodes, c);
    *correction = size / allowed;
    m->head->reaction_error = newton_reactions(m, x + freedoms, allowed);
    return isfinite(*correction) && isfinite(m->head->reaction_error) &&
           c * c * size < 1e3 * m->length; // else it diverges
}

bool newton_prepare(Mechanism *m, double t) {
    if (m->tree) return true; // tree_newton computes its own
    const StateHead *head = m->head;
    bool usable = head->step_serial != 0 && fabs(head->c / head->step_c - 1) <= newton_same_c &&
                  head->step_rate <= newton_slow && !newton_has_turned(m, m->step_point);
    return (usable && step_matrix_in_use(m)) || step_matrix(m, t);
}

NewtonResult newton_solve(Mechanism *m, Instant one, double t, const Load *loads) {
    if (m->tree) return tree_newton(m, one, t, loads);
    NewtonResult result = {.finite = true};
    StateHead *head = m->head;
    double last = 0, last_reactions = 0;
    int64_t serial = head->step_serial;
    if (!newton_prepare(m, t)) return (NewtonResult){.finite = true, .singular = true};
    bool renewed = head->step_serial != serial;
    for (int k = 0;; k++) {
        bool enough = k == m->definition->integrator.iterations;
        if (enough && renewed) break;
        if (enough) { // the matrix was that of an earlier step: once more with its own
            if (!step_matrix(m, t)) return (NewtonResult){.finite = true, .singular = true};
            renewed = true;
            last = 0;
            k = 0;
        }
        result.iterations++;
        if (!newton_iterate(m, one, t, loads, &result.correction, &result.worst)) {
            result.finite = false;
            break;
        }
        double size = newton_size(m, m->unknown, NULL), rate = last > 0 ? size / last : 1;
        double reactions = head->reaction_error,
               slowness = last_reactions > 0 ? reactions / last_reactions : 1;
        last_reactions = reactions;
        if (slowness < 0.5)
            head->reaction_error = reactions * slowness / (1 - slowness); // after this correction
        if (last > 0) head->step_rate = rate;
        if (result.correction <= 1 || (rate < 1 && result.correction * rate <= 1 - rate)) {
            result.converged = true;
            break;
        }
        bool measured = last > 0;
        last = size;
        if (measured && renewed && rate > 0.5 && size <= newton_rounding_bound(m, head->c)) {
            result.converged = true;
            head->step_rate = 0;
            break;
        }
        if (measured && (rate > 0.9 || log(result.correction) > -newton_extra_iterations * log(rate))) {
            if (!step_matrix(m, t)) {
                result.singular = true;
                break;
            }
            renewed = true;
            last = 0;
        }
    }
    if (!result.converged) head->step_serial = 0; // computed at a state that is discarded
    return result;
}
