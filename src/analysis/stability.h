// A stability map, worked out and ready to be written.
#ifndef ANALYSIS_STABILITY_H
#define ANALYSIS_STABILITY_H

#include "coupling/stability.h"
#include "maraca/maraca.h"

struct MrcStabilityMap {
    const char *scheme, *inputs, *order,
        *extrapolation; // static texts; all but the first NULL where meaningless
    const SchemeType *type;
    SchemeSettings settings;
    TwoMassParameters parameters; // rho_inf and omega_h are those of the last point
    bool logarithmic;
    int rows, columns;     // values of rho_inf, of omega h
    double *rho, *omega_h; // (rows), (columns)
    double *radius;        // (rows x columns)
    double *contraction;   // of the tight scheme's iteration (rows x columns), or NULL
};

bool stability_is_stable(double radius);
bool stability_row_is_stable(const MrcStabilityMap *map, int row);         // at every omega h
char *stability_csv(const MrcStabilityMap *map);                           // one line per point
void stability_subtitle(const MrcStabilityMap *map, char *text, int size); // its parameters in one line

#endif
