#include "model/files.h"

#include <unistd.h>

#include "base/hash.h"
#include "grains/forms.h"
#include "grains/packing.h"

// The folder of the file in which something was written, "" for the current one.
static const char *files_folder(Loader *loader, Place place) {
    const Diagnostics *diagnostics = loader->diagnostics;
    size_t file = place.line > 0 && (size_t)place.file < diagnostics->files.count ? (size_t)place.file : 0;
    const char *name = loader->from_file && diagnostics->files.count ? diagnostics->files.data[file] : "";
    const char *slash = strrchr(name, '/');
    if (!slash) return "";
    const char *folder = arena_printf(loader->arena, "%.*s", (int)(slash == name ? 1 : slash - name), name);
    if (!folder) diagnostics_memory(loader->diagnostics);
    return folder ? folder : "";
}

const char *files_path(Loader *loader, Place place, const char *name) {
    const char *folder = files_folder(loader, place);
    if (name[0] == '/' || !folder[0]) return name;
    const char *path = arena_printf(loader->arena, "%s/%s", folder, name);
    if (!path) diagnostics_memory(loader->diagnostics);
    return path;
}

void files_note(Loader *loader, Place place, const char *name) {
    NamedFile file = {name, files_path(loader, place, name), place};
    if (file.path && !array_push(&loader->files, file)) diagnostics_memory(loader->diagnostics);
}

static void files_read_walls(Loader *loader, WallDefinition *walls, int count) {
    for (int w = 0; w < count; w++) {
        Wall *wall = &walls[w].shape;
        MrcError error;
        const char *const *file = wall_file(wall);
        if (!wall_can_prepare(wall)) continue;
        Place place = file ? loader_place(loader, file) : loader_object_place(loader, wall->definition);
        if (wall_prepare(wall, files_folder(loader, place), &error) != MRC_OK)
            diagnostics_error(loader->diagnostics, place, "'%s': %s", file ? "file" : wall_kind_name(wall),
                              error.text);
        if (file) files_note(loader, place, *file);
    }
}

static void files_read_bed(Loader *loader, GrainsDefinition *grains) {
    const char *const *file = packing_file(&grains->packing);
    if (!file || !*file) return;
    Place place = loader_place(loader, file);
    const char *path = files_path(loader, place, *file);
    MrcError error;
    BedData *bed;
    if (path && packing_is_of_run(&grains->packing)) {
        const char *name = grains->packing.bed ? grains->packing.bed : grains->name;
        path = arena_printf(loader->arena, "%s/end-%s.csv", path, name);
        if (path && access(path, R_OK) != 0) {
            diagnostics_error(loader->diagnostics, place,
                              "'%s' does not hold 'end-%s.csv', the bed at the end of a run: its model needs "
                              "'record: {end: "
                              "true}'",
                              *file, name);
            return;
        }
    }
    if (!path) return;
    files_note(loader, place, *file);
    if (bed_read(path, loader->arena, &bed, &error) != MRC_OK) {
        diagnostics_error(loader->diagnostics, place, "%s", error.text);
        return;
    }
    grains->bed = bed;
    for (int k = 0; k < grains_kind_count(grains); k++) {
        ParticlesDefinition *kind = k == 0 ? &grains->particles : &grains->more[k - 1];
        kind->bed = bed;
        if (grains->more_count > 0 && bed->kinds &&
            bed_of_kind(bed, k, loader->arena, &kind->bed, &error) != MRC_OK)
            diagnostics_error(loader->diagnostics, place, "%s", error.text);
    }
}

static void files_make_forms_of_kind(Loader *loader, const char *name, ParticlesDefinition *p) {
    MrcError error;
    Place place = loader_object_place(loader, &p->form);
    if (forms_prepare(p, files_folder(loader, place), name, &error) != MRC_OK)
        diagnostics_error(loader->diagnostics, place, "'shape': %s", error.text);
    if (p->form.polyhedron.file) files_note(loader, place, p->form.polyhedron.file);
    for (int k = 0; k < p->form.clump.part_count; k++)
        if (p->form.clump.parts[k].polyhedron.file)
            files_note(loader, place, p->form.clump.parts[k].polyhedron.file);
}

static void files_make_forms(Loader *loader, GrainsDefinition *grains) {
    MrcError error;
    files_make_forms_of_kind(loader, grains->name, &grains->particles);
    for (int k = 0; k < grains->more_count; k++)
        files_make_forms_of_kind(loader, grains->name, &grains->more[k]);
    if (forms_join(grains, &error) != MRC_OK)
        diagnostics_error(loader->diagnostics, loader_object_place(loader, grains), "%s", error.text);
}

static void files_find_link(Loader *loader, LinkDefinition *link) {
    const LinkType *type = link_type(link);
    const char *const *file = type->file ? type->file(link->definition) : NULL;
    if (!file || !*file) return;
    Place place = loader_place(loader, file);
    const char *path = files_path(loader, place, *file);
    if (path) type->set_path(link->definition, path);
    files_note(loader, place, *file);
}

void files_read(Loader *loader, SimDefinition *definition) {
    for (int k = 0; k < definition->link_count; k++) files_find_link(loader, &definition->links[k]);
    for (int g = 0; g < definition->grains_count; g++) {
        files_read_walls(loader, definition->grains[g].walls, definition->grains[g].wall_count);
        files_read_bed(loader, &definition->grains[g]);
        files_make_forms(loader, &definition->grains[g]);
    }
    for (int k = 0; k < definition->stops.count; k++)
        files_read_walls(loader, definition->stops.items[k].walls, definition->stops.items[k].wall_count);
}

void files_release(SimDefinition *definition) {
    for (int g = 0; g < definition->grains_count; g++) {
        for (int w = 0; w < definition->grains[g].wall_count; w++)
            wall_release(&definition->grains[g].walls[w].shape);
        for (int k = definition->grains[g].more_count - 1; k >= 0; k--)
            forms_release(&definition->grains[g].more[k]);
        forms_release(&definition->grains[g].particles);
    }
    for (int k = 0; k < definition->stops.count; k++)
        for (int w = 0; w < definition->stops.items[k].wall_count; w++)
            wall_release(&definition->stops.items[k].walls[w].shape);
}

static uint64_t files_hash_table(uint64_t hash, const Table *table) {
    hash = hash_bytes(hash, table->times, table->count * sizeof *table->times);
    hash = hash_bytes(hash, table->pieces, (table->count - 1) * sizeof *table->pieces);
    return hash_bytes(hash, &table->last_value, sizeof table->last_value);
}

uint64_t files_hash(uint64_t hash, const SimDefinition *definition) {
    for (int i = 0; i < definition->input_count; i++)
        if (definition->inputs[i].table) hash = files_hash_table(hash, definition->inputs[i].table);
    for (int g = 0; g < definition->grains_count; g++) {
        const GrainsDefinition *grains = &definition->grains[g];
        for (int w = 0; w < grains->wall_count; w++) hash = wall_hash_files(&grains->walls[w].shape, hash);
        hash = forms_hash(grains, hash);
        const BedData *bed = grains->bed;
        for (int c = 0; bed && c < BED_COLUMN_COUNT; c++)
            if (bed->columns[c]) hash = hash_bytes(hash, bed->columns[c], bed->count * sizeof(double));
    }
    for (int k = 0; k < definition->stops.count; k++)
        for (int w = 0; w < definition->stops.items[k].wall_count; w++)
            hash = wall_hash_files(&definition->stops.items[k].walls[w].shape, hash);
    return hash;
}
