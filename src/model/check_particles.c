// Particles and packings: keys that are needed together, sizes that make sense, grains that fit.
#include <math.h>

#include "geometry/clump.h"
#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "grains/method.h"
#include "grains/packing.h"
#include "model/check.h"

static const double densest = 0.7404804896930611; // pi/(3 sqrt 2), Hales, doi:10.4007/annals.2005.162.1065

// What all checks of one bed need.
typedef struct CheckedBed {
    Loader *loader;
    Diagnostics *diagnostics;
    const GrainsDefinition *grains;
    const ParticlesDefinition *particles;
    const Material *material; // NULL: there is none, or it has no density
} CheckedBed;

static Place check_place_of(const CheckedBed *s, const void *member) {
    return loader_place(s->loader, member);
}

// ---- which keys ----------------------------------------------------------------------------------
static void check_keys(const CheckedBed *s) {
    const ParticlesDefinition *p = s->particles;
    Place place = loader_object_place(s->loader, p);
    bool amount = p->count > 0 || p->total_mass > 0 || p->filling > 0;
    bool given = packing_file(&s->grains->packing);
    if (!amount && !given && !s->grains->fed)
        diagnostics_error(s->diagnostics, place, "'particles' lacks one of 'count', 'total_mass', 'filling'");
    if (!grain_sizes_are_given(&p->sizes) && !(p->radius > 0) && !(p->bed && p->bed->columns[BED_RADIUS]))
        diagnostics_error(s->diagnostics, place, "'particles' lacks one of 'radius', 'sizes'%s",
                          p->bed ? ": the file has no column 'radius'" : "");
}

// ---- sizes ---------------------------------------------------------------------------------------
static void check_bounds(const CheckedBed *s) {
    const SizesDefinition *z = &s->particles->sizes;
    const double *members[] = {&z->uniform.to, &z->normal.to, &z->lognormal.to};
    const double given[] = {z->uniform.to, z->normal.mean, z->lognormal.median};
    double from, to;
    grain_sizes_bounds(z, &from, &to);
    for (int k = 0; k < 3; k++) {
        if (!(given[k] > 0)) continue;
        if (!(from > 0))
            diagnostics_error(s->diagnostics, check_place_of(s, &z->normal.from),
                              "3 deviations below the mean is %.3g mm; give 'from', the smallest radius",
                              1e3 * from);
        else if (from > to)
            diagnostics_error(s->diagnostics, check_place_of(s, members[k]),
                              "the largest radius, %.4g mm, is smaller than the smallest, %.4g mm", 1e3 * to,
                              1e3 * from);
    }
}

static void check_classes(const CheckedBed *s) {
    const SizesDefinition *z = &s->particles->sizes;
    if (z->class_count == 0)
        diagnostics_error(s->diagnostics, check_place_of(s, &z->classes), "'classes' is empty");
    for (int k = 1; k < z->class_count; k++) {
        const SizeClass *c = &z->classes[k];
        const SizeClass *first = &z->classes[0];
        if (!(c->mass > 0 ? first->number > 0 : c->number > 0 && first->mass > 0)) continue;
        diagnostics_error(s->diagnostics, check_place_of(s, c->mass > 0 ? &c->mass : &c->number),
                          "'%s' after '%s': shares are all by number or all by mass",
                          c->mass > 0 ? "mass" : "number", c->mass > 0 ? "number" : "mass");
        return;
    }
}

static void check_sieve(const CheckedBed *s) {
    const SieveOpening *sieve = s->particles->sizes.sieve;
    int count = s->particles->sizes.sieve_count;
    if (count < 2) {
        diagnostics_error(s->diagnostics, check_place_of(s, &s->particles->sizes.sieve),
                          "'sieve' has %d point%s; a curve has at least 2", count, count == 1 ? "" : "s");
        return;
    }
    size_t before = s->diagnostics->error_count;
    for (int k = 1; k < count; k++) {
        if (!(sieve[k].opening > sieve[k - 1].opening))
            diagnostics_error(s->diagnostics, check_place_of(s, &sieve[k].opening),
                              "'opening' must increase from point to point: %.4g mm after %.4g mm",
                              1e3 * sieve[k].opening, 1e3 * sieve[k - 1].opening);
        if (!(sieve[k].passing >= sieve[k - 1].passing))
            diagnostics_error(s->diagnostics, check_place_of(s, &sieve[k].passing),
                              "'passing' cannot decrease from point to point: %g after %g", sieve[k].passing,
                              sieve[k - 1].passing);
    }
    if (s->diagnostics->error_count > before) return;
    if (sieve[0].passing > 0)
        diagnostics_error(s->diagnostics, check_place_of(s, &sieve[0].passing),
                          "'passing' of the first point must be 0: how small are the grains that pass it?");
    if (sieve[count - 1].passing < 1)
        diagnostics_error(s->diagnostics, check_place_of(s, &sieve[count - 1].passing),
                          "'passing' of the last point must be 1 (100 %%): how large are the other grains?");
}

// ---- room ----------------------------------------------------------------------------------------
// Room over radius: beyond this a unit is wrong, and a fall through the room would take for ever.
static const double check_most_room = 1e7;

// The largest grain fits into the room of each wall, which is not too large for the smallest.
static void check_room(const CheckedBed *s, double least, double largest) {
    const ParticlesDefinition *p = s->particles;
    Place place = p->radius > 0                      ? check_place_of(s, &p->radius)
                  : grain_sizes_are_given(&p->sizes) ? loader_object_place(s->loader, &p->sizes)
                                                     : check_place_of(s, packing_file(&s->grains->packing));
    for (int i = 0; i < s->grains->wall_count; i++) {
        const WallDefinition *wall = &s->grains->walls[i];
        Vec3 lower, upper;
        if (!wall_is_prepared(&wall->shape) || !wall_bounds(&wall->shape, &lower, &upper)) continue;
        Vec3 size = vec3_sub(upper, lower);
        double width = fmin(size.x, fmin(size.y, size.z)), most = fmax(size.x, fmax(size.y, size.z));
        if (most > check_most_room * least)
            diagnostics_error(
                s->diagnostics, loader_object_place(s->loader, wall),
                "'%s' is %.3g m wide, more than ten million times a grain of radius %.3g mm; check its units",
                wall->name, most, 1e3 * least);
        bool placed =
            p->form.kind != FORM_SPHERE && packing_file(&s->grains->packing); // by the user, turned to fit
        if (!(width > 0) || 2 * largest <= width || placed) continue;
        diagnostics_error(s->diagnostics, place,
                          "a grain of diameter %g mm does not fit into '%s', which is %g mm wide",
                          2e3 * largest, wall->name, 1e3 * width);
    }
}

// The number of grains fits into the room.
static void check_filling(const CheckedBed *s, double grain_volume) {
    const ParticlesDefinition *p = s->particles;
    double room = packing_room_volume(s->grains), filling = p->filling;
    const void *member = &p->filling;
    if (filling > 0 && isinf(room)) {
        diagnostics_error(s->diagnostics, check_place_of(s, member),
                          "'filling' needs a closed room, but no wall of '%s' is closed; give 'count' or "
                          "'total_mass'",
                          s->grains->name);
        return;
    }
    if (!(room > 0) || isinf(room) || p->bed) return;
    if (p->count > 0) {
        filling = (double)p->count * grain_volume / room;
        member = &p->count;
    } else if (p->total_mass > 0 && s->material) {
        filling = p->total_mass / s->material->density / room;
        member = &p->total_mass;
    }
    if (grain_sizes_are_equal(p) && forms_are_spheres(p) && !(filling <= densest))
        diagnostics_error(s->diagnostics, check_place_of(s, member),
                          "the grains would fill %.3g of the room of '%s'; equal spheres fill at most %.2f",
                          filling, s->grains->name, densest);
    else if (!(filling < 1)) // small grains fill what large ones leave
        diagnostics_error(s->diagnostics, check_place_of(s, member),
                          "the grains would fill %.3g of the room of '%s'", filling, s->grains->name);
}

// A mass or a filling must come to at least one whole grain, and not to more than a computer holds.
static void check_count(const CheckedBed *s, double grain_volume) {
    const ParticlesDefinition *p = s->particles;
    size_t count;
    if (!s->material || s->grains->wall_count == 0 || s->diagnostics->error_count > 0) return;
    GrainsDefinition alone = *s->grains; // with this kind only
    alone.particles = *s->particles;
    alone.more_count = 0;
    alone.bed = s->particles->bed;
    if (packing_count(&alone, s->material->density, &count, NULL) == MRC_OK) return;
    bool by_mass = p->total_mass > 0;
    diagnostics_error(
        s->diagnostics, check_place_of(s, by_mass ? &p->total_mass : &p->filling),
        "'%s' makes less than one grain, or more than can be simulated: one has %.3g mm^3 and %.3g g",
        by_mass ? "total_mass" : "filling", 1e9 * grain_volume, 1e3 * grain_volume * s->material->density);
}

// Clumps: whether they are whole.
static void check_clump(const CheckedBed *s) {
    const ParticlesDefinition *p = s->particles;
    Place place = loader_object_place(s->loader, &p->form);
    if (p->form.kind != FORM_CLUMP) return;
    if (p->form.clump.sphere_count + p->form.clump.part_count == 0 && s->diagnostics->error_count == 0)
        diagnostics_error(s->diagnostics, place, "'clump' has no parts: give 'spheres', 'parts', or both");
    const Clump *clump = p->shape_count > 0 ? p->shapes[0].form : NULL;
    if (clump && clump->piece_count > 1)
        diagnostics_warning(
            s->diagnostics, place,
            "the clump is in %d pieces that do not touch: they are held together as by rods without "
            "mass. If that is not meant, check 'center', 'radius' and their units",
            clump->piece_count);
}

static void check_spectra(const CheckedBed *s) {
    if (s->grains->spectra.given && s->particles->form.kind != FORM_SPHERE &&
        !grains_method(s->grains)->rigid)
        diagnostics_error(s->diagnostics, loader_object_place(s->loader, &s->grains->spectra),
                          "smooth grains that are not spheres have no 'spectra': take 'method: nonsmooth' or "
                          "'nscd', which have them");
}

// ---- all of it -----------------------------------------------------------------------------------
static void check_kind(Loader *loader, const SimDefinition *definition, const GrainsDefinition *grains,
                       const ParticlesDefinition *kind) {
    CheckedBed s = {loader, loader->diagnostics, grains, kind, NULL};
    const SizesDefinition *z = &s.particles->sizes;
    const Material *material =
        material_by_name(definition->materials, definition->material_count, s.particles->material);
    if (material && material->density > 0) s.material = material;
    check_clump(&s);
    check_spectra(&s);
    // A key that is there but wrong, or misspelt, has been reported; it is not missing as well.
    if (s.diagnostics->error_count == 0) check_keys(&s);
    size_t before = s.diagnostics->error_count;
    check_bounds(&s);
    if (z->classes) check_classes(&s);
    if (z->sieve) check_sieve(&s);
    SizeTable table;
    MrcError error;
    if (s.diagnostics->error_count > before) return;
    if (!(s.particles->radius > 0) && s.diagnostics->error_count > 0) return;
    if (grain_sizes_create(&table, s.particles, &error) != MRC_OK) {
        diagnostics_error(s.diagnostics, loader_object_place(loader, z), "%s", error.text);
        return;
    }
    double least, largest,
        volume = sphere_volume(1) * grain_sizes_moment(&table, 3) * forms_volume_factor(s.particles);
    grain_sizes_range(&table, &least, &largest);
    grain_sizes_free(&table);
    check_room(&s, least, largest * forms_largest_stretch(s.particles));
    check_filling(&s, volume);
    check_count(&s, volume);
}

// Kinds are distinguished by their names, which are part of the names of signals.
static void check_kind_names(Loader *loader, const GrainsDefinition *grains) {
    Findings findings = loader_findings(loader);
    for (int k = 0; k < grains_kind_count(grains); k++) {
        const ParticlesDefinition *kind = grains_kind(grains, k);
        if (k > 0 && grains->bed && !grains->bed->kinds)
            findings_object_error(&findings, kind,
                                  "the file says nothing of kinds: it needs a column 'kind'");
        if (kind->name && !loader_name_is_good(kind->name))
            findings_error(&findings, &kind->name,
                           "'%s' cannot be a name: letters, digits and '_' only, a letter first", kind->name);
        for (int other = 0; other < k; other++) {
            const char *a = grains_kind_name(grains, other), *b = grains_kind_name(grains, k);
            if (a && b && strcmp(a, b) == 0)
                findings_object_error(&findings, kind,
                                      "two kinds of grains of '%s' are called '%s': give them a 'name'",
                                      grains->name, b);
        }
    }
}

void check_particles(Loader *loader, const SimDefinition *definition, const GrainsDefinition *grains) {
    Findings findings = loader_findings(loader);
    packing_check(grains, definition->gravity, &findings);
    for (int k = 0; k < grains_kind_count(grains); k++)
        check_kind(loader, definition, grains, grains_kind(grains, k));
    check_kind_names(loader, grains);
}
