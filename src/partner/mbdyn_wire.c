#include "partner/mbdyn_wire.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/quaternion.h"

static const double wire_degree = 0.017453292519943295;

// ---- negotiation ---------------------------------------------------------------------------------
uint32_t wire_flags(const Wire *w) {
    static const uint32_t orientations[] = {WIRE_MATRIX, WIRE_VECTOR, WIRE_EULER, 0};
    return WIRE_NODAL | orientations[w->orientation] | (w->accelerations ? WIRE_ACCELERATIONS : 0) |
           (w->labels ? WIRE_LABELS : 0) | (w->reference ? WIRE_REFERENCE : 0);
}

void wire_write_negotiation(const Wire *w, unsigned char bytes[WIRE_NEGOTIATION_SIZE]) {
    uint32_t numbers[] = {wire_flags(w), (uint32_t)w->nodes};
    bytes[0] = WIRE_NEGOTIATE;
    memcpy(bytes + 1, numbers, sizeof numbers);
}

MrcStatus wire_check_negotiation(const Wire *w, const unsigned char bytes[WIRE_NEGOTIATION_SIZE],
                                 MrcError *error) {
    static const struct {
        uint32_t flag;
        const char *there, *missing;
    } words[] = {
        {1, "modal forces are not for ports: use 'external structural'", NULL},
        {WIRE_NODAL, NULL, "it has no nodes"},
        {WIRE_REFERENCE, "it has a 'reference node': set 'reference: true' here",
         "give it a 'reference node'"},
        {WIRE_LABELS, "it has 'labels': set 'labels: true' here", "give it 'labels, yes'"},
        {WIRE_ACCELERATIONS, "it has 'accelerations': set 'accelerations: true' here",
         "give it 'accelerations'"},
        {WIRE_VECTOR, "it has 'orientation vector': set 'orientation: vector' here",
         "give it 'orientation, orientation vector'"},
        {WIRE_MATRIX, "it has 'orientation matrix': set 'orientation: matrix' here",
         "give it 'orientation, orientation matrix'"},
        {WIRE_EULER, "it has 'euler 123': set 'orientation: euler' here", "give it 'orientation, euler 123'"},
    };
    uint32_t numbers[2], own = wire_flags(w);
    memcpy(numbers, bytes + 1, sizeof numbers);
    if (bytes[0] != WIRE_NEGOTIATE)
        return error_set(error, MRC_MODEL, "it does not begin with a negotiation (code %d): is this MBDyn?",
                         bytes[0]);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        bool there = numbers[0] & words[k].flag, wanted = own & words[k].flag;
        if (there && !wanted) return error_set(error, MRC_MODEL, "%s", words[k].there);
    }
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if ((own & words[k].flag) && !(numbers[0] & words[k].flag))
            return error_set(error, MRC_MODEL, "%s", words[k].missing);
    if (numbers[0] != own)
        return error_set(error, MRC_MODEL, "its flags 0x%x are not understood", numbers[0]);
    if (numbers[1] != (uint32_t)w->nodes)
        return error_set(error, MRC_MODEL, "it has %u nodes, but %d %s moved by it", numbers[1], w->nodes,
                         w->nodes == 1 ? "port is" : "ports are");
    return MRC_OK;
}

// ---- motions -------------------------------------------------------------------------------------
static size_t wire_orientation_numbers(const Wire *w) {
    static const size_t numbers[] = {9, 3, 3, 0};
    return numbers[w->orientation];
}

static size_t wire_labels_size(const Wire *w, int nodes) {
    return w->labels ? (size_t)(nodes + nodes % 2) * sizeof(uint32_t) : 0;
}

// Numbers of a node in each field of the motion: position, orientation, the two velocities, the two accelerations.
enum { WIRE_FIELDS = 6 };

static void wire_field_sizes(const Wire *w, size_t sizes[WIRE_FIELDS]) {
    bool turns = w->orientation != ORIENTATION_NONE;
    sizes[0] = 3;
    sizes[1] = wire_orientation_numbers(w);
    sizes[2] = 3;
    sizes[3] = turns ? 3 : 0;
    sizes[4] = w->accelerations ? 3 : 0;
    sizes[5] = w->accelerations && turns ? 3 : 0;
}

static size_t wire_fields_size(const Wire *w, int nodes) {
    size_t sizes[WIRE_FIELDS], numbers = 0;
    wire_field_sizes(w, sizes);
    for (int field = 0; field < WIRE_FIELDS; field++) numbers += sizes[field];
    return (size_t)nodes * numbers * sizeof(double);
}

size_t wire_motion_size(const Wire *w) {
    size_t first = w->reference ? wire_labels_size(w, 1) + wire_fields_size(w, 1) : 0;
    return first + wire_labels_size(w, w->nodes) + wire_fields_size(w, w->nodes);
}

// R = R1(a) R2(b) R3(c).
static Mat3 wire_euler_matrix(const double degrees[3]) {
    Quaternion q =
        quaternion_mul(quaternion_mul(quaternion_from_rotation_vector(vec3(wire_degree * degrees[0], 0, 0)),
                                      quaternion_from_rotation_vector(vec3(0, wire_degree * degrees[1], 0))),
                       quaternion_from_rotation_vector(vec3(0, 0, wire_degree * degrees[2])));
    return quaternion_to_matrix(q);
}

// Is it a rotation, but for the rounding of another program?
static bool wire_is_rotation(const double m[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double product = m[3 * i] * m[3 * j] + m[3 * i + 1] * m[3 * j + 1] + m[3 * i + 2] * m[3 * j + 2];
            if (!(fabs(product - (i == j)) < 1e-6)) return false;
        }
    double volume = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[3] * (m[1] * m[8] - m[2] * m[7]) +
                    m[6] * (m[1] * m[5] - m[2] * m[4]);
    return volume > 0;
}

static bool wire_read_orientation(const Wire *w, const double *numbers, MrcMotion *motion) {
    Quaternion q = quaternion_identity();
    if (w->orientation == ORIENTATION_MATRIX) {
        if (!wire_is_rotation(numbers)) return false;
        q = quaternion_from_matrix((Mat3){{{numbers[0], numbers[3], numbers[6]},
                                           {numbers[1], numbers[4], numbers[7]},
                                           {numbers[2], numbers[5], numbers[8]}}});
    } else if (w->orientation == ORIENTATION_VECTOR)
        q = quaternion_from_rotation_vector(vec3(numbers[0], numbers[1], numbers[2]));
    else if (w->orientation == ORIENTATION_EULER) q = quaternion_from_matrix(wire_euler_matrix(numbers));
    if (!(fabs(quaternion_dot(q, q) - 1) < 1e-12))
        q = quaternion_normalize(q); // the rounding of another program
    memcpy(motion->orientation, &q, sizeof motion->orientation);
    return true;
}

// Field by field over all nodes.
static MrcStatus wire_read_fields(const Wire *w, const unsigned char *bytes, int nodes, MrcMotion *motions,
                                  MrcError *error) {
    static const char *const names[] = {"position",         "orientation",  "velocity",
                                        "angular velocity", "acceleration", "angular acceleration"};
    size_t sizes[WIRE_FIELDS];
    wire_field_sizes(w, sizes);
    for (int n = 0; n < nodes; n++) motions[n] = (MrcMotion){.orientation = {1, 0, 0, 0}};
    for (int field = 0; field < WIRE_FIELDS; field++)
        for (int n = 0; n < nodes; n++) {
            double numbers[9] = {0};
            double *targets[] = {motions[n].position,     NULL,
                                 motions[n].velocity,     motions[n].angular_velocity,
                                 motions[n].acceleration, motions[n].angular_acceleration};
            memcpy(numbers, bytes, sizes[field] * sizeof *numbers);
            bytes += sizes[field] * sizeof *numbers;
            for (size_t k = 0; k < sizes[field]; k++)
                if (!(fabs(numbers[k]) < 1e100))
                    return error_set(error, MRC_NOT_FINITE, "it sent %g in the %s of node %d", numbers[k],
                                     names[field], n + 1);
            if (field == 1 && !wire_read_orientation(w, numbers, &motions[n]))
                return error_set(error, MRC_NOT_FINITE,
                                 "the matrix that it sent as orientation of node %d is no rotation", n + 1);
            if (targets[field] && sizes[field]) memcpy(targets[field], numbers, 3 * sizeof *numbers);
        }
    return MRC_OK;
}

// Motions received relative to the reference node, converted to the world.
static void wire_place(const Wire *w, MrcMotion *m, double place[3]) {
    Quaternion frame, own;
    Vec3 x = {m->position[0], m->position[1], m->position[2]},
         v = {m->velocity[0], m->velocity[1], m->velocity[2]},
         spin = {m->angular_velocity[0], m->angular_velocity[1], m->angular_velocity[2]};
    const double *x0 = w->frame.position, *v0 = w->frame.velocity, *w0 = w->frame.angular_velocity;
    memcpy(&frame, w->frame.orientation, sizeof frame);
    memcpy(&own, m->orientation, sizeof own);
    own = quaternion_mul(frame, own);
    x = quaternion_rotate(frame, x);
    v = vec3_add(quaternion_rotate(frame, v), vec3_cross(vec3(w0[0], w0[1], w0[2]), x));
    spin = quaternion_rotate(frame, spin);
    memcpy(m->orientation, &own, sizeof own);
    for (int k = 0; k < 3; k++) {
        place[k] = vec3_component(x, k);
        m->position[k] = x0[k] + place[k];
        m->velocity[k] = v0[k] + vec3_component(v, k);
        m->angular_velocity[k] = w0[k] + vec3_component(spin, k);
    }
}

MrcStatus wire_read_motion(Wire *w, const unsigned char *bytes, MrcMotion *motions, MrcError *error) {
    MrcStatus status = MRC_OK;
    if (w->reference) {
        if (w->labels) memcpy(&w->label[WIRE_NODES_MAX], bytes, sizeof *w->label);
        bytes += wire_labels_size(w, 1);
        status = wire_read_fields(w, bytes, 1, &w->frame, error);
        bytes += wire_fields_size(w, 1);
    }
    if (w->labels) memcpy(w->label, bytes, (size_t)w->nodes * sizeof *w->label);
    bytes += wire_labels_size(w, w->nodes);
    if (status == MRC_OK) status = wire_read_fields(w, bytes, w->nodes, motions, error);
    for (int n = 0; n < w->nodes && w->reference && status == MRC_OK; n++)
        wire_place(w, &motions[n], w->place[n]);
    return status;
}

static void wire_write_orientation(const Wire *w, const MrcMotion *motion, double numbers[9]) {
    Quaternion q;
    memcpy(&q, motion->orientation, sizeof q);
    Mat3 R = quaternion_to_matrix(q);
    if (w->orientation == ORIENTATION_MATRIX)
        for (int k = 0; k < 9; k++) numbers[k] = R.m[k % 3][k / 3];
    else if (w->orientation == ORIENTATION_VECTOR) {
        Vec3 v = quaternion_to_rotation_vector(q);
        numbers[0] = v.x, numbers[1] = v.y, numbers[2] = v.z;
    } else if (w->orientation == ORIENTATION_EULER) {
        numbers[0] = atan2(-R.m[1][2], R.m[2][2]) / wire_degree;
        numbers[1] = asin(fmax(-1, fmin(1, R.m[0][2]))) / wire_degree;
        numbers[2] = atan2(-R.m[0][1], R.m[0][0]) / wire_degree;
    }
}

void wire_write_motion(const Wire *w, const MrcMotion *motions, unsigned char *bytes) {
    size_t sizes[WIRE_FIELDS];
    wire_field_sizes(w, sizes);
    for (int field = 0; field < WIRE_FIELDS; field++)
        for (int n = 0; n < w->nodes; n++) {
            const MrcMotion *m = &motions[n];
            double numbers[9] = {0};
            const double *sources[] = {m->position,         numbers,         m->velocity,
                                       m->angular_velocity, m->acceleration, m->angular_acceleration};
            if (field == 1) wire_write_orientation(w, m, numbers);
            memcpy(bytes, sources[field], sizes[field] * sizeof *numbers);
            bytes += sizes[field] * sizeof *numbers;
        }
}

// ---- forces --------------------------------------------------------------------------------------
static size_t wire_loads_size(const Wire *w, int nodes) {
    return (size_t)nodes * (w->orientation == ORIENTATION_NONE ? 3 : 6) * sizeof(double);
}

size_t wire_forces_size(const Wire *w) {
    size_t first = w->reference ? wire_labels_size(w, 1) + wire_loads_size(w, 1) : 0;
    return first + wire_labels_size(w, w->nodes) + wire_loads_size(w, w->nodes);
}

static unsigned char *wire_write_labels(const Wire *w, const uint32_t *labels, int nodes,
                                        unsigned char *bytes) {
    size_t size = wire_labels_size(w, nodes);
    memset(bytes, 0, size);
    if (size) memcpy(bytes, labels, (size_t)nodes * sizeof *labels);
    return bytes + size;
}

static unsigned char *wire_write_loads(const Wire *w, const MrcLoad *loads, int nodes, unsigned char *bytes) {
    for (int part = 0; part < (w->orientation == ORIENTATION_NONE ? 1 : 2); part++)
        for (int n = 0; n < nodes; n++, bytes += 3 * sizeof(double))
            memcpy(bytes, part ? loads[n].moment : loads[n].force, 3 * sizeof(double));
    return bytes;
}

// Into the axes of the reference node.
static void wire_turn_back(const Wire *w, double vector[3]) {
    Quaternion frame;
    memcpy(&frame, w->frame.orientation, sizeof frame);
    Vec3 turned = quaternion_unrotate(frame, vec3(vector[0], vector[1], vector[2]));
    for (int k = 0; k < 3; k++) vector[k] = vec3_component(turned, k);
}

void wire_write_forces(const Wire *w, const MrcLoad *loads, unsigned char *bytes) {
    MrcLoad own[WIRE_NODES_MAX], all = {0};
    memcpy(own, loads, (size_t)w->nodes * sizeof *own);
    for (int n = 0; n < w->nodes && w->reference; n++) {
        const double *x = w->place[n], *f = loads[n].force;
        Vec3 moment = vec3_cross(vec3(x[0], x[1], x[2]), vec3(f[0], f[1], f[2]));
        for (int k = 0; k < 3; k++)
            all.force[k] += f[k], all.moment[k] += loads[n].moment[k] + vec3_component(moment, k);
        wire_turn_back(w, own[n].force);
        wire_turn_back(w, own[n].moment);
    }
    if (w->reference) {
        wire_turn_back(w, all.force);
        wire_turn_back(w, all.moment);
        bytes = wire_write_labels(w, &w->label[WIRE_NODES_MAX], 1, bytes);
        bytes = wire_write_loads(w, &all, 1, bytes);
    }
    bytes = wire_write_labels(w, w->label, w->nodes, bytes);
    wire_write_loads(w, own, w->nodes, bytes);
}

void wire_read_forces(const Wire *w, const unsigned char *bytes, MrcLoad *loads) {
    for (int n = 0; n < w->nodes; n++) loads[n] = (MrcLoad){0};
    for (int part = 0; part < (w->orientation == ORIENTATION_NONE ? 1 : 2); part++)
        for (int n = 0; n < w->nodes; n++, bytes += 3 * sizeof(double))
            memcpy(part ? loads[n].moment : loads[n].force, bytes, 3 * sizeof(double));
}
