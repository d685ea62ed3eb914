// Walls: gaps and normals against closest points found by brute force, and the pictures.
#include "base/random.h"
#include "check.h"
#include "geometry/wall.h"

#define count_of(array) (sizeof(array) / sizeof *(array))

static double between(Random *random, double lower, double upper) {
    return lower + (upper - lower) * random_uniform(random);
}

static Wall make_plane(void) {
    return (Wall){.kind = WALL_PLANE, .plane = {vec3(0.1, -0.2, 0.3), vec3_normalize(vec3(1, 2, -0.5))}};
}
static Wall make_box(void) { return (Wall){.kind = WALL_BOX, .box = {vec3(1, 2, 3), vec3(0.4, 0.6, 1)}}; }
static Wall make_cylinder(void) {
    return (Wall){.kind = WALL_CYLINDER,
                  .cylinder = {vec3(-1, 0.5, 2), vec3_normalize(vec3(1, -2, 0.7)), 0.3, 0.8}};
}
static Wall make_sphere(void) { return (Wall){.kind = WALL_SPHERE, .sphere = {vec3(0.5, -0.5, 1), 0.4}}; }

static Wall make_capsule(void) {
    return (Wall){.kind = WALL_CAPSULE,
                  .capsule = {vec3(0.3, 0.1, -1), vec3_normalize(vec3(-0.4, 1, 0.8)), 0.25, 0.7}};
}
static Wall make_cone(double radius_start, double radius_end) {
    return (Wall){
        .kind = WALL_CONE,
        .cone = {vec3(-0.2, 0.9, 0.4), vec3_normalize(vec3(0.5, 1, -0.6)), radius_start, radius_end, 0.6}};
}

// Along the profile: lower half sphere, tube, upper half sphere.
static Vec3 capsule_point(const WallCapsule *c, double s, double t) {
    Vec3 u = vec3_perpendicular(c->axis), v = vec3_cross(c->axis, u);
    double angle = t < 1.0 / 3 ? (3 * t - 1) * M_PI / 2 : t > 2.0 / 3 ? (3 * t - 2) * M_PI / 2 : 0;
    double z = (fmin(fmax(3 * t - 1, 0), 1) - 0.5) * c->length + c->radius * sin(angle);
    double rho = c->radius * cos(angle);
    Vec3 p = vec3_madd(c->center, z, c->axis);
    return vec3_madd(vec3_madd(p, rho * cos(2 * M_PI * s), u), rho * sin(2 * M_PI * s), v);
}

// The side is the whole cone, from its apex to twice the height of the wide end.
static Vec3 cone_point(const WallCone *c, int feature, double s, double t) {
    Vec3 u = vec3_perpendicular(c->axis), v = vec3_cross(c->axis, u);
    double start = c->radius_start, end = c->radius_end, z, rho;
    if (feature != 0) { // the planes of the ends, beyond their rims
        Vec3 end_center = vec3_madd(c->center, (feature == 1 ? -0.5 : 0.5) * c->height, c->axis);
        return vec3_madd(vec3_madd(end_center, s - 0.5, u), t - 0.5, v);
    }
    double apex = -c->height / 2 - start * c->height / (end - start);
    z = apex + 2 * t * ((end > start ? 0.5 : -0.5) * c->height - apex);
    rho = 2 * t * fmax(start, end);
    Vec3 p = vec3_madd(c->center, z, c->axis);
    return vec3_madd(vec3_madd(p, rho * cos(2 * M_PI * s), u), rho * sin(2 * M_PI * s), v);
}

// The face `feature`, as points of two parameters in [0, 1]: written apart from the code under test.
static Vec3 face_point(const Wall *wall, int feature, double s, double t) {
    if (wall->kind == WALL_PLANE) { // large enough to hold the closest points of the test
        Vec3 n = wall->plane.normal, u = vec3_perpendicular(n), v = vec3_cross(n, u);
        return vec3_madd(vec3_madd(wall->plane.point, 4 * (s - 0.5), u), 4 * (t - 0.5), v);
    }
    if (wall->kind == WALL_BOX) {
        Vec3 h = wall->box.size, p = wall->box.center;
        double side = feature % 2 ? 0.5 : -0.5;
        if (feature / 2 == 0) return vec3_add(p, vec3(side * h.x, (s - 0.5) * h.y, (t - 0.5) * h.z));
        if (feature / 2 == 1) return vec3_add(p, vec3((s - 0.5) * h.x, side * h.y, (t - 0.5) * h.z));
        return vec3_add(p, vec3((s - 0.5) * h.x, (t - 0.5) * h.y, side * h.z));
    }
    if (wall->kind == WALL_CYLINDER) {
        const WallCylinder *c = &wall->cylinder;
        Vec3 u = vec3_perpendicular(c->axis), v = vec3_cross(c->axis, u);
        double rho = feature == 0 ? c->radius : t * c->radius;
        double z = feature == 0 ? (t - 0.5) * c->height : (feature == 1 ? -0.5 : 0.5) * c->height;
        Vec3 p = vec3_madd(c->center, z, c->axis);
        return vec3_madd(vec3_madd(p, rho * cos(2 * M_PI * s), u), rho * sin(2 * M_PI * s), v);
    }
    if (wall->kind == WALL_CAPSULE) return capsule_point(&wall->capsule, s, t);
    if (wall->kind == WALL_CONE) return cone_point(&wall->cone, feature, s, t);
    double a = 2 * M_PI * s, b = M_PI * (t - 0.5);
    Vec3 direction = {cos(b) * cos(a), cos(b) * sin(a), sin(b)};
    return vec3_madd(wall->sphere.center, wall->sphere.radius, direction);
}

static int feature_count(const Wall *wall) {
    static const int counts[] = {[WALL_PLANE] = 1,  [WALL_BOX] = 6,     [WALL_CYLINDER] = 3,
                                 [WALL_SPHERE] = 1, [WALL_CAPSULE] = 1, [WALL_CONE] = 1};
    if (wall->kind == WALL_CONE) return 1 + (wall->cone.radius_start > 0) + (wall->cone.radius_end > 0);
    return counts[wall->kind];
}

static double clamp(double x) { return fmin(1, fmax(0, x)); }

// Grid, then ever finer grids around the best point. Around a circle the first parameter just runs on.
static Vec3 closest_by_search(const Wall *wall, int feature, Vec3 center) {
    enum { grid = 24 };
    bool round = wall->kind != WALL_PLANE && wall->kind != WALL_BOX;
    double s = 0.5, t = 0.5, width = 1, best = INFINITY;
    Vec3 found = vec3_zero();
    for (int zoom = 0; zoom < 32; zoom++, width *= 0.5) {
        double middle_s = s, middle_t = t;
        for (int i = 0; i < (grid + 1) * (grid + 1); i++) {
            double try_s = middle_s + width * ((double)(i % (grid + 1)) / grid - 0.5);
            double try_t = clamp(middle_t + width * ((double)(i / (grid + 1)) / grid - 0.5));
            if (!round) try_s = clamp(try_s);
            Vec3 p = face_point(wall, feature, try_s, try_t);
            double distance = vec3_norm(vec3_sub(center, p));
            if (distance >= best) continue;
            best = distance;
            found = p;
            s = try_s;
            t = try_t;
        }
    }
    return found;
}

static Vec3 random_point_near(const Wall *wall, Random *random, double beyond) {
    Vec3 lower = vec3(-0.8, -0.8, -0.8), upper = vec3(0.8, 0.8, 0.8);
    wall_bounds(wall, &lower, &upper);
    double x = between(random, lower.x - beyond, upper.x + beyond);
    double y = between(random, lower.y - beyond, upper.y + beyond);
    double z = between(random, lower.z - beyond, upper.z + beyond);
    return vec3(x, y, z);
}

static double signed_height(const Wall *wall, Vec3 p) { // above the plane
    return vec3_dot(vec3_sub(p, wall->plane.point), wall->plane.normal);
}

static bool inside(const Wall *wall, Vec3 p) { // independent of wall_outside
    if (wall->kind == WALL_PLANE) return signed_height(wall, p) >= 0;
    if (wall->kind == WALL_SPHERE) return vec3_norm(vec3_sub(p, wall->sphere.center)) <= wall->sphere.radius;
    if (wall->kind == WALL_BOX) {
        Vec3 d = vec3_sub(p, wall->box.center), h = wall->box.size;
        return fabs(d.x) <= h.x / 2 && fabs(d.y) <= h.y / 2 && fabs(d.z) <= h.z / 2;
    }
    if (wall->kind == WALL_CAPSULE) {
        const WallCapsule *c = &wall->capsule;
        Vec3 d = vec3_sub(p, c->center), end = vec3_scale(c->length / 2, c->axis);
        bool tube =
            fabs(vec3_dot(d, c->axis)) <= c->length / 2 && vec3_norm(vec3_cross(d, c->axis)) <= c->radius;
        return tube || vec3_norm(vec3_sub(d, end)) <= c->radius || vec3_norm(vec3_add(d, end)) <= c->radius;
    }
    if (wall->kind == WALL_CONE) {
        const WallCone *c = &wall->cone;
        Vec3 d = vec3_sub(p, c->center);
        double t = vec3_dot(d, c->axis) / c->height + 0.5;
        return t >= 0 && t <= 1 &&
               vec3_norm(vec3_cross(d, c->axis)) <= (1 - t) * c->radius_start + t * c->radius_end;
    }
    Vec3 d = vec3_sub(p, wall->cylinder.center);
    return fabs(vec3_dot(d, wall->cylinder.axis)) <= wall->cylinder.height / 2 &&
           vec3_norm(vec3_cross(d, wall->cylinder.axis)) <= wall->cylinder.radius;
}

// Every face of the room, seen from inside: gap and normal are those of the closest point.
static void check_against_search(Wall wall) {
    Random random = {7};
    for (int tried = 0; tried < 25;) {
        Vec3 center = random_point_near(&wall, &random, 0);
        if (!inside(&wall, center)) continue;
        tried++;
        WallContact contacts[WALL_CONTACT_MAX];
        double radius = between(&random, 0.001, 0.05);
        int count = wall_contacts(&wall, center, radius, 100, contacts);
        assert_int_equal(count, feature_count(&wall));
        for (int i = 0; i < count; i++) {
            Vec3 closest = closest_by_search(&wall, contacts[i].feature, center);
            double distance = vec3_norm(vec3_sub(center, closest));
            check_near(contacts[i].gap, distance - radius, 1e-9);
            check_near(vec3_norm(contacts[i].normal), 1, 1e-14);
            Vec3 reached = vec3_madd(center, -distance, contacts[i].normal);
            check_near(vec3_norm(vec3_sub(reached, closest)), 0, 1e-5);
            for (int k = 0; k < i; k++) assert_int_not_equal(contacts[i].feature, contacts[k].feature);
        }
        check_near(wall_outside(&wall, center), 0, 1e-15);
        double nearest = INFINITY;
        for (int i = 0; i < count; i++) nearest = fmin(nearest, contacts[i].gap + radius);
        check_near(wall_distance_bound(&wall, center), nearest, 1e-14);
    }
}

// Through one face: the gap there is the distance back to the wall, counted negative.
static void check_from_outside(Wall wall) {
    Random random = {11};
    for (int tried = 0; tried < 25;) {
        Vec3 center = random_point_near(&wall, &random, 0.05);
        if (inside(&wall, center)) continue;
        WallContact contacts[WALL_CONTACT_MAX];
        int count = wall_contacts(&wall, center, 0.01, 100, contacts), through = -1, beyond = 0;
        assert_int_equal(count, feature_count(&wall));
        for (int i = 0; i < count; i++)
            if (contacts[i].gap + 0.01 < 0) through = i, beyond++;
        assert_true(beyond > 0);
        if (beyond > 1) continue; // past an edge: two faces, each with its own half space
        tried++;
        Vec3 closest = closest_by_search(&wall, contacts[through].feature, center);
        double distance = vec3_norm(vec3_sub(center, closest));
        check_near(contacts[through].gap, -distance - 0.01, 1e-9);
        check_near(wall_outside(&wall, center), distance, 1e-9);
        check_near(wall_distance_bound(&wall, center), 0, 0);
        assert_true(vec3_dot(contacts[through].normal, vec3_sub(closest, center)) > 0);
    }
}

static const WallContact *find_feature(const WallContact *contacts, int count, int feature) {
    for (int i = 0; i < count; i++)
        if (contacts[i].feature == feature) return &contacts[i];
    return NULL;
}

static void check_gradient(Wall wall) {
    Random random = {3};
    const double h = 1e-6;
    for (int tried = 0; tried < 200; tried++) {
        Vec3 center = random_point_near(&wall, &random, 0.02);
        WallContact contacts[WALL_CONTACT_MAX], before[WALL_CONTACT_MAX], after[WALL_CONTACT_MAX];
        int count = wall_contacts(&wall, center, 0.02, 100, contacts);
        for (int axis = 0; axis < 3; axis++) {
            Vec3 step = vec3_zero();
            vec3_set_component(&step, axis, h);
            assert_int_equal(wall_contacts(&wall, vec3_sub(center, step), 0.02, 100, before), count);
            assert_int_equal(wall_contacts(&wall, vec3_add(center, step), 0.02, 100, after), count);
            for (int i = 0; i < count; i++) {
                double slope = (find_feature(after, count, contacts[i].feature)->gap -
                                find_feature(before, count, contacts[i].feature)->gap) /
                               (2 * h);
                check_near(slope, vec3_component(contacts[i].normal, axis), 1e-6);
            }
        }
    }
}

static void check_margin(Wall wall) {
    Random random = {5};
    for (int tried = 0; tried < 200; tried++) {
        Vec3 center = random_point_near(&wall, &random, 0.02);
        WallContact all[WALL_CONTACT_MAX], near[WALL_CONTACT_MAX];
        int count = wall_contacts(&wall, center, 0.05, 100, all), expected = 0;
        for (int i = 0; i < count; i++) expected += all[i].gap < 0.03;
        int found = wall_contacts(&wall, center, 0.05, 0.03, near);
        assert_int_equal(found, expected);
        for (int i = 0; i < found; i++) {
            assert_true(near[i].gap < 0.03);
            assert_true(near[i].feature >= 0 && near[i].feature < WALL_CONTACT_MAX);
        }
    }
}

// The box around the room holds all of it and touches it; the share of random points that fall inside gives
// the volume.
static void check_bounds_and_volume(Wall wall) {
    enum { samples = 400000 };
    Random random = {17};
    Vec3 lower, upper;
    assert_true(wall_bounds(&wall, &lower, &upper));
    Vec3 size = vec3_sub(upper, lower), lowest = upper, highest = lower;
    int hits = 0;
    for (int i = 0; i < samples; i++) {
        Vec3 p = random_point_near(&wall, &random, 0.02);
        if (!inside(&wall, p)) continue;
        hits++;
        for (int axis = 0; axis < 3; axis++) {
            double x = vec3_component(p, axis);
            assert_true(x >= vec3_component(lower, axis) && x <= vec3_component(upper, axis));
            vec3_set_component(&lowest, axis, fmin(x, vec3_component(lowest, axis)));
            vec3_set_component(&highest, axis, fmax(x, vec3_component(highest, axis)));
        }
    }
    double sampled = (size.x + 0.04) * (size.y + 0.04) * (size.z + 0.04);
    double share = (double)hits / samples, deviation = sqrt(share * (1 - share) / samples);
    check_near(wall_volume(&wall), share * sampled, 5 * deviation * sampled);
    for (int axis = 0; axis < 3; axis++) {
        double width = vec3_component(size, axis);
        check_near(vec3_component(lowest, axis), vec3_component(lower, axis), 0.03 * width);
        check_near(vec3_component(highest, axis), vec3_component(upper, axis), 0.03 * width);
    }
}

// Points on the wall; polygons well formed, flat, and together as large as the wall.
static double check_surface(Wall wall) {
    MrcError error;
    Surface surface = {0};
    assert_int_equal(wall_surface(&wall, &surface, &error), MRC_OK);
    for (size_t i = 0; i < surface.points.count; i++) {
        WallContact contacts[WALL_CONTACT_MAX];
        int count = wall_contacts(&wall, surface.points.data[i], 0, 1e-12, contacts);
        assert_true(count >= 1);
        check_near(wall_outside(&wall, surface.points.data[i]), 0, 1e-12);
    }
    double area = 0;
    int start = 0;
    for (size_t i = 0; i < surface.ends.count; i++) {
        int end = surface.ends.data[i];
        assert_true(end - start >= 3);
        Vec3 sum = vec3_zero();
        for (int k = start; k < end; k++) {
            int corner = surface.corners.data[k], next = surface.corners.data[k + 1 < end ? k + 1 : start];
            assert_in_range(corner, 0, surface.points.count - 1);
            assert_int_not_equal(corner, next);
            Vec3 a = vec3_sub(surface.points.data[corner], surface.points.data[0]);
            Vec3 b = vec3_sub(surface.points.data[next], surface.points.data[0]);
            sum = vec3_add(sum, vec3_cross(a, b));
        }
        area += vec3_norm(sum) / 2;
        start = end;
    }
    assert_int_equal(start, surface.corners.count);
    surface_free(&surface);
    assert_int_equal(surface.points.count, 0);
    return area;
}

static void gaps_equal_brute_force_inside(void **state) {
    (void)state;
    check_against_search(make_plane());
    check_against_search(make_box());
    check_against_search(make_cylinder());
    check_against_search(make_sphere());
    check_against_search(make_capsule());
    check_against_search(make_cone(0.1, 0.3));
    check_against_search(make_cone(0.3, 0.05));
    check_against_search(make_cone(0, 0.4));
    check_against_search(make_cone(0.2, 0));
}

static void gaps_stay_right_outside(void **state) {
    (void)state;
    check_from_outside(make_plane());
    check_from_outside(make_box());
    check_from_outside(make_cylinder());
    check_from_outside(make_sphere());
    check_from_outside(make_capsule());
    check_from_outside(make_cone(0.1, 0.3));
    check_from_outside(make_cone(0.3, 0.05));
    check_from_outside(make_cone(0, 0.4));
    check_from_outside(make_cone(0.2, 0));
}

static void normal_is_gradient_of_gap(void **state) {
    (void)state;
    check_gradient(make_plane());
    check_gradient(make_box());
    check_gradient(make_cylinder());
    check_gradient(make_sphere());
    check_gradient(make_capsule());
    check_gradient(make_cone(0.1, 0.3));
    check_gradient(make_cone(0.3, 0.05));
    check_gradient(make_cone(0, 0.4));
    check_gradient(make_cone(0.2, 0));
}

static void margin_selects_contacts(void **state) {
    (void)state;
    check_margin(make_plane());
    check_margin(make_box());
    check_margin(make_cylinder());
    check_margin(make_sphere());
    check_margin(make_capsule());
    check_margin(make_cone(0.1, 0.3));
    check_margin(make_cone(0.3, 0.05));
    check_margin(make_cone(0, 0.4));
    check_margin(make_cone(0.2, 0));
}

static void bounds_and_volumes(void **state) {
    (void)state;
    check_bounds_and_volume(make_box());
    check_bounds_and_volume(make_cylinder());
    check_bounds_and_volume(make_sphere());
    check_bounds_and_volume(make_capsule());
    check_bounds_and_volume(make_cone(0.1, 0.3));
    check_bounds_and_volume(make_cone(0.3, 0.05));
    check_bounds_and_volume(make_cone(0, 0.4));
    check_bounds_and_volume(make_cone(0.2, 0));
    Wall upright = make_cylinder();
    upright.cylinder.axis = vec3(0, 1, 0);
    check_bounds_and_volume(upright);
    Wall plane = make_plane();
    Vec3 lower, upper;
    assert_false(wall_bounds(&plane, &lower, &upper));
    assert_true(isinf(wall_volume(&plane)));
}

static void surfaces_lie_on_walls(void **state) {
    (void)state;
    check_near(check_surface(make_plane()), 1, 1e-12);
    check_near(check_surface(make_box()), 2 * (0.4 * 0.6 + 0.6 * 1 + 0.4 * 1), 1e-12);
    double cylinder = 2 * M_PI * 0.3 * 0.8 + 2 * M_PI * 0.3 * 0.3, sphere = 4 * M_PI * 0.4 * 0.4;
    check_near(check_surface(make_cylinder()) / cylinder, 1, 0.002);
    check_near(check_surface(make_sphere()) / sphere, 1, 0.004);
    double capsule = 2 * M_PI * 0.25 * 0.7 + 4 * M_PI * 0.25 * 0.25;
    check_near(check_surface(make_capsule()) / capsule, 1, 0.004);
    double slant = hypot(0.6, 0.2);
    check_near(check_surface(make_cone(0.1, 0.3)) / (M_PI * (0.4 * slant + 0.1)), 1, 0.002);
    double whole = M_PI * 0.2 * (slant + 0.2);
    check_near(check_surface(make_cone(0, 0.2)) / whole, 1, 0.002);
    check_near(check_surface(make_cone(0.2, 0)) / whole, 1, 0.002);
}

static void surfaces_append(void **state) {
    (void)state;
    MrcError error;
    Surface surface = {0};
    Wall box = make_box(), sphere = make_sphere();
    assert_int_equal(wall_surface(&box, &surface, &error), MRC_OK);
    assert_int_equal(wall_surface(&sphere, &surface, &error), MRC_OK);
    assert_int_equal(surface.ends.data[5], 24);
    for (size_t k = 24; k < surface.corners.count; k++) {
        assert_true(surface.corners.data[k] >= 8);
        Vec3 p = surface.points.data[surface.corners.data[k]];
        check_near(vec3_norm(vec3_sub(p, sphere.sphere.center)), 0.4, 1e-12);
    }
    surface_free(&surface);
}

// A grain that fills its tube: the side normal is a unit vector across the axis, never NaN.
static void middle_of_round_walls(void **state) {
    (void)state;
    WallContact contacts[WALL_CONTACT_MAX];
    Wall cylinder = make_cylinder(), sphere = make_sphere();
    Vec3 axis = cylinder.cylinder.axis;
    for (int i = 0; i < 3; i++) {
        Vec3 center = vec3_madd(cylinder.cylinder.center, 0.1 * i, axis);
        assert_int_equal(wall_contacts(&cylinder, center, 0.05, 0.01, contacts), 0); // out of reach
        assert_int_equal(wall_contacts(&cylinder, center, 0.31, 0.01, contacts) >= 1, 1);
        assert_int_equal(contacts[0].feature, 0);
        check_near(contacts[0].gap, -0.01, 1e-14);
        check_near(vec3_norm(contacts[0].normal), 1, 1e-14);
        check_near(vec3_dot(contacts[0].normal, axis), 0, 1e-14);
    }
    assert_int_equal(wall_contacts(&sphere, sphere.sphere.center, 0.39, 0.005, contacts), 0);
    assert_int_equal(wall_contacts(&sphere, sphere.sphere.center, 0.41, 0.005, contacts), 1);
    check_near(contacts[0].gap, -0.01, 1e-14);
    check_near(vec3_norm(contacts[0].normal), 1, 1e-14);
}

// A ball dropped down the axis of a funnel is pushed back up the axis; beside the axis it is pushed by the
// side it is nearer to, with the same gap.
static void cone_on_its_axis(void **state) {
    (void)state;
    WallContact contacts[WALL_CONTACT_MAX];
    for (int turned = 0; turned < 2; turned++) {
        Wall wall = turned ? make_cone(0.3, 0) : make_cone(0, 0.3);
        Vec3 wide = vec3_scale(turned ? -1 : 1, wall.cone.axis),
             apex = vec3_madd(wall.cone.center, -0.3, wide);
        double sine = 0.3 / hypot(0.3, 0.6), radius = 0.1, height = 0.2;
        Vec3 center = vec3_madd(apex, height, wide);
        assert_int_equal(wall_contacts(&wall, center, radius, 0, contacts), 1);
        check_near(contacts[0].gap, height * sine - radius, 1e-14);
        check_near(vec3_dot(contacts[0].normal, wide), 1, 1e-14);
        Vec3 across = vec3_perpendicular(wide), beside = vec3_madd(center, 1e-6, across);
        assert_int_equal(wall_contacts(&wall, beside, radius, 0, contacts), 1);
        check_near(contacts[0].gap, height * sine - radius, 1e-6);
        check_near(vec3_dot(contacts[0].normal, wide), sine, 1e-9);
        check_near(vec3_dot(contacts[0].normal, across), -sqrt(1 - sine * sine), 1e-9);
        Vec3 behind = vec3_madd(apex, -0.1, wide); // gone through the tip
        assert_int_equal(wall_contacts(&wall, behind, 0.01, 0, contacts), 1);
        check_near(contacts[0].gap, -0.11, 1e-14);
        check_near(vec3_dot(contacts[0].normal, wide), 1, 1e-14);
    }
    Wall tube = make_cone(0.3, 0.3); // a cylinder
    assert_int_equal(wall_contacts(&tube, tube.cone.center, 0.31, 0, contacts), 3);
    check_near(contacts[0].gap, -0.01, 1e-14);
    check_near(vec3_dot(contacts[0].normal, tube.cone.axis), 0, 1e-14);
    check_near(vec3_norm(contacts[0].normal), 1, 1e-14);
}

static void faces_and_names(void **state) {
    (void)state;
    WallContact contacts[WALL_CONTACT_MAX];
    Wall box = {.kind = WALL_BOX, .box = {vec3_zero(), vec3(2, 2, 2)}};
    assert_int_equal(wall_contacts(&box, vec3(0.95, -0.95, 0), 0.1, 0, contacts), 2); // in an edge
    assert_int_equal(contacts[0].feature, 1);
    assert_int_equal(contacts[1].feature, 2);
    check_near(contacts[0].normal.x, -1, 0);
    check_near(contacts[1].normal.y, 1, 0);
    assert_int_equal(wall_contacts(&box, vec3_zero(), 1.1, 0, contacts), 6); // a grain as large as the box
    check_near(wall_outside(&box, vec3(1.5, -3, 0)), 2, 1e-15);              // the largest of the two
    static const char *const names[] = {"plane", "box", "cylinder", "sphere", "capsule", "cone", "mesh"};
    assert_int_equal(count_of(names), WALL_KIND_COUNT);
    for (int i = 0; i < WALL_KIND_COUNT; i++) assert_string_equal(wall_kind_name((WallKind)i), names[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_equal_brute_force_inside),
        cmocka_unit_test(gaps_stay_right_outside),
        cmocka_unit_test(normal_is_gradient_of_gap),
        cmocka_unit_test(margin_selects_contacts),
        cmocka_unit_test(bounds_and_volumes),
        cmocka_unit_test(surfaces_lie_on_walls),
        cmocka_unit_test(surfaces_append),
        cmocka_unit_test(middle_of_round_walls),
        cmocka_unit_test(cone_on_its_axis),
        cmocka_unit_test(faces_and_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
