// Datasets are written as they come, header and data; groups at the end, children before parents, since a link holds the
// address of what it leads to.
#include <stdlib.h>

#include "base/archive_backend.h"
#include "output/hdf5_file.h"
#include "output/hdf5_format.h"

typedef struct Hdf5Link {
    char *name;
    size_t address; // of the header
    size_t next;    // of the same group; SIZE_MAX: none
} Hdf5Link;

typedef struct Hdf5Group {
    char *path;         // "/a/b"; "" is the root
    size_t parent;      // of the root: itself
    size_t first, last; // links; SIZE_MAX: none
    size_t count;
} Hdf5Group;

struct Hdf5Writer {
    Arena *arena; // names
    ARRAY(unsigned char) bytes;
    ARRAY(Hdf5Group) groups; // parents before children
    ARRAY(Hdf5Link) links;
    ARRAY(unsigned char) attributes; // messages for the root's header
    size_t attribute_count;
};

// ---- bytes ---------------------------------------------------------------------------------------
static void hdf5_put(unsigned char *at, uint64_t value, int size) {
    for (int k = 0; k < size; k++) at[k] = (unsigned char)(value >> 8 * k);
}

static size_t hdf5_padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

static size_t hdf5_here(const Hdf5Writer *writer) { return writer->bytes.count - HDF5_USER_BLOCK; }

// Zeroed bytes at the end, a multiple of 8; NULL: out of memory.
static unsigned char *hdf5_append(Hdf5Writer *writer, size_t bytes) {
    size_t start = writer->bytes.count;
    if (bytes > SIZE_MAX / 4 || !array_resize(&writer->bytes, start + hdf5_padded(bytes))) return NULL;
    return memset(writer->bytes.data + start, 0, hdf5_padded(bytes));
}

static unsigned char *hdf5_put_header(unsigned char *at, size_t messages, size_t bytes) {
    at[0] = 1;
    hdf5_put(at + 2, messages, 2);
    hdf5_put(at + 4, 1, 4); // links to it
    hdf5_put(at + 8, bytes, 4);
    return at + HDF5_HEADER_BYTES;
}

// The head of a message; returns where its content goes.
static unsigned char *hdf5_put_message(unsigned char *at, int kind, size_t content) {
    hdf5_put(at, (unsigned)kind, 2);
    hdf5_put(at + 2, hdf5_padded(content), 2);
    return at + HDF5_MESSAGE_BYTES;
}

static size_t hdf5_message_size(size_t content) { return HDF5_MESSAGE_BYTES + hdf5_padded(content); }

// ---- the writer ----------------------------------------------------------------------------------
Hdf5Writer *hdf5_writer_create(void) {
    Hdf5Writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->arena = arena_create();
    char *root = writer->arena ? arena_strdup(writer->arena, "") : NULL;
    if (root && hdf5_append(writer, HDF5_USER_BLOCK + HDF5_SUPERBLOCK_BYTES) &&
        array_push(&writer->groups, (Hdf5Group){.path = root, .first = SIZE_MAX, .last = SIZE_MAX}))
        return writer;
    hdf5_writer_destroy(writer);
    return NULL;
}

void hdf5_writer_destroy(Hdf5Writer *writer) {
    if (!writer) return;
    array_free(&writer->bytes);
    array_free(&writer->groups);
    array_free(&writer->links);
    array_free(&writer->attributes);
    arena_destroy(writer->arena);
    free(writer);
}

// ---- groups --------------------------------------------------------------------------------------
static bool hdf5_has_link(const Hdf5Writer *writer, size_t group, const char *name) {
    size_t at = writer->groups.data[group].first;
    while (at != SIZE_MAX && strcmp(writer->links.data[at].name, name) != 0) at = writer->links.data[at].next;
    return at != SIZE_MAX;
}

static Hdf5Trouble hdf5_add_link(Hdf5Writer *writer, size_t into, const char *name, size_t address) {
    if (hdf5_has_link(writer, into, name)) return HDF5_NAME_TWICE;
    Hdf5Group *group = &writer->groups.data[into];
    if (group->count + 8 > HDF5_MESSAGES_MAX) return HDF5_TOO_MANY;
    char *copy = arena_strdup(writer->arena, name);
    if (!copy || !array_push(&writer->links, (Hdf5Link){copy, address, SIZE_MAX})) return HDF5_MEMORY;
    size_t link = writer->links.count - 1;
    if (group->count++ == 0) group->first = link;
    else writer->links.data[group->last].next = link;
    group->last = link;
    return HDF5_GOOD;
}

// The group of this path, made with its parents when it is not there yet.
static Hdf5Trouble hdf5_find_group(Hdf5Writer *writer, const char *path, size_t length, size_t *found) {
    for (size_t i = writer->groups.count; i-- > 0;) { // most often the last one
        const char *other = writer->groups.data[i].path;
        if (strncmp(other, path, length) == 0 && other[length] == '\0') {
            *found = i;
            return HDF5_GOOD;
        }
    }
    size_t above = length;
    while (above > 0 && path[above - 1] != '/') above--;
    size_t parent = 0;
    Hdf5Trouble trouble = hdf5_find_group(writer, path, above ? above - 1 : 0, &parent);
    if (trouble != HDF5_GOOD) return trouble;
    char *copy = arena_strndup(writer->arena, path, length);
    if (!copy) return HDF5_MEMORY;
    if (!array_push(&writer->groups, (Hdf5Group){copy, parent, SIZE_MAX, SIZE_MAX, 0})) return HDF5_MEMORY;
    *found = writer->groups.count - 1;
    return HDF5_GOOD;
}

// ---- datasets and attributes ---------------------------------------------------------------------
Hdf5Trouble hdf5_write_dataset(Hdf5Writer *writer, const char *path, ArchiveType type, const void *data,
                               size_t count) {
    const Hdf5Type *datatype = &hdf5_types[type];
    size_t item = archive_item_size(type), into = 0, address = hdf5_here(writer);
    if (count > SIZE_MAX / 8 / item) return HDF5_MEMORY;
    const char *slash = strrchr(path, '/');
    Hdf5Trouble trouble = hdf5_find_group(writer, path, (size_t)(slash - path), &into);
    if (trouble == HDF5_GOOD) trouble = hdf5_add_link(writer, into, slash + 1, address);
    if (trouble != HDF5_GOOD) return trouble;
    size_t space = 16, fill = 8, layout = 24;
    size_t messages = hdf5_message_size(space) + hdf5_message_size(datatype->length) +
                      hdf5_message_size(fill) + hdf5_message_size(layout);
    unsigned char *at = hdf5_append(writer, HDF5_HEADER_BYTES + messages + count * item);
    if (!at) return HDF5_MEMORY;
    at = hdf5_put_header(at, 4, messages);
    at = hdf5_put_message(at, HDF5_DATASPACE, space);
    at[0] = at[1] = 1; // version, dimensions
    hdf5_put(at + 8, count, 8);
    at = hdf5_put_message(at + space, HDF5_DATATYPE, datatype->length);
    memcpy(at, datatype->bytes, datatype->length);
    at = hdf5_put_message(at + datatype->length, HDF5_FILL_VALUE, fill);
    memcpy(at, (const unsigned char[]){2, 2, 2, 1},
           4); // version; places late; only if set; the default, zeros
    at = hdf5_put_message(at + fill, HDF5_LAYOUT, layout);
    memcpy(at, (const unsigned char[]){3, 1}, 2); // version, contiguous
    hdf5_put(at + 2, count ? address + HDF5_HEADER_BYTES + messages : UINT64_MAX, 8);
    hdf5_put(at + 10, count * item, 8);
    if (count) memcpy(at + layout, data, count * item);
    return HDF5_GOOD;
}

static Hdf5Trouble hdf5_write_attribute(Hdf5Writer *writer, const char *name, const Hdf5Type *type,
                                        const void *value, size_t size) {
    size_t name_size = strlen(name) + 1, space = 8;
    size_t content = 8 + hdf5_padded(name_size) + hdf5_padded(type->length) + space + hdf5_padded(size);
    size_t start = writer->attributes.count;
    if (content > HDF5_MESSAGE_MAX || writer->attribute_count == 4) return HDF5_TOO_MANY;
    if (!array_resize(&writer->attributes, start + hdf5_message_size(content))) return HDF5_MEMORY;
    unsigned char *at = memset(writer->attributes.data + start, 0, hdf5_message_size(content));
    at = hdf5_put_message(at, HDF5_ATTRIBUTE, content);
    at[0] = 1; // version
    hdf5_put(at + 2, name_size, 2);
    hdf5_put(at + 4, type->length, 2);
    hdf5_put(at + 6, space, 2);
    memcpy(at += 8, name, name_size);
    memcpy(at += hdf5_padded(name_size), type->bytes, type->length);
    at += hdf5_padded(type->length);
    at[0] = 1; // version of the dataspace, which has no dimensions
    memcpy(at + space, value, size);
    writer->attribute_count++;
    return HDF5_GOOD;
}

Hdf5Trouble hdf5_write_integer(Hdf5Writer *writer, const char *name, int64_t value) {
    unsigned char bytes[8];
    hdf5_put(bytes, (uint64_t)value, 8);
    return hdf5_write_attribute(writer, name, &hdf5_types[ARCHIVE_INT64], bytes, sizeof bytes);
}

Hdf5Trouble hdf5_write_text(Hdf5Writer *writer, const char *name, const char *text) {
    Hdf5Type type = {8, {0x13}}; // ends with a zero, ASCII
    hdf5_put(type.bytes + 4, strlen(text) + 1, 4);
    return hdf5_write_attribute(writer, name, &type, text, strlen(text) + 1);
}

// ---- the end -------------------------------------------------------------------------------------
static size_t hdf5_link_content(const Hdf5Link *link) { return 4 + strlen(link->name) + 8; }

static bool hdf5_put_group(Hdf5Writer *writer, size_t number) {
    const Hdf5Group *group = &writer->groups.data[number];
    size_t info = 24, group_info = 8, own = number == 0 ? writer->attributes.count : 0;
    size_t bytes = hdf5_message_size(info) + hdf5_message_size(group_info) + own;
    for (size_t i = group->first; i != SIZE_MAX; i = writer->links.data[i].next)
        bytes += hdf5_message_size(hdf5_link_content(&writer->links.data[i]));
    unsigned char *at = bytes < UINT32_MAX ? hdf5_append(writer, HDF5_HEADER_BYTES + bytes) : NULL;
    if (!at) return false;
    at = hdf5_put_header(at, 2 + group->count + (own ? writer->attribute_count : 0), bytes);
    at = hdf5_put_message(at, HDF5_LINK_INFO, info);
    memset(at + 2, 0xff, 16); // no heap, no tree: all links are messages here
    at = hdf5_put_message(at + info, HDF5_GROUP_INFO, group_info) + group_info;
    if (own) memcpy(at, writer->attributes.data, own);
    at += own;
    for (size_t i = group->first; i != SIZE_MAX; i = writer->links.data[i].next) {
        const Hdf5Link *link = &writer->links.data[i];
        size_t length = strlen(link->name), content = hdf5_link_content(link);
        at = hdf5_put_message(at, HDF5_LINK, content);
        at[0] = at[1] = 1; // version; a hard link, whose length of the name has two bytes
        hdf5_put(at + 2, length, 2);
        memcpy(at + 4, link->name, length);
        hdf5_put(at + 4 + length, link->address, 8);
        at += hdf5_padded(content);
    }
    return true;
}

static void hdf5_put_superblock(unsigned char *at, size_t root, size_t end) {
    memcpy(at, HDF5_SIGNATURE, 8);
    at[13] = at[14] = 8;     // bytes of an address, of a length
    hdf5_put(at + 16, 4, 2); // groups of the older kind, of which there are none: HDF5's defaults
    hdf5_put(at + 18, 16, 2);
    hdf5_put(at + 24, HDF5_USER_BLOCK, 8);
    memset(at + 32, 0xff, 8);  // no list of free space
    hdf5_put(at + 40, end, 8); // of the file, user block included
    memset(at + 48, 0xff, 8);  // no driver
    hdf5_put(at + HDF5_ROOT_AT, root, 8);
}

unsigned char *hdf5_writer_image(Hdf5Writer *writer, size_t *length) {
    size_t address = 0;
    for (size_t i = writer->groups.count; i-- > 0;) {
        address = hdf5_here(writer);
        if (!hdf5_put_group(writer, i)) return NULL;
        const Hdf5Group *group = &writer->groups.data[i];
        if (i > 0 &&
            hdf5_add_link(writer, group->parent, strrchr(group->path, '/') + 1, address) != HDF5_GOOD)
            return NULL;
    }
    *length = writer->bytes.count;
    hdf5_put_superblock(writer->bytes.data + HDF5_USER_BLOCK, address, *length);
    return writer->bytes.data;
}
