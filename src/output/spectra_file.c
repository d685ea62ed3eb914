#include "output/spectra_file.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/number.h"

static void spectra_file_write_part(FILE *out, const Bed *bed, int part) {
    const char *name = part < 0 ? "grains" : bed->definition->walls[part].name;
    size_t first = SIZE_MAX, last = 0;
    SpectrumClass class;
    for (size_t k = 0; grains_spectrum_class(bed->grains, part, k, &class); k++)
        if (class.count > 0) first = k < first ? k : first, last = k;
    for (size_t k = first; k <= last && grains_spectrum_class(bed->grains, part, k, &class); k++)
        fprintf(out, "%s,%s,%s,%.9g,%.9g,%lld,%.9g\n", bed->definition->name, part < 0 ? "pairs" : "wall",
                name, class.from, class.to, (long long)class.count, class.energy);
}

MrcStatus spectra_file_write(const char *path, const Beds *beds, MrcError *error) {
    FileWriter writer;
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    locale_t before = number_point();
    fprintf(writer.stream, "bed,of,part,from[J],to[J],count,energy[J]\n");
    for (int b = 0; b < beds->count; b++)
        for (int part = -1; part < beds->items[b].definition->wall_count; part++)
            spectra_file_write_part(writer.stream, &beds->items[b], part);
    number_point_end(before);
    return file_commit(&writer, error);
}
