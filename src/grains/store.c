#include "grains/store.h"

#include "base/memory.h"

enum { store_array_count = 23 };

// All the arrays of doubles, so that creating and freeing need no list of their own.
static void store_arrays(GrainStore *store, double **arrays[store_array_count]) {
    double **all[store_array_count] = {
        &store->x,  &store->y,  &store->z,  &store->vx, &store->vy, &store->vz,     &store->wx,  &store->wy,
        &store->wz, &store->fx, &store->fy, &store->fz, &store->tx, &store->ty,     &store->tz,  &store->sx,
        &store->sy, &store->sz, &store->dx, &store->dy, &store->dz, &store->radius, &store->mass};
    memcpy(arrays, all, sizeof all);
}

MrcStatus store_create(GrainStore *store, size_t count, MrcError *error) {
    double **arrays[store_array_count];
    *store = (GrainStore){.count = count};
    store_arrays(store, arrays);
    bool failed = false;
    for (int i = 0; i < store_array_count; i++)
        failed |= !(*arrays[i] = memory_alloc(count * sizeof(double)));
    failed |= !(store->id = memory_alloc(count * sizeof *store->id));
    if (!failed) return MRC_OK;
    store_free(store);
    return error_memory(error, "the grains");
}

void store_free(GrainStore *store) {
    double **arrays[store_array_count];
    store_arrays(store, arrays);
    for (int i = 0; i < store_array_count; i++) memory_free(*arrays[i]);
    memory_free(store->id);
    *store = (GrainStore){0};
}

void store_archive(GrainStore *store, Archive *archive) {
    archive_doubles(archive, "x", store->x, store->count);
    archive_doubles(archive, "y", store->y, store->count);
    archive_doubles(archive, "z", store->z, store->count);
    archive_doubles(archive, "vx", store->vx, store->count);
    archive_doubles(archive, "vy", store->vy, store->count);
    archive_doubles(archive, "vz", store->vz, store->count);
    archive_doubles(archive, "wx", store->wx, store->count);
    archive_doubles(archive, "wy", store->wy, store->count);
    archive_doubles(archive, "wz", store->wz, store->count);
    archive_int64s(archive, "id", store->id, store->count);
}
