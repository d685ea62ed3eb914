#include "partner/beds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "grains/contact_stiffness.h"
#include "grains/law.h"

// ---- creation ------------------------------------------------------------------------------------
static Motion beds_port_motion(const Motion *ports, int port) {
    return port < 0 ? motion_at_rest() : ports[port];
}

double beds_step(const GrainsDefinition *bed, const BedsSteps *s, const GrainsSteps *own) {
    if (!s->divide || !grains_takes_substeps(bed)) return s->step;
    if (s->interval > 0) return s->step / (double)s->interval;
    if (!isfinite(own->suggested) || own->suggested >= s->step) return s->step;
    double count = ceil(s->step / own->suggested - 1e-6), halves = ldexp(1, (int)s->halvings);
    return s->step / (halves * ceil(count / halves));
}

// The restitution that the model asks for, if dashpots of smooth grains cannot be that strong (law_least_restitution);
// else NAN.
static double beds_restitution_below(const GrainsDefinition *d, const GrainsSetting *setting) {
    int own = material_find(setting->materials, setting->material_count, d->particles.material);
    double least = INFINITY;
    if (own < 0 || grains_are_rigid(d)) return NAN;
    for (int w = -1; w < d->wall_count; w++) {
        int other =
            w < 0 ? own : material_find(setting->materials, setting->material_count, d->walls[w].material);
        if (other < 0) other = own;
        least =
            fmin(least,
                 law_coefficients(setting, &setting->materials[own], &setting->materials[other]).restitution);
    }
    return least < law_least_restitution ? least : NAN;
}

static MrcStatus beds_create_one(Bed *bed, const GrainsDefinition *d, const PartnerPorts *ports,
                                 const BedsSteps *steps, GrainsSetting *setting, Arena *arena,
                                 MrcError *error) {
    bed->definition = d;
    bed->port = partner_find_port(ports, d->port);
    bed->wall_ports = arena_alloc(arena, (size_t)d->wall_count * sizeof *bed->wall_ports + 1);
    bed->motions = arena_alloc(arena, (size_t)d->wall_count * sizeof *bed->motions + 1);
    if (!bed->wall_ports || !bed->motions) return error_memory(error, "the walls");
    for (int w = 0; w < d->wall_count; w++) {
        bed->wall_ports[w] = partner_find_port(ports, grains_wall_port(d, w));
        bed->motions[w] = beds_port_motion(ports->motions, bed->wall_ports[w]);
    }
    bed->frame = beds_port_motion(ports->motions, bed->port);
    setting->port = &bed->frame;
    setting->walls = bed->motions;
    setting->step = steps->step;
    // Of a definition made by hand the speed of Hertz contacts may be unknown; then nothing is said about steps.
    if (!time_steps_of_bed(d, setting, &bed->steps))
        bed->steps = (GrainsSteps){.suggested = INFINITY,
                                   .critical = INFINITY,
                                   .limit = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}};
    setting->step = bed->step = beds_step(d, steps, &bed->steps);
    if (d->more_count > 0) {
        bed->kinds = arena_alloc(arena, (size_t)grains_kind_count(d) * sizeof *bed->kinds);
        if (!bed->kinds) return error_memory(error, "the kinds of grains");
    }
    if (d->region_count > 0) {
        bed->regions = arena_alloc(arena, (size_t)d->region_count * sizeof *bed->regions);
        bed->cells_of_region = arena_alloc(arena, COMPACTNESS_CELLS);
        if (!bed->regions || !bed->cells_of_region) return error_memory(error, "the regions");
    }
    bed->stiffness = contact_stiffness_of_grains(d, setting->materials, setting->material_count);
    bed->restitution = beds_restitution_below(d, setting);
    return grains_create(d, setting, &bed->grains, error);
}

// A step beyond the critical one gains energy; a long one makes restitution inexact.
static void beds_warn_about_step(const Bed *bed, const Log *log) {
    const GrainsSteps *steps = &bed->steps;
    double step = bed->step, duration = steps->limit[STEP_BY_CONTACT];
    const char *name = bed->definition->name;
    char taken[QUANTITY_SIZE], limit[QUANTITY_SIZE], suggested[QUANTITY_SIZE];
    quantity_text(taken, step, "s", 3);
    quantity_text(suggested, steps->suggested, "s", 3);
    if (step > steps->critical)
        log_warning(
            log,
            "grains '%s': the step of %s is longer than the critical one (%s, %s): the grains will gain "
            "energy; %s is suggested",
            name, taken, quantity_text(limit, steps->critical, "s", 3),
            time_steps_criterion_words(steps->critical_by), suggested);
    else if (step > 0.1 * duration)
        log_warning(
            log,
            "grains '%s': the step of %s leaves %.2g steps to a contact of %s, which resolves it poorly; %s "
            "is suggested",
            name, taken, duration / step, quantity_text(limit, duration, "s", 3), suggested);
    else if (step > 5 * steps->factor[STEP_BY_MOTION] * steps->limit[STEP_BY_MOTION])
        log_warning(
            log,
            "grains '%s': at the speed of %s that is expected, grains move by %.2g of their radius in a step "
            "of %s, which may let them overlap; %s is suggested",
            name, quantity_text(limit, steps->speed, "m/s", 3), step / steps->limit[STEP_BY_MOTION], taken,
            suggested);
}

static void beds_destroy(void *self) {
    Beds *b = self;
    world_destroy(b->world);
    for (int g = 0; g < b->count; g++) {
        grains_destroy(b->items[g].grains);
        kinds_free(&b->items[g].cells);
    }
    b->world = NULL;
    b->count = 0;
}

static bool beds_section_ports(const void *definition, PartnerNames *names) {
    const BedsDefinition *d = definition;
    bool fine = true;
    for (int g = 0; g < d->count; g++) {
        fine = fine && partner_name(names, d->grains[g].port);
        for (int w = 0; w < d->grains[g].wall_count; w++)
            fine = fine && partner_name(names, d->grains[g].walls[w].port);
    }
    return fine;
}

// The setting brings materials, gravity and the log; step, port and walls are set here for each bed.
static MrcStatus beds_create(const void *section, const PartnerSetting *s, Arena *arena, void **out,
                             MrcError *error) {
    const BedsDefinition *definition = section;
    const PartnerPorts *ports = &s->ports;
    const BedsSteps *steps = s->steps;
    GrainsSetting setting = *s->grains;
    size_t n = (size_t)definition->count;
    Beds *b = *out = arena_alloc(arena, sizeof *b);
    if (!b) return error_memory(error, "the beds");
    *b = (Beds){.port_count = ports->count, .gravity = setting.gravity};
    b->items = arena_alloc(arena, (n + 1) * sizeof *b->items);
    b->world_beds = arena_alloc(arena, (n + 1) * sizeof *b->world_beds);
    if (!b->items || !b->world_beds) return error_memory(error, "the beds");
    MrcStatus status = MRC_OK;
    for (int g = 0; g < definition->count && status == MRC_OK; g++) {
        Bed *bed = &b->items[g];
        status = beds_create_one(bed, &definition->grains[g], ports, steps, &setting, arena, error);
        b->count = g + 1;
        b->world_beds[g] = (WorldBed){bed->grains, bed->wall_ports};
    }
    if (status == MRC_OK)
        status =
            world_create(b->world_beds, b->count, ports->count, steps->step, b->gravity, &b->world, error);
    if (status == MRC_OK && ports->count > 0) world_place_ports(b->world, ports->motions);
    for (int g = 0; g < b->count && status == MRC_OK; g++)
        beds_warn_about_step(&b->items[g], setting.watch ? setting.watch->log : NULL);
    return status;
}

// ---- the step ------------------------------------------------------------------------------------
static MrcStatus beds_save(void *self, MrcError *error) { return world_save(((Beds *)self)->world, error); }
static MrcStatus beds_restore(void *self, MrcError *error) {
    return world_restore(((Beds *)self)->world, error);
}

static MrcStatus beds_advance(void *self, double h, const Motion *ports, const double *Y, Load *impulses,
                              Load *early, MrcError *error) {
    Beds *b = self;
    MrcStatus status = world_advance(b->world, h, ports, Y, impulses, NULL, error);
    if (status == MRC_OK) memcpy(early, world_early(b->world), (size_t)b->port_count * sizeof *early);
    return status;
}

static void beds_set_answer(void *self, const PortAnswer *answer) {
    world_set_answer(((Beds *)self)->world, answer ? answer->lasting : NULL, answer ? answer->yielding : NULL,
                     answer ? answer->settling : 0, answer ? answer->whole : NULL);
}
static const Load *beds_whole(const void *self) { return world_whole(((const Beds *)self)->world); }
static void beds_path(const void *self, Twist *moved, double *works) {
    const Beds *b = self;
    memcpy(moved, world_moved(b->world), (size_t)b->port_count * sizeof *moved);
    memcpy(works, world_works(b->world), (size_t)b->port_count * sizeof *works);
}

static MrcStatus beds_advance_machine(void *self, double h, const Motion *ports,
                                      const ContactMachine *machine, Load *impulses, MrcError *error) {
    return world_advance_machine(((Beds *)self)->world, h, ports, machine, impulses, NULL, error);
}

static void beds_set_later(void *self, bool later) { world_set_later(((Beds *)self)->world, later); }
static bool beds_rebounds(const void *self) { return world_rebounds(((const Beds *)self)->world); }
static double beds_rebounding(void *self, Load *impulses) {
    return world_rebounding(((Beds *)self)->world, impulses);
}
static MrcStatus beds_rebound(void *self, double h, const Motion *ports, const double *masses, double limit,
                              Load *impulses, MrcError *error) {
    return world_rebound(((Beds *)self)->world, h, ports, masses, limit, impulses, error);
}
static void beds_stopped(void *self, const Twist *lost) { world_stopped(((Beds *)self)->world, lost); }

static PartnerAbilities beds_abilities(const void *self) {
    int substeps = world_substeps(((const Beds *)self)->world);
    return (PartnerAbilities){.restore = true,
                              .rows = substeps == 0,
                              .small_steps = substeps,
                              .divides = substeps > 1,
                              .mixed = world_is_mixed(((const Beds *)self)->world),
                              .energy = true};
}

static PartnerEnergy beds_energy(const void *self) {
    const Beds *b = self;
    PartnerEnergy sum = {.stored = world_elastic(b->world)};
    for (int g = 0; g < b->count; g++) {
        const GrainStore *s = grains_view(b->items[g].grains);
        double flow, given = grains_given(b->items[g].grains, &flow);
        sum.worked += given, sum.flow += flow;
        sum.unseen += 1e-2 * grains_lift_energy(b->items[g].grains);
        for (size_t i = 0; i < s->count; i++) {
            double m = 1 / s->inverse_mass[i];
            Vec3 v = {s->vx[i], s->vy[i], s->vz[i]}, w = {s->wx[i], s->wy[i], s->wz[i]};
            sum.kinetic += 0.5 * (m * vec3_norm2(v) + vec3_dot(w, mat3_apply(store_inertia(s, i), w)));
            sum.stored -= m * vec3_dot(b->gravity, vec3(s->x[i], s->y[i], s->z[i]));
        }
    }
    return sum;
}

// Has the bed a wall on the port, and one elsewhere?
static bool beds_touches(const Bed *bed, int port, bool *held) {
    bool touches = false, elsewhere = false;
    for (int w = 0; w < bed->definition->wall_count; w++) {
        touches = touches || bed->wall_ports[w] == port;
        elsewhere = elsewhere || bed->wall_ports[w] != port;
    }
    if (held) *held = elsewhere;
    return touches;
}

static void beds_carried(const void *self, int port, Vec3 origin, PartnerMass *mass) {
    const Beds *b = self;
    for (int g = 0; g < b->count; g++) {
        const GrainStore *s = grains_view(b->items[g].grains);
        bool held;
        if (!beds_touches(&b->items[g], port, &held)) continue;
        mass->held = mass->held || held;
        for (size_t i = 0; i < s->count; i++) {
            double m = 1 / s->inverse_mass[i];
            double away2 = vec3_norm2(vec3_sub(vec3(s->x[i], s->y[i], s->z[i]), origin));
            mass->mass += m;
            mass->polar += m * away2 + 0.5 * mat3_trace(store_inertia(s, i));
        }
    }
}

static void beds_losses(const void *self, int port, PartnerLosses *sum) {
    const Beds *b = self;
    for (int g = 0; g < b->count; g++) {
        const Bed *bed = &b->items[g];
        if (!beds_touches(bed, port, NULL)) continue;
        sum->impact += bed->measure.impact;
        sum->friction += bed->measure.friction;
        sum->rolling += bed->measure.rolling;
        sum->work += bed->measure.work;
        sum->mass += grains_mass(bed->grains);
    }
}

static const FollowerVerbs beds_verbs = {
    .save = beds_save,
    .restore = beds_restore,
    .advance = beds_advance,
    .set_answer = beds_set_answer,
    .path = beds_path,
    .whole = beds_whole,
    .advance_machine = beds_advance_machine,
    .set_later = beds_set_later,
    .rebounds = beds_rebounds,
    .rebounding = beds_rebounding,
    .rebound = beds_rebound,
    .stopped = beds_stopped,
    .carried = beds_carried,
    .losses = beds_losses,
};

// ---- what is recorded ----------------------------------------------------------------------------
static MrcStatus beds_measure(void *self, const Motion *ports, MrcError *error) {
    Beds *b = self;
    MrcStatus status = MRC_OK;
    for (int g = 0; g < b->count && status == MRC_OK; g++) {
        Bed *bed = &b->items[g];
        bed->frame = beds_port_motion(ports, bed->port);
        for (int w = 0; w < bed->definition->wall_count; w++)
            bed->motions[w] = beds_port_motion(ports, bed->wall_ports[w]);
        status = grains_measure(bed->grains, &bed->frame, bed->motions, &bed->measure, error);
        // Checked before each sample and at the end of a run: the engine itself looks for lost grains only every some
        // steps.
        if (status == MRC_OK) status = grains_check_lost(bed->grains, bed->motions, error);
        const Load *mean = world_mean_loads(b->world, g);
        if (mean && status == MRC_OK)
            grains_measure_loads(bed->grains, &bed->frame, bed->motions, mean, &bed->measure);
        if (status == MRC_OK) status = beds_measure_for_signals(bed, error);
    }
    return status;
}

static void beds_ledger(const void *self, EnergySums *now) {
    const Beds *b = self;
    for (int g = 0; g < b->count; g++) {
        const GrainsMeasure *m = &b->items[g].measure;
        now->work += m->work + m->belts;
        now->input += m->input;
        now->kinetic += m->kinetic;
        now->potential += m->potential;
        now->elastic += m->elastic;
        now->impact += m->impact;
        now->friction += m->friction;
        now->rolling += m->rolling;
        now->stabilisation += m->stabilisation;
        now->algorithm += m->algorithm;
        now->carried += m->carried;
        now->lifted += m->lifted;
        now->arrived += m->arrived;
        now->unseen += 1e-2 * grains_lift_energy(b->items[g].grains);
        now->follower_port_work += m->work;
    }
}

static void beds_archive(void *self, Archive *archive) {
    Beds *b = self;
    archive_group_begin(archive, "world");
    world_archive(b->world, archive);
    archive_group_end(archive, "world");
    archive_group_begin(archive, "grains"); // a group of their own: users choose their names
    for (int g = 0; g < b->count; g++) {
        const char *name = b->items[g].definition->name;
        archive_group_begin(archive, name);
        grains_archive(b->items[g].grains, archive);
        archive_group_end(archive, name);
    }
    archive_group_end(archive, "grains");
}

// ---- facts ---------------------------------------------------------------------------------------
static void beds_step_facts(const GrainsSteps *steps, FactList *list) {
    fact_group_begin(list, "steps");
    fact_number(list, "suggested_s", steps->suggested, "s", "suggested step");
    fact_text(list, "governed_by", time_steps_criterion_name(steps->governing),
              "criterion of the suggested step");
    fact_number(list, "contact_duration_s", steps->limit[STEP_BY_CONTACT], "s", "duration of a contact");
    for (int c = STEP_BY_HART; c < STEP_CRITERION_COUNT; c++) {
        char key[40];
        snprintf(key, sizeof key, "%s_s", time_steps_criterion_name(c));
        fact_number(list, key, steps->limit[c], "s", time_steps_criterion_words(c));
    }
    fact_group_end(list);
}

// How the contact problems were solved.
static void beds_solver_facts(const Beds *b, FactList *list) {
    WorldCounts counts = world_counts(b->world);
    double solves = counts.solves > 0 ? (double)counts.solves : 1;
    fact_group_begin(list, "contact_solver");
    fact_count(list, "problems", counts.solves, "contact problems");
    fact_number(list, "contacts_mean", (double)counts.contacts / solves, "1", "contacts on average");
    fact_number(list, "iterations_mean", (double)counts.iterations / solves, "1", "iterations on average");
    fact_count(list, "fallbacks", counts.fallbacks, "problems tried by a second method");
    fact_count(list, "above_tolerance", counts.loose, "problems above the tolerance");
    fact_count(list, "unsolved", counts.unsolved, "problems not solved");
    fact_number(list, "worst_residual", counts.worst, "1", "largest residual");
    fact_number(list, "wall_seconds", counts.seconds, "s", "wall-clock time in solvers");
    fact_count(list, "rebounds", counts.rebounds, "steps with rebounds from walls of the machine");
    fact_count(list, "rebounds_limited", counts.limited, "of them those limited by the energy there was");
    fact_count(list, "locked", counts.locked, "steps in which friction locked overlaps, which stayed");
    fact_group_end(list);
}

// What one collision does is in spectra.csv; part -1: of two grains.
static void beds_spectrum_facts(const Bed *bed, int part, FactList *list) {
    if (!bed->definition->spectra.given) return;
    SpectrumSums sums = grains_spectrum_sums(bed->grains, part);
    fact_count(list, "collisions", sums.count,
               part < 0 ? "collisions of two grains" : "collisions with this wall");
    fact_number(list, "collisions_J", sums.energy, "J", "dissipated by impact in them");
    fact_number(list, "collision_median_J", sums.count > 0 ? sums.median : NAN, "J",
                "collisions of less energy dissipated half of that");
}

static void beds_wear_facts(const Bed *bed, FactList *list) {
    const WallWear *wear = grains_wear(bed->grains);
    for (int w = 0; w < bed->definition->wall_count; w++) {
        fact_group_begin(list, bed->definition->walls[w].name);
        fact_number(list, "friction_J", wear[w].friction, "J", "work of friction on this wall");
        fact_number(list, "impact_J", wear[w].impact, "J", "dissipated by impacts on this wall");
        if (wear[w].volume > 0)
            fact_number(list, "wear_m3", wear[w].volume, "m^3", "volume worn off this wall");
        beds_spectrum_facts(bed, w, list);
        fact_group_end(list);
    }
}

static void beds_facts(const void *self, FactList *list) {
    const Beds *b = self;
    if (b->count == 0) return;
    fact_group_begin(list, "grains");
    for (int g = 0; g < b->count; g++) {
        const Bed *bed = &b->items[g];
        fact_group_begin(list, bed->definition->name);
        fact_count(list, "count", (int64_t)grains_count(bed->grains), "grains");
        fact_number(list, "mass_kg", grains_mass(bed->grains), "kg", "mass");
        for (int k = 0; bed->kinds && k < grains_kind_count(bed->definition); k++) {
            fact_group_begin(list, grains_kind_name(bed->definition, k));
            fact_count(list, "count", (int64_t)bed->kinds[k].count, "grains of this kind");
            fact_number(list, "mass_kg", bed->kinds[k].mass, "kg", "mass of this kind");
            fact_group_end(list);
        }
        beds_wear_facts(bed, list);
        beds_spectrum_facts(bed, -1, list);
        fact_number(list, "top_m", bed->filling.top, "m", "highest point of all grains");
        fact_number(list, "height_m", bed->filling.height, "m", "height of the bed");
        fact_number(list, "filling", bed->filling.filling, "1", "volume of the grains over that of the room");
        fact_number(list, "porosity", filling_porosity(bed->grains, bed->motions), "1",
                    "share without grains in the middle of the bed");
        for (int r = 0; r < bed->definition->region_count; r++) {
            fact_group_begin(list, bed->definition->regions[r].name);
            fact_number(list, "compactness", bed->regions[r].compactness, "1",
                        "share of the region that is inside grains");
            fact_number(list, "count", bed->regions[r].count, "1", "grains whose centre is in the region");
            fact_group_end(list);
        }
        if (bed->kinds) fact_number(list, "mixing", bed->mixing, "1", "mixing index of Lacey");
        fact_number(list, "stiffness_N_per_m", bed->stiffness, "N/m", "contact stiffness of two grains");
        fact_number(list, "step_s", bed->step, "s", "step of the grains");
        fact_number(list, "critical_step_s", bed->steps.critical, "s", "critical step");
        beds_step_facts(&bed->steps, list);
        fact_number(list, "largest_overlap", bed->measure.largest_overlap, "1",
                    "largest overlap over radius");
        fact_number(list, "restitution_asked", bed->restitution, "1", "restitution asked for");
        fact_number(list, "restitution_used",
                    bed->restitution < law_least_restitution ? law_least_restitution : NAN, "1",
                    "the least that dashpots give");
        fact_group_end(list);
    }
    fact_group_end(list);
    if (world_counts(b->world).solves > 0) beds_solver_facts(b, list);
}

static MrcStatus beds_check_finite(void *self, MrcError *error) {
    const Beds *b = self;
    for (int g = 0; g < b->count; g++) {
        const GrainStore *s = grains_view(b->items[g].grains);
        for (size_t i = 0; i < s->count; i++) {
            // A sum is finite only if all its terms are finite.
            double sum =
                s->x[i] + s->y[i] + s->z[i] + s->vx[i] + s->vy[i] + s->vz[i] + s->wx[i] + s->wy[i] + s->wz[i];
            if (isfinite(sum)) continue;
            return error_set(
                error, MRC_NOT_FINITE,
                "grains '%s': the position or velocity of grain %lld is infinite or not a number",
                b->items[g].definition->name, (long long)s->id[i]);
        }
    }
    return MRC_OK;
}

static const PartnerSection beds_section = {NULL, beds_section_ports, beds_create};

const PartnerType partner_beds = {
    .kind = "grains",
    .section = &beds_section,
    .follower = &beds_verbs,
    .abilities = beds_abilities,
    .energy = beds_energy,
    .signals = beds_signals,
    .measure = beds_measure,
    .ledger = beds_ledger,
    .archive = beds_archive,
    .frames = beds_frames,
    .facts = beds_facts,
    .check_finite = beds_check_finite,
    .destroy = beds_destroy,
};
