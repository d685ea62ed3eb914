// Pictures for ParaView: VTK XML PolyData (.vtp) with raw appended data, and a collection (.pvd) that gives
// each file its time. https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
//
// Positions are Float64: on a machine that travels 100 m, Float32 would round a grain's place to 8 um, more
// than contacts overlap, and grains would seem to jump. All other values are Float32, since frames need no
// more; ids are Int64. Files appear whole or not at all.
#ifndef OUTPUT_VTK_H
#define OUTPUT_VTK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"

// One value (1, 3 or 4 components) per point or per polygon. Component k of item i is values[k][i * stride].
typedef struct VtkArray {
    const char *name;
    int components;          // 1, 3 or 4
    const double *values[4]; // unused when `integers` is given
    size_t stride;           // in doubles
    const int64_t *integers; // one per item; NULL: use `values`
} VtkArray;

VtkArray vtk_scalars(const char *name, const double *values);
VtkArray vtk_vectors(const char *name, const double *x, const double *y, const double *z); // one array each
VtkArray vtk_quaternions(const char *name, const double *const values[4]);                 // likewise
VtkArray vtk_vec3s(const char *name, const Vec3 *values);
VtkArray vtk_integers(const char *name, const int64_t *values);

// Points, each with a vertex to show it. `positions` has three components; `time` is in seconds.
MrcStatus vtk_write_points(const char *path, double time, size_t count, VtkArray positions,
                           const VtkArray *arrays, int array_count, MrcError *error);

// Lines or polygons through points, and points that are shown as such.
typedef struct VtkCells {
    const int *corners; // of all, one after the other: indices of points
    size_t corner_count;
    const int *ends; // index into corners after each one's last corner
    size_t end_count;
    const int *marks; // points that are shown; of lines only
    size_t mark_count;
} VtkCells;

// A surface of polygons; `arrays` have one value per polygon.
MrcStatus vtk_write_surface(const char *path, double time, size_t count, VtkArray positions,
                            const VtkCells *polygons, const VtkArray *arrays, int array_count,
                            MrcError *error);
// Points with lines through some of them; `arrays` have one value per point.
MrcStatus vtk_write_lines(const char *path, double time, size_t count, VtkArray positions,
                          const VtkCells *lines, const VtkArray *arrays, int array_count, MrcError *error);

typedef struct VtkEntry {
    double time;      // [s]
    int part;         // which of the files of that time: grains 0, walls 1, ...
    const char *name; // of the part; NULL: none
    const char *file; // relative to the collection
} VtkEntry;

// frames.pvd, rewritten as a whole each time.
MrcStatus vtk_write_collection(const char *path, const VtkEntry *entries, size_t count, MrcError *error);

#endif
