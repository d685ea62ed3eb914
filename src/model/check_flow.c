// Inlets, outlets and meters: regions that are rooms, beds that may be fed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "grains/periodic.h"
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
        if (value >= -1e-12 && isfinite(value)) continue; // rounding of a wave that touches zero
        if (!isfinite(value)) {
            findings_error(findings, inlet->rate ? &inlet->rate : &inlet->count,
                           "inlet '%s': its %s is not a finite number at t = %.3g s", inlet->name,
                           inlet->rate ? "rate" : "count", t);
            return;
        }
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
static void check_meeting(const FlowDefinition *flow, const GrainsDefinition *bed,
                          const InletDefinition *inlet, const Findings *findings) {
    enum { cells = 8 };
    const Motion rest = motion_at_rest();
    const Periodic periodic = bed ? periodic_of_bed(bed, &rest) : (Periodic){0};
    Vec3 lower, upper;
    if (!wall_bounds(&inlet->region.shape, &lower, &upper)) return;
    for (int o = 0; o < flow->outlet_count; o++) {
        const OutletDefinition *d = &flow->outlets[o];
        Outlet outlet = {.definition = d};
        if (!d->by_plane && !region_is_room(&d->region)) continue; // an error of its own
        if (!d->bed || !inlet->bed || strcmp(d->bed, inlet->bed) != 0 ||
            strcmp(d->port ? d->port : "", inlet->port ? inlet->port : "") != 0)
            continue;
        bool meets = false;
        outlet_place(&outlet, &rest);
        for (int k = 0; k < cells * cells * cells && !meets; k++) {
            Vec3 share = vec3((k % cells + 0.5) / cells, (k / cells % cells + 0.5) / cells,
                              (k / (cells * cells) + 0.5) / cells);
            Vec3 point =
                vec3(lower.x + share.x * (upper.x - lower.x), lower.y + share.y * (upper.y - lower.y),
                     lower.z + share.z * (upper.z - lower.z));
            meets =
                !(wall_beyond(&inlet->region.shape, point) > 0) && outlet_takes(&outlet, &periodic, point);
        }
        if (meets)
            findings_object_warning(findings, d, "outlet '%s' takes grains where inlet '%s' puts them%s",
                                    d->name, inlet->name,
                                    d->by_plane ? ": they leave on the side that its normal points to" : "");
    }
}

// A region outside of a wall, where no grain finds room. Known of walls on the port of the inlet.
static void check_inside(const InletDefinition *inlet, const GrainsDefinition *bed,
                         const Findings *findings) {
    enum { cells = 16 };
    Vec3 lower, upper;
    if (!wall_bounds(&inlet->region.shape, &lower, &upper)) return;
    Vec3 size = vec3_sub(upper, lower);
    for (int w = 0; w < bed->wall_count; w++) {
        const WallDefinition *wall = &bed->walls[w];
        const char *port = grains_wall_port(bed, w);
        bool inside = strcmp(port ? port : "", inlet->port ? inlet->port : "") != 0;
        for (int k = 0; k < cells * cells * cells && !inside; k++) {
            Vec3 share = vec3((k % cells + 0.5) / cells, (k / cells % cells + 0.5) / cells,
                              (k / (cells * cells) + 0.5) / cells);
            Vec3 point =
                vec3(lower.x + share.x * size.x, lower.y + share.y * size.y, lower.z + share.z * size.z);
            inside =
                !(wall_beyond(&inlet->region.shape, point) > 0) && !(wall_outside(&wall->shape, point) > 0);
        }
        if (inside) continue;
        findings_object_warning(findings, &inlet->region,
                                "inlet '%s': its region is outside of wall '%s', where grains find no room",
                                inlet->name, wall->name);
        return;
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
    check_meeting(&d->flow, bed, inlet, findings);
    if (!bed || !wall_bounds(&inlet->region.shape, &lower, &upper)) return;
    if (!periodic_of_bed(bed, &(Motion){0}).any) check_inside(inlet, bed, findings);
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

// The planes of a periodic bed. Behind a plane across a periodic direction is all of the bed, and what is beyond an oblique
// one cannot be told. Of ports that turn nothing is known here.
static bool check_is_level(const SimDefinition *d, const char *port) {
    if (!port) return true;
    for (int k = 0; k < d->port_count; k++)
        if (strcmp(d->ports[k].name, port) == 0)
            return port_is_prescribed(&d->ports[k]) && !d->ports[k].angle;
    return false;
}

static void check_outlet_plane(const SimDefinition *d, const OutletDefinition *outlet,
                               const GrainsDefinition *bed, const Findings *findings) {
    const bool along[3] = {bed->periodic.along_x, bed->periodic.along_y, bed->periodic.along_z};
    for (int k = 0; k < 3 && check_is_level(d, outlet->port); k++)
        if (along[k] && fabs(vec3_component(outlet->plane.normal, k)) > 1e-6)
            findings_object_error(
                findings, &outlet->plane,
                "outlet '%s': its plane stands across %c, in which the bed is periodic: what is beyond it "
                "comes round again; take a 'region', or a plane along %c",
                outlet->name, 'x' + k, 'x' + k);
}

static void check_meter(const SimDefinition *d, const MeterDefinition *meter, const Findings *findings) {
    const GrainsDefinition *bed = check_flow_bed(d, meter->bed);
    if (!bed || !meter->by_plane || !check_is_level(d, meter->port)) return;
    const bool along[3] = {bed->periodic.along_x, bed->periodic.along_y, bed->periodic.along_z};
    for (int k = 0; k < 3; k++) {
        double across = fabs(vec3_component(meter->plane.normal, k));
        if (!along[k] || across < 1e-6 || across > 1 - 1e-6) continue;
        findings_object_error(
            findings, &meter->plane,
            "meter '%s': its plane is oblique to %c, in which the bed is periodic, and does "
            "not repeat itself; take a plane along %c or straight across it",
            meter->name, 'x' + k, 'x' + k);
        return;
    }
}

// A thin region would let fast grains pass between two ticks.
static void check_outlet(const SimDefinition *d, const OutletDefinition *outlet, const Findings *findings) {
    const GrainsDefinition *bed = check_flow_bed(d, outlet->bed);
    Vec3 lower, upper;
    if (outlet->by_plane && bed) check_outlet_plane(d, outlet, bed, findings);
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
    for (int k = 0; k < d->flow.meter_count; k++) check_meter(d, &d->flow.meters[k], &findings);
}
