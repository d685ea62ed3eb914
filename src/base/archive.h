// Archives: saving and loading a state.
//
// One function describes a state for saving and loading alike, so the two cannot drift apart:
//
//     void store_archive(Store *store, Archive *archive) {
//         archive_group_begin(archive, "store");
//         archive_array(archive, "radius", &store->radius); // ARRAY(double): grows as needed when loading
//         archive_doubles(archive, "time", &store->time, 1);
//         archive_group_end(archive, "store");
//     }
//
// The first failure sticks: all later calls do nothing, so that callers ask for it once, at the end. A state
// whose loading failed is partly overwritten and must be thrown away.
//
// Two backends: memory (below) for going back inside a step, HDF5 (output/checkpoint.h) for files.
#ifndef BASE_ARCHIVE_H
#define BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct Archive Archive;
typedef enum ArchiveType {
    ARCHIVE_DOUBLE,
    ARCHIVE_INT64,
    ARCHIVE_INT32,
    ARCHIVE_BYTE,
    ARCHIVE_TYPE_COUNT
} ArchiveType;

bool archive_is_loading(const Archive *archive);
// What is loaded comes from a file: it may say anything, and is to be checked before it is used.
bool archive_is_foreign(const Archive *archive);

// Groups nest, and keep entries of the same name apart. Names may hold any characters.
MrcStatus archive_group_begin(Archive *archive, const char *name);
MrcStatus archive_group_end(Archive *archive, const char *name); // the name given to begin

// `count` items at `data`: copied from there when saving, to there when loading. The archive fails when the
// number stored is another one.
//
// Whole numbers from a file must not overflow in what is computed with them. Counts are from 0 to
// ARCHIVE_COUNT_MOST, indices (int32s, of growable arrays too) within +-ARCHIVE_INDEX_MOST: a foreign state with others
// is refused, and sums and differences of two are numbers. Bits are for what nothing is computed with: hashes, names,
// states of random numbers, sets of flags.
#define ARCHIVE_COUNT_MOST ((int64_t)1 << 53) // as far as a double counts
#define ARCHIVE_INDEX_MOST ((int32_t)1 << 30)
void archive_doubles(Archive *archive, const char *name, double *data, size_t count);
void archive_counts(Archive *archive, const char *name, int64_t *data, size_t count);
void archive_int32s(Archive *archive, const char *name, int32_t *data, size_t count);
void archive_bits64(Archive *archive, const char *name, int64_t *data, size_t count);
void archive_bits32(Archive *archive, const char *name, int32_t *data, size_t count);
void archive_bytes(Archive *archive, const char *name, void *data, size_t count);

// Single numbers that lie apart, as one entry; at most ARCHIVE_SCATTERED_MAX.
enum { ARCHIVE_SCATTERED_MAX = 64 };
void archive_scattered_doubles(Archive *archive, const char *name, double *const *values, size_t count);
void archive_scattered_counts(Archive *archive, const char *name, int64_t *const *values, size_t count);

// A number of items, for states that size their own blocks. False: nothing was loaded, *count is unchanged. A foreign
// state cannot have more items than bytes, so that a small file does not ask for a large block.
bool archive_count(Archive *archive, const char *name, size_t *count);

// A growable array (base/memory.h) of double, int64_t (bits) or int32_t with its count.
#define archive_array(archive, name, array)                                                                  \
    archive_growable((archive), (name), ARCHIVE_TYPE_OF(*(array)->data), (void **)&(array)->data,            \
                     &(array)->count, &(array)->capacity)
#define ARCHIVE_TYPE_OF(item)                                                                                \
    _Generic((item), double : ARCHIVE_DOUBLE, int64_t : ARCHIVE_INT64, int32_t : ARCHIVE_INT32)
bool archive_growable(Archive *archive, const char *name, ArchiveType type, void **data, size_t *count,
                      size_t *capacity);

// The function that describes a state may find it wrong: a count that does not fit the model, memory that ran out.
void archive_fail(Archive *archive, MrcStatus status, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The first error, naming its entry; MRC_OK when there was none. `error` may be NULL.
MrcStatus archive_status(const Archive *archive, MrcError *error);

void archive_destroy(Archive *archive); // NULL is fine

// ---- in memory -----------------------------------------------------------------------------------
// Save as often as wanted, load as often as wanted. No allocation once the largest state has been saved.
// Entries are one copy after the other, so loading must ask for them in the order in which they were saved.
Archive *archive_memory_create(void);               // NULL: out of memory
void archive_memory_save(Archive *archive);         // what is described next replaces what is stored
void archive_memory_load(Archive *archive);         // what is described next is filled from what is stored
size_t archive_memory_size(const Archive *archive); // bytes stored
// What is stored, as bytes, and the same put back, in this process or another. False: memory ran out, or these are no
// such bytes.
const void *archive_memory_bytes(const Archive *archive);
bool archive_memory_fill(Archive *archive, const void *bytes, size_t count);

#endif
