#include "sim/periods.h"

#include <math.h>

#include "partner/prescribed.h"

static double period(const Periods *p) { return 1 / p->definition->frequency; }
static double periods_next_end(const Periods *p) { return (double)(p->done + 1) * period(p); }

// A millionth of a step of tolerance, as in clock.c.
static bool periods_has_ended(const Periods *p, int64_t now) {
    return (double)now * p->step >= periods_next_end(p) - 1e-6 * p->step;
}

bool periods_is_due(const Periods *p, int64_t now) {
    if (!p->definition) return false;
    return now == 0 || periods_has_ended(p, now) || periods_has_ended(p, now + 1);
}

static double periods_largest_speed(const Periods *p, double start) {
    enum { samples = 2000 }; // of a sine, the largest is then within 1.3e-6 of the amplitude
    double speed = 0;
    for (int i = 0; i < samples; i++) {
        TimePoint at = {start + period(p) * i / samples, p->inputs};
        speed = fmax(speed, vec3_norm(port_motion(p->port, at).velocity));
    }
    return speed;
}

static void periods_add_to_mean(PeriodMean *m, double value, int64_t count) {
    double deviation = value - m->mean;
    m->mean += deviation / (double)count;
    m->squares += deviation * (value - m->mean);
}

double period_deviation(const Periods *p, const PeriodMean *m) {
    return p->counted > 1 ? sqrt(m->squares / (double)(p->counted - 1)) : 0;
}

static PeriodEnergy periods_between(const PeriodEnergy *a, const PeriodEnergy *b, double share) {
    return (PeriodEnergy){.impact = a->impact + share * (b->impact - a->impact),
                          .friction = a->friction + share * (b->friction - a->friction),
                          .rolling = a->rolling + share * (b->rolling - a->rolling),
                          .work = a->work + share * (b->work - a->work)};
}

static void periods_end_one(Periods *p, const PeriodEnergy *end) {
    PeriodRow *row = &p->row;
    const PeriodsDefinition *d = p->definition;
    *row = (PeriodRow){.number = (double)p->done,
                       .start = (double)p->done * period(p),
                       .impact = end->impact - p->last.impact,
                       .friction = end->friction - p->last.friction,
                       .rolling = end->rolling - p->last.rolling,
                       .work = end->work - p->last.work};
    row->dissipated = row->impact + row->friction + row->rolling;
    row->speed = periods_largest_speed(p, row->start);
    if (p->mass > 0 && row->speed > 0)
        row->damping = d->mass_ratio * row->dissipated / (2 * M_PI * p->mass * row->speed * row->speed);
    if (p->done >= d->skip) {
        p->counted++;
        periods_add_to_mean(&p->dissipated, row->dissipated, p->counted);
        periods_add_to_mean(&p->damping, row->damping, p->counted);
    }
    p->last = *end;
    p->done++;
}

void periods_take(Periods *p, int64_t now, const PeriodEnergy *energy) {
    if (now == 0) p->last = *energy;
    if (periods_has_ended(p, now)) {
        double share = p->waiting ? periods_next_end(p) / p->step - (double)(now - 1) : 1;
        PeriodEnergy end = periods_between(p->waiting ? &p->before : energy, energy, fmin(share, 1));
        periods_end_one(p, &end);
        p->row_step = now;
    }
    p->before = *energy;
    p->waiting = periods_has_ended(p, now + 1);
}

void periods_archive(Periods *p, Archive *archive) {
    double *values[] = {&p->last.impact,     &p->last.friction,   &p->last.rolling,       &p->last.work,
                        &p->before.impact,   &p->before.friction, &p->before.rolling,     &p->before.work,
                        &p->dissipated.mean, &p->damping.mean,    &p->dissipated.squares, &p->damping.squares,
                        &p->row.number,      &p->row.start,       &p->row.impact,         &p->row.friction,
                        &p->row.rolling,     &p->row.dissipated,  &p->row.work,           &p->row.speed,
                        &p->row.damping};
    int64_t counts[] = {p->done, p->counted, p->waiting, p->row_step};
    archive_scattered_doubles(archive, "values", values, sizeof values / sizeof *values);
    archive_counts(archive, "counts", counts, 4);
    p->done = counts[0], p->counted = counts[1], p->waiting = counts[2], p->row_step = counts[3];
}

#define COLUMN(name, unit, member)                                                                           \
    { name, unit, offsetof(PeriodRow, member) }
const PeriodColumn period_columns[period_column_count] = {
    COLUMN("period", "1", number),     COLUMN("t", "s", start),         COLUMN("impact", "J", impact),
    COLUMN("friction", "J", friction), COLUMN("rolling", "J", rolling), COLUMN("dissipated", "J", dissipated),
    COLUMN("work", "J", work),         COLUMN("speed", "m/s", speed),   COLUMN("damping_ratio", "1", damping),
};
