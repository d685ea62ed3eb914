// Pictures by gnuplot. Without it no picture is made; all else is the same.
//
//     Plot plot = {.panels = ...};
//     plot_write(&plot, "damper.sweep", "study", &made, error);   // damper.sweep/study.gp, and study.svg
#ifndef OUTPUT_PLOT_H
#define OUTPUT_PLOT_H

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

typedef struct PlotPoint {
    double x, y;
    double low, high; // ends of the error bar or band; NAN: none
} PlotPoint;

typedef enum PlotStyle {
    PLOT_LINE,        // straight lines
    PLOT_LINE_POINTS, // and points, with error bars
    PLOT_POINTS,      // points with error bars alone
    PLOT_BAND         // the area between the ends
} PlotStyle;

typedef struct PlotSeries {
    const char *name; // in the key; NULL: none
    PlotStyle style;
    ARRAY(PlotPoint) points;
} PlotSeries;

typedef struct PlotPanel {
    const char *title, *x, *y; // with units; NULL: none
    bool log_x, log_y;
    ARRAY(PlotSeries) series;
} PlotPanel;

typedef struct Plot {
    ARRAY(PlotPanel) panels; // below each other
} Plot;

// *made false: gnuplot is not installed or failed; the script is written all the same.
MrcStatus plot_write(const Plot *plot, const char *folder, const char *name, bool *made, MrcError *error);
void plot_free(Plot *plot);
// A script of one's own, which writes to the standard output: FOLDER/NAME.gp, and FOLDER/NAME with the ending (".svg").
MrcStatus plot_write_script(const char *script, const char *folder, const char *name, const char *ending,
                            bool *made, MrcError *error);

// In single quotes, as in scripts.
void plot_quoted(Text *text, const char *string);

// The next panel or series, empty; NULL: memory is out.
PlotPanel *plot_add_panel(Plot *plot);
PlotSeries *plot_add_series(PlotPanel *panel);

#endif
