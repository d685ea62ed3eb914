// Fuzz target of the cache of settled beds: whatever a file in it says, with a checksum that is right, it is ignored or
// gives places that are finite.
//
//     fuzz_cache -max_total_time=60 CORPUS
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "grains/settle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_cache: %s\n", what);
    abort();
}

enum { cache_grains = 4 };
static char cache_path[600], *cache_bytes;
static size_t cache_length;

static void cache_fill(GrainStore *store) {
    MrcError error;
    require(store_create(store, cache_grains, &error) == MRC_OK, "memory");
    for (int i = 0; i < cache_grains; i++) store->radius[i] = store->x[i] = store->y[i] = store->z[i] = i + 1;
}

// A good file, by the program itself.
static void cache_start(void) {
    static char folder[] = "/tmp/maraca-fuzz-cache-XXXXXX";
    GrainStore store = {0};
    char inner[100];
    require(mkdtemp(folder) && setenv("XDG_CACHE_HOME", folder, 1) == 0, "a folder");
    cache_fill(&store);
    settle_cache_save("identity", &store);
    store_free(&store);
    snprintf(inner, sizeof inner, "%s/maraca", folder);
    DIR *open = opendir(inner);
    require(open != NULL, "the cache");
    for (struct dirent *entry; (entry = readdir(open));)
        if (entry->d_name[0] != '.') snprintf(cache_path, sizeof cache_path, "%s/%s", inner, entry->d_name);
    closedir(open);
    FILE *stream = fopen(cache_path, "rb");
    require(stream != NULL, "a bed in the cache");
    cache_bytes = malloc(10000);
    require(cache_bytes != NULL, "memory");
    cache_length = fread(cache_bytes, 1, 10000, stream);
    fclose(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!cache_bytes) cache_start();
    char bytes[10000];
    size_t length = cache_length;
    GrainStore store = {0};
    memcpy(bytes, cache_bytes, length);
    if (size > 0 && data[0] % 4 == 0) length = data[0] * length / 255; // cut off
    for (size_t at = 1; at + 3 <= size; at += 3)
        if (length) bytes[(data[at] | data[at + 1] << 8) % length] = (char)data[at + 2];
    if (length >= sizeof(uint64_t)) {
        uint64_t hash = hash_bytes(HASH_START, bytes, length - sizeof hash);
        memcpy(bytes + length - sizeof hash, &hash, sizeof hash);
    }
    FILE *stream = fopen(cache_path, "wb");
    require(stream && fwrite(bytes, 1, length, stream) == length && fclose(stream) == 0, "a file");
    cache_fill(&store);
    settle_cache_load("identity", &store);
    for (int i = 0; i < cache_grains; i++)
        require(isfinite(store.x[i]) && isfinite(store.y[i]) && isfinite(store.z[i]), "a place that is none");
    store_free(&store);
    return 0;
}
