// Stiffness of linear contacts: from the material, or sized for a shaken damper (doi:10.3390/pr10071247,
// 2.2; DAMPER below).
#ifndef GRAINS_CONTACT_STIFFNESS_H
#define GRAINS_CONTACT_STIFFNESS_H

#include "geometry/material.h"
#include "grains/definition.h"

// Linear stiffness with the same largest energy as Hertz at this speed of impact (DAMPER Eq. 12):
// k = 1.053 (v sqrt(m') R' E'^2)^(2/5), with the effective mass, radius and modulus of the pair.
double contact_stiffness_of_material(double speed, double mass, double radius, double young);

// The least stiffness that keeps the overlap below `overlap` radii for a damper that moves with at most
// `speed` (DAMPER Eqs. 7-9): k = m (beta v / (eta r))^2.
double contact_stiffness_for_overlap(double mass, double radius, double speed, double beta, double overlap);

// The least stiffness for which a contact lasts at most period/contacts: pi sqrt(m'/k) <= T/contacts.
double contact_stiffness_for_duration(double effective_mass, double period, double contacts);

// The linear stiffness of a pair according to the definition [N/m].
double contact_stiffness_of_pair(const GrainsDefinition *definition, const Material *a, const Material *b,
                                 bool wall);

// The same of two grains of the bed; NAN: they are rigid, their law has no linear stiffness, or a material is
// missing.
double contact_stiffness_of_grains(const GrainsDefinition *definition, const Material *materials,
                                   int material_count);

#endif
