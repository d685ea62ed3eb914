// Meters. A plane counts what crosses it along its normal, less what comes back; its flow and velocity are means over
// the last while, the velocity over all that crossed it in either direction: sum (m v.n) / sum m. Of a box, everything is of the grains whose centres are in it at this instant:
//
//     mass = sum m,    velocity = sum (m v.d) / mass,    flow = sum (m v.d) / L
//
// L being the length of the box along d, or of a periodic bed where that is shorter: the flow through a cross-section,
// averaged over the length.
#include <math.h>

#include "grains/engine.h"
#include "grains/flow.h"

// From the plane's point; in a periodic bed, from its nearest image.
static Vec3 meter_away(const Grains *g, const Meter *meter, const Motion *port, Vec3 center) {
    const FlowPlane *plane = &meter->definition->plane;
    if (!g->periodic.any) return vec3_sub(motion_to_local(port, center), plane->point);
    Vec3 away = vec3_sub(center, motion_to_world(port, plane->point));
    return quaternion_unrotate(port->orientation, periodic_nearest(&g->periodic, away));
}

bool meter_is_beyond(const Grains *g, const Meter *meter, const Motion *port, Vec3 center) {
    return vec3_dot(meter_away(g, meter, port, center), meter->definition->plane.normal) > 0;
}

// Half a length from a plane across a periodic direction, the sides change without a crossing.
static bool meter_changes_image(const Grains *g, const Meter *meter, const Motion *port, Vec3 normal,
                                Vec3 center) {
    Vec3 away = quaternion_rotate(port->orientation, meter_away(g, meter, port, center));
    for (int k = 0; k < 3; k++)
        if (g->periodic.along[k] && fabs(vec3_component(normal, k)) > 1e-6 &&
            fabs(vec3_component(away, k)) > 0.25 * g->periodic.length[k])
            return true;
    return false;
}

static void meter_count_crossings(Meter *meter, const FlowTick *tick, bool first) {
    Grains *g = tick->grains;
    const Motion port = flow_port(tick, meter->port);
    Vec3 normal = quaternion_rotate(port.orientation, meter->definition->plane.normal);
    for (size_t i = 0; i < g->store.count; i++) {
        GrainMotion now = grain_now(g, i);
        bool before = g->store.marks[i] & meter->mark, beyond = meter_is_beyond(g, meter, &port, now.center);
        if (before == beyond) continue;
        g->store.marks[i] ^= meter->mark;
        if (first) continue; // where it was before is not known
        if (g->periodic.any && meter_changes_image(g, meter, &port, normal, now.center)) continue;
        double sign = beyond ? 1 : -1, mass = 1 / grain_inverse_mass(g, i);
        Vec3 v = vec3_sub(now.velocity, motion_velocity_at(&port, now.center));
        meter->count += sign;
        meter->mass += sign * mass;
        flow_window_add(&meter->window, sign * mass, mass * vec3_dot(v, normal));
    }
    meter->flow = flow_window_rate(&meter->window, tick->time);
    meter->velocity = flow_window_speed(&meter->window);
}

// Is a grain, or an image of it in a periodic bed, in the box?
static bool meter_box_holds(const FlowBox *box, const Motion *port, const Periodic *periodic, Vec3 reach,
                            Vec3 center) {
    Vec3 half = vec3_scale(0.5, box->size), middle = motion_to_world(port, box->center);
    PeriodicImages images =
        periodic_images(periodic, center, vec3_sub(middle, reach), vec3_add(middle, reach));
    for (int64_t n = 0; n < images.count; n++) {
        Vec3 away = vec3_sub(motion_to_local(port, periodic_image(periodic, &images, n)), box->center);
        if (fabs(away.x) <= half.x && fabs(away.y) <= half.y && fabs(away.z) <= half.z) return true;
    }
    return false;
}

// Half the sides of the box around a box, along the axes of the world, and a little more for rounding.
static Vec3 meter_box_reach(const FlowBox *box, const Motion *port) {
    Mat3 axes = quaternion_to_matrix(port->orientation);
    Vec3 reach = vec3_zero();
    for (int k = 0; k < 3; k++) {
        Vec3 side = vec3_zero();
        vec3_set_component(&side, k, (0.5 + 1e-9) * vec3_component(box->size, k));
        Vec3 turned = mat3_apply(axes, side);
        reach = vec3_add(reach, vec3(fabs(turned.x), fabs(turned.y), fabs(turned.z)));
    }
    return reach;
}

// Along the direction, of the box and of the periodic bed: a grain counts once, however long the box is.
static double meter_box_length(const MeterDefinition *d, const Periodic *periodic, Vec3 along) {
    double length = INFINITY;
    for (int k = 0; k < 3; k++) {
        length = fmin(length,
                      vec3_component(d->box.size, k) / fmax(fabs(vec3_component(d->direction, k)), 1e-300));
        if (periodic->along[k])
            length = fmin(length, periodic->length[k] / fmax(fabs(vec3_component(along, k)), 1e-300));
    }
    return length;
}

void meter_look_into_box(Meter *meter, const FlowTick *tick) {
    const Grains *g = tick->grains;
    const MeterDefinition *d = meter->definition;
    const Motion port = flow_port(tick, meter->port);
    Vec3 along = quaternion_rotate(port.orientation, d->direction), reach = meter_box_reach(&d->box, &port);
    double momentum = 0, length = meter_box_length(d, &g->periodic, along);
    meter->count = meter->mass = 0;
    for (size_t i = 0; i < g->store.count; i++) {
        GrainMotion now = grain_now(g, i);
        if (!meter_box_holds(&d->box, &port, &g->periodic, reach, now.center)) continue;
        double mass = 1 / grain_inverse_mass(g, i);
        Vec3 v = vec3_sub(now.velocity, motion_velocity_at(&port, now.center));
        meter->count++;
        meter->mass += mass;
        momentum += mass * vec3_dot(v, along);
    }
    meter->velocity = meter->mass > 0 ? momentum / meter->mass : 0;
    meter->flow = momentum / length;
}

void meter_tick(Meter *meter, const FlowTick *tick, bool first) {
    flow_window_move(&meter->window, tick->time);
    if (meter->definition->by_plane) meter_count_crossings(meter, tick, first);
    else meter_look_into_box(meter, tick);
}

int32_t meter_marks(const FlowTick *tick, Vec3 center) {
    int32_t marks = 0;
    for (int k = 0; k < tick->meter_count; k++) {
        const Meter *meter = &tick->meters[k];
        Motion port = flow_port(tick, meter->port);
        if (meter->bed == tick->bed && meter->mark && meter_is_beyond(tick->grains, meter, &port, center))
            marks |= meter->mark;
    }
    return marks;
}

void meter_archive(Meter *m, Archive *archive) {
    double *values[] = {&m->count, &m->mass, &m->flow, &m->velocity};
    archive_scattered_doubles(archive, "values", values, sizeof values / sizeof *values);
    flow_window_archive(&m->window, archive);
    flow_check_count(m->count, archive);
}
