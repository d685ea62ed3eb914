// The script has its data in it and writes to the standard output: `gnuplot study.gp >study.svg` makes the picture again, with
// whatever was changed in it. gnuplot was chosen among what Debian has: it draws error bars, bands and logarithmic axes
// from a text that can be read, is kept up since 1986, and is a program beside ours, so that nothing is linked. plplot
// would be a library with its own data files; matplotlib needs Python at run time.
#include "output/plot.h"

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

extern char **environ;

PlotPanel *plot_add_panel(Plot *plot) {
    return array_push(&plot->panels, (PlotPanel){0}) ? &plot->panels.data[plot->panels.count - 1] : NULL;
}

PlotSeries *plot_add_series(PlotPanel *panel) {
    return array_push(&panel->series, (PlotSeries){0}) ? &panel->series.data[panel->series.count - 1] : NULL;
}

void plot_free(Plot *plot) {
    for (size_t p = 0; p < plot->panels.count; p++) {
        for (size_t s = 0; s < plot->panels.data[p].series.count; s++)
            array_free(&plot->panels.data[p].series.data[s].points);
        array_free(&plot->panels.data[p].series);
    }
    array_free(&plot->panels);
}

// ---- the script ----------------------------------------------------------------------------------
// In single quotes, in which gnuplot has no escape but the doubled quote.
void plot_quoted(Text *text, const char *string) {
    text_add_string(text, "'");
    for (; string && *string; string++) {
        if (*string == '\'') text_add_string(text, "'");
        if (*string != '\n') text_add_bytes(text, string, 1);
    }
    text_add_string(text, "'");
}

static void plot_number(Text *text, double value) {
    char digits[TEXT_NUMBER_SIZE];
    text_number(digits, value);
    text_add(text, " %s", isfinite(value) ? digits : "NaN");
}

static void plot_data(Text *text, const PlotSeries *series, size_t panel, size_t number) {
    text_add(text, "$data_%zu_%zu << END\n", panel, number);
    for (size_t i = 0; i < series->points.count; i++) {
        const PlotPoint *p = &series->points.data[i];
        bool bar = isfinite(p->low) && isfinite(p->high);
        plot_number(text, p->x), plot_number(text, p->y);
        plot_number(text, bar ? p->low : p->y), plot_number(text, bar ? p->high : p->y);
        text_add_string(text, "\n");
    }
    text_add_string(text, "END\n");
}

static void plot_curve(Text *text, const PlotSeries *s, size_t panel, size_t number, int colour) {
    static const char *const styles[] = {"using 1:2 with lines lw 1.5",
                                         "using 1:2:3:4 with yerrorlines pt 7 ps 0.4",
                                         "using 1:2:3:4 with yerrorbars pt 7 ps 0.5",
                                         "using 1:3:4 with filledcurves fs transparent solid 0.2 noborder"};
    text_add(text, "%s$data_%zu_%zu %s lc %d ", number ? ", \\\n  " : "plot ", panel, number,
             styles[s->style], colour);
    if (!s->name) text_add_string(text, "notitle");
    else text_add_string(text, "title "), plot_quoted(text, s->name);
}

// A logarithmic axis ends where the data do, instead of at the next powers of ten on both sides, and has labels at 1, 2 and 5
// times a power: between powers of ten there would be none. Data within a factor of five need none.
static void plot_log_y(Text *text, const PlotPanel *p) {
    double low = INFINITY, high = 0;
    for (size_t s = 0; s < p->series.count; s++)
        for (size_t i = 0; i < p->series.data[s].points.count; i++) {
            const PlotPoint *at = &p->series.data[s].points.data[i];
            const double values[] = {at->y, at->low, at->high};
            for (int k = 0; k < 3; k++)
                if (isfinite(values[k]) && values[k] > 0)
                    low = fmin(low, values[k]), high = fmax(high, values[k]);
        }
    if (high < 5 * low) return;
    text_add_string(text, "set logscale y\nset autoscale noextend\nset format y '%g'\n");
    if (!(high < 1e4 * low)) return; // powers of ten alone are enough
    const char *comma = "set ytics (";
    for (int power = (int)floor(log10(low)) - 1; power <= (int)ceil(log10(high)); power++)
        for (int k = 0; k < 3; k++) {
            static const char digits[] = "125";
            text_add(text, "%s%ce%d", comma, digits[k], power);
            comma = ", ";
        }
    text_add_string(text, ")\n");
}

static void plot_panel(Text *text, const PlotPanel *p, size_t number) {
    for (size_t s = 0; s < p->series.count; s++) plot_data(text, &p->series.data[s], number, s);
    text_add_string(text, "unset title\n");
    if (p->title)
        text_add_string(text, "set title "), plot_quoted(text, p->title), text_add_string(text, "\n");
    text_add_string(text, "set xlabel "), plot_quoted(text, p->x), text_add_string(text, "\n");
    text_add_string(text, "set ylabel "), plot_quoted(text, p->y), text_add_string(text, "\n");
    text_add(text, "unset logscale\nset autoscale\nset format y\nset ytics auto\n%s",
             p->log_x ? "set logscale x\n" : "");
    if (p->log_y) plot_log_y(text, p);
    int colour = 0;
    for (size_t s = 0; s < p->series.count; s++) {
        // A band has the colour of what follows it.
        if (s == 0 || p->series.data[s - 1].style != PLOT_BAND) colour++;
        plot_curve(text, &p->series.data[s], number, s, colour);
    }
    text_add_string(text, "\n");
}

static char *plot_script(const Plot *plot) {
    Text text = {0};
    text_add(&text,
             "set terminal svg size 800,%zu dynamic font 'sans-serif,12' background 'white'\n"
             "set encoding utf8\nset key outside right top noenhanced\nset grid lt 1 lc rgb '#dddddd'\n"
             "set title noenhanced\nset xlabel noenhanced\nset ylabel noenhanced\nset offsets graph 0.02, "
             "graph 0.02, "
             "graph 0.05, graph 0.05\n"
             "set multiplot layout %zu,1\n",
             360 * plot->panels.count, plot->panels.count);
    for (size_t p = 0; p < plot->panels.count; p++) plot_panel(&text, &plot->panels.data[p], p);
    text_add_string(&text, "unset multiplot\n");
    return text_take(&text);
}

// ---- gnuplot -------------------------------------------------------------------------------------
// In the folder, from the script to a file; without the user's own settings.
static bool plot_run(const char *folder, const char *script, const char *partial) {
    char *words[] = {"gnuplot", "-d", (char *)script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    bool good = posix_spawn_file_actions_addchdir_np(&actions, folder) == 0 &&
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, partial,
                                                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666) == 0 &&
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                posix_spawnp(&process, "gnuplot", &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    while (good && waitpid(process, &status, 0) < 0) good = false;
    return good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

MrcStatus plot_write_script(const char *text, const char *folder, const char *name, const char *ending,
                            bool *made, MrcError *error) {
    char path[1100], script[300], partial[300], from[1400], to[1400];
    FileWriter writer;
    *made = false;
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(partial, sizeof partial, "%s%s.partial", name, ending);
    snprintf(path, sizeof path, "%s/%s", folder, script);
    MrcStatus status = text ? file_open(&writer, path, error) : error_memory(error, "the picture");
    if (status != MRC_OK) return status;
    fputs(text, writer.stream);
    status = file_commit(&writer, error);
    if (status != MRC_OK) return status;
    snprintf(from, sizeof from, "%s/%s", folder, partial);
    snprintf(to, sizeof to, "%s/%s%s", folder, name, ending);
    *made = plot_run(folder, script, partial) && rename(from, to) == 0;
    if (!*made) unlink(from);
    return MRC_OK;
}

MrcStatus plot_write(const Plot *plot, const char *folder, const char *name, bool *made, MrcError *error) {
    char *text = plot_script(plot);
    MrcStatus status = plot_write_script(text, folder, name, ".svg", made, error);
    free(text);
    return status;
}
