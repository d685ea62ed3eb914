// Impact energy spectra of a bed: how many collisions dissipated how much, by logarithmic classes, between grains and on each
// wall part (spectra.c).
#ifndef GRAINS_SPECTRA_H
#define GRAINS_SPECTRA_H

#include "base/archive.h"
#include "grains/grains.h"

// Contacts of rigid grains that last, by the two that touch: an open hash table with linear probing.
typedef struct SpectraContacts {
    size_t count;
    ARRAY(int64_t) keys; // SPECTRA_FREE: nothing is there
    ARRAY(double) spent; // since the two touched first [J]
} SpectraContacts;

typedef struct Spectra {
    int per_decade;                  // classes; 0: none are kept
    ARRAY(int64_t) counts, energies; // of the grains, then of each wall part: its classes
    SpectraContacts last, now;       // of rigid grains: of the last step, and in the making
} Spectra;

MrcStatus spectra_create(Grains *grains, MrcError *error);
void spectra_free(Grains *grains);
void spectra_archive(Grains *grains, Archive *archive);

// A collision that dissipated `energy` [J] is over; part -1: of two grains. May be called by several threads at once.
void spectra_add(Grains *grains, int part, double energy);

// Rigid grains: a contact of this step, with what it dissipated. Grains by their place; `other` negative: -1 - wall part.
bool spectra_reserve(Grains *grains, size_t contacts); // before all others; false: no memory
void spectra_touch(Grains *grains, size_t grain, int64_t other, double energy);
void spectra_step(Grains *grains); // all of them are known: those that are no more are over
void spectra_more(Grains *grains, size_t grain, int64_t other, double energy); // afterwards, of the same step

#endif
