// Springs of all kinds. With a relative coordinate m (relative.h), its gradient g and its curvature H, each
// part contributes
//
//     f = p + k (m - m0) + c g . v,           r = f g,
//     dr/dv = c g g^T,      dr/dq = f H + g (k g^T + c v^T H),
//     stored: 1/2 k (m - m0)^2 + p (m - m0),      dissipated: c (g . v)^2.
//
// m0 may be a function of time. Its drive then does the work -(p + k (m - m0)) dm0/dt.
//
// The stored energy is zero at rest, m = m0, although the preload p acts there.
//
// The line of a spring has no direction where its points meet, and m = sqrt(D.D + s^2) has no gradient there, so that the
// dashpot alone would not act on a spring about zero length. The share w = (s/m)^2 of it acts on the gap D in all directions:
//
//     r += w c sum_a (g_a . v) g_a,           dw/dq = -2 w/m g,
//
// with the components D_a in the axes of the first marker. Along a line the two add up to c at any length:
// (|D|/m)^2 + (s/m)^2 = 1.
//
// A turn is known up to full turns only. The element's memory is its value at the beginning of the step; the
// turn in the step is the one within half a turn of it.
#include "mechanism/compliance.h"

#include <math.h>
#include <stddef.h>

static MarkerPair compliance_markers(const Compliance *compliance, const ElementInput *in) {
    const NodeState *const nodes[2] = {in->node[0], in->node[1]};
    MarkerPair pair = marker_pair(nodes, compliance->markers, NULL, compliance->rotates);
    if (compliance->counts_turns) pair.last_turn = in->state[0];
    return pair;
}

static double compliance_rest(const CompliancePart *part, const ElementInput *in) {
    return part->driven ? expression_value(part->driven, element_time(in), NULL) : part->rest;
}

// m - m0, with its gradient and its rate.
static double compliance_deflection(const CompliancePart *part, const ElementInput *in,
                                    const MarkerPair *pair, double gradient[12], double *rate) {
    double value = relative_value(&part->coordinate, pair, gradient);
    *rate = 0;
    for (int j = 0; j < 12; j++) *rate += gradient[j] * pair->velocity[j];
    return value - compliance_rest(part, in);
}

static double compliance_force(const CompliancePart *part, double deflection, double rate) {
    return part->preload + part->stiffness * deflection + part->damping * rate;
}

// ---- the dashpot where the points meet -----------------------------------------------------------
// w c, and m; other coordinates than distances are not smoothed.
static double compliance_meeting(const CompliancePart *part, const MarkerPair *pair, double *value) {
    double s = part->coordinate.smoothing;
    if (!(s > 0 && part->damping > 0)) return 0;
    *value = sqrt(vec3_norm2(pair->gap) + s * s);
    double share = s * s / (*value * *value);
    return share > 1e-9 ? share * part->damping : 0; // less does not matter
}

// The gradient g_a and the rate of D_a.
static double compliance_gap_rate(const MarkerPair *pair, int axis, double gradient[12]) {
    RelativeCoordinate component = {.kind = &relative_translation, .axis = axis};
    double rate = 0;
    relative_value(&component, pair, gradient);
    for (int j = 0; j < 12; j++) rate += gradient[j] * pair->velocity[j];
    return rate;
}

// w c D'.D' = r . v of this dashpot; adds r when it is not NULL.
static double compliance_meeting_power(const CompliancePart *part, const MarkerPair *pair, double *r) {
    double value, share = compliance_meeting(part, pair, &value), power = 0;
    for (int axis = 0; axis < 3 && share > 0; axis++) {
        double gradient[12], rate = compliance_gap_rate(pair, axis, gradient);
        power += share * rate * rate;
        for (int j = 0; j < 12 && r; j++) r[j] += share * rate * gradient[j];
    }
    return power;
}

// `g`: gradient of m.
static void compliance_meeting_jacobian(const CompliancePart *part, const MarkerPair *pair,
                                        const double g[12], double cc, double ck, double *J) {
    double value, share = compliance_meeting(part, pair, &value);
    for (int axis = 0; axis < 3 && share > 0; axis++) {
        RelativeCoordinate component = {.kind = &relative_translation, .axis = axis};
        double own[12], rate = compliance_gap_rate(pair, axis, own), H[12][12] = {{0}};
        if (ck != 0) relative_add_curvature(&component, pair, ck, H);
        for (int k = 0; k < 12; k++) {
            double along = cc * own[k] - 2 * ck * rate / value * g[k];
            for (int j = 0; j < 12; j++) along += pair->velocity[j] * H[j][k];
            for (int j = 0; j < 12; j++) J[12 * j + k] += share * (rate * H[j][k] + own[j] * along);
        }
    }
}

// ---- the element ---------------------------------------------------------------------------------
void compliance_residual(const Element *element, const ElementInput *in, double *r) {
    const Compliance *compliance = element->data;
    MarkerPair pair = compliance_markers(compliance, in);
    for (int j = 0; j < 12; j++) r[j] = 0;
    for (int i = 0; i < compliance->count; i++) {
        const CompliancePart *part = &compliance->parts[i];
        double gradient[12], rate, deflection = compliance_deflection(part, in, &pair, gradient, &rate);
        double f = compliance_force(part, deflection, rate);
        for (int j = 0; j < 12; j++) r[j] += f * gradient[j];
        compliance_meeting_power(part, &pair, r);
    }
}

void compliance_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                         double *J) {
    (void)cm;
    const Compliance *compliance = element->data;
    MarkerPair pair = compliance_markers(compliance, in);
    for (int i = 0; i < compliance->count; i++) {
        const CompliancePart *part = &compliance->parts[i];
        double g[12], rate, deflection = compliance_deflection(part, in, &pair, g, &rate);
        double f = compliance_force(part, deflection, rate), H[12][12] = {{0}}, along[12];
        if (ck != 0) relative_add_curvature(&part->coordinate, &pair, ck, H);
        for (int k = 0; k < 12; k++) {
            along[k] = (ck * part->stiffness + cc * part->damping) * g[k];
            for (int j = 0; j < 12; j++) along[k] += part->damping * pair.velocity[j] * H[j][k];
        }
        for (int j = 0; j < 12; j++)
            for (int k = 0; k < 12; k++) J[12 * j + k] += f * H[j][k] + g[j] * along[k];
        compliance_meeting_jacobian(part, &pair, g, cc, ck, J);
    }
}

void compliance_energy(const Element *element, const ElementInput *in, ElementEnergy *energy) {
    const Compliance *compliance = element->data;
    MarkerPair pair = compliance_markers(compliance, in);
    for (int i = 0; i < compliance->count; i++) {
        const CompliancePart *part = &compliance->parts[i];
        double gradient[12], rate, deflection = compliance_deflection(part, in, &pair, gradient, &rate);
        energy->elastic += (part->preload + 0.5 * part->stiffness * deflection) * deflection;
        energy->dissipated += part->damping * rate * rate;
        energy->dissipated += compliance_meeting_power(part, &pair, NULL);
        if (part->driven)
            energy->work -= (part->preload + part->stiffness * deflection) *
                            expression_jet(part->driven, element_time(in)).rate;
    }
}

SpringValues compliance_values(const Element *element, const ElementInput *in) {
    const Compliance *compliance = element->data;
    const CompliancePart *part = &compliance->parts[0];
    MarkerPair pair = compliance_markers(compliance, in);
    double gradient[12], rate, deflection = compliance_deflection(part, in, &pair, gradient, &rate);
    SpringValues values = {.length = relative_value(&part->coordinate, &pair, gradient),
                           .force = compliance_force(part, deflection, rate)};
    for (int j = 0; j < 12; j++)
        values.speed += gradient[j] * pair.velocity[j]; // that of a driven length is not in it
    values.power = -values.force * values.speed;
    return values;
}

void compliance_begin_step(const Element *element, const ElementInput *in, double h, double *state) {
    (void)h;
    const Compliance *compliance = element->data;
    if (!compliance->counts_turns) return;
    MarkerPair pair = compliance_markers(compliance, in);
    pair.last_turn = state[0];
    state[0] = relative_value(&compliance->parts[0].coordinate, &pair, NULL);
}
