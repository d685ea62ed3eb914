// Sorting contacts into colours, kinds and batches: see nsgs.h.
#include <stdlib.h>

#include "contact/local.h"
#include "contact/nsgs.h"

// ---- what a contact moves ------------------------------------------------------------------------
static int32_t nsgs_sort_moved(const ContactProblem *p, int32_t body) {
    if (!contact_is_dynamic(p, body)) return -1;
    int32_t group = p->bodies.data[body].group;
    return group >= 0 ? (int32_t)p->bodies.count + group : body;
}

static void nsgs_sort_find_ends(Nsgs *nsgs, const ContactProblem *p) {
    size_t from, to;
    nsgs_share(nsgs, 0, p->contacts.count, &from, &to);
    for (size_t i = from; i < to; i++)
        nsgs->ends.data[i] =
            (NsgsEnds){nsgs_sort_moved(p, p->contacts.data[i].a), nsgs_sort_moved(p, p->contacts.data[i].b)};
}

void nsgs_find_ends(Nsgs *nsgs, const ContactProblem *p) {
    if (nsgs->parallel) {
#pragma omp parallel
        nsgs_sort_find_ends(nsgs, p);
    } else nsgs_sort_find_ends(nsgs, p);
}

void nsgs_find_degrees(Nsgs *nsgs, const ContactProblem *p) {
    if (p->groups.count == 0) return;
    memset(nsgs->degree.data, 0, p->groups.count * sizeof *nsgs->degree.data);
    for (size_t i = 0; i < p->contacts.count; i++)
        for (int side = 0; side < 2; side++) {
            int32_t body = side ? p->contacts.data[i].b : p->contacts.data[i].a;
            if (body >= 0 && p->bodies.data[body].group >= 0) nsgs->degree.data[p->bodies.data[body].group]++;
        }
}

// ---- spheres at shared groups --------------------------------------------------------------------
// A container is heavy when its response to WIDE_LANES contacts is less than this part of a grain's to its own.
static const double nsgs_sort_heavy = 1;
enum {
    nsgs_sort_open_batches = 4
}; // that are filled at the same time: grains in corners touch twice in a row

// What a container adds to the block of a contact: bounds along the normal, across it and of turning, and the mean
// diagonals.
typedef struct SharedAdds {
    double normal, tangent, mean;
    double turn, turn_mean; // of contacts with rolling friction
} SharedAdds;

static SharedAdds nsgs_sort_sliding_adds(const ContactProblem *p, const ContactPoint *c, bool flipped) {
    Mat3 block = flipped ? local_answer(p, c->b, c->arm_b) : local_answer(p, c->a, c->arm_a);
    Vec3 column = mat3_apply(block, c->normal);
    double normal = vec3_dot(column, c->normal), trace = mat3_trace(block);
    double couple = vec3_norm(vec3_madd(column, -normal, c->normal));
    return (SharedAdds){.normal = normal + couple, .tangent = trace - normal + couple, .mean = trace / 3};
}

static SharedAdds nsgs_sort_rolling_adds(const ContactProblem *p, const ContactPoint *c, bool flipped) {
    ContactPoint own = *c; // of the container alone
    if (flipped) own.a = -1;
    else own.b = -1;
    double block[6][6];
    bool exact;
    local_block(p, &own, block);
    ConeWeights w =
        nsgs_general_bound((const double(*)[6])block, c->normal, local_scale(p, c).length, true, &exact);
    return (SharedAdds){.normal = w.normal,
                        .tangent = w.disc[CONE_TANGENT],
                        .mean = (block[0][0] + block[1][1] + block[2][2]) / 3,
                        .turn = fmax(w.disc[CONE_ROLL], w.disc[CONE_SPIN]),
                        .turn_mean = (block[3][3] + block[4][4] + block[5][5]) / 3};
}

// Is it an isotropic body at the body of a group that is heavy beside it?
static bool nsgs_sort_can_share(const ContactProblem *p, const ContactPoint *c, uint8_t along,
                                SharedAdds *adds) {
    if (c->a < 0 || c->b < 0) return false;
    const ContactBody *a = &p->bodies.data[c->a], *b = &p->bodies.data[c->b];
    if ((a->group >= 0) == (b->group >= 0)) return false;
    bool flipped = b->group >= 0;
    const ContactBody *sphere = flipped ? a : b;
    if (sphere->tensor > 0) return false;
    if (!(along & (flipped ? 1 : 2))) return false;
    *adds = contact_turns(c) ? nsgs_sort_rolling_adds(p, c, flipped) : nsgs_sort_sliding_adds(p, c, flipped);
    return WIDE_LANES * fmax(adds->normal, adds->tangent) <= nsgs_sort_heavy * sphere->inverse_mass &&
           WIDE_LANES * adds->turn <= nsgs_sort_heavy * sphere->inverse_inertia;
}

static bool nsgs_sort_begin_shared(Nsgs *nsgs, int32_t body, bool turns) {
    size_t turnings = nsgs->shared_turnings.count;
    if (!array_resize(&nsgs->shared, nsgs->shared.count + 1)) return false;
    if (turns && !array_resize(&nsgs->shared_turnings, turnings + 1)) return false;
    NsgsShared *s = &nsgs->shared.data[nsgs->shared.count - 1];
    s->batch.count = 0;
    s->body = body;
    s->turning = turns ? (int32_t)turnings : -1;
    return true;
}

// Puts a contact into a batch of its own container in which its sphere is not yet; open[k] is 1 + an
// unfinished batch, or 0.
static bool nsgs_sort_put_shared(Nsgs *nsgs, const ContactProblem *p, int32_t index, const SharedAdds *adds,
                                 size_t *open) {
    const ContactPoint *c = &p->contacts.data[index];
    bool flipped = p->bodies.data[c->b].group >= 0, turns = contact_turns(c);
    int32_t body = flipped ? c->b : c->a, sphere = flipped ? c->a : c->b;
    int slot = -1;
    for (int k = 0; k < nsgs_sort_open_batches && slot < 0; k++) {
        if (open[k] == 0) continue;
        const NsgsShared *s = &nsgs->shared.data[open[k] - 1];
        bool fits = s->body == body && (s->turning >= 0) == turns;
        for (int lane = 0; lane < s->batch.count && fits; lane++) fits = s->batch.b[lane] != sphere;
        if (fits) slot = k;
    }
    if (slot < 0) { // a new one, in place of the oldest
        if (!nsgs_sort_begin_shared(nsgs, body, turns)) return false;
        memmove(open + 1, open, (nsgs_sort_open_batches - 1) * sizeof *open);
        slot = 0;
        open[0] = nsgs->shared.count;
    }
    NsgsShared *s = &nsgs->shared.data[open[slot] - 1];
    int lane = s->batch.count++;
    s->batch.b[lane] = sphere;
    s->batch.contact[lane] = flipped ? ~index : index;
    nsgs_set_lane(&s->batch.wn, lane, WIDE_LANES * adds->normal); // until the lane is filled
    nsgs_set_lane(&s->batch.wt, lane, WIDE_LANES * adds->tangent);
    nsgs_set_lane(&s->batch.w, lane, adds->mean);
    if (turns) {
        NsgsTurning *turning = &nsgs->shared_turnings.data[s->turning];
        nsgs_set_lane(&turning->roll, lane, WIDE_LANES * adds->turn);
        nsgs_set_lane(&turning->length, lane, adds->turn_mean);
    }
    if (s->batch.count == WIDE_LANES) open[slot] = 0;
    return true;
}

// ---- colours, kinds and places -------------------------------------------------------------------
// a and b: what it moves.
static NsgsKind nsgs_sort_kind_of(const ContactProblem *p, const ContactPoint *c, uint8_t along, int32_t a,
                                  int32_t b) {
    const int32_t bodies = (int32_t)p->bodies.count;
    if (a >= bodies || b >= bodies) return NSGS_GENERAL;
    bool pair = a >= 0 && b >= 0, spheres = (a < 0 || along & 1) && (b < 0 || along & 2) &&
                                            (a < 0 || p->bodies.data[a].tensor == 0) &&
                                            (b < 0 || p->bodies.data[b].tensor == 0);
    bool turns_only = (a >= 0 && !(p->bodies.data[a].inverse_mass > 0)) ||
                      (b >= 0 && !(p->bodies.data[b].inverse_mass > 0));
    if (turns_only && (!spheres || contact_turns(c))) return NSGS_GENERAL; // its block may be zero
    if (contact_turns(c)) return !spheres ? NSGS_GENERAL : pair ? NSGS_ROLLING : NSGS_ROLLING_WALL;
    return spheres ? (pair ? NSGS_PAIR : NSGS_WALL) : (pair ? NSGS_RIGID : NSGS_RIGID_WALL);
}

// The layer of a contact that moves a and b: the first of theirs, if the other is it or the next one; else
// -1.
static int nsgs_sort_layer_of(const Nsgs *nsgs, int32_t a, int32_t b) {
    if (nsgs->layer_count == 1) return 0;
    const int32_t *layers = nsgs->layer_of.data;
    int at_a = layers[a >= 0 ? a : b], at_b = layers[b >= 0 ? b : a];
    return abs(at_a - at_b) > 1 ? -1 : at_a < at_b ? at_a : at_b;
}

// The first colour that is free, and the next place of its kind.
static MrcStatus nsgs_sort_find_places(Nsgs *nsgs, const ContactProblem *p, size_t from, MrcError *error) {
    size_t unfilled[nsgs_sort_open_batches] = {0};
    for (size_t k = from; k < nsgs->awake.count && !nsgs_stops(k); k++) {
        int32_t i = nsgs->awake.data[k];
        NsgsPlace *at = &nsgs->places.data[i];
        const ContactPoint *c = &p->contacts.data[i];
        int32_t a = nsgs->ends.data[i].a, b = nsgs->ends.data[i].b;
        at->kind = NSGS_IGNORED;
        if (a < 0 && b < 0) continue;
        NsgsKind kind = nsgs_sort_kind_of(p, c, at->along, a, b);
        bool wall = kind == NSGS_WALL || kind == NSGS_RIGID_WALL || kind == NSGS_ROLLING_WALL;
        uint64_t *taken = wall ? nsgs->wall_used.data : nsgs->used.data;
        uint64_t used = (a >= 0 ? taken[a] : 0) | (b >= 0 ? taken[b] : 0);
        int layer = nsgs_sort_layer_of(nsgs, a, b);
        bool in_order = used == UINT64_MAX || layer < 0 || (a >= 0 && nsgs_is_shared(nsgs, p, a)) ||
                        (b >= 0 && nsgs_is_shared(nsgs, p, b));
        SharedAdds adds = {0};
        if (in_order) {
            if (a >= 0) nsgs->used.data[a] |= 1;
            if (b >= 0) nsgs->used.data[b] |= 1;
            at->set = (uint16_t)(nsgs->layer_count * NSGS_COLOURS);
            at->kind = nsgs_sort_can_share(p, c, at->along, &adds) ? NSGS_SHARED : NSGS_GENERAL;
        } else {
            int colour = __builtin_ctzll(~used);
            at->set = (uint16_t)(layer * NSGS_COLOURS + colour);
            at->kind = (uint8_t)kind;
            if (a >= 0) taken[a] |= UINT64_C(1) << colour;
            if (b >= 0) taken[b] |= UINT64_C(1) << colour;
            if (colour >= nsgs->colour_count) nsgs->colour_count = colour + 1;
        }
        if (at->kind != NSGS_SHARED) at->place = (int32_t)nsgs->counts.data[at->set].of[at->kind]++;
        else if (!nsgs_sort_put_shared(nsgs, p, i, &adds, unfilled))
            return error_memory(error, "the contacts");
    }
    return MRC_OK;
}

// Batches for all of them.
static MrcStatus nsgs_sort_allocate(Nsgs *nsgs, MrcError *error) {
    NsgsSet at = {0};
    for (size_t set = 0; set < nsgs->counts.count; set++) {
        const size_t *counts = nsgs->counts.data[set].of;
        nsgs->sets.data[set] = at;
        at.pairs += (counts[NSGS_PAIR] + WIDE_LANES - 1) / WIDE_LANES;
        at.walls += (counts[NSGS_WALL] + WIDE_LANES - 1) / WIDE_LANES;
        at.rigids += (counts[NSGS_RIGID] + WIDE_LANES - 1) / WIDE_LANES;
        at.rigid_walls += (counts[NSGS_RIGID_WALL] + WIDE_LANES - 1) / WIDE_LANES;
        at.rollings += (counts[NSGS_ROLLING] + WIDE_LANES - 1) / WIDE_LANES;
        at.rolling_walls += (counts[NSGS_ROLLING_WALL] + WIDE_LANES - 1) / WIDE_LANES;
        at.generals += counts[NSGS_GENERAL];
    }
    nsgs->sets.data[nsgs->counts.count] = at;
    bool blocks = !(nsgs->dilation < INFINITY), rigid = at.rigids + at.rigid_walls > 0;
    if (!array_resize(&nsgs->blocks, blocks ? at.rigids : 0) ||
        !array_resize(&nsgs->wall_blocks, blocks ? at.rigid_walls : 0) ||
        !array_resize(&nsgs->inertia, rigid ? nsgs->lines.count : 0))
        return error_memory(error, "the contacts");
    if (!array_resize(&nsgs->pairs, at.pairs) || !array_resize(&nsgs->walls, at.walls) ||
        !array_resize(&nsgs->rigids, at.rigids) || !array_resize(&nsgs->rigid_walls, at.rigid_walls) ||
        !array_resize(&nsgs->rollings, at.rollings) ||
        !array_resize(&nsgs->rolling_walls, at.rolling_walls) || !array_resize(&nsgs->generals, at.generals))
        return error_memory(error, "the contacts");
    return MRC_OK;
}

// Writes the number of a contact into its lane; lane 0 also the number of lanes in use.
static void nsgs_sort_name_lane(NsgsBatch *batch, size_t place, size_t all, int32_t name) {
    size_t lane = place % WIDE_LANES, left = all - place;
    batch->contact[lane] = name;
    if (lane == 0) batch->count = left < WIDE_LANES ? (int32_t)left : WIDE_LANES;
}

// Contacts with walls are stored with b as the body that moves.
static void nsgs_sort_put(Nsgs *nsgs, const ContactProblem *p, int32_t i) {
    const NsgsPlace *at = &nsgs->places.data[i];
    if (at->kind >= NSGS_SORTED) return;
    const NsgsSet *first = &nsgs->sets.data[at->set];
    size_t place = (size_t)at->place, batch = place / WIDE_LANES,
           all = nsgs->counts.data[at->set].of[at->kind];
    int32_t wall = contact_is_dynamic(p, p->contacts.data[i].b) ? i : ~i;
    if (at->kind == NSGS_PAIR) nsgs_sort_name_lane(&nsgs->pairs.data[first->pairs + batch], place, all, i);
    else if (at->kind == NSGS_WALL)
        nsgs_sort_name_lane(&nsgs->walls.data[first->walls + batch], place, all, wall);
    else if (at->kind == NSGS_RIGID)
        nsgs_sort_name_lane(&nsgs->rigids.data[first->rigids + batch].batch, place, all, i);
    else if (at->kind == NSGS_RIGID_WALL)
        nsgs_sort_name_lane(&nsgs->rigid_walls.data[first->rigid_walls + batch].batch, place, all, wall);
    else if (at->kind == NSGS_ROLLING)
        nsgs_sort_name_lane(&nsgs->rollings.data[first->rollings + batch].batch, place, all, i);
    else if (at->kind == NSGS_ROLLING_WALL)
        nsgs_sort_name_lane(&nsgs->rolling_walls.data[first->rolling_walls + batch].batch, place, all, wall);
    else nsgs->generals.data[first->generals + place].contact = i;
}

void nsgs_put_share(Nsgs *nsgs, const ContactProblem *p) {
    size_t from, to;
    nsgs_share(nsgs, 0, nsgs->awake.count, &from, &to);
    for (size_t k = from; k < to && !nsgs_stops(k); k++) nsgs_sort_put(nsgs, p, nsgs->awake.data[k]);
}

// Most bodies of a falling bed have no contact that is awake: sweeps pass them over. (A node that is moved has colours.)
void nsgs_list_moved(Nsgs *nsgs) {
    size_t from, to;
    nsgs_share(nsgs, 0, (size_t)nsgs->layer_count, &from, &to);
    for (size_t layer = from; layer < to; layer++) {
        size_t first = layer > 0 ? nsgs->layer_end[layer - 1] : 0, count = first;
        for (size_t k = first; k < nsgs->layer_end[layer]; k++) {
            int32_t node = nsgs->order.data[k];
            nsgs->moved.data[count] = (int32_t)k * BODY_LINE;
            count += (nsgs->used.data[node] | nsgs->wall_used.data[node]) != 0;
        }
        nsgs->moved_count[layer] = count - first;
    }
}

static MrcStatus nsgs_sort_all(Nsgs *nsgs, const ContactProblem *p, MrcError *error) {
    size_t nodes = p->bodies.count + p->groups.count;
    size_t sets = (size_t)nsgs->layer_count * NSGS_COLOURS + 1;
    if (!array_resize(&nsgs->counts, sets) || !array_resize(&nsgs->sets, sets + 1) ||
        !array_resize(&nsgs->sums, (size_t)nsgs->layer_count + 1))
        return error_memory(error, "the contacts");
    if (nodes) memset(nsgs->used.data, 0, nodes * sizeof *nsgs->used.data);
    if (nodes) memset(nsgs->wall_used.data, 0, nodes * sizeof *nsgs->wall_used.data);
    for (size_t k = 0; k < p->group_bodies.count; k++) nsgs->used.data[p->group_bodies.data[k]] = 1;
    memset(nsgs->counts.data, 0, sets * sizeof *nsgs->counts.data);
    nsgs->shared.count = nsgs->shared_turnings.count = 0;
    nsgs->colour_count = 0;
    return nsgs_sort_find_places(nsgs, p, 0, error);
}

// Batches at shared groups are made whole: with these, all are sorted again.
MrcStatus nsgs_sort(Nsgs *nsgs, const ContactProblem *p, size_t from, MrcError *error) {
    bool more = from > 0 && nsgs->shared.count == 0 && p->groups.count == 0;
    MrcStatus status = more ? nsgs_sort_find_places(nsgs, p, from, error) : nsgs_sort_all(nsgs, p, error);
    if (status == MRC_OK && watch_stopped()) return nsgs_stopped(p, error); // some have no place
    return status == MRC_OK ? nsgs_sort_allocate(nsgs, error) : status;
}
