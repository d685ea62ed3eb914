// Reads what hdf5_write.c writes. Every address and length is from the file and is checked before it is followed; loops
// cannot go on for ever: each one moves forward in its header.
#include "base/archive_backend.h"
#include "output/hdf5_file.h"
#include "output/hdf5_format.h"

// A message of a header.
typedef struct Hdf5Message {
    unsigned kind;
    const unsigned char *content;
    size_t length;
} Hdf5Message;

// The messages of a header that are still to come.
typedef struct Hdf5Messages {
    const unsigned char *at, *end;
    size_t left;
} Hdf5Messages;

static uint64_t hdf5_get(const unsigned char *at, int size) {
    uint64_t value = 0;
    for (int k = size; k-- > 0;) value = value << 8 | at[k];
    return value;
}

static bool hdf5_reader_has(const Hdf5Reader *reader, uint64_t address, uint64_t bytes) {
    return address <= reader->length && bytes <= reader->length - address;
}

// ---- messages ------------------------------------------------------------------------------------
static bool hdf5_header_open(const Hdf5Reader *reader, uint64_t address, Hdf5Messages *messages) {
    if (!hdf5_reader_has(reader, address, HDF5_HEADER_BYTES)) return false;
    const unsigned char *header = reader->bytes + address;
    uint64_t bytes = hdf5_get(header + 8, 4);
    if (header[0] != 1 || !hdf5_reader_has(reader, address + HDF5_HEADER_BYTES, bytes)) return false;
    *messages = (Hdf5Messages){header + HDF5_HEADER_BYTES, header + HDF5_HEADER_BYTES + bytes,
                               (size_t)hdf5_get(header + 2, 2)};
    return true;
}

static bool hdf5_message_next(Hdf5Messages *messages, Hdf5Message *message) {
    if (messages->left == 0 || messages->end - messages->at < HDF5_MESSAGE_BYTES) return false;
    message->kind = (unsigned)hdf5_get(messages->at, 2);
    message->length = (size_t)hdf5_get(messages->at + 2, 2);
    message->content = messages->at + HDF5_MESSAGE_BYTES;
    if (message->length > (size_t)(messages->end - message->content)) return false;
    messages->at = message->content + message->length;
    messages->left--;
    return true;
}

// ---- paths ---------------------------------------------------------------------------------------
static bool hdf5_follow_link(const Hdf5Reader *reader, uint64_t group, const char *name, size_t length,
                             uint64_t *address) {
    Hdf5Messages messages;
    Hdf5Message message;
    if (!hdf5_header_open(reader, group, &messages)) return false;
    while (hdf5_message_next(&messages, &message)) {
        const unsigned char *content = message.content;
        if (message.kind != HDF5_LINK || message.length < 4 + length + 8) continue;
        if (content[0] != 1 || content[1] != 1 || hdf5_get(content + 2, 2) != length) continue;
        if (memcmp(content + 4, name, length) != 0) continue;
        *address = hdf5_get(content + 4 + length, 8);
        return true;
    }
    return false;
}

static bool hdf5_follow_path(const Hdf5Reader *reader, const char *path, uint64_t *address) {
    *address = reader->root;
    while (*path == '/') {
        size_t length = strcspn(++path, "/");
        if (!hdf5_follow_link(reader, *address, path, length, address)) return false;
        path += length;
    }
    return true;
}

// ---- datasets and attributes ---------------------------------------------------------------------
static int hdf5_type_of(const unsigned char *bytes, size_t length) {
    for (int type = 0; type < ARCHIVE_TYPE_COUNT; type++)
        if (length >= hdf5_types[type].length &&
            memcmp(bytes, hdf5_types[type].bytes, hdf5_types[type].length) == 0)
            return type;
    return -1;
}

bool hdf5_find_dataset(const Hdf5Reader *reader, const char *path, Hdf5Dataset *dataset) {
    uint64_t address, count = 0, data = 0, bytes = 0;
    Hdf5Messages messages;
    Hdf5Message message;
    bool space = false, type = false, layout = false;
    *dataset = (Hdf5Dataset){.type = -1};
    if (!hdf5_follow_path(reader, path, &address) || !hdf5_header_open(reader, address, &messages))
        return false;
    while (hdf5_message_next(&messages, &message)) {
        const unsigned char *content = message.content;
        if (message.kind == HDF5_DATASPACE && message.length >= 16 && content[0] == 1 && content[1] == 1) {
            count = hdf5_get(content + 8, 8);
            space = true;
        } else if (message.kind == HDF5_DATATYPE) {
            dataset->type = hdf5_type_of(content, message.length);
            type = true;
        } else if (message.kind == HDF5_LAYOUT && message.length >= 18 && content[0] == 3 &&
                   content[1] == 1) {
            data = hdf5_get(content + 2, 8);
            bytes = hdf5_get(content + 10, 8);
            layout = true;
        }
    }
    if (!space || !type || !layout) return false;
    if (dataset->type < 0) return true; // of another type, as the caller will say
    size_t item = archive_item_size((ArchiveType)dataset->type);
    if (count > bytes / item || (count > 0 && !hdf5_reader_has(reader, data, bytes))) return false;
    dataset->count = (size_t)count;
    dataset->data = count ? reader->bytes + data : NULL;
    return true;
}

bool hdf5_read_integer(const Hdf5Reader *reader, const char *name, int64_t *value) {
    const Hdf5Type *type = &hdf5_types[ARCHIVE_INT64];
    size_t name_size = strlen(name) + 1, padded = (name_size + 7) / 8 * 8;
    size_t at = 8 + padded + type->length + 8; // of the value: behind name, type and space
    Hdf5Messages messages;
    Hdf5Message message;
    if (!hdf5_header_open(reader, reader->root, &messages)) return false;
    while (hdf5_message_next(&messages, &message)) {
        const unsigned char *content = message.content;
        if (message.kind != HDF5_ATTRIBUTE || message.length < at + 8 || content[0] != 1) continue;
        if (hdf5_get(content + 2, 2) != name_size || memcmp(content + 8, name, name_size) != 0) continue;
        if (hdf5_type_of(content + 8 + padded, type->length) != ARCHIVE_INT64) continue;
        *value = (int64_t)hdf5_get(content + at, 8);
        return true;
    }
    return false;
}

bool hdf5_reader_open(Hdf5Reader *reader, const void *image, size_t length) {
    *reader = (Hdf5Reader){0};
    if (length < HDF5_USER_BLOCK + HDF5_SUPERBLOCK_BYTES) return false;
    reader->bytes = (const unsigned char *)image + HDF5_USER_BLOCK;
    reader->length = length - HDF5_USER_BLOCK;
    reader->root = (size_t)hdf5_get(reader->bytes + HDF5_ROOT_AT, 8);
    Hdf5Messages messages;
    return memcmp(reader->bytes, HDF5_SIGNATURE, 8) == 0 && reader->bytes[8] == 0 &&
           hdf5_header_open(reader, reader->root, &messages);
}
