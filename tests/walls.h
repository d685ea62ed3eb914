// Walls for tests, by what their kinds are made of.
#ifndef TESTS_WALLS_H
#define TESTS_WALLS_H

#include <string.h>

#include "geometry/wall.h"

static inline bool is_wall(const Wall *wall, const char *kind) {
    return strcmp(wall_kind_name(wall), kind) == 0;
}

static inline Wall plane_wall(Vec3 point, Vec3 normal) {
    Wall wall = wall_of_kind("plane");
    wall_set_vector(&wall, "point", point);
    wall_set_vector(&wall, "normal", normal);
    return wall;
}

static inline Wall box_wall(Vec3 center, Vec3 size) {
    Wall wall = wall_of_kind("box");
    wall_set_vector(&wall, "center", center);
    wall_set_vector(&wall, "size", size);
    return wall;
}

static inline Wall cylinder_wall(Vec3 center, Vec3 axis, double radius, double height) {
    Wall wall = wall_of_kind("cylinder");
    wall_set_vector(&wall, "center", center);
    wall_set_vector(&wall, "axis", axis);
    wall_set_number(&wall, "radius", radius);
    wall_set_number(&wall, "height", height);
    return wall;
}

static inline Wall sphere_wall(Vec3 center, double radius) {
    Wall wall = wall_of_kind("sphere");
    wall_set_vector(&wall, "center", center);
    wall_set_number(&wall, "radius", radius);
    return wall;
}

static inline Wall capsule_wall(Vec3 center, Vec3 axis, double radius, double length) {
    Wall wall = wall_of_kind("capsule");
    wall_set_vector(&wall, "center", center);
    wall_set_vector(&wall, "axis", axis);
    wall_set_number(&wall, "radius", radius);
    wall_set_number(&wall, "length", length);
    return wall;
}

static inline Wall cone_wall(Vec3 center, Vec3 axis, double radius_start, double radius_end, double height) {
    Wall wall = wall_of_kind("cone");
    wall_set_vector(&wall, "center", center);
    wall_set_vector(&wall, "axis", axis);
    wall_set_number(&wall, "radius_start", radius_start);
    wall_set_number(&wall, "radius_end", radius_end);
    wall_set_number(&wall, "height", height);
    return wall;
}

#endif
