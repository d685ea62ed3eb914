// The schema tables as a page for people: docs/model-file.md.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "maraca/maraca.h"
#include "model/schema_sections.h"

static const char introduction[] =
    "# The model file\n"
    "\n"
    "<!-- Made from the schema tables (src/model/schema_*.c) by `maraca schema --markdown`; do not edit. "
    "-->\n"
    "\n"
    "A model file says what is to be simulated. It is YAML: keys and values, nested by indentation or by "
    "braces. `maraca check MODEL` reads it, lists everything that is wrong with line and column, and says in "
    "words what would be simulated. `maraca schema` prints a JSON Schema, with which editors complete and "
    "check the file while you write.\n"
    "\n"
    "## Quantities\n"
    "\n"
    "Most values are quantities: a number and a unit.\n"
    "\n"
    "```yaml\n"
    "radius: 1.5 mm\n"
    "density: 7800 kg/m^3\n"
    "stiffness: 1.182e6 N/m\n"
    "step: 1.2 us\n"
    "friction: 30 %\n"
    "```\n"
    "\n"
    "- Units are `m`, `s`, `g` (the gram), `N`, `Pa`, `J`, `W` and `Hz` with the prefixes `p n u m c d k M G "
    "T` "
    "(`u` or `\xc2\xb5` is micro), `bar` and `rad` with `m`, and `deg`, `rpm` and `%`.\n"
    "- Units are multiplied, divided and raised to whole powers: `N*m`, `kg/m^3`, `40 N*m/deg`, `m/s^2`.\n"
    "- A number without a unit is in SI units: m, kg, s, N, Pa, rad.\n"
    "- A quantity of the wrong kind is refused: `radius: 3 kg` is an error that says what was expected.\n"
    "- `Hz` counts turns and `rad/s` radians: where an angular velocity is expected, `5 Hz` is refused; "
    "write "
    "`300 rpm` or `2*pi*5 rad/s`.\n"
    "\n"
    "A vector is three numbers and one unit, or a list with a unit for each:\n"
    "\n"
    "```yaml\n"
    "size: 58 38 38 mm\n"
    "center: [1 cm, 0, 2.5 mm]\n"
    "```\n"
    "\n"
    "An axis is `x`, `y`, `z`, `-x`, `-y`, `-z` or a direction such as `1 1 0`; its length does not matter.\n"
    "\n"
    "## Expressions\n"
    "\n"
    "Wherever a number stands, a formula may stand: `+ - * / ^`, parentheses, `pi`, the names of "
    "`constants`, and "
    "functions. What changes with time may use the time `t` and the names of `inputs`.\n"
    "\n"
    "```yaml\n"
    "position: [2 mm*sin(2*pi*15.5 Hz*t), 0, 0]\n"
    "```\n"
    "\n"
    "| function | gives |\n"
    "|---|---|\n"
    "| `sin(x)` `cos(x)` `tan(x)` | of an angle or a pure number (radians) |\n"
    "| `asin(x)` `acos(x)` `atan(x)` `atan2(y, x)` | the angle in radians |\n"
    "| `sinh(x)` `cosh(x)` `tanh(x)` | hyperbolic functions |\n"
    "| `exp(x)` `log(x)` `log10(x)` | of a pure number; `log` is the natural one |\n"
    "| `sqrt(x)` `abs(x)` `sign(x)` | of anything; `sqrt` of an area is a length |\n"
    "| `min(a, b, ...)` `max(a, b, ...)` | of values of the same kind |\n"
    "| `step(x)` `step(x, x0)` | 0 below 0 (below `x0`), 1 from there on |\n"
    "| `ramp(x)` `ramp(x, x0, x1)` | 0 to 1 in a straight line while `x` goes from 0 to 1 (from `x0` to "
    "`x1`) |\n"
    "| `smooth(x)` `smooth(x, x0, x1)` | the same without kinks: velocity and acceleration are 0 at both "
    "ends |\n"
    "\n"
    "Inside brackets and braces a comma ends a value: a formula with commas needs quotes there, as in "
    "`[0, 0, \"2 mm*smooth(t, 0 s, 1 s)\"]`.\n"
    "\n"
    "Velocities and accelerations of a motion are exact derivatives of its formula. A motion with a jump "
    "(`step`) or "
    "a kink (`ramp`) hits the grains like a hammer; `smooth` does not.\n"
    "\n"
    "## Constants\n"
    "\n"
    "```yaml\n"
    "constants: {f: 15.5 Hz, A: 2 mm, peak: A*(2*pi*f)^2}\n"
    "```\n"
    "\n"
    "Constants may use each other in any order. A name is made of letters, digits and `_`, and is not a "
    "unit, a "
    "function, `t` or `pi`: `N`, `J`, `mg` are units and cannot name a constant. One that nothing uses is "
    "mentioned in a warning.\n"
    "\n"
    "## Inputs\n"
    "\n"
    "```yaml\n"
    "inputs:\n"
    "  u: {unit: N, default: 0}\n"
    "  gain: 3 N*s/m\n"
    "  a_m: {table: measured.csv, time: \"t[s]\", column: \"a[m/s^2]\"}\n"
    "  floor_y: {table: measured.csv, column: \"y[mm]\", interpolation: cubic}\n"
    "```\n"
    "\n"
    "An input is a quantity from outside. Every formula that may change with time may use it by its name: "
    "motions of ports, forces, drives of joints, the damping of beams. It has a unit, and formulas are "
    "checked with it. Its value is the first of these that there is:\n"
    "\n"
    "1. What a program that uses the library has set while the simulation runs. It holds from the next step "
    "on. Over a step it is constant, its rate is zero: a prescribed position that is set goes there within "
    "one step; set the `speed` or `rate` of a joint instead, or a force.\n"
    "2. What the `table` gives at the time: straight lines between its samples, or a cubic spline, which has "
    "exact velocities and accelerations for prescribed positions and angles.\n"
    "3. The `default`, which is 0 if only the unit is given. `--set inputs.u='3 N'` and "
    "`--set inputs.u.default='3 N'` change it; if there is a table, they replace it.\n"
    "\n"
    "The table is part of the model: a checkpoint of a run with another table is refused. Checkpoints keep "
    "the values that were set.\n"
    "\n"
    "## Including files\n"
    "\n"
    "```yaml\n"
    "include: [materials.yaml, ../common/contact.yaml]\n"
    "```\n"
    "\n"
    "The files are searched for beside the file that includes them. Mappings are merged key by key; what "
    "stands in "
    "the including file wins, and a later file wins over an earlier one.\n"
    "\n"
    "## Changing values from the command line\n"
    "\n"
    "```\n"
    "maraca run model.yaml --set simulate.step=2us --set grains.damper.particles.count=300\n"
    "maraca run model.yaml --set 'record.series=[energy, damper.load]'\n"
    "```\n"
    "\n"
    "The path names the keys from the top, with dots between; positions in a list count from 0. The value is "
    "read as "
    "YAML. Keys that are not there yet are added; names that the model has chosen itself (of constants, "
    "inputs, materials, bodies, joints, beds and so on) must be there.\n"
    "\n";

// A default or a word in code marks; bars would end the table's cell.
static void markdown_add_code(Text *text, const char *code) {
    text_add_bytes(text, "`", 1);
    for (const char *c = code; *c; c++) {
        if (*c == '|') text_add_bytes(text, "\\", 1);
        text_add_bytes(text, c, 1);
    }
    text_add_bytes(text, "`", 1);
}

// ---- one key -------------------------------------------------------------------------------------
static void markdown_add_value(Text *text, const SchemaKey *key) {
    char buffer[256];
    const SchemaChoice *each;
    switch (key->kind) {
    case SCHEMA_CHOICES:
        text_add_string(text, "list of ");
        __attribute__((fallthrough));
    case SCHEMA_CHOICE:
        for (size_t k = 0; (each = schema_choice(key, k)); k++) {
            if (k > 0) text_add_string(text, ", ");
            markdown_add_code(text, each->word);
        }
        break;
    case SCHEMA_VECTOR:
        text_add_string(text, "vector of ");
        if (key->short_length) text_add(text, "%d or ", key->short_length);
        text_add(text, "%d, %s", key->length,
                 dimension_describe(key->dimension, buffer, sizeof buffer) + (buffer[1] == 'n' ? 3 : 2));
        break;
    case SCHEMA_VECTORS:
        text_add(text, "list of %d vectors, each %s", key->length,
                 dimension_describe(key->dimension, buffer, sizeof buffer));
        break;
    case SCHEMA_AXIS:
        text_add_string(text, "axis");
        break;
    case SCHEMA_EXPRESSION:
        text_add(text, "expression of time, %s", schema_dimension_words(key, buffer, sizeof buffer));
        break;
    case SCHEMA_EXPRESSIONS:
        text_add(text, "%s3 expressions of time%s, each %s", key->lone ? "1 or " : "",
                 key->signals ? " and signals" : "",
                 dimension_describe(key->dimension, buffer, sizeof buffer));
        break;
    case SCHEMA_OBJECT:
    case SCHEMA_SINGLE:
        text_add(text, "[%s](#%s)%s", key->object->name, key->object->name,
                 schema_may_be_list(key) ? ", or a list of such" : "");
        break;
    case SCHEMA_MAP:
    case SCHEMA_INPUTS:
        text_add(text, "names, each %s [%s](#%s)", strchr("aeiou", key->object->name[0]) ? "an" : "a",
                 key->object->name, key->object->name);
        break;
    case SCHEMA_LIST:
        text_add(text, "list, each a [%s](#%s)", key->object->name, key->object->name);
        break;
    default:
        text_add_string(text, schema_expects(key, buffer, sizeof buffer));
    }
    const char *range = schema_range_words(&key->range, buffer, sizeof buffer);
    if (range && key->range.low != key->range.high) text_add(text, ", %s", range);
}

static bool markdown_is_in_group(const SchemaObject *object, const char *key) {
    for (int i = 0; i < SCHEMA_GROUPS_MAX && object->exactly_one[i]; i++)
        if (schema_word_in(object->exactly_one[i], key)) return true;
    for (int i = 0; i < SCHEMA_GROUPS_MAX && object->at_most_one[i]; i++)
        if (schema_word_in(object->at_most_one[i], key)) return true;
    return false;
}

static void markdown_add_row(Text *text, const SchemaObject *object, const SchemaKey *key) {
    text_add_string(text, "| ");
    markdown_add_code(text, key->key);
    text_add_string(text, " | ");
    markdown_add_value(text, key);
    text_add_string(text, " | ");
    if (key->required) text_add_string(text, "**required**");
    else if (key->fallback_words) text_add_string(text, key->fallback_words);
    else if (markdown_is_in_group(object, key->key)) text_add_string(text, "*one of these*");
    else if (key->fallback && strcmp(key->fallback, "{}") != 0) markdown_add_code(text, key->fallback);
    text_add(text, " | %s", key->doc);
    const SchemaChoice *each;
    for (size_t k = 0; (each = schema_choice(key, k)); k++)
        if (each->doc && *each->doc) text_add(text, " `%s`: %s.", each->word, each->doc);
    text_add_string(text, " |\n");
}

// ---- one object ----------------------------------------------------------------------------------
enum { OBJECTS_MAX = 256 };

static void markdown_add_groups(Text *text, const char *const *groups, const char *how, const char *must) {
    for (int i = 0; i < SCHEMA_GROUPS_MAX && groups[i]; i++) {
        const char *group = groups[i];
        size_t length;
        bool first = true;
        text_add(text, "%s one of ", how);
        for (const char *word; (word = schema_next_word(&group, &length)); first = false)
            text_add(text, "%s`%.*s`", first ? "" : ", ", (int)length, word);
        text_add(text, " %s be given.\n\n", must);
    }
}

static void markdown_add_object(Text *text, const SchemaObject *object, const char *title) {
    text_add(text, "### %s\n\n%s\n\n", title, object->doc);
    if (object->example) text_add(text, "```yaml\n%s```\n\n", object->example);
    if (object->bare) {
        text_add_string(text, "Its value: ");
        markdown_add_value(text, &object->keys[0]);
        text_add_string(text, ".\n\n");
        return;
    }
    const SchemaAlternative *each;
    const SchemaKey *key;
    bool chosen = schema_alternative(object, 0) != NULL, keyed = schema_key(object, 0) != NULL;
    if (chosen) {
        text_add_string(
            text, "Exactly one of these says what it is; a bare word is enough where no key is required:\n\n"
                  "| key | value | meaning |\n|---|---|---|\n");
        for (size_t k = 0; (each = schema_alternative(object, k)); k++)
            text_add(text, "| `%s` | [%s](#%s) | %s |\n", each->key, each->object->name, each->object->name,
                     each->doc);
        text_add_string(text, "\n");
    }
    if (chosen && keyed) text_add_string(text, "Beside it:\n\n");
    if (keyed) text_add_string(text, "| key | value | default | meaning |\n|---|---|---|---|\n");
    for (size_t k = 0; (key = schema_key(object, k)); k++) markdown_add_row(text, object, key);
    if (keyed) text_add_string(text, "\n");
    if (object->short_key) text_add(text, "A value alone stands for `{%s: value}`.\n\n", object->short_key);
    markdown_add_groups(text, object->exactly_one, "Exactly", "must");
    markdown_add_groups(text, object->at_most_one, "At most", "may");
}

static void markdown_add_objects(Text *text, const SchemaObject *object, const SchemaObject **done,
                                 size_t *count) {
    for (size_t i = 0; i < *count; i++)
        if (done[i] == object) return;
    if (*count == OBJECTS_MAX) return;
    done[(*count)++] = object;
    markdown_add_object(text, object, object == &schema_root ? "The top level" : object->name);
    const SchemaAlternative *each;
    const SchemaKey *key;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++)
        markdown_add_objects(text, each->object, done, count);
    for (size_t k = 0; (key = schema_key(object, k)); k++)
        if (key->object) markdown_add_objects(text, key->object, done, count);
}

char *mrc_model_reference(void) {
    Text text = {0};
    const SchemaObject *done[OBJECTS_MAX];
    size_t count = 0;
    text_add_string(&text, introduction);
    text_add_string(&text, "## All keys\n\n");
    markdown_add_objects(&text, &schema_root, done, &count);
    return text_take(&text);
}
