// Binary: 80 bytes of anything, the number n of triangles (32 bit, little endian), then n records of 50
// bytes: normal and three corners as 12 floats, and two bytes of anything. Text:
//
//     solid NAME
//     facet normal 0 0 1
//     outer loop
//     vertex 0 0 0
//     vertex 1 0 0
//     vertex 0 1 0
//     endloop
//     endfacet
//     endsolid NAME
//
// with more facets and more solids. A file is binary when its length is exactly 84 + 50 n: the word "solid"
// at its start says nothing, as many programs write it into the 80 bytes too. The normals are not used: the
// corners say more.
#include "geometry/stl.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/file.h"
#include "base/number.h"
#include "geometry/mesh.h"

enum { stl_header = 80, stl_start = 84, stl_record = 50 };

// ---- binary --------------------------------------------------------------------------------------
static uint32_t stl_read_uint32(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double stl_read_float(const char *bytes) {
    uint32_t bits = stl_read_uint32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static MrcStatus stl_parse_binary(StlTriangles *triangles, const char *bytes, size_t count, const char *name,
                                  MrcError *error) {
    if (!array_resize(&triangles->corners, 3 * count)) return error_memory(error, name);
    for (size_t i = 0; i < 3 * count; i++) {
        const char *corner = bytes + stl_start + i / 3 * stl_record + 12 * (1 + i % 3);
        Vec3 p = {stl_read_float(corner), stl_read_float(corner + 4), stl_read_float(corner + 8)};
        if (!vec3_is_finite(p))
            return error_set(error, MRC_READ_FAILED,
                             "cannot read '%s': a corner of triangle %zu is not a finite number", name,
                             i / 3 + 1);
        triangles->corners.data[i] = p;
    }
    return MRC_OK;
}

// ---- text ----------------------------------------------------------------------------------------
typedef struct StlText {
    const char *at, *end; // what is left; *end is NUL
    const char *name;
    int line;
    MrcError *error;
    MrcStatus status; // the first error
} StlText;

static bool stl_fail(StlText *text, const char *problem) {
    if (text->status == MRC_OK)
        text->status = error_set(text->error, MRC_READ_FAILED, "cannot read '%s': line %d: %s", text->name,
                                 text->line, problem);
    return false;
}

static void stl_skip_space(StlText *text) {
    for (; text->at < text->end && isspace((unsigned char)*text->at); text->at++)
        if (*text->at == '\n') text->line++;
}

static void stl_skip_line(StlText *text) {
    while (text->at < text->end && *text->at != '\n') text->at++;
}

// Takes the word when it comes next.
static bool stl_take(StlText *text, const char *word) {
    size_t length = strlen(word);
    stl_skip_space(text);
    if ((size_t)(text->end - text->at) < length || strncasecmp(text->at, word, length) != 0) return false;
    if (text->at + length < text->end && !isspace((unsigned char)text->at[length])) return false;
    text->at += length;
    return true;
}

static bool stl_expect(StlText *text, const char *word) {
    if (stl_take(text, word)) return true;
    if (text->at == text->end) return stl_fail(text, "the file ends in the middle of a solid");
    char problem[64];
    snprintf(problem, sizeof problem, "'%s' should come here", word);
    return stl_fail(text, problem);
}

static bool stl_take_number(StlText *text, double *value) {
    stl_skip_space(text);
    char *after;
    *value = number_read(text->at, &after);
    if (after == text->at)
        return stl_fail(text, text->at == text->end ? "the file ends in the middle of a solid"
                                                    : "a number should come here");
    text->at = after;
    return true;
}

static bool stl_take_vector(StlText *text, Vec3 *v) {
    return stl_take_number(text, &v->x) && stl_take_number(text, &v->y) && stl_take_number(text, &v->z);
}

static bool stl_take_facet(StlText *text, StlTriangles *triangles) {
    Vec3 p; // the normal may be anything, even NaN: some programs write that for thin triangles
    if (!stl_expect(text, "normal") || !stl_take_vector(text, &p) || !stl_expect(text, "outer") ||
        !stl_expect(text, "loop"))
        return false;
    for (int corner = 0; corner < 3; corner++) {
        if (!stl_expect(text, "vertex") || !stl_take_vector(text, &p)) return false;
        if (!vec3_is_finite(p)) return stl_fail(text, "a vertex is not a finite number");
        if (triangles->corners.count >= 3 * (size_t)MESH_TRIANGLES_MAX)
            return stl_fail(text, "more triangles than Maraca takes");
        if (!array_push(&triangles->corners, p)) {
            text->status = error_memory(text->error, text->name);
            return false;
        }
    }
    return stl_expect(text, "endloop") && stl_expect(text, "endfacet");
}

static MrcStatus stl_parse_text(StlTriangles *triangles, const char *bytes, size_t length, const char *name,
                                MrcError *error) {
    StlText text = {.at = bytes, .end = bytes + length, .name = name, .line = 1, .error = error};
    while (text.status == MRC_OK && stl_expect(&text, "solid")) {
        stl_skip_line(&text);
        while (stl_take(&text, "facet"))
            if (!stl_take_facet(&text, triangles)) return text.status;
        if (!stl_expect(&text, "endsolid")) return text.status;
        stl_skip_line(&text);
        stl_skip_space(&text);
        if (text.at == text.end) break;
    }
    return text.status;
}

// ---- either --------------------------------------------------------------------------------------
static bool stl_starts_with_solid(const char *bytes, size_t length) {
    StlText text = {.at = bytes, .end = bytes + length};
    return stl_take(&text, "solid");
}

// Text has no NUL; whether the file begins with "solid" or not, a NUL makes it binary.
static MrcStatus stl_wrong_length(size_t length, size_t count, const char *name, MrcError *error) {
    if (length < stl_start)
        return error_set(error, MRC_READ_FAILED,
                         "cannot read '%s': it is neither a text STL file nor long enough for a binary one",
                         name);
    return error_set(
        error, MRC_READ_FAILED,
        "cannot read '%s': a binary STL file of %zu triangles has %zu bytes, this one has %zu; is "
        "it cut off, or not an STL file?",
        name, count, stl_start + stl_record * count, length);
}

MrcStatus stl_parse(StlTriangles *triangles, const char *text, size_t length, const char *name,
                    MrcError *error) {
    size_t count = length >= stl_start ? stl_read_uint32(text + stl_header) : 0;
    bool binary = length >= stl_start && length == stl_start + stl_record * count;
    triangles->corners.count = 0;
    if (binary && count > MESH_TRIANGLES_MAX)
        return error_set(error, MRC_READ_FAILED, "cannot read '%s': it has %zu triangles, more than %d", name,
                         count, MESH_TRIANGLES_MAX);
    MrcStatus status;
    if (binary) status = stl_parse_binary(triangles, text, count, name, error);
    else if (stl_starts_with_solid(text, length) && !memchr(text, '\0', length))
        status = stl_parse_text(triangles, text, length, name, error);
    else return stl_wrong_length(length, count, name, error);
    if (status == MRC_OK && triangles->corners.count == 0)
        return error_set(error, MRC_READ_FAILED, "cannot read '%s': it has no triangles", name);
    return status;
}

MrcStatus stl_read(StlTriangles *triangles, const char *path, MrcError *error) {
    char *text;
    size_t length, limit = stl_start + (size_t)stl_record * MESH_TRIANGLES_MAX;
    MrcStatus status = file_read(path, limit, &text, &length, error);
    if (status != MRC_OK) return status;
    status = stl_parse(triangles, text, length, path, error);
    free(text);
    return status;
}

void stl_free(StlTriangles *triangles) { array_free(&triangles->corners); }
