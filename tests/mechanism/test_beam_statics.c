// Beams under steady loads, small and large, against closed forms and published shapes.
#include "chain.h"

static const Material steel = {.name = "steel", .density = 7845, .young = 210e9, .poisson = 0.33};

static BeamDefinition straight(double length, int64_t elements, SectionDefinition section) {
    return (BeamDefinition){.name = "beam",
                            .to = vec3(length, 0, 0),
                            .elements = elements,
                            .section = section,
                            .material = "steel"};
}

// ---- a moment at the end rolls the beam up: curvature M/EI, so the angle at the end is M L/EI -----
static void roll_up(int64_t elements, double turns, Vec3 *end, double *angle) {
    const double L = 2, EI = 3;
    SectionDefinition section = {.kind = SECTION_GIVEN,
                                 .axial = 4e4,
                                 .shear_y = 1e4,
                                 .shear_z = 1e4,
                                 .torsion = 2,
                                 .bending_y = 5,
                                 .bending_z = EI,
                                 .mass = 1};
    BeamDefinition definition = straight(L, elements, section);
    Chain chain = chain_create(&definition, NULL);
    chain_hold(&chain, 0, "xyzXYZ");
    const int steps = (int)(24 * turns);
    for (int i = 1; i <= steps; i++) {
        chain_end_load(&chain)[5] = 2 * M_PI * turns * EI / L * i / steps;
        chain_equilibrium(&chain, 1e-9);
    }
    *end = chain_end(&chain)->x;
    *angle = 0;
    for (int n = 1; n < chain.mesh.node_count; n++) {
        const NodeState *node = &chain.mesh.nodes[n];
        *angle += so3_log(mat3_mul(node[0].R, mat3_transpose(node[-1].R))).z;
    }
    chain_free(&chain);
}

static void test_roll_up_to_a_circle(void **state) {
    (void)state;
    double error[3], turned[3], angle;
    for (int i = 0; i < 3; i++) {
        Vec3 end;
        roll_up(4 << i, 1, &end, &angle);
        error[i] = vec3_norm(end);
        turned[i] = fabs(angle - 2 * M_PI);
        check_near(end.z, 0, 1e-9);
    }
    // both are of fourth order
    for (int i = 0; i < 2; i++) {
        check_near(log2(turned[i] / turned[i + 1]), 4, 0.2);
        check_near(log2(error[i] / error[i + 1]), 4, 0.2);
    }
    check_near(turned[2], 0, 1e-4);
    check_near(error[2], 0, 1e-4);
}

static void test_roll_up_twice(void **state) {
    (void)state;
    Vec3 end;
    double angle;
    roll_up(24, 2, &end, &angle);
    check_near(angle, 4 * M_PI, 1e-3);
    check_vec3_near(end, vec3_zero(), 1e-3);
}

// ---- an eighth of a circle, bent out of its plane ------------------------------------------------
// Bathe and Bolourchi, Int. J. Numer. Methods Eng. 14 (1979) 961, doi:10.1002/nme.1620140703: radius 100 in
// the x-y plane, square section 1 x 1, E = 1e7, no Poisson effect, force along z at the end; torsional
// stiffness with the polar moment of area. They find the end near (15.9, 47.2, 53.4) under a force of 600
// with eight straight elements, Simo and Vu-Quoc (Comput. Methods Appl. Mech. Eng. 58 (1986) 79)
// (15.79, 47.23, 53.37) with eight linear ones. The limit was computed apart from any element, by shooting
// in the differential equations of the curved rod (Runge-Kutta, 400 steps): r' = R (e + n/D),
// R' = R skew(kappa_0 + m/D), m' = -r' x F.
static Chain bend_create(int64_t elements) {
    const double R = 100, a = M_PI / 4, E = 1e7, G = E / 2;
    BeamDefinition definition = {.name = "bend",
                                 .to = vec3(R * (1 - cos(a)), R * sin(a), 0),
                                 .middle = vec3(R * (1 - cos(a / 2)), R * sin(a / 2), 0),
                                 .curved = true,
                                 .up = vec3(0, 0, 1),
                                 .elements = elements,
                                 .section = {.kind = SECTION_GIVEN,
                                             .axial = E,
                                             .shear_y = 5.0 / 6 * G,
                                             .shear_z = 5.0 / 6 * G,
                                             .torsion = G / 6,
                                             .bending_y = E / 12,
                                             .bending_z = E / 12,
                                             .mass = 1}};
    Chain chain = chain_create(&definition, NULL);
    chain_hold(&chain, 0, "xyzXYZ");
    return chain;
}

static Vec3 bend_under(Chain *chain, double force) {
    double *now = &chain_end_load(chain)[2];
    for (int steps = (int)((force - *now) / 30); steps > 0; steps--) {
        *now += (force - *now) / steps;
        chain_equilibrium(chain, 1e-8);
    }
    return chain_end(chain)->x;
}

static void test_bend_of_45_degrees(void **state) {
    (void)state;
    const Vec3 converged = {15.684689, 47.150096, 53.475478};
    double error[3];
    for (int i = 0; i < 3; i++) {
        Chain chain = bend_create(4 << i);
        check_vec3_near(chain_end(&chain)->x, vec3(29.28932, 70.71068, 0), 1e-5);
        Vec3 end = bend_under(&chain, 600);
        if (i == 0) check_vec3_near(end, vec3(15.79, 47.23, 53.37), 0.15); // eight intervals, as published
        error[i] = vec3_norm(vec3_sub(end, converged));
        chain_free(&chain);
    }
    check_near(log2(error[0] / error[1]), 4, 0.3);
    check_near(error[2], 0, 2e-4);
}

// ---- small loads, exact at the nodes -------------------------------------------------------------
// Timoshenko's cantilever: w = F L^3/(3 EI) + F L/(k G A), theta = F L^2/(2 EI), whatever the number of
// elements and however thin the beam.
static void test_thin_beams_do_not_lock(void **state) {
    (void)state;
    const double L = 0.8, width = 0.03;
    double G = steel.young / (2 * (1 + steel.poisson));
    for (int slender = 10; slender <= 10000; slender *= 10) {
        for (int64_t elements = 1; elements <= 4; elements += 3) {
            double h = L / slender, EI = steel.young * width * h * h * h / 12, GA = 5.0 / 6 * G * width * h;
            SectionDefinition section = {.kind = SECTION_RECTANGLE, .width = width, .height = h};
            BeamDefinition definition = straight(L, elements, section);
            Chain chain = chain_create(&definition, &steel);
            chain_hold(&chain, 0, "xyzXYZ");
            double F = 1e-6 * 3 * EI / (L * L);
            chain_end_load(&chain)[1] = F;
            chain_equilibrium(&chain, 1e-14);
            double w = F * L * L * L / (3 * EI) + F * L / GA;
            check_near(chain_end(&chain)->x.y, w, 1e-7 * w);
            check_near(so3_log(chain_end(&chain)->R).z, F * L * L / (2 * EI), 1e-7 * F * L * L / (2 * EI));
            chain_free(&chain);
        }
    }
}

// The other direction of bending, torsion and tension at once, of all sections.
static void check_small_loads(SectionDefinition section, double EA, double GA, double GJ, double EIy,
                              double EIz) {
    const double L = 0.6, e = 1e-7;
    BeamDefinition definition = straight(L, 2, section);
    Chain chain = chain_create(&definition, &steel);
    chain_hold(&chain, 0, "xyzXYZ");
    double *load = chain_end_load(&chain);
    load[0] = e * EA;
    chain_equilibrium(&chain, 1e-15);
    check_near(chain_end(&chain)->x.x, L + e * L, 1e-6 * e * L);
    load[0] = 0; // tension would stiffen
    load[1] = e * EIz / (L * L), load[2] = e * EIy / (L * L);
    load[3] = e * GJ / L;
    chain_equilibrium(&chain, 1e-15);
    Vec3 u = chain_end(&chain)->x;
    check_near(u.y, e * (L / 3 + EIz / (GA * L)), 1e-5 * e * L);
    check_near(u.z, e * (L / 3 + EIy / (GA * L)), 1e-5 * e * L);
    check_near(so3_log(chain_end(&chain)->R).x, e, 1e-5 * e);
    chain_free(&chain);
}

static void test_sections(void **state) {
    (void)state;
    double E = steel.young, n = steel.poisson, G = E / (2 * (1 + n));
    // a square: J = 0.140577 a^4 (Timoshenko and Goodier); twice as wide: 0.228682 a b^3
    double a = 0.02, A = a * a, I = a * a * a * a / 12;
    check_small_loads((SectionDefinition){.kind = SECTION_RECTANGLE, .width = a, .height = a}, E * A,
                      5.0 / 6 * G * A, G * 0.1405770 * a * a * a * a, E * I, E * I);
    check_small_loads((SectionDefinition){.kind = SECTION_RECTANGLE, .width = 2 * a, .height = a}, 2 * E * A,
                      10.0 / 6 * G * A, G * 0.2286817 * 2 * a * a * a * a, 8 * E * I, 2 * E * I);
    double r = 0.01, k = 6 * (1 + n) / (7 + 6 * n), r4 = M_PI / 4 * r * r * r * r;
    check_small_loads((SectionDefinition){.kind = SECTION_CIRCLE, .radius = r}, E * M_PI * r * r,
                      k * G * M_PI * r * r, 2 * G * r4, E * r4, E * r4);
    // thin tube: Cowper's factor goes to 2 (1 + n)/(4 + 3 n)
    double inner = 0.00999, t4 = r4 * (1 - pow(inner / r, 4));
    double thin = 2 * (1 + n) / (4 + 3 * n) * G * M_PI * (r * r - inner * inner);
    check_small_loads((SectionDefinition){.kind = SECTION_TUBE, .radius = r, .inner_radius = inner},
                      E * M_PI * (r * r - inner * inner), thin, 2 * G * t4, E * t4, E * t4);
    check_small_loads((SectionDefinition){.kind = SECTION_GIVEN,
                                          .axial = 1e6,
                                          .shear_y = 3e5,
                                          .shear_z = 3e5,
                                          .torsion = 10,
                                          .bending_y = 20,
                                          .bending_z = 30,
                                          .mass = 1},
                      1e6, 3e5, 10, 20, 30);
}

// Twisted by more than a turn: the angle stays T L/GJ, the axis straight.
static void test_torsion_by_several_turns(void **state) {
    (void)state;
    SectionDefinition section = {.kind = SECTION_CIRCLE, .radius = 0.002};
    BeamDefinition definition = straight(1, 20, section);
    Chain chain = chain_create(&definition, &steel);
    chain_hold(&chain, 0, "xyzXYZ");
    chain_hold_all(&chain, "yz"); // it would buckle into loops
    double GJ = steel.young / (2 * (1 + steel.poisson)) * M_PI / 2 * pow(0.002, 4), angle = 0;
    for (int i = 1; i <= 10; i++) {
        chain_end_load(&chain)[3] = i * GJ;
        chain_equilibrium(&chain, 1e-10);
    }
    for (int n = 1; n < chain.mesh.node_count; n++)
        angle += so3_log(mat3_mul(chain.mesh.nodes[n].R, mat3_transpose(chain.mesh.nodes[n - 1].R))).x;
    check_near(angle, 10, 1e-3);
    check_vec3_near(chain_end(&chain)->x, vec3(1, 0, 0), 1e-9);
    chain_free(&chain);
}

// A quarter of a circle, clamped, force in its plane at the end along the tangent of the clamp's normal
// (Castigliano): deflection along the force pi F R/4 (R^2/EI + 1/EA + 1/GA).
static void test_quarter_of_a_circle(void **state) {
    (void)state;
    const double R = 0.5, a = 0.02, F = 1e-3;
    double E = steel.young, EI = E * a * a * a * a / 12, EA = E * a * a,
           GA = 5.0 / 6 * E / (2 * (1 + steel.poisson)) * a * a;
    BeamDefinition definition = {.name = "arc",
                                 .from = vec3(R, 0, 0),
                                 .middle = vec3(R * sqrt(0.5), R * sqrt(0.5), 0),
                                 .to = vec3(0, R, 0),
                                 .curved = true,
                                 .up = vec3(0, 0, 1),
                                 .elements = 8,
                                 .section = {.kind = SECTION_RECTANGLE, .width = a, .height = a},
                                 .material = "steel"};
    Chain chain = chain_create(&definition, &steel);
    chain_hold(&chain, 0, "xyzXYZ");
    chain_end_load(&chain)[0] = F; // along x: M = F R (1 - sin), about the clamp
    chain_equilibrium(&chain, 1e-14);
    // force along x at (0, R): M(b) = F R (1 - sin b), N = -F sin b, Q = F cos b with b from the x axis
    double u = F * R * R * R / EI * (3 * M_PI / 4 - 2) + M_PI / 4 * F * R * (1 / EA + 1 / GA);
    check_near(chain_end(&chain)->x.x, u, 1e-4 * u);
    chain_free(&chain);
}

// A beam whose reference line runs beside its nodes is the same beam moved, with loads carried over.
static void test_offset_beam_is_a_moved_beam(void **state) {
    (void)state;
    const double y = 0.013, z = -0.007, L = 0.6;
    SectionDefinition section = {.kind = SECTION_RECTANGLE, .width = 0.02, .height = 0.005};
    BeamDefinition plain = straight(L, 5, section), beside = plain;
    beside.section.center[0] = y, beside.section.center[1] = z;
    plain.from = vec3(0, y, z), plain.to = vec3(L, y, z);
    Chain a = chain_create(&plain, &steel), b = chain_create(&beside, &steel);
    chain_hold(&a, 0, "xyzXYZ"), chain_hold(&b, 0, "xyzXYZ");
    Vec3 moment = vec3(1.5, -4, 20); // moments are carried over as they are
    for (int i = 1; i <= 4; i++) {
        double *load[2] = {chain_end_load(&a), chain_end_load(&b)};
        for (int c = 0; c < 2; c++)
            for (int k = 0; k < 3; k++) load[c][3 + k] = 0.25 * i * vec3_component(moment, k);
        chain_equilibrium(&a, 1e-11), chain_equilibrium(&b, 1e-11);
    }
    for (int n = 0; n < a.mesh.node_count; n++) {
        const NodeState *node = &b.mesh.nodes[n];
        check_mat3_near(node->R, a.mesh.nodes[n].R, 1e-9);
        check_vec3_near(vec3_add(node->x, mat3_apply(node->R, vec3(0, y, z))), a.mesh.nodes[n].x, 1e-9);
    }
    assert_true(vec3_norm(vec3_sub(chain_end(&a)->x, plain.to)) > 0.05);
    chain_free(&a), chain_free(&b);
}

// Exact tangents make Newton's method converge quadratically even from far.
static void test_few_iterations(void **state) {
    (void)state;
    Chain chain = bend_create(4);
    bend_under(&chain, 300);
    chain_end_load(&chain)[2] = 330;
    assert_in_range(chain_equilibrium(&chain, 1e-10), 2, 6);
    chain_free(&chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roll_up_to_a_circle),
        cmocka_unit_test(test_roll_up_twice),
        cmocka_unit_test(test_bend_of_45_degrees),
        cmocka_unit_test(test_thin_beams_do_not_lock),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_torsion_by_several_turns),
        cmocka_unit_test(test_quarter_of_a_circle),
        cmocka_unit_test(test_offset_beam_is_a_moved_beam),
        cmocka_unit_test(test_few_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
