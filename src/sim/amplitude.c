#include "sim/amplitude.h"

#include <math.h>

static Vec3 amplitude_product(Vec3 a, Vec3 b) { return vec3(a.x * b.x, a.y * b.y, a.z * b.z); }

void amplitude_watch_turning(PortAmplitude *a, Vec3 w) {
    if (vec3_dot(w, a->stretch) < 0) {
        a->longest = fmax(a->longest, vec3_norm(a->stretch));
        a->stretch = vec3_zero();
    }
    a->stretch = vec3_add(a->stretch, w);
}

void amplitude_begin(PortAmplitude *a) { *a = (PortAmplitude){.stretch = a->stretch, .longest = a->longest}; }

void amplitude_observe(PortAmplitude *a, const Motion *motion, const Load *load, bool early) {
    Vec3 x = motion->position, v = motion->velocity, w = motion->angular_velocity,
         turn = amplitude_product(v, a->last);
    if (a->steps == 0) a->low = a->high = x;
    a->low = vec3(fmin(a->low.x, x.x), fmin(a->low.y, x.y), fmin(a->low.z, x.z));
    a->high = vec3(fmax(a->high.x, x.x), fmax(a->high.y, x.y), fmax(a->high.z, x.z));
    a->squares = vec3_add(a->squares, amplitude_product(v, v));
    a->steps++;
    if (early) a->early = a->squares, a->early_steps = a->steps;
    a->way = vec3_add(a->way, v);
    a->path = vec3_add(a->path, vec3(fabs(v.x), fabs(v.y), fabs(v.z)));
    a->changes = vec3_add(a->changes, vec3(turn.x < 0, turn.y < 0, turn.z < 0));
    for (int k = 0; k < 3; k++) // a velocity of zero has no sign
        if (vec3_component(v, k) != 0) vec3_set_component(&a->last, k, vec3_component(v, k));
    a->turning = vec3_add(a->turning, w);
    a->turning_squares += vec3_norm2(w);
    if (!load) return;
    a->moment = vec3_add(a->moment, load->moment);
    a->given -= vec3_dot(load->force, v) + vec3_dot(load->moment, w);
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

bool amplitude_moves(const PortAmplitude *a) {
    return a->squares.x + a->squares.y + a->squares.z > 1e-12 * a->steps ||
           a->turning_squares > 1e-12 * a->steps;
}

// A port vibrates if its displacement over the quarter is less than 0.9 of the length of its path, and it turned back.
bool amplitude_vibrates(const PortAmplitude *a) {
    int axis = amplitude_axis(a);
    return vec3_component(a->changes, axis) >= 1 &&
           fabs(vec3_component(a->way, axis)) < 0.9 * vec3_component(a->path, axis);
}

bool amplitude_turns(const PortAmplitude *a, double step) {
    double least = 0.1, swings = 3; // [rad], 1
    return vec3_norm(a->turning) * step > least && vec3_norm(a->stretch) >= swings * a->longest &&
           vec3_norm2(a->turning) > 0.8 * a->steps * a->turning_squares;
}

double amplitude_speed(const PortAmplitude *a) { return a->steps > 0 ? vec3_norm(a->turning) / a->steps : 0; }

double amplitude_torque(const PortAmplitude *a) {
    double turning = vec3_norm(a->turning);
    return turning > 0 ? -vec3_dot(a->moment, a->turning) / (turning * a->steps) : 0;
}

double amplitude_given(const PortAmplitude *a) { return a->steps > 0 ? a->given / a->steps : 0; }

double amplitude_frequency(const PortAmplitude *a, double step) {
    return a->steps > 0 ? 0.5 * vec3_component(a->changes, amplitude_axis(a)) / (a->steps * step) : 0;
}

double amplitude_damping_ratio(const PortAmplitude *a, double step) {
    int axis = amplitude_axis(a);
    double late_steps = a->steps - a->early_steps, frequency = amplitude_frequency(a, step);
    if (!(a->early_steps > 0 && late_steps > 0 && frequency > 0)) return NAN;
    double early = vec3_component(a->early, axis) / a->early_steps;
    double late = (vec3_component(a->squares, axis) - vec3_component(a->early, axis)) / late_steps;
    if (!(early > 0 && late > 0)) return NAN;
    return log(early / late) / (a->steps * step) / (2 * M_PI * frequency);
}

void amplitude_archive(PortAmplitude *a, const char *name, Archive *archive) {
    archive_doubles(archive, name, &a->steps, sizeof *a / sizeof(double));
}
