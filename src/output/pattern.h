// Lines of text made from facts.
//
//     pattern_add(&text, facts, "", "{steps} steps of {options.step_s}[?frames:, {frames} frames]");
//
//     {name}              the value of a fact, with its unit and 4 digits; "-" when it is not there
//     {name:3}            with 3 digits
//     {name:%}            in per cent, with 3 digits
//     {name:e}            as 2.6e-4
//     {name:r}            "below rounding" when it is smaller than 1e-12
//     {name:w}            its words
//     {.}                 the name of the group at hand
//     {{                  a brace
//     [?name:A|B]         A when the fact is there and neither zero nor false nor empty, or when there is such a
//                         group of facts; B otherwise. B may be left out. A and B are patterns.
//     [?name=word:A|B]    A when the fact reads so
//     [?name>number:A|B]  A when its number is larger; with < when it is smaller
//
// Names are those of facts of the group at hand or, where there is none, of the whole list.
#ifndef OUTPUT_PATTERN_H
#define OUTPUT_PATTERN_H

#include "base/fact.h"
#include "base/text.h"

void pattern_add(Text *text, const FactList *facts, const char *group, const char *pattern);

// A line with a label in front; both are patterns.
typedef struct PatternLine {
    const char *label;   // padded to the width of the column; NULL: the line has none and begins in its place
    const char *pattern; // a line that comes out empty is left out; NULL ends a list of lines
} PatternLine;

typedef struct PatternLayout {
    const char *indent;
    int width; // of the labels; one space follows
} PatternLayout;

void pattern_add_lines(Text *text, const FactList *facts, const char *group, PatternLayout layout,
                       const PatternLine *lines);
// The same of the group `name` in another one: `group` is the path of both.
void pattern_add_group(Text *text, const FactList *facts, const char *group, const char *name,
                       PatternLayout layout, const PatternLine *lines);
// For each group that is directly in `parent`.
void pattern_add_each(Text *text, const FactList *facts, const char *parent, PatternLayout layout,
                      const PatternLine *lines);

#endif
