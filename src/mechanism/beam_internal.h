// Kinematics of the beam element, shared by its residual (beam.c) and its Jacobian (beam_jacobian.c).
//
// All vectors are in world axes. "Relative" means relative to the middle node, in axes that turn with it.
#ifndef MECHANISM_BEAM_INTERNAL_H
#define MECHANISM_BEAM_INTERNAL_H

#include "mechanism/beam.h"

typedef struct BeamEnd { // the first or the last node, relative to the middle one
    Vec3 d;              // from the origin of the middle node to that of this node
    Vec3 arm;            // from the origin of this node to the reference line
    Vec3 y;              // from the reference line at the middle node to that at this node
    Vec3 g;              // Cayley-Gibbs-Rodrigues parameters of the relative rotation
    Vec3 spin;           // relative angular velocity
    Vec3 y_rate, g_rate; // relative rates of y and g
} BeamEnd;

typedef struct BeamCut {
    Vec3 lever;              // from the origin of the middle node to the cut
    Vec3 dy;                 // y'
    Vec3 g, dg;              // g, g'
    double k;                // 4/(4 + g.g)
    Mat3 R;                  // section axes to world axes
    Vec3 bend;               // G g': curvature relative to the middle node
    Vec3 force;              // across the cut, on the side of the first node [N]
    Vec3 moment;             // about the cut [N m]
    Vec3 stretch, curvature; // strains, section axes
    // Only with damping:
    Vec3 g_rate, dg_rate;
    Vec3 spin, dspin;            // of the section, relative to the middle node: omega and omega'
    Vec3 stretch_rate;           // y'-rate + y' x omega
    Vec3 stretch_d, curvature_d; // their rates
} BeamCut;

typedef struct BeamShape {
    double damping; // at this instant [s]
    Vec3 middle_arm;
    BeamEnd end[2];
    BeamCut cut[2];
} BeamShape;

void beam_shape(const Beam *beam, const ElementInput *in, BeamShape *shape);
void beam_forces(const BeamShape *shape, double r[18]);
void beam_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                   double *J);
void beam_product(const Element *element, const ElementInput *in, double cm, double cc, double ck, int wides,
                  const Wide *x, Wide *r);

// G(g) v = k (v + 1/2 g x v)
static inline Vec3 beam_spin_of(double k, Vec3 g, Vec3 v) {
    return vec3_scale(k, vec3_madd(v, 0.5, vec3_cross(g, v)));
}
// (dG/dg h) v = -k/2 (g.h) G v + k/2 h x v
static inline Vec3 beam_spin_derivative(double k, Vec3 g, Vec3 h, Vec3 v) {
    return vec3_scale(0.5 * k, vec3_madd(vec3_cross(h, v), -vec3_dot(g, h), beam_spin_of(k, g, v)));
}

#endif
