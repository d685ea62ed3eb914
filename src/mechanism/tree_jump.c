// Velocity jumps by impulses at the ports, in relative coordinates (jump.c, mobility.c, impulse.c).
//
// Impulses p on nodes change the rates of the independent coordinates by S'^-1 P^T p and the velocities of all nodes by
//
//     dv = P S'^-1 P^T p,    S' = Z^T M Z + P^T (cc C + ck K) P
//
// with cc and ck of jump.c, or S' = Z^T M Z for a step of Moreau and Jean's. The joints of the absolute form eliminated
// from its matrix leave the same. Impulses of joints balance S'_nodes dv - p on every node (tree_reactions).
//
// After a jump the coordinates have moved, the loops are closed again and the accelerations are those of the equations
// of motion. The past of the two-step formula is shifted as in impulse.c, in coordinates.
#include "mechanism/tree.h"

bool tree_jump_prepare(Mechanism *m, bool of_masses) {
    Tree *tree = m->tree;
    const StateHead *head = m->head;
    bool euler = head->euler;
    double t = euler ? head->t : head->t + head->h;
    double cc = of_masses ? 0 : m->jumps.cc, ck = of_masses ? 0 : m->jumps.ck;
    tree->jump_at = euler ? m->one : m->now;
    tree->matrix_known = false;
    tree_place(m, tree->jump_at, t);
    if (!tree_geometry(m, tree->jump_at, t)) return false;
    if (!euler) tree_step_reactions(m, t, m->loads); // K contains them
    weighted_values(m, tree->jump_at, t, cc, ck, &m->jumps.now);
    return tree->jump_known = tree_matrix(m, tree->jump_at, t, cc, ck);
}

bool tree_jump_damp(Mechanism *m, double cc) {
    double t = m->head->t + m->head->h;
    jump_values_damped(m, m->tree->jump_at, t, cc, &m->jumps.now);
    return m->tree->jump_known = tree_matrix_damped(m, m->tree->jump_at, t, cc);
}

void tree_jump_solve(Mechanism *m, double *x) {
    Tree *tree = m->tree;
    int f = tree->independent, freedoms = m->matrix.freedoms;
    double *y = tree->x, *left = m->saved;
    double t = m->head->euler ? m->head->t : m->head->t + m->head->h;
    for (int a = 0; a < f; a++) y[a] = 0;
    for (int i = 0; i < freedoms; i++)
        for (int a = 0; a < f && x[i] != 0; a++) y[a] += tree->P[i * f + a] * x[i];
    tree_factor_solve(tree->S, tree->S_pivots, f, y, false);
    for (int i = 0; i < freedoms; i++) {
        left[i] = x[i];
        x[i] = 0;
        for (int a = 0; a < f; a++) x[i] += tree->P[i * f + a] * y[a];
    }
    memset(x + freedoms, 0, sizeof(double) * (size_t)m->multiplier_count);
    memset(left + freedoms, 0, sizeof(double) * (size_t)m->multiplier_count);
    factor_subtract_product(&m->matrix, &m->jumps.now, x, left, 1);
    for (int i = 0; i < freedoms; i++) left[i] = -left[i];
    tree_reactions(m, tree->jump_at, t, left, x + freedoms);
}

bool tree_jump_answer(Mechanism *m, const Load *impulses, double *x) {
    if (!m->tree->jump_known) return false;
    memset(x, 0, sizeof(double) * (size_t)m->matrix.size);
    for (int p = 0; p < m->port_count; p++) {
        if (m->ports[p].node < 0) continue;
        Load load = port_load_on_node(m, m->tree->jump_at, p, impulses[p]);
        const double on_node[6] = {load.force.x,  load.force.y,  load.force.z,
                                   load.moment.x, load.moment.y, load.moment.z};
        for (int k = 0; k < 6; k++) x[6 * m->ports[p].node + k] += on_node[k];
    }
    tree_jump_solve(m, x);
    return true;
}

bool tree_add_jump(Mechanism *m, const double *dv, const double *du) {
    Tree *tree = m->tree;
    int n = tree->count;
    double *jump = tree->x, *way = tree->y, h = m->head->h, t = m->head->t + h;
    tree_rates_of_nodes(m, m->now, dv, jump);
    tree_rates_of_nodes(m, m->now, du, way);
    for (int k = 0; k < n; k++) {
        tree->shift[k] += jump[k];
        tree->shift[n + k] += h * (way[k] - jump[k]);
        m->now.u[k] += jump[k];
        m->now.q[k] += h * way[k];
    }
    tree->matrix_known = false;
    return tree_close(m, m->now, t) && tree_close_rates(m, m->now, t) &&
           tree_solve_accelerations(m, m->now, t, m->loads);
}
