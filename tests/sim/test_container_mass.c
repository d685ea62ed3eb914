// A container with mass that is fixed to the mechanism is a part of it: the machine moves as one whose body has that mass,
// however light the rest is, and what the port is told is the grains' load with the container's weight and inertia.
#include "check.h"
#include "sim/run.h"

static const double gravity = 9.81, h = 2e-4;

static const char scale[] =
    "maraca: 1\ngravity: 0 0 -9.81 m/s^2\n"
    "materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}\n"
    "mechanism:\n"
    "  bodies: {box: {mass: %g kg, inertia: 3e-4 3e-4 3e-4 kg*m^2}}\n"
    "  joints: {guide: {prismatic: box, axis: z}}\n"
    "  springs: {mount: {between: box, offsets: [0 0 0 m, 0 0 -1 m], stiffness: 20 kN/m}}\n"
    "  integrator: {rho_inf: %g}\n"
    "ports: {pan: {node: box%s}}\n"
    "grains:\n"
    "  balls:\n"
    "    port: pan\n"
    "    wall: {box: {size: 30 30 30 mm}}\n"
    "    particles: {radius: 3 mm, count: 5, material: glass}\n"
    "    packing: {random: {seed: 2}}\n"
    "    method: smooth\n"
    "    contact: {normal: linear, tangential: elastic, stiffness: %g kN/m}\n"
    "simulate: {duration: 0.15 s, step: 0.2 ms}\n";

static Run start_scale(double box, double rho, double stiffness, const char *container) {
    char text[2000];
    snprintf(text, sizeof text, scale, box, rho, container, stiffness);
    return start_text(text);
}

// A hundred times the box. (As a body of its own, it gained 14 % of the energy in play in this time, or ended the run.)
static void a_scale_with_a_heavy_container(void **state) {
    (void)state;
    static const double stiffness[] = {0.1, 3};
    for (int s = 0; s < 2; s++)
        for (int r = 0; r < 2; r++) {
            Run one = start_scale(0.02, r ? 0.9 : 0.6, stiffness[s],
                                  ", container: {mass: 2 kg, inertia: 1e-5 1e-5 1e-5 0 0 0 kg*m^2}"),
                other = start_scale(2.02, r ? 0.9 : 0.6, stiffness[s], "");
            double apart = 0, told = 0, size = 0;
            while (!is_done(&one)) {
                double before = value(&one, "box.vz");
                step(&one);
                step(&other);
                double a = (value(&one, "box.vz") - before) / h;
                apart = fmax(apart, fabs(value(&one, "box.z") - value(&other, "box.z")));
                told = fmax(told, fabs(value(&one, "pan.load.fz") - value(&other, "pan.load.fz") +
                                       2 * (gravity + a)));
                size = fmax(size, fabs(value(&one, "pan.load.fz")));
            }
            double share = fact(&one, "energy.numerical_share");
            print_message("stiffness %g kN/m: apart %.1e m, load wrong by %.1e of %.3g N, numerical %.1e\n",
                          stiffness[s], apart, told, size, share);
            assert_true(apart < 1e-9 && told < 1e-9 * size && fabs(share) < 1e-4);
            end(&one);
            end(&other);
        }
}

// In space, the port off the node and turned about y by a right angle: the container's z is the node's x, its x against z.
static const char pendulum[] =
    "maraca: 1\ngravity: 1 2 -9.81 m/s^2\n"
    "materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}\n"
    "mechanism:\n"
    "  bodies:\n"
    "    arm: {mass: 0.1 kg, inertia: 3e-4 3e-4 3e-4 kg*m^2, angular_velocity: 1 2 3 rad/s}\n"
    "%s"
    "  joints: {hinge: {spherical: arm, at: 0 0 100 mm}}\n"
    "ports: {can: {node: arm, offset: 20 10 0 mm, mount: {axis: y, angle: 90 deg}%s}}\n"
    "grains:\n"
    "  balls:\n"
    "    port: can\n"
    "    wall: {box: {size: 30 30 30 mm}}\n"
    "    particles: {radius: 3 mm, count: 5, material: glass}\n"
    "    packing: {random: {seed: 2}}\n"
    "    method: smooth\n"
    "    contact: {normal: linear, tangential: elastic, stiffness: 3 kN/m}\n"
    "simulate: {duration: 0.05 s, step: 0.2 ms}\n";

static Run start_pendulum(const char *body, const char *container) {
    char text[2000];
    snprintf(text, sizeof text, pendulum, body, container);
    return start_text(text);
}

static void a_turned_container(void **state) {
    (void)state;
    Run one = start_pendulum(
            "", ", container: {mass: 0.3 kg, center: 0 0 5 mm, inertia: 1e-4 2e-4 2.5e-4 0 0 0 kg*m^2}"),
        other = start_pendulum(
            "    can_: {node: arm, mass: 0.3 kg, center: 25 10 0 mm, inertia: 2.5e-4 2e-4 1e-4 kg*m^2}\n",
            "");
    double apart = 0, way = 0;
    Vec3 first = vector(&one, "arm.");
    while (!is_done(&one)) {
        step(&one);
        step(&other);
        apart = fmax(apart, vec3_norm(vec3_sub(vector(&one, "arm."), vector(&other, "arm."))));
        way = fmax(way, vec3_norm(vec3_sub(vector(&one, "arm."), first)));
    }
    print_message("apart %.1e m on a way of %.2g m\n", apart, way);
    assert_true(way > 1e-3 && apart < 1e-9 * way);
    end(&one);
    end(&other);
}

// It slides down on a spring and a damper of its own, until it rests where the spring carries it and the balls: half of what its
// weight has done is in the spring then, and its damper has taken the other half. (That was an error of the exchange at
// ports, and the verdict asked for a smaller step.)
static const char slide[] =
    "maraca: 1\ngravity: 0 0 -9.81 m/s^2\n"
    "materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}\n"
    "mechanism: {bodies: {box: {mass: 300 g, inertia: 1e-3 1e-3 1e-3 kg*m^2}},\n"
    "            joints: {guide: {prismatic: box, axis: x}}}\n"
    "ports: {pan: {node: box, container: {mass: 20 g, inertia: 1e-5 1e-5 1e-5 0 0 0 kg*m^2, slides: [z],\n"
    "       stiffness: 0 0 2 kN/m, damping: 0 0 13 N*s/m}}}\n"
    "grains:\n"
    "  balls:\n"
    "    port: pan\n"
    "    wall: {box: {size: 16 16 20 mm}}\n"
    "    particles: {radius: 3 mm, count: 3, material: glass}\n"
    "    packing: settle\n"
    "    method: %s\n"
    "    contact: {%s}\n"
    "coupling: {scheme: %s}\n"
    "simulate: {duration: 60 ms, step: 50 us}\n";

static void slide_down(const char *method, const char *scheme) {
    char text[2000];
    bool smooth = strcmp(method, "smooth") == 0;
    snprintf(text, sizeof text, slide, method,
             smooth ? "stiffness: 3 kN/m, tangential: elastic" : "solver: {tolerance: 1e-6}", scheme);
    Run run = start_text(text);
    while (!is_done(&run)) step(&run);
    double weight = gravity * (0.02 + 3 * 2500 * 4.0 / 3 * M_PI * 27e-9), half = weight * weight / 2 / 2000;
    double dampers = value(&run, "energy.dampers") / half, ports = value(&run, "energy.ports") / half,
           error = value(&run, "energy.error") / half, elastic = value(&run, "energy.elastic") / half;
    print_message("%s, %s: dampers %.4f, spring %.4f, ports %.1e, error %.1e of the half\n", method, scheme,
                  dampers, elastic, ports, error);
    assert_true(fabs(dampers - 1) < 0.01 && fabs(elastic - 1) < 0.01 && fabs(ports) < 0.01 &&
                fabs(error) < 0.01);
    end(&run);
}

static void what_dampers_of_containers_take(void **state) {
    (void)state;
    static const char *const methods[] = {"smooth", "nonsmooth", "nscd"};
    static const char *const schemes[] = {"condensed", "tight", "monolithic"};
    for (int m = 0; m < 3; m++)
        for (int s = 0; s < 3; s++) slide_down(methods[m], schemes[s]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scale_with_a_heavy_container),
        cmocka_unit_test(a_turned_container),
        cmocka_unit_test(what_dampers_of_containers_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
