// Sorting contacts into colours and batches, and the sweep over them: see nsgs.h.
#include "contact/nsgs.h"

#include <float.h>

#include "base/threads.h"
#include "contact/local.h"

void nsgs_free(Nsgs *nsgs) {
    array_free(&nsgs->lines);
    array_free(&nsgs->used);
    array_free(&nsgs->degree);
    array_free(&nsgs->colour);
    array_free(&nsgs->kind);
    array_free(&nsgs->place);
    array_free(&nsgs->pairs);
    array_free(&nsgs->walls);
    array_free(&nsgs->generals);
    array_free(&nsgs->shared);
}

// ---- colours -------------------------------------------------------------------------------------
// What a contact moves at one of its ends: a body, or bodies + group; -1: nothing.
static int32_t moved(const ContactProblem *p, int32_t body) {
    if (!contact_is_dynamic(p, body)) return -1;
    int32_t group = p->bodies.data[body].group;
    return group >= 0 ? (int32_t)p->bodies.count + group : body;
}

static bool is_shared(const Nsgs *nsgs, const ContactProblem *p, int32_t node) {
    return node >= (int32_t)p->bodies.count &&
           nsgs->degree.data[(size_t)node - p->bodies.count] >= NSGS_SHARED;
}

static void find_degrees(Nsgs *nsgs, const ContactProblem *p) {
    if (p->groups.count == 0) return;
    memset(nsgs->degree.data, 0, p->groups.count * sizeof *nsgs->degree.data);
    for (size_t i = 0; i < p->contacts.count; i++)
        for (int side = 0; side < 2; side++) {
            int32_t body = side ? p->contacts.data[i].b : p->contacts.data[i].a;
            if (body >= 0 && p->bodies.data[body].group >= 0) nsgs->degree.data[p->bodies.data[body].group]++;
        }
}

static void find_colours(Nsgs *nsgs, const ContactProblem *p) {
    if (nsgs->used.count) memset(nsgs->used.data, 0, nsgs->used.count * sizeof *nsgs->used.data);
    find_degrees(nsgs, p);
    nsgs->colour_count = 0;
    nsgs->ignored = 0;
    for (size_t i = 0; i < p->contacts.count; i++) {
        int32_t a = moved(p, p->contacts.data[i].a), b = moved(p, p->contacts.data[i].b);
        if (a < 0 && b < 0) {
            nsgs->colour.data[i] = -1;
            nsgs->ignored++;
            continue;
        }
        uint32_t used = (a >= 0 ? nsgs->used.data[a] : 0) | (b >= 0 ? nsgs->used.data[b] : 0);
        int colour = used == UINT32_MAX ? NSGS_COLOURS : __builtin_ctz(~used);
        if ((a >= 0 && is_shared(nsgs, p, a)) || (b >= 0 && is_shared(nsgs, p, b))) colour = NSGS_COLOURS;
        nsgs->colour.data[i] = colour;
        if (colour == NSGS_COLOURS) continue;
        if (a >= 0) nsgs->used.data[a] |= UINT32_C(1) << colour;
        if (b >= 0) nsgs->used.data[b] |= UINT32_C(1) << colour;
        if (colour >= nsgs->colour_count) nsgs->colour_count = colour + 1;
    }
}

// ---- batches -------------------------------------------------------------------------------------
typedef enum Kind { KIND_PAIR, KIND_WALL, KIND_GENERAL, KIND_SHARED } Kind;

static bool along(Vec3 arm, Vec3 n) { return vec3_norm2(vec3_cross(arm, n)) <= 1e-24 * vec3_norm2(arm); }

static bool is_sphere(const ContactProblem *p, int32_t body, Vec3 arm, Vec3 n) {
    return body >= 0 && p->bodies.data[body].group < 0 && along(arm, n);
}

static Kind kind_of(const ContactProblem *p, const ContactPoint *c) {
    bool a = contact_is_dynamic(p, c->a), b = contact_is_dynamic(p, c->b);
    if (contact_turns(c) || (a && !is_sphere(p, c->a, c->arm_a, c->normal)) ||
        (b && !is_sphere(p, c->b, c->arm_b, c->normal)))
        return KIND_GENERAL;
    return a && b ? KIND_PAIR : KIND_WALL;
}

static inline void set_lane(Wide *w, int lane, double x) { ((double *)w)[lane] = x; }
static inline double lane_of(const Wide *w, int lane) { return ((const double *)w)[lane]; }

// A lane of a batch in which b is a sphere. What a adds to the block: along the normal, across it, on the
// mean.
static void set_sphere(NsgsBatch *batch, int lane, const ContactProblem *p, const ContactPoint *c,
                       Vec3 impulse, double along, double across, double mean) {
    const ContactBody *b = &p->bodies.data[c->b];
    double lever = -vec3_dot(c->arm_b, c->normal), turn = b->inverse_inertia * lever * lever;
    for (int k = 0; k < 3; k++) {
        set_lane(&batch->normal[k], lane, (&c->normal.x)[k]);
        set_lane(&batch->bias[k], lane, (&c->bias.x)[k]);
        set_lane(&batch->impulse[k], lane, (&impulse.x)[k]);
    }
    set_lane(&batch->lever_b, lane, lever);
    set_lane(&batch->friction, lane, c->friction);
    set_lane(&batch->wn, lane, along + b->inverse_mass);
    set_lane(&batch->wt, lane, across + b->inverse_mass + turn);
    set_lane(&batch->w, lane, mean + b->inverse_mass + turn * (2.0 / 3));
    batch->a[lane] = c->a;
    batch->b[lane] = c->b;
}

static ContactPoint turned_round(const ContactPoint *c) {
    return (ContactPoint){.a = c->b,
                          .b = c->a,
                          .normal = vec3_neg(c->normal),
                          .arm_a = c->arm_b,
                          .arm_b = c->arm_a,
                          .bias = vec3_neg(c->bias),
                          .friction = c->friction};
}

static void fill_lane(NsgsBatch *batch, int lane, const ContactProblem *p, int32_t index,
                      const ContactImpulse *impulse) {
    ContactPoint c = p->contacts.data[index];
    bool flipped = !contact_is_dynamic(p, c.b); // let b be the one that moves
    if (flipped) c = turned_round(&c);
    double lever = 0, along = 0, turn = 0;
    if (contact_is_dynamic(p, c.a)) {
        const ContactBody *a = &p->bodies.data[c.a];
        lever = vec3_dot(c.arm_a, c.normal);
        along = a->inverse_mass;
        turn = a->inverse_inertia * lever * lever;
    } else if (c.a >= 0) { // its velocity is data
        Twist v = p->free_velocity.data[c.a];
        c.bias = vec3_sub(c.bias, vec3_add(v.linear, vec3_cross(v.angular, c.arm_a)));
    }
    set_sphere(batch, lane, p, &c, flipped ? vec3_neg(impulse->linear) : impulse->linear, along, along + turn,
               along + turn * (2.0 / 3));
    set_lane(&batch->lever_a, lane, lever);
    batch->contact[lane] = flipped ? ~index : index;
}

// Lanes beyond the last repeat the first one, of which nothing is written. Then what follows from the rest.
static void fill_up(NsgsBatch *batch) {
    Wide *wides = &batch->normal[0];
    for (int lane = batch->count; lane < WIDE_LANES; lane++) {
        for (size_t k = 0; k < offsetof(NsgsBatch, a) / sizeof(Wide); k++)
            set_lane(&wides[k], lane, lane_of(&wides[k], 0));
        batch->a[lane] = batch->a[0];
        batch->b[lane] = batch->b[0];
    }
    const Wide one = wide_set(1), tiny = wide_set(DBL_MIN);
    batch->inverse_wn = one / wide_max(batch->wn, tiny);
    batch->inverse_wt = one / batch->wt;
    batch->inverse_slip = one / wide_fma(batch->friction * batch->friction, batch->wt, batch->wn);
}

void nsgs_set_velocity(Nsgs *nsgs, const ContactProblem *p, const Twist *velocity) {
    for (size_t i = 0; i < p->bodies.count; i++) {
        double *line = nsgs->lines.data + i * LINE;
        memcpy(line, &velocity[i].linear, sizeof(Vec3));
        memcpy(line + LINE_ANGULAR, &velocity[i].angular, sizeof(Vec3));
        line[LINE_INVERSE_MASS] = p->bodies.data[i].inverse_mass;
        line[LINE_INVERSE_INERTIA] = p->bodies.data[i].inverse_inertia;
    }
}

// ---- spheres at shared groups --------------------------------------------------------------------
static const double heavy =
    1; // a container whose answer to WIDE_LANES contacts is less than this part of one grain's
enum { open_batches = 4 }; // that are filled at the same time: grains in corners touch twice in a row

// Is it a sphere at a group's body? And what does that body add to the block: bounds along the normal and
// across it, and the mean diagonal.
static bool can_share(const ContactProblem *p, const ContactPoint *c, double add[3]) {
    if (contact_turns(c) || c->a < 0 || c->b < 0) return false;
    const ContactBody *a = &p->bodies.data[c->a], *b = &p->bodies.data[c->b];
    if ((a->group >= 0) == (b->group >= 0)) return false;
    bool flipped = b->group >= 0;
    if (!along(flipped ? c->arm_a : c->arm_b, c->normal)) return false;
    Mat3 block = flipped ? local_answer(p, c->b, c->arm_b) : local_answer(p, c->a, c->arm_a);
    Vec3 column = mat3_apply(block, c->normal);
    double normal = vec3_dot(column, c->normal), trace = mat3_trace(block);
    double couple = vec3_norm(vec3_madd(column, -normal, c->normal));
    add[0] = normal + couple, add[1] = trace - normal + couple, add[2] = trace / 3;
    return WIDE_LANES * fmax(add[0], add[1]) <= heavy * (flipped ? a : b)->inverse_mass;
}

// The place of a contact: its batch and lane, in place.data; open[k] is 1 + an unfinished batch, or 0.
static bool put_shared(Nsgs *nsgs, const ContactProblem *p, int32_t index, const double add[3],
                       size_t *open) {
    const ContactPoint *c = &p->contacts.data[index];
    bool flipped = p->bodies.data[c->b].group >= 0;
    int32_t body = flipped ? c->b : c->a, sphere = flipped ? c->a : c->b;
    int slot = -1;
    for (int k = 0; k < open_batches && slot < 0; k++) {
        if (open[k] == 0) continue;
        const NsgsShared *s = &nsgs->shared.data[open[k] - 1];
        bool fits = s->body == body;
        for (int lane = 0; lane < s->batch.count && fits; lane++) fits = s->batch.b[lane] != sphere;
        if (fits) slot = k;
    }
    if (slot < 0) { // a new one, in place of the oldest
        if (!array_resize(&nsgs->shared, nsgs->shared.count + 1)) return false;
        memmove(open + 1, open, (open_batches - 1) * sizeof *open);
        slot = 0;
        open[0] = nsgs->shared.count;
        NsgsShared *s = &nsgs->shared.data[open[0] - 1];
        s->batch.count = 0;
        s->body = body;
    }
    NsgsShared *s = &nsgs->shared.data[open[slot] - 1];
    s->batch.b[s->batch.count] = sphere;
    set_lane(&s->batch.wn, s->batch.count, WIDE_LANES * add[0]); // kept until the lane is filled
    set_lane(&s->batch.wt, s->batch.count, WIDE_LANES * add[1]);
    set_lane(&s->batch.w, s->batch.count, add[2]);
    nsgs->place.data[index] = (int32_t)(open[slot] - 1) * WIDE_LANES + s->batch.count++;
    if (s->batch.count == WIDE_LANES) open[slot] = 0;
    return true;
}

// Lane `lane` of a batch: as a sphere at a wall, then with the container's share of the block added.
static void fill_shared(NsgsShared *s, int lane, const ContactProblem *p, int32_t index,
                        const ContactImpulse *impulse) {
    ContactPoint c = p->contacts.data[index];
    bool flipped = p->bodies.data[c.b].group >= 0;
    if (flipped) c = turned_round(&c);
    NsgsBatch *batch = &s->batch;
    set_sphere(batch, lane, p, &c, flipped ? vec3_neg(impulse->linear) : impulse->linear,
               lane_of(&batch->wn, lane), lane_of(&batch->wt, lane), lane_of(&batch->w, lane));
    set_lane(&batch->lever_a, lane, 0);
    s->batch.contact[lane] = flipped ? ~index : index;
    for (int k = 0; k < 3; k++) set_lane(&s->arm[k], lane, (&c.arm_a.x)[k]);
}

// Where each contact goes: a place counts lanes of the batches of its kind, or general contacts.
static MrcStatus find_places(Nsgs *nsgs, const ContactProblem *p, MrcError *error) {
    size_t counts[NSGS_COLOURS + 1][3] = {{0}}, open[open_batches] = {0};
    nsgs->shared.count = 0;
    for (size_t i = 0; i < p->contacts.count; i++) {
        int32_t colour = nsgs->colour.data[i];
        if (colour < 0) continue;
        Kind kind = kind_of(p, &p->contacts.data[i]);
        if (colour == NSGS_COLOURS) kind = KIND_GENERAL; // one by one
        double add[3];
        if (colour == NSGS_COLOURS && can_share(p, &p->contacts.data[i], add)) kind = KIND_SHARED;
        nsgs->kind.data[i] = (int32_t)kind;
        if (kind == KIND_SHARED) {
            if (!put_shared(nsgs, p, (int32_t)i, add, open)) return error_memory(error, "the contacts");
            continue;
        }
        nsgs->place.data[i] = (int32_t)counts[colour][kind]++;
    }
    NsgsColour at = {0, 0, 0};
    nsgs->colours[0] = at;
    for (int colour = 0; colour <= NSGS_COLOURS; colour++) {
        at.pairs += (counts[colour][KIND_PAIR] + WIDE_LANES - 1) / WIDE_LANES;
        at.walls += (counts[colour][KIND_WALL] + WIDE_LANES - 1) / WIDE_LANES;
        at.generals += counts[colour][KIND_GENERAL];
        nsgs->colours[colour + 1] = at;
    }
    if (!array_resize(&nsgs->pairs, at.pairs) || !array_resize(&nsgs->walls, at.walls) ||
        !array_resize(&nsgs->generals, at.generals))
        return error_memory(error, "the contacts");
    for (size_t i = 0; i < at.pairs; i++) nsgs->pairs.data[i].count = WIDE_LANES;
    for (size_t i = 0; i < at.walls; i++) nsgs->walls.data[i].count = WIDE_LANES;
    for (int colour = 0; colour <= NSGS_COLOURS; colour++) {
        const NsgsColour *next = &nsgs->colours[colour + 1];
        int pairs = (int)(counts[colour][KIND_PAIR] % WIDE_LANES),
            walls = (int)(counts[colour][KIND_WALL] % WIDE_LANES);
        if (pairs) nsgs->pairs.data[next->pairs - 1].count = pairs;
        if (walls) nsgs->walls.data[next->walls - 1].count = walls;
    }
    return MRC_OK;
}

static void put(Nsgs *nsgs, const ContactProblem *p, size_t i, const ContactImpulse *impulse) {
    int32_t colour = nsgs->colour.data[i];
    if (colour < 0) return;
    const NsgsColour *first = &nsgs->colours[colour];
    size_t place = (size_t)nsgs->place.data[i];
    if (nsgs->kind.data[i] == KIND_SHARED) {
        fill_shared(&nsgs->shared.data[place / WIDE_LANES], (int)(place % WIDE_LANES), p, (int32_t)i,
                    impulse);
        return;
    }
    if (nsgs->kind.data[i] == KIND_GENERAL) {
        nsgs_general_prepare(p, (int32_t)i, impulse, &nsgs->generals.data[first->generals + place]);
        return;
    }
    NsgsBatch *batches =
        nsgs->kind.data[i] == KIND_PAIR ? nsgs->pairs.data + first->pairs : nsgs->walls.data + first->walls;
    fill_lane(&batches[place / WIDE_LANES], (int)(place % WIDE_LANES), p, (int32_t)i, impulse);
}

MrcStatus nsgs_prepare(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses, bool parallel,
                       MrcError *error) {
    size_t bodies = p->bodies.count, count = p->contacts.count;
    if (!array_resize(&nsgs->lines, bodies * LINE) || !array_resize(&nsgs->used, bodies + p->groups.count) ||
        !array_resize(&nsgs->degree, p->groups.count) || !array_resize(&nsgs->colour, count) ||
        !array_resize(&nsgs->kind, count) || !array_resize(&nsgs->place, count))
        return error_memory(error, "the contacts");
    nsgs_set_velocity(nsgs, p, p->free_velocity.data);
    find_colours(nsgs, p);
    MrcStatus status = find_places(nsgs, p, error);
    if (status != MRC_OK) return status;
#pragma omp parallel for schedule(static) if (parallel)
    for (size_t i = 0; i < count; i++) put(nsgs, p, i, &impulses[i]);
    for (size_t i = 0; i < nsgs->pairs.count; i++) fill_up(&nsgs->pairs.data[i]);
    for (size_t i = 0; i < nsgs->walls.count; i++) fill_up(&nsgs->walls.data[i]);
    for (size_t i = 0; i < nsgs->shared.count; i++) {
        NsgsShared *s = &nsgs->shared.data[i];
        fill_up(&s->batch);
        for (int lane = 0; lane < WIDE_LANES; lane++) {
            set_lane(&s->active, lane, lane < s->batch.count ? 1 : 0);
            for (int k = 0; k < 3 && lane >= s->batch.count; k++)
                set_lane(&s->arm[k], lane, lane_of(&s->arm[k], 0));
        }
    }
    return MRC_OK;
}

static void batch_impulses(const NsgsBatch *batch, ContactImpulse *impulses) {
    for (int k = 0; k < batch->count; k++) {
        int32_t name = batch->contact[k];
        double sign = name < 0 ? -1 : 1;
        impulses[name < 0 ? ~name : name] =
            (ContactImpulse){{sign * lane_of(&batch->impulse[0], k), sign * lane_of(&batch->impulse[1], k),
                              sign * lane_of(&batch->impulse[2], k)},
                             {0, 0, 0}};
    }
}

void nsgs_impulses(const Nsgs *nsgs, ContactImpulse *impulses) {
    for (size_t i = 0; i < nsgs->pairs.count; i++) batch_impulses(&nsgs->pairs.data[i], impulses);
    for (size_t i = 0; i < nsgs->walls.count; i++) batch_impulses(&nsgs->walls.data[i], impulses);
    for (size_t i = 0; i < nsgs->shared.count; i++) batch_impulses(&nsgs->shared.data[i].batch, impulses);
    for (size_t i = 0; i < nsgs->generals.count; i++) {
        const NsgsGeneral *g = &nsgs->generals.data[i];
        impulses[g->contact] = (ContactImpulse){g->impulse.linear, g->impulse.angular};
    }
}

// ---- the sweep -----------------------------------------------------------------------------------
static inline double larger(double a, double b) { return a > b || a != a ? a : b; }

// A thread's share of [first, end): contiguous, of equal size.
static void share(size_t first, size_t end, size_t *from, size_t *to) {
    size_t team = (size_t)threads_in_team(), me = (size_t)threads_current(), count = end - first;
    *from = first + count * me / team;
    *to = first + count * (me + 1) / team;
}

static double sweep_colour(Nsgs *nsgs, const ContactProblem *p, int colour, bool coulomb) {
    const NsgsColour *first = &nsgs->colours[colour], *end = &nsgs->colours[colour + 1];
    double *lines = nsgs->lines.data, change = 0;
    size_t from, to;
    share(first->pairs, end->pairs, &from, &to);
    change = larger(change, nsgs_sweep_pairs(lines, nsgs->pairs.data, from, to, coulomb));
    share(first->walls, end->walls, &from, &to);
    change = larger(change, nsgs_sweep_walls(lines, nsgs->walls.data, from, to, coulomb));
    share(first->generals, end->generals, &from, &to);
    return larger(change, nsgs_sweep_generals(lines, p, nsgs->generals.data, from, to, coulomb));
}

double nsgs_sweep(Nsgs *nsgs, const ContactProblem *p, bool coulomb, bool parallel) {
    double change = 0;
    if (parallel) {
#pragma omp parallel
        {
            double mine = 0;
            for (int colour = 0; colour < nsgs->colour_count; colour++) {
                mine = larger(mine, sweep_colour(nsgs, p, colour, coulomb));
#pragma omp barrier
            }
#pragma omp critical(nsgs_change)
            change = larger(mine, change);
        }
    } else {
        for (int colour = 0; colour < nsgs->colour_count; colour++)
            change = larger(change, sweep_colour(nsgs, p, colour, coulomb));
    }
    const NsgsColour *first = &nsgs->colours[NSGS_COLOURS], *end = &nsgs->colours[NSGS_COLOURS + 1];
    change = larger(change, nsgs_sweep_generals(nsgs->lines.data, p, nsgs->generals.data, first->generals,
                                                end->generals, coulomb));
    change = larger(change,
                    nsgs_sweep_shared(nsgs->lines.data, p, nsgs->shared.data, nsgs->shared.count, coulomb));
    return sqrt(change);
}
