#include "partner/ledger.h"

#include <math.h>
#include <stdio.h>

double ledger_gain(const Ledger *ledger) {
    return -(ledger->algorithm + ledger->ports + ledger->stabilisation + ledger->error);
}

// Windows of samples, each twice as long as the one before.
static void ledger_watch_gain(Ledger *ledger) {
    double gain = ledger_gain(ledger), *least = ledger->least_gain;
    if ((double)ledger->samples >= ledger->window_end) {
        least[1] = least[0];
        least[0] = gain;
        ledger->window_end = fmax(2 * ledger->window_end, 16);
    }
    least[0] = fmin(least[0], gain);
}

static void ledger_watch_losses(Ledger *ledger) {
    double lost = ledger->impact + ledger->friction + ledger->rolling + ledger->dampers;
    ledger->most_lost = fmax(ledger->most_lost, lost);
    ledger->given_back = fmax(ledger->given_back, ledger->most_lost - lost);
}

void ledger_update(Ledger *ledger, const EnergySums *now) {
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
    ledger->carried = now->carried;
    ledger->arrived = now->arrived;
    ledger->unseen = fmax(ledger->unseen, now->unseen); // a bed may empty itself
    double stored = now->kinetic + now->potential + now->elastic;
    double own = now->potential - now->lifted; // of the mass of the start: independent of the zero of height
    if (ledger->samples++ == 0) {
        ledger->initial = stored;
        ledger->start_kinetic = now->kinetic + fmax(now->elastic, 0);
        ledger->bound_start = ledger->bound_low = fmin(now->elastic, 0);
        ledger->potential_high = ledger->potential_low = own;
    }
    ledger->potential_high = fmax(ledger->potential_high, own);
    ledger->potential_low = fmin(ledger->potential_low, own);
    ledger->bound_low = fmin(ledger->bound_low, now->elastic);
    double lost = now->impact + now->friction + now->rolling + now->stabilisation + now->dampers +
                  now->algorithm + now->ports;
    ledger->error = ledger->initial + now->work + now->carried - stored - lost;
    ledger->largest_error = fmax(ledger->largest_error, fabs(ledger->error));
    ledger_watch_gain(ledger);
    ledger_watch_losses(ledger);
}

double ledger_lasting_gain(const Ledger *ledger) {
    return fmin(ledger->least_gain[0], ledger->least_gain[1]);
}

// Energy of the start, energy that came with grains, and energy released by falling and by cohesion.
static double ledger_own(const Ledger *ledger) {
    return ledger->start_kinetic + ledger->arrived + ledger->potential_high - ledger->potential_low +
           ledger->bound_start - ledger->bound_low;
}

double ledger_scale(const Ledger *ledger) { return fmax(ledger->input + ledger_own(ledger), ledger->unseen); }

double ledger_available(const Ledger *ledger) { return fmax(ledger->work, 0) + ledger_own(ledger); }

void ledger_archive(Ledger *l, Archive *archive) {
    double *values[] = {&l->work,      &l->kinetic,       &l->potential,      &l->elastic,
                        &l->impact,    &l->friction,      &l->rolling,        &l->error,
                        &l->initial,   &l->start_kinetic, &l->potential_high, &l->potential_low,
                        &l->input,     &l->largest_error, &l->stabilisation,  &l->algorithm,
                        &l->dampers,   &l->ports,         &l->carried,        &l->arrived,
                        &l->unseen,    &l->least_gain[0], &l->least_gain[1],  &l->window_end,
                        &l->most_lost, &l->given_back,    &l->bound_start,    &l->bound_low};
    archive_scattered_doubles(archive, "values", values, sizeof values / sizeof *values);
    archive_counts(archive, "samples", &l->samples, 1);
}

#define ENTRY(name, meaning, note)                                                                           \
    { #name, meaning, note, offsetof(Ledger, name) }
#define SINCE_START "since the start"
#define EITHER_SIGN "since the start; negative: a gain"
const LedgerEntry ledger_entries[] = {
    ENTRY(work, "work done by the drives", SINCE_START),
    ENTRY(carried, "carried in by grains", "since the start, less what was carried out"),
    ENTRY(kinetic, "kinetic energy", "of mechanism, containers and grains, now"),
    ENTRY(potential, "potential energy in gravity", "now; zero at the world's origin"),
    ENTRY(elastic, "elastic energy", "in contacts, beams and springs, now"),
    ENTRY(impact, "dissipated by impacts", SINCE_START),
    ENTRY(friction, "dissipated by friction", SINCE_START),
    ENTRY(rolling, "dissipated by rolling", SINCE_START),
    ENTRY(stabilisation, "dissipated by removing overlaps", EITHER_SIGN),
    ENTRY(dampers, "dissipated by dampers", SINCE_START),
    ENTRY(algorithm, "numerical dissipation", EITHER_SIGN),
    ENTRY(ports, "error of the exchange at ports", EITHER_SIGN),
    ENTRY(error, "missing from the balance", "energy at the start and work, less all other entries"),
};
const int ledger_entry_count = sizeof ledger_entries / sizeof *ledger_entries;

void ledger_signals(const Ledger *ledger, SignalList *list) {
    for (int e = 0; e < ledger_entry_count; e++) {
        const double *value =
            ledger ? (const double *)(const void *)((const char *)ledger + ledger_entries[e].offset) : NULL;
        char name[64], words[120];
        snprintf(name, sizeof name, "energy.%s", ledger_entries[e].name);
        snprintf(words, sizeof words, "%s, %s", ledger_entries[e].meaning, ledger_entries[e].note);
        signal_list_add_one(
            list,
            (Signal){.name = name, .dimension = DIM_ENERGY, .unit = "J", .value = value, .words = words});
    }
}
