// Inlets, outlets and meters: regions that are rooms, beds that may be fed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "model/check.h"

static const GrainsDefinition *check_flow_bed(const SimDefinition *d, const char *name) {
    for (int g = 0; name && g < d->grains_count; g++)
        if (strcmp(d->grains[g].name, name) == 0) return &d->grains[g];
    return NULL;
}

static int check_flow_kind(const GrainsDefinition *bed, const InletDefinition *inlet,
                           const Findings *findings) {
    if (!inlet->kind && bed->more_count == 0) return 0;
    for (int k = 0; inlet->kind && k < grains_kind_count(bed); k++)
        if (grains_kind_name(bed, k) && strcmp(grains_kind_name(bed, k), inlet->kind) == 0) return k;
    if (inlet->kind) {
        char list[256] = "";
        size_t used = 0;
        for (int k = 0; k < grains_kind_count(bed) && used < sizeof list; k++)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", k ? ", " : "",
                                 grains_kind_name(bed, k) ? grains_kind_name(bed, k) : "one without a name");
        findings_error(findings, &inlet->kind, "'%s' has no kind of grains called '%s'; it has %s", bed->name,
                       inlet->kind, list);
    } else
        findings_object_error(
            findings, inlet,
            "inlet '%s' does not say which of the %d kinds of grains of '%s' comes: give 'kind'", inlet->name,
            grains_kind_count(bed), bed->name);
    return -1;
}

static void check_inlet(const SimDefinition *d, const InletDefinition *inlet, const Findings *findings) {
    const GrainsDefinition *bed = check_flow_bed(d, inlet->bed);
    Vec3 lower, upper;
    if (!region_check(&inlet->region, "inlet", inlet->name, findings)) return;
    if (inlet->until > 0 && !(inlet->until > inlet->from)) // 0: it could not be read, which has been said
        findings_error(findings, &inlet->until, "inlet '%s' closes at %g s, before it opens at %g s",
                       inlet->name, inlet->until, inlet->from);
    if (!bed || !wall_bounds(&inlet->region.shape, &lower, &upper)) return;
    SizeTable table;
    double least, largest;
    int kind = check_flow_kind(bed, inlet, findings);
    if (kind < 0) return;
    const ParticlesDefinition *particles = grains_kind(bed, kind);
    if (grain_sizes_create(&table, particles, NULL) != MRC_OK) return; // reported with the particles
    grain_sizes_range(&table, &least, &largest);
    grain_sizes_free(&table);
    largest *= forms_largest_stretch(particles);
    Vec3 size = vec3_sub(upper, lower);
    double width = fmin(size.x, fmin(size.y, size.z));
    if (2 * largest > width)
        findings_object_error(
            findings, &inlet->region,
            "inlet '%s': a grain of diameter %g mm does not fit into its region, which is %g "
            "mm wide",
            inlet->name, 2e3 * largest, 1e3 * width);
}

// A thin region would let fast grains pass between two ticks.
static void check_outlet(const SimDefinition *d, const OutletDefinition *outlet, const Findings *findings) {
    const GrainsDefinition *bed = check_flow_bed(d, outlet->bed);
    Vec3 lower, upper;
    if (outlet->by_plane || !region_check(&outlet->region, "outlet", outlet->name, findings)) return;
    if (!bed || !wall_bounds(&outlet->region.shape, &lower, &upper)) return;
    Vec3 size = vec3_sub(upper, lower);
    double width = fmin(size.x, fmin(size.y, size.z)), radius = grain_sizes_mean_radius(&bed->particles);
    if (width < 4 * radius)
        findings_object_error(findings, &outlet->region,
                              "outlet '%s': its region is %g mm thick, less than two grains of %g mm, which "
                              "might fly through it unseen; make it thicker",
                              outlet->name, 1e3 * width, 2e3 * radius);
}

void check_flow(Loader *loader, const SimDefinition *d) {
    Findings findings = loader_findings(loader);
    for (int k = 0; k < d->flow.inlet_count; k++) check_inlet(d, &d->flow.inlets[k], &findings);
    for (int k = 0; k < d->flow.outlet_count; k++) check_outlet(d, &d->flow.outlets[k], &findings);
}
