#include "sim/cost.h"

#include <math.h>
#include <string.h>

#include "grains/forms.h"
#include "grains/law.h"
#include "grains/method.h"
#include "grains/packing.h"
#include "sim/fed.h"
#include "sim/resolve.h"
#include "sim/shaking.h"

static const double cost_smooth_rate = 2.5e7; // grains a step and second
static const double cost_rigid_rate = 2e6;    // of few grains that fly, which stay in the cache
static const double cost_rigid_least = 3.5e5; // of very many, or of grains that lie on each other
static const double cost_rigid_many = 1500;   // grains at which it has halved
static const double cost_smooth_shapes = 3e5; // of grains that are not spheres, at rest
static const double cost_rigid_shapes = 1e5;
static const double cost_clear = 3; // times quicker: such a method is suggested; estimates are off by less

// Number of grains in the bed, averaged over the run: those at the start, and those that inlets bring.
static double cost_count(const SimDefinition *d, const GrainsDefinition *grains) {
    double sum = fed_of_bed(d, grains).mean_count;
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

// Of spheres. Contacts are solved at about 2e8 a sweep and second. Grains that are thrown have few and need some ten
// sweeps; where each carries what lies on it, there are 2.5 contacts a grain and about 240 sweeps (drums of 200 to 400
// grains), and the rate is 2e8/600. How a mechanism moves a bed is not known: in between, by a factor of 2.4 either way.
static double cost_rigid_spheres(const SimDefinition *d, const GrainsDefinition *grains, double count) {
    double thrown = fmax(cost_rigid_rate / (1 + count / cost_rigid_many), cost_rigid_least);
    double weight = vec3_norm(d->gravity);
    bool carried = false;
    for (int w = 0; w < grains->wall_count && d->has_mechanism; w++)
        carried = carried || grains_wall_port(grains, w);
    if (!(weight > 0)) return thrown;
    if (carried) return sqrt(thrown * cost_rigid_least);
    return shaking_of_bed(d, grains).acceleration > weight ? thrown : cost_rigid_least;
}

static void cost_suggest(const char *as_rigid, BedCost *cost) {
    cost->suggested = NULL;
    if (cost->nonsmooth.seconds * cost_clear < cost->smooth.seconds) cost->suggested = as_rigid;
    if (cost->smooth.seconds * cost_clear < cost->nonsmooth.seconds) cost->suggested = "smooth";
}

BedCost cost_of_bed(const SimDefinition *d, const GrainsDefinition *grains) {
    const GrainsDefinition other = cost_other(d, grains);
    bool rigid = grains_are_rigid(grains), spheres = grains_shape_count(grains) == 0;
    BedCost cost = {
        .own = grains_method(grains)->choice.word, .rigid = rigid, .grains = cost_count(d, grains)};
    double rate = spheres ? cost_rigid_spheres(d, grains, cost.grains) : cost_rigid_shapes;
    cost.smooth =
        cost_by(d, rigid ? &other : grains, grains->method, spheres ? cost_smooth_rate : cost_smooth_shapes);
    cost.nonsmooth = cost_by(d, rigid ? grains : &other, grains->method, rate);
    // With cohesion, or with a given stiffness, the other method would not simulate the same bed.
    if (!rigid && law_normal(grains->contact.normal)->elastic_bodies) return cost;
    cost_suggest(rigid ? cost.own : "nonsmooth", &cost); // nscd costs about the same
    return cost;
}

void cost_measured(BedCost *cost, double seconds) {
    const char *estimated = cost->suggested;
    if (!(seconds > 0)) return;
    (cost->rigid ? &cost->nonsmooth : &cost->smooth)->seconds = seconds;
    cost_suggest(cost->rigid ? cost->own : "nonsmooth", cost);
    // What a short run measured is mostly its start: it may withdraw a suggestion but not make one.
    if (!estimated || !cost->suggested || strcmp(cost->suggested, estimated) != 0) cost->suggested = NULL;
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
    fact_number(list, "grains", cost->grains > 0 ? cost->grains : NAN, "1",
                "grains on average, if none leave");
    cost_method_facts(&cost->smooth, "smooth", list);
    cost_method_facts(&cost->nonsmooth, "nonsmooth", list);
    fact_number(list, "own_seconds", (cost->rigid ? cost->nonsmooth : cost->smooth).seconds, "s",
                "time by the method of the bed");
    fact_number(list, "other_seconds", (cost->rigid ? cost->smooth : cost->nonsmooth).seconds, "s",
                "time by the other method, roughly");
    fact_text(list, "suggested", cost->suggested, "method that is clearly quicker");
    fact_flag(list, "other", other, "it is not that of the bed");
    fact_group_end(list);
}
