// STL files: triangles of a surface, as text or as 50-byte records.
#ifndef GEOMETRY_STL_H
#define GEOMETRY_STL_H

#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"

typedef struct StlTriangles {
    ARRAY(Vec3) corners; // in the unit of the file, three per triangle, all finite
} StlTriangles;

MrcStatus stl_read(StlTriangles *triangles, const char *path, MrcError *error);

// The same from memory: text[length] is NUL. `name` is for messages.
MrcStatus stl_parse(StlTriangles *triangles, const char *text, size_t length, const char *name,
                    MrcError *error);
void stl_free(StlTriangles *triangles);

#endif
