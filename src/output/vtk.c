#include "output/vtk.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

// A file is written in two passes over the same blocks: first their descriptions with offsets, in XML, then
// their bytes. A block in the file is its length in bytes (UInt64), then its values.
enum { vtk_blocks_max = 32, vtk_chunk_items = 4096 };

typedef enum VtkFormat { VTK_INT32, VTK_INT64, VTK_FLOAT32, VTK_FLOAT64 } VtkFormat;

static const struct {
    const char *name;
    size_t size;
} vtk_formats[] = {
    [VTK_INT32] = {"Int32", 4},
    [VTK_INT64] = {"Int64", 8},
    [VTK_FLOAT32] = {"Float32", 4},
    [VTK_FLOAT64] = {"Float64", 8},
};

typedef struct VtkBlock {
    VtkFormat format;
    size_t count;     // items
    VtkArray array;   // values of the items; its name is the block's
    const int *plain; // VTK_INT32: the values; NULL: first, first + 1, ...
    int first;
} VtkBlock;

typedef struct VtkWriter {
    FileWriter file;
    uint64_t offset; // of the next block in the appended data [bytes]
    VtkBlock blocks[vtk_blocks_max];
    int block_count;
} VtkWriter;

// ---- arrays --------------------------------------------------------------------------------------
VtkArray vtk_scalars(const char *name, const double *values) {
    return (VtkArray){.name = name, .components = 1, .values = {values}, .stride = 1};
}

VtkArray vtk_vectors(const char *name, const double *x, const double *y, const double *z) {
    return (VtkArray){.name = name, .components = 3, .values = {x, y, z}, .stride = 1};
}

VtkArray vtk_quaternions(const char *name, const double *const values[4]) {
    return (VtkArray){
        .name = name, .components = 4, .values = {values[0], values[1], values[2], values[3]}, .stride = 1};
}

VtkArray vtk_vec3s(const char *name, const Vec3 *values) {
    const double *first = (const double *)values; // arithmetic on NULL (no items) is not allowed
    VtkArray array = {.name = name, .components = 3, .stride = sizeof(Vec3) / sizeof(double)};
    for (int k = 0; k < 3; k++) array.values[k] = first ? first + k : NULL;
    return array;
}

VtkArray vtk_integers(const char *name, const int64_t *values) {
    return (VtkArray){.name = name, .components = 1, .integers = values};
}

// ---- XML -----------------------------------------------------------------------------------------
// The text of an attribute. Bytes that XML does not allow become '?'.
static void vtk_xml_text(FILE *stream, const char *text) {
    while (*text) {
        size_t length = text_utf8(text);
        if (length == 0 || (length == 1 && (unsigned char)*text < 0x20)) fputc('?', stream);
        else if (*text == '&') fputs("&amp;", stream);
        else if (*text == '<') fputs("&lt;", stream);
        else if (*text == '>') fputs("&gt;", stream);
        else if (*text == '"') fputs("&quot;", stream);
        else fwrite(text, 1, length, stream);
        text += length ? length : 1;
    }
}

static void vtk_xml_number(FILE *stream, double value) {
    char buffer[TEXT_NUMBER_SIZE];
    text_number(buffer, value);
    fputs(buffer, stream);
}

static const char *vtk_byte_order(void) {
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low ? "LittleEndian" : "BigEndian";
}

static void vtk_xml_begin(FILE *stream, const char *type) {
    fprintf(stream,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n",
            type, vtk_byte_order());
}

// ---- blocks --------------------------------------------------------------------------------------
static size_t vtk_block_bytes(const VtkBlock *block) {
    return block->count * (size_t)block->array.components * vtk_formats[block->format].size;
}

// Describes the block and lists it for the second pass.
static void vtk_block_declare(VtkWriter *writer, VtkBlock block) {
    FILE *stream = writer->file.stream;
    assert(writer->block_count < vtk_blocks_max);
    assert(block.array.components == 1 || block.array.components == 3 || block.array.components == 4);
    fprintf(stream, "        <DataArray type=\"%s\" Name=\"", vtk_formats[block.format].name);
    vtk_xml_text(stream, block.array.name);
    fprintf(stream, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n",
            block.array.components, (unsigned long long)writer->offset);
    writer->offset += sizeof(uint64_t) + vtk_block_bytes(&block);
    writer->blocks[writer->block_count++] = block;
}

static double vtk_block_value(const VtkArray *array, size_t item, int component) {
    return array->values[component][item * array->stride];
}

typedef union VtkChunk {
    int32_t int32s[vtk_chunk_items];
    int64_t int64s[vtk_chunk_items];
    float floats[4 * vtk_chunk_items];
    double doubles[3 * vtk_chunk_items];
} VtkChunk;

// Items [start, start + count) as they stand in the file.
static void vtk_block_convert(const VtkBlock *block, size_t start, size_t count, VtkChunk *chunk) {
    int components = block->array.components;
    size_t filled = 0;
    for (size_t item = start; item < start + count; item++) {
        if (block->format == VTK_INT64) chunk->int64s[filled++] = block->array.integers[item];
        else if (block->format == VTK_INT32)
            chunk->int32s[filled++] = block->plain ? block->plain[item] : block->first + (int32_t)item;
        else
            for (int k = 0; k < components; k++, filled++) {
                double value = vtk_block_value(&block->array, item, k);
                if (block->format == VTK_FLOAT64) chunk->doubles[filled] = value;
                else chunk->floats[filled] = (float)value;
            }
    }
}

static void vtk_block_write(const VtkBlock *block, FILE *stream) {
    VtkChunk chunk;
    uint64_t bytes = vtk_block_bytes(block);
    size_t item_bytes = block->count ? bytes / block->count : 0;
    fwrite(&bytes, sizeof bytes, 1, stream);
    for (size_t start = 0; start < block->count; start += vtk_chunk_items) {
        size_t left = block->count - start, count = left < vtk_chunk_items ? left : vtk_chunk_items;
        vtk_block_convert(block, start, count, &chunk);
        fwrite(&chunk, item_bytes, count, stream);
    }
}

static void vtk_blocks_declare(VtkWriter *writer, const char *element, const VtkArray *arrays,
                               int array_count, size_t count) {
    fprintf(writer->file.stream, "      <%s>\n", element);
    for (int i = 0; i < array_count; i++) {
        VtkFormat format = arrays[i].integers ? VTK_INT64 : VTK_FLOAT32;
        vtk_block_declare(writer, (VtkBlock){.format = format, .count = count, .array = arrays[i]});
    }
    fprintf(writer->file.stream, "      </%s>\n", element);
}

static void vtk_points_declare(VtkWriter *writer, VtkArray positions, size_t count) {
    positions.name = "Points";
    assert(positions.components == 3 && !positions.integers);
    fprintf(writer->file.stream, "      <Points>\n");
    vtk_block_declare(writer, (VtkBlock){.format = VTK_FLOAT64, .count = count, .array = positions});
    fprintf(writer->file.stream, "      </Points>\n");
}

// Vertices or polygons: the corners of all, and for each the index after its last corner.
static void vtk_cells_declare(VtkWriter *writer, const char *element, VtkBlock corners, VtkBlock ends) {
    corners.format = ends.format = VTK_INT32;
    corners.array = (VtkArray){.name = "connectivity", .components = 1};
    ends.array = (VtkArray){.name = "offsets", .components = 1};
    fprintf(writer->file.stream, "      <%s>\n", element);
    vtk_block_declare(writer, corners);
    vtk_block_declare(writer, ends);
    fprintf(writer->file.stream, "      </%s>\n", element);
}

// ---- files ---------------------------------------------------------------------------------------
static MrcStatus vtk_begin(VtkWriter *writer, const char *path, double time, size_t points, size_t vertices,
                           size_t lines, size_t polygons, MrcError *error) {
    *writer = (VtkWriter){.offset = 0};
    if (points > INT32_MAX || polygons > INT32_MAX)
        return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': more than %d points", path, INT32_MAX);
    MrcStatus status = file_open(&writer->file, path, error);
    if (status != MRC_OK) return status;
    FILE *stream = writer->file.stream;
    vtk_xml_begin(stream, "PolyData");
    fprintf(stream, "  <PolyData>\n    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                    "NumberOfTuples=\"1\" format=\"ascii\">");
    vtk_xml_number(stream, time);
    fprintf(stream,
            "</DataArray>\n    </FieldData>\n    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" "
            "NumberOfLines=\"%zu\" NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
            points, vertices, lines, polygons);
    return MRC_OK;
}

static MrcStatus vtk_end(VtkWriter *writer, MrcError *error) {
    FILE *stream = writer->file.stream;
    fprintf(stream, "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < writer->block_count; i++) vtk_block_write(&writer->blocks[i], stream);
    fprintf(stream, "\n  </AppendedData>\n</VTKFile>\n");
    return file_commit(&writer->file, error); // checks whether all of it worked
}

MrcStatus vtk_write_points(const char *path, double time, size_t count, VtkArray positions,
                           const VtkArray *arrays, int array_count, MrcError *error) {
    VtkWriter writer;
    MrcStatus status = vtk_begin(&writer, path, time, count, count, 0, 0, error);
    if (status != MRC_OK) return status;
    vtk_blocks_declare(&writer, "PointData", arrays, array_count, count);
    vtk_points_declare(&writer, positions, count);
    vtk_cells_declare(&writer, "Verts", (VtkBlock){.count = count, .first = 0},
                      (VtkBlock){.count = count, .first = 1});
    return vtk_end(&writer, error);
}

MrcStatus vtk_write_surface(const char *path, double time, size_t count, VtkArray positions,
                            const VtkCells *polygons, const VtkArray *arrays, int array_count,
                            MrcError *error) {
    VtkWriter writer;
    MrcStatus status = vtk_begin(&writer, path, time, count, 0, 0, polygons->end_count, error);
    if (status != MRC_OK) return status;
    vtk_blocks_declare(&writer, "CellData", arrays, array_count, polygons->end_count);
    vtk_points_declare(&writer, positions, count);
    vtk_cells_declare(&writer, "Polys",
                      (VtkBlock){.count = polygons->corner_count, .plain = polygons->corners},
                      (VtkBlock){.count = polygons->end_count, .plain = polygons->ends});
    return vtk_end(&writer, error);
}

MrcStatus vtk_write_lines(const char *path, double time, size_t count, VtkArray positions,
                          const VtkCells *lines, const VtkArray *arrays, int array_count, MrcError *error) {
    VtkWriter writer;
    MrcStatus status = vtk_begin(&writer, path, time, count, lines->mark_count, lines->end_count, 0, error);
    if (status != MRC_OK) return status;
    vtk_blocks_declare(&writer, "PointData", arrays, array_count, count);
    vtk_points_declare(&writer, positions, count);
    vtk_cells_declare(&writer, "Verts", (VtkBlock){.count = lines->mark_count, .plain = lines->marks},
                      (VtkBlock){.count = lines->mark_count, .first = 1});
    vtk_cells_declare(&writer, "Lines", (VtkBlock){.count = lines->corner_count, .plain = lines->corners},
                      (VtkBlock){.count = lines->end_count, .plain = lines->ends});
    return vtk_end(&writer, error);
}

MrcStatus vtk_write_collection(const char *path, const VtkEntry *entries, size_t count, MrcError *error) {
    FileWriter file;
    MrcStatus status = file_open(&file, path, error);
    if (status != MRC_OK) return status;
    vtk_xml_begin(file.stream, "Collection");
    fprintf(file.stream, "  <Collection>\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(file.stream, "    <DataSet timestep=\"");
        vtk_xml_number(file.stream, entries[i].time);
        fprintf(file.stream, "\" group=\"\" part=\"%d\" name=\"", entries[i].part);
        vtk_xml_text(file.stream, entries[i].name ? entries[i].name : "");
        fprintf(file.stream, "\" file=\"");
        vtk_xml_text(file.stream, entries[i].file);
        fprintf(file.stream, "\"/>\n");
    }
    fprintf(file.stream, "  </Collection>\n</VTKFile>\n");
    return file_commit(&file, error);
}
