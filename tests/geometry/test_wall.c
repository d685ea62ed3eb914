// Walls: gaps and normals against closest points found by brute force, and the surfaces for frames.
#include "base/random.h"
#include "check.h"
#include "schema/schema.h"
#include "walls.h"

#define count_of(array) (sizeof(array) / sizeof *(array))

static double between(Random *random, double lower, double upper) {
    return lower + (upper - lower) * random_uniform(random);
}

static Wall make_plane(void) { return plane_wall(vec3(0.1, -0.2, 0.3), vec3_normalize(vec3(1, 2, -0.5))); }
static Wall make_box(void) { return box_wall(vec3(1, 2, 3), vec3(0.4, 0.6, 1)); }
static Wall make_cylinder(void) {
    return cylinder_wall(vec3(-1, 0.5, 2), vec3_normalize(vec3(1, -2, 0.7)), 0.3, 0.8);
}
static Wall make_sphere(void) { return sphere_wall(vec3(0.5, -0.5, 1), 0.4); }
static Wall make_capsule(void) {
    return capsule_wall(vec3(0.3, 0.1, -1), vec3_normalize(vec3(-0.4, 1, 0.8)), 0.25, 0.7);
}
static Wall make_cone(double radius_start, double radius_end) {
    return cone_wall(vec3(-0.2, 0.9, 0.4), vec3_normalize(vec3(0.5, 1, -0.6)), radius_start, radius_end, 0.6);
}

// Rooms around an axis, all members that one of them has.
typedef struct Round {
    Vec3 center, axis, u, v; // u and v across the axis
    double radius, height, length, start, end;
} Round;

static Round round_of(const Wall *wall) {
    Round r = {.center = wall_vector(wall, "center"), .axis = {0, 0, 1}};
    if (!is_wall(wall, "sphere")) r.axis = wall_vector(wall, "axis");
    r.u = vec3_perpendicular(r.axis), r.v = vec3_cross(r.axis, r.u);
    if (!is_wall(wall, "cone")) r.radius = wall_number(wall, "radius");
    if (is_wall(wall, "cylinder") || is_wall(wall, "cone")) r.height = wall_number(wall, "height");
    if (is_wall(wall, "capsule")) r.length = wall_number(wall, "length");
    if (is_wall(wall, "cone"))
        r.start = wall_number(wall, "radius_start"), r.end = wall_number(wall, "radius_end");
    return r;
}

// At `z` along the axis, `rho` from it, `s` of the way round.
static Vec3 round_point(const Round *r, double z, double rho, double s) {
    Vec3 p = vec3_madd(r->center, z, r->axis);
    return vec3_madd(vec3_madd(p, rho * cos(2 * M_PI * s), r->u), rho * sin(2 * M_PI * s), r->v);
}

// Along the profile: lower half sphere, tube, upper half sphere.
static Vec3 capsule_point(const Round *c, double s, double t) {
    double angle = t < 1.0 / 3 ? (3 * t - 1) * M_PI / 2 : t > 2.0 / 3 ? (3 * t - 2) * M_PI / 2 : 0;
    double z = (fmin(fmax(3 * t - 1, 0), 1) - 0.5) * c->length + c->radius * sin(angle);
    return round_point(c, z, c->radius * cos(angle), s);
}

// The side is the whole cone, from its apex to twice the height of the wide end.
static Vec3 cone_point(const Round *c, int feature, double s, double t) {
    if (feature != 0) { // the planes of the ends, beyond their rims
        Vec3 end_center = vec3_madd(c->center, (feature == 1 ? -0.5 : 0.5) * c->height, c->axis);
        return vec3_madd(vec3_madd(end_center, s - 0.5, c->u), t - 0.5, c->v);
    }
    double apex = -c->height / 2 - c->start * c->height / (c->end - c->start);
    double z = apex + 2 * t * ((c->end > c->start ? 0.5 : -0.5) * c->height - apex);
    return round_point(c, z, 2 * t * fmax(c->start, c->end), s);
}

// The face `feature`, as points of two parameters in [0, 1]: written apart from the code under test.
static Vec3 face_point(const Wall *wall, int feature, double s, double t) {
    if (is_wall(wall, "plane")) { // large enough to hold the closest points of the test
        Vec3 n = wall_vector(wall, "normal"), u = vec3_perpendicular(n), v = vec3_cross(n, u);
        return vec3_madd(vec3_madd(wall_vector(wall, "point"), 4 * (s - 0.5), u), 4 * (t - 0.5), v);
    }
    if (is_wall(wall, "box")) {
        Vec3 h = wall_vector(wall, "size"), p = wall_vector(wall, "center");
        double side = feature % 2 ? 0.5 : -0.5;
        if (feature / 2 == 0) return vec3_add(p, vec3(side * h.x, (s - 0.5) * h.y, (t - 0.5) * h.z));
        if (feature / 2 == 1) return vec3_add(p, vec3((s - 0.5) * h.x, side * h.y, (t - 0.5) * h.z));
        return vec3_add(p, vec3((s - 0.5) * h.x, (t - 0.5) * h.y, side * h.z));
    }
    Round r = round_of(wall);
    if (is_wall(wall, "cylinder")) {
        double z = feature == 0 ? (t - 0.5) * r.height : (feature == 1 ? -0.5 : 0.5) * r.height;
        return round_point(&r, z, feature == 0 ? r.radius : t * r.radius, s);
    }
    if (is_wall(wall, "capsule")) return capsule_point(&r, s, t);
    if (is_wall(wall, "cone")) return cone_point(&r, feature, s, t);
    double a = 2 * M_PI * s, b = M_PI * (t - 0.5);
    Vec3 direction = {cos(b) * cos(a), cos(b) * sin(a), sin(b)};
    return vec3_madd(r.center, r.radius, direction);
}

static int feature_count(const Wall *wall) {
    if (is_wall(wall, "box")) return 6;
    if (is_wall(wall, "cylinder")) return 3;
    if (!is_wall(wall, "cone")) return 1;
    return 1 + (wall_number(wall, "radius_start") > 0) + (wall_number(wall, "radius_end") > 0);
}

static double clamp(double x) { return fmin(1, fmax(0, x)); }

// Grid, then ever finer grids around the best point. Around a circle the first parameter just runs on.
static Vec3 closest_by_search(const Wall *wall, int feature, Vec3 center) {
    enum { grid = 24 };
    bool round = !is_wall(wall, "plane") && !is_wall(wall, "box");
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

static bool inside(const Wall *wall, Vec3 p) { // independent of wall_outside
    if (is_wall(wall, "plane"))
        return vec3_dot(vec3_sub(p, wall_vector(wall, "point")), wall_vector(wall, "normal")) >= 0;
    Vec3 d = vec3_sub(p, wall_vector(wall, "center"));
    if (is_wall(wall, "box")) {
        Vec3 h = wall_vector(wall, "size");
        return fabs(d.x) <= h.x / 2 && fabs(d.y) <= h.y / 2 && fabs(d.z) <= h.z / 2;
    }
    Round r = round_of(wall);
    double along = vec3_dot(d, r.axis), across = vec3_norm(vec3_cross(d, r.axis)), t = along / r.height + 0.5;
    if (is_wall(wall, "sphere")) return vec3_norm(d) <= r.radius;
    if (is_wall(wall, "cone")) return t >= 0 && t <= 1 && across <= (1 - t) * r.start + t * r.end;
    if (is_wall(wall, "cylinder")) return fabs(along) <= r.height / 2 && across <= r.radius;
    Vec3 end = vec3_scale(r.length / 2, r.axis);
    bool tube = fabs(along) <= r.length / 2 && across <= r.radius;
    return tube || vec3_norm(vec3_sub(d, end)) <= r.radius || vec3_norm(vec3_add(d, end)) <= r.radius;
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
        int count = wall_contacts_of_sphere(&wall, center, radius, 100, contacts);
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
        int count = wall_contacts_of_sphere(&wall, center, 0.01, 100, contacts), through = -1, beyond = 0;
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
        int count = wall_contacts_of_sphere(&wall, center, 0.02, 100, contacts);
        for (int axis = 0; axis < 3; axis++) {
            Vec3 step = vec3_zero();
            vec3_set_component(&step, axis, h);
            assert_int_equal(wall_contacts_of_sphere(&wall, vec3_sub(center, step), 0.02, 100, before),
                             count);
            assert_int_equal(wall_contacts_of_sphere(&wall, vec3_add(center, step), 0.02, 100, after), count);
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
        int count = wall_contacts_of_sphere(&wall, center, 0.05, 100, all), expected = 0;
        for (int i = 0; i < count; i++) expected += all[i].gap < 0.03;
        int found = wall_contacts_of_sphere(&wall, center, 0.05, 0.03, near);
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
        int count = wall_contacts_of_sphere(&wall, surface.points.data[i], 0, 1e-12, contacts);
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
    wall_set_vector(&upright, "axis", vec3(0, 1, 0));
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
        check_near(vec3_norm(vec3_sub(p, wall_vector(&sphere, "center"))), 0.4, 1e-12);
    }
    surface_free(&surface);
}

// A grain that fills its tube: the side normal is a unit vector across the axis, never NaN.
static void middle_of_round_walls(void **state) {
    (void)state;
    WallContact contacts[WALL_CONTACT_MAX];
    Wall cylinder = make_cylinder(), sphere = make_sphere();
    Vec3 axis = wall_vector(&cylinder, "axis");
    for (int i = 0; i < 3; i++) {
        Vec3 center = vec3_madd(wall_vector(&cylinder, "center"), 0.1 * i, axis);
        assert_int_equal(wall_contacts_of_sphere(&cylinder, center, 0.05, 0.01, contacts), 0); // out of reach
        assert_int_equal(wall_contacts_of_sphere(&cylinder, center, 0.31, 0.01, contacts) >= 1, 1);
        assert_int_equal(contacts[0].feature, 0);
        check_near(contacts[0].gap, -0.01, 1e-14);
        check_near(vec3_norm(contacts[0].normal), 1, 1e-14);
        check_near(vec3_dot(contacts[0].normal, axis), 0, 1e-14);
    }
    assert_int_equal(wall_contacts_of_sphere(&sphere, wall_vector(&sphere, "center"), 0.39, 0.005, contacts),
                     0);
    assert_int_equal(wall_contacts_of_sphere(&sphere, wall_vector(&sphere, "center"), 0.41, 0.005, contacts),
                     1);
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
        Vec3 wide = vec3_scale(turned ? -1 : 1, wall_vector(&wall, "axis")),
             apex = vec3_madd(wall_vector(&wall, "center"), -0.3, wide);
        double sine = 0.3 / hypot(0.3, 0.6), radius = 0.1, height = 0.2;
        Vec3 center = vec3_madd(apex, height, wide);
        assert_int_equal(wall_contacts_of_sphere(&wall, center, radius, 0, contacts), 1);
        check_near(contacts[0].gap, height * sine - radius, 1e-14);
        check_near(vec3_dot(contacts[0].normal, wide), 1, 1e-14);
        Vec3 across = vec3_perpendicular(wide), beside = vec3_madd(center, 1e-6, across);
        assert_int_equal(wall_contacts_of_sphere(&wall, beside, radius, 0, contacts), 1);
        check_near(contacts[0].gap, height * sine - radius, 1e-6);
        check_near(vec3_dot(contacts[0].normal, wide), sine, 1e-9);
        check_near(vec3_dot(contacts[0].normal, across), -sqrt(1 - sine * sine), 1e-9);
        Vec3 behind = vec3_madd(apex, -0.1, wide); // gone through the tip
        assert_int_equal(wall_contacts_of_sphere(&wall, behind, 0.01, 0, contacts), 1);
        check_near(contacts[0].gap, -0.11, 1e-14);
        check_near(vec3_dot(contacts[0].normal, wide), 1, 1e-14);
    }
    Wall tube = make_cone(0.3, 0.3); // a cylinder
    assert_int_equal(wall_contacts_of_sphere(&tube, wall_vector(&tube, "center"), 0.31, 0, contacts), 3);
    check_near(contacts[0].gap, -0.01, 1e-14);
    check_near(vec3_dot(contacts[0].normal, wall_vector(&tube, "axis")), 0, 1e-14);
    check_near(vec3_norm(contacts[0].normal), 1, 1e-14);
}

static void faces_and_names(void **state) {
    (void)state;
    WallContact contacts[WALL_CONTACT_MAX];
    Wall box = box_wall(vec3_zero(), vec3(2, 2, 2));
    assert_int_equal(wall_contacts_of_sphere(&box, vec3(0.95, -0.95, 0), 0.1, 0, contacts), 2); // in an edge
    assert_int_equal(contacts[0].feature, 1);
    assert_int_equal(contacts[1].feature, 2);
    check_near(contacts[0].normal.x, -1, 0);
    check_near(contacts[1].normal.y, 1, 0);
    assert_int_equal(wall_contacts_of_sphere(&box, vec3_zero(), 1.1, 0, contacts),
                     6);                                        // a grain as large as the box
    check_near(wall_outside(&box, vec3(1.5, -3, 0)), 2, 1e-15); // the largest of the two
    assert_string_equal(wall_kind_name(&box), "box");
    for (int k = 0; wall_schema_types[k]; k++) {
        Wall wall = wall_of_kind(wall_schema_types[k]->alternative.key);
        assert_int_equal(wall.kind, k);
        assert_string_equal(wall_kind_name(&wall), wall_schema_types[k]->alternative.key);
    }
}

// Two walls that differ in anything have different identities.
static void identities(void **state) {
    (void)state;
    Wall walls[] = {make_plane(),        make_box(),
                    make_sphere(),       make_cone(0.1, 0.3),
                    make_cone(0.3, 0.1), box_wall(vec3(1, 2, 3), vec3(0.4, 0.6, 1 + 1e-15))};
    char texts[count_of(walls)][1000] = {{0}};
    for (size_t k = 0; k < count_of(walls); k++) {
        FILE *out = fmemopen(texts[k], sizeof texts[k], "w");
        wall_write_identity(&walls[k], out);
        fclose(out);
        assert_true(strlen(texts[k]) > 0);
        for (size_t other = 0; other < k; other++) assert_string_not_equal(texts[k], texts[other]);
    }
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
        cmocka_unit_test(identities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
