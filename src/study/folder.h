// The folder of a study, which holds results of one kind only.
#ifndef STUDY_FOLDER_H
#define STUDY_FOLDER_H

#include "maraca/status.h"

// MRC_FOLDER: it holds results of something else, whose tables or report this kind of study ("sweep") would overwrite.
MrcStatus study_folder_check(const char *folder, const char *kind, MrcError *error);

#endif
