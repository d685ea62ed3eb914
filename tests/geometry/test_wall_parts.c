// Plates, rods, lifters and screws against meshes of their surfaces.
#include "check.h"

#include "mesh_of_wall.h"
#include "schema/schema.h"
#include "walls.h"

static void plates(void **state) {
    (void)state;
    for (int thick = 0; thick < 2; thick++) {
        Wall wall = wall_of_kind("plate");
        wall_set_pair(&wall, "size", 0.6, 0.3);
        wall_set_vector(&wall, "axis", vec3_normalize(vec3(1, -2, 0.7)));
        wall_set_vector(&wall, "along", vec3(1, 0, 0));
        wall_set_vector(&wall, "center", vec3(1, 2, 3));
        wall_set_number(&wall, "thickness", thick ? 0.07 : 0);
        check_against_mesh(&wall, vec3(1, 2, 3), vec3(0.5, 0.5, 0.5), 0.1, 1e-12, 1e-9, thick);
        check_normal_is_gradient(&wall, vec3(1, 2, 3), 0.5, 0.1);
    }
}

static void rods(void **state) {
    (void)state;
    Wall wall = wall_of_kind("rod");
    wall_set_number(&wall, "radius", 0.2);
    wall_set_number(&wall, "length", 0.5);
    wall_set_vector(&wall, "axis", vec3_normalize(vec3(1, -2, 0.7)));
    wall_set_vector(&wall, "center", vec3(1, 2, 3));
    check_against_mesh(&wall, vec3(1, 2, 3), vec3(0.5, 0.5, 0.5), 0.1, 3e-4, 0.12, true);
    check_normal_is_gradient(&wall, vec3(1, 2, 3), 0.5, 0.1);
    WallContact contacts[WALL_CONTACT_MAX];
    assert_int_equal(wall_contacts_of_sphere(&wall, vec3(1, 2, 3), 0.1, 0, contacts), 1); // in the middle
    check_near(contacts[0].gap, -0.3, 1e-14);
    check_near(vec3_dot(contacts[0].normal, wall_vector(&wall, "axis")), 0, 1e-12);
}

static void lifters(void **state) {
    (void)state;
    for (int count = 1; count < 13; count += 5) {
        Wall wall = wall_of_kind("lifters");
        wall_set_count(&wall, "count", count);
        wall_set_number(&wall, "radius", 0.5);
        wall_set_number(&wall, "height", 0.1);
        wall_set_number(&wall, "width", 0.05);
        wall_set_number(&wall, "length", 0.4);
        wall_set_vector(&wall, "axis", vec3(0, 1, 0));
        wall_set_vector(&wall, "center", vec3(1, 2, 3));
        check_against_mesh(&wall, vec3(1, 2, 3), vec3(0.6, 0.3, 0.6), 0.1, 1e-12, 1e-9, true);
        check_normal_is_gradient(&wall, vec3(1, 2, 3), 0.6, 0.1);
    }
}

// A point of the flight, written apart from the code under test.
static Vec3 screw_point(const Wall *wall, bool left, double s, double turn) {
    Vec3 axis = wall_vector(wall, "axis"), e = vec3_perpendicular(axis), f = vec3_cross(axis, e);
    double angle = wall_number(wall, "start") + (left ? -1 : 1) * 2 * M_PI * turn;
    Vec3 out = vec3_madd(vec3_scale(s * cos(angle), e), s * sin(angle), f);
    double along = turn * wall_number(wall, "pitch") - 0.5 * wall_number(wall, "length");
    return vec3_add(wall_vector(wall, "center"), vec3_madd(out, along, axis));
}

// The nearest point of the flight: a grid of turns and radii, then ever finer ones around the best of them.
static double screw_search(const Wall *wall, bool left, Vec3 center, Vec3 *nearest) {
    double inner = wall_number(wall, "inner"), outer = wall_number(wall, "outer");
    double last = wall_number(wall, "length") / wall_number(wall, "pitch");
    double s0 = 0.5 * (inner + outer), t0 = 0.5 * last, wide = 0.5 * (outer - inner), turns = 0.5 * last,
           best = INFINITY;
    for (int zoom = 0; zoom < 14; zoom++, wide *= zoom ? 0.3 : 1, turns *= zoom == 1 ? 0.02 : 0.3) {
        int steps = zoom ? 10 : 300;
        double s_best = s0, t_best = t0;
        for (int i = -10; i <= 10; i++)
            for (int k = -steps; k <= steps; k++) {
                double s = fmin(fmax(s0 + wide * i / 10, inner), outer),
                       t = fmin(fmax(t0 + turns * k / steps, 0), last);
                Vec3 p = screw_point(wall, left, s, t);
                double distance = vec3_norm(vec3_sub(center, p));
                if (distance < best) best = distance, s_best = s, t_best = t, *nearest = p;
            }
        s0 = s_best, t0 = t_best;
    }
    return best;
}

static void check_screw_by_search(const Wall *wall) {
    Random random = {5};
    bool left =
        *(const bool *)(wall->definition +
                        schema_find_key(wall_schema_types[wall->kind]->alternative.object, "left")->offset);
    int touched = 0;
    for (int tried = 0; tried < 150; tried++) {
        double x = random_uniform(&random) - 0.5, y = random_uniform(&random) - 0.5;
        Vec3 center = vec3_add(vec3(1, 2, 3), vec3_scale(1.2, vec3(x, y, random_uniform(&random) - 0.5)));
        Vec3 nearest = vec3_zero();
        double distance = screw_search(wall, left, center, &nearest);
        WallContact contacts[WALL_CONTACT_MAX];
        int count = wall_contacts_of_sphere(wall, center, 0.1, 0, contacts), deepest = 0;
        for (int i = 1; i < count; i++)
            if (contacts[i].gap < contacts[deepest].gap) deepest = i;
        check_near(wall_distance_bound(wall, center), distance, 1e-6);
        assert_int_equal(count > 0, distance < 0.1);
        if (count == 0) continue;
        touched++;
        check_near(contacts[deepest].gap, distance - 0.1, 1e-6);
        Vec3 normal = vec3_scale(1 / distance, vec3_sub(center, nearest));
        if (distance > 0.01) check_near(vec3_norm(vec3_sub(contacts[deepest].normal, normal)), 0, 1e-2);
    }
    assert_true(touched > 20);
}

static void screws(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        Wall wall = wall_of_kind("screw");
        wall_set_number(&wall, "inner", 0.15);
        wall_set_number(&wall, "outer", 0.5);
        wall_set_number(&wall, "pitch", k < 2 ? 0.4 : 0.9);
        wall_set_number(&wall, "length", 1.3);
        wall_set_number(&wall, "start", 0.5 * k);
        wall_set_flag(&wall, "left", k % 2);
        wall_set_vector(&wall, "axis", vec3_normalize(vec3(1, -2, 0.7)));
        wall_set_vector(&wall, "center", vec3(1, 2, 3));
        check_screw_by_search(&wall);
        check_normal_is_gradient(&wall, vec3(1, 2, 3), 0.8, 0.1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates),
        cmocka_unit_test(rods),
        cmocka_unit_test(lifters),
        cmocka_unit_test(screws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
