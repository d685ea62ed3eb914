// Mechanism and containers as a machine in the contact problem of the grains: joints are its bilateral rows.
//
// The driver adds its bodies and joints. A container without mass is the body that carries its port. One with
// mass is a body of its own; its joint keeps the components C of the relative twist, one row for each,
//
//     C^T (v2 - T v1) + C^T e/h = 0
//
// T takes the twist of the marker's body to its point at the container's origin, e is how far the container
// is from where the joint wants it at the beginning of the step. The marker feels the impulses of these rows.
#include "coupling/coupling.h"

static bool has_mass(const Coupling *c, int p) { return c->containers.items[p].definition.mass > 0; }

static bool add_container(Coupling *c, int p, double h, ContactProblem *problem) {
    const Container *item = &c->containers.items[p];
    const MachinePort *marker = &c->machine.markers[p];
    Motion target = container_target(item, &c->before[p], &c->before[p]);
    Twist error = motion_twist_to(&target, &item->motion, 1);
    Vec3 arm = vec3_sub(target.position, marker->origin);
    Mat3 axes = quaternion_to_matrix(item->motion.orientation);
    int32_t body = contact_problem_add_body(problem, 0, 0, c->containers.loose[p]);
    c->machine.bodies[p] = body;
    c->machine.first_rows[p] = problem->rows.count;
    if (body < 0 || contact_problem_add_group(problem, 1, &body, c->containers.inverse + 36 * p) < 0)
        return false;
    for (int k = 0; k < 6; k++) {
        if (item->free[k]) continue;
        Vec3 axis = mat3_column(axes, k % 3);
        ContactRow row = {.a = marker->body, .b = body};
        row.bias = vec3_dot(axis, k < 3 ? error.linear : error.angular) / h;
        if (k < 3) {
            row.jacobian_a = (Twist){vec3_neg(axis), vec3_neg(vec3_cross(arm, axis))};
            row.jacobian_b.linear = axis;
        } else {
            row.jacobian_a.angular = vec3_neg(axis);
            row.jacobian_b.angular = axis;
        }
        if (contact_problem_add_row(problem, row) < 0) return false;
    }
    return true;
}

typedef struct Adding {
    Coupling *coupling;
    double h;
} Adding;

static MrcStatus add(void *self, ContactProblem *problem, MachinePort *ports, MrcError *error) {
    Adding *adding = self;
    Coupling *c = adding->coupling;
    CouplingMachine *m = &c->machine;
    MrcStatus status = c->driver.join(c->driver.self, problem, m->markers, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++)
        if (has_mass(c, p) && !add_container(c, p, adding->h, problem))
            return error_memory(error, "the containers");
    for (int p = 0; p < c->count; p++) {
        ports[p] = m->markers[p];
        if (has_mass(c, p))
            ports[p] = (MachinePort){.body = m->bodies[p], .origin = c->containers.items[p].motion.position};
    }
    return MRC_OK;
}

static void take(void *self, const ContactProblem *problem, const ContactSolution *solution) {
    Adding *adding = self;
    adding->coupling->machine.solved = solution;
    adding->coupling->machine.problem = problem;
}

// What the rows of the container's joint do to the marker, about its origin.
static Load joint_impulse(const Coupling *c, int p) {
    const CouplingMachine *m = &c->machine;
    Load sum = {{0, 0, 0}, {0, 0, 0}};
    for (size_t k = m->first_rows[p];
         k < m->problem->rows.count && m->problem->rows.data[k].b == m->bodies[p]; k++) {
        double lambda = m->solved->lambdas.data[k];
        sum.force = vec3_madd(sum.force, lambda, m->problem->rows.data[k].jacobian_a.linear);
        sum.moment = vec3_madd(sum.moment, lambda, m->problem->rows.data[k].jacobian_a.angular);
    }
    Vec3 arm = vec3_sub(c->before[p].position, m->markers[p].origin);
    sum.moment = vec3_sub(sum.moment, vec3_cross(arm, sum.force));
    return sum;
}

MrcStatus exchange_machine(Coupling *c, double h, MrcError *error) {
    Adding adding = {c, h};
    ContactMachine machine = {&adding, c->count, add, take};
    containers_begin(&c->containers, h, c->gravity, c->before);
    for (int p = 0; p < c->count; p++) {
        if (!has_mass(c, p)) c->containers.items[p].motion = c->before[p];
        c->given[p] = c->containers.items[p].motion;
    }
    c->solves++;
    MrcStatus status =
        c->follower.advance_machine(c->follower.self, h, c->given, &machine, c->impulses, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++) {
        c->passed[p] = c->passed_early[p] = has_mass(c, p) ? joint_impulse(c, p) : c->impulses[p];
        c->early[p] = c->impulses[p];
        c->loads[p] = load_scale(1 / h, c->passed[p]);
    }
    c->driver.take(c->driver.self, c->machine.solved, c->passed);
    for (int p = 0; p < c->count; p++)
        if (has_mass(c, p))
            c->ended[p] = c->moved[p] = c->machine.solved->velocity.data[c->machine.bodies[p]];
    exchange_settle_euler(c, h);
    return MRC_OK;
}
