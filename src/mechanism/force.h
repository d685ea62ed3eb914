// What a force of the model (force.c) exerts, for signals.
#ifndef MECHANISM_FORCE_H
#define MECHANISM_FORCE_H

#include "math/frame.h"
#include "mechanism/element.h"

typedef struct ForceValues {
    Load load;    // on its node, about the point that it acts on, world axes [N], [N m]
    double power; // that it gives to the mechanism [W]
} ForceValues;

bool force_is(const Element *element); // is it the element of a force?
ForceValues force_values(const Element *element, const ElementInput *in);

#endif
