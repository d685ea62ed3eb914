// What is to be seen of a partner at one instant: points, lines and polygons with values on them. Written to
// files by output/frames.c.
#ifndef PARTNER_FRAME_PART_H
#define PARTNER_FRAME_PART_H

#include <stdint.h>

#include "base/memory.h"
#include "geometry/wall.h"
#include "math/vec3.h"

// In whose axes a frame is.
typedef enum FrameView {
    FRAME_WORLD,
    FRAME_CONTAINER, // those of the port that carries a bed: what moves and turns with it is at rest
    FRAME_VIEW_COUNT
} FrameView;

typedef enum FrameShape {
    FRAME_POINTS,  // every point is shown: grains
    FRAME_LINES,   // points, lines through some of them, and some of them marked: a mechanism
    FRAME_SURFACE, // polygons: walls
} FrameShape;

enum { FRAME_VALUES_MAX = 8 };

// Values of all points, of a surface those of all polygons, under a name.
typedef struct FrameValues {
    const char *name;
    int components;          // 1, 3, or 4 of a quaternion
    const double *values[4]; // of each component, one per point; NULL: `vectors` or `integers`
    const Vec3 *vectors;     // one per point
    const int64_t *integers; // one per point
} FrameValues;

typedef struct FramePart {
    const char *name; // of the file: "damper", "damper-walls", "mechanism"
    FrameShape shape;
    size_t count;           // of points
    const double *place[3]; // of each point: x, y, z [m]; NULL: `places`
    const Vec3 *places;     // likewise
    const int *corners;     // of all lines or polygons, one after the other: indices of points
    size_t corner_count;    //
    const int *ends;        // index into corners after the last corner of each line or polygon
    size_t end_count;       //
    const int
        *marks; // FRAME_LINES: points that are shown as such; FRAME_SURFACE: of grains with faces, how many
                // points there are up to the last one of each grain, for the replay
    size_t mark_count; //
    FrameValues values[FRAME_VALUES_MAX];
    int value_count;
} FramePart;

typedef struct FrameList {
    Arena *arena; // for all that parts point at
    ARRAY(FramePart) parts;
    bool names_only; // geometry and values are not wanted
} FrameList;

// Appends; false: memory is out.
static inline bool frame_list_add(FrameList *list, FramePart part) { return array_push(&list->parts, part); }
static inline void frame_list_free(FrameList *list) { array_free(&list->parts); }

#endif
