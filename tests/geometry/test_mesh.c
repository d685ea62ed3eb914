// Meshes as walls: refining them does not change the contacts, and fine ones act like the walls they stand
// for.
#include "geometry/mesh.h"
#include "geometry/wall.h"
#include "shapes.h"
#include "walls.h"

enum { most = WALL_CONTACT_MAX };

static void check_same(const MeshContact *contact, double gap, Vec3 normal, double tolerance) {
    check_near(contact->gap, gap, tolerance);
    check_near(vec3_norm(vec3_sub(contact->normal, normal)), 0, tolerance);
}

// ---- flat patches --------------------------------------------------------------------------------
static Mesh *square(int cells, double jitter) {
    Soup soup = {0};
    soup_grid(&soup, vec3(-0.5, -0.5, 0.2), vec3(1, 0, 0), vec3(0, 1, 0), cells, jitter);
    soup_turn_some(&soup, (uint64_t)cells);
    return soup_mesh(&soup);
}

// A ball pressed into a square rolls across it: along grid lines, through vertices, askew, on both sides.
static void cutting_a_square_changes_nothing(void **state) {
    (void)state;
    static const int cells[] = {1, 2, 5, 10, 33, 100};
    static const Vec3 ways[] = {{1, 0, 0}, {0.4, 0.4, 0}, {0.71, 0.313, 0}, {-0.3, 0.7, 0}};
    for (int c = 0; c < 12; c++) {
        Mesh *mesh = square(cells[c / 2], c % 2 ? 0.2 : 0);
        assert_int_equal(mesh_info(mesh)->region_count, 1);
        for (int way = 0; way < 8; way++)
            for (int i = 0; i <= 400; i++) {
                double side = way < 4 ? 1 : -1;
                Vec3 center =
                    vec3_madd(vec3(0, 0, 0.2 + 0.049 * side), 0.9 * (i / 400.0 - 0.5), ways[way % 4]);
                MeshContact contacts[most];
                assert_int_equal(mesh_contacts(mesh, center, 0.05, 0.002, contacts, most), 1);
                check_same(&contacts[0], -0.001, vec3(0, 0, side), 1e-13);
                assert_int_equal(contacts[0].feature, 0);
            }
        mesh_destroy(mesh);
    }
}

// Over the rim of the square the contact moves to the edge and the corner, and keeps its gap in step.
static void rim_of_a_square(void **state) {
    (void)state;
    Mesh *coarse = square(1, 0), *fine = square(40, 0.2);
    Random random = {5};
    int on_face = 0;
    for (int i = 0; i < 4000; i++) {
        Vec3 center = random_vector(&random, 0.6);
        center.z = 0.2 + between(&random, -0.1, 0.1);
        MeshContact a[most], b[most];
        Vec3 nearest = {fmax(-0.5, fmin(0.5, center.x)), fmax(-0.5, fmin(0.5, center.y)), 0.2};
        Vec3 d = vec3_sub(center, nearest);
        assert_int_equal(mesh_contacts(coarse, center, 0.05, 1, a, most), 1);
        assert_int_equal(mesh_contacts(fine, center, 0.05, 1, b, most), 1);
        check_same(&a[0], vec3_norm(d) - 0.05, vec3_normalize(d), 1e-9);
        check_same(&b[0], vec3_norm(d) - 0.05, vec3_normalize(d), 1e-9);
        on_face += a[0].feature == 0;
        assert_int_equal(a[0].feature == 0, b[0].feature == 0); // same kind of place
    }
    assert_in_range(on_face, 2500, 3100);
    assert_int_equal(mesh_info(coarse)->group_count, 1 + 4 + 4); // face, edges, corners
    assert_int_equal(mesh_info(fine)->group_count, 1 + 4 + 4);
    mesh_destroy(coarse);
    mesh_destroy(fine);
}

// Patches that meet without sharing vertices: edges of one lie inside edges of the other.
static void seams_are_not_felt(void **state) {
    (void)state;
    Soup soup = {0};
    soup_grid(&soup, vec3(-1, -0.5, 0), vec3(1, 0, 0), vec3(0, 1, 0), 3, 0);
    soup_grid(&soup, vec3(0, -0.5, 0), vec3(1, 0, 0), vec3(0, 1, 0), 7, 0);
    Mesh *mesh = soup_mesh(&soup);
    for (int way = 0; way < 3; way++)
        for (int i = -1000; i <= 1000; i++) {
            double x = way == 0 ? i * 3e-4 : i * 3e-7, y = way == 2 ? 1.0 / 14 + 1e-8 * i : 0.31;
            MeshContact contacts[most];
            assert_int_equal(mesh_contacts(mesh, vec3(x, y, 0.09), 0.1, 0.01, contacts, most), 1);
            check_same(&contacts[0], -0.01, vec3(0, 0, 1), 1e-11);
        }
    mesh_destroy(mesh);
}

// A triangle without area between its neighbours: a crack in the file, not in the wall.
static void slivers_are_not_felt(void **state) {
    (void)state;
    Soup soup = {0};
    for (int thin = 0; thin < 2; thin++) {
        double bulge = thin ? 1e-6 : 0;
        soup_triangle(&soup, vec3(-1, -1, 0), vec3(1, -1, 0), vec3(0, -2, 0));
        soup_triangle(&soup, vec3(-1, -1, 0), vec3(0.1, -1 + bulge, 0), vec3(1, -1, 0)); // the sliver
        soup_triangle(&soup, vec3(-1, -1, 0), vec3(0.1, -1 + bulge, 0), vec3(0, 0, 0));
        soup_triangle(&soup, vec3(0.1, -1 + bulge, 0), vec3(1, -1, 0), vec3(0, 0, 0));
        soup_triangle(&soup, vec3(1, -1, 0), vec3(1, -1, 0), vec3(0, 0, 0)); // and one with two equal corners
        Mesh *mesh = soup_mesh(&soup);
        assert_int_equal(mesh_info(mesh)->degenerate_count, 2);
        assert_int_equal(mesh_info(mesh)->triangle_count, 3);
        for (int i = -2000; i <= 2000; i++) {
            double y = -1 + (i % 2 ? 2e-4 : 2e-9) * i;
            MeshContact contacts[most];
            assert_int_equal(mesh_contacts(mesh, vec3(0.12, y, 0.09), 0.1, 0.01, contacts, most), 1);
            check_same(&contacts[0], -0.01, vec3(0, 0, 1), 1e-4);
            check_near(contacts[0].gap, -0.01, 1e-9);
            assert_int_equal(contacts[0].feature, 0);
        }
        mesh_destroy(mesh);
    }
}

// ---- boxes ---------------------------------------------------------------------------------------
static void box_mesh_equals_box(void **state) {
    (void)state;
    Wall box = box_wall(vec3(0.1, -0.2, 0.3), vec3(0.4, 0.6, 1));
    for (int cells = 1; cells <= 16; cells *= 4) {
        Soup soup = {0};
        soup_box(&soup, wall_vector(&box, "center"), wall_vector(&box, "size"), cells);
        soup_turn_some(&soup, 3);
        Mesh *mesh = soup_mesh(&soup);
        Random random = {1};
        for (int i = 0; i < 5000; i++) {
            Vec3 c = wall_vector(&box, "center"), h = wall_vector(&box, "size");
            Vec3 center = {c.x + 0.5 * h.x * between(&random, -1, 1),
                           c.y + 0.5 * h.y * between(&random, -1, 1),
                           c.z + 0.5 * h.z * between(&random, -1, 1)};
            double radius = between(&random, 0.01, 0.2), margin = i % 2 ? 10 : 0.05;
            WallContact expected[WALL_CONTACT_MAX];
            MeshContact found[most];
            int count = wall_contacts_of_sphere(&box, center, radius, margin, expected), matched = 0;
            assert_int_equal(mesh_contacts(mesh, center, radius, margin, found, most), count);
            for (int k = 0; k < count * count; k++) {
                if (vec3_dot(expected[k / count].normal, found[k % count].normal) < 0.9) continue;
                check_same(&found[k % count], expected[k / count].gap, expected[k / count].normal, 1e-10);
                matched++;
            }
            assert_int_equal(matched, count);
            for (int k = 0; k < count; k++) assert_in_range(found[k].feature, 0, 5); // faces, each once
            for (int k = 1; k < count; k++) {
                assert_int_not_equal(found[k].feature, found[k - 1].feature);
                assert_true(found[k].gap >= found[k - 1].gap);
            }
        }
        mesh_destroy(mesh);
    }
}

// A ball on a cube from outside: one contact, at the closest point of face, edge or corner.
static void cube_from_outside(void **state) {
    (void)state;
    for (int cells = 1; cells <= 9; cells += 4) {
        Soup soup = {0};
        soup_box(&soup, vec3_zero(), vec3(2, 2, 2), cells);
        soup_turn_some(&soup, 8);
        Mesh *mesh = soup_mesh(&soup);
        assert_int_equal(mesh_info(mesh)->group_count, 6 + 12 + 8);
        Random random = {2};
        for (int i = 0; i < 20000; i++) {
            Vec3 center = random_vector(&random, 1.5);
            Vec3 nearest = {fmax(-1, fmin(1, center.x)), fmax(-1, fmin(1, center.y)),
                            fmax(-1, fmin(1, center.z))};
            Vec3 d = vec3_sub(center, nearest);
            if (vec3_norm(d) < 1e-3) continue; // inside
            MeshContact contacts[most];
            assert_int_equal(mesh_contacts(mesh, center, 0.3, 1, contacts, most), 1);
            check_same(&contacts[0], vec3_norm(d) - 0.3, vec3_normalize(d), 1e-8);
            int beyond = (fabs(center.x) > 1) + (fabs(center.y) > 1) + (fabs(center.z) > 1);
            static const int first[] = {0, 0, 6, 18}, last[] = {0, 5, 17, 25};
            assert_in_range(contacts[0].feature, first[beyond], last[beyond]);
        }
        mesh_destroy(mesh);
    }
}

// ---- round walls ---------------------------------------------------------------------------------
// The contact with the near half of the side, and how many there are.
static const MeshContact *lateral(const MeshContact *contacts, int count, Vec3 expected, int *number) {
    const MeshContact *found = NULL;
    *number = 0;
    for (int i = 0; i < count; i++) {
        if (vec3_dot(contacts[i].normal, expected) < 1e-9) continue;
        found = &contacts[i];
        ++*number;
    }
    return found;
}

// Gap wrong by less than R (1 - cos(pi / n)), normal by less than pi / n, one contact, one feature; from
// spheres that are tiny to spheres that nearly fill the tube.
static void cylinder_mesh_equals_cylinder(void **state) {
    (void)state;
    Wall analytic = cylinder_wall(vec3_zero(), vec3(0, 0, 1), 0.5, 1);
    static const int sides[] = {24, 96, 384};
    for (int s = 0; s < 3; s++) {
        Soup soup = {0};
        soup_cylinder(&soup, 0.5, 1, sides[s], 1 + 3 * s, true);
        soup_turn_some(&soup, 5);
        Mesh *mesh = soup_mesh(&soup);
        assert_int_equal(mesh_info(mesh)->region_count, 3);
        assert_true(mesh_info(mesh)->closed);
        double angle = M_PI / sides[s], allowed = 0.5 * (1 - cos(angle)), worst = 0, worst_normal = 0;
        check_near(mesh_info(mesh)->volume, 0.5 * 0.5 * sides[s] * sin(angle) * cos(angle), 1e-9);
        Random random = {12};
        int feature = -1;
        for (int i = 0; i < 20000; i++) {
            double radius = between(&random, 0.002, 0.48), rho = between(&random, 0.001, 0.5);
            double turn = between(&random, 0, 2 * M_PI), margin = i % 2 ? 0.2 : 0.05 * radius;
            Vec3 center = {rho * cos(turn), rho * sin(turn), between(&random, -0.5, 0.5)};
            if (rho > 0.5 * cos(angle)) continue; // may be outside the mesh
            WallContact expected[WALL_CONTACT_MAX];
            MeshContact found[most];
            wall_contacts_of_sphere(&analytic, center, radius, 100, expected);
            int number;
            int count = mesh_contacts(mesh, center, radius, margin, found, most);
            const MeshContact *side = lateral(found, count, expected[0].normal, &number);
            if (expected[0].gap - allowed > margin) assert_int_equal(number, 0);
            if (expected[0].gap > margin) continue;
            assert_int_equal(number, 1);
            worst = fmax(worst, fabs(side->gap - expected[0].gap));
            worst_normal = fmax(worst_normal, vec3_norm(vec3_sub(side->normal, expected[0].normal)));
            if (side->gap >= 0) continue;
            if (feature < 0) feature = side->feature;
            assert_int_equal(side->feature, feature);
        }
        assert_true(worst < 1.0001 * allowed && worst > 0.9 * allowed);
        assert_true(worst_normal < 1.0001 * angle && worst_normal > 0.9 * angle);
        mesh_destroy(mesh);
    }
}

static void sphere_mesh_equals_sphere(void **state) {
    (void)state;
    for (int bands = 12; bands <= 96; bands *= 2) {
        Soup soup = {0};
        soup_sphere(&soup, 1, 2 * bands, bands);
        Mesh *mesh = soup_mesh(&soup);
        assert_int_equal(mesh_info(mesh)->region_count, 1);
        double step = M_PI / bands, allowed = 0.3 * step * step, inner = 1 - allowed;
        check_near(mesh_info(mesh)->volume / (4.0 / 3 * M_PI), 1, 2 * step * step);
        Random random = {13};
        for (int i = 0; i < 3000; i++) {
            double rho = between(&random, 0.2, inner), gap = between(&random, -0.02, -allowed);
            double radius = 1 - rho - gap;
            Vec3 direction = random_direction(&random), center = vec3_scale(rho, direction);
            MeshContact found[most];
            if (gap < 0) {
                assert_int_equal(mesh_contacts(mesh, center, radius, 0, found, most), 1); // inside
                check_near(found[0].gap, gap, allowed);
                check_near(vec3_norm(vec3_add(found[0].normal, direction)), 0, step);
                assert_int_equal(found[0].feature, 0);
            }
            radius = between(&random, 0.05, 2);
            center = vec3_scale(1 + radius - 0.01, direction); // outside
            assert_int_equal(mesh_contacts(mesh, center, radius, 0.1, found, most), 1);
            check_near(found[0].gap, -0.01, allowed);
            check_near(vec3_norm(vec3_sub(found[0].normal, direction)), 0, 1.5 * step);
            assert_int_equal(found[0].feature, 0);
        }
        mesh_destroy(mesh);
    }
}

// Along any path the deepest gap changes by no more than the centre moves, and its slope along the path is
// the normal: the force is the gradient of an energy, also where the ball goes from facet to facet.
static void gaps_are_continuous(void **state) {
    (void)state;
    for (int shape = 0; shape < 4; shape++) {
        Soup soup = {0};
        if (shape == 0) soup_cylinder(&soup, 0.5, 1, 24, 2, true);
        if (shape == 1) soup_cylinder(&soup, 0.5, 1, 100, 2, true);
        if (shape == 2) soup_sphere(&soup, 0.5, 32, 16);
        if (shape == 3) soup_box(&soup, vec3_zero(), vec3(0.9, 0.8, 1), 3);
        Mesh *mesh = soup_mesh(&soup);
        Random random = {21};
        int jumps = 0, steps = 0;
        for (int path = 0; path < 12; path++) {
            Vec3 from = random_vector(&random, 0.6), to = random_vector(&random, 0.6);
            double length = vec3_norm(vec3_sub(to, from)), before = NAN, slope = 0;
            for (int i = 0; i <= 2000; i++) {
                Vec3 way = vec3_sub(to, from), center = vec3_madd(from, i / 2000.0, way);
                MeshContact contacts[most];
                assert_true(mesh_contacts(mesh, center, 0.2, 10, contacts, most) >= 1);
                double change = contacts[0].gap - before, h = length / 2000;
                if (i > 0) assert_true(fabs(change) <= h * (1 + 1e-9));
                double mean = 0.5 * (slope + vec3_dot(contacts[0].normal, way) / length);
                steps++;
                jumps +=
                    i > 0 && fabs(change / h - mean) > 1e-2; // only where another part becomes the nearest
                before = contacts[0].gap;
                slope = vec3_dot(contacts[0].normal, way) / length;
            }
        }
        assert_true(jumps < steps / 50);
        mesh_destroy(mesh);
    }
}

// ---- motion --------------------------------------------------------------------------------------
typedef struct Ball {
    Vec3 position, velocity;
    double energy, most_energy; // elastic and kinetic per mass; its largest relative change
} Ball;

// A frictionless elastic ball in a wall for `steps` steps, all masses 1.
static Ball move(const Wall *wall, Vec3 position, Vec3 velocity, Vec3 gravity, int steps) {
    const double stiffness = 1e6, h = 2e-5, radius = 0.05;
    Ball ball = {.position = position, .velocity = velocity};
    double start = 0;
    for (int i = 0; i < steps; i++) {
        WallContact contacts[WALL_CONTACT_MAX];
        int count = wall_contacts_of_sphere(wall, ball.position, radius, 0, contacts);
        Vec3 force = gravity;
        ball.energy = 0.5 * vec3_norm2(ball.velocity) - vec3_dot(gravity, ball.position);
        for (int k = 0; k < count; k++) {
            force = vec3_madd(force, -stiffness * contacts[k].gap, contacts[k].normal);
            ball.energy += 0.5 * stiffness * contacts[k].gap * contacts[k].gap;
        }
        if (i == 0) start = ball.energy;
        if (count == 0) ball.most_energy = fmax(ball.most_energy, fabs(ball.energy - start) / start);
        ball.velocity = vec3_madd(ball.velocity, h, force);
        ball.position = vec3_madd(ball.position, h, ball.velocity);
    }
    return ball;
}

static Wall tube_of(int sides) {
    Soup soup = {0};
    soup_cylinder(&soup, 0.5, 1, sides, 2, true);
    return wall_from_mesh(soup_mesh(&soup));
}

// Bouncing through a tube: the paths converge to that in the analytic tube, and keep their energy.
static void trajectories_converge(void **state) {
    (void)state;
    Wall analytic = cylinder_wall(vec3_zero(), vec3(0, 0, 1), 0.5, 1);
    static const int sides[] = {24, 96, 384, 1536};
    double error[4] = {0};
    for (int s = 0; s < 4; s++) {
        Wall mesh = tube_of(sides[s]);
        Random random = {31};
        for (int launch = 0; launch < 8; launch++) {
            Vec3 position = random_vector(&random, 0.2);
            Vec3 velocity = vec3_scale(5, random_direction(&random));
            Ball exact = move(&analytic, position, velocity, vec3_zero(), 12000);
            Ball ball = move(&mesh, position, velocity, vec3_zero(), 12000);
            error[s] += vec3_norm(vec3_sub(ball.position, exact.position)) / 8;
            assert_true(ball.most_energy < 0.01);
            check_near(wall_outside(&mesh, ball.position), 0, 0);
        }
        wall_release(&mesh);
    }
    assert_true(error[1] < 0.5 * error[0] && error[2] < 0.5 * error[1] && error[3] < 0.5 * error[2]);
    assert_true(error[3] < 0.01);
}

// Sliding to and fro in the bottom of a lying tube.
static void sliding_in_a_tube(void **state) {
    (void)state;
    Wall analytic = cylinder_wall(vec3_zero(), vec3(0, 0, 1), 0.5, 1);
    Vec3 start = vec3(0.45 * sin(0.5), -0.45 * cos(0.5), 0), gravity = vec3(0, -9.81, 0);
    Ball exact = move(&analytic, start, vec3_zero(), gravity, 25000);
    double before = 0.05;
    for (int sides = 96; sides <= 1536; sides *= 4) {
        Wall mesh = tube_of(sides);
        Ball ball = move(&mesh, start, vec3_zero(), gravity, 25000);
        double error = vec3_norm(vec3_sub(ball.position, exact.position));
        assert_true(error < before);
        before = fmax(0.6 * error, 1e-3);
        wall_release(&mesh);
    }
}

// ---- several contacts in one region, rims --------------------------------------------------------
// Floor and wall joined by a fillet
// smaller than the ball: one smooth region, two contacts, told apart.
static void fillet_between_floor_and_wall(void **state) {
    (void)state;
    Soup soup = {0};
    enum { steps = 8 };
    double f = 0.02;
    Vec3 along = {0, 1, 0}, last = {1, -0.5, 0};
    for (int i = 0; i <= steps; i++) {
        double angle = M_PI / 2 * i / steps;
        Vec3 next = {f - f * sin(angle), -0.5, f - f * cos(angle)};
        soup_grid(&soup, last, vec3_sub(next, last), along, 1, 0);
        last = next;
    }
    soup_grid(&soup, last, vec3(0, 0, 1), along, 1, 0);
    Mesh *mesh = soup_mesh(&soup);
    assert_int_equal(mesh_info(mesh)->region_count, 1);
    MeshContact corner[most], again[most], floor_only[most];
    assert_int_equal(mesh_contacts(mesh, vec3(0.09, 0, 0.095), 0.1, 0, corner, most), 2);
    check_same(&corner[0], -0.01, vec3(1, 0, 0), 1e-12);
    check_same(&corner[1], -0.005, vec3(0, 0, 1), 1e-12);
    assert_int_not_equal(corner[0].feature, corner[1].feature);
    assert_int_equal(mesh_contacts(mesh, vec3(0.095, 0.3, 0.09), 0.1, 0, again, most), 2);
    assert_int_equal(again[0].feature, corner[1].feature); // floor and wall keep their numbers
    assert_int_equal(again[1].feature, corner[0].feature);
    assert_int_equal(mesh_contacts(mesh, vec3(0.5, 0, 0.09), 0.1, 0, floor_only, most), 1);
    assert_int_equal(floor_only[0].feature, 0);
    mesh_destroy(mesh);
}

// A ball in the hole of a plate: the rim of 48 short edges acts as one.
static void rim_of_a_hole(void **state) {
    (void)state;
    Soup soup = {0};
    enum { sides = 48 };
    for (int i = 0; i < sides; i++) {
        double a = 2 * M_PI * i / sides, b = 2 * M_PI * ((i + 1) % sides) / sides;
        Vec3 p = {cos(a), sin(a), 0}, q = {cos(b), sin(b), 0};
        soup_quad(&soup, p, q, vec3_scale(3, q), vec3_scale(3, p));
    }
    Mesh *mesh = soup_mesh(&soup);
    assert_int_equal(mesh_info(mesh)->group_count, 3); // plate, two rims
    Random random = {6};
    int feature = -1;
    for (int i = 0; i < 2000; i++) {
        double turn = between(&random, 0, 2 * M_PI), off = between(&random, 1e-3, 0.1);
        double radius = hypot(1 - off, 1) + 0.0005;
        Vec3 center = {off * cos(turn), off * sin(turn), 1};
        MeshContact contacts[most];
        assert_int_equal(mesh_contacts(mesh, center, radius, 0.001, contacts, most), 1);
        check_near(contacts[0].gap, -0.0005, 0.003);
        Vec3 expected = vec3_normalize(vec3(-(1 - off) * cos(turn), -(1 - off) * sin(turn), 1));
        check_near(vec3_norm(vec3_sub(contacts[0].normal, expected)), 0, 2 * M_PI / sides);
        if (feature < 0) feature = contacts[0].feature;
        assert_int_equal(contacts[0].feature, feature);
    }
    mesh_destroy(mesh);
}

// ---- tree ----------------------------------------------------------------------------------------
static double distance_to_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c) { // by ever finer search, for a start
    double best = INFINITY, s = 0.5, t = 0.5, width = 1;
    for (int zoom = 0; zoom < 40; zoom++, width *= 0.6) {
        double middle_s = s, middle_t = t;
        for (int i = 0; i < 81; i++) {
            double x = fmax(0, fmin(1, middle_s + width * (i % 9 - 4) / 8));
            double y = fmax(0, fmin(1, middle_t + width * (i / 9 - 4) / 8));
            Vec3 q = vec3_madd(vec3_madd(a, x, vec3_sub(b, a)), x * y, vec3_sub(c, b));
            double distance = vec3_norm(vec3_sub(p, q));
            if (distance >= best) continue;
            best = distance;
            s = x;
            t = y;
        }
    }
    return best;
}

static void distances_equal_brute_force(void **state) {
    (void)state;
    Random random = {41};
    for (int count = 1; count <= 300; count = 3 * count + 1) {
        Soup soup = {0}, copy = {0};
        for (int i = 0; i < count; i++) {
            Vec3 at = random_vector(&random, 1), p[3];
            for (int k = 0; k < 3; k++) p[k] = vec3_add(at, random_vector(&random, 0.3));
            soup_triangle(&soup, p[0], p[1], p[2]);
            soup_triangle(&copy, p[0], p[1], p[2]);
        }
        Mesh *mesh = soup_mesh(&soup);
        assert_int_equal(mesh_info(mesh)->triangle_count, count);
        assert_false(mesh_info(mesh)->closed);
        assert_int_equal(mesh_info(mesh)->open_edge_count, 3 * count);
        for (int i = 0; i < 30; i++) {
            Vec3 p = random_vector(&random, 2);
            double expected = INFINITY;
            for (size_t k = 0; k < copy.corners.count; k += 3) {
                const Vec3 *c = &copy.corners.data[k];
                expected = fmin(expected, distance_to_triangle(p, c[0], c[1], c[2]));
            }
            check_near(mesh_distance(mesh, p, 0), expected, 1e-6);
            double exact = mesh_distance(mesh, p, 0), bound = mesh_distance(mesh, p, 0.25);
            assert_true(bound <= exact && bound >= 0.749 * exact);
            MeshContact contacts[most];
            assert_true(mesh_contacts(mesh, p, 0.1, 10, contacts, most) >= 1);
            check_near(contacts[0].gap, exact - 0.1, 1e-12);
        }
        array_free(&copy.corners);
        mesh_destroy(mesh);
    }
}

// ---- inside --------------------------------------------------------------------------------------
static void inside_of_closed_meshes(void **state) {
    (void)state;
    Soup soup = {0};
    soup_box(&soup, vec3_zero(), vec3(2, 2, 2), 8);
    size_t outer = soup.corners.count;
    soup_box(&soup, vec3_zero(), vec3(1, 1, 1), 4); // a cavity, facing the other way
    for (size_t i = outer; i < soup.corners.count; i += 3) {
        Vec3 kept = soup.corners.data[i];
        soup.corners.data[i] = soup.corners.data[i + 1];
        soup.corners.data[i + 1] = kept;
    }
    Mesh *mesh = soup_mesh(&soup);
    assert_true(mesh_info(mesh)->closed);
    check_near(mesh_info(mesh)->volume, 7, 1e-9);
    Random random = {51};
    for (int i = 0; i < 20000; i++) {
        Vec3 p = random_vector(&random, 1.2);
        if (i % 2) p = vec3(round(8 * p.x) / 8, round(8 * p.y) / 8 + 1e-3, round(8 * p.z) / 8); // grid lines
        double largest = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
        if (fabs(largest - 1) < 1e-6 || fabs(largest - 0.5) < 1e-6) continue; // in the surface
        assert_int_equal(mesh_contains(mesh, p), largest < 1 && largest > 0.5);
    }
    mesh_destroy(mesh);
    soup_box(&soup, vec3(5, 5, 5), vec3(2, 2, 2), 3);
    soup_turn_some(&soup, 77); // no matter which way they face
    mesh = soup_mesh(&soup);
    check_near(mesh_info(mesh)->volume, 8, 1e-9);
    assert_true(mesh_contains(mesh, vec3(5.9, 4.1, 5)));
    assert_false(mesh_contains(mesh, vec3(3.9, 4.1, 5)));
    mesh_destroy(mesh);
    soup_cylinder(&soup, 1, 1, 20, 1, false); // open
    mesh = soup_mesh(&soup);
    assert_false(mesh_info(mesh)->closed);
    assert_int_equal(mesh_info(mesh)->open_edge_count, 40);
    assert_true(isinf(mesh_info(mesh)->volume));
    Wall wall = wall_from_mesh(mesh);
    Vec3 lower, upper;
    assert_false(wall_bounds(&wall, &lower, &upper));
    check_near(wall_outside(&wall, vec3(7, 7, 7)), 0, 0);
    check_near(wall_distance_bound(&wall, vec3(2, 0, 0)), 1, 0.25);
    wall_release(&wall);
}

// A box with all its vertices off by rounding to single precision, at an offset, is still closed.
static void rounded_vertices_are_joined(void **state) {
    (void)state;
    Random random = {61};
    Soup soup = {0};
    soup_sphere(&soup, 0.3, 40, 20);
    for (size_t i = 0; i < soup.corners.count; i++)
        soup.corners.data[i] = vec3_add(soup.corners.data[i], random_vector(&random, 1e-8));
    Mesh *mesh = soup_mesh(&soup);
    assert_true(mesh_info(mesh)->closed);
    assert_int_equal(mesh_info(mesh)->vertex_count, 40 * 19 + 2);
    mesh_destroy(mesh);
}

static void wrong_meshes_are_refused(void **state) {
    (void)state;
    Mesh *mesh;
    MrcError error;
    Vec3 line[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, nan[3] = {{0, 0, 0}, {1, 0, 0}, {NAN, 1, 0}};
    Vec3 zero[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    assert_int_equal(mesh_create(&mesh, line, 1, "x", &error), MRC_READ_FAILED);
    assert_non_null(strstr(error.text, "area"));
    assert_null(mesh);
    assert_int_equal(mesh_create(&mesh, zero, 1, "x", &error), MRC_READ_FAILED);
    assert_int_equal(mesh_create(&mesh, nan, 1, "x", &error), MRC_READ_FAILED);
    assert_int_equal(mesh_create(&mesh, line, 0, "x", &error), MRC_READ_FAILED);
    mesh_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cutting_a_square_changes_nothing),
        cmocka_unit_test(rim_of_a_square),
        cmocka_unit_test(seams_are_not_felt),
        cmocka_unit_test(slivers_are_not_felt),
        cmocka_unit_test(box_mesh_equals_box),
        cmocka_unit_test(cube_from_outside),
        cmocka_unit_test(cylinder_mesh_equals_cylinder),
        cmocka_unit_test(sphere_mesh_equals_sphere),
        cmocka_unit_test(gaps_are_continuous),
        cmocka_unit_test(trajectories_converge),
        cmocka_unit_test(sliding_in_a_tube),
        cmocka_unit_test(fillet_between_floor_and_wall),
        cmocka_unit_test(rim_of_a_hole),
        cmocka_unit_test(distances_equal_brute_force),
        cmocka_unit_test(inside_of_closed_meshes),
        cmocka_unit_test(rounded_vertices_are_joined),
        cmocka_unit_test(wrong_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
