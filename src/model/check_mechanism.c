// What must fit together in a mechanism: the whole, and each part by its own check (src/mechanism/part_table.h).
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
    PartCheck check = {m, d->materials, d->material_count, d->simulate.duration, true, &findings};
    for (const PartRow *row = part_rows; row->type; row++)
        for (int i = 0; i < part_count(m, row); i++) {
            check.complete = loader->diagnostics->error_count == 0;
            check_part(row, part_at(m, row, i), &check);
        }
}
