// HDF5 works on an image of the file in memory only; reading and writing the disk is ours. So a full disk or
// a damaged file is found by our own checks and never reaches HDF5, which does not promise to survive either.
#include "output/checkpoint.h"

#include <hdf5.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/archive_backend.h"
#include "base/file.h"
#include "base/hash.h"

enum { checkpoint_format = 1, seal_bytes = 512, image_growth_bytes = 1 << 20 };

typedef struct CheckpointArchive {
    Archive archive; // must be first
    hid_t file;
    hid_t links;    // properties: makes the groups on the way to a dataset
    hid_t datasets; // properties: no time stamps, so that the same state gives the same bytes
} CheckpointArchive;

// What is on disk: the seal, then the HDF5 file.
typedef struct CheckpointImage {
    char *bytes; // malloc'ed
    size_t length;
} CheckpointImage;

// ---- one at a time -------------------------------------------------------------------------------
// Debian's HDF5 is not thread-safe: between these two calls only one thread of the process is inside it. Its
// habit of printing errors is switched off meanwhile, and left as the host program had it.
static pthread_mutex_t hdf5_mutex = PTHREAD_MUTEX_INITIALIZER;

typedef struct Hdf5Printing {
    H5E_auto2_t function;
    void *data;
} Hdf5Printing;

static Hdf5Printing checkpoint_hdf5_enter(void) {
    Hdf5Printing printing = {NULL, NULL};
    pthread_mutex_lock(&hdf5_mutex);
    H5Eget_auto2(H5E_DEFAULT, &printing.function, &printing.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return printing;
}

static void checkpoint_hdf5_leave(Hdf5Printing printing) {
    H5Eset_auto2(H5E_DEFAULT, printing.function, printing.data);
    pthread_mutex_unlock(&hdf5_mutex);
}

// ---- entries -------------------------------------------------------------------------------------
static hid_t checkpoint_type_in_memory(ArchiveType type) {
    switch (type) {
    case ARCHIVE_DOUBLE:
        return H5T_NATIVE_DOUBLE;
    case ARCHIVE_INT64:
        return H5T_NATIVE_INT64;
    case ARCHIVE_INT32:
        return H5T_NATIVE_INT32;
    default:
        return H5T_NATIVE_UINT8;
    }
}

static hid_t checkpoint_type_in_file(ArchiveType type) {
    switch (type) {
    case ARCHIVE_DOUBLE:
        return H5T_IEEE_F64LE;
    case ARCHIVE_INT64:
        return H5T_STD_I64LE;
    case ARCHIVE_INT32:
        return H5T_STD_I32LE;
    default:
        return H5T_STD_U8LE;
    }
}

static bool checkpoint_entry_save(CheckpointArchive *checkpoint, const char *name, ArchiveType type,
                                  const void *data, size_t count) {
    char path[ARCHIVE_PATH_MAX];
    if (!archive_entry_path(&checkpoint->archive, name, path)) return false;
    hsize_t extent = count;
    hid_t space = H5Screate_simple(1, &extent, NULL);
    hid_t dataset = H5Dcreate2(checkpoint->file, path, checkpoint_type_in_file(type), space,
                               checkpoint->links, checkpoint->datasets, H5P_DEFAULT);
    bool done = dataset >= 0;
    if (done && count > 0)
        done = H5Dwrite(dataset, checkpoint_type_in_memory(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (dataset >= 0) done = H5Dclose(dataset) >= 0 && done;
    H5Sclose(space);
    if (!done)
        archive_fail(&checkpoint->archive, MRC_WRITE_FAILED, name,
                     "HDF5 cannot store its %zu items (out of memory, or the name is used twice)", count);
    return done;
}

// The dataset, checked for type and shape; -1 after archive_fail.
static hid_t checkpoint_entry_open(CheckpointArchive *checkpoint, const char *name, ArchiveType type,
                                   size_t *count) {
    char path[ARCHIVE_PATH_MAX];
    if (!archive_entry_path(&checkpoint->archive, name, path)) return -1;
    hid_t dataset = H5Dopen2(checkpoint->file, path, H5P_DEFAULT);
    if (dataset < 0) {
        archive_fail(&checkpoint->archive, MRC_CHECKPOINT, name, "it is not in the file");
        return -1;
    }
    hid_t stored = H5Dget_type(dataset), space = H5Dget_space(dataset);
    bool fits = stored >= 0 && space >= 0 && H5Tequal(stored, checkpoint_type_in_file(type)) > 0 &&
                H5Sget_simple_extent_ndims(space) == 1;
    hssize_t extent = fits ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0) H5Sclose(space);
    if (stored >= 0) H5Tclose(stored);
    if (extent >= 0) {
        *count = (size_t)extent;
        return dataset;
    }
    H5Dclose(dataset);
    archive_fail(&checkpoint->archive, MRC_CHECKPOINT, name, "it is stored as another type");
    return -1;
}

static bool checkpoint_entry_load(CheckpointArchive *checkpoint, const char *name, ArchiveType type,
                                  void *data, size_t count) {
    size_t stored = 0;
    hid_t dataset = checkpoint_entry_open(checkpoint, name, type, &stored);
    if (dataset < 0) return false;
    bool done = stored == count;
    if (!done)
        archive_fail(&checkpoint->archive, MRC_CHECKPOINT, name, "%zu items are stored, %zu are expected",
                     stored, count);
    if (done && count > 0) {
        done = H5Dread(dataset, checkpoint_type_in_memory(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
        if (!done) archive_fail(&checkpoint->archive, MRC_CHECKPOINT, name, "HDF5 cannot read it");
    }
    H5Dclose(dataset);
    return done;
}

static bool checkpoint_stored_count(Archive *archive, const char *name, ArchiveType type, size_t *count) {
    hid_t dataset = checkpoint_entry_open((CheckpointArchive *)archive, name, type, count);
    if (dataset >= 0) H5Dclose(dataset);
    return dataset >= 0;
}

static bool checkpoint_transfer(Archive *archive, const char *name, ArchiveType type, void *data,
                                size_t count) {
    CheckpointArchive *checkpoint = (CheckpointArchive *)archive;
    return archive->loading ? checkpoint_entry_load(checkpoint, name, type, data, count)
                            : checkpoint_entry_save(checkpoint, name, type, data, count);
}

static void checkpoint_close(Archive *archive) {
    CheckpointArchive *checkpoint = (CheckpointArchive *)archive;
    if (checkpoint->datasets >= 0) H5Pclose(checkpoint->datasets);
    if (checkpoint->links >= 0) H5Pclose(checkpoint->links);
    if (checkpoint->file >= 0) H5Fclose(checkpoint->file);
}

static const ArchiveBackend checkpoint_backend = {
    .stored_count = checkpoint_stored_count,
    .transfer = checkpoint_transfer,
    .destroy = checkpoint_close, // the archive itself is on the stack of save and load
};

// ---- the file in memory --------------------------------------------------------------------------
// Opens `image` (without its seal), or a new file when it is NULL.
static bool checkpoint_open(CheckpointArchive *checkpoint, const CheckpointImage *image) {
    *checkpoint = (CheckpointArchive){.archive.backend = &checkpoint_backend};
    archive_begin(&checkpoint->archive, image != NULL);
    checkpoint->links = H5Pcreate(H5P_LINK_CREATE);
    checkpoint->datasets = H5Pcreate(H5P_DATASET_CREATE);
    checkpoint->file = -1;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bool ready = H5Pset_create_intermediate_group(checkpoint->links, 1) >= 0 &&
                 H5Pset_obj_track_times(checkpoint->datasets, false) >= 0 &&
                 H5Pset_fapl_core(access, image_growth_bytes, false) >= 0 &&
                 H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
    // HDF5's oldest layout, its default, on purpose: groups of the newer ones carry time stamps, and
    // H5Fget_file_image of 1.10.8 spoils the checksum in their first block.
    // The name is never used on disk: the file lives in memory.
    if (ready && !image)
        checkpoint->file = H5Fcreate("maraca-checkpoint", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (ready && image &&
        H5Pset_file_image(access, image->bytes + seal_bytes, image->length - seal_bytes) >= 0)
        checkpoint->file = H5Fopen("maraca-checkpoint", H5F_ACC_RDONLY, access);
    if (access >= 0) H5Pclose(access);
    return checkpoint->file >= 0;
}

static bool checkpoint_attribute_write(hid_t file, const char *name, hid_t file_type, hid_t memory_type,
                                       const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return done;
}

static bool checkpoint_attributes_write(hid_t file, uint64_t model_hash) {
    const int format = checkpoint_format;
    hid_t text = H5Tcopy(H5T_C_S1);
    bool done = H5Tset_size(text, sizeof MARACA_VERSION) >= 0 &&
                checkpoint_attribute_write(file, "format", H5T_STD_I32LE, H5T_NATIVE_INT, &format) &&
                checkpoint_attribute_write(file, "maraca_version", text, text, MARACA_VERSION) &&
                checkpoint_attribute_write(file, "model_hash", H5T_STD_U64LE, H5T_NATIVE_UINT64, &model_hash);
    H5Tclose(text);
    return done;
}

static bool checkpoint_model_hash_read(hid_t file, uint64_t *model_hash) {
    hid_t attribute = H5Aopen(file, "model_hash", H5P_DEFAULT);
    bool done = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_UINT64, model_hash) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    return done;
}

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

// ---- memory --------------------------------------------------------------------------------------
// HDF5 1.10 does not survive every failed allocation: some end in a crash, or in an endless loop when it is closed. So
// what it will need is asked of the system before it is entered, and a state that does not fit is an error of ours.
typedef struct CountingArchive {
    Archive archive; // must be first
    double bytes;
} CountingArchive;

static const double entry_overhead = 4096, library_overhead = 1 << 23; // [bytes], generously

static bool checkpoint_counting_transfer(Archive *archive, const char *name, ArchiveType type, void *data,
                                         size_t count) {
    (void)name, (void)data;
    ((CountingArchive *)archive)->bytes += entry_overhead + (double)(count * archive_item_size(type));
    return true;
}

static const ArchiveBackend counting_backend = {.transfer = checkpoint_counting_transfer};

static MrcStatus checkpoint_memory_ask(double bytes, MrcError *error) {
    if (bytes > (double)(SIZE_MAX / 4)) return error_memory(error, "the checkpoint");
    size_t size = (size_t)bytes;
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return error_memory(error, "the checkpoint");
    munmap(block, size);
    return MRC_OK;
}

// The state, HDF5's file in memory, which grows by copying, and the image of it.
static MrcStatus checkpoint_memory_ask_for(CheckpointDescribe describe, void *state, MrcError *error) {
    CountingArchive counting = {.archive.backend = &counting_backend};
    archive_begin(&counting.archive, false);
    describe(&counting.archive, state);
    return checkpoint_memory_ask(3 * counting.bytes + library_overhead, error);
}

// ---- saving --------------------------------------------------------------------------------------
static MrcStatus checkpoint_image_take(CheckpointArchive *checkpoint, CheckpointImage *image,
                                       MrcError *error) {
    ssize_t size =
        H5Fflush(checkpoint->file, H5F_SCOPE_GLOBAL) >= 0 ? H5Fget_file_image(checkpoint->file, NULL, 0) : -1;
    if (size < 0) return error_memory(error, "the checkpoint");
    image->length = seal_bytes + (size_t)size;
    image->bytes = malloc(image->length);
    if (!image->bytes) return error_memory(error, "the checkpoint");
    if (H5Fget_file_image(checkpoint->file, image->bytes + seal_bytes, (size_t)size) != size)
        return error_memory(error, "the checkpoint");
    checkpoint_seal_build(image->bytes, image);
    return MRC_OK;
}

static MrcStatus checkpoint_image_build(CheckpointImage *image, uint64_t model_hash,
                                        CheckpointDescribe describe, void *state, MrcError *error) {
    CheckpointArchive checkpoint;
    MrcStatus status = MRC_OK;
    if (checkpoint_open(&checkpoint, NULL) && checkpoint_attributes_write(checkpoint.file, model_hash)) {
        describe(&checkpoint.archive, state);
        status = archive_status(&checkpoint.archive, error);
        if (status == MRC_OK) status = checkpoint_image_take(&checkpoint, image, error);
    } else {
        status = error_memory(error, "the checkpoint");
    }
    archive_destroy(&checkpoint.archive);
    return status;
}

MrcStatus checkpoint_save(const char *path, uint64_t model_hash, CheckpointDescribe describe, void *state,
                          MrcError *error) {
    CheckpointImage image = {NULL, 0};
    MrcStatus status = checkpoint_memory_ask_for(describe, state, error);
    if (status != MRC_OK) return status;
    Hdf5Printing printing = checkpoint_hdf5_enter();
    status = checkpoint_image_build(&image, model_hash, describe, state, error);
    checkpoint_hdf5_leave(printing);
    FileWriter writer;
    if (status == MRC_OK) status = file_open(&writer, path, error);
    if (status == MRC_OK) {
        fwrite(image.bytes, 1, image.length, writer.stream); // commit asks whether it worked
        status = file_commit(&writer, error);
    }
    free(image.bytes);
    return status;
}

// ---- loading -------------------------------------------------------------------------------------
static MrcStatus checkpoint_image_describe(const char *path, const CheckpointImage *image,
                                           uint64_t model_hash, CheckpointDescribe describe, void *state,
                                           MrcError *error) {
    CheckpointArchive checkpoint;
    MrcStatus status = MRC_OK;
    MrcError inner = {MRC_OK, ""};
    uint64_t stored = 0;
    if (!checkpoint_open(&checkpoint, image) || !checkpoint_model_hash_read(checkpoint.file, &stored)) {
        status = error_set(error, MRC_CHECKPOINT, "'%s' cannot be opened by HDF5", path);
    } else if (stored != model_hash) {
        status = error_set(error, MRC_CHECKPOINT,
                           "'%s' was made from another model (%016llx) than this one (%016llx)", path,
                           (unsigned long long)stored, (unsigned long long)model_hash);
    } else {
        describe(&checkpoint.archive, state);
        status = archive_status(&checkpoint.archive, &inner);
        if (status != MRC_OK) error_set(error, status, "'%.300s' cannot be used: %s", path, inner.text);
    }
    archive_destroy(&checkpoint.archive);
    return status;
}

MrcStatus checkpoint_load(const char *path, uint64_t model_hash, CheckpointDescribe describe, void *state,
                          MrcError *error) {
    CheckpointImage image = {NULL, 0};
    MrcStatus status = file_read(path, SIZE_MAX / 4, &image.bytes, &image.length, error);
    if (status == MRC_READ_FAILED) {
        status = MRC_CHECKPOINT; // the text says why it cannot be read
        if (error) error->status = status;
    }
    if (status == MRC_OK) status = checkpoint_seal_check(path, &image, error);
    if (status == MRC_OK) status = checkpoint_memory_ask(2 * (double)image.length + library_overhead, error);
    if (status == MRC_OK) {
        Hdf5Printing printing = checkpoint_hdf5_enter();
        status = checkpoint_image_describe(path, &image, model_hash, describe, state, error);
        checkpoint_hdf5_leave(printing);
    }
    free(image.bytes);
    return status;
}

bool checkpoint_model(const char *path, uint64_t *model_hash) {
    CheckpointImage image = {NULL, 0};
    CheckpointArchive checkpoint;
    MrcError ignored;
    bool found = false;
    if (file_read(path, SIZE_MAX / 4, &image.bytes, &image.length, &ignored) == MRC_OK &&
        checkpoint_seal_check(path, &image, &ignored) == MRC_OK) {
        Hdf5Printing printing = checkpoint_hdf5_enter();
        found =
            checkpoint_open(&checkpoint, &image) && checkpoint_model_hash_read(checkpoint.file, model_hash);
        archive_destroy(&checkpoint.archive);
        checkpoint_hdf5_leave(printing);
    }
    free(image.bytes);
    return found;
}
