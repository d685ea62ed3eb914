#include "geometry/open_ends.h"

const SchemaChoice open_ends_choices[] = {
    {"start", OPEN_START, ""}, {"end", OPEN_END, ""}, {"bottom", OPEN_START, ""},
    {"top", OPEN_END, ""},     {NULL, 0, NULL},
};

void open_ends_describe(int open, Text *text) {
    if (open)
        text_add(text, ", open at %s",
                 open == OPEN_START ? "its start"
                 : open == OPEN_END ? "its end"
                                    : "both ends");
}

// The end at the start, the side and the other end as lines.
static Profile open_ends_profile(const OpenEnds *ends, ProfilePoint points[4]) {
    double half = 0.5 * ends->height;
    points[0] = (ProfilePoint){{0, -half}}, points[1] = (ProfilePoint){{ends->radius_start, -half}};
    points[2] = (ProfilePoint){{ends->radius_end, half}}, points[3] = (ProfilePoint){{0, half}};
    return (Profile){.points = points, .count = 4, .missing = (uint64_t)ends->open};
}

int open_ends_contacts(const OpenEnds *ends, const Vec3 *center, double radius, double margin,
                       WallContact *contacts) {
    ProfilePoint points[4];
    Profile profile = open_ends_profile(ends, points);
    return profile_turned_contacts(&profile, &ends->axis, center, radius, margin, contacts);
}

void open_ends_faces(const OpenEnds *ends, const WallSpheres *spheres, WallFaces *faces) {
    ProfilePoint points[4];
    Profile profile = open_ends_profile(ends, points);
    profile_turned_faces(&profile, &ends->axis, spheres, faces);
}

double open_ends_distance(const OpenEnds *ends, Vec3 point) {
    ProfilePoint points[4];
    Profile profile = open_ends_profile(ends, points);
    return profile_turned_distance(&profile, &ends->axis, point);
}

void open_ends_pieces(const OpenEnds *ends, Vec3 center, double reach, WallPieceVisitor *visit, void *user) {
    ProfilePoint points[4];
    Profile profile = open_ends_profile(ends, points);
    profile_turned_pieces(&profile, &ends->axis, center, reach, visit, user);
}

bool open_ends_surface(const OpenEnds *ends, Surface *surface) {
    ProfilePoint points[4];
    Profile profile = open_ends_profile(ends, points);
    return profile_turned_surface(&profile, &ends->axis, surface);
}
