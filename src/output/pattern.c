#include "output/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/quantity.h"

enum { PATTERN_NAME_SIZE = 64, PATTERN_DIGITS = 4, PATTERN_PERCENT_DIGITS = 3 };
static const double pattern_rounding = 1e-12;

typedef struct Pattern {
    const FactList *facts;
    const char *group; // its path
    const char *name;  // of the group itself
    Text *text;
} Pattern;

// ---- facts ---------------------------------------------------------------------------------------
static const MrcFact *pattern_find(const Pattern *p, const char *name) {
    const MrcFact *fact = p->group[0] ? fact_find_in(p->facts, p->group, name) : NULL;
    return fact ? fact : fact_find(p->facts, name);
}

static bool pattern_has_group(const Pattern *p, const char *name) {
    return fact_has_group_in(p->facts, p->group, name) || fact_has_group(p->facts, name);
}

// A number in the form that is asked for: "", "3", "%", "e", "r".
static const char *pattern_number(char buffer[QUANTITY_SIZE], const MrcFact *fact, const char *form) {
    if (form[0] == '%') return quantity_percent(buffer, fact->number, PATTERN_PERCENT_DIGITS);
    if (form[0] == 'e') return quantity_power(buffer, fact->number);
    if (form[0] == 'r' && fabs(fact->number) < pattern_rounding) return "below rounding";
    int digits = atoi(form);
    return quantity_text(buffer, fact->number, fact->unit, digits > 0 ? digits : PATTERN_DIGITS);
}

static const char *pattern_value(char buffer[QUANTITY_SIZE], const MrcFact *fact, const char *form) {
    switch (fact ? fact->kind : MRC_FACT_EMPTY) {
    case MRC_FACT_NUMBER:
        return pattern_number(buffer, fact, form);
    case MRC_FACT_COUNT:
        return quantity_count(buffer, fact->count);
    case MRC_FACT_FLAG:
        return fact->flag ? "yes" : "no";
    case MRC_FACT_TEXT:
        return fact->text ? fact->text : "-";
    case MRC_FACT_EMPTY:
        break;
    }
    return "-";
}

static bool pattern_is_there(const MrcFact *fact) {
    switch (fact->kind) {
    case MRC_FACT_TEXT:
        return fact->text && fact->text[0];
    case MRC_FACT_EMPTY:
        return false;
    default:
        return isfinite(fact->number) && fact->number != 0;
    }
}

// "name", "name=word", "name>number" or "name<number"
static bool pattern_holds(const Pattern *p, char *condition) {
    char buffer[QUANTITY_SIZE], *rest = strpbrk(condition, "=><"), sign = rest ? *rest : '\0';
    if (rest) *rest++ = '\0';
    const MrcFact *fact = pattern_find(p, condition);
    if (sign == '=') return fact && strcmp(pattern_value(buffer, fact, ""), rest) == 0;
    if (sign == '>') return fact && fact->number > number_read(rest, NULL);
    if (sign == '<') return fact && fact->number < number_read(rest, NULL);
    return fact ? pattern_is_there(fact) : pattern_has_group(p, condition);
}

// ---- patterns ------------------------------------------------------------------------------------
// What is between `at` and one of `ends`, which is returned.
static const char *pattern_word(const char *at, const char *ends, char word[PATTERN_NAME_SIZE]) {
    size_t length = strcspn(at, ends);
    snprintf(word, PATTERN_NAME_SIZE, "%.*s", (int)length, at);
    return at + length;
}

static const char *pattern_add_value(const Pattern *p, const char *at, bool wanted) {
    char name[PATTERN_NAME_SIZE], form[PATTERN_NAME_SIZE] = "", buffer[QUANTITY_SIZE];
    at = pattern_word(at, ":}", name);
    if (*at == ':') at = pattern_word(at + 1, "}", form);
    const MrcFact *fact = wanted ? pattern_find(p, name) : NULL;
    if (wanted && strcmp(name, ".") == 0) text_add_string(p->text, p->name);
    else if (fact && form[0] == 'w') text_add_string(p->text, fact->words);
    else if (wanted) text_add_string(p->text, pattern_value(buffer, fact, form));
    return *at ? at + 1 : at;
}

static const char *pattern_add_part(const Pattern *p, const char *at, const char *ends, bool wanted);

static const char *pattern_add_choice(const Pattern *p, const char *at, bool wanted) {
    char condition[PATTERN_NAME_SIZE];
    at = pattern_word(at, ":", condition);
    bool holds = wanted && pattern_holds(p, condition);
    at = pattern_add_part(p, *at ? at + 1 : at, "|]", holds);
    if (*at == '|') at = pattern_add_part(p, at + 1, "]", wanted && !holds);
    return *at ? at + 1 : at;
}

// Up to one of `ends`, which is returned, or to the end of the text.
static const char *pattern_add_part(const Pattern *p, const char *at, const char *ends, bool wanted) {
    while (*at && !strchr(ends, *at)) {
        bool brace = at[0] == '{' && at[1] == '{';
        if (*at == '{' && !brace) at = pattern_add_value(p, at + 1, wanted);
        else if (at[0] == '[' && at[1] == '?') at = pattern_add_choice(p, at + 2, wanted);
        else {
            at += brace;
            if (wanted) text_add_bytes(p->text, at, 1);
            at++;
        }
    }
    return at;
}

void pattern_add(Text *text, const FactList *facts, const char *group, const char *pattern) {
    pattern_add_part(&(Pattern){facts, group, group, text}, pattern, "", true);
}

// ---- lines ---------------------------------------------------------------------------------------
static void pattern_add_line(const Pattern *p, PatternLayout layout, const PatternLine *line) {
    Text label = {0}, value = {0};
    Pattern of_label = *p, of_value = *p;
    of_label.text = &label, of_value.text = &value;
    text_add_string(&label, "");
    text_add_string(&value, "");
    if (line->label) pattern_add_part(&of_label, line->label, "", true);
    pattern_add_part(&of_value, line->pattern, "", true);
    if (label.failed || value.failed) p->text->failed = true;
    else if (value.length > 0 && line->label)
        text_add(p->text, "%s%-*s %s\n", layout.indent, layout.width, label.data, value.data);
    else if (value.length > 0) text_add(p->text, "%s%s\n", layout.indent, value.data);
    text_free(&label);
    text_free(&value);
}

static void pattern_add_all(const Pattern *p, PatternLayout layout, const PatternLine *lines) {
    for (const PatternLine *line = lines; line->pattern; line++) pattern_add_line(p, layout, line);
}

void pattern_add_lines(Text *text, const FactList *facts, const char *group, PatternLayout layout,
                       const PatternLine *lines) {
    pattern_add_all(&(Pattern){facts, group, group, text}, layout, lines);
}

void pattern_add_group(Text *text, const FactList *facts, const char *group, const char *name,
                       PatternLayout layout, const PatternLine *lines) {
    pattern_add_all(&(Pattern){facts, group, name, text}, layout, lines);
}

void pattern_add_each(Text *text, const FactList *facts, const char *parent, PatternLayout layout,
                      const PatternLine *lines) {
    size_t at = 0;
    for (const char *name; (name = fact_next_group(facts, parent, &at));) {
        Text group = {0};
        text_add(&group, "%s.%s", parent, name);
        if (group.failed) text->failed = true;
        else pattern_add_group(text, facts, group.data, name, layout, lines);
        text_free(&group);
    }
}
