// Outlets: grains whose centre is in the region, or beyond the plane, leave.
#include "grains/flow.h"

void outlet_place(Outlet *outlet, const Motion *port) {
    const OutletDefinition *d = outlet->definition;
    if (d->by_plane) outlet->place.port = *port;
    else outlet->place = region_place(&d->region, port);
}

bool outlet_takes(const Outlet *outlet, const Periodic *periodic, Vec3 center) {
    const FlowPlane *plane = &outlet->definition->plane;
    if (!outlet->definition->by_plane) return region_holds(&outlet->place, periodic, center);
    Vec3 local = motion_to_local(&outlet->place.port, center);
    return vec3_dot(vec3_sub(local, plane->point), plane->normal) > 0;
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
