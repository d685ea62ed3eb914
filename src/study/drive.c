// A stiffness that is made of a frequency changes with it, but not over time: looked at is what formulas are at other times
// less what they are at the beginning, with all signals 0.
#include "study/drive.h"

#include <math.h>

#include "model/model.h"

enum { DRIVE_TIMES = 40 };

// From a hundredth of a second on, each time 1.37 times the one before: the last ones are at 30 min, whenever a drive begins.
static bool drive_formulas_differ(const Expression *a, const Expression *b) {
    const TimePoint start = {0, NULL};
    double a0 = expression_value(a, start, NULL), b0 = expression_value(b, start, NULL), t = 0.01;
    for (int i = 0; i < DRIVE_TIMES; i++, t *= 1.37) {
        const TimePoint at = {t, NULL};
        double da = expression_value(a, at, NULL) - a0, db = expression_value(b, at, NULL) - b0;
        if (!isfinite(da) || !isfinite(db)) return true; // it needs its signals
        if (fabs(da - db) > 1e-9 * fmax(fabs(da), fabs(db))) return true;
    }
    return false;
}

bool drive_differs(const MrcModel *these, const MrcModel *those) {
    if (model_definition(these)->link_count > 0) return true;
    for (size_t k = 0;; k++) {
        const Expression *a = model_formula(these, k), *b = model_formula(those, k);
        if (!a || !b) return a != b;
        if (drive_formulas_differ(a, b)) return true;
    }
}
