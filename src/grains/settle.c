// Settling (doi:10.1016/j.mechmachtheory.2020.104181, 3.2.1): grains start loose and at rest, fall, are shaken gently
// and fall again, until their kinetic energy has vanished and the height of their centre of mass is constant.
//
// The bed is simulated in the port's axes, in stages:
//
//     grow   only when the room is too full for a start without overlap: radii grow by 2 % at a time
//     fall   with a spring as soft as its overlaps allow, because the step follows from it; shakes
//     press  with springs ten times stiffer each, up to the bed's own: going there in one step would throw
//            the grains up with the energy of their overlaps; what is wedged comes loose without friction
//     rest   with the bed's own law; rigid grains by the nonsmooth method, after springs have brought them
//            within a hundredth of a percent of their places
//
// Beds of rigid grains of other shapes than spheres grow, fall and rest by their own method: springs on the way there would
// not be quicker.
//
// Restitution is at most 0.1, and a drag dissipates what contacts do not: on a floor without friction a
// grain would slide for ever. The drag acts at prunings (engine.h), so that grains in free flight stay in closed form.
// Friction without memory lets a heap creep, so settling has springs instead.
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/watch.h"
#include "grains/engine.h"
#include "grains/forms.h"
#include "grains/method.h"
#include "grains/settle.h"

static const double settle_most_restitution = 0.1;  // of springs before grains are rigid
static const double settle_least_restitution = 0.3; // of smooth grains
static const double settle_rigid_tolerance = 1e-4;  // of the contact problem: finer ones only take longer
enum {
    settle_rigid_visits = 400000,
    settle_least_sweeps = 300,
    settle_most_sweeps = 5000
};                                                   // of grains, in a step
static const double settle_shapes_tolerance = 1e-3;  // the same of grains that are not spheres,
enum { settle_shapes_iterations = 300 };             // and this many at most,
static const double settle_falling_tolerance = 1e-2; // but on the way there a step may be inexact
enum { settle_falling_iterations = 60 };
static const double settle_stage_energy = 1e-5; // per grain, over what falling by a radius gives a mean grain
// The same of grains that are not spheres, before they rest by their own method: steps are inexact until then, and 6000
// stones took as many steps from 1e-3 to 1e-5 as before, in which they sank by a hundredth of a radius.
static const double settle_shapes_energy = 1e-3;
static const double settle_rigid_press =
    1e3; // stiffness of the last springs before rigid grains rest, over `soft`
static const double settle_soft_overlap =
    5e-3; // of the lowest grains at rest, over the mean radius, in `fall`
static const double settle_noted_overlap = 1e-3; // of the settled bed, over the radius: more gives a note
static const double settle_grown_overlap = 0.1;  // of growing grains, likewise
static const double settle_most_overlap = 0.02;  // of the settled bed, over the radius: more is an error
static const double settle_jammed_overlap =
    20;                                     // of a bed pressed between walls, over what its weight explains
static const double settle_loosening = 0.1; // over the time to fall by a radius
enum { settle_most_loosenings = 4 };

typedef struct Settling {
    const Room *room;
    const GrainsWatch *watch; // may be NULL
    GrainStore *store;        // sizes and masses; places between stages, in order of id
    GrainsDefinition definition;
    GrainsSetting setting; // in the port's axes
    const GrainsSetting *given;
    BedData bed; // the places in `store`, as a bed
    ARRAY(Material) materials;
    ARRAY(MaterialPair) pairs;
    Motion port;
    ARRAY(Motion) walls;
    ARRAY(Load) loads;
    ARRAY(double) radii;  // in use: smaller while grains grow
    ARRAY(int32_t) forms; // of each grain: which of its kind's
    ARRAY(double)
    turns;          // rotation vectors of grains that are not spheres: all x, all y, all z; else empty [rad]
    double gravity; // [m/s^2]
    double radius;  // mean [m]
    double least;   // radius; of clumps on springs that of a part, which overlaps are compared with [m]
    double finest;  // that of a part over that of the grain; 1 but for clumps on springs
    double mass, most; // mean and largest, of a grain [kg]
    double moment;     // time to fall by a radius from rest [s]
    int rigid_rolling; // of the springs that rigid grains settle with
    bool growing;      // radii are not yet those of the bed
    bool falling;      // places are not yet those of rest
    bool sliding;      // without friction, for a moment
    double time;       // simulated so far, of this portion [s]
    double earlier;    // of portions that were poured before it [s]
    int64_t steps;
    int64_t dragged; // step of the engine at which the drag last acted
} Settling;

// ---- one step ------------------------------------------------------------------------------------
static void settle_drag(Settling *s, Grains *g, double rate) {
    double factor = exp(-rate * g->step * (double)(g->steps - s->dragged));
    for (size_t i = 0; i < g->store.count; i++)
        for (int k = GRAIN_VELOCITY; k < GRAIN_RADIUS; k++) g->motion[i * GRAIN_LINE + (size_t)k] *= factor;
    if (g->method->settling.slowed) g->method->settling.slowed(g, factor);
    g->view_step = -1;
    s->dragged = g->steps;
}

static MrcStatus settle_advance(Settling *s, Grains *g, double drag_rate, MrcError *error) {
    const GrainsWatch *watch = s->watch;
    int64_t every = 1 + 128000 / (1000 + (int64_t)s->store->count); // steps of larger beds take longer
    bool open;
    MrcStatus status = g->method->settling.is_open(g, s->walls.data, &open, error);
    if (status == MRC_OK && open) settle_drag(s, g, drag_rate);
    if (status == MRC_OK) status = grains_advance(g, s->walls.data, s->loads.data, error);
    s->time += g->step;
    if (status != MRC_OK) return status;
    if (watch_stopped())
        return watch_error(error, "the grains of '%s' were settling", s->room->definition->name);
    if (++s->steps % every == 0 && watch && watch->settling)
        watch->settling(watch->user, s->time, s->room->definition->packing.limit, s->steps);
    return MRC_OK;
}

static MrcStatus settle_advance_for(Settling *s, Grains *g, double duration, double drag_rate,
                                    MrcError *error) {
    int64_t steps = (int64_t)ceil(duration / g->step);
    MrcStatus status = MRC_OK;
    for (int64_t n = 0; n < steps && status == MRC_OK; n++) status = settle_advance(s, g, drag_rate, error);
    return status;
}

// ---- coming to rest ------------------------------------------------------------------------------
typedef struct SettleState {
    double kinetic; // energy per grain, over what falling by a radius gives a mean grain
    double height;  // of the centre of mass [m]
    double load;    // force on the walls against the weight, off by this fraction of the weight
} SettleState;

static SettleState settle_state(const Settling *s, Grains *g) {
    const GrainStore *v = grains_view(g);
    double energy = 0, mass = 0, height = 0;
    Vec3 load = {0};
    for (size_t i = 0; i < v->count; i++) {
        double m = 1 / v->inverse_mass[i], r2 = v->radius[i] * v->radius[i];
        energy += 0.5 * m * vec3_norm2(vec3(v->vx[i], v->vy[i], v->vz[i])) +
                  0.2 * m * r2 * vec3_norm2(vec3(v->wx[i], v->wy[i], v->wz[i]));
        height += m * vec3_dot(s->room->up, vec3(v->x[i], v->y[i], v->z[i]));
        mass += m;
    }
    for (size_t w = 0; w < s->loads.count; w++) load = vec3_add(load, s->loads.data[w].force);
    Vec3 off = vec3_sub(load, vec3_scale(mass, s->setting.gravity));
    return (SettleState){.kinetic = energy / (double)v->count / (s->mass * s->gravity * s->radius),
                         .height = height / mass,
                         .load = vec3_norm(off) / (mass * s->gravity)};
}

// At rest when three states in a row are; *height is that of the last.
static MrcStatus settle_come_to_rest(Settling *s, Grains *g, double drag_rate, double kinetic, double load,
                                     double *height, MrcError *error) {
    SettleState last = settle_state(s, g);
    for (int calm = 0; calm < 3;) {
        MrcStatus status = settle_advance_for(s, g, 0.25 * s->moment, drag_rate, error);
        if (status != MRC_OK) return status;
        SettleState now = settle_state(s, g);
        // Beds on springs may oscillate for long, those with a restitution of 1 above all: after a while ten times the
        // energy counts as rest, and in the end the limit of the stages before the last one.
        double limit = s->room->definition->packing.limit;
        bool quivers = !g->method->rigid && s->time > 0.4 * limit;
        double allowed = (quivers ? 10 : 1) * kinetic;
        if (quivers && s->time > 0.7 * limit) allowed = fmax(allowed, settle_stage_energy);
        double sinks = quivers || kinetic >= settle_shapes_energy ? 1e-3 : 1e-4;
        bool still =
            now.kinetic < allowed && fabs(now.height - last.height) < sinks * s->radius && now.load < load;
        calm = still ? calm + 1 : 0;
        last = now;
        if (s->time > limit && calm < 3)
            return error_set(error, MRC_NOT_CONVERGED,
                             "grains '%s': not at rest after %.3g s of settling: the mean kinetic energy is "
                             "%.2g of what falling by a radius gives, the load is off the weight by %.2g %%; "
                             "a longer 'limit' or more friction may help",
                             s->room->definition->name, s->time, now.kinetic, 100 * now.load);
    }
    *height = last.height;
    return MRC_OK;
}

// ---- stages --------------------------------------------------------------------------------------
// Dashpots of a lower restitution are so strong that they open their contacts again and again, and the bed does not
// come to rest. The bed at rest does not depend on them.
static void settle_raise_restitution(Settling *s) {
    for (size_t i = 0; i < s->materials.count; i++)
        s->materials.data[i].restitution = fmax(s->materials.data[i].restitution, settle_least_restitution);
    for (size_t i = 0; i < s->pairs.count; i++)
        if (s->pairs.data[i].restitution >= 0)
            s->pairs.data[i].restitution = fmax(s->pairs.data[i].restitution, settle_least_restitution);
}

// Of rigid grains it is often zero, too.
static void settle_set_restitution(Settling *s, double restitution) {
    for (size_t i = 0; i < s->materials.count; i++) s->materials.data[i].restitution = restitution;
    for (size_t i = 0; i < s->pairs.count; i++)
        if (s->pairs.data[i].restitution >= 0) s->pairs.data[i].restitution = restitution;
}

// Tall, narrow beds are hardest to solve near their rest: of 800 grains in a tube of ten radii a step took 5000 sweeps and then
// a second by other solvers. Such steps need not be exact: the next one goes on from their impulses, and that the bed rests
// is found from its energy, its height and its load.
static int64_t settle_rigid_sweeps(const Settling *s) {
    int64_t sweeps = settle_rigid_visits / (int64_t)s->store->count;
    return sweeps < settle_least_sweeps  ? settle_least_sweeps
           : sweeps > settle_most_sweeps ? settle_most_sweeps
                                         : sweeps;
}

// Springs instead of the bed's own law.
static ContactDefinition settle_springs(const Settling *s, double stiffness) {
    const ContactDefinition *own = &s->room->definition->contact;
    bool rigid = grains_are_rigid(s->room->definition);
    return (ContactDefinition){.normal = NORMAL_LINEAR,
                               .tangential = rigid ? TANGENTIAL_ELASTIC : own->tangential,
                               .rolling = rigid ? s->rigid_rolling : own->rolling,
                               .stiffness = stiffness,
                               .wall_stiffness = stiffness};
}

// stiffness 0: the bed's own law.
static MrcStatus settle_stage_begin(Settling *s, double stiffness, Grains **g, MrcError *error) {
    const GrainsDefinition *d = s->room->definition;
    ContactDefinition *contact = &s->definition.contact;
    bool rigid = grains_are_rigid(d);
    *contact = stiffness > 0 ? settle_springs(s, stiffness) : d->contact;
    s->definition.method = stiffness > 0 ? grains_method_of_springs() : d->method;
    contact->tangential = law_tangential_settling(contact->normal, contact->tangential);
    if (s->sliding) contact->tangential = TANGENTIAL_NONE, contact->rolling = ROLLING_NONE;
    if (!(contact->tangential_ratio > 0)) contact->tangential_ratio = 2.0 / 7.0;
    contact->max_overlap = 0.9;
    bool shapes = s->turns.count > 0; // several points per pair: more than decide the motion
    double tolerance = !shapes      ? settle_rigid_tolerance
                       : s->falling ? settle_falling_tolerance
                                    : settle_shapes_tolerance;
    contact->solver.tolerance = fmax(contact->solver.tolerance, tolerance);
    if (rigid && contact->solver.method == CONTACT_AUTO) contact->solver.method = CONTACT_NSGS;
    if (!shapes && rigid && !(contact->solver.iterations > 0))
        contact->solver.iterations = settle_rigid_sweeps(s);
    // Growing grains overlap again and again, and rigid ones are slow to undo it by themselves.
    if (shapes && s->growing) contact->recovery = fmax(contact->recovery, 0.2 * s->radius / s->moment);
    if (shapes && !(contact->solver.iterations > 0))
        contact->solver.iterations = s->falling ? settle_falling_iterations : settle_shapes_iterations;
    if (rigid) settle_set_restitution(s, stiffness > 0 ? settle_most_restitution : 0);
    else settle_raise_restitution(s);
    s->setting.step = 1;
    MrcStatus status = grains_create(&s->definition, &s->setting, g, error);
    if (status == MRC_OK) (*g)->step = (*g)->method->settling.step(*g, s->moment);
    s->dragged = 0;
    return status;
}

// Orientations in the store as columns of the bed.
static void settle_take_turns(Settling *s) {
    const GrainStore *t = s->store;
    for (int k = 0; k < 3 && s->turns.count > 0; k++)
        s->bed.columns[BED_TX + k] = s->turns.data + (size_t)k * t->count;
    for (size_t i = 0; i < t->count && s->turns.count > 0; i++) {
        Vec3 turn = quaternion_to_rotation_vector((Quaternion){t->qw[i], t->qx[i], t->qy[i], t->qz[i]});
        s->turns.data[i] = turn.x, s->turns.data[t->count + i] = turn.y,
        s->turns.data[2 * t->count + i] = turn.z;
    }
}

// The places go back to the store; velocities are forgotten.
static void settle_stage_end(Settling *s, Grains *g) {
    const GrainStore *v = grains_view(g);
    memcpy(s->store->x, v->x, v->count * sizeof *v->x);
    memcpy(s->store->y, v->y, v->count * sizeof *v->y);
    memcpy(s->store->z, v->z, v->count * sizeof *v->z);
    if (s->turns.count > 0) {
        double *const to[] = {s->store->qw, s->store->qx, s->store->qy, s->store->qz};
        const double *const from[] = {v->qw, v->qx, v->qy, v->qz};
        for (int k = 0; k < 4; k++) memcpy(to[k], from[k], v->count * sizeof(double));
        settle_take_turns(s);
    }
    grains_destroy(g);
}

// Of the settled bed, over the radius. Contacts may have been sized for more; their bed has then at least that at rest.
static double settle_allowed_overlap(const Settling *s) {
    const ContactDefinition *contact = &s->room->definition->contact;
    return fmax(settle_most_overlap, contact->source == STIFFNESS_SIZED ? contact->sizing.overlap : 0);
}

// Too much of it, over the smallest radius, is an error. `rests`: the bed is settled, not growing.
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
    // The first fall may be long: with the full drag it would take too much time.
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
// friction it slides out: for a moment, in which the bed as a whole hardly falls (800 grains in a tube of five diameters:
// by 1 to 2 % of its height).
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

static MrcStatus settle_press_and_rest(Settling *s, double soft, double own, MrcError *error) {
    int loosened = 0;
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
            k /= 10; // this stage once more
        }
        if (status != MRC_OK || last) return status;
    }
}

// ---- from beginning to end -----------------------------------------------------------------------
// As soft as overlaps at rest, and of the heaviest grain that falls on the smallest, allow.
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

// What the bed depends on after its fall, which knows nothing of its own law but friction. Beds whose stiffness follows from
// the motion, as it does from point to point of a study, share it: half of the time that settling takes. NULL: it is
// not kept.
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

// Down to where the grains lie on springs of this stiffness.
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

// `placed`: grains lie already, where something was dug out; they only come to rest.
static MrcStatus settle_all_stages(Settling *s, bool placed, MrcError *error) {
    bool rigid = grains_are_rigid(s->room->definition);
    double soft = settle_soft_stiffness(s), own = rigid ? settle_rigid_press * soft : settle_own_stiffness(s);
    bool springs = s->turns.count == 0 || !rigid;
    if (springs && s->turns.count > 0) soft *= 4; // a corner has a quarter of the stiffness
    soft = springs ? fmin(soft, own) : own;
    MrcStatus status = placed ? MRC_OK : settle_down(s, springs ? soft : 0, error);
    s->earlier += s->time, s->time = 0; // a fall that was kept takes no time: rest has a limit of its own
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
                  .gravity = gravity};
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
        status = settle_all_stages(&s, placed, error);
    }
    settle_free(&s);
    return status;
}
