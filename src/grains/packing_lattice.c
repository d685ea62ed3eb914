// Lattices: simple cubic, and face-centred cubic as a stack of close-packed (111) layers A B C with a lattice
// site on the vertical through the room's centre, layers a diameter times sqrt(2/3) apart, the lowest resting
// on the floor. The bed of Table 2 of doi:10.3390/pr10071247 (N = 151: 55 + 48 + 48 grains of 3 mm in a 25 mm
// cylinder) then has three whole layers. Grains of different sizes sit on the lattice of the largest.
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/watch.h"
#include "grains/packing_internal.h"

typedef struct LatticeSite {
    Vec3 position;
    double distance2; // from the vertical through the centre
    size_t order;     // of proposal: makes the sort stable
} LatticeSite;
typedef ARRAY(LatticeSite) SiteList;

typedef struct Lattice {
    const Room *room;
    bool close_packed;
    double pitch, row_pitch, layer_pitch; // [m]
} Lattice;

static const double packing_lattice_searched_most = 1e8; // sites of one layer

static int packing_lattice_compare(const void *left, const void *right) {
    const LatticeSite *a = left, *b = right;
    if (a->distance2 != b->distance2) return a->distance2 < b->distance2 ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

// The sites of a layer that fit and are nearer than `reach` to the vertical through the centre, from the middle
// outwards.
static MrcStatus packing_lattice_layer(const Lattice *lattice, int64_t layer, double reach, SiteList *sites,
                                       MrcError *error) {
    const Room *room = lattice->room;
    double pitch = lattice->pitch, row_pitch = lattice->row_pitch;
    double shift1 = lattice->close_packed ? 0.5 * pitch * (double)(layer % 3) : 0;
    double shift2 = lattice->close_packed ? pitch / (2 * sqrt(3)) * (double)(layer % 3) : 0;
    double limit1 = fmin(room->extent1, reach), limit2 = fmin(room->extent2, reach);
    double height = room->radius + room->gap + (double)layer * lattice->layer_pitch;
    if (4 * (limit1 / pitch + 1) * (limit2 / row_pitch + 1) > packing_lattice_searched_most)
        return error_set(
            error, MRC_PACKING,
            "grains '%s': the room is too wide for a lattice of grains of %.3g mm; use a smaller "
            "room or `packing: random`",
            room->definition->name, 1e3 * room->radius);
    int64_t row_end = (int64_t)((limit2 - shift2) / row_pitch) + 2;
    const Shape sphere = {.kind = SHAPE_SPHERE, .radius = room->radius}; // holds any grain of the bed
    sites->count = 0;
    for (int64_t r = (int64_t)((-limit2 - shift2) / row_pitch) - 2; r <= row_end; r++) {
        if (watch_stopped())
            return watch_error(error, "the grains of '%s' were placed", room->definition->name);
        double lean = lattice->close_packed ? 0.5 * pitch * (double)r : 0, b = (double)r * row_pitch + shift2;
        int64_t end = (int64_t)((limit1 - shift1 - lean) / pitch) + 2;
        for (int64_t c = (int64_t)((-limit1 - shift1 - lean) / pitch) - 2; c <= end; c++) {
            double a = (double)c * pitch + shift1 + lean;
            if (a * a + b * b > reach * reach) continue;
            Vec3 p = vec3_madd(vec3_madd(room->center, a, room->across1), b, room->across2);
            p = vec3_madd(p, height - room->extent_up, room->up);
            if (!room_fits(room, &sphere, p)) continue;
            // Rounded, so that sites of one ring stay in order of proposal whatever the last digit says.
            double distance2 = round(1e9 * (a * a + b * b) / (pitch * pitch));
            if (!array_push(sites, ((LatticeSite){p, distance2, sites->count})))
                return error_memory(error, "the lattice");
        }
    }
    if (sites->count) qsort(sites->data, sites->count, sizeof *sites->data, packing_lattice_compare);
    return MRC_OK;
}

// Fills one layer with the grains that are left. Only as much of a wide room is searched as they need.
static MrcStatus packing_lattice_fill(const Lattice *lattice, int64_t layer, GrainStore *store,
                                      size_t *placed, SiteList *sites, MrcError *error) {
    const Room *room = lattice->room;
    size_t left = store->count - *placed, within = 0;
    double whole = hypot(room->extent1, room->extent2) + lattice->pitch;
    for (double reach = lattice->pitch * (2 + sqrt((double)left));; reach *= 2) {
        // A little further, so that the outermost ring is whole.
        MrcStatus status = packing_lattice_layer(lattice, layer, reach * (1 + 1e-6), sites, error);
        if (status != MRC_OK) return status;
        double limit = 1e9 * reach * reach / (lattice->pitch * lattice->pitch);
        for (within = 0; within < sites->count && sites->data[within].distance2 <= limit;) within++;
        if (within >= left || reach >= whole) break;
    }
    for (size_t i = 0; i < sites->count && i < left; i++)
        packing_place_grain(store, (*placed)++, sites->data[i].position);
    return MRC_OK;
}

MrcStatus packing_place_lattice(const Room *room, bool close_packed, GrainStore *store, MrcError *error) {
    double pitch = 2 * room->radius + room->gap;
    const Lattice lattice = {.room = room,
                             .close_packed = close_packed,
                             .pitch = pitch,
                             .row_pitch = close_packed ? pitch * sqrt(3) / 2 : pitch,
                             .layer_pitch = close_packed ? pitch * sqrt(2.0 / 3.0) : pitch};
    SiteList sites = {0};
    size_t placed = 0;
    MrcStatus status = MRC_OK;
    for (int64_t layer = 0; placed < store->count && status == MRC_OK; layer++) {
        double height = room->radius + room->gap + (double)layer * lattice.layer_pitch;
        if (height > 2 * room->extent_up) break;
        watch_stops("grain", (int64_t)placed, (int64_t)store->count);
        status = packing_lattice_fill(&lattice, layer, store, &placed, &sites, error);
    }
    array_free(&sites);
    if (status != MRC_OK || placed == store->count) return status;
    return error_set(
        error, MRC_PACKING,
        "grains '%s': only %zu of %zu grains fit into the lattice, whose cells are %.4g mm wide: the "
        "largest grain, of other shapes than spheres the ball around it, and 'gap'",
        room->definition->name, placed, store->count, 1e3 * pitch);
}

// ---- the two packings ----------------------------------------------------------------------------
static const SchemaKey packing_lattice_keys[] = {
    PACKING_REGION,
    {"gap", QUANTITY(PackingDefinition, gap), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .fallback = "0 m", .doc = "Free distance between neighbours, and to the walls."},
};
static const SchemaObject packing_lattice_schema = {
    .name = "lattice",
    .doc = "Grains on a regular lattice, as wide as the largest needs it.",
    .size = sizeof(PackingDefinition),
    SCHEMA_KEYS(packing_lattice_keys)};

static MrcStatus packing_lattice_place_cubic(const Room *room, const GrainsSetting *setting,
                                             GrainStore *store, MrcError *error) {
    (void)setting;
    return packing_place_lattice(room, false, store, error);
}

static MrcStatus packing_lattice_place_fcc(const Room *room, const GrainsSetting *setting, GrainStore *store,
                                           MrcError *error) {
    (void)setting;
    return packing_place_lattice(room, true, store, error);
}

static void packing_lattice_describe_cubic(const PackingDefinition *packing, Text *text) {
    (void)packing;
    text_add_string(text, "on a cubic lattice");
}

static void packing_lattice_describe_fcc(const PackingDefinition *packing, Text *text) {
    (void)packing;
    text_add_string(text, "on a face-centred cubic lattice");
}

const PackingType packing_type_cubic = {
    .schema = {.alternative = {.key = "cubic",
                               .object = &packing_lattice_schema,
                               .doc = "A simple cubic lattice, filled from the bottom."}},
    .describe = packing_lattice_describe_cubic,
    .place = packing_lattice_place_cubic,
};

const PackingType packing_type_fcc = {
    .schema = {.alternative = {.key = "fcc",
                               .object = &packing_lattice_schema,
                               .doc = "A face-centred cubic lattice, the densest there is."}},
    .describe = packing_lattice_describe_fcc,
    .place = packing_lattice_place_fcc,
};
