#include "grains/sizing.h"

#include <math.h>

#include "grains/grains.h"
#include "grains/sizes.h"

static const double pi = 3.14159265358979323846;

double sizing_material_stiffness(double speed, double mass, double radius, double young) {
    return 1.053 * pow(speed * sqrt(mass) * radius * young * young, 0.4);
}

double sizing_overlap_stiffness(double mass, double radius, double speed, double beta, double overlap) {
    double ratio = beta * speed / (overlap * radius);
    return mass * ratio * ratio;
}

double sizing_duration_stiffness(double effective_mass, double period, double contacts) {
    double ratio = pi * contacts / period;
    return effective_mass * ratio * ratio;
}

double sizing_mean_radius(const ParticlesDefinition *particles) {
    SizeTable table;
    if (sizes_are_equal(particles)) return particles->radius;
    if (sizes_create(&table, particles, NULL) != MRC_OK) return NAN; // stops the run where it shows
    double mean = sizes_moment(&table, 1);
    sizes_free(&table);
    return mean;
}

double sizing_least_radius(const ParticlesDefinition *particles) {
    SizeTable table;
    double least, largest;
    if (sizes_are_equal(particles)) return particles->radius;
    if (sizes_create(&table, particles, NULL) != MRC_OK) return NAN;
    sizes_range(&table, &least, &largest);
    sizes_free(&table);
    return least;
}

double sizing_stiffness(const GrainsDefinition *d, const Material *a, const Material *b, bool wall) {
    const ContactDefinition *c = &d->contact;
    if (wall && c->wall_stiffness > 0) return c->wall_stiffness;
    if (c->stiffness > 0) return c->stiffness;
    double radius = sizing_mean_radius(&d->particles);
    double mass = a->density * 4.0 / 3.0 * pi * radius * radius * radius;
    double share = wall ? 1 : 0.5; // effective mass and radius of two like grains are half of one's
    double material = INFINITY;
    if (a->young > 0 && b->young > 0)
        material = sizing_material_stiffness(c->impact_speed, share * mass, share * radius,
                                             material_effective_young(a, b));
    if (c->source == STIFFNESS_MATERIAL) return material;
    const SizingDefinition *s = &c->sizing;
    double least = sizing_overlap_stiffness(mass, radius, s->speed, s->beta, s->overlap);
    if (s->frequency > 0)
        least =
            fmax(least, sizing_duration_stiffness(share * mass, 1 / s->frequency, s->contacts_per_period));
    return fmin(least, material);
}

double sizing_hart_step(double mass, double stiffness) { return 2 * sqrt(mass / (2 * stiffness)); }

double sizing_rayleigh_step(double radius, const Material *m) {
    double shear = m->young / (2 * (1 + m->poisson));
    return pi * radius * sqrt(m->density / shear) / (0.1631 * m->poisson + 0.8766);
}

double sizing_eigenfrequency_step(double mass, double stiffness) { return 2 * sqrt(mass / stiffness); }
