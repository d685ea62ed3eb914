// Momentum of machine and grains together. Nothing acts on them from outside, or only an axle that cannot turn anything:
// what is computed here from masses, places and velocities must stay as it was, wherever on the body the port is.
#include <stdio.h>
#include <string.h>

#include "analysis/live.h"
#include "check.h"
#include "math/two_step.h"
#include "math/vec3.h"
#include "sim/run.h"

static const double mass = 0.1, inertia = 2e-4; // of the body [kg], [kg m^2]

typedef struct Momentum {
    Vec3 linear, angular; // about the origin of the world
} Momentum;

typedef struct Trial {
    const char *joints, *start, *scheme, *method;
    double offset; // of the port [m]
    double step;   // [s]
} Trial;

static MrcModel *make_model(const Trial *t) {
    char text[2000];
    bool smooth = strcmp(t->method, "smooth") == 0;
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 0 m/s^2\n"
             "materials: {lead: {density: 11344 kg/m^3, friction: 0.4, restitution: 0%s}}\n"
             "mechanism:\n"
             "  bodies: {rotor: {mass: %g kg, inertia: %g %g %g kg*m^2, %s}}\n"
             "%s"
             "ports: {can: {node: rotor, offset: [%g m, 0 m, 0 m]}}\n"
             "grains:\n"
             "  bed:\n"
             "    port: can\n"
             "    wall: {box: {size: 60 60 10 mm, center: [%g m, 0 m, 0 m]}}\n"
             "    particles: {radius: 2 mm, count: 30, material: lead}\n"
             "    packing: {random: {seed: 3}}\n"
             "    method: %s\n"
             "%s"
             "coupling: {scheme: %s}\n"
             "simulate: {duration: 0.1 s, step: %g s}\n",
             smooth ? ".3" : "", mass, inertia, inertia, inertia, t->start, t->joints, t->offset, -t->offset,
             t->method, smooth ? "    contact: {stiffness: 20 kN/m, tangential: elastic}\n" : "", t->scheme,
             t->step);
    MrcModel *model = mrc_model_parse(text, strlen(text), "model", NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static Vec3 vec3_of(const double *v) { return vec3(v[0], v[1], v[2]); }

// All grains have the mass `m`.
static Momentum momentum(Run *run, double m) {
    MrcMotion node;
    MrcGrains s;
    MrcError error;
    mrc_sim_node(run->sim, 0, &node);
    assert_int_equal(mrc_sim_grains(run->sim, 0, &s, &error), MRC_OK);
    Momentum sum = {vec3_scale(mass, vec3_of(node.velocity)),
                    vec3_scale(inertia, vec3_of(node.angular_velocity))};
    Vec3 moment = vec3_cross(vec3_of(node.position), vec3_of(node.velocity));
    sum.angular = vec3_madd(sum.angular, mass, moment);
    for (int64_t i = 0; i < s.count; i++) {
        double J = 0.4 * m * s.radius[i] * s.radius[i];
        Vec3 x = vec3(s.x[i], s.y[i], s.z[i]), v = vec3(s.vx[i], s.vy[i], s.vz[i]);
        sum.linear = vec3_madd(sum.linear, m, v);
        sum.angular = vec3_madd(sum.angular, m, vec3_cross(x, v));
        sum.angular = vec3_madd(sum.angular, J, vec3(s.wx[i], s.wy[i], s.wz[i]));
    }
    return sum;
}

// Largest change of the angular momentum about z over its size; *linear: likewise of the linear one.
static double change(const Trial *t, double *linear) {
    Run run = start(make_model(t));
    MrcGrains grains;
    MrcError error;
    assert_int_equal(mrc_sim_grains(run.sim, 0, &grains, &error), MRC_OK);
    double m = fact(&run, "grains.bed.mass_kg") / (double)grains.count, worst = 0;
    Momentum first = momentum(&run, m);
    *linear = 0;
    while (!is_done(&run)) {
        step(&run);
        Momentum at = momentum(&run, m);
        worst = fmax(worst, fabs(at.angular.z / first.angular.z - 1));
        *linear = fmax(*linear, vec3_norm(vec3_sub(at.linear, first.linear)) / vec3_norm(first.linear));
    }
    end(&run);
    return worst;
}

static const char axle[] = "  joints: {axle: {revolute: rotor, axis: z}}\n",
                  spin[] = "angular_velocity: 0 0 100 rad/s",
                  flight[] = "velocity: 1 0.5 0 m/s, angular_velocity: 0 0 20 rad/s";

static void a_rotor_keeps_its_angular_momentum(void **state) {
    (void)state;
    static const char *const schemes[] = {"condensed", "tight", "monolithic"};
    for (int s = 0; s < 3; s++)
        for (int method = 0; method < 2; method++)
            for (int place = 0; place < 3; place++) {
                bool tight = s == 1; // its integrator holds back a part of the last loads
                if (tight && place == 2) continue;
                Trial t = {axle, spin, schemes[s], method ? "smooth" : "nonsmooth", 0.015 * place, 1e-4};
                double linear, wrong = change(&t, &linear);
                print_message("rotor, %s, %s, port at %g mm: %.1e\n", t.scheme, t.method, 1e3 * t.offset,
                              wrong);
                assert_true(wrong < (tight ? 2e-3 : 1e-12));
            }
}

static void a_box_in_flight_keeps_its_momentum(void **state) {
    (void)state;
    static const char *const schemes[] = {"condensed", "tight", "monolithic"};
    for (int s = 0; s < 3; s++)
        for (int method = 0; method < 2; method++)
            for (int place = 0; place < 2; place++) {
                Trial t = {"", flight, schemes[s], method ? "smooth" : "nonsmooth", 0.025 * place, 1e-4};
                double linear, wrong = change(&t, &linear);
                print_message("flight, %s, %s, port at %g mm: %.1e, linear %.1e\n", t.scheme, t.method,
                              1e3 * t.offset, wrong, linear);
                bool tight = s == 1;
                assert_true(wrong < (tight ? 5e-3 : 1e-12) && linear < (tight ? 2e-3 : 1e-12));
            }
}

// The tight scheme hands the mechanism its loads as forces, and a linear two-step formula remembers forces: a part of the
// last loads is still to come. With a1 = 1 - a2 and b0 + b1 + b2 = 1 + a2,
//
//     W(n) = [v(n) + a2 v(n-1) + h ((b1 + b2) a(n) + b2 a(n-1))]/(1 + a2),     W(n+1) - W(n) = h a(n+1)
//
// is the velocity with all that has been handed over. It is momentum by W that is kept, to rounding: the linear one, and
// the angular one about an axle. (In flight x(n) x v(n) is a quadratic invariant, which no multistep formula keeps.)
typedef struct Kept {
    double v[2][3], a[2][3]; // of the last two steps: velocity, or angular velocity, and its rate
} Kept;

static void keep(Kept *k, Vec3 v, Vec3 a) {
    for (int i = 0; i < 3; i++) {
        k->v[1][i] = k->v[0][i], k->a[1][i] = k->a[0][i];
        k->v[0][i] = vec3_component(v, i), k->a[0][i] = vec3_component(a, i);
    }
}

static Vec3 handed_over(const Kept *k, const TwoStep *s, double h) {
    double w[3];
    for (int i = 0; i < 3; i++)
        w[i] = (k->v[0][i] + s->a2 * k->v[1][i] + h * ((s->b1 + s->b2) * k->a[0][i] + s->b2 * k->a[1][i])) /
               (1 + s->a2);
    return vec3(w[0], w[1], w[2]);
}

static double change_of_tight(const Trial *t, bool flies) {
    Run run = start(make_model(t));
    MrcGrains grains;
    MrcError error;
    assert_int_equal(mrc_sim_grains(run.sim, 0, &grains, &error), MRC_OK);
    double m = fact(&run, "grains.bed.mass_kg") / (double)grains.count, worst = 0;
    TwoStep scheme = two_step(0.6); // rho_inf where the model gives none
    Kept kept = {0};
    Vec3 first = vec3_zero();
    for (int n = 0; !is_done(&run); n++) {
        const NodeState *node =
            mechanism_node(sim_mechanism(run.sim->sim), 0); // with its lag, which is not reported
        Vec3 v = flies ? node->v : node->w;
        keep(&kept, v, flies ? node->a : node->alpha);
        Momentum at = momentum(&run, m);
        Vec3 late = vec3_sub(handed_over(&kept, &scheme, t->step), v);
        Vec3 all = flies ? vec3_madd(at.linear, mass, late) : vec3_madd(at.angular, inertia, late);
        if (!flies) all.x = all.y = 0; // the axle bears them
        if (n == 1) first = all;       // the first step has no past: it is the trapezoidal rule
        if (n > 1) worst = fmax(worst, vec3_norm(vec3_sub(all, first)) / vec3_norm(first));
        step(&run);
    }
    end(&run);
    return worst;
}

static void tight_keeps_what_it_has_handed_over(void **state) {
    (void)state;
    for (int flies = 0; flies < 2; flies++)
        for (int method = 0; method < 2; method++)
            for (int place = 0; place < 2; place++) {
                Trial t = {flies ? "" : axle, flies ? flight : spin,
                           "tight",           method ? "smooth" : "nonsmooth",
                           0.015 * place,     1e-4};
                double wrong = change_of_tight(&t, flies);
                print_message("%s, tight, %s, port at %g mm: %.1e\n", flies ? "flight" : "rotor", t.method,
                              1e3 * t.offset, wrong);
                assert_true(wrong < 1e-10);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotor_keeps_its_angular_momentum),
        cmocka_unit_test(a_box_in_flight_keeps_its_momentum),
        cmocka_unit_test(tight_keeps_what_it_has_handed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
