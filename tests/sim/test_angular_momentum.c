// Momentum of machine and grains together. Nothing acts on them from outside, or only an axle that cannot turn anything:
// what is computed here from masses, places and velocities must stay as it was, wherever on the body the port is. By the
// signals that are recorded it does with every scheme and method; the state of the integrator is looked at for itself.
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
    double offset;           // of the port [m]
    double step;             // [s]
    double restitution;      // of rigid grains
    double gravity;          // along -z [m/s^2]
    double centre;           // of the body's mass, from the axle [m]
    const char *formulation; // NULL: absolute
} Trial;

static MrcModel *make_model(const Trial *t) {
    char text[2000];
    bool smooth = strcmp(t->method, "smooth") == 0;
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 -%g m/s^2\n"
             "materials: {lead: {density: 11344 kg/m^3, friction: 0.4, restitution: %g}}\n"
             "mechanism:\n"
             "  formulation: %s\n"
             "  bodies: {rotor: {position: [%g m, 0 m, 0 m], mass: %g kg, inertia: %g %g %g kg*m^2, %s}}\n"
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
             t->gravity, smooth ? 0.3 : t->restitution, t->formulation ? t->formulation : "absolute",
             t->centre, mass, inertia, inertia, inertia, t->start, t->joints, t->offset,
             -t->offset - t->centre, t->method,
             smooth ? "    contact: {stiffness: 20 kN/m, tangential: elastic}\n" : "", t->scheme, t->step);
    MrcModel *model = mrc_model_parse(text, strlen(text), "model", NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static Vec3 vec3_of(const double *v) { return vec3(v[0], v[1], v[2]); }

// All grains have the mass `m`; the body is at x, with the velocities v and w.
static Momentum momentum_with(Run *run, double m, Vec3 at, Vec3 velocity, Vec3 w) {
    MrcGrains s;
    MrcError error;
    assert_int_equal(mrc_sim_grains(run->sim, 0, &s, &error), MRC_OK);
    Momentum sum = {vec3_scale(mass, velocity), vec3_scale(inertia, w)};
    sum.angular = vec3_madd(sum.angular, mass, vec3_cross(at, velocity));
    for (int64_t i = 0; i < s.count; i++) {
        double J = 0.4 * m * s.radius[i] * s.radius[i];
        Vec3 x = vec3(s.x[i], s.y[i], s.z[i]), v = vec3(s.vx[i], s.vy[i], s.vz[i]);
        sum.linear = vec3_madd(sum.linear, m, v);
        sum.angular = vec3_madd(sum.angular, m, vec3_cross(x, v));
        sum.angular = vec3_madd(sum.angular, J, vec3(s.wx[i], s.wy[i], s.wz[i]));
    }
    return sum;
}

static Momentum momentum(Run *run, double m) { // of the state
    MrcMotion node;
    mrc_sim_node(run->sim, 0, &node);
    return momentum_with(run, m, vec3_of(node.position), vec3_of(node.velocity),
                         vec3_of(node.angular_velocity));
}

static Momentum recorded_momentum(Run *run, double m) {
    return momentum_with(run, m, vector(run, "rotor."), vector(run, "rotor.v"), vector(run, "rotor.w"));
}

// Largest change of the angular momentum about z over its size, as recorded; *linear: likewise of the linear one; *state: of
// the angular one in the state of the integrator.
static double change(const Trial *t, double *linear, double *state) {
    Run run = start(make_model(t));
    MrcGrains grains;
    MrcError error;
    assert_int_equal(mrc_sim_grains(run.sim, 0, &grains, &error), MRC_OK);
    double m = fact(&run, "grains.bed.mass_kg") / (double)grains.count, worst = 0;
    Momentum first = momentum(&run, m);
    *linear = *state = 0;
    while (!is_done(&run)) {
        step(&run);
        Momentum at = recorded_momentum(&run, m);
        worst = fmax(worst, fabs(at.angular.z / first.angular.z - 1));
        *linear = fmax(*linear, vec3_norm(vec3_sub(at.linear, first.linear)) / vec3_norm(first.linear));
        *state = fmax(*state, fabs(momentum(&run, m).angular.z / first.angular.z - 1));
    }
    end(&run);
    return worst;
}

static const char axle[] = "  joints: {axle: {revolute: rotor, axis: z}}\n",
                  spin[] = "angular_velocity: 0 0 100 rad/s",
                  flight[] = "velocity: 1 0.5 0 m/s, angular_velocity: 0 0 20 rad/s";

static const char *const schemes[] = {"condensed", "tight", "monolithic"}, *const methods[] = {
                                                                               "nonsmooth", "nscd", "smooth"};

static void a_rotor_keeps_its_angular_momentum(void **state) {
    (void)state;
    for (int s = 0; s < 3; s++)
        for (int k = 0; k < 3; k++)
            for (int place = 0; place < 3; place++) {
                bool tight = s == 1; // its integrator holds back a part of the last loads
                Trial t = {axle,          spin, schemes[s],           methods[k],
                           0.015 * place, 1e-4, place == 1 ? 0.3 : 0, .gravity = 0};
                double linear, kept, wrong = change(&t, &linear, &kept);
                print_message("rotor, %s, %s, port at %g mm: %.1e, state %.1e\n", t.scheme, t.method,
                              1e3 * t.offset, wrong, kept);
                assert_true(wrong < 1e-12 && kept < (tight ? 3e-3 : 1e-12));
            }
}

// The axle beside the centre of mass, gravity along it, and the other coordinates. (In absolute coordinates such a rotor without
// any grains is kept to 1.5e-7 in this time.)
static void an_unbalanced_rotor_keeps_its_angular_momentum(void **state) {
    (void)state;
    static const char beside[] = "  joints: {axle: {revolute: rotor, axis: z, at: 0 0 0 m}}\n";
    for (int s = 0; s < 3; s++)
        for (int k = 0; k < 3; k++)
            for (int relative = 0; relative < 2; relative++) {
                Trial t = {beside,
                           spin,
                           schemes[s],
                           methods[k],
                           0.02,
                           1e-4,
                           0,
                           .gravity = 9.81,
                           .centre = 0.03,
                           .formulation = relative ? "relative" : NULL};
                double linear, kept, wrong = change(&t, &linear, &kept);
                print_message("unbalanced rotor, %s, %s, %s: %.1e, state %.1e\n", t.scheme, t.method,
                              relative ? "relative" : "absolute", wrong, kept);
                assert_true(wrong < 1e-6);
            }
}

static void a_box_in_flight_keeps_its_momentum(void **state) {
    (void)state;
    for (int s = 0; s < 3; s++)
        for (int k = 0; k < 3; k++)
            for (int place = 0; place < 2; place++) {
                Trial t = {"",   flight,          schemes[s],  methods[k], 0.025 * place,
                           1e-4, place ? 0.3 : 0, .gravity = 0};
                double linear, kept, wrong = change(&t, &linear, &kept);
                print_message("flight, %s, %s, port at %g mm: %.1e, linear %.1e, state %.1e\n", t.scheme,
                              t.method, 1e3 * t.offset, wrong, linear, kept);
                assert_true(wrong < 1e-10 && linear < 1e-12);
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
                Trial t = {flies ? "" : axle,
                           flies ? flight : spin,
                           "tight",
                           method ? "smooth" : "nonsmooth",
                           0.015 * place,
                           1e-4,
                           0,
                           .gravity = 0};
                double wrong = change_of_tight(&t, flies);
                print_message("%s, tight, %s, port at %g mm: %.1e\n", flies ? "flight" : "rotor", t.method,
                              1e3 * t.offset, wrong);
                assert_true(wrong < 1e-6);
            }
}

// What is still to come, D(n) = v(n) - W(n), follows from the two-step formula,
//
//     D(n) = -a2 D(n-1) - h [(1 - b0) a(n) + b2 a(n-1)],     |D| <= h max|a| (1 - b0 + |b2|)/(1 - |a2|)
//
// so that at no instant the angular momentum about an axle is off by more than this, for whatever time, and once nothing
// pushes any more the rest dies away by |a2| a step.
static void what_tight_holds_back_is_bounded(void **state) {
    (void)state;
    for (int method = 0; method < 2; method++)
        for (int place = 0; place < 3; place++) {
            Trial t = {axle, spin, "tight",     method ? "smooth" : "nonsmooth", 0.02 * place - 0.01,
                       1e-4, 0,    .gravity = 0};
            Run run = start(make_model(&t));
            MrcGrains grains;
            MrcError error;
            assert_int_equal(mrc_sim_grains(run.sim, 0, &grains, &error), MRC_OK);
            double m = fact(&run, "grains.bed.mass_kg") / (double)grains.count;
            TwoStep s = two_step(0.6);
            double most = (1 - s.b0 + fabs(s.b2)) / (1 - fabs(s.a2)), fastest = 0, wrong = 0, late = 0;
            double kept = 0, last_late = 0, last_alpha = 0, recurrence = 0;
            Kept past = {0};
            for (int n = 0; !is_done(&run); n++, step(&run)) {
                const NodeState *node = mechanism_node(sim_mechanism(run.sim->sim), 0);
                keep(&past, node->w, node->alpha);
                fastest = fmax(fastest, fabs(node->alpha.z));
                late = node->w.z - handed_over(&past, &s, t.step).z;
                double all = momentum(&run, m).angular.z - inertia * late;
                if (n == 1) kept = all; // the first step is the trapezoidal rule
                if (n > 1) {
                    double expected =
                        -s.a2 * last_late - t.step * ((1 - s.b0) * node->alpha.z + s.b2 * last_alpha);
                    recurrence = fmax(recurrence, fabs(late - expected));
                    wrong = fmax(wrong, fabs(momentum(&run, m).angular.z - kept));
                    assert_true(fabs(late) <= t.step * most * fastest + 1e-10); // rounding
                }
                last_late = late, last_alpha = node->alpha.z;
            }
            end(&run);
            print_message("rotor, tight, %s, port at %g mm: %.1e at an instant, %.1e allowed\n", t.method,
                          1e3 * t.offset, wrong / kept, inertia * t.step * most * fastest / kept);
            assert_true(recurrence < 1e-10); // [rad/s], of 100
            assert_true(wrong <= inertia * t.step * most * fastest + 1e-10 * kept);
        }
}

// In flight the place of the body lags, too. When nothing pushes any more it goes on along the line through
//
//     X = Y - h W/2 - h [a2 D + h b2 a]/(1 + a2),     Y as W, of the places:  Y(n+1) - Y(n) = h v(n+1)
//
// (the last term is the sum of what D is still to be), and X(n+1) = X(n) + h W(n): an impulse acts on that line at the end of
// its step. Its moment is taken about x(n+1). So the angular momentum of X and W changes by (X - x) x P in each step and by
// nothing else, with |X - x| of the order h^2 a: second order in the step.
typedef struct Flight {
    Kept place, velocity; // x and v; v and a
    Momentum line;        // of the body on its line, with the grains
    Vec3 X;
} Flight;

static void fly(Flight *f, const NodeState *node, const TwoStep *s, double h, Momentum at) {
    keep(&f->place, node->x, node->v);
    keep(&f->velocity, node->v, node->a);
    Vec3 W = handed_over(&f->velocity, s, h), Y = handed_over(&f->place, s, h), D = vec3_sub(node->v, W);
    Vec3 rest = vec3_add(vec3_scale(s->a2, D), vec3_scale(h * s->b2, node->a));
    f->X = vec3_sub(vec3_madd(Y, -0.5 * h, W), vec3_scale(h / (1 + s->a2), rest));
    Vec3 body = vec3_cross(node->x, node->v), line = vec3_cross(f->X, W);
    f->line = at;
    f->line.angular = vec3_add(at.angular, vec3_scale(mass, vec3_sub(line, body)));
}

static void tight_in_flight_is_wrong_by_what_places_lag(void **state) {
    (void)state;
    for (int method = 0; method < 2; method++)
        for (int place = 0; place < 2; place++) {
            Trial t = {"",           flight, "tight", method ? "smooth" : "nonsmooth",
                       0.02 * place, 1e-4,   0,       .gravity = 0};
            Run run = start(make_model(&t));
            MrcGrains grains;
            MrcError error;
            assert_int_equal(mrc_sim_grains(run.sim, 0, &grains, &error), MRC_OK);
            double m = fact(&run, "grains.bed.mass_kg") / (double)grains.count;
            TwoStep s = two_step(0.6);
            Kept turning = {0};
            Flight f = {0};
            double first = 0, last = 0, explained = 0, wrong = 0, drift = 0;
            for (int n = 0; !is_done(&run); n++, step(&run)) {
                const NodeState *node = mechanism_node(sim_mechanism(run.sim->sim), 0);
                keep(&turning, node->w, node->alpha);
                fly(&f, node, &s, t.step, momentum(&run, m));
                double spin_late = handed_over(&turning, &s, t.step).z - node->w.z;
                double now = f.line.angular.z + inertia * spin_late;
                Vec3 P = vec3_scale(mass * t.step, node->a);
                if (n > 1) explained += vec3_cross(vec3_sub(f.X, node->x), P).z;
                if (n == 1) first = now;
                last = now;
                if (n > 1) wrong = fmax(wrong, fabs(now - first - explained));
                if (n > 1) drift = fmax(drift, fabs(now - first));
            }
            end(&run);
            print_message("flight, tight, %s, port at %g mm: lasting %.1e, unexplained %.1e\n", t.method,
                          1e3 * t.offset, drift / fabs(first), wrong / fabs(last));
            assert_true(wrong < 1e-10 * fabs(first));
            assert_true(drift < 1e-3 * fabs(first));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotor_keeps_its_angular_momentum),
        cmocka_unit_test(an_unbalanced_rotor_keeps_its_angular_momentum),
        cmocka_unit_test(a_box_in_flight_keeps_its_momentum),
        cmocka_unit_test(tight_keeps_what_it_has_handed_over),
        cmocka_unit_test(what_tight_holds_back_is_bounded),
        cmocka_unit_test(tight_in_flight_is_wrong_by_what_places_lag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
