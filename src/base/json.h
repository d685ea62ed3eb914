// JSON written piece by piece into a growing text.
//
//     Json json = {.indent = 2};
//     json_object_begin(&json);
//     json_key(&json, "steps");
//     json_integer(&json, 1000);
//     json_object_end(&json);
//     const char *text = json_text(&json); // NULL: out of memory
//     json_free(&json);
//
// Wrong order (a value without its key, an end without its begin) is a bug of the caller and caught by
// assert. When memory runs out, all further calls only keep count.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fact.h"
#include "base/text.h"

enum { JSON_DEPTH_MAX = 64 };

typedef struct Json {
    int indent; // spaces per level; 0: all on one line

    // The rest is the writer's own.
    Text text;
    bool done;                  // the one value of the document is complete
    bool keyed;                 // a key waits for its value
    int depth;                  // open objects and arrays
    char open[JSON_DEPTH_MAX];  // '{' or '[' of each
    bool empty[JSON_DEPTH_MAX]; // nothing in it yet
} Json;

void json_object_begin(Json *json);
void json_object_end(Json *json);
void json_array_begin(Json *json);
void json_array_end(Json *json);

void json_key(Json *json, const char *name);

void json_string(Json *json, const char *text); // bytes that are not UTF-8 become U+FFFD; NULL becomes null
void json_number(Json *json, double value);     // reads back to the same double; nan and inf become null
void json_integer(Json *json, int64_t value);
void json_bool(Json *json, bool value);
void json_null(Json *json);
void json_raw(Json *json, const char *text); // something that is JSON already

// A member of the open object.
void json_member_string(Json *json, const char *key, const char *text);
void json_member_number(Json *json, const char *key, double value);
void json_member_integer(Json *json, const char *key, int64_t value);
void json_member_bool(Json *json, const char *key, bool value);
void json_member_raw(Json *json, const char *key, const char *text);
void json_numbers(Json *json, const double *values, int count); // an array

// Facts as members of the open object: each group is an object or an array.
void json_facts(Json *json, const FactList *list);
char *json_of_facts(
    const FactList *list); // as a document, malloc'ed; NULL: out of memory, or the list is incomplete

// The finished document, ending with a newline when indented; valid until json_free. NULL: out of memory.
const char *json_text(Json *json);
char *json_take(Json *json); // the same, malloc'ed, for the caller to free; frees the writer
void json_free(Json *json);

#endif
