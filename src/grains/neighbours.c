#include "grains/neighbours.h"

#include <math.h>

#include "base/threads.h"

typedef struct Grid {
    double lower[3], inverse_size;
    int cells[3];
} Grid;

MrcStatus neighbours_create(Neighbours *neighbours, const GrainStore *store, double skin, MrcError *error) {
    size_t bytes = store->count * sizeof(double);
    *neighbours = (Neighbours){.skin = skin, .count = store->count};
    neighbours->x = memory_alloc(bytes);
    neighbours->y = memory_alloc(bytes);
    neighbours->z = memory_alloc(bytes);
    bool ready = neighbours->x && neighbours->y && neighbours->z;
    ready = ready && array_resize(&neighbours->start, store->count + 1);
    ready = ready && array_resize(&neighbours->cell, store->count) &&
            array_resize(&neighbours->order, store->count);
    if (!ready) {
        neighbours_free(neighbours);
        return error_memory(error, "the neighbour lists");
    }
    // No list yet: a reference that is infinitely far makes the first update build one.
    for (size_t i = 0; i < store->count; i++) neighbours->x[i] = INFINITY;
    return MRC_OK;
}

void neighbours_free(Neighbours *neighbours) {
    memory_free(neighbours->x);
    memory_free(neighbours->y);
    memory_free(neighbours->z);
    array_free(&neighbours->start);
    array_free(&neighbours->index);
    array_free(&neighbours->cell);
    array_free(&neighbours->order);
    array_free(&neighbours->first);
}

// The cells cover the grains where they are now; at most about two cells per grain, however spread they are.
static Grid grid_around(const Neighbours *n, const GrainStore *store) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    double largest = 0;
    for (size_t i = 0; i < n->count; i++) {
        const double p[3] = {n->x[i], n->y[i], n->z[i]};
        for (int k = 0; k < 3; k++) {
            lower[k] = fmin(lower[k], p[k]);
            upper[k] = fmax(upper[k], p[k]);
        }
        largest = fmax(largest, store->radius[i]);
    }
    double size = 2 * largest + n->skin;
    double volume = 1;
    for (int k = 0; k < 3; k++) volume *= upper[k] - lower[k] + size;
    size = fmax(size, cbrt(volume / (2.0 * (double)n->count + 8)));
    Grid grid = {.inverse_size = 1 / size};
    for (int k = 0; k < 3; k++) {
        grid.lower[k] = lower[k];
        grid.cells[k] = (int)((upper[k] - lower[k]) / size) + 1;
    }
    return grid;
}

static int grid_coordinate(const Grid *grid, double p, int k) {
    int c = (int)((p - grid->lower[k]) * grid->inverse_size);
    return c < 0 ? 0 : c >= grid->cells[k] ? grid->cells[k] - 1 : c;
}

static int32_t grid_cell(const Grid *grid, const double p[3]) {
    int a = grid_coordinate(grid, p[0], 0), b = grid_coordinate(grid, p[1], 1),
        c = grid_coordinate(grid, p[2], 2);
    return (c * grid->cells[1] + b) * grid->cells[0] + a;
}

// Counting sort of the grains by cell; within a cell they stay in order of index.
static bool sort_by_cell(Neighbours *n, const Grid *grid) {
    size_t cells = (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
    if (!array_resize(&n->first, cells + 1)) return false;
    memset(n->first.data, 0, (cells + 1) * sizeof *n->first.data);
    for (size_t i = 0; i < n->count; i++) {
        n->cell.data[i] = grid_cell(grid, (double[3]){n->x[i], n->y[i], n->z[i]});
        n->first.data[n->cell.data[i] + 1]++;
    }
    for (size_t c = 0; c < cells; c++) n->first.data[c + 1] += n->first.data[c];
    for (size_t i = n->count; i-- > 0;) n->order.data[--n->first.data[n->cell.data[i] + 1]] = (int32_t)i;
    // The loop above moved each end back to its cell's start: shift the table by one cell.
    for (size_t c = 0; c < cells; c++) n->first.data[c] = n->first.data[c + 1];
    n->first.data[cells] = (int32_t)n->count;
    return true;
}

// Visits the near grains of i in a fixed order; writes them when `list` is given. Returns their number.
static size_t near_grains(const Neighbours *n, const GrainStore *store, const Grid *grid, size_t i,
                          int32_t *list) {
    const double p[3] = {n->x[i], n->y[i], n->z[i]};
    int from[3], to[3];
    for (int k = 0; k < 3; k++) {
        int c = grid_coordinate(grid, p[k], k);
        from[k] = c > 0 ? c - 1 : 0;
        to[k] = c + 1 < grid->cells[k] ? c + 1 : c;
    }
    size_t found = 0;
    for (int c = from[2]; c <= to[2]; c++)
        for (int b = from[1]; b <= to[1]; b++) {
            int row = (c * grid->cells[1] + b) * grid->cells[0];
            for (int32_t s = n->first.data[row + from[0]]; s < n->first.data[row + to[0] + 1]; s++) {
                int32_t j = n->order.data[s];
                double dx = p[0] - n->x[j], dy = p[1] - n->y[j], dz = p[2] - n->z[j];
                double reach = store->radius[i] + store->radius[j] + n->skin;
                if ((size_t)j == i || dx * dx + dy * dy + dz * dz >= reach * reach) continue;
                if (list) list[found] = j;
                found++;
            }
        }
    return found;
}

static MrcStatus make_lists(Neighbours *n, const GrainStore *store, MrcError *error) {
    Grid grid = grid_around(n, store);
    if (!sort_by_cell(n, &grid)) return error_memory(error, "the neighbour grid");
#pragma omp parallel for schedule(static) if (n->count > 2000)
    for (size_t i = 0; i < n->count; i++) n->start.data[i + 1] = near_grains(n, store, &grid, i, NULL);
    n->start.data[0] = 0;
    for (size_t i = 0; i < n->count; i++) n->start.data[i + 1] += n->start.data[i];
    if (!array_resize(&n->index, n->start.data[n->count])) return error_memory(error, "the neighbour lists");
#pragma omp parallel for schedule(static) if (n->count > 2000)
    for (size_t i = 0; i < n->count; i++) near_grains(n, store, &grid, i, n->index.data + n->start.data[i]);
    return MRC_OK;
}

MrcStatus neighbours_update(Neighbours *n, const GrainStore *store, MrcError *error) {
    double limit = 0.25 * n->skin * n->skin;
    bool moved = false, finite = true;
    for (size_t i = 0; i < n->count; i++) {
        double dx = store->x[i] - n->x[i], dy = store->y[i] - n->y[i], dz = store->z[i] - n->z[i];
        double distance2 = dx * dx + dy * dy + dz * dz;
        moved |= !(distance2 <= limit);
    }
    if (!moved) return MRC_OK;
    size_t bad = 0;
    for (size_t i = 0; i < n->count && finite; i++)
        if (!isfinite(store->x[i] + store->y[i] + store->z[i])) bad = i, finite = false;
    if (!finite)
        return error_set(error, MRC_NOT_FINITE, "the position of grain %lld is not a number any more",
                         (long long)store->id[bad]);
    memcpy(n->x, store->x, n->count * sizeof(double));
    memcpy(n->y, store->y, n->count * sizeof(double));
    memcpy(n->z, store->z, n->count * sizeof(double));
    n->rebuilds++;
    return make_lists(n, store, error);
}

void neighbours_archive(Neighbours *n, const GrainStore *store, Archive *archive) {
    archive_doubles(archive, "reference_x", n->x, n->count);
    archive_doubles(archive, "reference_y", n->y, n->count);
    archive_doubles(archive, "reference_z", n->z, n->count);
    archive_int64s(archive, "rebuilds", &n->rebuilds, 1);
    MrcError error;
    if (archive_is_loading(archive) && isfinite(n->x[0]) && make_lists(n, store, &error) != MRC_OK)
        archive_fail(archive, error.status, "reference_x", "%s", error.text);
}
