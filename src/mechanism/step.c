// The functions of a step: begin, advance, iterate, commit.
//
// When Newton's iteration does not converge it is repeated from linearly extrapolated poses. If that does
// not help, the step is divided into 2, 4, 8, ... equal parts, with loads at the ports interpolated
// linearly. The first part is taken by the trapezoidal rule, which needs no past; the next full step uses
// the two full instants again. (The two-step formula for unequal steps could use the past in the first
// part, too. But fast vibrations are then sampled at a distance of many periods, and are excited when this
// happens at every step: a rotating beam began to flap.)
#include <math.h>

#include "mechanism/actuator.h"
#include "mechanism/tree.h"

enum { STEP_PARTS_MAX = 256 };

double mechanism_rho_inf(const Mechanism *m) { return m->definition->integrator.rho_inf; }
double mechanism_time(const Mechanism *m) { return m->head->t; }

// No impulses in this step yet.
static void step_clear_impulses(Mechanism *m) {
    m->head->step_impulse_work = m->head->step_drive_work = m->head->step_stopped = 0;
    memset(m->impulses, 0, sizeof(Load) * (size_t)m->port_count);
    memset(m->shift, 0, sizeof(double) * 2 * (size_t)m->matrix.freedoms);
    memset(m->lag, 0, sizeof(double) * (size_t)m->matrix.freedoms);
    memset(m->lambda_impulse, 0, sizeof(double) * (size_t)m->multiplier_count);
    if (m->tree) memset(m->tree->shift, 0, sizeof(double) * 2 * (size_t)m->tree->count);
    m->head->stiff_acts = m->mobility.divided = false;
    memset(m->stiff_jump, 0, sizeof(double) * (size_t)m->matrix.freedoms);
}

MrcStatus mechanism_begin(Mechanism *m, double h, MrcError *error) {
    StateHead *head = m->head;
    if (!(isfinite(h) && h > 0)) return error_set(error, MRC_USAGE, "a step of %g s is not a step", h);
    if (m->inputs) inputs_copy(&m->now.inputs, m->inputs);
    head->h = h;
    head->stage = STAGE_PREDICTED;
    head->euler = head->stiff_acts = false;
    head->last_correction = 0;
    m->mobility.known = false;
    memcpy(m->loads, m->loads_one, sizeof(Load) * (size_t)m->port_count);
    step_clear_impulses(m);
    step_predict(m, m->one, m->two, head->past_h, head->t, h);
    for (int n = 0; n < m->node_count; n++)
        if (!vec3_is_finite(m->now.nodes[n].x) || !vec3_is_finite(m->now.nodes[n].v))
            return error_set(error, MRC_NOT_FINITE, "node '%s' has no finite motion at t = %.6g s",
                             m->node_names[n], head->t);
    return MRC_OK;
}

static MrcStatus step_check_begun(const Mechanism *m, const char *verb, MrcError *error) {
    if (m->head->stage != STAGE_IDLE) return MRC_OK;
    return error_set(error, MRC_USAGE, "mechanism: %s without begin", verb);
}

static void step_keep_loads(Mechanism *m, const Load *loads) {
    if (loads) memcpy(m->loads, loads, sizeof(Load) * (size_t)m->port_count);
    else memset(m->loads, 0, sizeof(Load) * (size_t)m->port_count);
}

// A solved step has consistent velocities and accelerations: back to the motion that the two-step formula
// gives.
static void step_start_again(Mechanism *m) {
    StateHead *head = m->head;
    if (head->stage != STAGE_SOLVED) return;
    step_clear_impulses(m);
    if (head->parts > 1) step_predict(m, m->one, m->two, head->past_h, head->t, head->h);
    else step_move(m, m->one);
}

// ---- a step that is too long ---------------------------------------------------------------------------
static bool step_try_parts(Mechanism *m, int parts, NewtonResult *result) {
    StateHead *head = m->head;
    double h = head->h / parts, past = 0;
    Load between[PORTS_MAX];
    Instant two = m->two;
    instant_copy(m, m->sub_one, m->one);
    for (int i = 0; i < parts; i++) {
        double t = head->t + i * h, share = (i + 1.0) / parts;
        for (int p = 0; p < m->port_count; p++) {
            Vec3 force = m->loads_one[p].force, moment = m->loads_one[p].moment;
            between[p].force = vec3_madd(vec3_scale(1 - share, force), share, m->loads[p].force);
            between[p].moment = vec3_madd(vec3_scale(1 - share, moment), share, m->loads[p].moment);
        }
        step_predict(m, m->sub_one, two, past, t, h);
        *result = newton_solve(m, m->sub_one, t + h, between);
        if (!result->converged || !consistent_step(m, m->sub_one, t + h, between)) return false;
        if (i == parts - 1) break;
        instant_copy(m, m->sub_two, m->sub_one);
        instant_copy(m, m->sub_one, m->now);
        if (m->tree) tree_choose_again(m, t + h);
        two = m->sub_two;
        past = h;
    }
    return true;
}

static MrcStatus step_describe_failure(Mechanism *m, const NewtonResult *result, MrcError *error) {
    StateHead *head = m->head;
    char joints[320];
    instant_copy(m, m->now, m->one); // back to the last good state
    head->stage = STAGE_IDLE;
    if (mech_find_blocked(m, joints, sizeof joints))
        return error_set(
            error, MRC_NOT_CONVERGED,
            "the mechanism is in or near a singular position at t = %.9g s, where its joints block "
            "each other: %s. Is it pulled further than it reaches, or driven through a dead centre?",
            head->t, joints);
    if (result->singular)
        return error_set(error, MRC_NOT_CONVERGED,
                         "the mechanism's matrix is singular at t = %.9g s: something can move that has "
                         "neither mass nor stiffness, or joints hinder each other",
                         head->t);
    const Element *wrong = result->finite ? NULL : mech_not_finite(m, m->one, head->t + head->h);
    if (wrong)
        return error_set(error, MRC_NOT_CONVERGED,
                         "what %s '%s' exerts becomes infinite or not a number after t = %.9g s",
                         wrong->kind->name, wrong->name, head->t);
    return error_set(
        error, MRC_NOT_CONVERGED,
        "Newton's iteration of the mechanism does not converge at t = %.9g s, not even with a step "
        "of %.3g s; the largest correction is at node '%s'%s. Try a smaller step, more "
        "iterations, or check what is very stiff there and which loads jump",
        head->t, head->h / STEP_PARTS_MAX, m->node_names[result->worst],
        result->finite ? "" : " (not a number)");
}

static MrcStatus step_in_parts(Mechanism *m, NewtonResult *result, MrcError *error) {
    StateHead *head = m->head;
    bool solved = false;
    while (!solved && head->parts < STEP_PARTS_MAX) {
        head->parts *= 2;
        m->counts.retries++;
        solved = step_try_parts(m, (int)head->parts, result);
    }
    if (!solved) return step_describe_failure(m, result, error);
    // from here on the whole step counts
    head->scheme = two_step_variable(m->definition->integrator.rho_inf, head->past_h / head->h);
    head->c = head->h * head->scheme.b0;
    head->stage = STAGE_SOLVED;
    return MRC_OK;
}

MrcStatus mechanism_advance(Mechanism *m, const Load *loads, MrcError *error) {
    StateHead *head = m->head;
    MrcStatus status = step_check_begun(m, "advance", error);
    if (status != MRC_OK) return status;
    step_keep_loads(m, loads);
    m->mobility.known = false;
    step_start_again(m);
    NewtonResult result = newton_solve(m, m->one, head->t + head->h, m->loads);
    if (!result.converged) {
        step_extrapolate(m, m->one, m->two, head->past_h, head->h);
        result = newton_solve(m, m->one, head->t + head->h, m->loads);
    }
    head->parts = 1;
    head->stage = STAGE_ITERATED;
    head->last_correction = 0;
    return result.converged ? MRC_OK : step_in_parts(m, &result, error);
}

MrcStatus mechanism_iterate(Mechanism *m, const Load *loads, double *error_norm, MrcError *error) {
    StateHead *head = m->head;
    MrcStatus status = step_check_begun(m, "iterate", error);
    if (status != MRC_OK) return status;
    double t = head->t + head->h, correction;
    int worst = 0;
    step_keep_loads(m, loads);
    m->mobility.known = false;
    step_start_again(m);
    head->parts = 1;
    if (!newton_prepare(m, t))
        return error_set(error, MRC_NOT_CONVERGED, "the mechanism's matrix is singular at t = %.9g s", t);
    if (!newton_iterate(m, m->one, t, m->loads, &correction, &worst))
        return error_set(error, MRC_NOT_FINITE,
                         "Newton's iteration of the mechanism diverges at t = %.9g s, node '%s'", t,
                         m->node_names[worst]);
    // Slow convergence may be due to loads that change between iterations: a new matrix, once.
    if (head->last_correction > 0 && correction > 0.5 * head->last_correction && correction > 1)
        head->step_rate = 1;
    head->last_correction = correction;
    head->stage = STAGE_ITERATED;
    *error_norm = correction;
    return MRC_OK;
}

// ---- the end of a step ---------------------------------------------------------------------------------
static double step_ports_power(const Mechanism *m) {
    double power = 0;
    for (int p = 0; p < m->port_count; p++) {
        int node = m->ports[p].node;
        if (node < 0) continue;
        Load load = port_load_on_node(m, m->now, p, m->loads[p]);
        power += vec3_dot(load.force, m->now.nodes[node].v) + vec3_dot(load.moment, m->now.nodes[node].w);
    }
    return power;
}

Mat3 step_orthogonal(Mat3 R) {
    Mat3 square = mat3_scale(-0.5, mat3_mul(mat3_transpose(R), R));
    for (int i = 0; i < 3; i++) square.m[i][i] += 1.5;
    return mat3_mul(R, square);
}

// Velocities and accelerations are made consistent once the step is final: impulses and other loads would
// undo it.
MrcStatus mechanism_finish(Mechanism *m, MrcError *error) {
    StateHead *head = m->head;
    NewtonResult none = {.finite = true};
    if (head->stage == STAGE_SOLVED && m->tree && m->tree->open)
        return error_set(error, MRC_NOT_CONVERGED,
                         "the loops of the mechanism cannot be closed under the impulses at t = %.9g s",
                         head->t + head->h);
    if (head->stage == STAGE_SOLVED) return MRC_OK;
    if (!consistent_step(m, m->one, head->t + head->h, m->loads)) return step_in_parts(m, &none, error);
    head->stage = STAGE_SOLVED;
    return MRC_OK;
}

// Semi-implicit Euler: the forces of dampers are those of the velocities v of the beginning of the step, and what they take from
// the energy that the scheme keeps (docs/theory/stability.md) is h C v.(v + v')/2 = h [P((v + v')/2) + (P(v) - P(v'))/4] with
// P(v) = v.C v. The mean of P(v) and P(v') would be more by h/4 (v' - v).C (v' - v), in the end several times what is there.
static void step_mean_velocities(Mechanism *m, double weight, Instant at, NodeState *sum) {
    for (int n = 0; n < m->node_count; n++) {
        Twist lag = mechanism_lag(m, n);
        sum[n].v = vec3_madd(sum[n].v, weight, vec3_add(at.nodes[n].v, lag.linear));
        sum[n].w = vec3_madd(sum[n].w, weight, vec3_add(at.nodes[n].w, lag.angular));
    }
}

static void step_keep_velocities(Mechanism *m) {
    for (int n = 0; n < m->node_count; n++) m->trial.nodes[n].v = m->trial.nodes[n].w = vec3_zero();
    step_mean_velocities(m, 0.5, m->one, m->trial.nodes);
}

static double step_euler_loss(Mechanism *m, double t, double after) {
    step_mean_velocities(m, 0.5, m->now, m->trial.nodes);
    instant_copy(m, m->reported, m->now);
    for (int n = 0; n < m->node_count; n++) {
        m->reported.nodes[n].v = m->trial.nodes[n].v;
        m->reported.nodes[n].w = m->trial.nodes[n].w;
    }
    return mech_power(m, m->reported, t).dissipated + 0.25 * (m->head->power.dissipated - after);
}

// Dampers and material damping take h v.C v, v being the mean velocity of the step: from pose to pose, in the pose half-way. At
// rest under a load nothing moves from pose to pose. (The mean of the powers at both ends is as good for smooth motions. But of
// an impact that a damper stops within the step, c/m above 1/h, it is h c/m times what there was: grains that bounced in a can
// on a beam of strong material damping made the ledger record ten times all energy of the run.)
static double step_loss(Mechanism *m) {
    double h = m->head->h;
    instant_copy(m, m->reported, m->now);
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *from = &m->one.nodes[n], *to = &m->now.nodes[n];
        NodeState *node = &m->reported.nodes[n];
        Vec3 turn = so3_log(mat3_mul(to->R, mat3_transpose(from->R)));
        node->x = vec3_scale(0.5, vec3_add(from->x, to->x));
        node->R = mat3_mul(so3_exp(vec3_scale(0.5, turn)), from->R);
        node->v = vec3_scale(1 / h, vec3_sub(to->x, from->x));
        node->w = vec3_scale(1 / h, turn);
    }
    return h * mech_power(m, m->reported, m->head->t + 0.5 * h).dissipated;
}

// The motion of now, at the velocities without the lag of a load that lasts (jump.c).
static void step_report_without_lag(Mechanism *m) {
    instant_copy(m, m->reported, m->now);
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->reported.nodes[n];
        Twist lag = mechanism_lag(m, n);
        node->v = vec3_add(node->v, lag.linear);
        node->w = vec3_add(node->w, lag.angular);
    }
}

static ElementEnergy step_power(Mechanism *m, double t) {
    bool lags = false;
    for (int i = 0; i < m->matrix.freedoms && !lags; i++) lags = m->lasting_lag[i] != 0;
    if (!lags) return mech_power(m, m->now, t);
    step_report_without_lag(m);
    return mech_power(m, m->reported, t);
}

// Semi-implicit Euler: a force F of the beginning of the step gives h F.(v + v')/2 to the energy that the scheme keeps. The mean
// of the powers at both ends is less by h/2 (F' - F).v', for a force that swings as much in every period. To be added to it.
// (In relative coordinates forces are those of the middle of the step.)
static double step_euler_work(Mechanism *m) {
    const StateHead *head = m->head;
    double t = head->t + head->h;
    step_report_without_lag(m);
    double after = mech_applied_power(m, m->reported, t);
    for (int n = 0; n < m->node_count; n++) {
        m->reported.nodes[n].x = m->two.nodes[n].x;
        m->reported.nodes[n].R = m->two.nodes[n].R;
    }
    return 0.5 * head->h * (mech_applied_power(m, m->reported, head->t) - after);
}

// Semi-implicit Euler: the reactions L/h of a step act at the velocities (v + v')/2. At driven joints v and v' are the drive's rates
// half a step before and after t (docs/theory/stability.md): the mean is that at t. In relative coordinates the drive goes from
// place to place, at the mean of its rates at t and t + h. To be added to the mean of the powers at both ends, which has the
// reactions of two steps. (For the drive of a shaker the ledger had thirty times the work that its grains took.)
static double step_euler_drives(Mechanism *m) {
    const StateHead *head = m->head;
    double t = head->t, h = head->h, *all = m->unknown;
    for (int i = 0; i < m->multiplier_count; i++) all[i] = m->now.lambda[i] + m->lambda_impulse[i];
    double begin = impulse_drive_power(m, all, m->one, t), end = impulse_drive_power(m, all, m->now, t + h);
    double ends = impulse_drive_power(m, m->one.lambda, m->one, t) +
                  impulse_drive_power(m, m->now.lambda, m->now, t + h);
    return h * (m->tree ? 0.5 * (begin + end) : begin) - 0.5 * h * ends - head->step_drive_work;
}

// From the first to the second point of a cylinder.
static Vec3 step_cylinder_vector(const Mechanism *m, const Element *element, Instant at, double t) {
    const Actuator *cylinder = element->data;
    ElementInput in = element_input(m, element, at, t);
    Vec3 ends[2];
    for (int k = 0; k < 2; k++)
        ends[k] = vec3_add(in.node[k]->x, mat3_apply(in.node[k]->R, cylinder->markers[k].offset));
    return vec3_sub(ends[1], ends[0]);
}

// Through zero length a cylinder would turn round, and its push become a pull.
static MrcStatus step_check_cylinders(const Mechanism *m, double t, MrcError *error) {
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if (element->kind != &actuator_cylinder_kind) continue;
        Vec3 before = step_cylinder_vector(m, element, m->one, t),
             now = step_cylinder_vector(m, element, m->now, t);
        if (vec3_dot(before, now) > 0) continue;
        return error_set(error, MRC_NOT_CONVERGED,
                         "the two points of cylinder '%s' meet at t = %.6g s: it has no direction there; let "
                         "it end before, by its 'length' or by a stop",
                         element->name, t);
    }
    return MRC_OK;
}

MrcStatus mechanism_commit(Mechanism *m, MrcError *error) {
    StateHead *head = m->head;
    MrcStatus status = step_check_begun(m, "commit", error);
    if (status == MRC_OK) status = mechanism_finish(m, error);
    if (status == MRC_OK) status = step_check_cylinders(m, head->t + head->h, error);
    if (status != MRC_OK) return status;
    for (int n = 0; n < m->node_count; n++) m->now.nodes[n].R = step_orthogonal(m->now.nodes[n].R);
    double port_power = step_ports_power(m); // with the arms of the beginning of the step
    double drives = head->euler ? step_euler_drives(m) : 0;
    late_remember(m);
    if (head->euler) step_keep_velocities(m);
    else head->dissipated += step_loss(m);
    memcpy(m->two.nodes, m->one.nodes, sizeof(NodeState) * (size_t)m->node_count);
    bool shifted = false, moved = false; // in velocity, in pose: the latter not by impulses of the whole step
    for (int i = 0; i < m->matrix.freedoms; i++) {
        shifted |= m->shift[i] != 0;
        moved |= m->shift[m->matrix.freedoms + i] != 0;
    }
    head->past_shifted = shifted || moved;
    for (int n = 0; n < m->node_count; n++) {
        const double *d = m->shift + 6 * n;
        m->two.nodes[n].v = vec3_add(m->two.nodes[n].v, vec3(d[0], d[1], d[2]));
        m->two.nodes[n].w = vec3_add(m->two.nodes[n].w, vec3(d[3], d[4], d[5]));
        if (moved) node_displace(&m->two.nodes[n], d + m->matrix.freedoms);
    }
    if (m->tree) tree_keep_past(m);
    instant_copy(m, m->one, m->now);
    jump_remember(m);
    ElementEnergy power = step_power(m, head->t + head->h);
    bool damped = head->euler && (head->power.dissipated != 0 || power.dissipated != 0);
    if (damped) head->dissipated += head->h * step_euler_loss(m, head->t + head->h, power.dissipated);
    double work = 0.5 * head->h * (head->power.work + power.work) + head->step_drive_work + drives;
    if (head->euler && !m->tree) work += step_euler_work(m);
    head->work += work;
    head->flow += fabs(work);
    head->port_work += 0.5 * head->h * (head->port_power + port_power);
    head->impulse_work += head->step_impulse_work;
    head->dissipated += head->step_stopped;
    head->power = power;
    head->port_power = port_power;
    head->stiff_acts = false;
    memcpy(m->loads_one, m->loads, sizeof(Load) * (size_t)m->port_count);
    head->t += head->h;
    head->past_h = head->h;
    head->stage = STAGE_IDLE;
    m->counts.steps++;
    if (m->tree) tree_settle(m);
    return MRC_OK;
}
