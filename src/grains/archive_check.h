// Checks of states that were read from files: counts and indices are within their lists, and all numbers are finite,
// before they are used. States that were saved in this process are not checked: coupling restores them in every step.
// These functions do nothing once the archive has failed.
#ifndef GRAINS_ARCHIVE_CHECK_H
#define GRAINS_ARCHIVE_CHECK_H

#include "grains/engine.h"

// The grains themselves; `radius` is the largest of the bed as the model has it [m].
void archive_check_grains(const Grains *grains, double radius, Archive *archive);
void archive_check_pruning(const Grains *grains, Archive *archive); // before pairs are found
void archive_check_near(const Grains *grains, Archive *archive);
void archive_check_entries(const Grains *grains, Archive *archive); // with their touches
void archive_check_rigid(const Grains *grains,
                         Archive *archive); // contacts of the last step, in the present lists
void archive_check_lists(const Grains *grains, Archive *archive); // places that neighbour lists are made for

#endif
