// Stops: points of a port that touch walls of another one or of the ground. Clearances in a machine, end stops, feet
// on a floor. They have no mass of their own: as a follower they turn the motions of ports into impulses between these.
#ifndef PARTNER_STOPS_H
#define PARTNER_STOPS_H

#include "grains/definition.h"
#include "partner/partner.h"

typedef struct StopPoint {
    Vec3 at; // in the axes of the port [m]
} StopPoint;

typedef struct StopDefinition {
    const char *name;
    const char *port; // that carries the points
    StopPoint *points;
    int point_count;
    double radius; // of a ball about each point [m]
    WallDefinition *walls;
    int wall_count; // a wall without port is on the ground
    double friction, restitution;
} StopDefinition;

typedef struct StopsDefinition {
    StopDefinition *items;
    int count;
} StopsDefinition;

extern const PartnerType partner_stops; // its definition is a StopsDefinition

#endif
