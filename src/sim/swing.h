// How far the ports of the mechanism swing at the end of a run, and what the grains take from them.
//
// Over the last quarter of the run: the range of each coordinate of a port, the mean square of each of its
// velocities, and the energy that the grains on it dissipate. Half of the largest range is the amplitude A; a
// dashpot that takes the same power P from the same velocity has
//
//     c = P / <v^2>,     v along the direction of the amplitude
#ifndef SIM_SWING_H
#define SIM_SWING_H

#include "base/archive.h"
#include "math/vec3.h"

typedef struct Swing { // of one port
    double steps;      // looked at
    Vec3 low, high;    // of its coordinates [m]
    Vec3 squares;      // sum over the steps of its velocities' squares [m^2/s^2]
    double before;     // dissipated by the grains when the quarter began [J]
    double dissipated; // since then [J]
} Swing;

static inline int64_t swing_first_step(int64_t total) { return total - total / 4; }

void swing_look(Swing *swing, Vec3 position, Vec3 velocity);
int swing_axis(const Swing *swing); // 0, 1, 2: along which it swings most
double swing_amplitude(const Swing *swing);
double swing_power(const Swing *swing, double step);   // taken by the grains [W]
double swing_dashpot(const Swing *swing, double step); // that takes as much [N s/m]; 0: nothing moves
void swing_archive(Swing *swing, const char *name, Archive *archive);

#endif
