// Exchanges with another program: what a step costs when the motion of a port comes over a socket, in the protocol of
// MBDyn's external structural force, beside a step with the same motion given in the model file. The other side is a thread
// that only answers; the difference is the exchange. Quickest of several rounds, as other programs disturb.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/timer.h"
#include "bench/bench.h"
#include "maraca/sim.h"
#include "partner/mbdyn_wire.h"

enum { EXCHANGE_STEPS = 5000, EXCHANGE_ROUNDS = 7 };

static const char exchange_model[] =
    "maraca: 1\n"
    "gravity: 0 -9.81 0 m/s^2\n"
    "materials: {lead: {density: 11344 kg/m^3, friction: 0.5}}\n"
    "grains: {bed: {port: shell, wall: {box: {size: 6 6 6 mm}}, method: nonsmooth,\n"
    "  particles: {radius: 1 mm, count: 1, material: lead}, packing: {random: {seed: 1}}}}\n"
    "simulate: {duration: 10 s, step: 0.1 ms}\n"
    "coupling: {scheme: loose}\n";

typedef struct ExchangePeer {
    char path[100];
    pthread_t thread;
} ExchangePeer;

static bool exchange_read(int file, unsigned char *bytes, size_t count) {
    return recv(file, bytes, count, MSG_WAITALL) == (ssize_t)count;
}

static void *exchange_answer(void *user) {
    const ExchangePeer *peer = user;
    const Wire wire = {.nodes = 1};
    const MrcMotion motion = {.orientation = {1, 0, 0, 0}};
    unsigned char start[WIRE_NEGOTIATION_SIZE + 1], out[1 + WIRE_MOTION_MAX] = {WIRE_DATA_LAST},
                                                            in[1 + WIRE_FORCES_MAX];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", peer->path);
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    while (connect(file, (struct sockaddr *)&address, sizeof address) != 0) usleep(1000);
    wire_write_negotiation(&wire, start);
    start[WIRE_NEGOTIATION_SIZE] = WIRE_OK;
    bool good = send(file, start, sizeof start, MSG_NOSIGNAL) == sizeof start;
    wire_write_motion(&wire, &motion, out + 1);
    while (good && send(file, out, 1 + wire_motion_size(&wire), MSG_NOSIGNAL) > 0)
        good = exchange_read(file, in, 1) && in[0] == WIRE_DATA_LAST &&
               exchange_read(file, in + 1, wire_forces_size(&wire));
    close(file);
    return NULL;
}

// Seconds per step; NAN: it failed.
static double exchange_time(const Bench *bench, bool linked) {
    ExchangePeer peer;
    char text[1400];
    MrcSim *sim = NULL;
    MrcError error = {0};
    snprintf(peer.path, sizeof peer.path, "/tmp/maraca-bench-%d.sock", (int)getpid());
    if (linked)
        snprintf(text, sizeof text,
                 "%sports: {shell: {partner: other}}\npartners: {other: {mbdyn: {socket: %s}}}\n",
                 exchange_model, peer.path);
    else snprintf(text, sizeof text, "%sports: {shell: {position: 0 0 0 m}}\n", exchange_model);
    MrcModel *model = mrc_model_parse(text, strlen(text), "exchange", NULL, 0);
    if (linked) pthread_create(&peer.thread, NULL, exchange_answer, &peer);
    MrcStatus status = mrc_sim_create(model, NULL, &sim, &error);
    double best = NAN;
    for (int round = 0; round < EXCHANGE_ROUNDS && status == MRC_OK; round++) {
        double start = timer_wall();
        for (int k = 0; k < EXCHANGE_STEPS && status == MRC_OK; k++) status = mrc_sim_step(sim, &error);
        best = fmin(best, (timer_wall() - start) / EXCHANGE_STEPS);
    }
    if (status != MRC_OK) bench_note(bench, "failed: %s", error.text);
    mrc_sim_free(sim);
    mrc_model_free(model);
    if (linked) pthread_join(peer.thread, NULL);
    return status == MRC_OK ? best : NAN;
}

bool bench_exchange(Bench *bench) {
    bench_note(
        bench,
        "An exchange over a UNIX socket with a peer that only answers, against the 50 us that are allowed.");
    double without = exchange_time(bench, false), with = exchange_time(bench, true);
    if (!isfinite(without) || !isfinite(with)) return false;
    double value = 1e6 * (with - without);
    bench_add(bench, (BenchRow){.name = "exchange",
                                .n = 1,
                                .threads = 1,
                                .value = value,
                                .unit = "us",
                                .peer = "allowed",
                                .peer_value = 50,
                                .ratio = 50 / value});
    return true;
}
