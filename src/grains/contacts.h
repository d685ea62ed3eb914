// A chunk of contacts at work: contacts.c shares out the chunks, pairs.c and walls.c do them.
#ifndef GRAINS_CONTACTS_H
#define GRAINS_CONTACTS_H

#include "grains/engine.h"

typedef struct Work { // of one chunk
    Grains *grains;
    const Motion *walls;
    bool look;
    size_t from;                   // its first slot
    uint8_t thread;                // whose it is, from 1 on
    double *aside, *aside_moments; // of its contacts, by slot; NULL: nothing is to be put aside
    _Alignas(64) double nobody[WIDE_LANES * LINE]; // in place of grains that are not to be pushed
    Sums sums;
    _Alignas(64) ContactBatch batch;
    _Alignas(64) double lambda[BATCH]; // of each contact
    double small[BATCH];               // smaller radius of the two [m]
    int32_t slot[BATCH];               // pairs: first slot of each vector of contacts; walls: entry
    uint8_t bits[BATCH];               // pairs: which lanes of each vector touch
    // walls only
    _Alignas(64) double before[4][BATCH]; // force and damping force of the last step [N]
    double rolled[3][BATCH];              // rolling moment of the last step [N m]
    double lever[3][BATCH];               // from the port's origin to the contact point [m]
    int32_t touch[BATCH], grain[BATCH];   // which touch of the entry; its grain
} Work;

void contacts_apply_laws(Work *work);

void contacts_of_pairs(Work *work, size_t from, size_t to);
void contacts_of_walls(Work *work, size_t from, size_t to, Load *loads);

#endif
