// A bed from a CSV file: a line of names with units, as in series.csv, then one line per grain.
//
//     x[mm],y[mm],z[mm],radius[mm],vx[m/s],vy[m/s],vz[m/s]
//     0.5,-1.25,3,1,0,0,0
//
// Columns may come in any order; a name without a unit is in SI. Empty lines and lines that begin with '#'
// are skipped. Messages name the line.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/text.h"
#include "grains/grain_sizes.h"
#include "grains/packing_internal.h"
#include "math/expression.h"

typedef struct KnownColumn {
    const char *name;
    Dimension dimension;
} KnownColumn;

// In the order of KnownColumn.
#define KNOWN_COLUMNS                                                                                        \
    {                                                                                                        \
        {"x", DIM_LENGTH}, {"y", DIM_LENGTH}, {"z", DIM_LENGTH}, {"radius", DIM_LENGTH},                     \
            {"vx", DIM_VELOCITY}, {"vy", DIM_VELOCITY}, {"vz", DIM_VELOCITY}, {"wx", DIM_ANGULAR_VELOCITY},  \
            {"wy", DIM_ANGULAR_VELOCITY}, {"wz", DIM_ANGULAR_VELOCITY}, {"turn_x", DIM_ANGLE},               \
            {"turn_y", DIM_ANGLE}, {"turn_z", DIM_ANGLE}, {"kind", DIM_NUMBER}, {"form", DIM_NUMBER},        \
    }

enum { FILE_BYTES_MAX = 2000000000 };

typedef struct BedReader {
    const char *path;
    Arena *arena;
    char *next; // line
    int line;   // of the last one read, from 1
    int column_count;
    int kind[BED_COLUMN_COUNT];      // of each column: a KnownColumn
    double factor[BED_COLUMN_COUNT]; // to SI
    BedData *bed;
} BedReader;

// The next line that holds something, without its end; NULL after the last.
static char *packing_file_read_line(BedReader *reader) {
    while (*reader->next) {
        char *line = reader->next, *end = line + strcspn(line, "\r\n");
        reader->next = end + (*end == '\r' && end[1] == '\n') + (*end != '\0');
        reader->line++;
        *end = '\0';
        line += strspn(line, " \t");
        if (*line && *line != '#') return line;
    }
    return NULL;
}

// Cuts the next field off the rest of a line, blanks around it removed; NULL after the last.
static char *packing_file_read_field(char **rest) {
    char *field = *rest;
    if (!field) return NULL;
    char *comma = strchr(field, ',');
    *rest = comma ? comma + 1 : NULL;
    if (comma) *comma = '\0';
    field += strspn(field, " \t\"");
    size_t length = strlen(field);
    while (length > 0 && (isspace((unsigned char)field[length - 1]) || field[length - 1] == '"')) length--;
    field[length] = '\0';
    return field;
}

// ---- the first line ------------------------------------------------------------------------------
static MrcStatus packing_file_read_unit(BedReader *reader, const KnownColumn *column, const char *unit,
                                        double *factor, MrcError *error) {
    ExpressionError wrong;
    Units units;
    char buffer[200];
    if (!expression_units(unit, &units, &wrong))
        return error_set(error, MRC_READ_FAILED, "%s:%d: the unit '%.40s' of column '%s': %s", reader->path,
                         reader->line, unit, column->name, wrong.text);
    Expression *one = expression_from_value(reader->arena, units.factor, units.dimension);
    if (!one) return error_memory(error, "the bed");
    const char *misfit = expression_misfit(one, column->dimension, buffer, sizeof buffer);
    if (misfit)
        return error_set(error, MRC_READ_FAILED, "%s:%d: the unit of column '%s': %s", reader->path,
                         reader->line, column->name, misfit);
    *factor = units.factor;
    return MRC_OK;
}

static MrcStatus packing_file_unknown_column(const BedReader *reader, const char *name, MrcError *error) {
    static const KnownColumn known[BED_COLUMN_COUNT] = KNOWN_COLUMNS;
    const char *names[BED_COLUMN_COUNT];
    for (int c = 0; c < BED_COLUMN_COUNT; c++) names[c] = known[c].name;
    const char *nearest = nearest_word(name, strlen(name), names, BED_COLUMN_COUNT);
    if (nearest)
        return error_set(error, MRC_READ_FAILED, "%s:%d: unknown column '%.40s'; did you mean '%s'?",
                         reader->path, reader->line, name, nearest);
    return error_set(error, MRC_READ_FAILED,
                     "%s:%d: unknown column; the first line names x, y, z and maybe radius, vx, vy, vz, wx, "
                     "wy, wz, turn_x, turn_y, turn_z, kind, form, each with its unit: x[mm]",
                     reader->path, reader->line);
}

static MrcStatus packing_file_read_column(BedReader *reader, char *name, MrcError *error) {
    static const KnownColumn known[BED_COLUMN_COUNT] = KNOWN_COLUMNS;
    char *bracket = strchr(name, '['), *close = bracket ? strchr(bracket, ']') : NULL;
    if (bracket && (!close || close[1]))
        return error_set(error, MRC_READ_FAILED, "%s:%d: this heading should have the form x[mm]",
                         reader->path, reader->line);
    if (bracket) *bracket = *close = '\0';
    int kind = 0;
    while (kind < BED_COLUMN_COUNT && strcmp(known[kind].name, name) != 0) kind++;
    if (kind == BED_COLUMN_COUNT) return packing_file_unknown_column(reader, name, error);
    for (int c = 0; c < reader->column_count; c++)
        if (reader->kind[c] == kind)
            return error_set(error, MRC_READ_FAILED, "%s:%d: column '%s' is there twice", reader->path,
                             reader->line, name);
    reader->kind[reader->column_count] = kind;
    reader->factor[reader->column_count] = 1;
    if (bracket) {
        MrcStatus status = packing_file_read_unit(reader, &known[kind], bracket + 1,
                                                  &reader->factor[reader->column_count], error);
        if (status != MRC_OK) return status;
    }
    reader->column_count++;
    return MRC_OK;
}

static MrcStatus packing_file_read_head(BedReader *reader, MrcError *error) {
    char *rest = packing_file_read_line(reader);
    if (!rest) return error_set(error, MRC_READ_FAILED, "%s: the file is empty", reader->path);
    for (char *field; (field = packing_file_read_field(&rest));) {
        MrcStatus status = packing_file_read_column(reader, field, error);
        if (status != MRC_OK) return status;
    }
    for (int wanted = BED_X; wanted <= BED_Z; wanted++) {
        bool found = false;
        for (int c = 0; c < reader->column_count; c++) found = found || reader->kind[c] == wanted;
        if (!found)
            return error_set(error, MRC_READ_FAILED, "%s:%d: there is no column '%c'", reader->path,
                             reader->line, "xyz"[wanted]);
    }
    return MRC_OK;
}

// ---- the grains ----------------------------------------------------------------------------------
static MrcStatus packing_file_read_number(const BedReader *reader, int column, const char *field,
                                          size_t grain, MrcError *error) {
    static const KnownColumn known[BED_COLUMN_COUNT] = KNOWN_COLUMNS;
    char *end;
    int kind = reader->kind[column];
    double value = number_read(field, &end), converted = reader->factor[column] * value;
    if (end == field || *end || !isfinite(converted))
        return error_set(error, MRC_READ_FAILED, "%s:%d: '%s' is '%.40s'; expected a number", reader->path,
                         reader->line, known[kind].name, field);
    if (kind == BED_RADIUS && !(value > 0))
        return error_set(error, MRC_READ_FAILED, "%s:%d: 'radius' is %g; it must be greater than 0",
                         reader->path, reader->line, value);
    if ((kind == BED_KIND || kind == BED_FORM) && !(value >= 0 && value < 1e6 && value == floor(value)))
        return error_set(error, MRC_READ_FAILED, "%s:%d: '%s' is %g; it is a number from 0 on", reader->path,
                         reader->line, known[kind].name, value);
    reader->bed->columns[kind][grain] = converted;
    return MRC_OK;
}

static MrcStatus packing_file_read_grain(const BedReader *reader, char *rest, size_t grain, MrcError *error) {
    int column = 0;
    for (char *field; (field = packing_file_read_field(&rest)); column++) {
        if (column == reader->column_count) {
            column++;
            break;
        }
        MrcStatus status = packing_file_read_number(reader, column, field, grain, error);
        if (status != MRC_OK) return status;
    }
    if (column == reader->column_count) return MRC_OK;
    return error_set(error, MRC_READ_FAILED, "%s:%d: %s than the %d numbers that the first line names",
                     reader->path, reader->line, column < reader->column_count ? "fewer" : "more",
                     reader->column_count);
}

// A column of whole numbers, if there is one.
static bool packing_file_make_whole(const BedReader *reader, BedColumn column, const int32_t **numbers) {
    const BedData *bed = reader->bed;
    if (!bed->columns[column]) return true;
    int32_t *made = arena_alloc(reader->arena, (bed->count + 1) * sizeof *made);
    for (size_t i = 0; made && i < bed->count; i++) made[i] = (int32_t)bed->columns[column][i];
    *numbers = made;
    return made != NULL;
}

static MrcStatus packing_file_read_grains(BedReader *reader, MrcError *error) {
    BedData *bed = reader->bed;
    size_t most = 1; // lines that are left
    for (const char *c = reader->next; *c; c++) most += *c == '\n' || *c == '\r';
    for (int c = 0; c < reader->column_count; c++) {
        bed->columns[reader->kind[c]] = arena_alloc(reader->arena, most * sizeof(double));
        if (!bed->columns[reader->kind[c]]) return error_memory(error, "the bed");
    }
    for (char *line; (line = packing_file_read_line(reader)); bed->count++) {
        MrcStatus status = packing_file_read_grain(reader, line, bed->count, error);
        if (status != MRC_OK) return status;
    }
    if (!packing_file_make_whole(reader, BED_KIND, &bed->kinds) ||
        !packing_file_make_whole(reader, BED_FORM, &bed->forms))
        return error_memory(error, "the bed");
    if (bed->count > 0) return MRC_OK;
    return error_set(error, MRC_READ_FAILED, "%s: there are no grains below the first line", reader->path);
}

MrcStatus bed_read(const char *path, Arena *arena, BedData **out, MrcError *error) {
    char *text;
    size_t length;
    BedReader reader = {.path = path, .arena = arena, .bed = arena_alloc(arena, sizeof *reader.bed)};
    *out = NULL;
    if (!reader.bed) return error_memory(error, "the bed");
    MrcStatus status = file_read(path, FILE_BYTES_MAX, &text, &length, error);
    if (status != MRC_OK) return status;
    reader.next = text;
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) reader.next += 3; // a byte order mark, as spreadsheets write
    status = packing_file_read_head(&reader, error);
    if (status == MRC_OK) status = packing_file_read_grains(&reader, error);
    free(text);
    if (status == MRC_OK) *out = reader.bed;
    return status;
}

MrcStatus bed_of_kind(const BedData *bed, int kind, Arena *arena, const BedData **out, MrcError *error) {
    BedData *own = arena_alloc(arena, sizeof *own);
    int32_t *forms = bed->forms ? arena_alloc(arena, (bed->count + 1) * sizeof *forms) : NULL;
    *out = NULL;
    if (!own || (bed->forms && !forms)) return error_memory(error, "the bed");
    for (int c = 0; c < BED_COLUMN_COUNT; c++) {
        if (!bed->columns[c]) continue;
        own->columns[c] = arena_alloc(arena, (bed->count + 1) * sizeof(double));
        if (!own->columns[c]) return error_memory(error, "the bed");
    }
    for (size_t i = 0; i < bed->count; i++) {
        if (bed->kinds[i] != kind) continue;
        for (int c = 0; c < BED_COLUMN_COUNT; c++)
            if (own->columns[c]) own->columns[c][own->count] = bed->columns[c][i];
        if (forms) forms[own->count] = bed->forms[i];
        own->count++;
    }
    own->forms = forms;
    if (own->count > 0) *out = own;
    return MRC_OK;
}

// ---- the packing ---------------------------------------------------------------------------------
static const SchemaKey packing_file_keys[] = {
    {"path", TEXT(PackingDefinition, path), .required = true,
     .doc = "Name of the file, relative to the model file that names it."},
};
static const SchemaObject packing_file_schema = {
    .name = "file",
    .doc =
        "Grains from a CSV file. Its first line names the columns with their units, as in series.csv: "
        "`x[mm],y[mm],z[mm]` and, if wanted, `radius[mm]`, the velocities `vx[m/s]`, `vy[m/s]`, `vz[m/s]` "
        "and the "
        "angular velocities `wx[rad/s]`, `wy[rad/s]`, `wz[rad/s]`, and for grains that are not spheres the "
        "rotation vector `turn_x[deg]`, `turn_y[deg]`, `turn_z[deg]` from the port's axes, in any order. "
        "Where there are several kinds of grains, `kind` is the number of its kind, and `form` that of its "
        "form "
        "among those of its kind, both from 0; without it, grains take turns with the forms. "
        "Each line below is one grain. "
        "Places are in the axes of the port, velocities too, and on top of its own.",
    .size = sizeof(PackingDefinition),
    SCHEMA_KEYS(packing_file_keys),
};

static void packing_file_check_forms(const GrainsDefinition *d, const Findings *findings) {
    const BedData *bed = d->bed;
    for (size_t i = 0; bed && bed->forms && i < bed->count; i++) {
        int kind = bed->kinds ? bed->kinds[i] : 0;
        if (kind >= grains_kind_count(d)) return; // reported elsewhere
        int most = grains_kind(d, kind)->shape_count;
        if (bed->forms[i] < (most > 0 ? most : 1)) continue;
        findings_error(findings, &d->packing.path,
                       "'%s' has a grain of form %d, but the 'shape' of its kind has %d form%s",
                       d->packing.path, bed->forms[i], most > 0 ? most : 1, most > 1 ? "s" : "");
        return;
    }
}

// Keys for what is in the file already are errors.
static void packing_file_check_kind(const ParticlesDefinition *p, const char *path,
                                    const Findings *findings) {
    const SizesDefinition *z = &p->sizes;
    bool radii = p->bed && p->bed->columns[BED_RADIUS];
    const struct {
        const char *name;
        const void *member;
        bool given;
    } amounts[] = {{"count", &p->count, p->count > 0},
                   {"total_mass", &p->total_mass, p->total_mass > 0},
                   {"filling", &p->filling, p->filling > 0}};
    for (int i = 0; i < 3; i++)
        if (amounts[i].given)
            findings_error(findings, amounts[i].member,
                           "'%s' cannot be given: '%s' says how many grains there are", amounts[i].name,
                           path);
    if (radii && p->radius > 0)
        findings_error(findings, &p->radius, "'radius' cannot be given: '%s' says how large the grains are",
                       path);
    if (radii && grain_sizes_are_given(z))
        findings_object_error(findings, z, "'sizes' cannot be given: '%s' says how large the grains are",
                              path);
}

void packing_file_check(const GrainsDefinition *d, Vec3 gravity, const Findings *findings) {
    const char *path = d->packing.path;
    (void)gravity;
    if (!path) return; // reported elsewhere
    for (size_t i = 0; d->bed && d->bed->kinds && i < d->bed->count; i++)
        if (d->bed->kinds[i] >= grains_kind_count(d)) {
            findings_error(findings, &d->packing.path,
                           "'%s' has grains of kind %d, but 'particles' has %d kind%s", path,
                           d->bed->kinds[i], grains_kind_count(d), d->more_count ? "s" : "");
            break;
        }
    packing_file_check_forms(d, findings);
    for (int k = 0; k < grains_kind_count(d); k++) packing_file_check_kind(grains_kind(d, k), path, findings);
}

static const char *const *packing_file_member(const PackingDefinition *packing) {
    return packing->path ? &packing->path : NULL;
}

MrcStatus packing_file_place(const Room *room, const GrainsSetting *setting, GrainStore *store,
                             MrcError *error) {
    const GrainsDefinition *d = room->definition;
    (void)setting;
    const BedData *bed = d->bed;
    if (!bed) return error_set(error, MRC_PACKING, "grains '%s': no file was read", d->name);
    double *const arrays[BED_TX] = {store->x,  store->y,  store->z,  store->radius, store->vx,
                                    store->vy, store->vz, store->wx, store->wy,     store->wz};
    for (int c = 0; c < BED_TX; c++)
        if (bed->columns[c] && c != BED_RADIUS) // radii are there already
            memcpy(arrays[c], bed->columns[c], store->count * sizeof(double));
    if (!store->qw || !(bed->columns[BED_TX] || bed->columns[BED_TY] || bed->columns[BED_TZ])) return MRC_OK;
    for (size_t i = 0; i < store->count; i++) {
        double turn[3];
        for (int k = 0; k < 3; k++) turn[k] = bed->columns[BED_TX + k] ? bed->columns[BED_TX + k][i] : 0;
        Quaternion q = quaternion_from_rotation_vector(vec3(turn[0], turn[1], turn[2]));
        store->qw[i] = q.w, store->qx[i] = q.x, store->qy[i] = q.y, store->qz[i] = q.z;
    }
    return MRC_OK;
}

static void packing_file_describe(const PackingDefinition *packing, Text *text) {
    text_add(text, "as in the file %s", packing->path);
}

const PackingType packing_type_file = {
    .schema = {.alternative = {.key = "file", .object = &packing_file_schema, .doc = "Read from a file."}},
    .given = true,
    .check = packing_file_check,
    .file = packing_file_member,
    .describe = packing_file_describe,
    .place = packing_file_place,
};
