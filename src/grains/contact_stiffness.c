#include "grains/contact_stiffness.h"

#include <math.h>
#include <string.h>

#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "grains/grains.h"
#include "grains/law.h"

static const double pi = 3.14159265358979323846;

double contact_stiffness_of_material(double speed, double mass, double radius, double young) {
    return 1.053 * pow(speed * sqrt(mass) * radius * young * young, 0.4);
}

double contact_stiffness_for_overlap(double mass, double radius, double speed, double beta, double overlap) {
    double ratio = beta * speed / (overlap * radius);
    return mass * ratio * ratio;
}

double contact_stiffness_for_duration(double effective_mass, double period, double contacts) {
    double ratio = pi * contacts / period;
    return effective_mass * ratio * ratio;
}

typedef struct MeanGrain { // of the first kind that is made of a material
    double mass;           // [kg]
    double largest, least; // radius of its parts [m]
} MeanGrain;

static MeanGrain contact_stiffness_grain(const GrainsDefinition *d, const Material *material) {
    const ParticlesDefinition *kind = &d->particles;
    for (int k = d->more_count; d->more_count > 0 && k >= 0; k--)
        if (material->name && strcmp(grains_kind(d, k)->material, material->name) == 0)
            kind = grains_kind(d, k);
    double radius = grain_sizes_mean_radius(kind);
    return (MeanGrain){.mass = material->density * 4.0 / 3.0 * pi * radius * radius * radius *
                               forms_volume_factor(kind),
                       .largest = radius * forms_coarsest_part(kind),
                       .least = radius * forms_finest_part(kind)};
}

// Of two grains: m1 m2/(m1 + m2) and r1 r2/(r1 + r2), half of one's if they are alike. The pair is as stiff whichever of the
// two comes first.
double contact_stiffness_of_pair(const GrainsDefinition *d, const Material *a, const Material *b, bool wall) {
    const ContactDefinition *c = &d->contact;
    if (wall && c->wall_stiffness > 0) return c->wall_stiffness;
    if (c->stiffness > 0) return c->stiffness;
    const MeanGrain one = contact_stiffness_grain(d, a), other = wall ? one : contact_stiffness_grain(d, b);
    double mass = one.mass * (wall ? 1 : other.mass / (one.mass + other.mass)),
           radius = one.largest * (wall ? 1 : other.largest / (one.largest + other.largest));
    double material = INFINITY;
    if (a->young > 0 && b->young > 0)
        material =
            contact_stiffness_of_material(c->impact_speed, mass, radius, material_effective_young(a, b));
    if (c->source == STIFFNESS_MATERIAL) return material;
    const SizingDefinition *s = &c->sizing;
    double least = contact_stiffness_for_overlap(wall ? mass : 2 * mass, fmin(one.least, other.least),
                                                 s->speed, s->beta, s->overlap);
    if (s->frequency > 0)
        least = fmax(least, contact_stiffness_for_duration(mass, 1 / s->frequency, s->contacts_per_period));
    return fmin(least, material);
}

double contact_stiffness_of_grains(const GrainsDefinition *d, const Material *materials, int material_count) {
    int own = material_find(materials, material_count, d->particles.material);
    if (own < 0 || grains_are_rigid(d) || law_normal(d->contact.normal)->elastic_bodies) return NAN;
    return contact_stiffness_of_pair(d, &materials[own], &materials[own], false);
}
