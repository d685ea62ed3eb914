#include "grains/neighbours.h"

#include <math.h>

#include "base/threads.h"
#include "math/simd.h"

// Cells are as wide as grains of usual size need them. Grains larger than `neighbours_usual` times the mean are left
// out of the search from cell to cell; their partners are searched in all cells that they reach. So one ball in a bed
// of small grains does not make all cells as large as itself.
static const double neighbours_usual = 1.5; // over the mean radius

// Cells are counted along one axis, row after row, plane after plane. The planes follow each other along the
// longest side of the bed: they are as small as can be, and grains that touch are never further apart in
// memory than one of them.
typedef struct NeighbourGrid {
    int axis[3]; // of a row, of a plane, from plane to plane
    double lower[3], inverse_size[3];
    int cells[3]; // along these axes
    bool periodic, wraps[3];
    double length[3]; // of periodic directions [m]
} NeighbourGrid;

MrcStatus neighbours_create(Neighbours *n, size_t count, double skin, const Periodic *periodic,
                            MrcError *error) {
    size_t bytes = (count + 16) * sizeof(double); // vector loads of a cell may look past the last grain
    *n = (Neighbours){.skin = skin, .periodic = periodic, .count = count, .capacity = count};
    n->x = memory_alloc(bytes);
    n->y = memory_alloc(bytes);
    n->z = memory_alloc(bytes);
    n->scratch = memory_alloc(bytes);
    bool ready = n->x && n->y && n->z && n->scratch && array_resize(&n->start, count + 1);
    ready = ready && array_resize(&n->cell, count) && array_resize(&n->order, count);
    if (ready) return MRC_OK;
    neighbours_free(n);
    return error_memory(error, "the neighbour lists");
}

MrcStatus neighbours_resize(Neighbours *n, size_t count, size_t capacity, MrcError *error) {
    size_t kept = n->count * sizeof(double), bytes = (capacity + 16) * sizeof(double);
    if (capacity > n->capacity) {
        double **arrays[] = {&n->x, &n->y, &n->z, &n->scratch};
        for (int k = 0; k < 4; k++)
            if (!memory_enlarge((void **)arrays[k], kept, bytes))
                return error_memory(error, "the neighbour lists");
        n->capacity = capacity;
    }
    n->count = count;
    bool ready = array_reserve(&n->start, n->capacity + 1) && array_resize(&n->start, count + 1) &&
                 array_reserve(&n->cell, n->capacity) && array_resize(&n->cell, count) &&
                 array_reserve(&n->order, n->capacity) && array_resize(&n->order, count);
    return ready ? MRC_OK : error_memory(error, "the neighbour lists");
}

void neighbours_free(Neighbours *n) {
    memory_free(n->x);
    memory_free(n->y);
    memory_free(n->z);
    memory_free(n->scratch);
    array_free(&n->start);
    array_free(&n->index);
    array_free(&n->cell);
    array_free(&n->order);
    array_free(&n->first);
    array_free(&n->large);
    array_free(&n->met);
    array_free(&n->pair_low);
    array_free(&n->pair_high);
    array_free(&n->far_start);
    array_free(&n->far);
    *n = (Neighbours){0}; // so that it may be called again
}

// The axis along which cells are sorted last: the longest one that is not periodic, so that the pairs of a grain are not far
// from it in the order of grains (layers.c).
static void neighbours_choose_axes(NeighbourGrid *grid, const Periodic *periodic, const double length[3]) {
    for (int k = 0; k < 2; k++) {
        bool worse = periodic->along[grid->axis[2]], better = !periodic->along[grid->axis[k]];
        bool longer = length[grid->axis[k]] > 1.01 * length[grid->axis[2]];
        if (better && (worse || longer)) {
            int axis = grid->axis[k];
            grid->axis[k] = grid->axis[2], grid->axis[2] = axis;
        }
    }
}

static double neighbours_cells_of_size(const double length[3], double size) {
    double cells = 1;
    for (int k = 0; k < 3; k++) cells *= length[k] / size + 1;
    return cells;
}

// The cells cover the grains where they are; at most about two cells per grain, however spread they are. A bed whose grains
// fly away along a line, its other sides being thinner than a cell, would have more; then cells are larger. Along a
// periodic direction they divide its length.
static NeighbourGrid neighbours_grid_around(const Neighbours *n, double reach) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    const double *p[3] = {n->x, n->y, n->z};
    const Periodic *periodic = n->periodic;
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n->count && !periodic->along[k]; i++) {
            lower[k] = p[k][i] < lower[k] ? p[k][i] : lower[k];
            upper[k] = p[k][i] > upper[k] ? p[k][i] : upper[k];
        }
        if (periodic->along[k])
            lower[k] = periodic->lower[k], upper[k] = periodic->lower[k] + periodic->length[k];
    }
    double volume = 1, length[3];
    for (int k = 0; k < 3; k++) volume *= length[k] = upper[k] - lower[k] + reach;
    double size = fmax(reach, cbrt(volume / (2.0 * (double)n->count + 8)));
    if (!isfinite(volume)) size = fmax(length[0], fmax(length[1], length[2]));
    while (neighbours_cells_of_size(length, size) > 0x1p20 + 32 * (double)n->count) size *= 2;
    NeighbourGrid grid = {.axis = {0, 1, 2}};
    neighbours_choose_axes(&grid, periodic, length);
    for (int k = 0; k < 3; k++) {
        int axis = grid.axis[k];
        grid.lower[k] = lower[axis];
        grid.inverse_size[k] = 1 / size;
        grid.cells[k] = (int)((upper[axis] - lower[axis]) * grid.inverse_size[k]) + 1;
        if (!periodic->along[axis]) continue;
        grid.periodic = grid.wraps[k] = true;
        grid.cells[k] = (int)fmax(floor(periodic->length[axis] / size), 1);
        grid.inverse_size[k] = grid.cells[k] / periodic->length[axis];
        grid.length[k] = periodic->length[axis];
    }
    return grid;
}

static inline int neighbours_grid_coordinate(const NeighbourGrid *grid, double p, int k) {
    double c = (p - grid->lower[k]) * grid->inverse_size[k];
    int last = grid->cells[k] - 1;
    return c > 0 ? c < last ? (int)c : last : 0; // where it is not a number: 0
}

// The radius up to which grains are found from cell to cell. Across periodic boundaries that is how all are found.
static double neighbours_cell_radius(const Neighbours *n, const GrainStore *store) {
    double largest = 0, usual = 0, sum = 0;
    for (size_t i = 0; i < store->count; i++) {
        sum += store->radius[i];
        largest = fmax(largest, store->radius[i]);
    }
    double most = neighbours_usual * sum / (double)store->count;
    if (largest <= most || n->periodic->any) return largest;
    for (size_t i = 0; i < store->count; i++)
        if (store->radius[i] <= most) usual = fmax(usual, store->radius[i]);
    return usual;
}

// Counting sort by cell of the positions x, y, z; within a cell the order stays. Fills cell, first and order.
static bool neighbours_sort_by_cell(Neighbours *n, const NeighbourGrid *grid, const double *x,
                                    const double *y, const double *z) {
    size_t cells = (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
    if (!array_resize(&n->first, cells + 2)) return false;
    int32_t *first = n->first.data;
    memset(first, 0, (cells + 2) * sizeof *first);
    const double *all[3] = {x, y, z}, *p[3];
    for (int k = 0; k < 3; k++) p[k] = all[grid->axis[k]];
    for (size_t i = 0; i < n->count; i++) {
        int a = neighbours_grid_coordinate(grid, p[0][i], 0),
            b = neighbours_grid_coordinate(grid, p[1][i], 1),
            c = neighbours_grid_coordinate(grid, p[2][i], 2);
        n->cell.data[i] = (c * grid->cells[1] + b) * grid->cells[0] + a;
        first[n->cell.data[i] + 2]++;
    }
    for (size_t c = 0; c < cells; c++) first[c + 2] += first[c + 1];
    // first[c + 1] is now where cell c starts; placing a grain moves it on, so that it ends as the start of c
    // + 1.
    for (size_t i = 0; i < n->count; i++) n->order.data[first[n->cell.data[i] + 1]++] = (int32_t)i;
    return true;
}

// The pairs of one grain, written to `list` when it is given. Returns their number.
typedef struct NeighbourSearch {
    const Neighbours *n;
    const NeighbourGrid *grid;
    const double *radius;
    const double *x; // of the grains that are found: large ones are nowhere in the search from cell to cell
    double limit;    // radius of the others, at most [m]
} NeighbourSearch;

// `center`: where grain i is, or its image.
static size_t neighbours_scan_range(const NeighbourSearch *s, size_t i, const double center[3], int32_t from,
                                    int32_t to, int32_t *list) {
    const Neighbours *n = s->n;
    Wide x = wide_set(center[0]), y = wide_set(center[1]), z = wide_set(center[2]);
    Wide reach_i = wide_set(s->radius[i] + n->range + n->skin);
    size_t found = 0;
    for (int32_t j = from; j < to; j += WIDE_LANES) {
        Wide dx = x - wide_load_unaligned(s->x + j), dy = y - wide_load_unaligned(n->y + j);
        Wide dz = z - wide_load_unaligned(n->z + j), reach;
        if (j + WIDE_LANES <= (int32_t)n->count) {
            reach = reach_i + wide_load_unaligned(s->radius + j);
        } else { // the radii have no slack behind the last grain
            double tail[WIDE_LANES] = {0};
            for (int32_t k = j; k < to; k++) tail[k - j] = s->radius[k];
            reach = reach_i + wide_load_unaligned(tail);
        }
        WideMask near =
            wide_mask_and(wide_less(dx * dx + dy * dy + dz * dz, reach * reach), wide_mask_first(to - j));
        if (!wide_mask_any(near)) continue;
        if (list) found += (size_t)wide_index_compress(list + found, near, wide_index_from(j));
        else found += (size_t)__builtin_popcount(wide_mask_bits(near));
    }
    return found;
}

// Across periodic boundaries: an image of grain i in each cell beyond them meets the grains behind i.
static size_t neighbours_across(const NeighbourSearch *s, size_t i, const int cell[3], int32_t *list) {
    const Neighbours *n = s->n;
    const NeighbourGrid *grid = s->grid;
    size_t found = 0;
    for (int k = 0; k < 27; k++) {
        const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        double center[3] = {n->x[i], n->y[i], n->z[i]};
        int there[3];
        bool across = false, inside = true;
        for (int c = 0; c < 3; c++) {
            there[c] = cell[c] + step[c];
            int turn = there[c] < 0 ? -1 : there[c] >= grid->cells[c] ? 1 : 0;
            inside = inside && (turn == 0 || grid->wraps[c]);
            across = across || turn != 0;
            there[c] -= turn * grid->cells[c];
            center[grid->axis[c]] -= turn * grid->length[c];
        }
        if (!across || !inside) continue;
        int32_t other = (there[2] * grid->cells[1] + there[1]) * grid->cells[0] + there[0];
        int32_t from = n->first.data[other], to = n->first.data[other + 1];
        if (from <= (int32_t)i) from = (int32_t)i + 1;
        if (from < to) found += neighbours_scan_range(s, i, center, from, to, list ? list + found : NULL);
    }
    return found;
}

// Lists are in the order of grains.
static void neighbours_sort_list(int32_t *list, size_t count) {
    for (size_t k = 1; k < count; k++) {
        int32_t moved = list[k];
        size_t to = k;
        for (; to > 0 && list[to - 1] > moved; to--) list[to] = list[to - 1];
        list[to] = moved;
    }
}

// ---- large grains --------------------------------------------------------------------------------
// The pairs of a large grain with all others, but once with another large one.
static bool neighbours_meet_large(Neighbours *n, const NeighbourSearch *s, size_t l, double reach) {
    const NeighbourGrid *grid = s->grid;
    const double center[3] = {n->x[l], n->y[l], n->z[l]};
    int from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = neighbours_grid_coordinate(grid, center[grid->axis[k]] - reach, k);
        to[k] = neighbours_grid_coordinate(grid, center[grid->axis[k]] + reach, k);
    }
    for (int c = from[2]; c <= to[2]; c++)
        for (int b = from[1]; b <= to[1]; b++) {
            int32_t row = (c * grid->cells[1] + b) * grid->cells[0];
            size_t found = neighbours_scan_range(s, l, center, n->first.data[row + from[0]],
                                                 n->first.data[row + to[0] + 1], n->met.data);
            for (size_t k = 0; k < found; k++) {
                int32_t j = n->met.data[k], own = (int32_t)l;
                if (j == own || (j < own && s->radius[j] > s->limit)) continue;
                if (!array_push(&n->pair_low, j < own ? j : own) ||
                    !array_push(&n->pair_high, j < own ? own : j))
                    return false;
            }
        }
    return true;
}

// All pairs with large grains, by their lower grain; the higher ones are in order.
static bool neighbours_find_large(Neighbours *n, const NeighbourSearch *s) {
    double largest = 0;
    n->large.count = n->pair_low.count = n->pair_high.count = n->far_start.count = n->far.count = 0;
    for (size_t i = 0; i < n->count; i++) {
        if (s->radius[i] <= s->limit) continue;
        if (!array_push(&n->large, (int32_t)i)) return false;
        largest = fmax(largest, s->radius[i]);
    }
    if (n->large.count == 0) return true;
    double other = (n->large.count > 1 ? largest : s->limit) + n->range + n->skin;
    if (!array_resize(&n->met, n->count + WIDE_LANES) || !array_resize(&n->far_start, n->count + 2))
        return false;
    for (size_t k = 0; k < n->large.count; k++)
        if (!neighbours_meet_large(n, s, (size_t)n->large.data[k], s->radius[n->large.data[k]] + other))
            return false;
    size_t pairs = n->pair_low.count;
    if (!array_resize(&n->far, pairs)) return false;
    int32_t *first = n->far_start.data; // as in neighbours_sort_by_cell
    memset(first, 0, (n->count + 2) * sizeof *first);
    for (size_t p = 0; p < pairs; p++) first[n->pair_low.data[p] + 2]++;
    for (size_t i = 0; i < n->count; i++) first[i + 2] += first[i + 1];
    for (size_t p = 0; p < pairs; p++) n->far.data[first[n->pair_low.data[p] + 1]++] = n->pair_high.data[p];
    return true;
}

// Adds those of grain i to its list; `found`: what is there already.
static size_t neighbours_add_large(const Neighbours *n, size_t i, size_t found, int32_t *list) {
    size_t from = (size_t)n->far_start.data[i], count = (size_t)n->far_start.data[i + 1] - from;
    if (list && count > 0) {
        memcpy(list + found, n->far.data + from, count * sizeof *list);
        neighbours_sort_list(list, found + count);
    }
    return found + count;
}

static size_t neighbours_from_cells(const NeighbourSearch *s, size_t i, int32_t *list) {
    const Neighbours *n = s->n;
    const int *cells = s->grid->cells;
    const int32_t *first = n->first.data;
    const double center[3] = {n->x[i], n->y[i], n->z[i]};
    int32_t cell = n->cell.data[i];
    int a = cell % cells[0], b = cell / cells[0] % cells[1], c = cell / cells[0] / cells[1];
    int left = a > 0 ? -1 : 0, right = a + 1 < cells[0] ? 1 : 0;
    // The rest of the own cell and the next one in the row; then the four rows behind.
    size_t found = neighbours_scan_range(s, i, center, (int32_t)i + 1, first[cell + right + 1], list);
    const int row[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};
    for (int r = 0; r < 4; r++) {
        int rb = b + row[r][0], rc = c + row[r][1];
        if (rb < 0 || rb >= cells[1] || rc >= cells[2]) continue;
        int32_t other = (rc * cells[1] + rb) * cells[0] + a;
        found += neighbours_scan_range(s, i, center, first[other + left], first[other + right + 1],
                                       list ? list + found : NULL);
    }
    if (!s->grid->periodic) return found;
    size_t across = neighbours_across(s, i, (const int[3]){a, b, c}, list ? list + found : NULL);
    if (list && across > 0) neighbours_sort_list(list, found + across);
    return found + across;
}

static size_t neighbours_of_grain(const NeighbourSearch *s, size_t i, int32_t *list) {
    size_t found = s->radius[i] <= s->limit ? neighbours_from_cells(s, i, list) : 0;
    return s->n->large.count > 0 ? neighbours_add_large(s->n, i, found, list) : found;
}

static MrcStatus neighbours_make_lists(Neighbours *n, const GrainStore *store, const NeighbourGrid *grid,
                                       double limit, MrcError *error) {
    NeighbourSearch search = {n, grid, store->radius, n->x, limit};
    if (!neighbours_find_large(n, &search)) return error_memory(error, "the neighbour lists");
    if (n->large.count > 0) {
        memcpy(n->scratch, n->x, n->count * sizeof *n->x);
        for (size_t k = 0; k < n->large.count; k++) n->scratch[n->large.data[k]] = INFINITY;
        search.x = n->scratch;
    }
    int32_t *start = n->start.data;
#pragma omp parallel for schedule(static) if (n->count > 2000)
    for (size_t i = 0; i < n->count; i++) start[i + 1] = (int32_t)neighbours_of_grain(&search, i, NULL);
    start[0] = 0;
    for (size_t i = 0; i < n->count; i++) {
        if (start[i + 1] > INT32_MAX - start[i])
            return error_set(error, MRC_MEMORY, "more than 2^31 pairs of neighbours");
        start[i + 1] += start[i];
    }
    if (!array_resize(&n->index, (size_t)start[n->count])) return error_memory(error, "the neighbour lists");
#pragma omp parallel for schedule(static) if (n->count > 2000)
    for (size_t i = 0; i < n->count; i++) neighbours_of_grain(&search, i, n->index.data + start[i]);
    return MRC_OK;
}

static void neighbours_sort_array(const Neighbours *n, double *array) {
    for (size_t k = 0; k < n->count; k++) n->scratch[k] = array[n->order.data[k]];
    memcpy(array, n->scratch, n->count * sizeof *array);
}

MrcStatus neighbours_build(Neighbours *n, GrainStore *store, const double *position, MrcError *error) {
    for (size_t i = 0; i < n->count; i++)
        n->x[i] = position[4 * i], n->y[i] = position[4 * i + 1], n->z[i] = position[4 * i + 2];
    double limit = neighbours_cell_radius(n, store);
    NeighbourGrid grid = neighbours_grid_around(n, 2 * limit + n->range + n->skin);
    if (!neighbours_sort_by_cell(n, &grid, n->x, n->y, n->z))
        return error_memory(error, "the neighbour grid");
    store_permute(store, n->order.data, n->scratch);
    neighbours_sort_array(n, n->x);
    neighbours_sort_array(n, n->y);
    neighbours_sort_array(n, n->z);
    // The cells in the new order.
    int32_t *sorted = (int32_t *)n->scratch;
    for (size_t k = 0; k < n->count; k++) sorted[k] = n->cell.data[n->order.data[k]];
    memcpy(n->cell.data, sorted, n->count * sizeof *sorted);
    n->builds++;
    return neighbours_make_lists(n, store, &grid, limit, error);
}

MrcStatus neighbours_rebuild(Neighbours *n, const GrainStore *store, MrcError *error) {
    double limit = neighbours_cell_radius(n, store);
    NeighbourGrid grid = neighbours_grid_around(n, 2 * limit + n->range + n->skin);
    if (!neighbours_sort_by_cell(n, &grid, n->x, n->y, n->z))
        return error_memory(error, "the neighbour grid");
    return neighbours_make_lists(n, store, &grid, limit, error);
}
