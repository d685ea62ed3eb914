// Penalty forces between grains that are not spheres, and walls. Two bodies touch at the points of their manifold
// (geometry/polyhedron.h), all of them: corners of one face over the other, crossings of edges. Point p has the depth s_p
// along the normal n, and the laws of the bed (law.h) with the stiffness k, of which it has the share
//
//     w_p = 1/4 / sum over q of K(p, q) min(1, s_q/s_p),     K = max(0, 1 - |x_p - x_q|/l),     l = r/5
//
// r being the smaller radius. So k is the stiffness of two bricks that lie on each other with four corners, an edge has half
// of it and a corner a quarter; points nearer than l to each other share it. This way
//
// - the force does not jump. As bodies move, a point comes and goes with s_p = 0, where its force and its effect on
//   others are zero; or two points become one (a corner passes the edge of the other face), where K = 1 and both
//   together have the share of the one.
// - the force is that of a potential, sum of w_p k s_p^2/2, as far as shares are constant: they are, but for points nearer
//   than l. (Sharing one k among all points by their depth would keep the stiffness the same for corner and face; but
//   then the work done on a brick that rocks depends on the way, because df_p/ds_q is not df_q/ds_p: with two points
//   E(s, s) = E(s, 0) would need f_q = 0 everywhere between. A face must be stiffer than a corner.) Shares that change as
//   points slide leave out tangential forces of f s/(2 l).
// - f acts on both bodies at one point: momentum and angular momentum are kept exactly. For a corner over a face it is the
//   whole gradient of the potential, the turning of the face included.
//
// Damping. Points with about the same normal are a group. Its pressure acts at
//
//     x_c = sum w_p s_p x_p / sum w_p s_p,     with the effective mass 1/m_c = 1/m_a + (r x n) . I_a^-1 (r x n) + ... there,
//     and the stiffness W k,   W = (sum w_p s_p)^2 / sum w_p s_p^2:   that of all points if they are as deep, of one alone
//
// A dashpot with the damping ratio of the law for m_c and W k, dealt out to the points as the stiffness is, gives
// c_p = 2 zeta w_p k sqrt(m_c/(W k)): the law's force with the mass m_c/W, times the share w_p. All forces of the linear law
// and of friction with it are proportional to stiffness and mass together, so they are computed with k and m_c/W, and
// multiplied by w_p. A flat face and a corner right below the centre rebound with the law's restitution.
//
// Round points: those of a sphere that is a part of a clump. Each has the whole stiffness, w_p = 1, whatever else
// touches: it is the contact of a sphere with its radius, at the same point (smooth_pairs.c, smooth_walls.c). The force
// of clumps of spheres is then that of the potential sum of k s_p^2/2 over all pairs of spheres that overlap, a
// continuous function of their places: it is conservative, and no point is ever left out. (The price: where many
// spheres bear at once, as of a bar of balls that lies flat, stiffnesses add up. Sharing one among those that happen to
// touch has no potential, as above, and sharing by their distance would make forces depend on how finely a body is cut
// into balls as well.) A sphere on parts with faces has w_p = 1 shared among its points on all of these parts, by K as
// above: a face stays one face however it is cut.
//
// Parts with faces have w_p = 1/4, shared as above among the points of all pairs of parts: where parts lie flush or overlap, both
// have the same points, and share what one had. So forces are continuous there, too, but for points whose normal is that of
// a seam, which are left out (geometry/shape_clump.c): a change of up to s/l of the force where a corner passes a seam.
//
// Memory is kept by the names of points. A point that is new takes the tangential spring of the nearest one of before, if
// that is nearer than l, and the work of those that are gone goes on with it: friction does not jump either when a corner
// becomes two crossings.
#include "grains/smooth_shapes.h"

#include <math.h>

static const double shapes_share = 0.25;    // of a point alone
static const double shapes_near = 0.2;      // l over the smaller radius
static const double shapes_same_side = 0.9; // cosine between normals of a group

// Points of two bodies, world axes.
typedef struct ShapeMeeting {
    int count;
    ShapeContact points[SHAPE_POINTS_MAX]; // that overlap
    int group[SHAPE_POINTS_MAX];           // of each: its first point
    int sharing[SHAPE_POINTS_MAX];         // points of a group with the same number share their stiffness
    double share[SHAPE_POINTS_MAX];        // first that of a point alone
    double mass[SHAPE_POINTS_MAX];         // m_c/W [kg]
    double radius[SHAPE_POINTS_MAX];       // for the laws: effective, of round points [m]
    double small[SHAPE_POINTS_MAX];        // the smaller radius [m]
    double springs[SHAPE_POINTS_MAX][3];   // tangential ones, before this step [m]
    double before[SHAPE_POINTS_MAX][4];    // tangential force and damping force of the last step [N]
    double near;                           // l [m]
    int32_t slot, i, other;                // grain, and grain or -1 - wall part
    Shape shape, other_shape;              // of the grains; the latter of pairs only
    Vec3 center, other_center;             // of the grains; of the wall's port [m]
} ShapeMeeting;

typedef struct ShapeLane { // of a point in the batch
    int32_t i, other;
    Vec3 arm, other_arm; // from the centres, or the wall's port [m]
    double share, small; // small: the smaller radius [m]
    double before[4];    // tangential force and damping force of the last step [N]
    size_t touch;        // its new record
} ShapeLane;

typedef struct ShapeBatch {
    ContactWork *work;
    ShapeRecords *records;
    Load *loads; // of walls; NULL: pairs
    ShapeLane lanes[BATCH];
} ShapeBatch;

// ---- parts ---------------------------------------------------------------------------------------
enum {
    SHARES_WITH_FACES = -1
}; // all points of two parts with faces; a round point shares with those of its sphere

// A number of its own for each sphere of the two grains: beyond those of points.
static int shapes_sphere_number(int64_t feature, bool of_a) {
    return of_a ? SHAPE_PARTS_END + shape_part_number_of_a(feature)
                : 2 * SHAPE_PARTS_END + shape_part_number_of_b(feature);
}

// A point of two spheres, or of a sphere and a wall, is where their own law has it (smooth_pairs.c, smooth_walls.c).
static void shapes_place_round(ShapeContact *point, double radius, double other) {
    double from_middle = other > 0 ? other / (radius + other) - 0.5 : -0.5;
    point->point = vec3_madd(point->point, from_middle * point->gap, point->normal);
}

static void shapes_look_at_parts(ShapeMeeting *m, int p) {
    ShapeContact *point = &m->points[p];
    bool pair = m->other >= 0;
    Shape a = shape_part_of_a(&m->shape, point->feature),
          b = pair ? shape_part_of_b(&m->other_shape, point->feature) : a;
    bool a_round = shape_is_round(&a), b_round = shape_is_round(&b);
    double small_a = a_round ? a.radius : shape_finest_radius(&m->shape),
           small_b = !pair     ? small_a
                     : b_round ? b.radius
                               : shape_finest_radius(&m->other_shape);
    bool round = a_round || b_round, on_face = pair && a_round != b_round;
    m->small[p] = m->radius[p] = fmin(small_a, small_b);
    m->share[p] = round ? 1 : shapes_share;
    m->sharing[p] = SHARES_WITH_FACES;
    if (!round) return;
    m->sharing[p] = on_face ? shapes_sphere_number(point->feature, a_round) : p;
    if (on_face) m->radius[p] = a_round ? a.radius : b.radius;
    else {
        if (pair) m->radius[p] = a.radius * b.radius / (a.radius + b.radius);
        shapes_place_round(point, a.radius, pair ? b.radius : 0);
    }
}

// ---- weights -------------------------------------------------------------------------------------
static void shapes_group(ShapeMeeting *m) {
    for (int p = 0; p < m->count; p++) {
        m->group[p] = p;
        for (int q = 0; q < p && m->group[p] == p; q++)
            if (m->group[q] == q && vec3_dot(m->points[p].normal, m->points[q].normal) > shapes_same_side)
                m->group[p] = q;
    }
}

static void shapes_find_shares(ShapeMeeting *m) {
    for (int p = 0; p < m->count; p++) {
        double sum = 1, depth = -m->points[p].gap;
        for (int q = 0; q < m->count; q++) {
            if (q == p || m->group[q] != m->group[p] || m->sharing[q] != m->sharing[p]) continue;
            double apart = vec3_norm(vec3_sub(m->points[p].point, m->points[q].point));
            if (apart < m->near) sum += (1 - apart / m->near) * fmin(1, -m->points[q].gap / depth);
        }
        m->share[p] /= sum;
    }
}

// 1/m + (r x n) . I^-1 (r x n)
static double shapes_inverse_mass(const Grains *g, size_t i, Vec3 arm, Vec3 n) {
    Vec3 turn = vec3_cross(arm, n);
    return grain_inverse_mass(g, i) + vec3_dot(turn, mat3_apply(smooth_shapes_inverse_inertia(g, i), turn));
}

static void shapes_find_masses(const Grains *g, ShapeMeeting *m) {
    for (int leader = 0; leader < m->count; leader++) {
        double pressure = 0, squares = 0;
        Vec3 center = vec3_zero(), normal = m->points[leader].normal;
        if (m->group[leader] != leader) continue;
        for (int p = leader; p < m->count; p++) {
            double depth = -m->points[p].gap;
            if (m->group[p] != leader) continue;
            pressure += m->share[p] * depth, squares += m->share[p] * depth * depth;
            center = vec3_madd(center, m->share[p] * depth, m->points[p].point);
        }
        center = vec3_scale(1 / pressure, center);
        double inverse = shapes_inverse_mass(g, (size_t)m->i, vec3_sub(center, m->center), normal);
        Vec3 arm = vec3_sub(center, m->other_center);
        if (m->other >= 0) inverse += shapes_inverse_mass(g, (size_t)m->other, arm, normal);
        else if (g->mobility) inverse += smooth_walls_inverse_mass(g, -1 - m->other, arm, normal);
        double mass = squares / (pressure * pressure * inverse);
        for (int p = leader; p < m->count; p++)
            if (m->group[p] == leader) m->mass[p] = mass;
    }
}

// ---- memory --------------------------------------------------------------------------------------
static double shapes_moved(const ShapeMeeting *m, int p, const ShapeTouch *touch) {
    Vec3 arm = {touch->arm[0], touch->arm[1], touch->arm[2]};
    return vec3_norm(vec3_sub(vec3_sub(m->points[p].point, m->center), arm));
}

static bool shapes_inherits(const ShapeMeeting *m, int p) { return m->sharing[p] != p; }

static const ShapeTouch *shapes_find_name(const ShapeTouch *old, int count, int64_t feature) {
    for (int t = 0; t < count; t++)
        if (old[t].feature == feature) return &old[t];
    return NULL;
}

static void shapes_take_forces(const ShapeTouch *touch, double before[4]) {
    for (int c = 0; c < 3; c++) before[c] += (double)touch->force[c];
    before[3] += (double)touch->damping;
}

// What the points remember: their springs, and the forces of the last step. Contacts of spheres are found by their
// names alone, as of grains that are spheres: the spring of another contact is not taken over.
static void shapes_recall(ShapeMeeting *m, const ShapeTouch *old, int count) {
    bool known[SHAPE_POINTS_MAX];
    for (int p = 0; p < m->count; p++) memset(m->before[p], 0, sizeof m->before[p]);
    for (int p = 0; p < m->count; p++) {
        const ShapeTouch *own = shapes_find_name(old, count, m->points[p].feature), *nearest = own;
        double least = m->near;
        known[p] = own != NULL;
        bool inherits = shapes_inherits(m, p);
        for (int t = 0; t < count && !own && inherits; t++) {
            double moved = shapes_moved(m, p, &old[t]);
            if (moved < least) least = moved, nearest = &old[t];
        }
        for (int c = 0; c < 3; c++) m->springs[p][c] = nearest ? nearest->u[c] : 0;
        if (own) shapes_take_forces(own, m->before[p]);
    }
    for (int t = 0; t < count; t++) {
        int heir = -1;
        double least = m->near;
        bool gone = true;
        for (int p = 0; p < m->count; p++) {
            gone = gone && m->points[p].feature != old[t].feature;
            double moved = known[p] || !shapes_inherits(m, p) ? INFINITY : shapes_moved(m, p, &old[t]);
            if (moved < least) least = moved, heir = p;
        }
        if (gone && heir >= 0) shapes_take_forces(&old[t], m->before[heir]);
    }
}

// ---- into the batch ------------------------------------------------------------------------------
static Vec3 shapes_point_velocity(const Grains *g, size_t i, Vec3 arm) {
    return vec3_add(grain_velocity(g, i), vec3_cross(grain_spin(g, i), arm));
}

static Vec3 shapes_wall_velocity(const ContactWork *work, int part, Vec3 lever, Vec3 normal) {
    const Motion *wall = &work->walls[part];
    Vec3 v = vec3_add(wall->velocity, vec3_cross(wall->angular_velocity, lever));
    if (!grains_wall_is_belt(work->grains->definition, part)) return v;
    Vec3 local = quaternion_unrotate(wall->orientation, normal);
    return vec3_add(v, quaternion_rotate(wall->orientation,
                                         grains_surface_velocity(work->grains->definition, part, local)));
}

static void shapes_fill_lane(ContactWork *work, const ShapeMeeting *m, int p, int k, ShapeLane *lane) {
    const Grains *g = work->grains;
    const double *u = m->springs[p];
    ContactBatch *b = &work->batch;
    const ShapeContact *point = &m->points[p];
    Vec3 n = point->normal;
    lane->i = m->i, lane->other = m->other, lane->share = m->share[p], lane->small = m->small[p];
    memcpy(lane->before, m->before[p], sizeof lane->before);
    lane->arm = vec3_sub(point->point, m->center);
    lane->other_arm = vec3_sub(point->point, m->other_center);
    Vec3 v = shapes_point_velocity(g, (size_t)m->i, lane->arm);
    int32_t material = g->store.material[m->i];
    if (m->other >= 0) {
        v = vec3_sub(v, shapes_point_velocity(g, (size_t)m->other, lane->other_arm));
        b->law[k] = material * g->material_count + g->store.material[m->other];
    } else {
        v = vec3_sub(v, shapes_wall_velocity(work, -1 - m->other, lane->other_arm, n));
        b->law[k] = (g->material_count - 1 - m->other) * g->material_count + material;
    }
    double along = vec3_dot(v, n);
    Vec3 slide = vec3_madd(v, -along, n);
    b->nx[k] = n.x, b->ny[k] = n.y, b->nz[k] = n.z;
    b->tx[k] = slide.x, b->ty[k] = slide.y, b->tz[k] = slide.z;
    b->ux[k] = u[0], b->uy[k] = u[1], b->uz[k] = u[2];
    b->overlap[k] = -point->gap, b->approach[k] = -along;
    b->mass[k] = m->mass[p], b->radius[k] = m->radius[p];
}

static bool shapes_record(ShapeBatch *s, const ShapeMeeting *m, int p, ShapeLane *lane) {
    const Grains *g = s->work->grains;
    ShapeTouches *now = &s->records->now;
    ShapeTouch touch = {.feature = m->points[p].feature,
                        .arm = {(float)lane->arm.x, (float)lane->arm.y, (float)lane->arm.z},
                        .slot = m->slot,
                        .a = g->store.id[m->i],
                        .b = m->other >= 0 ? g->store.id[m->other] : m->other};
    lane->touch = now->count;
    return array_push(now, touch);
}

// ---- out of the batch ----------------------------------------------------------------------------
static void shapes_add_force(Grains *g, size_t i, Vec3 force, Vec3 moment) {
    double *line = g->forces + i * GRAIN_LINE;
    line[0] += force.x, line[1] += force.y, line[2] += force.z;
    line[3] += moment.x, line[4] += moment.y, line[5] += moment.z;
}

static void shapes_push_wall(ShapeBatch *s, const ShapeLane *lane, Vec3 normal, Vec3 force, double friction,
                             double impact) {
    ContactWork *work = s->work;
    const Grains *g = work->grains;
    int part = -1 - lane->other;
    Load *load = &s->loads[part];
    load->force = vec3_sub(load->force, force);
    load->moment = vec3_sub(load->moment, vec3_cross(lane->other_arm, force));
    if (grains_wall_is_belt(g->definition, part)) {
        Quaternion turn = work->walls[part].orientation;
        Vec3 surface = grains_surface_velocity(g->definition, part, quaternion_unrotate(turn, normal));
        work->sums.belt_power += vec3_dot(force, quaternion_rotate(turn, surface));
    }
    if (work->measuring) return;
    work->wearing[part].friction += friction;
    work->wearing[part].impact += impact;
}

static void shapes_apply(ShapeBatch *s, int k) {
    ContactWork *work = s->work;
    Grains *g = work->grains;
    const ContactBatch *b = &work->batch;
    const ShapeLane *lane = &s->lanes[k];
    ContactSums *sums = &work->sums;
    double share = lane->share, damping = share * (b->normal[k] - b->spring[k]);
    Vec3 n = {b->nx[k], b->ny[k], b->nz[k]}, slide = {b->tx[k], b->ty[k], b->tz[k]}, rub = vec3_zero();
    if (g->laws.tangential) rub = vec3_scale(share, vec3(b->fx[k], b->fy[k], b->fz[k]));
    Vec3 force = vec3_madd(rub, share * b->normal[k], n);
    Vec3 rubbed = vec3_add(rub, vec3(lane->before[0], lane->before[1], lane->before[2]));
    double friction = -0.5 * vec3_dot(rubbed, slide), // of the mean force, as in smooth_pairs.c
        impact = 0.5 * (damping + lane->before[3]) * b->approach[k];
    shapes_add_force(g, (size_t)lane->i, force, vec3_cross(lane->arm, force));
    if (lane->other >= 0)
        shapes_add_force(g, (size_t)lane->other, vec3_neg(force), vec3_cross(force, lane->other_arm));
    else shapes_push_wall(s, lane, n, force, friction, impact);
    sums->friction_power += friction;
    sums->impact_power += impact;
    sums->overlap = fmax(sums->overlap, b->overlap[k]);
    if (b->overlap[k] > sums->overlap_ratio * lane->small) {
        sums->overlap_ratio = b->overlap[k] / lane->small;
        sums->overlap_i = lane->i, sums->overlap_other = lane->other;
    }
    if (work->measuring) {
        sums->elastic += share * b->energy[k];
        if (g->laws.tangential) sums->tangential_energy += share * b->tangential_energy[k];
        return;
    }
    ShapeTouch *touch = &s->records->now.data[lane->touch];
    touch->damping = (float)damping;
    if (!g->laws.tangential) return;
    touch->u[0] = b->ux[k], touch->u[1] = b->uy[k], touch->u[2] = b->uz[k];
    touch->force[0] = (float)rub.x, touch->force[1] = (float)rub.y, touch->force[2] = (float)rub.z;
}

static void shapes_process(ShapeBatch *s) {
    ContactWork *work = s->work;
    ContactBatch *b = &work->batch;
    if (b->count == 0) return;
    for (int k = b->count; k % WIDE_LANES;
         k++) { // lanes behind the last point: just touching, without motion
        b->nx[k] = b->ny[k] = b->overlap[k] = b->approach[k] = b->tx[k] = b->ty[k] = b->tz[k] = 0;
        b->ux[k] = b->uy[k] = b->uz[k] = b->gap[k] = 0;
        b->nz[k] = 1, b->mass[k] = b->mass[0], b->radius[k] = b->radius[0], b->law[k] = b->law[0];
    }
    b->single = -1;
    b->alike = false;
    smooth_contacts_apply_laws(work);
    for (int k = 0; k < b->count; k++) shapes_apply(s, k);
    b->count = 0;
}

// ---- two bodies ----------------------------------------------------------------------------------
// The records of a slot, and the first one of those after it; *at only goes forward.
static const ShapeTouch *shapes_records_of(const ShapeTouches *last, int32_t slot, size_t *at, int *count) {
    while (*at < last->count && last->data[*at].slot < slot) ++*at;
    size_t end = *at;
    while (end < last->count && last->data[end].slot == slot) end++;
    *count = (int)(end - *at);
    return last->data + *at;
}

// Returns the number of different sides at which they touch.
static int shapes_meet(ShapeBatch *s, ShapeMeeting *m, size_t *at) {
    ContactWork *work = s->work;
    Grains *g = work->grains;
    int old_count, sides = 0;
    const ShapeTouch *old = shapes_records_of(&s->records->last, m->slot, at, &old_count);
    if (m->count == 0) return 0;
    double finest = shape_finest_radius(&m->shape);
    if (m->other >= 0) finest = fmin(finest, shape_finest_radius(&m->other_shape));
    m->near = shapes_near * finest;
    for (int p = 0; p < m->count; p++) shapes_look_at_parts(m, p);
    shapes_group(m);
    shapes_find_shares(m);
    shapes_find_masses(g, m);
    shapes_recall(m, old, old_count);
    for (int p = 0; p < m->count; p++) {
        sides += m->group[p] == p;
        if (work->batch.count == BATCH) shapes_process(s);
        ShapeLane *lane = &s->lanes[work->batch.count];
        shapes_fill_lane(work, m, p, work->batch.count, lane);
        if (!work->measuring && !shapes_record(s, m, p, lane)) {
            __atomic_store_n(&g->shapes->failed, 1, __ATOMIC_RELAXED);
            return sides;
        }
        work->batch.count++;
    }
    return sides;
}

// Keeps the points that overlap.
static int shapes_keep_pressed(ShapeContact *points, int count) {
    int kept = 0;
    for (int p = 0; p < count; p++)
        if (points[p].gap < 0) points[kept++] = points[p];
    return kept;
}

static void shapes_end(ShapeBatch *s) {
    shapes_process(s);
    if (s->work->measuring) return;
    ShapeTouches last = s->records->last;
    s->records->last = s->records->now, s->records->now = last;
    s->records->now.count = 0;
}

// ---- pairs ---------------------------------------------------------------------------------------
static void shapes_find_pair(Grains *g, size_t slot, ShapeMeeting *m) {
    size_t i = (size_t)g->near.i.data[slot], j = (size_t)g->near.j.data[slot];
    m->slot = (int32_t)slot, m->i = (int32_t)i, m->other = (int32_t)j, m->count = 0;
    m->center = grain_center(g, i);
    Vec3 way = periodic_nearest(&g->periodic, vec3_sub(grain_center(g, j), m->center));
    m->other_center = g->periodic.any ? vec3_add(m->center, way) : grain_center(g, j);
    double reach = g->store.radius[i] + g->store.radius[j];
    if (!(vec3_norm2(way) < reach * reach)) return;
    m->shape = store_shape(&g->store, i), m->other_shape = store_shape(&g->store, j);
    Pose pose_a = grain_pose(g, i), pose_b = grain_pose(g, j);
    pose_b.position = m->other_center;
    ShapeAxis *known = &g->shapes->axes.data[slot];
    Vec3 axis = {(double)known->x, (double)known->y, (double)known->z};
    m->count = shapes_keep_pressed(
        m->points, shape_pair_points(&m->shape, &pose_a, &m->other_shape, &pose_b, 0, &axis, m->points));
    *known = (ShapeAxis){(float)axis.x, (float)axis.y, (float)axis.z};
}

static void shapes_mark_pair(Grains *g, size_t slot, bool touches) {
    if (touches == near_touches(&g->near, slot)) return;
    g->near.touching.data[slot / BLOCK] ^= (uint8_t)(1u << slot % BLOCK);
    smooth_contacts_count(g, g->near.i.data[slot], touches);
    smooth_contacts_count(g, g->near.j.data[slot], touches);
}

void smooth_shapes_pairs(ContactWork *work, size_t from, size_t to) {
    Grains *g = work->grains;
    ShapeBatch s; // its lanes are filled one by one
    s.work = work, s.records = &g->shapes->pairs.data[from / CONTACT_CHUNK], s.loads = NULL;
    ShapeMeeting m;
    size_t at = 0;
    work->batch.count = 0;
    for (size_t slot = from; slot < to; slot++) {
        shapes_find_pair(g, slot, &m);
        if (!work->measuring) shapes_mark_pair(g, slot, m.count > 0);
        work->sums.pair_contacts += shapes_meet(&s, &m, &at);
    }
    shapes_end(&s);
}

// ---- walls ---------------------------------------------------------------------------------------
static void shapes_find_wall(const ContactWork *work, size_t e, ShapeMeeting *m) {
    const Grains *g = work->grains;
    const WallEntry *entry = &g->entries.data[e];
    const Motion *wall = &work->walls[entry->part];
    m->shape = store_shape(&g->store, (size_t)entry->grain);
    Pose pose = grain_pose(g, (size_t)entry->grain);
    m->slot = (int32_t)e, m->i = entry->grain, m->other = -1 - entry->part;
    m->center = pose.position, m->other_center = wall->position;
    Mat3 axes = quaternion_to_matrix(wall->orientation);
    Pose local = {mat3_apply_transpose(axes, vec3_sub(pose.position, wall->position)),
                  quaternion_mul(quaternion_conjugate(wall->orientation), pose.orientation)};
    m->count = shapes_keep_pressed(
        m->points,
        shape_wall_points(&m->shape, &local, &g->definition->walls[entry->part].shape, 0, m->points));
    for (int p = 0; p < m->count; p++) {
        m->points[p].normal = mat3_apply(axes, m->points[p].normal);
        m->points[p].point = vec3_add(wall->position, mat3_apply(axes, m->points[p].point));
    }
}

void smooth_shapes_walls(ContactWork *work, int32_t layer, size_t from, size_t to, Load *loads) {
    Grains *g = work->grains;
    ShapeBatch s;
    s.work = work, s.records = &g->shapes->walls.data[layer], s.loads = loads;
    ShapeMeeting m;
    size_t at = 0;
    work->batch.count = 0;
    for (size_t e = from; e < to; e++) {
        WallEntry *entry = &g->entries.data[e];
        shapes_find_wall(work, e, &m);
        if (!work->measuring && (m.count > 0) != (entry->count > 0)) {
            entry->count = m.count > 0;
            smooth_contacts_count(g, entry->grain, m.count > 0);
        }
        work->sums.wall_contacts += shapes_meet(&s, &m, &at);
    }
    shapes_end(&s);
}
