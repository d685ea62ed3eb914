// One closed room of each kind of wall, for tests.
#ifndef TESTS_GRAINS_ROOMS_H
#define TESTS_GRAINS_ROOMS_H

#include "geometry/shapes.h"
#include "geometry/wall.h"
#include "walls.h"

typedef enum Room { BOX, CYLINDER, CAPSULE, CONE, SPHERE, MESH_BOX, MESH_TUBE, ROOM_COUNT } Room;

// Rooms of half width `r`; axes along z.
static inline Wall room(Room kind, double r) {
    Soup soup = {0};
    switch (kind) {
    case BOX:
        return box_wall(vec3_zero(), vec3(2 * r, 2.2 * r, 2.5 * r));
    case CYLINDER:
        return cylinder_wall(vec3_zero(), vec3(0, 0, 1), r, 2.5 * r);
    case CAPSULE:
        return capsule_wall(vec3_zero(), vec3(0, 0, 1), r, r);
    case CONE:
        return cone_wall(vec3_zero(), vec3(0, 0, 1), 0.5 * r, 1.5 * r, 2 * r);
    case SPHERE:
        return sphere_wall(vec3_zero(), r);
    case MESH_BOX:
        soup_box(&soup, vec3_zero(), vec3(2 * r, 2.2 * r, 2.5 * r), 3);
        break;
    default:
        soup_cylinder(&soup, r, 2.5 * r, 48, 3, true);
    }
    soup_turn_some(&soup, 5);
    return wall_from_mesh(soup_mesh(&soup));
}

static const char *const room_names[] = {"box",    "cylinder",      "capsule",           "cone",
                                         "sphere", "mesh of a box", "mesh of a cylinder"};

#endif
