// The forms of the grains of a bed: keys of the model file, checks, and the shapes made of them.
//
// `radius` and `sizes` give the radius of the smallest sphere around a grain's centre of mass, but for a sieve curve: a
// grain passes where its middle width does, the second of its three extents along its principal axes. A body that is
// given by its lengths has them, unless radii are given too.
#ifndef GRAINS_FORMS_H
#define GRAINS_FORMS_H

#include "grains/definition.h"
#include "schema/schema.h"

struct Text;

extern const SchemaObject forms_schema;

// Makes the shapes of one kind. Files are relative to `folder`. `name` is that of the grains, for messages.
MrcStatus forms_prepare(ParticlesDefinition *particles, const char *folder, const char *name,
                        MrcError *error);
// Makes one table of the shapes of all kinds, when each is prepared (grains_shapes, in definition.h).
MrcStatus forms_join(GrainsDefinition *grains, MrcError *error);
void forms_release(ParticlesDefinition *particles);                 // of a bed's kinds the last one first
uint64_t forms_hash(const GrainsDefinition *grains, uint64_t hash); // of what all kinds are made of

bool forms_are_spheres(const ParticlesDefinition *particles);
// Volume of grains over that of spheres with the radii that are drawn: mean over the forms.
double forms_volume_factor(const ParticlesDefinition *particles);
double forms_least_volume_factor(const ParticlesDefinition *particles); // the least instead
// Grains on springs of the stiffness k that act at their corners and round parts (smooth_shapes.c): the most of m w^2/k, w being
// the angular frequency at which they shake, of all forms; 1 for spheres. Of corners, which have k/4 each, a bound: that of one
// corner with k.
double forms_shaking(const ParticlesDefinition *particles);
double forms_impact_shaking(const ParticlesDefinition *particles); // the same of impacts: corners with k/4
// Radius of the smallest and the largest part over the radius of the grain: 1 but for clumps.
double forms_finest_part(const ParticlesDefinition *particles);
double forms_coarsest_part(const ParticlesDefinition *particles);
bool forms_are_round(const ParticlesDefinition *particles);         // spheres, or clumps of them
double forms_largest_stretch(const ParticlesDefinition *particles); // of radii that are drawn
void forms_describe(const ParticlesDefinition *particles, bool several,
                    struct Text *text); // "stones of 25 vertices"

#endif
