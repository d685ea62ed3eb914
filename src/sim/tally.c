// Mean and squares by the recurrence of Welford (1962, doi:10.1080/00401706.1962.10490022), which does not cancel:
//
//     d = x - mean,     mean += d/n,     squares += d (x - mean)
#include "sim/tally.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

enum { TALLY_NUMBERS = sizeof(SignalTally) / sizeof(double) };

static SignalTally *tally_of(const Tallies *tallies, size_t column) {
    return (SignalTally *)tallies->values.data + column;
}

static const Signal *tally_signal(const Recorder *recorder, size_t column) {
    return &recorder->signals.signals.data[recorder->columns[column]];
}

MrcStatus tallies_create(Tallies *tallies, const Recorder *recorder, MrcError *error) {
    uint64_t hash = HASH_START;
    for (size_t c = 0; c < recorder->column_count; c++) {
        const char *name = tally_signal(recorder, c)->name;
        hash = hash_bytes(hash, name, strlen(name) + 1);
    }
    tallies->names = (int64_t)(hash >> 1);
    if (!array_resize(&tallies->values, recorder->column_count * TALLY_NUMBERS))
        return error_memory(error, "the recorder");
    tallies_clear(tallies);
    return MRC_OK;
}

void tallies_free(Tallies *tallies) { array_free(&tallies->values); }

void tallies_clear(Tallies *tallies) {
    for (size_t k = 0; k < tallies->values.count; k++) tallies->values.data[k] = 0;
}

void tallies_take(Tallies *tallies, const Recorder *recorder) {
    for (size_t c = 0; c < recorder->column_count; c++) {
        SignalTally *tally = tally_of(tallies, c);
        double x = *tally_signal(recorder, c)->value, off = x - tally->mean;
        tally->least = tally->count > 0 ? fmin(tally->least, x) : x;
        tally->largest = tally->count > 0 ? fmax(tally->largest, x) : x;
        tally->mean += off / ++tally->count;
        tally->squares += off * (x - tally->mean);
    }
}

// A run that is resumed with other signals counts from the resumption on.
void tallies_archive(Tallies *tallies, Archive *archive) {
    int64_t names = tallies->names;
    size_t count = tallies->values.count;
    archive_bits64(archive, "names", &names, 1);
    archive_array(archive, "values", &tallies->values);
    if (!archive_is_loading(archive) || (names == tallies->names && tallies->values.count == count)) return;
    if (!array_resize(&tallies->values, count)) archive_fail(archive, MRC_MEMORY, "values", "no memory left");
    tallies_clear(tallies);
}

static void tally_facts(const SignalTally *tally, const char *unit, FactList *list) {
    fact_number(list, "mean", tally->mean, unit, "mean");
    fact_number(list, "deviation", sqrt(fmax(tally->squares / tally->count, 0)), unit,
                "standard deviation: the r.m.s. value about the mean");
    fact_number(list, "least", tally->least, unit, "least value");
    fact_number(list, "largest", tally->largest, unit, "largest value");
    fact_number(list, "amplitude", 0.5 * (tally->largest - tally->least), unit,
                "half of what is between them");
}

void tallies_facts(const Tallies *tallies, const Recorder *recorder, FactList *list) {
    if (recorder->column_count == 0 || !(tally_of(tallies, 0)->count > 0)) return;
    fact_group_begin(list, "signals");
    for (size_t c = 0; c < recorder->column_count; c++) {
        const Signal *signal = tally_signal(recorder, c);
        if (signal->inner && recorder->signals.asked_count == 0) continue; // there may be thousands
        fact_group_begin(list, signal->name);
        tally_facts(tally_of(tallies, c), signal->unit, list);
        fact_group_end(list);
    }
    fact_group_end(list);
}
