#include "sim/swing.h"

#include <math.h>

void swing_look(Swing *s, Vec3 x, Vec3 v) {
    if (s->steps == 0) s->low = s->high = x;
    s->low = vec3(fmin(s->low.x, x.x), fmin(s->low.y, x.y), fmin(s->low.z, x.z));
    s->high = vec3(fmax(s->high.x, x.x), fmax(s->high.y, x.y), fmax(s->high.z, x.z));
    s->squares = vec3_add(s->squares, vec3(v.x * v.x, v.y * v.y, v.z * v.z));
    s->steps++;
}

int swing_axis(const Swing *s) {
    Vec3 range = vec3_sub(s->high, s->low);
    if (range.x >= range.y && range.x >= range.z) return 0;
    return range.y >= range.z ? 1 : 2;
}

double swing_amplitude(const Swing *s) {
    return 0.5 * vec3_component(vec3_sub(s->high, s->low), swing_axis(s));
}

double swing_power(const Swing *s, double step) {
    return s->steps > 0 ? s->dissipated / (s->steps * step) : 0;
}

double swing_dashpot(const Swing *s, double step) {
    double squares = vec3_component(s->squares, swing_axis(s));
    return squares > 0 ? s->dissipated / (squares * step) : 0;
}

void swing_archive(Swing *s, const char *name, Archive *archive) {
    archive_doubles(archive, name, &s->steps, sizeof *s / sizeof(double));
}
