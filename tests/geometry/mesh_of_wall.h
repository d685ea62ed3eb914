// A mesh of the surface that a wall shows in frames: an independent way to its contacts, by mesh.h.
#ifndef TESTS_GEOMETRY_MESH_OF_WALL_H
#define TESTS_GEOMETRY_MESH_OF_WALL_H

#include "check.h"

#include "base/random.h"
#include "geometry/wall.h"

static inline Wall mesh_of_wall(const Wall *wall) {
    MrcError error = {0};
    Surface surface = {0};
    ARRAY(Vec3) corners = {0};
    Mesh *mesh = NULL;
    assert_int_equal(wall_surface(wall, &surface, &error), MRC_OK);
    for (size_t k = 0, start = 0; k < surface.ends.count; start = (size_t)surface.ends.data[k++])
        for (size_t c = start + 1; c + 1 < (size_t)surface.ends.data[k]; c++) {
            assert_true(array_push(&corners, surface.points.data[surface.corners.data[start]]));
            assert_true(array_push(&corners, surface.points.data[surface.corners.data[c]]));
            assert_true(array_push(&corners, surface.points.data[surface.corners.data[c + 1]]));
        }
    if (mesh_create(&mesh, corners.data, corners.count / 3, "surface", &error)) fail_msg("%s", error.text);
    array_free(&corners);
    surface_free(&surface);
    return wall_from_mesh(mesh);
}

// Random spheres about `middle`: each contact of the wall is one of the mesh, and the other way round. `slack`: how far
// the facets of the mesh are from the wall, as a length; normals may differ by `lean`. With `solid` only centres
// outside count.
static inline void check_against_mesh(const Wall *wall, Vec3 middle, Vec3 reach, double radius, double slack,
                                      double lean, bool solid) {
    Wall mesh = mesh_of_wall(wall);
    Random random = {7};
    int touched = 0, missed = 0;
    for (int tried = 0; tried < 20000; tried++) {
        double x = 2 * random_uniform(&random) - 1, y = 2 * random_uniform(&random) - 1,
               z = 2 * random_uniform(&random) - 1;
        Vec3 center = vec3_add(middle, vec3(x * reach.x, y * reach.y, z * reach.z));
        if (solid && wall_outside(wall, center) > 0) continue;
        if (wall_distance_bound(wall, center) < 3 * slack) continue; // on which side of the facet is it?
        WallContact own[WALL_CONTACT_MAX], other[WALL_CONTACT_MAX];
        int count = wall_contacts_of_sphere(wall, center, radius, 0, own);
        int others = wall_contacts_of_sphere(&mesh, center, radius, 2 * slack, other);
        double nearest = radius + slack;
        assert_true(count <= wall_contact_limit(wall));
        for (int i = 0; i < count; i++) {
            double best = INFINITY;
            for (int k = 0; k < others; k++)
                best = fmin(best, fabs(own[i].gap - other[k].gap) / slack +
                                      vec3_norm(vec3_sub(own[i].normal, other[k].normal)) / lean);
            missed += !(best < 2);
            for (int k = 0; k < i; k++) assert_int_not_equal(own[i].feature, own[k].feature);
            nearest = fmin(nearest, own[i].gap + radius);
            touched++;
        }
        int expected = 0;
        for (int k = 0; k < others; k++) expected += other[k].gap < -2 * slack;
        int least = 0;
        for (int i = 0; i < count; i++) least += own[i].gap < -slack;
        if (solid && slack < 1e-9) { // a mesh can be touched through the solid too
            for (int k = 0; k < others; k++) assert_true(other[k].gap > nearest - radius - 1e-12);
        } else if (slack < 1e-9) assert_int_equal(count, others);
        else missed += !(count >= (expected > 0) && least <= others);
        if (count > 0)
            check_near(fmin(nearest, wall_distance_bound(wall, center)), wall_distance_bound(wall, center),
                       1e-12);
        else assert_true(wall_distance_bound(wall, center) >= radius - 1e-12 || solid);
    }
    assert_true(touched > 500);
    // With facets, feet near the end of a line may be on this or the other side of it.
    assert_in_range(missed, 0, slack < 1e-9 ? 0 : touched / 200);
    wall_release(&mesh);
}

static inline void check_normal_is_gradient(const Wall *wall, Vec3 middle, double reach, double radius) {
    const double h = 1e-7;
    Random random = {11};
    int compared = 0;
    for (int tried = 0; tried < 3000; tried++) {
        double x = 2 * random_uniform(&random) - 1, y = 2 * random_uniform(&random) - 1;
        Vec3 center = vec3_madd(middle, reach, vec3(x, y, 2 * random_uniform(&random) - 1));
        WallContact here[WALL_CONTACT_MAX], before[WALL_CONTACT_MAX], after[WALL_CONTACT_MAX];
        int count = wall_contacts_of_sphere(wall, center, radius, 0, here);
        for (int axis = 0; axis < 3; axis++) {
            Vec3 step = vec3_zero();
            vec3_set_component(&step, axis, h);
            int n = wall_contacts_of_sphere(wall, vec3_sub(center, step), radius, 1e-3 * radius, before);
            int m = wall_contacts_of_sphere(wall, vec3_add(center, step), radius, 1e-3 * radius, after);
            for (int i = 0; i < count; i++)
                for (int a = 0; a < n; a++)
                    for (int b = 0; b < m; b++) {
                        if (before[a].feature != here[i].feature || after[b].feature != here[i].feature)
                            continue;
                        double slope = (after[b].gap - before[a].gap) / (2 * h);
                        check_near(slope, vec3_component(here[i].normal, axis), 1e-4);
                        compared++;
                    }
        }
    }
    assert_true(compared > 60);
}

#endif
