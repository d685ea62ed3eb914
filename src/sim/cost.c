#include "sim/cost.h"

#include <math.h>
#include <string.h>

#include "grains/forms.h"
#include "grains/law.h"
#include "grains/method.h"
#include "grains/packing.h"
#include "sim/resolve.h"

static const double cost_smooth_rate = 1.2e7; // grains a step and second
static const double cost_rigid_rate = 2e6;    // of few grains, which stay in the cache
static const double cost_rigid_least = 3.5e5; // of very many
static const double cost_rigid_many = 1500;   // grains at which it has halved
static const double cost_smooth_shapes = 3e5; // of grains that are not spheres, at rest
static const double cost_rigid_shapes = 1e5;
static const double cost_clear = 2; // times quicker is clearly quicker

static double cost_count(const SimDefinition *d, const GrainsDefinition *grains) {
    double sum = 0;
    for (int k = 0; k < grains_kind_count(grains); k++) {
        const GrainsDefinition kind = grains_of_kind(grains, k);
        const Material *material = material_by_name(d->materials, d->material_count, kind.particles.material);
        size_t count = 0;
        if (material && packing_count(&kind, material->density, &count, NULL) == MRC_OK) sum += (double)count;
    }
    return sum;
}

// `own`: the method of the bed in the model.
static MethodCost cost_by(const SimDefinition *d, const GrainsDefinition *grains, int own, double rate) {
    GrainsSteps steps;
    MethodCost cost = {NAN, NAN, NAN};
    double count = cost_count(d, grains);
    if (!(count > 0) || !sim_steps(d, grains, &steps) || !isfinite(steps.suggested)) return cost;
    // What is run takes the step that the model gives, unless the mechanism's is divided.
    bool given = grains->method == own && d->simulate.source == STEP_GIVEN && !d->has_mechanism;
    cost.step = given ? d->simulate.step : steps.suggested;
    cost.steps = ceil(d->simulate.duration / cost.step);
    cost.seconds = cost.steps * count / rate;
    return cost;
}

// The same bed by the other method.
static GrainsDefinition cost_other(const SimDefinition *d, const GrainsDefinition *grains) {
    GrainsDefinition other = *grains;
    bool rigid = grains_are_rigid(grains);
    other.method = grains_method_alternative(grains);
    if (!rigid) {
        sim_resolve_contact(d, &other);
        return other;
    }
    other.contact = (ContactDefinition){.normal = NORMAL_LINEAR,
                                        .tangential = TANGENTIAL_ELASTIC,
                                        .tangential_ratio = 2.0 / 7,
                                        .max_overlap = 0.2,
                                        .sizing = {.overlap = 0.05, .beta = 3, .contacts_per_period = 100}};
    sim_resolve_contact(d, &other);
    return other;
}

BedCost cost_of_bed(const SimDefinition *d, const GrainsDefinition *grains) {
    const GrainsDefinition other = cost_other(d, grains);
    bool rigid = grains_are_rigid(grains), spheres = grains_shape_count(grains) == 0;
    double few = cost_rigid_rate / (1 + cost_count(d, grains) / cost_rigid_many);
    double rate = spheres ? fmax(few, cost_rigid_least) : cost_rigid_shapes;
    BedCost cost = {.own = grains_method(grains)->choice.word};
    cost.smooth =
        cost_by(d, rigid ? &other : grains, grains->method, spheres ? cost_smooth_rate : cost_smooth_shapes);
    cost.nonsmooth = cost_by(d, rigid ? grains : &other, grains->method, rate);
    // Grains that stick, or whose softness is wanted, are not the same by the other method.
    if (!rigid && law_normal(grains->contact.normal)->elastic_bodies) return cost;
    const char *as_rigid = rigid ? cost.own : "nonsmooth"; // nscd costs about the same
    if (!spheres) cost.suggested = as_rigid;               // unless springs are clearly quicker
    if (cost.nonsmooth.seconds * cost_clear < cost.smooth.seconds) cost.suggested = as_rigid;
    if (cost.smooth.seconds * cost_clear < cost.nonsmooth.seconds) cost.suggested = "smooth";
    return cost;
}

static void cost_method_facts(const MethodCost *cost, const char *name, FactList *list) {
    fact_group_begin(list, name);
    fact_number(list, "step_s", cost->step, "s", "step that is suggested");
    fact_count(list, "steps", cost->steps > 0 ? (int64_t)cost->steps : 0, "steps in the simulated time");
    fact_number(list, "seconds", cost->seconds, "s", "time that they would take on one core, roughly");
    fact_group_end(list);
}

void cost_facts(const BedCost *cost, FactList *list) {
    bool other = cost->suggested && strcmp(cost->suggested, cost->own) != 0;
    fact_group_begin(list, "cost");
    cost_method_facts(&cost->smooth, "smooth", list);
    cost_method_facts(&cost->nonsmooth, "nonsmooth", list);
    fact_text(list, "suggested", cost->suggested, "method that is clearly quicker");
    fact_flag(list, "other", other, "it is not that of the bed");
    fact_group_end(list);
}
