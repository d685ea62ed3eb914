// Contacts of vectors of spheres (wall_faces.h) against those of one sphere at a time, for every wall that has them: the
// same faces, gaps and normals to rounding, and undecided lanes only where they must be.
#include "geometry/wall_faces.h"

#include "base/random.h"
#include "check_math.h"
#include "walls.h"

enum { vectors = 4000 };
static const double size = 0.4, most_margin = 0.05;

typedef struct Counts {
    int decided, undecided, touching;
} Counts;

static void check_lane(const Wall *wall, const WallFaces *faces, int lane, Vec3 center, double radius,
                       double margin, Counts *counts) {
    WallContact contacts[WALL_CONTACT_MAX];
    int count = wall_contacts_at(wall, &center, radius, margin, contacts), found = 0;
    if (wide_mask_bits(faces->undecided) >> lane & 1) {
        counts->undecided++;
        return;
    }
    for (int f = 0; f < faces->count; f++) {
        const WallFace *face = &faces->faces[f];
        if (!(wide_mask_bits(face->lanes) >> lane & 1)) continue;
        double gap[WIDE_LANES], n[3][WIDE_LANES];
        memcpy(gap, &face->gap, sizeof gap);
        memcpy(n[0], &face->normal.x, sizeof n[0]);
        memcpy(n[1], &face->normal.y, sizeof n[1]);
        memcpy(n[2], &face->normal.z, sizeof n[2]);
        assert_true(found < count);
        assert_int_equal(face->feature, contacts[found].feature);
        check_near(gap[lane], contacts[found].gap, 1e-15);
        check_near(n[0][lane], contacts[found].normal.x, 1e-14);
        check_near(n[1][lane], contacts[found].normal.y, 1e-14);
        check_near(n[2][lane], contacts[found].normal.z, 1e-14);
        found++;
    }
    assert_int_equal(found, count);
    counts->decided++;
    counts->touching += count > 0;
}

// Spheres at random in a box around the wall, so that some are outside, in corners and at rims.
static Counts check_wall(const Wall *wall, Vec3 middle) {
    Random random = {7};
    Counts counts = {0};
    for (int v = 0; v < vectors; v++) {
        _Alignas(64) double numbers[5][WIDE_LANES];
        for (int l = 0; l < WIDE_LANES; l++) {
            Vec3 at = vec3_madd(middle, 2 * size * random_uniform(&random), check_random_direction(&random));
            const double values[5] = {at.x, at.y, at.z, 0.02 + 0.1 * random_uniform(&random),
                                      most_margin * random_uniform(&random)};
            for (int c = 0; c < 5; c++) numbers[c][l] = values[c];
        }
        WallSpheres spheres = {{wide_load(numbers[0]), wide_load(numbers[1]), wide_load(numbers[2])},
                               wide_load(numbers[3]),
                               wide_load(numbers[4])};
        WallFaces faces;
        assert_true(wall_faces(wall, &spheres, &faces));
        for (int l = 0; l < WIDE_LANES; l++)
            check_lane(wall, &faces, l, vec3(numbers[0][l], numbers[1][l], numbers[2][l]), numbers[3][l],
                       numbers[4][l], &counts);
    }
    assert_true(counts.touching > vectors * WIDE_LANES / 20);
    return counts;
}

static const Vec3 middle = {1, 2, 3};
static Vec3 slanted(void) { return vec3_normalize(vec3(1, -2, 0.7)); }

static void closed_rooms_are_decided(void **state) {
    (void)state;
    const Wall walls[] = {plane_wall(middle, slanted()), box_wall(middle, vec3(size, 2 * size, 1.5 * size)),
                          cylinder_wall(middle, slanted(), size, 1.5 * size),
                          cone_wall(middle, slanted(), size, 0.8 * size, size)};
    for (size_t k = 0; k < sizeof walls / sizeof *walls; k++)
        assert_int_equal(check_wall(&walls[k], middle).undecided, 0);
    for (int pointed = 0; pointed < 2; pointed++) { // spheres behind the apex are left
        Wall cone = cone_wall(middle, slanted(), pointed ? 0 : 0.5 * size, size, size);
        Counts counts = check_wall(&cone, middle);
        assert_in_range(counts.undecided, 1, counts.decided / 2);
    }
}

static void open_rooms_leave_their_rims(void **state) {
    (void)state;
    static const char *const ends[] = {"start", "top", "start end"};
    for (int k = 0; k < 3; k++)
        for (int cone = 0; cone < 2; cone++) {
            Wall wall = cone ? cone_wall(middle, slanted(), 0.5 * size, size, size)
                             : cylinder_wall(middle, slanted(), size, 1.5 * size);
            wall_set_choices(&wall, "open", ends[k]);
            Counts counts = check_wall(&wall, middle);
            assert_in_range(counts.undecided, 1, counts.decided / 4);
        }
}

// On the axis a round face has no normal of its own.
static void axes_are_undecided(void **state) {
    (void)state;
    Wall walls[3] = {cylinder_wall(middle, vec3(0, 0, 1), size, size),
                     cylinder_wall(middle, vec3(0, 0, 1), size, size),
                     cone_wall(middle, vec3(0, 0, 1), size, 0.5 * size, size)};
    wall_set_choices(&walls[1], "open", "top");
    for (int k = 0; k < 3; k++) {
        WallSpheres spheres = {vec3_wide_set(middle), wide_set(1.1 * size), wide_set(0)};
        WallFaces faces;
        assert_true(wall_faces(&walls[k], &spheres, &faces));
        assert_int_equal(wide_mask_bits(faces.undecided), (1 << WIDE_LANES) - 1);
    }
}

static void others_have_none(void **state) {
    (void)state;
    Wall open = box_wall(middle, vec3(size, size, size)), round = sphere_wall(middle, size);
    wall_set_choices(&open, "open", "top");
    WallSpheres spheres = {vec3_wide_set(middle), wide_set(0.1), wide_set(0)};
    WallFaces faces;
    assert_false(wall_faces(&open, &spheres, &faces));
    assert_false(wall_faces(&round, &spheres, &faces));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_rooms_are_decided),
        cmocka_unit_test(open_rooms_leave_their_rims),
        cmocka_unit_test(axes_are_undecided),
        cmocka_unit_test(others_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
