#include "output/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/archive_backend.h"
#include "base/file.h"
#include "base/hash.h"
#include "output/hdf5_file.h"

enum { checkpoint_format = 2, seal_bytes = HDF5_USER_BLOCK };

typedef struct CheckpointArchive {
    Archive archive;    // must be first
    Hdf5Writer *writer; // saving
    Hdf5Reader reader;  // loading
} CheckpointArchive;

// What is on disk: the seal, then the HDF5 file.
typedef struct CheckpointImage {
    char *bytes;
    size_t length;
} CheckpointImage;

// ---- entries -------------------------------------------------------------------------------------
static bool checkpoint_entry_save(CheckpointArchive *checkpoint, const char *name, ArchiveType type,
                                  const void *data, size_t count) {
    char path[ARCHIVE_PATH_MAX];
    if (!archive_entry_path(&checkpoint->archive, name, path)) return false;
    switch (hdf5_write_dataset(checkpoint->writer, path, type, data, count)) {
    case HDF5_GOOD:
        return true;
    case HDF5_MEMORY:
        archive_fail(&checkpoint->archive, MRC_MEMORY, name, "out of memory for its %zu items", count);
        return false;
    case HDF5_NAME_TWICE:
        archive_fail(&checkpoint->archive, MRC_WRITE_FAILED, name, "its name is used twice");
        return false;
    default:
        archive_fail(&checkpoint->archive, MRC_WRITE_FAILED, name, "there are too many entries in its group");
        return false;
    }
}

// Finds the entry and checks its type; false after archive_fail.
static bool checkpoint_entry_find(CheckpointArchive *checkpoint, const char *name, ArchiveType type,
                                  Hdf5Dataset *dataset) {
    char path[ARCHIVE_PATH_MAX];
    if (!archive_entry_path(&checkpoint->archive, name, path)) return false;
    if (!hdf5_find_dataset(&checkpoint->reader, path, dataset)) {
        archive_fail(&checkpoint->archive, MRC_CHECKPOINT, name, "it is not in the file");
        return false;
    }
    if (dataset->type == (int)type) return true;
    archive_fail(&checkpoint->archive, MRC_CHECKPOINT, name, "it is stored as another type");
    return false;
}

static bool checkpoint_entry_load(CheckpointArchive *checkpoint, const char *name, ArchiveType type,
                                  void *data, size_t count) {
    Hdf5Dataset dataset;
    if (!checkpoint_entry_find(checkpoint, name, type, &dataset)) return false;
    if (dataset.count != count) {
        archive_fail(&checkpoint->archive, MRC_CHECKPOINT, name, "%zu items are stored, %zu are expected",
                     dataset.count, count);
        return false;
    }
    if (count) memcpy(data, dataset.data, count * archive_item_size(type));
    return true;
}

static bool checkpoint_stored_count(Archive *archive, const char *name, ArchiveType type, size_t *count) {
    Hdf5Dataset dataset;
    if (!checkpoint_entry_find((CheckpointArchive *)archive, name, type, &dataset)) return false;
    *count = dataset.count;
    return true;
}

static bool checkpoint_transfer(Archive *archive, const char *name, ArchiveType type, void *data,
                                size_t count) {
    CheckpointArchive *checkpoint = (CheckpointArchive *)archive;
    return archive->loading ? checkpoint_entry_load(checkpoint, name, type, data, count)
                            : checkpoint_entry_save(checkpoint, name, type, data, count);
}

static size_t checkpoint_stored_bytes(const Archive *archive) {
    return ((const CheckpointArchive *)archive)->reader.length;
}

static void checkpoint_close(Archive *archive) {
    hdf5_writer_destroy(((CheckpointArchive *)archive)->writer);
}

static const ArchiveBackend checkpoint_backend = {
    .stored_count = checkpoint_stored_count,
    .transfer = checkpoint_transfer,
    .stored_bytes = checkpoint_stored_bytes,
    .destroy = checkpoint_close, // the archive itself is on the stack of save and load
};

// ---- the seal ------------------------------------------------------------------------------------
static const char seal_start[] = "Maraca checkpoint, format ";

static void checkpoint_seal_build(char seal[seal_bytes], const CheckpointImage *image) {
    uint64_t hash = hash_bytes(HASH_START, image->bytes + seal_bytes, image->length - seal_bytes);
    memset(seal, 0, seal_bytes);
    snprintf(seal, seal_bytes, "%s%d, %zu bytes, hash %016llx\n", seal_start, checkpoint_format,
             image->length, (unsigned long long)hash);
}

static MrcStatus checkpoint_seal_check(const char *path, const CheckpointImage *image, MrcError *error) {
    char expected[seal_bytes];
    size_t start = sizeof seal_start - 1;
    if (image->length <= seal_bytes || memcmp(image->bytes, seal_start, start) != 0)
        return error_set(error, MRC_CHECKPOINT, "'%s' is not a checkpoint, or only the beginning of one",
                         path);
    checkpoint_seal_build(expected, image);
    if (memcmp(image->bytes, expected, seal_bytes) == 0) return MRC_OK;
    int format = atoi(image->bytes + start); // digits, then ',': ends within the seal or just after it
    if (format != checkpoint_format)
        return error_set(error, MRC_CHECKPOINT, "'%s' has format %d, but this version of Maraca reads %d",
                         path, format, checkpoint_format);
    return error_set(error, MRC_CHECKPOINT,
                     "'%s' is damaged: its content is not what was written (cut off or changed)", path);
}

// ---- saving --------------------------------------------------------------------------------------
// The image in memory, which belongs to the archive.
static MrcStatus checkpoint_image_build(CheckpointArchive *checkpoint, CheckpointImage *image,
                                        uint64_t model_hash, CheckpointDescribe describe, void *state,
                                        MrcError *error) {
    *checkpoint = (CheckpointArchive){.archive.backend = &checkpoint_backend, .writer = hdf5_writer_create()};
    archive_begin(&checkpoint->archive, false);
    Hdf5Writer *writer = checkpoint->writer;
    if (!writer || hdf5_write_integer(writer, "format", checkpoint_format) != HDF5_GOOD ||
        hdf5_write_text(writer, "maraca_version", MARACA_VERSION) != HDF5_GOOD ||
        hdf5_write_integer(writer, "model_hash", (int64_t)model_hash) != HDF5_GOOD)
        return error_memory(error, "the checkpoint");
    describe(&checkpoint->archive, state);
    MrcStatus status = archive_status(&checkpoint->archive, error);
    if (status != MRC_OK) return status;
    image->bytes = (char *)hdf5_writer_image(writer, &image->length);
    if (!image->bytes) return error_memory(error, "the checkpoint");
    checkpoint_seal_build(image->bytes, image);
    return MRC_OK;
}

MrcStatus checkpoint_save(const char *path, uint64_t model_hash, CheckpointDescribe describe, void *state,
                          MrcError *error) {
    CheckpointImage image = {NULL, 0};
    CheckpointArchive checkpoint;
    FileWriter writer;
    MrcStatus status = checkpoint_image_build(&checkpoint, &image, model_hash, describe, state, error);
    if (status == MRC_OK) status = file_open(&writer, path, error);
    if (status == MRC_OK) {
        fwrite(image.bytes, 1, image.length, writer.stream); // commit asks whether it worked
        status = file_commit(&writer, error);
    }
    archive_destroy(&checkpoint.archive);
    return status;
}

// ---- loading -------------------------------------------------------------------------------------
static MrcStatus checkpoint_image_read(const char *path, CheckpointImage *image, MrcError *error) {
    MrcStatus status = file_read(path, SIZE_MAX / 4, &image->bytes, &image->length, error);
    if (status == MRC_READ_FAILED) {
        status = MRC_CHECKPOINT; // the text says why it cannot be read
        if (error) error->status = status;
    }
    return status == MRC_OK ? checkpoint_seal_check(path, image, error) : status;
}

static bool checkpoint_open(CheckpointArchive *checkpoint, const CheckpointImage *image,
                            uint64_t *model_hash) {
    int64_t hash = 0;
    *checkpoint = (CheckpointArchive){.archive.backend = &checkpoint_backend};
    archive_begin(&checkpoint->archive, true);
    bool good = hdf5_reader_open(&checkpoint->reader, image->bytes, image->length) &&
                hdf5_read_integer(&checkpoint->reader, "model_hash", &hash);
    *model_hash = (uint64_t)hash;
    return good;
}

static MrcStatus checkpoint_refuse(const char *path, MrcError *error) {
    return error_set(error, MRC_CHECKPOINT, "'%s' is damaged: it is no HDF5 file of Maraca", path);
}

static MrcStatus checkpoint_image_describe(const char *path, const CheckpointImage *image,
                                           uint64_t model_hash, CheckpointDescribe describe, void *state,
                                           MrcError *error) {
    CheckpointArchive checkpoint;
    MrcError inner = {MRC_OK, ""};
    uint64_t stored;
    if (!checkpoint_open(&checkpoint, image, &stored)) return checkpoint_refuse(path, error);
    if (stored != model_hash)
        return error_set(error, MRC_CHECKPOINT,
                         "'%s' was made from another model (%016llx) than this one (%016llx)", path,
                         (unsigned long long)stored, (unsigned long long)model_hash);
    describe(&checkpoint.archive, state);
    MrcStatus status = archive_status(&checkpoint.archive, &inner);
    if (status != MRC_OK) error_set(error, status, "'%.300s' cannot be used: %s", path, inner.text);
    archive_destroy(&checkpoint.archive);
    return status;
}

MrcStatus checkpoint_load(const char *path, uint64_t model_hash, CheckpointDescribe describe, void *state,
                          MrcError *error) {
    CheckpointImage image = {NULL, 0};
    MrcStatus status = checkpoint_image_read(path, &image, error);
    if (status == MRC_OK)
        status = checkpoint_image_describe(path, &image, model_hash, describe, state, error);
    free(image.bytes);
    return status;
}

MrcStatus checkpoint_model(const char *path, uint64_t *model_hash, MrcError *error) {
    CheckpointImage image = {NULL, 0};
    CheckpointArchive checkpoint;
    MrcStatus status = checkpoint_image_read(path, &image, error);
    if (status == MRC_OK && !checkpoint_open(&checkpoint, &image, model_hash))
        status = checkpoint_refuse(path, error);
    free(image.bytes);
    return status;
}
