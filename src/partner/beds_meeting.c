// Grains of different beds do not touch each other. Rooms that overlap at the start are an error of the model
// (model/check_rooms.c). Rooms on a machine, rooms that move into each other and grains that fall out of open ones are found
// here: two grains of different beds, nearer to each other than half the sum of their radii, are in the same place.
#include <math.h>
#include <stdlib.h>

#include "partner/beds.h"

typedef struct MeetingGrain {
    Vec3 center;
    double radius;
    int bed;
} MeetingGrain;

typedef struct MeetingBox {
    Vec3 lower, upper;
} MeetingBox;

static Vec3 meeting_center(const GrainStore *s, size_t i) { return vec3(s->x[i], s->y[i], s->z[i]); }

static MeetingBox meeting_box(const GrainStore *s) {
    MeetingBox box = {vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY)};
    for (size_t i = 0; i < s->count; i++) {
        Vec3 c = meeting_center(s, i);
        double r = s->radius[i];
        box.lower = vec3(fmin(box.lower.x, c.x - r), fmin(box.lower.y, c.y - r), fmin(box.lower.z, c.z - r));
        box.upper = vec3(fmax(box.upper.x, c.x + r), fmax(box.upper.y, c.y + r), fmax(box.upper.z, c.z + r));
    }
    return box;
}

static MeetingBox meeting_common(const MeetingBox *a, const MeetingBox *b) {
    return (MeetingBox){
        vec3(fmax(a->lower.x, b->lower.x), fmax(a->lower.y, b->lower.y), fmax(a->lower.z, b->lower.z)),
        vec3(fmin(a->upper.x, b->upper.x), fmin(a->upper.y, b->upper.y), fmin(a->upper.z, b->upper.z))};
}

static bool meeting_is_inside(const MeetingBox *box, Vec3 c, double r) {
    return c.x + r > box->lower.x && c.x - r < box->upper.x && c.y + r > box->lower.y &&
           c.y - r < box->upper.y && c.z + r > box->lower.z && c.z - r < box->upper.z;
}

static int meeting_by_x(const void *a, const void *b) {
    double difference = ((const MeetingGrain *)a)->center.x - ((const MeetingGrain *)b)->center.x;
    return (difference > 0) - (difference < 0);
}

// Sweep along x: grains are sorted by x, and each is compared with those at most the largest radius further along x.
static bool meeting_in_list(MeetingGrain *grains, size_t count) {
    double largest = 0;
    qsort(grains, count, sizeof *grains, meeting_by_x);
    for (size_t i = 0; i < count; i++) largest = fmax(largest, grains[i].radius);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && grains[k].center.x - grains[i].center.x < largest; k++) {
            double near = 0.5 * (grains[i].radius + grains[k].radius);
            if (grains[i].bed != grains[k].bed &&
                vec3_norm2(vec3_sub(grains[k].center, grains[i].center)) < near * near)
                return true;
        }
    return false;
}

bool beds_meet(const Beds *beds, int a, int b) {
    const GrainStore *stores[2] = {grains_view(beds->items[a].grains), grains_view(beds->items[b].grains)};
    MeetingBox boxes[2] = {meeting_box(stores[0]), meeting_box(stores[1])};
    MeetingBox common = meeting_common(&boxes[0], &boxes[1]);
    if (!(common.lower.x < common.upper.x && common.lower.y < common.upper.y &&
          common.lower.z < common.upper.z))
        return false;
    ARRAY(MeetingGrain) list = {0};
    bool complete = true;
    for (int bed = 0; bed < 2; bed++)
        for (size_t i = 0; i < stores[bed]->count && complete; i++) {
            MeetingGrain grain = {meeting_center(stores[bed], i), stores[bed]->radius[i], bed};
            if (meeting_is_inside(&common, grain.center, grain.radius)) complete = array_push(&list, grain);
        }
    bool met = complete && meeting_in_list(list.data, list.count);
    array_free(&list);
    return met;
}
