#include "grains/region.h"

#include <math.h>
#include <string.h>

#include "grains/periodic.h"

const SchemaObject region_schema = {
    .name = "region",
    .doc = "A room, given as the walls of grains are: a box, a cylinder, a cone, a capsule or a sphere.",
    .size = sizeof(RegionDefinition),
    .types = wall_schema_types,
    .types_offset = offsetof(RegionDefinition, shape.definition),
    .tag_offset = SCHEMA_ENUM_AT(RegionDefinition, shape.kind),
    .example = "region: {box: {size: 40 40 20 mm, center: 0 0 200 mm}}\n",
};

const SchemaObject named_region_schema = {
    .name = "regions",
    .doc =
        "A room in which the bed is measured: signals `BED.NAME.compactness`, the share of it that is inside "
        "grains, and `BED.NAME.count`, the grains whose centre is in it.",
    .size = sizeof(NamedRegion),
    .name_offset = offsetof(NamedRegion, name),
    .types = wall_schema_types,
    .types_offset = offsetof(NamedRegion, region.shape.definition),
    .tag_offset = SCHEMA_ENUM_AT(NamedRegion, region.shape.kind),
    .example = "regions: {crib: {box: {size: 300 600 300 mm, center: 400 0 150 mm}}}\n",
};

bool region_is_room(const RegionDefinition *region) {
    static const char *const rooms[] = {"box", "cylinder", "cone", "capsule", "sphere"};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++)
        if (strcmp(wall_kind_name(&region->shape), rooms[k]) == 0) return true;
    return false;
}

bool region_check(const RegionDefinition *region, const char *what, const char *name,
                  const Findings *findings) {
    if (region_is_room(region)) {
        wall_check(&region->shape, findings);
        return true;
    }
    findings_object_error(
        findings, region,
        "%s '%s': a region is a box, a cylinder, a cone, a capsule or a sphere; '%s' has no "
        "inside",
        what, name, wall_kind_name(&region->shape));
    return false;
}

PlacedRegion region_place(const RegionDefinition *region, const Motion *port) {
    PlacedRegion placed = {.shape = &region->shape,
                           .port = *port,
                           .lower = {INFINITY, INFINITY, INFINITY},
                           .upper = {-INFINITY, -INFINITY, -INFINITY}};
    Vec3 low, high;
    if (!wall_bounds(&region->shape, &low, &high)) return placed;
    for (int c = 0; c < 8; c++) {
        Vec3 corner = motion_to_world(
            port, vec3(c & 1 ? high.x : low.x, c & 2 ? high.y : low.y, c & 4 ? high.z : low.z));
        for (int k = 0; k < 3; k++) {
            double x = vec3_component(corner, k);
            vec3_set_component(&placed.lower, k, fmin(vec3_component(placed.lower, k), x));
            vec3_set_component(&placed.upper, k, fmax(vec3_component(placed.upper, k), x));
        }
    }
    return placed;
}

bool region_holds(const PlacedRegion *region, const Periodic *periodic, Vec3 place) {
    if (!periodic->any) return !(wall_beyond(region->shape, motion_to_local(&region->port, place)) > 0);
    PeriodicImages images = periodic_images(periodic, place, region->lower, region->upper);
    for (int64_t n = 0; n < images.count; n++) {
        Vec3 local = motion_to_local(&region->port, periodic_image(periodic, &images, n));
        if (!(wall_beyond(region->shape, local) > 0)) return true;
    }
    return false;
}
