// Dynamics of the tree.
//
// The elements give the loads r that nodes need, minus what is exerted (element.h), for any motion of the nodes:
// inertia, gravity, springs and forces. So Newton and Euler's equations in relative coordinates are a sum from the ends
// of the tree to the ground (Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 5-6,
// doi:10.1007/978-1-4899-7560-7):
//
//     W_i = r_i + sum over children X_c^T W_c,      K^T r = S_i . W_i                   (inverse dynamics)
//     I_i = M_i + sum over children X_c^T I_c X_c,  M_kl = S_k . X^T (I_i S_l)          (composite bodies)
//
// X being the transport of a twist from the parent's origin to the child's. With loops, r = K^T r reduced to Z^T K^T r,
// which contains no reaction (Eq. 25 of Docquier et al. 2020): the motion is right when it is zero.
//
// Reactions. Cut joints: J_v^T lambda = -(K^T r)_v (Eq. 18). A tree joint transmits W of all that hangs on it, the cut
// joints' loads included, and G^T lambda = -W on its child. Lambda has as many numbers as the joint has constraints;
// both sides are taken about the joint's own point, where G is well scaled, and solved in the sense of least squares.
//
// Derivatives. At a motion with r + G^T lambda = 0 on every node, the change of Z^T K^T r with the coordinates is
//
//     Z^T M Z by accelerations,   P^T C P by rates,   P^T K P by coordinates,
//
// C and K of all elements, joints with their lambda included, and terms of the order of the angular velocities, because
// the rates and accelerations of nodes depend on q, too. The latter are left out: Newton's iteration corrects them, and
// the mobility is then exactly that of the absolute form.
#include <math.h>

#include "mechanism/tree.h"

// ---- loads ---------------------------------------------------------------------------------------
static Vec3 tree_get(const double *x) { return vec3(x[0], x[1], x[2]); }
static void tree_put(double *x, Vec3 v) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

// Adds the sum of a node to that of its parent.
static void tree_pass_down(const Tree *tree, Instant at, int n, double *sums) {
    int parent = tree->joints[n].parent;
    if (parent < 0) return;
    Vec3 force = tree_get(sums + 6 * n), arm = vec3_sub(at.nodes[n].x, at.nodes[parent].x);
    Vec3 moment = vec3_add(tree_get(sums + 6 * n + 3), vec3_cross(arm, force));
    double *to = sums + 6 * parent;
    tree_put(to, vec3_add(tree_get(to), force));
    tree_put(to + 3, vec3_add(tree_get(to + 3), moment));
}

void tree_forces_of_nodes(Mechanism *m, Instant at, const double *loads, double *forces) {
    const Tree *tree = m->tree;
    double *sums = tree->sums;
    memcpy(sums, loads, sizeof(double) * 6 * (size_t)m->node_count);
    for (int i = m->node_count - 1; i >= 0; i--) {
        int n = tree->order[i];
        const TreeJoint *joint = &tree->joints[n];
        for (int k = joint->first; k < joint->first + joint->count; k++)
            forces[k] = vec3_dot(tree->axes[k].linear, tree_get(sums + 6 * n)) +
                        vec3_dot(tree->axes[k].angular, tree_get(sums + 6 * n + 3));
        tree_pass_down(tree, at, n, sums);
    }
}

void tree_reduce(const Tree *tree, const double *forces, double *reduced) {
    int f = tree->independent;
    memset(reduced, 0, sizeof(double) * (size_t)f);
    for (int k = 0; k < tree->count; k++)
        for (int a = 0; a < f; a++) reduced[a] += tree->Z[k * f + a] * forces[k];
}

static void tree_sum_loads(Mechanism *m, Instant at, double t, const Load *loads, double *r) {
    double local[ELEMENT_ROWS];
    memset(r, 0, sizeof(double) * 6 * (size_t)m->node_count);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if (element->multiplier_count) continue;
        ElementInput in = element_input(m, element, at, t);
        element->kind->residual(element, &in, local);
        for (int i = 0; i < element->node_count; i++)
            for (int k = 0; k < 6 && element->node[i] >= 0; k++)
                r[6 * element->node[i] + k] += local[6 * i + k];
    }
    for (int i = 0; i < m->matrix.freedoms && m->head->stiff_acts; i++) r[i] -= m->stiff_force[i];
    for (int p = 0; p < m->port_count && loads; p++) {
        if (m->ports[p].node < 0) continue;
        Load load = port_load_on_node(m, at, p, loads[p]);
        double *row = r + 6 * m->ports[p].node;
        tree_put(row, vec3_sub(tree_get(row), load.force));
        tree_put(row + 3, vec3_sub(tree_get(row + 3), load.moment));
    }
}

void tree_residual(Mechanism *m, Instant at, double t, const Load *loads, double *reduced) {
    Tree *tree = m->tree;
    tree_sum_loads(m, at, t, loads, tree->loads);
    tree_forces_of_nodes(m, at, tree->loads, tree->y);
    tree_reduce(tree, tree->y, reduced);
}

// ---- mass matrix ---------------------------------------------------------------------------------
// I about an origin that lies `arm` before its own: X^T I X, added.
static void tree_add_inertia(const double *inertia, Vec3 arm, double *to) {
    double X[6][6] = {{0}}, product[6][6] = {{0}};
    Mat3 cross = mat3_skew(arm);
    for (int k = 0; k < 6; k++) X[k][k] = 1;
    for (int i = 0; i < 3; i++) // v + w x arm
        for (int j = 0; j < 3; j++) X[i][3 + j] = -cross.m[i][j];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) product[i][j] += inertia[6 * i + k] * X[k][j];
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) to[6 * i + j] += X[k][i] * product[k][j];
}

static void tree_node_inertias(Mechanism *m, Instant at, double t) {
    Tree *tree = m->tree;
    memset(tree->composite, 0, sizeof(double) * 36 * (size_t)m->node_count);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if (element->kind->massless || element->multiplier_count || element->node_count != 1) continue;
        ElementInput in = element_input(m, element, at, t);
        double J[36] = {0};
        element->kind->jacobian(element, &in, 1, 0, 0, J);
        for (int k = 0; k < 36; k++) tree->composite[36 * element->node[0] + k] += J[k];
    }
}

static void tree_mass(Mechanism *m, Instant at, double t) {
    Tree *tree = m->tree;
    int n = tree->count;
    memset(tree->mass, 0, sizeof(double) * (size_t)(n * n));
    tree_node_inertias(m, at, t);
    for (int i = m->node_count - 1; i >= 0; i--) {
        int node = tree->order[i];
        const TreeJoint *joint = &tree->joints[node];
        const double *inertia = tree->composite + 36 * node;
        for (int l = joint->first; l < joint->first + joint->count; l++) {
            const double *S = &tree->axes[l].linear.x;
            double momentum[6] = {0}, row[6];
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++) momentum[a] += inertia[6 * a + b] * S[b];
            memcpy(row, momentum, sizeof row);
            for (int up = node; up >= 0; up = tree->joints[up].parent) {
                Vec3 arm = vec3_sub(at.nodes[node].x, at.nodes[up].x);
                tree_put(row + 3, vec3_add(tree_get(momentum + 3), vec3_cross(arm, tree_get(momentum))));
                const TreeJoint *other = &tree->joints[up];
                for (int k = other->first; k < other->first + other->count; k++) {
                    double sum = vec3_dot(tree->axes[k].linear, tree_get(row)) +
                                 vec3_dot(tree->axes[k].angular, tree_get(row + 3));
                    tree->mass[k * n + l] = tree->mass[l * n + k] = sum;
                }
            }
        }
        if (joint->parent >= 0)
            tree_add_inertia(inertia, vec3_sub(at.nodes[node].x, at.nodes[joint->parent].x),
                             tree->composite + 36 * joint->parent);
    }
}

// Z^T M Z
static void tree_reduce_mass(Tree *tree) {
    int n = tree->count, f = tree->independent;
    double *product = tree->projected; // n x f
    memset(product, 0, sizeof(double) * (size_t)(n * f));
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            double mass = tree->mass[k * n + l];
            if (mass == 0) continue;
            for (int a = 0; a < f; a++) product[k * f + a] += mass * tree->Z[l * f + a];
        }
    memset(tree->S, 0, sizeof(double) * (size_t)(f * f));
    for (int k = 0; k < n; k++)
        for (int a = 0; a < f; a++) {
            double z = tree->Z[k * f + a];
            if (z == 0) continue;
            for (int b = 0; b < f; b++) tree->S[a * f + b] += z * product[k * f + b];
        }
}

// Adds P^T (cc C + ck K) P of one element.
static void tree_add_element(Mechanism *m, const Element *element, Instant at, double t, double cc,
                             double ck) {
    Tree *tree = m->tree;
    int nodes = 6 * element->node_count, size = nodes + element->multiplier_count, f = tree->independent;
    double *J = m->matrix.local, *product = tree->projected;
    ElementInput in = element_input(m, element, at, t);
    memset(J, 0, sizeof(double) * (size_t)(size * size));
    element->kind->jacobian(element, &in, 0, cc, ck, J);
    memset(product, 0, sizeof(double) * (size_t)(nodes * f));
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++) {
            double entry = J[i * size + j];
            int node = element->node[j / 6];
            if (entry == 0 || node < 0) continue;
            const double *P = tree->P + (6 * node + j % 6) * f;
            for (int a = 0; a < f; a++) product[i * f + a] += entry * P[a];
        }
    for (int i = 0; i < nodes; i++) {
        int node = element->node[i / 6];
        if (node < 0) continue;
        const double *P = tree->P + (6 * node + i % 6) * f;
        for (int a = 0; a < f; a++)
            for (int b = 0; b < f && P[a] != 0; b++) tree->S[a * f + b] += P[a] * product[i * f + b];
    }
}

void tree_reduced_mass(Mechanism *m, Instant at, double t) {
    tree_mass(m, at, t);
    tree_reduce_mass(m->tree);
}

bool tree_matrix(Mechanism *m, Instant at, double t, double cc, double ck) {
    Tree *tree = m->tree;
    tree_reduced_mass(m, at, t);
    for (int e = 0; e < m->element_count && (cc != 0 || ck != 0); e++)
        tree_add_element(m, &m->elements[e], at, t, cc, ck);
    m->counts.factorizations++;
    return tree_factor(tree->S, tree->S_pivots, tree->independent);
}

bool tree_matrix_damped(Mechanism *m, Instant at, double t, double cc) {
    Tree *tree = m->tree;
    tree_reduced_mass(m, at, t);
    for (int e = 0; e < m->element_count; e++)
        if (m->elements[e].kind->massless) tree_add_element(m, &m->elements[e], at, t, cc, 0);
    m->counts.factorizations++;
    return tree_factor(tree->S, tree->S_pivots, tree->independent);
}

// ---- accelerations -------------------------------------------------------------------------------
bool tree_solve_accelerations(Mechanism *m, Instant at, double t, const Load *loads) {
    Tree *tree = m->tree;
    if (!tree_matrix(m, at, t, 0, 0)) return false;
    for (int round = 0; round < 2; round++) { // the second removes what rounding left
        if (!tree_close_seconds(m, at, t)) return false;
        tree_residual(m, at, t, loads, tree->x);
        tree_factor_solve(tree->S, tree->S_pivots, tree->independent, tree->x, false);
        for (int a = 0; a < tree->independent; a++) {
            if (!isfinite(tree->x[a])) return false;
            at.du[tree->partition[a]] -= tree->x[a];
        }
    }
    if (!tree_close_seconds(m, at, t)) return false;
    tree_sum_loads(m, at, t, loads, tree->loads);
    tree_reactions(m, at, t, tree->loads, at.lambda);
    tree->matrix_known = false;
    return true;
}

// ---- reactions -----------------------------------------------------------------------------------
// Solves min |W + G^T lambda| for the rows of one joint, both about `point`.
static void tree_joint_reaction(const Mechanism *m, const TreeJoint *joint, Instant at, double t,
                                const double *W, Vec3 origin, Vec3 point, double *lambda) {
    double *local = m->matrix.local, G[6][6], A[36], b[6];
    int rows = joint->element->multiplier_count, size = 12 + rows, pivots[6];
    ElementInput in = element_input(m, joint->element, at, t);
    memset(local, 0, sizeof(double) * (size_t)(size * size));
    joint->element->kind->jacobian(joint->element, &in, 0, 0, 0, local);
    Vec3 arm = vec3_sub(origin, point), force = tree_get(W);
    Vec3 moment = vec3_add(tree_get(W + 3), vec3_cross(arm, force));
    for (int i = 0; i < rows; i++) {
        const double *g = local + (12 + i) * size + (joint->reversed ? 0 : 6);
        memcpy(G[i], g, sizeof G[i]);
        tree_put(G[i] + 3, vec3_add(tree_get(g + 3), vec3_cross(arm, tree_get(g))));
    }
    for (int i = 0; i < rows; i++) {
        b[i] = -vec3_dot(tree_get(G[i]), force) - vec3_dot(tree_get(G[i] + 3), moment);
        for (int j = 0; j < rows; j++)
            A[i * rows + j] =
                vec3_dot(tree_get(G[i]), tree_get(G[j])) + vec3_dot(tree_get(G[i] + 3), tree_get(G[j] + 3));
    }
    if (!tree_factor(A, pivots, rows)) return;
    tree_factor_solve(A, pivots, rows, b, false);
    memcpy(lambda + joint->element->multiplier, b, sizeof(double) * (size_t)rows);
}

// Adds G^T lambda of a cut joint or a gear.
static void tree_add_cut_loads(const Mechanism *m, const Element *loop, Instant at, double t,
                               const double *lambda, double *sums) {
    double *local = m->matrix.local;
    int moves = 6 * loop->node_count, size = moves + loop->multiplier_count;
    ElementInput in = element_input(m, loop, at, t);
    memset(local, 0, sizeof(double) * (size_t)(size * size));
    loop->kind->jacobian(loop, &in, 0, 0, 0, local);
    for (int end = 0; end < loop->node_count; end++)
        for (int k = 0; k < 6 && loop->node[end] >= 0; k++)
            for (int i = 0; i < loop->multiplier_count; i++)
                sums[6 * loop->node[end] + k] +=
                    local[(moves + i) * size + 6 * end + k] * lambda[loop->multiplier + i];
}

void tree_reactions(Mechanism *m, Instant at, double t, const double *loads, double *lambda) {
    Tree *tree = m->tree;
    int rows = tree->loop_rows, row = 0;
    double *forces = tree->y, *of_loops = tree->phi;
    if (rows) {
        tree_forces_of_nodes(m, at, loads, forces);
        for (int i = 0; i < rows; i++) of_loops[i] = -forces[tree->partition[tree->independent + i]];
        tree_factor_solve(tree->J_v, tree->J_pivots, rows, of_loops, true);
    }
    for (int l = 0; l < tree->loop_count; l++)
        for (int k = 0; k < tree->loops[l]->multiplier_count; k++)
            lambda[tree->loops[l]->multiplier + k] = of_loops[row++];
    double *sums = tree->sums;
    memcpy(sums, loads, sizeof(double) * 6 * (size_t)m->node_count);
    for (int l = 0; l < tree->loop_count; l++) tree_add_cut_loads(m, tree->loops[l], at, t, lambda, sums);
    for (int i = m->node_count - 1; i >= 0; i--) {
        int n = tree->order[i];
        const TreeJoint *joint = &tree->joints[n];
        if (joint->element)
            tree_joint_reaction(m, joint, at, t, sums + 6 * n, at.nodes[n].x, tree->motion[n].point, lambda);
        tree_pass_down(tree, at, n, sums);
    }
}
