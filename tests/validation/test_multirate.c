// The verification cases of MULTIRATE 3, run in full from their examples: a stream of particles, a driven
// pendulum, a box on a spring and a torsion pendulum, each with smooth and with rigid grains, against the
// equations of motion that the paper compares with. The measure is the paper's, the coefficient of
// determination R^2; it asks for 0.99.
// MULTIRATE is doi:10.1108/EC-07-2017-0246.
#include "multirate.h"

// Rigid grains are fewer and larger, the total mass is the same: a full box of many is a hard problem at
// every step.
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
static const char *const rigid_pendulum[] = {"grains.bed.method=nonsmooth", "constants.n=27",
                                             "constants.R=116.66 mm", "materials.pellet.restitution=0",
                                             "simulate.step=1 ms"};
static const char *const rigid_box[] = {
    "grains.bed.method=nonsmooth",    "grains.bed.particles.radius=100 mm",
    "grains.bed.particles.count=50",  "materials.pellet.density=1250 kg/m^3",
    "materials.pellet.restitution=0", "simulate.step=1 ms"};

// ---- 3.1: a stream of particles --------------------------------------------------------------------
enum { STREAM = 200 };

// The cube by the theory of successive impacts, Eq. 17: particle k starts in the distance 0.6 m (k + 1).
typedef struct Cube {
    double t, x, u;
    int hit;
} Cube;

// When the particle's front meets the face; both are counted from the face at rest.
static double next_impact(const Cube *cube) {
    const double v = 2, start = -0.6 * (cube->hit + 1);
    if (cube->hit == STREAM) return INFINITY;
    return (cube->x - cube->u * cube->t - start) / (v - cube->u);
}

static void cube_at(Cube *cube, double t) {
    const double mp = 0.01, mc = 10, e = 0.5, v = 2;
    for (double impact = next_impact(cube); impact <= t; impact = next_impact(cube)) {
        cube->x += cube->u * (impact - cube->t);
        cube->t = impact;
        cube->u = (mp * v + mc * cube->u + mp * e * (v - cube->u)) / (mp + mc);
        cube->hit++;
    }
    cube->x += cube->u * (t - cube->t);
    cube->t = t;
}

static void stream(const char *method) {
    const char *sets[] = {method};
    Run run = start_example("particle-stream", sets, 1);
    Cube cube = {0};
    Fit x = {0}, v = {0};
    while (!is_done(&run)) {
        step(&run);
        cube_at(&cube, now(&run));
        fit_add(&x, value(&run, "cube.x"), cube.x);
        fit_add(&v, value(&run, "cube.vx"), cube.u);
    }
    printf(
        "particle stream, %s: %d impacts, R^2 of x %.6f, of v %.6f; at the end v = %.6f m/s, theory %.6f\n",
        method, cube.hit, fit_r2(&x), fit_r2(&v), value(&run, "cube.vx"), cube.u);
    assert_true(cube.hit > 150);
    assert_true(fit_r2(&x) > 0.9999 && fit_r2(&v) > 0.9999);
    check_near(value(&run, "cube.vx") / cube.u, 1, 2e-3);
    end(&run);
}

static void test_particle_stream(void **state) {
    (void)state;
    stream("grains.stream.method=smooth");
    stream("grains.stream.method=nonsmooth");
}

// ---- 3.2: a motor drives the pendulum --------------------------------------------------------------
static void motor(const char *method, const char *const *sets, int count) {
    Run run = start_example("motor-pendulum", sets, count);
    const double m = 246.6, r = 1.5, w = 72 * PI / 180;
    Fit fx = {0}, fy = {0}, torque = {0};
    while (!is_done(&run)) {
        step(&run);
        double a = w * now(&run);
        check_near(value(&run, "box.y"), r * sin(a), 1e-9);
        if (now(&run) < 0.25) continue; // as in the paper
        fit_add(&fx, value(&run, "motor.fx"), -m * w * w * r * cos(a));
        fit_add(&fy, value(&run, "motor.fy"), m * GRAVITY - m * w * w * r * sin(a));
        fit_add(&torque, value(&run, "motor.mz"), m * GRAVITY * r * cos(a));
    }
    printf("motor pendulum, %s: R^2 of the motor's torque %.6f, fx %.6f, fy %.6f (published: 0.999)\n",
           method, fit_r2(&torque), fit_r2(&fx), fit_r2(&fy));
    assert_true(fit_r2(&torque) > 0.999 && fit_r2(&fx) > 0.99 && fit_r2(&fy) > 0.99);
    end(&run);
}

static void test_motor_pendulum(void **state) {
    (void)state;
    motor("smooth", NULL, 0);
    motor("nonsmooth", rigid_pendulum, COUNT(rigid_pendulum));
}

// ---- 3.3: a box on spring and damper ---------------------------------------------------------------
static void box(const char *method, const char *const *sets, int count) {
    BoxFits fits = box_run(sets, count);
    printf("spring-damper box, %s: R^2 of x %.6f, v %.6f, load %.6f (published: 0.998)\n", method,
           fit_r2(&fits.x), fit_r2(&fits.v), fit_r2(&fits.f));
    assert_int_equal(fits.status, MRC_OK);
    assert_true(fit_r2(&fits.x) > 0.999 && fit_r2(&fits.v) > 0.999 && fit_r2(&fits.f) > 0.99);
}

static void test_spring_damper_box(void **state) {
    (void)state;
    box("smooth", NULL, 0);
    box("nonsmooth", rigid_box, COUNT(rigid_box));
}

// ---- 3.4: a pendulum on a torsion spring -----------------------------------------------------------
typedef struct Pendulum {
    double inertia, a, w;
} Pendulum;

static double angular_acceleration(const Pendulum *p, double a, double w) {
    const double k = 40 * 180 / PI, damping = 20 * 180 / PI, moment = 316.4 * GRAVITY * 1.5;
    return (moment * cos(a) - damping * w - k * a) / p->inertia; // Eq. 25
}

// One step of Runge and Kutta.
static void pendulum_step(Pendulum *p, double h) {
    double k[4], l[4];
    for (int s = 0; s < 4; s++) {
        double part = s == 0 ? 0 : s == 3 ? h : h / 2;
        k[s] = p->w + (s ? part * l[s - 1] : 0);
        l[s] = angular_acceleration(p, p->a + (s ? part * k[s - 1] : 0), k[s]);
    }
    p->a += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
    p->w += h / 6 * (l[0] + 2 * l[1] + 2 * l[2] + l[3]);
}

static void torsion(const char *method, const char *const *sets, int count) {
    Run run = start_example("torsion-pendulum", sets, count);
    const double m = 316.4, r = 1.5, own = value(&run, "bed.inertia.zz"); // about the grains' centre
    Pendulum p = {.inertia = m * r * r + 8 + own};
    Fit angle = {0}, rate = {0}, fx = {0}, fy = {0};
    while (!is_done(&run)) {
        step(&run);
        pendulum_step(&p, mrc_sim_step_size(run.sim));
        double alpha = angular_acceleration(&p, p.a, p.w), w2 = p.w * p.w;
        if (now(&run) < 0.25) continue;
        fit_add(&angle, -atan2(value(&run, "box.y"), value(&run, "box.x")), p.a);
        fit_add(&rate, -value(&run, "box.wz"), p.w);
        fit_add(&fx, value(&run, "hinge.fx"), -m * r * (sin(p.a) * alpha + cos(p.a) * w2));
        fit_add(&fy, value(&run, "hinge.fy"), m * (GRAVITY - r * (cos(p.a) * alpha - sin(p.a) * w2)));
    }
    printf("torsion pendulum, %s: R^2 of angle %.6f, rate %.6f, hinge fx %.6f, fy %.6f (published: 0.999)\n",
           method, fit_r2(&angle), fit_r2(&rate), fit_r2(&fx), fit_r2(&fy));
    assert_true(fit_r2(&angle) > 0.999 && fit_r2(&rate) > 0.999 && fit_r2(&fx) > 0.99 && fit_r2(&fy) > 0.99);
    end(&run);
}

static void test_torsion_pendulum(void **state) {
    (void)state;
    torsion("smooth", NULL, 0);
    torsion("nonsmooth", rigid_pendulum, COUNT(rigid_pendulum));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_particle_stream),
        cmocka_unit_test(test_motor_pendulum),
        cmocka_unit_test(test_spring_damper_box),
        cmocka_unit_test(test_torsion_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
