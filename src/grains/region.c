#include "grains/region.h"

#include <string.h>

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

bool region_check(const RegionDefinition *region, const char *what, const char *name,
                  const Findings *findings) {
    static const char *const rooms[] = {"box", "cylinder", "cone", "capsule", "sphere"};
    const char *kind = wall_kind_name(&region->shape);
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++)
        if (strcmp(kind, rooms[k]) == 0) {
            wall_check(&region->shape, findings);
            return true;
        }
    findings_object_error(
        findings, region,
        "%s '%s': a region is a box, a cylinder, a cone, a capsule or a sphere; '%s' has no "
        "inside",
        what, name, kind);
    return false;
}
