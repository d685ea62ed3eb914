// partners: other programs. The kinds are in src/partner/link_NAME.c.
#include "model/schema_sections.h"
#include "partner/link.h"

const SchemaObject schema_link = {
    .name = "partner",
    .doc = "Another program that takes part: it moves ports, is carried by ports, or exchanges signals and "
           "inputs.",
    .size = sizeof(LinkDefinition),
    .name_offset = offsetof(LinkDefinition, name),
    TYPES_OF_ROWS(link_types),
    .types_offset = offsetof(LinkDefinition, definition),
    .tag_offset = SCHEMA_ENUM_AT(LinkDefinition, type),
    .example = "ports: {tip: {partner: rig}}\n"
               "partners:\n"
               "  rig: {fmu: rig.fmu}\n",
};
