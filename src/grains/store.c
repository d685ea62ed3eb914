#include "grains/store.h"

#include "base/memory.h"

enum { store_array_count = 15, store_orientation = 11 }; // the last four are there on request

static const Shape store_shapes[] = {{.kind = SHAPE_SPHERE, .radius = 1}};

// All arrays of doubles with their names, so that creating, freeing, sorting and saving need no list of their
// own.
typedef struct StoreArray {
    double **data;
    const char *name;
} StoreArray;

static void store_arrays(GrainStore *s, StoreArray arrays[store_array_count]) {
    const StoreArray all[store_array_count] = {
        {&s->x, "x"},
        {&s->y, "y"},
        {&s->z, "z"},
        {&s->vx, "vx"},
        {&s->vy, "vy"},
        {&s->vz, "vz"},
        {&s->wx, "wx"},
        {&s->wy, "wy"},
        {&s->wz, "wz"},
        {&s->radius, "radius"},
        {&s->inverse_mass, "inverse_mass"},
        {&s->qw, "qw"},
        {&s->qx, "qx"},
        {&s->qy, "qy"},
        {&s->qz, "qz"},
    };
    memcpy(arrays, all, sizeof all);
}

MrcStatus store_create(GrainStore *store, size_t count, MrcError *error) {
    StoreArray arrays[store_array_count];
    *store = (GrainStore){.count = count, .shapes = store_shapes};
    store_arrays(store, arrays);
    bool failed = false;
    for (int i = 0; i < store_orientation; i++)
        failed |=
            !(*arrays[i].data = memory_alloc((count + 16) * sizeof(double))); // vector loads pass the end
    failed |= !(store->shape = memory_alloc(count * sizeof *store->shape));
    failed |= !(store->material = memory_alloc(count * sizeof *store->material));
    failed |= !(store->id = memory_alloc(count * sizeof *store->id));
    if (!failed) return MRC_OK;
    store_free(store);
    return error_memory(error, "the grains");
}

MrcStatus store_add_orientation(GrainStore *store, MrcError *error) {
    StoreArray arrays[store_array_count];
    bool failed = false;
    store_arrays(store, arrays);
    for (int i = store_orientation; i < store_array_count; i++)
        failed |= !*arrays[i].data && !(*arrays[i].data = memory_alloc(store->count * sizeof(double)));
    return failed ? error_memory(error, "the orientations of grains") : MRC_OK;
}

void store_drop_orientation(GrainStore *store) {
    StoreArray arrays[store_array_count];
    store_arrays(store, arrays);
    for (int i = store_orientation; i < store_array_count; i++) {
        memory_free(*arrays[i].data);
        *arrays[i].data = NULL;
    }
}

void store_free(GrainStore *store) {
    StoreArray arrays[store_array_count];
    store_arrays(store, arrays);
    for (int i = 0; i < store_array_count; i++) memory_free(*arrays[i].data);
    memory_free(store->shape);
    memory_free(store->material);
    memory_free(store->id);
    *store = (GrainStore){0};
}

void store_archive(GrainStore *store, Archive *archive) {
    StoreArray arrays[store_array_count];
    store_arrays(store, arrays);
    for (int i = 0; i < store_array_count; i++)
        if (*arrays[i].data) archive_doubles(archive, arrays[i].name, *arrays[i].data, store->count);
    archive_int32s(archive, "shape", store->shape, store->count);
    archive_int32s(archive, "material", store->material, store->count);
    archive_int32s(archive, "id", store->id, store->count);
}

static void store_permute_integers(int32_t *data, const int32_t *order, size_t count, int32_t *scratch) {
    for (size_t k = 0; k < count; k++) scratch[k] = data[order[k]];
    memcpy(data, scratch, count * sizeof *data);
}

void store_permute(GrainStore *store, const int32_t *order, double *scratch) {
    StoreArray arrays[store_array_count];
    store_arrays(store, arrays);
    for (int i = 0; i < store_array_count; i++) {
        double *data = *arrays[i].data;
        if (!data) continue;
        for (size_t k = 0; k < store->count; k++) scratch[k] = data[order[k]];
        memcpy(data, scratch, store->count * sizeof *data);
    }
    store_permute_integers(store->shape, order, store->count, (int32_t *)scratch);
    store_permute_integers(store->material, order, store->count, (int32_t *)scratch);
    store_permute_integers(store->id, order, store->count, (int32_t *)scratch);
}

void store_keep(GrainStore *store, const int32_t *kept, size_t count) {
    StoreArray arrays[store_array_count];
    store_arrays(store, arrays);
    for (int i = 0; i < store_array_count; i++)
        for (size_t k = 0; *arrays[i].data && k < count; k++)
            (*arrays[i].data)[k] = (*arrays[i].data)[kept[k]];
    for (size_t k = 0; k < count; k++) {
        store->shape[k] = store->shape[kept[k]];
        store->material[k] = store->material[kept[k]];
        store->id[k] = store->id[kept[k]];
    }
    store->count = count;
}

Mat3 store_inertia(const GrainStore *s, size_t i) {
    const Shape shape = store_shape(s, i);
    Mat3 own = shape_inertia(&shape, 1 / s->inverse_mass[i]);
    if (shape_is_round(&shape)) return own;
    Mat3 axes = quaternion_to_matrix((Quaternion){s->qw[i], s->qx[i], s->qy[i], s->qz[i]});
    return mat3_mul(mat3_mul(axes, own), mat3_transpose(axes));
}
