#include "grains/periodic.h"

#include "grains/engine.h"
#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "schema/findings.h"

Periodic periodic_of_bed(const GrainsDefinition *definition, const Motion *port) {
    const PeriodicDefinition *d = &definition->periodic;
    Periodic p = {0};
    const double(*const ranges[3])[2] = {&d->x, &d->y, &d->z};
    const bool given[3] = {d->along_x, d->along_y, d->along_z};
    for (int k = 0; k < 3; k++) {
        if (!given[k]) continue;
        p.any = p.along[k] = true;
        p.lower[k] = vec3_component(port->position, k) + (*ranges[k])[0];
        p.length[k] = (*ranges[k])[1] - (*ranges[k])[0];
    }
    return p;
}

void periodic_put_back(Grains *g) {
    const Periodic *p = &g->periodic;
    if (!p->any) return;
    for (size_t i = 0; i < g->store.count; i++) {
        double *x = g->position + i * QUAD;
        for (int k = 0; k < 3; k++) {
            if (!p->along[k] || (x[k] >= p->lower[k] && x[k] < p->lower[k] + p->length[k])) continue;
            double shift = -p->length[k] * floor((x[k] - p->lower[k]) / p->length[k]);
            double energy = -shift * vec3_component(g->gravity, k) / grain_inverse_mass(g, i);
            x[k] += shift;
            g->carried += energy;
            g->lifted += energy;
        }
    }
}

// ---- checks --------------------------------------------------------------------------------------
void periodic_check(const GrainsDefinition *d, const Findings *findings) {
    const PeriodicDefinition *p = &d->periodic;
    const double *const ranges[3] = {p->x, p->y, p->z};
    const bool given[3] = {p->along_x, p->along_y, p->along_z};
    double largest = 0;
    for (int k = 0; k < grains_kind_count(d); k++) {
        SizeTable table;
        double least, most;
        if (d->bed && d->bed->columns[BED_RADIUS]) {
            for (size_t i = 0; i < d->bed->count; i++)
                largest = fmax(largest, d->bed->columns[BED_RADIUS][i]);
        } else if (grain_sizes_create(&table, grains_kind(d, k), NULL) == MRC_OK) { // else reported there
            grain_sizes_range(&table, &least, &most);
            grain_sizes_free(&table);
            largest = fmax(largest, most * forms_largest_stretch(grains_kind(d, k)));
        }
    }
    if (given[0] && given[1] && given[2])
        findings_object_error(findings, p,
                              "grains '%s': a bed is periodic in one or two directions, not in all three",
                              d->name);
    for (int k = 0; k < 3; k++) {
        double length = ranges[k][1] - ranges[k][0];
        if (!given[k]) continue;
        if (!(length > 0))
            findings_error(findings, ranges[k], "the range along %c ends at %g mm, before it begins at %g mm",
                           'x' + k, 1e3 * ranges[k][1], 1e3 * ranges[k][0]);
        else if (length < PERIODIC_LEAST * largest)
            findings_error(
                findings, ranges[k],
                "the range along %c is %g mm long; grains of a radius of %g mm need %g mm at least, so that "
                "none touches another one from both sides",
                'x' + k, 1e3 * length, 1e3 * largest, 1e3 * PERIODIC_LEAST * largest);
    }
}
