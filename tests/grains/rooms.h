// One closed room of each kind of wall, for tests.
#ifndef TESTS_GRAINS_ROOMS_H
#define TESTS_GRAINS_ROOMS_H

#include "geometry/shapes.h"
#include "geometry/wall.h"

typedef enum Room { BOX, CYLINDER, CAPSULE, CONE, SPHERE, MESH_BOX, MESH_TUBE, ROOM_COUNT } Room;

// Rooms of half width `r`; axes along z.
static inline Wall room(Room kind, double r) {
    Soup soup = {0};
    switch (kind) {
    case BOX:
        return (Wall){.kind = WALL_BOX, .box = {.size = {2 * r, 2.2 * r, 2.5 * r}}};
    case CYLINDER:
        return (Wall){.kind = WALL_CYLINDER, .cylinder = {.axis = {0, 0, 1}, .radius = r, .height = 2.5 * r}};
    case CAPSULE:
        return (Wall){.kind = WALL_CAPSULE, .capsule = {.axis = {0, 0, 1}, .radius = r, .length = r}};
    case CONE:
        return (Wall){
            .kind = WALL_CONE,
            .cone = {.axis = {0, 0, 1}, .radius_start = 0.5 * r, .radius_end = 1.5 * r, .height = 2 * r}};
    case SPHERE:
        return (Wall){.kind = WALL_SPHERE, .sphere = {.radius = r}};
    case MESH_BOX:
        soup_box(&soup, vec3_zero(), vec3(2 * r, 2.2 * r, 2.5 * r), 3);
        break;
    default:
        soup_cylinder(&soup, r, 2.5 * r, 48, 3, true);
    }
    soup_turn_some(&soup, 5);
    return (Wall){.kind = WALL_MESH, .mesh = {.scale = 1, .mesh = soup_mesh(&soup)}};
}

static const char *const room_names[] = {"box",    "cylinder",      "capsule",           "cone",
                                         "sphere", "mesh of a box", "mesh of a cylinder"};

#endif
