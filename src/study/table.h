// The table of a study: what its results say about each point.
#ifndef STUDY_TABLE_H
#define STUDY_TABLE_H

#include "study/plan.h"
#include "study/result.h"
#include "study/statistics.h"

typedef struct StudyMeasure {
    const char *name, *unit;
} StudyMeasure;

typedef struct StudyTable {
    const struct StudyPlan *plan;
    const MrcStudyOptions *options;
    const StudyResult
        *results; // of all runs, point by point, `beds` of each; without an arena: not there yet
    int beds;     // at most, per point
    StudyMeasure *measures;
    int measure_count;
} StudyTable;

// Which facts the table has: those asked for, or the choice of the plan among what the first good result has. None are
// there while there is no result. MRC_USAGE: a fact that was asked for does not exist, or what the plan's `check` says.
MrcStatus study_table_choose(StudyTable *table, Arena *arena, MrcError *error);

// `row`: 0 unless runs have several lines.
Estimate study_table_estimate(const StudyTable *table, int point, int row, const char *measure);
int study_table_rows(const StudyTable *table); // lines per point, at least 1
// Is the interval of every measure narrow enough (`until`), judged by the first `beds` beds?
bool study_table_is_narrow(const StudyTable *table, int point, int beds);

MrcFacts *study_table_facts(const StudyTable *table, int planned); // NULL: memory is out
char *study_table_csv(const StudyTable *table);
char *study_table_report(const StudyTable *table, int planned, const char *folder);

#endif
