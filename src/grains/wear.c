// What grains do to walls: the work of friction W on each part, what impacts dissipate on it, and the volume that friction
// wears off (Archard 1953, doi:10.1063/1.1721448),
//
//     V = k W / H = `wear` * W
//
// since the normal force times the sliding distance is the work of friction over its coefficient; `wear` of the wall's
// material contains that coefficient. Heat and wear of the grains are not distinguished.
#include "grains/engine.h"
#include "grains/method.h"

MrcStatus wear_create(Grains *g, const GrainsSetting *setting, MrcError *error) {
    const GrainsDefinition *d = g->definition;
    size_t count = (size_t)d->wall_count;
    if (!array_resize(&g->worn, count) || !array_resize(&g->wear_rates, count))
        return error_memory(error, "the walls");
    for (size_t w = 0; w < count; w++) {
        const char *name = d->walls[w].material ? d->walls[w].material : d->particles.material;
        const Material *material = material_by_name(setting->materials, setting->material_count, name);
        g->worn.data[w] = (WallWear){0};
        g->wear_rates.data[w] = material ? material->wear : 0;
    }
    return MRC_OK;
}

void wear_add(Grains *g, int part, double friction, double impact) {
    WallWear *worn = &g->worn.data[part];
    worn->friction += friction;
    worn->impact += impact;
    worn->volume = g->wear_rates.data[part] * worn->friction;
}

void wear_archive(Grains *g, Archive *archive) {
    archive_doubles(archive, "worn", (double *)g->worn.data,
                    g->worn.count * (sizeof(WallWear) / sizeof(double)));
}

const WallWear *grains_wear(const Grains *g) { return g->worn.data; }
