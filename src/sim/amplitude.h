// What a port does at the end of a run: vibrate, turn or travel, and the power that passes to the grains on it.
//
// Over the last quarter of the run: the range of each coordinate of the port, the mean square of each of its
// velocities, and the energy that the grains on it dissipate. Half of the largest range is the amplitude A. The
// equivalent dashpot dissipates the same power P at the same velocity:
//
//     c = P / <v^2>,     v along the direction of the amplitude
//
// The amplitude is reported only for a port that moves to and fro. A port that keeps moving in one direction travels;
// one whose angular velocity w keeps its direction turns, with the mean moment M of the grains and the mean power -<M .
// w> given to them. A port that swings with a period longer than the quarter is not taken for one that turns: since it
// turned back for the last time in the run it must have turned three times as far as ever between two times. A free vibration decays: with the mean squares of the two halves of the quarter, T/2 apart, and the
// frequency f from changes of sign,
//
//     delta = ln(<v^2>_1/<v^2>_2) / T,     zeta = delta / (2 pi f)
#ifndef SIM_AMPLITUDE_H
#define SIM_AMPLITUDE_H

#include "base/archive.h"
#include "math/frame.h"

// Doubles only: they are archived as one block.
typedef struct PortAmplitude {
    double steps;           // observed
    Vec3 low, high;         // of its coordinates [m]
    Vec3 squares;           // sum over the steps of its velocities' squares [m^2/s^2]
    double before;          // dissipated by the grains when the quarter began [J]
    double dissipated;      // since then [J]
    double early_steps;     // of `steps`, in the first half
    Vec3 early;             // of `squares`, likewise
    Vec3 way, path;         // sum of its velocities, and of their sizes [m/s]
    Vec3 last;              // its velocity in the step before [m/s]
    Vec3 changes;           // of sign, of its velocities
    Vec3 turning;           // sum of its angular velocities [rad/s]
    double turning_squares; // sum of their squares [rad^2/s^2]
    Vec3 moment;            // sum of the moments of the grains on it [N m]
    double given;           // sum of the power that it gives to the grains [W]
    // over the whole run
    Vec3 stretch;   // sum of its angular velocities since it last turned back [rad/s]
    double longest; // the largest size that this had before [rad/s]
} PortAmplitude;

static inline int64_t amplitude_first_step(int64_t total) { return total - total / 4; }

void amplitude_watch_turning(PortAmplitude *amplitude, Vec3 angular_velocity); // in every step of the run
void amplitude_begin(PortAmplitude *amplitude); // nothing of the last quarter has been observed
// `load`: of the grains on it; NULL: there is none. `early`: a step of the first half.
void amplitude_observe(PortAmplitude *amplitude, const Motion *motion, const Load *load, bool early);
int amplitude_axis(const PortAmplitude *amplitude);                    // 0, 1, 2: along which it is largest
double amplitude_along(const PortAmplitude *amplitude, int axis);      // half the range [m]
double amplitude_power(const PortAmplitude *amplitude, double step);   // dissipated by the grains [W]
double amplitude_dashpot(const PortAmplitude *amplitude, double step); // equivalent [N s/m]; 0: nothing moves

bool amplitude_vibrates(const PortAmplitude *amplitude); // goes to and fro along the axis of the amplitude
bool amplitude_moves(const PortAmplitude *amplitude);    // moves at all, or turns
bool amplitude_turns(const PortAmplitude *amplitude, double step); // on and on in one direction
double amplitude_speed(const PortAmplitude *amplitude);            // mean angular velocity [rad/s]
double amplitude_torque(
    const PortAmplitude *amplitude); // of the port on the grains, about the axis of the turning [N m]
double amplitude_given(const PortAmplitude *amplitude); // mean power that it gives to the grains [W]
double amplitude_frequency(const PortAmplitude *amplitude, double step); // [Hz]
double amplitude_damping_ratio(const PortAmplitude *amplitude,
                               double step); // of a free vibration; NAN: not known
void amplitude_archive(PortAmplitude *amplitude, const char *name, Archive *archive);

#endif
