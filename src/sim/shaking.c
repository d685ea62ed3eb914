// A motion is sampled at evenly spaced instants. Where the spacing is a multiple of the period, all samples have the same
// phase (aliasing): 4000 samples of a 200 Hz sine over 20 s would show rest. So each pass samples once more at instants
// shifted by the fractional parts of multiples of the golden ratio, which have no period. A larger speed at the shifted
// instants than at the even ones means aliasing, and more samples are taken.
#include "sim/shaking.h"

#include <math.h>
#include <string.h>

#include "partner/prescribed.h"

enum { SAMPLES = 4000, SAMPLES_MAX = 400000, WINDOWS = 4, COMPONENTS = 4 };
static const double golden_ratio = 0.61803398874989484820;
static const double aliasing = 1.05; // a larger speed than this many times that of even samples

// Zeros of one component of velocity.
typedef struct Zeros {
    double largest;       // |v|
    double last, first_t; // last value that was not zero; time of the first zero
    double last_t;        // of the last zero
    int64_t count;
} Zeros;

static void shaking_look(Zeros *z, double before, double t, double velocity) {
    z->largest = fmax(z->largest, fabs(velocity));
    if (velocity == 0) return;
    if (z->last * velocity < 0) {
        z->last_t = before + (t - before) * z->last / (z->last - velocity);
        if (z->count++ == 0) z->first_t = z->last_t;
    }
    z->last = velocity;
}

// Speed and acceleration into *shaking; returns the zeros of the fastest component. `moved`: not at even instants.
static Zeros shaking_sample(const PortDefinition *port, double duration, double reach, int samples,
                            bool moved, Shaking *shaking) {
    Zeros zeros[COMPONENTS] = {0};
    double before = 0;
    for (int i = 0; i <= samples; i++) {
        double part = moved && i < samples ? fmod(i * golden_ratio, 1) : 0,
               t = duration * (i + part) / samples;
        Motion m = port_motion(port, (TimePoint){t, NULL});
        double turning = vec3_dot(m.angular_velocity, port->axis);
        double components[COMPONENTS] = {m.velocity.x, m.velocity.y, m.velocity.z, turning * reach};
        if (!isfinite(vec3_norm(m.velocity) + vec3_norm(m.acceleration) + turning))
            continue; // reported elsewhere
        for (int c = 0; c < COMPONENTS; c++) shaking_look(&zeros[c], before, t, components[c]);
        shaking->speed = fmax(shaking->speed, vec3_norm(m.velocity) + fabs(turning) * reach);
        shaking->acceleration = fmax(shaking->acceleration, vec3_norm(m.acceleration));
        before = t;
    }
    Zeros fastest = zeros[0];
    for (int c = 1; c < COMPONENTS; c++)
        if (zeros[c].largest > fastest.largest) fastest = zeros[c];
    return fastest;
}

// Is the motion resolved by so many samples? With fewer than some 20 per zero, zeros may have been missed.
static bool shaking_is_resolved(const PortDefinition *port, double duration, double reach, int samples,
                                const Zeros *zeros, const Shaking *shaking) {
    Shaking other = {0};
    if (zeros->count * 20 >= samples) return false;
    Zeros moved = shaking_sample(port, duration, reach, samples, true, &other);
    return moved.count * 20 < samples && other.speed <= aliasing * shaking->speed &&
           other.acceleration <= aliasing * shaking->acceleration;
}

Shaking shaking_of_port(const PortDefinition *port, double duration, double reach) {
    Shaking shaking = {0};
    Zeros zeros = {0};
    bool resolved = false;
    // A motion that even the largest number of samples does not resolve is sampled over a shorter time.
    for (int w = 0; w < WINDOWS && !resolved; w++, duration /= 100)
        for (int samples = SAMPLES; samples <= SAMPLES_MAX && !resolved; samples *= 10) {
            zeros = shaking_sample(port, duration, reach, samples, false, &shaking);
            resolved = shaking_is_resolved(port, duration, reach, samples, &zeros, &shaking);
        }
    if (zeros.count >= 2 && zeros.last_t > zeros.first_t)
        shaking.frequency = 0.5 * (double)(zeros.count - 1) / (zeros.last_t - zeros.first_t);
    return shaking;
}

// How far the wall goes from its port's origin [m]; 0: it has no bounds.
static double shaking_reach(const Wall *wall) {
    Vec3 lower, upper;
    if (!wall_is_prepared(wall) || !wall_bounds(wall, &lower, &upper)) return 0;
    return vec3_norm(vec3(fmax(fabs(lower.x), fabs(upper.x)), fmax(fabs(lower.y), fabs(upper.y)),
                          fmax(fabs(lower.z), fabs(upper.z))));
}

static const PortDefinition *shaking_find_port(const SimDefinition *d, const char *name) {
    for (int p = 0; name && p < d->port_count; p++)
        if (strcmp(d->ports[p].name, name) == 0) return &d->ports[p];
    return NULL;
}

static bool shaking_carries_earlier(const SimDefinition *d, const GrainsDefinition *grains, int wall) {
    const PortDefinition *port = shaking_find_port(d, grains_wall_port(grains, wall));
    for (int w = 0; w < wall; w++)
        if (shaking_find_port(d, grains_wall_port(grains, w)) == port) return true;
    return false;
}

Shaking shaking_of_bed(const SimDefinition *d, const GrainsDefinition *grains) {
    Shaking shaking = {0};
    double reach = 0;
    for (int w = 0; w < grains->wall_count; w++) reach = fmax(reach, shaking_reach(&grains->walls[w].shape));
    for (int w = 0; w < grains->wall_count; w++) {
        const PortDefinition *port = shaking_find_port(d, grains_wall_port(grains, w));
        if (!port || !(simulate_planned(&d->simulate) > 0) || shaking_carries_earlier(d, grains, w)) continue;
        Shaking part = shaking_of_port(port, simulate_planned(&d->simulate), reach);
        if (part.speed > shaking.speed) shaking.frequency = part.frequency;
        shaking.speed = fmax(shaking.speed, part.speed);
        shaking.acceleration = fmax(shaking.acceleration, part.acceleration);
    }
    return shaking;
}

// Height of the room along gravity [m]; 0: it has no bounds.
static double shaking_room_height(const GrainsDefinition *grains, Vec3 gravity) {
    double height = INFINITY;
    for (int w = 0; w < grains->wall_count; w++) {
        Vec3 lower, upper;
        const Wall *wall = &grains->walls[w].shape;
        if (!wall_is_prepared(wall) || !wall_bounds(wall, &lower, &upper)) continue;
        Vec3 size = vec3_sub(upper, lower), g = vec3_normalize(gravity);
        height = fmin(height, fabs(g.x) * size.x + fabs(g.y) * size.y + fabs(g.z) * size.z);
    }
    return isfinite(height) ? height : 0;
}

double shaking_thrown_speed(const GrainsDefinition *grains) {
    const BedData *bed = grains->bed;
    double speed = 0, least[3] = {0}, most[3] = {0};
    for (int k = 0; k < grains_kind_count(grains); k++)
        speed = fmax(speed, vec3_norm(grains_kind(grains, k)->velocity));
    if (!bed) return speed;
    for (size_t i = 0; i < bed->count; i++) {
        double velocity[3] = {0};
        for (int k = 0; k < 3; k++) {
            const double *column = bed->columns[BED_VX + k];
            velocity[k] = column ? column[i] : 0;
            least[k] = i == 0 ? velocity[k] : fmin(least[k], velocity[k]);
            most[k] = i == 0 ? velocity[k] : fmax(most[k], velocity[k]);
        }
        speed = fmax(speed, vec3_norm(vec3(velocity[0], velocity[1], velocity[2])));
    }
    return fmax(speed, vec3_norm(vec3(most[0] - least[0], most[1] - least[1], most[2] - least[2])));
}

double shaking_impact_speed(const SimDefinition *d, const GrainsDefinition *grains) {
    double speed = fmax(shaking_of_bed(d, grains).speed, shaking_thrown_speed(grains));
    double gravity = vec3_norm(d->gravity);
    if (speed > 0 || !(gravity > 0)) return speed;
    return sqrt(2 * gravity * shaking_room_height(grains, d->gravity));
}
