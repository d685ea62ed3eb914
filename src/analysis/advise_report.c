// Advice as facts, and the text that is printed from them.
#include <math.h>
#include <stdlib.h>

#include "analysis/advise.h"
#include "grains/law.h"
#include "output/pattern.h"
#include "sim/cost.h"

// ---- facts of a bed ------------------------------------------------------------------------------
static const char *advise_step_verdict(const SimDefinition *d, const BedAdvice *bed) {
    if (bed->step > bed->steps.critical) return "longer than critical: energy is gained";
    if (bed->step > 1.001 * bed->steps.suggested) return "longer than suggested";
    if (bed->step < d->simulate.step) return "the mechanism's, divided";
    return d->simulate.source == STEP_AUTO ? "automatic" : NULL;
}

static void advise_step_facts(const BedAdvice *bed, FactList *list) {
    static const char *const titles[STEP_CRITERION_COUNT] = {
        [STEP_BY_CONTACT] = "shortest contact",
        [STEP_BY_HART] = "Hart's critical step",
        [STEP_BY_RAYLEIGH] = "Rayleigh's critical step",
        [STEP_BY_EIGENFREQUENCY] = "eigenfrequency's critical step",
        [STEP_BY_MOTION] = "time to move by a radius",
    };
    const GrainsSteps *s = &bed->steps;
    bool rigid = grains_are_rigid(bed->grains);
    fact_group_begin(list, "steps");
    for (int c = 0; c < STEP_CRITERION_COUNT; c++) {
        fact_group_begin(list, time_steps_criterion_name(c));
        fact_number(list, "limit_s", s->limit[c], "s", titles[c]);
        fact_number(list, "factor", s->factor[c], "1", "share of it that a step may take");
        fact_number(list, "step_s", s->factor[c] * s->limit[c], "s", "step that it allows");
        fact_flag(list, "of_this_method", rigid == (c == STEP_BY_MOTION), "is for the method of this bed");
        fact_flag(list, "governs", c == (int)s->governing, "allows the smallest step");
        fact_group_end(list);
    }
    fact_number(list, "critical_s", s->critical, "s", "critical step");
    fact_number(list, "suggested_s", s->suggested, "s", "suggested step");
    fact_text(list, "governed_by", time_steps_criterion_name(s->governing),
              "criterion of the suggested step");
    fact_group_end(list);
}

static void advise_stiffness_facts(const BedAdvice *bed, FactList *list) {
    const StiffnessAdvice *k = &bed->stiffness;
    const SizingDefinition *sizing = &bed->grains->contact.sizing;
    fact_group_begin(list, "stiffness");
    fact_number(list, "material_N_per_m", k->material, "N/m", "from the material");
    fact_number(list, "overlap_N_per_m", k->overlap, "N/m", "for small overlaps");
    fact_number(list, "overlap", sizing->overlap, "1", "overlap that is meant, over the radius");
    fact_number(list, "twice_the_overlap_N_per_m", k->safe, "N/m", "for twice that overlap");
    fact_number(list, "twice_the_overlap", 2 * sizing->overlap, "1", "twice that overlap");
    fact_number(list, "duration_N_per_m", k->duration, "N/m", "for short contacts");
    fact_number(list, "contacts_per_period", sizing->contacts_per_period, "1", "contacts in a period");
    fact_number(list, "model_N_per_m", k->now, "N/m", "of the model");
    fact_number(list, "chosen_N_per_m", k->chosen, "N/m", "the softest that will do");
    fact_text(list, "chosen_by",
              !isfinite(k->chosen)       ? NULL
              : k->chosen == k->material ? "the material itself: softening gains nothing"
              : k->chosen == k->duration ? "contacts stay short against the period"
                                         : "overlaps stay small",
              "why it is that stiff");
    fact_number(list, "step_s", bed->sized_step, "s", "step that it allows");
    fact_number(list, "speed_up", k->speed_up, "1", "times faster than with the stiffness of the material");
    fact_group_end(list);
}

// What to paste into the model file, or to say on the command line.
static void advise_hint_facts(const BedAdvice *bed, FactList *list) {
    const ContactDefinition *c = &bed->grains->contact;
    bool rigid = grains_are_rigid(bed->grains),
         divided = bed->on_mechanism && grains_takes_substeps(bed->grains);
    int tangential = law_tangential_beside(NORMAL_LINEAR, c->tangential);
    fact_group_begin(list, "hint");
    fact_flag(list, "step", bed->has_steps && !divided, "the suggested step is one of the simulation");
    fact_flag(list, "softer", isfinite(bed->sized_step) && c->source != STIFFNESS_SIZED && !rigid,
              "contacts may be softer");
    fact_flag(list, "linear", c->normal != NORMAL_LINEAR, "softer contacts need another normal law");
    fact_text(list, "tangential",
              tangential != c->tangential ? law_tangential(tangential)->choice.word : NULL,
              "tangential law that softer contacts need");
    fact_flag(list, "wall_stiffness", c->wall_stiffness > 0, "the stiffness of walls must follow");
    fact_group_end(list);
}

static void advise_bed_facts(const SimDefinition *d, const BedAdvice *bed, FactList *list) {
    fact_group_begin(list, bed->grains->name);
    fact_count(list, "count", (int64_t)bed->count, "grains");
    fact_number(list, "radius_m", bed->radius, "m", "mean radius");
    fact_number(list, "grain_mass_kg", bed->mass, "kg", "mass of such a grain");
    fact_number(list, "mass_kg", bed->total_mass, "kg", "mass of all grains");
    fact_number(list, "fed_kg", bed->fed > 0 ? bed->fed : NAN, "kg", "mass that inlets bring until the end");
    fact_flag(list, "rigid", grains_are_rigid(bed->grains), "grains are rigid");
    fact_flag(list, "on_mechanism", bed->on_mechanism, "a wall is on the mechanism");
    fact_number(list, "wall_speed_m_per_s", bed->shaking.speed, "m/s", "largest speed of the walls");
    fact_number(list, "wall_acceleration_m_per_s2", bed->shaking.acceleration, "m/s^2",
                "largest acceleration of the walls");
    fact_number(list, "frequency_hz", bed->shaking.frequency, "Hz", "frequency of their motion");
    fact_number(list, "impact_speed_m_per_s", bed->impact_speed, "m/s", "expected speed of impact");
    if (bed->has_steps) advise_step_facts(bed, list);
    else fact_text(list, "steps", NULL, "steps");
    fact_number(list, "step_s", bed->step, "s", "step of the grains in the model");
    fact_flag(list, "divided", bed->step < d->simulate.step, "the step of the simulation is divided");
    fact_text(list, "step_verdict", bed->has_steps ? advise_step_verdict(d, bed) : NULL,
              "judgement of the step");
    advise_stiffness_facts(bed, list);
    fact_text(list, "law", law_normal(bed->grains->contact.normal)->contacts, "contacts");
    advise_hint_facts(bed, list);
    const BedCost cost = cost_of_bed(d, bed->grains);
    cost_facts(&cost, list);
    fact_group_end(list);
}

// ---- facts of the coupling -----------------------------------------------------------------------
static void advise_three(FactList *list, const char *key, const double values[3], const char *unit,
                         const char *words) {
    fact_array_begin(list, key);
    for (int k = 0; k < 3; k++) fact_number(list, NULL, values[k], unit, words);
    fact_group_end(list);
}

static void advise_scheme_facts(const PortAdvice *port, const SchemeAdvice *scheme, double rho,
                                FactList *list) {
    bool stable = scheme->radius <= 1 + STABILITY_TOLERANCE;
    fact_group_begin(list, scheme->name);
    fact_flag(list, "stable", stable, "errors do not grow");
    fact_number(list, "radius", scheme->radius, "1", "growth of errors per step");
    fact_number(list, "largest_stable_rho_inf", scheme->rho_most, "1",
                "largest rho_inf at which it is stable");
    fact_flag(list, "lower_rho_inf_helps", !stable && scheme->rho_most < rho,
              "a smaller rho_inf makes it stable");
    fact_number(list, "impact_gain", scheme->impact_gain, "1",
                "what an impact makes of the energy of the relative motion");
    fact_number(list, "energy_swing", scheme->energy_swing, "1",
                "factor by which the sum of energies swings, without growing");
    fact_number(list, "contraction", scheme->scheme->contraction ? port->contraction : NAN, "1",
                "what a plain round leaves of the error of the load");
    fact_group_end(list);
}

static void advise_port_facts(const PortAdvice *port, double rho, FactList *list) {
    fact_group_begin(list, port->name);
    fact_array_begin(list, "directions");
    for (int k = 0; k < 3; k++) fact_text(list, NULL, port->along[k], "direction, in the axes of the port");
    fact_group_end(list);
    advise_three(list, "effective_mass_kg", port->effective_mass, "kg",
                 "effective mass along these directions");
    advise_three(list, "effective_inertia_kg_m2", port->effective_inertia, "kg*m^2",
                 "effective inertia about the axes of the port");
    fact_number(list, "grains_kg", port->grains, "kg", "grains");
    fact_number(list, "container_kg", port->container, "kg", "container on the grains' side");
    fact_text(list, "axis", port->along[port->axis], "axis with the smallest effective mass");
    fact_number(list, "mass_ratio", port->ratio, "1", "grains and container over that mass");
    fact_number(list, "effective_frequency_hz", port->frequency, "Hz",
                "that of effective mass and stiffness along it, over a step");
    fact_number(list, "tight_contraction", port->contraction, "1",
                "contraction of the tight scheme's plain rounds");
    char words[400];
    bool stiff = advise_stiff_words(port, words, sizeof words);
    fact_flag(list, "heavy_on_stiff", stiff, "contacts of heavy smooth grains may make errors grow");
    fact_text(list, "heavy_on_stiff_words", stiff ? words : NULL, "where, and what to do");
    fact_text(list, "stiff_axis", stiff ? port->along[port->stiff_axis] : NULL, "axis along which they may");
    fact_number(list, "stiff_mass_ratio", stiff ? port->stiff_ratio : NAN, "1",
                "grains over the effective mass there");
    fact_number(list, "stiff_omega_h", stiff ? port->stiff_phase : NAN, "1",
                "phase of a step there, omega h");
    bool swings = advise_contact_words(port, words, sizeof words);
    fact_flag(list, "contacts_swing", swings, "contacts without damping may swing up");
    fact_text(list, "contacts_swing_words", swings ? words : NULL, "where, and what to do");
    fact_group_begin(list, "schemes");
    for (int s = 0; s < port->scheme_count; s++) advise_scheme_facts(port, &port->schemes[s], rho, list);
    fact_group_end(list);
    fact_group_end(list);
}

static void advise_coupling_facts(const CouplingAdvice *advice, FactList *list) {
    if (advice->count == 0) {
        fact_text(list, "coupling", NULL, "coupling");
        return;
    }
    fact_group_begin(list, "coupling");
    fact_group_begin(list, "ports");
    for (int p = 0; p < advice->count; p++) advise_port_facts(&advice->ports[p], advice->rho_inf, list);
    fact_group_end(list);
    fact_number(list, "rho_inf", advice->rho_inf, "1", "rho_inf of the model");
    fact_number(list, "first_mode_hz", advice->first_mode, "Hz", "lowest mode of the mechanism");
    fact_group_begin(list, "suggested");
    fact_text(list, "scheme", advice->scheme, "scheme");
    fact_number(list, "step_s", advice->step, "s", "step");
    fact_text(list, "step_from", advice->step_from, "why it is as small as that");
    fact_number(list, "grain_step_s", advice->grain_step, "s", "step of smooth grains");
    fact_count(list, "interval", advice->interval, "steps of the grains per step of the mechanism");
    fact_number(list, "rho_inf", advice->suggested_rho, "1", "rho_inf");
    fact_group_end(list);
    fact_group_end(list);
}

void advise_facts(const Advice *advice, FactList *list) {
    const SimDefinition *d = advice->definition;
    fact_text(list, "status", "OK", "outcome");
    fact_text(list, "title", d->title, "title");
    fact_number(list, "step_s", d->simulate.step, "s", "step of the model");
    fact_group_begin(list, "grains");
    for (int g = 0; g < d->grains_count; g++) advise_bed_facts(d, &advice->beds[g], list);
    fact_group_end(list);
    if (d->has_mechanism) advise_coupling_facts(&advice->coupling, list);
    if (advice->trouble) fact_text(list, "trouble", advice->trouble, "what is wrong with the mechanism");
}

// ---- for people ----------------------------------------------------------------------------------
static const PatternLine advise_bed_lines[] = {
    {NULL, "Grains {.}: {count} of radius {radius_m}, {grain_mass_kg} each"},
    {"    inlets bring until the end", "[?fed_kg:{fed_kg}]"},
    {NULL, "[?wall_speed_m_per_s:|    walls [?on_mechanism:move with the mechanism|do not move]]"},
    {"    walls move at most at", "[?wall_speed_m_per_s:{wall_speed_m_per_s}]"},
    {"    and with", "[?wall_speed_m_per_s:{wall_acceleration_m_per_s2}]"},
    {"    at a frequency of", "[?frequency_hz:{frequency_hz}]"},
    {"    expected speed of impact", "[?impact_speed_m_per_s:{impact_speed_m_per_s}]"},
    {NULL, "  time step"},
    {NULL, "[?steps:|    not known: [?impact_speed_m_per_s:a material lacks 'density' or 'young'|"
           "the speed of impact cannot be found from the model; give contact: {{impact_speed: ...}]]"},
    {0},
};

static const PatternLine advise_criterion_lines[] = {
    {"    {limit_s:w}",
     "[?of_this_method:[?limit_s:{limit_s}  x {factor:3} = {step_s:3}[?governs:  <- the smallest]|"
     "-  does not apply to linear springs]]"},
    {0},
};

static const PatternLine advise_step_lines[] = {
    {"    suggested step", "[?steps:{steps.suggested_s}]"},
    {"    [?divided:step of the grains in the model|step of the model]",
     "[?steps:{step_s}[?step_verdict:  {step_verdict}]]"},
    {NULL, "[?rigid:|  stiffness between two grains]"},
    {"    from the material", "[?rigid:|{stiffness.material_N_per_m}"
                              "[?stiffness.material_N_per_m:|  needs 'young' and a speed]]"},
    {"    for overlaps up to {stiffness.overlap:%}",
     "[?rigid:|{stiffness.overlap_N_per_m}[?stiffness.overlap_N_per_m:|  needs "
     "[?on_mechanism:sizing: {{speed: ...}|walls or grains that move]]]"},
    {"    for overlaps up to {stiffness.twice_the_overlap:%}",
     "[?rigid:|{stiffness.twice_the_overlap_N_per_m}]"},
    {"    for contacts of 1/{stiffness.contacts_per_period} period",
     "[?rigid:|{stiffness.duration_N_per_m}[?stiffness.duration_N_per_m:|  needs a frequency]]"},
    {"    of the model", "[?rigid:|{stiffness.model_N_per_m}[?stiffness.model_N_per_m:|  {law}]]"},
    {"    the softest that will do",
     "[?rigid:|[?stiffness.chosen_N_per_m:{stiffness.chosen_N_per_m}  {stiffness.chosen_by}]]"},
    {"    the step it allows", "[?rigid:|[?stiffness.step_s:{stiffness.step_s}]]"},
    {"    faster than with the material's", "[?rigid:|[?stiffness.speed_up:{stiffness.speed_up:3} times]]"},
    {NULL, "  cost on one core, roughly"},
    {"    grains on average, if none leave", "[?fed_kg:[?cost.grains:{cost.grains:3}]]"},
    {"    by springs (smooth)", "[?cost.smooth.seconds:{cost.smooth.seconds:2}: {cost.smooth.steps} steps of "
                                "{cost.smooth.step_s:3}|not known, or not for such grains]"},
    {"    rigid (nonsmooth)",
     "[?cost.nonsmooth.seconds:{cost.nonsmooth.seconds:2}: {cost.nonsmooth.steps} steps of "
     "{cost.nonsmooth.step_s:3}|not known]"},
    {"    suggested", "[?cost.suggested:method: {cost.suggested}[?cost.other:|, as it is]|"
                      "[?cost.smooth.seconds:[?cost.nonsmooth.seconds:either]]]"},
    {NULL, "[?hint.step:  with contacts as they are\n    simulate: {{step: {steps.suggested_s}}\n"
           "    --set simulate.step=auto]"},
    {NULL, "[?hint.softer:  with contacts as soft as overlaps allow\n"
           "    contact: {{[?hint.linear:normal: linear, ]stiffness: {stiffness.chosen_N_per_m}"
           "[?hint.tangential:, tangential: {hint.tangential}]}\n    simulate: {{step: {stiffness.step_s}}]"},
    {NULL, "[?hint.softer:    --set simulate.step=auto --set grains.{.}.contact.stiffness=sized"
           "[?hint.linear: --set grains.{.}.contact.normal=linear]"
           "[?hint.tangential: --set grains.{.}.contact.tangential={hint.tangential}]"
           "[?hint.wall_stiffness: --set grains.{.}.contact.wall_stiffness='{stiffness.chosen_N_per_m}']]"},
    {0},
};

static const PatternLine advise_port_lines[] = {
    {NULL, "  port {.}"},
    {"    effective mass",
     "[?effective_mass_kg.0:{effective_mass_kg.0}|held], [?effective_mass_kg.1:{effective_mass_kg.1}|held], "
     "[?effective_mass_kg.2:{effective_mass_kg.2}|held]  along {directions.0}, {directions.1}, "
     "{directions.2} of the port"},
    {"    effective inertia",
     "[?effective_inertia_kg_m2.0:{effective_inertia_kg_m2.0}|held], "
     "[?effective_inertia_kg_m2.1:{effective_inertia_kg_m2.1}|held], "
     "[?effective_inertia_kg_m2.2:{effective_inertia_kg_m2.2}|held]  about x, y, z of the port"},
    {"    grains", "[?grains_kg:{grains_kg}]"},
    {"    container on the grains' side", "[?container_kg:{container_kg}]"},
    {"    mass ratio", "{mass_ratio:3}  along {axis}, where the effective mass is smallest"},
    {"    but", "[?heavy_on_stiff:{heavy_on_stiff_words}]"},
    {"    and", "[?contacts_swing:{contacts_swing_words}]"},
    {"    effective frequency there", "[?effective_frequency_hz:{effective_frequency_hz}]"},
    {NULL, "    schemes at the model's step and rho_inf = {coupling.rho_inf:3}"},
    {0},
};

static const PatternLine advise_scheme_lines[] = {
    {"      {.}",
     "[?stable:stable|errors grow by {radius:3} per step"
     "[?lower_rho_inf_helps:; stable from rho_inf = {largest_stable_rho_inf:2} down]]"
     "[?contraction>0.9999999:, but a plain iteration diverges (x {contraction:2} each): "
     "acceleration: quasi-newton|"
     "[?contraction:; a plain iteration leaves {contraction:2} of the error each time]]"
     "[?energy_swing>1.05:; the sum of energies swings by up to {energy_swing:3} times, without growing]"
     "[?impact_gain>1.0001:; each impact makes {impact_gain:3} times its energy: a run ends with DIVERGED]"},
    {0},
};

static const PatternLine advise_suggested_lines[] = {
    {"  lowest mode of the mechanism", "[?first_mode_hz:{first_mode_hz}]"},
    {NULL, "  suggested\n    coupling: {{scheme: {suggested.scheme}"
           "[?suggested.grain_step_s:, interval: {suggested.interval}]}"},
    {NULL, "    mechanism: {{integrator: {{rho_inf: {suggested.rho_inf:2}}}"},
    {NULL, "    simulate: {{step: {suggested.step_s}}  # {suggested.step_from}"},
    {0},
};

// The groups in `parent`, each with the groups in its member `inner` after the lines `first`.
static void advise_add_groups(Text *text, const FactList *facts, const char *parent, const PatternLine *first,
                              const char *inner, const PatternLine *each, const PatternLine *last) {
    static const PatternLayout layout = {"", 37};
    size_t at = 0;
    bool later = false;
    for (const char *name; (name = fact_next_group(facts, parent, &at)); later = true) {
        Text group = {0}, inside = {0};
        text_add(&group, "%s.%s", parent, name);
        text_add(&inside, "%s.%s", group.failed ? "" : group.data, inner);
        if (group.failed || inside.failed) text->failed = true;
        else {
            if (later && last) text_add_string(text, "\n");
            pattern_add_group(text, facts, group.data, name, layout, first);
            pattern_add_each(text, facts, inside.data, layout, each);
            if (last) pattern_add_group(text, facts, group.data, name, layout, last);
        }
        text_free(&group);
        text_free(&inside);
    }
}

char *advise_report(const FactList *facts) {
    Text text = {0};
    pattern_add(&text, facts, "", "[?title:{title}\n\n]");
    advise_add_groups(&text, facts, "grains", advise_bed_lines, "steps", advise_criterion_lines,
                      advise_step_lines);
    if (fact_has_group(facts, "coupling")) {
        text_add_string(&text, "\nCoupling of mechanism and grains\n");
        advise_add_groups(&text, facts, "coupling.ports", advise_port_lines, "schemes", advise_scheme_lines,
                          NULL);
        pattern_add_lines(&text, facts, "coupling", (PatternLayout){"", 37}, advise_suggested_lines);
    }
    pattern_add(&text, facts, "", "[?trouble:\nNothing can be said about the mechanism: {trouble}\n]");
    return text_take(&text);
}
