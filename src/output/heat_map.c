#include "output/heat_map.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The plot's frame inside the picture [px].
enum { width = 780, height = 540, left = 78, top = 74, plot_width = 540, plot_height = 390 };
enum { bar_left = left + plot_width + 34, bar_width = 18, colour_count = 40 };

typedef struct Canvas {
    FILE *out;
    const HeatMap *map;
    double x_first, x_last, y_first, y_last; // edges of the outer cells, in plotted units
    double lowest, highest;                  // of the colours
} Canvas;

// ---- where things are ----------------------------------------------------------------------------
static double heat_map_plotted(const HeatMap *map, double x) { return map->x_logarithmic ? log10(x) : x; }
static double heat_map_x_at(const HeatMap *map, int j) { return heat_map_plotted(map, map->x[j]); }

// The edge between cells k - 1 and k, half way; the outer ones mirrored.
static double heat_map_edge(double before, double here) { return (before + here) / 2; }

static double heat_map_x_edge(const HeatMap *map, int j) {
    int n = map->columns;
    if (n == 1) return heat_map_x_at(map, 0) + (j - 0.5);
    if (j == 0) return heat_map_x_at(map, 0) - (heat_map_x_at(map, 1) - heat_map_x_at(map, 0)) / 2;
    if (j == n)
        return heat_map_x_at(map, n - 1) + (heat_map_x_at(map, n - 1) - heat_map_x_at(map, n - 2)) / 2;
    return heat_map_edge(heat_map_x_at(map, j - 1), heat_map_x_at(map, j));
}
static double heat_map_y_edge(const HeatMap *map, int i) {
    int n = map->rows;
    if (n == 1) return map->y[0] + (i - 0.5);
    if (i == 0) return map->y[0] - (map->y[1] - map->y[0]) / 2;
    if (i == n) return map->y[n - 1] + (map->y[n - 1] - map->y[n - 2]) / 2;
    return heat_map_edge(map->y[i - 1], map->y[i]);
}

static double heat_map_px(const Canvas *c, double x) {
    return left + plot_width * (x - c->x_first) / (c->x_last - c->x_first);
}
static double heat_map_py(const Canvas *c, double y) {
    return top + plot_height * (1 - (y - c->y_first) / (c->y_last - c->y_first));
}

// ---- colours -------------------------------------------------------------------------------------
typedef struct Colour {
    double red, green, blue;
} Colour;

static Colour heat_map_mix(const Colour *stops, int count, double t) {
    t = fmin(fmax(t, 0), 1) * (count - 1);
    int k = t >= count - 1 ? count - 2 : (int)t;
    double f = t - k;
    return (Colour){stops[k].red + f * (stops[k + 1].red - stops[k].red),
                    stops[k].green + f * (stops[k + 1].green - stops[k].green),
                    stops[k].blue + f * (stops[k + 1].blue - stops[k].blue)};
}

// Shades are numbered so that neighbours of one shade become one rectangle: negative below the level,
// positive above.
static int heat_map_shade_of(const Canvas *c, double value) {
    const HeatMap *map = c->map;
    if (value <= map->level + map->tolerance) {
        double t = (value - c->lowest) / (map->level - c->lowest);
        return -1 - (int)lround(fmin(fmax(t, 0), 1) * colour_count);
    }
    double t = sqrt((value - map->level) / (c->highest - map->level)); // small growth shows
    return 1 + (int)lround(fmin(t, 1) * colour_count);
}

static Colour heat_map_colour_of(int shade) {
    static const Colour blues[] = {{12, 44, 92}, {43, 104, 162}, {122, 176, 212}, {222, 236, 246}};
    static const Colour reds[] = {{253, 224, 190}, {244, 148, 91}, {206, 65, 44}, {110, 12, 24}};
    return shade < 0 ? heat_map_mix(blues, 4, (-1 - shade) / (double)colour_count)
                     : heat_map_mix(reds, 4, (shade - 1) / (double)colour_count);
}

static void heat_map_rectangle(FILE *out, double x, double y, double w, double h, Colour colour) {
    fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%02x%02x%02x\"/>\n", x,
            y, w, h, (unsigned)lround(colour.red), (unsigned)lround(colour.green),
            (unsigned)lround(colour.blue));
}

static void heat_map_draw_cells(const Canvas *c) {
    const HeatMap *map = c->map;
    fputs("<g shape-rendering=\"crispEdges\">\n", c->out);
    for (int i = 0; i < map->rows; i++)
        for (int j = 0, run; j < map->columns; j = run) {
            const double *row = map->value + (ptrdiff_t)i * map->columns;
            int shade = heat_map_shade_of(c, row[j]);
            for (run = j + 1; run < map->columns && heat_map_shade_of(c, row[run]) == shade;) run++;
            double x = heat_map_px(c, heat_map_x_edge(map, j)),
                   y = heat_map_py(c, heat_map_y_edge(map, i + 1));
            heat_map_rectangle(c->out, x, y, heat_map_px(c, heat_map_x_edge(map, run)) - x,
                               heat_map_py(c, heat_map_y_edge(map, i)) - y, heat_map_colour_of(shade));
        }
    fputs("</g>\n", c->out);
}

// ---- contour: marching squares between the centres of cells --------------------------------------
typedef struct Corner {
    double x, y, over; // over: the value less level and tolerance
} Corner;

static Corner heat_map_corner(const Canvas *c, int i, int j) {
    const HeatMap *map = c->map;
    return (Corner){heat_map_px(c, heat_map_x_at(map, j)), heat_map_py(c, map->y[i]),
                    map->value[(ptrdiff_t)i * map->columns + j] - map->level - map->tolerance};
}

// Draws from crossing to crossing around one square; a saddle gets two strokes.
static void heat_map_draw_square(const Canvas *c, int i, int j) {
    const Corner corners[4] = {heat_map_corner(c, i, j), heat_map_corner(c, i, j + 1),
                               heat_map_corner(c, i + 1, j + 1), heat_map_corner(c, i + 1, j)};
    double crossing[4][2];
    int found = 0;
    for (int k = 0; k < 4; k++) {
        Corner a = corners[k], b = corners[(k + 1) % 4];
        if ((a.over > 0) == (b.over > 0)) continue;
        double t = a.over / (a.over - b.over);
        crossing[found][0] = a.x + t * (b.x - a.x);
        crossing[found++][1] = a.y + t * (b.y - a.y);
    }
    for (int k = 0; k + 1 < found; k += 2)
        fprintf(c->out, "M%.2f %.2fL%.2f %.2f", crossing[k][0], crossing[k][1], crossing[k + 1][0],
                crossing[k + 1][1]);
}

static void heat_map_draw_contour(const Canvas *c) {
    fputs("<path fill=\"none\" stroke=\"#111\" stroke-width=\"1.8\" stroke-linecap=\"round\" d=\"", c->out);
    for (int i = 0; i + 1 < c->map->rows; i++)
        for (int j = 0; j + 1 < c->map->columns; j++) heat_map_draw_square(c, i, j);
    fputs("\"/>\n", c->out);
}

// ---- words and axes ------------------------------------------------------------------------------
static void heat_map_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '<') fputs("&lt;", out);
        else if (*text == '&') fputs("&amp;", out);
        else fputc(*text, out);
    }
}

static void heat_map_words(FILE *out, double x, double y, const char *style, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    heat_map_escaped(out, text);
    fputs("</text>\n", out);
}

// 1, 2 or 5 times a power of ten, for about five ticks. (Adding 0.0 to their multiples makes -0 a 0.)
static double heat_map_tick_distance(double span) {
    double raw = span / 5, power = pow(10, floor(log10(raw))), lead = raw / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void heat_map_tick_x(const Canvas *c, double value) {
    char text[32];
    double x = heat_map_px(c, heat_map_plotted(c->map, value));
    snprintf(text, sizeof text, "%g", value);
    fprintf(c->out, "<path stroke=\"#333\" d=\"M%.1f %dv6\"/>\n", x, top + plot_height);
    heat_map_words(c->out, x, top + plot_height + 21, "text-anchor=\"middle\"", text);
}

static void heat_map_tick_y(const Canvas *c, double value) {
    char text[32];
    double y = heat_map_py(c, value);
    snprintf(text, sizeof text, "%g", value);
    fprintf(c->out, "<path stroke=\"#333\" d=\"M%d %.1fh-6\"/>\n", left, y);
    heat_map_words(c->out, left - 10, y + 4, "text-anchor=\"end\"", text);
}

static void heat_map_draw_axes(const Canvas *c) {
    const HeatMap *map = c->map;
    fprintf(c->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#333\"/>\n",
            left, top, plot_width, plot_height);
    if (map->columns == 1) {
        heat_map_tick_x(c, map->x[0]);
    } else if (map->x_logarithmic && c->x_last - c->x_first >= 1) {
        for (double p = ceil(c->x_first); p <= c->x_last; p++) heat_map_tick_x(c, pow(10, p));
    } else {
        double first = map->x[0], last = map->x[map->columns - 1], by = heat_map_tick_distance(last - first);
        for (double k = ceil(first / by - 1e-9); k * by <= last + 1e-9 * by; k++)
            heat_map_tick_x(c, k * by + 0.0);
    }
    if (map->rows == 1) {
        heat_map_tick_y(c, map->y[0]);
    } else {
        double first = map->y[0], last = map->y[map->rows - 1], by = heat_map_tick_distance(last - first);
        for (double k = ceil(first / by - 1e-9); k * by <= last + 1e-9 * by; k++)
            heat_map_tick_y(c, k * by + 0.0);
    }
    heat_map_words(c->out, left + plot_width / 2.0, top + plot_height + 46,
                   "text-anchor=\"middle\" font-size=\"15\"", map->x_label);
    char style[100];
    snprintf(style, sizeof style, "text-anchor=\"middle\" font-size=\"15\" transform=\"rotate(-90 24 %.1f)\"",
             top + plot_height / 2.0);
    heat_map_words(c->out, 24, top + plot_height / 2.0, style, map->y_label);
}

static void heat_map_bar_tick(const Canvas *c, double y, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    fprintf(c->out, "<path stroke=\"#333\" d=\"M%d %.1fh5\"/>\n", bar_left + bar_width, y);
    heat_map_words(c->out, bar_left + bar_width + 9, y + 4, "", text);
}

// The legend: below the level in its lower half, above it in the upper one.
static void heat_map_draw_bar(const Canvas *c) {
    const HeatMap *map = c->map;
    double half = plot_height / 2.0, middle = top + half, thickness = half / (colour_count + 1);
    fputs("<g shape-rendering=\"crispEdges\">\n", c->out);
    for (int k = 0; k <= colour_count; k++) {
        heat_map_rectangle(c->out, bar_left, top + plot_height - (k + 1) * thickness, bar_width,
                           thickness + 0.5, heat_map_colour_of(-1 - k));
        heat_map_rectangle(c->out, bar_left, middle - (k + 1) * thickness, bar_width, thickness + 0.5,
                           heat_map_colour_of(1 + k));
    }
    fputs("</g>\n", c->out);
    fprintf(c->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#333\"/>\n",
            bar_left, top, bar_width, plot_height);
    fprintf(c->out, "<path stroke=\"#111\" stroke-width=\"1.8\" d=\"M%d %.1fh%d\"/>\n", bar_left, middle,
            bar_width);
    for (int k = 0; k <= 2; k++) {
        heat_map_bar_tick(c, top + plot_height - half * k / 2, c->lowest + (map->level - c->lowest) * k / 2);
        if (k > 0)
            heat_map_bar_tick(c, middle - half * k / 2, map->level + (c->highest - map->level) * k * k / 4);
    }
    heat_map_words(c->out, bar_left + bar_width + 58, middle - half / 4, "fill=\"#a8321f\"", map->above);
    heat_map_words(c->out, bar_left + bar_width + 58, middle + half / 4 + 6, "fill=\"#2b68a2\"", map->below);
    heat_map_words(c->out, bar_left - 6, top + plot_height + 21, "", map->value_label);
}

// ---- the picture ---------------------------------------------------------------------------------
static Canvas heat_map_canvas(FILE *out, const HeatMap *map) {
    Canvas c = {.out = out, .map = map, .lowest = map->level, .highest = map->level};
    c.x_first = heat_map_x_edge(map, 0), c.x_last = heat_map_x_edge(map, map->columns);
    c.y_first = heat_map_y_edge(map, 0), c.y_last = heat_map_y_edge(map, map->rows);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)map->rows * map->columns; i++) {
        c.lowest = fmin(c.lowest, map->value[i]);
        c.highest = fmax(c.highest, map->value[i]);
    }
    if (c.lowest > map->level - map->tolerance) c.lowest = map->level - 0.1;
    if (c.highest <= map->level + map->tolerance) c.highest = map->level + 0.1;
    c.lowest = floor(c.lowest * 20) / 20;
    c.highest = map->level + fmin(ceil((c.highest - map->level) * 20) / 20, 1); // beyond: the darkest red
    return c;
}

char *heat_map_svg(const HeatMap *map) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    Canvas c = heat_map_canvas(out, map);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            width, height, width, height, width, height);
    heat_map_words(out, left, 32, "font-size=\"19\" font-weight=\"bold\"", map->title);
    heat_map_words(out, left, 55, "fill=\"#555\"", map->subtitle);
    heat_map_draw_cells(&c);
    heat_map_draw_contour(&c);
    heat_map_draw_axes(&c);
    heat_map_draw_bar(&c);
    fputs("</svg>\n", out);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
