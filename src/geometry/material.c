#include "geometry/material.h"

#include <string.h>

int material_find(const Material *materials, int count, const char *name) {
    for (int i = 0; name && i < count; i++)
        if (strcmp(materials[i].name, name) == 0) return i;
    return -1;
}

const Material *material_by_name(const Material *materials, int count, const char *name) {
    int place = material_find(materials, count, name);
    return place < 0 ? NULL : &materials[place];
}

double material_effective_young(const Material *a, const Material *b) {
    return 1 / ((1 - a->poisson * a->poisson) / a->young + (1 - b->poisson * b->poisson) / b->young);
}
