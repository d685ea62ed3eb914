#include "output/replay_marks.h"

#include <string.h>

#include "mechanism/names.h"

enum { marks_nodes_most = 500 }; // beyond that, nodes within beams are left out

static bool marks_allocate(ReplayMarks *m, Arena *arena, size_t most, size_t names) {
    m->places = arena_alloc(arena, 3 * most * sizeof *m->places + 1);
    m->values = arena_alloc(arena, (size_t)m->width * most * sizeof *m->values + 1);
    m->names = arena_alloc(arena, names + 1);
    if (m->names) *m->names = 0;
    return m->places && m->values && m->names;
}

static void marks_add(ReplayMarks *m, const char *name, Vec3 place, const double *values, int width) {
    float *at = m->places + (ptrdiff_t)3 * m->count, *to = m->values + (ptrdiff_t)width * m->count;
    at[0] = (float)place.x, at[1] = (float)place.y, at[2] = (float)place.z;
    for (int k = 0; k < width; k++) to[k] = (float)values[k];
    if (m->count++ > 0) strcat(m->names, "\n");
    strcat(m->names, name);
}

static void marks_add_vector(ReplayMarks *m, const char *name, Vec3 place, Vec3 vector) {
    const double values[3] = {vector.x, vector.y, vector.z};
    marks_add(m, name, place, values, 3);
}

// The force of all grains on each port that carries walls.
static bool marks_of_ports(const Sim *sim, Arena *arena, ReplayMarks *m) {
    size_t length = 0;
    for (int p = 0; p < sim->port_count; p++) length += strlen(sim->ports[p].name) + 1;
    *m = (ReplayMarks){.name = "ports", .width = 3};
    if (!marks_allocate(m, arena, (size_t)sim->port_count, length)) return false;
    for (int p = 0; p < sim->port_count; p++) {
        Vec3 force = vec3_zero();
        bool carries = false;
        for (int b = 0; b < sim->beds->count; b++) {
            const Bed *bed = &sim->beds->items[b];
            const Load *loads = grains_measured_loads(bed->grains);
            for (int w = 0; w < bed->definition->wall_count; w++)
                if (bed->wall_ports[w] == p) force = vec3_add(force, loads[w].force), carries = true;
        }
        if (carries) marks_add_vector(m, sim->ports[p].name, sim->motions[p].position, force);
    }
    return true;
}

static bool marks_of_joints(const MechanismPartner *p, Arena *arena, ReplayMarks *m) {
    const MechanismDefinition *d = p->definition;
    size_t length = 0;
    for (int j = 0; j < d->joint_count; j++) length += strlen(d->joints[j].name) + 1;
    *m = (ReplayMarks){.name = "joints", .width = 3};
    if (!marks_allocate(m, arena, (size_t)d->joint_count, length)) return false;
    for (int j = 0; j < d->joint_count; j++) {
        const MechanismPlace *at = &p->joint_places[j];
        Vec3 place = at->offset, force = p->reactions[j].force;
        if (at->node >= 0) {
            const NodeState *node = mechanism_node(p->mechanism, at->node);
            place = vec3_add(node->x, mat3_apply(node->R, at->offset));
        }
        marks_add_vector(m, d->joints[j].name, place, force);
    }
    return true;
}

static bool marks_of_nodes(const MechanismPartner *p, Arena *arena, ReplayMarks *m) {
    NodeName *names = NULL;
    size_t count = names_list(p->definition, arena, &names), length = 0;
    if (!names || count != p->named_count) return false;
    for (size_t k = 0; k < count; k++) length += strlen(names[k].name) + 1;
    *m = (ReplayMarks){.name = "nodes", .width = 3};
    if (!marks_allocate(m, arena, count, length)) return false;
    for (size_t k = 0; k < count; k++) {
        const NodeValues *v = &p->values[k];
        if (names[k].inner && count > marks_nodes_most) continue;
        marks_add_vector(m, names[k].name, v->position, v->velocity);
    }
    return true;
}

static bool marks_of_containers(const Beds *beds, Arena *arena, ReplayMarks *m) {
    size_t length = 0;
    for (int b = 0; b < beds->count; b++) length += strlen(beds->items[b].definition->name) + 1;
    *m = (ReplayMarks){.name = "containers", .width = 4};
    if (!marks_allocate(m, arena, (size_t)beds->count, length)) return false;
    for (int b = 0; b < beds->count; b++) {
        const Bed *bed = &beds->items[b];
        Motion at = bed->port < 0 ? motion_at_rest() : bed->frame;
        const double turn[4] = {at.orientation.w, at.orientation.x, at.orientation.y, at.orientation.z};
        marks_add(m, bed->definition->name, at.position, turn, 4);
    }
    return true;
}

MrcStatus replay_marks(const Sim *sim, Arena *arena, ReplayMarks marks[REPLAY_MARKS], int *count,
                       MrcError *error) {
    bool fine = marks_of_ports(sim, arena, &marks[0]);
    *count = marks[0].count > 0;
    if (fine && sim->mechanism) {
        fine = marks_of_joints(sim->mechanism, arena, &marks[*count]);
        *count += fine && marks[*count].count > 0;
        fine = fine && marks_of_nodes(sim->mechanism, arena, &marks[*count]);
        *count += fine && marks[*count].count > 0;
    }
    fine = fine && marks_of_containers(sim->beds, arena, &marks[*count]);
    *count += fine && marks[*count].count > 0;
    return fine ? MRC_OK : error_memory(error, "the replay");
}

size_t replay_marks_points(const Sim *sim) {
    size_t points = (size_t)sim->port_count + (size_t)sim->beds->count;
    if (!sim->mechanism) return points;
    size_t nodes = sim->mechanism->named_count < marks_nodes_most ? sim->mechanism->named_count
                                                                  : (size_t)marks_nodes_most;
    return points + nodes + (size_t)sim->mechanism->definition->joint_count;
}
