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
//
// Beams that turn while they bend are stretched by a jump, because it moves their nodes along chords: by nanometres, which
// their stiffness makes newtons. The step before takes the stretch back, so that the mean force is right. Let q* be the
// pose before the jump, V the velocity without correction for the lag, and s = b0/(1 + a2). At rest the two-step formula
// and the jump (jump.c) give
//
//     M dv/h = (1 - s) f(q, V) + s f(q*, V - dv),      P/h = M dv/h + C lag + s (C dv + h K du)      C, K at q*, V - dv
//
// Forces are linear in the velocities. With beams, reported is therefore what
//
//     M a + (1 - s) f(q, V) + s [f(q*, V + lag/s) + h K du] + G^T lambda = Q^T P/h
//
// gives, which is the equation above as far as f is linear. (With f at q alone, a ball of 154 g at rest on a beam of 0.3 m had
// 7 m/s^2 along the beam at h = 1 ms.)
//
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

// The impulses of this step have shifted nodes of beams.
static bool report_is_bent(const Mechanism *m) {
    for (int i = 0; i < m->matrix.freedoms; i++)
        if (m->of_beam[i / 6] && m->shift[i] != 0) return true;
    return false;
}

// m->trial: the pose before the impulses, with the velocities of now and `factor` times x more.
static void report_before(Mechanism *m, double factor, const double *x) {
    instant_copy(m, m->trial, m->now);
    for (int n = 0; n < m->node_count; n++, x += 6) {
        NodeState *node = &m->trial.nodes[n];
        node->x = m->unpushed[n].x;
        node->R = m->unpushed[n].R;
        node->v = vec3_madd(node->v, factor, vec3(x[0], x[1], x[2]));
        node->w = vec3_madd(node->w, factor, vec3(x[3], x[4], x[5]));
    }
}

// The residual x of a mechanism whose beams a jump has bent: with the mean of the forces before and after it.
static void report_mean_residual(Mechanism *m, double t, const Load *loads, double *x) {
    const TwoStep *s = &m->head->scheme;
    double *r = m->residual, *way = m->saved, share = s->b0 / (s->b0 + s->b1 + s->b2);
    int freedoms = m->matrix.freedoms;
    memset(way, 0, sizeof(double) * (size_t)m->matrix.size);
    for (int i = 0; i < freedoms; i++) way[i] = -m->head->h * m->shift[i] - m->shift[freedoms + i];
    mech_residual(m, m->now, t, NULL, x);
    report_before(m, m->head->held / share, m->lasting_lag);
    mech_residual(m, m->trial, t, NULL, r);
    report_before(m, -1, m->shift);
    mech_subtract_product(m, m->trial, t, 0, 0, 1, way, r, 1);
    for (int i = 0; i < freedoms; i++) x[i] = (1 - share) * x[i] + share * r[i];
    for (int p = 0; p < m->port_count; p++) {
        double *row = x + 6 * m->ports[p].node;
        if (m->ports[p].node < 0) continue;
        Load load = port_load_on_node(m, m->now, p, loads[p]);
        row[0] -= load.force.x, row[1] -= load.force.y, row[2] -= load.force.z;
        row[3] -= load.moment.x, row[4] -= load.moment.y, row[5] -= load.moment.z;
    }
}

static bool report_solve(Mechanism *m, double t, const Load *loads) {
    int freedoms = m->matrix.freedoms;
    double *x = m->unknown;
    if (!report_factors(m, t)) return false;
    if (!m->tree && report_is_bent(m)) report_mean_residual(m, t, loads, x);
    else mech_residual(m, m->reported, t, loads, x);
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
