#include "math/human.h"

#include <math.h>
#include <stdio.h>

typedef struct HumanUnit {
    Dimension dimension;
    double factor;
    const char *symbol;
} HumanUnit;

// Per dimension from large to small: the first that does not exceed the value is taken, or else the last.
static const HumanUnit human_units[] = {
    {DIM_LENGTH, 1, "m"},         {DIM_LENGTH, 1e-3, "mm"},
    {DIM_LENGTH, 1e-6, "um"},     {DIM_TIME, 1, "s"},
    {DIM_TIME, 1e-3, "ms"},       {DIM_TIME, 1e-6, "us"},
    {DIM_TIME, 1e-9, "ns"},       {DIM_MASS, 1, "kg"},
    {DIM_MASS, 1e-3, "g"},        {DIM_MASS, 1e-6, "mg"},
    {DIM_STIFFNESS, 1e6, "MN/m"}, {DIM_STIFFNESS, 1e3, "kN/m"},
    {DIM_STIFFNESS, 1, "N/m"},    {DIM_VELOCITY, 1, "m/s"},
    {DIM_VELOCITY, 1e-3, "mm/s"}, {DIM_PRESSURE, 1e9, "GPa"},
    {DIM_PRESSURE, 1e6, "MPa"},   {DIM_PRESSURE, 1e3, "kPa"},
    {DIM_PRESSURE, 1, "Pa"},      {DIM_ANGLE, 0.017453292519943295769, "deg"},
    {DIM_FREQUENCY, 1e3, "kHz"},  {DIM_FREQUENCY, 1, "Hz"},
};

static HumanUnit human_choose(double value, Dimension dimension, char *buffer, size_t size) {
    HumanUnit chosen = {dimension, 1, dimension_unit(dimension, buffer, size)};
    if (dimension_equal(dimension, DIM_NUMBER)) chosen.symbol = "";
    for (size_t i = 0; i < sizeof human_units / sizeof *human_units; i++) {
        if (!dimension_equal(human_units[i].dimension, dimension)) continue;
        chosen = human_units[i];
        if (value == 0 || fabs(value) >= 0.9999999 * chosen.factor) break;
    }
    return chosen;
}

void human_add(Text *text, double value, Dimension dimension) {
    char buffer[64];
    HumanUnit unit = human_choose(value, dimension, buffer, sizeof buffer);
    text_add(text, "%.4g%s%s", value / unit.factor, unit.symbol[0] ? " " : "", unit.symbol);
}

static void human_add_three(Text *text, Vec3 value, Dimension dimension, const char *between) {
    char buffer[64];
    double largest = fmax(fabs(value.x), fmax(fabs(value.y), fabs(value.z)));
    HumanUnit unit = human_choose(largest, dimension, buffer, sizeof buffer);
    text_add(text, "%.4g%s%.4g%s%.4g %s", value.x / unit.factor, between, value.y / unit.factor, between,
             value.z / unit.factor, unit.symbol);
}

void human_add_vector(Text *text, Vec3 value, Dimension dimension) {
    human_add_three(text, value, dimension, " ");
}

void human_add_size(Text *text, Vec3 size, Dimension dimension) {
    human_add_three(text, size, dimension, " x ");
}

void human_add_count(Text *text, double count) {
    char digits[64];
    int length = snprintf(digits, sizeof digits, "%.0f", count);
    for (int i = 0; i < length && length < (int)sizeof digits; i++) {
        if (i > 0 && (length - i) % 3 == 0 && length > 4) text_add_bytes(text, ",", 1);
        text_add_bytes(text, &digits[i], 1);
    }
}
