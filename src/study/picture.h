// The picture of a study, study.svg: its measures over what was varied.
#ifndef STUDY_PICTURE_H
#define STUDY_PICTURE_H

#include "study/table.h"

extern const char picture_missing[]; // one line for people: why there is no picture

// Appends that line to a report; MRC_MEMORY.
MrcStatus picture_tell_missing(char **report, MrcError *error);

// *made false: there is none, although there was something to draw.
MrcStatus picture_write(const StudyTable *table, const char *folder, bool *made, MrcError *error);

#endif
