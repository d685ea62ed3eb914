// The sparse system of the interior point method: see interior.h.
#include <amd.h>
#include <ldl.h>
#include <stdlib.h>

#include "contact/dense.h"
#include "contact/interior.h"
#include "contact/local.h"
#include "contact/twist.h"

static const double interior_factor_tolerance = 1e-13; // of an inverse mass: smaller pivots are none
static const double interior_regularisation =
    1e-13; // of rows, so that dependent ones have factors; removed by refinement

void interior_free(Interior *in) {
    array_free(&in->contacts), array_free(&in->rows), array_free(&in->nodes), array_free(&in->node_of);
    array_free(&in->numbers), array_free(&in->pairs);
    array_free(&in->graph_start), array_free(&in->graph), array_free(&in->order);
    array_free(&in->earlier_start), array_free(&in->earlier), array_free(&in->scratch);
    array_free(&in->column), array_free(&in->index), array_free(&in->value);
    array_free(&in->factor_start), array_free(&in->parent), array_free(&in->counts), array_free(&in->flags);
    array_free(&in->pattern), array_free(&in->factor_index), array_free(&in->factor_value);
    array_free(&in->pivot), array_free(&in->work);
    array_free(&in->y), array_free(&in->dy), array_free(&in->right), array_free(&in->best);
    array_free(&in->pivots);
}

static double *interior_allocate(Interior *in, size_t count, size_t *offset) { // zeroed; NULL: no memory
    *offset = in->numbers.count;
    if (!array_resize(&in->numbers, *offset + count)) return NULL;
    memset(in->numbers.data + *offset, 0, count * sizeof(double));
    return in->numbers.data + *offset;
}

// ---- nodes: bodies and groups, with M^-1 = L L^T -------------------------------------------------
static bool interior_add_group_node(Interior *in, const ContactProblem *p, int32_t g) {
    const ContactGroup *group = &p->groups.data[g];
    size_t n = 6 * (size_t)group->count, offset, scratch;
    if (!interior_allocate(in, n * n, &offset) || !interior_allocate(in, 2 * n * n + n, &scratch) ||
        !array_resize(&in->pivots, n))
        return false;
    double *l = in->numbers.data + offset, *a = in->numbers.data + scratch, *factor = a + n * n;
    memcpy(a, p->group_numbers.data + group->first_number, n * n * sizeof *a);
    size_t rank =
        dense_pivoted_cholesky(n, a, interior_factor_tolerance, factor, in->pivots.data, factor + n * n);
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c <= k && c < rank; c++)
            l[(size_t)in->pivots.data[k] * rank + c] = factor[k * n + c];
    in->numbers.count = scratch;
    for (int32_t k = 0; k < group->count; k++)
        in->node_of.data[p->group_bodies.data[group->first_body + k]] = rank ? (int32_t)in->nodes.count : -1;
    return rank == 0 ||
           array_push(&in->nodes, (InteriorNode){.size = (int32_t)rank, .group = g, .factor = offset});
}

// L of an inverse inertia; columns beyond its rank are zero.
static bool interior_add_tensor(Interior *in, const Mat3 *tensor, size_t *offset) {
    double a[9], factor[9], work[3];
    int32_t pivots[3];
    double *l = interior_allocate(in, 9, offset);
    if (!l) return false;
    memcpy(a, tensor->m, sizeof a);
    size_t rank = dense_pivoted_cholesky(3, a, interior_factor_tolerance, factor, pivots, work);
    for (size_t k = 0; k < 3; k++)
        for (size_t c = 0; c <= k && c < rank; c++) l[(size_t)pivots[k] * 3 + c] = factor[k * 3 + c];
    return true;
}

static bool interior_add_nodes(Interior *in, const ContactProblem *p) {
    in->nodes.count = in->numbers.count = 0;
    if (!array_resize(&in->node_of, p->bodies.count)) return false;
    for (size_t i = 0; i < p->bodies.count; i++) {
        const ContactBody *body = &p->bodies.data[i];
        in->node_of.data[i] = -1;
        if (body->group >= 0 || !contact_is_dynamic(p, (int32_t)i)) continue;
        in->node_of.data[i] = (int32_t)in->nodes.count;
        InteriorNode node = {.size = 6,
                             .group = -1,
                             .root_mass = sqrt(body->inverse_mass),
                             .root_inertia = sqrt(body->inverse_inertia),
                             .tensor = body->tensor > 0};
        if (node.tensor && !interior_add_tensor(in, &p->tensors.data[body->tensor - 1], &node.factor))
            return false;
        if (!array_push(&in->nodes, node)) return false;
    }
    for (size_t g = 0; g < p->groups.count; g++)
        if (!interior_add_group_node(in, p, (int32_t)g)) return false;
    return true;
}

// jacobian (node's size) += factor (J of the body) L, for one row J of six numbers.
static void interior_add_times_factor(const Interior *in, const ContactProblem *p, int32_t body, Twist j,
                                      double factor, double *jacobian) {
    const InteriorNode *node = &in->nodes.data[in->node_of.data[body]];
    const double *row = twist_view(&j);
    if (node->group < 0) {
        for (int k = 0; k < 6; k++)
            jacobian[k] += factor * row[k] * (k < 3 ? node->root_mass : node->root_inertia);
        for (int k = 0; k < 9 && node->tensor; k++)
            jacobian[3 + k % 3] += factor * row[3 + k / 3] * in->numbers.data[node->factor + (size_t)k];
        return;
    }
    size_t size = (size_t)node->size;
    const double *l = in->numbers.data + node->factor + 6 * (size_t)p->bodies.data[body].slot * size;
    for (size_t k = 0; k < 6; k++)
        for (size_t c = 0; c < size; c++) jacobian[c] += factor * row[k] * l[k * size + c];
}

// ---- contacts and rows ---------------------------------------------------------------------------
static int interior_ends_of(const Interior *in, int32_t a, int32_t b, int32_t node[2], int end_of_side[2]) {
    int ends = 0;
    for (int side = 0; side < 2; side++) {
        int32_t body = side ? b : a, at = body < 0 ? -1 : in->node_of.data[body];
        end_of_side[side] = -1;
        if (at < 0) continue;
        if (ends == 1 && node[0] == at) end_of_side[side] = 0;
        else node[ends] = at, end_of_side[side] = ends++;
    }
    return ends;
}

static void interior_set_cones(InteriorContact *c, const ContactPoint *point, double length) {
    Vec3 n = point->normal, t1 = vec3_perpendicular(n), t2 = vec3_cross(n, t1);
    const double radius[3] = {point->friction, point->rolling / length, point->spinning / length};
    const Vec3 first[3] = {t1, t1, n};
    c->axes[0] = n;
    c->rows = 1, c->cones = 0;
    for (int disc = 0; disc < 3; disc++) {
        if (!(radius[disc] > 0)) continue;
        c->cone_row[c->cones] = disc == 0 ? c->rows : c->rows | 8; // marked: an angular disc
        c->cone_size[c->cones] = disc == 2 ? 2 : 3;
        c->cone_radius[c->cones++] = radius[disc];
        c->axes[c->rows++] = first[disc];
        if (disc < 2) c->axes[c->rows++] = t2;
    }
    if (c->cones == 0) c->cone_row[0] = 0, c->cone_size[0] = 1, c->cone_radius[c->cones++] = 1;
}

static bool interior_row_is_angular(const InteriorContact *c, int row) {
    for (int k = 0; k < c->cones; k++)
        if ((c->cone_row[k] & 8) && row >= (c->cone_row[k] & 7) &&
            row < (c->cone_row[k] & 7) + c->cone_size[k] - 1)
            return true;
    return false;
}

static bool interior_add_contact(Interior *in, const ContactProblem *p, size_t i, double scale) {
    const ContactPoint *point = &p->contacts.data[i];
    InteriorContact c = {.contact = (int32_t)i};
    LocalScale local = local_scale(p, point);
    int side_end[2];
    c.ends = interior_ends_of(in, point->a, point->b, c.node, side_end);
    if (c.ends == 0 || !(local.w > 0)) return true;
    c.root = sqrt(local.w), c.length = local.length;
    interior_set_cones(&c, point, local.length);
    for (int e = 0; e < c.ends; e++)
        if (!interior_allocate(in, (size_t)(c.rows * in->nodes.data[c.node[e]].size), &c.jacobian[e]))
            return false;
    Twist u = contact_problem_relative(p, i, p->free_velocity.data);
    for (int row = 0; row < c.rows; row++) {
        bool angular = interior_row_is_angular(&c, row);
        double unit = (angular ? c.length : 1) / c.root;
        c.b[row] = vec3_dot(angular ? u.angular : u.linear, c.axes[row]) * unit / scale;
        for (int side = 0; side < 2; side++) {
            if (side_end[side] < 0) continue;
            int e = side_end[side];
            Vec3 arm = side ? point->arm_b : point->arm_a;
            Twist j = angular ? (Twist){{0, 0, 0}, c.axes[row]}
                              : (Twist){c.axes[row], vec3_cross(arm, c.axes[row])};
            double *jacobian =
                in->numbers.data + c.jacobian[e] + (size_t)(row * in->nodes.data[c.node[e]].size);
            interior_add_times_factor(in, p, side ? point->b : point->a, j, side ? unit : -unit, jacobian);
        }
    }
    for (int k = 0; k < c.cones; k++) c.cone_row[k] &= 7;
    return array_push(&in->contacts, c);
}

static bool interior_add_row(Interior *in, const ContactProblem *p, size_t i, double scale) {
    const ContactRow *row = &p->rows.data[i];
    double w = local_row_scale(p, row);
    InteriorRow r = {.row = (int32_t)i, .root = sqrt(w)};
    int side_end[2];
    r.ends = interior_ends_of(in, row->a, row->b, r.other, side_end);
    if (r.ends == 0 || !(w > 0)) return true;
    r.g = contact_problem_row(p, i, p->free_velocity.data) / (r.root * scale);
    r.compliance = row->compliance / w;
    for (int e = 0; e < r.ends; e++)
        if (!interior_allocate(in, (size_t)in->nodes.data[r.other[e]].size, &r.jacobian[e])) return false;
    for (int side = 0; side < 2; side++)
        if (side_end[side] >= 0)
            interior_add_times_factor(in, p, side ? row->b : row->a, side ? row->jacobian_b : row->jacobian_a,
                                      1 / r.root, in->numbers.data + r.jacobian[side_end[side]]);
    return array_push(&in->rows, r);
}

// ---- order and pattern ---------------------------------------------------------------------------
static bool interior_add_pair(Interior *in, int32_t i, int32_t j) {
    if (i == j) return true;
    return array_push(&in->pairs, (uint64_t)(uint32_t)i << 32 | (uint32_t)j) &&
           array_push(&in->pairs, (uint64_t)(uint32_t)j << 32 | (uint32_t)i);
}

static bool interior_find_pairs(Interior *in) {
    in->pairs.count = 0;
    for (size_t k = 0; k < in->contacts.count; k++) {
        const InteriorContact *c = &in->contacts.data[k];
        if (c->ends == 2 && !interior_add_pair(in, c->node[0], c->node[1])) return false;
    }
    for (size_t k = 0; k < in->rows.count; k++)
        for (int e = 0; e < in->rows.data[k].ends; e++)
            if (!interior_add_pair(in, in->rows.data[k].node, in->rows.data[k].other[e])) return false;
    return true;
}

// The neighbours of each node, each of them once.
static bool interior_make_graph(Interior *in) {
    size_t n = in->nodes.count, count = in->pairs.count;
    if (!array_resize(&in->graph_start, n + 2) || !array_resize(&in->graph, count + 1) ||
        !array_resize(&in->scratch, n + 1))
        return false;
    int32_t *start = in->graph_start.data, *graph = in->graph.data, *seen = in->scratch.data;
    memset(start, 0, (n + 2) * sizeof *start);
    for (size_t k = 0; k < count; k++) start[(in->pairs.data[k] >> 32) + 2]++;
    for (size_t i = 0; i < n; i++) start[i + 2] += start[i + 1];
    for (size_t k = 0; k < count; k++) // start[i + 1] goes on to the end of i, which is where i + 1 begins
        graph[start[(in->pairs.data[k] >> 32) + 1]++] = (int32_t)(in->pairs.data[k] & UINT32_MAX);
    for (size_t i = 0; i < n; i++) seen[i] = -1;
    int32_t kept = 0;
    for (size_t i = 0, from = 0; i < n; i++) {
        size_t to = (size_t)start[i + 1];
        start[i] = kept;
        for (; from < to; from++) {
            if (seen[graph[from]] == (int32_t)i) continue;
            seen[graph[from]] = (int32_t)i;
            graph[kept++] = graph[from];
        }
    }
    start[n] = kept;
    return true;
}

// AMD on nodes, in memory of our own: amd_order() takes some at each call. `place` is each node's first
// unknown.
static bool interior_order_nodes(Interior *in) {
    size_t n = in->nodes.count, edges = (size_t)in->graph_start.data[n], room = edges + edges / 5 + n + 1;
    if (!array_resize(&in->order, n) || !array_resize(&in->scratch, 8 * n + room)) return false;
    int32_t *first = in->scratch.data, *length = first + n, *graph = first + 8 * n;
    for (size_t i = 0; i < n; i++) {
        first[i] = in->graph_start.data[i];
        length[i] = in->graph_start.data[i + 1] - first[i];
    }
    memcpy(graph, in->graph.data, edges * sizeof *graph);
    amd_2((int)n, first, graph, length, (int)room, (int)edges, first + 2 * n, first + 3 * n, in->order.data,
          first + 4 * n, first + 5 * n, first + 6 * n, first + 7 * n, NULL, NULL);
    int32_t place = 0;
    for (size_t i = 0; i < n; i++) {
        InteriorNode *node = &in->nodes.data[in->order.data[i]];
        node->place = place;
        place += node->size;
    }
    in->unknowns = (size_t)place;
    return true;
}

// Where in its columns the block (rows of node i, columns of node j) starts; i is placed before j.
// Columns of one node all hold the same rows of earlier nodes, then their own up to the diagonal.
static size_t interior_find_block(const Interior *in, int32_t i, int32_t j) {
    int32_t from = in->column.data[in->nodes.data[j].place], row = in->nodes.data[i].place;
    int32_t to = in->column.data[in->nodes.data[j].place + 1];
    while (from < to) { // bisection: rows ascend
        int32_t middle = from + (to - from) / 2;
        if (in->index.data[middle] < row) from = middle + 1;
        else to = middle;
    }
    return (size_t)from;
}

// The neighbours of each node that are placed before it, in the order of their places.
static bool interior_find_earlier(Interior *in) {
    size_t n = in->nodes.count;
    if (!array_resize(&in->earlier_start, n + 2) || !array_resize(&in->earlier, in->graph.count))
        return false;
    int32_t *start = in->earlier_start.data;
    memset(start, 0, (n + 2) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            int32_t name = in->order.data[i];
            for (int32_t k = in->graph_start.data[name]; k < in->graph_start.data[name + 1]; k++) {
                int32_t other = in->graph.data[k];
                if (in->nodes.data[other].place < in->nodes.data[name].place) continue;
                if (pass == 0) start[other + 2]++;
                else in->earlier.data[start[other + 1]++] = name;
            }
        }
        for (size_t i = 0; i < n && pass == 0; i++) start[i + 2] += start[i + 1];
    }
    return true;
}

static bool interior_fill_pattern(Interior *in) {
    if (!array_resize(&in->column, in->unknowns + 1)) return false;
    in->index.count = 0;
    for (size_t i = 0; i < in->nodes.count; i++) {
        int32_t name = in->order.data[i];
        const InteriorNode *node = &in->nodes.data[name];
        size_t start = in->index.count;
        in->column.data[node->place] = (int32_t)start;
        for (int32_t k = in->earlier_start.data[name]; k < in->earlier_start.data[name + 1]; k++) {
            const InteriorNode *other = &in->nodes.data[in->earlier.data[k]];
            for (int32_t r = 0; r < other->size; r++)
                if (!array_push(&in->index, other->place + r)) return false;
        }
        size_t above = in->index.count - start;
        for (int32_t c = 0; c < node->size; c++) {
            if (c > 0) {
                in->column.data[node->place + c] = (int32_t)in->index.count;
                for (size_t k = 0; k < above; k++)
                    if (!array_push(&in->index, in->index.data[start + k])) return false;
            }
            for (int32_t r = 0; r <= c; r++)
                if (!array_push(&in->index, node->place + r)) return false;
        }
    }
    in->column.data[in->unknowns] = (int32_t)in->index.count;
    return array_resize(&in->value, in->index.count);
}

static void interior_find_blocks(Interior *in) {
    for (size_t k = 0; k < in->contacts.count; k++) {
        InteriorContact *c = &in->contacts.data[k];
        if (c->ends == 2 && in->nodes.data[c->node[0]].place > in->nodes.data[c->node[1]].place) { // in order
            int32_t node = c->node[0];
            size_t jacobian = c->jacobian[0];
            c->node[0] = c->node[1], c->jacobian[0] = c->jacobian[1];
            c->node[1] = node, c->jacobian[1] = jacobian;
        }
        for (int i = 0; i < c->ends; i++)
            for (int j = i; j < c->ends; j++)
                c->block[i][j] = interior_find_block(in, c->node[i], c->node[j]);
    }
    for (size_t k = 0; k < in->rows.count; k++) {
        InteriorRow *r = &in->rows.data[k];
        r->diagonal = interior_find_block(in, r->node, r->node);
        for (int e = 0; e < r->ends; e++) {
            bool before = in->nodes.data[r->other[e]].place < in->nodes.data[r->node].place;
            r->block[e] = before ? interior_find_block(in, r->other[e], r->node)
                                 : interior_find_block(in, r->node, r->other[e]);
        }
    }
}

static bool interior_analyse(Interior *in, double most) {
    size_t n = in->unknowns;
    if (!array_resize(&in->factor_start, n + 1) || !array_resize(&in->parent, n) ||
        !array_resize(&in->counts, n) || !array_resize(&in->flags, n) || !array_resize(&in->pattern, n) ||
        !array_resize(&in->pivot, n) || !array_resize(&in->work, n) || !array_resize(&in->y, 2 * n) ||
        !array_resize(&in->dy, n) || !array_resize(&in->right, n))
        return false;
    ldl_symbolic((int)n, in->column.data, in->index.data, in->factor_start.data, in->parent.data,
                 in->counts.data, in->flags.data, NULL, NULL);
    double entries = 0;
    in->operations = 0;
    for (size_t k = 0; k < n; k++) {
        double below = in->counts.data[k];
        entries += below;
        in->operations += below * below;
    }
    in->too_large = entries > 2e9;
    if (in->too_large || (most > 0 && in->operations > most)) return true; // it will not be factored
    size_t size = (size_t)in->factor_start.data[n];
    return array_resize(&in->factor_index, size) && array_resize(&in->factor_value, size);
}

MrcStatus interior_build(Interior *in, const ContactProblem *p, double scale, double most, MrcError *error) {
    in->contacts.count = in->rows.count = 0;
    bool done = interior_add_nodes(in, p);
    for (size_t i = 0; i < p->contacts.count && done; i++) done = interior_add_contact(in, p, i, scale);
    for (size_t i = 0; i < p->rows.count && done; i++) done = interior_add_row(in, p, i, scale);
    for (size_t i = 0; i < in->rows.count && done; i++) {
        in->rows.data[i].node = (int32_t)in->nodes.count;
        done = array_push(&in->nodes, (InteriorNode){.size = 1, .group = -2});
    }
    in->unknowns = 0;
    if (done && in->nodes.count == 0) return MRC_OK; // nothing can move
    done = done && interior_find_pairs(in) && interior_make_graph(in) && interior_order_nodes(in) &&
           interior_find_earlier(in) && interior_fill_pattern(in) && interior_analyse(in, most) &&
           array_resize(&in->best, INTERIOR_ROWS * in->contacts.count + in->rows.count);
    if (!done) return error_memory(error, "the system of the contact solver");
    interior_find_blocks(in);
    return MRC_OK;
}

// ---- numbers -------------------------------------------------------------------------------------
// value of column c of node j begins at column[place + c]; the block's rows are at the same offset in each.
static double *interior_entry(Interior *in, int32_t j, size_t block, int column) {
    int32_t place = in->nodes.data[j].place;
    return in->value.data + in->column.data[place + column] + (block - (size_t)in->column.data[place]);
}

static void interior_add_blocks(Interior *in, const InteriorContact *c) {
    for (int j = 0; j < c->ends; j++) {
        int columns = in->nodes.data[c->node[j]].size;
        const double *aj = in->numbers.data + c->jacobian[j];
        for (int col = 0; col < columns; col++) {
            double ha[INTERIOR_ROWS];
            for (int r = 0; r < c->rows; r++) {
                ha[r] = 0;
                for (int k = 0; k < c->rows; k++) ha[r] += c->h[r][k] * aj[k * columns + col];
            }
            for (int i = 0; i <= j; i++) {
                int rows = i == j ? col + 1 : in->nodes.data[c->node[i]].size,
                    size = in->nodes.data[c->node[i]].size;
                const double *ai = in->numbers.data + c->jacobian[i];
                double *out = interior_entry(in, c->node[j], c->block[i][j], col);
                for (int k = 0; k < c->rows; k++)
                    for (int r = 0; r < rows; r++) out[r] += ai[k * size + r] * ha[k];
            }
        }
    }
}

bool interior_factor(Interior *in) {
    memset(in->value.data, 0, in->value.count * sizeof(double));
    for (size_t i = 0; i < in->nodes.count; i++) {
        const InteriorNode *node = &in->nodes.data[i];
        for (int k = 0; k < node->size && node->group != -2; k++)
            in->value.data[in->column.data[node->place + k + 1] - 1] = 1;
    }
    for (size_t k = 0; k < in->contacts.count; k++) interior_add_blocks(in, &in->contacts.data[k]);
    for (size_t k = 0; k < in->rows.count; k++) {
        const InteriorRow *r = &in->rows.data[k];
        in->value.data[r->diagonal] = -r->compliance - interior_regularisation;
        for (int e = 0; e < r->ends; e++) {
            int size = in->nodes.data[r->other[e]].size;
            bool before = in->nodes.data[r->other[e]].place < in->nodes.data[r->node].place;
            for (int i = 0; i < size; i++)
                *(before ? in->value.data + r->block[e] + i
                         : interior_entry(in, r->other[e], r->block[e], i)) =
                    -in->numbers.data[r->jacobian[e] + (size_t)i];
        }
    }
    int n = (int)in->unknowns;
    return ldl_numeric(n, in->column.data, in->index.data, in->value.data, in->factor_start.data,
                       in->parent.data, in->counts.data, in->factor_index.data, in->factor_value.data,
                       in->pivot.data, in->work.data, in->pattern.data, in->flags.data, NULL, NULL) == n;
}

void interior_rows_right(const Interior *in, double *right) {
    for (size_t k = 0; k < in->rows.count; k++)
        right[in->nodes.data[in->rows.data[k].node].place] = in->rows.data[k].value;
}

void interior_rows_refine(const Interior *in, const double *total, double *right) {
    for (size_t k = 0; k < in->rows.count; k++) {
        const InteriorRow *r = &in->rows.data[k];
        double left = r->value + r->compliance * r->dlambda;
        for (int e = 0; e < r->ends; e++) {
            const double *b = in->numbers.data + r->jacobian[e],
                         *at = total + in->nodes.data[r->other[e]].place;
            double *out = right + in->nodes.data[r->other[e]].place;
            for (int i = 0; i < in->nodes.data[r->other[e]].size; i++) {
                left += b[i] * at[i];
                out[i] += b[i] * r->dlambda;
            }
        }
        right[in->nodes.data[r->node].place] = left;
    }
}

void interior_solve(Interior *in) {
    memcpy(in->dy.data, in->right.data, in->unknowns * sizeof(double));
    int n = (int)in->unknowns;
    ldl_lsolve(n, in->dy.data, in->factor_start.data, in->factor_index.data, in->factor_value.data);
    ldl_dsolve(n, in->dy.data, in->pivot.data);
    ldl_ltsolve(n, in->dy.data, in->factor_start.data, in->factor_index.data, in->factor_value.data);
    for (size_t k = 0; k < in->rows.count; k++) {
        double *at = &in->dy.data[in->nodes.data[in->rows.data[k].node].place];
        in->rows.data[k].ddlambda = *at;
        *at = 0;
    }
}

void interior_jacobian_times(const Interior *in, const InteriorContact *c, const double *z,
                             double out[INTERIOR_ROWS]) {
    for (int r = 0; r < c->rows; r++) out[r] = 0;
    for (int e = 0; e < c->ends; e++) {
        int size = in->nodes.data[c->node[e]].size;
        const double *a = in->numbers.data + c->jacobian[e], *at = z + in->nodes.data[c->node[e]].place;
        for (int r = 0; r < c->rows; r++)
            for (int k = 0; k < size; k++) out[r] += a[r * size + k] * at[k];
    }
}

void interior_add_transposed(const Interior *in, const InteriorContact *c, const double f[INTERIOR_ROWS],
                             double *z) {
    for (int e = 0; e < c->ends; e++) {
        int size = in->nodes.data[c->node[e]].size;
        const double *a = in->numbers.data + c->jacobian[e];
        double *at = z + in->nodes.data[c->node[e]].place;
        for (int r = 0; r < c->rows; r++)
            for (int k = 0; k < size; k++) at[k] += a[r * size + k] * f[r];
    }
}

void interior_velocities(Interior *in) {
    memset(in->y.data, 0, in->unknowns * sizeof(double));
    for (size_t k = 0; k < in->contacts.count; k++)
        interior_add_transposed(in, &in->contacts.data[k], in->contacts.data[k].p, in->y.data);
    for (size_t k = 0; k < in->rows.count; k++) {
        const InteriorRow *r = &in->rows.data[k];
        for (int e = 0; e < r->ends; e++)
            for (int i = 0; i < in->nodes.data[r->other[e]].size; i++)
                in->y.data[in->nodes.data[r->other[e]].place + i] +=
                    in->numbers.data[r->jacobian[e] + (size_t)i] * r->lambda;
    }
    for (size_t k = 0; k < in->contacts.count; k++) {
        InteriorContact *c = &in->contacts.data[k];
        interior_jacobian_times(in, c, in->y.data, c->u);
        for (int r = 0; r < c->rows; r++) c->u[r] += c->b[r];
        c->u[0] += c->shift;
    }
    for (size_t k = 0; k < in->rows.count; k++) {
        InteriorRow *r = &in->rows.data[k];
        r->value = r->g + r->compliance * r->lambda;
        for (int e = 0; e < r->ends; e++)
            for (int i = 0; i < in->nodes.data[r->other[e]].size; i++)
                r->value += in->numbers.data[r->jacobian[e] + (size_t)i] *
                            in->y.data[in->nodes.data[r->other[e]].place + i];
    }
}
