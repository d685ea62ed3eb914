// Vibration of a port at the end of a run, and the power that the grains on it dissipate.
//
// Over the last quarter of the run: the range of each coordinate of the port, the mean square of each of its
// velocities, and the energy that the grains on it dissipate. Half of the largest range is the amplitude A. The
// equivalent dashpot dissipates the same power P at the same velocity:
//
//     c = P / <v^2>,     v along the direction of the amplitude
#ifndef SIM_AMPLITUDE_H
#define SIM_AMPLITUDE_H

#include "base/archive.h"
#include "math/vec3.h"

typedef struct PortAmplitude {
    double steps;      // observed
    Vec3 low, high;    // of its coordinates [m]
    Vec3 squares;      // sum over the steps of its velocities' squares [m^2/s^2]
    double before;     // dissipated by the grains when the quarter began [J]
    double dissipated; // since then [J]
} PortAmplitude;

static inline int64_t amplitude_first_step(int64_t total) { return total - total / 4; }

void amplitude_observe(PortAmplitude *amplitude, Vec3 position, Vec3 velocity);
int amplitude_axis(const PortAmplitude *amplitude);                    // 0, 1, 2: along which it is largest
double amplitude_along(const PortAmplitude *amplitude, int axis);      // half the range [m]
double amplitude_power(const PortAmplitude *amplitude, double step);   // dissipated by the grains [W]
double amplitude_dashpot(const PortAmplitude *amplitude, double step); // equivalent [N s/m]; 0: nothing moves
void amplitude_archive(PortAmplitude *amplitude, const char *name, Archive *archive);

#endif
