// What an including file takes out of the files it includes: the other ways to say what it says.
#ifndef MODEL_REPLACED_H
#define MODEL_REPLACED_H

#include "model/yaml.h"
#include "schema/schema.h"

// `base` without the keys that `top` excludes. An object that is one of several kinds (`packing: {settle: ...}`) loses its
// kind, and the keys that only this kind has, where `top` names another one (`packing: {from: ...}`); of keys of which at
// most one may be given (`count`, `total_mass`), the one of `top` stays. NULL when memory is out.
const YamlNode *replaced_take_out(Arena *arena, const SchemaObject *object, const YamlNode *base,
                                  const YamlNode *top);

#endif
