// A stability map for people, for programs and as a picture.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stability.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "output/heat_map.h"

// ---- what the map says ---------------------------------------------------------------------------
typedef struct Findings {
    int stable;    // points
    int largest;   // index of the point with the largest radius
    int slowest;   // index of the point where the tight scheme's iteration contracts least
    int divergent; // points where that iteration does not converge
} Findings;

static Findings find(const MrcStabilityMap *map) {
    Findings f = {0};
    for (int i = 0; i < map->rows * map->columns; i++) {
        f.stable += stability_is_stable(map->radius[i]);
        if (map->radius[i] > map->radius[f.largest]) f.largest = i;
        if (!map->contraction) continue;
        f.divergent += fabs(map->contraction[i]) >= 1;
        if (fabs(map->contraction[i]) > fabs(map->contraction[f.slowest])) f.slowest = i;
    }
    return f;
}

// The next stretch of rows, from *row on, that are stable at every omega h; false when there is none.
static bool next_stretch(const MrcStabilityMap *map, int *row, int *first, int *last) {
    while (*row < map->rows && !stability_row_is_stable(map, *row)) ++*row;
    if (*row == map->rows) return false;
    *first = *row;
    while (*row < map->rows && stability_row_is_stable(map, *row)) ++*row;
    *last = *row - 1;
    return true;
}

// "explicit scheme, index-1 inputs, gauss-seidel"
static void title(const MrcStabilityMap *map, char *text, size_t size) {
    const char *parts[][2] = {
        {map->inputs, " inputs"}, {map->order, ""}, {map->extrapolation, " extrapolation"}};
    size_t length = (size_t)snprintf(text, size, "%s scheme", map->scheme);
    for (int i = 0; i < 3; i++)
        if (parts[i][0] && strcmp(parts[i][0], "none") != 0 && length < size)
            length += (size_t)snprintf(text + length, size - length, ", %s%s", parts[i][0], parts[i][1]);
}

void stability_subtitle(const MrcStabilityMap *map, char *text, int size) {
    const TwoMassParameters *p = &map->parameters;
    int length = snprintf(text, (size_t)size, "m2/m1 = %g, omega2/omega1 = %g, xi1 = %g, xi2/xi1 = %g",
                          p->mass_ratio, p->frequency_ratio, p->xi1, p->damping_ratio);
    if (p->substeps > 1 && length < size)
        snprintf(text + length, (size_t)(size - length), ", %d sub-steps", p->substeps);
}

// ---- for people ----------------------------------------------------------------------------------
enum { picture_rows = 21, picture_columns = 70, table_points = 30 };

static int sampled(int k, int shown, int count) { return shown == 1 ? 0 : k * (count - 1) / (shown - 1); }

static char letter(double radius) {
    if (stability_is_stable(radius)) return '.';
    return radius <= 1.01 ? '+' : '#';
}

static void add_picture(Text *text, const MrcStabilityMap *map) {
    int rows = map->rows < picture_rows ? map->rows : picture_rows;
    int columns = map->columns < picture_columns ? map->columns : picture_columns;
    text_add_string(text, "\n  rho_inf\n");
    for (int i = rows - 1; i >= 0; i--) {
        int row = sampled(i, rows, map->rows);
        text_add(text, "  %5.3f  ", map->rho[row]);
        for (int j = 0; j < columns; j++) {
            char one = letter(mrc_stability_radius(map, row, sampled(j, columns, map->columns)));
            text_add_bytes(text, &one, 1);
        }
        text_add_string(text, "\n");
    }
    char first[32], last[32];
    snprintf(first, sizeof first, "%g", map->omega_h[0]);
    snprintf(last, sizeof last, "%g", map->omega_h[map->columns - 1]);
    int gap = columns - (int)strlen(first) - (int)strlen(last);
    text_add(text, "         %s%*s%s  omega h%s\n", first, gap > 1 ? gap : 1, "", last,
             map->logarithmic ? " (logarithmic)" : "");
    text_add_string(text, "  . stable   + grows by up to 1 % a step   # grows faster\n");
}

static void add_table(Text *text, const MrcStabilityMap *map) {
    text_add(text, "\n  %8s  %10s  %18s%s\n", "rho_inf", "omega h", "spectral radius",
             map->contraction ? "  iteration factor" : "");
    for (int i = 0; i < map->rows * map->columns; i++) {
        text_add(text, "  %8.4g  %10.4g  %18.12f", map->rho[i / map->columns], map->omega_h[i % map->columns],
                 map->radius[i]);
        if (map->contraction) text_add(text, "  %16.6f", map->contraction[i]);
        text_add(text, "  %s\n", stability_is_stable(map->radius[i]) ? "stable" : "unstable");
    }
}

static void add_stretches(Text *text, const MrcStabilityMap *map) {
    int row = 0, first, last, found = 0;
    while (next_stretch(map, &row, &first, &last)) {
        text_add_string(text, found++ ? ", " : "  stable at every omega h of the map: rho_inf ");
        if (first == last) text_add(text, "%.4g", map->rho[first]);
        else text_add(text, "%.4g to %.4g", map->rho[first], map->rho[last]);
    }
    text_add_string(text, found ? "\n" : "  no rho_inf of the map is stable at every omega h\n");
}

char *mrc_stability_text(const MrcStabilityMap *map) {
    char name[120], parameters[200];
    int points = map->rows * map->columns;
    Text text = {0};
    Findings f = find(map);
    title(map, name, sizeof name);
    stability_subtitle(map, parameters, sizeof parameters);
    text_add(&text, "Two-mass oscillator, %s\n  %s\n", name, parameters);
    if (points <= table_points) add_table(&text, map);
    else add_picture(&text, map);
    if (points == 1) return text_take(&text);
    text_add(&text,
             "\n  stable at %d of %d points; the largest radius is %.6g, at rho_inf = %.4g, omega h = %.4g\n",
             f.stable, points, map->radius[f.largest], map->rho[f.largest / map->columns],
             map->omega_h[f.largest % map->columns]);
    add_stretches(&text, map);
    if (map->contraction) {
        text_add(&text, "  plain iteration multiplies the error of the load by up to %.4g",
                 map->contraction[f.slowest]);
        text_add(&text, f.divergent ? ": it diverges at %d points and needs acceleration there\n" : "\n",
                 f.divergent);
    }
    return text_take(&text);
}

// ---- for programs --------------------------------------------------------------------------------
char *stability_csv(const MrcStabilityMap *map) {
    char number[3][TEXT_NUMBER_SIZE];
    Text text = {0};
    text_add(&text, "rho,omega_h,radius%s\n", map->contraction ? ",contraction" : "");
    for (int i = 0; i < map->rows * map->columns; i++) {
        text_number(number[0], map->rho[i / map->columns]);
        text_number(number[1], map->omega_h[i % map->columns]);
        text_number(number[2], map->radius[i]);
        text_add(&text, "%s,%s,%s", number[0], number[1], number[2]);
        if (map->contraction) {
            text_number(number[0], map->contraction[i]);
            text_add(&text, ",%s", number[0]);
        }
        text_add_string(&text, "\n");
    }
    return text_take(&text);
}

static void json_list(Json *json, const char *key, const double *values, int count) {
    if (key) json_key(json, key);
    json_array_begin(json);
    for (int i = 0; i < count; i++) json_number(json, values[i]);
    json_array_end(json);
}

static void json_rows(Json *json, const char *key, const MrcStabilityMap *map, const double *values) {
    json_key(json, key);
    json_array_begin(json);
    for (int i = 0; i < map->rows; i++)
        json_list(json, NULL, values + (ptrdiff_t)i * map->columns, map->columns);
    json_array_end(json);
}

static void json_member(Json *json, const char *key, double value) {
    json_key(json, key);
    json_number(json, value);
}

static void json_system(Json *json, const MrcStabilityMap *map) {
    const SchemeSettings *c = &map->settings;
    const TwoMassParameters *p = &map->parameters;
    json_key(json, "scheme");
    json_string(json, map->scheme);
    json_key(json, "inputs");
    json_string(json, map->inputs);
    if (map->inputs && !c->original) {
        json_member(json, "alpha", (double)c->alpha);
        json_member(json, "beta", (double)c->beta);
        json_member(json, "gamma", (double)c->gamma_);
    }
    json_key(json, "order");
    json_string(json, map->order);
    json_key(json, "extrapolation");
    json_string(json, map->extrapolation);
    json_member(json, "mass_ratio", p->mass_ratio);
    json_member(json, "frequency_ratio", p->frequency_ratio);
    json_member(json, "damping_ratio", p->damping_ratio);
    json_member(json, "xi1", p->xi1);
    json_key(json, "substeps");
    json_integer(json, p->substeps);
    json_member(json, "tolerance", STABILITY_TOLERANCE);
}

static void json_findings(Json *json, const MrcStabilityMap *map) {
    Findings f = find(map);
    int row = 0, first, last;
    json_key(json, "stable_points");
    json_integer(json, f.stable);
    json_member(json, "largest_radius", map->radius[f.largest]);
    json_key(json, "stable_rho"); // stretches that are stable at every omega h
    json_array_begin(json);
    while (next_stretch(map, &row, &first, &last))
        json_list(json, NULL, (const double[]){map->rho[first], map->rho[last]}, 2);
    json_array_end(json);
}

char *mrc_stability_json(const MrcStabilityMap *map) {
    Json json = {0};
    json_object_begin(&json);
    json_system(&json, map);
    json_findings(&json, map);
    json_list(&json, "rho", map->rho, map->rows);
    json_list(&json, "omega_h", map->omega_h, map->columns);
    json_rows(&json, "radius", map, map->radius);
    if (map->contraction) json_rows(&json, "contraction", map, map->contraction);
    json_object_end(&json);
    return json_take(&json);
}

// ---- files ---------------------------------------------------------------------------------------
char *stability_svg(const MrcStabilityMap *map) {
    char name[120], whole[160], parameters[200];
    title(map, name, sizeof name);
    snprintf(whole, sizeof whole, "Stability of the %s", name);
    stability_subtitle(map, parameters, sizeof parameters);
    HeatMap picture = {.title = whole,
                       .subtitle = parameters,
                       .x_label = "omega h (frequency of the mechanism times the step)",
                       .y_label = "rho_inf of the mechanism's integrator",
                       .value_label = "spectral radius",
                       .below = "stable",
                       .above = "grows",
                       .columns = map->columns,
                       .rows = map->rows,
                       .x = map->omega_h,
                       .y = map->rho,
                       .x_logarithmic = map->logarithmic,
                       .value = map->radius,
                       .level = 1,
                       .tolerance = STABILITY_TOLERANCE};
    return heat_map_svg(&picture);
}

typedef struct Format {
    const char *ending;
    char *(*write)(const MrcStabilityMap *map);
} Format;

static const Format formats[] = {
    {".csv", stability_csv}, {".json", mrc_stability_json}, {".svg", stability_svg}};

static const Format *format_of(const char *path) {
    const char *name = strrchr(path, '/'), *ending = strrchr(name ? name : path, '.');
    for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(ending, formats[i].ending) == 0) return &formats[i];
    return NULL;
}

MrcStatus mrc_stability_write(const MrcStabilityMap *map, const char *path, MrcError *error) {
    const Format *format = format_of(path);
    if (!format)
        return error_set(error, MRC_USAGE,
                         "'%s': a map is written as .csv, .json or .svg; end the name with one of "
                         "these",
                         path);
    char *text = format->write(map);
    if (!text) return error_memory(error, "the map as text");
    FileWriter file;
    MrcStatus status = file_open(&file, path, error);
    if (status == MRC_OK) {
        fputs(text, file.stream);
        size_t length = strlen(text);
        if (length > 0 && text[length - 1] != '\n') fputc('\n', file.stream);
        status = file_commit(&file, error);
    }
    free(text);
    return status;
}
