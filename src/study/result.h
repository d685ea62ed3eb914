// The result of one run of a study, as a file that is written in one piece:
//
//     {"status": "OK", "message": null, "facts": {"energy.work": [0.00016, "J"], ...}}
#ifndef STUDY_RESULT_H
#define STUDY_RESULT_H

#include "base/error.h"
#include "base/fact.h"

typedef struct StudyFact {
    const char *name;
    double value; // NAN: it does not apply
    const char *unit;
} StudyFact;

typedef struct StudyResult {
    Arena *arena; // of all texts; NULL: there is no result
    MrcStatus status;
    const char *message; // why it failed; NULL: it did not
    StudyFact *facts;
    int count;
    uint64_t key; // of its folder, points/KEY; 0: it has none
} StudyResult;

// Takes the numbers of the facts, except those about the machine (times, threads): two runs of one model have the same
// result. `error` is looked at unless the status is MRC_OK; `facts` may then be NULL, or what was found before it failed.
MrcStatus study_result_take(StudyResult *result, MrcStatus status, const FactList *facts,
                            const MrcError *error);
MrcStatus study_result_write(const StudyResult *result, const char *path, MrcError *error);
// False: there is none, or not a whole one.
bool study_result_read(StudyResult *result, const char *path);
const StudyFact *study_result_find(const StudyResult *result, const char *name); // NULL: there is none
void study_result_free(StudyResult *result);

#endif
