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

// Makes the shapes of the particles. Files are relative to `folder`. `name` is that of the grains, for messages.
MrcStatus forms_prepare(ParticlesDefinition *particles, const char *folder, const char *name,
                        MrcError *error);
void forms_release(ParticlesDefinition *particles);
uint64_t forms_hash(const ParticlesDefinition *particles, uint64_t hash); // of what they are made of

bool forms_are_spheres(const ParticlesDefinition *particles);
// Volume of grains over that of spheres with the radii that are drawn: mean over the forms.
double forms_volume_factor(const ParticlesDefinition *particles);
double forms_least_volume_factor(const ParticlesDefinition *particles); // the least instead
// How much quicker the quickest corner answers to an impulse than the centre of mass: 1/mass of a corner over 1/mass of the
// grain, the most of all forms. 1 for spheres.
double forms_corner_mobility(const ParticlesDefinition *particles);
double forms_largest_stretch(const ParticlesDefinition *particles); // of radii that are drawn
void forms_describe(const ParticlesDefinition *particles, bool several,
                    struct Text *text); // "stones of 25 vertices"

#endif
