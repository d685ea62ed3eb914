// One structure with damper elements at one frequency: the amplitudes at which it can vibrate.
#ifndef STUDY_BALANCE_H
#define STUDY_BALANCE_H

#include <complex.h>

#include "study/element.h"

typedef struct BalanceDamper {
    const DamperElement *element;
    double count; // dampers of this kind at the attachment point
} BalanceDamper;

typedef struct Balance {
    double frequency;    // [Hz]
    double complex own;  // receptance of the attachment point [m/N]
    double complex free; // its displacement by the excitation without dampers [m]
    const BalanceDamper *dampers;
    int damper_count;
    double mass_side, dashpot_side; // -1 to 1: how many of their intervals the values are shifted by
} Balance;

enum { BALANCE_ROOTS_MAX = 9 };

// All amplitudes, rising; returns their number, at least 1 and odd but for touching ones.
int balance_solve(const Balance *balance, double roots[BALANCE_ROOTS_MAX]);
// The displacement as a complex number for one of them.
double complex balance_displacement(const Balance *balance, double amplitude);
bool balance_is_outside(const Balance *balance, double amplitude); // of the map of a damper

#endif
