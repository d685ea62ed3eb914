// Does the drive of a model follow one of its values, such as the frequency that a study steps through?
#ifndef STUDY_DRIVE_H
#define STUDY_DRIVE_H

#include "maraca/maraca.h"

// `these` and `those`: the same model with two values. False: no formula of it has another course over time. True also
// where this cannot be known, as with partners that are other programs.
bool drive_differs(const MrcModel *these, const MrcModel *those);

#endif
