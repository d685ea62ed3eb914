#include "sim/ledger.h"

#include <math.h>

void ledger_update(Ledger *ledger, const Ledger *now) {
    ledger->work = now->work;
    ledger->input = fmax(ledger->input, now->input);
    ledger->kinetic = now->kinetic;
    ledger->potential = now->potential;
    ledger->elastic = now->elastic;
    ledger->impact = now->impact;
    ledger->friction = now->friction;
    ledger->rolling = now->rolling;
    ledger->stabilisation = now->stabilisation;
    ledger->dampers = now->dampers;
    ledger->ports = now->ports;
    ledger->algorithm = now->algorithm;
    double stored = now->kinetic + now->potential + now->elastic;
    if (ledger->samples++ == 0) {
        ledger->initial = stored;
        ledger->start_kinetic = now->kinetic + now->elastic;
        ledger->potential_high = ledger->potential_low = now->potential;
    }
    ledger->potential_high = fmax(ledger->potential_high, now->potential);
    ledger->potential_low = fmin(ledger->potential_low, now->potential);
    double lost = now->impact + now->friction + now->rolling + now->stabilisation + now->dampers +
                  now->algorithm + now->ports;
    ledger->error = ledger->initial + now->work - stored - lost;
    ledger->largest_error = fmax(ledger->largest_error, fabs(ledger->error));
}

double ledger_scale(const Ledger *ledger) {
    return ledger->input + ledger->start_kinetic + ledger->potential_high - ledger->potential_low;
}

void ledger_archive(Ledger *l, Archive *archive) {
    double *values[] = {&l->work,    &l->kinetic,       &l->potential,      &l->elastic,
                        &l->impact,  &l->friction,      &l->rolling,        &l->error,
                        &l->initial, &l->start_kinetic, &l->potential_high, &l->potential_low,
                        &l->input,   &l->largest_error, &l->stabilisation,  &l->algorithm,
                        &l->dampers, &l->ports};
    enum { count = sizeof values / sizeof *values };
    double numbers[count];
    for (int k = 0; k < count; k++) numbers[k] = *values[k];
    archive_doubles(archive, "values", numbers, count);
    for (int k = 0; k < count; k++) *values[k] = numbers[k];
    archive_int64s(archive, "samples", &l->samples, 1);
}

#define ENTRY(name, meaning)                                                                                 \
    { #name, meaning, offsetof(Ledger, name) }
const LedgerEntry ledger_entries[] = {
    ENTRY(work, "work done by the drives"),
    ENTRY(kinetic, "kinetic energy"),
    ENTRY(potential, "potential energy in gravity"),
    ENTRY(elastic, "elastic energy"),
    ENTRY(impact, "dissipated by impacts"),
    ENTRY(friction, "dissipated by friction"),
    ENTRY(rolling, "dissipated by rolling"),
    ENTRY(stabilisation, "taken by undoing overlaps"),
    ENTRY(dampers, "dissipated by dampers"),
    ENTRY(algorithm, "taken by the integration"),
    ENTRY(ports, "lost between mechanism and grains"),
    ENTRY(error, "missing from the balance"),
};
const int ledger_entry_count = sizeof ledger_entries / sizeof *ledger_entries;
