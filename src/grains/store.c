#include "grains/store.h"

#include "base/memory.h"

enum {
    store_array_count = 16,
    store_orientation = 11,
    store_history = 15
};                                                 // from 11 on they are there on request
enum { store_integer_count = 5, store_marks = 3 }; // likewise the last two
enum { store_slack = 16 };                         // vector loads pass the end

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
        {&s->born, "born"},
    };
    memcpy(arrays, all, sizeof all);
}

typedef struct StoreIntegers {
    int32_t **data;
    const char *name;
} StoreIntegers;

static void store_integers(GrainStore *s, StoreIntegers arrays[store_integer_count]) {
    const StoreIntegers all[store_integer_count] = {
        {&s->shape, "shape"}, {&s->material, "material"}, {&s->id, "id"},
        {&s->marks, "marks"}, {&s->kind, "kind"},
    };
    memcpy(arrays, all, sizeof all);
}

MrcStatus store_create(GrainStore *store, size_t count, MrcError *error) {
    StoreArray arrays[store_array_count];
    StoreIntegers integers[store_integer_count];
    *store = (GrainStore){.count = count, .capacity = count, .shapes = store_shapes};
    store_arrays(store, arrays);
    store_integers(store, integers);
    bool failed = false;
    for (int i = 0; i < store_orientation; i++)
        failed |= !(*arrays[i].data = memory_alloc((count + store_slack) * sizeof(double)));
    for (int i = 0; i < store_marks; i++)
        failed |= !(*integers[i].data = memory_alloc((count + 1) * sizeof(int32_t)));
    if (!failed) return MRC_OK;
    store_free(store);
    return error_memory(error, "the grains");
}

MrcStatus store_add_orientation(GrainStore *store, MrcError *error) {
    StoreArray arrays[store_array_count];
    bool failed = false;
    store_arrays(store, arrays);
    for (int i = store_orientation; i < store_history; i++)
        failed |= !*arrays[i].data &&
                  !(*arrays[i].data = memory_alloc((store->capacity + store_slack) * sizeof(double)));
    return failed ? error_memory(error, "the orientations of grains") : MRC_OK;
}

void store_drop_orientation(GrainStore *store) {
    StoreArray arrays[store_array_count];
    store_arrays(store, arrays);
    for (int i = store_orientation; i < store_history; i++) {
        memory_free(*arrays[i].data);
        *arrays[i].data = NULL;
    }
}

MrcStatus store_add_kinds(GrainStore *store, MrcError *error) {
    store->kind = memory_alloc((store->capacity + 1) * sizeof *store->kind);
    return store->kind ? MRC_OK : error_memory(error, "the kinds of grains");
}

MrcStatus store_add_history(GrainStore *store, MrcError *error) {
    store->born = memory_alloc((store->capacity + store_slack) * sizeof *store->born);
    store->marks = memory_alloc((store->capacity + 1) * sizeof *store->marks);
    return store->born && store->marks ? MRC_OK : error_memory(error, "the history of grains");
}

void store_free(GrainStore *store) {
    StoreArray arrays[store_array_count];
    StoreIntegers integers[store_integer_count];
    store_arrays(store, arrays);
    store_integers(store, integers);
    for (int i = 0; i < store_array_count; i++) memory_free(*arrays[i].data);
    for (int i = 0; i < store_integer_count; i++) memory_free(*integers[i].data);
    *store = (GrainStore){0};
}

// ---- a changing number of grains -----------------------------------------------------------------
MrcStatus store_reserve(GrainStore *store, size_t count, MrcError *error) {
    StoreArray arrays[store_array_count];
    StoreIntegers integers[store_integer_count];
    size_t capacity = count > 2 * store->capacity ? count : 2 * store->capacity;
    bool ready = true;
    if (count <= store->capacity) return MRC_OK;
    store_arrays(store, arrays);
    store_integers(store, integers);
    for (int i = 0; i < store_array_count; i++)
        ready = ready &&
                (!*arrays[i].data || memory_enlarge((void **)arrays[i].data, store->count * sizeof(double),
                                                    (capacity + store_slack) * sizeof(double)));
    for (int i = 0; i < store_integer_count; i++)
        ready = ready && (!*integers[i].data ||
                          memory_enlarge((void **)integers[i].data, store->count * sizeof(int32_t),
                                         (capacity + 1) * sizeof(int32_t)));
    if (!ready) return error_memory(error, "the grains");
    store->capacity = capacity;
    return MRC_OK;
}

void store_compact(GrainStore *store, const int32_t *place) {
    StoreArray arrays[store_array_count];
    StoreIntegers integers[store_integer_count];
    store_arrays(store, arrays);
    store_integers(store, integers);
    for (int k = 0; k < store_array_count; k++)
        for (size_t i = 0; *arrays[k].data && i < store->count; i++)
            if (place[i] >= 0) (*arrays[k].data)[place[i]] = (*arrays[k].data)[i];
    for (int k = 0; k < store_integer_count; k++)
        for (size_t i = 0; *integers[k].data && i < store->count; i++)
            if (place[i] >= 0) (*integers[k].data)[place[i]] = (*integers[k].data)[i];
}

// ---- all grains ----------------------------------------------------------------------------------
void store_archive(GrainStore *store, Archive *archive) {
    StoreArray arrays[store_array_count];
    StoreIntegers integers[store_integer_count];
    store_arrays(store, arrays);
    store_integers(store, integers);
    for (int i = 0; i < store_array_count; i++)
        if (*arrays[i].data) archive_doubles(archive, arrays[i].name, *arrays[i].data, store->count);
    for (int i = 0; i < store_integer_count; i++) {
        int32_t *data = *integers[i].data;
        if (!data) continue;
        if (data == store->marks) archive_bits32(archive, integers[i].name, data, store->count);
        else archive_int32s(archive, integers[i].name, data, store->count);
    }
}

void store_permute(GrainStore *store, const int32_t *order, double *scratch) {
    StoreArray arrays[store_array_count];
    StoreIntegers integers[store_integer_count];
    store_arrays(store, arrays);
    store_integers(store, integers);
    for (int i = 0; i < store_array_count; i++) {
        double *data = *arrays[i].data;
        if (!data) continue;
        for (size_t k = 0; k < store->count; k++) scratch[k] = data[order[k]];
        memcpy(data, scratch, store->count * sizeof *data);
    }
    int32_t *numbers = (int32_t *)scratch;
    for (int i = 0; i < store_integer_count; i++) {
        int32_t *data = *integers[i].data;
        if (!data) continue;
        for (size_t k = 0; k < store->count; k++) numbers[k] = data[order[k]];
        memcpy(data, numbers, store->count * sizeof *data);
    }
}

void store_keep(GrainStore *store, const int32_t *kept, size_t count) {
    StoreArray arrays[store_array_count];
    store_arrays(store, arrays);
    for (int i = 0; i < store_array_count; i++)
        for (size_t k = 0; *arrays[i].data && k < count; k++)
            (*arrays[i].data)[k] = (*arrays[i].data)[kept[k]];
    StoreIntegers integers[store_integer_count];
    store_integers(store, integers);
    for (int i = 0; i < store_integer_count; i++)
        for (size_t k = 0; *integers[i].data && k < count; k++)
            (*integers[i].data)[k] = (*integers[i].data)[kept[k]];
    store->count = count;
}

Mat3 store_inertia(const GrainStore *s, size_t i) {
    const Shape shape = store_shape(s, i);
    Mat3 own = shape_inertia(&shape, 1 / s->inverse_mass[i]);
    if (shape_is_round(&shape)) return own;
    Mat3 axes = quaternion_to_matrix((Quaternion){s->qw[i], s->qx[i], s->qy[i], s->qz[i]});
    return mat3_mul(mat3_mul(axes, own), mat3_transpose(axes));
}
