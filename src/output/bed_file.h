// The grains of a bed as they are now, as a file that another model may begin with (packing: {from: ...}).
#ifndef OUTPUT_BED_FILE_H
#define OUTPUT_BED_FILE_H

#include "partner/beds.h"

MrcStatus bed_file_write(const char *path, const Bed *bed, MrcError *error); // as of the last measure

#endif
