#include "model/files.h"

#include "base/hash.h"
#include "grains/packing.h"

// The folder of the file in which something was written, "" for the current one.
static const char *folder_of(Loader *loader, Place place, bool from_file) {
    const Diagnostics *diagnostics = loader->diagnostics;
    size_t file = place.line > 0 && (size_t)place.file < diagnostics->files.count ? (size_t)place.file : 0;
    const char *name = from_file && diagnostics->files.count ? diagnostics->files.data[file] : "";
    const char *slash = strrchr(name, '/');
    if (!slash) return "";
    const char *folder = arena_printf(loader->arena, "%.*s", (int)(slash == name ? 1 : slash - name), name);
    if (!folder) diagnostics_memory(loader->diagnostics);
    return folder ? folder : "";
}

static void read_walls(Loader *loader, GrainsDefinition *grains, bool from_file) {
    for (int w = 0; w < grains->wall_count; w++) {
        Wall *wall = &grains->walls[w].shape;
        MrcError error;
        const char *const *file = wall_file(wall);
        if (!file) continue;
        Place place = loader_place(loader, file);
        if (wall_prepare(wall, folder_of(loader, place, from_file), &error) != MRC_OK)
            diagnostics_error(loader->diagnostics, place, "'file': %s", error.text);
    }
}

static void read_bed(Loader *loader, GrainsDefinition *grains, bool from_file) {
    const char *path = grains->packing.path;
    if (!path) return;
    Place place = loader_place(loader, &grains->packing.path);
    const char *folder = folder_of(loader, place, from_file);
    MrcError error;
    BedData *bed;
    if (path[0] != '/' && folder[0]) path = arena_printf(loader->arena, "%s/%s", folder, path);
    if (!path) diagnostics_memory(loader->diagnostics);
    else if (bed_read(path, loader->arena, &bed, &error) == MRC_OK) grains->particles.bed = bed;
    else diagnostics_error(loader->diagnostics, place, "%s", error.text);
}

void files_read(Loader *loader, SimDefinition *definition, bool from_file) {
    for (int g = 0; g < definition->grains_count; g++) {
        read_walls(loader, &definition->grains[g], from_file);
        read_bed(loader, &definition->grains[g], from_file);
    }
}

void files_release(SimDefinition *definition) {
    for (int g = 0; g < definition->grains_count; g++)
        for (int w = 0; w < definition->grains[g].wall_count; w++)
            wall_release(&definition->grains[g].walls[w].shape);
}

uint64_t files_hash(uint64_t hash, const SimDefinition *definition) {
    for (int g = 0; g < definition->grains_count; g++) {
        const GrainsDefinition *grains = &definition->grains[g];
        for (int w = 0; w < grains->wall_count; w++) hash = wall_hash_files(&grains->walls[w].shape, hash);
        const BedData *bed = grains->particles.bed;
        for (int c = 0; bed && c < BED_COLUMN_COUNT; c++)
            if (bed->columns[c]) hash = hash_bytes(hash, bed->columns[c], bed->count * sizeof(double));
    }
    return hash;
}
