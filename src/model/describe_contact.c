// The laws of contact in words, with the numbers that come out for this bed; and the automatic step.
#include <math.h>

#include "grains/grains.h"
#include "math/human.h"
#include "model/describe.h"
#include "sim/resolve.h"

void describe_contact(Text *text, const SimDefinition *d, const GrainsDefinition *grains) {
    GrainsSetting setting = {.materials = d->materials,
                             .material_count = d->material_count,
                             .pairs = d->pairs,
                             .pair_count = d->pair_count};
    grains_describe_contacts(&(GrainsModel){.grains = grains, .setting = &setting}, text);
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
                                                 : time_steps_criterion_words(least.governing));
}
