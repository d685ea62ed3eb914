// Archives in memory: each entry is a header and a copy of its items, one entry after the other.
#include <stdlib.h>

#include "base/archive_backend.h"
#include "base/hash.h"

typedef struct MemoryArchive {
    Archive archive;           // must be first
    ARRAY(unsigned char) data; // count: bytes stored
    size_t position;           // of the next entry to load
    bool foreign;              // filled with bytes from outside
} MemoryArchive;

typedef struct MemoryEntry {
    uint64_t name; // hash, to detect a loading order that differs from the saving order; 0 without asserts
    uint64_t count;
    uint64_t type;
} MemoryEntry;

// Saving and loading are written by one function, so a wrong name is our own bug: like an assert, this check
// costs something only where asserts do.
static uint64_t memory_name(const char *name) {
#ifdef NDEBUG
    (void)name;
    return 0;
#else
    return hash_bytes(HASH_START, name, strlen(name));
#endif
}

static size_t memory_padded(size_t bytes) {
    return (bytes + 7) / 8 * 8; // keeps the headers aligned
}

static bool memory_save(MemoryArchive *memory, const char *name, ArchiveType type, const void *data,
                        size_t count) {
    size_t item = archive_item_size(type), start = memory->data.count;
    bool fits = count <= (SIZE_MAX / 2 - start) / item;
    size_t end = fits ? start + sizeof(MemoryEntry) + memory_padded(count * item) : 0;
    if (!fits || !array_reserve(&memory->data, end)) {
        archive_fail(&memory->archive, MRC_MEMORY, name, "out of memory for %zu items", count);
        return false;
    }
    MemoryEntry entry = {memory_name(name), count, type};
    memcpy(memory->data.data + start, &entry, sizeof entry);
    if (count) memcpy(memory->data.data + start + sizeof entry, data, count * item);
    memory->data.count = end;
    return true;
}

static bool memory_find(MemoryArchive *memory, const char *name, ArchiveType type, MemoryEntry *entry) {
    size_t left = memory->data.count - memory->position;
    bool found = left >= sizeof *entry;
    if (found) memcpy(entry, memory->data.data + memory->position, sizeof *entry);
    if (found && entry->type == (uint64_t)type && entry->name == memory_name(name) &&
        entry->count <= (left - sizeof *entry) / archive_item_size(type))
        return true;
    archive_fail(&memory->archive, MRC_CHECKPOINT, name, "it was not saved, or at another place");
    return false;
}

static bool memory_stored_count(Archive *archive, const char *name, ArchiveType type, size_t *count) {
    MemoryEntry entry;
    if (!memory_find((MemoryArchive *)archive, name, type, &entry)) return false;
    *count = entry.count;
    return true;
}

static bool memory_transfer(Archive *archive, const char *name, ArchiveType type, void *data, size_t count) {
    MemoryArchive *memory = (MemoryArchive *)archive;
    if (!archive->loading) return memory_save(memory, name, type, data, count);
    MemoryEntry entry;
    if (!memory_find(memory, name, type, &entry)) return false;
    if (entry.count != count) {
        archive_fail(archive, MRC_CHECKPOINT, name, "%zu items were saved, %zu are expected",
                     (size_t)entry.count, count);
        return false;
    }
    size_t bytes = count * archive_item_size(type);
    if (bytes) memcpy(data, memory->data.data + memory->position + sizeof entry, bytes);
    memory->position += sizeof entry + memory_padded(bytes);
    return true;
}

static void memory_destroy(Archive *archive) {
    MemoryArchive *memory = (MemoryArchive *)archive;
    array_free(&memory->data);
    free(memory);
}

static const ArchiveBackend memory_backend = {
    .stored_count = memory_stored_count,
    .transfer = memory_transfer,
    .stored_bytes = archive_memory_size,
    .destroy = memory_destroy,
};

Archive *archive_memory_create(void) {
    MemoryArchive *memory = calloc(1, sizeof *memory);
    if (!memory) return NULL;
    memory->archive.backend = &memory_backend;
    archive_begin(&memory->archive, false);
    return &memory->archive;
}

void archive_memory_save(Archive *archive) {
    archive_begin(archive, false);
    ((MemoryArchive *)archive)->data.count = 0;
    ((MemoryArchive *)archive)->foreign = false;
}

void archive_memory_load(Archive *archive) {
    archive_begin(archive, true);
    archive->trusted = !((MemoryArchive *)archive)->foreign;
    ((MemoryArchive *)archive)->position = 0;
}

const void *archive_memory_bytes(const Archive *archive) {
    return ((const MemoryArchive *)archive)->data.data;
}

bool archive_memory_fill(Archive *archive, const void *bytes, size_t count) {
    MemoryArchive *memory = (MemoryArchive *)archive;
    if (count % 8 != 0 || !array_resize(&memory->data, count)) return false;
    if (count) memcpy(memory->data.data, bytes, count);
    memory->foreign = true;
    return true;
}

size_t archive_memory_size(const Archive *archive) { return ((const MemoryArchive *)archive)->data.count; }
