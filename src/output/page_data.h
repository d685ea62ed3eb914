// Data for the page of a run: tables and frames as JSON with packed numbers (page.h).
#ifndef OUTPUT_PAGE_DATA_H
#define OUTPUT_PAGE_DATA_H

#include "base/error.h"
#include "base/json.h"

// Bytes deflated and in base64, as a member of the open object.
MrcStatus page_add_packed(Json *json, const char *key, const void *bytes, size_t count, MrcError *error);

// A CSV file as a table in at most about `budget` bytes. MRC_READ_FAILED: it is missing or no table.
MrcStatus page_add_table(Json *json, const char *path, double budget, MrcError *error);
// replay.bin. MRC_READ_FAILED: it is missing or damaged.
MrcStatus page_add_replay(Json *json, const char *path, double budget, MrcError *error);

#endif
