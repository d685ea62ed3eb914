// The port moves with v = Re(V e^(i w t)), the load of the grains on it has the first harmonic F: that of the grains alone,
// as the inertia and the weight of a container with mass are no part of its damping. The
// complex power that the port puts into the grains is
//
//     S = -1/2 F . conj(V),      energy per cycle E = T Re S,      effective mass m = 2 Im S / (w |V|^2):
//
// a mass m fixed to the port has F = -i w m V and so S = i w m |V|^2/2 (Masri; Meyer and Seifried 2021,
// doi:10.1007/s10035-021-01128-z). All higher harmonics of the load do no work on a harmonic motion, so that E is the whole
// energy. A step across the end of a cycle is divided between the two. The velocity is the mean of a step, by the
// displacement: what a container with mass says of its velocity is that mean, and not the one at the end. The load belongs
// to its beginning where grains have the velocity that is the mean of the step: the impulse that a grain at rest in its
// container needs is m (v(n+1/2) - v(n-1/2)). Taken for the middle, a bed that moves with the port would seem to dissipate
// pi h/T of its energy. With the theta steps of nscd it belongs to t(n) + (1 - theta) h (grains_load_early).
// The grains' own motion is sampled some 24 times a cycle.
#include "study/cycle.h"

#include <math.h>

#include "analysis/live.h"
#include "base/error.h"

#define CYCLE_PI 3.14159265358979323846

static void cycle_add(CycleSums *s, const Load *load, const double v[3], double omega, double from, double to,
                      double early) {
    const double force[3] = {load->force.x, load->force.y, load->force.z};
    double complex turn = cexp(-I * omega * 0.5 * (from + to)) * (to - from), back = cexp(I * omega * early);
    for (int k = 0; k < 3; k++) {
        s->force[k] += force[k] * turn * back;
        s->velocity[k] += v[k] * turn;
        s->push[k] += fmax(0, force[k]) * (to - from);
        s->pull[k] -= fmin(0, force[k]) * (to - from);
    }
}

static MrcStatus cycle_sample(MrcSim *sim, const int *beds, int bed_count, const double v[3], CycleSums *s,
                              MrcError *error) {
    double mean[3] = {0}, squares = 0;
    int64_t count = 0;
    for (int b = 0; b < bed_count; b++) {
        MrcGrains g;
        MrcStatus status = mrc_sim_grains(sim, beds[b], &g, error);
        if (status != MRC_OK) return status;
        for (int64_t i = 0; i < g.count; i++) {
            const double u[3] = {g.vx[i] - v[0], g.vy[i] - v[1], g.vz[i] - v[2]};
            for (int k = 0; k < 3; k++) mean[k] += u[k], squares += u[k] * u[k];
        }
        count += g.count;
    }
    if (count == 0) return MRC_OK;
    double n = (double)count,
           together = (mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2]) / (n * n);
    s->collective += together;
    s->scattered += fmax(0, squares / n - together);
    s->samples++;
    return MRC_OK;
}

static Cycle cycle_reduce(const CycleSums *s, double omega) {
    double T = 2 * CYCLE_PI / omega, size = 0;
    double complex S = 0;
    int main = 0; // component along which the port moves
    for (int k = 1; k < 3; k++)
        if (cabs(s->velocity[k]) > cabs(s->velocity[main])) main = k;
    for (int k = 0; k < 3; k++) {
        double complex F = s->force[k] * 2 / T, V = s->velocity[k] * 2 / T;
        S -= 0.5 * F * conj(V);
        size += creal(V * conj(V));
    }
    double samples = s->samples > 0 ? s->samples : 1;
    return (Cycle){.energy = T * creal(S),
                   .mass = 2 * cimag(S) / (omega * size),
                   .velocity = sqrt(size),
                   .collective = s->collective / samples,
                   .scattered = s->scattered / samples,
                   .push = s->push[main],
                   .pull = s->pull[main]};
}

// Of all beds together, as their masses share the load.
static double cycle_early(const CycleMeter *m, const MrcSim *sim) {
    double mass = 0, early = 0;
    for (int b = 0; b < m->bed_count; b++) {
        const Grains *grains = sim->sim->beds->items[m->beds[b]].grains;
        mass += grains_mass(grains);
        early += grains_mass(grains) * grains_load_early(grains);
    }
    return mass > 0 ? early / mass * mrc_sim_step_size(sim) : 0;
}

MrcStatus cycles_begin(CycleMeter *m, const MrcSim *sim, MrcError *error) {
    double T = 1 / m->frequency, h = mrc_sim_step_size(sim);
    if (!(h < T / 8))
        return error_set(error, MRC_USAGE, "a step of %.3g s is too long for cycles of %.3g s", h, T);
    m->start = m->last = m->next_sample = mrc_sim_time(sim);
    m->cycle = 0;
    m->early = cycle_early(m, sim);
    m->sums = (CycleSums){0};
    mrc_sim_port(sim, m->port, &m->before, NULL);
    return MRC_OK;
}

MrcStatus cycles_take(CycleMeter *m, MrcSim *sim, MrcError *error) {
    const double omega = 2 * CYCLE_PI * m->frequency, T = 1 / m->frequency;
    const double early = m->early, start = m->start;
    double end = start + (double)(m->cycle + 1) * T, reached = mrc_sim_time(sim), v[3];
    MrcMotion now;
    if (cycles_are_done(m)) return MRC_OK;
    const Load load = coupling_contact_load(&sim->sim->coupling, m->port);
    mrc_sim_port(sim, m->port, &now, NULL);
    for (int k = 0; k < 3; k++) v[k] = (now.position[k] - m->before.position[k]) / (reached - m->last);
    cycle_add(&m->sums, &load, v, omega, m->last - start, fmin(reached, end) - start, early);
    if (reached >= m->next_sample) {
        MrcStatus status = cycle_sample(sim, m->beds, m->bed_count, now.velocity, &m->sums, error);
        if (status != MRC_OK) return status;
        m->next_sample += T / 24;
    }
    if (reached >= end - 1e-9 * T) {
        if (m->cycle >= m->skip && !array_push(&m->cycles->list, cycle_reduce(&m->sums, omega)))
            return error_memory(error, "the cycles");
        m->sums = (CycleSums){0};
        m->cycle++;
        if (reached > end) cycle_add(&m->sums, &load, v, omega, end - start, reached - start, early);
    }
    m->before = now, m->last = reached;
    return MRC_OK;
}

void cycles_free(Cycles *cycles) { array_free(&cycles->list); }
