// The amplification matrix of a scheme is not written down: its recurrence is linear, so the columns of the matrix are
// the images of the unit vectors.
#include "coupling/stability.h"

#include "math/eigenvalues.h"

_Static_assert((int)TWO_MASS_STATE_COUNT <= (int)EIGENVALUES_MAX,
               "the eigenvalue solver is for small matrices");

double stability_radius(const SchemeType *scheme, const SchemeSettings *settings,
                        const TwoMassParameters *parameters) {
    enum { n = TWO_MASS_STATE_COUNT };
    TwoMass system = two_mass(parameters);
    Real matrix[n * n];
    for (int j = 0; j < n; j++) {
        union {
            TwoMassState state;
            Real number[n];
        } z = {.number = {0}};
        z.number[j] = 1;
        scheme->recurrence(settings, &system, &z.state);
        for (int i = 0; i < n; i++) matrix[i * n + j] = z.number[i];
    }
    return (double)spectral_radius(n, matrix);
}
