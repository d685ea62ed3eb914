#include "mechanism/names.h"

#include <stdio.h>
#include <stdlib.h>

const NodeSignalKind node_signal_kinds[NODE_SIGNAL_COUNT] = {
    {"x", DIM_LENGTH, "position, along x of the world"},
    {"y", DIM_LENGTH, "position, along y of the world"},
    {"z", DIM_LENGTH, "position, along z of the world"},
    {"rx", DIM_ANGLE, "rotation vector from the axes as written, along x of the world"},
    {"ry", DIM_ANGLE, "rotation vector from the axes as written, along y of the world"},
    {"rz", DIM_ANGLE, "rotation vector from the axes as written, along z of the world"},
    {"vx", DIM_VELOCITY, "velocity, along x of the world"},
    {"vy", DIM_VELOCITY, "velocity, along y of the world"},
    {"vz", DIM_VELOCITY, "velocity, along z of the world"},
    {"wx", DIM_ANGULAR_VELOCITY, "angular velocity, about x of the world"},
    {"wy", DIM_ANGULAR_VELOCITY, "angular velocity, about y of the world"},
    {"wz", DIM_ANGULAR_VELOCITY, "angular velocity, about z of the world"},
    {"ax", DIM_ACCELERATION, "acceleration, along x of the world"},
    {"ay", DIM_ACCELERATION, "acceleration, along y of the world"},
    {"az", DIM_ACCELERATION, "acceleration, along z of the world"},
};

int node_signal_find(const char *suffix) {
    for (int k = 0; k < NODE_SIGNAL_COUNT; k++)
        if (strcmp(node_signal_kinds[k].suffix, suffix) == 0) return k;
    return -1;
}

int64_t names_beam_part(const char *part) {
    if (strcmp(part, "start") == 0) return 0;
    if (strcmp(part, "end") == 0) return NAMES_BEAM_END;
    size_t digits = strspn(part, "0123456789");
    if (digits == 0 || digits > 9 || part[digits] || (part[0] == '0' && digits > 1)) return NAMES_BEAM_NONE;
    return strtol(part, NULL, 10);
}

int64_t names_beam_node(const BeamDefinition *beam, const char *name) {
    size_t length = strlen(beam->name);
    if (strncmp(beam->name, name, length) != 0 || name[length] != '.') return NAMES_BEAM_NONE;
    int64_t number = names_beam_part(name + length + 1), last = 2 * beam->elements;
    if (number == NAMES_BEAM_END) return last;
    return number <= last ? number : NAMES_BEAM_NONE;
}

const char *names_canonical(const MechanismDefinition *d, const char *name, char *buffer, size_t size) {
    for (int i = 0; i < d->body_count; i++) {
        const BodyDefinition *body = &d->bodies[i];
        if (body->node && strcmp(body->name, name) == 0 && strcmp(body->node, name) != 0) {
            name = body->node;
            break;
        }
    }
    for (int i = 0; i < d->beam_count; i++) {
        int64_t number = names_beam_node(&d->beams[i], name);
        if (number < 0) continue;
        snprintf(buffer, size, "%s.%lld", d->beams[i].name, (long long)number);
        return buffer;
    }
    return name;
}

bool names_same_node(const MechanismDefinition *d, const char *a, const char *b) {
    char first[512], second[512];
    return a && b &&
           strcmp(names_canonical(d, a, first, sizeof first), names_canonical(d, b, second, sizeof second)) ==
               0;
}

bool names_has_node(const MechanismDefinition *d, const char *name) {
    if (strcmp(name, "ground") == 0) return true;
    for (int i = 0; i < d->node_count; i++)
        if (strcmp(d->nodes[i].name, name) == 0) return true;
    for (int i = 0; i < d->body_count; i++)
        if (strcmp(d->bodies[i].name, name) == 0) return true;
    for (int i = 0; i < d->beam_count; i++)
        if (names_beam_node(&d->beams[i], name) >= 0) return true;
    return false;
}

int64_t names_node_count(const MechanismDefinition *d) {
    int64_t count = d->node_count;
    for (int i = 0; i < d->body_count; i++) count += d->bodies[i].node ? 0 : 1;
    for (int i = 0; i < d->beam_count; i++) count += 2 * d->beams[i].elements + 1;
    return count;
}

size_t names_list(const MechanismDefinition *d, Arena *arena, NodeName **names) {
    size_t count = 0, room = (size_t)d->node_count + (size_t)d->body_count + 1;
    bool all = names_node_count(d) <= NAMES_NODES_MAX;
    for (int i = 0; i < d->beam_count; i++) room += all ? (size_t)(2 * d->beams[i].elements + 3) : 2;
    NodeName *list = *names = arena_alloc(arena, room * sizeof *list);
    if (!list) return 0;
    for (int i = 0; i < d->node_count; i++) list[count++] = (NodeName){d->nodes[i].name, false};
    for (int i = 0; i < d->body_count; i++) list[count++] = (NodeName){d->bodies[i].name, false};
    for (int i = 0; i < d->beam_count; i++) {
        const char *beam = d->beams[i].name;
        list[count++] = (NodeName){arena_printf(arena, "%s.start", beam), false};
        list[count++] = (NodeName){arena_printf(arena, "%s.end", beam), false};
        for (int64_t k = 0; all && k <= 2 * d->beams[i].elements; k++)
            list[count++] = (NodeName){arena_printf(arena, "%s.%lld", beam, (long long)k), true};
    }
    for (size_t k = 0; k < count; k++)
        if (!list[k].name) return *names = NULL, 0;
    return count;
}
