#include "mechanism/part_type.h"

#define PART_ROW(type_, definition, list, counter, doc)                                                      \
    {.type = &type_,                                                                                         \
     .key = #list,                                                                                           \
     .size = sizeof(definition),                                                                             \
     .list_offset = SCHEMA_AT(MechanismDefinition, list, definition *),                                      \
     .count_offset = SCHEMA_AT(MechanismDefinition, counter, int)},
const PartRow part_rows[] = {PART_TABLE(PART_ROW){.type = NULL}};
#undef PART_ROW

int part_count(const MechanismDefinition *definition, const PartRow *row) {
    return *(const int *)((const char *)definition + row->count_offset);
}

const void *part_at(const MechanismDefinition *definition, const PartRow *row, int i) {
    const char *list;
    memcpy(&list, (const char *)definition + row->list_offset, sizeof list);
    return list + (size_t)i * row->size;
}

const char *part_name(const PartRow *row, const void *definition) {
    return *(const char *const *)((const char *)definition + row->type->schema.name_offset);
}

void part_describe_ends(Text *text, const char *title, const char *name, const char *const nodes[2]) {
    text_add(text, "%s %s: between %s and %s", title, name, nodes[0], nodes[1] ? nodes[1] : "the ground");
}
