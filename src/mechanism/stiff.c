// Loads along stiff directions.
//
// A jump of the velocity is right where a mechanism is soft for the step. Along directions that are stiff for it (omega
// h above 1), the two-step scheme answers to a jump with a vibration that alternates from step to step and decays with
// rho_inf only: to loads that alternate the mechanism is softer than it is by ((1 + rho_inf)/(1 - rho_inf))^2. Grains
// that take small steps follow it, and heavy ones amplify it. To a force, as opposed to a jump, the scheme answers with
// the deflection F/k at once. So the impulses P of grains with small steps are divided by the matrix of the jump
// (jump.c), S' = M + B:
//
//     d  = S'^-1 Q^T P                    the jump that would be
//     M d                                 stays a jump: dv = S'^-1 M d
//     F  = (Q^T P - M d)/h = B d/h        is a force at the end of the step, for which the step is solved once more
//
// with the matrix S of Newton's iteration. The accelerations that are stored contain F. Without stiffness F is zero and
// nothing changes; with infinite stiffness the load is a force alone. (M includes what turning bodies do by their
// inertia, so that a free body has none of it: momentum is then kept as by a jump.) Small errors of S' or M move a part
// of the load from one to the other and change nothing at rest, because both are exact there.
//
// Within a step the ports answer to an impulse p in two ways (docs/theory/condensed.md),
//
//     lasting    Q S'^-1 M S'^-1 Q^T p                 a change of velocity that stays
//     yielding   b0^2 Q S^-1 (Q^T - M S'^-1 Q^T) p     a displacement, over h
#include "mechanism/internal.h"

// M, and the inertia of bodies that turn, with the joints.
static void stiff_find_inertia(Mechanism *m, double t) {
    double *local = m->matrix.local;
    factor_clear(&m->mass_matrix, &m->inertia);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        int size = 6 * element->node_count + element->multiplier_count;
        bool body = element->kind == &body_kind;
        if (element->kind->massless) continue;
        ElementInput in = element_input(m, element, m->now, t);
        memset(local, 0, sizeof(double) * (size_t)(size * size));
        element->kind->jacobian(element, &in, 1, body ? m->jumps.cc : 0, body ? m->jumps.ck : 0, local);
        factor_add(&m->mass_matrix, &m->inertia, e, size, local);
    }
}

// Sums over the velocities of products of two columns: a^T b, made symmetric.
static void stiff_products(const Mechanism *m, const double *a, const double *b, double weight, double *Y) {
    int columns = 6 * m->port_count;
    memset(Y, 0, sizeof(double) * (size_t)(columns * columns));
    for (int i = 0; i < m->matrix.freedoms; i++)
        for (int j = 0; j < columns; j++) {
            double left = weight * a[i * columns + j];
            for (int k = 0; left != 0 && k < columns; k++) Y[j * columns + k] += left * b[i * columns + k];
        }
    for (int j = 0; j < columns; j++)
        for (int k = 0; k < j; k++)
            Y[j * columns + k] = Y[k * columns + j] = 0.5 * (Y[j * columns + k] + Y[k * columns + j]);
    mobility_clear_rounding(m, Y);
}

bool mechanism_divide(Mechanism *m, double *lasting, double *yielding, double *settling) {
    Mobility *y = &m->mobility;
    int columns = 6 * m->port_count, freedoms = m->matrix.freedoms;
    double b0 = m->head->scheme.b0, *inert = y->inert, *stiff = y->forces;
    size_t numbers = (size_t)columns * (size_t)m->matrix.size;
    if (!y->known || m->tree || m->head->euler || m->head->parts > 1 || !mobility_of_forces(m)) return false;
    stiff_find_inertia(m, m->head->t + m->head->h);
    memset(inert, 0, sizeof(double) * numbers);
    factor_subtract_product(&m->mass_matrix, &m->inertia, y->answer, inert, columns); // -M D
    stiff_products(m, y->answer, inert, -1, lasting);
    mobility_unit_impulses(m, stiff);
    for (int i = 0; i < freedoms * columns; i++) stiff[i] += inert[i];
    stiff_products(m, y->of_forces, stiff, b0 * b0, yielding);
    *settling = 0.125 * m->jumps.ck / m->head->h; // e b0/(1 + a2) h/8
    return y->divided = true;
}

// d -> S'^-1 M d; the impulses M d, and those of the joints, are taken off `force`.
static bool stiff_divide(Mechanism *m, double *d, double *force) {
    double *r = m->unknown;
    memset(r, 0, sizeof(double) * (size_t)m->matrix.size);
    factor_subtract_product(&m->mass_matrix, &m->inertia, d, r, 1);
    memset(r + m->matrix.freedoms, 0, sizeof(double) * (size_t)m->multiplier_count);
    for (int i = 0; i < m->matrix.freedoms; i++) {
        if (force) force[i] += r[i];
        r[i] = -r[i];
    }
    memcpy(d, r, sizeof(double) * (size_t)m->matrix.size);
    return mobility_refine(m, d);
}

// Forces that are nothing but rounding are none.
static bool stiff_is_nothing(const Mechanism *m, const Load *impulses, const double *force) {
    double all = 0, stiff = 0, L = m->length;
    for (int p = 0; p < m->port_count; p++) {
        Vec3 arm = m->ports[p].node < 0 ? vec3_zero() : port_arm(m, m->now, p);
        all = fmax(all, vec3_norm(impulses[p].force));
        all = fmax(all, (vec3_norm(impulses[p].moment) + vec3_norm(arm) * vec3_norm(impulses[p].force)) / L);
    }
    for (int i = 0; i < m->matrix.freedoms; i++) stiff = fmax(stiff, fabs(force[i]) / (i % 6 < 3 ? 1 : L));
    return stiff <= 1e-9 * all;
}

static void stiff_add_velocities(const Mechanism *m, double weight, double *sum) {
    for (int n = 0; n < m->node_count; n++, sum += 6) {
        const NodeState *node = &m->now.nodes[n];
        const double v[6] = {node->v.x, node->v.y, node->v.z, node->w.x, node->w.y, node->w.z};
        for (int k = 0; k < 6; k++) sum[k] += weight * v[k];
    }
}

void stiff_on_nodes(const Mechanism *m, const Load *impulses, double *force) {
    memset(force, 0, sizeof(double) * (size_t)m->matrix.freedoms);
    for (int p = 0; p < m->port_count; p++) {
        int node = m->ports[p].node;
        if (node < 0) continue;
        Load load = port_load_on_node(m, m->now, p, impulses[p]);
        for (int k = 0; k < 3; k++) {
            force[6 * node + k] += vec3_component(load.force, k);
            force[6 * node + 3 + k] += vec3_component(load.moment, k);
        }
    }
}

// Adds g (1 - T) (dv - du/e), T = S'^-1 M: impulses that did not fall evenly over the step (docs/theory/condensed.md).
static bool stiff_add_uneven(Mechanism *m, double *dv, const double *du) {
    double g = two_step_uneven(&m->head->scheme), e = m->head->lag_share + 0.5;
    double *x = m->jump + 2 * m->matrix.size;
    for (int i = 0; i < m->matrix.size; i++) x[i] = dv[i] - du[i] / e;
    if (!stiff_divide(m, x, NULL)) return false;
    for (int i = 0; i < m->matrix.size; i++) dv[i] += g * (dv[i] - du[i] / e - x[i]);
    return true;
}

bool stiff_take(Mechanism *m, const Load *impulses, double *dv, double *du) {
    StateHead *head = m->head;
    double *force = m->stiff_force, t = head->t + head->h;
    int freedoms = m->matrix.freedoms;
    stiff_on_nodes(m, impulses, force);
    if (!stiff_divide(m, dv, force) || !stiff_divide(m, du, NULL)) return false;
    if (!stiff_add_uneven(m, dv, du)) return false;
    memset(m->stiff_jump, 0, sizeof(double) * (size_t)freedoms);
    if (stiff_is_nothing(m, impulses, force)) {
        memset(force, 0, sizeof(double) * (size_t)freedoms);
        return true;
    }
    for (int i = 0; i < freedoms; i++) force[i] /= head->h;
    stiff_add_velocities(m, -1, m->stiff_jump);
    head->stiff_acts = true;
    step_move(m, m->one);
    NewtonResult result = newton_solve(m, m->one, t, m->loads);
    if (!result.converged || !consistent_step(m, m->one, t, m->loads)) return false;
    stiff_add_velocities(m, 1, m->stiff_jump);
    return true;
}
