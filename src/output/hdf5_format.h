// Numbers of the HDF5 format that writing and reading share; see output/hdf5_file.h.
#ifndef OUTPUT_HDF5_FORMAT_H
#define OUTPUT_HDF5_FORMAT_H

#include "base/archive.h"

#define HDF5_SIGNATURE "\211HDF\r\n\032\n"

enum {
    HDF5_SUPERBLOCK_BYTES = 96, // version 0, with the root's symbol table entry
    HDF5_ROOT_AT = 64,          // in the superblock: address of the root's header
    HDF5_HEADER_BYTES = 16,     // of an object header, before its messages
    HDF5_MESSAGE_BYTES = 8,     // of a message, before its content
    HDF5_MESSAGE_MAX = 65528,   // content of a message
    HDF5_MESSAGES_MAX = 65535,  // of a header
    HDF5_DATATYPE_MAX = 24,     // largest of those below
};

enum { // kinds of messages
    HDF5_DATASPACE = 0x1,
    HDF5_LINK_INFO = 0x2,
    HDF5_DATATYPE = 0x3,
    HDF5_FILL_VALUE = 0x5,
    HDF5_LINK = 0x6,
    HDF5_LAYOUT = 0x8,
    HDF5_GROUP_INFO = 0xa,
    HDF5_ATTRIBUTE = 0xc,
};

// Datatype messages, as they stand in the file. Class and version, flags, size, then what the class asks for: first bit
// and number of bits; of a double also where exponent and mantissa are, and the exponent's bias.
typedef struct Hdf5Type {
    unsigned char length;
    unsigned char bytes[HDF5_DATATYPE_MAX];
} Hdf5Type;

static const Hdf5Type hdf5_types[ARCHIVE_TYPE_COUNT] = {
    [ARCHIVE_DOUBLE] = {24, {0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0}},
    [ARCHIVE_INT64] = {16, {0x10, 0x08, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0}},
    [ARCHIVE_INT32] = {16, {0x10, 0x08, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0}},
    [ARCHIVE_BYTE] = {16, {0x10, 0x00, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0}},
};

#endif
