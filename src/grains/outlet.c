// Outlets: grains whose centre is in the region, or beyond the plane, leave.
#include "grains/flow.h"

bool outlet_takes(const Outlet *outlet, const Motion *port, Vec3 center) {
    const OutletDefinition *d = outlet->definition;
    Vec3 local = motion_to_local(port, center);
    if (d->by_plane) return vec3_dot(vec3_sub(local, d->plane.point), d->plane.normal) > 0;
    return !(wall_beyond(&d->region.shape, local) > 0);
}

void outlet_count(Outlet *outlet, double mass, double speed, double stayed) {
    outlet->count++;
    outlet->mass += mass;
    outlet->stayed += stayed;
    outlet->residence = outlet->stayed / outlet->count;
    flow_window_add(&outlet->window, mass, mass * speed);
}

void outlet_archive(Outlet *o, Archive *archive) {
    double *values[] = {&o->count, &o->mass, &o->flow, &o->residence, &o->stayed};
    archive_scattered_doubles(archive, "values", values, sizeof values / sizeof *values);
    flow_window_archive(&o->window, archive);
    flow_check_count(o->count, archive);
}
