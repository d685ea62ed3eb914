// Materials, pairs and keys of contacts that nothing uses. What comes from included files may be meant for other models.
#include <string.h>

#include "grains/method.h"
#include "model/check.h"

// ---- materials -----------------------------------------------------------------------------------
static bool check_is_used(const Loader *loader, const char *material) {
    for (size_t i = 0; i < loader->references.count; i++) {
        const Reference *r = &loader->references.data[i];
        if (r->key->refers && strcmp(r->key->refers, "materials") == 0 &&
            strcmp(r->key->key, "between") != 0 && strcmp(r->name, material) == 0)
            return true;
    }
    return false;
}

static void check_unused_materials(Loader *loader, const SimDefinition *d) {
    for (int m = 0; m < d->material_count; m++) {
        Place place = loader_place(loader, &d->materials[m].name);
        if (place.file == 0 && !check_is_used(loader, d->materials[m].name))
            diagnostics_warning(loader->diagnostics, place, "material '%s' is used nowhere",
                                d->materials[m].name);
    }
}

// ---- pairs ---------------------------------------------------------------------------------------
static bool check_has_grains(const GrainsDefinition *bed, const char *material) {
    for (int k = 0; k < grains_kind_count(bed); k++)
        if (strcmp(grains_kind(bed, k)->material, material) == 0) return true;
    return false;
}

static bool check_has_wall(const GrainsDefinition *bed, const char *material) {
    for (int w = 0; w < bed->wall_count; w++) {
        const char *own = bed->walls[w].material ? bed->walls[w].material : bed->particles.material;
        if (strcmp(own, material) == 0) return true;
    }
    return false;
}

static bool check_can_touch(const SimDefinition *d, const char *a, const char *b) {
    for (int g = 0; g < d->grains_count; g++) {
        const GrainsDefinition *bed = &d->grains[g];
        if (check_has_grains(bed, a) && (check_has_grains(bed, b) || check_has_wall(bed, b))) return true;
        if (check_has_grains(bed, b) && check_has_wall(bed, a)) return true;
    }
    return false;
}

static void check_unused_pairs(Loader *loader, const SimDefinition *d) {
    for (int k = 0; k < d->pair_count; k++) {
        const MaterialPair *pair = &d->pairs[k];
        Place place = loader_place(loader, &pair->name);
        if (place.file != 0 || check_can_touch(d, pair->first, pair->second)) continue;
        diagnostics_warning(loader->diagnostics, place,
                            "pair '%s' is used nowhere: '%s' and '%s' touch in no bed", pair->name,
                            pair->first, pair->second);
    }
}

// ---- keys of contacts ----------------------------------------------------------------------------
// Of a method that the model file names: where it is set from outside, changing the method is changing a word.
static void check_unused_keys(Loader *loader, const GrainsDefinition *bed) {
    const YamlNode *section = yaml_get(yaml_get(loader->root, "grains"), bed->name),
                   *contact = yaml_get(section, "contact");
    const YamlPair *method = yaml_find(section, "method");
    const GrainsMethod *own = grains_method(bed);
    char list[200] = "";
    size_t used = 0, count = 0;
    Place place = {0};
    if (!contact || (method && method->value->place.file != 0)) return;
    for (const char *const *key = own->unused; *key && used < sizeof list; key++) {
        const YamlPair *pair = yaml_find(contact, *key);
        if (!pair || pair->key->place.file != 0) continue;
        if (count++ == 0) place = pair->key->place;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", count > 1 ? ", " : "", *key);
    }
    if (count > 0)
        diagnostics_warning(loader->diagnostics, place, "unused by 'method: %s': %s", own->choice.word, list);
}

void check_unused(Loader *loader, const SimDefinition *d) {
    check_unused_materials(loader, d);
    check_unused_pairs(loader, d);
    for (int g = 0; g < d->grains_count; g++) check_unused_keys(loader, &d->grains[g]);
}
