#include "coupling/signs.h"

#include <math.h>

enum { window = 100 };
static const double slip_most = 0.3, reversed_most = 0.8, error_most = 0.05;
static const double known_least = 1e-6; // of the energy in play: errors below that do not matter

static void judge(PortSigns *s, const PortStep *step) {
    double mean2 = s->speed2 / window;
    s->fastest2 = fmax(s->fastest2, mean2);
    s->error_before = s->error_total;
    s->error_total += s->error;
    s->passed_total += s->passed;
    if (!step->jumps && mean2 > 0.01 * s->fastest2 && mean2 > 1e-12 &&
        s->slip2 > slip_most * slip_most * s->speed2)
        s->seen[SIGN_VELOCITY] = true;
    if ((double)s->reversed > reversed_most * window) s->seen[SIGN_LOAD] = true;
    if (fabs(s->error) > error_most * s->passed && fabs(s->error_total) > error_most * s->passed_total &&
        fabs(s->error_total) > fabs(s->error_before) && fabs(s->error_total) > known_least * step->known)
        s->seen[SIGN_ENERGY] = true;
    s->steps = s->reversed = 0;
    s->slip2 = s->speed2 = s->error = s->passed = 0;
}

void signs_take(PortSigns *s, const PortStep *step) {
    Vec3 way = vec3_scale(1 / step->h, vec3_sub(step->after->position, step->before->position));
    Vec3 mean = vec3_scale(0.5, vec3_add(step->before->velocity, step->after->velocity));
    Vec3 f = step->load->force, past = step->past->force;
    s->slip2 += vec3_norm2(vec3_sub(way, mean));
    s->speed2 += fmax(vec3_norm2(mean), vec3_norm2(way));
    s->reversed += vec3_dot(f, past) < -0.5 * vec3_norm(f) * vec3_norm(past);
    s->error += step->error;
    s->passed += step->passed;
    if (++s->steps == window) judge(s, step);
}
