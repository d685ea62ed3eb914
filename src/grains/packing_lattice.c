// Lattices: simple cubic, and face-centred cubic as a stack of close-packed (111) layers A B C with a lattice
// site on the vertical through the room's centre, layers a diameter times sqrt(2/3) apart, the lowest resting
// on the floor. With this the bed of DAMPER Table 2 (N = 151: 55 + 48 + 48 grains of 3 mm in a 25 mm
// cylinder) comes out as three whole layers. Grains of different sizes sit on the lattice of the largest.
#include <math.h>
#include <stdlib.h>

#include "grains/packing_internal.h"

typedef struct Site {
    Vec3 position;
    double distance2; // from the vertical through the centre
    int order;        // of proposal: makes the sort stable
} Site;

static int site_compare(const void *left, const void *right) {
    const Site *a = left, *b = right;
    if (a->distance2 != b->distance2) return a->distance2 < b->distance2 ? -1 : 1;
    return a->order - b->order;
}

// One layer of the lattice: sites that fit, from the middle outwards.
typedef ARRAY(Site) SiteList;

static bool layer_sites(const Room *room, double height, bool close_packed, int layer, SiteList *sites) {
    double pitch = 2 * room->radius + room->gap;
    double row_pitch = close_packed ? pitch * sqrt(3) / 2 : pitch;
    double shift1 = close_packed ? 0.5 * pitch * (layer % 3) : 0;
    double shift2 = close_packed ? pitch / (2 * sqrt(3)) * (layer % 3) : 0;
    int rows = (int)((room->extent2 + fabs(shift2)) / row_pitch) + 2;
    int columns = (int)((room->extent1 + fabs(shift1)) / pitch) + 2;
    columns += close_packed ? rows / 2 : 0;
    sites->count = 0;
    for (int r = -rows; r <= rows; r++)
        for (int c = -columns; c <= columns; c++) {
            double a = c * pitch + shift1 + (close_packed ? 0.5 * pitch * r : 0), b = r * row_pitch + shift2;
            Vec3 p = vec3_madd(vec3_madd(room->center, a, room->across1), b, room->across2);
            p = vec3_madd(p, height - room->extent_up, room->up);
            if (!room_fits(room, p, room->radius)) continue;
            // Rounded, so that sites of one ring stay in order of proposal whatever the last digit says.
            double distance2 = round(1e9 * (a * a + b * b) / (pitch * pitch));
            if (!array_push(sites, ((Site){p, distance2, (int)sites->count}))) return false;
        }
    if (sites->count) qsort(sites->data, sites->count, sizeof *sites->data, site_compare);
    return true;
}

MrcStatus place_lattice(const Room *room, bool close_packed, GrainStore *store, MrcError *error) {
    double pitch = 2 * room->radius + room->gap;
    double layer_pitch = close_packed ? pitch * sqrt(2.0 / 3.0) : pitch;
    SiteList sites = {0};
    size_t placed = 0;
    for (int layer = 0; placed < store->count; layer++) {
        double height = room->radius + room->gap + layer * layer_pitch;
        if (height > 2 * room->extent_up) break;
        if (!layer_sites(room, height, close_packed, layer, &sites)) {
            array_free(&sites);
            return error_memory(error, "the lattice");
        }
        for (size_t i = 0; i < sites.count && placed < store->count; i++)
            place_grain(store, placed++, sites.data[i].position);
    }
    array_free(&sites);
    if (placed == store->count) return MRC_OK;
    return error_set(error, MRC_PACKING, "grains '%s': only %zu of %zu grains fit into the lattice",
                     room->definition->name, placed, store->count);
}
