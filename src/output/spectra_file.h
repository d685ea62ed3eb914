// Impact energy spectra of all beds that keep them, as a table: one line per class from the least energy of each wall part, or
// of the grains among themselves, to the largest.
#ifndef OUTPUT_SPECTRA_FILE_H
#define OUTPUT_SPECTRA_FILE_H

#include "partner/beds.h"

MrcStatus spectra_file_write(const char *path, const Beds *beds, MrcError *error);

#endif
