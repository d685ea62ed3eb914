// `maraca advise`: the figures of each bed, and the whole.
#include "analysis/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "grains/contact_stiffness.h"
#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "grains/law.h"
#include "grains/packing.h"
#include "model/model.h"
#include "output/page.h"
#include "sim/fed.h"
#include "sim/resolve.h"

// ---- a bed ---------------------------------------------------------------------------------------
// The same bed with linear springs of the stiffness that the program sizes.
static GrainsDefinition advise_sized(const SimDefinition *d, const GrainsDefinition *grains) {
    GrainsDefinition sized = *grains;
    sized.contact.normal = NORMAL_LINEAR;
    sized.contact.source = STIFFNESS_SIZED;
    sized.contact.stiffness = sized.contact.wall_stiffness = 0;
    sized.contact.tangential = law_tangential_beside(NORMAL_LINEAR, grains->contact.tangential);
    sim_resolve_contact(d, &sized);
    return sized;
}

static void advise_stiffness(const SimDefinition *d, const Material *material, BedAdvice *bed) {
    GrainsDefinition sized = advise_sized(d, bed->grains), by_material = sized;
    const SizingDefinition *sizing = &sized.contact.sizing;
    StiffnessAdvice *k = &bed->stiffness;
    GrainsSteps steps;
    *k = (StiffnessAdvice){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    k->now = contact_stiffness_of_grains(bed->grains, d->materials, d->material_count);
    by_material.contact.source = STIFFNESS_MATERIAL;
    if (material->young > 0 && bed->impact_speed > 0)
        k->material = contact_stiffness_of_pair(&by_material, material, material, false);
    if (sizing->frequency > 0)
        k->duration =
            contact_stiffness_for_duration(bed->mass / 2, 1 / sizing->frequency, sizing->contacts_per_period);
    if (!(sizing->speed > 0)) return;
    double length = bed->radius * forms_finest_part(&bed->grains->particles);
    k->overlap =
        contact_stiffness_for_overlap(bed->mass, length, sizing->speed, sizing->beta, sizing->overlap);
    k->safe =
        contact_stiffness_for_overlap(bed->mass, length, sizing->speed, sizing->beta, 2 * sizing->overlap);
    k->chosen = contact_stiffness_of_pair(&sized, material, material, false);
    k->speed_up = sqrt(k->material / k->chosen);
    if (sim_steps(d, &sized, &steps)) bed->sized_step = steps.suggested;
}

static bool advise_is_carried(const GrainsDefinition *grains, const Sim *machine) {
    for (int w = 0; machine && w < grains->wall_count; w++) {
        const char *name = grains_wall_port(grains, w);
        int port = name ? coupling_find_port(&machine->coupling, name) : -1;
        if (port >= 0 && port < machine->coupling.yielding) return true;
    }
    return false;
}

// `machine`: the simulation without grains; NULL: there is none.
static BedAdvice advise_bed(const SimDefinition *d, const GrainsDefinition *grains, const Sim *machine) {
    static const GrainsSteps unknown = {.suggested = INFINITY};
    BedsSteps divided = sim_beds_steps(d, machine && machine->coupling.drivers.all.yields);
    BedAdvice bed = {.grains = grains,
                     .radius = grain_sizes_mean_radius(&grains->particles),
                     .shaking = shaking_of_bed(d, grains),
                     .on_mechanism = advise_is_carried(grains, machine),
                     .sized_step = NAN};
    int own = material_find(d->materials, d->material_count, grains->particles.material);
    size_t count = 0;
    if (own < 0) return bed;
    const Material *material = &d->materials[own];
    bed.mass =
        material->density * 4.0 / 3.0 * M_PI * pow(bed.radius, 3) * forms_volume_factor(&grains->particles);
    for (int k = 0; k < grains_kind_count(grains); k++) {
        const GrainsDefinition kind = grains_of_kind(grains, k);
        const Material *of = material_by_name(d->materials, d->material_count, kind.particles.material);
        if (of && packing_count(&kind, of->density, &count, NULL) == MRC_OK) bed.count += (double)count;
        bed.total_mass += of ? packing_expected_mass(&kind, of->density) : NAN;
    }
    bed.fed = fed_of_bed(d, grains).mass;
    bed.total_mass += bed.fed;
    bed.impact_speed =
        grains->contact.impact_speed > 0 ? grains->contact.impact_speed : shaking_impact_speed(d, grains);
    bed.has_steps = sim_steps(d, grains, &bed.steps);
    bed.step = beds_step(grains, &divided, bed.has_steps ? &bed.steps : &unknown);
    advise_stiffness(d, material, &bed);
    return bed;
}

// ---- the whole -----------------------------------------------------------------------------------
MrcStatus advise_model(const MrcModel *model, Arena *arena, Advice *advice, MrcError *error) {
    const SimDefinition *d = model_definition(model);
    MrcError trouble = {0};
    Sim *machine = NULL;
    *advice = (Advice){.definition = d};
    advice->beds = arena_alloc(arena, ((size_t)d->grains_count + 1) * sizeof *advice->beds);
    if (!advice->beds) return error_memory(error, "the advice");
    MrcStatus status = advise_machine(d, arena, &machine, &trouble);
    for (int g = 0; g < d->grains_count; g++) advice->beds[g] = advise_bed(d, &d->grains[g], machine);
    if (machine && status == MRC_OK) status = advise_coupling(model, machine, arena, advice, &trouble);
    sim_destroy(machine);
    if (status == MRC_OK) return MRC_OK;
    if (status == MRC_MEMORY) return error_memory(error, "the advice");
    advice->coupling.count = 0;
    advice->trouble = arena_strdup(arena, trouble.text);
    return advice->trouble ? MRC_OK : error_memory(error, "the advice");
}

MrcStatus mrc_advise(const MrcModel *model, MrcAdvice *out, MrcError *error) {
    MrcError own;
    Advice advice;
    if (!error) error = &own;
    *out = (MrcAdvice){0};
    if (mrc_model_status(model) != MRC_OK)
        return error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    Arena *arena = arena_create();
    MrcFacts *facts = out->facts = facts_create();
    MrcStatus status =
        arena && facts ? advise_model(model, arena, &advice, error) : error_memory(error, "the advice");
    if (status == MRC_OK) {
        advise_facts(&advice, &facts->list);
        out->json = json_of_facts(&facts->list);
        out->report = out->json ? advise_report(&facts->list) : NULL;
        if (!out->report) status = error_memory(error, "the advice");
    }
    if (arena) arena_destroy(arena);
    if (status != MRC_OK) mrc_advice_free(out);
    return status;
}

MrcStatus mrc_advice_write(const MrcAdvice *advice, const char *path, MrcError *error) {
    MrcError own;
    const PageItem items[] = {{"advice", advice->json, false}, {"report", advice->report, true}};
    return page_write(path, NULL, items, 2, 0, error ? error : &own);
}

void mrc_advice_free(MrcAdvice *advice) {
    mrc_facts_free(advice->facts);
    mrc_text_free(advice->report);
    mrc_text_free(advice->json);
    *advice = (MrcAdvice){0};
}
