// Drivers and containers in the contact problem of the grains: joints are bilateral rows of it.
//
// The driver adds its bodies and joints. A container without mass is the body that carries its port. One with
// mass is a body of its own; its joint keeps the components C of the relative twist, one row for each,
//
//     C^T (v2 - T v1) + C^T e/h = 0
//
// T takes the twist of the marker's body to its point at the container's origin, e is how far the container
// is from where the joint holds it at the beginning of the step. The impulses of these rows act on the marker.
#include "coupling/coupling.h"

enum { SMALL_MACHINE = 16 }; // bodies up to which joints are rows

bool joined_problem_is_used(const Coupling *c) {
    JointsKind joints = c->definition->joints;
    if (joints == JOINTS_ELIMINATED || c->drivers.all.bodies == 0 || !c->followers.all.rows) return false;
    return joints == JOINTS_ROWS || c->drivers.all.bodies <= SMALL_MACHINE;
}

static bool joined_has_mass(const Coupling *c, int p) { return c->containers.items[p].definition.mass > 0; }

static bool joined_add_container(Coupling *c, int p, double h, ContactProblem *problem) {
    const Container *item = &c->containers.items[p];
    const MachinePort *marker = &c->joined.markers[p];
    Motion target = container_target(item, &c->step.before[p], &c->step.before[p]);
    Twist error = motion_twist_to(&target, &item->motion, 1);
    Vec3 arm = vec3_sub(target.position, marker->origin);
    Mat3 axes = quaternion_to_matrix(item->motion.orientation);
    int32_t body = contact_problem_add_body(problem, 0, 0, c->containers.loose[p]);
    c->joined.bodies[p] = body;
    c->joined.first_rows[p] = problem->rows.count;
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

typedef struct JoinedAdding {
    Coupling *coupling;
    double h;
} JoinedAdding;

static MrcStatus joined_add(void *self, ContactProblem *problem, MachinePort *ports, MrcError *error) {
    JoinedAdding *adding = self;
    Coupling *c = adding->coupling;
    JoinedProblem *m = &c->joined;
    MrcStatus status = drivers_join(&c->drivers, problem, m->markers, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++)
        if (joined_has_mass(c, p) && !joined_add_container(c, p, adding->h, problem))
            return error_memory(error, "the containers");
    for (int p = 0; p < c->count; p++) {
        ports[p] = m->markers[p];
        if (joined_has_mass(c, p))
            ports[p] = (MachinePort){.body = m->bodies[p], .origin = c->containers.items[p].motion.position};
    }
    return MRC_OK;
}

static void joined_take(void *self, const ContactProblem *problem, const ContactSolution *solution) {
    JoinedAdding *adding = self;
    adding->coupling->joined.solved = solution;
    adding->coupling->joined.problem = problem;
}

// What the rows of the container's joint do to the marker, about its origin.
static Load joined_joint_impulse(const Coupling *c, int p) {
    const JoinedProblem *m = &c->joined;
    Load sum = {{0, 0, 0}, {0, 0, 0}};
    for (size_t k = m->first_rows[p];
         k < m->problem->rows.count && m->problem->rows.data[k].b == m->bodies[p]; k++) {
        double lambda = m->solved->lambdas.data[k];
        sum.force = vec3_madd(sum.force, lambda, m->problem->rows.data[k].jacobian_a.linear);
        sum.moment = vec3_madd(sum.moment, lambda, m->problem->rows.data[k].jacobian_a.angular);
    }
    Vec3 arm = vec3_sub(c->step.before[p].position, m->markers[p].origin);
    sum.moment = vec3_sub(sum.moment, vec3_cross(arm, sum.force));
    return sum;
}

// Of a container at its origin: its own, or that of the body that carries its port.
static Twist joined_twist(const Coupling *c, int p) {
    const JoinedProblem *m = &c->joined;
    int32_t body = joined_has_mass(c, p) ? m->bodies[p] : m->markers[p].body;
    if (body < 0) return (Twist){{0, 0, 0}, {0, 0, 0}};
    Twist twist = m->solved->velocity.data[body];
    Vec3 arm = vec3_sub(c->step.before[p].position, m->markers[p].origin);
    if (!joined_has_mass(c, p)) twist.linear = vec3_add(twist.linear, vec3_cross(twist.angular, arm));
    return twist;
}

MrcStatus exchange_joined(Coupling *c, double h, MrcError *error) {
    JoinedAdding adding = {c, h};
    ContactMachine machine = {&adding, c->count, joined_add, joined_take};
    containers_begin(&c->containers, h, c->gravity, c->step.before, 1);
    exchange_follow_euler(c, h);
    for (int p = 0; p < c->count; p++) c->step.given[p] = c->containers.items[p].motion;
    c->step.solves++;
    MrcStatus status =
        followers_advance_machine(&c->followers, h, c->step.given, &machine, c->step.impulses, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++) {
        c->step.passed[p] = c->step.passed_early[p] =
            joined_has_mass(c, p) ? joined_joint_impulse(c, p) : c->step.impulses[p];
        c->step.early[p] = c->step.impulses[p];
        c->step.loads[p] = load_scale(1 / h, c->step.passed[p]);
    }
    for (int p = 0; p < c->count; p++) c->step.ended[p] = c->step.moved[p] = joined_twist(c, p);
    exchange_works(c, h);
    drivers_take(&c->drivers, c->joined.solved, c->step.passed, c->step.works);
    exchange_settle_euler(c, h);
    return MRC_OK;
}
