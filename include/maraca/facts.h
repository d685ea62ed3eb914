// Facts: the typed results of a run, an advice, a comparison or a search for modes. Each has a name, a value in SI
// units, and words for people:
//
//     const MrcFact *mass = mrc_facts_find(info.facts, "grains.damper.mass_kg");
//     if (mass) printf("%s: %g %s\n", mass->words, mass->number, mass->unit);
//
// Names are those of summary.json (and of the JSON of the other commands): the members on the way to a value, joined
// by dots; items of a list are numbered from 0 ("modes.0.frequency_hz").
#ifndef MARACA_FACTS_H
#define MARACA_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MrcFactKind {
    MRC_FACT_NUMBER,
    MRC_FACT_COUNT,
    MRC_FACT_FLAG,
    MRC_FACT_TEXT,
    MRC_FACT_EMPTY, // a group or list (then `flag` is set) without members; it has no value
} MrcFactKind;

typedef struct MrcFact {
    const char *name; // "grains.damper.mass_kg"
    MrcFactKind kind;
    double
        number; // in SI units; not finite: it does not apply, or is not known. Of a count and a flag the same number
    double error; // half the width of its confidence interval; NAN: unknown
    int64_t count;
    bool flag;
    const char *text;  // NULL: none
    const char *unit;  // "kg"; "1" of a pure number
    const char *words; // "mass"
} MrcFact;

typedef struct MrcFacts MrcFacts;

// All of them may be called with NULL: there is nothing in it.
int mrc_facts_count(const MrcFacts *facts);
const MrcFact *mrc_facts_get(const MrcFacts *facts, int index);         // valid until the facts are freed
const MrcFact *mrc_facts_find(const MrcFacts *facts, const char *name); // NULL: there is none of that name
char *
mrc_facts_json(const MrcFacts *facts); // as a JSON object; NULL: memory is out. Freed with mrc_text_free
void mrc_facts_free(MrcFacts *facts);

#ifdef __cplusplus
}
#endif
#endif
