// A picture of a function of two variables, as SVG: coloured cells, one contour, axes, legend.
#ifndef OUTPUT_HEAT_MAP_H
#define OUTPUT_HEAT_MAP_H

#include <stdbool.h>

typedef struct HeatMap {
    const char *title, *subtitle; // of the whole picture
    const char *x_label, *y_label, *value_label;
    const char *below, *above; // what values up to the level, and beyond it, mean
    int columns, rows;
    const double *x, *y; // (columns), (rows), rising
    bool x_logarithmic;  // equal factors have equal lengths
    const double *value; // (rows x columns), row by row
    double level;        // of the contour; the colours change from blue to red there
    double tolerance;    // values up to level + tolerance count as not above it
} HeatMap;

char *heat_map_svg(const HeatMap *map); // malloc'ed; NULL when memory is out

#endif
