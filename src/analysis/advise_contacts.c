// Contacts of smooth grains that neither lose energy nor are resolved by the step of the mechanism: do they swing up with
// it? (docs/theory/condensed.md, "Contacts that are not damped and not resolved".)
//
// Along each axis of a port the mechanism is a mass on a spring (advise_coupling.h). Grains hang at it by one contact: any
// mass from one grain to the whole bed, any frequency up to that of the shortest contact, because many grains above each
// other swing more slowly. The largest growth per step that the recurrence of the condensed scheme has for these counts.
// Contacts have the damping ratio of the restitution e,
//
//     zeta = -ln e / sqrt(pi^2 + ln^2 e)
//
// and none where friction acts by springs: those have no dashpot.
#include <math.h>
#include <stdio.h>

#include "analysis/advise.h"
#include "grains/law.h"

static const double contacts_least_growth = 1.001; // per step: what is worth saying
static const double contacts_resolved = 0.25;      // omega of a contact times a step of the grains
enum { contacts_most_steps = 100 };                // of the grains, in the recurrence: more change nothing

bool advise_contacts_are_undamped(const SimDefinition *d, const GrainsDefinition *bed) {
    int own = material_find(d->materials, d->material_count, bed->particles.material);
    if (!grains_takes_substeps(bed) || own < 0) return false;
    return law_tangential(bed->contact.tangential)->spring || d->materials[own].restitution > 0.9;
}

static double contacts_damping(const SimDefinition *d, const GrainsDefinition *bed) {
    int own = material_find(d->materials, d->material_count, bed->particles.material);
    if (law_tangential(bed->contact.tangential)->spring || own < 0) return 0;
    double loss = -log(d->materials[own].restitution);
    return loss / sqrt(M_PI * M_PI + loss * loss);
}

static void contacts_try(const TwoMassParameters *p, int axis, PortAdvice *port) {
    double growth = stability_radius(scheme_types[0], &scheme_types[0]->variants[0].settings, p);
    if (!(growth > contacts_least_growth) || growth <= port->swing_growth) return;
    port->swing_growth = growth;
    port->swing_axis = axis;
    port->swing_phase = p->omega_h;
    port->swing_contact = p->contact_omega_h;
}

void advise_find_swing(const SimDefinition *d, const BedAdvice *bed, double h, const double phases[3],
                       PortAdvice *port) {
    double duration = bed->has_steps ? bed->steps.limit[STEP_BY_CONTACT] : 0;
    if (!advise_contacts_are_undamped(d, bed->grains) || !(duration > 0) || !(bed->step < 0.7 * h)) return;
    TwoMassParameters p = {.rho_inf = d->mechanism.integrator.rho_inf,
                           .substeps = (int)fmin(round(h / bed->step), contacts_most_steps),
                           .contact_damping = contacts_damping(d, bed->grains)};
    for (int k = 0; k < 3; k++) {
        p.omega_h = phases[k];
        if (!isfinite(port->effective_mass[k]) || !(p.omega_h > 0.1)) continue;
        for (double mass = bed->mass; mass <= bed->total_mass * (1 + 1e-9); mass *= 4) {
            p.mass_ratio = mass / port->effective_mass[k];
            double most = contacts_resolved * p.substeps / sqrt(1 + p.mass_ratio);
            p.contact_omega_h = fmin(fmin(M_PI * h / duration, 6), most);
            for (; p.contact_omega_h > 0.3; p.contact_omega_h *= 0.85) contacts_try(&p, k, port);
        }
    }
}

bool advise_contact_words(const PortAdvice *port, char *text, size_t size) {
    if (!(port->swing_growth > contacts_least_growth) || port->stiff_axis >= 0) return false;
    snprintf(text, size,
             "contacts without damping may swing up along %s, by up to %.2g %% a step: omega h is %.2g there "
             "for the machine and "
             "%.2g for grains on their contacts; use a smaller step, a smaller rho_inf, a damper or less "
             "restitution",
             port->along[port->swing_axis], 100 * (port->swing_growth - 1), port->swing_phase,
             port->swing_contact);
    return true;
}
