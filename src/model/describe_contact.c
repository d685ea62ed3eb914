// The laws of contact in words, with the numbers that come out for this bed.
#include <math.h>

#include "grains/law.h"
#include "grains/sizing.h"
#include "math/human.h"
#include "model/describe.h"
#include "sim/resolve.h"

static void describe_stiffness(Text *text, const GrainsDefinition *grains, const Material *grain,
                               const Material *wall) {
    const ContactDefinition *c = &grains->contact;
    double between = sizing_stiffness(grains, grain, grain, false),
           at_wall = sizing_stiffness(grains, grain, wall, true);
    text_add_string(text, "a linear spring of ");
    human_add(text, between, DIM_STIFFNESS);
    if (at_wall != between) {
        text_add_string(text, " (");
        human_add(text, at_wall, DIM_STIFFNESS);
        text_add_string(text, " at walls)");
    }
    if (c->source == STIFFNESS_MATERIAL) {
        text_add_string(text, ", from the materials at impacts of ");
        human_add(text, c->impact_speed, DIM_VELOCITY);
    } else if (c->source == STIFFNESS_SIZED) {
        text_add(text, ", sized for overlaps up to %g %% of the radius when walls move at ",
                 100 * c->sizing.overlap);
        human_add(text, c->sizing.speed, DIM_VELOCITY);
        if (c->sizing.frequency > 0) {
            text_add_string(text, " and ");
            human_add(text, c->sizing.frequency, DIM_FREQUENCY);
        }
    }
}

// "0.3", or "0.3 (0.5 at walls)".
static void add_coefficient(Text *text, double between, double at_wall) {
    text_add(text, "%.4g", between);
    if (at_wall != between) text_add(text, " (%.4g at walls)", at_wall);
}

static void describe_rigid(Text *text, const ContactDefinition *c, const LawCoefficients *between,
                           const LawCoefficients *at_wall) {
    text_add(text, "  They are rigid: %s, solved to %.2g; restitution ",
             c->law == CONTACT_COULOMB ? "Coulomb's law" : "cone complementarity", c->solver.tolerance);
    add_coefficient(text, between->restitution, at_wall->restitution);
    text_add_string(text, ", friction ");
    add_coefficient(text, between->friction, at_wall->friction);
    if (between->rolling_friction > 0 || at_wall->rolling_friction > 0) {
        text_add_string(text, ", rolling friction ");
        add_coefficient(text, between->rolling_friction, at_wall->rolling_friction);
    }
    if (between->spinning_friction > 0 || at_wall->spinning_friction > 0) {
        text_add_string(text, ", spinning friction ");
        add_coefficient(text, between->spinning_friction, at_wall->spinning_friction);
    }
    text_add_string(text, ".\n");
}

void describe_contact(Text *text, const SimDefinition *d, const GrainsDefinition *grains) {
    static const char *const frictions[] = {"no friction", "directional friction", "elastic friction",
                                            "Mindlin's friction"};
    const ContactDefinition *c = &grains->contact;
    const Material *grain = material_by_name(d->materials, d->material_count, grains->particles.material),
                   *wall = grain;
    if (!grain) return;
    if (grains->wall_count > 0 && grains->walls[0].material)
        wall = material_by_name(d->materials, d->material_count, grains->walls[0].material);
    if (!wall) wall = grain;
    GrainsSetting setting = {.pairs = d->pairs, .pair_count = d->pair_count};
    LawCoefficients between = law_coefficients(&setting, grain, grain),
                    at_wall = law_coefficients(&setting, grain, wall);
    if (grains->method == METHOD_NONSMOOTH) {
        describe_rigid(text, c, &between, &at_wall);
        return;
    }
    text_add_string(text, "  They touch with ");
    if (c->normal == NORMAL_HERTZ) {
        text_add_string(text, "Hertz's law, E' = ");
        human_add(text, material_effective_young(grain, grain), DIM_PRESSURE);
    } else describe_stiffness(text, grains, grain, wall);
    text_add_string(text, "; restitution ");
    add_coefficient(text, between.restitution, at_wall.restitution);
    text_add(text, ", %s", frictions[c->tangential]);
    if (c->tangential != TANGENTIAL_NONE) {
        text_add_string(text, " ");
        add_coefficient(text, between.friction, at_wall.friction);
    }
    if (c->rolling != ROLLING_NONE) {
        text_add(text, ", rolling friction %s", c->rolling == ROLLING_SPRING ? "(with a spring) " : "");
        add_coefficient(text, between.rolling_friction, at_wall.rolling_friction);
    }
    text_add_string(text, ".\n");
}

void describe_step(Text *text, const SimDefinition *d) {
    GrainsSteps least = {.suggested = INFINITY}, steps;
    for (int g = 0; g < d->grains_count; g++)
        if (sim_steps(d, &d->grains[g], &steps) && steps.suggested < least.suggested) least = steps;
    if (!isfinite(least.suggested)) return;
    text_add(text, " (automatic: %.3g of ", least.factor[least.governing]);
    human_add(text, least.limit[least.governing], DIM_TIME);
    text_add(text, ", %s)",
             least.governing == STEP_BY_CONTACT  ? "the shortest contact"
             : least.governing == STEP_BY_MOTION ? "in which a grain moves by its radius"
                                                 : steps_criterion_words(least.governing));
}
