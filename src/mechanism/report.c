// What is reported of the present between two steps.
//
// After impulses, the state of the integrator is not what a user means: its accelerations do not contain the impulses,
// its velocities lag behind a lasting load, and its multipliers belong to both. Reported are the velocities v without
// the lag (jump.c), and the accelerations and reactions that the equations of motion give there with the mean load P/h
// of the step:
//
//     M a + f(q, v) + G^T lambda = Q^T P/h,   d^2(phi)/dt^2 = 0
//
// At rest a = 0, and the reactions balance weights and loads exactly. An impact appears as its mean over one step.
// Velocities include what loads that were handed over as forces have still to add (late.c).
#include "mechanism/actuator.h"
#include "mechanism/compliance.h"
#include "mechanism/force.h"
#include "mechanism/internal.h"
#include "mechanism/joint.h"

static bool report_has_impulses(const Mechanism *m) {
    for (int i = 0; i < m->matrix.freedoms; i++)
        if (m->last_jump[i] != 0 || m->lasting_jump[i] != 0 || m->last_stiff[i] != 0) return true;
    return false;
}

static void report_mass(Mechanism *m, Instant at, double t, Factor *factor) {
    mech_mass(m, at, t, factor);
    for (int i = 0; i < m->matrix.freedoms; i++)
        if (m->massless[i] > 0) factor_add_diagonal(&m->mass_matrix, factor, i, 1e-6 * m->massless[i]);
}

static bool report_factors(Mechanism *m, double t) {
    Factor *factor = &m->report_factor;
    if (!factor->pivoted) { // in the order of the start, as the other factors
        report_mass(m, m->start, 0, factor);
        factor_pivot(&m->mass_matrix, factor, NULL);
    }
    report_mass(m, m->reported, t, factor);
    return factor_compute(&m->mass_matrix, factor, NULL);
}

static bool report_solve(Mechanism *m, double t, const Load *loads) {
    int freedoms = m->matrix.freedoms;
    double *x = m->unknown;
    if (!report_factors(m, t)) return false;
    mech_residual(m, m->reported, t, loads, x);
    mech_rates(m, m->reported, t, NULL, x + freedoms);
    for (int i = 0; i < freedoms; i++)
        if (m->massless[i] > 0) x[i] = 0; // no equation of motion: they keep their accelerations
    for (int i = 0; i < m->matrix.size; i++) x[i] = -x[i];
    return factor_solve(&m->mass_matrix, &m->report_factor, x, 1);
}

static bool report_late(Mechanism *m, double t) {
    double *dv = m->residual;
    if (!report_factors(m, t) || !late_velocities(m, &m->report_factor, dv)) return false;
    for (int n = 0; n < m->node_count; n++, dv += 6) {
        NodeState *node = &m->reported.nodes[n];
        node->v = vec3_add(node->v, vec3(dv[0], dv[1], dv[2]));
        node->w = vec3_add(node->w, vec3(dv[3], dv[4], dv[5]));
    }
    return true;
}

static MrcStatus report_fail(const Mechanism *m, MrcError *error) {
    return error_set(error, MRC_NOT_CONVERGED, "the accelerations cannot be found at t = %.9g s", m->head->t);
}

MrcStatus mechanism_report(Mechanism *m, MrcError *error) {
    StateHead *head = m->head;
    Load loads[PORTS_MAX];
    instant_copy(m, m->reported, m->now);
    if (head->stage != STAGE_IDLE) return MRC_OK;
    if (late_acts(m) && !report_late(m, head->t)) return report_fail(m, error);
    if (!report_has_impulses(m)) return MRC_OK;
    for (int p = 0; p < m->port_count; p++)
        loads[p] = load_add(m->loads[p], load_scale(1 / head->h, m->impulses[p]));
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->reported.nodes[n];
        Twist lag = mechanism_lag(m, n);
        node->v = vec3_add(node->v, lag.linear);
        node->w = vec3_add(node->w, lag.angular);
    }
    if (head->euler) return MRC_OK; // its accelerations and multipliers contain the impulses
    if (!report_solve(m, head->t, loads)) return report_fail(m, error);
    const double *x = m->unknown;
    for (int n = 0; n < m->node_count; n++, x += 6) {
        NodeState *node = &m->reported.nodes[n];
        node->a = vec3_add(node->a, vec3(x[0], x[1], x[2]));
        node->alpha = vec3_add(node->alpha, vec3(x[3], x[4], x[5]));
    }
    for (int i = 0; i < m->multiplier_count; i++) m->reported.lambda[i] += m->unknown[m->matrix.freedoms + i];
    return MRC_OK;
}

const NodeState *mechanism_reported_node(const Mechanism *m, int node) {
    return node < 0 ? &node_ground : &m->reported.nodes[node];
}

static SpringValues report_spring(const Mechanism *m, const char *name, const RelativeKind *kind) {
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if (element->kind->residual != compliance_residual || strcmp(element->name, name) != 0 ||
            ((const Compliance *)element->data)->count != 1 ||
            ((const Compliance *)element->data)->parts[0].coordinate.kind != kind)
            continue;
        ElementInput in = element_input(m, element, m->reported, m->head->t);
        return compliance_values(element, &in);
    }
    return (SpringValues){0};
}

SpringValues mechanism_reported_spring(const Mechanism *m, const char *name) {
    return report_spring(m, name, &relative_distance);
}

SpringValues mechanism_reported_torsion_spring(const Mechanism *m, const char *name) {
    SpringValues values = report_spring(m, name, &relative_turn);
    values.force = -values.force;
    return values;
}

ForceValues mechanism_reported_force(const Mechanism *m, const char *name) {
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if (!force_is(element) || strcmp(element->name, name) != 0) continue;
        ElementInput in = element_input(m, element, m->reported, m->head->t);
        return force_values(element, &in);
    }
    return (ForceValues){0};
}

ActuatorValues mechanism_reported_actuator(const Mechanism *m, const char *name) {
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if ((element->kind != &actuator_motor_kind && element->kind != &actuator_cylinder_kind) ||
            strcmp(element->name, name) != 0)
            continue;
        ElementInput in = element_input(m, element, m->reported, m->head->t);
        return actuator_values(element, &in);
    }
    return (ActuatorValues){0};
}

Load mechanism_reported_reaction(const Mechanism *m, int joint) {
    bool plain = m->head->euler || !report_has_impulses(m);
    return plain ? mechanism_reaction(m, joint)
                 : element_reaction(m, &m->elements[joint], m->reported, NULL, m->head->t);
}

JointValues mechanism_reported_joint(const Mechanism *m, int joint) {
    ElementInput in = element_input(m, &m->elements[joint], m->reported, m->head->t);
    return joint_values(&m->elements[joint], &in, mechanism_reported_reaction(m, joint));
}
