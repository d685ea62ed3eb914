// A stability map for people, for programs and as a picture.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/stability.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "output/page.h"
#include "output/pattern.h"
#include "output/plot.h"

// ---- what the map says ---------------------------------------------------------------------------
// The next stretch of rows, from *row on, that are stable at every omega h; false when there is none.
static bool stability_next_stretch(const MrcStabilityMap *map, int *row, int *first, int *last) {
    while (*row < map->rows && !stability_row_is_stable(map, *row)) ++*row;
    if (*row == map->rows) return false;
    *first = *row;
    while (*row < map->rows && stability_row_is_stable(map, *row)) ++*row;
    *last = *row - 1;
    return true;
}

static bool stability_exceeds(const double *values, int count, double limit) {
    for (int k = 0; k < count; k++)
        if (values[k] > limit) return true;
    return false;
}

static const char *stability_caution(const MrcStabilityMap *map) {
    int place = scheme_find(map->scheme);
    const SchemeType *type = place >= 0 ? scheme_types[place] : NULL;
    bool applies = type && stability_exceeds(map->rho, map->rows, type->caution_rho) &&
                   stability_exceeds(map->omega_h, map->columns, type->caution_omega_h);
    return applies ? type->caution : NULL;
}

static void stability_system_facts(const MrcStabilityMap *map, FactList *list) {
    const SchemeSettings *c = &map->settings;
    const TwoMassParameters *p = &map->parameters;
    fact_text(list, "scheme", map->scheme, "scheme");
    fact_text(list, "caution", stability_caution(map), "what the map does not show");
    fact_text(list, "inputs", map->inputs, "inputs");
    if (map->inputs && !c->original) {
        fact_number(list, "alpha", (double)c->alpha, "1", "weight of the position error, times h^2");
        fact_number(list, "beta", (double)c->beta, "1", "weight of the velocity error, times h");
        fact_number(list, "gamma", (double)c->gamma_, "1", "weight of the acceleration error");
    }
    fact_text(list, "order", map->order, "order of the partners");
    fact_text(list, "extrapolation", map->extrapolation, "extrapolation of the load");
    fact_number(list, "mass_ratio", p->mass_ratio, "1", "mass ratio m2/m1");
    fact_number(list, "frequency_ratio", p->frequency_ratio, "1", "frequency ratio omega2/omega1");
    fact_number(list, "damping_ratio", p->damping_ratio, "1", "ratio of the damping ratios xi2/xi1");
    fact_number(list, "xi1", p->xi1, "1", "damping ratio of the mechanism");
    fact_count(list, "substeps", p->substeps, "steps of the grains per step of the mechanism");
    if (p->contact_omega_h > 0) {
        fact_number(list, "contact", p->contact_omega_h, "1", "omega h of the grains on their contact");
        fact_number(list, "contact_damping", p->contact_damping, "1", "damping ratio of the contact");
    }
    fact_number(list, "tolerance", STABILITY_TOLERANCE, "1", "excess over 1 that counts as rounding");
}

static void stability_point_facts(const MrcStabilityMap *map, const char *key, int point, FactList *list) {
    fact_group_begin(list, key);
    fact_number(list, "rho", map->rho[point / map->columns], "1", "rho_inf");
    fact_number(list, "omega_h", map->omega_h[point % map->columns], "1", "omega h");
    fact_group_end(list);
}

static void stability_stretch_facts(const MrcStabilityMap *map, FactList *list) {
    int row = 0, first, last;
    fact_array_begin(list, "stable_rho");
    while (stability_next_stretch(map, &row, &first, &last)) {
        fact_array_begin(list, NULL);
        fact_number(list, NULL, map->rho[first], "1", "first rho_inf that is stable at every omega h");
        fact_number(list, NULL, map->rho[last], "1", "last rho_inf that is stable at every omega h");
        fact_group_end(list);
    }
    fact_group_end(list);
}

static void stability_finding_facts(const MrcStabilityMap *map, FactList *list) {
    int points = map->rows * map->columns, stable = 0, largest = 0, slowest = 0, divergent = 0;
    for (int i = 0; i < points; i++) {
        stable += stability_is_stable(map->radius[i]);
        if (map->radius[i] > map->radius[largest]) largest = i;
        if (!map->contraction) continue;
        divergent += fabs(map->contraction[i]) >= 1;
        if (fabs(map->contraction[i]) > fabs(map->contraction[slowest])) slowest = i;
    }
    fact_count(list, "points", points, "points of the map");
    fact_count(list, "stable_points", stable, "stable points");
    fact_number(list, "largest_radius", map->radius[largest], "1", "largest spectral radius");
    stability_point_facts(map, "largest_radius_at", largest, list);
    stability_stretch_facts(map, list);
    if (!map->contraction) return;
    fact_number(list, "largest_contraction", map->contraction[slowest], "1",
                "factor of the plain iteration where it contracts least");
    fact_count(list, "divergent_points", divergent, "points where the plain iteration diverges");
}

MrcFacts *mrc_stability_facts(const MrcStabilityMap *map) {
    MrcFacts *facts = facts_create();
    if (!facts) return NULL;
    stability_system_facts(map, &facts->list);
    stability_finding_facts(map, &facts->list);
    if (!facts->list.incomplete) return facts;
    mrc_facts_free(facts);
    return NULL;
}

// "explicit scheme, index-1 inputs, gauss-seidel"
static void stability_title(const MrcStabilityMap *map, char *text, size_t size) {
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
        length += snprintf(text + length, (size_t)(size - length), ", %d sub-steps", p->substeps);
    if (p->contact_omega_h > 0 && length < size)
        snprintf(text + length, (size_t)(size - length), ", contact of omega h = %g, damping ratio %g",
                 p->contact_omega_h, p->contact_damping);
}

// ---- for people ----------------------------------------------------------------------------------
enum { picture_rows = 21, picture_columns = 70, table_points = 30 };

static int stability_sampled(int k, int shown, int count) {
    return shown == 1 ? 0 : k * (count - 1) / (shown - 1);
}

static char stability_letter(double radius) {
    if (stability_is_stable(radius)) return '.';
    return radius <= 1.01 ? '+' : '#';
}

static void stability_add_picture(Text *text, const MrcStabilityMap *map) {
    int rows = map->rows < picture_rows ? map->rows : picture_rows;
    int columns = map->columns < picture_columns ? map->columns : picture_columns;
    text_add_string(text, "\n  rho_inf\n");
    for (int i = rows - 1; i >= 0; i--) {
        int row = stability_sampled(i, rows, map->rows);
        text_add(text, "  %5.3f  ", map->rho[row]);
        for (int j = 0; j < columns; j++) {
            char one =
                stability_letter(mrc_stability_radius(map, row, stability_sampled(j, columns, map->columns)));
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

static void stability_add_table(Text *text, const MrcStabilityMap *map) {
    text_add(text, "\n  %8s  %10s  %18s%s\n", "rho_inf", "omega h", "spectral radius",
             map->contraction ? "  iteration factor" : "");
    for (int i = 0; i < map->rows * map->columns; i++) {
        text_add(text, "  %8.4g  %10.4g  %18.12f", map->rho[i / map->columns], map->omega_h[i % map->columns],
                 map->radius[i]);
        if (map->contraction) text_add(text, "  %16.6f", map->contraction[i]);
        text_add(text, "  %s\n", stability_is_stable(map->radius[i]) ? "stable" : "unstable");
    }
}

static void stability_add_stretches(Text *text, const FactList *facts) {
    const char *name;
    char stretch[40];
    size_t at = 0;
    int found = 0;
    while ((name = fact_next_group(facts, "stable_rho", &at))) {
        snprintf(stretch, sizeof stretch, "stable_rho.%s", name);
        text_add_string(text, found++ ? ", " : "  stable at every omega h of the map: rho_inf ");
        const MrcFact *first = fact_find_in(facts, stretch, "0"), *last = fact_find_in(facts, stretch, "1");
        pattern_add(text, facts, stretch, first->number == last->number ? "{0:4}" : "{0:4} to {1:4}");
    }
    text_add_string(text, found ? "\n" : "  no rho_inf of the map is stable at every omega h\n");
}

static char *stability_text(const MrcStabilityMap *map, const FactList *facts) {
    char name[120], parameters[200];
    int points = map->rows * map->columns;
    Text text = {0};
    stability_title(map, name, sizeof name);
    stability_subtitle(map, parameters, sizeof parameters);
    text_add(&text, "Two-mass oscillator, %s\n  %s\n", name, parameters);
    if (points <= table_points) stability_add_table(&text, map);
    else stability_add_picture(&text, map);
    if (points == 1) {
        pattern_add(&text, facts, "", "[?caution:\n  {caution}\n]");
        return text_take(&text);
    }
    pattern_add(&text, facts, "",
                "\n  stable at {stable_points} of {points} points; the largest radius is {largest_radius:6}, "
                "at rho_inf = {largest_radius_at.rho:4}, omega h = {largest_radius_at.omega_h:4}\n");
    stability_add_stretches(&text, facts);
    pattern_add(
        &text, facts, "",
        "[?largest_contraction:  plain iteration multiplies the error of the load by up to "
        "{largest_contraction:4}[?divergent_points:: it diverges at {divergent_points} points and needs "
        "acceleration there]\n]");
    pattern_add(&text, facts, "", "[?caution:  {caution}\n]");
    return text_take(&text);
}

char *mrc_stability_text(const MrcStabilityMap *map) {
    MrcFacts *facts = mrc_stability_facts(map);
    char *text = facts ? stability_text(map, &facts->list) : NULL;
    mrc_facts_free(facts);
    return text;
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

static void stability_rows(Json *json, const char *key, const MrcStabilityMap *map, const double *values) {
    json_key(json, key);
    json_array_begin(json);
    for (int i = 0; i < map->rows; i++)
        json_numbers(json, values + (ptrdiff_t)i * map->columns, map->columns);
    json_array_end(json);
}

char *mrc_stability_json(const MrcStabilityMap *map) {
    Json json = {0};
    MrcFacts *facts = mrc_stability_facts(map);
    if (!facts) return NULL;
    json_object_begin(&json);
    json_facts(&json, &facts->list);
    mrc_facts_free(facts);
    json_key(&json, "rho");
    json_numbers(&json, map->rho, map->rows);
    json_key(&json, "omega_h");
    json_numbers(&json, map->omega_h, map->columns);
    stability_rows(&json, "radius", map, map->radius);
    if (map->contraction) stability_rows(&json, "contraction", map, map->contraction);
    json_object_end(&json);
    return json_take(&json);
}

// ---- files ---------------------------------------------------------------------------------------
// By gnuplot: the radius in colours, which change from blue to orange at 1, and the line of 1.
static char *stability_script(const MrcStabilityMap *map, bool svg) {
    char name[120], whole[400], parameters[200];
    double lowest = INFINITY, highest = -INFINITY;
    Text text = {0};
    stability_title(map, name, sizeof name);
    stability_subtitle(map, parameters, sizeof parameters);
    for (int i = 0; i < map->rows * map->columns; i++)
        lowest = fmin(lowest, map->radius[i]), highest = fmax(highest, map->radius[i]);
    text_add(&text,
             "set terminal %s\nset encoding utf8\n"
             "set xlabel 'omega h (frequency of the mechanism times the step)%s' noenhanced\n"
             "set ylabel \"rho_inf of the mechanism's integrator\" noenhanced\n"
             "set cblabel 'spectral radius: blue stable, orange grows'\nset autoscale fix\nset tics out "
             "nomirror\n",
             svg ? "svg size 800,540 dynamic font 'sans-serif,12' background 'white'" : "png size 800,540",
             map->logarithmic ? ", as log10" : "");
    snprintf(whole, sizeof whole, "Stability of the %s; %s", name, parameters);
    text_add_string(&text, "set title ");
    plot_quoted(&text, whole);
    text_add(&text,
             " noenhanced\nset cbrange [%.9g:%.9g]\nset palette defined (%.9g '#08306b', 1 '#c6dbef', "
             "1.0000001 '#fdd0a2', %.9g '#7f2704')\n",
             fmin(lowest, 0.999), fmax(highest, 1.001), fmin(lowest, 0.999), fmax(highest, 1.001));
    text_add_string(&text, "$map << END\n");
    for (int i = 0; i < map->rows * map->columns; i++) {
        double x = map->omega_h[i % map->columns];
        if (i > 0 && i % map->columns == 0) text_add_string(&text, "\n");
        text_add(&text, "%.9g %.9g %.9g\n", map->logarithmic ? log10(x) : x, map->rho[i / map->columns],
                 map->radius[i]);
    }
    text_add_string(&text, "END\n");
    if (map->rows < 2 || map->columns < 2) { // a single line: its radius over the other value
        text_add(&text,
                 "set ylabel 'spectral radius'\n%splot $map using %d:3 with linespoints pt 7 notitle\n",
                 map->columns < 2 ? "set xlabel 'rho_inf' noenhanced\n" : "", map->columns < 2 ? 2 : 1);
        return text_take(&text);
    }
    text_add(&text,
             "set contour base\nset cntrparam levels discrete %.9g\nset table $level\nunset surface\n"
             "splot $map using 1:2:3\nunset table\n"
             "plot $map using 1:2:3 with image notitle%s\n",
             1 + STABILITY_TOLERANCE,
             lowest < 1 && highest > 1 + STABILITY_TOLERANCE
                 ? ", $level using 1:2 with lines lc rgb 'black' lw 1.5 title 'radius 1'"
                 : "");
    return text_take(&text);
}

static MrcStatus stability_write_picture(const MrcStabilityMap *map, const char *path, const char *ending,
                                         MrcError *error) {
    char folder[1024] = ".", name[260];
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    bool made = false;
    if ((slash && (size_t)(slash - path) >= sizeof folder) || strlen(file) >= sizeof name)
        return error_set(error, MRC_USAGE, "the name of the file is too long: '%.60s...'", path);
    if (slash) snprintf(folder, sizeof folder, "%.*s", slash > path ? (int)(slash - path) : 1, path);
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(ending)), file);
    char *script = stability_script(map, strcmp(ending, ".svg") == 0);
    MrcStatus status = plot_write_script(script, folder, name, ending, &made, error);
    free(script);
    char path_of_script[1400];
    snprintf(path_of_script, sizeof path_of_script, "%s/%s.gp", folder, name);
    if (status == MRC_OK) unlink(path_of_script); // the map itself is written as .csv
    if (status != MRC_OK || made) return status;
    return error_set(
        error, MRC_WRITE_FAILED,
        "'%s' needs gnuplot (package gnuplot-nox), which is not there or failed; .html needs none", path);
}

typedef struct StabilityFormat {
    const char *ending;
    char *(*write)(const MrcStabilityMap *map); // NULL: by gnuplot
} StabilityFormat;

static const StabilityFormat stability_formats[] = {
    {".csv", stability_csv}, {".json", mrc_stability_json}, {".svg", NULL}, {".png", NULL}};

static const StabilityFormat *stability_format_of(const char *path) {
    const char *name = strrchr(path, '/'), *ending = strrchr(name ? name : path, '.');
    for (size_t i = 0; ending && i < sizeof stability_formats / sizeof *stability_formats; i++)
        if (strcmp(ending, stability_formats[i].ending) == 0) return &stability_formats[i];
    return NULL;
}

static MrcStatus stability_write_page(const MrcStabilityMap *map, const char *path, MrcError *error) {
    char *json = mrc_stability_json(map), *text = mrc_stability_text(map);
    const PageItem items[] = {{"stability", json, false}, {"report", text, true}};
    MrcStatus status =
        json && text ? page_write(path, NULL, items, 2, 0, error) : error_memory(error, "the map as a page");
    free(json);
    free(text);
    return status;
}

MrcStatus mrc_stability_write(const MrcStabilityMap *map, const char *path, MrcError *error) {
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".html") == 0) return stability_write_page(map, path, error);
    const StabilityFormat *format = stability_format_of(path);
    if (!format)
        return error_set(error, MRC_USAGE,
                         "'%s': a map is written as .html, .csv, .json, .svg or .png; end the name with one "
                         "of these",
                         path);
    if (!format->write) return stability_write_picture(map, path, format->ending, error);
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
