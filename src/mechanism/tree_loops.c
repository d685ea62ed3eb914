// Loop closure and coordinate partitioning (Docquier et al. 2020, Eqs. 16-24 and Algorithm 1,
// doi:10.1007/s11044-019-09721-0).
//
// A cut joint keeps its constraints phi (joint.c), and so does a gear (gear.c). Its gradient G, six numbers for each of its
// nodes, becomes a row of J by summing along the ways of these to the ground: coordinate k moves everything beyond its joint by the twist S_k, so
// that dphi/dq_k = S_k . X^T G, X being the transport from the joint's child to the node. Then
//
//     positions      q_v <- q_v - J_v^-1 phi(q), repeated until the loops are closed to rounding
//     velocities     q_v' = -J_v^-1 (d phi/dt with q_v' = 0)
//     accelerations  q_v'' = -J_v^-1 (d^2 phi/dt^2 with q_v'' = 0)
//
// which contain the motion of drives, in the tree and in the cut joints.
//
// Partitioning: Gaussian elimination of J with the largest element of all rows and columns as pivot; the pivot columns
// are dependent. Rows are divided by their largest change per translation (phi_scale), columns of angles by the length
// of the mechanism. The smallest pivot measures how far the dependent coordinates are from a singular position. When
// that of the coordinates in use falls below tree_poor of the best choice, another choice is made between two steps.
// Coordinates that the user has chosen as independent are kept down to tree_given_poor, and taken again from
// tree_given_good on. All coordinates, rates and accelerations are stored for the past instants, so that the change
// does not disturb the integrator.
#include <math.h>
#include <stdio.h>

#include "mechanism/tree.h"

enum { TREE_CLOSE_ITERATIONS = 40 };
static const double tree_poor = 0.3, tree_given_poor = 0.03, tree_given_good = 0.1;
static const double tree_singular = 1e-9; // of a pivot, all being of the order of one

// ---- dense factors -------------------------------------------------------------------------------
bool tree_factor(double *A, int *pivots, int size) {
    bool regular = true;
    for (int k = 0; k < size; k++) {
        int p = k;
        for (int i = k + 1; i < size; i++)
            if (fabs(A[i * size + k]) > fabs(A[p * size + k])) p = i;
        pivots[k] = p;
        for (int j = 0; j < size && p != k; j++) {
            double swap = A[k * size + j];
            A[k * size + j] = A[p * size + j];
            A[p * size + j] = swap;
        }
        double pivot = A[k * size + k];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) {
            regular = false;
            continue;
        }
        for (int i = k + 1; i < size; i++) {
            double factor = A[i * size + k] /= pivot;
            if (factor == 0) continue;
            for (int j = k + 1; j < size; j++) A[i * size + j] -= factor * A[k * size + j];
        }
    }
    return regular;
}

void tree_factor_solve(const double *A, const int *pivots, int size, double *x, bool transposed) {
    if (!transposed) {
        for (int k = 0; k < size; k++) {
            double swap = x[k];
            x[k] = x[pivots[k]];
            x[pivots[k]] = swap;
        }
        for (int i = 0; i < size; i++)
            for (int j = 0; j < i; j++) x[i] -= A[i * size + j] * x[j];
        for (int i = size - 1; i >= 0; i--) {
            for (int j = i + 1; j < size; j++) x[i] -= A[i * size + j] * x[j];
            x[i] /= A[i * size + i];
        }
        return;
    }
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < i; j++) x[i] -= A[j * size + i] * x[j];
        x[i] /= A[i * size + i];
    }
    for (int i = size - 1; i >= 0; i--)
        for (int j = i + 1; j < size; j++) x[i] -= A[j * size + i] * x[j];
    for (int k = size - 1; k >= 0; k--) {
        double swap = x[k];
        x[k] = x[pivots[k]];
        x[pivots[k]] = swap;
    }
}

// ---- the loops at one instant --------------------------------------------------------------------
// The load g on a node, about its origin, in the directions of all coordinates that move it.
static void tree_add_row(const Mechanism *m, Instant at, int node, const double *g, double *row) {
    const Tree *tree = m->tree;
    if (node < 0) return;
    Vec3 force = vec3(g[0], g[1], g[2]), moment = vec3(g[3], g[4], g[5]), origin = at.nodes[node].x;
    for (int n = node; n >= 0; n = tree->joints[n].parent) {
        const TreeJoint *joint = &tree->joints[n];
        Vec3 here = vec3_add(moment, vec3_cross(vec3_sub(origin, at.nodes[n].x), force));
        for (int k = joint->first; k < joint->first + joint->count; k++)
            row[k] += vec3_dot(tree->axes[k].linear, force) + vec3_dot(tree->axes[k].angular, here);
    }
}

// phi, and J when it is wanted; returns the largest violation [m].
static double tree_loop_equations(Mechanism *m, Instant at, double t, bool gradients) {
    Tree *tree = m->tree;
    double r[ELEMENT_ROWS], *local = m->matrix.local, largest = 0;
    int row = 0;
    if (gradients) memset(tree->J, 0, sizeof(double) * (size_t)(tree->loop_rows * tree->count));
    for (int l = 0; l < tree->loop_count; l++) {
        const Element *loop = tree->loops[l];
        ElementInput in = element_input(m, loop, at, t);
        int moves = 6 * loop->node_count, size = moves + loop->multiplier_count;
        loop->kind->residual(loop, &in, r);
        if (gradients) {
            memset(local, 0, sizeof(double) * (size_t)(size * size));
            loop->kind->jacobian(loop, &in, 0, 0, 0, local);
        }
        for (int k = 0; k < loop->multiplier_count; k++, row++) {
            double violation = fabs(r[moves + k]) / m->phi_scale[loop->multiplier + k];
            tree->phi[row] = r[moves + k];
            if (!(violation <= largest)) largest = violation; // NaN counts as the largest
            for (int end = 0; end < loop->node_count && gradients; end++)
                tree_add_row(m, at, loop->node[end], local + (moves + k) * size + 6 * end,
                             tree->J + row * tree->count);
        }
    }
    return largest;
}

static bool tree_factor_dependent(Tree *tree) {
    int rows = tree->loop_rows, f = tree->independent;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            tree->J_v[i * rows + j] = tree->J[i * tree->count + tree->partition[f + j]];
    return tree_factor(tree->J_v, tree->J_pivots, rows);
}

// Z, and P from it.
static void tree_reduce_motion(Mechanism *m, Instant at) {
    Tree *tree = m->tree;
    int f = tree->independent, rows = tree->loop_rows;
    double *column = tree->phi;
    memset(tree->Z, 0, sizeof(double) * (size_t)(tree->count * f));
    for (int a = 0; a < f; a++) {
        tree->Z[tree->partition[a] * f + a] = 1;
        for (int i = 0; i < rows; i++) column[i] = -tree->J[i * tree->count + tree->partition[a]];
        tree_factor_solve(tree->J_v, tree->J_pivots, rows, column, false);
        for (int i = 0; i < rows; i++) tree->Z[tree->partition[f + i] * f + a] = column[i];
    }
    for (int i = 0; i < m->node_count; i++) {
        int n = tree->order[i];
        const TreeJoint *joint = &tree->joints[n];
        double *P = tree->P + 6 * n * f;
        memset(P, 0, sizeof(double) * 6 * (size_t)f);
        if (joint->parent >= 0) {
            const double *Q = tree->P + 6 * joint->parent * f;
            Vec3 arm = vec3_sub(at.nodes[n].x, at.nodes[joint->parent].x);
            for (int a = 0; a < f; a++) {
                Vec3 w = vec3(Q[3 * f + a], Q[4 * f + a], Q[5 * f + a]), v = vec3_cross(w, arm);
                P[a] = Q[a] + v.x, P[f + a] = Q[f + a] + v.y, P[2 * f + a] = Q[2 * f + a] + v.z;
                P[3 * f + a] = w.x, P[4 * f + a] = w.y, P[5 * f + a] = w.z;
            }
        }
        for (int k = joint->first; k < joint->first + joint->count; k++) {
            const double *S = &tree->axes[k].linear.x;
            for (int c = 0; c < 6; c++)
                for (int a = 0; a < f; a++) P[c * f + a] += S[c] * tree->Z[k * f + a];
        }
    }
}

bool tree_geometry(Mechanism *m, Instant at, double t) {
    Tree *tree = m->tree;
    if (tree->loop_rows) {
        tree_loop_equations(m, at, t, true);
        if (!tree_factor_dependent(tree)) return false;
    }
    tree_reduce_motion(m, at);
    return true;
}

// ---- closing -------------------------------------------------------------------------------------
// The largest step of a dependent coordinate is half a radian or half the mechanism.
static double tree_shorten(const Mechanism *m, const double *step) {
    const Tree *tree = m->tree;
    double factor = 1;
    for (int i = 0; i < tree->loop_rows; i++) {
        bool angle = tree->coordinates[tree->partition[tree->independent + i]].angle;
        factor = fmin(factor, 0.5 * (angle ? 1 : m->length) / fmax(fabs(step[i]), 1e-300));
    }
    return factor;
}

bool tree_close(Mechanism *m, Instant at, double t) {
    Tree *tree = m->tree;
    double last = INFINITY;
    bool closed = false;
    for (int k = 0; k < TREE_CLOSE_ITERATIONS && !closed; k++) {
        tree_place(m, at, t);
        if (!tree->loop_rows) break;
        double violation = tree_loop_equations(m, at, t, true);
        if (!isfinite(violation) || !tree_factor_dependent(tree)) return false;
        closed = violation <= 2e-16 * m->length || (violation <= 1e-12 * m->length && violation > 0.1 * last);
        if (closed) break;
        tree_factor_solve(tree->J_v, tree->J_pivots, tree->loop_rows, tree->phi, false);
        double factor = tree_shorten(m, tree->phi);
        for (int i = 0; i < tree->loop_rows; i++)
            at.q[tree->partition[tree->independent + i]] -= factor * tree->phi[i];
        last = violation;
    }
    if (tree->loop_rows && !closed) return false;
    tree_reduce_motion(m, at);
    return true;
}

// Rates of the loop equations, or their second derivatives, at the motion of the nodes; solved for the dependent ones.
static void tree_solve_rates(Mechanism *m, Instant at, double t, bool seconds, double *values) {
    Tree *tree = m->tree;
    double rate[ELEMENT_MULTIPLIERS], second[ELEMENT_MULTIPLIERS];
    int row = 0;
    for (int l = 0; l < tree->loop_count; l++) {
        const Element *loop = tree->loops[l];
        ElementInput in = element_input(m, loop, at, t);
        loop->kind->rates(loop, &in, rate, second);
        for (int k = 0; k < loop->multiplier_count; k++) tree->phi[row++] = seconds ? second[k] : rate[k];
    }
    tree_factor_solve(tree->J_v, tree->J_pivots, tree->loop_rows, tree->phi, false);
    for (int i = 0; i < tree->loop_rows; i++) values[tree->partition[tree->independent + i]] -= tree->phi[i];
}

bool tree_close_rates(Mechanism *m, Instant at, double t) {
    tree_move(m, at);
    if (!m->tree->loop_rows) return true;
    tree_solve_rates(m, at, t, false, at.u);
    tree_move(m, at);
    return true;
}

bool tree_close_seconds(Mechanism *m, Instant at, double t) {
    tree_accelerate(m, at);
    if (!m->tree->loop_rows) return true;
    tree_solve_rates(m, at, t, true, at.du);
    tree_accelerate(m, at);
    return true;
}

// ---- partitioning --------------------------------------------------------------------------------
// Chooses the dependent coordinates among those that are allowed (NULL: all), by pivots of J. Returns the smallest
// pivot; chosen: dependent coordinates, in the order of the pivots. *tied: the coordinate that could take the place of a
// pivot that is missing.
static double tree_eliminate(const Mechanism *m, const bool *barred, int *chosen, int *tied) {
    const Tree *tree = m->tree;
    int rows = tree->loop_rows, n = tree->count, row = 0;
    double *A = tree->trial, smallest = INFINITY;
    for (int l = 0; l < tree->loop_count; l++)
        for (int k = 0; k < tree->loops[l]->multiplier_count; k++, row++)
            for (int j = 0; j < n; j++)
                A[row * n + j] = tree->J[row * n + j] / m->phi_scale[tree->loops[l]->multiplier + k] /
                                 (tree->coordinates[j].angle ? m->length : 1);
    for (int k = 0; k < rows; k++) {
        int best_row = k, best = -1, other = -1;
        double size = 0, barred_size = 0;
        for (int i = k; i < rows; i++)
            for (int j = 0; j < n; j++) {
                double here = fabs(A[i * n + j]);
                if (barred && barred[j] && here > barred_size) barred_size = here, other = j;
                if ((barred && barred[j]) || !(here > size)) continue;
                size = here, best_row = i, best = j;
            }
        smallest = fmin(smallest, size);
        if (tied) *tied = other;
        chosen[k] = best;
        if (best < 0 || size < tree_singular) return 0;
        for (int j = 0; j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[best_row * n + j];
            A[best_row * n + j] = swap;
        }
        for (int i = k + 1; i < rows; i++) {
            double factor = A[i * n + best] / A[k * n + best];
            for (int j = 0; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
            A[i * n + best] = 0;
        }
        for (int i = k + 1; i < rows; i++) A[i * n + best] = 0;
    }
    return smallest;
}

// Independent coordinates in their order, then the chosen ones in theirs.
static void tree_set_partition(Tree *tree, const int *chosen) {
    bool *dependent = (bool *)tree->x;
    int at = 0, rows = tree->loop_rows;
    memset(dependent, 0, sizeof(bool) * (size_t)tree->count);
    for (int i = 0; i < rows; i++) dependent[chosen[i]] = true;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < tree->count; k++)
            if (dependent[k] == (pass == 1)) tree->partition[at++] = k;
}

static void tree_list_independent(const Tree *tree, const int *chosen, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < tree->count; k++) {
        bool dependent = false;
        for (int i = 0; i < tree->loop_rows; i++) dependent |= chosen[i] == k;
        if (dependent || used + strlen(tree->coordinates[k].name) + 8 > size) continue;
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", tree->coordinates[k].name);
    }
}

MrcStatus tree_choose(Mechanism *m, double t, MrcError *error) {
    Tree *tree = m->tree;
    char list[400];
    int tied = -1;
    tree_place(m, m->now, t);
    if (tree->loop_rows) tree_loop_equations(m, m->now, t, true);
    double best = tree_eliminate(m, NULL, tree->chosen, NULL);
    if (tree->loop_rows && best <= 0)
        return error_set(
            error, MRC_MODEL,
            "the loops of the mechanism block each other at the start, so that no coordinates can be "
            "chosen to close them: is it placed in a dead centre?");
    tree_set_partition(tree, tree->chosen);
    if (!tree->wanted_count || !tree->loop_rows) return MRC_OK;
    tree_list_independent(tree, tree->chosen, list, sizeof list);
    if (tree_eliminate(m, tree->wanted, tree->chosen, &tied) <= 0)
        return error_set(
            error, MRC_MODEL,
            "'independent': %s%s%s cannot be independent beside the others: the loops fix %s once they are "
            "given. A choice that works at the start is [%s]",
            tied >= 0 ? "'" : "", tied >= 0 ? tree->coordinates[tied].name : "these coordinates",
            tied >= 0 ? "'" : "", tied >= 0 ? "it" : "them", list);
    tree_set_partition(tree, tree->chosen);
    return MRC_OK;
}

static bool tree_is_wanted(const Tree *tree) {
    for (int i = tree->independent; i < tree->count; i++)
        if (tree->wanted[tree->partition[i]]) return false;
    return true;
}

void tree_choose_again(Mechanism *m, double t) {
    Tree *tree = m->tree;
    bool *barred = (bool *)tree->y;
    if (!tree->loop_rows || !tree->independent) return;
    tree_loop_equations(m, m->now, t, true);
    memset(barred, 0, sizeof(bool) * (size_t)tree->count);
    for (int i = 0; i < tree->independent; i++) barred[tree->partition[i]] = true;
    double now = tree_eliminate(m, barred, tree->chosen, NULL);
    double best = tree_eliminate(m, NULL, tree->chosen, NULL);
    bool astray = tree->wanted_count && !tree_is_wanted(tree);
    bool good = now >= (tree->wanted_count && !astray ? tree_given_poor : tree_poor) * best;
    if (good && !astray) return;
    if (tree->wanted_count) {
        double wanted = tree_eliminate(m, tree->wanted, tree->chosen, NULL);
        if (wanted < tree_given_good * best && good) return;
        if (wanted < tree_given_good * best) {
            tree_eliminate(m, NULL, tree->chosen, NULL);
            if (!tree->switched)
                log_note(&m->log,
                         "the independent coordinates that are given are nearly dependent at t = %.6g s; "
                         "others are used while this lasts",
                         t);
            tree->switched = true;
        }
    }
    tree_set_partition(tree, tree->chosen);
}
