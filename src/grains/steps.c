// Four criteria for smooth grains, of which the smallest step is suggested, and one for rigid ones.
//
// Rigid grains (nonsmooth) have no critical step. The step takes contacts as flat, so that a grain must not
// move by more than a small part of its radius, 0.05, while it falls, slides and is pushed at the expected
// speed: at 0.05 the places of two grains that slide past each other are right to 0.05^2/2 of a radius.
//
// Critical steps, beyond which symplectic Euler gains energy, with the fraction of each that may be taken:
//
//     Hart            2 sqrt(m/(2 k))                                 0.1   (DAMPER Eq. 1)
//     eigenfrequency  2 sqrt(m/k)                                     0.8   (MULTIRATE Eq. 27)
//     Rayleigh        pi R sqrt(rho/G) / (0.1631 nu + 0.8766)         0.4   (MULTIRATE Eq. 26)
//
// m is the mass of the lightest grain, k its stiffest contact; Hertz contacts have the stiffness that they
// reach in an impact at the expected speed. Rayleigh's is the time a surface wave takes half around a grain.
// MULTIRATE prints the bracket under the root; it belongs outside (Ning and Thornton), being the ratio of the
// speeds of Rayleigh and shear waves: the root of Rayleigh's equation is 0.874, 0.919 and 0.955 at nu = 0,
// 0.25 and 0.5, the bracket 0.877, 0.917 and 0.958. It needs no speed, and so looks after Hertz beds at rest,
// whatever presses on them; of 0.2 (many contacts) to 0.4 (few) we take 0.4, because contacts are resolved
// anyway. It does not apply to linear contacts: their stiffness is a number, however fast waves are in the
// real material.
//
// Resolving contacts: the shortest contact of two grains, or of a grain with a wall, takes so many steps that
// the rebound speed is within 0.1 % of the prescribed one, wherever between two steps the contact begins and
// ends. The error falls with the square of the step (law_linear.c, law_hertz.c). Steps per contact that were
// found to be needed, and those taken: at least 36 and 20 + 47 sqrt(1/e - 1) for linear contacts, 22 + 15
// sqrt(1/e - 1) for Hertz:
//
//     restitution       1.0   0.99   0.95   0.9   0.7   0.5   0.3   0.2   0.1
//     linear, needed     35     35     35    36    41    52    77   101   160
//     linear, taken      36     36     36    36    51    67    92   114   161
//     Hertz, needed      16     16     20    20    24    29    36    41    63
//     Hertz, taken       22     24     25    27    32    37    45    52    67
//
// With them the ledger of the moving box of DAMPER Table 2 closes to better than 8e-4 with every law and e =
// 0.3 to 1.
//
// Below e = 0.1 no more are taken: a thousandth of such a rebound does not matter to anyone. Hertz contacts
// are shorter when they are faster, by speed^(-1/5).
#include "grains/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "grains/law.h"
#include "grains/sizing.h"

static const double pi = 3.14159265358979323846;

static const char *const names[] = {"contact", "hart", "rayleigh", "eigenfrequency", "motion"};
static const char *const words[] = {"contacts are resolved", "Hart's criterion", "Rayleigh waves",
                                    "the eigenfrequency of a grain", "a grain moves by its radius"};
const char *steps_criterion_name(StepCriterion criterion) { return names[criterion]; }
const char *steps_criterion_words(StepCriterion criterion) { return words[criterion]; }

double steps_per_contact(NormalLaw law, double restitution) {
    double e = fmin(fmax(restitution, 0.1), 1);
    double loss = sqrt(1 / e - 1);
    return law == NORMAL_HERTZ ? 22 + 15 * loss : fmax(36, 20 + 47 * loss);
}

double steps_linear_duration(double mass, double stiffness) { return pi * sqrt(mass / stiffness); }

// The unit of time of the collision in law_hertz.c; a contact lasts 3.2181 of them.
static double hertz_time(double mass, double radius, double modulus, double speed) {
    return pow(mass * mass / (modulus * modulus * radius * speed), 0.2);
}

double steps_hertz_duration(double mass, double radius, double modulus, double speed) {
    return 3.218102 * hertz_time(mass, radius, modulus, speed);
}

double steps_hertz_overlap(double mass, double radius, double modulus, double speed) {
    return pow(1.25, 0.4) * speed * hertz_time(mass, radius, modulus, speed);
}

// Three digits, downwards: what is shown is what is used.
static double round_down(double value) {
    char text[32];
    double unit = pow(10, floor(log10(value)) - 2);
    snprintf(text, sizeof text, "%.3g", floor(value / unit * (1 + 1e-12)) * unit);
    return strtod(text, NULL);
}

// One kind of contact: of two grains, or of a grain with a wall.
static void take_contact(GrainsSteps *s, const GrainsDefinition *d, const GrainsSetting *setting,
                         const Material *a, const Material *b, bool wall) {
    double radius = sizing_least_radius(&d->particles), share = wall ? 1 : 0.5;
    double mass = a->density * 4.0 / 3.0 * pi * radius * radius * radius;
    double stiffness = sizing_stiffness(d, a, b, wall),
           duration = steps_linear_duration(share * mass, stiffness);
    if (d->contact.normal == NORMAL_HERTZ) {
        double modulus = 4.0 / 3.0 * material_effective_young(a, b), effective = share * radius;
        double overlap = steps_hertz_overlap(share * mass, effective, modulus, s->speed);
        duration = steps_hertz_duration(share * mass, effective, modulus, s->speed);
        stiffness = 1.5 * modulus * sqrt(effective * overlap);
    } else if (d->contact.tangential == TANGENTIAL_ELASTIC) { // a stiffer tangential spring swings faster
        duration /= sqrt(fmax(1, 3.5 * d->contact.tangential_ratio));
    }
    double restitution = law_coefficients(setting, a, b).restitution;
    double steps = steps_per_contact(d->contact.normal, restitution);
    s->restitution = fmin(s->restitution, restitution);
    if (duration / steps < s->factor[STEP_BY_CONTACT] * s->limit[STEP_BY_CONTACT]) {
        s->limit[STEP_BY_CONTACT] = duration;
        s->factor[STEP_BY_CONTACT] = 1 / steps;
    }
    s->limit[STEP_BY_HART] = fmin(s->limit[STEP_BY_HART], sizing_hart_step(mass, stiffness));
    s->limit[STEP_BY_EIGENFREQUENCY] =
        fmin(s->limit[STEP_BY_EIGENFREQUENCY], sizing_eigenfrequency_step(mass, stiffness));
}

static void choose(GrainsSteps *s) {
    for (int c = 0; c < STEP_CRITERION_COUNT; c++) {
        if (s->factor[c] * s->limit[c] < s->factor[s->governing] * s->limit[s->governing]) s->governing = c;
        if (c != STEP_BY_CONTACT && c != STEP_BY_MOTION && s->limit[c] < s->critical) {
            s->critical = s->limit[c];
            s->critical_by = c;
        }
    }
    s->suggested = round_down(s->factor[s->governing] * s->limit[s->governing]);
}

static bool steps_of_rigid(const GrainsDefinition *d, GrainsSteps *s) {
    double radius = sizing_least_radius(&d->particles);
    if (!(radius > 0 && s->speed > 0)) return false;
    s->limit[STEP_BY_MOTION] = radius / s->speed;
    choose(s);
    return true;
}

bool steps_of_bed(const GrainsDefinition *d, const GrainsSetting *setting, GrainsSteps *s) {
    bool hertz = d->contact.normal == NORMAL_HERTZ;
    int own = material_find(setting->materials, setting->material_count, d->particles.material);
    *s = (GrainsSteps){.limit = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY},
                       .factor = {[STEP_BY_CONTACT] = 0.05,
                                  [STEP_BY_HART] = 0.1,
                                  [STEP_BY_RAYLEIGH] = 0.4,
                                  [STEP_BY_EIGENFREQUENCY] = 0.8,
                                  [STEP_BY_MOTION] = 0.05},
                       .critical = INFINITY,
                       .speed = d->contact.impact_speed,
                       .restitution = 1};
    if (d->method == METHOD_NONSMOOTH) return steps_of_rigid(d, s);
    if (own < 0 || !(sizing_least_radius(&d->particles) > 0)) return false;
    const Material *grain = &setting->materials[own];
    if (!(grain->density > 0) || (hertz && !(grain->young > 0 && s->speed > 0))) return false;
    take_contact(s, d, setting, grain, grain, false);
    for (int w = 0; w < d->wall_count; w++) {
        int other = material_find(setting->materials, setting->material_count, d->walls[w].material);
        const Material *wall = &setting->materials[other >= 0 ? other : own];
        if (hertz && !(wall->young > 0)) return false;
        take_contact(s, d, setting, grain, wall, true);
    }
    if (hertz) s->limit[STEP_BY_RAYLEIGH] = sizing_rayleigh_step(sizing_least_radius(&d->particles), grain);
    if (!(s->limit[STEP_BY_HART] > 0 && isfinite(s->limit[STEP_BY_HART]))) return false;
    choose(s);
    return true;
}
