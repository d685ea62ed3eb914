#include "sim/shaking.h"

#include <math.h>
#include <string.h>

#include "partner/prescribed.h"

enum { SAMPLES = 4000, SAMPLES_MAX = 400000, COMPONENTS = 4 };

// Zeros of one component of velocity.
typedef struct Zeros {
    double largest;       // |v|
    double last, first_t; // last value that was not zero; time of the first zero
    double last_t;        // of the last zero
    int64_t count;
} Zeros;

static void look(Zeros *z, double before, double t, double velocity) {
    z->largest = fmax(z->largest, fabs(velocity));
    if (velocity == 0) return;
    if (z->last * velocity < 0) {
        z->last_t = before + (t - before) * z->last / (z->last - velocity);
        if (z->count++ == 0) z->first_t = z->last_t;
    }
    z->last = velocity;
}

// Speed and acceleration into *shaking; returns the zeros of the fastest component.
static Zeros sample(const PortDefinition *port, double duration, double reach, int samples,
                    Shaking *shaking) {
    Zeros zeros[COMPONENTS] = {0};
    double before = 0;
    for (int i = 0; i <= samples; i++) {
        double t = duration * i / samples;
        Motion m = port_motion(port, (TimePoint){t, NULL});
        double turning = vec3_dot(m.angular_velocity, port->axis);
        double components[COMPONENTS] = {m.velocity.x, m.velocity.y, m.velocity.z, turning * reach};
        if (!isfinite(vec3_norm(m.velocity) + vec3_norm(m.acceleration) + turning))
            continue; // reported elsewhere
        for (int c = 0; c < COMPONENTS; c++) look(&zeros[c], before, t, components[c]);
        shaking->speed = fmax(shaking->speed, vec3_norm(m.velocity) + fabs(turning) * reach);
        shaking->acceleration = fmax(shaking->acceleration, vec3_norm(m.acceleration));
        before = t;
    }
    Zeros fastest = zeros[0];
    for (int c = 1; c < COMPONENTS; c++)
        if (zeros[c].largest > fastest.largest) fastest = zeros[c];
    return fastest;
}

Shaking shaking_of_port(const PortDefinition *port, double duration, double reach) {
    Shaking shaking = {0};
    Zeros zeros = {0};
    // With fewer than some 20 looks per zero, some may have been missed.
    for (int samples = SAMPLES; samples <= SAMPLES_MAX; samples *= 10) {
        zeros = sample(port, duration, reach, samples, &shaking);
        if (zeros.count * 20 < samples) break;
    }
    if (zeros.count >= 2 && zeros.last_t > zeros.first_t)
        shaking.frequency = 0.5 * (double)(zeros.count - 1) / (zeros.last_t - zeros.first_t);
    return shaking;
}

// How far the wall goes from its port's origin [m]; 0: it has no bounds.
static double reach_of(const Wall *wall) {
    Vec3 lower, upper;
    if (!wall_is_prepared(wall) || !wall_bounds(wall, &lower, &upper)) return 0;
    return vec3_norm(vec3(fmax(fabs(lower.x), fabs(upper.x)), fmax(fabs(lower.y), fabs(upper.y)),
                          fmax(fabs(lower.z), fabs(upper.z))));
}

static const PortDefinition *find_port(const SimDefinition *d, const char *name) {
    for (int p = 0; name && p < d->port_count; p++)
        if (strcmp(d->ports[p].name, name) == 0) return &d->ports[p];
    return NULL;
}

static bool carries_earlier(const SimDefinition *d, const GrainsDefinition *grains, int wall) {
    const WallDefinition *walls = grains->walls;
    const PortDefinition *port = find_port(d, walls[wall].port ? walls[wall].port : grains->port);
    for (int w = 0; w < wall; w++)
        if (find_port(d, walls[w].port ? walls[w].port : grains->port) == port) return true;
    return false;
}

Shaking shaking_of_bed(const SimDefinition *d, const GrainsDefinition *grains) {
    Shaking shaking = {0};
    double reach = 0;
    for (int w = 0; w < grains->wall_count; w++) reach = fmax(reach, reach_of(&grains->walls[w].shape));
    for (int w = 0; w < grains->wall_count; w++) {
        const WallDefinition *wall = &grains->walls[w];
        const PortDefinition *port = find_port(d, wall->port ? wall->port : grains->port);
        if (!port || !(d->simulate.duration > 0) || carries_earlier(d, grains, w)) continue;
        Shaking part = shaking_of_port(port, d->simulate.duration, reach);
        if (part.speed > shaking.speed) shaking.frequency = part.frequency;
        shaking.speed = fmax(shaking.speed, part.speed);
        shaking.acceleration = fmax(shaking.acceleration, part.acceleration);
    }
    return shaking;
}

// Height of the room along gravity [m]; 0: it has no bounds.
static double room_height(const GrainsDefinition *grains, Vec3 gravity) {
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

double shaking_impact_speed(const SimDefinition *d, const GrainsDefinition *grains) {
    double speed = fmax(shaking_of_bed(d, grains).speed, vec3_norm(grains->particles.velocity));
    double gravity = vec3_norm(d->gravity);
    if (speed > 0 || !(gravity > 0)) return speed;
    return sqrt(2 * gravity * room_height(grains, d->gravity));
}
