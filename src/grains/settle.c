// Settling (doi:10.1016/j.mechmachtheory.2020.104181, 3.2.1): grains start loose and at rest, fall, are shaken gently
// and fall again, until their kinetic energy has vanished and the height of their centre of mass is constant.
//
// The bed is simulated in the port's axes, in stages (settle_stage.h):
//
//     grow   only when the room is too full for a start without overlap: radii grow by 2 % at a time
//     fall   with a spring as soft as its overlaps allow, because the step follows from it; shakes
//     press  with springs ten times stiffer each, up to the bed's own: going there in one step would throw
//            the grains up with the energy of their overlaps; what is wedged comes loose without friction
//     rest   with the bed's own law; rigid grains by the nonsmooth method, after springs have brought them
//            within a hundredth of a percent of their places. Rigid spheres, and beds on springs in which something was
//            dug out, rest again until they hold from their places alone
//
// Beds of rigid grains of other shapes than spheres grow, fall and rest by their own method: springs on the way there
// would not be quicker.
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/watch.h"
#include "grains/forms.h"
#include "grains/method.h"
#include "grains/settle_stage.h"

static const double settle_rigid_press =
    1e3; // stiffness of the last springs before rigid grains rest, over `soft`
static const double settle_soft_overlap =
    5e-3; // of the lowest grains at rest, over the mean radius, in `fall`
static const double settle_noted_overlap = 1e-3; // of the settled bed, over the radius: more gives a note
static const double settle_grown_overlap = 0.1;  // of growing grains, over the radius: more is an error
static const double settle_most_overlap = 0.02;  // of the settled bed, likewise
static const double settle_jammed_overlap =
    20;                                     // of a bed pressed between walls, over what its weight explains
static const double settle_loosening = 0.1; // over the time to fall by a radius
enum { settle_most_loosenings = 4 };
// A bed holds if it sinks by less than this in the time to fall by a radius, over the radius, or over the largest
// overlap, because springs along the contacts are stretched anew.
static const double settle_held_fall = 1e-3;
static const double settle_held_give = 0.5;
enum { settle_most_tries = 10 };

// ---- overlaps ------------------------------------------------------------------------------------
// The overlap that a settled bed may have, over the radius. Contacts that were sized for a larger overlap may have that
// one.
static double settle_allowed_overlap(const Settling *s) {
    const ContactDefinition *contact = &s->room->definition->contact;
    return fmax(settle_most_overlap, contact->source == STIFFNESS_SIZED ? contact->sizing.overlap : 0);
}

// An error if grains overlap by too much, over the smallest radius. `rests`: the bed is settled, not growing.
static MrcStatus settle_check_overlap(const Settling *s, Grains *g, bool rests, MrcError *error) {
    GrainsMeasure measure;
    MrcStatus status = grains_measure(g, &s->port, s->walls.data, &measure, error);
    double overlap = measure.overlap / s->least;
    if (status != MRC_OK) return status;
    if (overlap > (rests ? settle_allowed_overlap(s) : settle_grown_overlap))
        return error_set(
            error, MRC_PACKING,
            "grains '%s': the grains overlap by %.2g of a radius while they settle: the room is too full "
            "(take fewer or "
            "smaller grains, or a larger room), or the contact stiffness too small for the weight of the bed",
            s->room->definition->name, overlap);
    if (overlap > settle_noted_overlap && rests && s->watch && s->watch->log)
        log_note(s->watch->log, // not a warning: a run from the cache must have the same summary
                 "grains '%s': at rest, grains overlap by %.2g of a radius under the weight of the bed; "
                 "its contact stiffness is small",
                 s->room->definition->name, overlap);
    return MRC_OK;
}

// Grains pressed between walls keep their overlaps when springs get stiffer; those under their weight lose them.
typedef struct SettleJam {
    bool found;
    double overlap;     // over the smallest radius
    double over_weight; // the same over what the weight of the bed explains
} SettleJam;

static MrcStatus settle_look_for_jam(const Settling *s, Grains *g, double softer, SettleJam *jam,
                                     MrcError *error) {
    GrainsMeasure measure;
    MrcStatus status = grains_measure(g, &s->port, s->walls.data, &measure, error);
    double explained = settle_soft_overlap * s->finest * s->radius * softer * (s->most / s->mass);
    if (status != MRC_OK) return status;
    *jam = (SettleJam){.found = measure.overlap > settle_jammed_overlap * explained,
                       .overlap = measure.overlap / s->least,
                       .over_weight = measure.overlap / explained};
    return MRC_OK;
}

static MrcStatus settle_jam_error(const Settling *s, const SettleJam *jam, MrcError *error) {
    return error_set(
        error, MRC_PACKING,
        "grains '%s': the room is too full: at rest the grains are jammed between its walls and overlap "
        "by %.2g of a radius, %.0f times what their weight explains; take fewer or smaller grains, or a "
        "larger room",
        s->room->definition->name, jam->overlap, jam->over_weight);
}

// ---- stages --------------------------------------------------------------------------------------
static MrcStatus settle_grow(Settling *s, double scale, double stiffness, MrcError *error) {
    MrcStatus status = MRC_OK;
    while (scale < 1 && status == MRC_OK) {
        Grains *g;
        scale = fmin(1.02 * scale, 1);
        for (size_t i = 0; i < s->store->count; i++) s->radii.data[i] = scale * s->store->radius[i];
        s->growing = true;
        status = settle_stage_begin(s, stiffness, &g, error);
        s->growing = false;
        if (status != MRC_OK) return status;
        status = settle_advance_for(s, g, s->moment, 1 / s->moment, error);
        if (status == MRC_OK) status = settle_check_overlap(s, g, false, error);
        settle_stage_end(s, g);
    }
    return status;
}

// One cycle of the walls, up by half a radius and back, at twice the acceleration of gravity. The
// direction turns from shake to shake.
static MrcStatus settle_shake(Settling *s, Grains *g, int64_t number, double drag_rate, MrcError *error) {
    const Room *room = s->room;
    double lean = 2.4 * (double)number, height = 0.5 * s->radius, omega = sqrt(4 * s->gravity / height);
    Vec3 way = vec3_madd(vec3_madd(room->up, 0.5 * cos(lean), room->across1), 0.5 * sin(lean), room->across2);
    int64_t steps = (int64_t)ceil(2 * M_PI / (omega * g->step));
    MrcStatus status = MRC_OK;
    for (int64_t n = 0; n <= steps && status == MRC_OK; n++) {
        double angle = n < steps ? omega * (double)n * g->step : 0, half = 0.5 * height;
        for (size_t w = 0; w < s->walls.count; w++) {
            Motion *wall = &s->walls.data[w];
            wall->position = vec3_madd(room->walls[w].position, half * (1 - cos(angle)), way);
            wall->velocity = vec3_scale(half * omega * sin(angle), way);
            wall->acceleration = vec3_scale(half * omega * omega * cos(angle), way);
        }
        if (n < steps) status = settle_advance(s, g, drag_rate, error);
    }
    for (size_t w = 0; w < s->walls.count; w++) s->walls.data[w] = room->walls[w];
    return status;
}

static MrcStatus settle_fall(Settling *s, double stiffness, MrcError *error) {
    Grains *g;
    double height, before, rate = 1 / s->moment, duration = sqrt(4 * s->room->extent_up / s->gravity);
    double still = stiffness > 0 ? settle_stage_energy : settle_shapes_energy;
    s->falling = true;
    MrcStatus status = settle_stage_begin(s, stiffness, &g, error);
    s->falling = false;
    if (status != MRC_OK) return status;
    // The first fall may be long, and would take too much time with the full drag.
    status = settle_advance_for(s, g, duration, fmin(rate, 1 / duration), error);
    if (status == MRC_OK) status = settle_come_to_rest(s, g, rate, still, INFINITY, &height, error);
    for (int64_t k = 0; k < s->room->definition->packing.shakes && status == MRC_OK; k++) {
        before = height;
        status = settle_shake(s, g, k, rate, error);
        if (status == MRC_OK) status = settle_come_to_rest(s, g, rate, still, INFINITY, &height, error);
        if (before - height < 5e-3 * s->radius) break;
    }
    settle_stage_end(s, g);
    return status;
}

// Soft springs let grains fall deep between walls of a narrow room, and friction holds them there when springs get stiffer:
// a sphere between two walls that lean towards each other by less than the angles of friction keeps any force. Without
// friction it slides out. So friction is left out for a short time, in which the bed as a whole hardly sinks (800
// grains in a tube of five diameters: by 1 to 2 % of its height).
static MrcStatus settle_loosen(Settling *s, double stiffness, MrcError *error) {
    Grains *g;
    s->sliding = true;
    MrcStatus status = settle_stage_begin(s, stiffness, &g, error);
    s->sliding = false;
    if (status != MRC_OK) return status;
    status = settle_advance_for(s, g, settle_loosening * s->moment, 1 / s->moment, error);
    settle_stage_end(s, g);
    return status;
}

// Between stages, and when the simulation begins, the impulses of rigid grains and the springs of friction of smooth
// ones start from zero. A bed that is wedged in a narrow room may have been held by them: the contact problem has many
// solutions, and which one is found depends on the impulses that the solver starts from. (One of 14 beds in a tube of
// two diameters fell by a quarter of a radius in the run.) The same holds for a bed that was dug out around a rod. A
// bed counts as settled if it also rests from its places alone and without drag; its places are then left as they are.
// Beds on springs sink a little at each such start, until friction carries its part again: 900 grains in a tube by 0.1
// of their largest overlap as they were poured (six of six), around a rod by 0.5 to 1.5 of it, and two of 28 then
// slumped by 0.04 and 0.16 of a radius. So of the beds on springs only those in which something was dug out are tested.
static bool settle_forgets(const Settling *s) {
    const GrainsDefinition *d = s->room->definition;
    if (grains_are_rigid(d)) return s->turns.count == 0;
    return s->placed && law_tangential_settling(d->contact.normal, d->contact.tangential) != TANGENTIAL_NONE;
}

static MrcStatus settle_try(Settling *s, bool *holds, MrcError *error) {
    Grains *g;
    GrainsMeasure measure = {0};
    MrcStatus status = settle_stage_begin(s, 0, &g, error);
    if (status != MRC_OK) return status;
    SettleState before = settle_state(s, g);
    status = settle_advance_for(s, g, s->moment, 0, error);
    SettleState now = settle_state(s, g);
    double still = fmax(g->method->settling.rest_energy, settle_stage_energy),
           fall = settle_held_fall * s->radius;
    if (status == MRC_OK && !g->method->rigid) {
        status = grains_measure(g, &s->port, s->walls.data, &measure, error);
        fall = fmax(fall, settle_held_give * measure.overlap);
    }
    *holds = now.kinetic < still && fabs(now.height - before.height) < fall;
    if (status != MRC_OK || *holds) grains_destroy(g);
    else settle_stage_end(s, g);
    return status;
}

static MrcStatus settle_press_and_rest(Settling *s, double soft, double own, MrcError *error) {
    int loosened = 0, tried = 0;
    bool forgets = settle_forgets(s);
    for (double k = 10 * soft;; k *= 10) {
        Grains *g;
        double height;
        SettleJam jam = {0};
        bool last = !(k < own);
        MrcStatus status = settle_stage_begin(s, last ? 0 : k, &g, error);
        if (status != MRC_OK) return status;
        double still = last ? g->method->settling.rest_energy : settle_stage_energy;
        status = settle_come_to_rest(s, g, 1 / s->moment, still, last ? 2e-3 : INFINITY, &height, error);
        if (status == MRC_OK && last) status = settle_check_overlap(s, g, true, error);
        if (status == MRC_OK && !last) status = settle_look_for_jam(s, g, soft / k, &jam, error);
        settle_stage_end(s, g);
        if (status == MRC_OK && jam.found) {
            if (loosened++ == settle_most_loosenings) return settle_jam_error(s, &jam, error);
            status = settle_loosen(s, k, error);
            k /= 10; // repeats this stage
        }
        bool holds = !forgets || tried == settle_most_tries;
        if (status == MRC_OK && last && !holds) status = settle_try(s, &holds, error), tried++;
        if (status != MRC_OK || (last && holds)) return status;
        if (last) k /= 10;
    }
}

// ---- from beginning to end -----------------------------------------------------------------------
// The softest springs that keep the overlaps at rest, and when the heaviest grain falls on the smallest, within their
// limits.
static double settle_soft_stiffness(const Settling *s) {
    double layers = 1 + s->room->extent_up / s->radius, speed = sqrt(2 * s->gravity * s->room->extent_up);
    double at_rest = 2 * layers * s->mass * s->gravity / (settle_soft_overlap * s->finest * s->radius);
    double overlap = 0.2 * s->least;
    return fmax(at_rest, s->most * speed * speed / (overlap * overlap));
}

// The bed's own stiffness between grains, under the weight of a few of them.
static double settle_own_stiffness(const Settling *s) {
    const GrainsDefinition *d = s->room->definition;
    const Material *m = &s->setting.materials[s->store->material[0]];
    const LawPair pair = {d, m, m, false};
    return law_normal(d->contact.normal)->rest_stiffness(&pair, s->radius, 5 * s->mass * s->gravity);
}

// Portion by portion, each poured onto those before it.
static MrcStatus settle_pour(Settling *s, double stiffness, MrcError *error) {
    size_t count = s->store->count, stages = (size_t)s->room->definition->packing.stages, first = 0;
    MrcStatus status = MRC_OK;
    for (size_t k = 1; k <= stages && status == MRC_OK; k++) {
        s->store->count = s->bed.count = count * k / stages;
        if (s->store->count == first) continue;
        s->earlier += s->time, s->time = 0;
        status = settle_start_above(s->room, first, s->store, error);
        settle_take_turns(s);
        if (status == MRC_OK) status = settle_fall(s, stiffness, error);
        first = s->store->count;
    }
    s->store->count = s->bed.count = count;
    settle_take_turns(s);
    return status;
}

// The identity of the bed after its fall, which does not depend on the bed's own law but for friction. Beds whose
// stiffness follows from the motion, and so differs from point to point of a study, share the fall: this saves half of
// the time of settling. NULL: it is not kept.
static char *settle_fallen_identity(const Settling *s, double stiffness) {
    const GrainsDefinition *d = s->room->definition;
    if (!d->packing.cache || grains_are_rigid(d) || d->contact.source == STIFFNESS_GIVEN) return NULL;
    GrainsDefinition springs = *d;
    Room room = *s->room;
    springs.contact = settle_springs(s, stiffness);
    springs.method = grains_method_of_springs();
    room.definition = &springs;
    return settle_identity(&room, s->given, s->store, "fallen");
}

// The stages up to the end of the fall, on springs of this stiffness.
static MrcStatus settle_down(Settling *s, double stiffness, MrcError *error) {
    double scale;
    char *identity = settle_fallen_identity(s, stiffness);
    if (identity && settle_cache_load(identity, s->store)) {
        settle_take_turns(s);
        free(identity);
        return MRC_OK;
    }
    bool poured = s->room->definition->packing.stages > 1;
    MrcStatus status = poured ? MRC_OK : settle_start(s->room, s->store, &scale, error);
    if (status == MRC_OK && !poured) status = settle_grow(s, scale, stiffness, error);
    if (status == MRC_OK && !poured) status = settle_fall(s, stiffness, error);
    if (status == MRC_OK && poured) status = settle_pour(s, stiffness, error);
    if (status == MRC_OK && identity) settle_cache_save(identity, s->store);
    free(identity);
    return status;
}

// A bed that has settled already, and in which something was dug out, only comes to rest again.
static MrcStatus settle_all_stages(Settling *s, MrcError *error) {
    bool rigid = grains_are_rigid(s->room->definition);
    double soft = settle_soft_stiffness(s), own = rigid ? settle_rigid_press * soft : settle_own_stiffness(s);
    bool springs = s->turns.count == 0 || !rigid;
    if (springs && s->turns.count > 0) soft *= 4; // a corner has a quarter of the stiffness
    soft = springs ? fmin(soft, own) : own;
    MrcStatus status = s->placed ? MRC_OK : settle_down(s, springs ? soft : 0, error);
    s->earlier += s->time,
        s->time = 0; // a fall from the cache takes no time, so the limit counts anew for the rest
    if (status == MRC_OK) status = settle_press_and_rest(s, soft, own, error);
    if (status == MRC_OK && s->watch && s->watch->log)
        log_note(s->watch->log, "grains '%s': settled in %.3g s of simulated time (%lld steps)",
                 s->room->definition->name, s->earlier + s->time, (long long)s->steps);
    return status;
}

static void settle_free(Settling *s) {
    array_free(&s->materials);
    array_free(&s->pairs);
    array_free(&s->walls);
    array_free(&s->loads);
    array_free(&s->radii);
    array_free(&s->forms);
    array_free(&s->turns);
}

static const ParticlesDefinition *settle_kind(const Settling *s, size_t i) {
    return grains_kind(s->room->definition, s->store->kind ? s->store->kind[i] : 0);
}

static bool settle_copy_setting(Settling *s, const GrainsSetting *setting) {
    size_t walls = (size_t)s->room->definition->wall_count, count = s->store->count;
    if (!array_resize(&s->materials, (size_t)setting->material_count) ||
        !array_resize(&s->pairs, (size_t)setting->pair_count) || !array_resize(&s->walls, walls) ||
        !array_resize(&s->loads, walls) || !array_resize(&s->radii, count) ||
        !array_resize(&s->forms, count) || !array_resize(&s->turns, s->store->qw ? 3 * count : 0))
        return false;
    for (size_t i = 0; i < s->materials.count; i++) {
        s->materials.data[i] = setting->materials[i];
        s->materials.data[i].restitution = fmin(setting->materials[i].restitution, settle_most_restitution);
    }
    for (size_t i = 0; i < s->pairs.count; i++) {
        s->pairs.data[i] = setting->pairs[i]; // a negative restitution is one that is not given
        s->pairs.data[i].restitution = fmin(setting->pairs[i].restitution, settle_most_restitution);
    }
    memcpy(s->walls.data, s->room->walls, walls * sizeof *s->walls.data);
    memcpy(s->radii.data, s->store->radius, count * sizeof *s->radii.data);
    for (size_t i = 0; i < count; i++) s->forms.data[i] = s->store->shape[i] - settle_kind(s, i)->first_shape;
    return true;
}

static void settle_measure_grains(Settling *s) {
    bool rigid = grains_are_rigid(s->room->definition);
    s->finest = 1;
    s->least = INFINITY;
    for (size_t i = 0; i < s->store->count; i++) {
        double mass = 1 / s->store->inverse_mass[i],
               finest = rigid ? 1 : forms_finest_part(settle_kind(s, i));
        s->radius += s->store->radius[i] / (double)s->store->count;
        s->mass += mass / (double)s->store->count;
        s->finest = fmin(s->finest, finest);
        s->least = fmin(s->least, finest * s->store->radius[i]);
        s->most = fmax(s->most, mass);
    }
    s->moment = sqrt(2 * s->radius / s->gravity);
}

MrcStatus settle_bed(const Room *room, const GrainsSetting *setting, double gravity, bool placed,
                     GrainStore *store, MrcError *error) {
    Settling s = {.room = room,
                  .watch = setting->watch,
                  .store = store,
                  .definition = *room->definition,
                  .setting = *setting,
                  .given = setting,
                  .port = motion_at_rest(),
                  .gravity = gravity,
                  .placed = placed};
    s.setting.keep_orientation = false;
    MrcStatus status = settle_copy_setting(&s, setting) ? MRC_OK : error_memory(error, "the settling bed");
    if (status == MRC_OK) {
        s.definition.packing.kind = PACKING_FILE;
        s.definition.bed = s.definition.particles.bed = &s.bed;
        s.definition.particles.count = 0;
        s.definition.particles.total_mass = s.definition.particles.filling = 0;
        s.definition.settling = true;
        s.bed = (BedData){.count = store->count,
                          .kinds = store->kind,
                          .forms = s.forms.data,
                          .columns = {store->x, store->y, store->z, s.radii.data}};
        settle_take_turns(&s);
        s.setting.materials = s.materials.data;
        s.setting.pairs = s.pairs.data;
        s.setting.gravity = vec3_scale(-gravity, room->up);
        s.setting.port = &s.port;
        s.setting.walls = room->walls;
        s.setting.watch = NULL;
        settle_measure_grains(&s);
        for (size_t m = 0; m < s.materials.count; m++)
            if (s.materials.data[m].rolling_friction > 0) s.rigid_rolling = ROLLING_SPRING;
        status = settle_all_stages(&s, error);
    }
    settle_free(&s);
    return status;
}
