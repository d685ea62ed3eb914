// Heights of rooms with `clearance`: which way is up in each of them, and what went wrong.
#include "grains/clearance.h"

#include "model/check.h"
#include "partner/prescribed.h"
#include "sim/resolve.h"

// How a port is turned at the start: that of a mechanism as its node is written, before joints are closed.
static Quaternion clearance_orientation(const SimDefinition *d, const char *port) {
    for (int p = 0; port && p < d->port_count; p++) {
        const PortDefinition *found = &d->ports[p];
        if (!found->name || strcmp(found->name, port) != 0) continue;
        if (port_is_prescribed(found)) return port_motion(found, (TimePoint){0, NULL}).orientation;
        return quaternion_from_rotation_vector(vec3_scale(found->mount_angle, found->mount_axis));
    }
    return quaternion_identity();
}

void clearance_prepare_rooms(Loader *loader, SimDefinition *d) {
    for (int g = 0; g < d->grains_count; g++) {
        GrainsDefinition *grains = &d->grains[g];
        const double *member = clearance_of_bed(grains);
        MrcError error;
        if (!member) continue;
        Vec3 up = quaternion_unrotate(clearance_orientation(d, grains->port), vec3_neg(d->gravity));
        if (vec3_norm(up) > 0) up = vec3_normalize(up);
        if (clearance_prepare(grains, d->materials, d->material_count, up, &error) != MRC_OK)
            diagnostics_error(loader->diagnostics, loader_place(loader, member), "%s", error.text);
    }
}

void clearance_find_rooms(Loader *loader, SimDefinition *d) {
    for (int g = 0; g < d->grains_count; g++) {
        GrainsDefinition *grains = &d->grains[g];
        MrcError error;
        if (!(grains->tall > 0)) continue;
        Motion port = motion_at_rest();
        port.orientation = clearance_orientation(d, grains->port);
        GrainsSetting setting = sim_grains_setting(d);
        setting.gravity = d->gravity;
        setting.step = 1;
        setting.port = &port;
        MrcStatus status = clearance_find(grains, &setting, &error);
        if (status == MRC_MEMORY) diagnostics_memory(loader->diagnostics);
        else if (status != MRC_OK)
            diagnostics_error(loader->diagnostics, loader_place(loader, clearance_of_bed(grains)), "%s",
                              error.text);
    }
}
