#include "coupling/container.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/blas.h"

enum { DOF = 6 };

// ---- creation ------------------------------------------------------------------------------------
MrcStatus containers_create(Containers *c, int count, Arena *arena, MrcError *error) {
    size_t n = (size_t)count, block = DOF * DOF, all = n * DOF;
    *c = (Containers){.count = count};
    c->items = arena_alloc(arena, n * sizeof *c->items);
    c->mass = arena_alloc(arena, n * block * sizeof(double));
    c->inverse = arena_alloc(arena, n * block * sizeof(double));
    c->joint = arena_alloc(arena, n * block * sizeof(double));
    c->kept = arena_alloc(arena, n * sizeof *c->kept);
    c->loose = arena_alloc(arena, n * sizeof *c->loose);
    c->loose_end = arena_alloc(arena, n * sizeof *c->loose_end);
    c->arm = arena_alloc(arena, n * sizeof *c->arm);
    c->Y_arm = arena_alloc(arena, all * all * sizeof(double));
    c->factor = arena_alloc(arena, all * all * sizeof(double));
    c->pivots = arena_alloc(arena, all * sizeof *c->pivots);
    c->effective = arena_alloc(arena, all * all * sizeof(double));
    bool fine = c->items && c->mass && c->inverse && c->joint && c->kept && c->loose && c->loose_end &&
                c->arm && c->Y_arm && c->factor && c->pivots && c->effective;
    return fine ? MRC_OK : error_memory(error, "the containers");
}

static bool container_is_free(const Container *item) {
    return item->definition.slide_count > 0 || item->definition.turn_count > 0;
}

void containers_place(Containers *c, int index, const ContainerDefinition *definition, Motion motion) {
    motion.angular_velocity = vec3_add(motion.angular_velocity, definition->angular_velocity);
    c->items[index] = (Container){.definition = *definition, .motion = motion, .home = motion.position};
    for (int k = 0; k < definition->slide_count; k++)
        c->items[index].free[definition->slides[k][0] - 'x'] = true;
    for (int k = 0; k < definition->turn_count; k++)
        c->items[index].free[3 + definition->turns[k][0] - 'x'] = true;
    c->any_mass = c->any_mass || definition->mass > 0;
    c->any_free = c->any_free || container_is_free(&c->items[index]);
}

// ---- free axes -----------------------------------------------------------------------------------
static Vec3 container_only_free(const Container *item, int first, Vec3 v) {
    return vec3(item->free[first] ? v.x : 0, item->free[first + 1] ? v.y : 0,
                item->free[first + 2] ? v.z : 0);
}

static Vec3 container_slid(const Container *item, const Motion *marker) { // along the marker's axes
    return container_only_free(item, 0, motion_to_local(marker, item->motion.position));
}

Motion container_target(const Container *item, const Motion *before, const Motion *now) {
    Motion target = *now;
    if (!container_is_free(item)) return target;
    Quaternion turn = quaternion_mul(quaternion_conjugate(before->orientation), item->motion.orientation);
    Vec3 turned = container_only_free(item, 3, quaternion_to_rotation_vector(turn));
    Vec3 arm = quaternion_rotate(now->orientation, container_slid(item, before)), w = now->angular_velocity;
    target.orientation = quaternion_mul(now->orientation, quaternion_from_rotation_vector(turned));
    target.position = vec3_add(now->position, arm);
    target.velocity = vec3_add(now->velocity, vec3_cross(w, arm));
    target.acceleration = vec3_add(vec3_add(now->acceleration, vec3_cross(now->angular_acceleration, arm)),
                                   vec3_cross(w, vec3_cross(w, arm)));
    return target;
}

// T Y T^T, T taking the twist of a marker to its point at the end of the arm.
static const double *containers_mobility_at_arms(Containers *c, const double *Y) {
    int size = c->count * DOF;
    bool any = false;
    for (int i = 0; i < c->count; i++) any = any || vec3_norm2(c->arm[i]) > 0;
    if (!Y || !any) return Y;
    memcpy(c->Y_arm, Y, (size_t)size * (size_t)size * sizeof *Y);
    for (int side = 0; side < 2; side++) { // rows, then columns
        int along = side ? 1 : size, across = side ? size : 1;
        for (int i = 0; i < c->count; i++)
            for (int k = 0; k < size; k++) {
                double *v = c->Y_arm + i * DOF * along + k * across, *w = v + 3 * along;
                Vec3 more = vec3_cross(vec3(w[0], w[along], w[2 * along]), c->arm[i]);
                v[0] += more.x, v[along] += more.y, v[2 * along] += more.z;
            }
    }
    return c->Y_arm;
}

// ---- one container -------------------------------------------------------------------------------
static void container_put_block(double *matrix, int row, int column, Mat3 block) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) matrix[(row + i) * DOF + column + j] = block.m[i][j];
}

// Mass, centre of mass from the origin and inertia about the origin, world axes.
static void container_inertia(const Container *item, Vec3 *center, Mat3 *about_origin) {
    const ContainerDefinition *d = &item->definition;
    const double *t = d->inertia;
    Mat3 R = quaternion_to_matrix(item->motion.orientation);
    Inertia own = {d->mass, d->center, {{{t[0], t[3], t[5]}, {t[3], t[1], t[4]}, {t[5], t[4], t[2]}}}};
    Inertia world = inertia_rotate(own, R);
    *center = world.centre;
    *about_origin = inertia_about(world, vec3(0, 0, 0));
}

// M about the origin, and v2_n + h M^-1 f.
static void containers_prepare_mass(Containers *c, int i, double h, Vec3 gravity, double early) {
    const Container *item = &c->items[i];
    const ContainerDefinition *d = &item->definition;
    double *M = c->mass + i * DOF * DOF, *inverse = c->inverse + i * DOF * DOF, f[DOF];
    Vec3 r, w = item->motion.angular_velocity, x = item->motion.position, v = item->motion.velocity;
    Mat3 J;
    container_inertia(item, &r, &J);
    container_put_block(M, 0, 0, mat3_diagonal(d->mass, d->mass, d->mass));
    container_put_block(M, 0, 3, mat3_scale(-d->mass, mat3_skew(r)));
    container_put_block(M, 3, 0, mat3_scale(d->mass, mat3_skew(r)));
    container_put_block(M, 3, 3, J);
    memcpy(inverse, M, DOF * DOF * sizeof(double));
    BLAS_ALONE(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', DOF, inverse, DOF));
    BLAS_ALONE(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', DOF, inverse, DOF));
    for (int a = 0; a < DOF; a++)
        for (int b = 0; b < a; b++) inverse[a * DOF + b] = inverse[b * DOF + a];
    Vec3 weight = vec3_scale(d->mass, gravity);
    Vec3 whirl = vec3_scale(d->mass, vec3_cross(w, vec3_cross(w, r)));
    Vec3 force = vec3_sub(weight, whirl);
    Vec3 moment = vec3_sub(vec3_cross(r, weight), vec3_cross(w, mat3_apply(J, w)));
    Vec3 away = vec3_sub(x, item->home);
    f[0] = force.x - d->stiffness[0] * away.x - d->damping[0] * v.x;
    f[1] = force.y - d->stiffness[1] * away.y - d->damping[1] * v.y;
    f[2] = force.z - d->stiffness[2] * away.z - d->damping[2] * v.z;
    f[3] = moment.x, f[4] = moment.y, f[5] = moment.z;
    double now[DOF] = {v.x, v.y, v.z, w.x, w.y, w.z}, *loose = &c->loose[i].linear.x;
    double *end = &c->loose_end[i].linear.x;
    const double *lag = &item->lasting_jump.linear.x;
    for (int a = 0; a < DOF; a++) {
        double gain = 0;
        for (int b = 0; b < DOF; b++) gain += h * inverse[a * DOF + b] * f[b];
        loose[a] = now[a] + (early < 1 ? (early - 0.5) * lag[a] : 0) + early * gain;
        end[a] = now[a] + gain;
    }
}

Load container_reaction(const Container *item, double h, Vec3 gravity, const Motion *before,
                        const Motion *after) {
    if (!(item->carried > 0)) return (Load){{0, 0, 0}, {0, 0, 0}};
    Container own = *item;
    double m = own.definition.mass = item->carried;
    own.motion.orientation = before->orientation;
    Vec3 r, w = before->angular_velocity, a = vec3_scale(1 / h, vec3_sub(after->velocity, before->velocity)),
            turn = vec3_scale(1 / h, vec3_sub(after->angular_velocity, w));
    Mat3 J;
    container_inertia(&own, &r, &J);
    Vec3 whirl = vec3_add(vec3_cross(turn, r), vec3_cross(w, vec3_cross(w, r)));
    Vec3 force = vec3_scale(m, vec3_sub(gravity, vec3_add(a, whirl)));
    Vec3 moment = vec3_scale(m, vec3_cross(r, vec3_sub(gravity, a)));
    moment = vec3_sub(moment, vec3_add(mat3_apply(J, turn), vec3_cross(w, mat3_apply(J, w))));
    return (Load){force, moment};
}

// The columns of C: world components of the kept axes.
static void containers_prepare_joint(Containers *c, int i) {
    const Container *item = &c->items[i];
    Mat3 R = quaternion_to_matrix(item->motion.orientation);
    double *C = c->joint + i * DOF * DOF;
    c->kept[i] = 0;
    memset(C, 0, DOF * DOF * sizeof(double));
    for (int a = 0; a < DOF; a++) {
        if (item->free[a]) continue;
        Vec3 axis = mat3_column(R, a % 3);
        double *column = C + c->kept[i]++, *row = column + (a < 3 ? 0 : 3) * DOF;
        row[0] = axis.x, row[DOF] = axis.y, row[2 * DOF] = axis.z;
    }
}

// ---- the linear system of a step -----------------------------------------------------------------
static double containers_mobility(const Containers *c, int i, int a, int j, int b) {
    return c->Y ? c->Y[(i * DOF + a) * c->count * DOF + j * DOF + b] : 0;
}

static bool containers_has_mass(const Containers *c, int i) { return c->items[i].definition.mass > 0; }

// (C_i^T (M^-1 + Y) C_j): the joint's rows of container i, columns of container j.
static double containers_joint_entry(const Containers *c, int i, int row, int j, int column) {
    const double *Ci = c->joint + i * DOF * DOF, *Cj = c->joint + j * DOF * DOF;
    double sum = 0;
    for (int a = 0; a < DOF; a++)
        for (int b = 0; b < DOF; b++) {
            double middle =
                containers_mobility(c, i, a, j, b) + (i == j ? c->inverse[(i * DOF + a) * DOF + b] : 0);
            sum += Ci[a * DOF + row] * middle * Cj[b * DOF + column];
        }
    return sum;
}

static MrcStatus containers_factor_joints(Containers *c, MrcError *error) {
    int size = 0, row = 0;
    for (int i = 0; i < c->count; i++) size += containers_has_mass(c, i) ? c->kept[i] : 0;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; containers_has_mass(c, i) && k < c->kept[i]; k++, row++) {
            int column = 0;
            for (int j = 0; j < c->count; j++)
                for (int l = 0; containers_has_mass(c, j) && l < c->kept[j]; l++, column++)
                    c->factor[row * size + column] = containers_joint_entry(c, i, k, j, l);
        }
    if (size > 0 && BLAS_ALONE(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, size, size, c->factor, size, c->pivots)) != 0)
        return error_set(error, MRC_NOT_CONVERGED, "the joint between container and mechanism is singular");
    return MRC_OK;
}

void containers_respond(const Containers *c, const Load *P, bool at_end, Twist *twists, Load *J) {
    int n = c->count, size = 0;
    const Twist *loose_twists = at_end ? c->loose_end : c->loose, *u_twists = at_end ? c->u_end : c->u;
    if (!c->any_mass && !c->Y) { // they move with the markers
        memcpy(twists, c->u, (size_t)n * sizeof *twists);
        memcpy(J, P, (size_t)n * sizeof *J);
        return;
    }
    double L[DOF * CONTAINERS_MAX];
    // Impulses on the marker as far as they are known: those of containers without mass.
    for (int i = 0; i < n; i++) J[i] = containers_has_mass(c, i) ? (Load){{0, 0, 0}, {0, 0, 0}} : P[i];
    for (int i = 0; i < n; i++) {
        if (!containers_has_mass(c, i)) continue;
        const double *p = &P[i].force.x, *loose = &loose_twists[i].linear.x, *u = &u_twists[i].linear.x;
        double part[DOF];
        for (int a = 0; a < DOF; a++) {
            part[a] = loose[a] - u[a];
            for (int b = 0; b < DOF; b++) part[a] += c->inverse[(i * DOF + a) * DOF + b] * p[b];
            for (int j = 0; j < n; j++)
                for (int b = 0; b < DOF && !containers_has_mass(c, j); b++)
                    part[a] -= containers_mobility(c, i, a, j, b) * (&P[j].force.x)[b];
        }
        for (int k = 0; k < c->kept[i]; k++, size++) {
            L[size] = 0;
            for (int a = 0; a < DOF; a++) L[size] += c->joint[(i * DOF + a) * DOF + k] * part[a];
        }
    }
    if (size > 0)
        BLAS_ALONE(LAPACKE_dgetrs(LAPACK_ROW_MAJOR, 'N', size, 1, c->factor, size, c->pivots, L, 1));
    for (int i = 0, row = 0; i < n; i++)
        for (int k = 0; containers_has_mass(c, i) && k < c->kept[i]; k++, row++)
            for (int a = 0; a < DOF; a++) (&J[i].force.x)[a] += c->joint[(i * DOF + a) * DOF + k] * L[row];
    for (int i = 0; i < n; i++) {
        double *v = &twists[i].linear.x;
        for (int a = 0; a < DOF; a++) {
            v[a] = containers_has_mass(c, i) ? (&loose_twists[i].linear.x)[a] : (&c->u[i].linear.x)[a];
            for (int b = 0; b < DOF && containers_has_mass(c, i); b++)
                v[a] += c->inverse[(i * DOF + a) * DOF + b] * ((&P[i].force.x)[b] - (&J[i].force.x)[b]);
            for (int j = 0; j < n && !containers_has_mass(c, i); j++)
                for (int b = 0; b < DOF; b++) v[a] += containers_mobility(c, i, a, j, b) * (&J[j].force.x)[b];
        }
    }
    for (int i = 0; i < n; i++) J[i].moment = vec3_add(J[i].moment, vec3_cross(c->arm[i], J[i].force));
}

void containers_begin(Containers *c, double h, Vec3 gravity, const Motion *before, double early) {
    for (int i = 0; i < c->count; i++) {
        Vec3 along = container_is_free(&c->items[i]) ? container_slid(&c->items[i], &before[i]) : vec3_zero();
        c->arm[i] = quaternion_rotate(before[i].orientation, along);
        if (!c->any_mass) continue;
        containers_prepare_joint(c, i);
        if (containers_has_mass(c, i)) containers_prepare_mass(c, i, h, gravity, early);
    }
}

// Where the marker cannot move, dv2/dP is the difference of M^-1 and what the joint takes of it: rounding, of either sign, in
// place of zero. Such rows and columns become zero, as those of the mobility do (mobility_clear_rounding).
static void containers_clear_rounding(Containers *c) {
    int size = c->count * DOF;
    for (int i = 0; i < size; i++) {
        double alone = c->inverse[i * DOF + i % DOF]; // a row of DOF for each of the size components
        if (!containers_has_mass(c, i / DOF) || fabs(c->effective[i * size + i]) > 1e-12 * alone) continue;
        for (int j = 0; j < size; j++) c->effective[i * size + j] = c->effective[j * size + i] = 0;
    }
}

// dv2/dP: the answers to unit impulses of containers and markers at rest. (Differences of answers in motion would have the
// rounding of the velocities.)
static void containers_find_effective(Containers *c) {
    int size = c->count * DOF;
    Twist still[CONTAINERS_MAX] = {0}, response[CONTAINERS_MAX];
    Load P[CONTAINERS_MAX] = {0}, J[CONTAINERS_MAX];
    Containers resting = *c;
    resting.u = resting.loose = still;
    for (int j = 0; j < size; j++) {
        double *unit = &P[j / DOF].force.x + j % DOF;
        *unit = 1;
        containers_respond(&resting, P, false, response, J);
        *unit = 0;
        for (int i = 0; i < size; i++) c->effective[i * size + j] = (&response[i / DOF].linear.x)[i % DOF];
    }
    containers_clear_rounding(c);
}

MrcStatus containers_prepare(Containers *c, double h, Vec3 gravity, const Motion *before, const Twist *u,
                             const Twist *u_end, double early, const double *Y, Twist *free,
                             const double **effective, MrcError *error) {
    int n = c->count;
    Load P[CONTAINERS_MAX] = {0}, J[CONTAINERS_MAX];
    containers_begin(c, h, gravity, before, early);
    c->Y = containers_mobility_at_arms(c, Y);
    c->u = u;
    c->u_end = u_end;
    if (!c->any_mass) { // the container is the marker
        memcpy(free, u, (size_t)n * sizeof *free);
        *effective = Y;
        return MRC_OK;
    }
    MrcStatus status = containers_factor_joints(c, error);
    if (status != MRC_OK) return status;
    containers_respond(c, P, false, free, J);
    bool moves = Y != NULL;
    for (int i = 0; i < n; i++) moves = moves || c->kept[i] < DOF;
    *effective = moves ? c->effective : NULL;
    if (moves) containers_find_effective(c);
    return MRC_OK;
}

static Vec3 container_lasting(Vec3 now, Vec3 before) {
    double both = vec3_dot(now, before), larger = fmax(vec3_norm2(now), vec3_norm2(before));
    return vec3_scale(both > 0 ? both / larger : 0, now);
}

void containers_remember(Containers *c, const Load *J) {
    for (int i = 0; i < c->count; i++) {
        Twist jump = {vec3_zero(), vec3_zero()};
        if (!containers_has_mass(c, i)) continue;
        for (int a = 0; a < DOF && !c->any_free; a++)
            for (int j = 0; j < c->count; j++)
                for (int b = 0; b < DOF; b++)
                    (&jump.linear.x)[a] += containers_mobility(c, i, a, j, b) * (&J[j].force.x)[b];
        c->items[i].lasting_jump = (Twist){container_lasting(jump.linear, c->items[i].last_jump.linear),
                                           container_lasting(jump.angular, c->items[i].last_jump.angular)};
        c->items[i].last_jump = jump;
    }
}

void container_move(Container *item, double h, Twist mean, Twist end) {
    item->motion = motion_carry(item->motion, mean, h);
    item->motion.velocity = end.linear;
    item->motion.angular_velocity = end.angular;
}

// ---- energy --------------------------------------------------------------------------------------
double container_kinetic(const Container *item) {
    Vec3 r, v = item->motion.velocity, w = item->motion.angular_velocity;
    Mat3 J;
    if (!(item->definition.mass > 0)) return 0;
    container_inertia(item, &r, &J);
    double mass = item->definition.mass;
    return 0.5 * mass * vec3_dot(v, v) + mass * vec3_dot(v, vec3_cross(w, r)) +
           0.5 * vec3_dot(w, mat3_apply(J, w));
}

double container_potential(const Container *item, Vec3 gravity) {
    const ContainerDefinition *d = &item->definition;
    Vec3 center = motion_to_world(&item->motion, d->center),
         away = vec3_sub(item->motion.position, item->home);
    return -d->mass * vec3_dot(gravity, center) +
           0.5 * (d->stiffness[0] * away.x * away.x + d->stiffness[1] * away.y * away.y +
                  d->stiffness[2] * away.z * away.z);
}

double container_damped(const Container *item, double h, Twist mean) {
    const double *c = item->definition.damping;
    Vec3 v = item->motion.velocity, way = vec3_scale(h, mean.linear);
    if (!(item->definition.mass > 0)) return 0;
    return c[0] * v.x * way.x + c[1] * v.y * way.y + c[2] * v.z * way.z;
}

double containers_kinetic(const Containers *c) {
    double sum = 0;
    for (int i = 0; i < c->count; i++) sum += container_kinetic(&c->items[i]);
    return sum;
}

double containers_potential(const Containers *c, Vec3 gravity) {
    double sum = 0;
    for (int i = 0; i < c->count; i++) sum += container_potential(&c->items[i], gravity);
    return sum;
}

double containers_energy(const Containers *c, Vec3 gravity) {
    return containers_kinetic(c) + containers_potential(c, gravity);
}

double container_polar(const Container *item, Vec3 from) {
    Vec3 r, away = vec3_sub(item->motion.position, from);
    Mat3 J;
    if (!(item->definition.mass > 0)) return 0;
    container_inertia(item, &r, &J);
    return 0.5 * (J.m[0][0] + J.m[1][1] + J.m[2][2]) +
           item->definition.mass * (vec3_norm2(away) + 2 * vec3_dot(away, r));
}
