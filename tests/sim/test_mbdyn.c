// The protocol of MBDyn against a peer of our own that speaks it, with our mechanism on its side: the same series as in one
// process. And peers that do not.
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "maraca/sim.h"
#include "mechanism/internal.h"
#include "model/model.h"
#include "partner/mbdyn_wire.h"
#include "sim/sim.h"

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

static MrcModel *load(const char *text) {
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%d: %s\n", mrc_model_diagnostic(model, i)->line, mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

// ---- the peer ------------------------------------------------------------------------------------
typedef enum Fault {
    NONE,
    HANGS_UP,
    HANGS,
    NAN_SENT,
    WRONG_CODE,
    WRONG_NODES,
    WRONG_FLAGS,
    CUT_OFF,
    ENDS,
    NO_MBDYN
} Fault;

typedef struct Peer {
    bool create, tight, tcp; // it makes the socket
    WireOrientation orientation;
    bool accelerations;
    Fault fault;
    char path[100];
    int port;
    double y[STEPS + 1]; // of its tip, after each step
    int steps;
    double seconds; // of the exchanges
    pthread_t thread;
    atomic_bool over; // the run that it kept waiting has ended
} Peer;

static void receive(int file, void *bytes, size_t count) {
    for (char *at = bytes; count > 0;) {
        ssize_t got = recv(file, at, count, 0);
        if (got <= 0) return;
        at += got, count -= (size_t)got;
    }
}

static int peer_connect(const Peer *peer) {
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    struct sockaddr_in tcp = {.sin_family = AF_INET, .sin_port = htons((uint16_t)peer->port)};
    tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    snprintf(path.sun_path, sizeof path.sun_path, "%s", peer->path);
    struct sockaddr *address = peer->tcp ? (struct sockaddr *)&tcp : (struct sockaddr *)&path;
    socklen_t length = peer->tcp ? sizeof tcp : sizeof path;
    int one = 1;
    if (peer->create) {
        int listening = socket(address->sa_family, SOCK_STREAM, 0);
        setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(listening, address, length) != 0 || listen(listening, 1) != 0) return close(listening), -1;
        int file = accept(listening, NULL, NULL);
        close(listening);
        return file;
    }
    for (int tries = 0; tries < 3000; tries++) {
        int file = socket(address->sa_family, SOCK_STREAM, 0);
        if (connect(file, address, length) == 0) return file;
        close(file);
        usleep(10000);
    }
    return -1;
}

static bool peer_negotiate(const Peer *peer, const Wire *wire, int file) {
    unsigned char bytes[WIRE_NEGOTIATION_SIZE], answer = WIRE_OK;
    Wire own = *wire;
    MrcError error;
    if (peer->fault == WRONG_NODES) own.nodes++;
    if (peer->fault == WRONG_FLAGS) own.accelerations = !own.accelerations;
    if (peer->create) {
        receive(file, bytes, sizeof bytes);
        answer = wire_check_negotiation(&own, bytes, &error) == MRC_OK ? WIRE_OK : WIRE_ABORT;
        send(file, &answer, 1, MSG_NOSIGNAL);
        return answer == WIRE_OK;
    }
    wire_write_negotiation(&own, bytes);
    if (peer->fault == NO_MBDYN) memcpy(bytes, "GET / HTT", 9);
    send(file, bytes, sizeof bytes, MSG_NOSIGNAL);
    send(file, &answer, 1, MSG_NOSIGNAL);
    return true;
}

// As the mechanism has it: the matrix, not the quaternion made of it.
static void peer_matrix(const Sim *sim, int port, unsigned char *bytes) {
    const Mechanism *m = sim_mechanism(sim);
    const Port *p = &m->ports[port];
    NodeState node =
        m->head->stage == STAGE_PREDICTED ? step_prediction(m, p->node) : *mechanism_node(m, p->node);
    double numbers[9];
    for (int k = 0; k < 9; k++) numbers[k] = node.R.m[k % 3][k / 3];
    memcpy(bytes, numbers, sizeof numbers);
}

static void peer_send(Peer *peer, const Wire *wire, const Sim *sim, int file, unsigned char code) {
    unsigned char bytes[1 + WIRE_MOTION_MAX];
    MrcMotion motions[NODES];
    for (int p = 0; p < NODES; p++) {
        Motion motion = drivers_motion(&sim->coupling.drivers, p);
        memcpy(&motions[p], &motion, sizeof motion);
    }
    if (peer->fault == NAN_SENT && peer->steps == 5) motions[1].velocity[2] = NAN;
    bytes[0] = peer->fault == WRONG_CODE && peer->steps == 5 ? 9 : code;
    wire_write_motion(wire, motions, bytes + 1);
    for (int p = 0; p < NODES && wire->orientation == ORIENTATION_MATRIX; p++)
        peer_matrix(sim, p, bytes + 1 + (3 * NODES + 9 * p) * sizeof(double));
    size_t size = 1 + wire_motion_size(wire);
    send(file, bytes, peer->fault == CUT_OFF && peer->steps == 5 ? size / 2 : size, MSG_NOSIGNAL);
}

// The answer: its code, and forces if there are any.
static unsigned char peer_receive(const Wire *wire, int file, Load *loads) {
    unsigned char code = WIRE_ABORT, bytes[48 * NODES];
    receive(file, &code, 1);
    if (code != WIRE_DATA && code != WIRE_DATA_LAST) return code;
    receive(file, bytes, wire_forces_size(wire));
    wire_read_forces(wire, bytes, (MrcLoad *)loads);
    return code;
}

static void peer_step(Peer *peer, const Wire *wire, Sim *sim, int file) {
    const Drivers *d = &sim->coupling.drivers;
    Load loads[NODES] = {0};
    MrcError error;
    double left;
    drivers_begin(d, clock_time(&sim->clock), sim->clock.step, &error);
    peer_send(peer, wire, sim, file, peer->tight ? WIRE_DATA : WIRE_DATA_LAST);
    if (peer->fault == CUT_OFF && peer->steps == 5) return;
    unsigned char code;
    while ((code = peer_receive(wire, file, loads)) == WIRE_DATA) {
        drivers_iterate(d, loads, &left, &error);
        peer_send(peer, wire, sim, file, WIRE_DATA);
    }
    if (code == WIRE_ABORT) return;
    drivers_advance(d, loads, &error);
    drivers_commit(d, &error);
    sim->clock.now++;
    peer->y[++peer->steps] = mechanism_node(sim_mechanism(sim), sim_mechanism(sim)->ports[0].node)->x.y;
}

static void peer_exchange(Peer *peer, const Wire *wire, Sim *sim, int file) {
    Load loads[NODES];
    const unsigned char end = WIRE_ABORT;
    struct timespec from, to;
    peer_send(peer, wire, sim, file, peer->tight ? WIRE_DATA : WIRE_DATA_LAST);
    if (peer_receive(wire, file, loads) != WIRE_DATA_LAST) return;
    clock_gettime(CLOCK_MONOTONIC, &from);
    while (peer->steps < STEPS) {
        int before = peer->steps;
        bool now = before == 5;
        while (now && peer->fault == HANGS && !atomic_load(&peer->over)) usleep(1000);
        if (now && peer->fault == HANGS) return;
        if (now && peer->fault == ENDS) break;
        if (now && (peer->fault == HANGS_UP)) return;
        peer_step(peer, wire, sim, file);
        if (now && peer->fault != NONE) return;
        if (peer->steps == before) return;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    peer->seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    send(file, &end, 1, MSG_NOSIGNAL);
}

static void *peer_main(void *user) {
    Peer *peer = user;
    Wire wire = {.orientation = peer->orientation, .accelerations = peer->accelerations, .nodes = NODES};
    char text[3000];
    Sim *sim;
    MrcError error = {0};
    snprintf(text, sizeof text, "%s%scoupling: {scheme: loose}\n", beam_text, beam_ports);
    MrcModel *model = load(text);
    if (sim_create(model_definition(model), NULL, &sim, &error) != MRC_OK) return NULL;
    int file = peer_connect(peer);
    if (file >= 0 && peer_negotiate(peer, &wire, file)) peer_exchange(peer, &wire, sim, file);
    if (file >= 0) close(file);
    sim_destroy(sim);
    mrc_model_free(model);
    return NULL;
}

static void peer_start(Peer *peer) {
    static int number;
    snprintf(peer->path, sizeof peer->path, "/tmp/maraca-mbdyn-%d-%d.sock", (int)getpid(), number++);
    peer->port = 20000 + (int)(getpid() * 7 + number) % 20000;
    assert_int_equal(pthread_create(&peer->thread, NULL, peer_main, peer), 0);
}

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
    return load(text);
}

static double value(MrcSim *sim, const char *name) {
    int handle = mrc_sim_find_signal(sim, name);
    assert_true(handle >= 0);
    return mrc_sim_value(sim, handle);
}

// ---- in one process ------------------------------------------------------------------------------
// The mechanism as a partner that shows what MBDyn's `loose` shows: the predicted motion of each step, not the final one.
typedef struct Veiled {
    Sim *sim;
    Motion shown[NODES];
} Veiled;

static MrcStatus veiled_begin(void *self, double t, double h, MrcError *error) {
    Veiled *v = self;
    MrcStatus status = drivers_begin(&v->sim->coupling.drivers, t, h, error);
    for (int p = 0; p < NODES; p++) v->shown[p] = drivers_motion(&v->sim->coupling.drivers, p);
    return status;
}
static void veiled_motion(void *self, int port, MrcMotion *motion) {
    memcpy(motion, &((Veiled *)self)->shown[port], sizeof *motion);
}
static MrcStatus veiled_advance(void *self, const MrcLoad *loads, MrcError *error) {
    return drivers_advance(&((Veiled *)self)->sim->coupling.drivers, (const Load *)loads, error);
}
static MrcStatus veiled_commit(void *self, MrcError *error) {
    return drivers_commit(&((Veiled *)self)->sim->coupling.drivers, error);
}

// Tip and load after each step.
static void in_one_process(const char *scheme, bool veiled, double *y, double *load_y) {
    char text[4000], beam[3000];
    MrcSim *sim;
    MrcError error = {0};
    Veiled v = {0};
    const MrcPartner partner = {.size = sizeof partner,
                                .name = "beam",
                                .self = &v,
                                .begin = veiled_begin,
                                .motion = veiled_motion,
                                .advance = veiled_advance,
                                .commit = veiled_commit};
    const MrcPartner *partners[] = {&partner};
    MrcSimOptions options = mrc_sim_options_default();
    snprintf(text, sizeof text, "%s%s%scoupling: %s\n", veiled ? here_text : beam_text,
             veiled ? "" : beam_ports, grains_text, scheme);
    snprintf(beam, sizeof beam, "%s%scoupling: {scheme: loose}\n", beam_text, beam_ports);
    MrcModel *model = load(text), *other = load(beam);
    assert_int_equal(sim_create(model_definition(other), NULL, &v.sim, &error), MRC_OK);
    for (int p = 0; p < NODES; p++) v.shown[p] = drivers_motion(&v.sim->coupling.drivers, p);
    options.partners = partners, options.partner_count = veiled;
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    for (int n = 1; n <= STEPS; n++) {
        if (mrc_sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
        const Mechanism *m = sim_mechanism(v.sim);
        y[n] = veiled ? mechanism_node(m, m->ports[0].node)->x.y : value(sim, "arm.end.y");
        load_y[n] = value(sim, "damper.load.fy");
    }
    mrc_sim_free(sim);
    sim_destroy(v.sim);
    mrc_model_free(model), mrc_model_free(other);
}

static double largest(const double *values) {
    double most = 0;
    for (int n = 1; n <= STEPS; n++) most = fmax(most, fabs(values[n]));
    return most;
}

// Tolerance 0: the same bits as of a partner that shows as much.
static void compare(Peer *peer, const char *scheme, double tolerance) {
    double y[STEPS + 1], load_y[STEPS + 1], loads[STEPS + 1];
    MrcSim *sim;
    MrcError error = {0};
    in_one_process(scheme, tolerance == 0, y, load_y);
    peer_start(peer);
    MrcModel *model = model_of(peer, scheme, 60);
    if (mrc_sim_create(model, NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    for (int n = 1; n <= STEPS; n++) {
        if (mrc_sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
        loads[n] = value(sim, "damper.load.fy");
    }
    mrc_sim_free(sim);
    pthread_join(peer->thread, NULL);
    mrc_model_free(model);
    assert_int_equal(peer->steps, STEPS);
    assert_true(largest(load_y) > 0.01);
    for (int n = 1; n <= STEPS; n++) {
        if (tolerance == 0) {
            assert_memory_equal(&loads[n], &load_y[n], sizeof *loads);
            assert_memory_equal(&peer->y[n], &y[n], sizeof *y);
        } else {
            check_near(loads[n], load_y[n], tolerance * largest(load_y));
            check_near(peer->y[n], y[n], tolerance * largest(y));
        }
    }
    if (!peer->create) assert_int_equal(access(peer->path, F_OK), -1); // this side cleans up
    unlink(peer->path);
}

static void loose_is_bitwise_the_same(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        Peer peer = {.create = kind & 1, .tcp = kind & 2};
        compare(&peer, "{scheme: loose}", 0);
    }
    Peer peer = {0};
    compare(&peer, "{scheme: loose}",
            1e-4); // and nearly the same as with all that a mechanism in the process shows
}

static void explicit_is_bitwise_the_same(void **state) {
    (void)state;
    Peer peer = {.accelerations = true};
    compare(&peer, "{scheme: explicit}", 0);
}

static void all_orientations_mean_the_same(void **state) {
    (void)state;
    for (int k = ORIENTATION_VECTOR; k <= ORIENTATION_EULER; k++) {
        Peer peer = {.orientation = (WireOrientation)k, .accelerations = k == ORIENTATION_EULER};
        compare(&peer, "{scheme: loose}", 1e-4);
    }
}

static void tight_is_the_same_to_its_tolerance(void **state) {
    (void)state;
    static const char *const schemes[] = {
        "{scheme: tight, tolerance: 1e-7, iterations: 60, acceleration: quasi-newton}",
        "{scheme: tight, tolerance: 1e-7, iterations: 60, acceleration: aitken, repeat: newton}"};
    for (int k = 0; k < 2; k++) {
        Peer peer = {.tight = true, .create = k};
        compare(&peer, schemes[k], 1e-3);
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
        Peer peer = {.fault = cases[k].fault, .create = cases[k].create};
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

// A scheme that needs more of a driver than MBDyn can give says so.
static void schemes_that_do_not_fit(void **state) {
    (void)state;
    Peer peer = {0};
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orientations_go_there_and_back),
        cmocka_unit_test(loose_is_bitwise_the_same),
        cmocka_unit_test(explicit_is_bitwise_the_same),
        cmocka_unit_test(all_orientations_mean_the_same),
        cmocka_unit_test(tight_is_the_same_to_its_tolerance),
        cmocka_unit_test(bad_peers_are_told_of),
        cmocka_unit_test(nobody_there),
        cmocka_unit_test(schemes_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
