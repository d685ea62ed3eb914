#include "grains/periodic.h"

#include <string.h>

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

PeriodicImages periodic_images(const Periodic *p, Vec3 at, Vec3 lower, Vec3 upper) {
    PeriodicImages images = {.first = at, .count = 1, .many = {1, 1, 1}};
    for (int k = 0; k < 3; k++) {
        double x = vec3_component(at, k), low = vec3_component(lower, k), high = vec3_component(upper, k);
        if (!p->along[k]) {
            if (x < low || x > high) images.count = 0;
            continue;
        }
        double from = ceil((low - x) / p->length[k]), to = floor((high - x) / p->length[k]);
        vec3_set_component(&images.first, k, x + from * p->length[k]);
        images.many[k] = to >= from ? (int64_t)(to - from) + 1 : 1;
        images.count *= to >= from ? images.many[k] : 0;
    }
    return images;
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
// Walls of the bed's own port that stand across a periodic direction within the range: grains would be put back through
// them.
static void periodic_check_plane(const WallDefinition *wall, int k, const Findings *findings) {
    if (fabs(vec3_component(wall_vector(&wall->shape, "normal"), k)) > 1e-6)
        findings_object_error(
            findings, wall,
            "'%s' does not repeat itself along %c, in which the bed is periodic: take a plane "
            "along %c, and tilt 'gravity' instead",
            wall->name, 'x' + k, 'x' + k);
}

static void periodic_check_room(const WallDefinition *wall, int k, const double range[2], double largest,
                                const Findings *findings) {
    Vec3 lower, upper;
    if (!wall_bounds(&wall->shape, &lower, &upper)) return;
    for (int side = 0; side < 2; side++) {
        double end = vec3_component(side ? upper : lower, k);
        if (side ? end >= range[1] + largest : end <= range[0] - largest) continue; // no grain gets there
        WallContact contacts[WALL_CONTACT_MAX];
        Vec3 point = vec3_scale(0.5, vec3_add(lower, upper));
        vec3_set_component(&point, k, end);
        if (wall_contacts_of_sphere(&wall->shape, point, 1e-3 * largest, 0, contacts) == 0) continue;
        findings_object_error(
            findings, wall,
            "'%s' is closed at %c%c, where the bed is periodic: open it there, or let it reach "
            "beyond the range by a radius",
            wall->name, 'x' + k, side ? '+' : '-');
    }
}

static void periodic_check_walls(const GrainsDefinition *d, int k, const double range[2], double largest,
                                 const Findings *findings) {
    static const char *const rooms[] = {"box", "cylinder", "cone", "capsule", "sphere"};
    for (int w = 0; w < d->wall_count; w++) {
        const WallDefinition *wall = &d->walls[w];
        if (wall->port && !(d->port && strcmp(wall->port, d->port) == 0)) continue;
        if (!wall_is_prepared(&wall->shape)) continue; // reported there
        const char *kind = wall_kind_name(&wall->shape);
        if (strcmp(kind, "plane") == 0) periodic_check_plane(wall, k, findings);
        for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++)
            if (strcmp(kind, rooms[r]) == 0) periodic_check_room(wall, k, range, largest, findings);
    }
}

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
        else periodic_check_walls(d, k, ranges[k], largest, findings);
    }
}
