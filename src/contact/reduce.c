// Taking bilateral rows out of a problem: see reduce.h.
#include "contact/reduce.h"

#include "contact/dense.h"
#include "contact/local.h"
#include "contact/twist.h"

static const double reduce_rank_tolerance =
    1e-11; // of a row's own diagonal: less is left of it by the rows before
static const double still_tolerance =
    1e-11; // of a velocity's own inverse mass: less is left of it by the rows

void reduction_free(Reduction *r) {
    contact_problem_free(&r->problem);
    array_free(&r->parent);
    array_free(&r->set_of);
    array_free(&r->sets);
    array_free(&r->bodies);
    array_free(&r->rows);
    array_free(&r->pivots);
    array_free(&r->factors);
    array_free(&r->scratch);
    array_free(&r->twists);
}

// ---- connected sets ------------------------------------------------------------------------------
static int32_t reduce_root_of(Reduction *r, int32_t body) {
    while (r->parent.data[body] != body) body = r->parent.data[body] = r->parent.data[r->parent.data[body]];
    return body;
}

static void reduce_join(Reduction *r, int32_t a, int32_t b) {
    int32_t ra = reduce_root_of(r, a), rb = reduce_root_of(r, b);
    if (ra < rb) r->parent.data[rb] = ra;
    else r->parent.data[ra] = rb;
}

static int32_t reduce_dynamic_end(const ContactProblem *p, const ContactRow *row) { // -1: none
    if (contact_is_dynamic(p, row->a)) return row->a;
    return contact_is_dynamic(p, row->b) ? row->b : -1;
}

static MrcStatus reduce_find_sets(Reduction *r, const ContactProblem *p, MrcError *error) {
    size_t bodies = p->bodies.count;
    if (!array_resize(&r->parent, bodies) || !array_resize(&r->set_of, bodies) ||
        !array_resize(&r->twists, 2 * bodies))
        return error_memory(error, "the joints");
    for (size_t i = 0; i < bodies; i++) r->parent.data[i] = (int32_t)i, r->set_of.data[i] = -1;
    for (size_t g = 0; g < p->groups.count; g++)
        for (int32_t k = 1; k < p->groups.data[g].count; k++)
            reduce_join(r, p->group_bodies.data[p->groups.data[g].first_body],
                        p->group_bodies.data[p->groups.data[g].first_body + k]);
    for (size_t i = 0; i < p->rows.count; i++) {
        const ContactRow *row = &p->rows.data[i];
        if (contact_is_dynamic(p, row->a) && contact_is_dynamic(p, row->b)) reduce_join(r, row->a, row->b);
    }
    r->sets.count = r->bodies.count = r->rows.count = 0;
    for (size_t i = 0; i < p->rows.count; i++) {
        int32_t end = reduce_dynamic_end(p, &p->rows.data[i]);
        if (end < 0) continue;
        int32_t root = reduce_root_of(r, end);
        if (r->set_of.data[root] < 0) {
            r->set_of.data[root] = (int32_t)r->sets.count;
            if (!array_push(&r->sets, (ReductionSet){0})) return error_memory(error, "the joints");
        }
        r->sets.data[r->set_of.data[root]].rows++;
    }
    for (size_t i = 0; i < bodies; i++) {
        if (!contact_is_dynamic(p, (int32_t)i)) continue;
        int32_t set = r->set_of.data[reduce_root_of(r, (int32_t)i)];
        r->set_of.data[i] = set;
        if (set >= 0) r->sets.data[set].bodies++;
    }
    return MRC_OK;
}

static MrcStatus reduce_list_sets(Reduction *r, const ContactProblem *p, MrcError *error) {
    size_t bodies = 0, rows = 0, factors = 0;
    for (size_t s = 0; s < r->sets.count; s++) {
        ReductionSet *set = &r->sets.data[s];
        set->first_body = bodies, set->first_row = rows, set->first_factor = factors;
        bodies += set->bodies, rows += set->rows, factors += set->rows * set->rows;
        set->bodies = set->rows = 0;
    }
    if (!array_resize(&r->bodies, bodies) || !array_resize(&r->rows, rows) ||
        !array_resize(&r->pivots, rows) || !array_resize(&r->factors, factors))
        return error_memory(error, "the joints");
    for (size_t i = 0; i < p->bodies.count; i++) {
        if (r->set_of.data[i] < 0) continue;
        ReductionSet *set = &r->sets.data[r->set_of.data[i]];
        r->parent.data[i] = (int32_t)set->bodies; // from now on: place in its set
        r->bodies.data[set->first_body + set->bodies++] = (int32_t)i;
    }
    for (size_t i = 0; i < p->rows.count; i++) {
        int32_t end = reduce_dynamic_end(p, &p->rows.data[i]);
        if (end < 0) continue;
        ReductionSet *set = &r->sets.data[r->set_of.data[end]];
        r->rows.data[set->first_row + set->rows++] = (int32_t)i;
    }
    return MRC_OK;
}

// ---- matrices of one set -------------------------------------------------------------------------
static void reduce_fill_inverse_mass(const Reduction *r, const ContactProblem *p, const ReductionSet *set,
                                     double *m) {
    size_t n = 6 * set->bodies;
    memset(m, 0, n * n * sizeof *m);
    for (size_t k = 0; k < set->bodies; k++) {
        const ContactBody *body = &p->bodies.data[r->bodies.data[set->first_body + k]];
        if (body->group < 0) {
            for (size_t i = 0; i < 6; i++)
                m[(6 * k + i) * (n + 1)] = i < 3 ? body->inverse_mass : body->inverse_inertia;
            for (size_t i = 0; i < 9 && body->tensor; i++)
                m[(6 * k + 3 + i / 3) * n + 6 * k + 3 + i % 3] =
                    p->tensors.data[body->tensor - 1].m[i / 3][i % 3];
            continue;
        }
        const ContactGroup *group = &p->groups.data[body->group];
        for (int32_t slot = 0; slot < group->count; slot++) {
            size_t other = (size_t)r->parent.data[p->group_bodies.data[group->first_body + slot]], stride;
            const double *block = contact_group_block(p, group, body->slot, slot, &stride);
            for (size_t i = 0; i < 6; i++)
                for (size_t j = 0; j < 6; j++) m[(6 * k + i) * n + 6 * other + j] = block[i * stride + j];
        }
    }
}

static size_t reduce_ends_of(const Reduction *r, const ContactProblem *p, const ContactRow *row,
                             size_t places[2], const double *jacobians[2]) {
    size_t count = 0;
    for (int side = 0; side < 2; side++) {
        int32_t body = side ? row->b : row->a;
        if (!contact_is_dynamic(p, body)) continue;
        places[count] = (size_t)r->parent.data[body];
        jacobians[count++] = twist_view(side ? &row->jacobian_b : &row->jacobian_a);
    }
    return count;
}

// b (row k: one row of the problem) = G M^-1, s = b G^T + C.
static void reduce_fill_rows(const Reduction *r, const ContactProblem *p, const ReductionSet *set,
                             const double *m, double *b, double *s) {
    size_t n = 6 * set->bodies, count = set->rows, places[2];
    const double *jacobians[2];
    memset(b, 0, count * n * sizeof *b);
    for (size_t k = 0; k < count; k++) {
        const ContactRow *row = &p->rows.data[r->rows.data[set->first_row + k]];
        size_t ends = reduce_ends_of(r, p, row, places, jacobians);
        for (size_t e = 0; e < ends; e++)
            for (size_t i = 0; i < 6; i++) {
                const double *mass = m + (6 * places[e] + i) * n;
                for (size_t j = 0; j < n; j++) b[k * n + j] += jacobians[e][i] * mass[j];
            }
    }
    for (size_t l = 0; l < count; l++) {
        const ContactRow *row = &p->rows.data[r->rows.data[set->first_row + l]];
        size_t ends = reduce_ends_of(r, p, row, places, jacobians);
        for (size_t k = 0; k < count; k++) {
            double sum = k == l ? row->compliance : 0;
            for (size_t e = 0; e < ends; e++)
                for (size_t j = 0; j < 6; j++) sum += b[k * n + 6 * places[e] + j] * jacobians[e][j];
            s[k * count + l] = sum;
        }
    }
}

// m -= z^T z. Velocities of which nothing is left get zero rows; false: all of them.
static bool reduce_take_out(size_t n, size_t rank, const double *z, double *m) {
    bool moves = false;
    for (size_t i = 0; i < n; i++) {
        double *row = m + i * n, own = row[i];
        for (size_t l = 0; l < rank; l++) {
            double f = z[l * n + i];
            if (f == 0) continue;
            for (size_t j = 0; j < n; j++) row[j] -= f * z[l * n + j];
        }
        bool still = row[i] <= still_tolerance * own;
        moves = moves || !still;
        if (still) row[i] = -1; // marked
    }
    for (size_t i = 0; i < n; i++)
        if (m[i * (n + 1)] < 0)
            for (size_t j = 0; j < n; j++) m[i * n + j] = m[j * n + i] = 0;
    return moves;
}

// The group of the set in the reduced problem. Velocities that the rows leave no freedom become data.
static MrcStatus reduce_add_set(Reduction *r, const ContactProblem *p, ReductionSet *set, MrcError *error) {
    size_t n = 6 * set->bodies, count = set->rows;
    if (!array_resize(&r->scratch, n * n + 2 * count * n + count * count + 2 * count))
        return error_memory(error, "the joints");
    double *m = r->scratch.data, *b = m + n * n, *z = b + count * n, *s = z + count * n,
           *x = s + count * count, *y = x + count;
    double *factor = r->factors.data + set->first_factor;
    int32_t *pivots = r->pivots.data + set->first_row;
    reduce_fill_inverse_mass(r, p, set, m);
    reduce_fill_rows(r, p, set, m, b, s);
    set->rank = dense_pivoted_cholesky(count, s, reduce_rank_tolerance, factor, pivots, x);
    for (size_t k = 0; k < set->rank; k++) { // z = L^-1 b, in order of pivots
        double *row = z + k * n;
        memcpy(row, b + (size_t)pivots[k] * n, n * sizeof *row);
        for (size_t l = 0; l < k; l++) {
            double f = factor[k * count + l];
            if (f == 0) continue;
            for (size_t j = 0; j < n; j++) row[j] -= f * z[l * n + j];
        }
        double f = 1 / factor[k * count + k];
        for (size_t j = 0; j < n; j++) row[j] *= f;
    }
    for (size_t k = 0; k < count; k++)
        x[k] = contact_problem_row(p, (size_t)r->rows.data[set->first_row + k], p->free_velocity.data);
    dense_pivoted_forward(count, set->rank, factor, pivots, x, y);
    for (size_t k = 0; k < set->bodies; k++) {
        double *v = twist_numbers(&r->problem.free_velocity.data[r->bodies.data[set->first_body + k]]);
        for (size_t i = 0; i < 6; i++)
            for (size_t l = 0; l < set->rank; l++) v[i] -= z[l * n + 6 * k + i] * y[l];
    }
    bool moves = reduce_take_out(n, set->rank, z, m);
    for (size_t k = 0; k < set->bodies; k++) {
        ContactBody *body = &r->problem.bodies.data[r->bodies.data[set->first_body + k]];
        *body = (ContactBody){.group = -1};
    }
    if (moves &&
        contact_problem_add_group(&r->problem, (int32_t)set->bodies, r->bodies.data + set->first_body, m) < 0)
        return error_memory(error, "the joints");
    return MRC_OK;
}

static MrcStatus reduce_copy_rest(Reduction *r, const ContactProblem *p, MrcError *error) {
    ContactProblem *q = &r->problem;
    contact_problem_clear(q);
    q->law = p->law;
    q->dilation = p->dilation;
    if (!array_resize(&q->bodies, p->bodies.count) || !array_resize(&q->free_velocity, p->bodies.count) ||
        !array_resize(&q->contacts, p->contacts.count) || !array_resize(&q->tensors, p->tensors.count))
        return error_memory(error, "the joints");
    if (p->tensors.count)
        memcpy(q->tensors.data, p->tensors.data, p->tensors.count * sizeof *p->tensors.data);
    if (p->bodies.count == 0) return MRC_OK;
    memcpy(q->bodies.data, p->bodies.data, p->bodies.count * sizeof *p->bodies.data);
    memcpy(q->free_velocity.data, p->free_velocity.data, p->bodies.count * sizeof *p->free_velocity.data);
    if (p->contacts.count)
        memcpy(q->contacts.data, p->contacts.data, p->contacts.count * sizeof *p->contacts.data);
    for (size_t g = 0; g < p->groups.count; g++) { // groups that no row touches stay what they are
        const ContactGroup *group = &p->groups.data[g];
        const int32_t *bodies = p->group_bodies.data + group->first_body;
        if (r->set_of.data[bodies[0]] >= 0) continue;
        if (contact_problem_add_group(q, group->count, bodies, p->group_numbers.data + group->first_number) <
            0)
            return error_memory(error, "the joints");
    }
    return MRC_OK;
}

MrcStatus reduction_build(Reduction *r, const ContactProblem *p, bool *fits, MrcError *error) {
    MrcStatus status = reduce_find_sets(r, p, error);
    if (status != MRC_OK) return status;
    *fits = true;
    for (size_t s = 0; s < r->sets.count; s++)
        if (6 * r->sets.data[s].bodies > REDUCE_MOST) *fits = false;
    if (!*fits) return MRC_OK;
    status = reduce_list_sets(r, p, error);
    if (status == MRC_OK) status = reduce_copy_rest(r, p, error);
    for (size_t s = 0; s < r->sets.count && status == MRC_OK; s++)
        status = reduce_add_set(r, p, &r->sets.data[s], error);
    return status;
}

void reduction_lambdas(Reduction *r, const ContactProblem *p, const ContactImpulse *impulses,
                       double *lambdas) {
    memset(lambdas, 0, p->rows.count * sizeof *lambdas);
    Twist *scratch = r->twists.data, *velocity = scratch + p->bodies.count;
    contact_problem_velocity(p, impulses, lambdas, scratch, velocity);
    for (size_t s = 0; s < r->sets.count; s++) {
        const ReductionSet *set = &r->sets.data[s];
        double *x = r->scratch.data, *y = x + set->rows;
        const int32_t *rows = r->rows.data + set->first_row, *pivots = r->pivots.data + set->first_row;
        const double *factor = r->factors.data + set->first_factor;
        for (size_t k = 0; k < set->rows; k++) x[k] = -contact_problem_row(p, (size_t)rows[k], velocity);
        dense_pivoted_forward(set->rows, set->rank, factor, pivots, x, y);
        dense_pivoted_backward(set->rows, set->rank, factor, pivots, y, x);
        for (size_t k = 0; k < set->rows; k++) lambdas[rows[k]] = x[k];
    }
}
