// Smooth beds within a step of the machine: sub-steps of their own, the ports moving on meanwhile.
//
// Poses follow from the start by the twist, positions linearly and orientations about a fixed axis (which is
// SLERP). With mobility the twist itself changes: each sub-step's load F, while it acts, by Y F dt.
#include "grains/world_internal.h"

static Motion moved(const Motion *start, Twist twist, double time) {
    Motion m = *start;
    m.position = vec3_madd(start->position, time, twist.linear);
    Quaternion turn = quaternion_from_rotation_vector(vec3_scale(time, twist.angular));
    m.orientation = quaternion_normalize(quaternion_mul(turn, start->orientation));
    m.velocity = twist.linear;
    m.angular_velocity = twist.angular;
    return m;
}

// Blocks of the diagonal of Y: what a wall part's own port answers to a push on it.
static void hand_out_mobility(World *w, const double *mobility) {
    size_t size = 6 * (size_t)w->port_count;
    for (int b = 0; b < w->bed_count; b++) {
        Grains *g = w->beds[b].grains;
        if (g->definition->method != METHOD_SMOOTH) continue;
        double *own = w->wall_mobility.data + 36 * (size_t)world_first_wall(w, b);
        for (int part = 0; part < g->definition->wall_count; part++) {
            int port = w->beds[b].wall_ports[part];
            for (size_t r = 0; r < 6; r++)
                for (size_t c = 0; c < 6; c++)
                    own[36 * (size_t)part + 6 * r + c] =
                        port < 0 ? 0 : mobility[(6 * (size_t)port + r) * size + 6 * (size_t)port + c];
        }
        grains_set_mobility(g, (const double(*)[6][6])own);
    }
}

// One sub-step of one bed; its loads are added to those of the ports, about their origins now.
static MrcStatus substep(World *w, int bed, Load *port_loads, MrcError *error) {
    const WorldBed *own = &w->beds[bed];
    int parts = own->grains->definition->wall_count;
    Load *loads = w->loads.data + world_first_wall(w, bed);
    for (int part = 0; part < parts; part++)
        w->wall_motions.data[part] =
            own->wall_ports[part] < 0 ? motion_at_rest() : w->motions[own->wall_ports[part]];
    MrcStatus status = grains_advance(own->grains, w->wall_motions.data, loads, error);
    for (int part = 0; part < parts; part++) {
        if (own->wall_ports[part] < 0) continue;
        Load *sum = &port_loads[own->wall_ports[part]];
        sum->force = vec3_add(sum->force, loads[part].force);
        sum->moment = vec3_add(sum->moment, loads[part].moment);
    }
    return status;
}

MrcStatus world_advance_smooth(World *w, double h, const Motion *ports, const double *mobility,
                               Load *impulses, MrcError *error) {
    if (!(fabs(h - w->step) <= 1e-9 * w->step))
        return error_set(error, MRC_MODEL, "smooth grains were made for steps of %g s, not of %g s", w->step,
                         h);
    double dt = h / w->substeps;
    MrcStatus status = MRC_OK;
    if (mobility) hand_out_mobility(w, mobility);
    for (int p = 0; p < w->port_count; p++) w->motions[p] = ports[p];
    for (int k = 0; k < w->substeps && status == MRC_OK; k++) {
        Load *sums = w->port_loads;
        for (int p = 0; p < w->port_count; p++) sums[p] = (Load){0};
        for (int b = 0; b < w->bed_count && status == MRC_OK; b++)
            if (w->beds[b].grains->definition->method == METHOD_SMOOTH) status = substep(w, b, sums, error);
        for (int p = 0; p < w->port_count; p++) {
            sums[p] = (Load){vec3_scale(dt, sums[p].force), vec3_scale(dt, sums[p].moment)};
            Vec3 arm = vec3_sub(w->motions[p].position, ports[p].position);
            impulses[p].force = vec3_add(impulses[p].force, sums[p].force);
            impulses[p].moment =
                vec3_add(impulses[p].moment, vec3_add(sums[p].moment, vec3_cross(arm, sums[p].force)));
        }
        if (mobility) world_push(w, mobility, sums, w->twists);
        for (int p = 0; p < w->port_count; p++)
            w->motions[p] = mobility ? moved(&w->motions[p], w->twists[p], dt)
                                     : moved(&ports[p], w->twists[p], h * (k + 1) / w->substeps);
    }
    return status;
}
