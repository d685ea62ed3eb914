// The plan of a study: its points, each a set of overrides, and how one of them is run.
#ifndef STUDY_PLAN_H
#define STUDY_PLAN_H

#include "base/fact.h"
#include "base/memory.h"
#include "base/text.h"
#include "maraca/study.h"

// ---- values along one direction of a grid --------------------------------------------------------
typedef struct StudyValue {
    const char *text; // "8.5 Hz", as in an override
    double number;    // 8.5; NAN: it is no number
    const char *unit; // "Hz"; "" of a pure number
} StudyValue;

typedef struct StudyAxis {
    const char *path; // "constants.f"
    StudyValue *values;
    int count;
} StudyAxis;

enum { STUDY_VALUES_MAX = 100000, STUDY_POINTS_MAX = 1000000 };

// "constants.f=8:16:17 Hz"; without "PATH=" the path is that given, unless it is NULL.
MrcStatus study_axis_read(const char *text, const char *path, Arena *arena, StudyAxis *axis, MrcError *error);
// The same of a quantity that is known: numbers without a unit are in this one.
MrcStatus study_axis_read_in(const char *text, const char *path, const char *unit, Arena *arena,
                             StudyAxis *axis, MrcError *error);
// The unit that all its values have in common; NULL: they differ, or some are no numbers.
const char *study_axis_unit(const StudyAxis *axis);
// In SI units; `unit` ("Hz") is what it must be convertible to. An acceleration may be in g.
MrcStatus study_value_to_si(const StudyValue *value, const char *unit, double *si, MrcError *error);

// ---- points --------------------------------------------------------------------------------------
typedef struct StudyColumn { // of the table: what distinguishes the points
    const char *name;        // "constants.f"
    const char *unit;        // "Hz"; NULL: the values are texts
} StudyColumn;

typedef struct StudyPoint {
    const char **overrides; // beyond those of the study
    int override_count;
    const StudyValue *labels; // one per column
    const double *numbers;    // further values for the kind of study
    int beds;                 // of this point at least; 0: as many as the study
} StudyPoint;

typedef struct StudyPlan StudyPlan;
struct StudyTable; // table.h

// One run of a point: the model is that of the point and the bed.
typedef struct StudyJob {
    const StudyPlan *plan;
    const StudyPoint *point;
    int bed;
    const MrcModel *model;
    const char *folder; // of its own, empty or left behind by a run that was stopped
    const volatile int *stop;
    bool keep;            // the folder stays, or its report for the browser
    _Atomic double *part; // of the run that is done
} StudyJob;

// For the progress of the study: this part of the run, from 0 to 1, is done.
static inline void study_job_tell(const StudyJob *job, double part) { *job->part = part; }

struct StudyPlan {
    const char *kind; // "sweep"
    const char *model_path;
    const StudyColumn *columns;
    int column_count;
    StudyPoint *points;
    int point_count;
    // Lines of the table that one run gives: their facts are called "0.amplitude", "1.amplitude", ...; 0: one line, whose
    // facts have no number.
    int row_count;
    bool reports; // the report of the first bed of each point is kept, while they are not too many (runner.c)
    bool unfinished;        // another round follows: there is no picture yet
    bool scattered;         // the points lie anywhere, and not on a grid: no lines through them in pictures
    StudyColumn row_column; // what distinguishes them
    const StudyValue *rows; // of each
    uint64_t identity;      // of all that changes results beside the model: options of the kind of study
    const char *const *measures; // when none are asked for; ended by NULL. A '*' stands for anything
    // Numbers of the facts are the results. MRC_INTERRUPTED: it was stopped, and is run again.
    MrcStatus (*run)(const StudyJob *job, FactList *facts, MrcError *error);
    const void *self; // for `run` and `finish`
    // Once it is known which facts runs have, after the first good one: an error ends the study. NULL: all is good.
    MrcStatus (*check)(const StudyPlan *plan, const struct StudyTable *table, MrcError *error);
    void (*notes)(const StudyPlan *plan, const struct StudyTable *table,
                  Text *text); // below the table; or NULL
    void (*facts)(const StudyPlan *plan, const struct StudyTable *table,
                  FactList *list); // beside the points in study.json; or NULL
    // The point that a search has found best, which pictures mark; -1: none. NULL: it is no search.
    int (*winner)(const StudyPlan *plan, const struct StudyTable *table);
    // Files beside study.csv and study.json, made from the table as it stands at the end; NULL: none.
    MrcStatus (*finish)(const StudyPlan *plan, const struct StudyTable *table, const char *folder,
                        MrcError *error);
};

// The grid of all combinations, the last axis fastest; each value is an override.
MrcStatus study_plan_grid(const StudyAxis *axes, int count, Arena *arena, StudyPlan *plan, MrcError *error);

// The path of a constant or an input of this name, "constants.f" or "inputs.f"; NULL: there is none, or memory is out.
const char *study_find_name(const MrcModel *model, const char *name, Arena *arena);

// The overrides that make the bed number `bed` (from 0, which is the model as it is); false: nothing in the model is
// random.
bool study_bed_overrides(const MrcModel *model, int bed, Arena *arena, const char **overrides, int *count);
enum { STUDY_BED_OVERRIDES_MAX = 64 };

// ---- running it ----------------------------------------------------------------------------------
MrcStatus study_run(const StudyPlan *plan, const MrcStudyOptions *options, MrcStudy *study, MrcError *error);

#endif
