// Contacts of anything but spheres, one by one: see nsgs.h.
//
// The block W of such a contact is full. Let D be diagonal in (normal, tangent, roll, spin), the same along
// both tangents, and D - W positive semidefinite. Then
//   p <- argmin over K of  1/2 (x - p)^T D (x - p) + u^T (x - p),   u = W p + q
// lowers the contact's own energy, and its fixed points solve the contact. It is cone_solve() with q = u - D
// p. D comes from sums of norms of W's blocks (Gershgorin's theorem for blocks). A grain in a heavy container
// has nearly W = D, and one step is enough.
#include "contact/local.h"
#include "contact/nsgs.h"

static const double nsgs_general_inner_tolerance = 1e-2; // of the whole change
enum { nsgs_general_inner_most = 4 };                    // more take fewer sweeps, but not less time

static double nsgs_general_norm_of(const double w[6][6], int i0, int i1, int j0, int j1) {
    double sum = 0;
    for (int i = i0; i < i1; i++)
        for (int j = j0; j < j1; j++) sum += w[i][j] * w[i][j];
    return sqrt(sum);
}

// Largest singular value of the 2x2 block at (i, j).
static double nsgs_general_norm_of_square(const double w[6][6], int i, int j) {
    double a = w[i][j], b = w[i][j + 1], c = w[i + 1][j], d = w[i + 1][j + 1];
    double sum = a * a + b * b + c * c + d * d, det = a * d - b * c;
    return sqrt(0.5 * (sum + sqrt(fmax(sum * sum - 4 * det * det, 0))));
}

static double nsgs_general_largest_eigenvalue(double a, double b, double d) { // of {{a, b}, {b, d}}
    return 0.5 * (a + d) + sqrt(0.25 * (a - d) * (a - d) + b * b);
}

// The block in axes n, t1, t2, angular part in order t1, t2, n, moments in units of `length`.
static void nsgs_general_to_contact_axes(const double block[6][6], Vec3 n, double length, double w[6][6]) {
    Vec3 t1 = vec3_perpendicular(n), t2 = vec3_cross(n, t1);
    const Vec3 axes[6] = {n, t1, t2, t1, t2, n};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const double *e = &axes[i].x, *f = &axes[j].x;
            double sum = 0;
            for (int r = 0; r < 3; r++)
                for (int s = 0; s < 3; s++) sum += e[r] * block[r + 3 * (i / 3)][s + 3 * (j / 3)] * f[s];
            w[i][j] = sum * (i < 3 ? 1 : length) * (j < 3 ? 1 : length);
        }
}

// Is the block the diagonal one already, as that of two equal spheres is?
static bool nsgs_general_is_diagonal(const double w[6][6], bool turns) {
    int rows = turns ? 6 : 3;
    double off = fabs(w[1][1] - w[2][2]) + (turns ? fabs(w[3][3] - w[4][4]) : 0);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) off += i == j ? 0 : fabs(w[i][j]);
    return off <= 1e-12 * w[0][0];
}

static bool nsgs_general_is_plain(const ContactProblem *problem, const ContactPoint *c) {
    return !contact_turns(c) && (c->a < 0 || problem->bodies.data[c->a].group < 0) &&
           (c->b < 0 || problem->bodies.data[c->b].group < 0);
}

static NsgsSide nsgs_general_side(const Nsgs *nsgs, const ContactProblem *problem, int32_t body, Vec3 arm) {
    size_t world = problem->bodies.count + problem->groups.count;
    NsgsSide side = {.line = nsgs->line_at.data[body < 0 ? world : (size_t)body], .arm = arm};
    if (body < 0 || !contact_is_dynamic(problem, body)) return side;
    side.inverse_mass = problem->bodies.data[body].inverse_mass;
    for (int k = 0; k < 3; k++) {
        Vec3 unit = vec3_zero();
        vec3_set_component(&unit, k, 1);
        Vec3 column = contact_turn(problem, &problem->bodies.data[body], vec3_cross(arm, unit));
        for (int i = 0; i < 3; i++) side.turn.m[i][k] = vec3_component(column, i);
    }
    return side;
}

ConeWeights nsgs_general_bound(const double block[6][6], Vec3 normal, double length, bool turns,
                               bool *exact) {
    double w[6][6];
    nsgs_general_to_contact_axes(block, normal, length, w);
    const double(*k)[6] = (const double(*)[6])w;
    double nt = nsgs_general_norm_of(k, 0, 1, 1, 3);
    ConeWeights weights = {w[0][0] + nt,
                           {nsgs_general_largest_eigenvalue(w[1][1], w[1][2], w[2][2]) + nt, 1, 1}};
    if (turns) {
        double nr = nsgs_general_norm_of(k, 0, 1, 3, 5), ns = fabs(w[0][5]),
               tr = nsgs_general_norm_of_square(k, 1, 3), ts = nsgs_general_norm_of(k, 1, 3, 5, 6),
               rs = nsgs_general_norm_of(k, 3, 5, 5, 6);
        weights.normal += nr + ns;
        weights.disc[CONE_TANGENT] += tr + ts;
        double unit = 1 / (length * length);
        weights.disc[CONE_ROLL] =
            unit * (nsgs_general_largest_eigenvalue(w[3][3], w[3][4], w[4][4]) + nr + tr + rs);
        weights.disc[CONE_SPIN] = unit * (w[5][5] + ns + ts + rs);
    }
    *exact = nsgs_general_is_diagonal(k, turns);
    return weights;
}

void nsgs_general_prepare(const Nsgs *nsgs, const ContactProblem *problem, int32_t contact,
                          const ContactImpulse *impulse, NsgsGeneral *g) {
    const ContactPoint *c = &problem->contacts.data[contact];
    *g = (NsgsGeneral){.contact = contact, .turns = contact_turns(c), .cone = cone_of(c, 1)};
    g->plain = nsgs_general_is_plain(problem, c);
    if (g->plain) {
        g->normal = c->normal, g->bias = c->bias;
        g->sides[0] = nsgs_general_side(nsgs, problem, c->a, c->arm_a);
        g->sides[1] = nsgs_general_side(nsgs, problem, c->b, c->arm_b);
    }
    local_block(problem, c, g->block);
    g->local = local_scale(problem, c);
    double length = g->local.length;
    g->weights = nsgs_general_bound((const double(*)[6])g->block, c->normal, length, g->turns, &g->exact);
    double floor = 1e-12 * (g->weights.normal + g->weights.disc[CONE_TANGENT]);
    if (!(g->weights.normal > floor)) g->weights.normal = floor; // directions in which nothing can move
    if (!(g->weights.disc[CONE_TANGENT] > floor)) g->weights.disc[CONE_TANGENT] = floor;
    for (int d = CONE_ROLL; d < CONE_DISCS; d++)
        if (!(g->weights.disc[d] > floor / (length * length))) g->weights.disc[d] = floor / (length * length);
    g->impulse = g->last = (Twist){impulse->linear, g->turns ? impulse->angular : vec3_zero()};
}

// Inlined, so that twists stay in registers: that is a third of a sweep's time.
#define INLINE static inline __attribute__((always_inline))

INLINE Twist nsgs_general_weigh(const NsgsGeneral *g, Vec3 n, Twist p) { // D p
    double pn = vec3_dot(p.linear, n), t = g->weights.disc[CONE_TANGENT];
    Twist q = {vec3_madd(vec3_scale(t, p.linear), (g->weights.normal - t) * pn, n), {0, 0, 0}};
    if (g->turns) {
        double mn = vec3_dot(p.angular, n), r = g->weights.disc[CONE_ROLL];
        q.angular = vec3_madd(vec3_scale(r, p.angular), (g->weights.disc[CONE_SPIN] - r) * mn, n);
    }
    return q;
}

INLINE double nsgs_general_row_times(const double row[6], Twist d, bool turns) {
    double sum = row[0] * d.linear.x + row[1] * d.linear.y + row[2] * d.linear.z;
    if (turns) sum += row[3] * d.angular.x + row[4] * d.angular.y + row[5] * d.angular.z;
    return sum;
}

INLINE Twist nsgs_general_block_times(const NsgsGeneral *g, Twist d) {
    Twist u = {vec3(nsgs_general_row_times(g->block[0], d, g->turns),
                    nsgs_general_row_times(g->block[1], d, g->turns),
                    nsgs_general_row_times(g->block[2], d, g->turns)),
               {0, 0, 0}};
    if (g->turns)
        u.angular =
            vec3(nsgs_general_row_times(g->block[3], d, true), nsgs_general_row_times(g->block[4], d, true),
                 nsgs_general_row_times(g->block[5], d, true));
    return u;
}

static Twist nsgs_general_velocity_at(const double *line, Vec3 arm) {
    Vec3 v = {line[0], line[1], line[2]}, w = {line[4], line[5], line[6]};
    return (Twist){vec3_add(v, vec3_cross(w, arm)), w};
}

void nsgs_move(Nsgs *nsgs, const ContactProblem *problem, int32_t index, Twist impulse) {
    const ContactBody *body = &problem->bodies.data[index];
    const double *x = twist_view(&impulse);
    if (body->group < 0) {
        double *line = nsgs_line(nsgs, index);
        Vec3 turn = contact_turn(problem, body, impulse.angular);
        for (int k = 0; k < 3; k++) {
            line[k] += line[BODY_INVERSE_MASS] * x[k];
            line[BODY_ANGULAR + k] += vec3_component(turn, k);
        }
        return;
    }
    const ContactGroup *group = &problem->groups.data[body->group];
    for (int32_t i = 0; i < group->count; i++) {
        size_t stride;
        const double *block = contact_group_block(problem, group, i, body->slot, &stride);
        double *line = nsgs_line(nsgs, problem->group_bodies.data[group->first_body + i]);
        for (size_t r = 0; r < 6; r++) {
            const double *row = block + r * stride;
            line[r < 3 ? r : r + 1] +=
                row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3] * x[3] + row[4] * x[4] + row[5] * x[5];
        }
    }
}

Twist nsgs_general_velocity(const Nsgs *nsgs, const ContactProblem *problem, const NsgsGeneral *g) {
    const ContactPoint *c = &problem->contacts.data[g->contact];
    Twist u = {c->bias, {0, 0, 0}};
    if (c->a >= 0) u = twist_madd(u, -1, nsgs_general_velocity_at(nsgs_line(nsgs, c->a), c->arm_a));
    if (c->b >= 0) u = twist_madd(u, 1, nsgs_general_velocity_at(nsgs_line(nsgs, c->b), c->arm_b));
    if (!g->turns) u.angular = vec3_zero();
    return u;
}

// Is the contact solved without an impulse?
INLINE bool nsgs_general_stays_open(const NsgsGeneral *g, Vec3 n, Twist u, double dilation) {
    double normal = vec3_dot(u.linear, n);
    return normal >= 0 && (normal >= dilation || normal >= cone_shift(&g->cone, n, u));
}

// ---- grains with faces, and walls ----------------------------------------------------------------
INLINE Vec3 nsgs_plain_velocity_at(const double *line, Vec3 arm) {
    return vec3_add(vec3(line[0], line[1], line[2]), vec3_cross(vec3(line[4], line[5], line[6]), arm));
}

INLINE void nsgs_plain_move(double *line, const NsgsSide *side, double sign, Vec3 d) {
    if (side->inverse_mass == 0) return;
    Vec3 turn = mat3_apply(side->turn, d);
    double mass = sign * side->inverse_mass;
    line[0] += mass * d.x, line[1] += mass * d.y, line[2] += mass * d.z;
    line[4] += sign * turn.x, line[5] += sign * turn.y, line[6] += sign * turn.z;
}

// cone_solve() with the disc of friction alone: z = -q/w, |z_t| = size/w_t.
INLINE Vec3 nsgs_plain_cone(const NsgsGeneral *g, Vec3 n, Vec3 q, double dilation) {
    double wn = g->weights.normal, wt = g->weights.disc[CONE_TANGENT], mu = g->cone.radius[CONE_TANGENT];
    double along = vec3_dot(q, n), x = (dilation - along) / wn;
    if (!(x > 0)) return vec3_zero();
    Vec3 tangent = vec3_madd(q, -along, n);
    double size = vec3_norm(tangent);
    if (dilation > 0) { // the root of g, with the disc cut or not
        double sticks = -along / wn, slips = (mu * size - along) / (wn + mu * mu * wt);
        double root = size <= wt * mu * fmax(sticks, 0) ? sticks : slips;
        if (root < x) x = root;
        if (!(x > 0)) return vec3_zero();
    }
    double cut = size > wt * mu * x ? mu * x / size : 1 / wt;
    return vec3_madd(vec3_scale(x, n), -cut, tangent);
}

INLINE Vec3 nsgs_plain_weigh(const NsgsGeneral *g, Vec3 n, Vec3 p) {
    double t = g->weights.disc[CONE_TANGENT];
    return vec3_madd(vec3_scale(t, p), (g->weights.normal - t) * vec3_dot(p, n), n);
}

static void nsgs_sweep_plain(NsgsGeneral *g, double *lines, double beta, double dilation) {
    double *line_a = lines + g->sides[0].line, *line_b = lines + g->sides[1].line;
    Vec3 n = g->normal, last = g->impulse.linear;
    Vec3 u = vec3_add(g->bias, vec3_sub(nsgs_plain_velocity_at(line_b, g->sides[1].arm),
                                        nsgs_plain_velocity_at(line_a, g->sides[0].arm)));
    Vec3 start = vec3_madd(last, beta, vec3_sub(last, g->last.linear)), p = start;
    g->last.linear = last;
    g->change = g->uphill = 0;
    if (vec3_norm2(start) == 0) {
        double normal = vec3_dot(u, n);
        g->impulse.linear = start;
        if (normal >= 0 && (normal >= dilation ||
                            normal >= g->cone.radius[CONE_TANGENT] * vec3_norm(vec3_madd(u, -normal, n))))
            return;
    }
    for (int k = 0; k < nsgs_general_inner_most; k++) {
        Vec3 next = nsgs_plain_cone(g, n, vec3_sub(u, nsgs_plain_weigh(g, n, p)), dilation);
        Vec3 step = vec3_sub(next, p), whole = vec3_sub(next, start);
        p = next;
        if (g->exact || k + 1 == nsgs_general_inner_most) break;
        double done = vec3_dot(step, nsgs_plain_weigh(g, n, step)),
               all = vec3_dot(whole, nsgs_plain_weigh(g, n, whole));
        if (done <= nsgs_general_inner_tolerance * nsgs_general_inner_tolerance * all) break;
        for (int i = 0; i < 3; i++)
            vec3_set_component(&u, i,
                               vec3_component(u, i) + g->block[i][0] * step.x + g->block[i][1] * step.y +
                                   g->block[i][2] * step.z);
    }
    Vec3 d = vec3_sub(p, start), weighed = nsgs_plain_weigh(g, n, d);
    g->change = vec3_dot(weighed, d);
    g->uphill = vec3_dot(weighed, vec3_sub(last, p));
    g->impulse.linear = p;
    nsgs_plain_move(line_a, &g->sides[0], -1, d);
    nsgs_plain_move(line_b, &g->sides[1], 1, d);
}

void nsgs_sweep_generals(Nsgs *nsgs, const ContactProblem *problem, size_t first, size_t end) {
    const double beta = nsgs->beta, dilation = nsgs->dilation;
    for (size_t i = first; i < end; i++) {
        NsgsGeneral *g = &nsgs->generals.data[i];
        if (g->plain) {
            nsgs_sweep_plain(g, nsgs->lines.data, beta, dilation);
            continue;
        }
        const ContactPoint *c = &problem->contacts.data[g->contact];
        Twist u = nsgs_general_velocity(nsgs, problem, g);
        Twist last = g->impulse, start = twist_madd(last, beta, twist_madd(last, -1, g->last)), p = start;
        if (twist_dot(start, start) == 0 && nsgs_general_stays_open(g, c->normal, u, dilation)) {
            g->change = g->uphill = 0;
            g->impulse = start;
            g->last = last;
            continue;
        }
        for (int k = 0; k < nsgs_general_inner_most; k++) {
            Twist next = cone_solve(&g->cone, &g->weights, c->normal,
                                    twist_madd(u, -1, nsgs_general_weigh(g, c->normal, p)), dilation);
            Twist step = twist_madd(next, -1, p), whole = twist_madd(next, -1, start);
            p = next;
            if (g->exact || k + 1 == nsgs_general_inner_most) break;
            double done = twist_dot(step, nsgs_general_weigh(g, c->normal, step)),
                   all = twist_dot(whole, nsgs_general_weigh(g, c->normal, whole));
            if (done <= nsgs_general_inner_tolerance * nsgs_general_inner_tolerance * all) break;
            u = twist_madd(u, 1, nsgs_general_block_times(g, step));
        }
        Twist d = twist_madd(p, -1, start), weighed = nsgs_general_weigh(g, c->normal, d);
        g->change = twist_dot(weighed, d);
        g->uphill = twist_dot(weighed, twist_madd(last, -1, p));
        g->impulse = p;
        g->last = last;
        if (contact_is_dynamic(problem, c->a))
            nsgs_move(nsgs, problem, c->a, twist_of_impulse(-1, c->arm_a, d.linear, d.angular));
        if (contact_is_dynamic(problem, c->b))
            nsgs_move(nsgs, problem, c->b, twist_of_impulse(1, c->arm_b, d.linear, d.angular));
    }
}
