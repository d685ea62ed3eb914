// What must fit together in a mechanism: the whole, and each part by its own check (src/mechanism/part_table.h).
#include "base/nearest.h"
#include "mechanism/names.h"
#include "mechanism/part_type.h"
#include "model/check.h"

static void check_part(const PartRow *row, const void *part, const PartCheck *check) {
    const PartType *type = row->type;
    if (type->ends) {
        const char *const *ends = (const char *const *)((const char *)part + type->ends);
        if (ends[0] && names_same_node(check->mechanism, ends[0], ends[1] ? ends[1] : "ground"))
            findings_error(check->findings, ends, "%s '%s' is between '%s' and itself", type->noun,
                           part_name(row, part), ends[0]);
    }
    if (type->check) type->check(part, check);
}

// What belongs to the relative form only, and what it cannot have.
static void check_formulation(const MechanismDefinition *m, const Findings *findings) {
    bool relative = m->formulation == FORMULATION_RELATIVE;
    if (relative && m->beam_count > 0)
        findings_error(
            findings, &m->formulation,
            "'formulation: relative' is for rigid bodies; the beam '%s' needs 'formulation: absolute'",
            m->beams[0].name);
    if (!relative && m->cut_count > 0)
        findings_error(findings, &m->cut,
                       "'cut' is for 'formulation: relative'; the absolute form has no tree");
    if (!relative && m->independent_count > 0)
        findings_error(
            findings, &m->independent,
            "'independent' is for 'formulation: relative'; the absolute form has no such coordinates");
    for (int i = 0; i < m->cut_count && relative; i++) {
        const char *names[64];
        size_t count = 0;
        bool found = false;
        for (int j = 0; j < m->joint_count; j++) {
            found = found || strcmp(m->joints[j].name, m->cut[i]) == 0;
            if (count < 64) names[count++] = m->joints[j].name;
        }
        const char *near = nearest_word(m->cut[i], strlen(m->cut[i]), names, count);
        if (!found)
            findings_error(findings, &m->cut, "'cut' names '%s', which is no joint of the mechanism%s%s%s",
                           m->cut[i], near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}

void check_mechanism(Loader *loader, const SimDefinition *d) {
    const MechanismDefinition *m = &d->mechanism;
    if (!d->has_mechanism) return;
    if (m->body_count == 0 && m->beam_count == 0)
        diagnostics_error(loader->diagnostics, loader_object_place(loader, m),
                          "the mechanism has neither 'bodies' nor 'beams': nothing in it can move");
    if (!(d->simulate.step > 0) && d->simulate.source == STEP_AUTO && d->grains_count == 0)
        diagnostics_error(loader->diagnostics, loader_object_place(loader, &d->simulate),
                          "'simulate' lacks 'step': the step of a mechanism is not found automatically; a "
                          "twentieth of the shortest period that matters is a good start");
    if (names_node_count(m) > NAMES_NODES_MAX)
        diagnostics_error(loader->diagnostics, loader_object_place(loader, m),
                          "the mechanism has %lld nodes; at most %d are simulated: take fewer 'elements'",
                          (long long)names_node_count(m), NAMES_NODES_MAX);
    Findings findings = loader_findings(loader);
    check_formulation(m, &findings);
    PartCheck check = {m, d->materials, d->material_count, d->simulate.duration, true, &findings};
    for (const PartRow *row = part_rows; row->type; row++)
        for (int i = 0; i < part_count(m, row); i++) {
            check.complete = loader->diagnostics->error_count == 0;
            check_part(row, part_at(m, row, i), &check);
        }
}
