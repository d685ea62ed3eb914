// Contact stiffness and time steps: from the material, sized for a shaken damper (DAMPER 2.2), and what they
// allow.
#ifndef GRAINS_SIZING_H
#define GRAINS_SIZING_H

#include "geometry/material.h"
#include "grains/definition.h"

// Linear stiffness with the same largest energy as Hertz at this speed of impact (DAMPER Eq. 12):
// k = 1.053 (v sqrt(m') R' E'^2)^(2/5), with the effective mass, radius and modulus of the pair.
double sizing_material_stiffness(double speed, double mass, double radius, double young);

// The least stiffness that keeps the overlap below `overlap` radii for a damper that moves with at most
// `speed` (DAMPER Eqs. 7-9): k = m (beta v / (eta r))^2.
double sizing_overlap_stiffness(double mass, double radius, double speed, double beta, double overlap);

// The least stiffness for which a contact lasts at most period/contacts: pi sqrt(m'/k) <= T/contacts.
double sizing_duration_stiffness(double effective_mass, double period, double contacts);

// The linear stiffness of a pair as the definition asks for it [N/m].
double sizing_stiffness(const GrainsDefinition *definition, const Material *a, const Material *b, bool wall);

// Critical steps [s].
double sizing_hart_step(double mass, double stiffness);               // DAMPER Eq. 1 with alpha = 1
double sizing_rayleigh_step(double radius, const Material *material); // MULTIRATE Eq. 26
double sizing_eigenfrequency_step(double mass, double stiffness);     // MULTIRATE Eq. 27

double sizing_mean_radius(const ParticlesDefinition *particles);  // over the number of grains [m]
double sizing_least_radius(const ParticlesDefinition *particles); // [m]

#endif
