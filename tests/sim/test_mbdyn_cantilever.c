// The cantilever damper of examples/cantilever-damper.yaml with its mechanism behind MBDyn's protocol: a peer runs that file's
// mechanism, this side runs examples/cantilever-damper-mbdyn.yaml. The series are those of examples/cantilever-damper.yaml in
// one process: bit by bit with `loose`, to the tolerance with `tight`.
#include "sim/mbdyn_peer.h"

enum { STEPS = 200, SIGNALS = 40 };

static void path_of(const char *name, char path[400]) {
    snprintf(path, 400, "%s/examples/%s.yaml", MARACA_SOURCE_DIR, name);
}

// The mechanism of the example: all of its file up to the grains, which hang on its body `shell`.
static const char *mechanism_text(const char *force, char text[8000]) {
    char path[400];
    path_of("cantilever-damper", path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, 7000, file);
    fclose(file);
    text[size] = 0;
    char *grains = strstr(text, "\ngrains:"), *F0 = strstr(text, "F0: 0.25 N");
    assert_true(grains && F0 && strlen(force) <= 6);
    strcpy(grains, "\nports: {tip: {node: shell}}\ncoupling: {scheme: loose}\nsimulate: {duration: 2 s, "
                   "step: 0.1 ms}\n");
    memcpy(F0 + 4, force, strlen(force));
    memset(F0 + 4 + strlen(force), ' ', 6 - strlen(force));
    return text;
}

static MrcModel *example(const char *name, const char *const *overrides, int count) {
    char path[400];
    path_of(name, path);
    MrcModel *model = mrc_model_load(path, overrides, count);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%d: %s\n", mrc_model_diagnostic(model, i)->line, mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

// All signals of the grains, and pose and velocity of the node that carries them.
typedef struct Series {
    double values[STEPS + 1][SIGNALS], y[STEPS + 1], vy[STEPS + 1];
    char names[SIGNALS][40];
    int count;
} Series;

static void record(MrcSim *sim, int steps, Series *out) {
    MrcError error = {0};
    int handles[SIGNALS];
    memset(out, 0, sizeof *out);
    for (int k = 0; k < mrc_sim_signal_count(sim) && out->count < SIGNALS; k++) {
        MrcSignal signal = mrc_sim_signal(sim, k);
        if (strncmp(signal.name, "damper.", 7) != 0 || isnan(mrc_sim_value(sim, k))) continue;
        snprintf(out->names[out->count], sizeof *out->names, "%s", signal.name);
        handles[out->count++] = k;
    }
    int y = mrc_sim_find_signal(sim, "arm.end.y"),
        vy = mrc_sim_find_signal(sim, "arm.end.vy"); // where the beam is
    for (int n = 1; n <= steps; n++) {
        if (mrc_sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
        for (int k = 0; k < out->count; k++) out->values[n][k] = mrc_sim_value(sim, handles[k]);
        out->y[n] = mrc_sim_value(sim, y), out->vy[n] = mrc_sim_value(sim, vy);
    }
}

static void in_one_process(const char *const *overrides, int count, int steps, Series *out) {
    MrcSim *sim;
    MrcError error = {0};
    MrcModel *model = example("cantilever-damper", overrides, count);
    if (mrc_sim_create(model, NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    record(sim, steps, out);
    mrc_sim_free(sim);
    mrc_model_free(model);
}

static void with_peer(Peer *peer, const char *const *overrides, int count, int steps, Series *out) {
    char where[200];
    const char *all[10] = {where};
    MrcSim *sim;
    MrcError error = {0};
    for (int k = 0; k < count; k++) all[k + 1] = overrides[k];
    peer->steps = steps;
    peer_start(peer);
    snprintf(where, sizeof where, "partners.beam.mbdyn.socket=%s", peer->path);
    MrcModel *model = example("cantilever-damper-mbdyn", all, count + 1);
    if (mrc_sim_create(model, NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    record(sim, steps, out);
    mrc_sim_free(sim);
    pthread_join(peer->thread, NULL);
    mrc_model_free(model);
    assert_int_equal(peer->done, steps);
    memcpy(out->y, peer->y, sizeof out->y);
    memcpy(out->vy, peer->vy, sizeof out->vy);
}

// The largest difference over the size of the second; that of the tip is its way from where it begins.
static double difference(const double *one, const double *two, size_t stride, double from) {
    double size = 0, most = 0;
    for (size_t n = 1; n <= STEPS; n++) {
        size = fmax(size, fabs(two[n * stride] - from));
        most = fmax(most, fabs(one[n * stride] - two[n * stride]));
    }
    return most / size;
}

typedef struct Differences {
    double y, vy, load;
} Differences;

static Differences compare(const Series *one, const Series *two) {
    int load = 0;
    while (load < two->count && strcmp(two->names[load], "damper.load.fy") != 0) load++;
    assert_true(load < two->count);
    return (Differences){difference(one->y, two->y, 1, two->y[1]), difference(one->vy, two->vy, 1, 0),
                         difference(&one->values[0][load], &two->values[0][load], SIGNALS, 0)};
}

static void check_bits(const char *name, const double *one, const double *two, size_t stride) {
    for (size_t n = 1; n <= STEPS; n++)
        if (memcmp(&one[n * stride], &two[n * stride], sizeof *one) != 0)
            fail_msg("%s, step %zu: %.17g instead of %.17g", name, n, one[n * stride], two[n * stride]);
}

static void check_all_bits(const Series *one, const Series *two) {
    assert_int_equal(one->count, two->count);
    assert_true(one->count >= 10);
    check_bits("y", one->y, two->y, 1);
    check_bits("vy", one->vy, two->vy, 1);
    for (int k = 0; k < two->count; k++) {
        assert_string_equal(one->names[k], two->names[k]);
        check_bits(two->names[k], &one->values[0][k], &two->values[0][k], SIGNALS);
    }
}

static Series here, there, finer; // too large for the stack

// As the example is, and shaken so much that the grains fly.
static void loose_is_bitwise_the_same(void **state) {
    (void)state;
    static const char *const forces[] = {"0.25 N", "8 N"};
    for (int k = 0; k < 2; k++) {
        char text[8000], force[40];
        const char *const overrides[] = {"coupling.scheme=loose", force};
        Peer peer = {.text = mechanism_text(forces[k], text)};
        snprintf(force, sizeof force, "constants.F0=%s", forces[k]);
        in_one_process(overrides, 2, STEPS, &here);
        with_peer(&peer, overrides, 1, STEPS, &there);
        check_all_bits(&there, &here);
    }
}

// The same to ten times the tolerance, which adds up over the steps, or to ten times what a tenth of the tolerance changes in
// one process. Loads of rigid grains are second differences of positions: where the bed rests, m/h^2 makes 1e-4 of a load of
// 1e-7 of a position, in one process as over the socket.
static void tight_is_the_same_to_its_tolerance(void **state) {
    (void)state;
    static const struct {
        double tolerance;
        const char *force, *solver, *newton;
    } cases[] = {{1e-3, "0.25 N", "1e-3", "1e-6"},
                 {1e-5, "0.25 N", "1e-3", "1e-6"},
                 {1e-3, "8 N", "1e-3", "1e-6"},
                 {1e-6, "0.25 N", "1e-4", "1e-8"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[8000], tolerance[60], solver[80], force[40], newton[60];
        const char *const overrides[] = {
            "coupling.scheme=tight", "coupling.iterations=60", tolerance, solver, force, newton};
        Peer peer = {.text = mechanism_text(cases[k].force, text), .tight = true};
        snprintf(solver, sizeof solver, "grains.damper.contact.solver.tolerance=%s", cases[k].solver);
        snprintf(force, sizeof force, "constants.F0=%s", cases[k].force);
        snprintf(newton, sizeof newton, "mechanism.integrator.tolerance=%s", cases[k].newton);
        snprintf(tolerance, sizeof tolerance, "coupling.tolerance=%g", cases[k].tolerance / 10);
        in_one_process(overrides, 6, STEPS, &finer);
        snprintf(tolerance, sizeof tolerance, "coupling.tolerance=%g", cases[k].tolerance);
        in_one_process(overrides, 6, STEPS, &here);
        with_peer(&peer, overrides, 4, STEPS, &there);
        Differences own = compare(&finer, &here), over = compare(&there, &here);
        print_message("tolerance %g, %s: over the socket y %.1e, vy %.1e, load %.1e; a tenth of it %.1e, "
                      "%.1e, %.1e\n",
                      cases[k].tolerance, cases[k].force, over.y, over.vy, over.load, own.y, own.vy,
                      own.load);
        assert_true(over.y <= 10 * fmax(cases[k].tolerance, own.y));
        assert_true(over.vy <= 10 * fmax(cases[k].tolerance, own.vy));
        assert_true(over.load <= 10 * fmax(cases[k].tolerance, own.load));
        assert_true(peer.messages < 12 * STEPS); // of MBDyn's Newton iterations in a step
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loose_is_bitwise_the_same),
        cmocka_unit_test(tight_is_the_same_to_its_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
