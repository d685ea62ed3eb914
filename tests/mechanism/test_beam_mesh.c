// Meshing: where nodes are, how they are turned, what they weigh, and what is refused.
#include "mechanism/beam_mesh.h"

#include <string.h>

#include "check_math.h"
#include "math/so3.h"

static const Material brass = {.name = "brass", .density = 8500, .young = 1e11, .poisson = 0.35};

static BeamDefinition bar(void) {
    return (BeamDefinition){.name = "bar",
                            .from = vec3(1, 2, 3),
                            .to = vec3(1.2, 2.6, 3.3),
                            .elements = 3,
                            .section = {.kind = SECTION_RECTANGLE, .width = 0.04, .height = 0.03},
                            .material = "brass"};
}

static BeamMesh mesh_of(const BeamDefinition *definition, Arena *arena) {
    BeamMesh mesh;
    MrcError error = {0};
    if (beam_mesh_create(definition, &brass, arena, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

// All lumped masses as one body, in world axes from the world's origin.
static Inertia whole(const BeamMesh *mesh) {
    Inertia sum = {0};
    for (int n = 0; n < mesh->node_count; n++)
        sum = inertia_add(
            sum, inertia_translate(inertia_rotate(mesh->masses[n], mesh->nodes[n].R), mesh->nodes[n].x));
    return sum;
}

static void check_same(Inertia value, Inertia expected, double tolerance) {
    check_near(value.mass, expected.mass, tolerance * expected.mass);
    check_vec3_near(value.centre, expected.centre, tolerance);
    check_mat3_near(value.tensor, expected.tensor, tolerance * expected.mass);
}

static void test_straight(void **state) {
    (void)state;
    Arena *arena = arena_create();
    BeamDefinition definition = bar();
    definition.velocity = vec3(1, 0, 0), definition.angular_velocity = vec3(0, 0, 2);
    BeamMesh mesh = mesh_of(&definition, arena);
    assert_int_equal(mesh.node_count, 7);
    assert_int_equal(mesh.element_count, 3);
    const double length = 0.7;
    Vec3 x = vec3_scale(1 / length, vec3(0.2, 0.6, 0.3)), y, z;
    for (int n = 0; n < 7; n++) {
        const NodeState *node = &mesh.nodes[n];
        double s = length * n / 6;
        check_vec3_near(node->x, vec3_madd(definition.from, s, x), 1e-15);
        check_vec3_near(mat3_column(node->R, 0), x, 1e-15);
        check_mat3_near(mat3_mul(node->R, mat3_transpose(node->R)), mat3_identity(), 1e-15);
        check_near(mat3_determinant(node->R), 1, 1e-14);
        y = mat3_column(node->R, 1), z = mat3_column(node->R, 2);
        assert_true(y.y > 0); // up is the world's y
        check_near(z.y, 0, 1e-15);
        check_vec3_near(node->v, vec3_add(vec3(1, 0, 0), vec3_cross(vec3(0, 0, 2), vec3_scale(s, x))), 1e-14);
        check_vec3_near(node->w, vec3(0, 0, 2), 0);
    }
    // the whole is a box: sides along x, y (height), z (width) of the section
    Inertia box = inertia_box(8500 * length * 0.03 * 0.04, vec3(length, 0.03, 0.04));
    box = inertia_translate(inertia_rotate(box, mesh.nodes[0].R), vec3(1.1, 2.3, 3.15));
    check_same(whole(&mesh), box, 1e-13);
    // pieces end at the cuts: 0.2113 of an element at its ends, 0.5774 in the middle
    double element = box.mass / 3, end = 0.5 * (1 - 1 / sqrt(3));
    check_near(mesh.masses[0].mass, end * element, 1e-12);
    check_near(mesh.masses[1].mass, element / sqrt(3), 1e-12);
    check_near(mesh.masses[2].mass, 2 * end * element, 1e-12);
    check_vec3_near(mesh.masses[0].centre, vec3(0.5 * end * length / 3, 0, 0), 1e-15);
    check_vec3_near(mesh.masses[6].centre, vec3(-0.5 * end * length / 3, 0, 0), 1e-15);
    check_vec3_near(mesh.masses[1].centre, vec3_zero(), 1e-15);
    for (int n = 0; n < 7; n++) assert_true(inertia_is_valid(mesh.masses[n]));
    arena_destroy(arena);
}

static void test_upright_and_up(void **state) {
    (void)state;
    Arena *arena = arena_create();
    BeamDefinition definition = bar();
    definition.to = vec3(1, 5, 3);
    BeamMesh mesh = mesh_of(&definition, arena);
    check_vec3_near(mat3_column(mesh.nodes[2].R, 1), vec3(1, 0, 0), 1e-15);
    definition.up = vec3(1, 7, -1); // made square to the beam
    mesh = mesh_of(&definition, arena);
    check_vec3_near(mat3_column(mesh.nodes[2].R, 1), vec3(sqrt(0.5), 0, -sqrt(0.5)), 1e-15);
    arena_destroy(arena);
}

// Three quarters of a circle: nodes on it, the first axis along the tangent, and the inertia of a thin ring's
// part.
static void test_arc(void **state) {
    (void)state;
    Arena *arena = arena_create();
    const double R = 0.4, angle = 1.5 * M_PI, density = 8500, area = 0.04 * 0.03;
    BeamDefinition definition = bar();
    definition.curved = true;
    definition.from = vec3(R, 1, 0), definition.middle = vec3(-R, 1, 0), definition.to = vec3(0, 1, R);
    definition.elements = 20;
    definition.up = vec3(0, 1, 0);
    BeamMesh mesh = mesh_of(&definition, arena);
    for (int n = 0; n < mesh.node_count; n++) {
        double b = angle * n / (mesh.node_count - 1); // towards -z first
        check_vec3_near(mesh.nodes[n].x, vec3(R * cos(b), 1, -R * sin(b)), 1e-15);
        check_vec3_near(mat3_column(mesh.nodes[n].R, 0), vec3(-sin(b), 0, -cos(b)), 1e-14);
        check_vec3_near(mat3_column(mesh.nodes[n].R, 1), vec3(0, 1, 0), 1e-14);
    }
    Inertia body = whole(&mesh);
    double mass = density * area * R * angle;
    check_near(body.mass, mass, 1e-12 * mass);
    // centre of an arc: (sin b, cos b - 1) R/angle
    check_vec3_near(body.centre, vec3(R * sin(angle) / angle, 1, R * (cos(angle) - 1) / angle), 1e-12);
    // about the circle's axis: m R^2 and the slices' own inertia about y
    double about = inertia_about(body, vec3(0, 1, 0)).m[1][1];
    check_near(about, mass * (R * R + 0.04 * 0.04 / 12), 1e-9 * about);
    // unloaded curvature is that of the circle, to fourth order in the angle between nodes (0.118)
    for (int e = 0; e < mesh.element_count; e++)
        check_vec3_near(mesh.elements[e].point[0].curvature0, vec3(0, 1 / R, 0), 1e-4);
    arena_destroy(arena);
}

// An arc with its reference line outside: a longer beam.
static void test_arc_with_offset(void **state) {
    (void)state;
    Arena *arena = arena_create();
    const double R = 0.4;
    BeamDefinition definition = bar();
    definition.curved = true;
    definition.from = vec3(R, 0, 0), definition.middle = vec3(R * sqrt(0.5), R * sqrt(0.5), 0);
    definition.to = vec3(0, R, 0);
    definition.up = vec3(1, 0, 0); // away from the centre at the start
    definition.elements = 6;
    definition.section.center[0] = 0.1;
    BeamMesh mesh = mesh_of(&definition, arena);
    double mass = brass.density * 0.0012 * (R + 0.1) * M_PI / 2;
    Inertia body = whole(&mesh);
    check_near(body.mass, mass, 1e-12 * mass);
    check_near(vec3_norm(body.centre), (R + 0.1) * sqrt(8) / M_PI, 1e-12);
    check_vec3_near(mesh.elements[3].offset, vec3(0, 0.1, 0), 0);
    for (int c = 0; c < 2; c++) check_near(mesh.elements[3].point[c].length, (R + 0.1) * M_PI / 24, 1e-6);
    arena_destroy(arena);
}

static void test_given_section(void **state) {
    (void)state;
    Arena *arena = arena_create();
    BeamDefinition definition = bar();
    SectionDefinition given = {.kind = SECTION_GIVEN,
                               .axial = 1e11 * 0.0012,
                               .shear_y = 1e7,
                               .shear_z = 2e7,
                               .torsion = 1e4,
                               .bending_y = 1e11 * 0.03 * pow(0.04, 3) / 12,
                               .bending_z = 1e11 * 0.04 * pow(0.03, 3) / 12,
                               .mass = 8500 * 0.0012};
    BeamMesh solid = mesh_of(&definition, arena);
    definition.section = given;
    BeamMesh mesh = mesh_of(&definition, arena); // inertia left out: that of a homogeneous section
    check_same(whole(&mesh), whole(&solid), 1e-12);
    definition.section.inertia[0] = 0.3, definition.section.inertia[1] = 0.2,
    definition.section.inertia[2] = 0.1;
    mesh = mesh_of(&definition, arena);
    Inertia body = inertia_rotate(whole(&mesh), mat3_transpose(mesh.nodes[0].R));
    check_near(body.tensor.m[0][0], 0.3 * 0.7, 1e-12);
    arena_destroy(arena);
}

static void check_refused(BeamDefinition definition, const Material *material, const char *words) {
    Arena *arena = arena_create();
    BeamMesh mesh;
    MrcError error = {0};
    assert_int_equal(beam_mesh_create(&definition, material, arena, &mesh, &error), MRC_MODEL);
    if (!strstr(error.text, words) || !strstr(error.text, "'bar'"))
        fail_msg("'%s' does not say '%s'", error.text, words);
    arena_destroy(arena);
}

static void test_errors(void **state) {
    (void)state;
    BeamDefinition d = bar();
    d.elements = 0, check_refused(d, &brass, "one element"), d = bar();
    d.to = d.from, check_refused(d, &brass, "same point"), d = bar();
    d.curved = true, d.middle = vec3(1.1, 2.3, 3.15), check_refused(d, &brass, "on one line"), d = bar();
    d.up = vec3(-2, -6, -3), check_refused(d, &brass, "along the beam"), d = bar();
    d.section.width = 0, check_refused(d, &brass, "width and height"), d = bar();
    d.section = (SectionDefinition){.kind = SECTION_CIRCLE}, check_refused(d, &brass, "radius"), d = bar();
    d.section = (SectionDefinition){.kind = SECTION_TUBE, .radius = 1, .inner_radius = 1};
    check_refused(d, &brass, "inner radius"), d = bar();
    d.section = (SectionDefinition){.kind = SECTION_GIVEN, .axial = 1}, check_refused(d, NULL, "stiffnesses");
    d = bar();
    check_refused(d, NULL, "material is missing");
    Material soft = brass;
    soft.young = 0, check_refused(d, &soft, "Young"), soft = brass;
    soft.density = 0, check_refused(d, &soft, "density"), soft = brass;
    soft.poisson = 0.7, check_refused(d, &soft, "Poisson");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),      cmocka_unit_test(test_upright_and_up),
        cmocka_unit_test(test_arc),           cmocka_unit_test(test_arc_with_offset),
        cmocka_unit_test(test_given_section), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
