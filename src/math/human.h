// Numbers with the units people read: 0.002 m is 2 mm.
#ifndef MATH_HUMAN_H
#define MATH_HUMAN_H

#include "base/text.h"
#include "math/unit.h"
#include "math/vec3.h"

void human_add(Text *text, double value, Dimension dimension);      // "2 mm"
void human_add_vector(Text *text, Vec3 value, Dimension dimension); // "1 0 0 mm"
void human_add_size(Text *text, Vec3 size, Dimension dimension);    // "58 x 38 x 38 mm"
void human_add_count(Text *text, double count);                     // "1,543,449"

#endif
