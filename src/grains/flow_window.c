#include <math.h>

#include "grains/flow.h"

void flow_window_move(FlowWindow *w, double time) {
    double slots = time * FLOW_SLOTS / w->span * (1 + 1e-12);
    int64_t now = (int64_t)floor(fmin(slots, (double)ARCHIVE_COUNT_MOST)); // the latest times of all
    if (now - w->slot > FLOW_SLOTS) w->slot = now - FLOW_SLOTS;
    while (w->slot < now) {
        w->slot++;
        int k = (int)(w->slot % FLOW_SLOTS);
        w->mass[k] = w->both[k] = w->momentum[k] = 0;
    }
}

void flow_window_add(FlowWindow *w, double mass, double momentum) {
    w->mass[w->slot % FLOW_SLOTS] += mass;
    w->both[w->slot % FLOW_SLOTS] += fabs(mass);
    w->momentum[w->slot % FLOW_SLOTS] += momentum;
}

// The present slot is not over yet.
double flow_window_rate(const FlowWindow *w, double time) {
    double width = w->span / FLOW_SLOTS, begin = fmax((double)(w->slot - FLOW_SLOTS + 1) * width, 0), sum = 0;
    for (int k = 0; k < FLOW_SLOTS; k++) sum += w->mass[k];
    return time > begin ? sum / (time - begin) : 0;
}

double flow_window_speed(const FlowWindow *w) {
    double mass = 0, momentum = 0;
    for (int k = 0; k < FLOW_SLOTS; k++) mass += w->both[k], momentum += w->momentum[k];
    return mass > 0 ? momentum / mass : 0;
}

void flow_check_count(double count, Archive *archive) {
    if (archive_is_foreign(archive) && !(fabs(count) <= (double)ARCHIVE_COUNT_MOST))
        archive_fail(archive, MRC_CHECKPOINT, "values", "%g grains cannot have passed", count);
}

void flow_window_archive(FlowWindow *w, Archive *archive) {
    archive_counts(archive, "slot", &w->slot, 1);
    archive_doubles(archive, "passed", w->mass, FLOW_SLOTS);
    archive_doubles(archive, "both_ways", w->both, FLOW_SLOTS);
    archive_doubles(archive, "momentum", w->momentum, FLOW_SLOTS);
}
