// Contacts at work: contacts.c has the chunks, pairs.c and walls.c do them.
#ifndef GRAINS_CONTACTS_H
#define GRAINS_CONTACTS_H

#include "grains/engine.h"

typedef struct Work { // of one chunk
    Grains *grains;
    const Motion *walls;
    bool look;
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
void contacts_count(Grains *grains, int32_t grain, bool begins); // a touch of the grain, that begins or ends

void contacts_of_pairs(Work *work, size_t from, size_t to);
void contacts_of_walls(Work *work, size_t from, size_t to, Load *loads);

#endif
