#include "coupling/monitor.h"

#include <math.h>
#include <stdio.h>

enum { MONITOR_WINDOW = 100 };
static const double slip_most = 0.3, reversed_most = 0.8, error_most = 0.05;
static const double known_least = 1e-6; // of the energy in play: errors below that do not matter
static const double speed_least =
    1e-9; // nor does what the load does at this speed: rounding, where the port stands still [m/s]

static void monitor_judge(ExchangeMonitor *m, const MonitorStep *step) {
    double mean2 = m->speed2 / MONITOR_WINDOW;
    double least = speed_least * MONITOR_WINDOW * step->h * vec3_norm(step->load->force);
    m->fastest2 = fmax(m->fastest2, mean2);
    m->error_before = m->error_total;
    m->error_total += m->error;
    m->passed_total += m->passed;
    if (!step->jumps && mean2 > 0.01 * m->fastest2 && mean2 > 1e-12 &&
        m->slip2 > slip_most * slip_most * m->speed2)
        m->found[MONITOR_VELOCITY] = true;
    if ((double)m->reversed > reversed_most * MONITOR_WINDOW) m->found[MONITOR_LOAD] = true;
    if (fabs(m->error) > error_most * m->passed && fabs(m->error_total) > error_most * m->passed_total &&
        fabs(m->error_total) > fabs(m->error_before) &&
        fabs(m->error_total) > fmax(known_least * step->known, least))
        m->found[MONITOR_ENERGY] = true;
    m->steps = m->reversed = 0;
    m->slip2 = m->speed2 = m->error = m->passed = 0;
}

void monitor_step(ExchangeMonitor *m, const MonitorStep *step) {
    Vec3 way = vec3_scale(1 / step->h, vec3_sub(step->after->position, step->before->position));
    Vec3 mean = vec3_scale(0.5, vec3_add(step->before->velocity, step->after->velocity));
    Vec3 f = step->load->force, past = step->past->force;
    m->slip2 += vec3_norm2(vec3_sub(way, mean));
    m->speed2 += fmax(vec3_norm2(mean), vec3_norm2(way));
    m->reversed += vec3_dot(f, past) < -0.5 * vec3_norm(f) * vec3_norm(past);
    m->error += step->error;
    m->passed += step->passed;
    if (++m->steps == MONITOR_WINDOW) monitor_judge(m, step);
}

const char *monitor_message(const ExchangeMonitor *m, MonitorFinding finding, const char *port,
                            const char *instead, char *buffer, size_t size) {
    if (!m->found[finding]) return NULL;
    if (finding == MONITOR_VELOCITY)
        snprintf(
            buffer, size,
            "port '%s': its velocity is not the derivative of its position, because the exchange interval is "
            "too long; take a smaller step, or %s",
            port, instead);
    else if (finding == MONITOR_LOAD)
        snprintf(
            buffer, size,
            "port '%s': the load reverses from step to step, so mechanism and grains do not agree; use %s",
            port, instead);
    else
        snprintf(buffer, size,
                 "port '%s': the energy error of the exchange grows, to %.2g %% of the %.3g J that passed; "
                 "use %s, "
                 "or a smaller step",
                 port, 100 * fabs(m->error_total) / m->passed_total, m->passed_total, instead);
    return buffer;
}

void monitor_archive(ExchangeMonitor *m, Archive *archive) {
    int64_t found[MONITOR_FINDING_COUNT];
    int64_t *counts[] = {&m->steps, &m->reversed};
    double *sums[] = {&m->slip2,    &m->speed2,       &m->error,       &m->passed,
                      &m->fastest2, &m->error_before, &m->error_total, &m->passed_total};
    for (int k = 0; k < MONITOR_FINDING_COUNT; k++) found[k] = m->found[k];
    archive_scattered_counts(archive, "monitor_counts", counts, sizeof counts / sizeof *counts);
    archive_scattered_doubles(archive, "monitor_sums", sums, sizeof sums / sizeof *sums);
    archive_counts(archive, "monitor_found", found, MONITOR_FINDING_COUNT);
    for (int k = 0; k < MONITOR_FINDING_COUNT; k++) m->found[k] = found[k] != 0;
}
