// With the rate r(t) of an inlet, cut off where its total is reached, and the end T of the run:
//
//     brought until the end     int r dt
//     there on average          int r (T - t) dt / T        each stays from t to T
#include "sim/fed.h"

#include <math.h>
#include <string.h>

#include "grains/forms.h"
#include "grains/grain_sizes.h"

// Mass of one grain of a kind on average [kg]; 0: not known.
static double fed_grain_mass(const SimDefinition *d, const GrainsDefinition *grains, const char *kind) {
    SizeTable table;
    int k = 0;
    while (kind && k < grains_kind_count(grains) - 1 &&
           !(grains_kind_name(grains, k) && strcmp(grains_kind_name(grains, k), kind) == 0))
        k++;
    const ParticlesDefinition *particles = grains_kind(grains, k);
    const Material *of = material_by_name(d->materials, d->material_count, particles->material);
    if (!of || grain_sizes_create(&table, particles, NULL) != MRC_OK) return 0;
    double volume = sphere_volume(1) * grain_sizes_moment(&table, 3) * forms_volume_factor(particles);
    grain_sizes_free(&table);
    return of->density * volume;
}

static void fed_add_inlet(const SimDefinition *d, const InletDefinition *inlet, double grain, Fed *fed) {
    enum { samples = 1000 };
    const Expression *rate = inlet->rate ? inlet->rate : inlet->count;
    double span = fmin(d->simulate.duration, inlet->until) - inlet->from, mass = 0, mean = 0, most = INFINITY;
    if (!rate || !(span > 0)) return;
    if (inlet->total_mass > 0) most = inlet->total_mass;
    if (inlet->total_count > 0) most = fmin(most, (double)inlet->total_count * grain);
    for (int s = 0; s < samples; s++) {
        double t = inlet->from + (s + 0.5) / samples * span,
               more = fmax(expression_value(rate, (TimePoint){t, NULL}, NULL), 0) * span / samples;
        more = fmin(inlet->rate ? more : more * grain, most - mass);
        mass += more;
        mean += more * (d->simulate.duration - t) / d->simulate.duration;
    }
    fed->mass += mass;
    if (grain > 0) fed->mean_count += mean / grain;
}

Fed fed_of_bed(const SimDefinition *d, const GrainsDefinition *grains) {
    Fed fed = {0};
    for (int k = 0; k < d->flow.inlet_count; k++) {
        const InletDefinition *inlet = &d->flow.inlets[k];
        if (inlet->bed && strcmp(inlet->bed, grains->name) == 0)
            fed_add_inlet(d, inlet, fed_grain_mass(d, grains, inlet->kind), &fed);
    }
    return fed;
}
