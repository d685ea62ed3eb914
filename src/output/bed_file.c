#include "output/bed_file.h"

#include <stdio.h>

#include "base/file.h"
#include "base/number.h"

// In the axes of the port, relative to its motion: what grains/packing_file.c reads.
static void bed_file_write_grain(FILE *out, const Bed *bed, const GrainStore *s, size_t i) {
    const Motion *port = &bed->frame;
    Quaternion back = quaternion_conjugate(port->orientation);
    Vec3 place = {s->x[i], s->y[i], s->z[i]}, velocity = {s->vx[i], s->vy[i], s->vz[i]},
         spin = {s->wx[i], s->wy[i], s->wz[i]};
    Vec3 x = motion_to_local(port, place),
         v = quaternion_rotate(back, vec3_sub(velocity, motion_velocity_at(port, place))),
         w = quaternion_rotate(back, vec3_sub(spin, port->angular_velocity));
    fprintf(out, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", x.x, x.y, x.z, s->radius[i],
            v.x, v.y, v.z, w.x, w.y, w.z);
    if (s->qw) {
        Quaternion turned = quaternion_mul(back, (Quaternion){s->qw[i], s->qx[i], s->qy[i], s->qz[i]});
        Vec3 t = quaternion_to_rotation_vector(turned);
        fprintf(out, ",%.17g,%.17g,%.17g", t.x, t.y, t.z);
    }
    if (s->kind) fprintf(out, ",%d", s->kind[i]);
    const ParticlesDefinition *kind = grains_kind(bed->definition, s->kind ? s->kind[i] : 0);
    if (s->qw) fprintf(out, ",%d", s->shape[i] - kind->first_shape);
    fprintf(out, "\n");
}

MrcStatus bed_file_write(const char *path, const Bed *bed, MrcError *error) {
    const GrainStore *s = grains_view(bed->grains);
    FileWriter writer;
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    fprintf(writer.stream,
            "x[m],y[m],z[m],radius[m],vx[m/s],vy[m/s],vz[m/s],wx[rad/s],wy[rad/s],wz[rad/s]%s%s%s\n",
            s->qw ? ",turn_x[rad],turn_y[rad],turn_z[rad]" : "", s->kind ? ",kind" : "",
            s->qw ? ",form" : "");
    locale_t before = number_point();
    for (size_t i = 0; i < s->count; i++) bed_file_write_grain(writer.stream, bed, s, i);
    number_point_end(before);
    return file_commit(&writer, error);
}
