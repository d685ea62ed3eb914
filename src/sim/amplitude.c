#include "sim/amplitude.h"

#include <math.h>

void amplitude_observe(PortAmplitude *a, Vec3 x, Vec3 v) {
    if (a->steps == 0) a->low = a->high = x;
    a->low = vec3(fmin(a->low.x, x.x), fmin(a->low.y, x.y), fmin(a->low.z, x.z));
    a->high = vec3(fmax(a->high.x, x.x), fmax(a->high.y, x.y), fmax(a->high.z, x.z));
    a->squares = vec3_add(a->squares, vec3(v.x * v.x, v.y * v.y, v.z * v.z));
    a->steps++;
}

int amplitude_axis(const PortAmplitude *a) {
    Vec3 range = vec3_sub(a->high, a->low);
    if (range.x >= range.y && range.x >= range.z) return 0;
    return range.y >= range.z ? 1 : 2;
}

double amplitude_along(const PortAmplitude *a, int axis) {
    return 0.5 * vec3_component(vec3_sub(a->high, a->low), axis);
}

double amplitude_power(const PortAmplitude *a, double step) {
    return a->steps > 0 ? a->dissipated / (a->steps * step) : 0;
}

double amplitude_dashpot(const PortAmplitude *a, double step) {
    double squares = vec3_component(a->squares, amplitude_axis(a));
    bool moves = squares > 1e-12 * a->steps; // by more than 1 um/s on average
    return moves ? a->dissipated / (squares * step) : 0;
}

void amplitude_archive(PortAmplitude *a, const char *name, Archive *archive) {
    archive_doubles(archive, name, &a->steps, sizeof *a / sizeof(double));
}
