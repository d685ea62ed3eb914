#include "sim/ledger.h"

#include <math.h>

void ledger_update(Ledger *ledger, const Ledger *now) {
    ledger->work = now->work;
    ledger->input = now->input;
    ledger->kinetic = now->kinetic;
    ledger->potential = now->potential;
    ledger->elastic = now->elastic;
    ledger->impact = now->impact;
    ledger->friction = now->friction;
    double stored = now->kinetic + now->potential + now->elastic;
    if (ledger->samples++ == 0) {
        ledger->initial = stored;
        ledger->start_kinetic = now->kinetic + now->elastic;
        ledger->potential_high = ledger->potential_low = now->potential;
    }
    ledger->potential_high = fmax(ledger->potential_high, now->potential);
    ledger->potential_low = fmin(ledger->potential_low, now->potential);
    ledger->error = ledger->initial + now->work - stored - now->impact - now->friction;
    ledger->largest_error = fmax(ledger->largest_error, fabs(ledger->error));
}

double ledger_scale(const Ledger *ledger) {
    return ledger->input + ledger->start_kinetic + ledger->potential_high - ledger->potential_low;
}

void ledger_archive(Ledger *ledger, Archive *archive) {
    double values[] = {ledger->work,          ledger->kinetic,        ledger->potential,     ledger->elastic,
                       ledger->impact,        ledger->friction,       ledger->error,         ledger->initial,
                       ledger->start_kinetic, ledger->potential_high, ledger->potential_low, ledger->input,
                       ledger->largest_error};
    archive_doubles(archive, "values", values, sizeof values / sizeof *values);
    archive_int64s(archive, "samples", &ledger->samples, 1);
    *ledger = (Ledger){values[0], values[1], values[2], values[3],  values[4],  values[5],  values[6],
                       values[7], values[8], values[9], values[10], values[11], values[12], ledger->samples};
}

#define ENTRY(name, meaning)                                                                                 \
    { #name, meaning, offsetof(Ledger, name) }
const LedgerEntry ledger_entries[] = {
    ENTRY(work, "work done by the drives"),          ENTRY(kinetic, "kinetic energy"),
    ENTRY(potential, "potential energy in gravity"), ENTRY(elastic, "elastic energy in contacts"),
    ENTRY(impact, "dissipated by impacts"),          ENTRY(friction, "dissipated by friction"),
    ENTRY(error, "missing from the balance"),
};
const int ledger_entry_count = sizeof ledger_entries / sizeof *ledger_entries;
