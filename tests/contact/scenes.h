// Contact problems for tests: small machines and beds, made by rule.
#ifndef TESTS_CONTACT_SCENES_H
#define TESTS_CONTACT_SCENES_H

#include <stdlib.h>

#include "base/random.h"
#include "contact/problem.h"

typedef struct SceneBed {
    int nx, ny, nz; // spheres on a shaken lattice
    double friction, rolling, spinning;
    double jitter; // of places, relative to the radius
    double speed;  // random velocities [m/s]
    double ratio;  // masses from 1 to ratio, log-uniform
    double step;   // h [s]
    int container; // 0: walls that cannot move, 1: walls of one body with a dense mobility, 2: rigid body
    double container_mass;
    uint64_t seed;
    double recover; // part of an overlap to be undone in the step
} SceneBed;

static const double scene_radius = 1e-3, scene_gravity = 9.81;

static inline Twist scene_still(void) { return (Twist){{0, 0, 0}, {0, 0, 0}}; }
static inline Twist scene_velocity(double x, double y, double z) { return (Twist){{x, y, z}, {0, 0, 0}}; }
static inline double scene_between(Random *random, double a, double b) {
    return a + (b - a) * random_uniform(random);
}

static inline int32_t scene_sphere(ContactProblem *p, double mass, double radius, Twist velocity) {
    return contact_problem_add_body(p, 1 / mass, 1 / (0.4 * mass * radius * radius), velocity);
}

// A positive definite 6x6 mobility about the origin: that of a rigid body, made uneven.
static inline void scene_mobility(Random *random, double mass, double radius, double y[36]) {
    double f[6][6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            f[i][j] =
                (0.3 * random_normal(random) + (i == j)) * (i < 3 ? 1 : 1 / (0.6 * radius)) / sqrt(mass);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            y[i * 6 + j] = 0;
            for (int k = 0; k < 6; k++) y[i * 6 + j] += f[i][k] * f[j][k];
        }
}

// Spheres on a lattice, a little out of place, in a box open above; contacts where gaps are below a tenth of
// the radius, biased with gap/h.
static inline void scene_bed(ContactProblem *p, const SceneBed *bed) {
    Random random = {bed->seed};
    double r = scene_radius, m0 = 4.75e-5, pitch = 2.03 * r;
    double size[3] = {bed->nx * pitch, bed->ny * pitch, bed->nz * pitch};
    contact_problem_clear(p);
    int count = bed->nx * bed->ny * bed->nz;
    Vec3 *x = malloc((size_t)count * sizeof *x);
    int32_t box =
        contact_problem_add_body(p, 0, 0, scene_velocity(0, 0, bed->container ? 0.5 * bed->speed : 0));
    if (bed->container) {
        double y[36];
        scene_mobility(&random, bed->container_mass, size[0], y);
        if (bed->container == 2) // no coupling of turning and moving
            for (int i = 0; i < 36; i++) y[i] *= i / 6 / 3 == i % 6 / 3;
        contact_problem_add_group(p, 1, &box, y);
    }
    for (int i = 0; i < count; i++) {
        x[i] = vec3((i % bed->nx + 0.5) * pitch, (i / bed->nx % bed->ny + 0.5) * pitch,
                    (i / (bed->nx * bed->ny) + 0.5) * pitch);
        for (int k = 0; k < 3; k++) (&x[i].x)[k] += bed->jitter * r * scene_between(&random, -1, 1);
        double mass = m0 * pow(bed->ratio, random_uniform(&random));
        Twist v;
        for (int k = 0; k < 3; k++) (&v.linear.x)[k] = bed->speed * random_normal(&random);
        for (int k = 0; k < 3; k++) (&v.angular.x)[k] = bed->speed / r * random_normal(&random);
        v.linear.z -= bed->step * scene_gravity;
        scene_sphere(p, mass, r, v);
    }
    ContactPoint c = {.friction = bed->friction, .rolling = bed->rolling, .spinning = bed->spinning};
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            Vec3 d = vec3_sub(x[j], x[i]);
            double distance = vec3_norm(d), gap = distance - 2 * r;
            if (gap > 0.1 * r) continue;
            c.a = 1 + i, c.b = 1 + j, c.normal = vec3_scale(1 / distance, d);
            c.arm_a = vec3_scale(r, c.normal), c.arm_b = vec3_scale(-r, c.normal);
            c.bias = vec3_scale(gap > 0 ? gap / bed->step : bed->recover * gap / bed->step, c.normal);
            contact_problem_add_contact(p, c);
        }
        for (int k = 0; k < 3; k++)
            for (int side = 0; side < (k == 2 ? 1 : 2); side++) {
                double place = (&x[i].x)[k], gap = side ? size[k] - place - r : place - r;
                if (gap > 0.1 * r) continue;
                Vec3 n = {0, 0, 0};
                (&n.x)[k] = side ? -1 : 1;
                c.a = 0, c.b = 1 + i, c.normal = n;
                c.arm_a = vec3_madd(x[i], -(r + gap), n), c.arm_b = vec3_scale(-r, n);
                c.bias = vec3_scale(gap > 0 ? gap / bed->step : bed->recover * gap / bed->step, n);
                contact_problem_add_contact(p, c);
            }
    }
    free(x);
}

// Spheres on each other on the ground, the k-th of mass first * growth^k, falling with velocity g h.
static inline void scene_column(ContactProblem *p, int count, double growth, double friction, double fall) {
    contact_problem_clear(p);
    double mass = 1, r = 0.5;
    for (int i = 0; i < count; i++, mass *= growth) {
        int32_t body = scene_sphere(p, mass, r, scene_velocity(0, 0, -fall));
        Vec3 n = {0, 0, 1};
        contact_problem_add_contact(p, (ContactPoint){.a = body - 1,
                                                      .b = body,
                                                      .normal = n,
                                                      .friction = friction,
                                                      .arm_a = body ? vec3_scale(r, n) : vec3_zero(),
                                                      .arm_b = vec3_scale(-r, n)});
    }
}

// A sphere between two immovable planes that rise at `angle` from the vertical.
static inline void scene_wedge(ContactProblem *p, double angle, double friction, Twist velocity) {
    contact_problem_clear(p);
    double r = 0.1;
    scene_sphere(p, 2, r, velocity);
    for (int side = -1; side <= 1; side += 2) {
        Vec3 n = {side * cos(angle), 0, sin(angle)};
        contact_problem_add_contact(
            p,
            (ContactPoint){.a = -1, .b = 0, .normal = n, .friction = friction, .arm_b = vec3_scale(-r, n)});
    }
}

// A block on the ground with a contact at each of its lower corners, sliding.
static inline int32_t scene_block(ContactProblem *p, double mass, Vec3 half, Vec3 origin, double friction,
                                  double rolling, Twist velocity) {
    Mat3 inverse = mat3_diagonal(3 / (mass * (half.y * half.y + half.z * half.z)),
                                 3 / (mass * (half.x * half.x + half.z * half.z)),
                                 3 / (mass * (half.x * half.x + half.y * half.y)));
    int32_t body = contact_problem_add_rigid(p, 1 / mass, inverse, velocity);
    for (int corner = 0; corner < 4; corner++) {
        Vec3 arm = {corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, -half.z};
        contact_problem_add_contact(p, (ContactPoint){.a = -1,
                                                      .b = body,
                                                      .normal = {0, 0, 1},
                                                      .friction = friction,
                                                      .arm_a = vec3_add(origin, arm),
                                                      .arm_b = arm,
                                                      .rolling = rolling,
                                                      .spinning = rolling});
    }
    return body;
}

// A chain of spheres along x, each joined to the next by a ball joint half way (three rows each), the first
// one to the world, the last ones lying on the ground.
static inline void scene_chain(ContactProblem *p, int count, double ratio, double friction, double speed) {
    contact_problem_clear(p);
    Random random = {(uint64_t)count};
    double r = 0.1;
    for (int i = 0; i < count; i++) {
        double mass = i % 2 ? ratio : 1;
        Twist v = scene_velocity(speed * random_normal(&random), speed * random_normal(&random), -0.1);
        int32_t body = scene_sphere(p, mass, r, v);
        for (int k = 0; k < 3; k++) {
            Vec3 e = {k == 0, k == 1, k == 2}, arm_a = {r, 0, 0}, arm_b = {-r, 0, 0};
            contact_problem_add_row(p,
                                    (ContactRow){.a = body - 1,
                                                 .b = body,
                                                 .jacobian_a = {vec3_neg(e), vec3_neg(vec3_cross(arm_a, e))},
                                                 .jacobian_b = {e, vec3_cross(arm_b, e)},
                                                 .bias = 0.01 * k});
        }
        if (i % 3 == 2 || i == count - 1)
            contact_problem_add_contact(
                p, (ContactPoint){
                       .a = -1, .b = body, .normal = {0, 0, 1}, .friction = friction, .arm_b = {0, 0, -r}});
    }
}

// Two coupled ports under one mobility: two plates on springs, joined by a mechanism, with a sphere between
// them and spheres on each.
static inline void scene_ports(ContactProblem *p, double mass, double friction, uint64_t seed) {
    Random random = {seed};
    contact_problem_clear(p);
    double f[12][12], y[144], r = 0.05;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) f[i][j] = (0.4 * random_normal(&random) + (i == j)) / sqrt(mass);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            y[i * 12 + j] = 0;
            for (int k = 0; k < 9; k++) y[i * 12 + j] += f[i][k] * f[j][k]; // three directions cannot move
        }
    int32_t ports[2];
    for (int i = 0; i < 2; i++)
        ports[i] = contact_problem_add_body(p, 0, 0, scene_velocity(0, 0, i ? -0.5 : 0.2));
    contact_problem_add_group(p, 2, ports, y);
    for (int i = 0; i < 6; i++) {
        double x = 0.1 * i - 0.25;
        Twist v = {{0.1 * random_normal(&random), 0.1 * random_normal(&random), -0.3},
                   {0, 0, random_normal(&random)}};
        int32_t body = scene_sphere(p, 0.1 * pow(10, i % 3), r, v);
        contact_problem_add_contact(p, (ContactPoint){.a = ports[0],
                                                      .b = body,
                                                      .normal = {0, 0, 1},
                                                      .friction = friction,
                                                      .arm_a = {x, 0.02 * i, 0},
                                                      .arm_b = {0, 0, -r}});
        if (i % 2 == 0)
            contact_problem_add_contact(p, (ContactPoint){.a = body,
                                                          .b = ports[1],
                                                          .normal = {0, 0, 1},
                                                          .friction = friction,
                                                          .arm_a = {0, 0, r},
                                                          .arm_b = {x, 0.02 * i, -0.01}});
    }
}

// Blocks side by side that push each other, corners on the ground.
static inline void scene_blocks(ContactProblem *p, int count, double friction, double rolling) {
    contact_problem_clear(p);
    Vec3 half = {0.1, 0.15, 0.05};
    for (int i = 0; i < count; i++) {
        Twist v = {{0.3 - 0.2 * i, 0.1 * i, -0.05}, {0.1, -0.2, 0.3 * i}};
        int32_t body = scene_block(p, 1 + 3 * i, half, vec3(0.2 * i, 0, 0.05), friction, rolling, v);
        for (int corner = 0; corner < 4 && i; corner++) {
            Vec3 arm = {half.x, corner & 1 ? half.y : -half.y, corner & 2 ? half.z : -half.z};
            Vec3 other = {-half.x, arm.y, arm.z};
            contact_problem_add_contact(p, (ContactPoint){.a = body - 1,
                                                          .b = body,
                                                          .normal = {1, 0, 0},
                                                          .arm_a = arm,
                                                          .arm_b = other,
                                                          .friction = friction});
        }
    }
}

// The set on which solvers must agree. The relaxed law; whoever wants the other one sets it.
enum { scene_count = 36 };
static inline void scene_make(ContactProblem *p, int which) {
    static const double frictions[] = {0, 0.1, 0.3, 0.52, 0.9};
    uint64_t seed = (uint64_t)which + 1;
    double mu = frictions[which % 5];
    p->law = CONTACT_RELAXED;
    SceneBed bed = {.nx = 4,
                    .ny = 3,
                    .nz = 3,
                    .friction = mu,
                    .jitter = 0.03,
                    .speed = 0.02,
                    .ratio = 1,
                    .step = 1e-4,
                    .seed = seed};
    switch (which / 4) {
    case 0:
        bed.recover = 0.02 * (which % 4), scene_bed(p, &bed);
        return; // beds
    case 1:
        bed.speed = 0.3, bed.jitter = 0.02, scene_bed(p, &bed);
        return; // shaken beds
    case 2:
        bed.ratio = 1000, bed.speed = 0.1, scene_bed(p, &bed);
        return; // masses 1:1000
    case 3:
        bed.container = 1, bed.container_mass = pow(10, -1 - which % 4), scene_bed(p, &bed);
        return;
    case 4:
        bed.rolling = 2e-5, bed.spinning = which % 2 ? 1e-5 : 0, bed.speed = 0.1, scene_bed(p, &bed);
        return;
    case 5:
        scene_column(p, 5 + 3 * (which % 4), which % 4 == 3 ? 1.25 : which % 2 ? 0.7 : 1, 0.3, 0.01);
        return;
    case 6:
        scene_wedge(p, 0.2 + 0.2 * (which % 4), mu, (Twist){{0.1, 0.2, -1}, {3, 1, -2}});
        return;
    case 7:
        if (which % 2) scene_blocks(p, 3, mu, which % 4 == 3 ? 0.01 : 0);
        else scene_ports(p, which % 4 ? 0.1 : 10, mu, seed);
        return;
    default:
        scene_chain(p, 4 + 5 * (which % 4), which % 2 ? 30 : 1, 0.3, 0.5);
        return;
    }
}

#endif
