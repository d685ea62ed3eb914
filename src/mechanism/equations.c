// Residual, Jacobian and rates of the whole mechanism: sums over its elements.
#include "mechanism/internal.h"

#include <math.h>

ElementInput element_input(const Mechanism *m, const Element *element, Instant at, double t) {
    ElementInput in = elements_input(m, &at, t);
    element_input_set(element, &at, &in);
    return in;
}

Vec3 port_arm(const Mechanism *m, Instant at, int port) {
    const Port *p = &m->ports[port];
    const NodeState *then = &m->one.nodes[p->node];
    Vec3 origin = vec3_add(then->x, mat3_apply(then->R, p->offset));
    return vec3_sub(origin, at.nodes[p->node].x);
}

Load port_load_on_node(const Mechanism *m, Instant at, int port, Load load) {
    return (Load){load.force, vec3_add(load.moment, vec3_cross(port_arm(m, at, port), load.force))};
}

// Of elements that are `massless`, or of all others.
static void equations_add_residuals(const Mechanism *m, Instant at, double t, bool massless, double *r) {
    double local[ELEMENT_ROWS];
    int freedoms = m->matrix.freedoms;
    ElementInput in = elements_input(m, &at, t);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if (element->kind->massless != massless) continue;
        element_input_set(element, &at, &in);
        element->kind->residual(element, &in, local);
        for (int i = 0; i < element->node_count; i++)
            if (element->node[i] >= 0)
                for (int k = 0; k < 6; k++) r[6 * element->node[i] + k] += local[6 * i + k];
        const double *phi = local + 6 * element->node_count;
        for (int k = 0; k < element->multiplier_count; k++) r[freedoms + element->multiplier + k] = phi[k];
    }
}

void mech_forces(Mechanism *m, Instant at, double t, const Load *loads, double *r) {
    memset(r, 0, sizeof(double) * (size_t)m->matrix.size);
    equations_add_residuals(m, at, t, true, r);
    for (int i = 0; i < m->matrix.freedoms && m->head->stiff_acts; i++) r[i] -= m->stiff_force[i];
    for (int p = 0; p < m->port_count && loads; p++) {
        if (m->ports[p].node < 0) continue;
        Load load = port_load_on_node(m, at, p, loads[p]);
        double *row = r + 6 * m->ports[p].node;
        row[0] -= load.force.x, row[1] -= load.force.y, row[2] -= load.force.z;
        row[3] -= load.moment.x, row[4] -= load.moment.y, row[5] -= load.moment.z;
    }
}

void mech_add_others(Mechanism *m, Instant at, double t, double *r) {
    equations_add_residuals(m, at, t, false, r);
}

void mech_residual(Mechanism *m, Instant at, double t, const Load *loads, double *r) {
    mech_forces(m, at, t, loads, r);
    mech_add_others(m, at, t, r);
}

void mech_phi(const Mechanism *m, Instant at, double t, double *phi) {
    double local[ELEMENT_ROWS];
    ElementInput in = elements_input(m, &at, t);
    for (int c = 0; c < m->constraint_count; c++) {
        const Element *element = m->constraints[c];
        element_input_set(element, &at, &in);
        element->kind->residual(element, &in, local);
        memcpy(phi + element->multiplier, local + 6 * element->node_count,
               sizeof(double) * (size_t)element->multiplier_count);
    }
}

static void equations_sum_jacobians(Mechanism *m, const Matrix *matrix, Instant at, double t, double cm,
                                    double cc, double ck, Factor *factor) {
    double *local = m->matrix.local;
    factor_clear(matrix, factor);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        int size = 6 * element->node_count + element->multiplier_count;
        if (matrix->of_mass && element->kind->massless) continue;
        ElementInput in = element_input(m, element, at, t);
        memset(local, 0, sizeof(double) * (size_t)(size * size));
        element->kind->jacobian(element, &in, cm, cc, ck, local);
        factor_add(matrix, factor, e, size, local);
    }
}

void mech_jacobian(Mechanism *m, Instant at, double t, double cm, double cc, double ck, Factor *factor) {
    equations_sum_jacobians(m, &m->matrix, at, t, cm, cc, ck, factor);
}

void mech_mass(Mechanism *m, Instant at, double t, Factor *factor) {
    equations_sum_jacobians(m, &m->mass_matrix, at, t, 1, 0, 0, factor);
}

// J B^-1 (newton.c): columns of angular accelerations become columns of rotations over c^2. Blocks between
// nodes only.
static void equations_turn_columns(const Element *element, const Mat3 *inverse, const bool *turned, int size,
                                   double *J) {
    for (int n = 0; n < element->node_count; n++) {
        if (!turned[n]) continue;
        for (int i = 0; i < 6 * element->node_count; i++) {
            double *at = J + i * size + 6 * n + 3;
            Vec3 row = mat3_apply_transpose(inverse[n], vec3(at[0], at[1], at[2]));
            at[0] = row.x, at[1] = row.y, at[2] = row.z;
        }
    }
}

void mech_step_jacobian(Mechanism *m, Instant at, const Vec3 *turns, double t, double c, Factor *factor) {
    double *sum = m->matrix.local, *part = m->matrix.local_part;
    factor_clear(&m->matrix, factor);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        int nodes = 6 * element->node_count, size = nodes + element->multiplier_count;
        ElementInput in = element_input(m, element, at, t);
        Mat3 inverse[ELEMENT_NODES];
        bool turned[ELEMENT_NODES], any = false;
        for (int n = 0; n < element->node_count; n++) {
            Vec3 turn = turns && element->node[n] >= 0 ? turns[element->node[n]] : vec3_zero();
            turned[n] = turn_inverse(turn, in.node[n]->w, c, &inverse[n]);
            any |= turned[n];
        }
        memset(sum, 0, sizeof(double) * (size_t)(size * size));
        element->kind->jacobian(element, &in, any ? 0 : 1, any ? 0 : c, c * c, sum);
        if (any) {
            memset(part, 0, sizeof(double) * (size_t)(size * size));
            element->kind->jacobian(element, &in, 1, c, 0, part);
            equations_turn_columns(element, inverse, turned, size, part);
            for (int i = 0; i < nodes; i++)
                for (int j = 0; j < nodes; j++) sum[i * size + j] += part[i * size + j];
        }
        factor_add(&m->matrix, factor, e, size, sum);
    }
}

void mech_rates(Mechanism *m, Instant at, double t, double *rate, double *second) {
    double rates[ELEMENT_MULTIPLIERS], seconds[ELEMENT_MULTIPLIERS];
    ElementInput in = elements_input(m, &at, t);
    for (int c = 0; c < m->constraint_count; c++) {
        const Element *element = m->constraints[c];
        element_input_set(element, &at, &in);
        element->kind->rates(element, &in, rates, second ? seconds : NULL);
        for (int k = 0; k < element->multiplier_count; k++) {
            if (rate) rate[element->multiplier + k] = rates[k];
            if (second) second[element->multiplier + k] = seconds[k];
        }
    }
}

double mech_violation(const Mechanism *m, const double *phi, int *worst) {
    double largest = 0;
    for (int i = 0; i < m->multiplier_count; i++) {
        double size = fabs(phi[i]) / m->phi_scale[i];
        if (!(size <= largest)) { // NaN counts as the largest
            largest = size;
            if (worst) *worst = i;
        }
    }
    return largest;
}

const Element *mech_constraint(const Mechanism *m, int multiplier) {
    for (int c = 0; c < m->constraint_count; c++) {
        const Element *element = m->constraints[c];
        if (multiplier < element->multiplier + element->multiplier_count) return element;
    }
    return NULL;
}

const Element *mech_not_finite(const Mechanism *m, Instant at, double t) {
    double r[ELEMENT_ROWS];
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        int size = 6 * element->node_count + element->multiplier_count;
        ElementInput in = element_input(m, element, at, t);
        element->kind->residual(element, &in, r);
        for (int k = 0; k < size; k++)
            if (!isfinite(r[k])) return element;
    }
    return NULL;
}

static ElementEnergy equations_sum_energy(const Mechanism *m, Instant at, double t, bool powers_only) {
    ElementEnergy energy = {0};
    ElementInput in = elements_input(m, &at, t);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        const ElementKind *kind = element->kind;
        if (!kind->energy || (powers_only && kind->powerless && kind->powerless(element))) continue;
        element_input_set(element, &at, &in);
        kind->energy(element, &in, &energy);
    }
    return energy;
}

ElementEnergy mech_energy(const Mechanism *m, Instant at, double t) {
    return equations_sum_energy(m, at, t, false);
}
ElementEnergy mech_power(const Mechanism *m, Instant at, double t) {
    return equations_sum_energy(m, at, t, true);
}

double mech_applied_power(const Mechanism *m, Instant at, double t) {
    ElementEnergy energy = {0};
    ElementInput in = elements_input(m, &at, t);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if (!element->kind->energy || element->multiplier_count > 0) continue;
        element_input_set(element, &at, &in);
        element->kind->energy(element, &in, &energy);
    }
    return energy.work;
}

void node_displace(NodeState *node, const double *d) {
    node->x = vec3_add(node->x, vec3(d[0], d[1], d[2]));
    node->R = mat3_mul(so3_exp(vec3(d[3], d[4], d[5])), node->R);
}
