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

// A rate that becomes negative is found before the run, as far as it does not depend on inputs from outside.
static void check_rate(const SimDefinition *d, const InletDefinition *inlet, const Findings *findings) {
    enum { samples = 1000 };
    const Expression *rate = inlet->rate ? inlet->rate : inlet->count;
    double end = fmin(d->simulate.duration, inlet->until);
    if (!rate || expression_input_count(rate) > 0 || !(end > inlet->from)) return;
    for (int k = 0; k <= samples; k++) {
        double t = inlet->from + (end - inlet->from) * k / samples;
        double value = expression_value(rate, (TimePoint){t, NULL}, NULL);
        if (value >= -1e-12) continue; // rounding of a wave that touches zero
        findings_error(
            findings, inlet->rate ? &inlet->rate : &inlet->count,
            "inlet '%s': its %s is %.3g %s at t = %.3g s, but nothing leaves through an inlet; write "
            "\"max(0, ...)\" for one that rests meanwhile",
            inlet->name, inlet->rate ? "rate" : "count", value, inlet->rate ? "kg/s" : "per second", t);
        return;
    }
}

// An outlet that takes grains where an inlet puts them, mostly because its normal points the wrong way. Known where both
// are on the same port.
static void check_meeting(const FlowDefinition *flow, const InletDefinition *inlet,
                          const Findings *findings) {
    enum { cells = 8 };
    const Motion rest = motion_at_rest();
    Vec3 lower, upper;
    if (!wall_bounds(&inlet->region.shape, &lower, &upper)) return;
    for (int o = 0; o < flow->outlet_count; o++) {
        const OutletDefinition *d = &flow->outlets[o];
        Outlet outlet = {.definition = d};
        if (!d->bed || !inlet->bed || strcmp(d->bed, inlet->bed) != 0 ||
            strcmp(d->port ? d->port : "", inlet->port ? inlet->port : "") != 0)
            continue;
        bool meets = false;
        for (int k = 0; k < cells * cells * cells && !meets; k++) {
            Vec3 share = vec3((k % cells + 0.5) / cells, (k / cells % cells + 0.5) / cells,
                              (k / (cells * cells) + 0.5) / cells);
            Vec3 point =
                vec3(lower.x + share.x * (upper.x - lower.x), lower.y + share.y * (upper.y - lower.y),
                     lower.z + share.z * (upper.z - lower.z));
            meets = !(wall_beyond(&inlet->region.shape, point) > 0) && outlet_takes(&outlet, &rest, point);
        }
        if (meets)
            findings_object_warning(findings, d, "outlet '%s' takes grains where inlet '%s' puts them%s",
                                    d->name, inlet->name,
                                    d->by_plane ? ": they leave on the side that its normal points to" : "");
    }
}

static void check_inlet(const SimDefinition *d, const InletDefinition *inlet, const Findings *findings) {
    const GrainsDefinition *bed = check_flow_bed(d, inlet->bed);
    Vec3 lower, upper;
    if (!region_check(&inlet->region, "inlet", inlet->name, findings)) return;
    if (inlet->until > 0 && !(inlet->until > inlet->from)) // 0: it could not be read, which has been said
        findings_error(findings, &inlet->until, "inlet '%s' closes at %g s, before it opens at %g s",
                       inlet->name, inlet->until, inlet->from);
    check_rate(d, inlet, findings);
    check_meeting(&d->flow, inlet, findings);
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
    double width = fmin(size.x, fmin(size.y, size.z)), radius = 0;
    for (int k = 0; k < grains_kind_count(bed); k++)
        radius = fmax(radius, grain_sizes_mean_radius(grains_kind(bed, k)));
    if (width < 4 * radius * (1 - 1e-9)) // not for the rounding of units
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
