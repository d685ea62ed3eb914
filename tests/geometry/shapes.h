// Triangle meshes of simple shapes for tests, and writing them as STL.
#ifndef TESTS_GEOMETRY_SHAPES_H
#define TESTS_GEOMETRY_SHAPES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "geometry/mesh.h"

typedef struct Soup {
    ARRAY(Vec3) corners; // three per triangle
} Soup;

static inline double between(Random *random, double lower, double upper) {
    return lower + (upper - lower) * random_uniform(random);
}

static inline Vec3 random_vector(Random *random, double reach) {
    double x = between(random, -reach, reach), y = between(random, -reach, reach);
    return vec3(x, y, between(random, -reach, reach));
}

static inline Vec3 random_direction(Random *random) {
    for (;;) {
        Vec3 v = random_vector(random, 1);
        double norm = vec3_norm(v);
        if (norm > 0.1 && norm < 1) return vec3_scale(1 / norm, v);
    }
}

static inline void soup_triangle(Soup *soup, Vec3 a, Vec3 b, Vec3 c) {
    assert_true(array_push(&soup->corners, a));
    assert_true(array_push(&soup->corners, b));
    assert_true(array_push(&soup->corners, c));
}

static inline void soup_quad(Soup *soup, Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    soup_triangle(soup, a, b, c);
    soup_triangle(soup, a, c, d);
}

static inline Vec3 grid_point(Vec3 origin, Vec3 u, Vec3 v, double i, double j) {
    return vec3_madd(vec3_madd(origin, i, u), j, v);
}

// The parallelogram of u and v, cut into cells by cells quads; inner points moved within it by up to `jitter`
// of a cell.
static inline void soup_grid(Soup *soup, Vec3 origin, Vec3 u, Vec3 v, int cells, double jitter) {
    Random random = {99};
    int side = cells + 1;
    Vec3 *points = malloc((size_t)(side * side) * sizeof *points);
    for (int k = 0; k < side * side; k++) {
        int i = k % side, j = k / side;
        double a = between(&random, -jitter, jitter), b = between(&random, -jitter, jitter);
        bool inner = i > 0 && j > 0 && i < cells && j < cells;
        points[k] = grid_point(origin, u, v, (i + (inner ? a : 0)) / cells, (j + (inner ? b : 0)) / cells);
    }
    for (int j = 0; j < cells; j++)
        for (int i = 0; i < cells; i++) {
            const Vec3 *p = &points[j * side + i];
            if ((i + j) % 2) soup_quad(soup, p[0], p[1], p[side + 1], p[side]);
            else soup_quad(soup, p[1], p[side + 1], p[side], p[0]);
        }
    free(points);
}

static inline void soup_box(Soup *soup, Vec3 center, Vec3 size, int cells) {
    Vec3 x = {size.x, 0, 0}, y = {0, size.y, 0}, z = {0, 0, size.z};
    Vec3 low = vec3_madd(center, -0.5, size), high = vec3_madd(center, 0.5, size);
    soup_grid(soup, low, y, x, cells, 0.2);
    soup_grid(soup, low, z, y, cells, 0.2);
    soup_grid(soup, low, x, z, cells, 0.2);
    soup_grid(soup, high, vec3_neg(x), vec3_neg(y), cells, 0.2);
    soup_grid(soup, high, vec3_neg(y), vec3_neg(z), cells, 0.2);
    soup_grid(soup, high, vec3_neg(z), vec3_neg(x), cells, 0.2);
}

// Around the z axis, from z = -height / 2 to height / 2, with its corners on the radius.
static inline void soup_cylinder(Soup *soup, double radius, double height, int sides, int rows, bool ends) {
    for (int i = 0; i < sides; i++) {
        double a = 2 * M_PI * i / sides, b = 2 * M_PI * ((i + 1) % sides) / sides;
        Vec3 p = {radius * cos(a), radius * sin(a), 0}, q = {radius * cos(b), radius * sin(b), 0};
        for (int row = 0; row < rows; row++) {
            Vec3 lower = {0, 0, (row / (double)rows - 0.5) * height};
            Vec3 upper = {0, 0, ((row + 1) / (double)rows - 0.5) * height};
            soup_quad(soup, vec3_add(p, lower), vec3_add(q, lower), vec3_add(q, upper), vec3_add(p, upper));
        }
        if (!ends) continue;
        Vec3 half = {0, 0, height / 2};
        soup_triangle(soup, vec3_neg(half), vec3_sub(q, half), vec3_sub(p, half));
        soup_triangle(soup, half, vec3_add(p, half), vec3_add(q, half));
    }
}

static inline Vec3 sphere_point(double radius, int slices, int bands, int slice, int band) {
    if (band == 0) return vec3(0, 0, -radius);
    if (band == bands) return vec3(0, 0, radius);
    double a = 2 * M_PI * (slice % slices) / slices, b = M_PI * band / bands - M_PI / 2;
    return vec3(radius * cos(b) * cos(a), radius * cos(b) * sin(a), radius * sin(b));
}

static inline void soup_sphere(Soup *soup, double radius, int slices, int bands) {
    for (int band = 0; band < bands; band++)
        for (int slice = 0; slice < slices; slice++) {
            Vec3 a = sphere_point(radius, slices, bands, slice, band);
            Vec3 b = sphere_point(radius, slices, bands, slice + 1, band);
            Vec3 c = sphere_point(radius, slices, bands, slice + 1, band + 1);
            Vec3 d = sphere_point(radius, slices, bands, slice, band + 1);
            if (band > 0) soup_triangle(soup, a, b, c);
            if (band < bands - 1) soup_triangle(soup, a, c, d);
        }
}

// Turns a random half of the triangles over: meshes may face any way.
static inline void soup_turn_some(Soup *soup, uint64_t seed) {
    Random random = {seed};
    for (size_t i = 0; i + 2 < soup->corners.count; i += 3) {
        if (random_uniform(&random) < 0.5) continue;
        Vec3 kept = soup->corners.data[i];
        soup->corners.data[i] = soup->corners.data[i + 1];
        soup->corners.data[i + 1] = kept;
    }
}

static inline void soup_to_floats(Soup *soup) {
    for (size_t i = 0; i < soup->corners.count; i++) {
        Vec3 *p = &soup->corners.data[i];
        *p = vec3((float)p->x, (float)p->y, (float)p->z);
    }
}

// Frees the soup.
static inline Mesh *soup_mesh(Soup *soup) {
    Mesh *mesh;
    MrcError error = {0};
    MrcStatus status = mesh_create(&mesh, soup->corners.data, soup->corners.count / 3, "test", &error);
    if (status != MRC_OK) print_error("%s\n", error.text);
    assert_int_equal(status, MRC_OK);
    array_free(&soup->corners);
    return mesh;
}

// ---- STL -----------------------------------------------------------------------------------------
typedef struct Bytes {
    ARRAY(char) data;
} Bytes;

static inline void bytes_add(Bytes *bytes, const void *data, size_t length) {
    for (size_t i = 0; i < length; i++) assert_true(array_push(&bytes->data, ((const char *)data)[i]));
}

static inline void bytes_end(Bytes *bytes) { // a NUL that does not count
    bytes_add(bytes, "", 1);
    bytes->data.count--;
}

static inline Bytes soup_binary(const Soup *soup, const char *header) {
    Bytes bytes = {0};
    char start[80] = {0};
    strncpy(start, header, sizeof start - 1);
    uint32_t count = (uint32_t)(soup->corners.count / 3);
    bytes_add(&bytes, start, sizeof start);
    bytes_add(&bytes, &count, 4);
    for (size_t i = 0; i < soup->corners.count; i++) {
        const Vec3 *p = &soup->corners.data[i];
        float corner[3] = {(float)p->x, (float)p->y, (float)p->z}, normal[3] = {0};
        if (i % 3 == 0) bytes_add(&bytes, normal, 12);
        bytes_add(&bytes, corner, 12);
        if (i % 3 == 2) bytes_add(&bytes, "\0\0", 2);
    }
    bytes_end(&bytes);
    return bytes;
}

static inline Bytes soup_ascii(const Soup *soup) {
    Bytes bytes = {0};
    char line[200];
    bytes_add(&bytes, "solid a test\n", 13);
    for (size_t i = 0; i < soup->corners.count; i += 3) {
        int length = snprintf(line, sizeof line, "  facet normal 0 0 0\n    outer loop\n");
        bytes_add(&bytes, line, (size_t)length);
        for (size_t k = i; k < i + 3; k++) {
            const Vec3 *p = &soup->corners.data[k];
            length = snprintf(line, sizeof line, "      vertex %.9g %.9g %.9g\n", p->x, p->y, p->z);
            bytes_add(&bytes, line, (size_t)length);
        }
        bytes_add(&bytes, "    endloop\n  endfacet\n", 23);
    }
    bytes_add(&bytes, "endsolid a test\n", 16);
    bytes_end(&bytes);
    return bytes;
}

#endif
