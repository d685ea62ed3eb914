// The model file described by tables: one row per key. The loader, the checks, the JSON Schema and the
// reference page all read these tables, so a new key is one row and one member in a definition struct.
//
//     {"radius", QUANTITY(ParticlesDefinition, radius), .dimension = DIM_LENGTH, .range = POSITIVE,
//      .required = true, .doc = "Radius of each grain."},
//
// A part that is one of several kinds (a joint, a wall) carries its rows in its own file; the sections of the
// file are in src/model/schema_SECTION.c, and schema_root.c joins them. No key may be a word that YAML 1.1
// readers take for a truth value (on, off, yes, no, y, n); tests/model/test_schema.c checks it.
#ifndef SCHEMA_SCHEMA_H
#define SCHEMA_SCHEMA_H

#include <math.h>
#include <stddef.h>

#include "math/expression.h"
#include "math/vec3.h"

typedef enum SchemaKind {
    SCHEMA_QUANTITY, // double: a constant expression of the row's dimension (a pure number is one too); with
                     // `choices` also one of these words, which goes to an enum instead
    SCHEMA_INTEGER,  // int64_t
    SCHEMA_BOOLEAN,  // bool
    SCHEMA_TEXT,     // const char *
    SCHEMA_NAME,     // const char *: the name of something defined under `refers`
    SCHEMA_NAMES,    // `length` such names, in as many members one after the other; with `short_length` 1
                     // also one alone
    SCHEMA_CHOICE,   // an enum: one of `choices`
    SCHEMA_CHOICES,  // an int of bits: a list of `choices`, or one of them
    SCHEMA_VECTOR,   // double[length] or Vec3
    SCHEMA_VECTORS,  // a list of `length` vectors: Vec3[length]
    SCHEMA_AXIS,     // Vec3 of length 1
    SCHEMA_AXES,     // bool[3]: a list of x, y and z
    SCHEMA_EXPRESSION,  // const Expression *: a function of time
    SCHEMA_EXPRESSIONS, // const Expression *[3]; with `lone` also one expression, for the last of them
    SCHEMA_TEXTS,       // const char ** and an int count
    SCHEMA_OBJECT, // a struct, described by `object`; with `count_offset` also a list of them: the first fills
                   // the struct, the others an array at `more_offset`
    SCHEMA_SINGLE,    // like SCHEMA_MAP with one entry, named after the key
    SCHEMA_MAP,       // names to objects: an array of structs and an int count; each has its name
    SCHEMA_LIST,      // a list of objects: an array of structs and an int count
    SCHEMA_INCLUDE,   // read before the tables are used (sources.c)
    SCHEMA_CONSTANTS, // read before the other keys (constants.c)
    SCHEMA_INPUTS,    // like SCHEMA_MAP, read after the constants and before the other keys (inputs.c)
} SchemaKind;

typedef struct SchemaRange {
    bool limited; // false: any finite number
    double low, high;
    bool low_open, high_open; // the bound itself is outside
} SchemaRange;

#define POSITIVE                                                                                             \
    { .limited = true, .low = 0, .low_open = true, .high = INFINITY, .high_open = true }
#define NON_NEGATIVE                                                                                         \
    { .limited = true, .low = 0, .high = INFINITY, .high_open = true }
#define AT_LEAST(minimum)                                                                                    \
    { .limited = true, .low = (minimum), .high = INFINITY, .high_open = true }
#define FROM_TO(minimum, maximum)                                                                            \
    { .limited = true, .low = (minimum), .high = (maximum) }
#define BETWEEN(minimum, maximum)                                                                            \
    { .limited = true, .low = (minimum), .low_open = true, .high = (maximum), .high_open = true }

typedef struct SchemaChoice {
    const char *word; // NULL ends the list
    int value;
    const char *doc;
} SchemaChoice;

typedef struct SchemaObject SchemaObject;

typedef struct SchemaKey {
    const char *key;
    SchemaKind kind;
    size_t offset;               // of the member in the object's struct
    size_t count_offset;         // SCHEMA_MAP, _LIST, _SINGLE, _TEXTS: of the int that counts
    size_t more_offset;          // SCHEMA_OBJECT that may be a list: of the array of the others
    size_t given_offset;         // of a bool that says whether the key was given; 0: there is none
    int length;                  // SCHEMA_VECTOR, SCHEMA_VECTORS, SCHEMA_NAMES: how many
    int short_length;            // SCHEMA_VECTOR, SCHEMA_NAMES: this many will do too, the rest stays zero
    bool lone;                   // SCHEMA_EXPRESSIONS: one alone is allowed
    bool signals;                // SCHEMA_EXPRESSIONS: they may use signals of the mechanism's nodes
    const SchemaChoice *choices; // SCHEMA_CHOICE, SCHEMA_CHOICES, SCHEMA_QUANTITY
    const SchemaChoice *const
        *choice_rows;           // SCHEMA_CHOICE: further ones, the first members of a table of types
    size_t word_offset;         // SCHEMA_QUANTITY with choices: of the enum, zero when a number is given
    const SchemaObject *object; // SCHEMA_OBJECT, SCHEMA_SINGLE, SCHEMA_MAP, SCHEMA_LIST
    Dimension dimension;        // of quantities, vectors and expressions
    const char *words;  // what it is, where the dimension's own name misleads: "a flow of mass (kg/s)"
    bool any_dimension; // SCHEMA_QUANTITY: of any dimension; not loaded with the other keys
    SchemaRange range;  // of quantities and integers; of each component of a vector
    bool required;
    const char *fallback;       // the default, as YAML text; NULL: the member stays zero, or becomes `absent`
    double absent;              // SCHEMA_QUANTITY: what the member is when the key is missing
    const char *fallback_words; // what a missing key means, when `fallback` does not say it
    const char *refers; // SCHEMA_NAME, SCHEMA_NAMES: paths of the maps it may name, separated by blanks
    bool nodes;         // SCHEMA_NAME, SCHEMA_NAMES: it may name a node of the mechanism
    const char *doc;    // one sentence for people
} SchemaKey;

// One of several keys of which exactly one is given: it says which kind of thing this is.
typedef struct SchemaAlternative {
    const char *key; // NULL ends the list
    int tag;         // stored in the variant's enum; of a row of a table: not used, its place is stored
    size_t offset; // of the struct that `object` fills, in the owning struct; of a type: behind types_offset
    const SchemaObject *object;
    const char *doc;
} SchemaAlternative;

// An alternative that is the row of a table of types. It may bring keys that only it has beside it.
typedef struct SchemaType {
    SchemaAlternative alternative; // its tag is not used: the place of the row counts
    const SchemaKey *keys;         // of the owning object; NULL: none
    size_t key_count;
} SchemaType;

enum { SCHEMA_KEYS_MAX = 64, SCHEMA_GROUPS_MAX = 4 };

struct SchemaObject {
    const char *name; // for headings and messages: "wall"
    const char *doc;  // a sentence or two
    size_t size;      // of the struct
    const SchemaKey *keys;
    size_t key_count;
    size_t name_offset;                    // entries of a map: of `const char *name`
    bool bare;                             // no mapping, but the value of its only key alone
    const char *short_key;                 // a value alone stands for `{short_key: value}`
    const SchemaAlternative *alternatives; // NULL: none. A bare word `fcc` stands for `{fcc: {}}`
    const SchemaType *const *types;        // instead: the first members of a table of types, ended by NULL
    size_t types_offset;                   // of the struct that alternatives of types fill, in this one
    size_t tag_offset;                     // of the variant's enum
    const char *exactly_one[SCHEMA_GROUPS_MAX]; // groups of keys, separated by blanks
    const char *at_most_one[SCHEMA_GROUPS_MAX]; // likewise; whether one must be given is checked in check*.c
    const char *example;                        // YAML, for the reference page; may be NULL
};

// ---- writing rows --------------------------------------------------------------------------------
// The offset of a member, refused by the compiler when the member is not of the type that the kind fills.
#define SCHEMA_AT(type, member, expected)                                                                    \
    (offsetof(type, member) + 0 * sizeof(char[_Generic(&((type *)0)->member, expected * : 1)]))
#define SCHEMA_ENUM_AT(type, member)                                                                         \
    (offsetof(type, member) + 0 * sizeof(char[sizeof(((type *)0)->member) == sizeof(int) ? 1 : -1]))

#define QUANTITY(type, member) .kind = SCHEMA_QUANTITY, .offset = SCHEMA_AT(type, member, double)
// A number, or a word that goes to the enum `word`.
#define QUANTITY_OR_WORD(type, member, word, list)                                                           \
    QUANTITY(type, member), .choices = (list), .word_offset = SCHEMA_ENUM_AT(type, word)
#define INTEGER(type, member) .kind = SCHEMA_INTEGER, .offset = SCHEMA_AT(type, member, int64_t)
#define BOOLEAN(type, member) .kind = SCHEMA_BOOLEAN, .offset = SCHEMA_AT(type, member, bool)
#define TEXT(type, member) .kind = SCHEMA_TEXT, .offset = SCHEMA_AT(type, member, const char *)
#define NAME(type, member) .kind = SCHEMA_NAME, .offset = SCHEMA_AT(type, member, const char *)
#define NAMES(type, member, count)                                                                           \
    .kind = SCHEMA_NAMES, .length = (count), .offset = SCHEMA_AT(type, member, const char *)
#define CHOICE(type, member, list)                                                                           \
    .kind = SCHEMA_CHOICE, .offset = SCHEMA_ENUM_AT(type, member), .choices = (list)
// Several of them: the values of the list are bits.
#define CHOICES(type, member, list)                                                                          \
    .kind = SCHEMA_CHOICES, .offset = SCHEMA_AT(type, member, int), .choices = (list)
// One of the rows of a table: an array of pointers to structs that begin with a SchemaChoice, ended by
// NULL. The member becomes the place of the row. Words that are no row (`auto`) are in `list`, which may be NULL.
#define CHOICE_OF_ROWS(type, member, rows, list)                                                             \
    .kind = SCHEMA_CHOICE, .offset = SCHEMA_ENUM_AT(type, member), .choices = (list),                        \
    .choice_rows = (const SchemaChoice *const *)(rows)
#define VECTOR(type, member) .kind = SCHEMA_VECTOR, .length = 3, .offset = SCHEMA_AT(type, member, Vec3)
#define NUMBERS(type, member, count)                                                                         \
    .kind = SCHEMA_VECTOR, .length = (count), .offset = SCHEMA_AT(type, member[0], double)
#define VECTORS(type, member, count)                                                                         \
    .kind = SCHEMA_VECTORS, .length = (count), .offset = SCHEMA_AT(type, member[0], Vec3)
#define AXES(type, member) .kind = SCHEMA_AXES, .offset = SCHEMA_AT(type, member[0], bool)
#define AXIS(type, member) .kind = SCHEMA_AXIS, .offset = SCHEMA_AT(type, member, Vec3)
#define EXPRESSION(type, member)                                                                             \
    .kind = SCHEMA_EXPRESSION, .offset = SCHEMA_AT(type, member, const Expression *)
#define EXPRESSIONS(type, member)                                                                            \
    .kind = SCHEMA_EXPRESSIONS, .offset = SCHEMA_AT(type, member[0], const Expression *)
#define TEXTS(type, member, counter)                                                                         \
    .kind = SCHEMA_TEXTS, .offset = SCHEMA_AT(type, member, const char **),                                  \
    .count_offset = SCHEMA_AT(type, counter, int)
#define OBJECT(type, member, described)                                                                      \
    .kind = SCHEMA_OBJECT, .offset = offsetof(type, member), .object = &(described)
#define OBJECT_OR_LIST(type, member, others, counter, described)                                             \
    OBJECT(type, member, described), .more_offset = offsetof(type, others),                                  \
                                     .count_offset = SCHEMA_AT(type, counter, int)
#define OBJECT_HERE(described) .kind = SCHEMA_OBJECT, .offset = 0, .object = &(described) // same struct
#define MAP(type, member, counter, described)                                                                \
    .kind = SCHEMA_MAP, .offset = offsetof(type, member), .count_offset = SCHEMA_AT(type, counter, int),     \
    .object = &(described)
#define LIST(type, member, counter, described)                                                               \
    .kind = SCHEMA_LIST, .offset = offsetof(type, member), .count_offset = SCHEMA_AT(type, counter, int),    \
    .object = &(described)
#define SINGLE(type, member, counter, described)                                                             \
    .kind = SCHEMA_SINGLE, .offset = offsetof(type, member), .count_offset = SCHEMA_AT(type, counter, int),  \
    .object = &(described)
// Alternatives that are the rows of a table: an array of pointers to structs that begin with a SchemaType,
// ended by NULL. The enum becomes the place of the row.
#define TYPES_OF_ROWS(rows) .types = (const SchemaType *const *)(rows)
// Says whether the key was given.
#define GIVEN(type, member) .given_offset = SCHEMA_AT(type, member, bool)
#define SCHEMA_KEYS(rows) .keys = (rows), .key_count = sizeof(rows) / sizeof *(rows)

// May an object be a list of objects, too?
static inline bool schema_may_be_list(const SchemaKey *key) {
    return key->kind == SCHEMA_OBJECT && key->count_offset > 0;
}

// ---- reading them --------------------------------------------------------------------------------
// The keys of an object, its own and then those of its alternatives: the k-th, or NULL behind the last.
const SchemaKey *schema_key(const SchemaObject *object, size_t k);
const SchemaKey *schema_find_key(const SchemaObject *object, const char *key);
// The alternative that a key of the object belongs to; NULL: the key is the object's own.
const SchemaAlternative *schema_key_alternative(const SchemaObject *object, const SchemaKey *key);

// The alternatives of an object: the k-th, or NULL behind the last; and the number that stands for it: its
// tag, or the place of the row in its table.
const SchemaAlternative *schema_alternative(const SchemaObject *object, size_t k);
const SchemaAlternative *schema_find_alternative(const SchemaObject *object, const char *key);
int schema_alternative_tag(const SchemaObject *object, const SchemaAlternative *alternative);
// Where the struct is that it fills, in the owner's.
size_t schema_alternative_offset(const SchemaObject *object, const SchemaAlternative *alternative);

// All keys an object may have, alternatives included. Returns their number, at most `limit`.
size_t schema_list_keys(const SchemaObject *object, const char **keys, size_t limit);

// The words a key may have: the k-th, or NULL behind the last; and the number that stands for it: that of the
// list, or the place of the row in its table.
const SchemaChoice *schema_choice(const SchemaKey *key, size_t k);
int schema_choice_value(const SchemaKey *key, size_t k);

// "a length (m)", "one of none, directional", "3 numbers and a unit, such as '1 2 3 m'": what a key takes.
const char *schema_dimension_words(const SchemaKey *key, char *buffer, size_t size); // "a length (m)"
const char *schema_expects(const SchemaKey *key, char *buffer, size_t size);
// "greater than 0", "from 0 to 1"; NULL when every finite number is allowed.
const char *schema_range_words(const SchemaRange *range, char *buffer, size_t size);
bool schema_in_range(const SchemaRange *range, double value);

// Is `word` one of the blank-separated words?
bool schema_word_in(const char *words, const char *word);
// The next of blank-separated words: its start, or NULL at the end; moves *words on.
const char *schema_next_word(const char **words, size_t *length);

#endif
