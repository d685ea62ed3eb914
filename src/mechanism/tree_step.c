// A step of the two-step integrator (two_step.c) in relative coordinates.
//
// The formula is applied to the independent coordinates and their rates, with their accelerations as the unknowns:
//
//     q_u' = v~ + c q_u'',   q_u = q~ + c q_u'
//
// Dependent coordinates, rates and accelerations follow from the loops at t + h (tree_loops.c), so that the loops are
// closed in positions, velocities and accelerations at every iteration. The reduced equation Z^T K^T r = 0
// (tree_dynamics.c) is an ordinary differential equation of second order: no multipliers, no drift, and the order of
// the formula.
//
// Newton's iteration has the matrix S = Z^T M Z + P^T (c C + c^2 K) P, computed at its beginning, and again where it
// converges slowly. It belongs to no earlier step, so that resumed runs need no matrices of the past. Corrections are
// measured at the nodes, as in newton.c.
#include <math.h>

#include "mechanism/tree.h"

static void tree_set_base(Mechanism *m, Instant one, Instant two, double h) {
    Tree *tree = m->tree;
    const TwoStep *s = &m->head->scheme;
    for (int k = 0; k < tree->count; k++) {
        tree->base_rate[k] =
            s->a1 * one.u[k] + s->a2 * two.u[k] + h * (s->b1 * one.du[k] + s->b2 * two.du[k]);
        tree->base_place[k] = s->a1 * one.q[k] + s->a2 * two.q[k] + h * (s->b1 * one.u[k] + s->b2 * two.u[k]);
    }
}

// As two_step_is_rough, of coordinates.
static bool tree_is_rough(const Mechanism *m, Instant one, Instant two) {
    const Tree *tree = m->tree;
    double change = 0, size = 0;
    for (int k = 0; k < tree->count; k++) {
        double length = tree->coordinates[k].angle ? m->length : 1;
        change = fmax(change, length * fabs(m->now.du[k] - one.du[k]));
        size = fmax(size, length * fmax(fabs(one.du[k]), fabs(two.du[k])));
    }
    return change > 3 * size;
}

// Dependent coordinates are looked for near their straight continuation.
static void tree_guess_dependent(Mechanism *m, Instant one, double h) {
    const Tree *tree = m->tree;
    memcpy(m->now.u, one.u, sizeof(double) * (size_t)tree->count);
    for (int k = 0; k < tree->count; k++) m->now.q[k] = one.q[k] + h * (one.u[k] + 0.5 * h * one.du[k]);
}

void tree_predict(Mechanism *m, Instant one, Instant two, bool past, const double weights[4], double end,
                  double h) {
    Tree *tree = m->tree;
    tree->t = end;
    tree->matrix_known = false;
    tree_set_base(m, one, past ? two : one, h);
    for (int k = 0; k < tree->count; k++)
        m->now.du[k] = past ? weights[0] * one.u[k] + weights[1] * two.u[k] + weights[2] * one.du[k] +
                                  weights[3] * two.du[k]
                            : one.du[k];
    tree_guess_dependent(m, one, h);
    if (past && tree_is_rough(m, one, two)) tree_extrapolate(m, one, two, h / m->head->past_h, h);
    else tree_step_move(m);
}

// Coordinates go on as in the last step; the formulas are inverted for the accelerations that lead there. `share`: this
// step over the last one; 0: there was none.
void tree_extrapolate(Mechanism *m, Instant one, Instant two, double share, double h) {
    Tree *tree = m->tree;
    double c = m->head->c;
    for (int k = 0; k < tree->count; k++) {
        double way = share > 0 ? share * (one.q[k] - two.q[k]) : h * one.u[k];
        double rate = (one.q[k] + way - tree->base_place[k]) / c;
        m->now.du[k] = (rate - tree->base_rate[k]) / c;
        m->now.q[k] = one.q[k] + way;
    }
    memcpy(m->now.u, one.u, sizeof(double) * (size_t)tree->count);
    tree_step_move(m);
}

void tree_step_move(Mechanism *m) {
    Tree *tree = m->tree;
    double c = m->head->c;
    for (int a = 0; a < tree->independent; a++) {
        int64_t k = tree->partition[a];
        m->now.u[k] = tree->base_rate[k] + c * m->now.du[k];
        m->now.q[k] = tree->base_place[k] + c * m->now.u[k];
    }
    tree->open = !tree_close(m, m->now, tree->t) || !tree_close_rates(m, m->now, tree->t) ||
                 !tree_close_seconds(m, m->now, tree->t);
    for (int n = 0; n < m->node_count; n++) // for newton_allowed
        m->base[n].turn = vec3_scale(m->head->h, m->now.nodes[n].w);
}

bool tree_iterate(Mechanism *m, Instant one, double t, const Load *loads, double *correction, int *worst) {
    Tree *tree = m->tree;
    int f = tree->independent;
    double c = m->head->c, *x = tree->x;
    *correction = 0;
    if (tree->open) return false;
    m->counts.iterations++;
    if (f == 0) return true;
    tree_residual(m, m->now, t, loads, x);
    if (!tree->matrix_known && !tree_matrix(m, m->now, t, c, c * c)) return false;
    tree->matrix_known = true;
    tree_factor_solve(tree->S, tree->S_pivots, f, x, false);
    double *move = m->unknown;
    for (int i = 0; i < m->matrix.freedoms; i++) {
        move[i] = 0;
        for (int a = 0; a < f; a++) move[i] += tree->P[i * f + a] * x[a];
    }
    double size = newton_size(m, move, worst);
    if (!isfinite(size) || c * c * size > 1e3 * m->length) return false;
    for (int a = 0; a < f; a++) m->now.du[tree->partition[a]] -= x[a];
    tree_step_move(m);
    *correction = size / newton_allowed(m, one.nodes, c);
    return !tree->open && isfinite(*correction);
}

NewtonResult tree_newton(Mechanism *m, Instant one, double t, const Load *loads) {
    Tree *tree = m->tree;
    NewtonResult result = {.finite = true};
    double last = 0;
    tree->matrix_known = false;
    for (int k = 0; k <= m->definition->integrator.iterations; k++) {
        result.iterations++;
        if (!tree_iterate(m, one, t, loads, &result.correction, &result.worst)) {
            result.finite = false;
            break;
        }
        double rate = last > 0 ? result.correction / last : 1;
        last = result.correction;
        if (result.correction <= 1 || (rate < 1 && result.correction * rate <= 1 - rate)) {
            result.converged = true;
            break;
        }
        // Below a hundred times the allowed error, what does not fall any more is rounding.
        if (k > 3 && rate > 0.5 && result.correction < 100 && m->definition->integrator.tolerance < 1e-9) {
            result.converged = true;
            break;
        }
        if (rate > 0.1 && k > 0) tree->matrix_known = false;
    }
    m->head->reaction_error = 0;
    return result;
}

bool tree_step_reactions(Mechanism *m, double t, const Load *loads) {
    Tree *tree = m->tree;
    tree_residual(m, m->now, t, loads, tree->x);
    tree_reactions(m, m->now, t, tree->loads, m->now.lambda);
    return true;
}

void tree_keep_past(Mechanism *m) {
    const Tree *tree = m->tree;
    for (int k = 0; k < tree->count; k++) {
        m->two.q[k] = m->one.q[k] + tree->shift[tree->count + k];
        m->two.u[k] = m->one.u[k] + tree->shift[k];
        m->two.du[k] = m->one.du[k];
    }
}

// Charts and partition are renewed for `now`; `one` is a copy of it.
void tree_settle(Mechanism *m) {
    tree_renew_charts(m);
    if (!m->tree->loop_rows) return;
    tree_place(m, m->now, m->head->t);
    tree_choose_again(m, m->head->t);
}
