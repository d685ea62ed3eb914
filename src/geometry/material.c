#include "geometry/material.h"

#include <string.h>

const Material *material_by_name(const Material *materials, int count, const char *name) {
    for (int i = 0; name && i < count; i++)
        if (strcmp(materials[i].name, name) == 0) return &materials[i];
    return NULL;
}
