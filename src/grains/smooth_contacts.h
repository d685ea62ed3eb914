// Contacts of one chunk: smooth_contacts.c has the chunks, smooth_pairs.c and smooth_walls.c compute them.
#ifndef GRAINS_SMOOTH_CONTACTS_H
#define GRAINS_SMOOTH_CONTACTS_H

#include "grains/engine.h"

typedef struct ContactWork { // of one chunk
    Grains *grains;
    const Motion *walls;
    bool measuring;
    WallWear *wearing; // per wall part: powers on it [W]
    ContactSums sums;
    _Alignas(64) ContactBatch batch;
    _Alignas(64) double lambda[BATCH]; // of each contact
    double small[BATCH];               // smaller radius of the two [m]
    int32_t slot[BATCH];               // pairs: first slot of each vector of contacts; walls: entry
    uint8_t bits[BATCH];               // pairs: which lanes of each vector touch,
    uint8_t ended[BATCH];              // and which of those that cohered have just parted
    // walls only
    _Alignas(64) double before[4][BATCH]; // force and damping force of the last step [N]
    double rolled[3][BATCH];              // rolling moment of the last step [N m]
    double lever[3][BATCH];             // from the port's origin to the grain, then to the contact point [m]
    int32_t touch[BATCH], grain[BATCH]; // place in `wall_touches`; its grain
} ContactWork;

void smooth_contacts_apply_laws(ContactWork *work);
void smooth_contacts_count(Grains *grains, int32_t grain,
                           bool begins); // a touch of the grain, that begins or ends

void smooth_pairs_contacts(ContactWork *work, size_t from, size_t to);
void smooth_walls_contacts(ContactWork *work, size_t from, size_t to, Load *loads);
// Inverse effective mass of the wall part at `arm` from its port's origin along `n`: n.Y.n with the moment arm,
// with `mobility` only: where it is NULL, the motion of walls is prescribed and the inverse mass is 0.
double smooth_walls_inverse_mass(const Grains *grains, int part, Vec3 arm, Vec3 n);

#endif
