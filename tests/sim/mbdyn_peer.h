// A peer that speaks the protocol of MBDyn's external structural force, with our mechanism on its side: a model of ours with
// ports and without grains. It keeps to MBDyn's order of messages, or breaks it as it is told.
#ifndef TESTS_SIM_MBDYN_PEER_H
#define TESTS_SIM_MBDYN_PEER_H

#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"
#include "maraca/sim.h"
#include "mechanism/internal.h"
#include "model/model.h"
#include "partner/mbdyn_wire.h"
#include "sim/sim.h"

enum { PEER_STEPS = 400, PEER_NODES = 2 }; // at most

static inline MrcModel *load(const char *text, const char *const *overrides, int count) {
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", overrides, count);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        if (!mrc_model_diagnostic(model, i)->warning)
            print_error("%d: %s\n", mrc_model_diagnostic(model, i)->line,
                        mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

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
    NO_MBDYN,
    LOOKS_FIRST
} Fault;

typedef struct Peer {
    const char *text;        // its model; all ports of it are on the wire
    int steps;               // to take
    bool create, tight, tcp; // it makes the socket
    WireOrientation orientation;
    bool accelerations;
    Fault fault;
    char path[100];
    int port;
    double y[PEER_STEPS + 1], vy[PEER_STEPS + 1]; // of the node of its first port, after each step
    int done;                                     // steps
    int messages;                                 // motions that it sent
    pthread_t thread;
    atomic_bool over; // the run that it kept waiting has ended
} Peer;

static inline void receive(int file, void *bytes, size_t count) {
    for (char *at = bytes; count > 0;) {
        ssize_t got = recv(file, at, count, 0);
        if (got <= 0) return;
        at += got, count -= (size_t)got;
    }
}

static inline int peer_connect(const Peer *peer) {
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    struct sockaddr_in tcp = {.sin_family = AF_INET, .sin_port = htons((uint16_t)peer->port)};
    tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    snprintf(path.sun_path, sizeof path.sun_path, "%s", peer->path);
    struct sockaddr *address = peer->tcp ? (struct sockaddr *)&tcp : (struct sockaddr *)&path;
    socklen_t length = peer->tcp ? sizeof tcp : sizeof path;
    int one = 1;
    bool looked = false;
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
        bool there = connect(file, address, length) == 0;
        if (there && (peer->fault != LOOKS_FIRST || looked)) return file;
        looked = looked || there;
        close(file);
        usleep(10000);
    }
    return -1;
}

static inline bool peer_negotiate(const Peer *peer, const Wire *wire, int file) {
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
static inline void peer_matrix(const Sim *sim, int port, unsigned char *bytes) {
    const Mechanism *m = sim_mechanism(sim);
    const Port *p = &m->ports[port];
    NodeState node =
        m->head->stage == STAGE_PREDICTED ? step_prediction(m, p->node) : *mechanism_node(m, p->node);
    double numbers[9];
    for (int k = 0; k < 9; k++) numbers[k] = node.R.m[k % 3][k / 3];
    memcpy(bytes, numbers, sizeof numbers);
}

static inline void peer_send(Peer *peer, const Wire *wire, const Sim *sim, int file, unsigned char code) {
    unsigned char bytes[1 + WIRE_MOTION_MAX];
    MrcMotion motions[PEER_NODES];
    for (int p = 0; p < wire->nodes; p++) {
        Motion motion = drivers_motion(&sim->coupling.drivers, p);
        memcpy(&motions[p], &motion, sizeof motion);
    }
    if (peer->fault == NAN_SENT && peer->done == 5) motions[1].velocity[2] = NAN;
    bytes[0] = peer->fault == WRONG_CODE && peer->done == 5 ? 9 : code;
    wire_write_motion(wire, motions, bytes + 1);
    for (int p = 0; p < wire->nodes && wire->orientation == ORIENTATION_MATRIX; p++)
        peer_matrix(sim, p, bytes + 1 + (3 * wire->nodes + 9 * p) * sizeof(double));
    size_t size = 1 + wire_motion_size(wire);
    peer->messages++;
    send(file, bytes, peer->fault == CUT_OFF && peer->done == 5 ? size / 2 : size, MSG_NOSIGNAL);
}

// The answer: its code, and forces if there are any.
static inline unsigned char peer_receive(const Wire *wire, int file, Load *loads) {
    unsigned char code = WIRE_ABORT, bytes[48 * PEER_NODES];
    receive(file, &code, 1);
    if (code != WIRE_DATA && code != WIRE_DATA_LAST) return code;
    receive(file, bytes, wire_forces_size(wire));
    wire_read_forces(wire, bytes, (MrcLoad *)loads);
    return code;
}

static inline void peer_step(Peer *peer, const Wire *wire, Sim *sim, int file) {
    const Drivers *d = &sim->coupling.drivers;
    Load loads[PEER_NODES] = {0};
    MrcError error;
    double left;
    drivers_begin(d, clock_time(&sim->clock), sim->clock.step, &error);
    peer_send(peer, wire, sim, file, peer->tight ? WIRE_DATA : WIRE_DATA_LAST);
    if (peer->fault == CUT_OFF && peer->done == 5) return;
    unsigned char code;
    while ((code = peer_receive(wire, file, loads)) == WIRE_DATA) {
        drivers_iterate(d, loads, &left, &error);
        peer_send(peer, wire, sim, file, WIRE_DATA);
    }
    if (code == WIRE_ABORT) return;
    drivers_advance(d, loads, &error);
    drivers_commit(d, &error);
    sim->clock.now++;
    Mechanism *m = sim_mechanism(sim);
    const NodeState *node = mechanism_node(m, m->ports[0].node);
    peer->done++;
    peer->y[peer->done] = node->x.y, peer->vy[peer->done] = node->v.y;
}

static inline void peer_exchange(Peer *peer, const Wire *wire, Sim *sim, int file) {
    Load loads[PEER_NODES];
    const unsigned char end = WIRE_ABORT;
    peer_send(peer, wire, sim, file, peer->tight ? WIRE_DATA : WIRE_DATA_LAST);
    if (peer_receive(wire, file, loads) != WIRE_DATA_LAST) return;
    while (peer->done < peer->steps) {
        int before = peer->done;
        bool now = before == 5;
        while (now && peer->fault == HANGS && !atomic_load(&peer->over)) usleep(1000);
        if (now && peer->fault == HANGS) return;
        if (now && peer->fault == ENDS) break;
        if (now && (peer->fault == HANGS_UP)) return;
        peer_step(peer, wire, sim, file);
        if (now && peer->fault != NONE) return;
        if (peer->done == before) return;
    }
    send(file, &end, 1, MSG_NOSIGNAL);
}

static inline void *peer_main(void *user) {
    Peer *peer = user;
    Wire wire = {.orientation = peer->orientation, .accelerations = peer->accelerations};
    Sim *sim;
    MrcError error = {0};
    MrcModel *model = load(peer->text, NULL, 0);
    if (sim_create(model_definition(model), NULL, &sim, &error) != MRC_OK) return NULL;
    wire.nodes = sim->port_count;
    int file = peer_connect(peer);
    if (file >= 0 && peer_negotiate(peer, &wire, file)) peer_exchange(peer, &wire, sim, file);
    if (file >= 0) close(file);
    sim_destroy(sim);
    mrc_model_free(model);
    return NULL;
}

static inline void peer_start(Peer *peer) {
    static int number;
    snprintf(peer->path, sizeof peer->path, "/tmp/maraca-mbdyn-%d-%d.sock", (int)getpid(), number++);
    peer->port = 20000 + (int)(getpid() * 7 + number) % 20000;
    assert_int_equal(pthread_create(&peer->thread, NULL, peer_main, peer), 0);
}

#endif
