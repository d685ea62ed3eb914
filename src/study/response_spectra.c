// spectra.csv of a frequency response: one line per direction, frequency of the drive and multiple of it.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "study/response.h"
#include "study/table.h"

static void spectra_number(Text *text, double value) {
    char digits[TEXT_NUMBER_SIZE];
    text_add_string(text, ",");
    if (!isfinite(value)) return; // an empty cell
    text_number(digits, value);
    text_add_string(text, digits);
}

// What was not looked for has no line.
static void spectra_add(const ResponseSetting *s, const StudyTable *table, int point, int row, Text *text) {
    double f = s->frequencies[s->continues ? row : point];
    for (int k = 0; k < DWELL_MULTIPLES; k++) {
        char measure[32];
        snprintf(measure, sizeof measure, "spectrum.%g", dwell_multiple(k));
        Estimate e = study_table_estimate(table, point, row, measure);
        if (!isfinite(e.mean)) continue;
        text_add_string(text, s->continues ? table->plan->points[point].labels[0].text : "from rest");
        const double numbers[] = {f, dwell_multiple(k), dwell_multiple(k) * f, e.mean, e.interval};
        for (int i = 0; i < (table->beds > 1 ? 5 : 4); i++) spectra_number(text, numbers[i]);
        text_add_string(text, "\n");
    }
}

MrcStatus response_write_spectra(const StudyPlan *plan, const StudyTable *table, const char *folder,
                                 MrcError *error) {
    const ResponseSetting *s = plan->self;
    const char *unit = s->units[DWELL_RESPONSE];
    Text text = {0};
    FileWriter writer;
    char path[1100];
    text_add(&text, "direction,drive[Hz],multiple[1],f[Hz],amplitude[%s]", unit);
    if (table->beds > 1) text_add(&text, ",amplitude.interval[%s]", unit);
    text_add_string(&text, "\n");
    for (int p = 0; p < plan->point_count; p++)
        for (int row = 0; row < study_table_rows(table); row++) spectra_add(s, table, p, row, &text);
    snprintf(path, sizeof path, "%s/spectra.csv", folder);
    MrcStatus status = text.failed ? error_memory(error, "the spectra") : file_open(&writer, path, error);
    if (status == MRC_OK) {
        fputs(text.data, writer.stream);
        status = file_commit(&writer, error);
    }
    text_free(&text);
    return status;
}
