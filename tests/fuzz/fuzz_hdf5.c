// Fuzz target of the reader of checkpoints' HDF5: whatever the bytes behind a right seal are, nothing outside of them is read,
// and every dataset that is found lies within them.
//
//     fuzz_hdf5 -max_total_time=60 CORPUS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/archive_backend.h"
#include "output/hdf5_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_hdf5: %s\n", what);
    abort();
}

// A good file, by the writer itself.
static unsigned char *hdf5_good(size_t *length) {
    static Hdf5Writer *writer;
    static unsigned char *image;
    static size_t bytes;
    if (!writer) {
        const double numbers[] = {1, 2, 3};
        const int32_t whole[] = {7, 8};
        writer = hdf5_writer_create();
        require(writer && hdf5_write_integer(writer, "model_hash", 42) == HDF5_GOOD &&
                    hdf5_write_text(writer, "maraca_version", "1") == HDF5_GOOD &&
                    hdf5_write_dataset(writer, "/a/numbers", ARCHIVE_DOUBLE, numbers, 3) == HDF5_GOOD &&
                    hdf5_write_dataset(writer, "/a/b/whole", ARCHIVE_INT32, whole, 2) == HDF5_GOOD &&
                    hdf5_write_dataset(writer, "/none", ARCHIVE_BYTE, NULL, 0) == HDF5_GOOD,
                "memory");
        image = hdf5_writer_image(writer, &bytes);
        require(image != NULL, "memory");
    }
    *length = bytes;
    return image;
}

// The input is changes to the good file, two bytes of place and one of value each, and then bytes to cut off.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const paths[] = {"/a/numbers", "/a/b/whole", "/none", "/a", "/a/b/whole/c", "/x"};
    size_t length;
    const unsigned char *good = hdf5_good(&length);
    unsigned char *bytes = malloc(length); // of its own: the sanitizer watches its ends
    require(bytes != NULL, "memory");
    memcpy(bytes, good, length);
    size_t k = 0;
    for (; k + 3 <= size; k += 3)
        bytes[HDF5_USER_BLOCK + (data[k] + 256u * data[k + 1]) % (length - HDF5_USER_BLOCK)] = data[k + 2];
    size_t cut = size > k ? data[k] : 0;
    unsigned char *shorter = malloc(length - cut);
    require(shorter != NULL, "memory");
    memcpy(shorter, bytes, length - cut);
    Hdf5Reader reader;
    int64_t value;
    if (hdf5_reader_open(&reader, shorter, length - cut)) {
        hdf5_read_integer(&reader, "model_hash", &value);
        for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
            Hdf5Dataset found;
            if (!hdf5_find_dataset(&reader, paths[p], &found) || found.type < 0 || !found.count) continue;
            size_t count = found.count * archive_item_size((ArchiveType)found.type);
            unsigned char *copy = malloc(count);
            require(copy != NULL, "a dataset that is larger than its file");
            memcpy(copy, found.data, count);
            free(copy);
        }
    }
    free(shorter);
    free(bytes);
    return 0;
}
