// Settled beds kept between runs: $XDG_CACHE_HOME/maraca or ~/.cache/maraca, one file per bed, named by a
// hash of everything the bed depends on. That text stands in the file as well and is compared, so that
// neither a foreign file nor two texts of the same hash can give a wrong bed; a checksum finds damage.
// Numbers are kept as they are in memory: a run from the cache is the same to the last bit.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/build.h"
#include "base/file.h"
#include "base/hash.h"
#include "grains/forms.h"
#include "grains/method.h"
#include "grains/settle.h"

static const char settle_cache_magic[16] = "maraca bed 3\n";

// ---- what a bed depends on -----------------------------------------------------------------------
// Programs built differently round differently, and any change of the program may move settled grains.
static void settle_cache_write_build(FILE *out) { fprintf(out, "build %s\n", build_identity()); }

static void settle_cache_write_numbers(FILE *out, const char *name, const double *numbers, size_t count) {
    fprintf(out, "%s", name);
    for (size_t i = 0; i < count; i++) fprintf(out, " %a", numbers[i]);
    fprintf(out, "\n");
}

static void settle_cache_write_material(FILE *out, const Material *m) {
    double numbers[] = {m->density, m->young, m->poisson, m->friction, m->restitution, m->rolling_friction};
    fprintf(out, "material %s\n", m->name);
    settle_cache_write_numbers(out, " numbers", numbers, sizeof numbers / sizeof *numbers);
}

static void settle_cache_write_wall(FILE *out, const WallDefinition *wall, const Motion *frame) {
    double numbers[] = {frame->position.x,    frame->position.y,    frame->position.z,   frame->orientation.w,
                        frame->orientation.x, frame->orientation.y, frame->orientation.z};
    fprintf(out, "wall material %s ", wall->material ? wall->material : "-");
    wall_write_identity(&wall->shape, out);
    settle_cache_write_numbers(out, " frame", numbers, sizeof numbers / sizeof *numbers);
}

static void settle_cache_write_setting(FILE *out, const GrainsSetting *setting, const GrainsDefinition *d) {
    const Quaternion q = setting->port->orientation;
    double world[] = {setting->gravity.x, setting->gravity.y, setting->gravity.z, q.w, q.x, q.y, q.z};
    const PackingDefinition *p = &d->packing;
    double packing[] = {p->direction.x, p->direction.y, p->direction.z,
                        p->limit,       p->depth,       (double)p->stages};
    settle_cache_write_numbers(out, "gravity and port", world, sizeof world / sizeof *world);
    settle_cache_write_numbers(out, "packing", packing, sizeof packing / sizeof *packing);
    const PeriodicDefinition *r = &d->periodic;
    if (r->along_x || r->along_y || r->along_z) {
        double ranges[] = {r->along_x, r->x[0],    r->x[1], r->along_y, r->y[0],
                           r->y[1],    r->along_z, r->z[0], r->z[1]};
        settle_cache_write_numbers(out, "periodic", ranges, sizeof ranges / sizeof *ranges);
    }
    if (p->in_region) wall_write_identity(&p->region.shape, out);
    fprintf(out, "seed %lld shakes %lld grains of %s\n", (long long)p->seed, (long long)p->shakes,
            d->particles.material);
    for (int m = 0; m < setting->material_count; m++)
        settle_cache_write_material(out, &setting->materials[m]);
    for (int k = 0; k < setting->pair_count; k++) {
        const MaterialPair *pair = &setting->pairs[k];
        double numbers[] = {pair->friction, pair->restitution, pair->rolling_friction};
        fprintf(out, "pair %s %s\n", pair->first, pair->second);
        settle_cache_write_numbers(out, " numbers", numbers, 3);
    }
}

char *settle_identity(const Room *room, const GrainsSetting *setting, const GrainStore *store,
                      const char *stage) {
    const GrainsDefinition *d = room->definition;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    settle_cache_write_build(out);
    settle_cache_write_setting(out, setting, d);
    fprintf(out, "stage %s method %s\n", stage, grains_method(d)->choice.word);
    grains_method(d)->write_identity(&(GrainsModel){.grains = d, .setting = setting}, out);
    for (int w = 0; w < d->wall_count; w++) {
        settle_cache_write_wall(out, &d->walls[w], &room->walls[w]);
        if (settle_is_left_out(&d->packing, &d->walls[w])) fprintf(out, " left out\n");
    }
    // Sizes have been drawn already, so the distribution is not part of the identity.
    uint64_t hash = hash_bytes(HASH_START, store->radius, store->count * sizeof *store->radius);
    fprintf(out, "radii %zu %016llx\n", store->count, (unsigned long long)hash);
    if (store->kind) {
        for (int k = 0; k < grains_kind_count(d); k++)
            fprintf(out, "kind of %s\n", grains_kind(d, k)->material);
        hash = hash_bytes(HASH_START, store->kind, store->count * sizeof *store->kind);
        fprintf(out, "kinds %016llx\n", (unsigned long long)hash);
    }
    if (store->qw) { // forms, and how they are turned before they fall
        const double *const turned[] = {store->qw, store->qx, store->qy, store->qz};
        hash = forms_hash(d, HASH_START);
        for (int k = 0; k < 4; k++) hash = hash_bytes(hash, turned[k], store->count * sizeof(double));
        fprintf(out, "forms %016llx\n", (unsigned long long)hash);
    }
    bool good = !ferror(out);
    good = fclose(out) == 0 && good;
    if (good) return text;
    free(text);
    return NULL;
}

// ---- files ---------------------------------------------------------------------------------------
// "HOME/.cache/maraca"; false: there is no such place.
static bool settle_cache_folder(char *path, size_t size) {
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (base && base[0] == '/') length = snprintf(path, size, "%s/maraca", base); // others are to be ignored
    else if (home && home[0] == '/') length = snprintf(path, size, "%s/.cache/maraca", home);
    return length > 0 && (size_t)length < size;
}

static bool settle_cache_path(const char *identity, char *path, size_t size) {
    char folder[900];
    if (!settle_cache_folder(folder, sizeof folder)) return false;
    uint64_t hash = hash_bytes(HASH_START, identity, strlen(identity));
    return (size_t)snprintf(path, size, "%s/bed-%016llx", folder, (unsigned long long)hash) < size;
}

typedef struct CacheHead {
    char magic[sizeof settle_cache_magic];
    uint64_t identity_length, count;
} CacheHead;

// What is kept of each grain: the radius, by which the bed is recognized, comes first.
enum { settle_cache_most_arrays = 8 };
static int settle_cache_arrays(const GrainStore *store, double *arrays[settle_cache_most_arrays]) {
    double *const all[settle_cache_most_arrays] = {store->radius, store->x,  store->y,  store->z,
                                                   store->qw,     store->qx, store->qy, store->qz};
    memcpy(arrays, all, sizeof all);
    return store->qw ? settle_cache_most_arrays : 4;
}

// magic, lengths, identity; of each grain id, radius, x, y, z, maybe orientations; checksum of all that
static bool settle_cache_is_whole(const char *text, size_t length, const char *identity, size_t most,
                                  int arrays, size_t *count) {
    CacheHead head;
    size_t own = strlen(identity);
    uint64_t stored, found;
    if (length < sizeof head) return false;
    memcpy(&head, text, sizeof head);
    *count = head.count;
    size_t each = sizeof(int32_t) + (size_t)arrays * sizeof(double);
    if (head.count > most || length != sizeof head + own + head.count * each + sizeof(uint64_t)) return false;
    memcpy(&stored, text + length - sizeof stored, sizeof stored);
    found = hash_bytes(HASH_START, text, length - sizeof stored);
    return memcmp(head.magic, settle_cache_magic, sizeof settle_cache_magic) == 0 &&
           head.identity_length == own && memcmp(text + sizeof head, identity, own) == 0 && stored == found;
}

// Do the ids increase, and are the radii those of the store?
static bool settle_cache_is_of(const GrainStore *store, const int32_t *ids, const char *radii, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (ids[k] < 0 || (size_t)ids[k] >= store->count || (k > 0 && ids[k] <= ids[k - 1])) return false;
        if (memcmp(radii + k * sizeof(double), &store->radius[ids[k]], sizeof(double)) != 0) return false;
    }
    return count > 0;
}

static bool settle_cache_are_finite(const char *numbers, size_t count) {
    double sum = 0, number;
    for (size_t i = 0; i < count; i++) {
        memcpy(&number, numbers + i * sizeof number, sizeof number);
        sum += 0 * number;
    }
    return sum == 0;
}

bool settle_cache_load(const char *identity, GrainStore *store) {
    char path[1000], *text;
    double *arrays[settle_cache_most_arrays];
    int kept = settle_cache_arrays(store, arrays);
    size_t length, count,
        limit = store->count * ((size_t)kept * sizeof(double) + sizeof(int32_t)) + strlen(identity) + 1000;
    if (!settle_cache_path(identity, path, sizeof path)) return false;
    if (file_read(path, limit, &text, &length, NULL) != MRC_OK) return false;
    bool good = settle_cache_is_whole(text, length, identity, store->count, kept, &count);
    int32_t *ids = good ? memory_alloc(count * sizeof *ids) : NULL;
    if (ids) {
        const char *start = text + sizeof(CacheHead) + strlen(identity);
        const char *numbers = start + count * sizeof *ids;
        memcpy(ids, start, count * sizeof *ids);
        good = settle_cache_is_of(store, ids, numbers, count) &&
               settle_cache_are_finite(numbers, (size_t)kept * count);
        if (good) store_keep(store, ids, count);
        for (int k = 1; k < kept && good; k++)
            memcpy(arrays[k], numbers + (size_t)k * count * sizeof(double), count * sizeof(double));
    }
    good = good && ids;
    memory_free(ids);
    free(text);
    return good;
}

static uint64_t settle_cache_write_part(FILE *out, uint64_t hash, const void *bytes, size_t count) {
    fwrite(bytes, 1, count, out);
    return hash_bytes(hash, bytes, count);
}

void settle_cache_save(const char *identity, const GrainStore *store) {
    char folder[900], path[1000], own[1020];
    FileWriter writer;
    if (!settle_cache_folder(folder, sizeof folder) || !settle_cache_path(identity, path, sizeof path))
        return;
    if (file_make_folder(folder, NULL) != MRC_OK) return;
    // A name of its own until it is whole: other processes, and threads, may be keeping the same bed.
    snprintf(own, sizeof own, "%s.%ld", path, (long)gettid());
    if (file_open(&writer, own, NULL) != MRC_OK) return;
    CacheHead head = {.identity_length = strlen(identity), .count = store->count};
    memcpy(head.magic, settle_cache_magic, sizeof settle_cache_magic);
    uint64_t hash = settle_cache_write_part(writer.stream, HASH_START, &head, sizeof head);
    hash = settle_cache_write_part(writer.stream, hash, identity, strlen(identity));
    hash = settle_cache_write_part(writer.stream, hash, store->id, store->count * sizeof *store->id);
    double *arrays[settle_cache_most_arrays];
    int kept = settle_cache_arrays(store, arrays);
    for (int k = 0; k < kept; k++)
        hash = settle_cache_write_part(writer.stream, hash, arrays[k], store->count * sizeof(double));
    fwrite(&hash, 1, sizeof hash, writer.stream);
    if (file_commit(&writer, NULL) == MRC_OK && rename(own, path) != 0) remove(own);
}
