// Loads at the ports that are still to come.
//
// Schemes that hand over loads as forces (tight, loose and others) give them to the two-step formula, which stores them: of a
// load, h b0 acts in its own step and the rest in the next ones. So after a step a part of the last loads is missing from the
// velocities, and with it from the momentum of machine and grains together. For a unit mass with the loads a(n), let W be the
// velocity with all that has been handed over, W(n+1) = W(n) + h a(n+1), and X the line along which the mass goes on when
// nothing pushes any more, X(n+1) = X(n) + h W(n). With a1 = 1 - a2, b0 + b1 + b2 = 1 + a2 and 1 - b0 + b2 = (1 + a2)/2 the
// two-step formula gives for what is missing, R = W - v and E = X - x,
//
//     R(n+1) = -a2 R(n) + h [(1 - b0) a(n+1) + b2 a(n)]
//     s(n+1) = -a2 s(n) + h^2 [b0 a(n+1) + (a2 - b2) a(n)] - h [b0 R(n+1) + b1 R(n) + b2 R(n-1)]
//     E (1 + a2) = -a2 s + h^2 (a2 - 2 b2) a + h (a2 - b1 - b2) R - h b2 R(n-1)
//
// with s = x(n+1) - x(n) - h W(n). All of it is linear, so that R and E are kept as impulses of each port and become velocities
// and ways of the nodes when they are asked for: M dv + G^T L = Q^T R, G dv = 0. Their moments are kept about the
// origin of the world, because joints may be anywhere; without joints about the origin of the node, which moves on with
// the impulses that are still to come. What is reported is v + dv, with moments m (Q E/m) x (v + dv) on the nodes,
// because places are reported as they are. Of a rotor, or a body in flight, the momentum is then that of all that was
// handed over, at every instant. Where other forces of the machine hold the load nothing is to come (jump.c, `held`,
// with the time h/2 that R is of a steady load): at rest the velocities are zero.
#include "mechanism/internal.h"

static Load late_sum(Load sum, double weight, Load load) {
    return (Load){vec3_madd(sum.force, weight, load.force), vec3_madd(sum.moment, weight, load.moment)};
}

// The point that moments are about, from the origin of the node.
static Vec3 late_origin(const Mechanism *m, int port) {
    return m->constraint_count > 0 ? vec3_neg(m->now.nodes[m->ports[port].node].x) : vec3_zero();
}

static Load late_load(const Mechanism *m, int port) {
    Load load = port_load_on_node(m, m->now, port, m->loads[port]);
    load.moment = vec3_sub(load.moment, vec3_cross(late_origin(m, port), load.force));
    return load;
}

void late_remember(Mechanism *m) {
    const TwoStep *c = &m->head->scheme;
    double h = m->head->h;
    bool forget = m->head->euler || m->head->parts > 1;
    for (int p = 0; p < m->port_count; p++) {
        LateLoad *late = &m->late[p], was = *late;
        if (forget) *late = (LateLoad){0};
        if (forget || m->ports[p].node < 0) continue;
        Load now = late_load(m, p), zero = {{0, 0, 0}, {0, 0, 0}};
        late->left =
            late_sum(late_sum(late_sum(zero, -c->a2, was.left), h * (1 - c->b0), now), h * c->b2, was.load);
        late->behind = late_sum(late_sum(late_sum(zero, -c->a2, was.behind), h * h * c->b0, now),
                                h * h * (c->a2 - c->b2), was.load);
        late->behind = late_sum(late_sum(late->behind, -h * c->b0, late->left), -h * c->b1, was.left);
        late->behind = late_sum(late->behind, -h * c->b2, was.left_before);
        late->left_before = was.left;
        late->load = now;
    }
}

bool late_acts(const Mechanism *m) {
    for (int p = 0; p < m->port_count; p++)
        if (vec3_norm2(m->late[p].left.force) > 0 || vec3_norm2(m->late[p].left.moment) > 0) return true;
    return false;
}

// R of a port, or E.
static Load late_way(const Mechanism *m, const LateLoad *late) {
    const TwoStep *c = &m->head->scheme;
    double h = m->head->h, all = 1 + c->a2;
    Load sum = load_scale(-c->a2 / all, late->behind);
    sum = late_sum(sum, h * h * (c->a2 - 2 * c->b2) / all, late->load);
    sum = late_sum(sum, h * (c->a2 - c->b1 - c->b2) / all, late->left);
    return late_sum(sum, -h * c->b2 / all, late->left_before);
}

static void late_on_nodes(const Mechanism *m, bool ways, double *x) {
    memset(x, 0, sizeof(double) * (size_t)m->matrix.size);
    for (int p = 0; p < m->port_count; p++) {
        int node = m->ports[p].node;
        if (node < 0) continue;
        Load sum = ways ? late_way(m, &m->late[p]) : m->late[p].left;
        Vec3 moment = vec3_add(sum.moment, vec3_cross(late_origin(m, p), sum.force));
        for (int k = 0; k < 3; k++) {
            x[6 * node + k] += vec3_component(sum.force, k);
            x[6 * node + 3 + k] += vec3_component(moment, k);
        }
    }
}

// Moments of the ways on the nodes, whose velocities are v + dv.
static void late_moments(const Mechanism *m, const double *ways, const double *dv, double *x) {
    memset(x, 0, sizeof(double) * (size_t)m->matrix.size);
    for (int n = 0; n < m->node_count; n++) {
        const double *way = ways + 6 * n, *d = dv + 6 * n;
        Vec3 v = vec3_add(m->now.nodes[n].v, vec3(d[0], d[1], d[2]));
        Vec3 moment = vec3_scale(m->node_mass[n], vec3_cross(vec3(way[0], way[1], way[2]), v));
        x[6 * n + 3] = moment.x, x[6 * n + 4] = moment.y, x[6 * n + 5] = moment.z;
    }
}

bool late_velocities(Mechanism *m, const Factor *mass, double *dv) {
    int freedoms = m->matrix.freedoms;
    double *impulses = m->saved, *ways = m->unknown, pushed = 0;
    late_on_nodes(m, false, dv);
    memcpy(impulses, dv, sizeof(double) * (size_t)freedoms);
    if (!factor_solve(&m->mass_matrix, mass, dv, 1)) return false;
    for (int i = 0; i < freedoms; i++) pushed += impulses[i] * dv[i];
    double share = 1 - jump_held(m, dv, 0.5 * m->head->h, pushed);
    late_on_nodes(m, true, ways);
    if (!factor_solve(&m->mass_matrix, mass, ways, 1)) return false;
    late_moments(m, ways, dv, impulses);
    if (!factor_solve(&m->mass_matrix, mass, impulses, 1)) return false;
    for (int i = 0; i < freedoms; i++) dv[i] = share * (dv[i] + impulses[i]);
    return true;
}
