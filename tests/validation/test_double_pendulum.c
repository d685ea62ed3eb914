// examples/double-pendulum.yaml (EXPLICIT 4.2): the lower link as a container that turns freely at the port,
// by all schemes, against both links as bodies of one mechanism with two hinges.
// EXPLICIT is doi:10.1007/s11044-022-09829-w.
#include "sim/run.h"

enum { samples = 100 };

typedef struct Path { // at 100 instants of 5 s
    MrcStatus status;
    double angle[2][samples], rate[2][samples]; // of the links [rad], [rad/s]
    double gap;                                 // at the hinge, largest [m]
} Path;

static double turn(double angle, double before) { // counts on past half turns
    return angle - 2 * M_PI * round((angle - before) / (2 * M_PI));
}

static double about_z(const MrcMotion *motion) {
    const double *q = motion->orientation;
    return 2 * atan2(q[3], q[0]);
}

static Path follow(MrcModel *model, double h) {
    Path path = {0};
    MrcError error = {0};
    Run run = start(model);
    bool coupled =
        mrc_sim_port_count(run.sim) > 0; // the lower link is a container at the port, or the second node
    int64_t every = (int64_t)round(5 / h / samples);
    double before[2] = {M_PI / 2, M_PI / 2};
    for (int64_t n = 1; n <= every * samples && path.status == MRC_OK; n++) {
        MrcMotion links[2];
        path.status = mrc_sim_step(run.sim, &error);
        mrc_sim_node(run.sim, 0, &links[0]);
        if (coupled) mrc_sim_port(run.sim, 0, &links[1], NULL);
        else mrc_sim_node(run.sim, 1, &links[1]);
        for (int link = 0; link < 2; link++) {
            before[link] = turn(about_z(&links[link]), before[link]);
            if (n % every != 0) continue;
            path.angle[link][n / every - 1] = before[link];
            path.rate[link][n / every - 1] = links[link].angular_velocity[2];
        }
    }
    if (path.status != MRC_OK) print_message("  %s\n", error.text);
    path.gap = coupled ? fact(&run, "coupling.largest_gap_m") : 0;
    end(&run);
    return path;
}

static Path cut(const char *scheme, const char *inputs, double h) {
    char path[300], step[60], a[60], b[60];
    const char *overrides[] = {step, a, b};
    snprintf(path, sizeof path, "%s/examples/double-pendulum.yaml", MARACA_SOURCE_DIR);
    snprintf(step, sizeof step, "simulate.step=%g s", h);
    snprintf(a, sizeof a, "coupling.scheme=%s", scheme);
    snprintf(b, sizeof b, "coupling.inputs=%s", inputs);
    return follow(mrc_model_load(path, overrides, 3), h);
}

static Path whole(double h) {
    char text[2000];
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 -9.81 0 m/s^2\n"
             "mechanism:\n  integrator: {rho_inf: 1, tolerance: 1e-9}\n  bodies:\n"
             "    upper: {position: 0.2 0 0 m, rotation: {axis: z, angle: 90 deg}, velocity: 0 0.1 0 m/s,\n"
             "            angular_velocity: 0 0 0.5 rad/s, mass: 1 kg, inertia: 1 1 1 kg*m^2}\n"
             "    lower: {position: 0.6 0 0 m, rotation: {axis: z, angle: 90 deg}, velocity: 0 0.3 0 m/s,\n"
             "            angular_velocity: 0 0 0.5 rad/s, mass: 1 kg, inertia: 1 1 1 kg*m^2}\n"
             "  joints:\n    pivot: {revolute: upper, at: 0 0 0 m, axis: z}\n"
             "    hinge: {revolute: [upper, lower], at: 0.4 0 0 m, axis: z}\n"
             "simulate: {duration: 5 s, step: %g s}\n",
             h);
    return follow(mrc_model_parse(text, strlen(text), "whole", NULL, 0), h);
}

static double off(const double *a, const double *b) { // r.m.s. over r.m.s.
    double sum = 0, size = 0;
    for (int k = 0; k < samples; k++) sum += (a[k] - b[k]) * (a[k] - b[k]), size += b[k] * b[k];
    return sqrt(sum / size);
}

static double worst(const Path *a, const Path *b) {
    double angle = fmax(off(a->angle[0], b->angle[0]), off(a->angle[1], b->angle[1]));
    return fmax(angle, fmax(off(a->rate[0], b->rate[0]), off(a->rate[1], b->rate[1])));
}

static void cut_is_like_whole(void **state) {
    (void)state;
    const struct {
        const char *scheme, *inputs;
    } cases[] = {{"explicit", "index-1"},  {"explicit", "index-2"},   {"explicit", "index-3"},
                 {"explicit", "original"}, {"loose", "index-1"},      {"tight", "index-1"},
                 {"condensed", "index-1"}, {"monolithic", "index-1"}, {"multirate", "index-1"},
                 {"overlapped", "index-1"}};
    Path exact = whole(2.5e-4), coarse = whole(1e-3);
    print_message("in one mechanism, h = 1 ms: %.2e\n", worst(&coarse, &exact));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            Path path = cut(cases[i].scheme, cases[i].inputs, k ? 2.5e-4 : 1e-3);
            error[k] = worst(&path, &exact);
            print_message("%s %s, h = %s ms: angles %.2e %.2e, rates %.2e %.2e, gap %.1e m\n",
                          cases[i].scheme, cases[i].inputs, k ? "0.25" : "1",
                          off(path.angle[0], exact.angle[0]), off(path.angle[1], exact.angle[1]),
                          off(path.rate[0], exact.rate[0]), off(path.rate[1], exact.rate[1]), path.gap);
            assert_int_equal(path.status, MRC_OK);
            assert_true(path.gap < 1e-4);
        }
        assert_true(error[0] < 0.05);
        assert_true(error[1] < 0.3 * error[0]); // first order at least
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cut_is_like_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
