// Signals: the named quantities of a simulation that can be recorded.
//
// Each kind of thing has one table of what can be measured on it; a signal's name is the thing's name, a dot,
// and the table's suffix. Whoever lists a signal says in the same breath where its value is.
#ifndef PARTNER_SIGNAL_H
#define PARTNER_SIGNAL_H

#include "base/memory.h"
#include "math/unit.h"

typedef struct Signal {
    const char *name; // "damper.load.fx"
    Dimension dimension;
    const char *unit;    // as written in headings: "N"; of an energy "J", not "N*m"
    bool on_request;     // recorded only when its name or group is asked for
    bool inner;          // of a node within a beam, or of the second name of a node: there may be thousands
    const double *value; // as last measured; NULL: of a definition only
    const char *words;   // what it is, with sign and axes; NULL: the partner does not say
} Signal;

typedef struct SignalList {
    Arena *arena; // for the names
    ARRAY(Signal) signals;
    bool incomplete; // memory ran out
    // Names or groups that the model asks for: partners with very many signals list only these of them.
    const char *const *asked;
    int asked_count;
} SignalList;

// Adds `thing.suffix` for each row. `values`: the struct; NULL: of a definition only.
void signal_list_add(SignalList *list, const char *thing, const SignalRow *rows, int count,
                     const void *values);
// The same; recorded only when the model asks for them.
void signal_list_add_on_request(SignalList *list, const char *thing, const SignalRow *rows, int count,
                                const void *values);
void signal_list_add_one(SignalList *list, Signal signal); // its texts are copied
void signal_list_free(SignalList *list);

extern const SignalRow load_signal_rows[]; // of a Load: load.fx ... load.mz
extern const int load_signal_row_count;

// Does `name` answer to `asked`: the name itself, or a group it belongs to (a dotted beginning of it)?
bool signal_matches(const char *name, const char *asked);

#endif
