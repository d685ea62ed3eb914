// MBDyn as a partner: a driver that speaks the protocol of its external structural force over a socket
// (src/partner/mbdyn_wire.h). One node of MBDyn moves one port each, in the order of the model file.
//
// Loose (all schemes that advance a driver once per step): MBDyn sends where it begins, then one predicted motion per
// step, and each is answered with forces. The motion of a step that the other partners see is the predicted one.
//
// Tight (the scheme `tight`): MBDyn sends the predicted motion and then one after each of its Newton iterations; each
// is answered with forces, until loads and motions have converged. MBDyn is informed of that when the step is
// committed.
//
// No time is on the wire: both sides must have the same step, and MBDyn a fixed one.
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/timer.h"
#include "base/watch.h"
#include "partner/link.h"
#include "partner/mbdyn_wire.h"

// ---- the model file ------------------------------------------------------------------------------
typedef struct MbdynDefinition {
    const char *socket; // path of a UNIX socket; NULL: TCP
    int64_t port;       // TCP on the loopback interface; 0: none
    bool create;        // this side makes the socket, and MBDyn connects to it
    WireOrientation orientation;
    bool accelerations, labels, reference;
    double timeout; // for an answer [s of wall-clock time]
} MbdynDefinition;
LINK_FITS(MbdynDefinition);
_Static_assert((int)LINK_PORTS_MAX <= (int)WIRE_NODES_MAX, "one node per port");

static const SchemaChoice mbdyn_orientations[] = {
    {"matrix", ORIENTATION_MATRIX, "`orientation matrix`, MBDyn's default"},
    {"vector", ORIENTATION_VECTOR, "`orientation vector`"},
    {"euler", ORIENTATION_EULER, "`euler 123`"},
    {"none", ORIENTATION_NONE, "`none`: nodes do not turn, and take no moments"},
    {NULL, 0, NULL},
};
static const SchemaKey mbdyn_keys[] = {
    {"socket", TEXT(MbdynDefinition, socket), .doc = "Path of a UNIX socket: `path` in MBDyn's input file."},
    {"port", INTEGER(MbdynDefinition, port), .range = FROM_TO(1, 65535),
     .doc = "Number of a TCP port of this machine: `port` in MBDyn's input file."},
    {"create", BOOLEAN(MbdynDefinition, create), .fallback = "true",
     .doc = "This side makes the socket and MBDyn connects to it (`create, no`), or the other way round."},
    {"orientation", CHOICE(MbdynDefinition, orientation, mbdyn_orientations), .fallback = "matrix",
     .doc = "How MBDyn writes orientations."},
    {"accelerations", BOOLEAN(MbdynDefinition, accelerations), .fallback = "false",
     .doc = "MBDyn sends accelerations, too."},
    {"labels", BOOLEAN(MbdynDefinition, labels), .fallback = "false",
     .doc = "MBDyn sends the labels of its nodes, too (`labels, yes`)."},
    {"reference", BOOLEAN(MbdynDefinition, reference), .fallback = "false",
     .doc = "MBDyn has a `reference node`, to which motions and forces are relative."},
    {"timeout", QUANTITY(MbdynDefinition, timeout), .dimension = DIM_TIME, .range = POSITIVE,
     .fallback = "60 s", .doc = "How long an answer of MBDyn may take, by the clock on the wall."},
};
static const SchemaObject mbdyn_schema = {
    .name = "mbdyn",
    .doc = "MBDyn, by its external structural force over a socket. Its nodes move the ports that name this "
           "partner, in "
           "the order of the file. With the scheme `tight` MBDyn's coupling is `tight`, with others `loose`.",
    .size = sizeof(MbdynDefinition),
    SCHEMA_KEYS(mbdyn_keys),
    .exactly_one = {"socket port"},
    .example = "ports: {shell: {partner: beam}}\n"
               "partners:\n"
               "  beam: {mbdyn: {socket: /tmp/mbdyn.sock}}\n"
               "coupling: {scheme: loose}\n",
};

// ---- bytes ---------------------------------------------------------------------------------------
typedef struct Mbdyn {
    const char *name;
    const MbdynDefinition *definition;
    Wire wire;
    int socket, listening; // -1: none
    bool made;             // this run made the socket's file
    bool tight;
    double step;   // of both sides [s]
    bool answered; // MBDyn has what it waits for, and the next motion comes from it
    bool begun, over;
    MrcMotion now[WIRE_NODES_MAX];
    MrcLoad loads[WIRE_NODES_MAX];
} Mbdyn;

static MrcStatus mbdyn_lost(Mbdyn *m, const char *what, MrcError *error) {
    m->over = true;
    return error_set(error, MRC_PARTNER, "MBDyn (partner '%s') %s", m->name, what);
}

// Until there is something to do on the file; the user may stop it.
static MrcStatus mbdyn_wait(Mbdyn *m, int file, short events, const char *what, MrcError *error) {
    double until = timer_wall() + m->definition->timeout;
    struct pollfd one = {.fd = file, .events = events};
    for (;;) {
        int ready = poll(&one, 1, 100);
        if (ready > 0) return MRC_OK;
        if (ready < 0 && errno != EINTR) return mbdyn_lost(m, strerror(errno), error);
        if (watch_stopped())
            return error_set(error, MRC_INTERRUPTED, "while waiting for MBDyn (partner '%s')", m->name);
        if (timer_wall() > until) {
            char text[200];
            snprintf(text, sizeof text, "%s for %g s ('timeout')", what, m->definition->timeout);
            return mbdyn_lost(m, text, error);
        }
    }
}

// A message is nearly always there or about to come: it is asked for first, and waited for then.
static MrcStatus mbdyn_receive(Mbdyn *m, void *bytes, size_t count, MrcError *error) {
    char *at = bytes;
    while (count > 0) {
        ssize_t got = recv(m->socket, at, count, MSG_DONTWAIT);
        if (got > 0) at += got, count -= (size_t)got;
        else if (got == 0) return mbdyn_lost(m, "hung up", error);
        else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
            MrcStatus status = mbdyn_wait(m, m->socket, POLLIN, "has not answered", error);
            if (status != MRC_OK) return status;
        } else return mbdyn_lost(m, "hung up", error);
    }
    return MRC_OK;
}

static MrcStatus mbdyn_send(Mbdyn *m, const void *bytes, size_t count, MrcError *error) {
    const char *at = bytes;
    while (count > 0) {
        ssize_t sent = send(m->socket, at, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) at += sent, count -= (size_t)sent;
        else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
            MrcStatus status = mbdyn_wait(m, m->socket, POLLOUT, "has not read", error);
            if (status != MRC_OK) return status;
        } else return mbdyn_lost(m, "hung up", error);
    }
    return MRC_OK;
}

// ---- connecting ----------------------------------------------------------------------------------
typedef union MbdynAddress {
    struct sockaddr any;
    struct sockaddr_un path;
    struct sockaddr_in tcp;
} MbdynAddress;

static MrcStatus mbdyn_address(const Mbdyn *m, MbdynAddress *address, socklen_t *length, MrcError *error) {
    const MbdynDefinition *d = m->definition;
    memset(address, 0, sizeof *address);
    if (!d->socket) {
        address->tcp = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)d->port)};
        address->tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        *length = sizeof address->tcp;
        return MRC_OK;
    }
    if (strlen(d->socket) >= sizeof address->path.sun_path)
        return error_set(error, MRC_MODEL, "the path of a socket has at most %zu bytes: '%s'",
                         sizeof address->path.sun_path - 1, d->socket);
    address->path.sun_family = AF_UNIX;
    memcpy(address->path.sun_path, d->socket, strlen(d->socket) + 1);
    *length = sizeof address->path;
    return MRC_OK;
}

// MBDyn sends first. A client that disconnects without sending only tested whether a server is there, as a second run
// does.
static MrcStatus mbdyn_accept(Mbdyn *m, MrcError *error) {
    for (;;) {
        char first;
        MrcStatus status = mbdyn_wait(m, m->listening, POLLIN, "has not connected", error);
        if (status != MRC_OK) return status;
        m->socket = accept4(m->listening, NULL, NULL, SOCK_CLOEXEC);
        if (m->socket < 0) continue;
        status = mbdyn_wait(m, m->socket, POLLIN, "has connected, but not spoken", error);
        if (status != MRC_OK || recv(m->socket, &first, 1, MSG_PEEK) == 1) return status;
        close(m->socket);
        m->socket = -1;
    }
}

static MrcStatus mbdyn_listen(Mbdyn *m, const MbdynAddress *address, socklen_t length, MrcError *error) {
    int one = 1;
    m->listening = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(m->listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    int made = bind(m->listening, &address->any, length);
    if (made != 0 && errno == EADDRINUSE && m->definition->socket) { // left behind, or in use?
        struct stat there;
        int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        bool used = connect(probe, &address->any, length) == 0 || errno != ECONNREFUSED;
        close(probe);
        if (lstat(m->definition->socket, &there) != 0 || !S_ISSOCK(there.st_mode))
            return error_set(error, MRC_MODEL,
                             "the socket of partner '%s' cannot be made: '%s' is there, and no socket",
                             m->name, m->definition->socket);
        errno = EADDRINUSE;
        if (!used && unlink(m->definition->socket) == 0) made = bind(m->listening, &address->any, length);
    }
    m->made = made == 0;
    if (made != 0 || listen(m->listening, 1) != 0)
        return error_set(error, MRC_MODEL, "the socket of partner '%s' cannot be made: %s", m->name,
                         strerror(errno));
    return mbdyn_accept(m, error);
}

// It may still be on its way to make the socket.
static MrcStatus mbdyn_join(Mbdyn *m, const MbdynAddress *address, socklen_t length, MrcError *error) {
    double until = timer_wall() + m->definition->timeout;
    for (;;) {
        m->socket = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        int reason = 0;
        if (m->socket < 0 || connect(m->socket, &address->any, length) != 0) reason = errno;
        if (reason == EINPROGRESS) { // the other side is slow to accept
            socklen_t size = sizeof reason;
            MrcStatus status = mbdyn_wait(m, m->socket, POLLOUT, "has not accepted the connection", error);
            if (status != MRC_OK) return status;
            if (getsockopt(m->socket, SOL_SOCKET, SO_ERROR, &reason, &size) != 0) reason = errno;
        }
        if (reason == 0) return MRC_OK;
        if (m->socket >= 0) close(m->socket);
        m->socket = -1;
        bool later = reason == ENOENT || reason == ECONNREFUSED || reason == EAGAIN || reason == EINTR;
        if (watch_stopped())
            return error_set(error, MRC_INTERRUPTED, "while waiting for MBDyn (partner '%s')", m->name);
        if (!later || timer_wall() > until)
            return error_set(error, MRC_PARTNER,
                             "MBDyn (partner '%s') cannot be reached within %g s ('timeout'): %s", m->name,
                             m->definition->timeout, strerror(reason));
        poll(NULL, 0, 20);
    }
}

static MrcStatus mbdyn_negotiate(Mbdyn *m, MrcError *error) {
    unsigned char bytes[WIRE_NEGOTIATION_SIZE], answer = 0;
    MrcError inner = {.text = ""};
    if (m->definition->create) { // MBDyn sends the first message of the negotiation, and the answer, too
        MrcStatus status = mbdyn_receive(m, bytes, sizeof bytes, error);
        if (status != MRC_OK) return status;
        status = wire_check_negotiation(&m->wire, bytes, &inner);
        if (status != MRC_OK)
            return error_set(error, status, "MBDyn (partner '%s') disagrees: %s", m->name, inner.text);
        status = mbdyn_receive(m, &answer, 1, error);
        if (status != MRC_OK) return status;
    } else {
        wire_write_negotiation(&m->wire, bytes);
        MrcStatus status = mbdyn_send(m, bytes, sizeof bytes, error);
        if (status == MRC_OK) status = mbdyn_receive(m, &answer, 1, error);
        if (status != MRC_OK) return status;
    }
    if (answer == WIRE_OK) return MRC_OK;
    return error_set(
        error, MRC_MODEL,
        "MBDyn (partner '%s') disagrees (code %d): it must have %d nodes, the same orientation ('%s' here), "
        "%s 'accelerations', %s 'labels' and %s 'reference node'",
        m->name, answer, m->wire.nodes, mbdyn_orientations[m->wire.orientation].word,
        m->wire.accelerations ? "with" : "no", m->wire.labels ? "with" : "no",
        m->wire.reference ? "a" : "no");
}

// ---- messages ------------------------------------------------------------------------------------
static MrcStatus mbdyn_receive_motion(Mbdyn *m, MrcError *error) {
    unsigned char code = 0, bytes[WIRE_MOTION_MAX];
    MrcError inner = {.text = ""};
    MrcStatus status = mbdyn_receive(m, &code, 1, error);
    if (status != MRC_OK) return status;
    if (code == WIRE_ABORT)
        return mbdyn_lost(m, "ended its simulation: let both have the same steps and end", error);
    if (code != (m->tight ? WIRE_DATA : WIRE_DATA_LAST)) {
        char text[160];
        bool other = code == WIRE_DATA || code == WIRE_DATA_LAST;
        snprintf(text, sizeof text, "sent the code %d instead of %d%s", code,
                 m->tight ? WIRE_DATA : WIRE_DATA_LAST,
                 !other     ? ""
                 : m->tight ? ": its coupling must be 'tight'"
                            : ": its coupling must be 'loose'");
        return mbdyn_lost(m, text, error);
    }
    status = mbdyn_receive(m, bytes, wire_motion_size(&m->wire), error);
    if (status != MRC_OK) return status;
    status = wire_read_motion(&m->wire, bytes, m->now, &inner);
    if (status == MRC_OK) return MRC_OK;
    m->over = true;
    return error_set(error, status, "MBDyn (partner '%s'): %s", m->name, inner.text);
}

// Code and forces in one write: MBDyn may read them with one call.
static MrcStatus mbdyn_send_forces(Mbdyn *m, unsigned char code, MrcError *error) {
    unsigned char bytes[1 + WIRE_FORCES_MAX] = {code};
    wire_write_forces(&m->wire, m->loads, bytes + 1);
    return mbdyn_send(m, bytes, 1 + wire_forces_size(&m->wire), error);
}

// ---- the step ------------------------------------------------------------------------------------
static MrcStatus mbdyn_begin(void *self, double t, double h, MrcError *error) {
    Mbdyn *m = self;
    MrcStatus status = MRC_OK;
    (void)t;
    if (m->begun)
        return error_set(error, MRC_MODEL,
                         "MBDyn (partner '%s') cannot take a step again, nor divide it: set neither "
                         "'energy_tolerance' nor a scheme that does",
                         m->name);
    if (fabs(h / m->step - 1) > 1e-9)
        return error_set(error, MRC_MODEL, "MBDyn (partner '%s') takes steps of %g s only", m->name, m->step);
    m->begun = true;
    if (!m->answered) status = mbdyn_send_forces(m, WIRE_DATA_LAST, error); // no loads where it begins
    m->answered = false;
    return status == MRC_OK ? mbdyn_receive_motion(m, error) : status;
}

static void mbdyn_motion(void *self, int port, MrcMotion *motion) { *motion = ((Mbdyn *)self)->now[port]; }

// Loose: they go with the commit.
static MrcStatus mbdyn_advance(void *self, const MrcLoad *loads, MrcError *error) {
    Mbdyn *m = self;
    (void)error;
    for (int n = 0; n < m->wire.nodes; n++) m->loads[n] = loads ? loads[n] : (MrcLoad){0};
    return MRC_OK;
}

// Tight: one of MBDyn's Newton iterations. How far it is from the end of them is not on the wire.
static MrcStatus mbdyn_iterate(void *self, const MrcLoad *loads, double *left, MrcError *error) {
    Mbdyn *m = self;
    *left = 0;
    mbdyn_advance(self, loads, error);
    MrcStatus status = mbdyn_send_forces(m, WIRE_DATA, error);
    return status == MRC_OK ? mbdyn_receive_motion(m, error) : status;
}

static MrcStatus mbdyn_commit(void *self, MrcError *error) {
    Mbdyn *m = self;
    const unsigned char converged = WIRE_GO_ON;
    m->begun = false;
    m->answered = true;
    return m->tight ? mbdyn_send(m, &converged, 1, error) : mbdyn_send_forces(m, WIRE_DATA_LAST, error);
}

static MrcStatus mbdyn_pack(void *self, unsigned char **bytes, size_t *count, MrcError *error) {
    (void)self, (void)error;
    *bytes = NULL, *count = 0;
    return MRC_OK;
}

static MrcStatus mbdyn_unpack(void *self, const unsigned char *bytes, size_t count, MrcError *error) {
    (void)bytes, (void)count;
    return error_set(error, MRC_CHECKPOINT,
                     "a run with MBDyn (partner '%s') cannot be resumed: MBDyn does not go back",
                     ((Mbdyn *)self)->name);
}

// ---- creation ------------------------------------------------------------------------------------
static MrcStatus mbdyn_open(Mbdyn *m, MrcError *error) {
    MbdynAddress address;
    socklen_t length = 0;
    int one = 1;
    MrcStatus status = mbdyn_address(m, &address, &length, error);
    if (status == MRC_OK)
        status = m->definition->create ? mbdyn_listen(m, &address, length, error)
                                       : mbdyn_join(m, &address, length, error);
    if (status != MRC_OK) return status;
    if (!m->definition->socket) setsockopt(m->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    status = mbdyn_negotiate(m, error);
    return status == MRC_OK ? mbdyn_receive_motion(m, error) : status;
}

static MrcStatus mbdyn_create(Link *link, const LinkSetting *setting, Arena *arena, MrcError *error) {
    const MbdynDefinition *d = (const void *)link->definition->definition;
    Mbdyn *m = arena_alloc(arena, sizeof *m);
    if (!m) return error_memory(error, "a partner");
    *m = (Mbdyn){.name = link->definition->name,
                 .definition = d,
                 .wire = {.orientation = d->orientation,
                          .accelerations = d->accelerations,
                          .nodes = setting->port_count,
                          .labels = d->labels,
                          .reference = d->reference,
                          .frame.orientation = {1}},
                 .socket = -1,
                 .listening = -1,
                 .tight = setting->tight,
                 .step = setting->step};
    link->self = m;
    if (d->reference && (d->orientation == ORIENTATION_NONE || d->accelerations))
        return error_set(error, MRC_MODEL,
                         "MBDyn (partner '%s'): with 'reference', motions need an orientation, and have no "
                         "accelerations that could be understood",
                         m->name);
    if (setting->port_count == 0)
        return error_set(error, MRC_MODEL,
                         "no port of the model names the partner '%s': ports: {NAME: {partner: %s}}", m->name,
                         m->name);
    link->partner = (MrcPartner){.size = sizeof(MrcPartner),
                                 .name = m->name,
                                 .self = m,
                                 .begin = mbdyn_begin,
                                 .motion = mbdyn_motion,
                                 .advance = m->tight ? NULL : mbdyn_advance,
                                 .iterate = m->tight ? mbdyn_iterate : NULL,
                                 .commit = mbdyn_commit,
                                 .pack = mbdyn_pack,
                                 .unpack = mbdyn_unpack,
                                 .once = !m->tight};
    return mbdyn_open(m, error);
}

// MBDyn ends by itself at its own final time; if that is later, it receives the message that the run has ended.
static void mbdyn_part(Mbdyn *m) {
    const unsigned char abort = WIRE_ABORT;
    unsigned char code = 0;
    MrcError ignored;
    bool ended = m->answered && mbdyn_receive(m, &code, 1, &ignored) != MRC_OK;
    if (!ended && code != WIRE_ABORT) mbdyn_send(m, &abort, 1, &ignored);
}

static void mbdyn_destroy(void *self) {
    Mbdyn *m = self;
    if (m->socket >= 0 && !m->over) mbdyn_part(m);
    if (m->socket >= 0) close(m->socket);
    if (m->listening >= 0) close(m->listening);
    if (m->made && m->definition->socket) unlink(m->definition->socket);
}

const LinkType link_type_mbdyn = {
    .schema = {.alternative = {.key = "mbdyn", .object = &mbdyn_schema, .doc = "MBDyn over a socket."}},
    .create = mbdyn_create,
    .destroy = mbdyn_destroy,
};
