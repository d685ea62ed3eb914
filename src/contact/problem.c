// Building and checking contact problems: see problem.h.
#include "contact/problem.h"

#include "base/threads.h"

void contact_problem_clear(ContactProblem *problem) {
    problem->bodies.count = 0;
    problem->free_velocity.count = 0;
    problem->tensors.count = 0;
    problem->groups.count = 0;
    problem->group_bodies.count = 0;
    problem->group_numbers.count = 0;
    problem->contacts.count = 0;
    problem->rows.count = 0;
}

void contact_problem_free(ContactProblem *problem) {
    array_free(&problem->bodies);
    array_free(&problem->free_velocity);
    array_free(&problem->tensors);
    array_free(&problem->groups);
    array_free(&problem->group_bodies);
    array_free(&problem->group_numbers);
    array_free(&problem->contacts);
    array_free(&problem->rows);
}

int32_t contact_problem_add_body(ContactProblem *problem, double inverse_mass, double inverse_inertia,
                                 Twist free_velocity) {
    if (!array_push(&problem->bodies, (ContactBody){inverse_mass, inverse_inertia, -1, 0, 0}) ||
        !array_push(&problem->free_velocity, free_velocity))
        return -1;
    return (int32_t)problem->bodies.count - 1;
}

int32_t contact_problem_add_group(ContactProblem *problem, int32_t count, const int32_t *bodies,
                                  const double *inverse_mass) {
    size_t size = 6 * (size_t)count, first = problem->group_numbers.count;
    ContactGroup group = {count, (int32_t)problem->group_bodies.count, first};
    if (!array_reserve(&problem->group_bodies, problem->group_bodies.count + (size_t)count) ||
        !array_reserve(&problem->group_numbers, first + size * size) || !array_push(&problem->groups, group))
        return -1;
    int32_t index = (int32_t)problem->groups.count - 1;
    for (int32_t k = 0; k < count; k++) {
        problem->group_bodies.data[problem->group_bodies.count++] = bodies[k];
        ContactBody *body = &problem->bodies.data[bodies[k]];
        body->group = index;
        body->slot = k;
    }
    double *numbers = problem->group_numbers.data + first;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            numbers[i * size + j] = 0.5 * (inverse_mass[i * size + j] + inverse_mass[j * size + i]);
    problem->group_numbers.count = first + size * size;
    return index;
}

static Mat3 contact_problem_symmetric(Mat3 m) {
    Mat3 tensor;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) tensor.m[i][j] = 0.5 * (m.m[i][j] + m.m[j][i]);
    return tensor;
}

static bool contact_problem_is_round(const Mat3 *tensor) {
    return tensor->m[0][0] == tensor->m[1][1] && tensor->m[0][0] == tensor->m[2][2] && tensor->m[0][1] == 0 &&
           tensor->m[0][2] == 0 && tensor->m[1][2] == 0;
}

int32_t contact_problem_add_rigid(ContactProblem *problem, double inverse_mass, Mat3 inverse_inertia,
                                  Twist free_velocity) {
    Mat3 tensor = contact_problem_symmetric(inverse_inertia);
    bool isotropic = contact_problem_is_round(&tensor);
    int32_t body =
        contact_problem_add_body(problem, inverse_mass, isotropic ? tensor.m[0][0] : 0, free_velocity);
    if (body < 0 || isotropic) return body;
    if (!array_push(&problem->tensors, tensor)) return -1;
    problem->bodies.data[body].tensor = (int32_t)problem->tensors.count;
    return body;
}

int32_t contact_problem_add_rigids(ContactProblem *problem, size_t count) {
    size_t first = problem->bodies.count, tensor = problem->tensors.count;
    if (!array_resize(&problem->bodies, first + count) ||
        !array_resize(&problem->free_velocity, first + count) ||
        !array_resize(&problem->tensors, tensor + count))
        return -1;
    for (size_t k = 0; k < count; k++)
        problem->bodies.data[first + k] = (ContactBody){.group = -1, .tensor = (int32_t)(tensor + k + 1)};
    return (int32_t)first;
}

void contact_problem_set_rigid(ContactProblem *problem, int32_t body, double inverse_mass,
                               Mat3 inverse_inertia, Twist free_velocity) {
    ContactBody *b = &problem->bodies.data[body];
    Mat3 *tensor = &problem->tensors.data[b->tensor - 1];
    *tensor = contact_problem_symmetric(inverse_inertia);
    bool isotropic = contact_problem_is_round(tensor);
    b->inverse_mass = inverse_mass;
    b->inverse_inertia = isotropic ? tensor->m[0][0] : 0;
    if (isotropic) b->tensor = 0;
    problem->free_velocity.data[body] = free_velocity;
}

int32_t contact_problem_add_operator(ContactProblem *problem, int32_t count, const int32_t *bodies,
                                     ContactOperator *apply, void *user) {
    size_t size = 6 * (size_t)count;
    double *matrix = memory_alloc(size * size * sizeof *matrix);
    Twist *unit = memory_alloc(2 * (size_t)count * sizeof *unit);
    int32_t group = -1;
    if (matrix && unit) {
        Twist *answer = unit + count;
        for (size_t j = 0; j < size; j++) {
            ((double *)unit)[j] = 1;
            apply(user, unit, answer);
            ((double *)unit)[j] = 0;
            for (size_t i = 0; i < size; i++) matrix[i * size + j] = ((double *)answer)[i];
        }
        group = contact_problem_add_group(problem, count, bodies, matrix);
    }
    memory_free(matrix);
    memory_free(unit);
    return group;
}

int32_t contact_problem_add_contact(ContactProblem *problem, ContactPoint contact) {
    return array_push(&problem->contacts, contact) ? (int32_t)problem->contacts.count - 1 : -1;
}

int32_t contact_problem_add_row(ContactProblem *problem, ContactRow row) {
    return array_push(&problem->rows, row) ? (int32_t)problem->rows.count - 1 : -1;
}

// ---- solutions -----------------------------------------------------------------------------------
MrcStatus contact_solution_fit(ContactSolution *solution, const ContactProblem *problem, MrcError *error) {
    size_t contacts = solution->impulses.count, rows = solution->lambdas.count;
    if (!array_resize(&solution->impulses, problem->contacts.count) ||
        !array_resize(&solution->lambdas, problem->rows.count) ||
        !array_resize(&solution->velocity, problem->bodies.count))
        return error_memory(error, "the contact impulses");
    for (size_t i = contacts; i < solution->impulses.count; i++)
        solution->impulses.data[i] = (ContactImpulse){{0, 0, 0}, {0, 0, 0}};
    for (size_t i = rows; i < solution->lambdas.count; i++) solution->lambdas.data[i] = 0;
    return MRC_OK;
}

void contact_solution_clear(ContactSolution *solution) {
    solution->impulses.count = solution->lambdas.count = solution->velocity.count = 0;
}

void contact_solution_free(ContactSolution *solution) {
    array_free(&solution->impulses);
    array_free(&solution->lambdas);
    array_free(&solution->velocity);
}

// ---- checking ------------------------------------------------------------------------------------
static bool contact_problem_twist_is_finite(Twist t) {
    return vec3_is_finite(t.linear) && vec3_is_finite(t.angular);
}

static MrcStatus contact_problem_check_body(const ContactProblem *p, size_t i, MrcError *error) {
    const ContactBody *body = &p->bodies.data[i];
    Vec3 v = p->free_velocity.data[i].linear, w = p->free_velocity.data[i].angular;
    if (!isfinite(body->inverse_mass + body->inverse_inertia + v.x + v.y + v.z + w.x + w.y + w.z))
        return error_set(error, MRC_NOT_FINITE, "body %zu of the contact problem: not a finite number", i);
    if (body->inverse_mass < 0 || body->inverse_inertia < 0)
        return error_set(error, MRC_MODEL, "body %zu of the contact problem: negative mass", i);
    if (body->group >= (int32_t)p->groups.count)
        return error_set(error, MRC_MODEL, "body %zu of the contact problem: no such group", i);
    if (body->tensor < 0 || body->tensor > (int32_t)p->tensors.count)
        return error_set(error, MRC_MODEL, "body %zu of the contact problem: no such inertia", i);
    if (body->tensor > 0 && body->inverse_inertia != 0)
        return error_set(error, MRC_MODEL, "body %zu of the contact problem: two inertias", i);
    if (body->group >= 0 && (body->inverse_mass != 0 || body->inverse_inertia != 0 || body->tensor > 0))
        return error_set(error, MRC_MODEL, "body %zu of the contact problem: a mass beside its group's", i);
    return MRC_OK;
}

static MrcStatus contact_problem_check_tensor(const ContactProblem *p, size_t i, MrcError *error) {
    const Mat3 *t = &p->tensors.data[i];
    for (int k = 0; k < 9; k++)
        if (!isfinite(t->m[k / 3][k % 3]))
            return error_set(error, MRC_NOT_FINITE, "the contact problem: an inverse inertia is not finite");
    if (t->m[0][0] < 0 || t->m[1][1] < 0 || t->m[2][2] < 0)
        return error_set(error, MRC_MODEL, "the contact problem: negative moment of inertia");
    return MRC_OK;
}

// The message is that of the first one that is wrong, whichever thread comes across it.
typedef MrcStatus CheckOne(const ContactProblem *problem, size_t index, MrcError *error);

static MrcStatus contact_problem_check_each(const ContactProblem *p, size_t count, CheckOne *check,
                                            MrcError *error) {
    size_t wrong = count;
    if (count > THREADS_ALONE) {
#pragma omp parallel for schedule(static) reduction(min : wrong)
        for (size_t i = 0; i < count; i++) {
            MrcError unused;
            if (check(p, i, &unused) != MRC_OK && i < wrong) wrong = i;
        }
        return wrong < count ? check(p, wrong, error) : MRC_OK;
    }
    MrcStatus status = MRC_OK;
    for (size_t i = 0; i < count && status == MRC_OK; i++) status = check(p, i, error);
    return status;
}

static MrcStatus contact_problem_check_groups(const ContactProblem *p, MrcError *error) {
    for (size_t i = 0; i < p->group_numbers.count; i++)
        if (!isfinite(p->group_numbers.data[i]))
            return error_set(error, MRC_NOT_FINITE,
                             "the contact problem: a group's inverse mass is not finite");
    for (size_t g = 0; g < p->groups.count; g++) {
        const double *matrix = p->group_numbers.data + p->groups.data[g].first_number;
        size_t size = 6 * (size_t)p->groups.data[g].count;
        double largest = 0; // what rounding leaves of a port that cannot move is no mass
        for (size_t i = 0; i < size * size; i++) largest = fmax(largest, fabs(matrix[i]));
        for (size_t i = 0; i < size; i++)
            if (matrix[i * size + i] < -1e-6 * largest)
                return error_set(error, MRC_MODEL, "group %zu of the contact problem: negative mass", g);
    }
    return MRC_OK;
}

static MrcStatus contact_problem_check_contact(const ContactProblem *p, size_t i, MrcError *error) {
    int32_t count = (int32_t)p->bodies.count;
    const ContactPoint *c = &p->contacts.data[i];
    double finite = c->normal.x + c->normal.y + c->normal.z + c->arm_a.x + c->arm_a.y + c->arm_a.z +
                    c->arm_b.x + c->arm_b.y + c->arm_b.z + c->bias.x + c->bias.y + c->bias.z + c->friction +
                    c->rolling + c->spinning;
    if (!isfinite(finite))
        return error_set(error, MRC_NOT_FINITE, "contact %zu of bodies %d and %d: not a finite number", i,
                         c->a, c->b);
    if (c->a < -1 || c->b < -1 || c->a >= count || c->b >= count || (c->a == c->b && c->a >= 0))
        return error_set(error, MRC_MODEL, "contact %zu: between bodies %d and %d of %d", i, c->a, c->b,
                         count);
    if (!(fabs(vec3_norm2(c->normal) - 1) < 1e-9))
        return error_set(error, MRC_MODEL, "contact %zu of bodies %d and %d: the normal is no unit vector", i,
                         c->a, c->b);
    if (c->friction < 0 || c->rolling < 0 || c->spinning < 0)
        return error_set(error, MRC_MODEL, "contact %zu of bodies %d and %d: negative friction", i, c->a,
                         c->b);
    return MRC_OK;
}

MrcStatus contact_problem_check(const ContactProblem *p, MrcError *error) {
    if (!(p->dilation >= 0 && p->dilation < INFINITY))
        return error_set(error, MRC_MODEL, "the dilation of the contact problem is %g m/s", p->dilation);
    MrcStatus status = contact_problem_check_each(p, p->bodies.count, contact_problem_check_body, error);
    if (status == MRC_OK)
        status = contact_problem_check_each(p, p->tensors.count, contact_problem_check_tensor, error);
    if (status == MRC_OK) status = contact_problem_check_groups(p, error);
    if (status == MRC_OK)
        status = contact_problem_check_each(p, p->contacts.count, contact_problem_check_contact, error);
    if (status != MRC_OK) return status;
    int32_t count = (int32_t)p->bodies.count;
    for (size_t i = 0; i < p->rows.count; i++) {
        const ContactRow *row = &p->rows.data[i];
        if (row->a < -1 || row->b < -1 || row->a >= count || row->b >= count)
            return error_set(error, MRC_MODEL, "row %zu: between bodies %d and %d of %d", i, row->a, row->b,
                             count);
        if (!contact_problem_twist_is_finite(row->jacobian_a) ||
            !contact_problem_twist_is_finite(row->jacobian_b) || !isfinite(row->bias) ||
            !isfinite(row->compliance))
            return error_set(error, MRC_NOT_FINITE, "row %zu of the contact problem: not a finite number", i);
        if (row->compliance < 0)
            return error_set(error, MRC_MODEL, "row %zu of the contact problem: negative compliance", i);
    }
    return MRC_OK;
}
