// Fuzz target of STL files: whatever the bytes, there is a mesh with its topology and tree, or a message.
//
//     fuzz_stl -max_total_time=60 CORPUS tests/fuzz/meshes
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh.h"
#include "geometry/stl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_stl: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    StlTriangles triangles = {0};
    MrcError error = {.text = ""};
    char *text = malloc(size + 1); // as file_read gives it: ended by NUL
    require(text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = '\0';
    MrcStatus status = stl_parse(&triangles, text, size, "fuzz", &error);
    require(status == MRC_OK || error.text[0], "a file is refused without a reason");
    if (status == MRC_OK) {
        Mesh *mesh = NULL;
        status = mesh_create(&mesh, triangles.corners.data, triangles.corners.count / 3, "fuzz", &error);
        require(status == MRC_OK || error.text[0], "a mesh is refused without a reason");
        if (status == MRC_OK) mesh_destroy(mesh);
    }
    stl_free(&triangles);
    free(text);
    return 0;
}
