// Time steps of a bed: its method says which criteria apply, and the smallest step is suggested.
#include "grains/time_steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "grains/law.h"
#include "grains/method.h"

static const struct {
    const char *name, *words, *limit;
} step_criteria[STEP_CRITERION_COUNT] = {
    [STEP_BY_CONTACT] = {"contact", "contacts are resolved", "the shortest contact"},
    [STEP_BY_HART] = {"hart", "Hart's criterion", "Hart's criterion"},
    [STEP_BY_RAYLEIGH] = {"rayleigh", "Rayleigh waves", "Rayleigh's criterion"},
    [STEP_BY_EIGENFREQUENCY] = {"eigenfrequency", "the eigenfrequency of a grain",
                                "the eigenfrequency of a grain"},
    [STEP_BY_MOTION] = {"motion", "a grain moves by its radius", "the time to move by a radius"},
};
const char *time_steps_criterion_name(StepCriterion criterion) { return step_criteria[criterion].name; }
const char *time_steps_criterion_words(StepCriterion criterion) { return step_criteria[criterion].words; }
const char *time_steps_limit_words(StepCriterion criterion) { return step_criteria[criterion].limit; }

double time_steps_hart(double mass, double stiffness) { return 2 * sqrt(mass / (2 * stiffness)); }

double time_steps_rayleigh(double radius, const Material *m) {
    double shear = m->young / (2 * (1 + m->poisson));
    return M_PI * radius * sqrt(m->density / shear) / (0.1631 * m->poisson + 0.8766);
}

double time_steps_eigenfrequency(double mass, double stiffness) { return 2 * sqrt(mass / stiffness); }

double time_steps_per_contact(int law, double restitution) {
    return law_normal(law)->steps_per_contact(fmin(fmax(restitution, 0.1), 1));
}

// Three digits, downwards: what is shown is what is used.
static double time_steps_round_down(double value) {
    char text[32];
    double unit = pow(10, floor(log10(value)) - 2);
    snprintf(text, sizeof text, "%.3g", floor(value / unit * (1 + 1e-12)) * unit);
    return strtod(text, NULL);
}

static void time_steps_choose(GrainsSteps *s) {
    for (int c = 0; c < STEP_CRITERION_COUNT; c++) {
        if (s->factor[c] * s->limit[c] < s->factor[s->governing] * s->limit[s->governing]) s->governing = c;
        if (c != STEP_BY_CONTACT && c != STEP_BY_MOTION && s->limit[c] < s->critical) {
            s->critical = s->limit[c];
            s->critical_by = c;
        }
    }
    s->suggested = time_steps_round_down(s->factor[s->governing] * s->limit[s->governing]);
}

bool time_steps_of_bed(const GrainsDefinition *d, const GrainsSetting *setting, GrainsSteps *s) {
    *s = (GrainsSteps){.limit = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY},
                       .factor = {[STEP_BY_CONTACT] = 0.05,
                                  [STEP_BY_HART] = 0.1,
                                  [STEP_BY_RAYLEIGH] = 0.4,
                                  [STEP_BY_EIGENFREQUENCY] = 0.8,
                                  [STEP_BY_MOTION] = 0.05},
                       .critical = INFINITY,
                       .speed = d->contact.impact_speed,
                       .restitution = 1};
    if (!grains_method(d)->steps(d, setting, s)) return false;
    time_steps_choose(s);
    return true;
}
