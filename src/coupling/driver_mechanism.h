// The mechanism as the driver of a coupling.
#ifndef COUPLING_DRIVER_MECHANISM_H
#define COUPLING_DRIVER_MECHANISM_H

#include "coupling/partner.h"
#include "mechanism/mechanism.h"

typedef struct MechanismDriver {
    Mechanism *mechanism;
    MobilityKind
        mobility; // MOBILITY_EXPLICIT where grains take many small steps, and for semi-implicit Euler
} MechanismDriver;

Driver mechanism_driver(MechanismDriver *driver);

#endif
