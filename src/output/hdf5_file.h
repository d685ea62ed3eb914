// HDF5 files in memory: groups, one-dimensional datasets, numbers and a text as attributes of the root.
//
// What is written here any HDF5 program reads (tests/output/test_checkpoint.c asks HDF5's own library). What is read here is
// what was written here: a small part of the format. HDF5's library is not used for it, because a run must survive when
// memory ends and a file from a stranger must not crash it, and the library promises neither (version 1.10.8 crashes, or
// loops for ever, in about every ninth of its allocations that fails).
//
// The part (The HDF Group: HDF5 File Format Specification, version 3.0): superblock 0 behind a user block, object headers 1, groups whose links are messages in their header ("compact"), dataspaces 1,
// datatypes 1 (little-endian integers, IEEE doubles, texts), contiguous data. Addresses count from the end of the user
// block.
#ifndef OUTPUT_HDF5_FILE_H
#define OUTPUT_HDF5_FILE_H

#include <stdint.h>

#include "base/archive.h"

enum { HDF5_USER_BLOCK = 512 }; // bytes before the first one of HDF5, for the caller's own use

// ---- writing -------------------------------------------------------------------------------------
typedef struct Hdf5Writer Hdf5Writer;
typedef enum Hdf5Trouble { HDF5_GOOD, HDF5_MEMORY, HDF5_NAME_TWICE, HDF5_TOO_MANY } Hdf5Trouble;

Hdf5Writer *hdf5_writer_create(void); // NULL: out of memory
void hdf5_writer_destroy(Hdf5Writer *writer);
// The groups on the way to it are made when they are not there.
Hdf5Trouble hdf5_write_dataset(Hdf5Writer *writer, const char *path, ArchiveType type, const void *data,
                               size_t count);
Hdf5Trouble hdf5_write_integer(Hdf5Writer *writer, const char *name, int64_t value); // attributes of the root
Hdf5Trouble hdf5_write_text(Hdf5Writer *writer, const char *name, const char *text);
// All of it, with an empty user block; belongs to the writer, which takes nothing more. NULL: out of memory.
unsigned char *hdf5_writer_image(Hdf5Writer *writer, size_t *length);

// ---- reading -------------------------------------------------------------------------------------
// The bytes may say anything: nothing outside of them is read.
typedef struct Hdf5Reader {
    const unsigned char *bytes; // behind the user block
    size_t length;
    size_t root; // address of its header
} Hdf5Reader;

typedef struct Hdf5Dataset {
    const unsigned char *data; // not aligned
    size_t count;
    int type; // ArchiveType, -1: another one
} Hdf5Dataset;

bool hdf5_reader_open(Hdf5Reader *reader, const void *image, size_t length); // false: it is no such file
bool hdf5_read_integer(const Hdf5Reader *reader, const char *name, int64_t *value);
bool hdf5_find_dataset(const Hdf5Reader *reader, const char *path, Hdf5Dataset *dataset);

#endif
