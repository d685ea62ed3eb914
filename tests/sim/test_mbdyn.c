// The protocol of MBDyn against a peer of our own that speaks it: the same series as in one process, in every form that the
// messages may have. And peers that do not keep to it. The cantilever damper itself is in test_mbdyn_cantilever.c.
#include <sys/stat.h>

#include "sim/mbdyn_peer.h"

enum { STEPS = 150, NODES = 2 };

static const char beam_text[] =
    "maraca: 1\n"
    "gravity: 0 -9.81 0 m/s^2\n"
    "materials: {steel: {density: 7845 kg/m^3, young: 210 GPa, poisson: 0.33}, lead: {density: 11344 kg/m^3, "
    "friction: 0.5}}\n"
    "mechanism:\n"
    "  start: equilibrium\n"
    "  beams: {arm: {from: 0 0 0 mm, to: 250 0 0 mm, elements: 3, section: {rectangle: 30 2 mm}, material: "
    "steel}}\n"
    "  bodies: {shell: {node: arm.end, mass: 48.5 g, inertia: 2.66 4.85 2.66 kg*mm^2}}\n"
    "  joints: {root: {clamp: arm.start}}\n"
    "  forces: {shaker: {at: arm.end, force: [0, 1 N*sin(2*pi*15.5 Hz*t), 0]}}\n"
    "simulate: {duration: 15 ms, step: 0.1 ms}\n";
static const char beam_ports[] = "ports: {tip: {node: arm.end}, middle: {node: arm.1}}\n";
static char peer_text[3000]; // both, as a model

static const char grains_text[] =
    "grains:\n"
    "  damper:\n"
    "    port: tip\n"
    "    walls: {room: {box: {size: 10 8 10 mm}}, floor: {port: middle, plane: {normal: y, "
    "point: 0 -100 0 mm}}}\n"
    "    particles: {radius: 1 mm, count: 40, material: lead}\n"
    "    packing: {random: {seed: 4}}\n"
    "    method: nonsmooth\n";

static const char here_text[] = "maraca: 1\n"
                                "gravity: 0 -9.81 0 m/s^2\n"
                                "materials: {steel: {density: 7845 kg/m^3, young: 210 GPa, poisson: 0.33}, "
                                "lead: {density: 11344 kg/m^3, friction: 0.5}}\n"
                                "ports: {tip: {partner: beam}, middle: {partner: beam}}\n"
                                "simulate: {duration: 15 ms, step: 0.1 ms}\n";

// ---- this side -----------------------------------------------------------------------------------
static MrcModel *model_of(const Peer *peer, const char *scheme, double timeout) {
    static const char *const orientations[] = {"matrix", "vector", "euler", "none"};
    char text[4000], where[140];
    if (peer->tcp) snprintf(where, sizeof where, "port: %d", peer->port);
    else snprintf(where, sizeof where, "socket: %s", peer->path);
    snprintf(text, sizeof text,
             "%s%scoupling: %s\npartners: {beam: {mbdyn: {%s, create: %s, orientation: %s, accelerations: "
             "%s, timeout: %g s}}}\n",
             here_text, grains_text, scheme, where, peer->create ? "false" : "true",
             orientations[peer->orientation], peer->accelerations ? "true" : "false", timeout);
    return load(text, NULL, 0);
}

static double value(MrcSim *sim, const char *name) {
    int handle = mrc_sim_find_signal(sim, name);
    assert_true(handle >= 0);
    return mrc_sim_value(sim, handle);
}

// ---- in one process ------------------------------------------------------------------------------
// The mechanism as a partner that shows no more than what is on the wire: of schemes that advance it once, the predicted
// motion of each step and not the final one; without orientations, nodes that do not turn and take no moments.
typedef struct Veiled {
    Sim *sim;
    bool predicted, blind;
    Motion shown[NODES];
} Veiled;

static void veiled_look(Veiled *v) {
    for (int p = 0; p < NODES; p++) {
        v->shown[p] = drivers_motion(&v->sim->coupling.drivers, p);
        if (!v->blind) continue;
        v->shown[p].orientation = quaternion_identity();
        v->shown[p].angular_velocity = v->shown[p].angular_acceleration = vec3_zero();
    }
}

static MrcStatus veiled_begin(void *self, double t, double h, MrcError *error) {
    Veiled *v = self;
    MrcStatus status = drivers_begin(&v->sim->coupling.drivers, t, h, error);
    veiled_look(v);
    return status;
}
static void veiled_motion(void *self, int port, MrcMotion *motion) {
    memcpy(motion, &((Veiled *)self)->shown[port], sizeof *motion);
}
static MrcStatus veiled_advance(void *self, const MrcLoad *loads, MrcError *error) {
    Veiled *v = self;
    Load own[NODES];
    memcpy(own, loads, sizeof own);
    for (int p = 0; p < NODES && v->blind; p++) own[p].moment = vec3_zero();
    MrcStatus status = drivers_advance(&v->sim->coupling.drivers, own, error);
    if (!v->predicted) veiled_look(v);
    return status;
}
static MrcStatus veiled_commit(void *self, MrcError *error) {
    return drivers_commit(&((Veiled *)self)->sim->coupling.drivers, error);
}

// Tip and load after each step.
typedef struct Series {
    double y[STEPS + 1], load_y[STEPS + 1];
} Series;

enum { VEILED = 1, BLIND = 2, ITERATED = 4 }; // 0: the mechanism of the model file
static void in_one_process(const char *scheme, int kind, int steps, Series *out) {
    char text[4000];
    MrcSim *sim;
    MrcError error = {0};
    Veiled v = {.predicted = !(kind & ITERATED), .blind = kind & BLIND};
    const MrcPartner partner = {.size = sizeof partner,
                                .name = "beam",
                                .self = &v,
                                .begin = veiled_begin,
                                .motion = veiled_motion,
                                .advance = veiled_advance,
                                .commit = veiled_commit};
    const MrcPartner *partners[] = {&partner};
    MrcSimOptions options = mrc_sim_options_default();
    snprintf(text, sizeof text, "%s%s%scoupling: %s\n", kind & VEILED ? here_text : beam_text,
             kind & VEILED ? "" : beam_ports, grains_text, scheme);
    MrcModel *model = load(text, NULL, 0), *other = load(peer_text, NULL, 0);
    assert_int_equal(sim_create(model_definition(other), NULL, &v.sim, &error), MRC_OK);
    veiled_look(&v);
    options.partners = partners, options.partner_count = kind & VEILED;
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    for (int n = 1; n <= steps; n++) {
        if (mrc_sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
        const Mechanism *m = sim_mechanism(v.sim);
        out->y[n] = kind & VEILED ? mechanism_node(m, m->ports[0].node)->x.y : value(sim, "arm.end.y");
        out->load_y[n] = value(sim, "damper.load.fy");
    }
    mrc_sim_free(sim);
    sim_destroy(v.sim);
    mrc_model_free(model), mrc_model_free(other);
}

// ---- with the peer -------------------------------------------------------------------------------
static void with_peer(Peer *peer, const char *scheme, int steps, Series *out) {
    MrcSim *sim;
    MrcError error = {0};
    peer->text = peer_text, peer->steps = steps;
    peer_start(peer);
    MrcModel *model = model_of(peer, scheme, 60);
    if (mrc_sim_create(model, NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    for (int n = 1; n <= steps; n++) {
        if (mrc_sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
        out->load_y[n] = value(sim, "damper.load.fy");
    }
    mrc_sim_free(sim);
    pthread_join(peer->thread, NULL);
    mrc_model_free(model);
    assert_int_equal(peer->done, steps);
    memcpy(out->y, peer->y, sizeof out->y);
    if (!peer->create) assert_int_equal(access(peer->path, F_OK), -1); // this side cleans up
    unlink(peer->path);
}

static double largest(const double *values, int steps) {
    double most = 0;
    for (int n = 1; n <= steps; n++) most = fmax(most, fabs(values[n]));
    return most;
}

// Tolerance 0: the same bits.
static void check_series(const double *one, const double *two, int steps, double tolerance) {
    double size = largest(two, steps);
    assert_true(size > 1e-6);
    for (int n = 1; n <= steps; n++)
        if (tolerance == 0) assert_memory_equal(&one[n], &two[n], sizeof *one);
        else check_near(one[n], two[n], tolerance * size);
}

static void compare(Peer *peer, const char *scheme, const Series *here, int steps, double tolerance) {
    Series there;
    with_peer(peer, scheme, steps, &there);
    check_series(there.load_y, here->load_y, steps, tolerance);
    check_series(there.y, here->y, steps, tolerance);
}

static void loose_is_bitwise_the_same(void **state) {
    (void)state;
    static const char *const schemes[] = {"{scheme: loose}", "{scheme: staggered}"};
    for (int kind = 0; kind < 4; kind++) {
        Peer peer = {.create = kind & 1, .tcp = kind & 2};
        Series here;
        in_one_process(schemes[kind / 2], 0, STEPS, &here);
        compare(&peer, schemes[kind / 2], &here, STEPS, 0);
    }
}

static void tight_is_the_same_to_its_tolerance(void **state) {
    (void)state;
    static const char *const schemes[] = {
        "{scheme: tight, tolerance: 1e-6, iterations: 60, acceleration: quasi-newton}",
        "{scheme: tight, tolerance: 1e-6, iterations: 60, acceleration: aitken, repeat: newton}"};
    for (int k = 0; k < 2; k++) {
        Peer peer = {.tight = true, .create = k};
        Series here;
        in_one_process(schemes[k], 0, STEPS, &here);
        compare(&peer, schemes[k], &here, STEPS, 1e-5);
    }
}

// All forms of the messages, over both kinds of sockets, made by either side, with all kinds of schemes.
static void all_forms_mean_the_same(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool tight, accelerations;
        double tolerance; // of a form that is not exact
    } schemes[] = {{"{scheme: loose}", false, false, 1e-6},
                   {"{scheme: explicit}", false, true, 1e-6},
                   {"{scheme: tight, tolerance: 1e-6, iterations: 60}", true, false, 1e-5}};
    enum { SHORT = 100 };
    for (int k = 0; k < 3; k++) {
        Series here[2]; // with orientations, and without
        for (int blind = 0; blind < 2; blind++)
            in_one_process(schemes[k].text, VEILED | (blind ? BLIND : 0) | (schemes[k].tight ? ITERATED : 0),
                           SHORT, &here[blind]);
        assert_memory_not_equal(here[0].load_y + 1, here[1].load_y + 1, SHORT * sizeof(double));
        for (int form = 0; form < 4; form++)
            for (int kind = 0; kind < 4; kind++) {
                Peer peer = {.create = kind & 1,
                             .tcp = kind & 2,
                             .orientation = (WireOrientation)form,
                             .tight = schemes[k].tight,
                             .accelerations = schemes[k].accelerations};
                bool exact = form == ORIENTATION_MATRIX || form == ORIENTATION_NONE;
                compare(&peer, schemes[k].text, &here[form == ORIENTATION_NONE], SHORT,
                        exact && !schemes[k].tight ? 0 : schemes[k].tolerance);
            }
    }
}

// Rotations there and back again.
static void orientations_go_there_and_back(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 200; n++) {
            Wire wire = {.orientation = (WireOrientation)k, .accelerations = n & 1, .nodes = 1};
            unsigned char bytes[WIRE_MOTION_MAX];
            Quaternion q =
                quaternion_from_rotation_vector(vec3(0.031 * n - 1.4, 0.9 * sin(n), 1.3 * cos(2.0 * n)));
            MrcMotion motion = {.position = {1, 2, n}, .velocity = {n, 0, 1}, .angular_velocity = {3, n, 2}},
                      again;
            MrcError error;
            memcpy(motion.orientation, &q, sizeof q);
            wire_write_motion(&wire, &motion, bytes);
            assert_int_equal(wire_read_motion(&wire, bytes, &again, &error), MRC_OK);
            double dot = 0;
            for (int i = 0; i < 4; i++) dot += again.orientation[i] * motion.orientation[i];
            check_near(fabs(dot), 1, 1e-13);
            assert_memory_equal(again.position, motion.position, sizeof motion.position);
            assert_memory_equal(again.angular_velocity, motion.angular_velocity, sizeof motion.velocity);
        }
}

// ---- peers that do not keep to it ----------------------------------------------------------------
static void bad_peers_are_told_of(void **state) {
    (void)state;
    static const struct {
        Fault fault;
        bool create;
        const char *text;
        MrcStatus status;
    } cases[] = {
        {HANGS_UP, false, "at t = 0.0005 s (step 5): MBDyn (partner 'beam') hung up", MRC_PARTNER},
        {HANGS, false, "has not answered for 0.5 s", MRC_PARTNER},
        {NAN_SENT, false, "it sent nan in the velocity of node 2", MRC_NOT_FINITE},
        {WRONG_CODE, true, "sent the code 9 instead of 6", MRC_PARTNER},
        {WRONG_NODES, false, "it has 3 nodes, but 2 ports are moved by it", MRC_MODEL},
        {WRONG_NODES, true, "disagrees (code 5)", MRC_MODEL},
        {WRONG_FLAGS, false, "it has 'accelerations'", MRC_MODEL},
        {CUT_OFF, false, "hung up", MRC_PARTNER},
        {ENDS, false, "ended its simulation", MRC_PARTNER},
        {NO_MBDYN, false, "is this MBDyn?", MRC_MODEL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Peer peer = {.text = peer_text, .steps = STEPS, .fault = cases[k].fault, .create = cases[k].create};
        char folder[] = "/tmp/maraca-mbdyn-XXXXXX", path[100];
        MrcError error = {0};
        assert_non_null(mkdtemp(folder));
        peer_start(&peer);
        MrcModel *model = model_of(&peer, "{scheme: loose}", cases[k].fault == HANGS ? 0.5 : 60);
        MrcRunOptions options = mrc_run_options_default();
        snprintf(path, sizeof path, "%s/run", folder);
        options.folder = path;
        MrcStatus status = mrc_run(model, &options, NULL, &error);
        atomic_store(&peer.over, true);
        pthread_join(peer.thread, NULL);
        if (status != cases[k].status || !strstr(error.text, cases[k].text))
            fail_msg("case %zu: status %d, '%s' instead of '%s'", k, status, error.text, cases[k].text);
        mrc_model_free(model);
        static const char *const files[] = {"model.yaml", "series.csv",
                                            "summary.json"}; // the folder is whole
        for (int i = 0; i < 3 && cases[k].status != MRC_MODEL; i++) {
            snprintf(path, sizeof path, "%s/run/%s", folder, files[i]);
            assert_int_equal(access(path, R_OK), 0);
        }
        char command[120];
        snprintf(command, sizeof command, "rm -r %s", folder);
        assert_int_equal(system(command), 0);
        unlink(peer.path);
    }
}

static void nobody_there(void **state) {
    (void)state;
    for (int create = 0; create < 2; create++) {
        Peer peer = {.create = create, .path = "/tmp/maraca-mbdyn-nobody.sock"};
        MrcModel *model = model_of(&peer, "{scheme: loose}", 0.3);
        MrcSim *sim;
        MrcError error = {0};
        assert_int_equal(mrc_sim_create(model, NULL, &sim, &error), MRC_PARTNER);
        assert_non_null(
            strstr(error.text, create ? "cannot be reached within 0.3 s" : "has not connected for 0.3 s"));
        mrc_model_free(model);
    }
}

// Somebody looks whether the socket is in use, as a second run would, before the peer comes.
static void a_look_is_no_peer(void **state) {
    (void)state;
    Peer peer = {.text = peer_text, .steps = 5, .fault = LOOKS_FIRST};
    Series out;
    with_peer(&peer, "{scheme: loose}", 5, &out);
}

// A scheme that needs more of a driver than MBDyn can give says so.
static void schemes_that_do_not_fit(void **state) {
    (void)state;
    Peer peer = {.text = peer_text, .steps = STEPS};
    MrcSim *sim;
    MrcError error = {0};
    peer_start(&peer);
    MrcModel *model = model_of(&peer, "{scheme: condensed}", 60);
    assert_int_equal(mrc_sim_create(model, NULL, &sim, &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "possible here: scheme: "));
    assert_non_null(strstr(error.text, "loose"));
    pthread_join(peer.thread, NULL);
    mrc_model_free(model);
}

int main(void) {
    snprintf(peer_text, sizeof peer_text, "%s%scoupling: {scheme: loose}\n", beam_text, beam_ports);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientations_go_there_and_back),
        cmocka_unit_test(loose_is_bitwise_the_same),
        cmocka_unit_test(tight_is_the_same_to_its_tolerance),
        cmocka_unit_test(all_forms_mean_the_same),
        cmocka_unit_test(bad_peers_are_told_of),
        cmocka_unit_test(nobody_there),
        cmocka_unit_test(a_look_is_no_peer),
        cmocka_unit_test(schemes_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
