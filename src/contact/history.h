// The history of a report: bounded, inside the module.
#ifndef CONTACT_HISTORY_H
#define CONTACT_HISTORY_H

#include "contact/solver.h"

static inline void history_add(ContactReport *report, int iteration, double residual) {
    if (report->history_count == CONTACT_HISTORY) { // drop every second one
        for (int k = 0; k < CONTACT_HISTORY / 2; k++) {
            report->history_iteration[k] = report->history_iteration[2 * k + 1];
            report->history_residual[k] = report->history_residual[2 * k + 1];
        }
        report->history_count = CONTACT_HISTORY / 2;
    }
    report->history_iteration[report->history_count] = iteration;
    report->history_residual[report->history_count++] = residual;
}

#endif
